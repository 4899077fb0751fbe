package decimal_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"service/store/decimal"
)

func TestRounding(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ got, want string }{
		{decimal.Fixed("2.675", 2), "2.68"},
		{decimal.Fixed("-2.675", 2), "-2.68"},
		{decimal.Fixed("2.6749999", 2), "2.67"},
		{decimal.Fixed("0.5", 0), "1"},
		{decimal.Fixed("-0.5", 0), "-1"},
		{decimal.Fixed("-0.4", 0), "0"},
		{decimal.Fixed("-0.004", 2), "0.00"},
		{decimal.Fixed("999.995", 2), "1000.00"},
		{decimal.Fixed("7", 3), "7.000"},
		{decimal.Fixed("12345678901234567.89", 0), "12345678901234568"},
		{decimal.Fixed("12345678901234567.89", 1), "12345678901234567.9"},
		{decimal.Fixed("12345678901234567.89", 3), "12345678901234567.890"},
		{decimal.Fixed("-12345678901234567.5", 0), "-12345678901234568"},
		{decimal.Fixed("99999999999999999.995", 2), "100000000000000000.00"},
		{decimal.Fixed("0.00000000000000000000123", 2), "0.00"},
		{decimal.Fixed("0.00999999999999999999999", 4), "0.0100"},
		{decimal.Fixed("18446744073709551615", 2), "18446744073709551615.00"},
		{decimal.Fixed("-0.001", 2), "0.00"},
		{decimal.Fixed("-0.4", 0), "0"},
		{decimal.Fixed("-0.005", 2), "-0.01"},
		{decimal.UpTo("1200.50", 2), "1200.5"},
		{decimal.UpTo("1200", 2), "1200"},
		{decimal.Of(2.675), "2.675"},
		{decimal.Of(-1e21), "-1000000000000000000000"},
		{decimal.Shift("0.145", 2), "14.5"},
		{decimal.Shift("-12", -3), "-0.012"},
		{decimal.Shift("1.5", 3), "1500"},
		{decimal.Significant("9996", 3), "10000"},
		{decimal.Significant("0.0012345", 3), "0.00123"},
		{decimal.Scientific("12500000000000000000", 2), "1.25e+19"},
		{decimal.Scientific("-0.00000000009995", 2), "-1.00e-10"},
		{decimal.Quotient("90", 60).String(), "2"},
		{decimal.Quotient("-90", 60).String(), "-2"},
		{decimal.Quotient("89.999", 60).String(), "1"},
		{decimal.Quotient("1", 3).String(), "0"},
		{decimal.Quotient("2", 3).String(), "1"},
		{fmt.Sprint(decimal.Exponent("1234"), decimal.Exponent("0.0123"), decimal.Exponent("0.0"), decimal.Exponent("-10")), "3 -2 0 1"},
	} {
		if tc.got != tc.want {
			t.Errorf("%s, want %s", tc.got, tc.want)
		}
	}
}

// TestRoundingIsExact compares with rational numbers, which round halves away from zero as well.
func TestRoundingIsExact(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		var b strings.Builder
		if r.IntN(2) == 0 {
			b.WriteByte('-')
		}
		fmt.Fprint(&b, []int64{r.Int64N(1_000_000), 999, 9995, 0}[r.IntN(4)])
		if n := r.IntN(24); n > 0 {
			b.WriteByte('.')
			for range n {
				b.WriteByte(byte('0' + []int{r.IntN(10), 0, 5, 9}[r.IntN(4)]))
			}
		}
		d := b.String()
		exact, _ := new(big.Rat).SetString(d)
		decimals, by := r.IntN(8), int64(1+r.IntN(100))
		want := exact.FloatString(decimals)
		if strings.Trim(want, "-0.") == "" {
			want = strings.TrimPrefix(want, "-")
		}
		if got := decimal.Fixed(d, decimals); got != want {
			t.Fatalf("%s with %d decimals: %s, want %s", d, decimals, got, want)
		}
		quotient := new(big.Rat).Quo(exact, big.NewRat(by, 1)).FloatString(0)
		if got := decimal.Quotient(d, by).String(); got != strings.Replace(quotient, "-0", "0", 1) {
			t.Fatalf("%s / %d: %s, want %s", d, by, got, quotient)
		}
		digits := 1 + r.IntN(6)
		if got, want := decimal.RoundedExponent(d, digits), decimal.Exponent(decimal.Significant(d, digits)); got != want {
			t.Fatalf("%s with %d digits: %d, want %d", d, digits, got, want)
		}
		power := r.IntN(30) - 15
		moved, _ := new(big.Rat).SetString(decimal.Shift(d, power))
		back, _ := new(big.Rat).SetString(fmt.Sprintf("%se%d", d, power))
		if moved.Cmp(back) != 0 {
			t.Fatalf("%s moved by %d: %s", d, power, decimal.Shift(d, power))
		}
	}
}
