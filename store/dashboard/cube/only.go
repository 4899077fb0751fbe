package cube

import "fmt"

// Only returns a cube with only the given rows, in their order. Nothing in it depends on the other rows: neither the distinct values of a
// column, nor their precision, nor the number of lost values.
func (c *Cube) Only(rows Selection) *Cube {
	if len(rows) == c.rows {
		lost := false
		for i := range c.cols {
			lost = lost || c.cols[i].lost > 0
		}
		if !lost {
			return c
		}
	}
	b := NewBuilder(c.Columns())
	row := make([]any, len(c.cols))
	for _, at := range rows {
		for i := range row {
			row[i] = c.Value(int(at), i)
		}
		if err := b.Add(row); err != nil {
			panic(fmt.Errorf("cube: a row does not fit its own columns: %w", err)) // cannot happen
		}
	}
	return b.Cube()
}
