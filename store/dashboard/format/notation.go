package format

import (
	"iter"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/decimal"
)

// Numbers on one axis, or one below another, are compared by their length, so they have one notation, such as 1.5M, and one number of
// decimals.

const (
	MostDigits  = 12 // significant digits of a gridline; the rest are rounding errors of added steps
	manyTicks   = 9  // the maximum of decimals of gridlines
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
			_, fraction, _ := strings.Cut(decimal.UpTo(decimal.Shift(d, shift), manyTicks+1), ".")
			most = max(most, len(fraction))
		}
		return most
	}
	each := func(write func(d string) string) []string {
		for i, d := range digits {
			out[i] = write(d)
		}
		return out
	}
	money := func(s string) string { return s }
	switch {
	case strings.HasPrefix(format, "percent"):
		if n := decimals(2); n <= manyTicks {
			return each(func(d string) string { return f.percentOf(d, n) })
		}
	case strings.HasPrefix(format, "bytes"):
		unit := min(max(decimal.Exponent(largest), 0)/3, len(byteUnits)-1)
		if n := decimals(-3 * unit); n <= manyTicks {
			return each(func(d string) string { return f.WithUnit(byteUnits[unit], f.Fixed(decimal.Shift(d, -3*unit), n)) })
		}
	case OneLasts(format) > 0:
	case decimal.Exponent(largest) >= largeFloat:
		most := 0
		for _, d := range digits {
			most = max(most, len(strings.Trim(decimal.Abs(d), "0"))-1)
		}
		return each(func(d string) string {
			if decimal.IsZero(d) {
				return f.Digits("0")
			}
			return f.scientific(d, most)
		})
	default:
		if strings.HasPrefix(format, "currency") {
			money = f.InCurrency
		}
		full := decimals(0)
		if u, ok := f.Unit(largest); ok && u.Power > 0 {
			few := decimal.Exponent(largest) < fullToPower || decimal.Significant(largest, MostDigits) == "10000"
			if n := decimals(-u.Power); n == 0 || n <= 2 && !few {
				return each(func(d string) string {
					if decimal.IsZero(d) {
						return money(f.Fixed(d, n))
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
	}
	return each(func(d string) string { return f.shortOf(format, d) })
}

// Formats of columns whose short forms all have a decimal. A spec cannot name them.
const (
	CompactEven  = "compact with a decimal"
	CurrencyEven = "currency_compact with a decimal"
)

// EvenFormat returns a format of a column that writes all values alike, if its own format writes decimals only for some of them: 6.0M over
// 20.1M.
func (f Formatter) EvenFormat(c dashboard.Column, values iter.Seq[any]) string {
	plain, code := dashboard.SplitCurrency(c.Format)
	even := map[string]string{"compact": CompactEven, "currency_compact": CurrencyEven}[plain]
	if even == "" {
		return c.Format
	}
	if code != "" {
		even += "@" + code
	}
	for v := range values {
		d, ok := cube.Digits(v)
		if u, short := f.Unit(d); ok && short && u.Power > 0 {
			if n := u.Decimals(d); n > 0 && strings.Contains(decimal.UpTo(decimal.Shift(d, -u.Power), n), ".") {
				return even
			}
		}
	}
	return c.Format
}

// evenly is [Formatter.compact] with a decimal for each number that has a unit.
func (f Formatter) evenly(d string) string {
	if u, ok := f.Unit(d); ok && u.Power > 0 {
		return f.In(u, d, 1)
	}
	return f.compact(d)
}
