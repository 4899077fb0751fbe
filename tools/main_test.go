package tools_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/go-chi/chi/v5"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"service/auth"
	"service/store"
	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/storetest"
	"service/store/view"
	"service/store/warehouse"
	"service/store/warehouse/duckdb"
	"service/store/warehouse/duckdb/worker"
	"service/tools"
)

func TestMain(m *testing.M) {
	worker.Dispatch() // the test binary is its own query worker
	storetest.Main(m)
}

// newEngine starts the engine that queries self and uploads in processes of its
// own. Tests share one with their subtests.
func newEngine(t testing.TB) *duckdb.Engine {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	e, err := duckdb.New(duckdb.Config{Argv: []string{self, worker.Command}, Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// A world is a database with people and workspaces in it, and the tools served over HTTP
// under its grant.
type world struct {
	*store.Store
	t       testing.TB
	pool    *pgxpool.Pool
	engine  *duckdb.Engine
	url     string
	members map[string]store.Member // by "person@workspace"
	people  map[string]uuid.UUID

	mu    sync.Mutex
	now   time.Time
	grant store.Grant
}

// start is the time at which a world begins. The clock advances only by calls of the
// test.
var start = time.Date(2026, 3, 4, 9, 0, 0, 0, time.UTC)

// newWorld makes a world: ada owns acme and is a member of beta; bob owns beta and gamma. Calls use ada's grant, which is locked to acme.
func newWorld(t testing.TB, e *duckdb.Engine, opts ...func(*store.Options)) *world {
	t.Helper()
	w := &world{t: t, engine: e, now: start, members: map[string]store.Member{}, people: map[string]uuid.UUID{}}
	opts = append([]func(*store.Options){func(o *store.Options) {
		o.Now, o.DefaultPlan, o.Engine = w.clock, "paid", e
		o.Warehouses = map[string]store.Open{"postgres": w.openWarehouse}
	}}, opts...)
	w.Store, w.pool = storetest.New(t, opts...)
	for person, workspaces := range map[string][]string{"ada": {"acme"}, "bob": {"beta", "gamma"}} {
		a, err := w.Accounts.EnsureAccount(t.Context(), store.Identity{
			Issuer: "https://id.example", Subject: person, Email: person + "@example.com", Verified: true,
		})
		w.must(err)
		w.people[person] = a.ID
		for _, slug := range workspaces {
			m, err := w.Workspaces.CreateWorkspace(t.Context(), a.ID, slug, strings.ToUpper(slug[:1])+slug[1:])
			w.must(err)
			w.members[person+"@"+slug] = m
		}
	}
	_, err := w.Members.AddMember(t.Context(), uuid.Nil, "beta", "ada@example.com", store.RoleEditor)
	w.must(err)
	w.members["ada@beta"], err = w.Members.Member(t.Context(), w.people["ada"], "beta")
	w.must(err)
	w.as("ada@acme")
	w.url = w.serve()
	return w
}

// member gives person@workspace a role. A person who is new gets an account.
func (w *world) member(who, role string) store.Member {
	w.t.Helper()
	person, workspace, _ := strings.Cut(who, "@")
	if _, ok := w.people[person]; !ok {
		a, err := w.Accounts.EnsureAccount(w.t.Context(), store.Identity{
			Issuer: "https://id.example", Subject: person, Email: person + "@example.com", Verified: true,
		})
		w.must(err)
		w.people[person] = a.ID
	}
	_, err := w.Members.AddMember(w.t.Context(), uuid.Nil, workspace, person+"@example.com", role)
	w.must(err)
	w.members[who], err = w.Members.Member(w.t.Context(), w.people[person], workspace)
	w.must(err)
	return w.members[who]
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

// pass advances the clock.
func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

// as changes the grant of the calls: person@workspace for a locked grant, person:none,
// person:legacy, or zero for the zero grant.
func (w *world) as(who string) {
	w.t.Helper()
	g := store.Grant{ID: uuid.New()}
	switch person, lock, unlocked := strings.Cut(who, ":"); {
	case who == "zero":
	case unlocked:
		g.Account, g.Lock = w.people[person], store.Lock(lock)
	default:
		m, ok := w.members[who]
		if !ok {
			w.t.Fatalf("nobody is %q", who)
		}
		g.Account, g.Lock, g.Member = m.Account(), store.LockWorkspace, m
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.grant = g
}

// lookAgain looks up the role of the grant's member again, as the gate does at each call.
func (w *world) lookAgain() {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.grant.Locked() {
		return
	}
	m, err := w.Members.Member(w.t.Context(), w.grant.Account, w.grant.Member.Workspace())
	if errors.Is(err, store.ErrNotMember) {
		return // the gate would not accept the call
	}
	w.must(err)
	w.grant.Member = m
}

// openWarehouse opens a stand-in for a warehouse: its tables are real, in the query engine. The host down.example cannot
// be reached, slow.example times out, late.example times out only for rows, metered.example counts bytes, and busy.example refuses
// every query as busy.
func (w *world) openWarehouse(t warehouse.Target) (warehouse.Connector, error) {
	c := w.engine.Open(warehouse.Tenant{Workspace: uuid.NewSHA1(uuid.Nil, []byte(t.Database))}, t.Database, []warehouse.DataTable{{
		Name: "orders", Format: "csv",
		Data: []byte("2026-03-01,DE,10.5,1\n2026-03-01,FR,20,2\n2026-03-02,DE,30,3\n"),
		Columns: []cube.Column{
			{Name: "day", Type: cube.Date},
			{Name: "country", Type: cube.Text},
			{Name: "amount", Type: cube.Number},
			{Name: "quantity", Type: cube.Integer},
		},
	}})
	switch t.Host {
	case "down.example":
		return silent{c, warehouse.Errorf(warehouse.Connect, "The warehouse cannot be reached.")}, nil
	case "slow.example":
		return silent{c, warehouse.Errorf(warehouse.Timeout, warehouse.SayTimeout)}, nil
	case "late.example":
		return late{c}, nil
	case "terse.example":
		return terse{c}, nil
	case "metered.example":
		return metered{Connector: c}, nil
	case "busy.example":
		return silent{c, warehouse.Errorf(warehouse.Busy, "Too many queries run on the warehouse at the moment. "+
			"Try again in a little while.")}, nil
	}
	return c, nil
}

// late is a warehouse that describes queries, and does not finish them in time.
type late struct{ warehouse.Connector }

func (late) Query(context.Context, string, []any, warehouse.Limits, warehouse.Sink) (warehouse.Stats, error) {
	return warehouse.Stats{}, warehouse.Errorf(warehouse.Timeout, warehouse.SayTimeout)
}

// terse is a warehouse that does not suggest nearest names, like those of other
// dialects.
type terse struct{ warehouse.Connector }

func (t terse) Describe(ctx context.Context, sql string, args []any) ([]cube.Column, error) {
	columns, err := t.Connector.Describe(ctx, sql, args)
	if no, ok := errors.AsType[*warehouse.Error](err); ok && no.Class == warehouse.Unknown {
		err = &warehouse.Error{Class: no.Class, Message: strings.ToUpper(no.Message[:1]) + no.Message[1:] + "."}
	}
	return columns, err
}

// silent is a warehouse that answers every query with an error.
type silent struct {
	warehouse.Connector
	why error
}

func (s silent) Ping(context.Context) error { return s.why }

func (s silent) Describe(context.Context, string, []any) ([]cube.Column, error) { return nil, s.why }

func (s silent) Introspect(context.Context, warehouse.Introspection) ([]warehouse.Table, error) {
	return nil, s.why
}

func (s silent) Query(context.Context, string, []any, warehouse.Limits, warehouse.Sink) (warehouse.Stats, error) {
	return warehouse.Stats{}, s.why
}

// warehouse adds an active warehouse connection and returns its id.
func (w *world) warehouse(who, label, host string) uuid.UUID {
	w.t.Helper()
	c, err := w.Connections.AddWarehouse(w.t.Context(), w.members[who], "postgres", label, warehouse.Target{
		Host: host, Port: 5432, Database: label, User: "reader", Password: "secret", TLS: warehouse.TLSVerify,
	})
	w.must(err)
	_, err = w.pool.Exec(w.t.Context(), `UPDATE connection SET status = 'active' WHERE id = $1`, c.ID)
	w.must(err)
	return c.ID
}

// serve starts the tools behind the SDK's streamable handler on a chi router, as
// the server does.
func (w *world) serve(change ...func(*tools.Config)) string {
	srv := mcp.NewServer(&mcp.Implementation{Name: "service", Version: "0.6.0"}, nil)
	c := tools.Config{Store: w.Store, Log: slog.New(slog.DiscardHandler), Now: w.clock, URL: canonical, Seals: true}
	c.Views = view.New(view.Config{Store: w.Store, Now: w.clock})
	for _, f := range change {
		f(&c)
	}
	tools.Register(srv, c)
	srv.AddReceivingMiddleware(guard)
	r := chi.NewRouter()
	sdk := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return srv },
		&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true, MaxRequestBodyBytes: -1})
	r.Post("/mcp", func(rw http.ResponseWriter, req *http.Request) {
		w.mu.Lock()
		g := w.grant
		w.mu.Unlock()
		sdk.ServeHTTP(rw, req.WithContext(auth.WithGrant(req.Context(), g)))
	})
	ts := httptest.NewServer(r)
	w.t.Cleanup(ts.Close)
	return ts.URL + "/mcp"
}

// guard answers internal errors of a tool with -32000, as the edge does, but includes
// the cause for the test.
func guard(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("panic: %v", p)
			}
			if _, coded := errors.AsType[*jsonrpc.Error](err); err != nil && !coded {
				res, err = nil, &jsonrpc.Error{Code: -32000, Message: err.Error()}
			}
		}()
		return next(ctx, method, req)
	}
}

