package cube

import (
	"math"
	"math/big"
	"slices"
	"time"
)

// A Dim is a column that rows are grouped by.
type Dim struct {
	Column string
	Grain  Grain          // of times
	Week   Weekday        // the first day of weeks; Monday by default
	Zone   *time.Location // of an Instant; nil for UTC
}

// A Category is one value of a dimension.
type Category struct {
	// Value is nil for NULL, or of the Go type of the column. An instant is in the dimension's zone: an hour that a clock change repeats is
	// two values, which differ in their offset. From [Daily] on, and if each time of the column begins a day, it is the midnight of a date,
	// marked UTC, like the other types of times.
	Value any
	Other bool // the sum of all categories that were cut
	Rank  int  // of a text value: its position in the order of appearance in the whole cube
}

// codes gives each of the rows a code below the returned number, equal for
// equal values of the dimension, and a function from code to category. Codes
// ascend with the values, text in order of appearance; NULL is the last.
func (c *Cube) codes(rows Selection, dim Dim) (codes []uint32, n int, category func(code int) Category) {
	codes = make([]uint32, len(rows))
	col := c.Index(dim.Column)
	if col < 0 {
		return codes, 1, func(int) Category { return Category{} }
	}
	k := &c.cols[col]
	switch k.Type {
	case Text:
		for i, row := range rows {
			if k.has(int(row)) {
				codes[i] = k.order[k.codes[row]]
			} else {
				codes[i] = uint32(len(k.dict))
			}
		}
		return codes, len(k.dict) + 1, k.textCategory()
	case Boolean:
		for i, row := range rows {
			switch {
			case !k.has(int(row)):
				codes[i] = 2
			case bit(k.bits, int(row)):
				codes[i] = 1
			}
		}
		return codes, 3, func(code int) Category {
			return Category{Value: []any{false, true, nil}[code]}
		}
	}
	if k.Type.IsTime() {
		dim = c.settled(col, dim)
	}
	values, null, of := k.keys(rows, dim)
	distinct := number(values, null, codes)
	return codes, len(distinct) + 1, func(code int) Category {
		if code == len(distinct) {
			return Category{}
		}
		return Category{Value: of(distinct[code])}
	}
}

// Days returns the days on which a column of times has rows, in order, and whether rows are without a time.
func (c *Cube) Days(rows Selection, column string, zone *time.Location) (days []Day, null bool) {
	col := c.Index(column)
	if col < 0 || !c.cols[col].Type.IsTime() {
		return nil, false
	}
	values, nulls, _ := c.cols[col].keys(rows, Dim{Column: column, Grain: Daily, Zone: zone})
	for _, n := range number(values, nulls, make([]uint32, len(rows))) {
		days = append(days, Day(n))
	}
	return days, slices.Contains(nulls, true)
}

func (k *column) textCategory() func(int) Category {
	byRank := make([]uint32, len(k.dict))
	for code, rank := range k.order {
		if int(rank) < len(byRank) {
			byRank[rank] = uint32(code)
		}
	}
	return func(rank int) Category {
		if rank == len(k.dict) {
			return Category{Rank: rank}
		}
		return Category{Value: k.dict[byRank[rank]], Rank: rank}
	}
}

// keys returns for each of the rows an ordered integer for its value in a column of numbers or times, which rows are NULL (nil if no row
// is), and a function from the integer to the value.
func (k *column) keys(rows Selection, dim Dim) (values []int64, null []bool, of func(int64) any) {
	values = make([]int64, len(rows))
	if k.valid != nil {
		null = make([]bool, len(rows))
		for i, row := range rows {
			null[i] = !k.has(int(row))
		}
	}
	switch {
	case k.wide != nil: // its place among the values
		distinct := k.distinct(rows)
		for i, row := range rows {
			at, _ := slices.BinarySearchFunc(distinct, k.wide[row], (*big.Int).Cmp)
			values[i] = int64(at)
		}
		return values, null, func(n int64) any { return scaled{distinct[n], k.decimals}.value(k.Type) }
	case k.floats != nil:
		for i, row := range rows {
			values[i] = sortable(k.floats[row])
		}
		return values, null, func(n int64) any { return fromSortable(n) }
	case k.Type == Integer || k.Type == Number:
		for i, row := range rows {
			values[i] = k.ints[row]
		}
		return values, null, func(n int64) any { return fixed(n, k.decimals, k.Type) }
	case k.Type == Date:
		floor := cached(dim.Grain, dim.Week)
		for i, row := range rows {
			values[i] = floor(k.ints[row])
		}
		return values, null, func(n int64) any { return Day(n).Time() }
	}
	of = k.clock(rows, dim, values)
	return values, null, of
}

