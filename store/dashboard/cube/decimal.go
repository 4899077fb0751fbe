package cube

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"service/store/decimal"
)

// A Decimal is a number that neither an int64 nor a float64 represents exactly. It is written in full, like a JSON number without exponent,
// plus sign or redundant zeros, so that equal numbers are equal strings.
type Decimal string

// MaxDigits is how many digits a number keeps before the point, and how many after it. Longer numbers become the nearest float64.
const MaxDigits = 100

// certain bounds the digits of a number, read as one whole number, that a float64 always represents: 15 digits.
const certain = 1_000_000_000_000_000

// Float returns the nearest float64.
func (d Decimal) Float() float64 {
	f, _ := strconv.ParseFloat(string(d), 64) // out of range is an infinity, as intended
	return f
}

// Digits returns a number, an int64, a finite float64 or a [Decimal], in decimal digits: a float64 as its shortest decimal. It returns
// false for any other value.
func Digits(v any) (digits string, ok bool) {
	switch v := v.(type) {
	case int64:
		return strconv.FormatInt(v, 10), true
	case float64:
		return decimal.Of(v), !math.IsInf(v, 0) && !math.IsNaN(v)
	case Decimal:
		return string(v), true
	}
	return "", false
}

// Compare orders two numbers, each an int64, a float64 or a [Decimal]. It returns false if one of them is another value.
func Compare(a, b any) (order int, ok bool) {
	x, okx := Float(a)
	y, oky := Float(b)
	switch {
	case !okx || !oky:
		return 0, false
	case x < y:
		return -1, true
	case x > y:
		return 1, true
	case a == b:
		return 0, true
	}
	p, okp := new(big.Rat).SetString(Label(a))
	q, okq := new(big.Rat).SetString(Label(b))
	if !okp || !okq { // NaN or an infinity
		return 0, true
	}
	return p.Cmp(q), true
}

// Float returns the float64 nearest to a number: an int64, a float64 or a [Decimal]. It returns false for any other value.
func Float(v any) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	case Decimal:
		return v.Float(), true
	}
	return 0, false
}

// Parse converts the text of a number in a warehouse or JSON to the exact value of a column of type t, [Integer] or [Number]: an int64, a
// float64 or a [Decimal]. NaN and the infinities are [Lost].
func Parse(t Type, text string) (any, error) {
	if t == Integer {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n, nil
		}
	} else if short(text) {
		if f, err := strconv.ParseFloat(text, 64); err == nil {
			return f + 0, nil // without negative zero
		}
	}
	if digits, ok := plain(text); ok {
		if t == Integer && strings.Contains(digits, ".") {
			return nil, fmt.Errorf("cube: not a whole number")
		}
		return held(t, digits), nil
	}
	s, ok := parse(text)
	if !ok {
		if f, err := strconv.ParseFloat(text, 64); err == nil && (math.IsNaN(f) || math.IsInf(f, 0)) {
			return Lost, nil
		}
		return nil, fmt.Errorf("cube: not a number")
	}
	if !s.fits() {
		f, _ := strconv.ParseFloat(text, 64)
		if t == Integer {
			return nil, fmt.Errorf("cube: a whole number of more than %d digits", MaxDigits)
		}
		if math.IsInf(f, 0) {
			return nil, fmt.Errorf("cube: a number beyond float64 and of more than %d digits", MaxDigits)
		}
		return f, nil
	}
	if t == Integer && s.decimals > 0 {
		return nil, fmt.Errorf("cube: not a whole number")
	}
	return s.value(t), nil
}

// short reports whether text has at most 15 digits, a point and a sign, so that a float64 represents it.
func short(text string) bool {
	digits := 0
	for i := range len(text) {
		switch c := text[i]; {
		case c >= '0' && c <= '9':
			digits++
		case c != '.' && c != '-':
			return false
		}
	}
	return digits <= 15
}

// plain returns text in the form of a [Decimal] if only redundant zeros must be removed. Nearly all numbers take this path, which needs no
// arithmetic.
func plain(text string) (canonical string, ok bool) {
	unsigned := strings.TrimPrefix(text, "-")
	whole, fraction, point := strings.Cut(unsigned, ".")
	for _, digits := range [...]string{whole, fraction} {
		for i := range len(digits) {
			if digits[i] < '0' || digits[i] > '9' {
				return "", false
			}
		}
	}
	if whole == "" || len(whole) > MaxDigits || len(fraction) > MaxDigits || whole[0] == '0' && len(whole) > 1 {
		return "", false
	}
	if point {
		end := len(text)
		for text[end-1] == '0' {
			end--
		}
		text = strings.TrimSuffix(text[:end], ".")
	}
	if text == "-0" {
		text = "0"
	}
	return text, true
}

