package panel

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// soldByDay returns a table over days from 1 September to 28 November, on which products sell 1 or 2.
func soldByDay(p dashboard.Panel, rows ...[]any) Input {
	for at := day("2026-09-01"); at.Before(day("2026-11-29")); at = at.AddDate(0, 0, 1) {
		rows = append(rows, []any{at, "b", int64(1)})
		if at.Day() > 3 {
			rows = append(rows, []any{at, "a", int64(2)})
		}
	}
	p.Type = dashboard.Table
	v := tiny([]dashboard.Panel{p}, []string{"day date", "product text", "n integer sum"}, rows...)
	v.AsOf = day("2026-11-28").Add(12 * time.Hour)
	v.Now = v.AsOf
	return v
}

// TestTablesRoundTimes: a table with grain has a line for each period, and each value of its other dimensions, with the sums of the rows. A
// period that is not over is marked, or left out of the lines, the totals and the download.
func TestTablesRoundTimes(t *testing.T) {
	t.Parallel()
	columns := []dashboard.TableColumn{{Column: "day"}, {Column: "n"}}
	both := []dashboard.TableColumn{{Column: "day"}, {Column: "product"}, {Column: "n"}}
	for name, tc := range map[string]struct {
		panel dashboard.Panel
		want  string
	}{
		"month":     {dashboard.Panel{Columns: columns, Grain: "month"}, "Sep 2026 84; Oct 2026 87; Nov 2026 (not over) 78"},
		"quarter":   {dashboard.Panel{Columns: columns, Grain: "quarter", Partial: "show"}, "Q3 2026 84; Q4 2026 165"},
		"hide":      {dashboard.Panel{Columns: columns, Grain: "month", Partial: "hide"}, "Sep 2026 84; Oct 2026 87"},
		"newest":    {dashboard.Panel{Columns: columns, Grain: "month", Sort: "-day"}, "Nov 2026 (not over) 78; Oct 2026 87; Sep 2026 84"},
		"two":       {dashboard.Panel{Columns: both, Grain: "month", Limit: 3}, "Sep 2026 b 30; Sep 2026 a 54; Oct 2026 b 31"},
		"every":     {dashboard.Panel{Grain: "month", Limit: 2}, "Sep 2026 b 30; Sep 2026 a 54"},
		"largest":   {dashboard.Panel{Columns: columns, Grain: "month", Sort: "-n", Limit: 1}, "Oct 2026 87"},
		"partial":   {dashboard.Panel{Columns: columns, Partial: "mark", Sort: "-day", Limit: 2}, "Nov 28, 2026 (not over) 3; Nov 27, 2026 3"},
		"unrounded": {dashboard.Panel{Columns: columns, Sort: "-day", Limit: 1}, "Nov 28, 2026 3"},
	} {
		v := soldByDay(tc.panel)
		p := open(v).Panel(0)
		table, ok := p.Content.(*tablePanel)
		if !ok {
			t.Fatalf("%s: %s", name, p.Problem)
		}
		var got []string
		for i := range p.Grid.Rows {
			line := ""
			for j := range p.Grid.Columns {
				line += " " + table.written(j, p.Grid.Rows[i], false)
			}
			got = append(got, line[1:])
		}
		if s := strings.Join(got, "; "); s != tc.want {
			t.Errorf("%s:\n%s, want\n%s", name, s, tc.want)
		}
		if notes := strings.Join(p.Notes, " "); strings.Contains(tc.want, "(not over)") && !strings.Contains(notes, "is not over") {
			t.Errorf("%s: %s", name, notes)
		}
	}

	v := soldByDay(dashboard.Panel{Columns: columns, Grain: "month", Partial: "hide", TotalRow: true})
	csv, err := csvOfPanel(v, 0)
	if want := "Day,N\n2026-09-01,84\n2026-10-01,87\n"; err != nil || string(csv) != want {
		t.Errorf("%q, %v", csv, err)
	}
	if p := open(v).Panel(0); p.Content.(*tablePanel).foot.row(p.Content.(*tablePanel), 1) != "171" {
		t.Errorf("the total is %s", p.Content.(*tablePanel).foot.row(p.Content.(*tablePanel), 1))
	}
	p := open(soldByDay(dashboard.Panel{Columns: columns, Grain: "month"})).Panel(0)
	mark := p.Grid.Columns[0].Mark(p.Grid.Rows[0][0])
	if got := fmt.Sprint(mark.grain, mark.Value.(time.Time).Format(time.DateOnly)); got != fmt.Sprint(cube.Monthly, "2026-09-01") {
		t.Errorf("a click selects %s", got)
	}
	none := soldByDay(dashboard.Panel{Columns: columns, Grain: "month"}, []any{nil, "c", int64(5)})
	if got := len(open(none).Panel(0).Grid.Rows); got != 4 {
		t.Errorf("%d lines with rows without a date, want 4", got)
	}
}

// TestRoundedTablesAreSearched: a search finds periods as they are written.
func TestRoundedTablesAreSearched(t *testing.T) {
	t.Parallel()
	v := soldByDay(dashboard.Panel{Grain: "month"})
	l := open(v).Panel(0).Content.(*tablePanel)
	if got := l.search(l.rows(), "oct a"); len(got) != 1 {
		t.Errorf("%d lines have Oct and a, want 1", len(got))
	}
	if got := l.search(l.rows(), "28"); len(got) != 0 {
		t.Errorf("%d lines have 28, want none", len(got))
	}
}
