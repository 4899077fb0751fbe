package locale

import (
	"slices"
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
	b.Grow(2 * len(pattern))
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

// A meaning is the weekday (1 is Monday) or the month (1 is January) that a name has in a language.
type meaning struct{ language, place int16 }

// calendarNames has the names of weekdays and months in every language, long and short, in lower case and without the period that ends an
// abbreviation. A name can have several meanings, such as "mar" in French and in Spanish.
var calendarNames = sync.OnceValue(func() map[string][2][]meaning {
	names := map[string][2][]meaning{}
	for language, tag := range known().tags {
		d := dataOf(tag)
		for kind, lists := range [...][][]string{
			{d.Weekdays[:], d.DaysAbbr[:]},
			{d.Months[:], d.MonthsAbbr[:], d.Alone[:], d.AloneAbbr[:]},
		} {
			for _, list := range lists {
				for i, name := range list {
					key := nameKey(name)
					of := names[key]
					of[kind] = append(of[kind], meaning{int16(language), int16(i + 1)})
					names[key] = of
				}
			}
		}
	}
	return names
})

func nameKey(s string) string {
	return strings.TrimSuffix(strings.ToLower(strings.TrimSpace(s)), ".")
}

// fewShort is how many different names have to be weekdays if all are as short as codes: MA and LA are states, and weekdays in Finnish.
const fewShort = 5

// CalendarOrder reports whether all names are weekdays, or all are months, of one language, and returns the position of each: Monday and
// January are 0.
func CalendarOrder(names []string) (places []int, of Calendar) {
	if len(names) == 0 {
		return nil, NoName
	}
	for kind, of := range [...]Calendar{WeekdayName, MonthName} {
		for _, first := range calendarNames()[nameKey(names[0])][kind] {
			if places := placesIn(names, kind, first.language); places != nil {
				return places, of
			}
		}
	}
	return nil, NoName
}

// placesIn returns the positions of names that are weekdays or months of a language, or nil.
func placesIn(names []string, kind int, language int16) []int {
	var places []int
	short, different := true, map[int]bool{}
	for _, name := range names {
		key := nameKey(name)
		at := slices.IndexFunc(calendarNames()[key][kind], func(m meaning) bool { return m.language == language })
		if at < 0 {
			return nil
		}
		place := int(calendarNames()[key][kind][at].place) - 1
		places, different[place] = append(places, place), true
		short = short && isShort(key)
	}
	if short && len(different) < fewShort {
		return nil
	}
	return places
}

// isShort reports whether a name has one letter, or two of an alphabet.
func isShort(name string) bool {
	letters := utf8.RuneCountInString(name)
	return letters == 1 || letters == 2 && len(name) < 6 && !strings.ContainsAny(name, "123456789") // two letters of Chinese have six bytes
}
