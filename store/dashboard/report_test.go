package dashboard_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

func TestParseReport(t *testing.T) {
	t.Parallel()
	s, cubes, err := dashboard.ParseReport([]byte(`{"title": "R", "datasets": [
		{"id": "objects", "columns": {"n": {"agg": "sum"}, "per": {"ratio": ["n", "x"]}, "x": {"agg": "sum"}}, "rows": [
			{"day": "2026-01-31", "n": 1, "x": 1, "ok": true, "at": "2026-01-31T12:00:00+02:00", "mix": 1, "big": 9223372036854775807},
			{"n": 2, "x": 2.5, "day": null, "at": "2026-02-01 08:30", "mix": "b", "none": null},
			{"day": "2026-02-01", "at": "2026-02-02", "mix": true, "ok": false, "big": 9223372036854775808}]},
		{"id": "lists", "columns": ["city", {"name": "votes", "agg": "sum"}], "rows": [["Riga", 3], [null, 4]]},
		{"id": "none", "columns": ["a"], "rows": []}],
		"filters": [{"column": "day", "default": "all"}],
		"panels": [{"type": "kpi", "data": "lists", "value": "votes"}, {"type": "table", "data": "objects"}, {"type": "kpi",
  "data": "objects", "value": "per", "compare": "previous_period"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if s.Title != "R" || len(s.Panels) != 3 || s.Datasets[0].SQL != "" {
		t.Errorf("spec %+v", s)
	}
	show := func(c *cube.Cube) string {
		var b strings.Builder
		for i, col := range c.Columns() {
			fmt.Fprintf(&b, "%s %s:", col.Name, col.Type)
			for row := range c.Rows() {
				v := c.Value(row, i)
				if at, ok := v.(time.Time); ok {
					v = at.Format(time.RFC3339)
				}
				fmt.Fprintf(&b, " %v", v)
			}
			b.WriteByte('\n')
		}
		return b.String()
	}
	for id, want := range map[string]string{
		"objects": `n integer: 1 2 <nil>
x number: 1 2.5 <nil>
day date: 2026-01-31T00:00:00Z <nil> 2026-02-01T00:00:00Z
ok boolean: true <nil> false
at instant: 2026-01-31T10:00:00Z 2026-02-01T08:30:00Z 2026-02-02T00:00:00Z
mix text: 1 b true
big integer: 9223372036854775807 <nil> 9223372036854775808
none text: <nil> <nil> <nil>
`,
		"lists": "city text: Riga <nil>\nvotes integer: 3 4\n",
		"none":  "a text:\n",
	} {
		if diff := cmp.Diff(want, show(cubes[id])); diff != "" {
			t.Errorf("%s (-want +got):\n%s", id, diff)
		}
	}
}

func TestParseReportProblems(t *testing.T) {
	t.Parallel()
	rows := func(rows string) string { return `{"datasets": [{"id": "d", "rows": ` + rows + `}]}` }
	for _, tc := range []struct{ raw, want string }{
		{`nonsense`, `not valid JSON (line 1, column 2): invalid character 'o' in literal null (expecting 'u')`},
		{`{"datasets": [{"id": "d"}]}`, `datasets[0].rows: is missing`},
		{
			`{"datasets": [{"id": "d", "sql": "SELECT 1", "rows": [{"a": 1}]}]}`,
			`datasets[0].sql: "sql" is not a key of a dataset of a report: a report has rows in place of sql; ` +
				`to run SQL, publish a spec; keys: id, rows, columns`,
		},
		{
			`{"connection": "self", "datasets": [{"id": "d", "rows": [{"a": 1}]}]}`,
			`connection: "connection" is not a key of a report: a report brings its own rows and reads no connection; ` +
				`keys: version, title, description, source, timezone, week_starts, as_of, currency, locale, layout, contents, ` +
				`datasets, columns, filters, events, panels`,
		},
		{rows(`{}`), `datasets[0].rows: must be a list of rows, not an object`},
		{rows(`[]`), `datasets[0].rows: have no columns; write at least one row, or name the columns`},
		{rows(`[{"a": 1}, 7]`), `datasets[0].rows[1]: must be an object, or a list of values`},
		{
			rows(`[[1, 2]]`),
			`datasets[0].rows[0]: is a list, so the dataset must name its columns in order: columns must be a list, or the rows objects`,
		},
		{rows(`[{"a": {"b": 1}}]`), `datasets[0].rows[0]: "a" must be a string, a number, a boolean or null`},
		{rows(`[{"a": 1, "a": 2}]`), `datasets[0].rows[0]: has "a" twice`},
		{rows(`[{"": 1}]`), `datasets[0].rows[0]: has a column whose name is empty or longer than 200`},
		{`{"datasets": [{"id": "d", "columns": ["a", "b"], "rows": [[1, 2], [3]]}]}`, `datasets[0].rows[1]: has 1 values for 2 columns`},
		{
			`{"datasets": [{"id": "d", "columns": ["a"], "rows": [[1, 2]]}]}`,
			`datasets[0].rows[0]: has more values than the dataset has columns (1)`,
		},
		{
			`{"datasets": [{"id": "d", "columns": ["a"], "rows": [[[1]]]}]}`,
			`datasets[0].rows[0]: value 0 must be a string, a number, a boolean or null`,
		},
		{rows("[" + strings.Repeat("{},", 200_000) + "{}]"), `datasets[0].rows: has more than 200000 rows`},
		{
			rows("[{" + strings.TrimSuffix(manyKeys(200), ",") + "}" + strings.Repeat(",{}", 15_000) + "]"),
			`datasets[0].rows: are more than 3000000 cells`,
		},
		{rows("[{" + strings.TrimSuffix(manyKeys(201), ",") + "}]"), `datasets[0].rows: have more than 200 columns`},
		{
			`{"datasets": [{"id": "d", "rows": [{"day": "2026-01-01", "n": 1}, {"day": "2026-01-02"}]}], ` +
				`"panels": [{"type": "kpi", "value": "n"}, {"type": "hbar"}]}`,
			`panels[0].value: "n" cannot be merged over "day", which this panel leaves out: it is not known how its values add up. ` +
				`Either declare "agg" (sum, min, max, avg, median or last) in datasets[0].columns.n, or show a "ratio" of two measures that add up` +
				"\n" + `panels[1].type: "hbar" is not one of the possible values; possible values: ` + panelTypes +
				`; did you mean "bar"?` + "\npanels[1].x: is missing\npanels[1].y: is missing",
		},
	} {
		s, cubes, err := dashboard.ParseReport([]byte(tc.raw))
		if err == nil || s != nil || cubes != nil {
			t.Errorf("%.100s: accepted, or something returned beside the error", tc.raw)
			continue
		}
		if diff := cmp.Diff(tc.want, err.Error()); diff != "" {
			t.Errorf("%.100s (-want +got):\n%s", tc.raw, diff)
		}
	}
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"c%d": 1,`, i)
	}
	return b.String()
}

