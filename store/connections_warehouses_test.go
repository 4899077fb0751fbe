package store_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"service/store"
	"service/store/blob"
	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/warehouse"
)

// far represents a third-party warehouse: err is its answer.
type far struct {
	warehouse.Connector
	target warehouse.Target
	err    error
}

func (f far) Ping(context.Context) error { return f.err }

func key(b byte) string {
	return base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{b}, store.KeySize))
}

func keys(t testing.TB, text string) *store.Keys {
	t.Helper()
	k, err := store.ParseKeys(text)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestWarehouseLife(t *testing.T) {
	t.Parallel()
	var reached warehouse.Target
	var answer error
	open := func(target warehouse.Target) (warehouse.Connector, error) {
		reached = target
		return far{target: target, err: answer}, nil
	}
	b := setup(t, func(o *store.Options) {
		o.Keys = keys(t, key(1))
		o.Warehouses = map[string]store.Open{"postgres": open}
	})
	ctx := t.Context()
	target := warehouse.Target{
		Host: "db.example", Port: 5432, Database: "sales", User: "reader", Password: "s3cret-word", TLS: warehouse.TLSVerify,
	}
	_, err := b.Connections.AddWarehouse(ctx, b.owner, "postgres", "Sales", target)
	refusal(t, err, `Warehouse connections need a paid plan, and workspace "acme" is on the free one. `+
		`Uploaded files and "self" need none. The operator of this service changes the plan: service admin workspace plan acme paid`)
	if err := b.Workspaces.SetPlan(ctx, "acme", "paid"); err != nil {
		t.Fatal(err)
	}
	m, _ := b.Members.Member(ctx, b.owner.Account(), "acme")
	_, err = b.Connections.AddWarehouse(ctx, m, "oracle", "Sales", target)
	refusal(t, err, `kind "oracle" is not a kind of warehouse that this installation can reach; the kinds are postgres`)
	c, err := b.Connections.AddWarehouse(ctx, m, "postgres", "Sales", target)
	if err != nil || c.Status != store.StatusUntested {
		t.Fatal(c, err)
	}
	_, err = b.Connections.Source(ctx, m, c.ID, nil)
	refusal(t, err, `Connection "Sales" is not active (status: untested). Test it in the web application and retry once it is active.`)

	var sealed []byte
	if err := b.pool.QueryRow(ctx, `
			SELECT secret FROM connection WHERE id = $1`, c.ID).Scan(&sealed); err != nil || bytes.Contains(sealed, []byte("s3cret")) {
		t.Errorf("the secret is not sealed: %q, %v", sealed, err)
	}
	if c, err = b.Connections.TestConnection(ctx, m, c.ID); err != nil || c.Status != store.StatusActive || reached != target {
		t.Errorf("%+v reached %+v, %v", c, reached, err)
	}
	answer = warehouse.Errorf(warehouse.Auth, "The warehouse refused the user or the password.")
	if c, err = b.Connections.TestConnection(ctx, m, c.ID); err != nil || c.Status != store.StatusFailing ||
		c.StatusReason != "The warehouse refused the user or the password." {
		t.Errorf("%+v, %v", c, err)
	}
	answer = errors.New("driver: s3cret-word")
	if c, err = b.Connections.TestConnection(ctx, m, c.ID); err != nil || strings.Contains(c.StatusReason, "s3cret") {
		t.Errorf("%+v, %v", c, err)
	}
	shown, err := b.Connections.WarehouseTarget(ctx, m, c.ID)
	if err != nil || shown.Password != "" || shown.Host != target.Host {
		t.Errorf("%+v, %v", shown, err)
	}
	// A person who borrows a session cannot send the stored password elsewhere.
	for what, change := range map[string]func(*warehouse.Target){
		"host": func(t *warehouse.Target) { t.Host = "evil.example" },
		"port": func(t *warehouse.Target) { t.Port++ },
		"user": func(t *warehouse.Target) { t.User = "other" },
		"tls":  func(t *warehouse.Target) { t.TLS = warehouse.TLSOff },
	} {
		moved := shown
		change(&moved)
		_, err := b.Connections.UpdateWarehouse(ctx, m, c.ID, "Moved", moved)
		refusal(t, err, "password must be typed again when host, port, user or TLS change: the stored one is for where the connection leads now")
		if got, err := b.Connections.WarehouseTarget(ctx, m, c.ID); err != nil || got != shown {
			t.Errorf("%s: %+v, %v", what, got, err)
		}
		moved.Password = "typed-word"
		if _, err := b.Connections.UpdateWarehouse(ctx, m, c.ID, "Sales", moved); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if _, err := b.Connections.TestConnection(ctx, m, c.ID); err != nil || reached != moved {
			t.Errorf("%s: reached %+v, %v", what, reached, err)
		}
		if _, err := b.Connections.UpdateWarehouse(ctx, m, c.ID, "Sales", target); err != nil {
			t.Fatal(err)
		}
	}
	shown.Database = "elsewhere" // the password is kept
	answer = nil
	if c, err = b.Connections.UpdateWarehouse(ctx, m, c.ID, "Renamed", shown); err != nil || c.Status != store.StatusUntested ||
		c.Label != "Renamed" {
		t.Errorf("%+v, %v", c, err)
	}
	if c, err = b.Connections.TestConnection(ctx, m, c.ID); err != nil || reached.Password != "s3cret-word" ||
		reached.Database != "elsewhere" {
		t.Errorf("%+v, %v", reached, err)
	}
	if err := b.Connections.DisableConnection(ctx, m, c.ID); err != nil {
		t.Fatal(err)
	}
	_, err = b.Connections.Source(ctx, m, c.ID, nil)
	refusal(t, err, `Connection "Renamed" is not active (status: disabled). Test it in the web application and retry once it is active.`)
	eve := b.workspace(t, b.account(t, "eve@example.com"), "eves")
	if _, err := b.Connections.TestConnection(ctx, eve, c.ID); !errors.Is(err, store.ErrNotFound) {
		t.Error(err)
	}
	if err := b.Connections.DeleteConnection(ctx, eve, c.ID); !errors.Is(err, store.ErrNotFound) {
		t.Error(err)
	}
	if err := b.Connections.DeleteConnection(ctx, m, c.ID); err != nil {
		t.Error(err)
	}
}

// TestSecretsAreBoundToTheirRow: an attacker who can write to the database, without the key, cannot make a connection use the credentials
// of another.
func TestSecretsAreBoundToTheirRow(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *store.Options) {
		o.DefaultPlan = "paid"
		o.Warehouses = map[string]store.Open{"postgres": func(warehouse.Target) (warehouse.Connector, error) { return far{}, nil }}
	})
	ctx := t.Context()
	ids := map[string]uuid.UUID{}
	for _, user := range []string{"mine", "theirs"} {
		c, err := b.Connections.AddWarehouse(ctx, b.owner, "postgres", user, warehouse.Target{
			Host: "h", Port: 1, User: user, Password: "p", TLS: warehouse.TLSOff,
		})
		if err != nil {
			t.Fatal(err)
		}
		if target, err := b.Connections.WarehouseTarget(ctx, b.owner, c.ID); err != nil || target.User != user {
			t.Fatal(target, err)
		}
		ids[user] = c.ID
	}
	if _, err := b.pool.Exec(ctx, `UPDATE connection SET secret = (SELECT secret FROM connection WHERE id = $2) WHERE id = $1`,
		ids["mine"], ids["theirs"]); err != nil {
		t.Fatal(err)
	}
	if target, err := b.Connections.WarehouseTarget(ctx, b.owner, ids["mine"]); err == nil {
		t.Errorf("it reads the credentials of %q", target.User)
	}
}

