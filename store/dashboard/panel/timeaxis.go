package panel

import (
	"slices"
	"sort"
	"time"

	"service/store/dashboard/chart"
	"service/store/dashboard/cube"
)

// A timeAxis is an axis of times, on which some times have names: round times, as close as their names fit, and the first and the last time
// if they fit. A name omits what the names before it contain: the year is written once, and the day once for its hours.
type timeAxis struct {
	env   *Env
	grain cube.Grain
	times []time.Time // the times on the axis, in order
	at    []float64   // their positions, if only these can have names; nil for an axis on which all times between them have positions
}

// A tickStep is the distance between round times. Exactly one of its numbers is positive.
type tickStep struct {
	seconds, hours, days, months int
}

var tickSteps = [...]tickStep{
	{seconds: 1},
	{seconds: 5},
	{seconds: 15},
	{seconds: 30},
	{seconds: 60},
	{seconds: 2 * 60},
	{seconds: 5 * 60},
	{seconds: 10 * 60},
	{seconds: 15 * 60},
	{seconds: 30 * 60},
	{hours: 1},
	{hours: 2},
	{hours: 3},
	{hours: 6},
	{hours: 12},
	{days: 1},
	{days: 2},
	{days: 7},
	{days: 14},
	{months: 1},
	{months: 2},
	{months: 3},
	{months: 6},
	{months: 12},
	{months: 24},
	{months: 60},
	{months: 120},
	{months: 240},
	{months: 600},
	{months: 1200},
	{months: 2400},
	{months: 6000},
	{months: 12000},
	{months: 24000},
}

// mostTicks is the maximum number of names on an axis of times.
const mostTicks = 24

// lasts returns the approximate length of a step, in seconds.
func (s tickStep) lasts() float64 {
	return float64(s.seconds) + 3600*float64(s.hours) + chart.ADay*(float64(s.days)+30*float64(s.months))
}

// grain returns the grain of the names of a step's times: [cube.Exact] for times with seconds.
func (s tickStep) grain(of cube.Grain) cube.Grain {
	switch {
	case s.months >= 12:
		return cube.Yearly
	case s.months > 0 && of == cube.Quarterly:
		return cube.Quarterly
	case s.months > 0:
		return cube.Monthly
	case s.days > 0:
		return cube.Daily
	case s.hours > 0 || s.seconds >= 60:
		return cube.Minutely
	}
	return cube.Exact
}

// shortestStep returns the shortest step of an axis whose times are rounded to a grain, in seconds.
func shortestStep(of cube.Grain) float64 {
	switch of {
	case cube.Minutely:
		return 60
	case cube.Hourly:
		return 3600
	case cube.Daily, cube.Weekly:
		return chart.ADay
	case cube.Monthly:
		return 30 * chart.ADay
	case cube.Quarterly:
		return 90 * chart.ADay
	case cube.Yearly:
		return 360 * chart.ADay
	}
	return 1
}

// A tick is a time on an axis, with the grain of its name.
type tick struct {
	time  time.Time
	at    float64
	grain cube.Grain
}

// timeAxis returns the axis of times at places whose middles are at fractions of the width. It returns nil if the times are not in order.
func (p *Env) timeAxis(of []cube.Category, grain cube.Grain, span cube.Span, at []float64) *timeAxis {
	if grain == cube.Exact && !span.Clock {
		grain = cube.Daily
	}
	a := &timeAxis{env: p, grain: grain, at: at}
	for i, c := range of {
		t, is := c.Value.(time.Time)
		if !is || i > 0 && !t.After(a.times[i-1]) {
			return nil
		}
		a.times = append(a.times, t)
	}
	if len(of) == 0 {
		return nil
	}
	return a
}

// timeLabels returns the labels of round times in a range, and of its ends.
func (p *Env) timeLabels(from, to time.Time, grain cube.Grain, width float64) []chart.Label {
	a := timeAxis{env: p, grain: grain, times: []time.Time{from, to}}
	return a.labels(width)
}

