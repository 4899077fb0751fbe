package page

import (
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// TestBracketsOnAxes: the gridlines of an axis are written as the numbers of its measure are: negative ones in brackets, if it has these.
func TestBracketsOnAxes(t *testing.T) {
	t.Parallel()
	columns := []cube.Column{
		{Name: "day", Type: cube.Date}, {Name: "n", Type: cube.Integer}, {Name: "m", Type: cube.Integer},
	}
	b := cube.NewBuilder(columns)
	for i := range 9 {
		if err := b.Add([]any{day("2026-08-03").AddDate(0, 0, i), int64(10*i - 40), int64(40 - 10*i)}); err != nil {
			t.Fatal(err)
		}
	}
	for name, panel := range map[string]string{
		"line": `"type": "line", "x": "day", "y": "n", "labels": false`, "area": `"type": "area", "x": "day", "y": "n", "labels": false`,
		"bar":     `"type": "bar", "x": "day", "y": "n", "labels": false`,
		"right":   `"type": "line", "x": "day", "y": ["n"], "y2": ["m"], "labels": false`,
		"combo":   `"type": "combo", "x": "day", "bars": ["n"], "lines": ["m"], "one_axis": false, "labels": false`,
		"scatter": `"type": "scatter", "x": "m", "y": "n"`,
	} {
		spec, err := dashboard.Parse([]byte(`{"datasets": [{"id": "d", "sql": "SELECT day, n, m FROM t", "columns":
			{"n": {"agg": "sum", "negative": "brackets"}, "m": {"agg": "sum", "negative": "brackets"}}}], "panels": [{` + panel + `}]}`))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if _, err := spec.Check(map[string][]cube.Column{"d": columns}); err != nil {
			t.Fatal(err)
		}
		doc := string(render(t, View{
			Spec: spec, Cubes: map[string]*cube.Cube{"d": b.Cube()}, Header: Header{AsOf: now, State: "succeeded"}, Now: now,
		}))
		_, figure, _ := strings.Cut(doc, "<svg")
		figure, _, _ = strings.Cut(figure, "</figure>")
		if !strings.Contains(figure, ">(40)<") || strings.Contains(figure, ">−40<") {
			t.Errorf("%s: the gridlines have no brackets:\n%s", name, figure)
		}
	}
}
