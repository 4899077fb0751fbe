package panel

import (
	"cmp"
	"slices"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
)

// some names the first five of some values, and adds the number of the others.
func (p *Env) some(names []string) string {
	const named = 5
	if n := len(names) - named; n > 0 {
		names = append(names[:named:named], p.Count(n, "and %d more", "and %d more"))
	}
	return strings.Join(names, ", ")
}

// place sets the places of the boxes on their axis, in order. Rows of places that lie have no gaps for dates without rows.
func (b *boxPanel) place(cats []cube.Category, of []fiveNumbers) {
	p, s := b.Panel, b.split
	places := map[cube.Category]int{}
	for _, i := range b.order(cats, of) {
		places[cats[i]] = i
		if s.time && cats[i].Value == nil {
			p.report(encode.WithoutTime(&s.xcol))
			continue
		}
		s.x = append(s.x, cats[i])
	}
	if s.time {
		s.dim = p.Data.Dim(p.Spec.X, s.grain)
		rolled := s.grain != cube.Exact
		s.step = s.regular()
		s.findPartial(&p.Rows, rolled)
	}
	if len(s.x) == 0 {
		p.Empty = cmp.Or(p.Empty, p.missing())
		return
	}
	median := b.col
	if median.Type == cube.Integer { // the median of integers can be between two of them
		median.Type = cube.Number
	}
	if s.series = b.legend; s.series == nil {
		s.series = []seriesOf{{name: b.col.Label, color: b.markColor(b.col.Name)}}
	}
	n := len(s.series)
	s.value, s.exact, s.null = make([][]float64, n), make([][]any, n), make([][]bool, n)
	boxes := make([]fiveNumbers, 0, len(s.x)*n)
	for _, c := range s.x {
		first := places[c] * n
		boxes = append(boxes, of[first:first+n]...)
		for k, f := range of[first : first+n] {
			s.value[k], s.exact[k], s.null[k] = append(s.value[k], f.median), append(s.exact[k], f.exact[2]), append(s.null[k], !f.there)
		}
	}
	for k := range s.series {
		s.series[k].col = &median
	}
	from, slots := stat.Indices(len(s.x)), false
	if s.time && !p.Spec.Horizontal { // dates without rows have places too
		from, slots = s.slots()
	}
	for _, i := range from {
		if i < 0 {
			b.boxes = append(b.boxes, make([]fiveNumbers, n)...)
		} else {
			b.boxes = append(b.boxes, boxes[i*n:(i+1)*n]...)
		}
	}
	b.colors = p.barColors(s)
	b.slots = s.slotsOf(slots || p.Spec.Horizontal)
}

// order returns the indexes of the values of x that have a box, in their order: the order of sort or, for names without an order, by
// median, the largest first. With series, the largest median of a place counts.
func (b *boxPanel) order(cats []cube.Category, of []fiveNumbers) []int {
	p, s := b.Panel, b.split
	order := stat.Indices(len(cats))
	if s.time || s.ranges || p.Spec.X == "" {
		return order
	}
	o := p.Data.Ordering(p.Spec.X)
	o.Sort(order, cats)
	by, descending := sortKey(p.Spec.Sort)
	ranked := slices.Clone(order)
	heads := make([]fiveNumbers, len(cats)) // of each place, the box with the largest median
	for i, f := range of {
		if head := &heads[i/b.beside()]; f.there && (!head.there || f.median > head.median) {
			*head = f
		}
	}
	byMedian := func(descending bool) {
		slices.SortStableFunc(ranked, func(x, y int) int {
			switch a, b := heads[x], heads[y]; {
			case !a.there || !b.there: // values without a box are last
				return cmp.Compare(stat.One(b.there), stat.One(a.there))
			case descending:
				return cmp.Compare(b.median, a.median)
			default:
				return cmp.Compare(a.median, b.median)
			}
		})
	}
	text := encode.NotDrawn
	switch col := p.Data.Column(by); {
	case by == "" || by == p.Spec.X:
		byMedian(true)
	case by == cmp.Or(p.Spec.Value, p.Spec.Median):
		if byMedian(descending); !descending {
			text = "The %s smallest of %s values of %s; the rest is not drawn."
		}
	case col != nil:
		p.shows = append(p.shows, by)
		keys := p.Data.SortKeys(p.Data.Rows, []cube.Dim{p.Data.Dim(p.Spec.X, s.grain)}, col)
		keys.Sort(ranked, cats, descending)
		text = "The first %s of %s values of %s; the rest is not drawn."
	}
	limit := b.limit()
	if s.ordered {
		limit = b.most()
	}
	if all := len(order); all > limit && (all > limit+1 || p.Spec.Limit > 0) {
		left := encode.Noted(text, limit, all, encode.Inline(s.xcol.Label))
		if limit != p.Spec.Limit {
			left = left.Cut("limit", limit, all, s.xcol.Name, b.otherLimit())
		} else {
			left = p.limitedTo(left, limit, all, s.xcol.Name)
		}
		p.report(left)
		ranked = p.keptOf(ranked, cats, limit)
	}
	if p.family != nil && (by == "" || by == p.Spec.X) {
		if descending {
			slices.Reverse(order)
		}
		return order
	}
	if by == "" && !o.Ordered && !o.Said || by != "" && by != p.Spec.X {
		return ranked
	}
	order = slices.DeleteFunc(order, func(i int) bool { return !slices.Contains(ranked, i) })
	if descending {
		slices.Reverse(order)
	}
	return order
}

