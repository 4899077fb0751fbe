package cube

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// An Agg is the function that aggregates the values of a measure.
type Agg string

// The aggregations. With None, rows must not be merged: see [Groups.Unclear]. Last and First add up the values of one time, the latest or
// the earliest: see [Measure].
const (
	Sum   Agg = "sum"
	Min   Agg = "min"
	Max   Agg = "max"
	Avg   Agg = "avg"
	Last  Agg = "last"
	First Agg = "first"
	None  Agg = "none"

	Median Agg = "median"
	P90    Agg = "p90" // the 90th percentile
	P95    Agg = "p95"
	P99    Agg = "p99"
)

// A Measure is a column to aggregate: of numbers, or of times for [Min] and [Max]. NULLs are ignored, as in SQL.
type Measure struct {
	Column string
	Agg    Agg
	Over   *Measure       // divisor, after both are aggregated; may be nil
	Zone   *time.Location // of an Instant; nil for UTC

	// For Last and First: the column of times or years, of which one counts in each group, or in each period if that column is a dimension of
	// the groups. It is the latest, or the earliest, at which one of the rows in Among has a value, in any group. A nil Among means the rows
	// that are grouped.
	Along string
	Among Selection
}

// IsAlong reports whether the measure, or its divisor, is a stock along a column.
func (m Measure) IsAlong(column string) bool {
	return m.Agg.IsStock() && m.Along == column || m.Over != nil && m.Over.IsAlong(column)
}

// WithAmong returns the measure with Among set to of(m), in its divisor too.
func (m Measure) WithAmong(of func(m Measure) Selection) Measure {
	if m.Over != nil {
		m.Over = new(m.Over.WithAmong(of))
	}
	if m.Agg.IsStock() {
		m.Among = of(m)
	}
	return m
}

// A Query groups rows and aggregates measures.
type Query struct {
	By       []Dim
	Measures []Measure
	Each     bool // each row is a group by itself
}

// Groups is the result of a [Query]. Groups are in the order of the categories of the first
// dimension, then of the second and so on.
type Groups struct {
	Axes     [][]Category // by dimension: the categories that occur
	measures []Measure
	keys     [][]uint32 // dimension, group: index into the axis
	rows     []int32    // by group: the number of its rows
	parts    []part     // aggregates: of the measures, then of the divisors
	over     []int      // measure: index of its divisor in parts, or -1
	n        int
}

// Group runs q over the rows. A column that the cube lacks is NULL.
func (c *Cube) Group(rows Selection, q Query) *Groups {
	g := &Groups{measures: q.Measures}
	g.work(c, rows, g.group(c, rows, q), q.By, q.Each)
	return g
}

// work aggregates the measures; ids has the group of each of the rows, by are the dimensions of the groups, and each reports that every row
// is a group.
func (g *Groups) work(c *Cube, rows Selection, ids []uint32, by []Dim, each bool) {
	g.parts = make([]part, len(g.measures), 2*len(g.measures))
	for i, m := range g.measures {
		value, over := c.snapshots(m, rows, by)
		g.parts[i] = c.part(rows, ids, g.n, m, &value, by, each)
		if m.Over == nil {
			g.over = append(g.over, -1)
			continue
		}
		g.over = append(g.over, len(g.parts))
		g.parts = append(g.parts, c.part(rows, ids, g.n, *m.Over, &over, by, each))
	}
}

// part aggregates a measure, at the times of t if it is one of [Last] or [First].
func (c *Cube) part(rows Selection, ids []uint32, n int, m Measure, t *snapshot, by []Dim, each bool) part {
	if !m.Agg.IsStock() {
		return c.aggregate(rows, ids, n, m)
	}
	dim := slices.IndexFunc(by, func(d Dim) bool { return d.Column == m.Along })
	return c.stock(t, rows, ids, n, m, dim, each)
}

// Constant reports whether a column has at most one value besides NULL in each group.
func (c *Cube) Constant(rows Selection, by []Dim, column string) bool {
	return c.Table(rows, append(slices.Clone(by), Dim{Column: column}), false).Len() == c.Table(rows, by, false).Len()
}

