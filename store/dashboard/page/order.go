package page

import (
	"cmp"
	"math"
	"math/big"
	"slices"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// An ordering is the order of a column's values, the same wherever the page shows
// them: see [dashboard.Order].
type ordering struct {
	natural *dashboard.Natural
	rank    map[string]int // of values by [dashboard.ValueKey], where the spec says their order; nil otherwise
	ordered bool           // a scale, of which no step may be left out
	ranged  bool           // its neighbors make ranges: numbers, times, brackets, and no names in an order
	said    bool           // the spec says the order
	numbers bool           // the values are numbers
}

// ordering returns the order of a column of the dataset.
func (p *page) ordering(d *dataset, column string) *ordering {
	if o := d.orders[column]; o != nil {
		return o
	}
	natural := dashboard.NaturalOrder(d.cube, column, p.Locale)
	o := &ordering{natural: natural, ordered: natural.Ordered, ranged: natural.Ordered}
	if c := d.column(column); c != nil {
		o.numbers = c.Type == cube.Integer || c.Type == cube.Number
	}
	if a := p.Spec.Appearance(column); a != nil {
		p.said(o, d, a)
	}
	if d.orders == nil {
		d.orders = map[string]*ordering{}
	}
	d.orders[column] = o
	return o
}

// said gives o the order that the spec says.
func (p *page) said(o *ordering, d *dataset, a *dashboard.Appearance) {
	var values []any
	by := d.column(a.Order.Column)
	switch {
	case a.Order.Rows:
		i := d.cube.Index(a.Column)
		for row := range d.cube.Rows() {
			values = append(values, d.cube.Value(row, i))
		}
	case a.Order.Values != nil:
		for _, v := range a.Order.Values {
			values = append(values, v)
		}
	case by != nil:
		values = p.orderedBy(o, d, a, by)
	default:
		return
	}
	o.said = true
	o.ordered = by == nil || by.Agg == "" && !by.IsRatio() || by.Agg == dashboard.None
	o.rank = map[string]int{}
	for _, v := range values {
		if key := dashboard.ValueKey(v); v != nil {
			if _, ok := o.rank[key]; !ok {
				o.rank[key] = len(o.rank)
			}
		}
	}
	down := func(a, b any) int { return o.natural.Compare(b, a) }
	o.ranged = o.ranged && (slices.IsSortedFunc(values, o.natural.Compare) || slices.IsSortedFunc(values, down))
}

// orderedBy are the values of a column in the order of another one, over all rows.
func (p *page) orderedBy(o *ordering, d *dataset, a *dashboard.Appearance, by *dashboard.Column) []any {
	g := d.cube.Group(d.everyRow(), cube.Query{By: []cube.Dim{{Column: a.Column, Zone: p.zone}}})
	keys := p.sortKeys(d, d.everyRow(), []cube.Dim{{Column: a.Column, Zone: p.zone}}, by)
	axis := slices.Clone(g.Axes[0])
	slices.SortStableFunc(axis, func(x, y cube.Category) int { return o.natural.Compare(x.Value, y.Value) })
	slices.SortStableFunc(axis, func(x, y cube.Category) int {
		return keys.compare([]cube.Category{x}, []cube.Category{y}, a.Order.Descending)
	})
	values := make([]any, len(axis))
	for i, c := range axis {
		values[i] = c.Value
	}
	return values
}

// compare orders two categories: those that the spec names come before the others,
// then come rows without a value, then what was merged.
func (o *ordering) compare(a, b cube.Category) int {
	if order := cmp.Compare(truth(a.Other), truth(b.Other)); order != 0 {
		return order
	}
	if order := cmp.Compare(truth(a.Value == nil), truth(b.Value == nil)); order != 0 {
		return order
	}
	if o.rank != nil && a.Value != nil {
		x, okx := o.rank[dashboard.ValueKey(a.Value)]
		y, oky := o.rank[dashboard.ValueKey(b.Value)]
		switch {
		case okx && oky:
			return cmp.Compare(x, y)
		case okx || oky:
			return cmp.Compare(truth(oky), truth(okx))
		}
	}
	return o.natural.Compare(a.Value, b.Value)
}

// sort puts the places of an axis into order.
func (o *ordering) sort(order []int, axis []cube.Category) {
	slices.SortStableFunc(order, func(a, b int) int { return o.compare(axis[a], axis[b]) })
}

// sortKeys are the values of a column by which categories are sorted that do not
// show it: what a measure that adds up amounts to, or else the first of the values, or the last
// of times where the SQL returns late ones.
type sortKeys struct {
	value   map[string]any // by the keys of the categories
	natural *dashboard.Natural
}

func (p *page) sortKeys(d *dataset, rows cube.Selection, by []cube.Dim, col *dashboard.Column) *sortKeys {
	k := &sortKeys{map[string]any{}, dashboard.NaturalOrder(d.cube, col.Name, p.Locale)}
	n := len(by)
	if m := d.measure(col); col.Role == dashboard.Measure && additive(m) {
		if len(rows) == d.cube.Rows() { // whatever the filters
			m = d.within([]cube.Measure{m}, nil)[0]
		}
		g := d.cube.Group(rows, cube.Query{By: by, Measures: []cube.Measure{m}})
		for i := range g.Len() {
			k.value[keyOf(g, i, n)] = g.Exact(i, 0)
		}
		return k
	}
	end, told := col.End()
	latest := told && end == dashboard.Max && col.Type.IsTime()
	g := d.cube.Group(rows, cube.Query{By: append(slices.Clone(by), cube.Dim{Column: col.Name, Zone: p.zone})})
	for i := range g.Len() {
		key, v := keyOf(g, i, n), g.Category(i, n).Value
		before, ok := k.value[key]
		if order := k.natural.Compare(v, before); !ok || before == nil || v != nil && (order < 0 != latest) {
			k.value[key] = v
		}
	}
	return k
}

// keyOf names a group by its categories in the first n dimensions.
func keyOf(g *cube.Groups, group, n int) string {
	cats := make([]cube.Category, n)
	for i := range cats {
		cats[i] = g.Category(group, i)
	}
	return categoryKey(cats)
}

func categoryKey(cats []cube.Category) string {
	key := ""
	for _, c := range cats {
		if c.Value == nil {
			key += "-"
		}
		key += dashboard.ValueKey(c.Value) + "\x00"
	}
	return key
}

// compare orders two groups by their categories; those without a value are last.
func (k *sortKeys) compare(a, b []cube.Category, descending bool) int {
	x, y := k.value[categoryKey(a)], k.value[categoryKey(b)]
	if x == nil || y == nil || !descending {
		return k.natural.Compare(x, y)
	}
	return k.natural.Compare(y, x)
}

// equalRanges merges the steps of a scale so that at most fit of them are left:
// numbers into ranges of one width, others into as many neighbours each. It says
// what a step is then, or "" when there was nothing to merge, or no way to.
func (p *page) equalRanges(g *cube.Groups, dim, fit int, o *ordering, col dashboard.Column) (*cube.Groups, string) {
	axis := g.Axes[dim]
	if len(axis) <= fit {
		return g, ""
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	numbers := o.numbers && !o.said
	for _, c := range axis {
		v, ok := float(c.Value)
		numbers = numbers && (ok || c.Value == nil)
		if ok {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	if numbers && lo <= hi && !flat(lo, hi) {
		return p.numberRanges(g, dim, fit, lo, hi, col)
	}
	order := indices(len(axis))
	o.sort(order, axis)
	each := (len(axis) + fit - 1) / fit
	to := make([]int, len(axis))
	var ranges []cube.Category
	for from := 0; from < len(order); from += each {
		part := order[from:min(from+each, len(order))]
		for _, i := range part {
			to[i] = len(ranges)
		}
		c := axis[part[0]]
		if last := axis[part[len(part)-1]]; len(part) > 1 {
			c = cube.Category{Value: p.cell(col, cube.Exact, c) + " – " + p.cell(col, cube.Exact, last)}
		}
		ranges = append(ranges, c)
	}
	return g.Regroup(dim, to, ranges), p.Text("of %s neighbors each", p.Number(float64(each), 0))
}

// numberRanges is [page.equalRanges] of numbers from lo to hi.
func (p *page) numberRanges(g *cube.Groups, dim, fit int, lo, hi float64, col dashboard.Column) (*cube.Groups, string) {
	width := 0.0
	for parts := fit; ; parts-- {
		width = niceStep(hi/float64(parts) - lo/float64(parts))
		if col.Type == cube.Integer {
			width = max(math.Ceil(width), 1)
		}
		if parts == 1 || math.Floor(hi/width)-math.Floor(lo/width)+2 <= float64(fit) { // one more for rows without a value
			break
		}
	}
	axis := g.Axes[dim]
	to := make([]int, len(axis))
	var ranges []cube.Category
	first := math.Floor(lo / width)
	for n := range int(math.Floor(hi/width)-first) + 1 { // also those without rows: they are a part of the axis
		ranges = append(ranges, cube.Category{Value: p.rangeText((first+float64(n))*width, width, col)})
	}
	for i, c := range axis { // ascending, NULL last
		if v, ok := float(c.Value); ok {
			to[i] = int(math.Floor(v/width) - first)
			continue
		}
		to[i] = len(ranges)
		ranges = append(ranges, c)
	}
	return g.Regroup(dim, to, ranges), p.Text("of %s each", p.UpTo(width, 6))
}

// fillSteps adds the steps that no row has to an axis of numbers that are a fixed step apart, such
// as bins that the query has made, so that neighbors on the axis are neighbors among the numbers.
// It leaves the axis alone where more than limit steps would be on it, or where most whole
// numbers between the first and the last are missing: those are more likely to be names.
func (p *page) fillSteps(g *cube.Groups, dim, limit int, o *ordering) *cube.Groups {
	axis := g.Axes[dim]
	var values []*big.Rat
	whole := true
	for _, c := range axis {
		if _, ok := cube.Float(c.Value); ok {
			values = append(values, rational(c.Value))
			whole = whole && values[len(values)-1].IsInt()
		}
	}
	if !o.numbers || o.said || len(values) < 3 {
		return g
	}
	step := new(big.Rat).Sub(values[1], values[0])
	for i := 2; i < len(values); i++ {
		if d := new(big.Rat).Sub(values[i], values[i-1]); d.Cmp(step) < 0 {
			step = d
		}
	}
	if step.Sign() <= 0 {
		return g
	}
	at := make([]int, len(values)) // the place of each value among the steps
	for i, v := range values {
		n := new(big.Rat).Sub(v, values[0])
		if n.Quo(n, step); !n.IsInt() || n.Num().Cmp(big.NewInt(int64(limit))) >= 0 {
			return g
		}
		at[i] = int(n.Num().Int64())
	}
	all := at[len(at)-1] + 1
	if all == len(values) || all+len(axis)-len(values) > limit || whole && 3*len(values) < all {
		return g
	}
	to, filled := make([]int, 0, len(axis)), make([]cube.Category, all)
	for n := range filled {
		v := new(big.Rat).SetInt64(int64(n))
		filled[n].Value = columnNumber(v.Add(v.Mul(v, step), values[0]), whole)
	}
	for i, c := range axis {
		if i >= len(values) { // NULL is last
			to, filled = append(to, len(filled)), append(filled, c)
			continue
		}
		to, filled[at[i]] = append(to, at[i]), c
	}
	return g.Regroup(dim, to, filled)
}

// rangeText names the numbers from a number on: 10–19, or 0.5–<1.
func (p *page) rangeText(from, width float64, col dashboard.Column) string {
	if col.Type == cube.Integer {
		if width == 1 {
			return p.cell(col, cube.Exact, int64(from))
		}
		return p.cell(col, cube.Exact, int64(from)) + "–" + p.cell(col, cube.Exact, int64(from+width-1))
	}
	return p.cell(col, cube.Exact, from) + "–<" + p.cell(col, cube.Exact, from+width)
}

// float is a number as a float64.
func float(v any) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	case cube.Decimal:
		return v.Float(), true
	}
	return 0, false
}

// ranked are the places of an axis by a measure; those without a value are last,
// and equal ones in their order.
func (o *ordering) ranked(g *cube.Groups, dim, measure int, descending bool) []int {
	out := g.Ranked(dim, measure)
	totals := g.Fold(dim)
	value := make([]any, len(out))
	for i := range totals.Len() {
		value[totals.At(i, 0)] = totals.Exact(i, measure)
	}
	some := len(out) // those with a value
	for some > 0 && value[out[some-1]] == nil {
		some--
	}
	if !descending {
		slices.Reverse(out[:some])
	}
	for from := 0; from < len(out); {
		to := from + 1
		for to < len(out) && value[out[to]] == value[out[from]] {
			to++
		}
		if to-from > 1 {
			o.sort(out[from:to], g.Axes[dim])
		}
		from = to
	}
	return out
}

// otherLast moves what was merged to the end of an axis.
func otherLast(order []int, axis []cube.Category) {
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(truth(axis[a].Other), truth(axis[b].Other)) })
}
