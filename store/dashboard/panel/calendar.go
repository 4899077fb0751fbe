package panel

import (
	"slices"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
	"service/store/dashboard/locale"
)

// grain chooses the grain to which times are rounded down, and returns it with the span of the times. The reader's choice is first, then
// the panel's; otherwise the grain leaves at most about points periods. Times are not rounded if the measure cannot be merged.
func (p *Rows) grain(column string, points int, mergeable bool) (cube.Grain, cube.Span) {
	return p.chooseGrain(column, points, mergeable, false)
}

// grainWithin is [Panel.grain] if at most about points periods fit, regardless of the panel's grain.
func (p *Rows) grainWithin(column string, points int, mergeable bool) (cube.Grain, cube.Span) {
	return p.chooseGrain(column, points, mergeable, true)
}

func (p *Rows) chooseGrain(column string, points int, mergeable, within bool) (cube.Grain, cube.Span) {
	said := cube.Grain(p.Spec.Grain)
	if said == "auto" {
		said = cube.Exact
	}
	span, ok := p.Data.Cube.Span(p.Data.Rows, column, p.Env.Zone, points)
	switch {
	case !ok:
		return cube.Exact, span
	case !mergeable && said != cube.Exact && !p.apart(column, said):
		p.report(encode.Noted("Not by %s: nothing says how the values add up.", grainNames[said]).
			Warned(dashboard.WarnGrainIgnored, "grain",
				"the rows are kept as they are, because nothing says how a measure adds up; declare its agg."))
		said = cube.Exact
	}
	g, most := said, finest(span, points)
	switch {
	case said == cube.Exact && mergeable && span.Distinct > points:
		g = most
	case within && said != cube.Exact && steps(span, said) > points && steps(span, most) < steps(span, said):
		g = most
	}
	if mergeable {
		if asked := p.offerGrains(column, points, span, g); asked != g {
			return asked, span
		}
	}
	if g != said {
		p.noteGrain(said, g, points)
	}
	return g, span
}

// noteGrain notes that times are rounded down to a grain that the spec has not set.
func (p *Settings) noteGrain(said, g cube.Grain, points int) {
	switch p.Spec.Type {
	case dashboard.KPI:
		p.report(encode.Noted("The small line is by %s.", grainNames[g]))
	case dashboard.Table:
		p.report(encode.Noted("The small lines are by %s.", grainNames[g]))
	default:
		p.report(encode.Noted("By %s.", grainNames[g]))
	}
	if said == cube.Exact {
		p.report(encode.Warned(dashboard.WarnRolledUp, "grain",
			"there are more than %d times, so they are shown by %s; grain is another step.", points, g))
		return
	}
	p.report(encode.Warned(dashboard.WarnRolledUp, "grain",
		"there are more than %d times by %s, so they are shown by %s; a filter shows fewer.",
		points, said, g))
}

// apart reports whether the times of a column are all in different periods.
func (p *Rows) apart(column string, grain cube.Grain) bool {
	count := func(g cube.Grain) int {
		by := cube.Dim{Column: column, Grain: g, Week: p.Env.week, Zone: p.Env.Zone}
		return p.Data.Group(p.Data.Rows, cube.Query{By: []cube.Dim{by}}).Len()
	}
	return count(grain) == count(cube.Exact)
}

var grainNames = map[cube.Grain]locale.Key{
	cube.Minutely: "minute", cube.Hourly: "hour", cube.Daily: "day", cube.Weekly: "week", cube.Monthly: "month",
	cube.Quarterly: "quarter", cube.Yearly: "year",
}

// steps returns the approximate number of periods of a grain in a span.
func steps(span cube.Span, g cube.Grain) int {
	days := int(span.Max-span.Min) + 1
	switch g {
	case cube.Minutely:
		return days * 24 * 60
	case cube.Hourly:
		return days * 24
	case cube.Daily:
		return days
	case cube.Weekly:
		return days / 7
	case cube.Monthly:
		return days / 30
	case cube.Quarterly:
		return days / 91
	}
	return days / 365
}

