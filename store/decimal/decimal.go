package decimal

import (
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// Of returns the shortest decimal of a finite float64, without an exponent. Negative zero becomes 0.
func Of(v float64) string { return strconv.FormatFloat(v+0, 'f', -1, 64) }

// Fixed writes d with a fixed number of decimals, which is not negative. A number that becomes zero loses its sign.
func Fixed(d string, decimals int) string {
	negative, whole, fraction := split(d)
	var room [roomy]byte
	digits := append(room[:0], whole...)
	missing := decimals - len(fraction)
	if missing == 0 && !negative && (len(whole) == 1 || !strings.HasPrefix(whole, "0")) {
		return d
	}
	if missing >= 0 {
		return join(negative, appendZeros(append(digits, fraction...), missing), decimals)
	}
	digits = append(digits, fraction[:decimals]...)
	if fraction[decimals] >= '5' {
		digits = increment(digits)
	}
	return join(negative, digits, decimals)
}

// roomy is a number of digits that nearly all numbers do not reach. Such numbers are built on the stack.
const roomy = 48

func appendZeros(digits []byte, n int) []byte {
	for range n {
		digits = append(digits, '0')
	}
	return digits
}

// increment adds one to a whole number in digits.
func increment(digits []byte) []byte {
	for i := len(digits) - 1; i >= 0; i-- {
		if digits[i] < '9' {
			digits[i]++
			return digits
		}
		digits[i] = '0'
	}
	return append([]byte{'1'}, digits...)
}

// UpTo rounds d to at most the given number of decimals, and removes zeros at the end.
func UpTo(d string, decimals int) string {
	s := Fixed(d, decimals)
	if strings.Contains(s, ".") {
		s = strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// Shift multiplies d by a power of ten.
func Shift(d string, power int) string {
	negative, whole, fraction := split(d)
	var room [roomy]byte
	digits := room[:0]
	if power < 0 {
		digits = appendZeros(digits, 1-power-len(whole))
	}
	digits = append(append(digits, whole...), fraction...)
	if power > len(fraction) {
		return join(negative, appendZeros(digits, power-len(fraction)), 0)
	}
	return join(negative, digits, len(fraction)-power)
}

// Exponent returns the power of ten of the first digit of d: 2 for 123, -2 for 0.012. It returns 0 for zero.
func Exponent(d string) int {
	_, whole, fraction := split(d)
	if whole = strings.TrimLeft(whole, "0"); whole != "" {
		return len(whole) - 1
	}
	if rest := strings.TrimLeft(fraction, "0"); rest != "" {
		return len(rest) - len(fraction) - 1
	}
	return 0
}

// RoundedExponent returns the [Exponent] of d rounded to a number of digits: 3 for 999.5 and three digits.
func RoundedExponent(d string, digits int) int {
	exponent := Exponent(d)
	left := digits
	for i := 0; i < len(d); i++ {
		switch c := d[i]; {
		case c == '-', c == '.', c == '0' && left == digits:
		case left == 0 && c >= '5':
			return exponent + 1
		case left == 0 || c != '9':
			return exponent
		default:
			left--
		}
	}
	return exponent
}

// Significant rounds d to a number of significant digits.
func Significant(d string, digits int) string {
	power := digits - 1 - Exponent(d)
	if power >= 0 {
		return Fixed(d, power)
	}
	return Shift(Fixed(Shift(d, power), 0), -power)
}

// Scientific writes d as 1.25e+19, with a fixed number of decimals.
func Scientific(d string, decimals int) string {
	d = Significant(d, decimals+1)
	exponent := Exponent(d)
	sign := "+"
	if exponent < 0 {
		sign = "-"
	}
	power := strconv.Itoa(max(exponent, -exponent))
	if len(power) < 2 {
		power = "0" + power
	}
	return Fixed(Shift(d, -exponent), decimals) + "e" + sign + power
}

// Quotient divides d by a positive whole number and rounds the result to a whole number.
func Quotient(d string, by int64) *big.Int {
	negative, whole, fraction := split(d)
	if q, ok := quotient(whole+fraction, len(fraction), by); ok {
		if negative {
			q = -q
		}
		return big.NewInt(q)
	}
	n, _ := new(big.Int).SetString(whole+fraction, 10)
	divisor := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(len(fraction))), nil)
	divisor.Mul(divisor, big.NewInt(by))
	half := new(big.Int).Rsh(divisor, 1) // exact: an odd divisor cannot have a remainder of exactly half
	q := n.Add(n, half)
	if q.Quo(q, divisor); negative {
		q.Neg(q)
	}
	return q
}

// quotient divides a number by a positive number, and rounds. The number consists of digits, and decimals of them are after the point. It
// reports whether the result fits into int64.
func quotient(digits string, decimals int, by int64) (q int64, ok bool) {
	const most = 1 << 62
	n, err := strconv.ParseInt(digits, 10, 64)
	for ; decimals > 0 && by < most/10; decimals-- {
		by *= 10
	}
	if err != nil || decimals > 0 || by > most || n > most {
		return 0, false
	}
	return (n + by/2) / by, true
}

// Negative reports whether d is below zero.
func Negative(d string) bool { return strings.HasPrefix(d, "-") }

// Abs returns d without its sign.
func Abs(d string) string { return strings.TrimPrefix(d, "-") }

// IsZero reports whether d is zero, however many digits it has.
func IsZero(d string) bool { return strings.Trim(d, "-0.") == "" }

func split(d string) (negative bool, whole, fraction string) {
	d, negative = strings.CutPrefix(d, "-")
	whole, fraction, _ = strings.Cut(d, ".")
	return negative, whole, fraction
}

// join puts the point into digits, so that as many digits as decimals are after it. digits must be longer than decimals.
func join(negative bool, digits []byte, decimals int) string {
	point := len(digits) - decimals
	for point > 1 && digits[0] == '0' {
		digits, point = digits[1:], point-1
	}
	var room [roomy]byte
	out := room[:0]
	if negative && slices.ContainsFunc(digits, func(c byte) bool { return c != '0' }) {
		out = append(out, '-')
	}
	out = append(out, digits[:point]...)
	if decimals > 0 {
		out = append(append(out, '.'), digits[point:]...)
	}
	return string(out)
}
