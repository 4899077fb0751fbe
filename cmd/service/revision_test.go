package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"service/tools"
)

// revisionTable has the objects of protocol revision 2025-06-18 that a server with these capabilities may send, by their names in its
// schema, with their fields. A field's type follows it: string if nothing follows, number, boolean, any, map (an object with any keys),
// meta (an object with the keys that the service may set), schema (a JSON Schema of an object), or a type of this table; with [] a list of
// these. Fields of later revisions are not in it.
const revisionTable = `
Response: jsonrpc id=any result=any
ErrorResponse: jsonrpc id=any error=Error
Error: code=number message data=any
EmptyResult: _meta=meta
InitializeResult: protocolVersion capabilities=ServerCapabilities serverInfo=Implementation instructions _meta=meta
ServerCapabilities: experimental=map logging=EmptyResult completions=EmptyResult prompts=ListChanged
    resources=Subscribe tools=ListChanged
ListChanged: listChanged=boolean
Subscribe: listChanged=boolean subscribe=boolean
Implementation: name title version
ListToolsResult: tools=[]Tool nextCursor _meta=meta
Tool: name title description inputSchema=schema outputSchema=schema annotations=ToolAnnotations _meta=meta
ToolAnnotations: title readOnlyHint=boolean destructiveHint=boolean idempotentHint=boolean openWorldHint=boolean
CallToolResult: content=[]ContentBlock structuredContent=map isError=boolean _meta=meta
TextContent: type text annotations=Annotations _meta=meta
ImageContent: type data mimeType annotations=Annotations _meta=meta
AudioContent: type data mimeType annotations=Annotations _meta=meta
EmbeddedResource: type resource=ResourceContents annotations=Annotations _meta=meta
ResourceLink: type uri name title description mimeType annotations=Annotations size=number _meta=meta
Annotations: audience=[]string priority=number lastModified
ListPromptsResult: prompts=[]Prompt nextCursor _meta=meta
Prompt: name title description arguments=[]PromptArgument _meta=meta
PromptArgument: name title description required=boolean
GetPromptResult: description messages=[]PromptMessage _meta=meta
PromptMessage: role content=ContentBlock
ListResourcesResult: resources=[]Resource nextCursor _meta=meta
Resource: uri name title description mimeType annotations=Annotations size=number _meta=meta
ListResourceTemplatesResult: resourceTemplates=[]ResourceTemplate nextCursor _meta=meta
ResourceTemplate: uriTemplate name title description mimeType annotations=Annotations _meta=meta
ReadResourceResult: contents=[]ResourceContents _meta=meta
ResourceContents: uri mimeType text blob _meta=meta
`

// revision is [revisionTable]: the fields of each type, with their types.
var revision = func() map[string]map[string]string {
	types := map[string]map[string]string{}
	var name string
	for word := range strings.FieldsSeq(revisionTable) {
		if begun, ok := strings.CutSuffix(word, ":"); ok {
			name = begun
			types[name] = map[string]string{}
			continue
		}
		field, kind, typed := strings.Cut(word, "=")
		if !typed {
			kind = "string"
		}
		types[name][field] = kind
	}
	return types
}()

// kindsOfContent maps the value of a content's type to its type in the table.
var kindsOfContent = map[string]string{
	"text": "TextContent", "image": "ImageContent", "audio": "AudioContent", "resource_link": "ResourceLink", "resource": "EmbeddedResource",
}

// results are the types of results by method.
var results = map[string]string{
	"initialize": "InitializeResult", "ping": "EmptyResult", "tools/list": "ListToolsResult", "tools/call": "CallToolResult",
	"prompts/list": "ListPromptsResult", "prompts/get": "GetPromptResult", "resources/list": "ListResourcesResult",
	"resources/templates/list": "ListResourceTemplatesResult", "resources/read": "ReadResourceResult",
}

// ours are the keys of _meta that the service sets. All others, such as those of tasks and of the server's name, belong to
// later revisions.
var ours = map[string]bool{"anthropic/alwaysLoad": true, "anthropic/maxResultSizeChars": true}

