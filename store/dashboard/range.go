package dashboard

import (
	"strconv"
	"strings"
	"time"

	"service/store/dashboard/cube"
)

// rangeNames are the relative date ranges that have a name of their own, and the most common ones of the form [rangeForm].
var rangeNames = []string{
	"today", "yesterday", "last_7_days", "last_30_days", "last_90_days", "last_365_days",
	"this_week", "last_week", "this_month", "last_month", "this_quarter", "last_quarter", "this_year", "last_year", "all",
}

// rangeForm describes the names of the other ranges.
const rangeForm = "last_<n>_days, or last_<n>_full_days without today (also weeks, months, quarters, years)"

// mostDays is the longest range: 100 years.
const mostDays = 36525

// rangeUnits are the units of ranges: their grain, their maximum of days, and their number of months.
var rangeUnits = map[string]struct {
	grain        cube.Grain
	days, months int
}{
	"day": {cube.Daily, 1, 0}, "week": {cube.Weekly, 7, 0},
	"month": {cube.Monthly, 30, 1}, "quarter": {cube.Quarterly, 91, 3}, "year": {cube.Yearly, 365, 12},
}

// DateRange returns the first and the last day of a relative range, inclusive, as midnights UTC. Today is the day of now in loc; weeks
// begin on week. A range that has not ended yet ends today, so that it can be compared with an earlier range of the same length. Both are
// zero for "all".
func DateRange(name string, loc *time.Location, week cube.Weekday, now time.Time) (from, to time.Time, ok bool) {
	today := cube.DayOf(now.In(loc))
	days := func(from, to cube.Day) (time.Time, time.Time, bool) { return from.Time(), to.Time(), true }
	switch name {
	case "today":
		return days(today, today)
	case "yesterday":
		return days(today-1, today-1)
	case "all":
		return time.Time{}, time.Time{}, true
	}
	which, unit, _ := strings.Cut(name, "_")
	if u, ok := rangeUnits[unit]; ok && unit != "day" {
		begun := u.grain.Floor(today, week)
		switch which {
		case "this":
			return days(begun, today)
		case "last":
			return days(u.grain.Floor(begun-1, week), begun-1)
		}
	}
	n, unit, full, ok := LastRange(name)
	if !ok {
		return time.Time{}, time.Time{}, false
	}
	u, to1 := rangeUnits[unit], today+1 // the day after
	if full {
		to1 = u.grain.Floor(today, week)
	}
	if u.months == 0 {
		return days(to1-cube.Day(n*u.days), to1-1)
	}
	if full { // the first day of a month, which every month has
		return days(cube.DayOf(to1.Time().AddDate(0, -n*u.months, 0)), to1-1)
	}
	return days(monthsBefore(today, n*u.months)+1, today)
}

// LastRange reads the names of the form last_<n>_days and last_<n>_full_days. The
// unit is returned without its s.
func LastRange(name string) (n int, unit string, full, ok bool) {
	rest, ok := strings.CutPrefix(name, "last_")
	if !ok {
		return 0, "", false, false
	}
	number, rest, _ := strings.Cut(rest, "_")
	rest, full = strings.CutPrefix(rest, "full_")
	unit, plural := strings.CutSuffix(rest, "s")
	n, err := strconv.Atoi(number)
	u, known := rangeUnits[unit]
	ok = err == nil && known && plural && n >= 1 && strconv.Itoa(n) == number && n <= mostDays/u.days
	return n, unit, full, ok
}

// monthsBefore returns the same day some months earlier, or the last day of a month that is too short.
func monthsBefore(d cube.Day, months int) cube.Day {
	t := d.Time()
	first := time.Date(t.Year(), t.Month()-time.Month(months), 1, 0, 0, 0, 0, time.UTC)
	return cube.DayOf(first.AddDate(0, 0, min(t.Day(), first.AddDate(0, 1, -1).Day())-1))
}

// isRangeName reports whether a text can only be meant as a relative range.
func isRangeName(s string) bool {
	_, _, ok := DateRange(s, time.UTC, 0, time.Time{})
	return ok && s != "today" && s != "yesterday"
}

// Period is [DateRange] for the default of a filter or parameter: the name of a range, or two dates. No values mean "all".
func Period(values []string, loc *time.Location, week cube.Weekday, now time.Time) (from, to time.Time, ok bool) {
	switch len(values) {
	case 0:
		return time.Time{}, time.Time{}, true
	case 1:
		return DateRange(values[0], loc, week, now)
	case 2:
		from, err1 := time.Parse(time.DateOnly, values[0])
		to, err2 := time.Parse(time.DateOnly, values[1])
		return from, to, err1 == nil && err2 == nil && !to.Before(from)
	}
	return time.Time{}, time.Time{}, false
}

// Ranges returns the first and the last day of each date range that is bound in the SQL of a dataset at a time, without ranges that are
// open on both sides.
func (s *Spec) Ranges(d *Dataset, now time.Time) [][2]cube.Day {
	var ignored Problems
	var out [][2]cube.Day
	seen := map[*Param]bool{}
	for _, u := range placeholders(&ignored, "", d.SQL, s.Params) {
		if u.param.Type != ParamRange || seen[u.param] {
			continue
		}
		seen[u.param] = true
		if from, to, ok := Period(u.param.period(), s.Location(), s.Week(), s.Today(now)); ok && !from.IsZero() {
			out = append(out, [2]cube.Day{cube.DayOf(from), cube.DayOf(to)})
		}
	}
	return out
}
