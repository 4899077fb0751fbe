package cube

import (
	"cmp"
	"math"
	"math/big"
	"slices"
	"time"
)

// A part is an aggregate to which values can still be added. Numbers with a fixed number of decimals are added as whole numbers, exactly:
// ten times 0.1 is 1.
type part struct {
	agg   Agg
	kind  Type    // of the column
	days  bool    // of times that each begin a day, and are shown as dates
	count []int32 // by group: number of values that are not NULL

	// By group: the sum, or the smallest or the largest value, in the form of its column. If a sum of ints exceeds 64 bits, the rest is in
	// wide.
	ints     []int64
	wide     []*big.Int
	decimals int // ints and wide are times 10^decimals
	floats   []float64

	stock *stockPart // of Last and First; nil for others

	values [][]float64 // of quantiles, by group: its values in ascending order; nil for others
}

// aggregate aggregates a measure by group; ids has the group of each of the rows.
func (c *Cube) aggregate(rows Selection, ids []uint32, n int, m Measure) part {
	p := part{agg: m.Agg, count: make([]int32, n)}
	col := c.Index(m.Column)
	if col < 0 {
		p.ints = make([]int64, n)
		return p
	}
	k := &c.cols[col]
	p.kind, p.decimals = k.Type, k.decimals
	p.days = k.Type.IsTime() && c.own(col, m.Zone) == daily
	if m.Agg.IsQuantile() {
		p.gather(k, rows, ids)
		return p
	}
	sum := k.valid == nil && m.Agg.adds()
	switch {
	case k.wide != nil:
		p.wide = make([]*big.Int, n)
		for i, row := range rows {
			if k.has(int(row)) {
				p.addWide(ids[i], k.wide[row], 1)
			}
		}
	case k.floats != nil && sum: // the ones that must be fast
		p.floats = make([]float64, n)
		for i, row := range rows {
			p.floats[ids[i]] += k.floats[row]
			p.count[ids[i]]++
		}
	case k.floats != nil:
		p.floats = make([]float64, n)
		for i, row := range rows {
			if k.has(int(row)) {
				p.addFloat(ids[i], k.floats[row], 1)
			}
		}
	case k.Type == Integer || k.Type == Number:
		p.ints = make([]int64, n)
		if sum {
			for i, row := range rows {
				p.sum(ids[i], k.ints[row])
				p.count[ids[i]]++
			}
			break
		}
		for i, row := range rows {
			if k.has(int(row)) {
				p.addInt(ids[i], k.ints[row], 1)
			}
		}
	case k.Type == Boolean:
		p.ints = make([]int64, n)
		for i, row := range rows {
			if k.has(int(row)) {
				p.addInt(ids[i], int64(truth(bit(k.bits, int(row)))), 1)
			}
		}
	case k.Type.IsTime() && !m.Agg.adds():
		p.ints = make([]int64, n)
		for i, row := range rows {
			if k.has(int(row)) {
				p.addInt(ids[i], k.ints[row], 1)
			}
		}
	default: // no numbers
		p.ints = make([]int64, n)
	}
	return p
}

// sum adds v to a sum, and moves the part beyond 64 bits to wide.
func (p *part) sum(id uint32, v int64) {
	s := p.ints[id] + v
	if (s^p.ints[id])&(s^v) < 0 {
		p.aside(id, big.NewInt(p.ints[id]))
		s = v
	}
	p.ints[id] = s
}

func (p *part) aside(id uint32, v *big.Int) {
	if p.wide == nil {
		p.wide = make([]*big.Int, len(p.ints))
	}
	if p.wide[id] == nil {
		p.wide[id] = new(big.Int)
	}
	p.wide[id].Add(p.wide[id], v)
}

func (p *part) addInt(id uint32, v int64, count int32) {
	switch {
	case count == 0:
		return
	case p.agg.adds():
		p.sum(id, v)
	case p.count[id] == 0:
		p.ints[id] = v
	case p.agg == Min:
		p.ints[id] = min(p.ints[id], v)
	default: // Max, or None, only to rank by
		p.ints[id] = max(p.ints[id], v)
	}
	p.count[id] += count
}

func (p *part) addFloat(id uint32, v float64, count int32) {
	switch {
	case count == 0:
		return
	case p.count[id] == 0:
		p.floats[id] = v
	case p.agg.adds():
		p.floats[id] += v
	case p.agg == Min:
		p.floats[id] = min(p.floats[id], v)
	default:
		p.floats[id] = max(p.floats[id], v)
	}
	p.count[id] += count
}

// addWide allocates a new number instead of changing v, because others read v.
func (p *part) addWide(id uint32, v *big.Int, count int32) {
	switch {
	case count == 0:
		return
	case p.agg.adds():
		if p.wide[id] == nil {
			p.wide[id] = new(big.Int)
		}
		p.wide[id].Add(p.wide[id], v)
	case p.count[id] == 0 || v.Cmp(p.wide[id]) < 0 == (p.agg == Min):
		p.wide[id] = v
	}
	p.count[id] += count
}

