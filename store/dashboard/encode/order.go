package encode

import (
	"cmp"
	"slices"

	"service/store/dashboard"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
)

// An Ordering is the order of a column's values, which is the same everywhere on the page: see [dashboard.Order].
type Ordering struct {
	Natural *dashboard.Natural
	Rank    map[string]int // of values by [dashboard.ValueKey], if the spec defines their order; nil otherwise
	Ordered bool           // a scale, whose steps must all be drawn
	ranged  bool           // neighbors can be merged into ranges: numbers, times and brackets, but not ordered names
	Said    bool           // the spec defines the order
	numbers bool           // the values are numbers
	spent   *int           // groups of the page so far, to which long texts add; nil if they are not counted
}

// Plain returns the natural order, without what the spec says of it.
func (o *Ordering) Plain() *Ordering { return &Ordering{Natural: o.Natural, spent: o.spent} }

// Ordering returns the order of a column of the dataset.
func (d *Dataset) Ordering(column string) *Ordering {
	if o := d.orders[column]; o != nil {
		if o.spent != d.Spent { // for the same dataset over other rows
			own := *o
			own.spent = d.Spent
			o = &own
		}
		return o
	}
	natural := dashboard.NaturalOrder(d.Cube, column, d.Env.Locale)
	if c := d.Column(column); c != nil {
		natural = dashboard.NaturalOrderOfNames(d.Cube, c, d.Env.Locale)
	}
	o := &Ordering{Natural: natural, Ordered: natural.Ordered, ranged: natural.Ordered, spent: d.Spent}
	if c := d.Column(column); c != nil {
		o.numbers = c.Type == cube.Integer || c.Type == cube.Number
	}
	if a := d.Env.Spec.Appearance(column); a != nil {
		d.said(o, a)
	}
	if d.orders == nil {
		d.orders = map[string]*Ordering{}
	}
	d.orders[column] = o
	return o
}

// said gives o the order that the spec defines.
func (d *Dataset) said(o *Ordering, a *dashboard.Appearance) {
	var values []any
	by := d.Column(a.Order.Column)
	switch {
	case a.Order.Rows:
		i := d.Cube.Index(a.Column)
		for row := range d.Cube.Rows() {
			values = append(values, d.Cube.Value(row, i))
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
	o.Said = true
	o.Ordered = by == nil || by.Agg == "" && !by.IsRatio() || by.Agg == dashboard.None
	o.Rank = map[string]int{}
	for _, v := range values {
		if key := dashboard.ValueKey(v); v != nil {
			if _, ok := o.Rank[key]; !ok {
				o.Rank[key] = len(o.Rank)
			}
		}
	}
	down := func(a, b any) int { return o.Natural.Compare(b, a) }
	o.ranged = o.ranged && (slices.IsSortedFunc(values, o.Natural.Compare) || slices.IsSortedFunc(values, down))
}

// orderedBy returns the values of a column in the order of another one, over all rows.
func (d *Dataset) orderedBy(o *Ordering, a *dashboard.Appearance, by *dashboard.Column) []any {
	g := d.Cube.Group(d.EveryRow(), cube.Query{By: []cube.Dim{{Column: a.Column, Zone: d.Env.Zone}}})
	keys := d.SortKeys(d.EveryRow(), []cube.Dim{{Column: a.Column, Zone: d.Env.Zone}}, by)
	axis := g.Axes[0]
	order := stat.Indices(len(axis))
	o.Plain().Sort(order, axis)
	keys.Sort(order, axis, a.Order.Descending)
	values := make([]any, len(order))
	for i, at := range order {
		values[i] = axis[at].Value
	}
	return values
}

// Compare orders two categories: those that the spec names come first, then the others, then rows without a value, then merged rows.
func (o *Ordering) Compare(a, b cube.Category) int {
	if order := cmp.Compare(stat.One(a.Other), stat.One(b.Other)); order != 0 {
		return order
	}
	if order := cmp.Compare(stat.One(a.Value == nil), stat.One(b.Value == nil)); order != 0 {
		return order
	}
	if o.Rank != nil && a.Value != nil {
		x, okx := o.Rank[dashboard.ValueKey(a.Value)]
		y, oky := o.Rank[dashboard.ValueKey(b.Value)]
		switch {
		case okx && oky:
			return cmp.Compare(x, y)
		case okx || oky:
			return cmp.Compare(stat.One(oky), stat.One(okx))
		}
	}
	return o.Natural.Compare(a.Value, b.Value)
}

// Sort orders the indexes of an axis.
func (o *Ordering) Sort(order []int, axis []cube.Category) {
	cats := make([]cube.Category, len(order))
	for i, at := range order {
		cats[i] = axis[at]
	}
	sortBy(order, o.comparing(cats))
}

// Keys are the values of a column by which categories are sorted, if the categories do not show it: the sum of a measure that adds up, or
// else the first of the values, or the last of times if the SQL returns late ones.
type Keys struct {
	value   map[string]any // by the keys of the categories
	natural *dashboard.Natural
	spent   *int // see [Ordering]
}

// SortKeys returns the values of col by which the groups of rows are sorted.
func (d *Dataset) SortKeys(rows cube.Selection, by []cube.Dim, col *dashboard.Column) *Keys {
	k := &Keys{map[string]any{}, dashboard.NaturalOrder(d.Cube, col.Name, d.Env.Locale), d.Spent}
	n := len(by)
	if m := d.Measure(col); col.Role == dashboard.Measure && Additive(m) {
		if len(rows) == d.Cube.Rows() { // all rows, ignoring filters
			m = d.WithFilters([]cube.Measure{m}, nil)[0]
		}
		g := d.Cube.Group(rows, cube.Query{By: by, Measures: []cube.Measure{m}})
		for i := range g.Len() {
			k.value[keyOf(g, i, n)] = g.Exact(i, 0)
		}
		return k
	}
	end, told := col.End()
	latest := told && end == dashboard.Max && col.Type.IsTime()
	g := d.Cube.Group(rows, cube.Query{By: append(slices.Clone(by), cube.Dim{Column: col.Name, Zone: d.Env.Zone})})
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
	return CategoryKey(cats)
}

// CategoryKey returns a key for values of several columns.
func CategoryKey(cats []cube.Category) string {
	key := ""
	for _, c := range cats {
		if c.Value == nil {
			key += "-"
		}
		key += dashboard.ValueKey(c.Value) + "\x00"
	}
	return key
}

// Sort orders the indexes of an axis by the values of its categories; those without a value are last.
// Equal ones keep their order.
func (k *Keys) Sort(order []int, axis []cube.Category, descending bool) {
	values := make([]cube.Category, len(order))
	for i, at := range order {
		values[i].Value = k.value[CategoryKey(axis[at:at+1])]
	}
	compare := (&Ordering{Natural: k.natural, spent: k.spent}).comparing(values)
	sortBy(order, func(i, j int) int {
		if descending && values[i].Value != nil && values[j].Value != nil {
			return compare(j, i)
		}
		return compare(i, j)
	})
}

// Float returns a number as a float64.
func Float(v any) (float64, bool) {
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

// Ranked returns the indexes of an axis ordered by a measure; those without a value are last, and equal ones keep their order.
func (o *Ordering) Ranked(g *cube.Groups, dim, measure int, descending bool) []int {
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
			o.Sort(out[from:to], g.Axes[dim])
		}
		from = to
	}
	return out
}

// otherLast moves merged values to the end of an axis.
func otherLast(order []int, axis []cube.Category) {
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(stat.One(axis[a].Other), stat.One(axis[b].Other)) })
}

