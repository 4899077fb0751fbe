package page

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/cube"
	"service/store/dashboard/locale"
	"service/store/decimal"
)

const (
	minus = locale.Minus
	none  = "–" // in place of NULL among numbers
	nbsp  = "\u00a0"
)

// maxText is how many letters of a text are drawn at most, whatever shows it: a row may have
// millions, and each panel of a page shows it again. CSV and XLSX have all.
const maxText = 2000

// Texts in place of values.
const (
	notSet locale.Key = "Not set"
	other  locale.Key = "Other"
	others locale.Key = "All others" // in place of Other where a value has that name
	empty  locale.Key = "(empty)"
)

// A formatter writes values as the spec wants them.
type formatter struct {
	*locale.Locale
	currency string // ISO 4217

	called map[string]bool // the columns that have a value called Other
}

// rest names what was merged of a column, unlike any of its values.
func (f formatter) rest(column string) string {
	if f.called[column] {
		return f.Text(others)
	}
	return f.Text(other)
}

func newFormatter(s *dashboard.Spec) formatter {
	return formatter{Locale: locale.For(s.Locale), currency: s.Currency}
}

// plain writes a number of no particular format, given in decimal digits: two decimals, or three
// significant digits when it is small. From the power of ten large on it has an exponent.
func (f formatter) plain(d string, large int) string {
	switch e := decimal.Exponent(d); {
	case e >= large, e < -9:
		return f.scientific(d, 2)
	case e >= 0:
		return f.upTo(d, 2)
	default:
		return f.upTo(d, 2-e)
	}
}

// Numbers of no format have an exponent from these powers of ten on: a float64 has no digits to
// show there, other numbers have.
const (
	largeFloat = 18
	largeExact = 30
)

// scientific writes a number with an exponent: 1.25e+19.
func (f formatter) scientific(d string, decimals int) string {
	return strings.ReplaceAll(decimal.Scientific(d, decimals), "-", minus)
}

// upTo writes a number with as many decimals as it needs, at most the given ones.
func (f formatter) upTo(d string, decimals int) string { return f.Trim(f.Fixed(d, decimals)) }

// compact writes a number in at most about five characters: 12.3K, 1.2B.
func (f formatter) compact(d string) string {
	switch e := decimal.Exponent(d); {
	case e >= largeFloat:
		return f.scientific(d, 1)
	case e < 0:
		return f.plain(d, largeFloat)
	default:
		if s, ok := f.Compact(d); ok {
			return s
		}
		return f.upTo(d, max(0, min(1, 2-e)))
	}
}

func (f formatter) money(s string) string { return f.Money(s, f.currency) }

// percent writes a ratio in percent.
func (f formatter) percent(v float64, decimals int) string {
	return f.Percent(f.hundredths(v, decimals))
}

func (f formatter) percentOf(d string, decimals int) string {
	return f.Percent(f.Fixed(decimal.Shift(d, 2), decimals))
}

// percentUpTo writes a ratio in percent with as many decimals as it needs, at most the given ones.
func (f formatter) percentUpTo(v float64, decimals int) string {
	return f.Percent(f.Trim(f.hundredths(v, decimals)))
}

// hundredths writes v times a hundred with a fixed number of decimals.
func (f formatter) hundredths(v float64, decimals int) string {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return f.Number(v, 0)
	}
	return f.Fixed(decimal.Shift(decimal.Of(v), 2), decimals)
}

// value writes a number as format says: see [formatter.amount].
func (f formatter) value(format string, v float64) string { return f.amount(format, v) }

// decimals writes a number in the unit of its format with so many decimals, where
// the format has any.
func (f formatter) decimals(format string, v float64, n int) string {
	switch name, _ := dashboard.SplitFormat(format); name {
	case "currency", "currency_compact", currencyEven:
		return f.money(f.Number(v, n))
	case "percent":
		return f.percent(v, n)
	case "duration", "hours_minutes", "bytes":
		return f.value(format, v)
	}
	return f.Number(v, n)
}

// asSaid writes a number in its column's own format, or compact where the column
// has none or that takes too much room, with its unit.
func (f formatter) asSaid(c dashboard.Column, v float64) string {
	if s := f.value(c.Format, v); c.Format != "" && utf8.RuneCountInString(s) <= longestLabel {
		return f.inUnit(c, s)
	}
	return f.brief(c, v)
}