// labels returns the labels that fit on a width in pixels.
func (a *timeAxis) labels(width float64) []chart.Label {
	n := len(a.times)
	from, to := a.times[0], a.times[n-1]
	if !to.After(from) {
		return []chart.Label{{At: 0.5, Text: a.env.Time("", a.grain, from)}}
	}
	var all []tick // of an axis of places
	for i, at := range a.at {
		all = append(all, tick{a.times[i], at, a.own(tickStep{})})
	}
	if out := a.named(all); all != nil && chart.Fits(out, width) {
		return out
	}
	round, step := a.round(width)
	first, last := tick{from, 0, a.own(step)}, tick{to, 1, a.own(step)}
	if all != nil {
		first.at, last.at = all[0].at, all[n-1].at
	}
	for _, with := range [...][2]bool{{true, true}, {false, true}, {true, false}} {
		ticks := slices.Clone(round)
		if with[0] && (round == nil || round[0].at > first.at) {
			ticks = slices.Insert(ticks, 0, first)
		}
		if with[1] && (round == nil || round[len(round)-1].at < last.at) {
			ticks = append(ticks, last)
		}
		if out := a.named(ticks); len(ticks) > len(round) && chart.FitsInside(out, width) {
			return out
		}
	}
	if out := a.coarseEnds(first, last, width); len(round) < 2 && out != nil {
		return out
	}
	if round == nil {
		return a.named([]tick{first})
	}
	return a.named(round)
}

// coarseEnds returns the labels of the first and the last time without their day, or without their month, if they differ and fit on a width
// in pixels where whole ones do not; nil if they do not.
func (a *timeAxis) coarseEnds(first, last tick, width float64) []chart.Label {
	for _, grain := range [...]cube.Grain{cube.Daily, cube.Monthly, cube.Yearly} {
		if shortestStep(grain) < shortestStep(first.grain) {
			continue
		}
		first.grain, last.grain = grain, grain
		if out := a.named([]tick{first, last}); out[0].Text != out[1].Text && chart.FitsInside(out, width) {
			return out
		}
	}
	return nil
}

// own returns the grain of the name of a time that need not be round, next to round times of a step.
func (a *timeAxis) own(step tickStep) cube.Grain {
	switch {
	case a.grain == cube.Hourly || a.grain == cube.Exact && (step.seconds == 0 || step.seconds >= 60):
		return cube.Minutely
	case a.grain == cube.Weekly:
		return cube.Daily
	}
	return a.grain
}

// round returns the round times whose names fit on a width, as close as possible, and their step; nil if no round time fits.
func (a *timeAxis) round(width float64) ([]tick, tickStep) {
	from, to := a.times[0], a.times[len(a.times)-1]
	least := max(shortestStep(a.grain), secondsTo(from, to)/(2*mostTicks))
	for _, s := range tickSteps {
		if s.lasts() < least {
			continue
		}
		if out := a.ticks(s); len(out) > 0 && len(out) <= mostTicks && chart.Fits(a.named(out), width) {
			return out, s
		}
	}
	return nil, tickStep{}
}

// ticks returns the round times of a step; on an axis of places, the first place at or after each. It stops after one more than
// [mostTicks].
func (a *timeAxis) ticks(s tickStep) (out []tick) {
	from, to := a.times[0], a.times[len(a.times)-1]
	before := -1
	for t := s.roundUp(from, a.env.week); !t.After(to) && len(out) <= mostTicks; t = s.after(t) {
		if a.at == nil {
			out = append(out, tick{t, between(t, from, to), s.grain(a.grain)})
			continue
		}
		i := sort.Search(len(a.times)-1, func(i int) bool { return !a.times[i].Before(t) })
		if i == before {
			continue
		}
		before = i
		grain := s.grain(a.grain)
		if a.grain == cube.Weekly || !a.times[i].Equal(t) {
			grain = a.own(s)
		}
		out = append(out, tick{a.times[i], a.at[i], grain})
	}
	return out
}

// named returns the labels of ticks.
func (a *timeAxis) named(ticks []tick) []chart.Label {
	out := make([]chart.Label, len(ticks))
	for i := range ticks {
		var before *tick
		if i > 0 {
			before = &ticks[i-1]
		}
		out[i] = chart.Label{At: ticks[i].at, Text: a.name(&ticks[i], before)}
	}
	return out
}

