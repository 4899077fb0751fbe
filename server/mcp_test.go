package server

import (
	"strings"
	"testing"
)

func TestInitialize(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for params, revision := range map[string]string{
		`{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}`: "2025-06-18",
		`{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"c","version":"1"}}`: "2024-11-05",
		`{"protocolVersion":"2025-03-26"}`: "2025-06-18",
		`{"protocolVersion":"2025-11-25"}`: "2025-06-18",
		`{"protocolVersion":"2026-07-28"}`: "2025-06-18",
		`{"protocolVersion":"2099-01-01"}`: "2025-06-18",
		`{"protocolVersion":"2024-11-05","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`: "2024-11-05",
		`{"protocolVersion":"2024-11-05","capabilities":5,"clientInfo":[]}`:                                 "2024-11-05",
		`{"protocolVersion":""}`:   "2025-06-18",
		`{"protocolVersion":5}`:    "2025-06-18",
		`{"protocolVersion":null}`: "2025-06-18",
		`{}`:                       "2025-06-18",
		`null`:                     "2025-06-18",
		`[]`:                       "2025-06-18",
		`5`:                        "2025-06-18",
		``:                         "2025-06-18",
	} {
		same(t, f.post(t, request("1", "initialize", params)), 200, result("1", `{"protocolVersion":"`+revision+`",
			"capabilities":{"tools":{"listChanged":false},"prompts":{"listChanged":false},"resources":{"listChanged":false}},
			"serverInfo":{"name":"service","version":"0.6.0"},"instructions":"Start with check_readiness."}`))
	}
	var found bool
	for _, line := range f.logs.lines(t, "client connected") {
		found = found || line["client_name"] == "c" && line["client_version"] == "1" && line["grant_id"] == grants["acme"].ID.String()
	}
	if !found {
		t.Error("the client's name is not in the log")
	}
}

func TestPing(t *testing.T) {
	t.Parallel()
	f := setup(t)
	same(t, f.post(t, request("1", "ping", "")), 200, result("1", "{}"))
}

func TestToolsList(t *testing.T) {
	t.Parallel()
	f := setup(t)
	const schema = `{"type":"object","properties":{"text":{"type":"string"}}}`
	want := result("1",
		`{"tools":[{"name":"act","description":"Does as told.","inputSchema":`+schema+`},`+
			`{"name":"echo","description":"Echoes.","inputSchema":`+schema+`}]}`)
	for _, params := range []string{
		"", "{}", `{"cursor":null}`, `{"cursor":""}`, `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`,
	} {
		same(t, f.post(t, request("1", "tools/list", params), "MCP-Protocol-Version", "2026-07-28"), 200, want)
	}
}

// The lists of tools, prompts and templates each have a single page.
func TestCursorOfASinglePageListIsInvalid(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for _, method := range []string{"tools/list", "prompts/list", "resources/templates/list"} {
		same(t, f.post(t, request("1", method, `{"cursor":"junk"}`)), 200, fails("1", -32602, "Invalid cursor"))
	}
}

func TestToolResults(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for text, want := range map[string]string{
		"hi":         textOf("done"),
		"refuse":     refusedWith("no"),
		"structured": `{"content":[{"type":"text","text":"<b>&"}],"structuredContent":{"html":"<b>"}}`,
		"leftovers":  textOf("plain"), // no _meta, which is not in the two revisions
		"caller":     textOf("acme"),
	} {
		same(t, f.post(t, act("1", text)), 200, result("1", want))
	}
	if r := f.post(t, act("1", "structured")); !strings.Contains(r.body, `"<b>&"`) {
		t.Errorf("HTML is escaped: %s", r.body)
	}
	same(t, f.post(t, act("1", "caller"), "Authorization", "Bearer other"), 200, result("1", textOf("other")))
}

func TestToolGetsItsArgumentsAsSent(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for _, arguments := range []string{
		`{}`, `{"a":[1,null,"\u00e9"],"b":1.50}`, `[]`, `5`, `null`, `"x"`, strings.Repeat("[", 2000) + strings.Repeat("]", 2000),
	} {
		same(t, f.post(t, request("1", "tools/call", `{"name":"echo","arguments":`+arguments+`}`)), 200, result("1", textOf(arguments)))
	}
	same(t, f.post(t, request("1", "tools/call", `{"name":"echo"}`)), 200, result("1", textOf("")))
}

func TestUnknownToolIsRefused(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for _, name := range []string{"nope", "", "Echo", "mcp__service__echo", "a\"b<c>"} {
		same(t, f.post(t, request("1", "tools/call", `{"name":`+quote(name)+`,"arguments":{}}`)),
			200, result("1", refusedWith("Unknown tool: "+name)))
	}
}

