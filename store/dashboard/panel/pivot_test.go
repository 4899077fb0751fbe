package panel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
)

// across returns dimensions across, as a spec has them.
func across(names ...string) []dashboard.TableColumn {
	var out []dashboard.TableColumn
	for _, name := range names {
		out = append(out, dashboard.TableColumn{Column: name})
	}
	return out
}

// TestPivotCounts: every cell of a pivot, and the totals of its rows, its groups, its columns and all, equal the values that the test
// computes from their rows: also if values are averages, extremes or ratios, whose totals are not sums of cells.
func TestPivotCounts(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 11))
	var rows [][]any
	text := func(from string, n int) any {
		if k := r.IntN(n + 1); k < n {
			return from + string(rune('a'+k))
		}
		return nil
	}
	for range 900 {
		amount := any(math.Round(r.NormFloat64()*4000) / 8)
		if r.IntN(9) == 0 {
			amount = nil
		}
		rows = append(rows, []any{text("c", 4), text("k", 3), text("y", 2), text("z", 3), amount, int64(r.IntN(5))})
	}
	kinds := []string{"sum", "min", "max", "avg"}
	for _, kind := range kinds {
		v := tiny([]dashboard.Panel{{
			Type: dashboard.Pivot, Rows: []string{"c", "k"}, Columns: across("y", "z"), Values: []string{"n", "r"}, Heat: dashboard.HeatAll,
		}}, []string{"c text", "k text", "y text", "z text", "n number " + kind, "m integer sum"}, rows...)
		v.Spec.Datasets[0].Columns = append(v.Spec.Datasets[0].Columns, dashboard.Meta{Name: "r", Ratio: [2]string{"n", "m"}})
		p := open(v).Panel(0)
		pivot := p.Content.(*pivotPanel)
		checked, totals := 0, 0
		for _, line := range pivot.all() {
			for _, key := range pivot.columns() {
				want, of := 0.0, 0
				weight := 0.0
				for _, row := range rows {
					if !holds(pivot, line.key, 0, row) || !holds(pivot, key, 2, row) {
						continue
					}
					weight += float64(row[5].(int64))
					n, ok := row[4].(float64)
					if !ok {
						continue
					}
					switch of++; {
					case of == 1:
						want = n
					case kind == "min":
						want = min(want, n)
					case kind == "max":
						want = max(want, n)
					default:
						want += n
					}
				}
				if kind == "avg" && of > 0 {
					want /= float64(of)
				}
				got, ok := cube.Float(pivot.value(line.key, key, 0))
				ratio, okRatio := cube.Float(pivot.value(line.key, key, 1))
				if ok != (of > 0) || math.Abs(got-want) > 1e-9*math.Abs(want)+1e-9 {
					t.Fatalf("%s of %v by %v: %v, want %v", kind, line.key, key, got, want)
				}
				if okRatio != (of > 0 && weight != 0) || okRatio && math.Abs(ratio-want/weight) > 1e-9 {
					t.Fatalf("ratio to %s of %v by %v: %v, want %v", kind, line.key, key, ratio, want/weight)
				}
				checked++
				totals += stat.One(len(line.key) < 2 || key == nil)
			}
		}
		if checked < 300 || totals < 90 {
			t.Errorf("%s: only %d cells and %d totals", kind, checked, totals)
		}
	}
}

// holds reports whether a row has the categories of a key.
func holds(p *pivotPanel, key pivotKey, first int, row []any) bool {
	for i, c := range key {
		if p.groups.Axes[first+i][c].Value != row[first+i] {
			return false
		}
	}
	return true
}