func canonical(workspace, slug string) string {
	return "https://" + workspace + ".example.test/" + slug
}

// A result is a tool's answer on the wire.
type result struct {
	Text       string          // the only text content
	Structured json.RawMessage // nil: none
	IsError    bool
	Internal   string // of error -32000
}

// call calls a tool, and checks the envelope of its answer.
func (w *world) call(tool, args string) result {
	w.t.Helper()
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, args)
	req, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, w.url, strings.NewReader(body))
	w.must(err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	res, err := http.DefaultClient.Do(req)
	w.must(err)
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	w.must(err)
	var msg struct {
		Result *struct {
			Content           []map[string]string `json:"content"`
			StructuredContent json.RawMessage     `json:"structuredContent"`
			IsError           *bool               `json:"isError"`
		} `json:"result"`
		Error *struct {
			Code    int
			Message string
		} `json:"error"`
	}
	d := json.NewDecoder(bytes.NewReader(b))
	if err := d.Decode(&msg); err != nil {
		w.t.Fatalf("%s %s: %s %s", tool, args, res.Status, b)
	}
	if msg.Error != nil {
		return result{Internal: fmt.Sprintf("%d %s", msg.Error.Code, msg.Error.Message)}
	}
	r := msg.Result
	if len(r.Content) != 1 || r.Content[0]["type"] != "text" || len(r.Content[0]) != 2 {
		w.t.Errorf("%s %s: the answer is not one text: %s", tool, args, b)
	}
	if r.IsError != nil && (!*r.IsError || r.StructuredContent != nil) {
		w.t.Errorf("%s %s: isError is false, or comes with structuredContent: %s", tool, args, b)
	}
	out := result{Text: r.Content[0]["text"], Structured: r.StructuredContent, IsError: r.IsError != nil}
	if !out.IsError {
		w.check(tool, args, out)
	}
	return out
}

