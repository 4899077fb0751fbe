package page

import (
	"math"
	"strconv"
	"strings"

	"service/store/dashboard/cube"
)

// amount writes a number of any kind, an int64, a float64 or a [cube.Decimal], as
// format says, with all the digits that it asks for.
func (f formatter) amount(format string, v any) string {
	var d cube.Decimal
	switch v := v.(type) {
	case float64:
		return f.value(format, v)
	case int64:
		if v > -maxExact && v < maxExact {
			return f.value(format, float64(v))
		}
		d = cube.Decimal(strconv.FormatInt(v, 10))
	case cube.Decimal:
		d = v
	}
	switch format {
	case "integer":
		return f.punctuate(d.Fixed(0))
	case "number":
		return f.trim(f.punctuate(d.Fixed(2)), 2)
	case "number1":
		return f.punctuate(d.Fixed(1))
	case "number2":
		return f.punctuate(d.Fixed(2))
	case "currency":
		return f.money(f.punctuate(d.Fixed(0)))
	case "currency2":
		return f.money(f.punctuate(d.Fixed(2)))
	case "":
		if a := math.Abs(d.Float()); a >= 1 && a < 1e30 {
			return f.trim(f.punctuate(d.Fixed(2)), 2)
		}
	}
	return f.value(format, d.Float())
}

// maxExact is where float64 begins to leave whole numbers out.
const maxExact = 1 << 53

// punctuate writes digits with the marks of the page's language; a zero has no
// sign.
func (f formatter) punctuate(digits string) string {
	s, negative := strings.CutPrefix(digits, "-")
	whole, fraction, dot := strings.Cut(s, ".")
	var b strings.Builder
	b.Grow(len(s) + len(s)/3*3 + 4)
	if negative && strings.Trim(s, "0.") != "" {
		b.WriteString(minus)
	}
	for i := range len(whole) {
		left := len(whole) - i
		if i > 0 && (left == 3 || left > 3 && (f.lakh && left%2 == 1 || !f.lakh && left%3 == 0)) {
			b.WriteString(f.group)
		}
		b.WriteByte(whole[i])
	}
	if dot {
		b.WriteString(f.decimal)
		b.WriteString(fraction)
	}
	return b.String()
}

// trim takes the zeros at the end of a fraction away.
func (f formatter) trim(s string, decimals int) string {
	if decimals > 0 && strings.Contains(s, f.decimal) {
		s = strings.TrimSuffix(strings.TrimRight(s, "0"), f.decimal)
	}
	return s
}

// bare writes a number that counts nothing, such as a year or an id.
func (f formatter) bare(digits string) string {
	return strings.NewReplacer("-", minus, ".", f.decimal).Replace(digits)
}
