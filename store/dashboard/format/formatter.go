package format

import (
	"fmt"
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

// Signs of numbers.
const (
	Minus = locale.Minus
	None  = "–" // instead of NULL among numbers
	NBSP  = "\u00a0"
)

// MaxText is how many letters of a text are drawn at most, in any panel: a row may have millions, and each panel of a page shows it again.
// CSV and XLSX have all.
const MaxText = 2000

// Texts instead of values.
const (
	notSet locale.Key = "Not set"
	Other  locale.Key = "Other"
	others locale.Key = "All others" // instead of Other if a value has that name
	empty  locale.Key = "(empty)"
)

// A Formatter writes values in the language, the currency and the formats of a spec.
type Formatter struct {
	*locale.Locale
	Currency string // ISO 4217

	taken map[string]map[string]bool // by column: the values, folded, that read like a text instead of a value
}

// Rest returns a name for the merged values of a column that differs from all its values.
func (f Formatter) Rest(column string) string { return f.free(column, Other, others) }

// free returns the first of the texts that no value of the column reads like, or the last one in as many brackets as it needs.
func (f Formatter) free(column string, texts ...locale.Key) string {
	text := ""
	for _, key := range texts {
		if text = f.Text(key); !f.taken[column][folded(text)] {
			return text
		}
	}
	for f.taken[column][folded(text)] {
		text = "(" + text + ")"
	}
	return text
}

// folded returns a text without what readers hardly see: upper case and spaces around it.
func folded(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

// Take notes the texts of a column that read like a text instead of a value, so that rows without a value, empty texts and merged values
// get other names.
func (f *Formatter) Take(column string, texts []string) {
	bare := func(s string) string { return strings.Trim(folded(s), "()") }
	reserved, longest := map[string]bool{}, 0
	for _, key := range []locale.Key{notSet, Other, others, empty} {
		text := f.Text(key)
		reserved[bare(text)], longest = true, max(longest, len(text))
	}
	for _, s := range texts {
		if len(s) > longest+20 || !reserved[bare(s)] { // brackets and spaces make it longer
			continue
		}
		if f.taken == nil {
			f.taken = map[string]map[string]bool{}
		}
		if f.taken[column] == nil {
			f.taken[column] = map[string]bool{}
		}
		f.taken[column][folded(s)] = true
	}
}

// New returns the formatter of a spec.
func New(s *dashboard.Spec) Formatter {
	return Formatter{Locale: locale.For(s.Locale), Currency: s.Currency}
}

// plain writes a number without a format, given in decimal digits: with two decimals, or with three significant digits if it is small. From
// the power of ten large on it has an exponent.
func (f Formatter) plain(d string, large int) string {
	switch e := decimal.Exponent(d); {
	case e >= large, e < -9:
		return f.scientific(d, 2)
	case e >= 0:
		return f.upTo(d, 2)
	default:
		return f.upTo(d, 2-e)
	}
}

// Numbers without a format have an exponent from these powers of ten on: a float64 has no exact digits there, other numbers have.
const (
	largeFloat = 18
	largeExact = 30
)

// scientific writes a number with an exponent: 1.25e+19.
func (f Formatter) scientific(d string, decimals int) string {
	return strings.ReplaceAll(decimal.Scientific(d, decimals), "-", Minus)
}

// upTo writes a number with as many decimals as it needs, at most the given ones.
func (f Formatter) upTo(d string, decimals int) string { return f.Trim(f.Fixed(d, decimals)) }

// compact writes a number in at most about five characters: 12.3K, 1.2B.
func (f Formatter) compact(d string) string {
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

// InCurrency adds the sign of the currency to a number.
func (f Formatter) InCurrency(s string) string { return f.Money(s, f.Currency) }

// ForFormat returns the formatter for a format, with the currency of another spec if the format has one, and the format without it.
func (f Formatter) ForFormat(format string) (Formatter, string) {
	format, code := dashboard.SplitCurrency(format)
	if code != "" {
		f.Currency = code
	}
	return f, format
}

// Share writes a ratio in percent.
func (f Formatter) Share(v float64, decimals int) string {
	return f.Percent(f.Hundredths(v, decimals))
}

func (f Formatter) percentOf(d string, decimals int) string {
	return f.Percent(f.Fixed(decimal.Shift(d, 2), decimals))
}

// ShareUpTo writes a ratio in percent with as many decimals as it needs, at most the given ones.
func (f Formatter) ShareUpTo(v float64, decimals int) string {
	return f.Percent(f.Trim(f.Hundredths(v, decimals)))
}

// Hundredths writes v times a hundred with a fixed number of decimals.
func (f Formatter) Hundredths(v float64, decimals int) string {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return f.Number(v, 0)
	}
	return f.Fixed(decimal.Shift(decimal.Of(v), 2), decimals)
}

// Value writes a number in a format: see [Formatter.Amount].
func (f Formatter) Value(format string, v float64) string { return f.Amount(format, v) }

// Decimals writes a number in the unit of its format with n decimals. Lengths of time and bytes have the text of their format for 0. For
// more than 0, they have so many decimals; those of the format duration are written in seconds with one decimal less.
func (f Formatter) Decimals(format string, v float64, n int) string {
	f, format = f.ForFormat(format)
	name, _ := dashboard.SplitFormat(format)
	switch exact := n > 0 && !math.IsInf(v, 0) && !math.IsNaN(v); {
	case strings.HasPrefix(name, "currency"):
		return f.InCurrency(f.Number(v, n))
	case name == "percent":
		return f.Share(v, n)
	case exact && name == "duration":
		return f.WithUnit(secondUnit, f.Number(v, n-1))
	case exact && name == "hours_minutes":
		return f.hoursMinutes(decimal.Of(v), n)
	case exact && name == "minutes_seconds":
		return f.minutesSeconds(decimal.Of(v), n)
	case exact && (name == "bytes" || name == BytesEven):
		return f.bytesIn(decimal.Of(v), n)
	case OneLasts(name) > 0, name == "bytes", name == BytesEven:
		return f.Value(format, v)
	}
	return f.Number(v, n)
}

// maxSaid is the maximal length of a number in a sentence, in characters.
const maxSaid = 14

// AsSaid writes a number in its column's own format, or compactly if the column has none or the text is too long, with its unit.
func (f Formatter) AsSaid(c dashboard.Column, v float64) string {
	if s := f.Value(c.Format, v); c.Format != "" && utf8.RuneCountInString(s) <= maxSaid {
		return f.InUnit(c, s)
	}
	return f.Brief(c, v)
}

// Short writes a number for an axis or a narrow place: compact, in the unit of its format.
func (f Formatter) Short(format string, v float64) string {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return f.Number(v, 0)
	}
	return f.shortOf(format, decimal.Of(v))
}

func (f Formatter) shortOf(format, d string) string {
	f, format = f.ForFormat(format)
	switch name, _ := dashboard.SplitFormat(format); name {
	case "currency", "currency_compact", CurrencyEven:
		return f.InCurrency(f.compact(d))
	case "percent":
		return f.Percent(f.upTo(decimal.Shift(d, 2), 2))
	case "duration":
		return f.duration(d)
	case "hours_minutes":
		return f.hoursMinutes(d, 0)
	case "minutes_seconds":
		return f.minutesSeconds(d, 0)
	case "bytes", BytesEven:
		return f.bytes(d)
	}
	return f.compact(d)
}

// duration writes seconds, in one or two units. The smaller one is rounded once, from the seconds.
func (f Formatter) duration(d string) string {
	sign := ""
	if decimal.Negative(d) {
		sign, d = Minus, decimal.Abs(d)
	}
	const ms, sec, min, hour, day locale.Key = "%s ms", secondUnit, MinuteUnit, hourUnit, "%s d"
	two := func(n *big.Int, parts int64, large, small locale.Key) string {
		whole, rest := new(big.Int).QuoRem(n, big.NewInt(parts), new(big.Int))
		text := sign + f.WithUnit(large, f.Digits(whole.String()))
		if rest.Sign() != 0 {
			text += NBSP + f.WithUnit(small, f.Digits(rest.String()))
		}
		return text
	}
	if decimal.IsZero(d) {
		return f.WithUnit(sec, "0")
	}
	if thousandths := decimal.UpTo(decimal.Shift(d, 3), 1); decimal.IsZero(thousandths) {
		return f.WithUnit(ms, "0")
	} else if decimal.Exponent(thousandths) < 3 {
		return sign + f.WithUnit(ms, f.Digits(thousandths))
	}
	if tenths := decimal.Quotient(decimal.Shift(d, 1), 1); tenths.Cmp(big.NewInt(600)) < 0 {
		return sign + f.WithUnit(sec, f.upTo(d, 1))
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
const MinuteUnit, hourUnit, secondUnit locale.Key = "%s m", "%s h", "%s s"

// hoursMinutes writes minutes as hours and minutes with decimals, the latter in two digits after hours: 7 h 05 m.
func (f Formatter) hoursMinutes(d string, decimals int) string {
	sign, hours, rest := f.sixtieths(d, decimals)
	if hours.Sign() == 0 {
		return sign + f.WithUnit(MinuteUnit, strings.TrimPrefix(rest, "0"))
	}
	return sign + f.WithUnit(hourUnit, f.Digits(hours.String())) + NBSP + f.WithUnit(MinuteUnit, rest)
}

// minutesSeconds writes seconds with decimals as minutes and seconds, 4:33, or with hours, 1:04:33.
func (f Formatter) minutesSeconds(d string, decimals int) string {
	sign, all, rest := f.sixtieths(d, decimals)
	hours, minutes := new(big.Int).QuoRem(all, big.NewInt(60), new(big.Int))
	if hours.Sign() == 0 {
		return sign + fmt.Sprintf("%d:%s", minutes, rest)
	}
	return sign + f.Digits(hours.String()) + fmt.Sprintf(":%02d:%s", minutes, rest)
}

// sixtieths rounds a number to some decimals, and divides it by 60. It returns the sign, the whole part, and the rest with two digits
// before its decimals.
func (f Formatter) sixtieths(d string, decimals int) (sign string, whole *big.Int, rest string) {
	units, fraction, _ := strings.Cut(decimal.Fixed(decimal.Abs(d), decimals), ".")
	all, _ := new(big.Int).SetString(units, 10) // digits alone
	whole, part := all.QuoRem(all, big.NewInt(60), new(big.Int))
	if decimal.Negative(d) && !decimal.IsZero(units+"."+fraction) {
		sign = Minus
	}
	digits := part.String()
	if fraction != "" {
		return sign, whole, "00"[len(digits):] + f.Digits(digits+"."+fraction)
	}
	return sign, whole, "00"[len(digits):] + digits
}

// WithUnit adds a unit to a number, so that the two stay on one line.
func (f Formatter) WithUnit(unit locale.Key, number string) string {
	return strings.ReplaceAll(f.Text(unit, number), " ", NBSP)
}

var byteUnits = [...]locale.Key{"%s B", "%s KB", "%s MB", "%s GB", "%s TB", "%s PB"}

// bytes writes bytes in the unit in which they have at most three digits before the point.
func (f Formatter) bytes(d string) string { return f.bytesIn(d, -1) }

// bytesIn is [Formatter.bytes] with so many decimals; below 0 with up to one.
func (f Formatter) bytesIn(d string, decimals int) string {
	unit := byteUnit(d, decimals)
	return f.WithUnit(byteUnits[unit], f.inDecimals(decimal.Shift(d, -3*unit), decimals, func(d string) string { return f.upTo(d, 1) }))
}

// byteUnit returns the index of the unit in which bytes have at most three digits before the point, written with so many decimals; below 0
// with up to one.
func byteUnit(d string, decimals int) int {
	unit := 0
	if decimals < 0 {
		decimals = 1
	}
	for unit < len(byteUnits)-1 && decimal.Exponent(decimal.Fixed(decimal.Shift(d, -3*unit), decimals)) >= 3 {
		unit++
	}
	return unit
}

// Inside adapts a label to the middle of a sentence of the language.
func (f Formatter) Inside(label string) string { return dashboard.InSentence(f.Locale, label) }

// Upper adapts words to the beginning of a sentence.
func Upper(s string) string {
	_, n := utf8.DecodeRuneInString(s)
	return strings.ToUpper(s[:n]) + s[n:]
}

// Signed puts a plus sign before a positive number, unless it is rounded to 0: others are written without a sign then.
func Signed(s string, v float64) string {
	if v > 0 && !locale.WritesZero(s) {
		return plus(s)
	}
	return s
}

// plus returns a number with a plus, unless it has one.
func plus(number string) string {
	if strings.HasPrefix(number, "+") {
		return number
	}
	return "+" + number
}

// Time writes a time that was rounded to a grain; format may be coarser.
func (f Formatter) Time(format string, grain cube.Grain, t time.Time) string {
	if Wider(grain, format) || slices.Contains([]cube.Grain{cube.Daily, cube.Weekly}, grain) && (format == "time" || format == "minute") {
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
	if t.Hour()|t.Minute()|t.Second() == 0 && format != "datetime" && format != WithSeconds {
		return f.Date(t)
	}
	if t.Second() == 0 && format != WithSeconds {
		return f.Date(t) + " " + f.Clock(t) + offset(t)
	}
	return f.Date(t) + " " + f.ClockSeconds(t) + offset(t)
}

// Wider reports whether the periods of a grain, months or more, are longer than the periods of a format. A week may be written as the date
// on which it begins.
func Wider(grain cube.Grain, format string) bool {
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

// Cell writes any value of a column, by the name that the spec gives it, up to [MaxText] letters of it.
func (f Formatter) Cell(c dashboard.Column, grain cube.Grain, v any) string {
	if name, ok := c.ValueName(v); ok {
		return canvas.Clip(name, MaxText)
	}
	switch v := v.(type) {
	case nil:
		if c.Role == dashboard.Measure {
			return None
		}
		return f.free(c.Name, notSet)
	case string:
		if strings.TrimSpace(v) == "" {
			return f.free(c.Name, empty)
		}
		return canvas.Clip(v, MaxText)
	case bool:
		if v {
			return f.Text("Yes")
		}
		return f.Text("No")
	case int64:
		if c.Role == dashboard.Dimension && c.Format == "" {
			return f.InUnit(c, f.Bare(strconv.FormatInt(v, 10)))
		}
		return f.Quantity(c, v)
	case float64, cube.Decimal:
		if d, ok := v.(cube.Decimal); ok && c.Role == dashboard.Dimension && c.Format == "" {
			return f.InUnit(c, f.Bare(string(d)))
		}
		return f.Quantity(c, v)
	case time.Time:
		return f.Time(c.Format, grain, v)
	case cube.Category:
		if v.Other {
			return f.Rest(c.Name)
		}
		return f.Cell(c, grain, v.Value)
	}
	return ""
}

// OrInteger returns the format of a column of numbers.
func OrInteger(c dashboard.Column) string {
	if c.Format == "" && c.Type == cube.Integer && c.Agg != dashboard.Avg && !c.Agg.IsQuantile() && !c.IsRatio() {
		return "integer"
	}
	return c.Format
}

// OneLasts returns the seconds in one unit of a format of durations; 0 for other formats.
func OneLasts(format string) float64 {
	switch format {
	case "duration", "minutes_seconds":
		return 1
	case "hours_minutes":
		return 60
	}
	return 0
}

// WithSeconds is the format of a column of times if one of them has seconds. A spec cannot name it.
const WithSeconds = "datetime with seconds"
