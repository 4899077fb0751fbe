package panel

import (
	"fmt"
	"testing"

	"service/store/dashboard"
)

// TestTheLowestAreNotCut: of positive and negative values the ones farthest from zero are drawn: by default twenty horizontal bars, or
// twelve vertical ones.
func TestTheLowestAreNotCut(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for i := range 50 {
		rows = append(rows, []any{fmt.Sprintf("City %02d", i), float64(i - 25)})
	}
	for horizontal, want := range map[bool]int{true: 20, false: 12} {
		v := tiny([]dashboard.Panel{{Type: dashboard.Bar, X: "city", Y: []string{"n"}, Horizontal: horizontal}},
			[]string{"city text", "n number sum"},
			rows...)
		got := rowNames(t, v, 0)
		if len(got) != want || got[0] != "City 49" || got[want-1] != "City 00" {
			t.Errorf("horizontal %t: %d bars: %q", horizontal, len(got), got)
		}
	}
}
