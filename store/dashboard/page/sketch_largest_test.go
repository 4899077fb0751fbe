package page

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"service/store/dashboard"
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
				strings.Contains(s.Text, " plots with the same axes ") || s.Type == "calendar" && strings.Contains(s.Text, " plots by ") {
				// small plots have one line each
				continue
			}
			if p := &v.Spec.Panels[s.Index]; p.Type == dashboard.Heatmap {
				data := cmp.Or(p.Data, v.Spec.Datasets[0].ID)
				columns := v.Spec.Dataset(data).Resolve(v.Cubes[data].Columns())
				value := columns[slices.IndexFunc(columns, func(c dashboard.Column) bool { return c.Name == p.Value })]
				if value.Role == dashboard.Dimension { // a text, which is written in the cells
					if !strings.Contains(s.Sketch, strings.Fields(s.Text[strings.Index(s.Text, ": ")+2:])[0]) {
						t.Errorf("%s, %s: no text of %q in\n%s", name, s.Type, s.Text, s.Sketch)
					}
					continue
				}
			}
			largest := locale.For(v.Spec.Locale).Text("largest: %s", "")
			if lines := strings.Split(s.Sketch, "\n"); !strings.HasPrefix(lines[len(lines)-1], largest) {
				t.Errorf("%s, %s: the last line is %q of %q", name, s.Type, lines[len(lines)-1], s.Text)
			}
		}
	}
}
