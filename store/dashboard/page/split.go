package page

import (
	"cmp"
	"math"
	"slices"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// A split is rows grouped by an axis and, when there is one, a series.
type split struct {
	groups *cube.Groups
	x      []cube.Category // along the axis, as drawn
	series []seriesOf      // in the order of the legend
	value  [][]float64     // series, x
	exact  [][]any         // the same as a table shows it, nil where there is none
	null   [][]bool        // whether the rows there are have none: a gap in a line
	xcol   dashboard.Column
	grain  cube.Grain
	span   cube.Span // of a time axis
	time   bool
}

type seriesOf struct {
	name  string
	color color
	col   *dashboard.Column
}

// A layout says how many categories a chart can show.
type layout struct {
	points int  // of a time axis, before it is rounded down to weeks, months, …
	limit  int  // of other axes
	sorted bool // by value, unless the panel says otherwise
	stack  bool // the series that are cut become Other; beside the others it would dwarf them
}

// split groups the panel's rows by p.X and p.Series, or p.X and each of p.Y.
// It returns nil when the panel has a problem.
func (p *panel) split(l layout) *split {
	spec, d := p.spec, p.data
	s := &split{xcol: *p.col(spec.X)}
	var measures []cube.Measure
	var ys []*dashboard.Column
	for _, y := range spec.Y {
		c := p.col(y)
		ys = append(ys, c)
		measures = append(measures, d.measure(c))
	}
	if len(ys) == 0 && p.problem == "" {
		p.problem = "No measure is named to draw."
	}
	if spec.Series != "" {
		p.col(spec.Series)
	}
	if p.problem != "" {
		return nil
	}
	s.time = s.xcol.Type.IsTime()
	if s.time {
		s.grain, s.span = p.grain(spec.X, l.points, !slices.ContainsFunc(measures, func(m cube.Measure) bool { return !additive(m) }))
	}
	by := []cube.Dim{{Column: spec.X, Grain: s.grain, Zone: p.page.zone}}
	if spec.Series != "" {
		by = append(by, cube.Dim{Column: spec.Series, Zone: p.page.zone})
	}
	g := d.cube.Group(d.rows, cube.Query{By: by, Measures: measures})
	for m := range measures {
		if p.problem = g.Problem(m); p.problem != "" {
			return nil
		}
	}
	g = p.cut(g, s, l)
	s.order(p, g, l)
	s.fill(p, g, ys)
	return s
}

// cut keeps what can be drawn, the largest categories and series, and says what
// it leaves out.
func (p *panel) cut(g *cube.Groups, s *split, l layout) *cube.Groups {
	spec := p.spec
	if !s.time {
		limit := cmp.Or(spec.Limit, l.limit)
		if spec.Limit == 0 && len(g.Axes[0]) == limit+1 {
			limit++
		}
		g = p.cutAxis(g, 0, limit, spec.Other)
	}
	if spec.Series != "" {
		g = p.cutAxis(g, 1, maxSeries, l.stack)
	}
	return g
}

func (p *panel) cutAxis(g *cube.Groups, dim, limit int, merge bool) *cube.Groups {
	top, n := g.Top(dim, 0, limit, merge)
	if n == 0 {
		return g
	}
	rest := "; the rest is merged into Other"
	if len(top.Axes[dim]) == limit {
		rest = notDrawn
		m := p.data.measure(p.data.column(p.spec.Y[0]))
		all, ok1 := g.Fold().Value(0, 0)
		drawn, ok2 := top.Fold().Value(0, 0)
		if m.Agg == cube.Sum && m.Over == nil && ok1 && ok2 {
			rest = "; the rest, not drawn, adds up to " + p.page.short(orInteger(*p.data.column(p.spec.Y[0])), all-drawn)
		}
	}
	p.most(limit, len(g.Axes[dim]), p.label([...]string{p.spec.X, p.spec.Series}[dim]), rest)
	return top
}

// order settles the order of the axis and of the legend.
func (s *split) order(p *panel, g *cube.Groups, l layout) {
	s.groups = g
	axis := indices(len(g.Axes[0]))
	by, descending := sortKey(p.spec.Sort)
	calendar := !s.time && sortCalendar(axis, g.Axes[0])
	switch m := slices.Index(p.spec.Y, by); {
	case m >= 0:
		axis = g.Ranked(0, m)
		if !descending {
			slices.Reverse(axis)
		}
	case by != "" && by == p.spec.X:
		slices.SortStableFunc(axis, func(a, b int) int { return compareValues(g.Axes[0][a].Value, g.Axes[0][b].Value) })
		if descending {
			slices.Reverse(axis)
		}
	case by == "" && !s.time && !calendar && l.sorted && s.xcol.Type == cube.Text:
		axis = g.Ranked(0, 0)
	}
	otherLast(axis, g.Axes[0])
	for _, i := range axis {
		c := g.Axes[0][i]
		if s.time && c.Value == nil {
			p.note("Rows without %s are left out.", dashboard.LowerLabel(s.xcol.Label))
			continue
		}
		s.x = append(s.x, c)
	}
}

// fill brings the groups' values into the order of axis and legend.
func (s *split) fill(p *panel, g *cube.Groups, ys []*dashboard.Column) {
	at := map[cube.Category]int{}
	for i, c := range s.x {
		at[c] = i
	}
	n := len(ys)
	var to []int // category of the series dimension: row in value
	if p.spec.Series != "" {
		n = len(g.Axes[1])
		to = make([]int, n)
		scol := *p.data.column(p.spec.Series)
		few := true // few enough that a colour can belong to a value, whatever the filters
		for _, c := range g.Axes[1] {
			few = few && c.Rank < maxSeries && !c.Other && scol.Type == cube.Text
		}
		ranked := g.Ranked(1, 0)
		calendar := sortCalendar(ranked, g.Axes[1])
		otherLast(ranked, g.Axes[1])
		for row, i := range ranked {
			c := g.Axes[1][i]
			to[i] = row
			color := seriesColor(row)
			if few && !calendar {
				color = seriesColor(c.Rank)
			}
			if c.Other {
				color = otherColor
			}
			s.series = append(s.series, seriesOf{name: p.page.cell(scol, cube.Exact, c), color: color, col: ys[0]})
		}
	} else {
		for i, y := range ys {
			s.series = append(s.series, seriesOf{name: y.Label, color: seriesColor(i), col: y})
		}
	}
	for range n {
		s.value = append(s.value, make([]float64, len(s.x)))
		s.exact = append(s.exact, make([]any, len(s.x)))
		s.null = append(s.null, make([]bool, len(s.x)))
	}
	for i := range g.Len() {
		x, ok := at[g.Category(i, 0)]
		if !ok {
			continue
		}
		if to != nil {
			row := to[g.At(i, 1)]
			s.put(row, x, i, 0)
			continue
		}
		for m := range ys {
			s.put(m, x, i, m)
		}
	}
}

// put takes a measure of a group as the value of a series at a place.
func (s *split) put(series, x, group, measure int) {
	s.value[series][x], _ = s.groups.Value(group, measure)
	s.exact[series][x] = s.groups.Exact(group, measure)
	s.null[series][x] = !s.has(series, x)
}

// has reports whether a series has a value at a place.
func (s *split) has(series, x int) bool { return s.exact[series][x] != nil }

// table is the split as a grid: a row for each place on the axis, a column for
// each series.
func (s *split) table() *grid {
	g := &grid{cols: []gridColumn{{s.xcol, s.grain}}}
	g.cols[0].Role = dashboard.Dimension
	for _, se := range s.series {
		c := *se.col
		c.Label = se.name
		g.cols = append(g.cols, gridColumn{Column: c})
	}
	cells := make([]any, len(s.x)*len(g.cols))
	for x, cat := range s.x {
		row := cells[x*len(g.cols) : (x+1)*len(g.cols) : (x+1)*len(g.cols)]
		row[0] = cat
		for i := range s.series {
			row[i+1] = s.exact[i][x]
		}
		g.rows = append(g.rows, row)
	}
	return g
}

// any reports whether there is a value.
func (s *split) any() bool {
	return slices.ContainsFunc(s.exact, func(row []any) bool {
		return slices.ContainsFunc(row, func(v any) bool { return v != nil })
	})
}

// positions are where on the axis each x lies, from 0 to 1, and whether they
// are evenly spaced.
func (s *split) positions() (at []float64, even bool) {
	n := len(s.x)
	at = make([]float64, n)
	even = true
	for i := range s.x {
		at[i] = 0.5
		if n > 1 {
			at[i] = float64(i) / float64(n-1)
		}
		if s.time && n > 1 {
			from, to := s.x[0].Value.(time.Time), s.x[n-1].Value.(time.Time)
			exact := float64(s.x[i].Value.(time.Time).Sub(from)) / float64(to.Sub(from))
			even = even && math.Abs(exact-at[i]) < 0.002
			at[i] = exact
		}
	}
	return at, even
}

// extent returns the smallest and the largest value that is drawn, with 0 among them.
func (s *split) extent(stacked bool) (lo, hi float64) {
	for x := range s.x {
		up, down := 0.0, 0.0
		for i := range s.series {
			v := s.value[i][x]
			switch {
			case !s.has(i, x):
			case !stacked:
				lo, hi = min(lo, v), max(hi, v)
			case v > 0:
				up += v
			default:
				down += v
			}
		}
		lo, hi = min(lo, down), max(hi, up)
	}
	return lo, hi
}
