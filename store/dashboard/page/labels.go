package page

import (
	"math"
	"slices"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/encode"
	"service/store/dashboard/format"
)

// The values that are written at the marks of a plot. They lie on no mark, line or
// other text: what has no room is not written.

// A markValue is the value of a mark.
type markValue struct {
	x, y  float64      // where the mark ends, in fractions of the plot
	texts [2]string    // the value as the column says it, and shorter
	ways  []labelPlace // where it may stand, the best first
	in    *box         // the mark, if it stands inside of it
}

// A labelPlace is a place beside the end of a mark, in pixels.
type labelPlace struct {
	right, down int
	anchor      canvas.Anchor
}

// How far from the end of their bar values stand: farther where a line is in the way.
var (
	aboveBar = []labelPlace{{0, -5, canvas.AtMiddle}, {0, -9, canvas.AtMiddle}, {0, -13, canvas.AtMiddle}, {0, -17, canvas.AtMiddle}}
	belowBar = []labelPlace{{0, 13, canvas.AtMiddle}, {0, 17, canvas.AtMiddle}, {0, 21, canvas.AtMiddle}, {0, 25, canvas.AtMiddle}}
	insideOf = []labelPlace{{0, 4, canvas.AtMiddle}}

	aboveTarget = append(slices.Clip(aboveBar), labelPlace{0, -21, canvas.AtMiddle}, labelPlace{0, -25, canvas.AtMiddle})
)

// How far texts may reach out of the plot, in pixels: to what stands above it, and to
// the labels under it.
const (
	overPlot  = 15.0
	underPlot = 6.0
)

// leftMargin is how far they may reach to the left, and most how far one at an end of the plot is moved
// to lie in it, in pixels.
const (
	leftMargin = 3.0
	mostInward = 10
)

// inward is how far a value beside the first or the last mark is moved to lie in the plot, in pixels;
// 0 if it lies there, or would stand beside its mark.
func inward(b box, width float64) int {
	out := 0
	switch {
	case b.x1 < -leftMargin/width:
		out = int(math.Ceil(-leftMargin - b.x1*width))
	case b.x2 > 1+canvas.RightMargin/width:
		out = -int(math.Ceil((b.x2-1)*width - canvas.RightMargin))
	}
	if out < -mostInward || out > mostInward {
		return 0
	}
	return out
}

// valueRoom is what a value needs under the lowest mark, in pixels.
const valueRoom = 20.0

// A crowd is what lies on a plot already.
type crowd struct {
	marks []box
	over  []box     // marks that are drawn over others
	lines []segment // between neighbours of curves
	names []namedLine
}

// A segment is a straight line, in fractions of a plot.
type segment struct{ x1, y1, x2, y2 float64 }

