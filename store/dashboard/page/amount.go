package page

import (
	"service/store/dashboard/cube"
)

// amount writes a number of any kind, an int64, a float64 or a [cube.Decimal], as
// format says, with all the digits that it asks for. It rounds the digits that people read, and
// never a binary fraction: see package decimal.
func (f formatter) amount(format string, v any) string {
	d, ok := cube.Digits(v)
	if !ok { // there is no larger number
		n, _ := cube.Float(v)
		return f.Number(n, 0)
	}
	switch format {
	case "integer":
		return f.Fixed(d, 0)
	case "number":
		return f.upTo(d, 2)
	case "number1":
		return f.Fixed(d, 1)
	case "number2":
		return f.Fixed(d, 2)
	case "compact":
		return f.compact(d)
	case compactEven:
		return f.evenly(d)
	case currencyEven:
		return f.money(f.evenly(d))
	case "percent":
		return f.percentOf(d, 0)
	case "percent1":
		return f.percentOf(d, 1)
	case "percent2":
		return f.percentOf(d, 2)
	case "currency":
		return f.money(f.Fixed(d, 0))
	case "currency2":
		return f.money(f.Fixed(d, 2))
	case "currency_compact":
		return f.money(f.compact(d))
	case "duration":
		return f.duration(d)
	case "bytes":
		return f.bytes(d)
	}
	if _, float := v.(float64); float {
		return f.plain(d, largeFloat)
	}
	return f.plain(d, largeExact)
}

// maxExact is where float64 begins to leave whole numbers out.
const maxExact = 1 << 53
