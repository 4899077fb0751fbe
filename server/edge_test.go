package server

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestBodyThatIsNotJSONIsParseError(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for _, body := range []string{
		"", " ", "nope", "{", "[", `[{"jsonrpc":"2.0"},]`, `{"jsonrpc":"2.0"} x`,
		"{}{}", "\x00", `{"a":1,}`, "--b\r\n", "\ufeff{}", "a=b&c=d", "'1'", "01",
		strings.Repeat("[", 20000), `{"jsonrpc":"2.0","id":1,"method":"ping"`,
	} {
		for _, token := range []string{"Bearer acme", "Bearer wrong", "-"} { // the JSON check precedes the bearer check
			same(t, f.post(t, body, "Authorization", token), 400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`)
		}
	}
}

func TestBearerIsAskedForJSON(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for _, body := range []string{
		request("1", "ping", ""), request("1", "nope", ""), "42", "[]", request("", "notifications/initialized", ""),
	} {
		for _, token := range []string{"-", "Bearer wrong", "Basic YTpi"} {
			r := f.post(t, body, "Authorization", token)
			if got := r.header.Get("WWW-Authenticate"); r.status != 401 || !strings.Contains(got, "/.well-known/oauth-protected-resource") {
				t.Errorf("%s as %q: %d, %q", body, token, r.status, got)
			}
		}
		if r := f.post(t, body, "Authorization", "Bearer down"); r.status != 503 {
			t.Errorf("%s: %d, want 503 when the bearer cannot be checked", body, r.status)
		}
	}
}

func TestLargeBodyNeedsBearerBeforeItIsParsed(t *testing.T) {
	t.Parallel()
	f := setup(t)
	edge := func(n int) string { return `"` + strings.Repeat("a", n-2) + `"` }
	if r := f.post(t, edge(anonymousBody)+"x", "Authorization", "-"); r.status != 401 {
		t.Errorf("over the anonymous limit: %d, want 401", r.status)
	}
	if r := f.post(t, edge(anonymousBody-1)+"x", "Authorization", "-"); r.status != 400 {
		t.Errorf("at the anonymous limit: %d, want 400", r.status)
	}
	if r := f.post(t, edge(anonymousBody)+"x", "Authorization", "Bearer down"); r.status != 503 {
		t.Errorf("bearer not checked: %d, want 503", r.status)
	}
	same(t, f.post(t, edge(anonymousBody)+"x"), 400, fails("null", -32700, "Parse error"))
	same(t, f.post(t, edge(anonymousBody+1)), 400, fails("null", -32600, "Invalid Request"))
}

// It is not parallel: several bodies of 32 MiB, read under the race detector, compete for the
// processor with the package's other tests, until a client gives up.
func TestBodyOver32MiBIsTooLarge(t *testing.T) {
	f := setup(t)
	body := `"` + strings.Repeat("a", maxBody-2) + `"`
	same(t, f.post(t, body), 400, fails("null", -32600, "Invalid Request"))
	if status, text := f.early(t, body+" ", "acme", false); status != 413 || !strings.HasPrefix(text, "413 payload too large: ") {
		t.Errorf("%d %q", status, text)
	}
	if status, _ := f.early(t, body+" ", "acme", true); status != 413 {
		t.Errorf("chunked: %d", status)
	}
	if status, _ := f.early(t, body+" ", "-", false); status != 401 {
		t.Errorf("anonymous: %d, want 401", status)
	}
}

// early posts a body to /mcp and returns the answer, which may arrive before the whole body is sent. In that case, the
// client of net/http would return its write error if the server closes the connection first.
func (f *fixture) early(t *testing.T, body, token string, chunked bool) (status int, text string) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(f.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	go func() { // ends at the latest when the connection is closed
		length := fmt.Sprintf("Content-Length: %d", len(body))
		if chunked {
			length = "Transfer-Encoding: chunked"
		}
		_, _ = fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n%s\r\n\r\n",
			strings.TrimPrefix(f.URL, "http://"), token, length)
		if !chunked {
			_, _ = io.WriteString(conn, body)
			return
		}
		w := httputil.NewChunkedWriter(conn)
		_, _ = io.WriteString(w, body)
		_ = w.Close()
		_, _ = io.WriteString(conn, "\r\n")
	}()
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	all, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(all)
}

// holdBodies makes acme hold large bodies up to its limit, without a Content-Length and only partly sent. Each is
// answered when end is called, or earlier.
func (f *fixture) holdBodies(t *testing.T) (answered chan reply, end func()) {
	t.Helper()
	answered = make(chan reply, maxOfAccount/maxBody)
	var rests []io.Closer
	for range maxOfAccount / maxBody {
		start, rest := io.Pipe()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, f.URL+"/mcp", start)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer acme")
		go func() {
			var told reply // empty if there is no answer
			if res, err := f.Client().Do(r); err == nil {
				res.Body.Close()
				told = reply{status: res.StatusCode, header: res.Header}
			}
			answered <- told
		}()
		if _, err := io.WriteString(rest, strings.Repeat("a", anonymousBody+1)); err != nil {
			t.Fatal(err)
		}
		rests = append(rests, rest)
	}
	for f.server.config.Bodies.bytes() != maxOfAccount {
		runtime.Gosched()
	}
	return answered, func() {
		for _, rest := range rests {
			rest.Close()
		}
	}
}

// largePing is a call whose body is large.
var largePing = request("1", "ping", `{"pad":"`+strings.Repeat("a", anonymousBody)+`"}`)

// TestLargeBodiesInFlightAreBounded has one account hold large bodies up to its limit, half
// sent.
func TestLargeBodiesInFlightAreBounded(t *testing.T) {
	t.Parallel()
	f := setup(t)
	answered, end := f.holdBodies(t)
	r := f.post(t, largePing)
	if r.status != 503 || r.header.Get("Retry-After") != "5" {
		t.Errorf("the account that has its share: %d %v", r.status, r.header)
	}
	same(t, f.post(t, largePing, "Authorization", "Bearer other"), 200, result("1", "{}"))
	same(t, f.post(t, request("1", "ping", "{}")), 200, result("1", "{}")) // a small one passes
	end()
	for range cap(answered) {
		if told := <-answered; told.status != 400 {
			t.Errorf("half of a body: %d", told.status)
		}
	}
	same(t, f.post(t, largePing), 200, result("1", "{}"))
	if n, accounts := f.server.config.Bodies.budget.Usage(); n != 0 || accounts != 0 {
		t.Errorf("%d bytes of %d accounts are left", n, accounts)
	}
}

// TestBodiesThatMakeRoomAreAnswered has an account that holds more than others lose the memory of a body that waits to be read:
// it is answered and asked to retry.
func TestBodiesThatMakeRoomAreAnswered(t *testing.T) {
	t.Parallel()
	f := setup(t)
	answered, end := f.holdBodies(t)
	defer end()
	for range (maxInFlight - maxOfAccount) / maxBody {
		r := &http.Request{ContentLength: maxBody, Body: io.NopCloser(io.LimitReader(zeros{}, maxBody))}
		if _, err := f.server.config.Bodies.Acquire(nil, r, uuid.New()); err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			t.Fatal(err)
		}
	}
	same(t, f.post(t, largePing, "Authorization", "Bearer other"), 200, result("1", "{}"))
	select {
	case told := <-answered:
		if told.status != 503 || told.header.Get("Retry-After") != "5" {
			t.Errorf("the one that made room: %d %v", told.status, told.header)
		}
	case <-time.After(time.Minute):
		t.Error("the one that lost its memory gets no answer")
	}
}

// zeros never ends.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func TestLargeArgumentsArriveWhole(t *testing.T) {
	t.Parallel()
	f := setup(t)
	arguments := `{"text":"` + strings.Repeat(`<\u00e9"`[:7], 300_000) + `"}`
	same(t, f.post(t, request("1", "tools/call", `{"name":"echo","arguments":`+arguments+`}`)), 200, result("1", textOf(arguments)))
}

// TestOrigin: programs, the service's own pages and those of the person's machine may
// call; pages of other sites may not, with any bearer token.
func TestOrigin(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for origin, want := range map[string]int{
		"-": 200, "https://mcp.example.test": 200, "https://app.example.test": 200, "https://APP.example.test:8443": 200,
		"http://localhost:6274": 200, "http://127.0.0.1": 200, "http://[::1]:3000": 200,
		"vscode-webview://1a2b": 200, "app://obsidian.md": 200, "file://": 200,
		"https://elsewhere.example": 403, "https://acme.example.test": 403, "https://mcp.example.test.evil.example": 403,
		"https://localhost.evil.example": 403, "http://127.0.0.1.evil.example": 403, "null": 403, "": 403, "https://": 403, "%": 403,
	} {
		if r := f.post(t, request("1", "ping", ""), "Origin", origin); r.status != want {
			t.Errorf("%q: %d, want %d: %s", origin, r.status, want, r.body)
		}
	}
}

func TestHeadersOfNegotiationAreIgnored(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for _, header := range [][2]string{
		{"Accept", "-"},
		{"Accept", "application/json"},
		{"Accept", "text/event-stream"},
		{"Accept", "text/html"},
		{"Content-Type", "-"},
		{"Content-Type", "text/plain"},
		{"Content-Type", "application/x-www-form-urlencoded"},
		{"MCP-Protocol-Version", "2025-06-18"},
		{"MCP-Protocol-Version", "2025-03-26"},
		{"MCP-Protocol-Version", "2026-07-28"},
		{"MCP-Protocol-Version", "2099-01-01"},
		{"MCP-Protocol-Version", "bogus"},
		{"Mcp-Session-Id", "abc"},
		{"Mcp-Method", "tools/list"},
		{"Last-Event-ID", "7"},
		{"Origin", "https://mcp.example.test"},
		{"Host", "somewhere.example"},
	} {
		r := f.post(t, request("1", "ping", ""), header[0], header[1])
		same(t, r, 200, result("1", "{}"))
		if r.header.Get("Mcp-Session-Id") != "" {
			t.Errorf("a session id was issued: %v", r.header)
		}
		same(t, f.post(t, "["+request("1", "ping", "")+"]", header[0], header[1]), 200, "["+result("1", "{}")+"]")
	}
}

func TestUnknownMethodIsNotFound(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for _, method := range []string{
		"foo", "", "Ping", "tools", "tools/", "tools/call/x", "initialize ", "server/discover", "subscriptions/listen", "logging/setLevel",
		"completion/complete", "resources/subscribe", "resources/unsubscribe", "roots/list", "sampling/createMessage", "elicitation/create",
		"notifications/progress", "rpc.discover", `a"b\c`, "é\n<script>",
	} {
		same(t, f.post(t, request("1", method, "")), 200, fails("1", -32601, "Method not found: "+method))
		same(t, f.post(t, request("1", method, `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`)),
			200, fails("1", -32601, "Method not found: "+method))
	}
}

func TestMessageThatIsNoneIsInvalidRequest(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for _, body := range []string{
		"42", `"x"`, "null", "true", "{}", `{"id":1,"method":"ping"}`,
		`{"jsonrpc":"1.0","id":1,"method":"ping"}`, `{"jsonrpc":2,"id":1,"method":"ping"}`,
		`{"jsonrpc":"2.0"}`, `{"jsonrpc":"2.0","id":1}`, `{"jsonrpc":"2.0","id":1,"method":5}`, `{"jsonrpc":"2.0","id":1,"method":null}`,
		`{"jsonrpc":"2.0","id":null,"method":"ping"}`, `{"jsonrpc":"2.0","id":true,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":false,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, `{"jsonrpc":"2.0","id":1e3,"method":"ping"}`, `{"jsonrpc":"2.0","id":{},"method":"ping"}`,
		`{"jsonrpc":"2.0","id":[],"method":"ping"}`, `{"JSONRPC":"2.0","ID":1,"METHOD":"ping"}`,
	} {
		same(t, f.post(t, body), 400, fails("null", -32600, "Invalid Request"))
		same(t, f.post(t, "["+body+"]"), 200, "["+fails("null", -32600, "Invalid Request")+"]")
	}
}

func TestIDIsSentBackAsItCame(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for _, id := range []string{"0", "-1", "1", "9007199254740993", "123456789012345678901234567890", `""`, `"a"`, `"1"`, `"é\"\u0041"`} {
		r := f.post(t, request(id, "ping", ""))
		if want := result(id, "{}"); r.status != 200 || r.body != want {
			t.Errorf("%d %s, want %s", r.status, r.body, want)
		}
	}
}

func TestMessageWithoutIDIsNeitherRunNorAnswered(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for _, body := range []string{
		request("", "notifications/initialized", ""),
		request("", "notifications/cancelled", `{"requestId":1}`),
		request("", "notifications/unheard_of", ""),
		request("5", "notifications/initialized", ""),
		request("5", "notifications/cancelled", "5"),
		request("", "ping", ""),
		request("", "tools/call", `{"name":"act","arguments":{"text":"panic"}}`),
		`{"jsonrpc":"2.0","id":1,"result":{}}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}`,
	} {
		empty(t, f.post(t, body), 202)
	}
	if calls := f.logs.lines(t, "call failed"); calls != nil { // the log would contain the panic
		t.Errorf("a tool ran: %v", calls)
	}
}

func TestParametersThatAreNoObjectAreInvalid(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for _, params := range []string{"[]", "5", `"x"`, "true"} {
		for _, method := range []string{
			"ping", "tools/list", "tools/call", "prompts/list", "prompts/get", "resources/list", "resources/templates/list", "resources/read",
		} {
			same(t, f.post(t, request("1", method, params)), 200, fails("1", -32602, "Invalid params"))
		}
	}
	for method, params := range map[string]string{
		"tools/call":     `{"name":5}`,
		"tools/list":     `{"cursor":5}`,
		"prompts/list":   `{"cursor":[]}`,
		"prompts/get":    `{"name":"refreshable_dashboard","arguments":{"grain":5}}`,
		"resources/list": `{"cursor":{}}`,
		"resources/read": `{"uri":5}`,
	} {
		same(t, f.post(t, request("1", method, params)), 200, fails("1", -32602, "Invalid params"))
	}
	same(t, f.post(t, request("1", "tools/call", "")), 200, fails("1", -32602, "Invalid params"))
	same(t, f.post(t, request("1", "tools/call", `{"arguments":{}}`)), 200, fails("1", -32602, "Invalid params"))
}

func TestParametersMayBeMissing(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for _, params := range []string{"", "null", "{}", `{"_meta":{"progressToken":1}}`, `{"_meta":5}`, `{"surprise":{"a":[1]}}`} {
		same(t, f.post(t, request("1", "ping", params)), 200, result("1", "{}"))
		same(t, f.post(t, request("1", "resources/templates/list", params)), 200, result("1",
			`{"resourceTemplates":[{"name":"dashboard","title":"Dashboard",
			  "description":"A dashboard's page: handle is the slug of its workspace, slug its own.",
			  "uriTemplate":"service://{handle}/{slug}","mimeType":"text/html"}]}`))
	}
}

// TestOwnMeta: the file of a publish is the only part of _meta that reaches a tool.
func TestOwnMeta(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"": "", "5": "", "{}": "", `{"progressToken":1}`: "", `{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`: "",
		`{"service/from_code":{"commit":"a"},"progressToken":1}`:                    `{"service/from_code":{"commit":"a"}}`,
		`{"service/from_code":"` + strings.Repeat("x", maxMeta) + `"}`:              "",
		`{"service/from_code":5,"io.modelcontextprotocol/clientInfo":{"name":"x"}}`: `{"service/from_code":5}`,
	} {
		var sent json.RawMessage
		if raw != "" {
			sent = json.RawMessage(raw)
		}
		if got := string(ownMeta(sent)); got != want {
			t.Errorf("%.80s: %s, want %s", raw, got, want)
		}
	}
}

func TestBatchRepliesKeepMemberOrder(t *testing.T) {
	t.Parallel()
	f := setup(t)
	note := request("", "notifications/initialized", "")
	same(t, f.post(t, "["+strings.Join([]string{
		note, request("1", "ping", ""), "1", note, request(`"b"`, "foo", ""), act("3", "hi"), "[]", request("1", "ping", ""), act("4", "panic"),
		`{"jsonrpc":"2.0","id":9,"result":{}}`, request("5", "tools/call", "[]"),
	}, ",")+"]"), 200, "["+strings.Join([]string{
		result("1", "{}"), fails("null", -32600, "Invalid Request"), fails(`"b"`, -32601, "Method not found: foo"), result("3", textOf("done")),
		fails("null", -32600, "Invalid Request"), result("1", "{}"), fails("4", -32000, internal), fails("5", -32602, "Invalid params"),
	}, ",")+"]")
}

func TestBatchOfNotificationsIs204(t *testing.T) {
	t.Parallel()
	f := setup(t)
	note := request("", "notifications/initialized", "")
	empty(t, f.post(t, "["+note+"]"), 204)
	empty(t,
		f.post(t,
			" \n["+note+","+request("", "ping", "")+","+request("7", "notifications/cancelled", "")+`,{"jsonrpc":"2.0","id":1,"result":1}]`),
		204)
}

func TestEmptyBatchIsInvalidRequest(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for _, body := range []string{"[]", " [ ] ", "\n[\n]\n"} {
		same(t, f.post(t, body), 400, fails("null", -32600, "Invalid Request"))
	}
}

func TestBatchHasAtMost100Members(t *testing.T) {
	t.Parallel()
	f := setup(t)
	batch := func(n int) string {
		return "[" + strings.Repeat(request("1", "ping", "")+",", n-1) + request("1", "ping", "") + "]"
	}
	same(t, f.post(t, batch(100)), 200, "["+strings.Repeat(result("1", "{}")+",", 99)+result("1", "{}")+"]")
	same(t, f.post(t, batch(101)), 400, fails("null", -32600, "Invalid Request"))
}

// Each of the tools waits until all have started: the batch ends only if they run
// concurrently.
func TestBatchMembersRunConcurrently(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.crowd.Add(parallel)
	members := make([]string, parallel)
	for i := range members {
		members[i] = act(fmt.Sprint(i), "meet")
	}
	if r := f.post(t, "["+strings.Join(members, ",")+"]"); r.status != 200 || strings.Count(r.body, `"done"`) != parallel {
		t.Errorf("%d %s", r.status, r.body)
	}
}

func TestBatchRunsAtMost32AtOnce(t *testing.T) {
	t.Parallel()
	var running atomic.Int64
	full, release := make(chan struct{}), make(chan struct{})
	f := setup(t, func(c *Config) {
		c.Tools = func(srv *mcp.Server) {
			srv.AddTool(&mcp.Tool{Name: "count", InputSchema: json.RawMessage(`{"type":"object"}`)},
				func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
					if running.Add(1) == parallel {
						close(full)
					}
					<-release
					return answer("done"), nil
				})
		}
	})
	got := make(chan reply)
	go func() {
		members := strings.Repeat(request("1", "tools/call", `{"name":"count"}`)+",", maxBatch)
		got <- f.post(t, "["+strings.TrimSuffix(members, ",")+"]")
	}()
	<-full
	for range 100 { // time enough for another to start
		f.post(t, request("1", "ping", ""))
	}
	if n := running.Load(); n != parallel {
		t.Errorf("%d ran at once, want %d", n, parallel)
	}
	close(release)
	if r := <-got; strings.Count(r.body, `"done"`) != maxBatch {
		t.Errorf("%d %s", r.status, clip(r.body, 200))
	}
}

func TestDisconnectCancelsTheHandler(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for _, body := range []string{act("1", "wait"), "[" + act("1", "wait") + "]"} {
		ctx, cancel := context.WithCancel(t.Context())
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, f.URL+"/mcp", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer acme")
		go func() {
			<-f.started
			cancel()
		}()
		if res, err := f.Client().Do(req); err == nil {
			res.Body.Close()
			t.Errorf("answered %d", res.StatusCode)
		}
		if err := <-f.ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the handler saw %v", err)
		}
	}
}

func TestRequestTimeoutEndsTheCall(t *testing.T) {
	t.Parallel()
	f := setup(t, func(c *Config) { c.RequestTimeout = 30 * time.Millisecond })
	same(t, f.begun(t, act("1", "wait")), 200, fails("1", -32000, internal))
	if err := <-f.ended; !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the handler saw %v", err)
	}
}

func TestHandlerThatIgnoresItsContextDoesNotHoldTheCaller(t *testing.T) {
	t.Parallel()
	f := setup(t, func(c *Config) { c.RequestTimeout, c.Grace = 30*time.Millisecond, 10*time.Millisecond })
	same(t, f.begun(t, act("1", "never")), 200, fails("1", -32000, internal))
	same(t, f.begun(t, "["+act("1", "never")+"]"), 200, "["+fails("1", -32000, internal)+"]")
	same(t, f.begun(t, act("2", "hi")), 200, result("2", textOf("done")))
}

// begun posts a body until its call begins, because a busy machine may not parse it within a short limit of the request.
func (f *fixture) begun(t testing.TB, body string, header ...string) reply {
	t.Helper()
	for {
		r := f.post(t, body, header...)
		if r.status != http.StatusServiceUnavailable || !strings.Contains(r.body, "before its body could be read") {
			return r
		}
		if r.header.Get("Retry-After") == "" {
			t.Fatal("there is no Retry-After")
		}
	}
}

// TestOutageIsWorthAnotherTry: a call while the database is unreachable or full is
// answered 503 with Retry-After, in the words of a handler's failure, as in a batch.
func TestOutageIsWorthAnotherTry(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for text, want := range map[string]string{
		"away": "Internal error: the service has too much to do, or its database does not answer. Try again in a moment (request r-1)",
		"full": "Internal error: the storage is full. Nothing can be saved until the operator of the service makes room (request r-1)",
	} {
		r := f.post(t, act("1", text), requestIDHeader, "r-1")
		same(t, r, 503, fails("1", -32000, want))
		if got := r.header.Get("Retry-After"); got != "5" {
			t.Errorf("%s: Retry-After %q", text, got)
		}
		same(t, f.post(t, "["+act("1", text)+"]", requestIDHeader, "r-1"), 200, "["+fails("1", -32000, want)+"]")
	}
}
