package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// A figure is what a panel shows, worked out but not drawn.
type figure struct {
	page  *page
	panel *dashboard.Panel
	data  *dataset
	index int

	title   string
	notes   []string // what a viewer must know to read it right
	summary string   // one sentence with the leading values
	problem string   // why it cannot be shown
	empty   string   // why there is nothing to show
	grid    *grid    // the numbers behind it
	wide    bool     // a phone should give it the whole width
	draw    func(*doc)

	sparkline []point // of a KPI
}

// A grid is a table of values.
type grid struct {
	cols []gridColumn
	rows [][]any // of the types in package cube, or a cube.Category
}

type gridColumn struct {
	dashboard.Column
	grain cube.Grain
}

func (f *figure) note(format string, args ...any) {
	f.notes = append(f.notes, fmt.Sprintf(format, args...))
}

// col returns a column of the figure's dataset; one that is not there is named
// in the figure's problem.
func (f *figure) col(name string) *dashboard.Column {
	if c := f.data.column(name); c != nil {
		return c
	}
	if f.problem == "" {
		f.problem = fmt.Sprintf(`The query of dataset "%s" returns no column "%s".`, f.data.ID, name)
	}
	return &dashboard.Column{Column: cube.Column{Name: name}, Label: name}
}

// label is a column's name for people.
func (f *figure) label(name string) string {
	if f.data != nil {
		if c := f.data.column(name); c != nil {
			return c.Label
		}
	}
	return dashboard.Label(name)
}

// name gives the figure a title when the spec has none.
func (f *figure) name() {
	if f.title != "" {
		return
	}
	p := f.panel
	of := func(measures ...string) string {
		var names []string
		for _, m := range measures {
			if m != "" {
				names = append(names, f.label(m))
			}
		}
		for i := 1; i < len(names); i++ {
			names[i] = lower(names[i])
		}
		return strings.Join(names, " and ")
	}
	by := func(dims ...string) string {
		var names []string
		for _, d := range dims {
			if d != "" {
				names = append(names, lower(f.label(d)))
			}
		}
		if len(names) == 0 {
			return ""
		}
		return " by " + strings.Join(names, " and ")
	}
	switch p.Type {
	case dashboard.KPI:
		f.title = of(p.Value)
	case dashboard.Line, dashboard.Area, dashboard.Bar:
		f.title = of(p.Y...) + by(p.X, p.Series)
	case dashboard.Scatter:
		f.title = of(append([]string{p.X}, p.Y...)...) + by(p.Label)
	case dashboard.Pie:
		f.title = of(p.Value) + by(p.Label)
	case dashboard.Heatmap:
		f.title = of(p.Value) + by(append([]string{p.X}, p.Y...)...)
	default:
		f.title = dashboard.Label(f.data.ID)
	}
	if strings.TrimSpace(f.title) == "" {
		f.title = dashboard.Label(p.Type)
	}
}

// lower makes a label fit for the middle of a sentence: "Order value", but not
// "SKU".
func lower(s string) string {
	r := []rune(s)
	if len(r) > 1 && strings.ToLower(string(r[1])) == string(r[1]) {
		return strings.ToLower(string(r[:1])) + string(r[1:])
	}
	return s
}

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
	color int // class l1 to l8, or 9 for Other
	col   *dashboard.Column
}

// maxSeries is how many series get a colour; the rest becomes Other.
const maxSeries = 8

// A layout says how many categories a chart can show.
type layout struct {
	points int  // of a time axis, before it is rounded down to weeks, months, …
	limit  int  // of other axes
	sorted bool // by value, unless the panel says otherwise
	stack  bool // the series that are cut become Other; beside the others it would dwarf them
}

