package panel

import (
	"math"
	"slices"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
)

// cellPoints is the maximum number of points of a sparkline in a cell, before times are rounded down.
const cellPoints = 60

// A cellTrend is the sparklines of a column of a table: one for each drawn row.
type cellTrend struct {
	rows  []*smallLine // of each row; nil for none
	total *smallLine   // of the row of totals; nil for none
}

// A trendAxis is the times that all sparklines over a date share, on every page of the table.
type trendAxis struct {
	col   dashboard.Column
	grain cube.Grain    // the grain by which times are named
	times []time.Time   // the complete ones, ascending
	at    map[int64]int // index in times, by microseconds
	step  cube.Grain    // from one to the next
}

// A smallLine is a sparkline in a cell.
type smallLine struct {
	canvas.CellLine
	values []float64 // by time of the axis; NaN for none
}

// addTrends computes the sparklines of the drawn rows, and of the row of totals.
func (t *tablePanel) addTrends(lines []int) {
	t.trends = make([]*cellTrend, len(t.cols))
	over := map[string][]int{} // columns, by date
	var dates []string
	for j, c := range t.cols {
		date := c.style.Sparkline
		if date == "" {
			continue
		}
		if over[date] == nil {
			dates = append(dates, date)
		}
		over[date] = append(over[date], j)
	}
	for _, date := range dates {
		t.addTrendsOver(date, over[date], lines)
	}
}

// addTrendsOver computes the sparklines of columns over a date.
func (t *tablePanel) addTrendsOver(date string, columns, lines []int) {
	p := t.Panel
	col := p.col(date)
	if p.Problem != "" {
		return
	}
	var measures []cube.Measure
	mergeable, levels := true, true
	of, same := t.own, func(lines []int) []int { return lines }
	if e := t.earlier; e != nil && e.period != nil { // small lines are over all periods
		p.Data = e.period.all
		of = p.Data.Cube.Table(p.Data.Rows, t.by, false)
		same = func(lines []int) []int { return of.Same(t.lines, lines) }
	}
	for _, j := range columns {
		m := t.trendMeasure(t.cols[j])
		levels = levels && p.Data.Level(p.Data.Column(t.cols[j].Name))
		measures = append(measures, m)
		mergeable = mergeable && encode.Additive(m)
	}
	grain, span := p.grain(date, cellPoints, mergeable)
	dim := cube.Dim{Column: date, Grain: grain, Week: p.Env.week, Zone: p.Env.Zone}
	each := of.Split(same(lines), dim, measures)
	var all *cube.Groups
	if len(lines) == of.Len() { // all lines are drawn
		all = each.Fold(1)
	} else {
		all = p.Data.Group(p.Data.Rows, cube.Query{By: []cube.Dim{dim}, Measures: measures})
	}
	axis := p.trendAxis(*col, all.Axes[0], grain, span, levels)
	if axis == nil {
		return
	}
	if t.foot != nil && t.how.search != "" {
		all = p.Data.Group(of.Rows(same(t.foot.lines)), cube.Query{By: []cube.Dim{dim}, Measures: measures})
	}
	for m, j := range columns {
		f := &gapFinder{rhythm: p.rhythmOf(*col, axis.step, axis.times, measures[m:m+1]), at: func(x int) time.Time { return axis.times[x] }}
		out := &cellTrend{rows: make([]*smallLine, len(lines))}
		t.trends[j] = out
		for from, to := 0, 0; from < each.Len(); from = to {
			row := each.At(from, 0)
			for to < each.Len() && each.At(to, 0) == row {
				to++
			}
			out.rows[row] = t.smallLine(axis, f, t.cols[j], course{each, m, from, to})
		}
		if t.foot != nil && t.foot.values[j] != nil {
			out.total = t.smallLine(axis, f, t.cols[j], course{all, m, 0, all.Len()})
		}
	}
}

// trendMeasure returns the measure of a sparkline: that of the cells, whose times are under the filters of the panel's rows.
func (t *tablePanel) trendMeasure(c tableColumn) cube.Measure {
	m := t.Data.Measure(t.Data.Column(c.Name))
	m.Agg = t.measureOf(c).Agg // of equal values
	return m
}

