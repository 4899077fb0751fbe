package decimal

import (
	"math/big"
	"strconv"
	"strings"
)

// Of returns the shortest decimal of a finite float64, in full and without a sign of zero.
func Of(v float64) string { return strconv.FormatFloat(v+0, 'f', -1, 64) }

// Fixed writes d with a fixed number of decimals, from 0 on. A number that becomes zero loses its sign.
func Fixed(d string, decimals int) string {
	negative, whole, fraction := split(d)
	up := len(fraction) > decimals && fraction[decimals] >= '5'
	if missing := decimals - len(fraction); missing > 0 {
		fraction += strings.Repeat("0", missing)
	}
	digits := []byte(whole + fraction[:decimals])
	if up {
		digits = increment(digits)
	}
	return join(negative, string(digits), decimals)
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

// UpTo writes d with as many decimals as it has, at most the given ones.
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
	if power >= 0 {
		if missing := power - len(fraction); missing > 0 {
			fraction += strings.Repeat("0", missing)
		}
		return join(negative, whole+fraction, len(fraction)-power)
	}
	if missing := 1 - power - len(whole); missing > 0 {
		whole = strings.Repeat("0", missing) + whole
	}
	return join(negative, whole+fraction, len(fraction)-power)
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

// Significant rounds d to a number of digits from its first one on.
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

// join puts the point before the last decimals of digits, of which there are more than decimals.
func join(negative bool, digits string, decimals int) string {
	whole, fraction := digits[:len(digits)-decimals], digits[len(digits)-decimals:]
	if whole = strings.TrimLeft(whole, "0"); whole == "" {
		whole = "0"
	}
	if decimals > 0 {
		whole += "." + fraction
	}
	if negative && !IsZero(whole) {
		return "-" + whole
	}
	return whole
}
