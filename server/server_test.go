package server

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
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"service/auth"
	"service/store"
)

// fixture is a server over real HTTP, with a stand-in for each of its neighbours: bearers are names, and the text of a call determines the
// behaviour of its tool.
type fixture struct {
	*httptest.Server
	server *Server
	logs   *logs

	started chan struct{}  // gets a value for each tool that waits
	ended   chan error     // gets the reason why the waiting tool's context ended
	release chan struct{}  // closed when the test ends
	crowd   sync.WaitGroup // tools that "meet" wait for all of it
}

func setup(t testing.TB, change ...func(*Config)) *fixture {
	t.Helper()
	f := &fixture{
		logs:    &logs{},
		started: make(chan struct{}, 100),
		ended:   make(chan error, 100),
		release: make(chan struct{}),
	}
	c := Config{
		BaseURL:         "https://mcp.example.test",
		AppHost:         "app.example.test",
		DashboardDomain: "example.test",
		Auth:            gate{},
		Web:             says("web"),
		Host:            says("host"),
		Tools:           f.tools,
		Slow:            []string{"act", "count"},
		Prompts:         prompts,
		Resources:       dashboards{},
		Instructions:    "Start with check_readiness.",
		Log:             slog.New(slog.NewJSONHandler(f.logs, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	for _, f := range change {
		f(&c)
	}
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	f.server, f.Server = s, httptest.NewServer(s.Handler())
	t.Cleanup(func() {
		close(f.release)
		f.Close()
	})
	return f
}

func says(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, text) }
}

// gate accepts the bearers acme and other, and fails to check "down".
type gate struct {
	check, register, token http.HandlerFunc // replace the handlers of these names, if set
}

// grants maps bearers to their grants. The client's id contains the bearer's name.
var grants = map[string]store.Grant{
	"acme": {
		ID: uuid.MustParse("0190a1b2-0000-7000-8000-000000000001"), Account: uuid.MustParse("0190a1b2-0000-7000-8000-000000000003"),
		ClientID: "acme",
	},
	"other": {
		ID: uuid.MustParse("0190a1b2-0000-7000-8000-000000000002"), Account: uuid.MustParse("0190a1b2-0000-7000-8000-000000000004"),
		ClientID: "other",
	},
}

func caller(ctx context.Context) string {
	grant, _ := auth.GrantFrom(ctx)
	return grant.ClientID
}

func (g gate) Bearer(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		grant, known := grants[name]
		switch {
		case g.check != nil:
			g.check(w, r)
		case known:
			next.ServeHTTP(w, r.WithContext(auth.WithGrant(r.Context(), grant)))
		case name == "down":
			http.Error(w, "try again", http.StatusServiceUnavailable)
		default:
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="https://mcp.example.test/.well-known/oauth-protected-resource"`)
			http.Error(w, "unauthorized", http.StatusUnauthorized)
		}
	})
}

func (gate) ServerMetadata(w http.ResponseWriter, r *http.Request) { says("server metadata")(w, r) }

func (gate) ResourceMetadata(w http.ResponseWriter, r *http.Request) { says("resource metadata")(w, r) }
func (gate) Authorize(w http.ResponseWriter, r *http.Request)        { says("authorize")(w, r) }

func (g gate) Register(w http.ResponseWriter, r *http.Request) {
	if g.register != nil {
		g.register(w, r)
		return
	}
	says("register")(w, r)
}

func (g gate) Token(w http.ResponseWriter, r *http.Request) {
	if g.token != nil {
		g.token(w, r)
		return
	}
	says("token")(w, r)
}

type logs struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// lines returns the records whose message is msg.
func (l *logs) lines(t *testing.T, msg string) (records []map[string]any) {
	t.Helper()
	for line := range strings.Lines(l.String()) {
		var record map[string]any
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Fatalf("log line %q: %v", line, err)
		}
		if record["msg"] == msg {
			records = append(records, record)
		}
	}
	return records
}

// awkward cannot be encoded: it fails, or panics.
type awkward string

func (a awkward) MarshalJSON() ([]byte, error) {
	if a == "panic" {
		panic("in MarshalJSON")
	}
	return nil, errors.New("no JSON for this")
}

func answer(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

func (f *fixture) tools(srv *mcp.Server) {
	schema := json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}}}`)
	srv.AddTool(&mcp.Tool{Name: "echo", Description: "Echoes.", InputSchema: schema},
		func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return answer(string(req.Params.Arguments)), nil
		})
	srv.AddTool(&mcp.Tool{Name: "act", Description: "Does as told.", InputSchema: schema},
		func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			var in struct{ Text string }
			if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
				return nil, err
			}
			switch in.Text {
			case "panic":
				panic("kaboom")
			case "nil":
				var none *mcp.Tool
				return answer(none.Name), nil
			case "no result":
				return nil, nil
			case "error":
				return nil, errors.New("pq: password authentication failed")
			case "away":
				return nil, fmt.Errorf("act: %w", &pgconn.PgError{Code: "57P01", Message: "terminating connection"})
			case "full":
				return nil, fmt.Errorf("act: %w", &pgconn.PgError{Code: "53100", Message: "could not extend file"})
			case "coded error":
				return nil, &jsonrpc.Error{Code: -32000, Message: "pq: password authentication failed"}
			case "unencodable":
				return &mcp.CallToolResult{StructuredContent: make(chan int)}, nil
			case "bad marshaler", "panic in marshaler":
				return &mcp.CallToolResult{StructuredContent: awkward(strings.TrimSuffix(in.Text, " in marshaler"))}, nil
			case "structured":
				res := answer("<b>&")
				res.StructuredContent = map[string]any{"html": "<b>"}
				return res, nil
			case "refuse":
				res := answer("no")
				res.IsError = true
				return res, nil
			case "leftovers":
				res := answer("plain")
				res.SetMeta(map[string]any{mcp.MetaKeyServerInfo: "service"})
				return res, nil
			case "caller":
				return answer(caller(ctx)), nil
			case "wait":
				f.started <- struct{}{}
				<-ctx.Done()
				f.ended <- ctx.Err()
				return nil, ctx.Err()
			case "stay":
				f.started <- struct{}{}
				<-f.release
			case "never":
				<-f.release
			case "meet":
				f.crowd.Done()
				f.crowd.Wait()
			}
			return answer("done"), nil
		})
}

