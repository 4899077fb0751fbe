package cube

import (
	"fmt"
	"slices"
	"testing"
)

// A part of a table has the lines of the table, with the values of some rows. A table of other rows finds its lines.
func TestTablePart(t *testing.T) {
	t.Parallel()
	b := NewBuilder([]Column{{Name: "name", Type: Text}, {Name: "n", Type: Integer}})
	for _, row := range [][]any{
		{"c", int64(1)}, {"a", int64(2)}, {"b", int64(4)}, {"a", int64(8)}, {nil, int64(16)}, {"c", int64(32)}, {"b", nil},
	} {
		if err := b.Add(row); err != nil {
			t.Fatal(err)
		}
	}
	c, by, sum := b.Cube(), []Dim{{Column: "name"}}, Measure{Column: "n", Agg: Sum}
	all := c.Table(Selection{1, 2, 3, 4, 5, 6}, by, false) // c, a, b and NULL: texts are in the order of the cube
	part := all.Part(Selection{1, 4, 6})
	values := func(g *Groups) string {
		var out []any
		for i := range g.Len() {
			out = append(out, g.Exact(i, 0))
		}
		return fmt.Sprint(out)
	}
	if got := values(part.Values(sum)); part.Len() != 4 || got != "[<nil> 2 <nil> 16]" {
		t.Errorf("the part has %v", got)
	}
	g := part.Lines([]int{3, 2, 1}, []Measure{sum})
	if got := values(g); got != "[16 <nil> 2]" || g.Category(1, 0).Value != "b" || g.Category(0, 0).Value != nil {
		t.Errorf("the lines of the part have %v, %v", got, g.Axes)
	}
	if got := part.Rows([]int{1, 2}); !slices.Equal(got, Selection{1, 6}) {
		t.Errorf("the lines of the part have the rows %v", got)
	}
	if n, _ := part.Unclear(Measure{Column: "n", Agg: None}); n != 0 {
		t.Errorf("%d rows of the part are one line", n)
	}
	if none := all.Part(nil).Values(sum); values(none) != "[<nil> <nil> <nil> <nil>]" {
		t.Errorf("without rows there is %v", values(none))
	}
	whole := c.Table(Selection{0, 1, 2, 3, 4, 5, 6}, by, false)
	if got := whole.Same(all, []int{3, 0, 2}); !slices.Equal(got, []int{3, 0, 2}) {
		t.Errorf("the same lines are %v", got)
	}
	if got := c.Table(Selection{1, 5}, by, true).Same(c.Table(Selection{5}, by, true), []int{0}); !slices.Equal(got, []int{1}) {
		t.Errorf("the same rows are %v", got)
	}
	numbers := []float64{3, 0, -2, 7}
	order := func(descending bool) []int {
		return sorted([]int{0, 1, 2, 3}, SortingOf(4, func(i int) (float64, bool) { return numbers[i], i != 3 }, descending))
	}
	if up, down := order(false), order(true); !slices.Equal(up, []int{2, 1, 0, 3}) || !slices.Equal(down, []int{0, 1, 2, 3}) {
		t.Errorf("orders %v and %v", up, down)
	}
}
