package page

import (
	"slices"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
)

// TestSeriesThatColorBars: if each place has a value of one series only, such as a status, the series colours the bars. They are as wide as
// bars without series, and their values are not next to dashes.
func TestSeriesThatColorBars(t *testing.T) {
	t.Parallel()
	rows := [][]any{{"North", "good", int64(105)}, {"South", "bad", int64(70)}, {"West", "good", int64(90)}}
	columns := []string{"region text", "status text", "share integer sum"}
	for _, horizontal := range []bool{false, true} {
		panel := dashboard.Panel{Type: dashboard.Bar, X: "region", Y: []string{"share"}, Horizontal: horizontal}
		_, plain := recorded(t, tiny([]dashboard.Panel{panel}, columns, rows...), 0)
		panel.Series = "status"
		_, colored := recorded(t, tiny([]dashboard.Panel{panel}, columns, rows...), 0)
		_, twice := recorded(t, tiny([]dashboard.Panel{panel}, columns, append(rows, []any{"West", "bad", int64(5)})...), 0)
		var colors []canvas.Color
		for i, r := range colored.Rects {
			if p := plain.Rects[i]; r.Width != p.Width || r.Height != p.Height || r.X != p.X || r.Y != p.Y {
				t.Errorf("horizontal %t: a bar is at %v %v, of %v by %v; without series at %v %v, of %v by %v",
					horizontal, r.X, r.Y, r.Width, r.Height, p.X, p.Y, p.Width, p.Height)
			}
			colors = append(colors, r.Color)
		}
		whole := plain.Rects[0]
		if thin := twice.Rects[0]; len(colors) != 3 || colors[0] == colors[2] || thin.Height == whole.Height && thin.Width == whole.Width {
			t.Errorf("horizontal %t: colours %v; with two bars at a place %v, without series %v", horizontal, colors, thin, whole)
		}
		if !horizontal {
			continue
		}
		var values []string
		for _, it := range colored.Items {
			if it.Value != "" {
				values = append(values, it.Value)
			}
		}
		if !slices.Equal(values, []string{"105", "90", "70"}) {
			t.Errorf("values %q", values)
		}
	}
}
