package page

import (
	"math"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/dashboard/format"
)

// codes returns the codes of the warnings of a view.
func codes(v View) string {
	var out []string
	for _, w := range Warnings(v) {
		out = append(out, w.Code+" "+w.Path)
	}
	return strings.Join(out, ", ")
}

// TestNothingSilent: values that a panel leaves out or merges cause a note on it and a warning with the key that changes it; an omission
// that its author asked for causes a note alone.
func TestNothingSilent(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for i := range 14 {
		for d := range 3 {
			rows = append(rows, []any{day("2026-05-01").AddDate(0, 0, d), string(rune('a'+i)) + "x", int64(100 - i)})
		}
	}
	columns := []string{"day date", "name text", "n integer sum"}
	series := dashboard.Panel{X: "day", Y: []string{"n"}, Series: "name"}
	for _, tc := range []struct {
		kind   string
		change func(*dashboard.Panel)
		series int
		note   string
		codes  string
	}{
		{dashboard.Line, func(*dashboard.Panel) {}, 10, "The 10 largest of 14 values of name; the rest, not drawn", "cut panels[0].series"},
		{dashboard.Line, func(p *dashboard.Panel) { p.Other = true }, 11, "merged into Other", "merged panels[0].series"},
		{dashboard.Area, func(p *dashboard.Panel) { p.Limit, p.Other = 6, true }, 7, "The 6 largest of 14 values of name; the rest is m", ""},
		{dashboard.Area, func(p *dashboard.Panel) { p.Limit = 6 }, 6, "The 6 largest of 14", ""},
		{dashboard.Area, func(p *dashboard.Panel) { p.Stack = true }, 11, "merged into Other", "merged panels[0].series"},
		{dashboard.Bar, func(p *dashboard.Panel) { p.Series, p.Limit = "", 5 }, 1, "", "key_ignored panels[0].limit"},
		{dashboard.Line, func(p *dashboard.Panel) { p.Limit = 20 }, 10, "The 10 largest of 14", "cut panels[0].limit"},
	} {
		panel := series
		panel.Type = tc.kind
		tc.change(&panel)
		v := tiny([]dashboard.Panel{panel}, columns, rows...)
		p := open(v).Panel(0)
		if n := len(p.Grid.Columns) - 1; n != tc.series {
			t.Errorf("%+v: %d series, want %d", panel, n, tc.series)
		}
		if notes := strings.Join(p.Notes, " "); !strings.Contains(notes, tc.note) || tc.note == "" && notes != "" {
			t.Errorf("%+v: notes %q", panel, notes)
		}
		if got := codes(v); got != tc.codes {
			t.Errorf("%+v: warnings %q, want %q", panel, got, tc.codes)
		}
	}
}

// TestLostValuesAreSaid: values that are not numbers are counted on the panel and reported to its author (N3).
func TestLostValuesAreSaid(t *testing.T) {
	t.Parallel()
	for _, panel := range []dashboard.Panel{
		{Type: dashboard.KPI, Value: "n"},
		{Type: dashboard.KPI, Value: "r"},
		{Type: dashboard.Bar, X: "k", Y: []string{"n"}},
		{Type: dashboard.Table},
	} {
		v := tiny([]dashboard.Panel{panel}, []string{"k text", "n number sum", "m number sum"},
			[]any{"a", 1.0, 1.0}, []any{"b", math.NaN(), 1.0}, []any{"c", math.Inf(1), 1.0})
		v.Spec.Datasets[0].Columns = append(v.Spec.Datasets[0].Columns, dashboard.Meta{Name: "r", Ratio: [2]string{"n", "m"}})
		if notes := strings.Join(open(v).Panel(0).Notes, " "); notes != "2 values of N missing: not a number, or infinite." {
			t.Errorf("%s: %q", panel.Type, notes)
		}
		if got := codes(v); got != "lost_values datasets[0].sql" {
			t.Errorf("%s: %s", panel.Type, got)
		}
	}
}

// TestSmallDifferences: a difference is written with as many digits as it needs, and is never reported as none (N10).
func TestSmallDifferences(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		format   string
		now, was float64
		want     string
	}{
		{"percent1", 0.2221, 0.2219, "22.2%, up 0.02 pp from 22.19% (M)."},
		{"percent1", 0.22251, 0.22149, "22.3%, up 0.1 pp from 22.1% (M)."},
		{"percent1", 0.3, 0.1 + 0.2, "30.0%, unchanged from 30.0% (M)."},
		{"percent", 0.5, 0.5, "50%, unchanged from 50% (M)."},
		{"integer", 1000000, 999900, "1,000,000, up 0.01% from 999,900 (M)."},
		{"number1", 5.01, 5.02, "5.0, down 0.2% from 5.02 (M)."},
		{"integer", 0, 0, "0, unchanged from 0 (M)."},
	} {
		v := tiny([]dashboard.Panel{{Type: dashboard.KPI, Value: "n", Compare: []string{"m"}}},
			[]string{"n number sum " + tc.format, "m number sum " + tc.format},
			[]any{tc.now, tc.was})
		if got := strings.ReplaceAll(Summaries(v)[0].Text, format.NBSP, " "); got != tc.want {
			t.Errorf("%v of %v: %s want %s", tc.now, tc.was, got, tc.want)
		}
	}
}

