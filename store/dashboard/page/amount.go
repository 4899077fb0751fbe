package page

import (
	"math"
	"strconv"

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
		return f.Digits(d.Fixed(0))
	case "number":
		return f.Trim(f.Digits(d.Fixed(2)))
	case "number1":
		return f.Digits(d.Fixed(1))
	case "number2":
		return f.Digits(d.Fixed(2))
	case "currency":
		return f.money(f.Digits(d.Fixed(0)))
	case "currency2":
		return f.money(f.Digits(d.Fixed(2)))
	case "":
		if a := math.Abs(d.Float()); a >= 1 && a < 1e30 {
			return f.Trim(f.Digits(d.Fixed(2)))
		}
	}
	return f.value(format, d.Float())
}

// maxExact is where float64 begins to leave whole numbers out.
const maxExact = 1 << 53
