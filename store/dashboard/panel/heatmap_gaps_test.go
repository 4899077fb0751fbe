package panel

import (
	"slices"
	"strings"
	"testing"

	"service/store/dashboard"
)

// TestHeatmapsHavePlacesOfGaps: an axis of times has places for the times without rows, like the axis of a bar chart, in columns and in
// rows, unless there are too many.
func TestHeatmapsHavePlacesOfGaps(t *testing.T) {
	t.Parallel()
	rowsOf := func(days ...int) (out [][]any) {
		for _, d := range days {
			for _, place := range []string{"a", "b"} {
				out = append(out, []any{day("2026-01-01").AddDate(0, 0, d), place, float64(d)})
			}
		}
		return out
	}
	for name, tc := range map[string]struct {
		days  []int
		grain string
		want  int // places of the axis
		noted bool
	}{
		"days":     {[]int{0, 1, 2, 3, 18, 19}, "", 20, false},
		"whole":    {[]int{0, 1, 2}, "", 3, false},
		"months":   {[]int{0, 40, 200}, "month", 7, false},
		"too many": {[]int{0, 7, 100000}, "year", 2, true},
	} {
		for _, axis := range []string{"x", "y"} {
			panel := dashboard.Panel{Type: dashboard.Heatmap, X: "day", Y: []string{"place"}, Value: "v", Grain: tc.grain}
			if axis == "y" {
				panel.X, panel.Y = "place", []string{"day"}
			}
			p := open(tiny([]dashboard.Panel{panel}, []string{"day date", "place text", "v number sum"}, rowsOf(tc.days...)...)).Panel(0)
			h := p.Content.(*heatmapPanel)
			at := slices.Index([]string{"x", "y"}, axis)
			if got := len(h.axes[at]); got != tc.want {
				t.Errorf("%s on %s: %d places, want %d: %v", name, axis, got, tc.want, h.axes[at])
			}
			if noted := strings.Contains(strings.Join(p.Notes, " "), "Times without rows"); noted != tc.noted {
				t.Errorf("%s on %s: notes %q", name, axis, p.Notes)
			}
			last := h.cells[len(h.cells)-1]
			if want := float64(tc.days[len(tc.days)-1]); last != want {
				t.Errorf("%s on %s: the last cell has %v, want %v", name, axis, last, want)
			}
		}
	}
}

// TestCellsWithGapsHaveTooltips: the added columns of a tooltip are those of its cell, also where the axis has times without rows.
func TestCellsWithGapsHaveTooltips(t *testing.T) {
	t.Parallel()
	panel := dashboard.Panel{Type: dashboard.Heatmap, X: "day", Y: []string{"part"}, Value: "n", Tooltip: []string{"m"}}
	_, c := recorded(t, tiny([]dashboard.Panel{panel}, []string{"day date", "part text", "n number sum", "m number sum"},
		[]any{day("2026-11-02"), "a", 3.0, 71.0}, []any{day("2026-11-03"), "a", 4.0, 72.0}, []any{day("2026-11-06"), "a", 5.0, 73.0}), 0)
	var got []string
	for _, r := range c.Rects {
		got = append(got, strings.Join(r.Title, ""))
	}
	if all := strings.Join(got, "|"); len(got) != 3 || !strings.Contains(got[2], "Nov 6") || !strings.HasSuffix(got[2], "73") {
		t.Errorf("tooltips %q", all)
	}
}
