package cube

import (
	"testing"
)

// A quantile of merged groups is that of their rows, interpolated as by percentile_cont of SQL; missing values do not count.
func TestQuantiles(t *testing.T) {
	t.Parallel()
	b := NewBuilder([]Column{{Name: "g", Type: Text}, {Name: "v", Type: Number}, {Name: "n", Type: Integer}, {Name: "b", Type: Boolean}})
	for _, row := range [][]any{
		{"a", 0.1, int64(1), true},
		{"a", 0.2, int64(2), false},
		{"a", 10.0, int64(9), true},
		{"b", 0.4, int64(4), false},
		{"b", nil, nil, nil},
		{"c", nil, nil, nil},
		{"d", 5.5, Decimal("1000000000000000000000000000000"), true},
	} {
		if err := b.Add(row); err != nil {
			t.Fatal(err)
		}
	}
	c := b.Cube()
	by := []Dim{{Column: "g"}}
	measures := []Measure{{Column: "v", Agg: Median}, {Column: "v", Agg: P90}, {Column: "n", Agg: Median}, {Column: "b", Agg: Median}}
	check := func(name string, g *Groups, group int, want ...any) {
		t.Helper()
		for m := range measures {
			if got := g.Exact(group, m); got != want[m] {
				t.Errorf("%s, %s of %s: %v, want %v", name, measures[m].Agg, measures[m].Column, got, want[m])
			}
		}
	}
	g := c.Group(c.Select(), Query{By: by, Measures: measures})
	check("a", g, 0, 0.2, 10*0.8+0.2*(1-0.8), 2.0, 1.0)
	check("b", g, 1, 0.4, 0.4, 4.0, 0.0)
	check("c", g, 2, nil, nil, nil, nil)
	check("d", g, 3, 5.5, 5.5, 1e30, 1.0)
	check("all", c.Group(c.Select(), Query{Measures: measures}), 0, 0.4, 10*0.6+5.5*0.4, 4.0, 1.0)
	check("all of groups", g.Fold(), 0, 0.4, 10*0.6+5.5*0.4, 4.0, 1.0)
	rest := g.Keep(0, []int{0}, true)
	check("other", rest, 1, (0.4+5.5)/2, 0.4*0.1+5.5*0.9, (4+1e30)/2, 0.5)
	check("a beside other", rest, 0, 0.2, 10*0.8+0.2*(1-0.8), 2.0, 1.0)
	if order := g.Ranked(0, 0); order[0] != 3 || order[3] != 2 {
		t.Errorf("ranked by the median: %v", order)
	}
}
