package cube

import "time"

// A Day is a calendar date: days since 1 January 1970.
type Day int64

const secondsPerDay = 24 * 60 * 60

// DayOf returns the calendar date that t shows in its own location.
func DayOf(t time.Time) Day {
	y, m, d := t.Date()
	return Day(floorDiv(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix(), secondsPerDay))
}

// Time returns midnight UTC of the day.
func (d Day) Time() time.Time { return time.Unix(int64(d)*secondsPerDay, 0).UTC() }

// A Grain is how far times are rounded down before rows are grouped by them.
type Grain string

// The grains, from fine to coarse. Weeks begin on Monday.
const (
	Exact   Grain = "" // not at all
	Hourly  Grain = "hour"
	Daily   Grain = "day"
	Weekly  Grain = "week"
	Monthly Grain = "month"
	Yearly  Grain = "year"
)

// Floor returns the first day of d's week, month or year.
func (g Grain) Floor(d Day) Day {
	switch g {
	case Weekly:
		return Day(floorDiv(int64(d)+3, 7)*7 - 3) // day -3 was a Monday
	case Monthly:
		t := d.Time()
		return d - Day(t.Day()-1)
	case Yearly:
		t := d.Time()
		return d - Day(t.YearDay()-1)
	}
	return d
}

// Next returns the first day of the next day, week, month or year after the
// one that begins on d.
func (g Grain) Next(d Day) Day {
	switch g {
	case Weekly:
		return d + 7
	case Monthly:
		return DayOf(d.Time().AddDate(0, 1, 0))
	case Yearly:
		return DayOf(d.Time().AddDate(1, 0, 0))
	}
	return d + 1
}

// A zone turns instants into local time. It remembers the current offset, as
// rows mostly follow one another in time.
type zone struct {
	loc        *time.Location
	from, to   int64 // seconds between which offset holds
	offset     int64 // seconds east of UTC
	begun, end bool  // whether from and to are bounds
	known      bool
}

// local returns the wall clock, as microseconds since 1970, of an instant
// given likewise.
func (z *zone) local(micros int64) int64 {
	s := floorDiv(micros, 1e6)
	if !z.known || z.begun && s < z.from || z.end && s >= z.to {
		t := time.Unix(s, 0).In(z.loc)
		_, off := t.Zone()
		from, to := t.ZoneBounds()
		z.offset, z.known = int64(off), true
		z.begun, z.end = !from.IsZero(), !to.IsZero()
		if z.begun {
			z.from = from.Unix()
		}
		if z.end {
			z.to = to.Unix()
		}
	}
	return micros + z.offset*1e6
}

// floorDiv divides, rounding towards minus infinity; b is positive.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