func prompts(srv *mcp.Server) {
	srv.AddPrompt(&mcp.Prompt{
		Name: "refreshable_dashboard", Description: "Guides.", Arguments: []*mcp.PromptArgument{{Name: "connection"}, {Name: "grain"}},
	},
		func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			if req.Params.Arguments["grain"] == "panic" {
				panic("kaboom")
			}
			return &mcp.GetPromptResult{
				Messages: []*mcp.PromptMessage{
					{Role: "user", Content: &mcp.TextContent{Text: "connection=" + req.Params.Arguments["connection"]}},
				},
			}, nil
		})
}

type dashboards struct{}

func (dashboards) List(ctx context.Context, cursor string) ([]*mcp.Resource, string, error) {
	switch cursor {
	case "":
		return []*mcp.Resource{{URI: "service://" + caller(ctx) + "/sales", Name: "Sales", MIMEType: "text/html"}}, "two", nil
	case "two":
		return nil, "", nil
	case "down":
		return nil, "", errors.New("pq: connection refused")
	}
	return nil, "", &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "Invalid cursor"}
}

func (dashboards) Read(_ context.Context, uri string) (*mcp.ResourceContents, error) {
	slug, ok := strings.CutPrefix(uri, "service://acme/")
	switch {
	case !ok:
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "Invalid resource URI"}
	case slug == "gone":
		return nil, fmt.Errorf("reading: %w", &jsonrpc.Error{Code: -32002, Message: "Resource not found"})
	case slug == "down":
		return nil, errors.New("pq: connection refused")
	case slug == "panic":
		panic("kaboom")
	case slug == "empty":
		return &mcp.ResourceContents{URI: uri, MIMEType: "text/plain"}, nil
	case slug == "file":
		return &mcp.ResourceContents{URI: uri, MIMEType: "application/vnd.apache.parquet", Blob: []byte("PAR1")}, nil
	}
	return &mcp.ResourceContents{URI: uri, MIMEType: "text/html", Text: "<b>hi</b>"}, nil
}

// reply is an HTTP answer.
type reply struct {
	status int
	header http.Header
	body   string
}

// do sends one HTTP request as acme. header is names and values; the value "-" omits a
// header.
func (f *fixture) do(t testing.TB, method, target, body string, header ...string) reply {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, f.URL+target, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer acme")
	req.Header.Set("X-Request-Id", "req-1")
	for i := 0; i < len(header); i += 2 {
		switch {
		case header[i] == "Host":
			req.Host = header[i+1]
		case header[i+1] == "-":
			req.Header.Del(header[i])
		default:
			req.Header.Set(header[i], header[i+1])
		}
	}
	client := http.Client{
		Timeout:       30 * time.Second,
		Transport:     f.Client().Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{res.StatusCode, res.Header, string(raw)}
}

func (f *fixture) post(t testing.TB, body string, header ...string) reply {
	t.Helper()
	return f.do(t, http.MethodPost, "/mcp", body, header...)
}

// act calls the tool act.
func act(id, text string) string {
	return request(id, "tools/call", `{"name":"act","arguments":{"text":`+quote(text)+`}}`)
}

// request is a JSON-RPC request; without id it is a notification.
func request(id, method, params string) string {
	s := `{"jsonrpc":"2.0","method":` + quote(method)
	if id != "" {
		s += `,"id":` + id
	}
	if params != "" {
		s += `,"params":` + params
	}
	return s + "}"
}

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func result(id, value string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":` + value + `}`
}

func fails(id string, code int, text string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, id, code, quote(text))
}

func textOf(text string) string { return `{"content":[{"type":"text","text":` + quote(text) + `}]}` }

func refusedWith(text string) string {
	return `{"content":[{"type":"text","text":` + quote(text) + `}],"isError":true}`
}

const internal = "Internal error: the request could not be completed (request req-1)"

// same compares a reply with the status and the JSON it should have.
func same(t *testing.T, got reply, status int, want string) {
	t.Helper()
	if got.status != status {
		t.Errorf("status %d, want %d (%s)", got.status, status, clip(got.body, 200))
	}
	if ct := got.header.Get("Content-Type"); ct != "application/json" {
		t.Errorf("content type %q", ct)
	}
	var g, w any
	if err := json.Unmarshal([]byte(got.body), &g); err != nil {
		t.Fatalf("got %q: %v", got.body, err)
	}
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		t.Fatalf("want %q: %v", want, err)
	}
	if diff := cmp.Diff(w, g); diff != "" {
		t.Errorf("answer (-want +got):\n%s", diff)
	}
}

// empty checks for a reply without a body.
func empty(t *testing.T, got reply, status int) {
	t.Helper()
	if got.status != status || got.body != "" {
		t.Errorf("got %d %q, want an empty %d", got.status, got.body, status)
	}
}