// ends writes the two ends of a scale, so that they differ.
func (f formatter) ends(c dashboard.Column, lo, hi float64) (from, to string) {
	if from, to = f.asSaid(c, lo), f.asSaid(c, hi); from == to && lo != hi {
		return f.brief(c, lo), f.brief(c, hi)
	}
	return from, to
}

// short writes a number for an axis or a tight place: compact, in the unit of
// its format.
func (f formatter) short(format string, v float64) string {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return f.Number(v, 0)
	}
	return f.shortOf(format, decimal.Of(v))
}

func (f formatter) shortOf(format, d string) string {
	switch name, _ := dashboard.SplitFormat(format); name {
	case "currency", "currency_compact", currencyEven:
		return f.money(f.compact(d))
	case "percent":
		return f.Percent(f.upTo(decimal.Shift(d, 2), 2))
	case "duration":
		return f.duration(d)
	case "hours_minutes":
		return f.hoursMinutes(d)
	case "bytes":
		return f.bytes(d)
	}
	return f.compact(d)
}

// duration writes seconds, in one unit or two. The smaller one is rounded once, from the seconds.
func (f formatter) duration(d string) string {
	sign := ""
	if decimal.Negative(d) {
		sign, d = minus, decimal.Abs(d)
	}
	const ms, sec, min, hour, day locale.Key = "%s ms", "%s s", minuteUnit, hourUnit, "%s d"
	two := func(n *big.Int, parts int64, large, small locale.Key) string {
		whole, rest := new(big.Int).QuoRem(n, big.NewInt(parts), new(big.Int))
		text := sign + f.unit(large, f.Digits(whole.String()))
		if rest.Sign() != 0 {
			text += nbsp + f.unit(small, f.Digits(rest.String()))
		}
		return text
	}
	if decimal.IsZero(d) {
		return f.unit(sec, "0")
	}
	if thousandths := decimal.UpTo(decimal.Shift(d, 3), 1); decimal.IsZero(thousandths) {
		return f.unit(ms, "0")
	} else if decimal.Exponent(thousandths) < 3 {
		return sign + f.unit(ms, f.Digits(thousandths))
	}
	if tenths := decimal.Quotient(decimal.Shift(d, 1), 1); tenths.Cmp(big.NewInt(600)) < 0 {
		return sign + f.unit(sec, f.upTo(d, 1))
	}
	if seconds := decimal.Quotient(d, 1); seconds.Cmp(big.NewInt(3600)) < 0 {
		return two(seconds, 60, min, sec)
	}
	if minutes := decimal.Quotient(d, 60); minutes.Cmp(big.NewInt(24*60)) < 0 {
		return two(minutes, 60, hour, min)
	}
	return two(decimal.Quotient(d, 3600), 24, day, hour)
}

// Units of times that several formats have.
const minuteUnit, hourUnit locale.Key = "%s m", "%s h"

// hoursMinutes writes minutes as hours and minutes, the latter in two digits behind hours: 7 h 05 m. It rounds to whole minutes.
func (f formatter) hoursMinutes(d string) string {
	minutes := decimal.Quotient(decimal.Abs(d), 1)
	hours, rest := new(big.Int).QuoRem(minutes, big.NewInt(60), new(big.Int))
	sign := ""
	if decimal.Negative(d) && minutes.Sign() > 0 {
		sign = minus
	}
	if hours.Sign() == 0 {
		return sign + f.unit(minuteUnit, rest.String())
	}
	digits := rest.String()
	return sign + f.unit(hourUnit, f.Digits(hours.String())) + nbsp + f.unit(minuteUnit, "00"[len(digits):]+digits)
}

// unit adds a unit to a number, so that the two stay on one line.
func (f formatter) unit(unit locale.Key, number string) string {
	return strings.ReplaceAll(f.Text(unit, number), " ", nbsp)
}

var byteUnits = [...]locale.Key{"%s B", "%s KB", "%s MB", "%s GB", "%s TB", "%s PB"}

// bytes writes bytes in the unit in which they have at most three digits before the point.
func (f formatter) bytes(d string) string { return f.bytesIn(d, -1) }

// bytesIn is [formatter.bytes] with so many decimals; below 0 with up to one.
func (f formatter) bytesIn(d string, decimals int) string {
	unit := 0
	for unit < len(byteUnits)-1 && decimal.Exponent(decimal.Fixed(decimal.Shift(d, -3*unit), 1)) >= 3 {
		unit++
	}
	return f.unit(byteUnits[unit], f.inDecimals(decimal.Shift(d, -3*unit), decimals, func(d string) string { return f.upTo(d, 1) }))
}