// newer has fields of later revisions, and keys of _meta, for objects of any type.
var newer = map[string]any{
	"icons": []any{map[string]any{"src": "https://example.com/a.png"}}, "execution": map[string]any{"taskSupport": "optional"},
	"taskSupport": "optional", "task": map[string]any{"taskId": "1"}, "tasks": map[string]any{}, "extensions": map[string]any{},
	"websiteUrl": "https://example.com", "resultType": "complete", "ttlMs": 1.0, "cacheScope": "private", "inputRequests": map[string]any{},
	"requestState": "x", "supportedVersions": []any{"2026-07-28"}, "$schema": "https://json-schema.org/draft/2020-12/schema",
	"_meta": map[string]any{"io.modelcontextprotocol/related-task": map[string]any{"taskId": "1"}},
}

// A walk visits all values of a reply and finds fields that the revision does not have.
type walk struct {
	faults []string
	// visit is called with each object that has a type of [revision], a schema, or a _meta.
	visit func(kind string, object map[string]any)
}

func (w *walk) fault(at, format string, args ...any) {
	w.faults = append(w.faults, at+": "+fmt.Sprintf(format, args...))
}

// value checks a value that should be of a kind.
func (w *walk) value(at, kind string, v any) {
	if inner, ok := strings.CutPrefix(kind, "[]"); ok {
		list, ok := v.([]any)
		if !ok {
			w.fault(at, "is not a list")
		}
		for i, item := range list {
			w.value(fmt.Sprintf("%s[%d]", at, i), inner, item)
		}
		return
	}
	ok := true
	switch kind {
	case "any":
	case "string":
		_, ok = v.(string)
	case "number":
		_, ok = v.(float64)
	case "boolean":
		_, ok = v.(bool)
	default:
		var object map[string]any
		if object, ok = v.(map[string]any); ok {
			w.object(at, kind, object)
		}
	}
	if !ok {
		w.fault(at, "is not of type %s", kind)
	}
}

func (w *walk) object(at, kind string, object map[string]any) {
	if kind == "ContentBlock" {
		name, _ := object["type"].(string)
		if kind = kindsOfContent[name]; kind == "" {
			w.fault(at, "content of type %q is newer", name)
			return
		}
	}
	if w.visit != nil && kind != "map" {
		w.visit(kind, object)
	}
	known := revision[kind]
	switch kind {
	case "map":
		return
	case "meta":
		for key := range object {
			if !ours[key] {
				w.fault(at, "the key %s is newer, or nobody has decided on it", key)
			}
		}
		return
	case "schema":
		known = map[string]string{"type": "string", "properties": "map", "required": "[]string"}
	}
	if known == nil {
		w.fault(at, "the revision has no type %s", kind)
	}
	for name, v := range object {
		field, ok := known[name]
		if !ok {
			w.fault(at, "%s has no field %s in 2025-06-18", kind, name)
			continue
		}
		w.value(at+"."+name, field, v)
	}
}

// check returns the faults of one reply to a method.
func (w *walk) check(method string, reply map[string]any) []string {
	w.faults = nil
	result, ok := reply["result"]
	if !ok {
		w.object(method, "ErrorResponse", reply)
		return w.faults
	}
	w.object(method, "Response", reply)
	if results[method] == "" {
		w.fault(method, "there is a result, and no such method")
		return w.faults
	}
	w.value(method+".result", results[method], result)
	return w.faults
}

// A recorded is a reply, with the method that it answers.
type recorded struct {
	method string
	raw    json.RawMessage
}

func (r recorded) decoded(t *testing.T) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(r.raw, &v); err != nil {
		t.Fatalf("%s: %v in %.300s", r.method, err, r.raw)
	}
	return v
}

// A recorder sends requests as clients of several revisions do, and keeps the replies.
type recorder struct {
	t       *testing.T
	address string
	token   string
	header  http.Header // for the client's revision
	meta    string      // added to the params by the client
	replies []recorded
}

// send posts a body and returns the answer's body. Status 0 accepts any status.
func (r *recorder) send(status int, body string) []byte {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), http.MethodPost, r.address, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header = r.header.Clone()
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Authorization", "Bearer "+r.token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	if res.StatusCode != status {
		r.t.Errorf("%.200s\nis answered with %d: %.300s", body, res.StatusCode, answer)
	}
	for name := range res.Header {
		if strings.HasPrefix(name, "Mcp-") {
			r.t.Errorf("the answer has the header %s", name)
		}
	}
	return answer
}