// TestPivotTable: the table, the CSV and the lines agree, heads span the columns under them, and a value that does not add up has no
// totals, with a note.
func TestPivotTable(t *testing.T) {
	t.Parallel()
	v := tiny([]dashboard.Panel{{Type: dashboard.Pivot, Rows: []string{"c"}, Columns: across("y", "z"), Values: []string{"n", "q"}}},
		[]string{"c text", "y text", "z text", "n integer sum", "q integer none"},
		[]any{"a", "1", "x", int64(1), int64(5)}, []any{"a", "1", "w", int64(2), int64(6)}, []any{"b", "2", "x", int64(4), int64(7)})
	p := open(v).Panel(0)
	csv, err := csvOfPanel(v, 0)
	if err != nil {
		t.Fatal(err)
	}
	const want = "C,1 · w · N,1 · w · Q,1 · x · N,1 · x · Q,2 · x · N,2 · x · Q,Total · N,Total · Q\n" +
		"a,2,6,1,5,,,3,\nb,,,,,4,7,4,\nTotal,2,,1,,4,,7,\n"
	if string(csv) != want {
		t.Errorf("%s", csv)
	}
	if got := strings.Join(p.Notes, " "); got != "Q has no totals: nothing says how it adds up." {
		t.Errorf("notes %q", got)
	}
	doc := string(render(t, v))
	for _, part := range []string{
		`<thead><tr><th scope="col" rowspan="3">C</th><th scope="colgroup" colspan="4">1</th><th scope="colgroup" colspan="2">2</th>` +
			`<th scope="colgroup" colspan="2" rowspan="2">Total</th></tr>`,
		`<tr><th scope="colgroup" colspan="2">w</th><th scope="colgroup" colspan="2">x</th><th scope="colgroup" colspan="2">x</th></tr>`,
		`<tr><th scope="row">a</th><td class=" r">2</td><td class=" r">6</td>`,
		`</tbody><tbody class="tt"><tr><th scope="row">Total</th>`,
	} {
		if !strings.Contains(doc, part) {
			t.Errorf("the page lacks %s", part)
		}
	}
	v.Spec.Panels[0].NoTotals = true
	if csv, _ = csvOfPanel(v, 0); strings.Contains(string(csv), "Total") || strings.Contains(string(render(t, v)), "Total") {
		t.Error("totals that are switched off")
	}
}

// TestPivotTotalsOfOneSide: the totals can be those of rows, at their ends, or those of columns, below them, alone; the summary has the
// total of everything only if the table has it.
func TestPivotTotalsOfOneSide(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ keys, csv, total string }{
		{`"rows": ["c"], "columns": ["y"], "totals": true`, "C,1,2,Total\na,1,,1\nb,2,4,6\nTotal,3,4,7\n", "7"},
		{`"rows": ["c"], "columns": ["y"], "totals": "rows"`, "C,1,2,Total\na,1,,1\nb,2,4,6\n", ""},
		{`"rows": ["c"], "columns": ["y"], "totals": "columns"`, "C,1,2\na,1,\nb,2,4\nTotal,3,4\n", ""},
		{`"rows": ["c"], "columns": ["y"], "totals": false`, "C,1,2\na,1,\nb,2,4\n", ""},
		{`"rows": ["c"], "totals": "columns"`, "C,N\na,1\nb,6\nTotal,7\n", "7"},
		{`"rows": ["c", "z"], "columns": ["y"], "totals": "rows"`, "C,Z,1,2,Total\na,x,1,,1\nb,w,2,,2\nb,x,,4,4\n", ""},
		{
			`"rows": ["c", "z"], "columns": ["y"], "totals": "columns"`,
			"C,Z,1,2\na,Total,1,\na,x,1,\nb,Total,2,4\nb,w,2,\nb,x,,4\nTotal,,3,4\n", "",
		},
	} {
		v := tinySpec(t, `{"type": "pivot", "values": ["n"], `+tc.keys+`}`, []string{"c text", "y text", "z text", "n integer sum"},
			[]any{"a", "1", "x", int64(1)}, []any{"b", "1", "w", int64(2)}, []any{"b", "2", "x", int64(4)})
		csv, err := csvOfPanel(v, 0)
		if err != nil || string(csv) != tc.csv {
			t.Errorf("%s: %v\n%swant\n%s", tc.keys, err, csv, tc.csv)
		}
		p := open(v).Panel(0)
		if got := strings.Contains(p.Summary, "Total of N: 7."); got != (tc.total != "") {
			t.Errorf("%s: %s", tc.keys, p.Summary)
		}
		table := p.Content.(*pivotPanel)
		heads := len(table.heads(p.Ways(), table.columns())[0])
		header, rest, _ := strings.Cut(tc.csv, "\n")
		if want := strings.Count(header, ",") + 1 - table.down; heads != want {
			t.Errorf("%s: %d heads, want %d", tc.keys, heads, want)
		}
		if got := strings.Contains(strings.Join(table.sketch(), "\n"), "\nTotal"); got != strings.Contains(rest, "\nTotal,") {
			t.Errorf("%s: %s", tc.keys, table.sketch())
		}
	}
}

