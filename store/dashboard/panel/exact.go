package panel

import (
	"math/big"
	"strings"

	"service/store/dashboard/cube"
)

// exactDecimals is the maximum number of decimals of an exact result. A result with more decimals comes from binary fractions, and is
// rounded.
const exactDecimals = 40

// exactly computes with two numbers of a cube without the error of binary fractions: 0.3 less 0.1 is 0.2. of is a method of [big.Rat].
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

// compareNumbers compares two numbers of a cube exactly: float64 does not represent all whole numbers over 2^53.
func compareNumbers(a, b any) int {
	order, _ := cube.Compare(a, b)
	return order
}

// lessNumber reports whether a number of a cube is less than another. It compares exactly.
func lessNumber(a, b any) bool { return compareNumbers(a, b) < 0 }