// call calls a method, records the reply, and returns its result.
func (r *recorder) call(method, params string) map[string]any {
	r.t.Helper()
	if params = strings.TrimSuffix(params, "}"); params == "" {
		params = "{"
	}
	if r.meta != "" {
		if params != "{" {
			params += ","
		}
		params += r.meta
	}
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"%s","params":%s}}`, method, params)
	reply := recorded{method, r.send(http.StatusOK, body)}
	r.replies = append(r.replies, reply)
	result, _ := reply.decoded(r.t)["result"].(map[string]any)
	return result
}

// tool calls a tool, and returns the text of the answer.
func (r *recorder) tool(name string, arguments any) string {
	r.t.Helper()
	raw, err := json.Marshal(arguments)
	if err != nil {
		r.t.Fatal(err)
	}
	result := r.call("tools/call", fmt.Sprintf(`{"name":"%s","arguments":%s}`, name, raw))
	var text strings.Builder
	for _, part := range result["content"].([]any) {
		text.WriteString(part.(map[string]any)["text"].(string))
	}
	return text.String()
}

// everything provokes each kind of reply: of all methods, tools, prompts and resources, with success and with each error.
func (r *recorder) everything(slug string) {
	r.t.Helper()
	for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"} {
		r.call("initialize", `{"protocolVersion":"`+version+`","capabilities":{"tasks":{},"elicitation":{}},`+
			`"clientInfo":{"name":"c","version":"1"}}`)
	}
	for _, method := range []string{"ping", "tools/list", "prompts/list", "resources/list", "resources/templates/list"} {
		r.call(method, "")
		r.call(method, `{"cursor":"junk"}`)
	}
	for _, method := range []string{"server/discover", "tasks/list", "logging/setLevel", "completion/complete", "resources/subscribe"} {
		r.call(method, "")
	}
	for _, name := range []string{"refreshable_dashboard", "audit_my_dashboards", "no_such_prompt"} {
		r.call("prompts/get", `{"name":"`+name+`"}`)
	}
	path := map[string]any{"path": slug}
	with := func(more ...any) map[string]any {
		arguments := map[string]any{"slug": slug}
		for i := 0; i < len(more); i += 2 {
			arguments[more[i].(string)] = more[i+1]
		}
		return arguments
	}
	spec := map[string]any{
		"title": "Use", "datasets": []any{map[string]any{"id": "d", "sql": "SELECT day, sum(count) AS n FROM metrics GROUP BY 1"}},
		"panels": []any{map[string]any{"type": "line", "x": "day", "y": "n"}},
	}
	called := map[string]bool{}
	play := func(tool string, arguments map[string]any) string {
		called[tool] = true
		return r.tool(tool, arguments)
	}
	play("check_readiness", nil)
	play("list_connections", nil)
	play("introspect_schema", nil)
	play("explore_data", map[string]any{"table": "metrics"})
	play("validate_cube_sql", map[string]any{"sql": "SELECT day, sum(count) AS n FROM metrics GROUP BY 1"})
	play("validate_cube_sql", map[string]any{"sql": "SELECT day, order FROM metrics"})
	play("publish_dashboard", map[string]any{"path": slug, "spec": spec, "dry_run": true})
	if got := play("publish_dashboard", map[string]any{"path": slug, "spec": spec}); !strings.Contains(got, "/"+slug) {
		r.t.Fatalf("%s is not published: %s", slug, got)
	}
	play("publish_dashboard", map[string]any{"path": slug + "-notes", "body": "# Notes"})
	play("publish_dashboard", map[string]any{"path": slug + "-raw/data.csv", "body": "a,b\n1,2\n"})
	play("list_dashboards", map[string]any{"limit": 1})
	play("update_dashboard", with("name", "Use"))
	versions := regexp.MustCompile(`"version_id":"([^"]+)"`).FindStringSubmatch(play("list_dashboard_versions", with()))
	if versions == nil {
		r.t.Fatal("there is no version")
	}
	play("update_dashboard_version", with("version_id", versions[1], "name", "First"))
	play("restore_dashboard_version", with("version_id", versions[1]))
	play("get_dashboard", path)
	for _, tool := range []string{
		"get_dashboard_spec", "derive_dashboard_spec", "get_source_config", "verify_dashboard", "get_refresh_status", "trigger_refresh",
	} {
		play(tool, with())
	}
	play("set_refresh_schedule", with("schedule", "daily 07:00"))
	r.call("resources/list", "")
	for _, uri := range []string{slug, slug + "-notes", slug + "-raw", "no-such"} {
		r.call("resources/read", `{"uri":"service://acme/`+uri+`"}`)
	}
	r.call("resources/read", `{"uri":"https://example.com"}`)
	for _, d := range tools.Definitions() {
		if d.Name == "delete_dashboard" {
			play(d.Name, with())
		}
		if !called[d.Name] {
			r.t.Errorf("%s was not called", d.Name)
		}
		// Refused, if it has arguments.
		r.tool(d.Name, map[string]any{"slug": "No such!", "path": "No such!", "sql": "DELETE", "visibility": "public"})
	}
	r.tool("no_such_tool", nil)
	for _, slug := range []string{slug + "-notes", slug + "-raw"} {
		r.tool("delete_dashboard", map[string]any{"slug": slug})
	}

	// Bodies that are not a single call.
	for _, body := range []string{"not JSON", `{"jsonrpc":"1.0"}`, "[]"} {
		r.replies = append(r.replies, recorded{"", r.send(http.StatusBadRequest, body)})
	}
	var batch []json.RawMessage
	answer := r.send(http.StatusOK, `[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/initialized"},`+
		`{"jsonrpc":"2.0","id":"a","method":"tools/list"},{"jsonrpc":"2.0","id":2,"method":"nope"}]`)
	if err := json.Unmarshal(answer, &batch); err != nil || len(batch) != 3 {
		r.t.Fatalf("a batch: %v %.300s", err, answer)
	}
	for i, method := range []string{"ping", "tools/list", "nope"} {
		r.replies = append(r.replies, recorded{method, batch[i]})
	}
}

