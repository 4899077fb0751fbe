package panel

import (
	"cmp"
	"iter"
	"math"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/dashboard/format"
)

// even sets one format for the columns of a grid in [from, to), unless the first has one of its own, so that all rows look alike: numbers
// have as many decimals as the longest one, and times have seconds if one of them does. Readers compare numbers below each other by their
// length, so 2,237.4 above 676.53 would mislead them.
func (g *Grid) even(f format.Formatter, from, to int) {
	c := &g.Columns[from].Column
	values := func(yield func(any) bool) {
		for j := from; j < to; j++ {
			for v := range g.column(j) {
				if !yield(v) {
					return
				}
			}
		}
	}
	switch {
	case c.Type.IsTime():
		if c.Format == "" || c.Format == "datetime" {
			g.evenTimes(from, c)
		}
	default:
		c.Format = evenFormat(f, *c, values)
	}
	for j := from + 1; j < to; j++ {
		g.Columns[j].Format = c.Format
	}
}

// evenFormat returns the format in which all values of a column have one number of decimals, or the column's own.
func evenFormat(f format.Formatter, c dashboard.Column, values iter.Seq[any]) string {
	switch {
	case isCompact(c):
		return f.EvenFormat(c, values)
	case c.Role == dashboard.Measure && (c.Format == "number" || format.OrInteger(c) == ""):
		return evenDecimals(c.Format, values)
	}
	return c.Format
}

// isCompact reports whether the format of a column shortens its numbers, in any currency.
func isCompact(c dashboard.Column) bool {
	plain, _ := dashboard.SplitCurrency(c.Format)
	return plain == "compact" || plain == "currency_compact" || plain == "bytes"
}

// evenShort is [Grid.even] for formats that shorten numbers.
func (g *Grid) evenShort(f format.Formatter) {
	if g == nil {
		return
	}
	for j := range g.Columns {
		if c := &g.Columns[j].Column; c.Role == dashboard.Measure {
			c.Format = f.EvenFormat(*c, g.column(j))
		}
	}
}

// column returns the values of a column in the rows that the grid keeps.
func (g *Grid) column(j int) iter.Seq[any] {
	return func(yield func(any) bool) {
		for _, row := range g.Rows {
			if row != nil && !yield(row[j]) {
				return
			}
		}
	}
}

func (g *Grid) evenTimes(j int, c *dashboard.Column) {
	for _, row := range g.Rows {
		if t, ok := TimeOf(row[j]); ok && t.Second() != 0 {
			c.Format = format.WithSeconds
			return
		}
	}
}

// evenDecimals returns the format of numbers without a format that are below each other, or its own if all are whole. Numbers below 1 have
// three significant digits, so if two decimals do not write them in full, no number changes.
func evenDecimals(own string, values iter.Seq[any]) string {
	most := 0
	for value := range values {
		v, ok := cube.Float(value)
		if !ok {
			continue
		}
		a := math.Abs(v)
		hundredths := math.Round(a * 100)
		if a >= 1e15 || own == "" && a < 1 && math.Abs(a*100-hundredths) > 1e-9 {
			return own
		}
		switch {
		case math.Mod(hundredths, 10) != 0:
			most = 2
		case math.Mod(hundredths, 100) != 0:
			most = max(most, 1)
		}
	}
	return cmp.Or([...]string{"", "number1", "number2"}[most], own)
}

// TimeOf returns the time in a cell of a grid.
func TimeOf(v any) (time.Time, bool) {
	if c, ok := v.(cube.Category); ok {
		v = c.Value
	}
	t, ok := v.(time.Time)
	return t, ok
}
