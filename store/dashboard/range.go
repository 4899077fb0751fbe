package dashboard

import "time"

// rangeNames are the relative date ranges that filters and parameters know.
var rangeNames = []string{
	"today", "last_7_days", "last_30_days", "last_90_days", "last_365_days",
	"this_month", "last_month", "this_year", "all",
}

// DateRange returns the first and the last day of a relative range, both
// included, as midnights UTC of the calendar dates. Today is the day that now
// is in loc. A range that has not ended yet ends today, so that it can be
// compared with an earlier one of the same length. For "all" both are zero.
func DateRange(name string, loc *time.Location, now time.Time) (from, to time.Time, ok bool) {
	y, m, d := now.In(loc).Date()
	day := func(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, time.UTC) }
	today := day(y, m, d)
	switch name {
	case "today":
		return today, today, true
	case "last_7_days":
		return today.AddDate(0, 0, -6), today, true
	case "last_30_days":
		return today.AddDate(0, 0, -29), today, true
	case "last_90_days":
		return today.AddDate(0, 0, -89), today, true
	case "last_365_days":
		return today.AddDate(0, 0, -364), today, true
	case "this_month":
		return day(y, m, 1), today, true
	case "last_month":
		return day(y, m-1, 1), day(y, m, 0), true
	case "this_year":
		return day(y, 1, 1), today, true
	case "all":
		return time.Time{}, time.Time{}, true
	}
	return time.Time{}, time.Time{}, false
}

// Period is [DateRange] for what a filter's or a parameter's default holds: the
// name of a range, or two dates. No values at all mean "all".
func Period(values []string, loc *time.Location, now time.Time) (from, to time.Time, ok bool) {
	switch len(values) {
	case 0:
		return time.Time{}, time.Time{}, true
	case 1:
		return DateRange(values[0], loc, now)
	case 2:
		from, err1 := time.Parse(time.DateOnly, values[0])
		to, err2 := time.Parse(time.DateOnly, values[1])
		return from, to, err1 == nil && err2 == nil && !to.Before(from)
	}
	return time.Time{}, time.Time{}, false
}
