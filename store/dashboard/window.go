package dashboard

import (
	"slices"
	"strings"
	"time"

	"service/store/dashboard/cube"
)

// An AxisTime is an end of an axis of times that the spec sets: a time, or the name of a date range.
type AxisTime struct {
	At    time.Time // the wall clock as UTC; for the last day of the axis, the midnight after it
	Range string    // as in [DateRange]: the axis begins with its first day, or ends with its last
}

// Given reports whether the spec sets the end.
func (a AxisTime) Given() bool { return a != AxisTime{} }

// Moment returns the first moment of the axis, or with end the first moment after it, as a wall clock in UTC. A range that has not ended
// yet, such as this_year, is used as a whole, because spans can be in the future.
func (a AxisTime) Moment(end bool, loc *time.Location, week cube.Weekday, now time.Time) time.Time {
	if a.Range == "" {
		return a.At
	}
	from, to, _ := DateRange(a.Range, loc, week, now)
	switch unit, this := strings.CutPrefix(a.Range, "this_"); {
	case !end:
		return from
	case this:
		return rangeUnits[unit].grain.Next(cube.DayOf(from)).Time()
	}
	return to.AddDate(0, 0, 1)
}

// axisTimeForms are the layouts of the ends of an axis of times.
var axisTimeForms = []string{time.DateOnly, "2006-01-02 15:04", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02T15:04:05"}

// otherRanges are other names of date ranges.
var otherRanges = map[string]string{
	"now": "today", "last7d": "last_7_days", "last30d": "last_30_days", "last90d": "last_90_days", "last365d": "last_365_days",
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
	if _, _, ok := DateRange(text, time.UTC, 0, time.Time{}); ok && text != "all" {
		return AxisTime{Range: text}
	}
	names := slices.DeleteFunc(slices.Clone(rangeNames), func(name string) bool { return name == "all" })
	day := map[bool]string{false: "the first", true: "the last"}[end]
	o.problems.add(Problem{
		Path: o.at(key),
		Message: `must be ` + day + ` day of the axis, such as "2026-05-01", or with a time of the page's zone "2026-05-01 14:30", or the name ` +
			`of a date range, of which it is ` + day + ` day`,
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
