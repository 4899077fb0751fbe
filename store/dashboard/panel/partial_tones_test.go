package panel

import (
	"strings"
	"testing"
	"time"

	"service/store/dashboard"
)

// TestLimitsOfUnfinishedPeriods: a sum that is above its limit before its period is over stays above it, so it counts and has the tone.
// Targets that the period can still reach, and values that are not sums, do not count.
func TestLimitsOfUnfinishedPeriods(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		agg, good  string
		last       float64 // the value of the running month, of which the limit is 10, as of both months before
		thresholds []dashboard.Threshold
		target     bool
		want       string // in the summary
	}{
		"above":            {"sum", "", 12, []dashboard.Threshold{{If: ">", By: "plan", Tone: "bad"}}, false, "> Plan: 2 of 3."},
		"above a number":   {"sum", "", 12, []dashboard.Threshold{{If: ">=", Value: 10, Tone: "bad"}}, false, "≥ 10: 2 of 3."},
		"not yet above":    {"sum", "", 9, []dashboard.Threshold{{If: ">", By: "plan", Tone: "bad"}}, false, "> Plan: 1 of 2."},
		"below":            {"sum", "", 3, []dashboard.Threshold{{If: "<", By: "plan", Tone: "bad"}}, false, "< Plan: 1 of 2."},
		"an average":       {"avg", "", 12, []dashboard.Threshold{{If: ">", By: "plan", Tone: "bad"}}, false, "> Plan: 1 of 2."},
		"a reached target": {"sum", "", 12, nil, true, "Plan: 2 of 3 reached."},
		"an open target":   {"sum", "", 9, nil, true, "Plan: 1 of 2 reached."},
		"an exceeded one":  {"sum", "down", 12, nil, true, "Plan: 1 of 3 within it."},
		"one still kept":   {"sum", "down", 9, nil, true, "Plan: 1 of 2 within it."},
	} {
		p := dashboard.Panel{Type: dashboard.Bar, X: "day", Y: []string{"n"}, Grain: "month", Partial: "mark", Thresholds: tc.thresholds}
		if tc.target {
			p.Targets = []string{"plan"}
		}
		v := tiny([]dashboard.Panel{p}, []string{"day date", "n number " + tc.agg, "plan number max"},
			[]any{day("2026-09-01"), 8.0, 10.0}, []any{day("2026-10-01"), 11.0, 10.0}, []any{day("2026-11-01"), tc.last, 10.0})
		for i := range v.Spec.Datasets[0].Columns {
			if c := &v.Spec.Datasets[0].Columns[i]; c.Name == "n" {
				c.Good = tc.good
			}
		}
		v.AsOf = day("2026-11-20").Add(12 * time.Hour)
		v.Now = v.AsOf
		if got := open(v).Panel(0).Summary; !strings.Contains(got, tc.want) {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}