// name returns the name of a tick that follows another one; before is nil for the first tick.
func (a *timeAxis) name(t, before *tick) string {
	p, at := a.env, t.time
	year := before != nil && before.time.Year() != at.Year() ||
		before == nil && a.times[0].Year() != a.times[len(a.times)-1].Year()
	switch t.grain {
	case cube.Yearly:
		return p.Year(at)
	case cube.Quarterly:
		if year || before == nil {
			return p.Quarter(at)
		}
		return p.QuarterAlone(at)
	case cube.Monthly:
		if year || before == nil && a.at == nil { // if all months have a name, the year is clear
			return p.withYear(p.MonthAlone(at), p.Month(at), at)
		}
		return p.MonthAlone(at)
	}
	clock := ""
	if t.grain != cube.Daily && !beginsDay(at) {
		if clock = p.Clock(at); t.grain == cube.Exact {
			clock = p.ClockSeconds(at)
		}
		if before != nil && cube.DayOf(before.time) == cube.DayOf(at) {
			return clock
		}
		clock = " " + clock
	}
	day := p.DayMonth(at)
	if year {
		day = p.withYear(day, p.Date(at), at)
	}
	return day + clock
}

// roundUp returns the first round time that is not before t, on the clock of t's zone: of seconds, of hours, of days (weeks from the day on
// which they begin) or of months.
func (s tickStep) roundUp(t time.Time, week cube.Weekday) time.Time {
	d, zone := cube.DayOf(t), t.Location()
	switch {
	case s.seconds > 0:
		r := t.Add(-time.Duration(t.Nanosecond()) - time.Duration((60*t.Minute()+t.Second())%s.seconds)*time.Second)
		if r.Before(t) {
			r = s.after(r)
		}
		return r
	case s.hours > 0:
		r := hourOf(d, t.Hour()-t.Hour()%s.hours, zone)
		for r.Before(t) {
			r = s.after(r)
		}
		return r
	case s.days > 0:
		if !t.Equal(d.In(zone)) {
			d++
		}
		if s.days%7 == 0 {
			if f := cube.Weekly.Floor(d, week); f != d {
				d = f + 7
			}
			for (int(d)+3)%s.days >= 7 || (int(d)+3)%s.days < 0 { // every second week, on which axes of the same days agree
				d += 7
			}
			return d.In(zone)
		}
		for (int(d)+3)%s.days != 0 {
			d++
		}
		return d.In(zone)
	}
	n := t.Year()*12 + int(t.Month()) - 1
	if t.Day() > 1 || !t.Equal(d.In(zone)) {
		n++
	}
	n = (n + s.months - 1) / s.months * s.months
	return dayOf(n/12, n%12+1, 1).In(zone)
}

// after returns the round time after t, which must be round. A clock change makes one step shorter or longer.
func (s tickStep) after(t time.Time) time.Time {
	zone := t.Location()
	switch {
	case s.seconds > 0:
		return t.Add(time.Duration(s.seconds) * time.Second)
	case s.hours > 0:
		next := hourOf(cube.DayOf(t), t.Hour()-t.Hour()%s.hours+s.hours, zone)
		if !next.After(t) {
			next = t.Add(time.Duration(s.hours) * time.Hour)
		}
		return next
	case s.days > 0:
		return (cube.DayOf(t) + cube.Day(s.days)).In(zone)
	}
	return dayOf(t.Year(), int(t.Month())+s.months, 1).In(zone)
}

// hourOf returns the time at which the clock of a zone shows an hour of a day. If the clock skips that hour, it returns the time of the
// change.
func hourOf(d cube.Day, hour int, zone *time.Location) time.Time {
	y, m, day := d.Time().Date()
	t := time.Date(y, m, day, hour, 0, 0, 0, zone)
	shown := time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), 0, 0, time.UTC)
	start, end := t.ZoneBounds()
	switch shown.Compare(time.Date(y, m, day, hour, 0, 0, 0, time.UTC)) {
	case -1:
		return end
	case 1:
		return start
	}
	return t
}

func dayOf(year, month, day int) cube.Day {
	return cube.DayOf(time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC))
}