// check checks what all successful answers have in common.
func (w *world) check(tool, args string, r result) {
	w.t.Helper()
	if n := utf8.RuneCountInString(r.Text); n > 40_000 {
		w.t.Errorf("%s %s: the text has %d characters", tool, args, n)
	}
	sentence, _, _ := strings.Cut(r.Text, "\n")
	if traits[tool].dashboard && !strings.Contains(sentence, ".example.test/") {
		w.t.Errorf("%s %s: the sentence has no canonical URL: %s", tool, args, sentence)
	}
	data, ok := jsonOf(r.Text)
	if !ok {
		data = r.Structured
	}
	if data == nil { // the answer is text only
		return
	}
	var head struct{ Message, URL string }
	w.must(json.Unmarshal(data, &head))
	if head.Message != sentence || !strings.HasPrefix(head.URL, "https://") {
		w.t.Errorf("%s %s: the data does not stand alone: message %q, url %q", tool, args, head.Message, head.URL)
	}
	body := tool != "publish_dashboard" || strings.Contains(string(data), `"content_type"`)
	if want := traits[tool].structured && body; (r.Structured != nil) != want {
		w.t.Errorf("%s %s: structuredContent: %v, want %v", tool, args, r.Structured != nil, want)
	}
	if s := outputSchemas()[tool]; s != nil {
		var v any
		w.must(json.Unmarshal(r.Structured, &v))
		if err := s.Validate(v); err != nil {
			w.t.Errorf("%s %s: structuredContent does not fit the output schema: %v\n%s", tool, args, err, r.Structured)
		}
	}
}

// outputSchemas are the declared schemas, resolved by a validator of a library.
var outputSchemas = sync.OnceValue(func() map[string]*jsonschema.Resolved {
	all := map[string]*jsonschema.Resolved{}
	for _, d := range tools.Definitions() {
		raw, ok := d.OutputSchema.(json.RawMessage)
		if !ok {
			continue
		}
		s := &jsonschema.Schema{}
		if err := json.Unmarshal(raw, s); err != nil {
			panic(err)
		}
		resolved, err := s.Resolve(nil)
		if err != nil {
			panic(err)
		}
		all[d.Name] = resolved
	}
	return all
})

