package cube_test

import (
	"sync"
	"testing"

	"service/store/dashboard/cube"
)

// TestConcurrency has results that come at the same time share a shelf: so many are kept as there is room for, whole,
// and room that is given back is there for another.
func TestConcurrency(t *testing.T) {
	t.Parallel()
	const rows, room = 10_000, 3 // each result takes 80 kB and a little
	shelf := cube.Shelf{Most: room*rows*8 + 2000}
	collect := func() *cube.Collector {
		c := shelf.Collect()
		if err := c.Columns([]cube.Column{{Name: "n", Type: cube.Integer}}); err != nil {
			t.Error(err)
		}
		for i := range rows {
			row := []any{int64(i)}
			if i%2 == 0 {
				row[0] = nil // takes as much
			}
			if err := c.Row(row); err != nil {
				t.Error(err)
			}
		}
		return c
	}
	for range 3 {
		all := make([]*cube.Collector, 8)
		var wg sync.WaitGroup
		for i := range all {
			wg.Go(func() { all[i] = collect() })
		}
		wg.Wait()
		kept := 0
		for _, c := range all {
			switch got := c.Cube(); {
			case got == nil && !c.Over():
				t.Error("a result is gone for no reason")
			case got != nil && (c.Over() || got.Rows() != rows):
				t.Errorf("%d rows are kept, over: %v", got.Rows(), c.Over())
			case got != nil:
				kept++
			}
			c.Drop()
		}
		if kept > room {
			t.Errorf("%d results are kept where %d have room", kept, room)
		}
	}
	if c := collect(); c.Cube() == nil {
		t.Error("the room is not given back")
	}
}
