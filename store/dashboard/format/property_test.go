package format

import (
	"flag"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/dashboard/locale"
	"service/store/decimal"
)

var randomNumbers = flag.Int("numbers", 1000, "random numbers in TestEachFormatRoundsHalfAwayFromZero")

// A unit is a sign behind a number, and what the number is multiplied by.
type unit struct {
	sign  string
	times *big.Rat
}

func unitOf(sign string, numerator, denominator int64) unit {
	return unit{sign, big.NewRat(numerator, denominator)}
}

var (
	noUnits    = []unit{unitOf("", 1, 1)}
	shortUnits = []unit{unitOf("T", 1e12, 1), unitOf("B", 1e9, 1), unitOf("M", 1e6, 1), unitOf("K", 1e3, 1), unitOf("", 1, 1)}
	sizeUnits  = []unit{
		unitOf("PB", 1e15, 1), unitOf("TB", 1e12, 1), unitOf("GB", 1e9, 1), unitOf("MB", 1e6, 1), unitOf("KB", 1e3, 1), unitOf("B", 1, 1),
	}
	minuteUnits = []unit{unitOf("h", 60, 1), unitOf("m", 1, 1)}
)

// read returns the number that a text is, the value of one unit of its last digit, and the decimals.
func read(text string, units []unit) (value, last *big.Rat, decimals int, err error) {
	value, negative := new(big.Rat), false
	if inner, ok := strings.CutPrefix(text, "("); ok {
		text, negative = strings.TrimSuffix(inner, ")"), true
	}
	if rest, ok := strings.CutPrefix(text, Minus); ok {
		text, negative = rest, true
	}
	text = strings.NewReplacer(",", "", "$", "").Replace(text)
	pieces := strings.Split(text, NBSP)
	if len(pieces)%2 == 1 { // the sign is next to the number
		n := strings.TrimRight(text, "KMBT%")
		pieces = []string{n, text[len(n):]}
	}
	for i := 0; i < len(pieces); i += 2 {
		n, ok := new(big.Rat).SetString(pieces[i])
		if !ok {
			return nil, nil, 0, fmt.Errorf("%q is not a number", pieces[i])
		}
		times := (*big.Rat)(nil)
		for _, u := range units {
			if u.sign == pieces[i+1] {
				times = u.times
			}
		}
		if times == nil {
			return nil, nil, 0, fmt.Errorf("%q is not a unit", pieces[i+1])
		}
		value.Add(value, n.Mul(n, times))
		_, fraction, _ := strings.Cut(pieces[i], ".")
		decimals = len(fraction)
		last = new(big.Rat).Quo(times, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimals)), nil)))
	}
	if negative {
		value.Neg(value)
	}
	return value, last, decimals, nil
}

// rounded returns v rounded to a multiple of last, half away from zero.
func rounded(v, last *big.Rat) *big.Rat {
	q := new(big.Rat).Quo(v, last)
	twice := new(big.Int).Lsh(q.Num(), 1)
	n := new(big.Int).Add(twice.Abs(twice), q.Denom())
	n.Quo(n, new(big.Int).Lsh(q.Denom(), 1))
	if v.Sign() < 0 {
		n.Neg(n)
	}
	return new(big.Rat).Mul(new(big.Rat).SetInt(n), last)
}

// TestEachFormatRoundsHalfAwayFromZero reads the texts of random decimals again: each is the number rounded to the last digit of the text,
// half away from zero, with as many decimals as the format has, and in a unit in which it is below a thousand.
func TestEachFormatRoundsHalfAwayFromZero(t *testing.T) {
	t.Parallel()
	f := Formatter{Locale: locale.For("en-US"), Currency: "USD"}
	percent := []unit{unitOf("%", 1, 100)}
	formats := []struct {
		name     string
		units    []unit
		finest   *big.Rat // the unit to which texts round at most; nil: that of the last digit
		decimals int      // -1 for any
	}{
		{"integer", noUnits, nil, 0},
		{"number", noUnits, big.NewRat(1, 100), -1},
		{"number0", noUnits, nil, 0},
		{"number2", noUnits, nil, 2},
		{"number6", noUnits, nil, 6},
		{"currency", noUnits, nil, 0},
		{"currency2", noUnits, nil, 2},
		{"percent", percent, nil, 0},
		{"percent1", percent, nil, 1},
		{"percent2", percent, nil, 2},
		{"compact1", shortUnits, nil, 1},
		{"compact2", shortUnits, nil, 2},
		{"currency_compact2", shortUnits, nil, 2},
		{"bytes0", sizeUnits, nil, 0},
		{"bytes1", sizeUnits, nil, 1},
		{"bytes3", sizeUnits, nil, 3},
		{"hours_minutes", minuteUnits, big.NewRat(1, 1), 0},
	}
	edges := []string{
		"0", "0.5", "-0.5", "-0.4", "1.5", "2.5", "2.675", "-2.675", "0.145",
		"999.5", "-999.5", "999.95", "999.995", "9999.5", "29.5",
	}
	for _, edge := range slices.Clone(edges) {
		for _, power := range []int{3, 6, 9, 12} {
			edges = append(edges, decimal.Shift(edge, power))
		}
	}
	for i := range *randomNumbers + len(edges) {
		if t.Failed() {
			return
		}
		random := rand.New(rand.NewPCG(7, uint64(i)))
		digits := make([]byte, 1+random.IntN(14))
		for k := range digits {
			digits[k] = "00123455567899999"[random.IntN(17)]
		}
		point := random.IntN(len(digits) + 1)
		text := strings.TrimLeft(string(digits[:point]), "0")
		if text == "" {
			text = "0"
		}
		if fraction := strings.TrimRight(string(digits[point:]), "0"); fraction != "" {
			text += "." + fraction
		}
		if random.IntN(2) == 0 && strings.Trim(text, "0.") != "" {
			text = "-" + text
		}
		if i < len(edges) {
			text = edges[i]
		}
		v, err := cube.Parse(cube.Number, text)
		if err != nil {
			t.Fatal(err)
		}
		exact, _ := new(big.Rat).SetString(text)
		for _, format := range formats {
			for _, brackets := range []bool{false, true} {
				c := dashboard.Column{Format: format.name, Brackets: brackets}
				got := f.Quantity(c, v)
				value, last, decimals, err := read(got, format.units)
				if err != nil {
					t.Fatalf("%s as %s: %q: %v", text, format.name, got, err)
				}
				if format.finest != nil {
					last = format.finest
				}
				switch want := rounded(exact, last); {
				case value.Cmp(want) != 0:
					t.Errorf("%s as %s: %q", text, format.name, got)
				case format.decimals >= 0 && decimals != format.decimals:
					t.Errorf("%s as %s: %q has %d decimals", text, format.name, got, decimals)
				case value.Sign() == 0 && strings.ContainsAny(got, "("+Minus):
					t.Errorf("%s as %s: %q has a sign", text, format.name, got)
				}
				if len(format.units) > 2 {
					most := new(big.Rat).Mul(last, big.NewRat(1000, 1))
					for range decimals {
						most.Mul(most, big.NewRat(10, 1))
					}
					if largest := format.units[0].times; value.Abs(value).Cmp(most) >= 0 && value.Cmp(new(big.Rat).Mul(largest, big.NewRat(1000, 1))) < 0 {
						t.Errorf("%s as %s: %q would be shorter in the next unit", text, format.name, got)
					}
				}
			}
		}
	}
}
