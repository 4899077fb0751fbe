package tools_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"service/tools"
)

// FuzzArguments calls every tool with arbitrary arguments: the answer is a result or a
// refusal, never an internal error.
func FuzzArguments(f *testing.F) {
	names := []string{}
	for _, d := range tools.Definitions() {
		names = append(names, d.Name)
	}
	for _, args := range []string{
		``, `null`, `[]`, `{}`, `"x"`, `{"slug":null,"path":null}`,
		`{"slug":"a","path":"a","name":"\u0000","tags":["\u0000"],"schedule":"\u0000","timezone":"\u0000"}`,
		`{"slug":"a","path":"a","query":"\u0000","tag":"\u0000","cursor":"\u0000","table":"\u0000","pattern":"\u0000"}`,
		`{"sql":"SELECT '\u0000'","table":"","connection":"self"}`, `{"table":"metrics","pattern":"%_'\"; --"}`,
		`{"sql":"SELECT {{a}} {{b.start}} '{{c}}'","params":[{"id":"a","type":"text","default":"'"},` +
			`{"id":"b","type":"date_range","default":"all"}]}`,
		`{"params":[null,1,{"id":[]}],"sql":"SELECT 1 AS a"}`, `{"sql":"SELECT 1","params":[{"id":"x","type":"number","default":1e999}]}`,
		`{"path":"a","body":"\ud800","spec":null}`, `{"path":"a","body":{"datasets":[{"id":"d","rows":[[1]]}]}}`,
		`{"path":"a","spec":{"datasets":[{"id":"d","sql":"SELECT 1 AS a"}]},"dry_run":true}`, `{"path":"a","spec":"\"x\"","dry_run":true}`,
		`{"path":"a","spec":{"title":"\u0000\n","datasets":[{"id":"d","sql":"SELECT 1 AS a"}]}}`, `{"path":"a/b.json","body":"{}"}`,
		`{"path":"a","body":"# \u0000\n","name":"n"}`, `{"slug":"a","version_id":"0198c0de-5b1e-7c3a-9d2f-3f5a1c7e9b10","name":null}`,
		`{"slug":"a","pointer":"/~2/\u0000/-1/99999999999999999999"}`, `{"path":"a","include":["body"],"max_bytes":1}`,
		`{"slug":"a","schedule":"*/5 * * * *","timezone":"../../etc/passwd"}`, `{"slug":"a","schedule":"@every 1s"}`,
		`{"slug":"a","schedule":"TZ= 0 * * * *"}`,
		`{"limit":1e300}`, `{"limit":-0.0}`, `{"cursor":"AAAA"}`, `{"upload":"0198c0de-5b1e-7c3a-9d2f-3f5a1c7e9b10"}`, `{"workspace":"\u0000"}`,
		`{"workspace":{}}`,
	} {
		for i := range names {
			f.Add(uint8(i), args)
		}
	}
	w := newWorld(f, newEngine(f))
	for _, args := range []string{`{"path":"a","body":"# A"}`, `{"path":"s","spec":` + selfSpec + `}`} {
		if r := w.call("publish_dashboard", args); r.IsError {
			f.Fatal(r.Text)
		}
	}
	w.refresh()
	locks := []string{"ada@acme", "ada:legacy"}
	f.Fuzz(func(t *testing.T, which uint8, args string) {
		if args != "" && !json.Valid([]byte(args)) {
			t.Skip("the edge refuses what is not JSON")
		}
		if args == "" {
			args = "null"
		}
		w.t = t
		name := names[int(which)%len(names)]
		for _, who := range locks {
			w.as(who)
			r := w.call(name, args)
			if r.Internal != "" && !strings.Contains(r.Internal, "-32602") {
				t.Errorf("%s %s as %s: %s", name, args, who, r.Internal)
			}
		}
		if slices.Contains([]string{"publish_dashboard", "validate_cube_sql", "trigger_refresh"}, name) {
			w.nextMinute()
		}
	})
}
