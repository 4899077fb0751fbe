package page

import (
	"net/url"
	"testing"
	"time"

	"service/store/dashboard"
)

// TestComparisonOfMonths: rows of whole months are compared with whole months, even while the last month is not over: their dates do not
// show that.
func TestComparisonOfMonths(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for i := range 14 {
		rows = append(rows, []any{time.Date(2025, time.Month(10+i), 1, 0, 0, 0, 0, time.UTC), int64(100 + 10*i)})
	}
	for _, tc := range []struct {
		compare []string
		partial string
		period  string
		want    string
	}{
		{[]string{"previous_period"}, "", "2026-11-01..2026-11-30", "230, up 4.5% from 220 (Oct 2026). Nov 2026 is not over."},
		{[]string{"previous_period"}, "show", "2026-11-01..2026-11-30", "230, up 4.5% from 220 (Oct 2026)."},
		{[]string{"previous_period"}, "hide", "2026-11-01..2026-11-30", "230, not compared: the period is not over."},
		{[]string{"previous_period"}, "", "2026-10-01..2026-10-31", "220, up 4.8% from 210 (Sep 2026)."},
		{
			[]string{"previous_period", "previous_year"},
			"show", "2026-11-01..2026-11-30",
			"230, up 4.5% from 220 (Oct 2026), up 109.1% from 110 (a year before).",
		},
		{
			[]string{"previous_year"},
			"hide", "2026-10-01..2026-11-30",
			"450 (220 as compared), up 120.0% from 100 (a year before). Compared without Nov 2026, which is not over.",
		},
	} {
		v := tiny([]dashboard.Panel{{Type: dashboard.KPI, Value: "n", Compare: tc.compare, Partial: tc.partial}},
			[]string{"month date", "n integer sum"}, rows...)
		v.Spec.Filters = []dashboard.Filter{{Column: "month"}}
		v.Query = url.Values{"f.month": {tc.period}}
		if got := Summaries(v)[0].Text; got != tc.want {
			t.Errorf("%v, %q, %s:\n%s\nwant\n%s", tc.compare, tc.partial, tc.period, got, tc.want)
		}
	}
}