// merge returns the aggregates of n groups, each of p's added to its group in ids. s is the stock of the new groups, if any: then only
// aggregates of the counted time are added.
func (p *part) merge(ids []uint32, n int, s *stockPart) part {
	q := part{agg: p.agg, kind: p.kind, days: p.days, decimals: p.decimals, count: make([]int32, n), stock: s}
	counts := func(i int, id uint32) bool { return s == nil || p.stock.at[i] == s.at[id] }
	switch {
	case p.values != nil:
		q.values = make([][]float64, n)
		for i, id := range ids {
			q.values[id] = append(q.values[id], p.values[i]...)
		}
		q.findQuantiles()
	case p.floats != nil:
		q.floats = make([]float64, n)
		for i, id := range ids {
			if counts(i, id) {
				q.addFloat(id, p.floats[i], p.count[i])
			}
		}
	case p.ints != nil:
		q.ints = make([]int64, n)
		for i, id := range ids {
			if !counts(i, id) {
				continue
			}
			q.addInt(id, p.ints[i], p.count[i])
			if p.wide != nil && p.wide[i] != nil {
				q.aside(id, p.wide[i])
			}
		}
	default:
		q.wide = make([]*big.Int, n)
		for i, id := range ids {
			if counts(i, id) {
				q.addWide(id, p.wide[i], p.count[i])
			}
		}
	}
	return q
}

// pick returns the aggregates of the given groups.
func (p *part) pick(groups []int) part {
	q := part{agg: p.agg, kind: p.kind, days: p.days, decimals: p.decimals, count: pick(p.count, groups)}
	if p.ints != nil {
		q.ints = pick(p.ints, groups)
	}
	if p.wide != nil {
		q.wide = pick(p.wide, groups)
	}
	if p.floats != nil {
		q.floats = pick(p.floats, groups)
	}
	if p.values != nil {
		q.values = pick(p.values, groups)
	}
	if p.stock != nil {
		s := *p.stock
		s.at = pick(s.at, groups)
		q.stock = &s
	}
	return q
}

// get returns the aggregate of a group, and false if it has no values.
func (p *part) get(group int) (float64, bool) {
	if p.count[group] == 0 {
		return 0, false
	}
	var v float64
	switch n := p.total(group); {
	case p.floats != nil:
		v = p.floats[group]
	case n != nil:
		v = scaled{n, p.decimals}.float()
	default:
		v = float64(p.ints[group]) / math.Pow10(p.decimals)
	}
	if p.agg == Avg {
		v /= float64(p.count[group])
	}
	return v, true
}

// total returns the whole number of a group if it exceeds 64 bits, and nil otherwise.
func (p *part) total(group int) *big.Int {
	switch {
	case p.wide == nil || p.wide[group] == nil:
		return nil
	case p.ints == nil:
		return p.wide[group]
	}
	return new(big.Int).Add(p.wide[group], big.NewInt(p.ints[group]))
}

// exact returns the value of a group that has values, as a float64 or a [Decimal].
func (p *part) exact(group int) any {
	switch n := p.total(group); {
	case p.floats != nil:
		return p.floats[group]
	case n != nil:
		return scaled{n, p.decimals}.value(Number)
	}
	return fixed(p.ints[group], p.decimals, Number)
}

// time returns the time of a group that has one; an instant in zone.
func (p *part) time(group int, zone *time.Location) time.Time {
	if p.kind == Date {
		return Day(p.ints[group]).Time()
	}
	t := time.UnixMicro(p.ints[group]).UTC()
	if p.kind == Instant && zone != nil {
		t = t.In(zone)
	}
	if p.days {
		t = DayOf(t).Time()
	}
	return t
}

// compare orders two groups that have values.
func (p *part) compare(a, b int) int {
	switch x, y := p.total(a), p.total(b); {
	case p.floats != nil:
		return cmp.Compare(p.floats[a], p.floats[b])
	case x == nil && y == nil:
		return cmp.Compare(p.ints[a], p.ints[b])
	case x == nil:
		return big.NewInt(p.ints[a]).Cmp(y)
	case y == nil:
		return x.Cmp(big.NewInt(p.ints[b]))
	default:
		return x.Cmp(y)
	}
}

func pick[T any](from []T, at []int) []T {
	out := make([]T, len(at))
	for i, j := range at {
		out[i] = from[j]
	}
	return out
}

// distinct returns the different numbers that the given rows have in a wide
// column, ascending.
func (k *column) distinct(rows Selection) []*big.Int {
	var out []*big.Int
	for _, row := range rows {
		if k.has(int(row)) {
			out = append(out, k.wide[row])
		}
	}
	slices.SortFunc(out, (*big.Int).Cmp)
	return slices.CompactFunc(out, func(a, b *big.Int) bool { return a.Cmp(b) == 0 })
}