// keptOf returns the first indexes of an order up to limit, and those of highlighted values.
func (p *Rows) keptOf(order []int, cats []cube.Category, limit int) []int {
	lit := p.alwaysDrawn(p.Spec.X)
	if lit == nil {
		return order[:limit]
	}
	return slices.DeleteFunc(order, func(i int) bool {
		if lit(cats[i]) {
			return false
		}
		limit--
		return limit < 0
	})
}

// tabulate makes the panel's grid: the numbers of each box and, if these are computed from rows, the number of rows.
func (b *boxPanel) tabulate() {
	p, s := b.Panel, b.split
	first := Column{Column: s.xcol, Grain: s.grain, every: s.step, merged: s.ranges || p.Spec.X == ""}
	first.Role = dashboard.Dimension
	p.Grid = &Grid{Columns: []Column{first}}
	keys := func(i int) []any { return []any{s.x[i]} }
	if b.legend != nil {
		p.Grid.Columns = append(p.Grid.Columns, Column{Column: *p.Data.Column(p.Spec.Series)})
		keys = func(i int) []any { return []any{s.x[i/len(b.legend)], b.legend[i%len(b.legend)].mark.Category} }
	}
	if p.Spec.Value == "" {
		for _, name := range p.Spec.Five() {
			p.Grid.Columns = append(p.Grid.Columns, Column{Column: *p.Data.Column(name)})
		}
		for i, f := range b.boxes {
			p.Grid.Rows = append(p.Grid.Rows, append(keys(i), f.exact[:]...))
		}
		return
	}
	number := func(like dashboard.Column, label string) {
		like.Name, like.Label, like.Role = "", label, cmp.Or(like.Role, dashboard.Measure)
		p.Grid.Columns = append(p.Grid.Columns, Column{Column: like})
	}
	count := dashboard.Column{Column: cube.Column{Type: cube.Integer}, Role: dashboard.Measure}
	quartile := *s.series[0].col
	number(count, p.Env.Text("Rows"))
	number(b.col, p.Env.Text("Lowest"))
	number(quartile, p.Env.Text("Lower whisker"))
	number(quartile, p.Env.Text("First quartile"))
	number(quartile, p.Env.Text("Median"))
	number(quartile, p.Env.Text("Third quartile"))
	number(quartile, p.Env.Text("Upper whisker"))
	number(b.col, p.Env.Text("Highest"))
	number(count, p.Env.Text("Outliers"))
	for i, f := range b.boxes {
		row := []any{int64(f.rows), nil, nil, nil, nil, nil, nil, nil, nil}
		if f.there {
			row = []any{int64(f.rows), f.exact[0], f.low, f.q1, f.median, f.q3, f.high, f.exact[4], int64(f.outliers)}
		}
		p.Grid.Rows = append(p.Grid.Rows, append(keys(i), row...))
	}
}
