package panel

import (
	"strings"
	"testing"

	"service/store/dashboard"
)

// TestMedians: a median is that of the rows of each mark, of a total and of "Other", has the decimals of a mean, and follows a filter.
func TestMedians(t *testing.T) {
	t.Parallel()
	columns := []string{"day date", "team text", "hours integer median"}
	rows := [][]any{
		{day("2026-01-01"), "Red", int64(1)},
		{day("2026-01-02"), "Red", int64(4)},
		{day("2026-02-01"), "Blue", int64(10)},
		{day("2026-02-03"), "Blue", nil},
		{day("2026-02-04"), "Green", int64(30)},
	}
	for _, tc := range []struct {
		panel dashboard.Panel
		want  string
	}{
		{dashboard.Panel{Type: dashboard.KPI, Value: "hours"}, "7."},
		{dashboard.Panel{Type: dashboard.Bar, X: "team", Y: []string{"hours"}}, "Green"},
		{dashboard.Panel{Type: dashboard.Bar, X: "team", Y: []string{"hours"}, Limit: 1, Other: true}, "Other 4."},
		{dashboard.Panel{Type: dashboard.Line, X: "day", Y: []string{"hours"}, Grain: "month"}, "lowest 2.5 (Jan 2026)"},
		{dashboard.Panel{Type: dashboard.Pivot, Rows: []string{"team"}, Values: []string{"hours"}}, "Total of hours: 7."},
	} {
		p := open(tiny([]dashboard.Panel{tc.panel}, columns, rows...)).Panel(0)
		if !strings.Contains(p.Summary, tc.want) {
			t.Errorf("%s: %s %s, want %s", tc.panel.Type, p.Summary, p.Problem, tc.want)
		}
	}
}