// refresh runs every queued refresh, as a worker does.
func (w *world) refresh() {
	w.t.Helper()
	ctx := w.t.Context()
	rows, _ := w.pool.Query(ctx, `SELECT workspace_id, id FROM refresh_run WHERE state = 'queued' ORDER BY id`)
	queued, err := pgx.CollectRows(rows, pgx.RowToStructByPos[store.RefreshArgs])
	w.must(err)
	for _, args := range queued {
		j, err := w.Refreshes.StartRun(ctx, args, 100)
		w.must(err)
		s, err := dashboard.Parse(j.Spec)
		w.must(err)
		src, err := w.Connections.JobSource(ctx, j)
		o := store.Outcome{Answered: err == nil}
		if err != nil {
			o.Error = err.Error()
		}
		fed, err := w.Refreshes.JobFeeds(ctx, j)
		w.must(err)
		o.Fed = fed.All
		for _, run := range s.Runs() {
			if d := run.Dataset; len(d.From) > 0 { // after those of the spec that it reads
				o.Datasets = append(o.Datasets, w.follow(j, s, d, fed, o.Datasets))
			} else {
				result := w.query(run.Spec(s), d, src.For(d.ID))
				result.ID = run.ID
				o.Datasets = append(o.Datasets, result)
			}
		}
		_, err = w.Refreshes.FinishRun(ctx, j, o)
		w.must(err)
	}
}

func (w *world) query(s *dashboard.Spec, d *dashboard.Dataset, src warehouse.Connector) store.DatasetResult {
	w.t.Helper()
	r := store.DatasetResult{RunDataset: store.RunDataset{ID: d.ID, State: store.RunFailed, ElapsedMS: 12}, Definition: d.Definition(s)}
	if src == nil {
		return r
	}
	sql, args, err := d.Bind(s, w.clock(), src.Placeholder)
	w.must(err)
	var rows sink
	stats, err := src.Query(w.t.Context(), sql, args, warehouse.Limits{
		Rows: d.Rows, Bytes: dashboard.MaxResultBytes, Time: 20 * time.Second,
	}, &rows)
	if err != nil {
		r.Error = err.Error()
		return r
	}
	r.Cube = rows.Cube()
	r.State, r.Rows, r.Truncated = store.RunSucceeded, r.Cube.Rows(), stats.Truncated
	return r
}

// follow runs a dataset that reads others.
func (w *world) follow(j store.Job, s *dashboard.Spec, d *dashboard.Dataset, fed store.Feeds,
	made []store.DatasetResult,
) store.DatasetResult {
	w.t.Helper()
	r := store.DatasetResult{RunDataset: store.RunDataset{ID: d.ID, State: store.RunFailed, ElapsedMS: 12}, Definition: d.Definition(s)}
	var tables []warehouse.DataTable
	var read []dashboard.Fed
	for _, one := range fed.Of(d.ID) {
		var c *cube.Cube
		spec, said := s, []byte(nil)
		if i := slices.IndexFunc(made, func(m store.DatasetResult) bool { return m.ID == one.Ref.Dataset }); one.Ref.Slug == "" && i >= 0 {
			c, said = made[i].Cube, made[i].Said
		} else if one.Problem == "" && one.Ref.Slug != "" {
			raw, err := w.Refreshes.FedRows(w.t.Context(), j, one)
			w.must(err)
			c, err = cube.Decode(raw)
			w.must(err)
			raw, err = w.Refreshes.FedSpec(w.t.Context(), j, one)
			w.must(err)
			spec, err = dashboard.ParseStored(raw)
			w.must(err)
			said = one.Said
		}
		if c == nil {
			r.Error = one.Problem
			return r
		}
		f, _ := dashboard.FedOf(spec, one.Ref, said, c.Columns())
		tables, read = append(tables, warehouse.RowsTable(one.Ref.Dataset, c)), append(read, f)
		if r.Cube = c; !one.RefreshedAt.IsZero() {
			r.AsOf = one.RefreshedAt
		}
	}
	if d.SQL != "" {
		src, err := w.Connections.JobFeedSource(j, tables)
		w.must(err)
		q := w.query(s, d, src)
		if r.Cube, r.Error = q.Cube, q.Error; r.Cube == nil {
			return r
		}
	}
	var names []string
	for _, c := range r.Cube.Columns() {
		names = append(names, c.Name)
	}
	r.State, r.Rows, r.Said = store.RunSucceeded, r.Cube.Rows(), d.Say(read, names).Stored()
	return r
}

type sink struct{ *cube.Builder }

func (s *sink) Columns(cols []cube.Column) error {
	s.Builder = cube.NewBuilder(cols)
	return nil
}

func (s *sink) Row(row []any) error { return s.Add(row) }