// inside makes a label fit for the middle of a sentence of the language.
func (f formatter) inside(label string) string { return dashboard.InSentence(f.Locale, label) }

// upper makes words fit for the beginning of a sentence.
func upper(s string) string {
	_, n := utf8.DecodeRuneInString(s)
	return strings.ToUpper(s[:n]) + s[n:]
}

// signed puts a plus before what is positive.
func signed(s string, v float64) string {
	if v > 0 {
		return "+" + s
	}
	return s
}

// time writes a time that was rounded to a grain; format may be coarser.
func (f formatter) time(format string, grain cube.Grain, t time.Time) string {
	if wider(grain, format) || slices.Contains([]cube.Grain{cube.Daily, cube.Weekly}, grain) && (format == "time" || format == "minute") {
		format = ""
	}
	switch format {
	case "date", "day":
		return f.Date(t)
	case "month":
		return f.Month(t)
	case "year":
		return f.Year(t)
	case "quarter":
		return f.Quarter(t)
	case "week":
		return f.Text("Week of %s", f.Date(t))
	case "time":
		return f.Clock(t) + offset(t)
	case "minute":
		return f.Date(t) + " " + f.Clock(t) + offset(t)
	}
	switch grain {
	case cube.Minutely, cube.Hourly:
		return f.Date(t) + " " + f.Clock(t) + offset(t)
	case cube.Daily:
		return f.Date(t)
	case cube.Weekly:
		return f.Text("Week of %s", f.Date(t))
	case cube.Monthly:
		return f.Month(t)
	case cube.Quarterly:
		return f.Quarter(t)
	case cube.Yearly:
		return f.Year(t)
	}
	if t.Hour()|t.Minute()|t.Second() == 0 && format != "datetime" && format != withSeconds {
		return f.Date(t)
	}
	if t.Second() == 0 && format != withSeconds {
		return f.Date(t) + " " + f.Clock(t) + offset(t)
	}
	return f.Date(t) + " " + f.ClockSeconds(t) + offset(t)
}

// wider reports whether the periods of a grain, months or more, are longer than what a
// format names. A week may go by the date on which it begins.
func wider(grain cube.Grain, format string) bool {
	names := []string{"time", "minute", "datetime", "date", "day", "week", "month", "quarter", "year"}
	long := map[cube.Grain]string{cube.Monthly: "month", cube.Quarterly: "quarter", cube.Yearly: "year"}[grain]
	named := slices.Index(names, format)
	return long != "" && named >= 0 && named < slices.Index(names, long)
}

// offset distinguishes the two hours with the same name when the clock is put back. It is empty at
// all other times.
func offset(t time.Time) string {
	_, now := t.Zone()
	start, end := t.ZoneBounds()
	if !start.IsZero() {
		_, before := start.Add(-1).Zone()
		if t.Before(start.Add(time.Duration(before-now) * time.Second)) {
			return t.Format(" -07:00")
		}
	}
	if !end.IsZero() {
		_, after := end.Zone()
		if !t.Before(end.Add(time.Duration(after-now) * time.Second)) {
			return t.Format(" -07:00")
		}
	}
	return ""
}

// cell writes any value of a column, up to [maxText] letters of it.
func (f formatter) cell(c dashboard.Column, grain cube.Grain, v any) string {
	switch v := v.(type) {
	case nil:
		if c.Role == dashboard.Measure {
			return none
		}
		return f.Text(notSet)
	case string:
		if strings.TrimSpace(v) == "" {
			return f.Text(empty)
		}
		return canvas.Clip(v, maxText)
	case bool:
		if v {
			return f.Text("Yes")
		}
		return f.Text("No")
	case int64:
		if c.Role == dashboard.Dimension && c.Format == "" {
			return f.inUnit(c, f.Bare(strconv.FormatInt(v, 10)))
		}
		return f.number(c, v)
	case float64, cube.Decimal:
		if d, ok := v.(cube.Decimal); ok && c.Role == dashboard.Dimension && c.Format == "" {
			return f.inUnit(c, f.Bare(string(d)))
		}
		return f.number(c, v)
	case time.Time:
		return f.time(c.Format, grain, v)
	case cube.Category:
		if v.Other {
			return f.rest(c.Name)
		}
		return f.cell(c, grain, v.Value)
	}
	return ""
}

// orInteger returns the format of a column of numbers.
func orInteger(c dashboard.Column) string {
	if c.Format == "" && c.Type == cube.Integer && (c.Agg != dashboard.Avg && !c.IsRatio()) {
		return "integer"
	}
	return c.Format
}
