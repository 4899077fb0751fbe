package server

import (
	"strings"
	"testing"
	"time"

	"service/store/growthtest"
)

// Bodies are read in time that grows no faster than n log n. Every input that is known as a worst case
// belongs here.
func TestBodiesGrowSlowly(t *testing.T) {
	repeated := func(begin, piece, end string) func(n int) string {
		return func(n int) string { return begin + strings.Repeat(piece, n/len(piece)) + end }
	}
	nested := func(begin, open, shut, end string) func(n int) string {
		return func(n int) string {
			levels := min(n/(len(open)+len(shut)), 9_000) // more are refused
			return begin + strings.Repeat(open, levels) + `"` + strings.Repeat("x", n-levels*(len(open)+len(shut))) + `"` +
				strings.Repeat(shut, levels) + end
		}
	}
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":`
	for name, body := range map[string]func(n int) string{
		"spaces":             repeated("", " ", "1"),
		"open lists":         repeated("", "[", ""),
		"open objects":       repeated("", `{"a":`, ""),
		"a batch":            repeated("[", request("1", "ping", "")+",", "1]"),
		"a batch of nothing": repeated("[", "[],", "1]"),
		"members":            repeated("{", `"a":1,`, `"jsonrpc":"2.0","id":1,"method":"ping"}`),
		"methods":            repeated("{", `"method":"ping",`, `"jsonrpc":"2.0","id":1,"method":"ping"}`),
		"a long method":      repeated(`{"jsonrpc":"2.0","id":1,"method":"`, "x", `"}`),
		"a long id":          repeated(`{"jsonrpc":"2.0","method":"ping","id":1`, "0", `}`),
		"escapes":            repeated(call+`{"text":"`, `\u00e9\ud83d\ude00\n`, `"}}}`),
		"broken surrogates":  repeated(call+`{"text":"`, `\ud83d`, `"}}}`),
		"backslashes":        repeated(call+`{"text":"`, `\\`, `"}}}`),
		"no UTF-8":           repeated(`{"jsonrpc":"2.0","id":1,"method":"`, "\xff", `"}`),
		"members of params":  repeated(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{`, `"a":1,`, `"name":"echo"}}`),
		"arguments":          repeated(call+"{", `"a":1,`, `"b":1}}}`),
		"lists in lists":     nested(call+`{"text":`, "[", "]", `}}}`),
		"objects in objects": nested(call+`{"text":`, `{"a":`, "}", `}}}`),
		"numbers":            repeated(call+"[", "1e9,", "1]}}"),
		"a text in a text":   repeated(call+`"`, `{\"a\":\"\\\"\"},`, `"}}`),
		"a text without end": repeated(call+`"`, "x", ""),
		"a long number":      repeated(call, "1", "}}"),
	} {
		t.Run(name, func(t *testing.T) {
			growthtest.Check(t, 1<<20, time.Millisecond, func(n int) (run func()) {
				raw := []byte(body(n))
				return func() {
					b, _ := parseBody(raw) // whether it is refused is tested elsewhere
					for _, m := range b.messages {
						params, _ := readParams(m)
						_ = pick(params, methods[m.method])
					}
				}
			})
		})
	}
}
