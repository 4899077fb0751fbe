package panel

import (
	"strings"
	"testing"

	"service/store/dashboard"
)

// TestAsOfOldData: with the last day of the data, its month is incomplete, the number of a week is that of the last whole one, and a
// filter of the last days is counted from it. Without, the data of June 2025 are all of the past.
func TestAsOfOldData(t *testing.T) {
	t.Parallel()
	columns := []string{"day date", "region text", "n integer sum"}
	rows := numbers("2025-04-01", "2025-06-17")
	for _, tc := range []struct{ panel, filter, with, without string }{
		{`{"type": "bar", "x": "day", "y": "n", "grain": "month"}`, "", "Jun 2025 is not over: Jun 1 – Jun 17.", ""},
		{
			`{"type": "kpi", "value": "n", "grain": "week", "partial": "hide", "compare": "previous_period"}`, "", "(Week of Jun 9, 2025)",
			"(Week of Jun 16, 2025)",
		},
		{`{"type": "kpi", "value": "n"}`, "last_7_days", "4,298.", " "},
		{`{"type": "line", "x": "day", "y": "n"}`, "", "latest 617", "latest 617"}, // the last day is over
	} {
		for _, asOf := range []string{"2025-06-17", ""} {
			in := tinySpec(t, tc.panel, columns, rows...)
			in.Spec.AsOf = asOf
			if tc.filter != "" {
				in.Spec.Filters = []dashboard.Filter{{Column: "day", Default: []string{tc.filter}}}
			}
			p := open(in).Panel(0)
			want, got := tc.without, p.Summary+" "+strings.Join(p.Notes, " ")
			if asOf != "" {
				want = tc.with
			}
			if !strings.Contains(got, want) || tc.without == "" && asOf == "" && strings.Contains(got, "not over") ||
				strings.Contains(got, "Jun 17, 2025 is not over") {
				t.Errorf("%s as of %s:\n%s, want %s", tc.panel, asOf, got, want)
			}
		}
	}
}