// group fills in the axes, keys and row counts, and returns the group of each
// of the rows.
func (g *Groups) group(c *Cube, rows Selection, q Query) []uint32 {
	ids := make([]uint32, len(rows))
	g.n = min(1, len(rows)) // without dimensions: one group of all rows
	if q.Each {
		g.n = len(rows)
		for i := range ids {
			ids[i] = uint32(i)
		}
	}
	codes := make([][]uint32, len(q.By))
	for d, dim := range q.By {
		var category func(int) Category
		var n int
		codes[d], n, category = c.codes(rows, dim)
		axis := make([]Category, 0, min(n, 64))
		used := compact(codes[d], n)
		for _, code := range used {
			axis = append(axis, category(int(code)))
		}
		g.Axes = append(g.Axes, axis)
		switch {
		case q.Each || len(rows) == 0:
		case d == 0: // every category occurs, so the codes are the groups
			copy(ids, codes[0])
			g.n = len(axis)
		default:
			g.n = combine(ids, g.n, codes[d], len(axis))
		}
	}
	g.rows = make([]int32, g.n)
	g.keys = make([][]uint32, len(q.By))
	for d := range q.By {
		g.keys[d] = make([]uint32, g.n)
		for i, id := range ids {
			g.keys[d][id] = codes[d][i]
		}
	}
	for _, id := range ids {
		g.rows[id]++
	}
	return ids
}

// compact renumbers codes below n without gaps, in the same order, and returns the old codes that occur.
func compact(codes []uint32, n int) []uint32 {
	to := make([]uint32, n)
	for _, code := range codes {
		to[code] = 1
	}
	var used []uint32
	for code, occurs := range to {
		if occurs == 1 {
			to[code] = uint32(len(used))
			used = append(used, uint32(code))
		}
	}
	if len(used) < n {
		for i, code := range codes {
			codes[i] = to[code]
		}
	}
	return used
}

// combine splits groups by a dimension: it replaces ids below n by ids of the pairs (id, code) that occur, ascending, and returns their
// number.
func combine(ids []uint32, n int, codes []uint32, size int) int {
	pairs := uint64(n) * uint64(size)
	if pairs <= uint64(max(1<<16, 8*len(ids))) {
		for i, code := range codes {
			ids[i] = ids[i]*uint32(size) + code
		}
		return len(compact(ids, int(pairs)))
	}
	keys := make([]uint64, len(ids))
	for i, code := range codes {
		keys[i] = uint64(ids[i])*uint64(size) + uint64(code)
	}
	of, distinct := ranks(keys)
	copy(ids, of)
	return len(distinct)
}

// Len returns how many groups there are.
func (g *Groups) Len() int { return g.n }

// Measures returns how many measures there are.
func (g *Groups) Measures() int { return len(g.measures) }

// At returns the index of a group's category in its axis.
func (g *Groups) At(group, dim int) int { return int(g.keys[dim][group]) }

// Category returns the category of a group.
func (g *Groups) Category(group, dim int) Category { return g.Axes[dim][g.keys[dim][group]] }

// Rows returns the number of rows of a group.
func (g *Groups) Rows(group int) int { return int(g.rows[group]) }

// Value returns a measure of a group, and false if it is NULL: without values, or divided by zero.
func (g *Groups) Value(group, measure int) (float64, bool) {
	v, ok := g.parts[measure].get(group)
	if over := g.over[measure]; ok && over >= 0 {
		var by float64
		by, ok = g.parts[over].get(group)
		v /= by
		ok = ok && by != 0
	}
	if !ok || math.IsInf(v, 0) || math.IsNaN(v) {
		return 0, false
	}
	return v, true
}

// Divisor returns the divisor of a measure that is a ratio in a group, and false for another measure, or a divisor of NULL.
func (g *Groups) Divisor(group, measure int) (float64, bool) {
	if over := g.over[measure]; over >= 0 {
		return g.parts[over].get(group)
	}
	return 0, false
}

// Exact returns a measure of a group as a value of a column: nil, a float64, a [Decimal] if a float64 would round, or a time.
// [Groups.Value] is a time's distance from 1970.
func (g *Groups) Exact(group, measure int) any {
	v, ok := g.Value(group, measure)
	if !ok {
		return nil
	}
	if p := &g.parts[measure]; g.over[measure] < 0 && p.agg != Avg {
		if p.kind.IsTime() {
			return p.time(group, g.measures[measure].Zone)
		}
		return p.exact(group)
	}
	return v
}

// Unclear returns the largest number of rows merged into a group of a measure without an aggregation, which therefore cannot be shown. It
// returns 0 if the measure can be shown.
func (g *Groups) Unclear(measure int) (rows int, column string) {
	m := g.measures[measure]
	bad := m
	if m.Agg != None {
		if m.Over == nil || m.Over.Agg != None {
			return 0, ""
		}
		bad = *m.Over
	}
	for _, n := range g.rows {
		if n > 1 {
			return int(slices.Max(g.rows)), bad.Column
		}
	}
	return 0, ""
}