// Rows may have their columns in any order, and each may first occur in a later row, be null, or be absent.
func TestParseReportOfUnevenRows(t *testing.T) {
	t.Parallel()
	_, cubes, err := dashboard.ParseReport([]byte(` { "datasets" : [ { "id" : "d" , "rows" : [ {"a":1,"b":"x"} , { "b" : "\u0079" , "a" : 2 },
		{}, {"\u0061":null,"c":true}, {"c":false,"b":"y","a":-0.5e1}, [7, "é"], [null, null] ] , "columns": ["a", "b"] } ] }`))
	if err != nil {
		t.Fatal(err)
	}
	c := cubes["d"]
	var got []string
	for row := range c.Rows() {
		got = append(got, fmt.Sprintf("%v %v %v", c.Value(row, 0), c.Value(row, 1), c.Value(row, 2)))
	}
	want := []string{"1 x <nil>", "2 y <nil>", "<nil> <nil> <nil>", "<nil> <nil> true", "-5 y false", "7 é <nil>", "<nil> <nil> <nil>"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for rows, want := range map[string]string{
		`[{"a":1,"b":2},{"a":1,"b":2,"a":3}]`:             `rows[1]: has "a" twice`,
		`[{"a":1,"b":2},{"b":1,"\u0062":2}]`:              `rows[1]: has "b" twice`,
		`[{"a":1},{"a":[1]}]`:                             `rows[1]: "a" must be a string`,
		`[{"a":1},{"":1}]`:                                `rows[1]: has a column whose name is empty`,
		`[{"a":1},2]`:                                     `rows[1]: must be an object`,
		`[{"a":1}, {"b":1,` + manyKeys(2_000) + `"c":1}]`: `rows: have more than 200 columns`,
	} {
		_, _, err := dashboard.ParseReport([]byte(`{"datasets": [{"id": "d", "rows": ` + rows + `}]}`))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %s", rows, err, want)
		}
	}
}

// BenchmarkParseReport reads a report of 5 MiB, the largest that is taken.
func BenchmarkParseReport(b *testing.B) {
	var text strings.Builder
	text.WriteString(`{"datasets":[{"id":"q","rows":[`)
	for i := 0; text.Len() < 5<<20-200; i++ {
		if i > 0 {
			text.WriteByte(',')
		}
		fmt.Fprintf(&text, `{"day":"2026-%02d-%02d","channel":"channel %d","amount":%d.%02d}`, i%12+1, i%28+1, i%7, i%1000, i%100)
	}
	text.WriteString(`]}]}`)
	raw := []byte(text.String())
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		if _, _, err := dashboard.ParseReport(raw); err != nil {
			b.Fatal(err)
		}
	}
}
