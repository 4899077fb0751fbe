package cube

import (
	"math"
	"math/big"
	"sync"
	"time"
)

// A Cube is the rows of a dataset, column by column. It never changes once
// made, so it can be read by any number of goroutines.
type Cube struct {
	cols   []column
	rows   int
	clocks sync.Map // results of [Cube.own]: clockKey to int
}

// A column keeps its values in the one slice that fits its type.
type column struct {
	Column
	valid  []uint64  // a bit per row, set if there is a value; nil if no row is NULL
	dict   []string  // Text: the distinct values, ascending
	codes  []uint32  // Text: index into dict
	order  []uint32  // Text: of each value, how many others appear in a row before it
	ints   []int64   // Integer; Number, if all fit, times 10^decimals; Date: days since 1970; Timestamp, Instant: microseconds since 1970
	floats []float64 // Number otherwise, finite
	bits   []uint64  // Boolean: a bit per row
	lost   int       // values that were made NULL: see [Cube.Lost]

	// Integer and Number with values that neither an int64 nor a float64 represents exactly: all values times 10^decimals, never nil.
	wide     []*big.Int
	decimals int
}

// Columns returns the columns, in order.
func (c *Cube) Columns() []Column {
	out := make([]Column, len(c.cols))
	for i := range c.cols {
		out[i] = c.cols[i].Column
	}
	return out
}

// Rows returns how many rows there are.
func (c *Cube) Rows() int { return c.rows }

// Lost returns how many values of a column [Builder.Add] could not keep and made
// NULL: numbers that are NaN or infinite, and times outside the years 1 to 9999.
func (c *Cube) Lost(col int) int { return c.cols[col].lost }

// Index returns the position of the column called name, or -1.
func (c *Cube) Index(name string) int {
	for i := range c.cols {
		if c.cols[i].Name == name {
			return i
		}
	}
	return -1
}

// Value returns a cell as one of the Go types that [Type] names, or nil.
func (c *Cube) Value(row, col int) any {
	k := &c.cols[col]
	if !k.has(row) {
		return nil
	}
	switch k.Type {
	case Text:
		return k.dict[k.codes[row]]
	case Boolean:
		return bit(k.bits, row)
	case Integer, Number:
		return k.number(row)
	case Date:
		return Day(k.ints[row]).Time()
	default: // Timestamp, Instant
		return time.UnixMicro(k.ints[row]).UTC()
	}
}

// number returns a value of a column of numbers.
func (k *column) number(row int) any {
	switch {
	case k.wide != nil:
		return scaled{k.wide[row], k.decimals}.value(k.Type)
	case k.floats != nil:
		return k.floats[row]
	}
	return fixed(k.ints[row], k.decimals, k.Type)
}

// fixed returns n / 10^decimals as a value of a column of type t.
func fixed(n int64, decimals int, t Type) any {
	switch {
	case t == Integer:
		return n
	case n <= certain && n >= -certain:
		return float64(n) / math.Pow10(decimals)
	}
	return scaled{big.NewInt(n), decimals}.value(t)
}

// Size returns roughly how many bytes of memory the cube takes.
func (c *Cube) Size() int {
	n := 64
	for i := range c.cols {
		k := &c.cols[i]
		n += 256 + 8*(len(k.valid)+len(k.ints)+len(k.floats)+len(k.bits)) + 4*(len(k.codes)+len(k.order))
		for _, s := range k.dict {
			n += 16 + len(s)
		}
		for _, v := range k.wide {
			n += 48 + v.BitLen()/8
		}
	}
	return n
}

// index stores the order in which the values of a text column appear, because an ORDER BY in the dataset's SQL is the author's order.
func (k *column) index() {
	if k.Type != Text {
		return
	}
	k.order = make([]uint32, len(k.dict))
	for i := range k.order {
		k.order[i] = uint32(len(k.dict))
	}
	next := uint32(0)
	for row, code := range k.codes {
		if int(code) < len(k.dict) && k.order[code] == uint32(len(k.dict)) && k.has(row) {
			k.order[code] = next
			if next++; int(next) == len(k.dict) {
				break
			}
		}
	}
}

// has reports whether the value of a row is not NULL.
func (k *column) has(row int) bool { return k.valid == nil || bit(k.valid, row) }

func bit(b []uint64, i int) bool { return b[i>>6]>>(i&63)&1 == 1 }

func setBit(b []uint64, i int) { b[i>>6] |= 1 << (i & 63) }

// words returns the number of uint64 in a bitmap of n bits.
func words(n int) int { return (n + 63) >> 6 }