func TestKeyIsCheckedAndRotated(t *testing.T) {
	t.Parallel()
	open := func(warehouse.Target) (warehouse.Connector, error) { return far{}, nil }
	b := setup(t, func(o *store.Options) {
		o.Keys, o.DefaultPlan, o.Warehouses = keys(t, key(1)), "paid", map[string]store.Open{"postgres": open}
	})
	ctx := t.Context()
	if err := b.CheckKey(ctx); err != nil {
		t.Fatal(err)
	}
	c, err := b.Connections.AddWarehouse(ctx, b.owner, "postgres", "Sales", warehouse.Target{
		Host: "h", Port: 1, User: "u", Password: "p", TLS: warehouse.TLSOff,
	})
	if err != nil {
		t.Fatal(err)
	}
	with := func(text string) *store.Store {
		s, err := store.New(b.pool, store.Options{Keys: keys(t, text), Warehouses: map[string]store.Open{"postgres": open}})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	err = with(key(2)).CheckKey(ctx)
	if err == nil || !strings.Contains(err.Error(), keys(t, key(1)).Fingerprint()) ||
		!strings.Contains(err.Error(), keys(t, key(2)).Fingerprint()) {
		t.Errorf("another key: %v; both fingerprints should be named", err)
	}
	rotated := with(key(2) + "," + key(1))
	if err := rotated.CheckKey(ctx); err != nil {
		t.Fatal(err)
	}
	if n, err := rotated.RotateKey(ctx); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	after := with(key(2))
	if err := after.CheckKey(ctx); err != nil {
		t.Error(err)
	}
	if target, err := after.Connections.WarehouseTarget(ctx, b.owner, c.ID); err != nil || target.User != "u" {
		t.Error(target, err)
	}
	if err := with(key(1)).CheckKey(ctx); err == nil {
		t.Error("the old key still starts")
	}
}

// engine answers with the tables that it was opened with.
type engine struct {
	store.Engine
	tables []warehouse.DataTable
}

func (e *engine) Open(_ warehouse.Tenant, _ string, tables []warehouse.DataTable) warehouse.Connector {
	e.tables = tables
	return far{}
}

func (e *engine) Ingest(context.Context, warehouse.Tenant, warehouse.DataFile) (*warehouse.Ingested, error) {
	return &warehouse.Ingested{Rowset: warehouse.Rowset{
		Parquet: []byte("PAR1"), Columns: []cube.Column{{Name: "n", Type: cube.Integer}}, Rows: 1,
	}}, nil
}

func TestSelfHoldsNoPerson(t *testing.T) {
	t.Parallel()
	e := &engine{}
	b := setup(t, func(o *store.Options) { o.Engine = e })
	ctx := t.Context()
	p := b.spec(t, b.owner, "sales", `{}`)
	b.finish(t, p, 3)
	b.Dashboards.CountView(b.owner, p.Dashboard.ID, 3e6, 1000)
	b.Dashboards.CountView(b.owner, p.Dashboard.ID, 5e6, 1000)
	if err := b.Dashboards.FlushViews(ctx); err != nil {
		t.Fatal(err)
	}
	other := b.workspace(t, b.account(t, "eve@example.com"), "eves")
	b.spec(t, other, "hidden", `{}`)
	if _, err := b.Connections.Source(ctx, b.owner, uuid.Nil, nil); err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, table := range e.tables {
		data, err := table.Read(ctx)
		if err != nil || !bytes.Equal(table.SHA256, blob.Hash(data)) {
			t.Fatalf("%s: %s %v", table.Name, data, err)
		}
		if table.Data != nil { // a busy workspace keeps one for a minute
			t.Errorf("%s is kept as it is read", table.Name)
		}
		all.WriteString(table.Name + "\n" + string(data) + "\n")
	}
	day := p.Dashboard.CreatedAt.Format("2006-01-02")
	for _, want := range []string{
		day + ",sales,publish,1,0,1,2\n", day + ",sales,refresh,1,1000,1024,0\n", day + ",sales,view,2,4,8,2000\n",
		"sales," + day + ",1,1,true,1\n", day + ",sales,succeeded,1,3,",
	} {
		if !strings.Contains(all.String(), want) {
			t.Errorf("no line %q in\n%s", want, &all)
		}
	}
	for _, secret := range []string{"ada@", "hidden", "eve@", b.owner.Account().String(), b.owner.WorkspaceID().String()} {
		if strings.Contains(all.String(), secret) {
			t.Errorf("self shows %q:\n%s", secret, &all)
		}
	}
}

func TestUploads(t *testing.T) {
	t.Parallel()
	e := &engine{}
	b := setup(t, func(o *store.Options) { o.Engine = e })
	ctx := t.Context()
	first, err := b.Uploads.AddUpload(ctx, b.owner, "a.csv", []byte("n\n1\n"))
	if err != nil {
		t.Fatal(err)
	}
	second, err := b.Uploads.AddUpload(ctx, b.owner, "b.csv", []byte("n\n2\n"))
	if err != nil || second.Connection.ID != first.Connection.ID || len(second.Connection.Uploads) != 2 {
		t.Fatalf("%+v, %v", second, err)
	}
	_, err = b.Uploads.AddUpload(ctx, b.owner, "big.csv", make([]byte, 5242881))
	refusal(t, err, "413 payload too large: 5242881 bytes, over the 5242880-byte limit")
	_, err = b.Connections.CheckConnection(ctx, b.owner, first.Connection.ID, nil, false)
	refusal(t, err, `Connection "Uploaded files" is for uploaded files, and an "upload" id is missing: pass one of `+
		second.Upload.ID.String()+` (b.csv), `+first.Upload.ID.String()+` (a.csv).`)
	gone := `Connection "` + first.Connection.ID.String() + `" was not found among your connections. ` +
		`Manage warehouses in the web application, and use an active connection id or "self".`
	_, err = b.Connections.CheckConnection(ctx, b.owner, first.Connection.ID, store.OneFile(uuid.New()), false)
	refusal(t, err, gone)
	if _, err = b.Connections.Source(ctx, b.owner, first.Connection.ID, store.OneFile(first.Upload.ID)); err != nil ||
		e.tables[0].Name != "upload" {
		t.Fatalf("%+v, %v", e.tables, err)
	}
	if data, err := e.tables[0].Read(ctx); err != nil || string(data) != "PAR1" {
		t.Errorf("%q, %v", data, err)
	}
	bound, err := b.Dashboards.Publish(ctx, b.owner, store.Publication{
		Slug: "s", Filename: "index.html", DefaultName: "n", DefaultChart: "c", Spec: &dashboard.Spec{},
		ContentType: "application/json", Content: []byte("{}"), Connection: first.Connection.ID, Files: store.OneFile(first.Upload.ID),
		Definitions: map[string][]byte{"d": []byte("same")},
	})
	if err != nil {
		t.Fatal(err)
	}
	b.finish(t, bound, 1)
	if _, err := b.replace(t, b.owner, first.Upload.ID, "c.csv"); err != nil {
		t.Fatal(err)
	}
	if s, err := b.Refreshes.RefreshStatus(ctx, b.owner, "s"); err != nil || s.Run.Cause != store.CauseUpload || !s.Run.Active() {
		t.Errorf("a replaced file does not refresh its dashboard: %+v, %v", s.Run, err)
	}
	eve := b.workspace(t, b.account(t, "eve@example.com"), "eves")
	if _, err := b.replace(t, eve, first.Upload.ID, "c.csv"); !errors.Is(err, store.ErrNotFound) {
		t.Error(err)
	}
	// A connection of another workspace publishes, and never refreshes.
	mine := b.workspace(t, b.owner.Account(), "second")
	if _, err := b.Connections.CheckConnection(ctx, mine, first.Connection.ID, store.OneFile(first.Upload.ID), false); err == nil {
		t.Error("a connection of another workspace can be queried")
	}
	if _, err := b.Connections.CheckConnection(ctx, mine, first.Connection.ID, store.OneFile(first.Upload.ID), true); err != nil {
		t.Error(err)
	}
	_, err = b.Connections.JobSource(ctx,
		store.Job{Workspace: mine.WorkspaceID(), Connection: first.Connection.ID, Files: store.OneFile(first.Upload.ID)})
	refusal(t, err, "The connection belongs to another workspace than the dashboard, so it can never refresh it. "+
		"Publish again with a connection of this workspace.")
}

// A crowd represents the warehouses of one installation, and counts the queries that run there at once.
type crowd struct {
	mu        sync.Mutex
	now, most map[string]int // by database: here, the workspace
	all, peak int
	changed   *sync.Cond
	open      bool // queries end as they arrive
}

func newCrowd() *crowd {
	c := &crowd{now: map[string]int{}, most: map[string]int{}}
	c.changed = sync.NewCond(&c.mu)
	return c
}

// until waits until some queries run. It ends the tests when they do not.
func (c *crowd) until(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	late := time.AfterFunc(time.Minute, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		panic(fmt.Sprintf("%d queries run, and not %d", c.all, n))
	})
	defer late.Stop()
	for c.all != n {
		c.changed.Wait()
	}
}

