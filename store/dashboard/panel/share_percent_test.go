package panel

import (
	"strings"
	"testing"

	"service/store/dashboard"
)

// TestNoSharesOfPercentages: percentages that add up have no second percentage behind them, unless the spec asks for it.
func TestNoSharesOfPercentages(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		format, share string
		shares        bool
	}{{"percent1", "", false}, {"percent", "total", true}, {"number1", "", true}} {
		in := tiny([]dashboard.Panel{{Type: dashboard.Bar, X: "item", Y: []string{"part"}, Horizontal: true, Share: tc.share}},
			[]string{"item text", "part number sum " + tc.format}, []any{"a", 0.6}, []any{"b", 0.4})
		if notes := strings.Join(open(in).Panel(0).Notes, " "); strings.Contains(notes, "shares of all") != tc.shares {
			t.Errorf("%s, share %q: %s", tc.format, tc.share, notes)
		}
	}
}
