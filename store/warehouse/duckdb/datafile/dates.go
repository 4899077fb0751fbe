package datafile

import (
	"strconv"
	"strings"
	"time"

	"service/store/dashboard/cube"
	"service/store/warehouse"
)

// dateCandidates are the orders of day and month in dates such as 1/2/2006. In a
// column the order is always the same; all other dates are unambiguous. A date is
// a timestamp at midnight; see column.clocks.
var dateCandidates = []candidate{
	{kind: cube.Timestamp, what: "dates", read: readDate(unambiguous)},
	{
		kind: cube.Timestamp, what: "dates", read: readDate(monthFirst), order: monthFirst,
		note: "dates read with the month first, as in 12/31/2006",
	},
	{
		kind: cube.Timestamp, what: "dates", read: readDate(dayFirst), order: dayFirst,
		note: "dates read with the day first, as in 31/12/2006",
	},
}

func readDate(o order) func(string) (any, bool) {
	return func(s string) (any, bool) { return parseTimestamp(s, o) }
}

// otherOrder is the index in dateCandidates of the opposite order.
var otherOrder = map[order]int{monthFirst: 2, dayFirst: 1}

type order int

const (
	unambiguous order = iota // no dates whose order is not certain
	monthFirst               // 12/31/2006
	dayFirst                 // 31/12/2006
)

// public returns the order as reports have it.
func (o order) public() warehouse.Dates {
	switch o {
	case monthFirst:
		return warehouse.MonthFirst
	case dayFirst:
		return warehouse.DayFirst
	}
	return warehouse.DatesAuto
}

// parseTimestamp reads a date, or a date and a time. A time with an offset is converted to UTC; one without is read as UTC.
func parseTimestamp(s string, o order) (any, bool) {
	s = strings.TrimSpace(s)
	if len(s) < 6 || len(s) > 60 {
		return nil, false
	}
	day, clock := s, ""
	if i := strings.IndexByte(s, ':'); i > 0 {
		start := i
		for start > 0 && isDigit(s[start-1]) {
			start--
		}
		if start == 0 || i-start > 2 || !strings.ContainsRune(" Tt", rune(s[start-1])) {
			return nil, false
		}
		day, clock = strings.TrimRight(s[:start-1], " ,"), s[start:]
	}
	t, ok := date(day, o)
	if !ok || clock == "" {
		return t, ok
	}
	d, ok := timeOfDay(clock)
	return t.Add(d), ok
}

// A clock is the time of day in a text.
type clock struct {
	time string
	zone string // the end of the text, or ""
}

// clockOf returns the time of day of a text that is a timestamp.
func clockOf(s string) clock {
	s = strings.TrimSpace(s)
	i := strings.IndexByte(s, ':')
	if i < 2 {
		return clock{}
	}
	k := clock{time: strings.TrimSpace(s[i-2:])}
	if z := strings.IndexAny(k.time, "+-Zz"); z > 0 {
		k.time, k.zone = strings.TrimSpace(k.time[:z]), k.time[z:]
	} else if n := len(k.time) - 3; n > 0 && (strings.EqualFold(k.time[n:], "UTC") || strings.EqualFold(k.time[n:], "GMT")) {
		k.time, k.zone = strings.TrimSpace(k.time[:n]), k.time[n:]
	}
	return k
}

func (k clock) midnight() bool { return strings.Trim(k.time, "0:., ") == "" && k.time != "" }

// moves reports whether the zone is not UTC.
func (k clock) moves() bool { return strings.ContainsAny(k.zone, "123456789") }

// timeOfDay reads 15:04, 15:04:05.999 and 3:04 PM, with or without an offset, as
// the time since midnight UTC.
func timeOfDay(s string) (time.Duration, bool) {
	s = strings.Replace(strings.ToUpper(s), ",", ".", 1)
	for _, layout := range []string{
		"15:04:05", "15:04", "3:04:05 PM", "3:04 PM", "3:04:05PM", "3:04PM",
		"15:04:05Z07:00", "15:04Z07:00", "15:04:05Z0700", "15:04:05Z07",
		"15:04:05 Z07:00", "15:04:05 Z0700", "15:04:05 UTC", "15:04:05 GMT", "15:04 UTC", "15:04 GMT",
	} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC().Sub(time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)), true
		}
	}
	return 0, false
}

