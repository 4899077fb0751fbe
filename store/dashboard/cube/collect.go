package cube

import "sync/atomic"

// A Shelf is room for several results together, as those of one dashboard: each alone may be far from its limit, and
// all of them too much for the process.
type Shelf struct {
	Most int64 // bytes of memory

	kept atomic.Int64
}

// A Collector makes a [Cube] of the rows of one result, while there is room for them on its shelf. Without room it
// gives up all that it has, and drops what still comes, since who sends it cannot be told to stop. It is
// a warehouse.Sink, and not safe for concurrent use.
type Collector struct {
	shelf   *Shelf
	builder *Builder
	kept    int64
	over    bool
}

// Collect returns a collector of one result.
func (s *Shelf) Collect() *Collector { return &Collector{shelf: s} }

// Columns begins the result.
func (c *Collector) Columns(cols []Column) error {
	c.builder = NewBuilder(cols)
	c.take()
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
	c.take()
	return nil
}

// take reserves what the builder has grown by.
func (c *Collector) take() {
	grown := int64(c.builder.memory) - c.kept
	c.kept += grown
	if c.shelf.kept.Add(grown) > c.shelf.Most {
		c.Drop()
		c.over = true
	}
}

// Over reports whether there was no room for the result.
func (c *Collector) Over() bool { return c.over }

// Cube returns the result, or nil when nothing came or all was given up. The collector must not be used afterwards, but
// for [Collector.Over].
func (c *Collector) Cube() *Cube {
	if c.builder == nil {
		return nil
	}
	return c.builder.Cube()
}

// Drop gives up what has been collected, and its room.
func (c *Collector) Drop() {
	c.shelf.kept.Add(-c.kept)
	c.builder, c.kept = nil, 0
}
