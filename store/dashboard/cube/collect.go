package cube

import "sync/atomic"

// A Shelf limits the memory of several results together, such as those of one dashboard: each may be within its own limit while together
// they need too much memory. The first 64 KiB of each result do not count, so that a result of a few rows is always kept. It is safe for
// concurrent use.
type Shelf struct {
	Most int64 // bytes of memory, by [Cube.Size], without the first 64 KiB of each result

	kept atomic.Int64
}

// ownRoom is the number of bytes of each result that do not count.
const ownRoom = 64 << 10

// counted returns how many bytes of a result count.
func counted(bytes int) int64 { return max(0, int64(bytes)-ownRoom) }

// Put counts a cube that was made earlier, even if it exceeds the limit: see [Shelf.Full].
func (s *Shelf) Put(c *Cube) { s.kept.Add(counted(c.Size())) }

// Full reports whether the results exceed the limit.
func (s *Shelf) Full() bool { return s.kept.Load() > s.Most }

// swap counts n bytes for a result in place of old, or nothing if they do not fit. It does this atomically: bytes that do not fit are never
// counted, and released bytes never keep out another result.
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

// A Collector builds a [Cube] from the rows of one result while they fit on its shelf. If they no longer fit, it drops all rows, including
// later ones, since the sender cannot be stopped. It is a warehouse.Sink, and not safe for concurrent use.
type Collector struct {
	shelf   *Shelf
	builder *Builder
	kept    int64 // counted on the shelf
	over    bool
}

// Collect returns a collector of one result.
func (s *Shelf) Collect() *Collector { return &Collector{shelf: s} }

// Columns sets the columns of the result. It must be called before [Collector.Row].
func (c *Collector) Columns(cols []Column) error {
	c.builder = NewBuilder(cols)
	c.take(c.builder.memory)
	return nil
}

// Row adds a row like [Builder.Add], or ignores it if the result was dropped.
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

// take counts the given bytes for the result in place of those counted before, or drops the result if they do not fit.
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

// Over reports whether the result did not fit. It may become true only in [Collector.Cube].
func (c *Collector) Over() bool { return c.over }

// Cube returns the result, or nil if there was no result or it was dropped. The size of the rows is estimated while they arrive, and
// counted exactly here, so the results kept on a shelf fit into its limit. Afterwards only [Collector.Over] and [Collector.Drop] may be
// called.
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

// Drop drops the rows collected so far, and releases their bytes.
func (c *Collector) Drop() {
	c.shelf.kept.Add(-c.kept)
	c.builder, c.kept = nil, 0
}
