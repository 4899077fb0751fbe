package dashboard

import "strings"

// A Unit is what the numbers of a column are of, as far as its format tells. Numbers of two
// units have no scale in common, and those of one unit are compared on one scale.
type Unit string

// The units.
const (
	UnitPlain Unit = "a plain number"
	UnitMoney Unit = "money"
	UnitShare Unit = "a percentage"
	UnitTime  Unit = "a duration"
	UnitBytes Unit = "a size in bytes"
)

// Unit is the unit of a column of numbers.
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