// date reads a date without time.
func date(s string, o order) (time.Time, bool) {
	s = withoutWeekday(s)
	parts := strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("-/., ", r) })
	switch len(parts) {
	case 3:
		return threeParts(s, parts, o)
	case 2:
		return twoParts(s, parts)
	}
	return time.Time{}, false
}

func threeParts(s string, p []string, o order) (time.Time, bool) {
	if m := month(p[0]); m > 0 { // Jan 2, 2006
		return assemble(p[2], m, ordinal(p[1]))
	}
	if m := month(p[1]); m > 0 {
		if len(p[0]) == 4 { // 2006 Jan 2
			return assemble(p[0], m, p[2])
		}
		return assemble(p[2], m, ordinal(p[0])) // 2-Jan-06
	}
	separator := s[len(p[0]) : len(p[0])+1]
	if s != p[0]+separator+p[1]+separator+p[2] || separator == "," || separator == " " {
		return time.Time{}, false
	}
	short := len(p[2]) == 2
	switch {
	case len(p[0]) == 4 && len(p[2]) <= 2: // 2006-01-02
		return assembleDigits(p[0], p[1], p[2])
	case len(p[0]) > 2 || len(p[1]) > 2 || len(p[2]) != 4 && !short:
		return time.Time{}, false
	case separator == ".": // 02.01.2006; 1.2.10 may be a version
		if short && (len(p[0]) != 2 || len(p[1]) != 2) {
			return time.Time{}, false
		}
		return assembleDigits(p[2], p[1], p[0])
	case separator == "-" && short: // 10-11-12 may be anything
		return time.Time{}, false
	case o == monthFirst:
		return assembleDigits(p[2], p[0], p[1])
	case o == dayFirst:
		return assembleDigits(p[2], p[1], p[0])
	}
	return time.Time{}, false
}

// twoParts reads a month, as its first day: 2006-01, Jan 2006.
func twoParts(s string, p []string) (time.Time, bool) {
	switch {
	case len(p[1]) == 4 && month(p[0]) > 0:
		return assemble(p[1], month(p[0]), "1")
	case len(p[0]) == 4 && month(p[1]) > 0:
		return assemble(p[0], month(p[1]), "1")
	case len(p[0]) == 4 && len(p[1]) == 2 && s[4] == '-':
		return assembleDigits(p[0], p[1], "1")
	}
	return time.Time{}, false
}

func assembleDigits(year, month, day string) (time.Time, bool) {
	m, ok := digits(month)
	if !ok {
		return time.Time{}, false
	}
	return assemble(year, time.Month(m), day)
}

// assemble makes a date. It returns false if that date does not exist. Two-digit years are those from 1969 to 2068, as in POSIX.
func assemble(year string, m time.Month, day string) (time.Time, bool) {
	y, okYear := digits(year)
	d, okDay := digits(day)
	switch {
	case !okYear || !okDay:
		return time.Time{}, false
	case len(year) == 2 && y >= 69:
		y += 1900
	case len(year) == 2:
		y += 2000
	case len(year) != 4 || y == 0:
		return time.Time{}, false
	}
	t := time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	return t, t.Year() == y && t.Month() == m && t.Day() == d
}

func digits(s string) (int, bool) {
	if len(s) > 4 || !allDigits(s) {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	return n, err == nil
}

// ordinal cuts off the letters of 1st, 2nd, 3rd, 4th.
func ordinal(s string) string {
	if n := len(s) - 2; n > 0 && isDigit(s[n-1]) {
		switch strings.ToLower(s[n:]) {
		case "st", "nd", "rd", "th":
			return s[:n]
		}
	}
	return s
}

// month reads an English month, in full or as three letters. It returns 0 for other words.
func month(s string) time.Month {
	if len(s) < 3 {
		return 0
	}
	if strings.EqualFold(s, "sept") {
		return time.September
	}
	for m := time.January; m <= time.December; m++ {
		if name := m.String(); strings.EqualFold(s, name) || strings.EqualFold(s, name[:3]) {
			return m
		}
	}
	return 0
}

// withoutWeekday cuts off a leading English weekday.
func withoutWeekday(s string) string {
	i := strings.IndexAny(s, ", ")
	if i < 3 {
		return s
	}
	for d := time.Sunday; d <= time.Saturday; d++ {
		if name := d.String(); strings.EqualFold(s[:i], name) || strings.EqualFold(s[:i], name[:3]) {
			return strings.TrimLeft(s[i:], ", ")
		}
	}
	return s
}