// No reply has a field that is newer than protocol revision 2025-06-18, whichever revision the client uses.
func TestRepliesAreOfTheRevision(t *testing.T) {
	t.Parallel()
	site := startSite(t)
	ada := site.browser(t)
	ada.signIn(site.app+"/", "ada@example.com")
	ada.submit("/workspaces", url.Values{"name": {"Acme"}, "slug": {"acme"}})
	c := site.connect(t, ada, "acme")
	var all []recorded
	for i, client := range []struct{ version, meta string }{
		{"", ""},
		{"2025-06-18", `"_meta":{"progressToken":1}`},
		{"2025-11-25", `"task":{"ttl":60000},"_meta":{"progressToken":1,"io.modelcontextprotocol/related-task":{"taskId":"1"}}`},
		{"2026-07-28", `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},` +
			`"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}}`},
	} {
		r := &recorder{t: t, address: site.base + "/mcp", token: c.token.AccessToken, header: http.Header{}, meta: client.meta}
		if client.version != "" {
			r.header.Set("MCP-Protocol-Version", client.version)
		}
		r.everything(fmt.Sprintf("use-%d", i))
		all = append(all, r.replies...)
	}
	// Finally, the answers to an infrastructure failure.
	if _, err := site.db.Exec(t.Context(), "ALTER TABLE dashboard RENAME TO gone"); err != nil {
		t.Fatal(err)
	}
	r := &recorder{t: t, address: site.base + "/mcp", token: c.token.AccessToken, header: http.Header{}}
	r.call("resources/list", "")
	r.call("tools/call", `{"name":"list_dashboards","arguments":{}}`)
	all = append(all, r.replies...)

	codes, kinds := map[float64]bool{}, map[string]bool{}
	for _, reply := range all {
		w := &walk{visit: func(kind string, object map[string]any) {
			kinds[kind] = true
			if kind == "Error" {
				codes[object["code"].(float64)] = true
			}
		}}
		for _, fault := range w.check(reply.method, reply.decoded(t)) {
			t.Errorf("%s\nin %.300s", fault, reply.raw)
		}
	}
	if want := []float64{-32700, -32602, -32601, -32600, -32002, -32000}; !slices.Equal(slices.Sorted(maps.Keys(codes)), want) {
		t.Errorf("errors had the codes %v, want %v", slices.Sorted(maps.Keys(codes)), want)
	}
	for _, kind := range results {
		if !kinds[kind] {
			t.Errorf("no reply was a %s", kind)
		}
	}
	walkFindsNewerFields(t, all)
}

