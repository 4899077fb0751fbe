package panel

import (
	"slices"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
)

// TestNamesOfLinesAreNotOnBars: the name of a line that crosses every bar is in the key, because it has no free place on the plot.
func TestNamesOfLinesAreNotOnBars(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		value float64
		keyed bool
	}{
		"across all bars": {50, true},
		"over all bars":   {150, false},
	} {
		var rows [][]any
		for i := range 40 {
			rows = append(rows, []any{day("2026-01-01").AddDate(0, 0, i), float64(100 + i%3)})
		}
		v := tiny([]dashboard.Panel{{
			Type: dashboard.Bar, X: "day", Y: []string{"n"}, Reference: []dashboard.Reference{{Value: tc.value, Label: "Goal"}},
		}}, []string{"day date", "n number sum"}, rows...)
		r := record(open(v).Panel(0))
		onPlot := slices.ContainsFunc(r.Labels, func(l canvas.RecordedLabel) bool { return l.Look == canvas.MarkedText })
		inKey := slices.ContainsFunc(r.Items, func(i canvas.Item) bool { return i.Mark && i.Flat })
		if onPlot == tc.keyed || inKey != tc.keyed {
			t.Errorf("%s: named on the plot: %v, in the key: %v; want it in the key: %v", name, onPlot, inKey, tc.keyed)
		}
	}
}
