package format

import (
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/dashboard/locale"
	"service/store/decimal"
)

// Numbers on one axis, or one below another, are compared by their length, so they have one notation, such as 1.5M, and one number of
// decimals.

const (
	MostDigits  = 12 // significant digits of a gridline; the rest are rounding errors of added steps
	manyTicks   = 9  // the maximum of decimals of gridlines
	smallPower  = -3 // numbers below this power of ten have an exponent if they would have more decimals
	fullToPower = 4  // numbers up to this power of ten are written in full if a short form needs decimals
)

// Alike writes numbers, given in decimal digits, in one notation and with as many decimals as the number that needs most, so that none is
// rounded.
func (f Formatter) Alike(format string, digits []string) []string {
	f, format = f.ForFormat(format)
	largest, out := "0", make([]string, len(digits))
	for _, d := range digits {
		if d = decimal.Abs(d); decimal.Exponent(d) > decimal.Exponent(largest) || decimal.IsZero(largest) {
			largest = d
		}
	}
	decimals := func(shift int) int {
		most := 0
		for _, d := range digits {
			_, fraction, _ := strings.Cut(decimal.Shift(d, shift), ".")
			most = max(most, len(strings.TrimRight(fraction, "0")))
		}
		return most
	}
	each := func(write func(d string) string) []string {
		for i, d := range digits {
			out[i] = write(d)
		}
		return out
	}
	exponents := func(d string) string { // with as many decimals as the number that has most
		most := 0
		for _, d := range digits {
			most = max(most, len(strings.Trim(strings.Replace(decimal.Abs(d), ".", "", 1), "0"))-1)
		}
		if decimal.IsZero(d) {
			return f.Digits("0")
		}
		return f.scientific(d, most)
	}
	// long writes numbers with more decimals than gridlines have: with exponents if they are small, and else in their short form if that
	// tells them apart.
	long := func(decimals int, finish func(number string) string) []string {
		if decimal.Exponent(largest) < smallPower {
			return each(func(d string) string { return finish(exponents(d)) })
		}
		if out := each(func(d string) string { return f.shortOf(format, d) }); distinct(digits, out) {
			return out
		}
		return each(func(d string) string { return finish(f.Fixed(d, decimals)) })
	}
	money := func(s string) string { return s }
	if strings.HasPrefix(format, "currency") {
		money = f.InCurrency
	}
	switch {
	case strings.HasPrefix(format, "percent"):
		n := decimals(2)
		if n > manyTicks && decimal.Exponent(largest) < smallPower {
			return each(func(d string) string { return f.Percent(exponents(decimal.Shift(d, 2))) })
		}
		return each(func(d string) string { return f.percentOf(d, n) })
	case strings.HasPrefix(format, "bytes"):
		unit := min(max(decimal.Exponent(largest), 0)/3, len(byteUnits)-1)
		n := decimals(-3 * unit)
		if n > manyTicks {
			return long(n+3*unit, func(number string) string { return f.WithUnit(byteUnits[0], number) })
		}
		return each(func(d string) string { return f.WithUnit(byteUnits[unit], f.Fixed(decimal.Shift(d, -3*unit), n)) })
	case OneLasts(format) > 0:
		out := each(func(d string) string { return f.shortOf(format, d) })
		if !distinct(digits, out) { // less than the smallest unit apart
			const sec locale.Key = "%s s"
			n := decimals(0)
			return each(func(d string) string {
				if format == "hours_minutes" {
					return f.WithUnit(MinuteUnit, f.Fixed(d, n))
				}
				if decimal.Exponent(largest) < smallPower {
					return f.WithUnit(sec, exponents(d))
				}
				return f.WithUnit(sec, f.Fixed(d, n))
			})
		}
		return out
	case decimal.Exponent(largest) >= largeFloat:
		return each(func(d string) string { return money(exponents(d)) })
	default:
		full := decimals(0)
		if u, ok := f.Unit(largest); ok && u.Power > 0 {
			few := decimal.Exponent(largest) < fullToPower || decimal.Significant(largest, MostDigits) == "10000"
			if n := decimals(-u.Power); n == 0 || n <= 2 && !few {
				return each(func(d string) string {
					if decimal.IsZero(d) { // without the letter of the unit, and so without its decimals
						return money(f.Digits("0"))
					}
					return money(f.In(u, d, n))
				})
			}
		}
		if full == 1 && strings.HasPrefix(format, "currency") {
			full = 2
		}
		if full <= manyTicks {
			return each(func(d string) string { return money(f.Fixed(d, full)) })
		}
		return long(full, money)
	}
}

// distinct reports whether different numbers, in decimal digits, have different texts.
func distinct(digits, texts []string) bool {
	of := make(map[string]string, len(texts))
	for i, s := range texts {
		if d, ok := of[s]; ok && d != digits[i] {
			return false
		}
		of[s] = digits[i]
	}
	return true
}

// Significant digits of texts that rounding made equal.
const (
	fewDigits = 3
	allDigits = 17
)

