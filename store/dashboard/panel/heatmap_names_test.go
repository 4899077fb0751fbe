package panel

import (
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
)

// TestLongNamesOfRowsHaveTwoLines: names of rows of a heat map that are wider than its margin are whole, in two lines, also in small plots.
// A map of many rows cuts them.
func TestLongNamesOfRowsHaveTwoLines(t *testing.T) {
	t.Parallel()
	const long, longer = "I can do my work without interruption", "Tools work well"
	for name, tc := range map[string]struct {
		facet string
		rows  int
		cut   bool
	}{"a few rows": {"", 4, false}, "small plots": {"f", 4, false}, "many rows": {"", 20, true}} {
		var rows [][]any
		for i := range tc.rows {
			question := []string{long, longer}[min(i, 1)] + strings.Repeat(" ", i/2) + string(rune('a'+i))
			for _, f := range []string{"2025", "2026"} {
				rows = append(rows, []any{"x", question, f, float64(i)}, []any{"y", question, f, float64(i + 1)})
			}
		}
		panel := dashboard.Panel{Type: dashboard.Heatmap, X: "x", Y: []string{"q"}, Value: "n", Facet: tc.facet, Width: 8}
		_, drawn := recorded(t, tiny([]dashboard.Panel{panel}, []string{"x text", "q text", "f text", "n number sum"}, rows...), 0)
		var lines []string
		cut := false
		for _, l := range drawn.Labels {
			if l.Look == canvas.AxisText && strings.HasPrefix(long, strings.Fields(l.Text + " ")[0]) {
				lines = append(lines, l.Text)
			}
			cut = cut || strings.HasSuffix(l.Text, "…")
		}
		if cut != tc.cut || len(lines) == 0 {
			t.Errorf("%s: cut %v, lines %q", name, cut, lines)
		}
	}
}
