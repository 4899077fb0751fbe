package dashboard

import (
	"time"

	"service/store/dashboard/cube"
)

// Periods determines which periods of a column of times are complete. A period is incomplete if it was not over at the time of the data, or
// if a parameter cuts it. Data that begin or end inside it do not make it incomplete: a trading week ends on Friday.
type Periods struct {
	Step     cube.Grain
	At       time.Time      // of the data, in the form of the column's times: see [ClockOf]
	Min, Max cube.Day       // of the column, ignoring filters
	Ranges   [][2]cube.Day  // bound in the SQL: see [Spec.Ranges]
	Busy     func() [7]bool // the days of the week with rows; nil if unknown, or if all days have rows
}

// ClockOf returns an instant in the form of a column's times: the instant itself, or else the wall clock.
func ClockOf(t cube.Type, at time.Time) time.Time {
	if t == cube.Instant {
		return at
	}
	y, m, d := at.Date()
	return time.Date(y, m, d, at.Hour(), at.Minute(), at.Second(), 0, time.UTC)
}

// Cut returns the first and the last day of the period that begins on a day, and whether a parameter may have cut it.
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

// Rests reports whether a week had begun at the time of the data and was not over, but counts as over because the remaining days never have
// rows.
func (p *Periods) Rests(t time.Time) bool {
	begun, today := cube.DayOf(t), cube.DayOf(p.At)
	next := p.Step.Next(begun)
	return begun <= today && today < next && p.weekEnd(begun, next)
}

// Complete reports whether the period that begins at a time is over, and not cut. A day is given by its date, not by the instant at which
// it begins in the zone.
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

// weekEnd reports whether the remaining days of a week never have rows, such as Saturdays and Sundays without trading.
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

// BusyDays returns for each day of the week, from Sunday, whether a column of times has a row on it. It returns true for all days if there
// are too few rows to decide, or if the SQL groups by week.
func BusyDays(c *cube.Cube, rows cube.Selection, column string, zone *time.Location) (busy [7]bool) {
	all, null := c.Days(rows, column, zone)
	weekdays := 0
	for _, d := range all {
		if day := d.Time().Weekday(); !busy[day] {
			busy[day] = true
			weekdays++
		}
	}
	if null { // as good as a day
		all = append(all, 0)
	}
	if len(all) < 10 || weekdays == 1 { // one day a week: the SQL groups by week
		return [7]bool{true, true, true, true, true, true, true}
	}
	return busy
}