// trendAxis computes the axis of sparklines from all times, or returns nil after reporting why there is none. levels reports that all of
// them are stocks, for which the running period is included.
func (p *Rows) trendAxis(col dashboard.Column, times []cube.Category, grain cube.Grain, span cube.Span, levels bool) *trendAxis {
	axis := &trendAxis{col: col, at: map[int64]int{}}
	s := &split{grain: grain, span: span, time: true}
	for _, c := range times {
		if _, ok := c.Value.(time.Time); ok {
			s.x = append(s.x, c)
		}
	}
	step := s.regular()
	if step == cube.Exact && !span.Clock {
		step = cube.Daily
	}
	axis.grain, axis.step = s.grain, step
	cutter := p.cutter(col, step, grain != cube.Exact)
	left := false
	for _, c := range s.x {
		at := c.Value.(time.Time)
		if cutter != nil && p.Spec.Partial != "show" && !levels {
			if why, _, _ := cutter.why(at); why != "" {
				p.report(encode.Noted("The small lines are without %s: %s.", p.Env.Cell(col, axis.grain, c), why))
				left = true
				continue
			}
		}
		axis.at[at.UnixMicro()] = len(axis.times)
		axis.times = append(axis.times, at)
	}
	if left && p.Spec.Partial == "" {
		p.report(encode.Warned(dashboard.WarnIncomplete, "partial",
			"the small lines are without periods that are not complete; show draws them too."))
	}
	if len(axis.times) < 2 {
		p.report(encode.Noted("There are no small lines: they need two complete periods.").
			Warned(dashboard.WarnLeftOut, "columns",
				`there are no small lines over "%s", for the rows have fewer than two complete periods of it.`, col.Name))
		return nil
	}
	return axis
}

// A course is a measure of the groups in [from, to), one for each time, which is their last dimension.
type course struct {
	*cube.Groups
	measure, from, to int
}

// smallLine draws a course on a scale of its own. Times without a value have no point; f finds the breaks of the line.
func (t *tablePanel) smallLine(axis *trendAxis, f *gapFinder, c tableColumn, g course) *smallLine {
	out := &smallLine{values: slices.Repeat([]float64{math.NaN()}, len(axis.times))}
	out.Color = t.Env.measureColors(c.Name)[0]
	first, last, lo, hi, n := -1, -1, -1, -1, 0
	group, null := make([]int, len(axis.times)), make([]bool, len(axis.times))
	dim := len(g.Axes) - 1
	for i := g.from; i < g.to; i++ {
		v, ok := g.Value(i, g.measure)
		at, isTime := g.Category(i, dim).Value.(time.Time)
		x, shown := 0, false
		if isTime {
			x, shown = axis.at[at.UnixMicro()]
		}
		if !ok && shown {
			null[x] = true
		}
		if !ok || !shown {
			continue
		}
		out.values[x], group[x], last = v, i, x
		n++
		if first < 0 {
			first, lo, hi = x, x, x
		}
		if exact := g.Exact(i, g.measure); lessNumber(exact, g.Exact(group[lo], g.measure)) {
			lo = x
		} else if lessNumber(g.Exact(group[hi], g.measure), exact) {
			hi = x
		}
	}
	if n == 0 {
		return nil
	}
	var points []int
	for x, v := range out.values {
		if !math.IsNaN(v) {
			points = append(points, x)
		}
	}
	broken := f.breaks(points, null)
	begun, ended := axis.times[0], axis.times[len(axis.times)-1]
	for x, v := range out.values {
		if math.IsNaN(v) {
			continue
		}
		y := 500
		if least, most := out.values[lo], out.values[hi]; !stat.Flat(least, most) {
			y = int(950 - chart.Within(v, least, most)*900 + 0.5)
		}
		out.Points = append(out.Points, canvas.Point{X: int(between(axis.times[x], begun, ended)*1000 + 0.5), Y: y, Broken: broken[x]})
	}
	if n == 1 { // a line of length zero is a dot
		out.Points = append(out.Points, out.Points[0])
	}
	name := func(x int) string { return t.Env.Time(axis.col.Format, axis.grain, axis.times[x]) }
	amount := func(x int) string { return t.Env.Quantity(c.Column, g.Exact(group[x], g.measure)) }
	out.Says = t.Env.Text("%s only: ", name(first))
	if n > 1 {
		out.Says = t.Env.Count(n, "%d point from %s to %s: ", "%d points from %s to %s: ", name(first), name(last))
	}
	out.Says = c.Label + ": " + out.Says +
		t.Env.Text("latest %s, lowest %s (%s), highest %s (%s).", amount(last), amount(lo), name(lo), amount(hi), name(hi))
	return out
}

// draw returns the sparkline of a drawn row, or of the row of totals for -1, as the contents of a cell.
func (t *cellTrend) draw(row int) canvas.CellLine {
	if l := t.of(row); l != nil {
		return l.CellLine
	}
	return canvas.CellLine{}
}

// of returns the sparkline of a drawn row, or of the row of totals for -1; nil without values.
func (t *cellTrend) of(row int) *smallLine {
	switch {
	case t == nil:
		return nil
	case row < 0:
		return t.total
	}
	return t.rows[row]
}

// sketch returns a sparkline as text, with a space before it; "" for none.
func (s *smallLine) sketch() string {
	if s == nil {
		return ""
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range s.values {
		if !math.IsNaN(v) {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	return " " + spark(s.values, 10, lo, hi)
}
