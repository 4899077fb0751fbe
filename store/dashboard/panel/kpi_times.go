package panel

import (
	"slices"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
)

// compareTimes compares a stock, if no filter selects a period, with itself at an earlier time of its own column: the time before, or a
// year before. With the spec's grain, these are the last times of its periods.
func (p *Rows) compareTimes(by string, along *dashboard.Column, v float64, q cube.Query) *comparison {
	c := &comparison{base: v, why: p.Env.Text("no value in the earlier period")}
	dim := cube.Dim{Column: along.Name, Week: p.Env.week, Zone: p.Env.Zone}
	step := cube.Exact
	if own := p.Data.GrainsOf(along.Name); along.Type.IsTime() && len(own) > 0 {
		step = own[0]
	}
	if said := cube.Grain(p.Spec.Grain); along.Type.IsTime() && said != "auto" && said.Size() > step.Size() {
		dim.Grain, step = said, said
	}
	q.By = []cube.Dim{dim}
	g := p.Data.Group(p.Data.Rows, q)
	var some []int // groups with a value, in the order of their times
	for i := range g.Len() {
		if _, ok := g.Value(i, 0); ok && g.Category(i, 0).Value != nil {
			some = append(some, i)
		}
	}
	if len(some) < 2 || q.Measures[0].Agg == cube.First {
		return c
	}
	earlier, latest := some[:len(some)-1], g.Category(some[len(some)-1], 0).Value
	at := earlier[len(earlier)-1]
	if by == dashboard.PreviousYear {
		at = -1
		for _, i := range earlier {
			if yearApart(g.Category(i, 0).Value, latest, step) {
				at = i
			}
		}
		if at < 0 {
			c.why = p.Env.Text("no data a year before")
			return c
		}
	}
	c.value, c.ok = g.Value(at, 0)
	c.versus = p.moment(along, g.Category(at, 0).Value)
	if dim.Grain != cube.Exact {
		c.versus = p.Env.Cell(*along, dim.Grain, g.Category(at, 0))
	}
	return c
}

// yearApart reports whether one time of a column of years or times with a step is a year before another. For weeks, a year is 52 weeks; for
// days, it is the last day with rows in the week up to the date a year before.
func yearApart(before, at any, step cube.Grain) bool {
	if year, ok := at.(int64); ok {
		return before == year-1
	}
	t, isTime := at.(time.Time)
	b, also := before.(time.Time)
	if !isTime || !also {
		return false
	}
	want := t.AddDate(-1, 0, 0)
	switch {
	case step == cube.Weekly:
		want = t.AddDate(0, 0, -364)
	case step.Size() <= cube.Daily.Size():
		return !b.After(want) && b.After(want.AddDate(0, 0, -7))
	}
	return b.Equal(want)
}

// grainOfLine reports whether the grain of the spec applies only to the sparkline, and not to the number, which is of all rows, and no
// filter shows readers the times of these.
func (p *kpiPanel) grainOfLine() bool {
	spec := p.Spec
	return !p.alone && spec.Sparkline != "" && spec.Grain != "" && spec.Grain != "auto" && p.Data.Along(&p.col) == nil &&
		!slices.ContainsFunc(p.Env.Filters, func(f Filter) bool { return f.Column == spec.Sparkline && f.of(p.Data) })
}

// timesOfRows returns the first and the last time of the line's column in the rows of the number, or "" if they have none.
func (p *kpiPanel) timesOfRows() string {
	name := p.Spec.Sparkline
	span, ok := p.Data.Cube.Span(p.Data.Rows, name, p.Env.Zone, 0)
	if !ok {
		return ""
	}
	write := func(d cube.Day) string { return p.Env.Date(d.Time()) }
	if p.inPeriods(name) {
		grain := p.Data.GrainsOf(name)[0]
		write = func(d cube.Day) string {
			return p.Env.Cell(*p.Data.Column(name), grain, cube.Category{Value: d.Time()})
		}
	}
	first, last := write(span.Min), write(span.Max)
	if first == last {
		return first
	}
	return first + " – " + last
}

// warnOfGrain warns the author that the grain applies only to the sparkline.
func (p *kpiPanel) warnOfGrain(span cube.Span) {
	spec := p.Spec
	if len(p.line) < 2 || !p.grainOfLine() {
		return
	}
	p.report(encode.Warned(dashboard.WarnKeyIgnored, "grain",
		`it is that of the sparkline; the number is of all rows, %s to %s. For that of the latest complete %s, a filter `+
			`{"column": "%s", "grain": "%s", "multiple": false} opens the page at it.`,
		span.Min.Time().Format(time.DateOnly), span.Max.Time().Format(time.DateOnly), spec.Grain, spec.Sparkline, spec.Grain))
}
