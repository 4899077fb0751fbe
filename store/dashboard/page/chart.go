package page

import (
	"math"

	"service/store/dashboard/canvas"
)

// A chart is a plot with axes, put together of layers of marks. The parts that every chart has are computed
// here, once: scales, gridlines and their names, labels under the plot, reference lines, events,
// and the values that are written at marks. A chart knows places, values and texts, and not the
// columns that they are of: what writes a value reaches it as a function.
type chart struct {
	title, says string
	key         *key // above the plot; nil for none
	height      int  // in pixels
	room        room
	x, y        axis
	right       *axis   // a second axis of values; nil for none
	under       []layer // marks that the lines of events are drawn over
	over        []layer // and those that are drawn over these lines
	filled      bool    // which have areas that would hide reference lines
	refs        []reference
	uprights    []reference // lines at values of x
	events      []chartEvent
	values      valueRule
	places      canvas.Places // of the rows behind it
	list        canvas.RowList
	offset      int           // of its rows in the table behind, where that has those of other plots before them
	lines       int           // see [canvas.Picture]
	sketch      canvas.Widths // see [canvas.Picture]
	full        bool          // nothing is written around it
	half        bool          // it is one of two that are side by side but on a phone
	below       *chart        // a plot under it, along the same places; nil for none
}

// A layer is marks of one kind.
type layer interface {
	// extent adds the values that have to be on the axes.
	extent(add func(on axisName, v float64))
	// boxes adds where names cannot be read, on a plot of a width in pixels.
	boxes(f *plotAxes, width float64, add func(box))
	draw(c canvas.Canvas, f *plotAxes)
}

// A valued layer has values that can be written at its marks.
type valuedLayer interface {
	values(f *plotAxes, to *markValues)
}

// A named layer has names that are written beside its marks, on the names of reference lines.
type namedLayer interface {
	drawNames(c canvas.Canvas, l *laid)
}

// A chartEvent is a moment, several at one place, or a span.
type chartEvent struct {
	at   float64 // of the width
	end  float64 // of a span, of the width; 0 for a moment
	text string
}

// A valueRule says which values are written at marks.
type valueRule uint8

const (
	noValues  valueRule = iota
	allValues           // on the widths on which all have room
	anyValues           // those that have room
)

// markValues are the values of marks, and what they must not be written on.
type markValues struct {
	all   []markValue
	some  []markValue // those that are worth more than the others, where not all have room
	crowd crowd
}

// A plotAxes is where the values of a chart are on its plot.
type plotAxes struct {
	axes   [3]placedAxis
	height float64 // in pixels
}

// A laid chart has its scales, and places for its names.
type laid struct {
	*chart
	plotAxes
	left, right []string   // names of the gridlines
	margin      []string   // the names on the left, with those of the plot below
	widths      [3]float64 // of the plot, on each of the widths of panels
	lines       []namedLine
	below       *laid
}

// layers are all marks, in the order in which they are drawn.
func (h *chart) layers(yield func(layer) bool) {
	for _, list := range [...][]layer{h.under, h.over} {
		for _, l := range list {
			if !yield(l) {
				return
			}
		}
	}
}

// lay works out where everything is.
func (h *chart) lay() *laid {
	l := &laid{chart: h}
	l.plotAxes.height = float64(h.height)
	refs := h.y.shown(h.refs)
	uprights := h.x.shown(h.uprights)
	if h.y.rows != nil {
		l.right = h.y.rows.right
		l.left, l.axes[axisX].of, l.axes[axisY].of = h.y.rows.margin, &h.x, &h.y
	} else {
		l.findScales(refs, uprights)
	}
	if l.margin = l.left; h.below != nil {
		l.below = h.below.lay()
		l.margin = append(l.margin[:len(l.margin):len(l.margin)], l.below.left...)
		l.below.margin = l.margin
	}
	l.widths = h.room.widths(l.margin, l.right)
	if h.full {
		l.widths = h.room.fullWidths()
	}
	if h.half {
		l.widths[1], l.widths[2] = l.widths[1]/2, l.widths[2]/2
	}
	if len(refs)+len(uprights) > 0 {
		l.nameReferences(refs, uprights)
	}
	return l
}

// findScales finds the scales of the axes, on which all marks and lines are.
func (l *laid) findScales(refs, uprights []reference) {
	h := l.chart
	reach := [3]extremes{noExtremes(), noExtremes(), noExtremes()}
	of := [...]*axis{axisY: &h.y, axisX: &h.x, axisRight: h.right}
	for layer := range h.layers {
		layer.extent(func(on axisName, v float64) {
			if of[on].has(v) {
				reach[on].add(v)
			}
		})
	}
	for i, a := range of {
		if a != nil && a.reach != nil {
			reach[i] = *a.reach
		}
	}
	for axis, lines := range [...][]reference{axisY: refs, axisX: uprights} {
		for _, r := range lines {
			lo, hi := r.ends()
			for _, v := range [...]float64{lo, hi} {
				if !math.IsInf(v, 0) && of[axis].has(v) {
					reach[axis].add(v)
				}
			}
		}
	}
	for i, a := range of {
		if a != nil {
			l.axes[i] = placedAxis{a, a.scaled(a.widened(reach[i]))}
		}
	}
	if h.right == nil {
		l.left = l.axes[axisY].names()
		return
	}
	y, right := reach[axisY], reach[axisRight]
	if left, other, ok := pairedScales(y.lo, y.hi, right.lo, right.hi, h.right.near, h.y.unit, h.right.unit); ok {
		l.axes[axisY].scale, l.axes[axisRight].scale = left, other
	}
	l.left, l.right = l.axes[axisY].namesFrom(y.lo), l.axes[axisRight].namesFrom(right.lo)
}

