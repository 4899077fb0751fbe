package dashboard

import (
	"slices"
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

// A Rhythm defines when a dashboard is sent: on days of the calendar at a time of the day, or after each refresh.
type Rhythm struct {
	Every  string
	Day    int // weekly: 0 (Sunday) to 6; monthly: 1 to 31 (31 is the last day), or a result of [MonthWeekday]
	Minute int // of the day, from midnight
}

// Weekdays are the names of the days of the week in specs and forms, from Sunday.
var Weekdays = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

// Ordinals are the places of a day of the week in a month, as specs write them.
var Ordinals = []string{"first", "second", "third", "fourth", "last"}

// weekdayNames are the full names of the days of the week from Sunday on, and then the word for any day from Monday to Friday.
var weekdayNames = []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "weekday"}

// AnyWeekday is the position of any of Monday to Friday in a month: the first weekday of August 2026 is Monday the 3rd.
const AnyWeekday = 7

// monthWeekdays is the first number of a day that is a [MonthWeekday].
const monthWeekdays = 110

// MonthWeekday returns the day of a monthly rhythm on a weekday: nth is an index of [Ordinals], and weekday is 0 (Sunday) to 6, or
// [AnyWeekday]. The results, 110 to 157, are stored in the column subscription.day: 110 + 10 × nth + weekday.
func MonthWeekday(nth, weekday int) int { return monthWeekdays + 10*nth + weekday }

// SplitMonthWeekday is the reverse of [MonthWeekday]. ok is false for a day of the month.
func SplitMonthWeekday(day int) (nth, weekday int, ok bool) {
	day -= monthWeekdays
	return day / 10, day % 10, day >= 0 && day/10 < len(Ordinals) && day%10 < len(weekdayNames)
}

// otherMonthWords are other words for places and days of a month, and "" for words that add nothing.
var otherMonthWords = map[string]string{
	"1st": "first", "2nd": "second", "3rd": "third", "4th": "fourth", "final": "last", "workday": "weekday", "workingday": "weekday",
	"businessday": "weekday", "bankday": "weekday", "the": "",
}

// ParseMonthDay parses a day of the month in words, in upper or lower case, such as "first monday", "last fri", "first day", "last day" or
// "first weekday". A "working day" is the same as a "weekday": Monday to Friday.
func ParseMonthDay(text string) (day int, ok bool) {
	text = strings.NewReplacer("working day", "weekday", "business day", "weekday", "week day", "weekday").Replace(strings.ToLower(text))
	var words []string
	for _, word := range strings.Fields(text) {
		if other, known := otherMonthWords[word]; known {
			word = other
		}
		if word != "" {
			words = append(words, word)
		}
	}
	if len(words) == 1 && words[0] == "last" {
		words = append(words, "day")
	}
	if len(words) != 2 {
		return 0, false
	}
	nth := slices.Index(Ordinals, words[0])
	if words[1] == "day" && (nth == 0 || nth == len(Ordinals)-1) {
		return map[bool]int{true: 1, false: 31}[nth == 0], true
	}
	weekday := slices.Index(weekdayNames, words[1])
	if weekday < 0 {
		weekday = slices.Index(Weekdays, words[1])
	}
	return MonthWeekday(nth, weekday), nth >= 0 && weekday >= 0
}

// MonthWeekdayWords returns a [MonthWeekday] in the form of specs, such as "first monday".
func MonthWeekdayWords(day int) string {
	nth, weekday, ok := SplitMonthWeekday(day)
	if !ok {
		return ""
	}
	return Ordinals[nth] + " " + weekdayNames[weekday]
}

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
		if !r.On(date) {
			continue
		}
		if at := moment(date, r.Minute, zone); at.After(after) {
			return at
		}
	}
}

// Following returns the due time after due. If several due times have passed by now, it returns the last of them.
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
	at := r.Next(due.AddDate(0, -1, -9), zone) // longer than any rhythm: from a first to a second Monday there are five weeks
	for {
		next := r.Next(at, zone)
		if !next.Before(due) {
			return at
		}
		at = next
	}
}

// On reports whether a date is one of the rhythm's days.
func (r Rhythm) On(date time.Time) bool {
	switch r.Every {
	case EveryWeek:
		return int(date.Weekday()) == r.Day
	case EveryMonth:
		last := date.AddDate(0, 1, -date.Day()).Day()
		nth, weekday, ok := SplitMonthWeekday(r.Day)
		if !ok {
			return date.Day() == min(r.Day, last)
		}
		if !isWeekday(date, weekday) {
			return false
		}
		before, after := 0, 0 // days of the month that are also such weekdays
		for day := 1; day <= last; day++ {
			switch other := date.AddDate(0, 0, day-date.Day()); {
			case !isWeekday(other, weekday):
			case day < date.Day():
				before++
			case day > date.Day():
				after++
			}
		}
		if nth == len(Ordinals)-1 {
			return after == 0
		}
		return before == nth
	}
	return true
}

// isWeekday reports whether a date is on a day of the week, from Sunday, or on [AnyWeekday].
func isWeekday(date time.Time, weekday int) bool {
	day := date.Weekday()
	return int(day) == weekday || weekday == AnyWeekday && day != time.Sunday && day != time.Saturday
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
