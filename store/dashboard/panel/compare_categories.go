package panel

import (
	"fmt"

	"service/store/dashboard/canvas"
	"service/store/dashboard/cube"
)

// Bars of categories are compared with an earlier period of a filter on a date, over the same days as a number: see [Rows.findDays]. Both
// periods have the same categories, and each category has a bar of both.

// compareCategories finds the earlier period of bars of categories, if the spec compares with one, and limits the panel to the rows of the
// shown one that are compared: today, which is not over, is left out. Without an earlier period it reports why, and returns false.
func (p *Panel) compareCategories() bool {
	x := p.Data.Column(p.Spec.X)
	if len(p.Spec.Compare) == 0 || len(p.Spec.Y) != 1 || p.Spec.Series != "" || p.family != nil || x == nil || x.Type.IsTime() {
		return false
	}
	dates, col := p.datesFilter(), p.Data.Column(p.Spec.Y[0])
	switch {
	case col == nil:
		return false
	case dates == nil:
		p.notCompared("no filter leaves a period; a default of a filter on a date does.")
		return false
	}
	all := p.Data
	b := p.daysBefore(dates, p.Data.Level(col))
	if b == nil || !b.reached {
		p.Data = all // nothing is compared, so no row of the period is left out
		return false
	}
	p.before = b
	return true
}

// daysBefore finds the earlier period of values over the days of a filter, which are stocks or not, and limits the panel to the rows of the
// shown period that are compared. If the data do not reach back to the earlier period, it reports that, and the period has no rows and is
// not reached. If no day of the shown period is compared, it reports that and returns nil.
func (p *Panel) daysBefore(dates *Filter, stock bool) *before {
	c := &comparison{base: float64(len(p.Data.Rows))}
	rows := func(from, to cube.Day) (n float64, some, clear bool) {
		all := p.Data.Select(p.filtersDuring(dates.Column, from, to)...)
		return float64(len(all)), len(all) > 0, len(all) > 0
	}
	reached := p.findDays(c, p.Spec.Compare[0], dates, stock, rows)
	switch {
	case reached:
	case c.own == [2]cube.Day{}:
		p.notCompared("no day of the period is over.")
		return nil
	default:
		p.notCompared("the data begin after the earlier period, or within it.")
	}
	b := &before{asked: true, ofSpec: true, reached: reached, dates: dates.Column, from: c.before[0], to: c.before[1]}
	for i, of := range [...][2]cube.Day{c.own, c.before} { // without years if all days are in one
		b.names[i] = p.nameDays(dates.Column, of, c.own[1].Time().Year() == c.before[0].Time().Year())
	}
	if own := c.own; own[1] < *dates.To {
		p.Data = p.Data.Under(cube.Filter{Column: dates.Column, From: own[0], To: own[1], Zone: p.Env.Zone})
	}
	if reached {
		b.rows = p.Data.Select(p.filtersDuring(dates.Column, b.from, b.to)...)
	}
	return b
}

// nameDays returns the name of some days: that of a whole month, quarter or year, or their first and last one. Both are in the current year
// if they are short.
func (p *Rows) nameDays(dates string, of [2]cube.Day, short bool) string {
	col, from, to := *p.Data.Column(dates), of[0], of[1]
	for _, grain := range [...]cube.Grain{cube.Monthly, cube.Quarterly, cube.Yearly} {
		if grain.Floor(from, p.Env.week) == from && grain.Next(from)-1 == to {
			return p.Env.Cell(col, grain, cube.Category{Value: from.Time()})
		}
	}
	write := func(d cube.Day) string { return p.Env.Date(d.Time()) }
	switch {
	case p.inPeriods(dates):
		grain := p.Data.GrainsOf(dates)[0]
		from, to = grain.Floor(from, p.Env.week), grain.Floor(to, p.Env.week)
		write = func(d cube.Day) string { return p.Env.Cell(col, grain, cube.Category{Value: d.Time()}) }
	case short && from.Time().Year() == to.Time().Year():
		write = func(d cube.Day) string { return p.Env.DayMonth(d.Time()) }
	}
	if from >= to {
		return write(from)
	}
	return write(from) + " – " + write(to)
}

// addCategories adds the values of the earlier period to the only series, at the same categories. If they cannot be compared, it returns a
// function that reports why.
func (p *Panel) addCategories(s *split) (report func()) {
	b := p.before
	not := func(why, name string) func() { return func() { p.notCompared(fmt.Sprintf(why, name)) } }
	if s.ranges {
		return not(`the values of "%s" are merged into ranges; limit keeps them as they are.`, s.xcol.Name)
	}
	g := p.during(b.dates, b.from, b.to, cube.Query{By: []cube.Dim{s.dim}, Measures: []cube.Measure{p.Data.Measure(s.series[0].col)}})
	if p.Data.Env.Unclear(g, 0) != "" {
		return not(`nothing says how the rows of "%s" in the earlier period add up; declare its "agg".`, s.series[0].col.Name)
	}
	at, other := map[cube.Category]int{}, false
	for x, c := range s.x {
		at[c], other = x, other || c.Other
	}
	var drawn []int
	for i, c := range g.Axes[0] {
		if _, ok := at[c]; ok {
			drawn = append(drawn, i)
		}
	}
	g = g.Keep(0, drawn, other)
	value, exact, some := make([]float64, len(s.x)), make([]any, len(s.x)), false
	for i := range g.Len() {
		if x, ok := at[g.Category(i, 0)]; ok && g.Exact(i, 0) != nil {
			value[x], _ = g.Value(i, 0)
			exact[x], some = g.Exact(i, 0), true
		}
	}
	if !some {
		return func() { p.noteNothingBefore(s, b) }
	}
	s.series = append(s.series, seriesOf{name: p.Env.Text("Period before"), color: canvas.OtherColor, col: s.series[0].col})
	s.value, s.exact = append(s.value, value), append(s.exact, exact)
	s.null = append(s.null, make([]bool, len(s.x)))
	b.drawn = true
	p.noteBefore(s, b)
	return nil
}
