package page

import (
	"math"
	"strconv"
	"strings"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

const (
	minus   = "\u2212"
	none    = "–" // in place of NULL among numbers
	notSet  = "Not set"
	other   = "Other"
	empty   = "(empty)"
	nbsp    = "\u00a0"
	nnbsp   = "\u202f"
	ellipse = "…"
)

// A locale is how numbers and dates are written. The words of the page are
// English everywhere.
type locale struct {
	group, decimal string
	lakh           bool // groups of two above the thousands
	after          bool // currency and percent signs follow, with a space
	dayFirst       bool
}

// localeOf knows the customs of common locales by their language; others are
// written the American way.
func localeOf(tag string) locale {
	lang, rest, _ := strings.Cut(strings.ToLower(strings.ReplaceAll(tag, "_", "-")), "-")
	region := rest[strings.LastIndexByte(rest, '-')+1:]
	switch lang {
	case "en":
		switch region {
		case "", "us", "ca", "ph":
			return locale{group: ",", decimal: "."}
		case "in":
			return locale{group: ",", decimal: ".", lakh: true, dayFirst: true}
		}
		return locale{group: ",", decimal: ".", dayFirst: true}
	case "hi", "bn", "mr", "ta", "te", "gu":
		return locale{group: ",", decimal: ".", lakh: true, dayFirst: true}
	case "de":
		switch region {
		case "ch", "li":
			return locale{group: "’", decimal: ".", dayFirst: true}
		}
		return locale{group: ".", decimal: ",", after: true, dayFirst: true}
	case "es":
		if region == "mx" || region == "us" {
			return locale{group: ",", decimal: ".", dayFirst: true}
		}
		return locale{group: ".", decimal: ",", after: true, dayFirst: true}
	case "it", "el", "da", "hr", "sl", "ro", "sr", "ca", "is":
		return locale{group: ".", decimal: ",", after: true, dayFirst: true}
	case "nl", "id", "tr", "vi":
		return locale{group: ".", decimal: ",", dayFirst: true}
	case "pt":
		if region == "br" || region == "" {
			return locale{group: ".", decimal: ",", dayFirst: true}
		}
		return locale{group: nbsp, decimal: ",", after: true, dayFirst: true}
	case "fr":
		return locale{group: nnbsp, decimal: ",", after: true, dayFirst: true}
	case "pl", "cs", "sk", "ru", "uk", "bg", "hu", "fi", "sv", "nb", "no", "nn", "et", "lv", "lt":
		return locale{group: nbsp, decimal: ",", after: true, dayFirst: true}
	}
	return locale{group: ",", decimal: "."}
}

// A formatter writes values as the spec wants them.
type formatter struct {
	locale
	currency string // sign, or code
}

func newFormatter(s *dashboard.Spec) formatter {
	return formatter{locale: localeOf(s.Locale), currency: currencySign(s.Currency)}
}

func currencySign(code string) string {
	signs := [...][2]string{
		{"USD", "$"},
		{"EUR", "€"},
		{"GBP", "£"},
		{"JPY", "¥"},
		{"CNY", "CN¥"},
		{"INR", "₹"},
		{"KRW", "₩"},
		{"BRL", "R$"},
		{"ILS", "₪"},
		{"VND", "₫"},
		{"UAH", "₴"},
		{"NGN", "₦"},
		{"TRY", "₺"},
		{"PHP", "₱"},
		{"CAD", "CA$"},
		{"AUD", "A$"},
		{"NZD", "NZ$"},
		{"MXN", "MX$"},
		{"HKD", "HK$"},
		{"TWD", "NT$"},
		{"PLN", "zł"},
		{"CZK", "Kč"},
		{"SEK", "kr"},
		{"NOK", "kr"},
		{"DKK", "kr"},
	}
	for _, s := range signs {
		if s[0] == code {
			return s[1]
		}
	}
	return code
}

// number writes v with a fixed number of decimals.
func (f formatter) number(v float64, decimals int) string {
	return f.punctuate(strconv.FormatFloat(v, 'f', decimals, 64))
}

// upTo writes v with as many decimals as it needs, at most the given ones.
func (f formatter) upTo(v float64, decimals int) string {
	return f.trim(f.number(v, decimals), decimals)
}

// plain writes a number of no particular format: two decimals, or three
// significant digits when it is small.
func (f formatter) plain(v float64) string {
	a := math.Abs(v)
	switch {
	case a >= 1e18:
		return strings.Replace(strconv.FormatFloat(v, 'e', 2, 64), "-", minus, 1)
	case a >= 1 || a == 0:
		return f.upTo(v, 2)
	case a < 1e-9:
		return strings.ReplaceAll(strconv.FormatFloat(v, 'e', 2, 64), "-", minus)
	}
	return f.upTo(v, 2-int(math.Floor(math.Log10(a))))
}

// compact writes v in at most about five characters: 12.3K, 1.2B.
func (f formatter) compact(v float64) string {
	a := math.Abs(v)
	if a >= 1e18 {
		return strings.Replace(strconv.FormatFloat(v, 'e', 1, 64), "-", minus, 1)
	}
	for _, u := range [...]struct {
		size float64
		name string
	}{{1e12, "T"}, {1e9, "B"}, {1e6, "M"}, {1e3, "K"}} {
		if a >= u.size*0.99995 {
			decimals := 1
			if a >= u.size*99.95 {
				decimals = 0
			}
			return f.upTo(v/u.size, decimals) + u.name
		}
	}
	if a >= 100 {
		return f.upTo(v, 0)
	}
	if a >= 1 {
		return f.upTo(v, 1)
	}
	return f.plain(v)
}

func (f formatter) money(s string) string {
	if f.after {
		return s + nbsp + f.currency
	}
	sign := ""
	if rest, ok := strings.CutPrefix(s, minus); ok {
		sign, s = minus, rest
	}
	if n := len(f.currency); f.currency != "" && f.currency[n-1] < 0x80 && f.currency[n-1] >= 'A' {
		return sign + f.currency + nbsp + s // a code, such as CHF
	}
	return sign + f.currency + s
}

func (f formatter) percent(v float64, decimals int) string {
	s := f.number(v*100, decimals) + "%"
	if f.after {
		s = strings.TrimSuffix(s, "%") + nbsp + "%"
	}
	return s
}

// value writes a number as format says.
func (f formatter) value(format string, v float64) string {
	switch format {
	case "integer":
		return f.number(v, 0)
	case "number":
		return f.upTo(v, 2)
	case "number1":
		return f.number(v, 1)
	case "number2":
		return f.number(v, 2)
	case "compact":
		return f.compact(v)
	case "percent":
		return f.percent(v, 0)
	case "percent1":
		return f.percent(v, 1)
	case "percent2":
		return f.percent(v, 2)
	case "currency":
		return f.money(f.number(v, 0))
	case "currency2":
		return f.money(f.number(v, 2))
	case "currency_compact":
		return f.money(f.compact(v))
	case "duration":
		return f.duration(v)
	case "bytes":
		return f.bytes(v)
	}
	return f.plain(v)
}

// short writes a number for an axis or a tight place: compact, in the unit of
// its format.
func (f formatter) short(format string, v float64) string {
	switch format {
	case "currency", "currency2", "currency_compact":
		return f.money(f.compact(v))
	case "percent", "percent1", "percent2":
		s := f.upTo(v*100, 2)
		if f.after {
			return s + nbsp + "%"
		}
		return s + "%"
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
	two := func(a float64, ua string, b float64, ub string) string {
		if b == 0 {
			return sign + f.number(a, 0) + nbsp + ua
		}
		return sign + f.number(a, 0) + nbsp + ua + nbsp + f.number(b, 0) + nbsp + ub
	}
	switch {
	case v == 0:
		return "0" + nbsp + "s"
	case v < 1:
		return sign + f.upTo(v*1000, 1) + nbsp + "ms"
	case v < 60 && s < 60:
		return sign + f.upTo(v, 1) + nbsp + "s"
	case s < 3600:
		return two(math.Floor(s/60), "m", math.Mod(s, 60), "s")
	case s < 86400:
		m := math.Round(s / 60)
		return two(math.Floor(m/60), "h", math.Mod(m, 60), "m")
	}
	hours := math.Round(s / 3600)
	return two(math.Floor(hours/24), "d", math.Mod(hours, 24), "h")
}

func (f formatter) bytes(v float64) string {
	a, unit := math.Abs(v), "B"
	div := 1.0
	for _, u := range [...]string{"KB", "MB", "GB", "TB", "PB"} {
		if a/div < 1000 {
			break
		}
		div *= 1000
		unit = u
	}
	return f.upTo(v/div, 1) + nbsp + unit
}

// signed puts a plus before what is positive.
func signed(s string, v float64) string {
	if v > 0 {
		return "+" + s
	}
	return s
}

// date writes a calendar date: Jan 2, 2006 or 2 Jan 2006.
func (f formatter) date(t time.Time) string {
	if f.dayFirst {
		return t.Format("2 Jan 2006")
	}
	return t.Format("Jan 2, 2006")
}

func (f formatter) dayMonth(t time.Time) string {
	if f.dayFirst {
		return t.Format("2 Jan")
	}
	return t.Format("Jan 2")
}

// time writes a time that was rounded to a grain; format may be coarser.
func (f formatter) time(format string, grain cube.Grain, t time.Time) string {
	switch format {
	case "date", "day":
		return f.date(t)
	case "month":
		return t.Format("Jan 2006")
	case "year":
		return t.Format("2006")
	case "quarter":
		return "Q" + strconv.Itoa((int(t.Month())+2)/3) + " " + t.Format("2006")
	case "week":
		return "Week of " + f.date(t)
	case "time":
		return t.Format("15:04")
	}
	switch grain {
	case cube.Hourly:
		return f.date(t) + " " + t.Format("15:04")
	case cube.Weekly:
		return "Week of " + f.date(t)
	case cube.Monthly:
		return t.Format("Jan 2006")
	case cube.Yearly:
		return t.Format("2006")
	}
	if t.Hour()|t.Minute()|t.Second() == 0 && format != "datetime" {
		return f.date(t)
	}
	if t.Second() == 0 {
		return f.date(t) + " " + t.Format("15:04")
	}
	return f.date(t) + " " + t.Format("15:04:05")
}

// plural writes how many there are: 1 row, 2,000 rows.
func (f formatter) plural(n int, of string) string {
	if n == 1 {
		return "1 " + of
	}
	return f.number(float64(n), 0) + " " + of + "s"
}

// cell writes any value of a column.
func (f formatter) cell(c dashboard.Column, grain cube.Grain, v any) string {
	switch v := v.(type) {
	case nil:
		if c.Role == dashboard.Measure {
			return none
		}
		return notSet
	case string:
		if strings.TrimSpace(v) == "" {
			return empty
		}
		return v
	case bool:
		if v {
			return "Yes"
		}
		return "No"
	case int64:
		if c.Role == dashboard.Dimension && c.Format == "" {
			return f.bare(strconv.FormatInt(v, 10))
		}
		return f.amount(orInteger(c), v)
	case float64, cube.Decimal:
		if d, ok := v.(cube.Decimal); ok && c.Role == dashboard.Dimension && c.Format == "" {
			return f.bare(string(d))
		}
		return f.amount(orInteger(c), v)
	case time.Time:
		return f.time(c.Format, grain, v)
	case cube.Category:
		if v.Other {
			return other
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
