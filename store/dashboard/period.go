package dashboard

import (
	"time"

	"service/store/dashboard/cube"
)

// Periods tell which periods of a column of times are complete. One is not when it was not over at
// the time of the data, or when a parameter cuts it. That data begin or end inside it says nothing:
// a week of trading ends on Friday.
type Periods struct {
	Step     cube.Grain
	At       time.Time      // of the data, as the column has times: see [ClockOf]
	Min, Max cube.Day       // of the column, whatever the filters
	Ranges   [][2]cube.Day  // to which the SQL is bound: see [Spec.Ranges]
	Busy     func() [7]bool // on which days of the week there are rows; nil where that cannot be told, or all have
}

// ClockOf is a moment as a column of a type has times: of an instant itself, else what the clock on the wall shows.
func ClockOf(t cube.Type, at time.Time) time.Time {
	if t == cube.Instant {
		return at
	}
	y, m, d := at.Date()
	return time.Date(y, m, d, at.Hour(), at.Minute(), at.Second(), 0, time.UTC)
}

// Cut is the first and the last day of the period that begins on a day, of which a parameter may have cut some off.
func (p *Periods) Cut(begun cube.Day) (from, to cube.Day, cut bool) {
	from = begun
	next := p.Step.Next(from)
	to = next - 1
	for _, r := range p.Ranges {
		if from < r[0] && r[0] < next && p.Min >= from {
			from, cut = r[0], true
		}
		if from <= r[1] && r[1] < to && p.Max < next {
			to, cut = r[1], true
		}
	}
	return from, to, cut
}

// Open reports whether the period that begins at a time had begun at the time of the data, and was not over.
func (p *Periods) Open(t time.Time) bool {
	switch p.Step {
	case cube.Minutely:
		return !t.After(p.At) && p.At.Before(t.Add(time.Minute))
	case cube.Hourly:
		return !t.After(p.At) && p.At.Before(t.Add(time.Hour))
	}
	begun, today := cube.DayOf(t), cube.DayOf(p.At)
	next := p.Step.Next(begun)
	return begun <= today && today < next && !p.weekEnd(begun, next)
}

// Complete reports whether the period that begins at a time is over, and whole. A day is named by its date, whatever
// moment that is in the zone.
func (p *Periods) Complete(t time.Time) bool {
	if p.Open(t) {
		return false
	}
	if p.Step == cube.Minutely || p.Step == cube.Hourly {
		return !t.After(p.At)
	}
	begun := cube.DayOf(t)
	_, _, cut := p.Cut(begun)
	return !cut && begun <= cube.DayOf(p.At)
}

// weekEnd reports whether a week has only days left on which there never is
// anything, as there is no trade on Saturdays and Sundays.
func (p *Periods) weekEnd(from, next cube.Day) bool {
	if p.Step != cube.Weekly || p.Busy == nil {
		return false
	}
	busy := p.Busy()
	for d := max(cube.DayOf(p.At), from); d < next; d++ {
		if busy[d.Time().Weekday()] {
			return false
		}
	}
	return true
}

// BusyDays tells for each day of the week, of which Sunday is the first, whether a column of times has a row of it.
// All have where there are too few days to know, or where the SQL has made weeks.
func BusyDays(c *cube.Cube, rows cube.Selection, column string, zone *time.Location) (busy [7]bool) {
	g := c.Group(rows, cube.Query{By: []cube.Dim{{Column: column, Grain: cube.Daily, Zone: zone}}})
	days := 0
	for _, cat := range g.Axes[0] {
		if t, ok := cat.Value.(time.Time); ok && !busy[t.Weekday()] {
			busy[t.Weekday()] = true
			days++
		}
	}
	if len(g.Axes[0]) < 10 || days == 1 { // of one day a week the sql has made weeks already
		return [7]bool{true, true, true, true, true, true, true}
	}
	return busy
}
