package chart

import (
	"slices"

	"service/store/dashboard/canvas"
)

const (
	eventLanes = 2   // lines of names
	firstLane  = 11  // of the baseline of the first line, in pixels
	eventLane  = 15  // height of an event's lane, in pixels
	eventWidth = 140 // of a name, at most, if a longer one would displace other names
	eventLong  = 220
	eventLeast = 50 // least width of a name that is cut
)

// LeastSpan is the least width of a span, as a share of the plot's.
const LeastSpan = 0.003

// nameEvents writes the names of the events at the top of the plot, on each width as many as fit at their lines without touching the names
// of reference lines. Values that no name can avoid are removed.
func (l *Laid) nameEvents(c canvas.Canvas, values *PlacedValues) {
	if len(l.Events) == 0 {
		return
	}
	for i, on := range [...]canvas.Widths{canvas.Phone, canvas.Tablet, canvas.Desktop} {
		width, high := l.widths[i], l.plotAxes.height
		written := make([]Box, len(values.labels[i]))
		for k := range written {
			written[k] = BoxOf(&values.labels[i][k], width, high)
		}
		names := l.eventNames(width, written)
		if len(names) == 0 {
			continue
		}
		var kept []canvas.Label
		for k, b := range written {
			if !slices.ContainsFunc(names, func(n canvas.Label) bool { return b.Touches(BoxOf(&n, width, high)) }) {
				kept = append(kept, values.labels[i][k])
			}
		}
		values.labels[i] = kept
		c.Group(canvas.Group{Look: canvas.MarkedText, Anchor: canvas.AtStart, Widths: on})
		for _, name := range names {
			c.Label(name)
		}
		c.End()
	}
}

// EventLines returns how many lines the names of the events take, on the width that needs most.
func (h *Chart) EventLines() int {
	if len(h.Events) == 0 {
		return 0
	}
	l, lines := h.Lay(), 0
	for _, width := range l.widths {
		for _, name := range l.eventNames(width, nil) {
			lines = max(lines, (name.Down-firstLane)/eventLane+1)
		}
	}
	return lines
}

// eventNames returns the names that fit on a plot of a width in pixels: long ones, unless more fit if they are cut shorter. They are not on
// marks or on the boxes of values, if there is room elsewhere.
func (l *Laid) eventNames(width float64, values []Box) []canvas.Label {
	long := l.namesUpTo(min(eventLong, width*0.6), width, values)
	if short := l.namesUpTo(min(eventWidth, width*0.4), width, values); len(short) > len(long) {
		return short
	}
	return long
}

// namesUpTo returns the names that fit if each takes at most so many pixels: on the right of their lines or, if that is not free or the
// name is whole only there, on the left, where they may be cut at the line before.
func (l *Laid) namesUpTo(most, width float64, values []Box) []canvas.Label {
	var out []canvas.Label
	var taken []Box
	free := func(b Box) bool {
		return b.X1 >= 0 && b.X2 <= 1 && !slices.ContainsFunc(taken, b.Touches) &&
			!slices.ContainsFunc(l.lines, func(n namedLine) bool { return n.touches(b, width, l.plotAxes.height) })
	}
	var marks []Box
	for layer := range l.layers {
		layer.boxes(&l.plotAxes, width, func(b Box) { marks = append(marks, b) })
	}
	before := 0.0 // where the line before is
	for _, e := range l.Events {
		if e.Unnamed {
			before = e.At
			continue
		}
		text := canvas.ClipWidth(e.Text, most)
		cut := func(room float64) string { // "" if too little is left of the name
			out := canvas.ClipWidth(text, room)
			if canvas.LabelWidth(out) < min(canvas.LabelWidth(text), eventLeast) {
				return ""
			}
			return out
		}
		at := func(text string, left bool) canvas.Label {
			out := canvas.Label{X: canvas.Of(e.At), Right: 4, Text: text}
			if left {
				out.Right = -4 - int(canvas.LabelWidth(text)+0.5)
			}
			return out
		}
		right, left := cut((1-e.At)*width-8), cut((e.At-before)*width-12)
		put := func(avoid []Box) bool {
			sides := [...]canvas.Label{at(right, false), at(left, true)}
			if right != text && left == text { // whole only on the left
				slices.Reverse(sides[:])
			}
			for _, name := range sides {
				for lane := range eventLanes {
					name.Down = firstLane + lane*eventLane
					b := BoxOf(&name, width, l.plotAxes.height)
					if name.Text != "" && free(b) && !slices.ContainsFunc(avoid, b.Touches) {
						out, taken = append(out, name), append(taken, b)
						return true
					}
				}
			}
			return false
		}
		_ = put(slices.Concat(values, marks)) || put(values) || put(nil)
		before = e.At
	}
	return out
}
