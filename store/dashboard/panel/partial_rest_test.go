package panel

import (
	"strings"
	"testing"
	"time"

	"service/store/dashboard"
)

// TestWeeksWithRestDays: on a day of the week that never has rows, the last week counts as over. A spec that asks for its mark gets a
// warning with the week.
func TestWeeksWithRestDays(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for at := day("2026-08-31"); at.Before(day("2026-11-29")); at = at.AddDate(0, 0, 1) {
		if at.Weekday() != time.Sunday {
			rows = append(rows, []any{at, int64(5)})
		}
	}
	for _, tc := range []struct{ partial, now, want string }{
		{"mark", "2026-11-29", "key_ignored panels[0].partial"},
		{"hide", "2026-11-29", "key_ignored panels[0].partial"},
		{"", "2026-11-29", ""},
		{"show", "2026-11-29", ""},
		{"mark", "2026-11-28", ""}, // a Saturday: it is marked
		{"mark", "2026-11-30", ""}, // the next week, without rows so far
	} {
		v := tiny([]dashboard.Panel{{Type: dashboard.Bar, X: "day", Y: []string{"n"}, Grain: "week", Partial: tc.partial}},
			[]string{"day date", "n integer sum"}, rows...)
		v.AsOf = day(tc.now).Add(12 * time.Hour)
		v.Now = v.AsOf
		if got := codes(v); got != tc.want {
			t.Errorf("%q on %s: warnings %q, want %q", tc.partial, tc.now, got, tc.want)
		}
		marked := strings.Contains(strings.Join(open(v).Panel(0).Notes, " "), "is not over")
		if want := tc.now == "2026-11-28"; marked != want {
			t.Errorf("%q on %s: marked %t", tc.partial, tc.now, marked)
		}
	}
}