// walkFindsNewerFields adds each newer field to each object of a reply of each method, one at a time, and tries a newer kind of content.
func walkFindsNewerFields(t *testing.T, all []recorded) {
	t.Helper()
	seen, tried := map[string]bool{}, 0
	for _, reply := range all {
		kind := reply.method + map[bool]string{true: " error"}[bytes.Contains(reply.raw, []byte(`"error":{`))]
		if seen[kind] {
			continue
		}
		seen[kind] = true
		var objects []map[string]any
		var of []string
		decoded := reply.decoded(t)
		w := &walk{visit: func(kind string, object map[string]any) { of, objects = append(of, kind), append(objects, object) }}
		if w.check(reply.method, decoded) != nil {
			t.Fatalf("%s is at fault as it is", kind)
		}
		w.visit = nil
		for i, object := range objects {
			for name, v := range newer {
				if of[i] == "meta" {
					name = "io.modelcontextprotocol/" + name
				}
				before, had := object[name]
				object[name] = v
				if tried++; w.check(reply.method, decoded) == nil {
					t.Errorf("%s: nothing notices %s in a %s", kind, name, of[i])
				}
				delete(object, name)
				if had {
					object[name] = before
				}
			}
			if strings.HasSuffix(of[i], "Content") {
				object["type"] = "tool_use"
				if tried++; w.check(reply.method, decoded) == nil {
					t.Errorf("%s: nothing notices content of type tool_use", kind)
				}
				object["type"] = "text"
			}
		}
		if w.check(reply.method, decoded) != nil {
			t.Fatalf("%s is at fault after the mutations", kind)
		}
	}
	if len(seen) < 15 || tried < 1000 {
		t.Errorf("%d mutations of %d kinds of replies", tried, len(seen))
	}
}

// The SDK has fields that the revision does not have, and could begin to send them. Its types with all fields filled are refused.
func TestRevisionRefusesTheSDKsNewerFields(t *testing.T) {
	t.Parallel()
	for kind, v := range map[string]any{
		"Tool": &mcp.Tool{}, "Prompt": &mcp.Prompt{}, "Resource": &mcp.Resource{}, "ResourceTemplate": &mcp.ResourceTemplate{},
		"Implementation": &mcp.Implementation{}, "ServerCapabilities": &mcp.ServerCapabilities{}, "CallToolResult": &mcp.CallToolResult{},
		"ListToolsResult": &mcp.ListToolsResult{}, "ReadResourceResult": &mcp.ReadResourceResult{},
	} {
		filled, names := fill(t, v)
		w := &walk{}
		w.object(kind, kind, filled)
		var missing []string
		for _, name := range names {
			_, ok := revision[kind][name]
			if !ok && !slices.Contains(w.faults, fmt.Sprintf("%s: %s has no field %s in 2025-06-18", kind, kind, name)) {
				missing = append(missing, name)
			}
		}
		if len(missing) > 0 {
			t.Errorf("%s passes with %q", kind, missing)
		}
		if len(w.faults) == 0 {
			t.Errorf("the SDK's %s has nothing that is newer: take it from this test", kind)
		}
	}
}

// fill returns an object with a value for each JSON field of the SDK's type, and the names of the fields.
func fill(t *testing.T, v any) (filled map[string]any, names []string) {
	t.Helper()
	filled = map[string]any{}
	typ := reflect.TypeOf(v).Elem()
	for _, f := range reflect.VisibleFields(typ) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		names = append(names, name)
		filled[name] = map[string]any{}
	}
	if len(names) == 0 {
		t.Fatal(errors.New(typ.Name() + " has no fields"))
	}
	return filled, names
}
