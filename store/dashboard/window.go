package dashboard

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"service/store/dashboard/cube"
	"service/store/pattern"
)

// An AxisTime is an end of an axis of times that the spec sets: a time, the name of a date range, or a day relative to today.
type AxisTime struct {
	At    time.Time // the wall clock as UTC; for the last day of the axis, the midnight after it
	Range string    // as in [DateRange], or in [aheadRange]: the axis begins with its first day, or ends with its last; or as in [fromNow]
}

// Given reports whether the spec sets the end.
func (a AxisTime) Given() bool { return a != AxisTime{} }

// Moment returns the first moment of the axis, or with end the first moment after it, as a wall clock in UTC. A range that has not ended
// yet, such as this_year, is used as a whole, because spans can be in the future.
func (a AxisTime) Moment(end bool, loc *time.Location, week cube.Weekday, now time.Time) time.Time {
	if a.Range == "" {
		return a.At
	}
	if t, ok := fromNow(a.Range, loc, now); ok {
		return t
	}
	from, to, ok := DateRange(a.Range, loc, week, now)
	if !ok {
		from, to, _ = aheadRange(a.Range, loc, now)
	}
	switch unit, this := strings.CutPrefix(a.Range, "this_"); {
	case !end:
		return from
	case this:
		return rangeUnits[unit].grain.Next(cube.DayOf(from)).Time()
	}
	return to.AddDate(0, 0, 1)
}

// fromToday is a number of days, weeks, months, quarters or years before or after today.
var fromToday = pattern.New(`^today([+-])([1-9][0-9]{0,4})([dwmqy])$`)

// hoursFromNow is a number of hours or days before or after now.
var hoursFromNow = pattern.New(`^now(?:([+-])([1-9][0-9]{0,4})([hd]))?$`)

// fromNow returns the moment of now, now-24h or now+7d, as a wall clock in UTC.
func fromNow(name string, loc *time.Location, now time.Time) (t time.Time, ok bool) {
	m := hoursFromNow.FindStringSubmatch(name)
	if m == nil {
		return t, false
	}
	y, month, d := now.In(loc).Date()
	t = time.Date(y, month, d, now.In(loc).Hour(), now.In(loc).Minute(), 0, 0, time.UTC)
	n, err := strconv.Atoi(cmp.Or(m[2], "0"))
	if m[1] == "-" {
		n = -n
	}
	if m[3] == "d" {
		return t.AddDate(0, 0, n), err == nil && n <= mostDays && n >= -mostDays
	}
	return t.Add(time.Duration(n) * time.Hour), err == nil
}

// aheadRange returns the first and the last day of next_6_weeks, which begins today, and the day of today+6w or today-7d, as midnights UTC.
func aheadRange(name string, loc *time.Location, now time.Time) (from, to time.Time, ok bool) {
	today := cube.DayOf(now.In(loc))
	if rest, ok := strings.CutPrefix(name, "next_"); ok {
		n, unit, full, ok := LastRange("last_" + rest)
		return today.Time(), later(today, n, unit), ok && !full
	}
	m := fromToday.FindStringSubmatch(name)
	if m == nil {
		return from, to, false
	}
	unit := map[string]string{"d": "day", "w": "week", "m": "month", "q": "quarter", "y": "year"}[m[3]]
	n, err := strconv.Atoi(m[2])
	if err != nil || n > mostDays/rangeUnits[unit].days {
		return from, to, false
	}
	if m[1] == "-" {
		n = -n
	}
	day := later(today, n, unit)
	return day, day, true
}

// later returns the day n units after a day, or the last day of a month that is too short for it.
func later(day cube.Day, n int, unit string) time.Time {
	u := rangeUnits[unit]
	if u.months > 0 {
		return monthsBefore(day, -n*u.months).Time()
	}
	return day.Time().AddDate(0, 0, n*u.days)
}

// axisTimeForms are the layouts of the ends of an axis of times.
var axisTimeForms = []string{time.DateOnly, "2006-01-02 15:04", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02T15:04:05"}

// otherRanges are other names of date ranges.
var otherRanges = map[string]string{
	"last7d": "last_7_days", "last30d": "last_30_days", "last90d": "last_90_days", "last365d": "last_365_days",
	"week": "this_week", "month": "this_month", "quarter": "this_quarter", "year": "this_year", "wtd": "this_week", "mtd": "this_month",
	"qtd": "this_quarter", "ytd": "this_year", "startofyear": "this_year", "startofmonth": "this_month",
	"endofyear": "this_year", "endofmonth": "this_month",
}

// readAxisTime reads an end of an axis of times.
func readAxisTime(o *object, key string, end bool) (out AxisTime) {
	if !o.has(key) {
		return out
	}
	text := ""
	if kindOf(o.values[key]) == "a string" {
		text = o.name(key)
	}
	for _, form := range axisTimeForms {
		if t, err := time.Parse(form, text); err == nil && t.Year() > 0 {
			if end && form == time.DateOnly {
				t = t.AddDate(0, 0, 1)
			}
			return AxisTime{At: t}
		}
	}
	_, _, ok := DateRange(text, time.UTC, 0, time.Time{})
	_, isNow := fromNow(text, time.UTC, time.Time{})
	if _, _, ahead := aheadRange(text, time.UTC, time.Time{}); ahead || isNow || ok && text != "all" {
		return AxisTime{Range: text}
	}
	names := slices.DeleteFunc(slices.Clone(rangeNames), func(name string) bool { return name == "all" })
	day := map[bool]string{false: "the first", true: "the last"}[end]
	o.problems.add(Problem{
		Path: o.at(key),
		Message: `must be ` + day + ` day of the axis, such as "2026-05-01", or with a time of the page's zone "2026-05-01 14:30", or the name ` +
			`of a date range, of which it is ` + day + ` day, or a day from today on, such as ` +
			map[bool]string{false: `"today-7d" or "now-24h"`, true: `"today+6w", "next_6_weeks" or "now"`}[end],
		Noun: "names", Allowed: names, Nearest: known(text, otherRanges, names),
	})
	return out
}

// verifyWindow checks that an axis of times ends after it begins. Names of ranges are only known on the day of the page.
func verifyWindow(o *object, p *Panel) {
	from, to := p.Window[0], p.Window[1]
	if !from.At.IsZero() && !to.At.IsZero() && !to.At.After(from.At) {
		o.problems.addf(o.at("x_max"), "must be after x_min")
	}
}
