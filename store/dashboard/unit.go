package dashboard

import "strings"

// A Unit is the unit of a column's numbers, as far as its format and its own unit show. Numbers of one unit share a scale; numbers of two
// units do not.
type Unit string

// The units.
const (
	UnitPlain   Unit = "a plain number"
	UnitMoney   Unit = "money"
	UnitShare   Unit = "a percentage"
	UnitTime    Unit = "a duration"
	UnitMinutes Unit = "a number of minutes"
	UnitBytes   Unit = "a size in bytes"
)

// Unit returns the unit of a column of numbers.
func (c Column) Unit() Unit {
	unit := c.unitOfFormat()
	switch {
	case c.Suffix == "":
		return unit
	case unit == UnitPlain:
		return Unit("in " + quote(c.Suffix))
	}
	return unit + Unit(" in "+quote(c.Suffix))
}

// saysUnit reports whether the spec defines the unit of a column.
func (c Column) saysUnit() bool { return c.Format != "" || c.Suffix != "" }

func (c Column) unitOfFormat() Unit {
	switch {
	case strings.HasPrefix(c.Format, "currency"):
		if _, code := SplitCurrency(c.Format); code != "" {
			return UnitMoney + Unit(" in "+code)
		}
		return UnitMoney
	case strings.HasPrefix(c.Format, "percent"):
		return UnitShare
	case c.Format == "hours_minutes":
		return UnitMinutes
	case c.Format == "duration", c.Format == "minutes_seconds":
		return UnitTime
	case strings.HasPrefix(c.Format, "bytes"):
		return UnitBytes
	}
	return UnitPlain
}
