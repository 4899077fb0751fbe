package panel

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"service/store/dashboard"
	"service/store/dashboard/format"
)

// smallLines returns the names of the sparklines of a page's first table, row by row, those of the totals last.
func smallLines(t testing.TB, v Input) (out []string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(string(render(t, v))))
	if err != nil {
		t.Fatal(err)
	}
	eachNode(root, func(n *html.Node) {
		if n.Data == "svg" && attr(n, "class") == "spark" && attr(n, "role") == "img" {
			out = append(out, textOf(n.FirstChild))
		}
	})
	return out
}

// trendOf returns the name of a sparkline of sales, computed row by row: by months, of the sales for which keep returns true.
func trendOf(label string, of []sale, keep func(sale) bool, value func([]sale) string, number func([]sale) float64) string {
	months := map[string][]sale{}
	for _, s := range of {
		if keep(s) {
			months[s.day[:7]] = append(months[s.day[:7]], s)
		}
	}
	var names []string
	for m := range months {
		names = append(names, m)
	}
	slices.Sort(names)
	lo, hi, last := names[0], names[0], names[len(names)-1]
	for _, m := range names {
		if number(months[m]) < number(months[lo]) {
			lo = m
		}
		if number(months[m]) > number(months[hi]) {
			hi = m
		}
	}
	name := func(m string) string {
		at, _ := time.Parse("2006-01", m)
		return at.Format("Jan 2006")
	}
	return fmt.Sprintf("%s: %d points from %s to %s: latest %s, lowest %s (%s), highest %s (%s).", label, len(names),
		name(names[0]), name(last), value(months[last]), value(months[lo]), name(lo), value(months[hi]), name(hi))
}

// TestSmallLines: sparklines are over each row's values in time, also of ratios, on every page of a table and in its totals, and share one
// axis.
func TestSmallLines(t *testing.T) {
	t.Parallel()
	v, all := sales(30, 200, func(p *dashboard.Panel) {
		p.Grain = "month"
		p.Columns = []dashboard.TableColumn{
			{Column: "shop"}, {Column: "revenue", Sparkline: "day"}, {Column: "each", Sparkline: "day", Bar: true},
		}
		p.Sort = "shop"
	})
	f := format.New(v.Spec)
	revenue := func(of []sale) float64 {
		sum := 0.0
		for _, s := range of {
			sum += float64(s.revenue)
		}
		return sum
	}
	each := func(of []sale) float64 {
		orders := 0.0
		for _, s := range of {
			orders += float64(s.orders)
		}
		return revenue(of) / orders
	}
	wanted := func(keep func(sale) bool) []string {
		return []string{
			trendOf("Revenue", all, keep, func(of []sale) string { return f.Number(revenue(of), 0) }, revenue),
			trendOf("Each", all, keep, func(of []sale) string { return f.Number(each(of), 2) }, each),
		}
	}
	for query, shops := range map[string][]int{"": {0, 25}, "p0.page=2": {25, 30}, "p0.q=shop+07": {7, 8}} {
		v.Query, _ = url.ParseQuery(query)
		var want []string
		for i := shops[0]; i < shops[1]; i++ {
			want = append(want, wanted(func(s sale) bool { return s.shop == fmt.Sprintf("Shop %02d", i) })...)
		}
		want = append(want, wanted(func(s sale) bool { return query != "p0.q=shop+07" || s.shop == "Shop 07" })...)
		if got := smallLines(t, v); !slices.Equal(got, want) {
			t.Errorf("%s:\ngot  %q\nwant %q", query, got, want)
		}
	}
	csv, err := csvOfPanel(v, 0)
	if err != nil || !strings.HasPrefix(string(csv), "Shop,Revenue,Each\n") {
		t.Errorf("the CSV has other columns (%v): %.80s", err, csv)
	}
}

// TestSmallLinesHaveOneAxis: a line that begins late is drawn late: the axis is that of all rows that pass the filters. A row with one time
// is a dot, and one without values has no line.
func TestSmallLinesHaveOneAxis(t *testing.T) {
	t.Parallel()
	v := tiny([]dashboard.Panel{{Type: dashboard.Table, PageSize: 2, Columns: []dashboard.TableColumn{
		{Column: "k"}, {Column: "n", Sparkline: "day"},
	}, Sort: "k"}}, []string{"day date", "k text", "n integer sum"},
		[]any{day("2026-01-01"), "a", int64(1)}, []any{day("2026-01-03"), "a", int64(2)},
		[]any{day("2026-01-03"), "b", int64(7)},
		[]any{day("2026-01-01"), "c", int64(5)}, []any{day("2026-01-05"), "c", int64(5)}, []any{day("2026-01-02"), "d", nil})
	var got []string
	for page := range 2 {
		v.Query = url.Values{"p0.page": {fmt.Sprint(page + 1)}}
		p := open(v).Panel(0).Content.(*tablePanel)
		for row := range p.Grid.Rows {
			got = append(got, fmt.Sprint(p.cell(row, 1).Line.Points))
		}
	}
	want := "[0,950 500,50] [500,500 500,500] [0,500 1000,500] []"
	if s := strings.Join(got, " "); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
}

// TestSmallLinesSayWhatTheyLeaveOut: if there are too many times, they are rolled up, and periods that are not over are left out, both with
// a note.
func TestSmallLinesSayWhatTheyLeaveOut(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for d := range 100 {
		rows = append(rows, []any{now.AddDate(0, 0, -d).Truncate(24 * time.Hour), "a", int64(d)})
	}
	panel := dashboard.Panel{Type: dashboard.Table, Columns: []dashboard.TableColumn{{Column: "k"}, {Column: "n", Sparkline: "day"}}}
	for _, tc := range []struct{ grain, partial, codes, notes string }{
		{
			"", "", "rolled_up panels[0].grain, incomplete panels[0].partial",
			"The small lines are by week. The small lines are without Week of Nov 16, 2026: not over.",
		},
		{"month", "show", "", ""},
		{"month", "hide", "", "The small lines are without Nov 2026: not over."},
		{
			"year", "", "incomplete panels[0].partial, left_out panels[0].columns",
			"The small lines are without 2026: not over. There are no small lines: they need two complete periods.",
		},
	} {
		panel.Grain, panel.Partial = tc.grain, tc.partial
		v := tiny([]dashboard.Panel{panel}, []string{"day date", "k text", "n integer sum"}, rows...)
		if got := codes(v); got != tc.codes {
			t.Errorf("%s %s: warnings %s, want %s", tc.grain, tc.partial, got, tc.codes)
		}
		if got := strings.Join(open(v).Panel(0).Notes, " "); got != tc.notes {
			t.Errorf("%s %s: notes %s, want %s", tc.grain, tc.partial, got, tc.notes)
		}
		if lines := smallLines(t, v); (len(lines) == 0) != (tc.grain == "year") {
			t.Errorf("%s %s: %q", tc.grain, tc.partial, lines)
		}
	}
}
