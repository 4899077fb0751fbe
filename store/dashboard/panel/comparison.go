package panel

import (
	"cmp"
	"math"
	"math/big"
	"slices"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
	"service/store/dashboard/format"
	"service/store/dashboard/locale"
)

// A comparison is the value with which a number of a kpi or of a table is compared.
type comparison struct {
	value  float64
	base   float64 // the number's value in the complete periods, with which value is compared
	ok     bool
	versus string // the name of value: previous 90 days, a month, a year before, or a measure
	why    string // the reason if there is no value

	own, before [2]cube.Day // first and last days of the values, if a filter on a date selects them
}

// changed returns the difference of the values of a column as text: a percentage, or percentage points for percentages, or an amount if the
// other value is zero. It has as many digits as are needed to show a difference, and at most three decimals.
func (p *Settings) changed(col dashboard.Column, c *comparison) string {
	col.Brackets, col.Signed = false, false // the sign of a change is its direction
	delta := c.base - c.value
	value := encode.Rational(c.value)
	points := new(big.Rat).Sub(encode.Rational(c.base), value) // exact, so that the text is the rounded difference
	points.Mul(points, big.NewRat(100, 1))
	write := func(decimals int) string {
		return p.Env.WithUnit("%s pp", p.Env.Digits(points.FloatString(decimals)))
	}
	switch rate := delta / math.Abs(c.value); {
	case c.equal():
		delta = 0
		if !strings.HasPrefix(col.Format, "percent") {
			write = func(decimals int) string { return p.Env.Share(0, decimals) }
		}
	case strings.HasPrefix(col.Format, "percent"):
	case c.value == 0:
		return format.Signed(p.Env.Brief(col, delta), delta)
	case math.IsInf(c.value, 0) || math.IsInf(c.base, 0):
		return format.Signed(p.Env.Share(rate, 0), rate)
	default:
		points.Quo(points, value.Abs(value))
		write = func(decimals int) string { return p.Env.Percent(p.Env.Digits(points.FloatString(decimals))) }
		if math.Abs(rate) >= 10 {
			return format.Signed(write(0), rate)
		}
	}
	text := write(1)
	for decimals := 2; decimals <= 3 && delta != 0 && locale.WritesZero(text); decimals++ {
		text = write(decimals)
	}
	return format.Signed(text, delta)
}

// equal reports whether two values differ by no more than rounding, as sums of the same numbers in another order do.
func (c *comparison) equal() bool {
	return math.Abs(c.base-c.value) <= 1e-12*max(math.Abs(c.base), math.Abs(c.value))
}

// direction returns -1, 0 or 1.
func (c *comparison) direction() int {
	if c.equal() {
		return 0
	}
	return cmp.Compare(c.base, c.value)
}

// tone returns the tone of the change of a column's values: good, bad, or "" for none.
func (c *comparison) tone(col *dashboard.Column) string {
	switch way := c.direction(); {
	case way == 0 || col.Good == "":
		return ""
	case (way > 0) == (col.Good == "up"):
		return "good"
	}
	return "bad"
}

// deltaWords returns a comparison in a short form for a text without marks.
func deltaWords(d canvas.Delta) string {
	return map[int]string{1: "▲ ", -1: "▼ "}[d.Way] + d.Change + " (" + d.Versus + ": " + d.Was + ")"
}

// wasText returns the other value of a column as text, with as many decimals as distinguish it from the base.
func (p *Settings) wasText(col dashboard.Column, c *comparison) string {
	format := format.OrInteger(col)
	text := p.Env.Value(format, c.value)
	if !c.equal() && text == p.Env.Value(format, c.base) { // €1.37M and €1.39M rather than €1.4M twice
		finer := p.Env.Apart(dashboard.Column{Format: format}, slices.Values([]any{c.value, c.base}))
		if was := p.Env.Value(finer, c.value); was != p.Env.Value(finer, c.base) {
			return p.Env.InUnit(col, was)
		}
	}
	for decimals := 0; decimals <= 6 && !c.equal() && text == p.Env.Value(format, c.base); decimals++ {
		if finer := p.Env.Decimals(format, c.value, decimals); finer != p.Env.Decimals(format, c.base, decimals) {
			return p.Env.InUnit(col, finer)
		}
	}
	return p.Env.InUnit(col, text)
}

// versus returns the comparison of the values of a column in words.
func (p *Settings) versus(col dashboard.Column, c *comparison) string {
	if !c.ok {
		return c.why
	}
	was := p.wasText(col, c)
	switch c.direction() {
	case 1:
		return p.Env.Text("up %s from %s (%s)", strings.TrimPrefix(p.changed(col, c), "+"), was, c.versus)
	case -1:
		return p.Env.Text("down %s from %s (%s)", strings.TrimPrefix(p.changed(col, c), format.Minus), was, c.versus)
	}
	return p.Env.Text("unchanged from %s (%s)", was, c.versus)
}