// TestPivotSorted: groups and lines are sorted by their totals, and limit keeps the first of them; the totals are still over all lines,
// with a note.
func TestPivotSorted(t *testing.T) {
	t.Parallel()
	rows := [][]any{
		{"a", "x", int64(1)}, {"a", "y", int64(9)}, {"b", "x", int64(7)}, {"b", "y", int64(5)}, {"c", "y", int64(3)}, {"d", "x", int64(20)},
	}
	for _, tc := range []struct {
		sort        string
		limit       int
		order, note string
	}{
		{"", 0, "a: x y, b: x y, c: y, d: x, Total 45", ""},
		{"-n", 0, "d: x, b: x y, a: y x, c: y, Total 45", ""},
		{"n", 2, "c: y, a: x y, Total 45", "The 2 smallest of 4 values of K; the rest is not drawn. Totals include what is not drawn."},
		{"-n", 2, "d: x, b: x y, Total 45", "The 2 largest of 4 values of K; the rest is not drawn. Totals include what is not drawn."},
		{"", 2, "b: x y, d: x, Total 45", "The 2 largest of 4 values of K; the rest is not drawn. Totals include what is not drawn."},
		{"-k", 2, "d: x, c: y, Total 45", "The first 2 of 4 values of K; the rest is not drawn. Totals include what is not drawn."},
	} {
		v := tiny([]dashboard.Panel{{Type: dashboard.Pivot, Rows: []string{"k", "s"}, Values: []string{"n"}, Sort: tc.sort, Limit: tc.limit}},
			[]string{"k text", "s text", "n integer sum"}, rows...)
		p := open(v).Panel(0)
		pivot := p.Content.(*pivotPanel)
		var got []string
		for _, line := range pivot.all() {
			switch name := pivot.path(0, line.key); {
			case line.group:
				got = append(got, name+":")
			case len(line.key) == 0:
				got = append(got, fmt.Sprint("Total ", pivot.value(nil, pivotKey{}, 0)))
			default:
				got[len(got)-1] += " " + name[len(name)-1:]
			}
		}
		if s := strings.Join(got, ", "); s != tc.order {
			t.Errorf("sort %q, limit %d: %s, want %s", tc.sort, tc.limit, s, tc.order)
		}
		if notes := strings.Join(p.Notes, " "); notes != tc.note {
			t.Errorf("sort %q, limit %d: %q", tc.sort, tc.limit, notes)
		}
		want := ""
		if tc.limit > 0 && tc.sort == "" {
			want = "cut panels[0].limit"
		}
		if got := codes(v); got != want {
			t.Errorf("sort %q, limit %d: warnings %s, want %s", tc.sort, tc.limit, got, want)
		}
	}
}