// Fold merges the groups that differ only in other dimensions than those
// given.
func (g *Groups) Fold(dims ...int) *Groups {
	ids := make([]uint32, g.n)
	n := min(1, g.n)
	out := &Groups{measures: g.measures, over: g.over}
	for _, d := range dims {
		n = combine(ids, n, g.keys[d], len(g.Axes[d]))
		out.Axes = append(out.Axes, g.Axes[d])
	}
	return g.merge(out, ids, n, dims)
}

// merge fills out with g's groups, each merged into its group in ids.
func (g *Groups) merge(out *Groups, ids []uint32, n int, dims []int) *Groups {
	out.n, out.rows = n, make([]int32, n)
	for _, d := range dims {
		keys := make([]uint32, n)
		for i, id := range ids {
			keys[id] = g.keys[d][i]
		}
		out.keys = append(out.keys, keys)
	}
	for i, id := range ids {
		out.rows[id] += g.rows[i]
	}
	for i := range g.parts {
		p := &g.parts[i]
		if p.stock == nil {
			out.parts = append(out.parts, p.merge(ids, n, nil))
			continue
		}
		s := p.stock.withDims(dims)
		s.at = p.stock.timesOf(p.agg, ids, n, out.keys, s.dim)
		out.parts = append(out.parts, p.merge(ids, n, s))
	}
	return out
}

// Top keeps the n categories of a dimension with the largest values of a measure, and returns how many it cut. If other is true and the
// measure adds up, the cut ones become one category, the last of the axis. The order of the axis does not change.
func (g *Groups) Top(dim, measure, n int, other bool) (top *Groups, cut int) {
	if len(g.Axes[dim]) <= n {
		return g, 0
	}
	return g.Keep(dim, g.Ranked(dim, measure)[:n], other), len(g.Axes[dim]) - n
}

// Keep keeps some categories of a dimension, in the order of its axis. If other is true and the measures add up, the others become one
// category, the last.
func (g *Groups) Keep(dim int, which []int, other bool) *Groups {
	n := len(which)
	other = other && g.Additive()
	to := make([]uint32, len(g.Axes[dim]))
	for i := range to {
		to[i] = uint32(n) // Other
	}
	kept := slices.Sorted(slices.Values(which))
	axis := make([]Category, 0, n+1)
	for i, cat := range kept {
		to[cat] = uint32(i)
		axis = append(axis, g.Axes[dim][cat])
	}
	if other {
		axis = append(axis, Category{Other: true})
	}
	moved := &Groups{Axes: slices.Clone(g.Axes), measures: g.measures, over: g.over}
	moved.Axes[dim] = axis
	// Drop the cut groups or move them to Other, then merge those with equal categories.
	keep := make([]int, 0, g.n)
	for i := range g.n {
		if other || to[g.keys[dim][i]] < uint32(n) {
			keep = append(keep, i)
		}
	}
	moved.take(g, keep)
	for i, key := range moved.keys[dim] {
		moved.keys[dim][i] = to[key]
	}
	if !other { // no groups were merged, and rows stay separate in a query of each row
		return moved
	}
	return moved.meet()
}

// Of returns the groups of one category of a dimension, without that dimension. The axes of the other dimensions stay whole.
func (g *Groups) Of(dim, category int) *Groups {
	var which, dims []int
	for i := range g.n {
		if g.At(i, dim) == category {
			which = append(which, i)
		}
	}
	out := &Groups{measures: g.measures, over: g.over}
	out.take(g, which)
	for d := range g.Axes {
		if d != dim {
			out.Axes, dims = append(out.Axes, g.Axes[d]), append(dims, d)
		}
	}
	out.keys = slices.Delete(out.keys, dim, dim+1)
	for i := range out.parts {
		if s := out.parts[i].stock; s != nil {
			of := s.withDims(dims)
			of.at = s.at
			out.parts[i].stock = of
		}
	}
	return out
}

// Regroup replaces the categories of a dimension by axis. to has, for each present category, the index in axis of its new category. All
// measures must add up.
func (g *Groups) Regroup(dim int, to []int, axis []Category) *Groups {
	moved := &Groups{
		Axes: slices.Clone(g.Axes), measures: g.measures, over: g.over, keys: slices.Clone(g.keys), rows: g.rows, parts: g.parts, n: g.n,
	}
	moved.Axes[dim] = axis
	moved.keys[dim] = make([]uint32, g.n)
	for i, key := range g.keys[dim] {
		moved.keys[dim][i] = uint32(to[key])
	}
	return moved.meet()
}