// finest returns the finest grain by which a span has at most about points periods.
func finest(span cube.Span, points int) cube.Grain {
	grains := []cube.Grain{cube.Weekly, cube.Monthly, cube.Quarterly}
	if span.Clock {
		grains = append([]cube.Grain{cube.Minutely, cube.Hourly, cube.Daily}, grains...)
	}
	for _, g := range grains {
		if steps(span, g) <= points {
			return g
		}
	}
	return cube.Yearly
}

// regular detects that an exact time axis consists of months or years, so that its labels can name them. It returns the step of the axis.
func (s *split) regular() cube.Grain {
	if !s.time || s.grain != cube.Exact || s.span.Clock || len(s.x) < 2 {
		return s.grain
	}
	months, quarters, years, weeks := true, len(s.x) > 2, true, true
	first := s.x[0].Value.(time.Time)
	for _, c := range s.x {
		t := c.Value.(time.Time)
		months = months && t.Day() == 1
		quarters = quarters && t.Day() == 1 && t.Month()%3 == 1
		years = years && t.YearDay() == 1
		weeks = weeks && (cube.DayOf(t)-cube.DayOf(first))%7 == 0
	}
	switch {
	case years:
		s.grain = cube.Yearly
	case quarters:
		s.grain = cube.Quarterly
	case months:
		s.grain = cube.Monthly
	case weeks:
		return cube.Weekly
	default:
		return cube.Daily
	}
	return s.grain
}

// fillGaps adds dates without rows to the axis. It reports whether the places are now one for each step; dates that are far apart keep
// their places.
func (s *split) fillGaps(step cube.Grain) bool {
	if len(s.x) < 2 || step == cube.Exact || step == cube.Hourly || step == cube.Minutely {
		return false
	}
	var days []cube.Day
	first, last := cube.DayOf(s.x[0].Value.(time.Time)), cube.DayOf(s.x[len(s.x)-1].Value.(time.Time))
	back := last < first // the axis is sorted from the newest on
	if back {
		first, last = last, first
	}
	for d := first; d <= last; d = step.Next(d) {
		if days = append(days, d); len(days) > min(3*barPoints, 31+4*len(s.x)) {
			return false
		}
	}
	if back {
		slices.Reverse(days)
	}
	if len(days) == len(s.x) {
		return true
	}
	for i, c := range s.x { // of instants, the days in their zone
		s.x[i] = cube.Category{Value: cube.DayOf(c.Value.(time.Time)).Time()}
	}
	x := make([]cube.Category, len(days))
	for j, d := range days {
		x[j] = cube.Category{Value: d.Time()}
	}
	s.replace(x)
	return true
}

// replace sets the places of the axis, which must include its present ones.
func (s *split) replace(places []cube.Category) {
	at := map[int64]int{}
	for i, x := range s.x {
		at[placeOf(x)] = i
	}
	from := make([]int, len(places)) // the place that each had, or -1
	for j, x := range places {
		from[j] = -1
		if i, ok := at[placeOf(x)]; ok {
			from[j] = i
		}
	}
	for i := range s.series {
		s.value[i], s.exact[i], s.null[i] = moved(s.value[i], from), moved(s.exact[i], from), moved(s.null[i], from)
	}
	for i := range s.asides {
		a := &s.asides[i]
		a.value, a.exact = moved(a.value, from), moved(a.exact, from)
	}
	if s.partial != nil {
		s.partial = moved(s.partial, from)
	}
	s.x = places
}

// moved returns values in the order of their former places; -1 is for no value.
func moved[T any](values []T, from []int) []T {
	out := make([]T, len(from))
	for to, i := range from {
		if i >= 0 {
			out[to] = values[i]
		}
	}
	return out
}

// slots is [split.fillGaps] for panels without series: from has the former place of each place, or -1.
func (s *split) slots() (from []int, each bool) {
	before := s.x
	if each = s.fillGaps(s.step); len(s.x) == len(before) {
		return stat.Indices(len(s.x)), each
	}
	at := map[int64]int{}
	for i, c := range before {
		at[c.Value.(time.Time).UnixMicro()] = i
	}
	for _, c := range s.x {
		i, ok := at[c.Value.(time.Time).UnixMicro()]
		if !ok {
			i = -1
		}
		from = append(from, i)
	}
	return from, each
}
