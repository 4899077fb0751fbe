package chart

import (
	"slices"

	"service/store/dashboard/canvas"
)

const (
	eventLanes = 2   // lines of names
	eventLane  = 15  // height of an event's lane, in pixels
	eventWidth = 140 // of a name, at most, if a longer one would displace other names
	eventLong  = 220
	eventLeast = 50 // least width of a name that is cut
)

// LeastSpan is the least width of a span, as a share of the plot's.
const LeastSpan = 0.003

// nameEvents writes the names of the events at the top of the plot, on each width as many as fit at their lines without touching the names
// of reference lines.
func (l *Laid) nameEvents(c canvas.Canvas) {
	if len(l.Events) == 0 {
		return
	}
	for i, on := range [...]canvas.Widths{canvas.Phone, canvas.Tablet, canvas.Desktop} {
		names := l.eventNames(l.widths[i])
		if len(names) == 0 {
			continue
		}
		c.Group(canvas.Group{Look: canvas.MarkedText, Anchor: canvas.AtStart, Widths: on})
		for _, name := range names {
			c.Label(name)
		}
		c.End()
	}
}

// eventNames returns the names that fit on a plot of a width in pixels: long ones, unless more fit if they are cut shorter.
func (l *Laid) eventNames(width float64) []canvas.Label {
	long := l.namesUpTo(min(eventLong, width*0.6), width)
	if short := l.namesUpTo(min(eventWidth, width*0.4), width); len(short) > len(long) {
		return short
	}
	return long
}

// namesUpTo returns the names that fit if each takes at most so many pixels: on the right of their lines or, if that is not free, on the
// left.
func (l *Laid) namesUpTo(most, width float64) []canvas.Label {
	var out []canvas.Label
	var taken []Box
	free := func(b Box) bool {
		return b.X1 >= 0 && b.X2 <= 1 && !slices.ContainsFunc(taken, b.Touches) &&
			!slices.ContainsFunc(l.lines, func(n namedLine) bool { return n.touches(b, width, l.plotAxes.height) })
	}
	before := 0.0 // where the line before is
	for _, e := range l.Events {
		text := canvas.ClipWidth(e.Text, most)
		right := canvas.ClipWidth(text, (1-e.At)*width-8)
		if long := canvas.LabelWidth(text); canvas.LabelWidth(right) < min(long, eventLeast) {
			right = ""
		}
	place:
		for lane := range eventLanes {
			down := 11 + lane*eventLane
			for _, name := range [...]canvas.Label{
				{X: canvas.Of(e.At), Right: 4, Down: down, Text: right},
				{X: canvas.Of(e.At), Right: -4 - int(canvas.LabelWidth(text)+0.5), Down: down, Text: text},
			} {
				b := BoxOf(&name, width, l.plotAxes.height)
				if name.Text != "" && free(b) && (name.Right > 0 || b.X1 > before+4/width) {
					out, taken = append(out, name), append(taken, b)
					break place
				}
			}
		}
		before = e.At
	}
	return out
}
