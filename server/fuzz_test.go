package server

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// FuzzBody sends any body. None may panic or hang, and each answer must be JSON-RPC: one
// reply for a message, at most one for each member of a batch.
func FuzzBody(f *testing.F) {
	for _, seed := range []string{
		"", "[]", "{}", "null", "42", "[[]]", "\xff", `"\ud800"`, strings.Repeat("[", 200),
		request("1", "ping", ""),
		request(`"é"`, "tools/call", `{"name":"echo","arguments":{"text":[1,null]}}`),
		request("1", "tools/call", `{"name":"echo","arguments":`+strings.Repeat("[", 1500)+strings.Repeat("]", 1500)+`}`),
		request("1", "initialize", `{"protocolVersion":"2024-11-05","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`),
		request("1", "prompts/get", `{"name":"refreshable_dashboard","arguments":{"grain":"day"}}`),
		request("1", "resources/read", `{"uri":"service://acme/sales"}`),
		request("1", "resources/list", `{"cursor":"two"}`),
		request("1", "tools/list", `{"cursor":"AAAA"}`),
		request("", "notifications/initialized", ""),
		"[" + request("1", "ping", "") + ",1," + request("", "ping", "") + "]",
		`{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list","params":null,"params":{}}`,
		`{"jsonrpc":"2.0","id":1,"error":{}}`,
	} {
		f.Add([]byte(seed))
	}
	handler := setup(f).server.Handler()
	f.Fuzz(func(t *testing.T, body []byte) {
		r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(string(body)))
		r.Header.Set("Authorization", "Bearer acme")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		got := w.Body.Bytes()

		if w.Code == 202 || w.Code == 204 {
			if len(got) > 0 {
				t.Fatalf("%d with a body: %s", w.Code, got)
			}
			return
		}
		if w.Code != 200 && w.Code != 400 {
			t.Fatalf("status %d: %s", w.Code, got)
		}
		type answer struct {
			Version string          `json:"jsonrpc"`
			ID      json.RawMessage `json:"id"`
			Result  json.RawMessage `json:"result"`
			Error   *struct{ Code int }
		}
		var replies []answer
		if got[0] != '[' {
			got = append(append([]byte{'['}, got...), ']')
		}
		if err := json.Unmarshal(got, &replies); err != nil {
			t.Fatalf("%s: %v", got, err)
		}
		for _, a := range replies {
			if a.Version != "2.0" || a.ID == nil || (a.Result == nil) == (a.Error == nil) {
				t.Fatalf("no JSON-RPC reply: %s", got)
			}
			if (a.Error != nil && a.Error.Code == -32700) == json.Valid(body) {
				t.Fatalf("valid JSON is %v, answered %s", json.Valid(body), got)
			}
		}
	})
}
