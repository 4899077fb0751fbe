package cube

import (
	"math"
	"time"
)

// A stock is a measure of [Last] or [First]: a level, such as a balance, that has one value at a time. It adds up over every dimension
// except time. In each period one time counts: the latest, or the earliest, at which any of the rows in [Measure.Among] has a value. Rows
// of other times do not count, so a group without rows of that time has no value.

// never is the counted time of a period in which no row has a value.
const never = math.MinInt64

// IsStock reports whether values add up only at one time.
func (a Agg) IsStock() bool { return a == Last || a == First }

// adds reports whether values are added up, possibly only those of one time.
func (a Agg) adds() bool { return a == Sum || a == Avg || a.IsStock() }

// chosen returns the one of two times that counts, which is not never if the other is.
func (a Agg) chosen(t, u int64) int64 {
	switch {
	case t == never:
		return u
	case u == never:
		return t
	case a == First:
		return min(t, u)
	}
	return max(t, u)
}

// A snapshot has the times that count for a stock.
type snapshot struct {
	agg    Agg
	along  *column         // nil if the cube lacks it, or it has no times
	period *Dim            // dimension of along; nil if all rows are one period
	times  map[int64]int64 // key of a period to its time
	all    int64           // the time of all rows together
}

// snapshots returns the times that count for the two parts of a measure; they are zero for parts that are not stocks. A ratio of two stocks
// over the same times has one time, at which both have values.
func (c *Cube) snapshots(m Measure, rows Selection, dims []Dim) (value, over snapshot) {
	if m.Agg.IsStock() {
		value = c.snapshot(m, nil, rows, dims)
	}
	if m.Over == nil || !m.Over.Agg.IsStock() {
		return value, over
	}
	if m.Agg == m.Over.Agg && m.Along == m.Over.Along {
		value = c.snapshot(m, m.Over, rows, dims)
		return value, value
	}
	return value, c.snapshot(*m.Over, nil, rows, dims)
}

func (c *Cube) snapshot(m Measure, both *Measure, rows Selection, dims []Dim) snapshot {
	out := snapshot{agg: m.Agg, times: map[int64]int64{}, all: never}
	i := c.Index(m.Along)
	if i < 0 || c.cols[i].ints == nil || c.cols[i].decimals > 0 {
		return out
	}
	out.along = &c.cols[i]
	for d := range dims {
		if dims[d].Column == m.Along {
			period := c.settled(i, dims[d]) // as in the groups
			out.period = &period
			break
		}
	}
	if m.Among != nil {
		rows = m.Among
	}
	has := c.having(m.Column)
	if both != nil {
		has = out.along.together(rows, has, c.having(both.Column))
	}
	keys := out.keys(rows)
	for j, row := range rows {
		if !out.along.has(int(row)) || !has(row) {
			continue
		}
		t := out.along.ints[row]
		out.all = m.Agg.chosen(t, out.all)
		before, ok := out.times[keys(j)]
		if !ok {
			before = never
		}
		out.times[keys(j)] = m.Agg.chosen(t, before)
	}
	return out
}

// having returns a function that reports whether a row has a value in a column.
func (c *Cube) having(column string) func(row int32) bool {
	i := c.Index(column)
	if i < 0 {
		return func(int32) bool { return false }
	}
	return func(row int32) bool { return c.cols[i].has(int(row)) }
}

// together returns a function that reports whether a row's time is one at which some row satisfies a and some row satisfies b.
func (k *column) together(rows Selection, a, b func(row int32) bool) func(row int32) bool {
	had := map[int64]uint8{}
	for _, row := range rows {
		if k.has(int(row)) {
			had[k.ints[row]] |= uint8(truth(a(row)) | truth(b(row))<<1)
		}
	}
	return func(row int32) bool { return had[k.ints[row]] == 3 }
}

// keys returns a function from the position of a row in rows to its period.
func (t *snapshot) keys(rows Selection) func(i int) int64 {
	if t.period == nil || t.along == nil {
		return func(int) int64 { return 0 }
	}
	values, _, _ := t.along.keys(rows, *t.period)
	return func(i int) int64 { return values[i] }
}

// counted returns the rows whose time counts, the group of each, and the time of each of n groups. If each row is a group, every row counts
// at its own time.
func (t *snapshot) counted(rows Selection, ids []uint32, n int, each bool) (some Selection, of []uint32, at []int64) {
	at = make([]int64, n)
	for i := range at {
		at[i] = never
	}
	if t.along == nil {
		return nil, nil, at
	}
	keys := t.keys(rows)
	for i, row := range rows {
		if !t.along.has(int(row)) {
			continue
		}
		time := t.along.ints[row]
		if !each {
			want, ok := t.times[keys(i)]
			if !ok {
				continue
			}
			at[ids[i]] = want
			if time != want {
				continue
			}
		}
		at[ids[i]] = time
		some, of = append(some, row), append(of, ids[i])
	}
	return some, of, at
}

// stock aggregates a measure at the times that count.
func (c *Cube) stock(t *snapshot, rows Selection, ids []uint32, n int, m Measure, dim int, each bool) part {
	some, of, at := t.counted(rows, ids, n, each)
	p := c.aggregate(some, of, n, m)
	p.stock = &stockPart{at: at, all: t.all, dim: dim, times: Date}
	if t.along != nil {
		p.stock.times = t.along.Type
	}
	return p
}

// A stockPart has the time that counts in each group of a part.
type stockPart struct {
	at    []int64 // by group: the time that counts in its period
	all   int64   // the time that counts in all periods together
	dim   int     // the dimension of the groups with the periods, or -1
	times Type    // of the times
}

// withDims returns the stock of groups whose dimensions are those at dims.
func (s *stockPart) withDims(dims []int) *stockPart {
	out := &stockPart{all: s.all, dim: -1, times: s.times}
	for i, d := range dims {
		if d == s.dim {
			out.dim = i
		}
	}
	return out
}

// timesOf returns the times that count in n groups, into which the groups of s are merged: the time of the group's period, or the time of
// all rows if the groups span all periods. keys has the periods of the merged groups.
func (s *stockPart) timesOf(agg Agg, ids []uint32, n int, keys [][]uint32, dim int) []int64 {
	out := make([]int64, n)
	if dim < 0 {
		for i := range out {
			out[i] = s.all
		}
		return out
	}
	times := map[uint32]int64{}
	for i, id := range ids {
		before, ok := times[keys[dim][id]]
		if !ok {
			before = never
		}
		times[keys[dim][id]] = agg.chosen(s.at[i], before)
	}
	for i := range out {
		out[i] = times[keys[dim][i]]
	}
	return out
}

// TakenOfAll returns the time that counts for a measure of [Last] or [First] in all rows together, even without groups: a [time.Time] or,
// for a column of years, an int64. It returns nil for other measures, and if there is no such time. For a ratio it is the time of the
// numerator, if that is a stock, or else of the divisor.
func (g *Groups) TakenOfAll(measure int) any {
	if s := g.stockOf(measure); s != nil {
		return s.time(s.all, g.measures[measure].Zone)
	}
	return nil
}

func (g *Groups) stockOf(measure int) *stockPart {
	if s := g.parts[measure].stock; s != nil || g.over[measure] < 0 {
		return s
	}
	return g.parts[g.over[measure]].stock
}

func (s *stockPart) time(t int64, zone *time.Location) any {
	switch {
	case t == never:
		return nil
	case s.times == Date:
		return Day(t).Time()
	case s.times == Integer:
		return t
	}
	at := time.UnixMicro(t).UTC()
	if s.times == Instant {
		at = at.In(orUTC(zone))
	}
	return at
}
