package cube_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"service/store/dashboard/cube"
)

// TestConcurrency makes concurrent results share a shelf: as many complete results are kept as fit, and released bytes can be used by
// another result.
func TestConcurrency(t *testing.T) {
	t.Parallel()
	const rows, room = 100_000, 3 // each result takes 800 kB and a little
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
		page := cube.Shelf{Most: shelf.Most} // that is drawn from the kept results
		for _, c := range all {
			switch got := c.Cube(); {
			case got == nil && !c.Over():
				t.Error("a result is gone for no reason")
			case got != nil && (c.Over() || got.Rows() != rows):
				t.Errorf("%d rows are kept, over: %v", got.Rows(), c.Over())
			case got != nil:
				kept++
				page.Put(got)
			}
			c.Drop()
		}
		if kept != room || page.Full() {
			t.Errorf("%d results are kept where %d have room", kept, room)
		}
	}
	if c := collect(); c.Cube() == nil {
		t.Error("the room is not given back")
	}
}

// TestOneIsDropped has results that all but fill a shelf grow at once, row by row, until one has no room. The bytes that this one releases
// suffice for all others: no other is dropped meanwhile.
func TestOneIsDropped(t *testing.T) {
	t.Parallel()
	const results, letters, rows = 8, 120_000, 1000
	for range 400 {
		shelf := cube.Shelf{Most: results * (letters - 64<<10 + rows*12/2)} // the rows after the first take 12 bytes each
		all := make([]*cube.Collector, results)
		var ready, done sync.WaitGroup
		ready.Add(results)
		for i := range all {
			all[i] = shelf.Collect()
			done.Go(func() {
				c := all[i]
				err := errors.Join(c.Columns([]cube.Column{{Name: "s", Type: cube.Text}, {Name: "n", Type: cube.Integer}}),
					c.Row([]any{strings.Repeat("a", letters), nil}))
				ready.Done()
				ready.Wait()
				row := []any{nil, nil}
				for range rows {
					if err == nil {
						err = c.Row(row)
					}
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
		done.Wait()
		dropped := 0
		for _, c := range all {
			if c.Over() {
				dropped++
			}
		}
		if dropped != 1 {
			t.Fatalf("%d of %d results are dropped where there is room for all but one", dropped, results)
		}
	}
}

// TestOwnRoom has a result of one row beside one that fills the shelf.
func TestOwnRoom(t *testing.T) {
	t.Parallel()
	shelf := cube.Shelf{Most: 1 << 20}
	large, small := shelf.Collect(), shelf.Collect()
	for c, n := range map[*cube.Collector]int{large: 1 << 20, small: 10} {
		if err := errors.Join(c.Columns([]cube.Column{{Name: "s", Type: cube.Text}}), c.Row([]any{strings.Repeat("a", n)})); err != nil {
			t.Fatal(err)
		}
	}
	if large.Cube() == nil || small.Cube() == nil {
		t.Error("a result of one row has no room beside a large one")
	}
}

// TestShelfCountsWhatIsKept has a column of numbers become one of large ones by its last row: the cube takes many times what
// its rows seemed to take, and is over.
func TestShelfCountsWhatIsKept(t *testing.T) {
	t.Parallel()
	const rows = 100_000
	shelf := cube.Shelf{Most: 2 * 8 * rows}
	c := shelf.Collect()
	if err := c.Columns([]cube.Column{{Name: "n", Type: cube.Integer}}); err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		if err := c.Row([]any{int64(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Row([]any{cube.Decimal("100000000000000000000000000")}); err != nil {
		t.Fatal(err)
	}
	if got := c.Cube(); got != nil || !c.Over() {
		t.Errorf("a cube of %d bytes is kept where %d have room", got.Size(), shelf.Most)
	}
}