// TestPivotIsCut: at most 30 keys are across and 200 lines down, and a note reports the rest.
func TestPivotIsCut(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for i := range 310 {
		for k := range 34 {
			rows = append(rows, []any{fmt.Sprintf("c%03d", i), strings.Repeat(string(rune('a'+k%26)), 1+k/26) + "x", int64(k + 1)})
		}
	}
	v := tiny([]dashboard.Panel{{Type: dashboard.Pivot, Rows: []string{"c"}, Columns: across("k"), Values: []string{"n"}}},
		[]string{"c text", "k text", "n integer sum"}, rows...)
	p := open(v).Panel(0)
	pivot := p.Content.(*pivotPanel)
	if len(pivot.lines) != pivotLines || len(pivot.across) != pivotAcross || pivot.columnName(pivot.across[0], 0) != "aax" {
		t.Errorf("%d lines, %d columns from %s", len(pivot.lines), len(pivot.across), pivot.columnName(pivot.across[0], 0))
	}
	if got := codes(v); got != "cut panels[0].columns, cut panels[0].rows" {
		t.Errorf("warnings %s", got)
	}
	if total, _ := cube.Float(pivot.value(nil, nil, 0)); total != 310*34*35/2 {
		t.Errorf("total %v", total)
	}
	notes := strings.Join(p.Notes, " ")
	for _, want := range []string{
		"The 30 largest of 34 values of K", "The first 200 of 310 rows are drawn.", "Totals include what is not drawn.",
	} {
		if !strings.Contains(notes, want) {
			t.Errorf("no %q in %q", want, notes)
		}
	}
}

// TestPivotHeat: colours compare the cells of a row, of a column or all, without totals.
func TestPivotHeat(t *testing.T) {
	t.Parallel()
	for heat, want := range map[string]string{"": "", "row": "h0 h6 h0 h6", "column": "h0 h0 h6 h6", "all": "h0 h0 h0 h6"} {
		v := tiny([]dashboard.Panel{{Type: dashboard.Pivot, Rows: []string{"c"}, Columns: across("k"), Values: []string{"n"}, Heat: heat}},
			[]string{"c text", "k text", "n integer sum"},
			[]any{"a", "x", int64(1)}, []any{"a", "y", int64(2)}, []any{"b", "x", int64(3)}, []any{"b", "y", int64(90)})
		var got []string
		for _, m := range regexp.MustCompile(`<td class="(h\d+)`).FindAllStringSubmatch(string(render(t, v)), -1) {
			got = append(got, m[1])
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s: %s, want %s", heat, s, want)
		}
	}
}

// TestPivotLinks: names are links that filter, and cells have the panel's link if it needs values down and across.
func TestPivotLinks(t *testing.T) {
	t.Parallel()
	v := tiny([]dashboard.Panel{{Type: dashboard.Pivot, Rows: []string{"c"}, Columns: across("day"), Values: []string{"n"}, Grain: "month"}},
		[]string{"c text", "day date", "n integer sum"}, []any{"a", day("2026-03-04"), int64(1)}, []any{"b", day("2026-05-06"), int64(2)})
	v.Spec.Filters = []dashboard.Filter{{Column: "c"}, {Column: "day", Default: []string{"all"}}}
	doc := string(render(t, v))
	for _, want := range []string{
		`<th scope="row"><a href="?f.c=a">a</a></th>`, `"><a href="?f.day=2026-03-01..2026-03-31">Mar 2026</a></th>`,
	} {
		if !strings.Contains(doc, want) {
			t.Errorf("no %s", want)
		}
	}
	v.Spec.Panels[0].Link = "sales?c={{c}}&day={{day}}"
	doc = string(render(t, v))
	if want := `<a href="/sales?f.c=a&amp;f.day=2026-03-01..2026-03-31">1</a></td>`; !strings.Contains(doc, want) {
		t.Errorf("no %s", want)
	}
	if n := strings.Count(doc, `href="/sales`); n != 2 {
		t.Errorf("%d links of cells", n)
	}
	if slices.Contains(strings.Split(codes(v), ", "), "dead_link") {
		t.Error("a warning")
	}
}

// TestPivotOfMonths: the first days of months are named as months, unless the spec has a format.
func TestPivotOfMonths(t *testing.T) {
	t.Parallel()
	v := monthly(dashboard.Panel{Type: dashboard.Pivot, Rows: []string{"at"}, Values: []string{"n"}, Grain: "auto"}, 1)
	if doc := string(render(t, v)); !strings.Contains(doc, ">Mar 2025<") || strings.Contains(doc, "Mar 1, 2025") {
		t.Error("months are named as days")
	}
	v.Spec.Datasets[0].Columns = slices.Insert(v.Spec.Datasets[0].Columns, 0, dashboard.Meta{Name: "at", Format: "date"})
	if doc := string(render(t, v)); !strings.Contains(doc, "Mar 1, 2025") {
		t.Error("a format is ignored")
	}
}

