package panel

import (
	"strings"
	"testing"
)

// TestSketchesNameTheFirstEnd: under a panel whose smallest values are first, by its sort or by a reversed axis, the sketch names the
// smallest values as such.
func TestSketchesNameTheFirstEnd(t *testing.T) {
	t.Parallel()
	const low, high = "smallest: a 1; b 2; c 3", "largest: d 9; c 3; b 2"
	for keys, want := range map[string]string{
		`"type": "line", "x": "at", "y": "n"`:                                    "largest: Nov 4, 2026 9; Nov 3, 2026 3; Nov 2, 2026 2",
		`"type": "line", "x": "at", "y": "n", "y_reverse": true`:                 "smallest: Nov 1, 2026 1; Nov 2, 2026 2; Nov 3, 2026 3",
		`"type": "scatter", "x": "m", "y": "n", "label": "c"`:                    "largest: d",
		`"type": "scatter", "x": "m", "y": "n", "label": "c", "y_reverse": true`: "smallest: a",
		`"type": "bar", "x": "c", "y": "n"`:                                      high,
		`"type": "bar", "x": "c", "y": "n", "sort": "-n"`:                        high,
		`"type": "bar", "x": "c", "y": "n", "sort": "n"`:                         low,
		`"type": "bar", "x": "c", "y": "n", "sort": "c"`:                         high,
		`"type": "bar", "x": "c", "y": "n", "sort": "m"`:                         high,
		`"type": "waterfall", "label": "c", "value": "n", "sort": "n"`:           "largest: Total",
		`"type": "heatmap", "x": "c", "y": "k", "value": "n", "sort": "n"`:       "smallest: u a 1; u b 2; u c 3",
		`"type": "box", "x": "k", "value": "n", "sort": "n"`:                     "smallest: u",
	} {
		v := tinySpec(t, "{"+keys+"}", []string{"at date", "c text", "k text", "n number sum", "m number sum"},
			[]any{day("2026-11-01"), "a", "u", 1.0, 5.0}, []any{day("2026-11-02"), "b", "u", 2.0, 6.0},
			[]any{day("2026-11-03"), "c", "u", 3.0, 7.0}, []any{day("2026-11-04"), "d", "v", 9.0, 8.0})
		p := open(v).Panel(0)
		lines := strings.Split(strings.TrimRight(p.sketchText(), "\n"), "\n")
		if got := lines[len(lines)-1]; !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s, want %s (%s%s)", keys, got, want, p.Problem, p.Empty)
		}
	}
}
