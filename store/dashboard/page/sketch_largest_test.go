package page

import (
	"slices"
	"strings"
	"testing"

	"service/store/dashboard/locale"
)

// TestLargestValues: the sketch of each chart of the fixtures has the names of its largest values.
func TestLargestValues(t *testing.T) {
	t.Parallel()
	for name, v := range cases(t) {
		if name == "all-null" { // it has no values
			continue
		}
		for _, s := range Summaries(v) {
			charts := []string{"line", "area", "bar", "combo", "histogram", "box", "scatter", "waterfall", "heatmap", "calendar", "candlestick"}
			if !slices.Contains(charts, s.Type) || s.Sketch == "" ||
				strings.Contains(s.Text, " plots with the same axes ") { // small plots have one line each
				continue
			}
			largest := locale.For(v.Spec.Locale).Text("largest: %s", "")
			if lines := strings.Split(s.Sketch, "\n"); !strings.HasPrefix(lines[len(lines)-1], largest) {
				t.Errorf("%s, %s: the last line is %q of %q", name, s.Type, lines[len(lines)-1], s.Text)
			}
		}
	}
}