// Shorts returns a function that writes values of a column that are seen together, such as those of the marks of a panel, in their short
// form: see [Formatter.Short]. If that makes values equal that the format writes differently, all have as many digits as tell them apart.
// own is the format that tells them apart if they are not shortened: see [Formatter.Apart].
func (f Formatter) Shorts(format string, values []float64) (short func(v float64) string, own string) {
	own = f.Apart(dashboard.Column{Format: format}, Numbers(values))
	if isShort(own) {
		return func(v float64) string { return f.Value(own, v) }, own
	}
	short = func(v float64) string { return f.Short(format, v) }
	plain, _ := dashboard.SplitCurrency(format)
	if name, _ := dashboard.SplitFormat(plain); name == "percent" {
		short = func(v float64) string { return f.Value(format, v) }
	}
	if even := f.evenShort(format, values); even != "" {
		short = func(v float64) string { return f.Value(even, v) }
	}
	return f.apart(dashboard.Column{Format: format}, values, short, func(v float64) string { return f.Value(format, v) }), own
}

// Cells is like [Formatter.Shorts] for values that are written as in sentences, with the unit of the column.
func (f Formatter) Cells(c dashboard.Column, values []float64) func(v float64) string {
	write := func(v float64) string { return f.AsSaid(c, v) }
	if of := f.Apart(c, Numbers(values)); isShort(of) {
		return func(v float64) string { return f.InUnit(c, f.Value(of, v)) }
	}
	if even := f.evenShort("", values); even != "" && c.Format == "" {
		write = func(v float64) string { return f.InUnit(c, f.Value(even, v)) }
	}
	return f.apart(c, values, write, func(v float64) string { return f.Value(c.Format, v) })
}

// evenShort returns a format of the short forms of values in a format, all with a decimal, if one of them needs it. It is "" if none does.
func (f Formatter) evenShort(format string, values []float64) string {
	plain, code := dashboard.SplitCurrency(format)
	compact := dashboard.Column{Format: "compact"}
	switch name, _ := dashboard.SplitFormat(plain); name {
	case "percent", "duration", "hours_minutes", "minutes_seconds":
		return ""
	case "bytes":
		compact.Format = "bytes"
	case "currency", "currency_compact", CurrencyEven:
		if compact.Format = "currency_compact"; code != "" {
			compact.Format += "@" + code
		}
	}
	if even := f.EvenFormat(compact, Numbers(values)); even != compact.Format {
		return even
	}
	return ""
}

// Numbers returns the values that are numbers.
func Numbers(values []float64) iter.Seq[any] {
	return func(yield func(any) bool) {
		for _, v := range values {
			if !math.IsNaN(v) && !math.IsInf(v, 0) && !yield(v) {
				return
			}
		}
	}
}

// apart is short, unless it writes values of a column alike that different tells apart.
func (f Formatter) apart(c dashboard.Column, values []float64, short, different func(v float64) string) func(v float64) string {
	seen, kinds := map[string]string{}, map[string]bool{} // the values by their short texts; different values
	same, written := false, map[float64]bool{}
	var digits, names []string
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) || written[v] {
			continue
		}
		written[v] = true
		s, name := short(v), different(v)
		before, ok := seen[s]
		same = same || ok && before != name
		if seen[s] = name; !kinds[name] {
			kinds[name] = true
			digits, names = append(digits, decimal.Of(v)), append(names, name)
		}
	}
	if !same {
		return short
	}
	for n := fewDigits; n <= allDigits; n++ {
		texts := f.rounded(OrInteger(c), digits, n)
		if n < allDigits && !distinct(names, texts) {
			continue
		}
		of := make(map[string]string, len(texts))
		for i, s := range texts {
			of[names[i]] = f.InUnit(c, s)
		}
		return func(v float64) string {
			if s, ok := of[different(v)]; ok {
				return s
			}
			return short(v)
		}
	}
	return short
}

// rounded writes numbers alike, rounded to a number of digits. Those that are written without a unit keep all digits before the point.
func (f Formatter) rounded(format string, numbers []string, digits int) []string {
	out := slices.Clone(numbers)
	for i, d := range out {
		out[i] = decimal.Significant(d, digits)
	}
	texts := f.Alike(format, out)
	for i, d := range numbers {
		whole := decimal.Exponent(d) + 1
		if whole > digits && len(strings.Map(digitsAlone, texts[i])) >= whole {
			out[i] = decimal.Significant(d, whole)
		}
	}
	return f.Alike(format, out)
}

// digitsAlone maps all digits to 0, and drops all other letters.
func digitsAlone(r rune) rune {
	if unicode.IsDigit(r) {
		return '0'
	}
	return -1
}