// TestPivotByGrain: readers may choose another grain if a pivot has one dimension of times; two have the same grain, that of the spec.
func TestPivotByGrain(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for i := range 300 {
		rows = append(rows, []any{"a", day("2026-01-01").AddDate(0, 0, i), int64(1)})
	}
	v := tiny([]dashboard.Panel{{Type: dashboard.Pivot, Rows: []string{"c"}, Columns: across("day"), Values: []string{"n"}, Grain: "month"}},
		[]string{"c text", "day date", "n integer sum"}, rows...)
	for query, want := range map[string]string{"": "10 columns by 1 row", "quarter": "4 columns by 1 row", "day": "10 columns by 1 row"} {
		v.Query = map[string][]string{"p0.grain": {query}}
		if got := summaries(v)[0].Text; !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	if doc := string(render(t, v)); !strings.Contains(doc, `href="?p0.grain=quarter`) {
		t.Error("no link to quarters")
	}
	v.Spec.Panels[0].Rows, v.Spec.Panels[0].Columns = []string{"day"}, across("day")
	v.Query = nil
	if doc := string(render(t, v)); strings.Contains(doc, "p0.grain") {
		t.Error("a grain of two dimensions is offered")
	}
}

// TestPivotsMarkIncompletePeriods: the heads of columns or rows of an incomplete period name the reason, or the period is left out, also of
// the totals; the panel names it.
func TestPivotsMarkIncompletePeriods(t *testing.T) {
	t.Parallel()
	rows := [][]any{
		{day("2026-09-03"), "a", 3.0},
		{day("2026-09-04"), "b", 4.0},
		{day("2026-10-05"), "a", 30.0},
		{day("2026-11-12"), "a", 5.0},
		{day("2026-11-19"), "b", 90.0},
	}
	const over, left = "Nov 2026 is not over: Nov 1 – Nov 19.", "Nov 2026 is left out: it is not over."
	for _, tc := range []struct{ keys, heads, lines, total, notes string }{
		{`"columns": ["day"]`, "Sep 2026|Oct 2026|Nov 2026 (not over)|Total", "a|b|Total", "132", over},
		{`"columns": ["day"], "partial": "mark"`, "Sep 2026|Oct 2026|Nov 2026 (not over)|Total", "a|b|Total", "132", over},
		{`"columns": ["day"], "partial": "show"`, "Sep 2026|Oct 2026|Nov 2026|Total", "a|b|Total", "132", ""},
		{`"columns": ["day"], "partial": "hide"`, "Sep 2026|Oct 2026|Total", "a|b|Total", "37", left},
		{`"rows": ["day"]`, "N", "Sep 2026|Oct 2026|Nov 2026 (not over)|Total", "132", over},
		{`"rows": ["day"], "columns": ["part"], "sort": "-day"`, "a|b|Total", "Nov 2026 (not over)|Oct 2026|Sep 2026|Total", "132", over},
		{`"rows": ["day", "part"], "partial": "hide"`, "N", "Sep 2026|a|b|Oct 2026|a|Total", "37", left},
		{`"rows": ["part", "day"]`, "N", "a|Sep 2026|Oct 2026|Nov 2026 (not over)|b|Sep 2026|Nov 2026 (not over)|Total", "132", over},
	} {
		if !strings.Contains(tc.keys, "rows") {
			tc.keys = `"rows": ["part"], ` + tc.keys
		}
		v := tinySpec(t, `{"type": "pivot", "values": ["n"], "grain": "month", `+tc.keys+`}`, []string{"day date", "part text", "n number sum"},
			rows...)
		p := open(v).Panel(0)
		if p.Content == nil {
			t.Errorf("%s: %s%s", tc.keys, p.Problem, p.Empty)
			continue
		}
		table := p.Content.(*pivotPanel)
		var heads, lines []string
		for _, h := range table.heads(p.Ways(), table.columns())[0] {
			heads = append(heads, h.Text)
		}
		total := ""
		for _, l := range table.all() {
			line := table.crossLine(p.Ways(), l, table.columns())
			lines = append(lines, line.Name)
			if n := len(line.Cells); line.Total && n > 0 {
				total = line.Cells[n-1].Text
			}
		}
		if got := strings.Join(heads, "|"); got != tc.heads {
			t.Errorf("%s: heads %s, want %s", tc.keys, got, tc.heads)
		}
		if got := strings.Join(lines, "|"); got != tc.lines {
			t.Errorf("%s: lines %s, want %s", tc.keys, got, tc.lines)
		}
		got := strings.Join(p.Notes, " ")
		if total != tc.total || !strings.Contains(got, tc.notes) || tc.notes == "" && strings.Contains(got, "over") {
			t.Errorf("%s: total %s, want %s; notes %q, want %q", tc.keys, total, tc.total, got, tc.notes)
		}
	}
}

// TestPivotsHideHoursAndKeepRowsWithoutTime: an incomplete hour, and an incomplete period beside rows without a time, are not drawn, and
// the panel names that its totals include them.
func TestPivotsHideHoursAndKeepRowsWithoutTime(t *testing.T) {
	t.Parallel()
	hour := func(h int) time.Time { return day("2026-11-20").Add(time.Duration(h) * time.Hour) }
	for _, tc := range []struct {
		column, grain string
		rows          [][]any
	}{
		{"at timestamp", "hour", [][]any{{hour(6), 1.0}, {hour(7), 2.0}, {hour(9), 4.0}}},
		{"at date", "month", [][]any{{day("2026-09-01"), 1.0}, {day("2026-10-01"), 2.0}, {day("2026-11-01"), 4.0}, {nil, 0.0}}},
	} {
		v := tinySpec(t, `{"type": "pivot", "rows": ["at"], "values": ["n"], "partial": "hide", "grain": "`+tc.grain+`"}`,
			[]string{tc.column, "n number sum"}, tc.rows...)
		p := open(v).Panel(0)
		table, ok := p.Content.(*pivotPanel)
		if !ok {
			t.Errorf("%s: %s%s", tc.grain, p.Problem, p.Empty)
			continue
		}
		notes := strings.Join(p.Notes, " ")
		if n := len(table.all()); n != len(tc.rows) || !strings.Contains(notes, "is left out: it is not over.") ||
			!strings.Contains(notes, "Totals include what is not drawn.") {
			t.Errorf("%s: %d lines, notes %q", tc.grain, n, notes)
		}
	}
}

// TestPivotOfRunningPeriods: a pivot that hides its only period is empty, and one whose first period is cut by a filter names the reason.
func TestPivotOfRunningPeriods(t *testing.T) {
	t.Parallel()
	columns := []string{"day date", "part text", "n number sum"}
	v := tinySpec(t, `{"type": "pivot", "rows": ["day"], "values": ["n"], "grain": "month", "partial": "hide"}`, columns,
		[]any{day("2026-11-12"), "a", 5.0})
	if p := open(v).Panel(0); p.Content != nil || p.Empty != "Every period is incomplete, and incomplete ones are left out." {
		t.Errorf("of one month: %q", p.Empty)
	}
	v = tinySpec(t, `{"type": "pivot", "rows": ["day"], "values": ["n"], "grain": "month"}`, columns,
		numbers("2026-01-01", "2026-11-20")...)
	v.Spec.Filters = []dashboard.Filter{{Column: "day"}}
	v.Query = url.Values{"f.day": {"2026-09-10..2026-10-31"}}
	p := open(v).Panel(0)
	table, ok := p.Content.(*pivotPanel)
	if !ok || table.crossLine(p.Ways(), table.all()[0], table.columns()).Name != "Sep 2026 (cut by the filter)" {
		t.Errorf("under a filter: %q %q", p.Empty, p.Notes)
	}
}

// TestPivotsLimitWhatIsDrawn: limit keeps values that are drawn: not those whose only rows are in a hidden period.
func TestPivotsLimitWhatIsDrawn(t *testing.T) {
	t.Parallel()
	rows := [][]any{
		{day("2026-09-01"), "a", 5.0},
		{nil, "b", 1.0},
		{day("2026-11-02"), "c", 100.0},
		{day("2026-11-03"), "d", 90.0},
		{day("2026-10-01"), "a", 6.0},
		{day("2026-10-01"), "e", 7.0},
	}
	for _, tc := range []struct{ keys, lines, note string }{
		{`"rows": ["part", "day"], "limit": 1`, "a Sep 2026|a Oct 2026", "The 1 largest of 3 values of part"},
		{`"rows": ["part", "day"], "limit": 2`, "a Sep 2026|a Oct 2026|e Oct 2026", "The 2 largest of 3 values of part"},
		{`"rows": ["part", "day"], "limit": 4, "sort": "-n"`, "a Oct 2026|a Sep 2026|e Oct 2026|b Not set", ""},
		{`"rows": ["part", "day"], "limit": 2, "sort": "-n"`, "a Oct 2026|a Sep 2026|e Oct 2026", "The 2 largest of 3 values of part"},
		{`"rows": ["day"], "limit": 2`, "Oct 2026|Not set", "The last 2 of 3 values of day"},
	} {
		v := tinySpec(t, `{"type": "pivot", "values": ["n"], "partial": "hide", "grain": "month", `+tc.keys+`}`,
			[]string{"day date", "part text", "n number sum"}, rows...)
		p := open(v).Panel(0)
		table, ok := p.Content.(*pivotPanel)
		if !ok {
			t.Errorf("%s: %s%s", tc.keys, p.Problem, p.Empty)
			continue
		}
		var lines []string
		for _, line := range table.lines {
			lines = append(lines, strings.ReplaceAll(table.path(0, line), " · ", " "))
		}
		if got := strings.Join(lines, "|"); got != tc.lines {
			t.Errorf("%s: lines %s, want %s", tc.keys, got, tc.lines)
		}
		if notes := strings.Join(p.Notes, " "); !strings.Contains(notes, tc.note) || tc.note == "" && strings.Contains(notes, " of 3 values") {
			t.Errorf("%s: notes %q", tc.keys, notes)
		}
	}
}

// TestPivotsNoteWhatTotalsInclude: a pivot notes that its totals include what is not drawn only if they are over that side.
func TestPivotsNoteWhatTotalsInclude(t *testing.T) {
	t.Parallel()
	var down, over [][]any
	for i := range 40 {
		name := string(rune('a'+i%26)) + string(rune('a'+i/26))
		down = append(down, []any{name, "a", 1.0}, []any{name, "b", 2.0})
		over = append(over, []any{"a", name, 1.0}, []any{"b", name, 2.0})
	}
	for _, tc := range []struct {
		rows  [][]any
		keys  string
		noted bool
	}{
		{down, `"limit": 5`, true},
		{down, `"limit": 5, "totals": "columns"`, true},
		{down, `"limit": 5, "totals": "rows"`, false},
		{over, `"limit": 5`, true},
		{over, `"limit": 5, "totals": "rows"`, true},
		{over, `"limit": 5, "totals": "columns"`, false},
		{over, `"totals": false`, false},
	} {
		v := tinySpec(t, `{"type": "pivot", "rows": ["part"], "columns": ["kind"], "values": ["n"], `+tc.keys+`}`,
			[]string{"part text", "kind text", "n number sum"}, tc.rows...)
		p := open(v).Panel(0)
		if noted := strings.Contains(strings.Join(p.Notes, " "), "Totals include what is not drawn."); noted != tc.noted || p.Problem != "" {
			t.Errorf("%s: notes %q %s", tc.keys, p.Notes, p.Problem)
		}
	}
}