// clock writes the times of the rows, rounded down, into values, and returns a function from these to times.
func (k *column) clock(rows Selection, dim Dim, values []int64) (of func(int64) any) {
	zone := zoneOf(k.Type, dim.Zone)
	if unit := dim.Grain.clock(); unit > 0 {
		for i, row := range rows {
			n := k.ints[row]
			if unit > 1 {
				n = zone.floor(n, unit)
			}
			values[i] = n
		}
		return func(n int64) any { return time.UnixMicro(n).In(zone.loc) }
	}
	floor := cached(dim.Grain, dim.Week)
	for i, row := range rows {
		values[i] = floor(floorDiv(zone.local(k.ints[row]), secondsPerDay*1e6))
	}
	return func(n int64) any { return Day(n).Time() }
}

// cached returns g's Floor with a cache of the last result, because months and years are slow to compute.
func cached(g Grain, week Weekday) func(int64) int64 {
	if g == Weekly {
		return func(n int64) int64 { return int64(g.Floor(Day(n), week)) }
	}
	from, to := int64(1), int64(0) // of the last result; empty at first
	switch g {
	case Monthly, Quarterly, Yearly:
		return func(n int64) int64 {
			if n < from || n >= to {
				d := g.Floor(Day(n), week)
				from, to = int64(d), int64(g.Next(d))
			}
			return from
		}
	}
	return func(n int64) int64 { return n }
}

// number writes into codes the position of each value among the distinct values, which it returns ascending; NULL gets the position past
// the last.
func number(values []int64, null []bool, codes []uint32) []int64 {
	isNull := func(i int) bool { return null != nil && null[i] }
	lo, hi := int64(math.MaxInt64), int64(math.MinInt64)
	for i, v := range values {
		if !isNull(i) {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	if lo > hi { // only NULL
		return nil
	}
	var distinct []int64
	if span := uint64(hi) - uint64(lo); span < uint64(max(1<<12, 4*len(values))) {
		at := make([]uint32, span+1)
		for i, v := range values {
			if !isNull(i) {
				at[v-lo] = 1
			}
		}
		for off, present := range at {
			if present == 1 {
				at[off] = uint32(len(distinct))
				distinct = append(distinct, lo+int64(off))
			}
		}
		for i, v := range values {
			if isNull(i) {
				codes[i] = uint32(len(distinct))
			} else {
				codes[i] = at[v-lo]
			}
		}
		return distinct
	}
	keys := make([]uint64, 0, len(values))
	for i, v := range values {
		if !isNull(i) {
			keys = append(keys, uint64(v)-uint64(lo))
		}
	}
	of, offsets := ranks(keys)
	for _, off := range offsets {
		distinct = append(distinct, int64(uint64(lo)+off))
	}
	next := 0
	for i := range values {
		if isNull(i) {
			codes[i] = uint32(len(distinct))
			continue
		}
		codes[i] = of[next]
		next++
	}
	return distinct
}

// sortable maps floats to integers in the same order.
func sortable(f float64) int64 {
	n := int64(math.Float64bits(f))
	return n ^ int64(uint64(n>>63)>>1)
}

func fromSortable(n int64) float64 {
	return math.Float64frombits(uint64(n ^ int64(uint64(n>>63)>>1)))
}