// reach is how far the marks reach on the axis of y.
func (h *chart) reach() extremes {
	e := noExtremes()
	for layer := range h.layers {
		layer.extent(func(on axisName, v float64) {
			if on == axisY && h.y.has(v) {
				e.add(v)
			}
		})
	}
	return e
}

// nameReferences finds places for the names of the reference lines.
func (l *laid) nameReferences(refs, uprights []reference) {
	marks := func(width float64) (out []box) {
		for layer := range l.layers {
			layer.boxes(&l.plotAxes, width, func(b box) { out = append(out, b) })
		}
		return out
	}
	if l.room.small() { // the legend of all small plots names them, once
		for _, r := range refs {
			at, end := r.placed(l.axes[axisY].scale)
			l.lines = append(l.lines, namedLine{reference: r, at: at, end: end})
		}
		for _, r := range uprights {
			at, end := r.placedUpright(l.axes[axisX].scale)
			l.lines = append(l.lines, namedLine{reference: r, at: at, end: end, upright: true})
		}
		return
	}
	l.lines = nameLines(refs, l.axes[axisY].scale, l.plotAxes.height, l.widths, marks(l.widths[2]))
	l.lines = nameUprights(uprights, l.axes[axisX].scale, l.plotAxes.height, l.widths, marks, l.lines)
}

// draw draws the chart, and what is around its plot.
func (h *chart) draw(c canvas.Canvas) { h.lay().draw(c) }

func (l *laid) draw(c canvas.Canvas) {
	h := l.chart
	h.key.draw(c)
	switch {
	case h.right != nil:
		c.AxisNames(h.y.name, h.right.name)
	case h.y.name != "":
		c.AxisName(h.y.name, canvas.YSide)
	}
	plot := canvas.Picture{
		Title: h.title, Says: h.says, Height: h.height, Left: l.margin, Right: l.right, Places: h.places, List: h.list, Offset: h.offset,
		Small: h.room.small(), Lines: h.lines, Sketch: h.sketch,
	}
	switch {
	case h.half:
		plot.Kind = canvas.HalfPicture
	case h.full:
		plot.Kind = canvas.FullPicture
	}
	c.Picture(plot)
	drawShades(c, l.lines)
	for _, e := range h.events {
		if e.end > 0 {
			at := min(e.at, 1-leastSpan)
			c.Rect(canvas.Rect{X: canvas.Of(at), Width: canvas.Of(max(e.end-at, leastSpan)), Height: canvas.Of(1), Shade: true, Tone: "neutral"})
		}
	}
	if h.y.rows == nil {
		l.drawGrid(c)
	}
	for _, layer := range h.under {
		layer.draw(c, &l.plotAxes)
	}
	for _, e := range h.events {
		if e.end > 0 {
			continue
		}
		c.Line(canvas.Line{X1: canvas.Of(e.at), X2: canvas.Of(e.at), Y2: canvas.Of(1), Stroke: canvas.EventLine})
	}
	if !h.filled {
		drawReferences(c, l.lines)
	}
	for _, layer := range h.over {
		layer.draw(c, &l.plotAxes)
	}
	if h.filled {
		drawReferences(c, l.lines)
	}
	drawReferenceNames(c, l.lines)
	for layer := range h.layers {
		if n, ok := layer.(namedLayer); ok {
			n.drawNames(c, l)
		}
	}
	l.nameEvents(c)
	drawValues(c, l.placeValues())
	switch {
	case h.y.rows != nil:
		h.y.rows.draw(c)
	case h.y.onTop:
		l.axes[axisY].drawNames(c, l.left)
	}
	l.drawLabels(c)
	c.End()
	if h.x.name != "" {
		c.AxisName(h.x.name, canvas.XSide)
	}
	if l.below != nil {
		l.below.draw(c)
	}
}

// drawGrid draws the gridlines and, unless these are on top of the marks, their names.
func (l *laid) drawGrid(c canvas.Canvas) {
	y := &l.axes[axisY]
	for i, v := range y.ticks() {
		if y.of.sparse && l.left[i] == "" {
			continue
		}
		drawGridline(c, y.scale, v)
		if !y.of.onTop && l.left[i] != "" {
			drawTick(c, y.scale, v, l.left[i])
		}
	}
	if l.right != nil {
		drawRight(c, l.axes[axisRight].scale, l.right)
	}
}

// placeValues finds places for the values of marks.
func (l *laid) placeValues() placedValues {
	if l.values == noValues {
		return placedValues{}
	}
	m := markValues{crowd: crowd{names: l.lines}}
	for layer := range l.layers {
		if v, ok := layer.(valuedLayer); ok {
			v.values(&l.plotAxes, &m)
		}
	}
	out := placedValues{all: len(m.all)}
	if len(m.all) == 0 {
		return out
	}
	toldApart(m.all)
	toldApart(m.some)
	for i, width := range l.widths {
		whole := len(m.some) == 0 || len(m.all) <= mostValues
		if whole {
			out.labels[i], out.left[i] = m.crowd.place(m.all, width, l.plotAxes.height)
		}
		switch {
		case l.values == allValues && out.left[i] > 0:
			out.labels[i] = nil
		case len(m.some) > 0 && (!whole || out.left[i] > 0):
			out.labels[i], _ = m.crowd.place(m.some, width, l.plotAxes.height)
			out.left[i] = len(m.all) - len(out.labels[i])
		}
	}
	return out
}
