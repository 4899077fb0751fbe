package main

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"service/store"
	"service/store/dashboard"
	pages "service/store/dashboard/page"
	"service/store/storetest"
)

// Parsers that strangers reach take time that grows no faster than n log n with
// their input, as far as they take it: what is over a limit is refused, and that is
// quick. A parser belongs here with every input that its worst case is known for.
//
// What counts is processor time of this thread alone, the least of several runs, so
// that a busy machine changes nothing. The bound is generous: over the three
// doublings here n log n is a factor of about 10, and a square one of 64.
func TestParsersGrowSlowly(t *testing.T) {
	s, _ := storetest.New(t)
	ada := store.Identity{Issuer: "https://id.example", Subject: "ada", Email: "ada@example.com", Verified: true}
	a, err := s.EnsureAccount(t.Context(), ada)
	if err != nil {
		t.Fatal(err)
	}
	m, err := s.CreateWorkspace(t.Context(), a.ID, "acme", "Acme")
	if err != nil {
		t.Fatal(err)
	}
	runs := 0
	again := func() string { // the same text is not parsed twice
		runs++
		return fmt.Sprintf("\n\n%d", runs)
	}
	parsers := []struct {
		name   string
		most   int               // the largest input, in bytes
		parse  func(text string) // whether it is refused is another test's business
		inputs map[string]func(n int) string
	}{
		{"Markdown document", pages.MaxPageMarkdown - 16, func(text string) { _ = pages.CheckMarkdown([]byte(text + again())) }, markdownInputs},
		{"Markdown panel", pages.MaxPanelMarkdown - 16, func(text string) { _ = pages.CheckPanelMarkdown(text + again()) }, markdownInputs},
		{"spec", 1 << 18, func(text string) {
			if spec, err := dashboard.Parse([]byte(text)); spec != nil {
				_, found := spec.Check(nil)
				_ = dashboard.Join(err, found)
			}
		}, specInputs},
		{"report", 1 << 18, func(text string) { _, _, _ = dashboard.ParseReport([]byte(text)) }, reportInputs},
		{"cursor", 1 << 18, func(text string) {
			_, _ = s.ListDashboards(t.Context(), []store.Member{m}, store.DashboardQuery{Cursor: text})
		}, map[string]func(int) string{"letters": repeated("", "A", "")}},
	}
	for _, p := range parsers {
		for name, input := range p.inputs {
			t.Run(p.name+"/"+name, func(t *testing.T) {
				const doublings = 3
				var took []time.Duration
				for i := doublings; i >= 0; i-- {
					text := input(p.most >> i)
					took = append(took, processorTime(func() { p.parse(text) }))
					if took[len(took)-1] > 25*max(took[0], 2*time.Millisecond) { // half-way between 10 and 64
						t.Fatalf("%v of processor time, as the input doubles up to %d bytes", took, len(text))
					}
				}
			})
		}
	}
}

// processorTime is the least that one of three runs takes of this thread. One is
// enough when it takes long.
func processorTime(run func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	now := func() time.Duration {
		var use syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_THREAD, &use); err != nil {
			panic(err)
		}
		return time.Duration(use.Utime.Nano() + use.Stime.Nano())
	}
	least := time.Duration(math.MaxInt64)
	for range 3 {
		start := now()
		run()
		if least = min(least, now()-start); least > time.Second {
			break
		}
	}
	return least
}

// repeated makes an input of repetitions of a piece, between a beginning and an end.
func repeated(begin, piece, end string) func(int) string {
	return func(n int) string {
		return begin + strings.Repeat(piece, max(0, n-len(begin)-len(end))/len(piece)) + end
	}
}

// inParagraphs repeats a piece as often as one paragraph may hold marks, and then
// begins the next.
func inParagraphs(piece string) func(int) string {
	marks := 0
	for _, c := range piece {
		if strings.ContainsRune("*_~`[]!<", c) {
			marks++
		}
	}
	times := 9_900 / len(piece)
	if marks > 0 {
		times = min(times, 990/marks)
	}
	return repeated("", strings.Repeat(piece, times)+"\n\n", "")
}

// wide is a table with a number of columns, whose rows are one character each.
func wide(columns int) func(int) string {
	return repeated("|"+strings.Repeat("a|", columns)+"\n|"+strings.Repeat("-|", columns)+"\n", "|\n", "")
}

var markdownInputs = map[string]func(int) string{
	"quotes in quotes":         repeated("", ">", ""),
	"lists in lists":           repeated("", "- ", ""),
	"lists in lists, indented": func(n int) string { return indented(n, "- a\n") },
	"quotes, a line each":      repeated("", strings.Repeat(">", 15)+"a\n", ""),
	"lists, a line each":       repeated("", strings.Repeat("- ", 15)+"a\n", ""),
	"a wide table":             wide(1500),
	"a table":                  wide(40),
	"escaped pipes in code":    repeated("|a|\n|-|\n", "`\\|`|\n", ""),
	"openers":                  repeated("", "*a ", ""),
	"closers":                  repeated("", "a_ ", ""),
	"openers and closers":      inParagraphs("*a_ "),
	"closers without openers":  inParagraphs("a**b_ c* "),
	"brackets":                 repeated("", "[", ""),
	"brackets, closed":         inParagraphs("[a]"),
	"brackets in brackets":     inParagraphs(strings.Repeat("[", 100) + "a" + strings.Repeat("]", 100)),
	"titles without end":       inParagraphs("[x](a \""),
	"titles over lines":        inParagraphs("[x](a \"" + strings.Repeat("b\n", 20)),
	"targets without end":      inParagraphs("[x](<b"),
	"images in images":         inParagraphs("![![a](b)"),
	"definitions":              repeated("", "[a]: b\n", ""),
	"definitions, one each":    repeated("", "[a]: b\n\n", ""),
	"a target used often":      func(n int) string { return "[a]: /" + strings.Repeat("b", n/2) + "\n\n" + inParagraphs("[a] ")(n/2) },
	"backticks":                backticks,
	"backticks, two and one":   inParagraphs("``a`"),
	"raw HTML":                 inParagraphs("<a b=\"<c d='"),
	"comments":                 inParagraphs("<!--"),
	"addresses":                inParagraphs("_www.a"),
	"addresses in parentheses": repeated("", "(www.a.b", ""),
	"mail":                     inParagraphs("~a@b."),
	"headings":                 repeated("", "# a\n", ""),
	"lines":                    repeated("", "a\n", ""),
	"blank lines":              repeated("a", "\n", ""),
	"fences":                   repeated("", "```\n", ""),
	"entities":                 repeated("", "&amp;", ""),
	"text":                     repeated("", "word ", ""),
}

// indented is a line again and again, each two columns further in.
func indented(n int, line string) string {
	var b strings.Builder
	for i := 0; b.Len()+2*i+len(line) <= n; i++ {
		b.WriteString(strings.Repeat("  ", i) + line)
	}
	return b.String()
}

// backticks are runs of all lengths, none of which closes another.
func backticks(n int) string {
	var b strings.Builder
	for i := 1; b.Len()+i+2 <= n; i++ {
		b.WriteString(strings.Repeat("`", i) + "a ")
	}
	return b.String()
}

// document is a spec with one dataset, and a member more.
func document(member string) (begin, end string) {
	return `{"datasets":[{"id":"d","sql":"SELECT 1 AS n"}],` + member, "}"
}

func inSpec(begin, piece, end string) func(int) string {
	from, to := document(begin)
	return repeated(from, piece, end+to)
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
