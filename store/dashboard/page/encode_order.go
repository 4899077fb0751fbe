package page

import (
	"cmp"
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
func (d *dataset) ordering(column string) *ordering {
	if o := d.orders[column]; o != nil {
		return o
	}
	natural := dashboard.NaturalOrder(d.cube, column, d.env.Locale)
	o := &ordering{natural: natural, ordered: natural.Ordered, ranged: natural.Ordered}
	if c := d.column(column); c != nil {
		o.numbers = c.Type == cube.Integer || c.Type == cube.Number
	}
	if a := d.env.spec.Appearance(column); a != nil {
		d.said(o, a)
	}
	if d.orders == nil {
		d.orders = map[string]*ordering{}
	}
	d.orders[column] = o
	return o
}

// said gives o the order that the spec says.
func (d *dataset) said(o *ordering, a *dashboard.Appearance) {
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
		values = d.orderedBy(o, a, by)
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
func (d *dataset) orderedBy(o *ordering, a *dashboard.Appearance, by *dashboard.Column) []any {
	g := d.cube.Group(d.everyRow(), cube.Query{By: []cube.Dim{{Column: a.Column, Zone: d.env.zone}}})
	keys := d.sortKeys(d.everyRow(), []cube.Dim{{Column: a.Column, Zone: d.env.zone}}, by)
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

func (d *dataset) sortKeys(rows cube.Selection, by []cube.Dim, col *dashboard.Column) *sortKeys {
	k := &sortKeys{map[string]any{}, dashboard.NaturalOrder(d.cube, col.Name, d.env.Locale)}
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
	g := d.cube.Group(rows, cube.Query{By: append(slices.Clone(by), cube.Dim{Column: col.Name, Zone: d.env.zone})})
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

// An Order is the order of the values of a channel: by default that of its column.
type Order struct {
	Measured   bool              // by a measure of the query
	Measure    int               // which
	Column     *dashboard.Column // by a column that the query does not have; nil for none
	Largest    bool              // values that have no order of their own: by the first measure, the largest first
	Rows       bool              // values that have no order of their own: as the rows come
	Said       bool              // times have the order that the spec says, too; else they are as time goes
	Descending bool              // the other way around
}

// sorted are the places on the axis of a channel in its order. What was merged comes last.
func (t *Table) sorted(dim int) []int {
	by, o, axis := t.query.By[dim].Order, t.ordering(dim), t.Axes[dim]
	out := indices(len(axis))
	own := o.ordered || o.said
	switch {
	case by.Measured:
		out = o.ranked(t.Groups, dim, by.Measure, by.Descending)
	case by.Column != nil:
		o.sort(out, axis)
		keys := t.data.sortKeys(t.data.rows, []cube.Dim{t.dim(dim)}, by.Column)
		slices.SortStableFunc(out, func(a, b int) int { return keys.compare(axis[a:a+1], axis[b:b+1], by.Descending) })
	case by.Largest && !own:
		out = o.ranked(t.Groups, dim, 0, true)
	case by.Rows && !own: // text is on the axis as it is in the rows
		t.doubtOrder(dim)
	case !t.axes[dim].merged && (by.Said || !t.column(dim).Type.IsTime()): // those are in order
		o.sort(out, axis)
	}
	if by.Descending && !by.Measured && by.Column == nil {
		slices.Reverse(out)
	}
	otherLast(out, axis)
	return out
}

// doubtOrder warns of values in the order of rows of which the query says none.
func (t *Table) doubtOrder(dim int) {
	a := &t.axes[dim]
	if a.doubted || len(t.Axes[dim]) < 2 || t.data.InOrder() {
		return
	}
	a.doubted = true
	t.report(warned(dashboard.WarnDoubtful, t.query.By[dim].Key,
		`"%s" is drawn in the order of the rows, and the sql has no ORDER BY; add one, or name a column in sort.`, t.query.By[dim].Column))
}
