package dashboard

import "strings"

// A Unit is the unit of a column's numbers, as far as its format shows. Numbers of one unit share a scale; numbers of two units do not.
type Unit string

// The units.
const (
	UnitPlain Unit = "a plain number"
	UnitMoney Unit = "money"
	UnitShare Unit = "a percentage"
	UnitTime  Unit = "a duration"
	UnitBytes Unit = "a size in bytes"
)

// Unit returns the unit of a column of numbers.
func (c Column) Unit() Unit {
	switch {
	case strings.HasPrefix(c.Format, "currency"):
		return UnitMoney
	case strings.HasPrefix(c.Format, "percent"):
		return UnitShare
	case c.Format == "duration":
		return UnitTime
	case c.Format == "bytes":
		return UnitBytes
	}
	return UnitPlain
}
