package page

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/dashboard/locale"
)

const (
	minus   = locale.Minus
	none    = "–" // in place of NULL among numbers
	nbsp    = "\u00a0"
	ellipse = "…"
)

// maxText is how many letters of a text are drawn at most, whatever shows it: a row may have
// millions, and each panel of a page shows it again. CSV and XLSX have all.
const maxText = 2000

// Texts in place of values.
const (
	notSet locale.Key = "Not set"
	other  locale.Key = "Other"
	empty  locale.Key = "(empty)"
)

// A formatter writes values as the spec wants them.
type formatter struct {
	*locale.Locale
	currency string // ISO 4217
}

func newFormatter(s *dashboard.Spec) formatter {
	return formatter{locale.For(s.Locale), s.Currency}
}

// plain writes a number of no particular format: two decimals, or three
// significant digits when it is small.
func (f formatter) plain(v float64) string {
	a := math.Abs(v)
	switch {
	case a >= 1e18:
		return strings.Replace(strconv.FormatFloat(v, 'e', 2, 64), "-", minus, 1)
	case a >= 1 || a == 0:
		return f.UpTo(v, 2)
	case a < 1e-9:
		return strings.ReplaceAll(strconv.FormatFloat(v, 'e', 2, 64), "-", minus)
	}
	return f.UpTo(v, 2-int(math.Floor(math.Log10(a))))
}

// compact writes v in at most about five characters: 12.3K, 1.2B.
func (f formatter) compact(v float64) string {
	a := math.Abs(v)
	if a >= 1e18 {
		return strings.Replace(strconv.FormatFloat(v, 'e', 1, 64), "-", minus, 1)
	}
	if s, ok := f.Compact(v); ok {
		return s
	}
	if a >= 100 {
		return f.UpTo(v, 0)
	}
	if a >= 1 {
		return f.UpTo(v, 1)
	}
	return f.plain(v)
}

func (f formatter) money(s string) string { return f.Money(s, f.currency) }

func (f formatter) percent(v float64, decimals int) string {
	return f.Percent(f.Number(v*100, decimals))
}

// value writes a number as format says.
func (f formatter) value(format string, v float64) string {
	switch format {
	case "integer":
		return f.Number(v, 0)
	case "number":
		return f.UpTo(v, 2)
	case "number1":
		return f.Number(v, 1)
	case "number2":
		return f.Number(v, 2)
	case "compact":
		return f.compact(v)
	case "percent":
		return f.percent(v, 0)
	case "percent1":
		return f.percent(v, 1)
	case "percent2":
		return f.percent(v, 2)
	case "currency":
		return f.money(f.Number(v, 0))
	case "currency2":
		return f.money(f.Number(v, 2))
	case "currency_compact":
		return f.money(f.compact(v))
	case "duration":
		return f.duration(v)
	case "bytes":
		return f.bytes(v)
	}
	return f.plain(v)
}

// decimals writes a number in the unit of its format with so many decimals, where
// the format has any.
func (f formatter) decimals(format string, v float64, n int) string {
	switch format {
	case "currency", "currency2", "currency_compact":
		return f.money(f.Number(v, n))
	case "percent", "percent1", "percent2":
		return f.percent(v, n)
	case "duration", "bytes":
		return f.value(format, v)
	}
	return f.Number(v, n)
}

// asSaid writes a number in its column's own format, or compact where the column
// has none or that takes too much room.
func (f formatter) asSaid(c dashboard.Column, v float64) string {
	if s := f.value(c.Format, v); c.Format != "" && utf8.RuneCountInString(s) <= longestLabel {
		return s
	}
	return f.short(orInteger(c), v)
}

// ends writes the two ends of a scale, so that they differ.
func (f formatter) ends(c dashboard.Column, lo, hi float64) (from, to string) {
	if from, to = f.asSaid(c, lo), f.asSaid(c, hi); from == to && lo != hi {
		return f.short(orInteger(c), lo), f.short(orInteger(c), hi)
	}
	return from, to
}

// short writes a number for an axis or a tight place: compact, in the unit of
// its format.
func (f formatter) short(format string, v float64) string {
	switch format {
	case "currency", "currency2", "currency_compact":
		return f.money(f.compact(v))
	case "percent", "percent1", "percent2":
		return f.Percent(f.UpTo(v*100, 2))
	case "duration":
		return f.duration(v)
	case "bytes":
		return f.bytes(v)
	}
	return f.compact(v)
}

// duration writes seconds.
func (f formatter) duration(v float64) string {
	sign := ""
	if v < 0 {
		sign, v = minus, -v
	}
	s := math.Round(v)
	const ms, sec, min, hour, day locale.Key = "%s ms", "%s s", "%s m", "%s h", "%s d"
	two := func(a float64, ua locale.Key, b float64, ub locale.Key) string {
		if b == 0 {
			return sign + f.unit(ua, f.Number(a, 0))
		}
		return sign + f.unit(ua, f.Number(a, 0)) + nbsp + f.unit(ub, f.Number(b, 0))
	}
	switch {
	case v == 0:
		return f.unit(sec, "0")
	case v < 1:
		return sign + f.unit(ms, f.UpTo(v*1000, 1))
	case v < 60 && s < 60:
		return sign + f.unit(sec, f.UpTo(v, 1))
	case s < 3600:
		return two(math.Floor(s/60), min, math.Mod(s, 60), sec)
	case s < 86400:
		m := math.Round(s / 60)
		return two(math.Floor(m/60), hour, math.Mod(m, 60), min)
	}
	hours := math.Round(s / 3600)
	return two(math.Floor(hours/24), day, math.Mod(hours, 24), hour)
}

// unit adds a unit to a number, so that the two stay on one line.
func (f formatter) unit(unit locale.Key, number string) string {
	return strings.ReplaceAll(f.Text(unit, number), " ", nbsp)
}

func (f formatter) bytes(v float64) string {
	a, unit := math.Abs(v), locale.Key("%s B")
	div := 1.0
	for _, u := range [...]locale.Key{"%s KB", "%s MB", "%s GB", "%s TB", "%s PB"} {
		if a/div < 1000 {
			break
		}
		div *= 1000
		unit = u
	}
	return f.unit(unit, f.UpTo(v/div, 1))
}

// inside makes a label fit for the middle of a sentence of the language.
func (f formatter) inside(label string) string { return dashboard.InSentence(f.Locale, label) }

// signed puts a plus before what is positive.
func signed(s string, v float64) string {
	if v > 0 {
		return "+" + s
	}
	return s
}

// time writes a time that was rounded to a grain; format may be coarser.
func (f formatter) time(format string, grain cube.Grain, t time.Time) string {
	if wider(grain, format) {
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
		return f.Clock(t)
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
	names := []string{"time", "datetime", "date", "day", "week", "month", "quarter", "year"}
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
		return clip(v, maxText)
	case bool:
		if v {
			return f.Text("Yes")
		}
		return f.Text("No")
	case int64:
		if c.Role == dashboard.Dimension && c.Format == "" {
			return f.Bare(strconv.FormatInt(v, 10))
		}
		return f.amount(orInteger(c), v)
	case float64, cube.Decimal:
		if d, ok := v.(cube.Decimal); ok && c.Role == dashboard.Dimension && c.Format == "" {
			return f.Bare(string(d))
		}
		return f.amount(orInteger(c), v)
	case time.Time:
		return f.time(c.Format, grain, v)
	case cube.Category:
		if v.Other {
			return f.Text(other)
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