// meet merges groups with equal categories.
func (g *Groups) meet() *Groups {
	ids := make([]uint32, g.n)
	size := min(1, g.n)
	dims := make([]int, len(g.Axes))
	for d := range dims {
		dims[d] = d
		size = combine(ids, size, g.keys[d], len(g.Axes[d]))
	}
	return g.merge(&Groups{Axes: g.Axes, measures: g.measures, over: g.over}, ids, size, dims)
}

// take copies the given groups of from.
func (g *Groups) take(from *Groups, groups []int) {
	g.n = len(groups)
	for _, keys := range from.keys {
		g.keys = append(g.keys, pick(keys, groups))
	}
	g.rows = pick(from.rows, groups)
	for i := range from.parts {
		g.parts = append(g.parts, from.parts[i].pick(groups))
	}
}

// Ranked returns the categories of a dimension ordered by a measure over all their groups, largest first; categories without a value are
// last; equal ones are in the order of the axis.
func (g *Groups) Ranked(dim, measure int) []int { return g.ranked(dim, measure, true) }

// Lowest is [Groups.Ranked], smallest first.
func (g *Groups) Lowest(dim, measure int) []int { return g.ranked(dim, measure, false) }

func (g *Groups) ranked(dim, measure int, descending bool) []int {
	totals := g.Fold(dim)
	out := make([]int, 0, len(g.Axes[dim]))
	has := make([]bool, len(g.Axes[dim]))
	for _, i := range totals.Sorted(measure, descending) {
		if _, ok := totals.Value(i, measure); ok {
			out = append(out, totals.At(i, 0))
			has[totals.At(i, 0)] = true
		}
	}
	for i := range has {
		if !has[i] {
			out = append(out, i)
		}
	}
	return out
}

// Sorted returns the groups in the order of a measure, ascending or descending. Groups without
// a value are last; equal ones keep their order.
func (g *Groups) Sorted(measure int, descending bool) []int {
	keys := make([]uint64, g.n)
	for i := range keys {
		v, ok := g.Value(i, measure)
		keys[i] = ascending(v)
		if descending {
			keys[i] = ^keys[i]
		}
		if !ok {
			keys[i] = math.MaxUint64
		}
	}
	out := make([]int, g.n)
	sorted := sortKeys(keys)
	for i, k := range sorted {
		out[i] = int(k.at)
	}
	// Different numbers with many digits can be equal as float64.
	var compare func(a, b int) int
	for from, to := 0, 0; from < len(out); from = to {
		for to = from + 1; to < len(out) && sorted[to].key == sorted[from].key; to++ {
		}
		if to-from == 1 || sorted[from].key == math.MaxUint64 {
			continue
		}
		if compare == nil {
			compare = g.Compare(measure, descending)
		}
		slices.SortStableFunc(out[from:to], compare)
	}
	return out
}

// ascending returns a number whose order among the numbers of others is that of v. NaN is before all. The complement is never that of a
// missing value.
func ascending(v float64) uint64 {
	if math.IsNaN(v) {
		return 1
	}
	bits := math.Float64bits(v + 0) // without negative zero
	if bits>>63 == 1 {
		return ^bits
	}
	return bits | 1<<63
}

// Compare returns a function that compares two groups by a measure: see [Groups.Sorted].
func (g *Groups) Compare(measure int, descending bool) func(a, b int) int {
	value := make([]float64, g.n)
	has := make([]bool, g.n)
	for i := range value {
		value[i], has[i] = g.Value(i, measure)
	}
	p := &g.parts[measure]
	whole := g.over[measure] < 0 && p.agg != Avg
	return func(a, b int) int {
		if !has[a] || !has[b] {
			return cmp.Compare(truth(has[b]), truth(has[a]))
		}
		order := cmp.Compare(value[a], value[b])
		if order == 0 && whole {
			order = p.compare(a, b)
		}
		if descending {
			return -order
		}
		return order
	}
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Additive reports whether groups can be merged: every measure has an aggregation.
func (g *Groups) Additive() bool {
	return !slices.ContainsFunc(g.measures, func(m Measure) bool { return m.Agg == None || m.Over != nil && m.Over.Agg == None })
}
