package store

import (
	"math/bits"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/adhocore/gronx"

	"service/store/dashboard"
)

// mostYears is how many years ahead a run is searched. Every combination of dates occurs within 40 years: a 29th of February on a given day
// of the week, across a year like 2100, which has no such day.
const mostYears = 41

// A cron is an expression of five fields. gronx evaluates each value of a field once, and runs are searched in the results: gronx's own
// search parses the text of each field again for each minute, hour and day that it passes, which took most of a minute for the worst 200
// characters.
type cron struct {
	minutes  [60]bool
	hours    [24]bool
	months   [13]bool
	monthday string // what gronx reads
	weekday  string
	monthly  dashboard.Rhythm // if Every is set: the day of each month, instead of monthday and weekday

	mu    sync.Mutex
	kinds map[[2]int]uint32 // of months, that were computed: see days
}

// The indexes of fields in gronx's segments, which begin with the seconds.
const (
	minuteField = iota + 1
	hourField
	monthdayField
	monthField
	weekdayField
)

// parseCron reads five fields. It reports whether they are good.
func parseCron(fields []string) (c *cron, ok bool) {
	expression := strings.Join(fields, " ")
	if len(fields) != 5 || !gronx.New().IsValid(expression) {
		return nil, false
	}
	segments, err := gronx.Segments(expression) // with numbers for names
	if err != nil {
		return nil, false
	}
	c = &cron{monthday: segments[monthdayField], weekday: segments[weekdayField], kinds: map[[2]int]uint32{}}
	at := func(field, month, day, hour, minute int) bool {
		due, err := dueAt(segments[field], field, time.Date(2026, time.Month(month), day, hour, minute, 0, 0, time.UTC))
		ok = ok && err == nil
		return due
	}
	ok = true
	for minute := range c.minutes {
		c.minutes[minute] = at(minuteField, 1, 1, 0, minute)
	}
	for hour := range c.hours {
		c.hours[hour] = at(hourField, 1, 1, hour, 0)
	}
	for month := 1; month < len(c.months); month++ {
		c.months[month] = at(monthField, month, 1, 0, 0)
	}
	for day := 1; day <= 31; day++ { // a January, which has every day of the month, and of the week
		at(monthdayField, 1, day, 0, 0)
		at(weekdayField, 1, day, 0, 0)
	}
	return c, ok
}

// dueAt reports whether a field is due at t.
func dueAt(segment string, field int, t time.Time) (bool, error) {
	checker := gronx.SegmentChecker{}
	checker.SetRef(t)
	return checker.CheckDue(segment, field)
}

// dueOn reports whether the day of the month and the day of the week are due on a day. Where both fields
// name days, one of them suffices.
func (c *cron) dueOn(day time.Time) bool {
	due := func(segment string, field int) bool {
		due, err := dueAt(segment, field, day)
		return due && err == nil
	}
	every := func(segment string) bool { return segment == "*" || segment == "?" }
	switch {
	case c.monthly.Every != "":
		return c.monthly.On(day)
	case every(c.weekday):
		return every(c.monthday) || due(c.monthday, monthdayField)
	case every(c.monthday):
		return due(c.weekday, weekdayField)
	case strings.HasPrefix(c.weekday, "*/"), strings.HasPrefix(c.monthday, "*"):
		return due(c.weekday, weekdayField) && due(c.monthday, monthdayField)
	}
	return due(c.weekday, weekdayField) || due(c.monthday, monthdayField)
}

// days returns the days of a month that are due: bit n for the n-th. A month is one of 28 kinds by the day of the week that it begins with
// and its length, and each kind is computed once.
func (c *cron) days(year int, month time.Month) (due uint32) {
	if !c.months[month] {
		return 0
	}
	first := time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
	kind := [2]int{int(first.Weekday()), first.AddDate(0, 1, -1).Day()}
	c.mu.Lock()
	defer c.mu.Unlock()
	due, known := c.kinds[kind]
	if !known {
		for day := range kind[1] {
			if c.dueOn(first.AddDate(0, 0, day)) {
				due |= 1 << (day + 1)
			}
		}
		c.kinds[kind] = due
	}
	return due
}