func (c *crowd) step(where string, by int) {
	c.now[where] += by
	c.all += by
	c.most[where] = max(c.most[where], c.now[where])
	c.peak = max(c.peak, c.all)
	c.changed.Broadcast()
}

func (c *crowd) letGo() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open = true
	c.changed.Broadcast()
}

// memberOfCrowd is the connector of one target.
type memberOfCrowd struct {
	warehouse.Connector
	*crowd
	where string
}

func (c memberOfCrowd) Ping(context.Context) error { return nil }

func (c memberOfCrowd) Query(ctx context.Context, _ string, _ []any, l warehouse.Limits, _ warehouse.Sink) (warehouse.Stats, error) {
	ctx, cancel := context.WithTimeout(ctx, l.Time)
	defer cancel()
	defer context.AfterFunc(ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.changed.Broadcast()
	})()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.step(c.where, 1)
	defer c.step(c.where, -1)
	for !c.open && ctx.Err() == nil {
		c.changed.Wait()
	}
	return warehouse.Stats{}, ctx.Err()
}

// sourceAt adds a warehouse to a workspace and returns its connector.
func (b bench) sourceAt(t *testing.T, m store.Member, host string) warehouse.Connector {
	t.Helper()
	added, err := b.Connections.AddWarehouse(t.Context(), m, "postgres", host, warehouse.Target{
		Host: host, Port: 1, User: "u", Database: m.WorkspaceID().String(), TLS: warehouse.TLSOff,
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Connections.TestConnection(t.Context(), m, added.ID); err != nil {
		t.Fatal(err)
	}
	source, err := b.Connections.Source(t.Context(), m, added.ID, nil)
	if err != nil {
		t.Fatal(err)
	}
	return source.For("")
}

func crowded(t *testing.T) (bench, *crowd) {
	c := newCrowd()
	return setup(t, func(o *store.Options) {
		o.DefaultPlan = "paid"
		o.Warehouses = map[string]store.Open{"postgres": func(t warehouse.Target) (warehouse.Connector, error) {
			return memberOfCrowd{crowd: c, where: t.Database}, nil
		}}
	}), c
}

var patient = warehouse.Limits{Time: time.Minute}

// TestQueriesAtOnceAreBounded: a workspace uses at most its share of slots at each server, and a caller that waits too long is refused.
func TestQueriesAtOnceAreBounded(t *testing.T) {
	t.Parallel()
	b, c := crowded(t)
	here, there := b.sourceAt(t, b.owner, "here.example"), b.sourceAt(t, b.owner, "there.example")
	var wg sync.WaitGroup
	for i, source := range []warehouse.Connector{here, there} {
		for range 6 {
			wg.Go(func() {
				if _, err := source.Query(t.Context(), "SELECT 1", nil, patient, nil); err != nil {
					t.Error(err)
				}
			})
		}
		c.until(4 * (i + 1))
	}
	// A test that finds no slot does not change the state of the connection.
	all, err := b.Connections.Connections(t.Context(), b.owner)
	if err != nil || len(all) != 2 {
		t.Fatal(all, err)
	}
	short, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, err = b.Connections.TestConnection(short, b.owner, all[0].ID)
	refusal(t, err, "Too many queries run on the warehouse at the moment. Try again in a little while.")
	if after, err := b.Connections.Connection(t.Context(), b.owner, all[0].ID); err != nil || after.Status != store.StatusActive {
		t.Errorf("%s, %v", after.Status, err)
	}
	busy := func(err error) {
		t.Helper()
		if bad, ok := errors.AsType[*warehouse.Error](err); !ok || bad.Class != warehouse.Busy {
			t.Error(err)
		}
	}
	hurried, leave := context.WithCancel(t.Context())
	leave()
	_, err = here.Query(hurried, "SELECT 1", nil, patient, nil)
	busy(err)
	// The time of a query includes its wait.
	_, err = here.Query(t.Context(), "SELECT 1", nil, warehouse.Limits{Time: 10 * time.Millisecond}, nil)
	busy(err)
	limited, stop := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer stop()
	_, err = there.Introspect(limited, warehouse.Introspection{})
	busy(err)
	c.letGo()
	wg.Wait()
	if got := c.most[b.owner.WorkspaceID().String()]; got != 8 {
		t.Errorf("%d queries of one workspace ran at once at two servers, want 8", got)
	}
}

// TestQueriesOfOneAccountAreBounded: three workspaces of one account query one warehouse, each with another spelling of its name.
func TestQueriesOfOneAccountAreBounded(t *testing.T) {
	t.Parallel()
	b, c := crowded(t)
	var sources []warehouse.Connector
	for i, host := range []string{"db.example", "DB.example", "db.EXAMPLE."} {
		m := b.workspace(t, b.owner.Account(), fmt.Sprint("more-", i))
		sources = append(sources, b.sourceAt(t, m, host))
	}
	var wg sync.WaitGroup
	for _, source := range sources {
		for range 8 {
			wg.Go(func() {
				if _, err := source.Query(t.Context(), "SELECT 1", nil, patient, nil); err != nil {
					t.Error(err)
				}
			})
		}
	}
	c.until(8)
	c.letGo()
	wg.Wait()
	if c.peak != 8 {
		t.Errorf("%d queries of one host ran at once, want 8", c.peak)
	}
	for workspace, most := range c.most {
		if most > 4 {
			t.Errorf("%d queries of workspace %s ran at once, want at most 4", most, workspace)
		}
	}
}

// TestEndedQueriesReleaseTheirSlots: whoever leaves, with a slot or from the wait
// for one, makes room.
func TestEndedQueriesReleaseTheirSlots(t *testing.T) {
	t.Parallel()
	b, c := crowded(t)
	source := b.sourceAt(t, b.owner, "db.example")
	for range 3 {
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				if _, err := source.Query(ctx, "SELECT 1", nil, patient, nil); err == nil {
					t.Error("a query that was given up came back")
				}
			})
		}
		c.until(4)
		cancel()
		wg.Wait()
		c.until(0)
	}
	c.letGo()
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if _, err := source.Query(t.Context(), "SELECT 1", nil, patient, nil); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// TestKindNeedsNoMigration: only the program defines the kinds of warehouses, and the requirements of each.
func TestKindNeedsNoMigration(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *store.Options) {
		open := func(warehouse.Target) (warehouse.Connector, error) { return far{}, nil }
		o.Keys, o.DefaultPlan = keys(t, key(1)), "paid"
		o.Warehouses = map[string]store.Open{"bigquery": open, "of tomorrow": open}
	})
	target := warehouse.Target{Host: "db.example", Port: 443, Database: "sales", Password: "key", TLS: warehouse.TLSVerify}
	if c, err := b.Connections.AddWarehouse(t.Context(), b.owner, "bigquery", "Sales", target); err != nil || c.Kind != "bigquery" {
		t.Error(c, err)
	}
	_, err := b.Connections.AddWarehouse(t.Context(), b.owner, "of tomorrow", "Sales", target)
	refusal(t, err, "user must not be empty")
	target.User = "reader"
	if c, err := b.Connections.AddWarehouse(t.Context(), b.owner, "of tomorrow", "Sales", target); err != nil || c.Dialect() != "of tomorrow" {
		t.Error(c, err)
	}
	target.MaxBytes = -1
	_, err = b.Connections.AddWarehouse(t.Context(), b.owner, "bigquery", "Sales", target)
	refusal(t, err, "limit must be a number of gigabytes")
}
