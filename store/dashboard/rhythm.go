package dashboard

import (
	"strconv"
	"strings"
	"time"
)

// The rhythms in which a dashboard is sent.
const (
	EveryRefresh = "refresh" // after each refresh that succeeds
	EveryDay     = "daily"
	EveryWeek    = "weekly"
	EveryMonth   = "monthly"
)

// A Rhythm is the schedule of sending a dashboard: on days of the calendar at a time of the day in a time zone, or after each refresh.
type Rhythm struct {
	Every  string
	Day    int // of the week, from Sunday, 0; of the month, from 1, where 31 is the last
	Minute int // of the day, from midnight
}

// Weekdays are the names of the days of the week in specs and forms, from Sunday.
var Weekdays = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

// ParseClock reads a time of the day, HH:MM, as minutes from midnight.
func ParseClock(text string) (minute int, ok bool) {
	if t, err := time.Parse("15:04", text); err == nil && len(text) == 5 {
		return t.Hour()*60 + t.Minute(), true
	}
	return 0, false
}

// Clock returns the time of the day as HH:MM.
func (r Rhythm) Clock() string {
	two := func(n int) string { return strings.Repeat("0", 2-len(strconv.Itoa(n))) + strconv.Itoa(n) }
	return two(r.Minute/60) + ":" + two(r.Minute%60)
}

// Timed reports whether the rhythm follows a clock.
func (r Rhythm) Timed() bool { return r.Every != EveryRefresh }

// Next returns the first due time after a time, or zero for a rhythm without a clock. Each day of the rhythm has one due time: the first of
// two if the clock shows it twice, and the instant of the change if the clock skips it.
func (r Rhythm) Next(after time.Time, zone *time.Location) time.Time {
	if !r.Timed() {
		return time.Time{}
	}
	here := after.In(zone)
	for day := -1; ; day++ { // a day of the calendar can be missing, or begin late
		date := time.Date(here.Year(), here.Month(), here.Day()+day, 0, 0, 0, 0, time.UTC)
		if !r.on(date) {
			continue
		}
		if at := moment(date, r.Minute, zone); at.After(after) {
			return at
		}
	}
}

// Following returns the due time after due: the last of several that were missed by now, or else the next.
func (r Rhythm) Following(due, now time.Time, zone *time.Location) time.Time {
	if !r.Timed() {
		return time.Time{}
	}
	if long := now.AddDate(0, -2, 0); due.Before(long) { // longer than any rhythm
		due = long
	}
	next := r.Next(due, zone)
	for {
		later := r.Next(next, zone)
		if later.After(now) {
			return next
		}
		next = later
	}
}

// Before returns the due time before due, or zero for a rhythm without a clock.
func (r Rhythm) Before(due time.Time, zone *time.Location) time.Time {
	if !r.Timed() {
		return time.Time{}
	}
	at := r.Next(due.AddDate(0, -1, -3), zone) // longer than any rhythm
	for {
		next := r.Next(at, zone)
		if !next.Before(due) {
			return at
		}
		at = next
	}
}

// on reports whether a date is one of the rhythm's days.
func (r Rhythm) on(date time.Time) bool {
	switch r.Every {
	case EveryWeek:
		return int(date.Weekday()) == r.Day
	case EveryMonth:
		last := time.Date(date.Year(), date.Month()+1, 0, 0, 0, 0, 0, time.UTC).Day()
		return date.Day() == min(r.Day, last)
	}
	return true
}

// moment returns the instant at which the clocks of a zone first show a time of a day.
func moment(date time.Time, minute int, zone *time.Location) time.Time {
	shown := date.Add(time.Duration(minute) * time.Minute) // as if in UTC
	offset := func(t time.Time) time.Duration {
		_, seconds := t.In(zone).Zone()
		return time.Duration(seconds) * time.Second
	}
	before := shown.Add(-offset(shown.Add(-26 * time.Hour))) // more than the offset of any zone, and less than the time between two changes
	after := shown.Add(-offset(shown.Add(26 * time.Hour)))
	for _, t := range []time.Time{before, after} { // if the clock is put back, before is the earlier
		if t.Add(offset(t)).Equal(shown) {
			return t.UTC()
		}
	}
	change, _ := before.In(zone).ZoneBounds()
	return change.UTC()
}
