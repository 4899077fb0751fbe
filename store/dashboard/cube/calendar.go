package cube

import (
	"slices"
	"time"
)

// A Day is a calendar date: days since 1 January 1970.
type Day int64

const secondsPerDay = 24 * 60 * 60

// DayOf returns the calendar date of t in its own location.
func DayOf(t time.Time) Day {
	y, m, d := t.Date()
	return Day(floorDiv(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix(), secondsPerDay))
}

// Time returns midnight UTC of the day.
func (d Day) Time() time.Time { return time.Unix(int64(d)*secondsPerDay, 0).UTC() }

// In returns the instant at which the day begins in a zone (nil for UTC): midnight, or the first of two midnights, or, if the clock skips
// midnight or the whole day, the instant of the change.
func (d Day) In(loc *time.Location) time.Time {
	y, m, day := d.Time().Date()
	t := time.Date(y, m, day, 0, 0, 0, 0, orUTC(loc))
	start, end := t.ZoneBounds()
	if DayOf(t) < d {
		return end
	}
	if !start.IsZero() {
		_, before := start.Add(-1).Zone()
		_, now := t.Zone()
		if first := t.Add(time.Duration(now-before) * time.Second); first.Before(start) && before > now {
			return first
		}
	}
	return t
}

// A Weekday is counted from Monday, which is 0, to Sunday, which is 6.
type Weekday int

// A Grain is the period to which times are rounded down before rows are grouped by them.
type Grain string

// The grains, from fine to coarse.
const (
	Exact     Grain = "" // not at all
	Minutely  Grain = "minute"
	Hourly    Grain = "hour"
	Daily     Grain = "day"
	Weekly    Grain = "week"
	Monthly   Grain = "month"
	Quarterly Grain = "quarter"
	Yearly    Grain = "year"
)

// clock returns the microseconds of a grain that is finer than a day, and 0 for the others.
func (g Grain) clock() int64 {
	switch g {
	case Exact:
		return 1
	case Minutely:
		return 60 * 1e6
	case Hourly:
		return 3600 * 1e6
	}
	return 0
}

// Size returns the position of g among the grains, from fine to coarse; 0 for Exact.
func (g Grain) Size() int { return slices.Index(grains, g) }

// Floor returns the first day of d's week, month, quarter or year. Weeks begin on
// the given weekday.
func (g Grain) Floor(d Day, week Weekday) Day {
	t := d.Time()
	switch g {
	case Weekly:
		first := int64(week) - 3 // day -3 was a Monday
		return Day(floorDiv(int64(d)-first, 7)*7 + first)
	case Monthly:
		return d - Day(t.Day()-1)
	case Quarterly:
		return DayOf(time.Date(t.Year(), t.Month()-(t.Month()-1)%3, 1, 0, 0, 0, 0, time.UTC))
	case Yearly:
		return d - Day(t.YearDay()-1)
	}
	return d
}

// Next returns the first day of the next day, week, month, quarter or year after
// the one that begins on d.
func (g Grain) Next(d Day) Day {
	switch g {
	case Weekly:
		return d + 7
	case Monthly:
		return DayOf(d.Time().AddDate(0, 1, 0))
	case Quarterly:
		return DayOf(d.Time().AddDate(0, 3, 0))
	case Yearly:
		return DayOf(d.Time().AddDate(1, 0, 0))
	}
	return d + 1
}

// floorDiv divides, rounding towards minus infinity; b is positive.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
