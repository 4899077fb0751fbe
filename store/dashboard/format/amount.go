package format

import (
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/dashboard/locale"
	"service/store/decimal"
)

// Amount writes a number of any kind (an int64, a float64 or a [cube.Decimal]) in a format, with all the digits that the format requires.
// It rounds decimal digits, which people read, and never a binary fraction: see package decimal.
func (f Formatter) Amount(format string, v any) string {
	f, format = f.ForFormat(format)
	d, ok := cube.Digits(v)
	if !ok { // larger numbers do not exist
		n, _ := cube.Float(v)
		return f.Number(n, 0)
	}
	switch name, decimals := dashboard.SplitFormat(format); name {
	case "integer":
		return f.Fixed(d, 0)
	case "number":
		return f.inDecimals(d, decimals, func(d string) string { return f.upTo(d, 2) })
	case "compact":
		return f.shortened(d, decimals)
	case CompactEven:
		return f.evenly(d, decimals)
	case CurrencyEven:
		return f.InCurrency(f.evenly(d, decimals))
	case "percent":
		return f.percentOf(d, max(decimals, 0))
	case "currency":
		return f.InCurrency(f.Fixed(d, max(decimals, 0)))
	case "currency_compact":
		return f.InCurrency(f.shortened(d, decimals))
	case "duration":
		return f.duration(d)
	case "hours_minutes":
		return f.hoursMinutes(d, 0)
	case "minutes_seconds":
		return f.minutesSeconds(d, 0)
	case "bytes":
		return f.bytesIn(d, decimals)
	case BytesEven:
		if byteUnit(d, decimals) == 0 {
			return f.bytes(d)
		}
		return f.bytesIn(d, decimals)
	}
	if _, float := v.(float64); float {
		return f.plain(d, largeFloat)
	}
	return f.plain(d, largeExact)
}

// MaxExact is the number from which on float64 cannot represent all whole numbers.
const MaxExact = 1 << 53

// inDecimals writes a number with so many decimals; if decimals is below 0, otherwise writes it.
func (f Formatter) inDecimals(d string, decimals int, otherwise func(d string) string) string {
	if decimals < 0 {
		return otherwise(d)
	}
	return f.Fixed(d, decimals)
}

// shortened is [Formatter.compact] with so many decimals, also for numbers without a unit; if decimals is below 0, it is compact.
func (f Formatter) shortened(d string, decimals int) string {
	switch u, ok := f.Unit(d); {
	case decimals < 0:
		return f.compact(d)
	case decimal.Exponent(d) >= largeFloat:
		return f.scientific(d, decimals)
	case ok && u.Power > 0:
		return f.In(u, d, decimals)
	}
	return f.Fixed(d, decimals)
}

// Quantity writes a number of a column in the format of the column, with its unit.
func (f Formatter) Quantity(c dashboard.Column, v any) string {
	return f.InUnit(c, f.Amount(OrInteger(c), v))
}

// Brief is [Formatter.Short] of a column's number, with its unit.
func (f Formatter) Brief(c dashboard.Column, v float64) string {
	return f.InUnit(c, f.Short(OrInteger(c), v))
}

// InUnit adds the unit of a column to a number in the format of the column: see also [Accounts].
func (f Formatter) InUnit(c dashboard.Column, number string) string {
	number = Accounts(c, number)
	if c.Suffix == "" {
		return number
	}
	return number + f.Space(c.Suffix) + c.Suffix
}

// Accounts writes a negative number in brackets if the column has these, a positive number with a plus if the column has signs, and all
// other numbers as they are.
func Accounts(c dashboard.Column, number string) string {
	at := minus(number)
	switch {
	case c.Brackets && at >= 0:
		return "(" + number[:at] + number[at+len(Minus):] + ")"
	case c.Signed && at < 0 && !locale.WritesZero(number):
		return plus(number)
	}
	return number
}

// minus returns the index of the sign of a negative number, wherever its language has that, and -1 for other numbers: the minus of an
// exponent is not it.
func minus(number string) int {
	i := strings.Index(number, Minus)
	if i > 0 && number[i-1] == 'e' {
		return -1
	}
	return i
}

// Head returns the label of a column with its unit, for a head over numbers without it.
func (f Formatter) Head(c dashboard.Column, label string) string {
	switch {
	case c.Suffix == "":
		return label
	case label == "":
		return c.Suffix
	}
	return label + " (" + c.Suffix + ")"
}
