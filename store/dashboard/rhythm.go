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

// A Rhythm says when a dashboard is sent: on days of the calendar at a time of the day, by the
// clock of a time zone, or after each refresh.
type Rhythm struct {
	Every  string
	Day    int // of the week, from Sunday, 0; of the month, from 1, where 31 is the last
	Minute int // of the day, from midnight
}

// Weekdays are the days of the week as specs and forms write them, from Sunday.
var Weekdays = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

// ParseClock reads a time of the day, HH:MM, as minutes from midnight.
func ParseClock(text string) (minute int, ok bool) {
	if t, err := time.Parse("15:04", text); err == nil && len(text) == 5 {
		return t.Hour()*60 + t.Minute(), true
	}
	return 0, false
}

// Clock is the time of the day as HH:MM.
func (r Rhythm) Clock() string {
	two := func(n int) string { return strings.Repeat("0", 2-len(strconv.Itoa(n))) + strconv.Itoa(n) }
	return two(r.Minute/60) + ":" + two(r.Minute%60)
}

// Timed reports whether the rhythm is that of a clock.
func (r Rhythm) Timed() bool { return r.Every != EveryRefresh }

// Next is the first time after a time at which something is due, or zero for a rhythm without a clock.
// Each day of the calendar has one such time: of an hour that the clock shows twice it is the first,
// and for one that the clock skips it is the moment at which it does.
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

// Following is the time that is due after due: the last one that has come by now, of several that
// were missed, or else the next.
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

// Before is the last time before one that is due, or zero for a rhythm without a clock.
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

// moment is when the clocks of a zone show a time of a day first.
func moment(date time.Time, minute int, zone *time.Location) time.Time {
	shown := date.Add(time.Duration(minute) * time.Minute) // as if in UTC
	offset := func(t time.Time) time.Duration {
		_, seconds := t.In(zone).Zone()
		return time.Duration(seconds) * time.Second
	}
	before := shown.Add(-offset(shown.Add(-26 * time.Hour))) // further than any zone is from UTC, and less than two changes
	after := shown.Add(-offset(shown.Add(26 * time.Hour)))
	for _, t := range []time.Time{before, after} { // where the clock is put back, before is the earlier
		if t.Add(offset(t)).Equal(shown) {
			return t.UTC()
		}
	}
	change, _ := before.In(zone).ZoneBounds()
	return change.UTC()
}
