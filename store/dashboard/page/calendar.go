package page

import (
	"time"

	"service/store/dashboard/cube"
)

// grain chooses how far times are rounded down so that at most about points
// remain; never, when the measure cannot be merged.
func (p *panel) grain(column string, points int, additive bool) (cube.Grain, cube.Span) {
	span, ok := p.data.cube.Span(p.data.rows, column, p.page.zone, points)
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
	if all, ok := p.data.cube.Span(p.data.cube.Select(), column, p.page.zone, 0); ok {
		from, to = all.Min, all.Max
	}
	for i := range p.page.filters {
		if fl := &p.page.filters[i]; fl.Column == column && fl.from != nil {
			from, to = max(from, *fl.from), min(to, *fl.to)
		}
	}
	first := g.Floor(from, 0) != from && g.Floor(from, 0) == g.Floor(span.Min, 0)
	last := g.Next(g.Floor(to, 0)) != to+1 && g.Floor(to, 0) == g.Floor(span.Max, 0)
	text := "By " + name
	switch {
	case first && last:
		text += "; the first and the last are incomplete"
	case first:
		text += "; the first is incomplete"
	case last:
		text += "; the last is incomplete"
	}
	p.note("%s.", text)
	return g, span
}

// regular notices that an exact time axis holds months or years, so that its
// labels say so. It returns the step of the axis.
func (s *split) regular() cube.Grain {
	if !s.time || s.grain != cube.Exact || s.span.Clock || len(s.x) < 2 {
		return s.grain
	}
	months, years, weeks := true, true, true
	first := s.x[0].Value.(time.Time)
	for _, c := range s.x {
		t := c.Value.(time.Time)
		months = months && t.Day() == 1
		years = years && t.YearDay() == 1
		weeks = weeks && (cube.DayOf(t)-cube.DayOf(first))%7 == 0
	}
	switch {
	case years:
		s.grain = cube.Yearly
	case months:
		s.grain = cube.Monthly
	case weeks:
		return cube.Weekly
	default:
		return cube.Daily
	}
	return s.grain
}

// fillGaps gives dates without rows their place on the axis.
func (s *split) fillGaps(step cube.Grain) {
	if len(s.x) < 2 || step == cube.Exact || step == cube.Hourly {
		return
	}
	var days []cube.Day
	last := cube.DayOf(s.x[len(s.x)-1].Value.(time.Time))
	for d := cube.DayOf(s.x[0].Value.(time.Time)); d <= last; d = step.Next(d) {
		if days = append(days, d); len(days) > 3*barPoints {
			return
		}
	}
	if len(days) == len(s.x) {
		return
	}
	at := map[cube.Day]int{}
	for i, c := range s.x {
		at[cube.DayOf(c.Value.(time.Time))] = i
	}
	for i := range s.series {
		value, exact := make([]float64, len(days)), make([]any, len(days))
		for j, d := range days {
			if k, ok := at[d]; ok {
				value[j], exact[j] = s.value[i][k], s.exact[i][k]
			}
		}
		s.value[i], s.exact[i] = value, exact
	}
	s.x = make([]cube.Category, len(days))
	for j, d := range days {
		s.x[j] = cube.Category{Value: d.Time()}
	}
}
