package cube

import "sync/atomic"

// A Shelf is room for several results together, as those of one dashboard: each alone may be far from its limit, and
// all of them too much for the process. Beside this room each result has 64 KiB of its own, which do not count, so that
// a result of a few rows is kept whatever its neighbours take. It is safe for concurrent use.
type Shelf struct {
	Most int64 // bytes of memory, by [Cube.Size], beside what each result has of its own

	kept atomic.Int64
}

// ownRoom is how many bytes of a result do not count.
const ownRoom = 64 << 10

// counted is what of a result of so many bytes counts.
func counted(bytes int) int64 { return max(0, int64(bytes)-ownRoom) }

// Put counts a cube that was made before, for which there may be no room: [Shelf.Full] tells.
func (s *Shelf) Put(c *Cube) { s.kept.Add(counted(c.Size())) }

// Full reports whether more is kept than there is room for.
func (s *Shelf) Full() bool { return s.kept.Load() > s.Most }

// swap counts n bytes for a result in place of old, or nothing when there is no room for them. It does either at once: what
// does not fit is never counted, and what is given up is at no time in the way of another result.
func (s *Shelf) swap(old, n int64) (ok bool) {
	for {
		kept := s.kept.Load()
		rest := kept - old
		if ok = rest+n <= s.Most; ok {
			rest += n
		}
		if s.kept.CompareAndSwap(kept, rest) {
			return ok
		}
	}
}

// A Collector makes a [Cube] of the rows of one result, while there is room for them on its shelf. Without room it
// gives up all that it has, and drops what still comes, since who sends it cannot be told to stop. It is
// a warehouse.Sink, and not safe for concurrent use.
type Collector struct {
	shelf   *Shelf
	builder *Builder
	kept    int64 // counted on the shelf
	over    bool
}

// Collect returns a collector of one result.
func (s *Shelf) Collect() *Collector { return &Collector{shelf: s} }

// Columns begins the result.
func (c *Collector) Columns(cols []Column) error {
	c.builder = NewBuilder(cols)
	c.take(c.builder.memory)
	return nil
}

// Row adds a row, as [Builder.Add].
func (c *Collector) Row(row []any) error {
	if c.builder == nil {
		return nil
	}
	if err := c.builder.Add(row); err != nil {
		return err
	}
	c.take(c.builder.memory)
	return nil
}

// take makes room for a result of so many bytes, in place of the room that it has, or gives up the result.
func (c *Collector) take(bytes int) {
	n := counted(bytes)
	if n == c.kept {
		return
	}
	if !c.shelf.swap(c.kept, n) {
		c.builder, c.over, n = nil, true, 0
	}
	c.kept = n
}

// Over reports whether there was no room for the result, which [Collector.Cube] may be the first to find out.
func (c *Collector) Over() bool { return c.over }

// Cube returns the result, or nil when nothing came or all was given up. What the rows take is roughly known while they
// come, and counted here: a page that is drawn from what a shelf has kept has room for it. The collector must not be used
// afterwards, but for [Collector.Over] and [Collector.Drop].
func (c *Collector) Cube() *Cube {
	if c.builder == nil {
		return nil
	}
	out := c.builder.Cube()
	if c.take(out.Size()); c.over {
		return nil
	}
	return out
}

// Drop gives up what has been collected, and its room.
func (c *Collector) Drop() {
	c.shelf.kept.Add(-c.kept)
	c.builder, c.kept = nil, 0
}