func TestExceptionIsInternalError(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for _, text := range []string{"panic", "nil", "no result", "error", "coded error", "unencodable", "bad marshaler", "panic in marshaler"} {
		same(t, f.post(t, act("1", text)), 200, fails("1", -32000, internal))
		if r := f.post(t, act("1", text)); strings.Contains(r.body, "pq:") {
			t.Errorf("%s: the driver's words are shown: %s", text, r.body)
		}
	}
	same(t, f.post(t, request("1", "prompts/get", `{"name":"refreshable_dashboard","arguments":{"grain":"panic"}}`)),
		200, fails("1", -32000, internal))
	same(t, f.post(t, request("1", "resources/read", `{"uri":"service://acme/panic"}`)), 200, fails("1", -32000, internal))
	same(t, f.post(t, request("1", "ping", "")), 200, result("1", "{}")) // the server still runs

	var causes []string
	for _, line := range f.logs.lines(t, "call failed") {
		if line["request_id"] != "req-1" {
			t.Errorf("no request id in %v", line)
		}
		causes = append(causes, line["err"].(string))
	}
	if all := strings.Join(causes, "\n"); !strings.Contains(all, "kaboom") || !strings.Contains(all, "pq: password") {
		t.Errorf("the log does not have the reason:\n%s", all)
	}
}

func TestResourcesAreTheCallers(t *testing.T) {
	t.Parallel()
	f := setup(t)
	list := func(caller, params string) reply {
		return f.post(t, request("1", "resources/list", params), "Authorization", "Bearer "+caller)
	}
	page := func(caller string) string {
		return result("1", `{"resources":[{"uri":"service://`+caller+`/sales","name":"Sales","mimeType":"text/html"}],"nextCursor":"two"}`)
	}
	same(t, list("acme", ""), 200, page("acme"))
	same(t, list("other", "{}"), 200, page("other"))
	same(t, list("acme", `{"cursor":null}`), 200, page("acme"))
	same(t, list("acme", `{"cursor":"two"}`), 200, result("1", `{"resources":[]}`))
	same(t, list("acme", `{"cursor":"junk"}`), 200, fails("1", -32602, "Invalid cursor"))
	same(t, list("acme", `{"cursor":"down"}`), 200, fails("1", -32000, internal))
}

func TestReadResource(t *testing.T) {
	t.Parallel()
	f := setup(t)
	read := func(uri string) reply { return f.post(t, request("1", "resources/read", `{"uri":`+quote(uri)+`}`)) }
	same(t, read("service://acme/sales"), 200,
		result("1", `{"contents":[{"uri":"service://acme/sales","mimeType":"text/html","text":"<b>hi</b>"}]}`))
	same(t, read("service://acme/empty"), 200, result("1", `{"contents":[{"uri":"service://acme/empty","mimeType":"text/plain","text":""}]}`))
	same(t, read("service://acme/file"), 200,
		result("1", `{"contents":[{"uri":"service://acme/file","mimeType":"application/vnd.apache.parquet","blob":"UEFSMQ=="}]}`))
	same(t, read("service://acme/gone"), 200, fails("1", -32002, "Resource not found"))
	same(t, read("service://acme/down"), 200, fails("1", -32000, internal))
	for _, uri := range []string{"", "http://x/y", "%%"} {
		same(t, read(uri), 200, fails("1", -32602, "Invalid resource URI"))
	}
	same(t, f.post(t, request("1", "resources/read", "")), 200, fails("1", -32602, "Invalid resource URI"))
	if r := read("service://acme/sales"); !strings.Contains(r.body, "<b>hi</b>") {
		t.Errorf("HTML is escaped: %s", r.body)
	}
}

func TestPrompts(t *testing.T) {
	t.Parallel()
	f := setup(t)
	get := func(params string) reply { return f.post(t, request("1", "prompts/get", params)) }
	filled := func(text string) string {
		return result("1", `{"messages":[{"role":"user","content":{"type":"text","text":"`+text+`"}}]}`)
	}
	same(t, f.post(t, request("1", "prompts/list", "")), 200, result("1", `{"prompts":[
		{"name":"refreshable_dashboard","description":"Guides.","arguments":[{"name":"connection"},{"name":"grain"}]}]}`))
	same(t, get(`{"name":"refreshable_dashboard"}`), 200, filled("connection="))
	same(t, get(`{"name":"refreshable_dashboard","arguments":null}`), 200, filled("connection="))
	same(t, get(`{"name":"refreshable_dashboard","arguments":{"connection":"self","grain":null}}`), 200, filled("connection=self"))
	same(t, get(`{"name":"static"}`), 200, fails("1", -32602, `unknown prompt "static"`))
}