// split groups the figure's rows by p.X and p.Series, or p.X and each of p.Y.
// It returns nil when the figure has a problem.
func (f *figure) split(l layout) *split {
	p, d := f.panel, f.data
	s := &split{xcol: *f.col(p.X)}
	var measures []cube.Measure
	var ys []*dashboard.Column
	for _, y := range p.Y {
		c := f.col(y)
		ys = append(ys, c)
		measures = append(measures, d.measure(c))
	}
	if len(ys) == 0 && f.problem == "" {
		f.problem = "No measure is named to draw."
	}
	if p.Series != "" {
		f.col(p.Series)
	}
	if f.problem != "" {
		return nil
	}
	s.time = s.xcol.Type == cube.Date || s.xcol.Type == cube.Timestamp
	additive := true
	for _, m := range measures {
		additive = additive && m.Agg != cube.None && (m.Over == nil || m.Over.Agg != cube.None)
	}
	if s.time {
		s.grain, s.span = f.grain(p.X, l.points, additive)
	}
	by := []cube.Dim{{Column: p.X, Grain: s.grain, Zone: f.page.zone}}
	if p.Series != "" {
		by = append(by, cube.Dim{Column: p.Series, Zone: f.page.zone})
	}
	g := d.cube.Group(d.rows, cube.Query{By: by, Measures: measures})
	for m := range measures {
		if f.problem = g.Problem(m); f.problem != "" {
			return nil
		}
	}
	g = f.cut(g, s, l)
	s.order(f, g, l)
	s.fill(f, g, ys)
	return s
}

// cut keeps what can be drawn, the largest categories and series, and says what
// it leaves out.
func (f *figure) cut(g *cube.Groups, s *split, l layout) *cube.Groups {
	p := f.panel
	if !s.time {
		limit := cmp.Or(p.Limit, l.limit)
		if p.Limit == 0 && len(g.Axes[0]) == limit+1 {
			limit++
		}
		g = f.cutAxis(g, 0, limit, p.Other)
	}
	if p.Series != "" {
		g = f.cutAxis(g, 1, maxSeries, l.stack)
	}
	return g
}

func (f *figure) cutAxis(g *cube.Groups, dim, limit int, merge bool) *cube.Groups {
	top, n := g.Top(dim, 0, limit, merge)
	if n == 0 {
		return g
	}
	name := lower(f.label([...]string{f.panel.X, f.panel.Series}[dim]))
	rest := "the rest is merged into Other"
	if len(top.Axes[dim]) == limit {
		rest = "the rest is not drawn"
		m := f.data.measure(f.data.column(f.panel.Y[0]))
		all, ok1 := g.Fold().Value(0, 0)
		drawn, ok2 := top.Fold().Value(0, 0)
		if m.Agg == cube.Sum && m.Over == nil && ok1 && ok2 {
			rest = "the rest, not drawn, adds up to " + f.page.short(orInteger(*f.data.column(f.panel.Y[0])), all-drawn)
		}
	}
	f.note("The %d largest of %s; %s.", limit, f.count(len(g.Axes[dim]), name), rest)
	return top
}

// count writes "12 values of country".
func (f *figure) count(n int, of string) string {
	return f.page.number(float64(n), 0) + " values of " + of
}

// order settles the order of the axis and of the legend.
func (s *split) order(f *figure, g *cube.Groups, l layout) {
	s.groups = g
	axis := make([]int, len(g.Axes[0]))
	for i := range axis {
		axis[i] = i
	}
	by, descending := f.panel.Sort, false
	if rest, ok := strings.CutPrefix(by, "-"); ok {
		by, descending = rest, true
	}
	calendar := !s.time && sortCalendar(axis, g.Axes[0])
	switch m := slices.Index(f.panel.Y, by); {
	case m >= 0:
		axis = g.Ranked(0, m)
		if !descending {
			slices.Reverse(axis)
		}
	case by != "" && by == f.panel.X:
		slices.SortStableFunc(axis, func(a, b int) int { return compareValues(g.Axes[0][a].Value, g.Axes[0][b].Value) })
		if descending {
			slices.Reverse(axis)
		}
	case by == "" && !s.time && !calendar && l.sorted && s.xcol.Type == cube.Text:
		axis = g.Ranked(0, 0)
	}
	slices.SortStableFunc(axis, func(a, b int) int { // Other is always last
		return cmp.Compare(truth(g.Axes[0][a].Other), truth(g.Axes[0][b].Other))
	})
	for _, i := range axis {
		c := g.Axes[0][i]
		if s.time && c.Value == nil {
			f.note("Rows without %s are left out.", lower(s.xcol.Label))
			continue
		}
		s.x = append(s.x, c)
	}
}

