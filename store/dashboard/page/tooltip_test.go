package page

import (
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// TestTooltipsOfMergedRows: a measure whose rows at a mark cannot be merged is not in the tooltips, which its author is told. The panel is
// drawn all the same.
func TestTooltipsOfMergedRows(t *testing.T) {
	t.Parallel()
	columns := []cube.Column{
		{Name: "week", Type: cube.Date},
		{Name: "club", Type: cube.Text},
		{Name: "rank", Type: cube.Integer},
		{Name: "points", Type: cube.Integer},
	}
	b := cube.NewBuilder(columns)
	for week := range 14 {
		for club := range 8 {
			row := []any{day("2026-08-03").AddDate(0, 0, 7*week), string(rune('A' + club)), int64(1 + (week+club)%8), int64(3 * week)}
			if err := b.Add(row); err != nil {
				t.Fatal(err)
			}
		}
	}
	for panel, merged := range map[string]bool{
		`"type": "line", "x": "week", "y": "rank", "series": "club"`:   true,
		`"type": "bar", "x": "week", "y": "rank", "series": "club"`:    true,
		`"type": "line", "x": "week", "y": "rank", "facet": "club"`:    false,
		`"type": "heatmap", "x": "week", "y": "club", "value": "rank"`: false,
	} {
		spec, err := dashboard.Parse([]byte(`{"datasets": [{"id": "d", "sql": "SELECT week, club, rank, points FROM t", "columns":
			{"rank": {"agg": "min"}, "points": {"agg": "none"}}}], "panels": [{` + panel + `, "tooltip": ["points"]}]}`))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := spec.Check(map[string][]cube.Column{"d": columns}); err != nil {
			t.Fatal(err)
		}
		p := open(View{Spec: spec, Cubes: map[string]*cube.Cube{"d": b.Cube()}, Header: Header{AsOf: now, State: "succeeded"}, Now: now})
		p.workOut()
		var said []string
		for _, w := range p.panels[0].Warnings {
			said = append(said, w.Code+" "+w.Path+" "+w.Message)
		}
		warned := strings.Contains(strings.Join(said, "\n"), `left_out panels[0].tooltip tooltips have no "points"`)
		if p.panels[0].Problem != "" || p.panels[0].Grid == nil || warned != merged {
			t.Errorf("{%s}: %s, warnings %q", panel, p.panels[0].Problem, said)
		}
	}
}
