package dashboard_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"service/store/dashboard"
	"service/store/growthtest"
)

// Specs and reports are parsed and checked in time that grows no faster than n log n.
// Every input belongs here that a worst case is known for.
func TestParsersGrowSlowly(t *testing.T) {
	const most = 1 << 18
	for _, parser := range []struct {
		name   string
		parse  func(text []byte) // whether it is refused is another test's business
		inputs map[string]func(n int) string
	}{
		{"spec", func(text []byte) {
			if spec, err := dashboard.Parse(text); spec != nil {
				_, found := spec.Check(nil)
				_ = dashboard.Join(err, found)
			}
		}, specInputs},
		{"report", func(text []byte) { _, _, _ = dashboard.ParseReport(text) }, reportInputs},
	} {
		for name, input := range parser.inputs {
			t.Run(parser.name+"/"+name, func(t *testing.T) {
				growthtest.Check(t, most, time.Millisecond, func(n int) (run func()) {
					text := []byte(input(n))
					return func() { parser.parse(text) }
				})
			})
		}
	}
}

// repeated makes an input of repetitions of a piece, between a beginning and an end.
func repeated(begin, piece, end string) func(int) string {
	return func(n int) string {
		return begin + strings.Repeat(piece, max(0, n-len(begin)-len(end))/len(piece)) + end
	}
}

// inSpec repeats a piece in a member of a spec that has one dataset.
func inSpec(begin, piece, end string) func(int) string {
	return repeated(`{"datasets":[{"id":"d","sql":"SELECT 1 AS n"}],`+begin, piece, end+"}")
}

var specInputs = map[string]func(int) string{
	"spaces":            inSpec("", " ", `"title":"T"`),
	"unknown keys":      func(n int) string { return numbered(n, `{`, `"datasetz%07d":1`, `}`) },
	"the same key":      repeated("{", `"a":1,`, `"a":1}`),
	"lists in lists":    func(n int) string { return nested(min(n, 18_000), `{"panels":`, "[", "]", `}`) },
	"objects":           func(n int) string { return nested(min(n, 50_000), `{"panels":`, `{"a":`, "}", `}`) },
	"panels":            inSpec(`"panels":[`, `{"type":"nope"},`, `{"type":"kpi","value":"n"}]`),
	"filters":           inSpec(`"filters":[`, `{"column":"n"},`, `{"column":"n"}]`),
	"a long title":      inSpec(`"title":"`, "é", `"`),
	"escapes":           inSpec(`"title":"`, `\u00e9`, `"`),
	"fields in a text":  inSpec(`"panels":[{"type":"text","markdown":"`, "{{d.n}}", `"}]`),
	"open fields":       inSpec(`"panels":[{"type":"text","markdown":"`, "{{ ", `"}]`),
	"parameters in SQL": repeated(`{"datasets":[{"id":"d","sql":"`, "{{p}}", `"}]}`),
	"quotes in SQL":     repeated(`{"datasets":[{"id":"d","sql":"SELECT `, "'a' ", `"}]}`),
	"open quotes":       repeated(`{"datasets":[{"id":"d","sql":"SELECT `, "$a$b ", `"}]}`),
	"dollars":           func(n int) string { return numbered(n, `{"datasets":[{"id":"d","sql":"SELECT`, ` $a%07d$`, `"}]}`) },
	"comments":          repeated(`{"datasets":[{"id":"d","sql":"SELECT `, "/*", `"}]}`),
	"parentheses":       repeated(`{"datasets":[{"id":"d","sql":"SELECT `, "(", `"}]}`),
	"WITH":              repeated(`{"datasets":[{"id":"d","sql":"WITH `, "a AS (SELECT 1), ", `b AS (SELECT 2) SELECT * FROM b"}]}`),
	"a select list":     repeated(`{"datasets":[{"id":"d","sql":"SELECT `, "a, ", `b FROM t"}]}`),
	"open calls":        repeated(`{"datasets":[{"id":"d","sql":"SELECT `, "coalesce(", `"}],"panels":[{"type":"kpi","value":"n"}]}`),
	"calls in calls": func(n int) string {
		return nested(n, `{"datasets":[{"id":"d","sql":"SELECT `, "min(", ")", ` AS n FROM t"}],"panels":[{"type":"kpi","value":"n"}]}`)
	},
	"columns": func(n int) string {
		return numbered(n, `{"datasets":[{"id":"d","sql":"SELECT 1","columns":{`, `"c%07d":{}`, `}}]}`)
	},
	"a connection": inSpec(`"connection":"`, "a", `"`),
	"a link":       inSpec(`"panels":[{"type":"table","columns":[{"column":"n","link":"https://`, "{{n}}", `"}]}]`),
}

var reportInputs = map[string]func(int) string{
	"rows":            repeated(`{"datasets":[{"id":"d","rows":[`, `{"a":1,"b":"x"},`, `{"a":2,"b":"y"}]}]}`),
	"lists":           repeated(`{"datasets":[{"id":"d","columns":["a","b"],"rows":[`, `[1,"2026-01-01"],`, `[2,"2026-01-02"]]}]}`),
	"a wide row":      func(n int) string { return numbered(n, `{"datasets":[{"id":"d","rows":[{`, `"c%07d":1`, `}]}]}`) },
	"one new column":  func(n int) string { return numbered(n, `{"datasets":[{"id":"d","rows":[`, `{"c%07d":1}`, `]}]}`) },
	"long numbers":    repeated(`{"datasets":[{"id":"d","rows":[{"a":1`, "0", `}]}]}`),
	"many fractions":  repeated(`{"datasets":[{"id":"d","rows":[`, `{"a":0.1234567890123456789},`, `{"a":1}]}]}`),
	"mixed types":     repeated(`{"datasets":[{"id":"d","rows":[`, `{"a":1},{"a":"x"},{"a":true},`, `{"a":null}]}]}`),
	"a long text":     repeated(`{"datasets":[{"id":"d","rows":[{"a":"`, "x", `"}]}]}`),
	"text of a panel": repeated(`{"datasets":[{"id":"d","rows":[{"a":1}]}],"panels":[{"type":"text","markdown":"`, "{{d.a}} ", `"}]}`),
}

// numbered is a list of pieces, each with a number of its own.
func numbered(n int, begin, piece, end string) string {
	b := []byte(begin)
	for i := 0; len(b)+len(piece)+len(end)+4 <= n; i++ {
		if i > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, piece, i)
	}
	return string(b) + end
}

func nested(n int, begin, open, shut, end string) string {
	depth := n / (len(open) + len(shut))
	return begin + strings.Repeat(open, depth) + "1" + strings.Repeat(shut, depth) + end
}
