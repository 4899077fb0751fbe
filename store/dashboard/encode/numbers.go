package encode

import (
	"math/big"

	"service/store/dashboard/cube"
)

// Rational returns the exact value of a number's decimal text, which is how data have it; 0 if v is not a number.
func Rational(v any) *big.Rat {
	r, ok := new(big.Rat).SetString(cube.Label(v))
	if !ok {
		return new(big.Rat)
	}
	return r
}

// ColumnNumber returns a number with a finite number of decimals in the type that columns use for it.
func ColumnNumber(r *big.Rat, whole bool) any {
	kind := cube.Number
	if whole {
		kind = cube.Integer
	}
	digits, _ := r.FloatPrec()
	v, err := cube.Parse(kind, r.FloatString(digits))
	if err != nil { // impossible, because the text is a number
		f, _ := r.Float64()
		return f
	}
	return v
}