// fill brings the groups' values into the order of axis and legend.
func (s *split) fill(f *figure, g *cube.Groups, ys []*dashboard.Column) {
	at := map[cube.Category]int{}
	for i, c := range s.x {
		at[c] = i
	}
	n := len(ys)
	var to []int // category of the series dimension: row in value
	if f.panel.Series != "" {
		n = len(g.Axes[1])
		to = make([]int, n)
		scol := *f.data.column(f.panel.Series)
		few := true // few enough that a colour can belong to a value, whatever the filters
		for _, c := range g.Axes[1] {
			few = few && c.Rank < maxSeries && !c.Other && scol.Type == cube.Text
		}
		ranked := g.Ranked(1, 0)
		calendar := sortCalendar(ranked, g.Axes[1])
		slices.SortStableFunc(ranked, func(a, b int) int {
			return cmp.Compare(truth(g.Axes[1][a].Other), truth(g.Axes[1][b].Other))
		})
		for row, i := range ranked {
			c := g.Axes[1][i]
			to[i] = row
			color := row%maxSeries + 1
			if few && !calendar {
				color = c.Rank + 1
			}
			if c.Other {
				color = maxSeries + 1
			}
			s.series = append(s.series, seriesOf{name: f.page.cell(scol, cube.Exact, c), color: color, col: ys[0]})
		}
	} else {
		for i, y := range ys {
			s.series = append(s.series, seriesOf{name: y.Label, color: i%maxSeries + 1, col: y})
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

// grain chooses how far times are rounded down so that at most about points
// remain; never, when the measure cannot be merged.
func (f *figure) grain(column string, points int, additive bool) (cube.Grain, cube.Span) {
	span, ok := f.data.cube.Span(f.data.rows, column, f.page.zone, points)
	if !ok || span.Distinct <= points || !additive {
		return cube.Exact, span
	}
	days := int(span.Max-span.Min) + 1
	var g cube.Grain
	var name string
	switch {
	case span.Clock && days*24 <= points:
		return cube.Hourly, span
	case span.Clock && days <= points:
		return cube.Daily, span
	case days/7 <= points:
		g, name = cube.Weekly, "week"
	case days/30 <= points:
		g, name = cube.Monthly, "month"
	default:
		g, name = cube.Yearly, "year"
	}
	// What is asked for, or what there is, can begin or end inside a week; its bar
	// must not look small without a word.
	from, to := span.Min, span.Max
	if all, ok := f.data.cube.Span(f.data.cube.Select(), column, f.page.zone, 0); ok {
		from, to = all.Min, all.Max
	}
	for i := range f.page.filters {
		if fl := &f.page.filters[i]; fl.Column == column && fl.from != nil {
			from, to = max(from, *fl.from), min(to, *fl.to)
		}
	}
	first, last := g.Floor(from) != from && g.Floor(from) == g.Floor(span.Min), g.Next(g.Floor(to)) != to+1 && g.Floor(to) == g.Floor(span.Max)
	text := "By " + name
	switch {
	case first && last:
		text += "; the first and the last are incomplete"
	case first:
		text += "; the first is incomplete"
	case last:
		text += "; the last is incomplete"
	}
	f.notes = append(f.notes, text+".")
	return g, span
}

// sortCalendar sorts categories that are all names of weekdays, or of months,
// as the calendar does, and reports whether they are.
func sortCalendar(order []int, axis []cube.Category) bool {
	place := make([]int, len(axis))
	kind := 0
	for i, c := range axis {
		s, ok := c.Value.(string)
		if !ok {
			if c.Value == nil && len(axis) > 1 {
				place[i] = 99
				continue
			}
			return false
		}
		p, k := calendarPlace(s)
		if k == 0 || kind != 0 && k != kind {
			return false
		}
		place[i], kind = p, k
	}
	if kind == 0 || len(axis) < 2 {
		return false
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(place[a], place[b]) })
	return true
}

// calendarPlace finds the place of a weekday (kind 1, Monday first) or a month
// (kind 2) written in English, long or short.
func calendarPlace(s string) (place, kind int) {
	if len(s) < 3 {
		return 0, 0
	}
	for d := time.Sunday; d <= time.Saturday; d++ {
		if strings.EqualFold(s, d.String()) || strings.EqualFold(s, d.String()[:3]) {
			return (int(d) + 6) % 7, 1
		}
	}
	for m := time.January; m <= time.December; m++ {
		if strings.EqualFold(s, m.String()) || strings.EqualFold(s, m.String()[:3]) {
			return int(m), 2
		}
	}
	return 0, 0
}