// Legend writes numbers of a column that are the bounds of a legend, in their order, so that different ones have different texts. The first
// and the last are written as in sentences, if those are short.
func (f Formatter) Legend(c dashboard.Column, values []float64, said func(i int) bool) []string {
	at := map[float64]bool{}
	for i, v := range values {
		at[v] = at[v] || said(i)
	}
	out, digits := make([]string, len(values)), make([]string, len(values))
	for i, v := range values {
		if out[i], digits[i] = f.Brief(c, v), decimal.Of(v); at[v] {
			out[i] = f.AsSaid(c, v)
		}
	}
	if !distinct(digits, out) {
		write := f.apart(c, values, func(v float64) string { return f.Brief(c, v) }, decimal.Of)
		for i, v := range values {
			out[i] = write(v)
		}
	}
	return out
}

// Formats of columns whose short forms all have as many decimals as the number that follows. A spec cannot name them. Numbers without the
// letter of a unit have as many as they need.
const (
	CompactEven  = "compact with decimals "
	CurrencyEven = "currency_compact with decimals "
	BytesEven    = "bytes with decimals "
)

// evenFormats are these formats, by the formats of a spec that shorten numbers and have no number of decimals.
var evenFormats = map[string]string{"compact": CompactEven, "currency_compact": CurrencyEven, "bytes": BytesEven}

// evenFormat returns the form of a short format with so many decimals. It is "" for other formats.
func evenFormat(format string, decimals int) string {
	plain, code := dashboard.SplitCurrency(format)
	even := evenFormats[plain]
	if even == "" {
		return ""
	}
	if even += strconv.Itoa(decimals); code != "" {
		even += "@" + code
	}
	return even
}

// isShort reports whether a format shortens numbers, in any currency, with decimals that are not those of a spec.
func isShort(format string) bool {
	name, _ := dashboard.SplitFormat(format)
	plain, _ := dashboard.SplitCurrency(format)
	return evenFormats[plain] != "" || name == CompactEven || name == CurrencyEven || name == BytesEven
}

// EvenFormat returns a format of a column that writes all values alike, if its own format writes decimals only for some of them: 6.0M over
// 20.1M.
func (f Formatter) EvenFormat(c dashboard.Column, values iter.Seq[any]) string {
	even := evenFormat(c.Format, 1)
	if even == "" {
		return c.Format
	}
	for v := range values {
		d, ok := cube.Digits(v)
		if !ok {
			continue
		}
		if strings.HasPrefix(c.Format, "bytes") {
			if unit := byteUnit(d, 1); unit > 0 && strings.Contains(decimal.UpTo(decimal.Shift(d, -3*unit), 1), ".") {
				return even
			}
		} else if u, short := f.Unit(d); short && u.Power > 0 {
			if n := u.Decimals(d); n > 0 && strings.Contains(decimal.UpTo(decimal.Shift(d, -u.Power), n), ".") {
				return even
			}
		}
	}
	return c.Format
}

const (
	mostApart = 6  // decimals of short forms: as many as a spec can set
	mostTold  = 60 // different values: of more, some are always nearly equal, and the short form of the spec wins
)

// Apart is [Formatter.EvenFormat] for labels: different values, at most mostTold, have different texts, as far as decimals of the same
// notation tell them apart: 2.61K and 2.63K.
func (f Formatter) Apart(c dashboard.Column, values iter.Seq[any]) string {
	own := f.EvenFormat(c, values)
	if evenFormat(c.Format, 1) == "" {
		return own
	}
	seen, different := map[string]bool{}, []any(nil)
	for v := range values {
		d, ok := cube.Digits(v)
		if !ok || seen[d] {
			continue
		}
		if len(different) == mostTold {
			return own
		}
		seen[d], different = true, append(different, v)
	}
	texts := func(format string) int {
		of := map[string]bool{}
		for _, v := range different {
			of[f.Amount(format, v)] = true
		}
		return len(of)
	}
	now := texts(own)
	if now == len(different) {
		return own
	}
	most := texts(evenFormat(c.Format, mostApart))
	for n := 2; n <= mostApart && most > now; n++ {
		if finer := evenFormat(c.Format, n); texts(finer) == most {
			return finer
		}
	}
	return own
}

// evenly is [Formatter.compact] with so many decimals for each number that has a unit.
func (f Formatter) evenly(d string, decimals int) string {
	switch u, ok := f.Unit(d); {
	case ok && u.Power > 0:
		return f.In(u, d, decimals)
	case decimals > 1 && decimal.Exponent(d) < largeFloat:
		return f.upTo(d, decimals-min(decimal.Exponent(d), 0))
	}
	return f.compact(d)
}

// SameDecimals returns a format that writes numbers with as many decimals as the one that needs most, up to mostDecimals. It is "" if they
// need none, or more.
func (f Formatter) SameDecimals(values []any) string {
	const mostDecimals = 4
	most := 0
	for _, v := range values {
		d, ok := cube.Digits(v)
		if _, fraction, _ := strings.Cut(d, "."); ok {
			most = max(most, len(strings.TrimRight(fraction, "0")))
		}
		if ok && decimal.Exponent(d) >= largeFloat {
			return ""
		}
	}
	if most == 0 || most > mostDecimals {
		return ""
	}
	return dashboard.WithDecimals("number", &most)
}
