package page

import (
	"cmp"
	"slices"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
)

// some names the first of some values, and says how many more there are.
func (p *panel) some(names []string) string {
	const named = 5
	if n := len(names) - named; n > 0 {
		names = append(names[:named:named], p.env.Count(n, "and %d more", "and %d more"))
	}
	return strings.Join(names, ", ")
}

// place puts the boxes on their axis, in order.
func (b *boxPanel) place(cats []cube.Category, of []fiveNumbers) {
	p, s := b.panel, b.split
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
		rolled := s.grain != cube.Exact
		s.step = s.regular()
		s.findPartial(p, rolled)
	}
	if len(s.x) == 0 {
		p.empty = cmp.Or(p.empty, p.env.missing())
		return
	}
	median := b.col
	if median.Type == cube.Integer { // one between two integers is none
		median.Type = cube.Number
	}
	s.series = []seriesOf{{name: b.col.Label, color: p.env.measureColors(b.col.Name)[0], col: &median}}
	boxes := make([]fiveNumbers, len(s.x))
	s.value, s.exact, s.null = make([][]float64, 1), make([][]any, 1), make([][]bool, 1)
	for i, c := range s.x {
		boxes[i] = of[places[c]]
		f := &boxes[i]
		s.value[0], s.exact[0], s.null[0] = append(s.value[0], f.median), append(s.exact[0], f.exact[2]), append(s.null[0], !f.there)
	}
	from, slots := stat.Indices(len(s.x)), false
	if s.time { // dates without rows have a place
		from, slots = s.slots()
	}
	for _, i := range from {
		if i < 0 {
			b.boxes = append(b.boxes, fiveNumbers{})
		} else {
			b.boxes = append(b.boxes, boxes[i])
		}
	}
	b.colors = p.barColors(s)
	b.slots = s.slotsOf(slots)
}

// order are the places of the values of x that have a box, in their order: that of
// sort, or for names without an order by median, the largest first.
func (b *boxPanel) order(cats []cube.Category, of []fiveNumbers) []int {
	p, s := b.panel, b.split
	order := stat.Indices(len(cats))
	if s.time || s.ranges || p.spec.X == "" {
		return order
	}
	o := p.data.Ordering(p.spec.X)
	o.Sort(order, cats)
	by, descending := sortKey(p.spec.Sort)
	ranked := slices.Clone(order)
	byMedian := func(descending bool) {
		slices.SortStableFunc(ranked, func(x, y int) int {
			switch a, b := of[x], of[y]; {
			case !a.there || !b.there: // those without are last
				return cmp.Compare(stat.One(b.there), stat.One(a.there))
			case descending:
				return cmp.Compare(b.median, a.median)
			default:
				return cmp.Compare(a.median, b.median)
			}
		})
	}
	text := encode.NotDrawn
	switch col := p.data.Column(by); {
	case by == "" || by == p.spec.X:
		byMedian(true)
	case by == cmp.Or(p.spec.Value, p.spec.Median):
		if byMedian(descending); !descending {
			text = "The %s smallest of %s values of %s; the rest is not drawn."
		}
	case col != nil:
		p.shows = append(p.shows, by)
		keys := p.data.SortKeys(p.data.Rows, []cube.Dim{p.data.Dim(p.spec.X, s.grain)}, col)
		slices.SortStableFunc(ranked, func(x, y int) int { return keys.Compare(cats[x:x+1], cats[y:y+1], descending) })
		text = "The first %s of %s values of %s; the rest is not drawn."
	}
	limit := b.limit()
	if s.ordered {
		limit = boxSteps
	}
	if all := len(order); all > limit && (all > limit+1 || p.spec.Limit > 0) {
		left := encode.Noted(text, limit, all, encode.Inline(s.xcol.Label))
		if limit != p.spec.Limit {
			left = left.Cut(dashboard.WarnCut, "limit", limit, all, s.xcol.Name, "limit is another number, at most 62")
		}
		p.report(left)
		ranked = ranked[:limit]
	}
	if p.family != nil && (by == "" || by == p.spec.X) {
		if descending {
			slices.Reverse(order)
		}
		return order
	}
	if by == "" && !o.Ordered && !o.Said || by != "" && by != p.spec.X {
		return ranked
	}
	order = slices.DeleteFunc(order, func(i int) bool { return !slices.Contains(ranked, i) })
	if descending {
		slices.Reverse(order)
	}
	return order
}

// tabulate gives the panel its grid: the numbers of each box and, where they are of
// rows, how many these are.
func (b *boxPanel) tabulate() {
	p, s := b.panel, b.split
	first := gridColumn{Column: s.xcol, grain: s.grain, every: s.step, merged: s.ranges || p.spec.X == ""}
	first.Role = dashboard.Dimension
	p.grid = &grid{cols: []gridColumn{first}}
	if p.spec.Value == "" {
		for _, name := range p.spec.Five() {
			p.grid.cols = append(p.grid.cols, gridColumn{Column: *p.data.Column(name)})
		}
		for i, f := range b.boxes {
			p.grid.rows = append(p.grid.rows, append([]any{s.x[i]}, f.exact[:]...))
		}
		return
	}
	number := func(like dashboard.Column, label string) {
		like.Name, like.Label, like.Role = "", label, cmp.Or(like.Role, dashboard.Measure)
		p.grid.cols = append(p.grid.cols, gridColumn{Column: like})
	}
	count := dashboard.Column{Column: cube.Column{Type: cube.Integer}, Role: dashboard.Measure}
	quartile := *s.series[0].col
	number(count, p.env.Text("Rows"))
	number(b.col, p.env.Text("Lowest"))
	number(quartile, p.env.Text("Lower whisker"))
	number(quartile, p.env.Text("First quartile"))
	number(quartile, p.env.Text("Median"))
	number(quartile, p.env.Text("Third quartile"))
	number(quartile, p.env.Text("Upper whisker"))
	number(b.col, p.env.Text("Highest"))
	number(count, p.env.Text("Outliers"))
	for i, f := range b.boxes {
		row := []any{s.x[i], int64(f.rows), nil, nil, nil, nil, nil, nil, nil, nil}
		if f.there {
			row = []any{s.x[i], int64(f.rows), f.exact[0], f.low, f.q1, f.median, f.q3, f.high, f.exact[4], int64(f.outliers)}
		}
		p.grid.rows = append(p.grid.rows, row)
	}
}
