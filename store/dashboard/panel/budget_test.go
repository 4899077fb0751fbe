package panel

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
)

// manyGroups is a page of panels over n rows, nearly all of them in different groups.
func manyGroups(n int, panels ...dashboard.Panel) Input {
	r := rand.New(rand.NewPCG(3, 5))
	b := cube.NewBuilder([]cube.Column{
		{Name: "a", Type: cube.Integer}, {Name: "b", Type: cube.Integer}, {Name: "c", Type: cube.Integer}, {Name: "v", Type: cube.Integer},
	})
	for range n {
		if err := b.Add([]any{int64(r.IntN(n / 2)), int64(r.IntN(n / 2)), int64(r.IntN(n / 2)), int64(r.IntN(1000))}); err != nil {
			panic(err)
		}
	}
	v := tiny(panels, nil)
	for _, name := range []string{"a", "b", "c"} {
		v.Spec.Datasets[0].Columns = append(v.Spec.Datasets[0].Columns, dashboard.Meta{Name: name, Role: dashboard.Dimension})
	}
	v.Spec.Datasets[0].Columns = append(v.Spec.Datasets[0].Columns, dashboard.Meta{Name: "v", Role: dashboard.Measure, Agg: dashboard.Sum})
	v.Cubes["d"] = b.Cube()
	return v
}

func times(n int, p dashboard.Panel) []dashboard.Panel {
	out := make([]dashboard.Panel, n)
	for i := range out {
		out[i] = p
	}
	return out
}

// TestScatterKeepsWhatItDraws: if only some points are drawn, the rows behind them are the same as before, in their order.
func TestScatterKeepsWhatItDraws(t *testing.T) {
	t.Parallel()
	v := manyGroups(12_000, dashboard.Panel{Type: dashboard.Scatter, X: "v", Y: []string{"a"}, Size: "v", Label: "b", Connect: "b"})
	v.Spec.Datasets[0].Columns[0] = dashboard.Meta{Name: "a", Role: dashboard.Measure, Agg: dashboard.Sum}
	p := open(v).Panel(0)
	kept, all := 0, 0
	for _, row := range p.Grid.Rows {
		kept += stat.One(row != nil)
	}
	for row := range p.Grid.Each() {
		if have := p.Grid.Rows[all]; have != nil && fmt.Sprint(have) != fmt.Sprint(row) {
			t.Fatalf("row %d is %v, and was %v", all, row, have)
		}
		all++
	}
	if all != len(p.Grid.Rows) || kept < scatterPoints || kept > scatterPoints+canvas.MaxBehind {
		t.Errorf("%d of %d rows are kept, and %d can be had", kept, len(p.Grid.Rows), all)
	}
	for _, s := range p.Content.(*scatterPanel).spots {
		if p.Grid.Rows[s.row] == nil {
			t.Fatalf("no row of a point that is drawn: %+v", s)
		}
	}
}