// TestHeatmapOfShares: of rows with equal amounts a heat map shows the first ones in order, independent of the order of the rows (N12), and
// its legend has the format of the column (O10).
func TestHeatmapOfShares(t *testing.T) {
	t.Parallel()
	for _, backwards := range []bool{false, true} {
		var rows [][]any
		for i := range 26 {
			if backwards {
				i = 25 - i
			}
			part := float64(i+1) / 100
			for k, v := range map[string]float64{"p": part, "q": 1 - part} {
				rows = append(rows, []any{string(rune('a'+i)) + "x", k, v})
			}
		}
		v := tiny([]dashboard.Panel{{Type: dashboard.Heatmap, X: "k", Y: []string{"name"}, Value: "n"}},
			[]string{"name text", "k text", "n number sum percent1"}, rows...)
		p := open(v).Panel(0)
		if n := len(p.Grid.Rows); n != 24 || p.Grid.Rows[0][0].(cube.Category).Value != "ax" || p.Grid.Rows[23][0].(cube.Category).Value != "xx" {
			t.Errorf("%d rows: %v to %v", n, p.Grid.Rows[0][0], p.Grid.Rows[n-1][0])
		}
		if got := codes(v); got != "cut panels[0].y" || !strings.Contains(p.Notes[0], "The first 24 of 26 values of name") {
			t.Errorf("warnings %q, notes %q", got, p.Notes)
		}
		if doc := string(render(t, v)); !strings.Contains(doc, ">1.0%<") || !strings.Contains(doc, ">99.0%<") {
			t.Error("the legend has not the format of the column")
		}
	}
}

// TestReferencesHaveTheFormat: a reference has the format of its column (O10).
func TestReferencesHaveTheFormat(t *testing.T) {
	t.Parallel()
	v := tiny([]dashboard.Panel{{Type: dashboard.Line, X: "day", Y: []string{"n"}, Reference: []dashboard.Reference{{Kind: "average"}}}},
		[]string{"day date", "n number avg percent1"}, []any{day("2026-05-01"), 0.15}, []any{day("2026-05-02"), 0.1616})
	if doc := string(render(t, v)); !strings.Contains(doc, "Average 15.6%") {
		t.Error("no average with one digit")
	}
}

// TestTablesFollowOrders: tables follow the order that the spec gives their first dimension, and rows equal in it have the order of the
// other dimensions.
func TestTablesFollowOrders(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ sort, agg, want string }{
		{"", "sum", "c b a"},
		{"-n", "sum", "b c a"},
		{"n", "none", "c a b"},
		{"k", "sum", "c b a"},
	} {
		v := tiny([]dashboard.Panel{{Type: dashboard.Table, Sort: tc.sort}}, []string{"k text", "n integer " + tc.agg},
			[]any{"a", int64(1)}, []any{"b", int64(2)}, []any{"c", int64(1)})
		v.Spec.Columns = []dashboard.Appearance{{Column: "k", Order: dashboard.Order{Values: []string{"c", "b", "a"}}}}
		var got []string
		for _, row := range open(v).Panel(0).Grid.Rows {
			got = append(got, row[0].(cube.Category).Value.(string))
		}
		if s := strings.Join(got, " "); s != tc.want {
			t.Errorf("sort %q: %s, want %s", tc.sort, s, tc.want)
		}
	}
}

// TestTablesMergeEqualValues: a table merges equal values of a measure if the spec does not define how the measure adds up.
func TestTablesMergeEqualValues(t *testing.T) {
	t.Parallel()
	for place, want := range map[int64]string{3: "", 4: "A number here could be wrong"} {
		v := tiny([]dashboard.Panel{{Type: dashboard.Table, Columns: []dashboard.TableColumn{{Column: "k"}, {Column: "n"}}}},
			[]string{"k text", "side text", "n integer none"}, []any{"a", "x", int64(3)}, []any{"a", "y", place}, []any{"b", "x", int64(5)})
		p := open(v).Panel(0)
		if !strings.HasPrefix(p.Problem, want) || want == "" && (p.Problem != "" || len(p.Grid.Rows) != 2) {
			t.Errorf("%d: %s", place, p.Problem)
		}
	}
}

// TestTextsOfOneRow: a text reports why it shows no value of rows that must not be merged.
func TestTextsOfOneRow(t *testing.T) {
	t.Parallel()
	text := dashboard.Panel{Type: dashboard.Text, Markdown: "{{d.n}}"}
	v := tiny([]dashboard.Panel{text}, []string{"k text", "n integer none"}, []any{"a", int64(3)})
	if s := Summaries(v)[0].Text; s != "3" {
		t.Errorf("one row: %s", s)
	}
	v = tiny([]dashboard.Panel{text}, []string{"k text", "n integer none"}, []any{"a", int64(3)}, []any{"b", int64(3)})
	if s := Summaries(v)[0].Text; !strings.HasPrefix(s, "– A number here could be wrong") {
		t.Errorf("two rows: %s", s)
	}
}

// TestSummariesOfUnevenSeries: a summary names the period of a series that ends before the others, and a filter with datasets filters only
// these.
func TestSummariesOfUnevenSeries(t *testing.T) {
	t.Parallel()
	v := tiny(
		[]dashboard.Panel{{Type: dashboard.Line, X: "day", Y: []string{"n"}, Series: "k"}},
		[]string{"day date", "k text", "n integer sum"},
		[]any{day("2024-01-01"), "a", int64(1)}, []any{day("2024-01-02"), "a", int64(2)}, []any{day("2024-01-01"), "b", int64(3)},
	)
	const want = "2 points from Jan 1, 2024 to Jan 2, 2024: a 2, b 3 (Jan 1, 2024) at the latest."
	if got := Summaries(v)[0].Text; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for data, rows := range map[string]int{"d": 2, "e": 3} {
		v.Spec.Filters = []dashboard.Filter{{Column: "k", Default: []string{"a"}, Data: []string{data}}}
		if n := Summaries(v)[0].Rows; n != rows {
			t.Errorf("a filter of %s leaves %d rows", data, n)
		}
	}
}
