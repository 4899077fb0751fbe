package panel

import (
	"math/big"
	"slices"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/chart"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
)

// The spec of a line, an area or bars of one measure along times can compare it with an earlier period. The values of that are at the same
// places, in gray: see [before].

// compared returns the earlier period of the panel's comparison, or nil after it reports why.
func (p *Rows) compared(s *split) *before {
	grain := s.stepOf(p)
	if !s.time || grain == cube.Exact || len(s.x) == 0 {
		p.notCompared("the times on the axis have no periods of one length; a grain gives them one.")
		return nil
	}
	var b *before
	i := slices.IndexFunc(p.Env.Filters, func(f Filter) bool { return f.Column == s.xcol.Name && f.of(p.Data) && f.From != nil })
	if p.Spec.Compare[0] == dashboard.PreviousYear {
		b = p.yearBefore(s, grain, i)
	} else if i >= 0 {
		b = p.periodBefore(&p.Env.Filters[i], s)
	} else {
		p.notCompared("no filter leaves a period of the axis; a default of the filter does.")
		return nil
	}
	if b == nil {
		p.notCompared("the data begin after the earlier period.")
		return nil
	}
	b.asked, b.ofSpec = true, true
	return b
}

// notCompared reports why the panel has no earlier period. The reason is for its author.
func (p *Settings) notCompared(why string) {
	p.report(encode.Noted("No earlier period to compare with.").
		Warned(dashboard.WarnKeyIgnored, "compare", "nothing is compared, because %s", why))
}

// yearBefore returns the year before the period of the filter number filter or, without a filter, before all times on the axis, up to the
// end of the data: a running period is compared with the same part. For weeks, a year is 52 weeks. It returns nil if the data begin later.
func (p *Rows) yearBefore(s *split, grain cube.Grain, filter int) *before {
	first, last := s.x[0].Value.(time.Time), s.x[len(s.x)-1].Value.(time.Time)
	if last.Before(first) {
		first, last = last, first
	}
	from, to := cube.DayOf(first), cube.DayOf(last)
	if grain.Size() > cube.Daily.Size() {
		to = grain.Next(to) - 1
	}
	if filter >= 0 {
		from, to = *p.Env.Filters[filter].From, *p.Env.Filters[filter].To
	}
	to = min(to, max(p.endOfRows(s.xcol.Name, grain), from))
	if from.Time().Year() <= 1 || to.Time().Year() >= 9999 {
		return nil
	}
	b := &before{months: 12}
	if grain == cube.Weekly {
		b.months, b.days = 0, 364
	}
	b.from, b.to = b.back(from), b.lastOf(to)
	return p.reached(b, s.xcol.Name)
}

// endOfRows returns the last day that can have rows: the day of the data or, where rows are finer than the periods of the axis and the last
// period with rows is not over, the last day with rows. Otherwise, rows that come some days late would be compared with all days of the
// year before.
func (p *Rows) endOfRows(column string, grain cube.Grain) cube.Day {
	today := cube.DayOf(p.Env.asOf())
	all, own := p.Data.Span(column), p.Data.GrainsOf(column)
	if finer := len(own) > 0 && own[0].Size() < grain.Size(); !finer || !all.OK || grain.Size() <= cube.Daily.Size() {
		return today
	}
	if week := p.Env.week; grain.Floor(all.Max, week) == grain.Floor(today, week) {
		return min(today, all.Max)
	}
	return today
}

// reached returns the earlier period if the data reach it, or nil.
func (p *Rows) reached(b *before, column string) *before {
	all := p.Data.Span(column)
	if !all.OK || all.Min > b.to || b.from.Time().Year() < 1 {
		return nil
	}
	if all.Min > b.from {
		b.begins = all.Min
	}
	return b
}

// A twoPeriods content can draw the values of an earlier period.
type twoPeriods interface {
	both() (*before, *split)
}

func (p *linePanel) both() (*before, *split) { return p.before, p.split }
func (p *barPanel) both() (*before, *split)  { return p.before, p.split }

// joinCompared gives both periods of small plots the names that they have together.
func joinCompared(all []Content) {
	of := [2]places{{-1, -1}, {-1, -1}}
	var each []*before
	for _, c := range all {
		c, ok := c.(twoPeriods)
		if !ok {
			return
		}
		b, s := c.both()
		if !b.drawnBySpec() {
			continue
		}
		each = append(each, b)
		for i, s := range [...]*split{s, b.split} {
			of[i].join(s.reach())
		}
	}
	for _, b := range each {
		b.reach = &of
	}
}

// places are the first and the last place of an axis that have a value, or -1.
type places struct{ from, to int }

func (p *places) join(o places) {
	switch {
	case o.from < 0:
	case p.from < 0:
		*p = o
	default:
		p.from, p.to = min(p.from, o.from), max(p.to, o.to)
	}
}

// reach returns the places at which the first series has values.
func (s *split) reach() places {
	out := places{-1, -1}
	for x := range s.x {
		if s.has(0, x) {
			out.join(places{x, x})
		}
	}
	return out
}

// nameCompared names both periods of a comparison in the legend by the times of their values.
func (p *Panel) nameCompared(s *split) []seriesOf {
	b := p.before
	both := slices.Clone(b.both(s))
	if b.dates != "" {
		for i := range both {
			both[i].name = b.names[i]
		}
		return both
	}
	for i, of := range [...]*split{s, b.split} {
		at := of.reach()
		if b.reach != nil {
			at = b.reach[i]
		}
		from, to := at.from, at.to
		if from < 0 {
			continue
		}
		name := func(x int) string {
			at := of.x[x]
			if i == 1 {
				at = cube.Category{Value: b.own(at.Value.(time.Time))}
			}
			return p.Env.Cell(s.xcol, s.grain, at)
		}
		if both[i].name = name(from); from != to {
			both[i].name += " – " + name(to)
		}
	}
	return both
}

// addChange adds to the table the difference of each value from the earlier period, if the spec compares both.
func (p *Panel) addChange(s *split) {
	if !p.before.drawnBySpec() {
		return
	}
	change := *s.series[0].col
	change.Name, change.Label = "", p.Env.Text("Change")
	p.Grid.Columns = append(p.Grid.Columns, Column{Column: change})
	for x := range p.Grid.Rows {
		var v any
		if s.has(0, x) && p.before.split.has(0, x) {
			v = exactly(s.exact[0][x], p.before.split.exact[0][x], (*big.Rat).Sub)
		}
		p.Grid.Rows[x] = append(p.Grid.Rows[x], v)
	}
}

// drawnBySpec reports whether there are values of an earlier period that the spec asked for.
func (b *before) drawnBySpec() bool { return b != nil && b.ofSpec && b.split != nil }

// pairedBars returns the bars of the only series of a split, each behind a gray one of the earlier period. with completes a bar of the
// split.
func (p *Panel) pairedBars(of *split, at *chart.Slots, with func(b *chart.Bar, series, x int)) []chart.Bar {
	s, earlier := *of, p.before.split
	s.series = slices.Concat(earlier.series, of.series)
	s.value, s.exact = slices.Concat(earlier.value, of.value), slices.Concat(earlier.exact, of.exact)
	return s.barMarks(s.value, false, at, func(b *chart.Bar, i, x int) {
		if i == 0 {
			b.Hatched = earlier.isPartial(x)
			return
		}
		with(b, 0, x)
	})
}