// crosses reports whether a part of the line lies in a box.
func (s segment) crosses(b box) bool {
	from, to := 0.0, 1.0
	dx, dy := s.x2-s.x1, s.y2-s.y1
	for _, side := range [...][2]float64{{-dx, s.x1 - b.x1}, {dx, b.x2 - s.x1}, {-dy, s.y1 - b.y1}, {dy, b.y2 - s.y1}} {
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

// place writes as many values as there is room for on a plot of a size in pixels: in
// full or, where more have room then, shorter. It returns how many are left.
func (c *crowd) place(values []markValue, width, height float64) (out []canvas.Label, left int) {
	var taken []box
	for i := range c.names {
		b := c.names[i].boxes(width, height)
		taken = append(taken, b[:]...)
	}
	before := len(taken)
	left = len(values) + 1
	for form := range values[0].texts {
		var labels []canvas.Label
		taken = taken[:before]
		for i := range values {
			if l, b, ok := c.placeOne(&values[i], values[i].texts[form], taken, width, height); ok {
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

func (c *crowd) placeOne(t *markValue, text string, taken []box, width, height float64) (l canvas.Label, own box, ok bool) {
	for _, at := range t.ways {
		l = canvas.Label{X: canvas.Of(t.x), Y: canvas.Of(t.y), Right: at.right, Down: at.down, Anchor: at.anchor, Text: text}
		b := boxOf(&l, width, height)
		if at.anchor == canvas.AtMiddle && t.in == nil {
			if out := inward(b, width); out != 0 {
				l.Right += out
				b = boxOf(&l, width, height)
			}
		}
		switch {
		case b.x1 < -leftMargin/width, b.x2 > 1+canvas.RightMargin/width, b.y1 < -overPlot/height, b.y2 > 1+underPlot/height:
			continue
		case slices.ContainsFunc(taken, b.touches), slices.ContainsFunc(c.over, b.touches):
			continue
		case t.in != nil && (b.x1 < t.in.x1 || b.x2 > t.in.x2 || b.y1 < t.in.y1 || b.y2 > t.in.y2):
			continue
		case t.in == nil && (slices.ContainsFunc(c.marks, b.touches) ||
			slices.ContainsFunc(c.lines, func(s segment) bool { return s.crosses(b) })):
			continue
		}
		return l, b, true
	}
	return l, own, false
}

// placedValues are those that have room on each of the widths.
type placedValues struct {
	labels [3][]canvas.Label
	left   [3]int // how many have none
	all    int
}

// labelled reports whether the spec asks for values.
func (p *panel) labelled() bool { return p.spec.Labels != nil && *p.spec.Labels }

// noteLabels says that values are not written that the spec asks for.
func (p *panel) noteLabels(t placedValues) {
	if t.left == [3]int{} {
		return
	}
	p.report(encode.Noted("Values are written where there is room."))
	wide := 0 // which width the panel has on a desktop
	switch w := p.inside(); {
	case w > canvas.DesktopInside:
		wide = 2
	case w > canvas.TabletInside:
		wide = 1
	}
	if n := t.left[wide]; n > 0 {
		p.report(encode.Warned(dashboard.WarnLeftOut, "labels",
			"%d of %d values have no room at their marks; a wider panel, or fewer marks, have.", n, t.all))
	}
}

// drawValues writes the values, once for widths on which they lie alike.
func drawValues(c canvas.Canvas, t placedValues) {
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

// fewValues is how many values are written without being asked for.
const fewValues = 16

// mayWrite reports whether values are written at columns where they have room.
func (p *barPanel) mayWrite() bool {
	s := p.split
	if p.family != nil {
		return false
	}
	n := len(s.x)
	if !p.stacked || p.parts != nil {
		n *= len(s.series)
	}
	return p.labelled() || p.spec.Labels == nil && n <= fewValues
}

// noteValues says which values are not written that the spec asks for.
func (p *barPanel) noteValues() {
	switch {
	case !p.spec.Horizontal:
		p.noteLabels(p.chart().lay().placeValues())
	case len(p.split.series) > 1 && !p.stacked:
		t := placedValues{}
		for x := range p.split.x {
			if t.all++; p.valuesOf(x) == "" {
				t.left = [3]int{t.left[0] + 1, t.left[1] + 1, t.left[2] + 1}
			}
		}
		p.noteLabels(t)
	}
}

// stackTotals are the totals of stacks, on top of them. Where some values are below zero there are
// none, for a stack then does not reach to its total.
func (p *barPanel) stackTotals() []stackTotal {
	s := p.split
	if lo, _ := s.extent(false); lo < 0 {
		return nil
	}
	var out []stackTotal
	format := format.OrInteger(*s.series[0].col)
	for x := range s.x {
		sum, some := 0.0, false
		for i := range s.series {
			sum, some = sum+s.value[i][x], some || s.has(i, x)
		}
		if some {
			out = append(out, stackTotal{p.slots.middle(x), sum, [2]string{p.page.Value(format, sum), p.page.Short(format, sum)}})
		}
	}
	return out
}

// How far from their point the values of a line stand: above or below it, where the
// line leaves room, and beside it.
var besideLine = []labelPlace{
	{0, -8, canvas.AtMiddle},
	{0, 17, canvas.AtMiddle},
	{0, -8, canvas.AtEnd},
	{0, 17, canvas.AtEnd},
	{0, -8, canvas.AtStart},
	{0, 17, canvas.AtStart},
}

// mostValues is how many values of lines are tried to be written.
const mostValues = 100

// valueTexts are a value as its column says it, and shorter.
// Of a chart of shares it is the share.
func (p *barPanel) valueTexts(series, x int) [2]string {
	s, format := p.split, format.OrInteger(*p.split.series[series].col)
	if p.parts != nil {
		share := p.page.Share(p.parts[series][x], 0)
		return [...]string{share, share}
	}
	return [...]string{p.page.Amount(format, s.exact[series][x]), p.page.Short(format, s.value[series][x])}
}

// toldApart takes the full form of values at marks in place of the short one where that would
// write two different ones alike.
func toldApart(values []markValue) {
	full := map[string]string{} // by short form
	for _, v := range values {
		if before, ok := full[v.texts[1]]; ok && before != v.texts[0] {
			for i := range values {
				values[i].texts[1] = values[i].texts[0]
			}
			return
		}
		full[v.texts[1]] = v.texts[0]
	}
}