// A scaled number is n / 10^decimals, with the fewest decimals possible.
type scaled struct {
	n        *big.Int
	decimals int
}

// parse reads digits with or without sign, point and exponent. It returns false for any other text, and for an absurdly large exponent.
func parse(text string) (scaled, bool) {
	mantissa, exponent := text, 0
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		var err error
		if exponent, err = strconv.Atoi(text[i+1:]); err != nil || exponent < -10000 || exponent > 10000 {
			return scaled{}, false
		}
		mantissa = text[:i]
	}
	unsigned := strings.TrimPrefix(mantissa, "-")
	negative := unsigned != mantissa
	if !negative {
		unsigned = strings.TrimPrefix(mantissa, "+")
	}
	whole, fraction, _ := strings.Cut(unsigned, ".")
	digits := whole + strings.TrimRight(fraction, "0")
	if whole+fraction == "" || strings.Trim(digits, "0123456789") != "" {
		return scaled{}, false
	}
	if digits = strings.TrimLeft(digits, "0"); digits == "" {
		digits = "0"
	}
	s := scaled{new(big.Int), len(strings.TrimRight(fraction, "0")) - exponent}
	if len(digits) > 20*MaxDigits || s.decimals < -2*MaxDigits {
		return scaled{s.n, math.MaxInt}, true // it does not fit, so its digits are not needed
	}
	s.n.SetString(digits, 10)
	if negative {
		s.n.Neg(s.n)
	}
	if s.decimals < 0 {
		s.n.Mul(s.n, pow10(-s.decimals))
		s.decimals = 0
	}
	return s.reduced(), true
}

// reduced returns s without zeros at the end of its fraction.
func (s scaled) reduced() scaled {
	if s.n.Sign() == 0 {
		return scaled{s.n, 0}
	}
	ten, rest := big.NewInt(10), new(big.Int)
	for s.decimals > 0 {
		q, r := new(big.Int).QuoRem(s.n, ten, rest)
		if r.Sign() != 0 {
			break
		}
		s = scaled{q, s.decimals - 1}
	}
	return s
}

// fits reports whether s has at most [MaxDigits] on either side of the point.
func (s scaled) fits() bool {
	return s.decimals <= MaxDigits && len(strings.TrimPrefix(s.n.Text(10), "-")) <= MaxDigits+s.decimals
}

// text writes s in full.
func (s scaled) text() string {
	s = s.reduced()
	digits := s.n.Text(10)
	if s.decimals == 0 {
		return digits
	}
	sign := ""
	if digits[0] == '-' {
		sign, digits = "-", digits[1:]
	}
	digits = strings.Repeat("0", max(s.decimals+1-len(digits), 0)) + digits
	point := len(digits) - s.decimals
	return sign + digits[:point] + "." + digits[point:]
}

// value returns s as a value of a column of type t.
func (s scaled) value(t Type) any {
	if s = s.reduced(); t == Integer && s.n.IsInt64() {
		return s.n.Int64()
	}
	return held(t, s.text())
}

// held converts a number that is written in full to a value of a column of type t.
func held(t Type, text string) any {
	if t == Integer {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n
		}
		return Decimal(text)
	}
	f, err := strconv.ParseFloat(text, 64)
	var shortest [MaxDigits + 32]byte
	if err == nil && string(strconv.AppendFloat(shortest[:0], f, 'f', -1, 64)) == text {
		return f
	}
	return Decimal(text)
}

// float returns the float64 nearest to s, or the next one.
func (s scaled) float() float64 {
	if s.decimals > 300 {
		f, _ := strconv.ParseFloat(s.text(), 64)
		return f
	}
	f, _ := s.n.Float64()
	return f / math.Pow10(s.decimals)
}

// at returns s times 10^decimals, for decimals that are at least those of s.
func (s scaled) at(decimals int) *big.Int {
	return new(big.Int).Mul(s.n, pow10(decimals-s.decimals))
}

func pow10(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// exactly converts v, an int64, float64 or [Decimal] of a column, to a scaled number.
func exactly(v any) scaled {
	switch v := v.(type) {
	case int64:
		return scaled{big.NewInt(v), 0}
	case float64:
		s, _ := parse(strconv.FormatFloat(v, 'f', -1, 64)) // finite
		return s
	case Decimal:
		s, _ := parse(string(v))
		return s
	}
	return scaled{n: new(big.Int)}
}
