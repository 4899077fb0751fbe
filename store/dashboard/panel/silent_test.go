package panel

import (
	"net/url"
	"strings"
	"testing"

	"service/store/dashboard"
)

// codes returns the codes of the warnings of a view.
func codes(v Input) string {
	var out []string
	for _, w := range warnings(v) {
		out = append(out, w.Code+" "+w.Path)
	}
	return strings.Join(out, ", ")
}

// TestShares: percentages next to bars are shares of the whole, or of the amount that the panel names (N11).
func TestShares(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		share, sql string
		limit      int
		want, note string
	}{
		{"", "SELECT k, sum(n) AS n FROM t GROUP BY 1", 0, "50.0% 30.0% 20.0%", "Percentages are shares of all, 1,000."},
		{"", "SELECT k, sum(n) AS n FROM t GROUP BY 1 ORDER BY 2 DESC LIMIT 3", 0, "", ""},
		{"", "SELECT k, sum(n) AS n FROM t GROUP BY 1 HAVING sum(n) > 1", 0, "", ""},
		{"", "SELECT 'a' AS k, 1 AS n UNION ALL SELECT 'b', 2", 0, "", ""},
		{"", "SELECT k, sum(n) AS n FROM t GROUP BY 1", 2, "", "The 2 largest"},
		{"total", "SELECT k, sum(n) AS n FROM t GROUP BY 1 LIMIT 3", 2, "50.0% 30.0%", "shares of all, 1,000"},
		{"none", "SELECT k, sum(n) AS n FROM t GROUP BY 1", 0, "", ""},
		{"first", "SELECT k, sum(n) AS n FROM t GROUP BY 1", 0, "100.0% 60.0% 40.0%", "Percentages are of the first, 500."},
		{"previous", "SELECT k, sum(n) AS n FROM t GROUP BY 1", 0, "100.0% 60.0% 66.7%", "Percentages are of the one before."},
	} {
		v := tiny([]dashboard.Panel{{Type: dashboard.Bar, X: "k", Y: []string{"n"}, Horizontal: true, Share: tc.share, Limit: tc.limit}},
			[]string{"k text", "n integer sum"}, []any{"a", int64(500)}, []any{"b", int64(300)}, []any{"c", int64(200)})
		v.Spec.Datasets[0].SQL = tc.sql
		p := open(v).Panel(0)
		b := p.Content.(*barPanel)
		var got []string
		for x := range b.split.x {
			if b.shares != nil {
				got = append(got, b.shares(x))
			}
		}
		if s := strings.Join(got, " "); s != tc.want {
			t.Errorf("%q of %s: %q, want %q", tc.share, tc.sql, s, tc.want)
		}
		if notes := strings.Join(p.Notes, " "); !strings.Contains(notes, tc.note) || tc.note == "" && notes != "" {
			t.Errorf("%q of %s: %q", tc.share, tc.sql, notes)
		}
	}
}

// TestGrainOfTheData: a grain that merges nothing is not reported as ignored, and its periods have their own names, with any format of the
// column.
func TestGrainOfTheData(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ grain, format, second, codes, first string }{
		{"year", "month", "2025-01-01", "", "2024"},
		{"quarter", "month", "2025-01-01", "", "Q1 2024"},
		{"month", "date", "2024-02-01", "", "Jan 2024"},
		{"week", "date", "2024-01-08", "", "Jan 1, 2024"},
		{"year", "month", "2024-04-01", "grain_ignored panels[0].grain", "Jan 2024"},
	} {
		v := tiny([]dashboard.Panel{{Type: dashboard.Line, X: "day", Y: []string{"n"}, Grain: tc.grain}},
			[]string{"day date dimension month", "n integer none"}, []any{day("2024-01-01"), int64(1)}, []any{day(tc.second), int64(2)})
		v.Spec.Datasets[0].Columns[0] = dashboard.Meta{Name: "day", Format: tc.format}
		p := open(v).Panel(0)
		if first := p.words(0, p.Grid.Rows[0][0]); codes(v) != tc.codes || first != tc.first {
			t.Errorf("by %s: warnings %q, first %q", tc.grain, codes(v), first)
		}
	}
}

// TestSharesOfOneSeries: if a filter leaves one series of a stack of shares, the axis still has shares: all of what is left.
func TestSharesOfOneSeries(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{dashboard.Bar, dashboard.Area} {
		for _, horizontal := range []bool{false, true} {
			panel := dashboard.Panel{Type: kind, X: "at", Y: []string{"n"}, Series: "part", Stack: true, Percent: true}
			panel.Horizontal = horizontal && kind == dashboard.Bar
			v := tiny([]dashboard.Panel{panel}, []string{"at date", "part text", "n number sum"}, []any{day("2026-01-01"), "x", 3.0},
				[]any{day("2026-01-02"), "x", 2.0}, []any{day("2026-01-01"), "y", 5.0}, []any{day("2026-01-02"), "y", 1.0})
			v.Spec.Filters = []dashboard.Filter{{Column: "part"}}
			v.Query = url.Values{"f.part": {"x"}}
			p, r := recorded(t, v, 0)
			if p.Parts == nil || !strings.Contains(r.String(), "100%") {
				t.Errorf("%s, horizontal %v: no shares:\n%s", kind, horizontal, r.String())
			}
		}
	}
}
