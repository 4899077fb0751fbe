package panel

import (
	"math/big"
	"strings"

	"service/store/dashboard/cube"
)

// exactDecimals bounds the decimals of an exact result: what takes more is a binary fraction, and rounded.
const exactDecimals = 40

// exactly computes with two numbers of a cube without the error that binary fractions add: 0.3 less 0.1 is 0.2. of is one of the methods
// of [big.Rat].
func exactly(a, b any, of func(z, x, y *big.Rat) *big.Rat) any {
	x, okX := new(big.Rat).SetString(cube.Label(a))
	y, okY := new(big.Rat).SetString(cube.Label(b))
	if !okX || !okY {
		return nil
	}
	of(x, x, y)
	if x.IsInt() && x.Num().IsInt64() {
		return x.Num().Int64()
	}
	decimals, exact := x.FloatPrec()
	if !exact || decimals > exactDecimals {
		v, _ := x.Float64()
		return v
	}
	text := x.FloatString(decimals)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return cube.Decimal(text)
}

// compareNumbers compares two numbers of a cube to the last digit: float64 leaves out whole numbers over 2^53.
func compareNumbers(a, b any) int {
	order, _ := cube.Compare(a, b)
	return order
}

// lessNumber reports whether a number of a cube is less than another, to the last digit.
func lessNumber(a, b any) bool { return compareNumbers(a, b) < 0 }
