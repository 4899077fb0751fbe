package cube

import "fmt"

// Only returns a cube of some of the rows, in their order, without a trace of the others: of the values of its columns, how exact they are,
// and how many were lost.
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
			panic(fmt.Errorf("cube: a row does not fit its own columns: %w", err)) // cannot be
		}
	}
	return b.Cube()
}