// An Order is the order of the values of a channel: by default that of its column.
type Order struct {
	Measured   bool              // by a measure of the query
	Measure    int               // which
	Column     *dashboard.Column // by a column that the query does not have; nil for none
	Largest    bool              // values that have no order of their own: by the first measure, the largest first
	Rows       bool              // values that have no order of their own: in the order of the rows
	Said       bool              // times too have the order that the spec defines; otherwise they are chronological
	Descending bool              // the other way around
}

// Sorted returns the indexes on the axis of a channel in its order. Merged values are last.
func (t *Table) Sorted(dim int) []int {
	by, o, axis := t.Query.By[dim].Order, t.ordering(dim), t.Axes[dim]
	out := stat.Indices(len(axis))
	own := o.Ordered || o.Said
	switch {
	case by.Measured:
		out = o.Ranked(t.Groups, dim, by.Measure, by.Descending)
	case by.Column != nil:
		o.Sort(out, axis)
		keys := t.data.SortKeys(t.data.Rows, []cube.Dim{t.Dim(dim)}, by.Column)
		keys.Sort(out, axis, by.Descending)
	case by.Largest && !own:
		out = o.Ranked(t.Groups, dim, 0, true)
	case by.Rows && !own: // text is on the axis in the order of the rows
		t.doubtOrder(dim)
	case !t.Outcomes[dim].Merged && (by.Said || !t.Column(dim).Type.IsTime()): // those are in order
		o.Sort(out, axis)
	}
	if by.Descending && !by.Measured && by.Column == nil {
		slices.Reverse(out)
	}
	otherLast(out, axis)
	return out
}

// doubtOrder warns of values in the order of rows whose query does not define an order.
func (t *Table) doubtOrder(dim int) {
	a := &t.Outcomes[dim]
	if a.doubted || len(t.Axes[dim]) < 2 || t.data.InOrder() {
		return
	}
	a.doubted = true
	t.report(Warned(dashboard.WarnDoubtful, t.Query.By[dim].Key,
		`"%s" is drawn in the order of the rows, and the sql has no ORDER BY; add one, or name a column in sort.`, t.Query.By[dim].Column))
}
