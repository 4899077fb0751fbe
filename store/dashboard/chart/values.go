package chart

import (
	"math"
	"slices"

	"service/store/dashboard/canvas"
)

// A MarkValue is the value of a mark.
type MarkValue struct {
	x, y  float64      // the end of the mark, in fractions of the plot
	Texts [2]string    // the value as its column writes it, and shorter
	ways  []labelPlace // possible places, the best first
	in    *Box         // the mark, if the text is inside it
}

// A labelPlace is a text's offset from the end of a mark, in pixels.
type labelPlace struct {
	right, down int
	anchor      canvas.Anchor
}

// The distances of values from the end of their bar: larger ones if a line is in the way.
var (
	aboveBar = []labelPlace{{0, -5, canvas.AtMiddle}, {0, -9, canvas.AtMiddle}, {0, -13, canvas.AtMiddle}, {0, -17, canvas.AtMiddle}}
	belowBar = []labelPlace{{0, 13, canvas.AtMiddle}, {0, 17, canvas.AtMiddle}, {0, 21, canvas.AtMiddle}, {0, 25, canvas.AtMiddle}}
	insideOf = []labelPlace{{0, 4, canvas.AtMiddle}}

	aboveTarget = append(slices.Clip(aboveBar), labelPlace{0, -21, canvas.AtMiddle}, labelPlace{0, -25, canvas.AtMiddle})
)

// The distance that texts may extend beyond the plot, in pixels: to the texts above it, and to the labels under it.
const (
	overPlot  = 15.0
	underPlot = 6.0
)

// leftMargin is the distance that texts may extend beyond the plot on the left, and mostInward the distance that a text at an end of the
// plot is moved into it, in pixels.
const (
	leftMargin = 3.0
	mostInward = 10
)

// inward returns how far a value at the first or the last mark is moved into the plot, in pixels; 0 if it is there, or would then be beside
// its mark.
func inward(b Box, width float64) int {
	out := 0
	switch {
	case b.X1 < -leftMargin/width:
		out = int(math.Ceil(-leftMargin - b.X1*width))
	case b.X2 > 1+canvas.RightMargin/width:
		out = -int(math.Ceil((b.X2-1)*width - canvas.RightMargin))
	}
	if out < -mostInward || out > mostInward {
		return 0
	}
	return out
}

// ValueRoom is the space for a value under the lowest mark, in pixels.
const ValueRoom = 20.0

// A crowd is the shapes on a plot that texts must not cover.
type crowd struct {
	marks []Box
	over  []Box     // marks that are drawn over others
	lines []Segment // between neighbours of curves
	names []namedLine
	right float64 // how far texts may reach beyond the right edge of the plot, in pixels; 0 for the margin
	left  float64 // the same on its left
}

// A Segment is a straight line, in fractions of a plot.
type Segment struct{ X1, Y1, X2, Y2 float64 }

// Crosses reports whether a part of the line is in a box.
func (s Segment) Crosses(b Box) bool {
	from, to := 0.0, 1.0
	dx, dy := s.X2-s.X1, s.Y2-s.Y1
	for _, side := range [...][2]float64{{-dx, s.X1 - b.X1}, {dx, b.X2 - s.X1}, {-dy, s.Y1 - b.Y1}, {dy, b.Y2 - s.Y1}} {
		switch step, room := side[0], side[1]; {
		case step == 0 && room < 0:
			return false
		case step < 0:
			from = max(from, room/step)
		case step > 0:
			to = min(to, room/step)
		}
	}
	return from <= to
}

// place writes as many values as fit on a plot of a size in pixels: in full or, if more fit then, in short. left is the number of values
// that do not fit.
func (c *crowd) place(values []MarkValue, width, height float64) (out []canvas.Label, left int) {
	var taken []Box
	for i := range c.names {
		b := c.names[i].Boxes(width, height)
		taken = append(taken, b[:]...)
	}
	before := len(taken)
	left = len(values) + 1
	for form := range values[0].Texts {
		var labels []canvas.Label
		taken = taken[:before]
		for i := range values {
			if l, b, ok := c.placeOne(&values[i], values[i].Texts[form], taken, width, height); ok {
				labels, taken = append(labels, l), append(taken, b)
			}
		}
		if n := len(values) - len(labels); n < left {
			out, left = labels, n
		}
		if left == 0 {
			break
		}
	}
	return out, left
}

func (c *crowd) placeOne(t *MarkValue, text string, taken []Box, width, height float64) (l canvas.Label, own Box, ok bool) {
	for _, at := range t.ways {
		l = canvas.Label{X: canvas.Of(t.x), Y: canvas.Of(t.y), Right: at.right, Down: at.down, Anchor: at.anchor, Text: text}
		b := BoxOf(&l, width, height)
		if at.anchor == canvas.AtMiddle && t.in == nil {
			if out := inward(b, width); out != 0 {
				l.Right += out
				b = BoxOf(&l, width, height)
			}
		}
		switch {
		case b.X1 < -max(c.left, leftMargin)/width, b.X2 > 1+max(c.right, canvas.RightMargin)/width,
			b.Y1 < -overPlot/height, b.Y2 > 1+underPlot/height:
			continue
		case slices.ContainsFunc(taken, b.Touches), slices.ContainsFunc(c.over, b.Touches):
			continue
		case t.in != nil && (b.X1 < t.in.X1 || b.X2 > t.in.X2 || b.Y1 < t.in.Y1 || b.Y2 > t.in.Y2):
			continue
		case t.in == nil && (slices.ContainsFunc(c.marks, b.Touches) ||
			slices.ContainsFunc(c.lines, func(s Segment) bool { return s.Crosses(b) })):
			continue
		}
		return l, b, true
	}
	return l, own, false
}

// PlacedValues are the values that fit on each of the widths.
type PlacedValues struct {
	labels [3][]canvas.Label
	Left   [3]int // how many do not fit
	All    int
}

// drawValues writes the values, once for all widths on which they have the same places.
func drawValues(c canvas.Canvas, t PlacedValues) {
	for i := 0; i < len(t.labels); {
		g := canvas.Group{Look: canvas.ValueText, Anchor: canvas.AtMiddle}
		j := i
		for ; j < len(t.labels) && slices.Equal(t.labels[j], t.labels[i]); j++ {
			g.Widths |= 1 << j
		}
		if labels := t.labels[i]; len(labels) > 0 {
			if g.Widths == canvas.Phone|canvas.Tablet|canvas.Desktop {
				g.Widths = 0
			}
			c.Group(g)
			for _, l := range labels {
				if l.Anchor != g.Anchor {
					l.Look = canvas.ValueText
				}
				c.Label(l)
			}
			c.End()
		}
		i = j
	}
}

// The distances of a line's values from their point: above or below it, if the line leaves room, and beside it.
var besideLine = []labelPlace{
	{0, -8, canvas.AtMiddle},
	{0, 17, canvas.AtMiddle},
	{0, -8, canvas.AtEnd},
	{0, 17, canvas.AtEnd},
	{0, -8, canvas.AtStart},
	{0, 17, canvas.AtStart},
}

// mostValues is the maximum number of values of lines that are tried.
const mostValues = 100

// ToldApart uses the full form of values at marks instead of the short one if that would make different values equal.
func ToldApart(values []MarkValue) {
	full := map[string]string{} // by short form
	for _, v := range values {
		if before, ok := full[v.Texts[1]]; ok && before != v.Texts[0] {
			for i := range values {
				values[i].Texts[1] = values[i].Texts[0]
			}
			return
		}
		full[v.Texts[1]] = v.Texts[0]
	}
}