// nextDay is the first day after a date that is due; the month is 0 if there is no such day.
func (c *cron) nextDay(year int, month time.Month, day int) (int, time.Month, int) {
	due := c.days(year, month) &^ (1<<(day+1) - 1)
	for last := year + mostYears; due == 0; due = c.days(year, month) {
		if month++; month > time.December {
			year, month = year+1, time.January
		}
		if year > last {
			return 0, 0, 0
		}
	}
	return year, month, bits.TrailingZeros32(due)
}

// lastDay is the last day before a date that is due; the month is 0 if there is no such day.
func (c *cron) lastDay(year int, month time.Month, day int) (int, time.Month, int) {
	due := c.days(year, month) & (1<<day - 1)
	for first := year - mostYears; due == 0; due = c.days(year, month) {
		if month--; month < time.January {
			year, month = year-1, time.December
		}
		if year < first {
			return 0, 0, 0
		}
	}
	return year, month, bits.Len32(due) - 1
}

// step is how many minutes the search advances at most where the hour is not due. Clocks change by a multiple of it, at a multiple of it.
const step = 15

// never reports whether a day has no run, because the minutes or the hours contain no valid value: gronx accepts "60/1" as minutes.
func (c *cron) never() bool {
	return !slices.Contains(c.minutes[:], true) || !slices.Contains(c.hours[:], true)
}

// after returns the first run after t by the clock of a time zone, or zero for none. A time that the clock skips has no run, and a time
// that it repeats has two.
func (c *cron) after(t time.Time, zone *time.Location) time.Time {
	if c.never() {
		return time.Time{}
	}
	t = t.In(zone).Truncate(time.Minute).Add(time.Minute)
	last := t.Year() + mostYears
	for {
		year, month, day := t.Date()
		switch {
		case year > last: // the clock skips it each time
			return time.Time{}
		case c.days(year, month)&(1<<day) == 0:
			if year, month, day = c.nextDay(year, month, day); month == 0 {
				return time.Time{}
			}
			if next := dayStart(year, month, day, zone); next.After(t) {
				t = next
			} else { // the clock was set back over midnight
				t = t.Add(time.Minute)
			}
		case !c.hours[t.Hour()]:
			t = t.Add(time.Duration(step-t.Minute()%step) * time.Minute)
		case !c.minutes[t.Minute()]:
			t = t.Add(time.Minute)
		default:
			return t
		}
	}
}

// before is the last run up to t, or zero for none.
func (c *cron) before(t time.Time, zone *time.Location) time.Time {
	if c.never() {
		return time.Time{}
	}
	t = t.In(zone).Truncate(time.Minute)
	first := t.Year() - mostYears
	for {
		year, month, day := t.Date()
		switch {
		case year < first:
			return time.Time{}
		case c.days(year, month)&(1<<day) == 0:
			if year, month, day = c.lastDay(year, month, day); month == 0 {
				return time.Time{}
			}
			if next := dayStart(year, month, day+1, zone); !next.After(t) {
				t = next
			}
			t = t.Add(-time.Minute)
		case !c.hours[t.Hour()]:
			t = t.Add(-time.Duration(t.Minute()%step+1) * time.Minute)
		case !c.minutes[t.Minute()]:
			t = t.Add(-time.Minute)
		default:
			return t
		}
	}
}

// dayStart returns the first minute of a day. If the clock skips or repeats midnight, the result of [time.Date] may be another minute.
func dayStart(year int, month time.Month, day int, zone *time.Location) time.Time {
	const some = step * time.Minute
	t := time.Date(year, month, day, 0, 0, 0, 0, zone)
	want := time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Day()
	for t.Day() != want {
		t = t.Add(some)
	}
	for t.Add(-some).Day() == want {
		t = t.Add(-some)
	}
	return t
}
