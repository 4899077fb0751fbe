package locale

import (
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// Date writes a day: Aug 31, 2026.
func (l *Locale) Date(t time.Time) string { return l.data.format(l.data.Date, t) }

// DayMonth writes a day without its year: Aug 31.
func (l *Locale) DayMonth(t time.Time) string { return l.data.format(l.data.DayMonth, t) }

// Month writes a month: Aug 2026.
func (l *Locale) Month(t time.Time) string { return l.data.format(l.data.Month, t) }

// MonthAlone writes a month without its year: Aug.
func (l *Locale) MonthAlone(t time.Time) string { return l.data.AloneAbbr[t.Month()-1] }

// Quarter writes a quarter: Q3 2026.
func (l *Locale) Quarter(t time.Time) string { return l.data.format(l.data.Quarter, t) }

// QuarterAlone writes a quarter without its year: Q3.
func (l *Locale) QuarterAlone(t time.Time) string { return l.data.Quarters[(t.Month()-1)/3] }

// Year writes a year: 2026.
func (l *Locale) Year(t time.Time) string { return l.data.format(l.data.Year, t) }

// Clock writes hours and minutes, of 24 hours: 15:04.
func (l *Locale) Clock(t time.Time) string { return l.data.format(l.data.Clock, t) }

// ClockSeconds is [Locale.Clock] with seconds: 15:04:05.
func (l *Locale) ClockSeconds(t time.Time) string { return l.data.format(l.data.Seconds, t) }

// Weekday writes a day of the week: Monday, or Mon.
func (l *Locale) Weekday(d time.Weekday, short bool) string {
	if short {
		return l.data.DaysAbbr[(d+6)%7]
	}
	return l.data.Weekdays[(d+6)%7]
}

// format writes t by a pattern of Unicode Technical Standard 35, part 4.
func (d *data) format(pattern string, t time.Time) string {
	var b strings.Builder
	for i := 0; i < len(pattern); {
		c := pattern[i]
		n := 1
		for i+n < len(pattern) && pattern[i+n] == c {
			n++
		}
		switch c {
		case '\'': // a literal; two quotes are one
			end := strings.IndexByte(pattern[i+1:], '\'')
			if end == 0 || end < 0 {
				b.WriteByte('\'')
				i += 2
				continue
			}
			b.WriteString(pattern[i+1 : i+1+end])
			i += end + 2
			continue
		case 'y':
			b.WriteString(strconv.Itoa(t.Year()))
		case 'M':
			b.WriteString(month(n, t, &d.Months, &d.MonthsAbbr))
		case 'L':
			b.WriteString(month(n, t, &d.Alone, &d.AloneAbbr))
		case 'Q':
			if q := int(t.Month()-1) / 3; n < 3 {
				b.WriteString(digits(q+1, n))
			} else {
				b.WriteString(d.Quarters[q])
			}
		case 'd':
			b.WriteString(digits(t.Day(), n))
		case 'H':
			b.WriteString(digits(t.Hour(), n))
		case 'm':
			b.WriteString(digits(t.Minute(), n))
		case 's':
			b.WriteString(digits(t.Second(), n))
		default:
			_, n = utf8.DecodeRuneInString(pattern[i:])
			b.WriteString(pattern[i : i+n])
		}
		i += n
	}
	return b.String()
}

func month(n int, t time.Time, wide, abbr *[12]string) string {
	switch {
	case n > 3:
		return wide[t.Month()-1]
	case n == 3:
		return abbr[t.Month()-1]
	}
	return digits(int(t.Month()), n)
}

// digits writes v with at least n digits.
func digits(v, n int) string {
	s := strconv.Itoa(v)
	return strings.Repeat("0", max(n-len(s), 0)) + s
}

// A Calendar is the part of a calendar that a name denotes.
type Calendar int

// The parts.
const (
	NoName Calendar = iota
	WeekdayName
	MonthName
)

// calendarNames has the names of weekdays (0 is Monday) and months (0 is January) in every language, long and short, in lower case and
// without the period that ends an abbreviation. A name with two meanings, such as "mar" in French and in Spanish, has both.
var calendarNames = sync.OnceValue(func() map[string][2]int8 {
	names := map[string][2]int8{}
	for _, tag := range known().tags {
		d := dataOf(tag)
		for _, list := range [...][]string{d.Weekdays[:], d.DaysAbbr[:]} {
			for i, name := range list {
				at := names[nameKey(name)]
				if at[0] == 0 {
					at[0] = int8(i + 1)
				}
				names[nameKey(name)] = at
			}
		}
		for _, list := range [...][]string{d.Months[:], d.MonthsAbbr[:], d.Alone[:], d.AloneAbbr[:]} {
			for i, name := range list {
				at := names[nameKey(name)]
				if at[1] == 0 {
					at[1] = int8(i + 1)
				}
				names[nameKey(name)] = at
			}
		}
	}
	return names
})

func nameKey(s string) string {
	return strings.TrimSuffix(strings.ToLower(strings.TrimSpace(s)), ".")
}

// CalendarOrder reports whether all names are weekdays, or all are months, in any language, and returns the position of each: Monday and
// January are 0.
func CalendarOrder(names []string) (places []int, of Calendar) {
	for kind, of := range [...]Calendar{WeekdayName, MonthName} {
		places = places[:0]
		for _, name := range names {
			at := calendarNames()[nameKey(name)][kind]
			if at == 0 {
				break
			}
			places = append(places, int(at)-1)
		}
		if len(places) == len(names) && len(names) > 0 {
			return places, of
		}
	}
	return nil, NoName
}
