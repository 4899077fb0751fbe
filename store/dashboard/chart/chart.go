package chart

import (
	"math"

	"service/store/dashboard/canvas"
)

// A Chart is a plot with axes, composed of layers of marks. The parts of every chart are computed here, once: scales, gridlines and their
// names, labels under the plot, reference lines, events, and the values that are written at marks. A chart has places, values and texts,
// and does not depend on columns: values are written by functions in its fields.
type Chart struct {
	Title, Says string
	Key         *Key // above the plot; nil for none
	Height      int  // in pixels
	Room        Room
	X, Y        Axis
	Right       *Axis     // a second axis of values; nil for none
	Under       []Layer   // marks under the lines of events
	Over        []Layer   // marks over these lines
	Row         int       // height of a row if the places are rows because their names do not fit side by side, in pixels; 0: they never are
	Horizontal  bool      // its places are rows on all widths
	Beside      int       // rows of the table behind at each place; 0 for one
	Turned      *Chart    // the same with columns as rows, for widths on which the names of columns do not fit side by side; nil for none
	Phone       *Chart    // the same for a phone, on which its names do not fit beside its marks; nil for none
	Ends        *LineEnds // names at the ends of lines, of which Phone has a key in their place; nil for none
	Filled      bool      // areas among them would hide reference lines
	Refs        []Reference
	Uprights    []Reference // lines at values of x
	Events      []Event
	Values      valueRule
	Places      canvas.Places // of the rows behind it
	List        canvas.RowList
	Offset      int                // the index of its first row in the table behind, after the rows of other plots
	Lines       int                // see [canvas.Picture]
	Sketch      canvas.Widths      // see [canvas.Picture]
	Kind        canvas.PictureKind // of those that are plots
	Flush       bool               // it has no room for texts at its left
	Below       *Chart             // a plot under it, along the same places; nil for none
}

// A Layer is marks of one kind.
type Layer interface {
	// extent adds the values that must be on the axes.
	extent(add func(on axisName, v float64))
	// boxes adds the places at which names cannot be read, on a plot of a width in pixels.
	boxes(f *plotAxes, width float64, add func(Box))
	draw(c canvas.Canvas, f *plotAxes)
}

// A valuedLayer has values that can be written at its marks.
type valuedLayer interface {
	values(f *plotAxes, to *markValues)
}

// A namedLayer has names that are written beside its marks, over the names of reference lines.
type namedLayer interface {
	drawNames(c canvas.Canvas, l *Laid)
}

// An Event is a moment, several moments at one place, or a span.
type Event struct {
	At   float64 // of the width
	End  float64 // of a span, of the width; 0 for a moment
	Text string

	Unnamed bool // its name is not on the plot: the key of all plots of a facet has it
}

// Item returns the event as an item of a key.
func (e Event) Item() canvas.Item {
	return canvas.Item{Mark: e.End == 0, Shade: e.End > 0, Tone: "neutral", Name: e.Text}
}

// A valueRule selects the values that are written at marks.
type valueRule uint8

const (
	NoValues  valueRule = iota
	AllValues           // on the widths on which all fit
	AnyValues           // those that fit
)

// markValues are the values of marks, and the crowd of shapes that they must not cover.
type markValues struct {
	all   []MarkValue
	some  []MarkValue // the most important ones, used if not all fit
	crowd crowd
}

// A plotAxes maps the values of a chart to places on its plot.
type plotAxes struct {
	Axes   [3]placedAxis
	height float64 // in pixels
}

// A Laid is a chart with its scales, and places for its names.
type Laid struct {
	*Chart
	plotAxes
	Left, Right []string   // names of the gridlines
	margin      []string   // the names on the left, including those of the plot below
	widths      [3]float64 // of the plot, on each of the widths of panels
	lines       []namedLine
	below       *Laid
	aside       float64 // of a horizontal chart: room for values at the left of its plot, in pixels
	air         float64 // of a horizontal chart: the share of a row that its name takes, which is over it; 0 for none
}

// layers iterates over all marks, in the order in which they are drawn.
func (h *Chart) layers(yield func(Layer) bool) {
	for _, list := range [...][]Layer{h.Under, h.Over} {
		for _, l := range list {
			if !yield(l) {
				return
			}
		}
	}
}

// Lay computes the layout.
func (h *Chart) Lay() *Laid {
	l := &Laid{Chart: h}
	l.plotAxes.height = float64(h.Height)
	refs := h.Y.shown(h.Refs)
	uprights := h.X.shown(h.Uprights)
	if h.Y.Rows != nil {
		l.Right = h.Y.Rows.Right
		l.Left, l.Axes[axisX].of, l.Axes[axisY].of = h.Y.Rows.Margin, &h.X, &h.Y
	} else {
		l.findScales(refs, uprights)
	}
	if l.margin = l.Left; h.Below != nil {
		l.below = h.Below.Lay()
		l.margin = append(l.margin[:len(l.margin):len(l.margin)], l.below.Left...)
		l.below.margin = l.margin
	}
	l.widths = h.Room.Widths(l.margin, l.beside())
	switch {
	case h.Kind == canvas.FullPicture:
		l.widths = h.Room.FullWidths()
	case h.Flush:
		l.widths = h.Room.flush(l.Right)
	}
	if h.Kind == canvas.HalfPicture {
		l.widths[1], l.widths[2] = l.widths[1]/2, l.widths[2]/2
	}
	if len(refs)+len(uprights) > 0 {
		l.nameReferences(refs, uprights)
	}
	return l
}

// beside returns the texts on the right of the plot, which need a margin; nil for none.
func (l *Laid) beside() []string {
	if l.Ends != nil {
		return l.Ends.margin()
	}
	return l.Right
}

// findScales chooses the scales of the axes, which all marks and lines share.
func (l *Laid) findScales(refs, uprights []Reference) {
	h := l.Chart
	reach := [3]Extremes{NoExtremes(), NoExtremes(), NoExtremes()}
	of := [...]*Axis{axisY: &h.Y, axisX: &h.X, AxisRight: h.Right}
	for layer := range h.layers {
		layer.extent(func(on axisName, v float64) {
			if of[on].has(v) {
				reach[on].Add(v)
			}
		})
	}
	for i, a := range of {
		if a != nil && a.Reach != nil {
			reach[i] = *a.Reach
		}
	}
	for axis, lines := range [...][]Reference{axisY: refs, axisX: uprights} {
		for _, r := range lines {
			lo, hi := r.Ends()
			for _, v := range [...]float64{lo, hi} {
				if !math.IsInf(v, 0) && of[axis].has(v) {
					reach[axis].Add(v)
				}
			}
		}
	}
	for i, a := range of {
		if a != nil {
			l.Axes[i] = placedAxis{a, a.scaled(a.widened(reach[i]))}
		}
	}
	if h.Right == nil {
		l.Left = l.Axes[axisY].names()
		return
	}
	y, right := reach[axisY], reach[AxisRight]
	pair := pairedScales
	switch {
	case h.Y.bound() || h.Right.bound() || l.Axes[axisY].ranks: // each has its own gridlines, and those of the left are drawn
		pair = nil
	case !h.Y.Zero:
		pair = alignedScales
	}
	if pair != nil {
		if left, other, ok := pair(y.Lo, y.Hi, right.Lo, right.Hi, h.Right.Near, h.Y.Unit, h.Right.Unit); ok {
			left.Reverse = h.Y.Reverse
			l.Axes[axisY].Scale, l.Axes[AxisRight].Scale = left, other
		}
	}
	if l.Left, l.Right = l.Axes[axisY].namesFrom(y.Lo), l.Axes[AxisRight].namesFrom(right.Lo); h.Y.ranged() {
		l.Left, l.Right = l.Axes[axisY].names(), l.Axes[AxisRight].names()
	}
}

// Reach is the extremes of what is drawn on the axes of a chart.
type Reach struct{ X, Y, Right Extremes }

// Reaches returns the extremes of the marks and the reference lines. They are of the axis of x only if that has a scale.
func (h *Chart) Reaches() Reach {
	out := Reach{NoExtremes(), NoExtremes(), NoExtremes()}
	add := func(on axisName, v float64) {
		switch {
		case math.IsInf(v, 0):
		case on == axisY && h.Y.has(v):
			out.Y.Add(v)
		case on == axisX && h.X.has(v):
			out.X.Add(v)
		case on == AxisRight:
			out.Right.Add(v)
		}
	}
	for layer := range h.layers {
		layer.extent(add)
	}
	for on, refs := range map[axisName][]Reference{axisY: h.Y.shown(h.Refs), axisX: h.X.shown(h.Uprights)} {
		for _, r := range refs {
			lo, hi := r.Ends()
			add(on, lo)
			add(on, hi)
		}
	}
	return out
}

// nameReferences finds places for the names of the reference lines.
func (l *Laid) nameReferences(refs, uprights []Reference) {
	marks := func(width float64) (out []Box) {
		for layer := range l.layers {
			layer.boxes(&l.plotAxes, width, func(b Box) { out = append(out, b) })
		}
		return out
	}
	l.lines = NameLines(refs, l.Axes[axisY].Scale, l.plotAxes.height, l.widths, marks(l.widths[2]), l.Room.small())
	l.lines = nameUprights(uprights, l.Axes[axisX].Scale, l.plotAxes.height, l.widths, marks, l.lines)
}

// Draw draws the chart, and the texts around its plot.
func (h *Chart) Draw(c canvas.Canvas) { h.Lay().Draw(c) }

func (l *Laid) Draw(c canvas.Canvas) {
	runs := l.runs()
	if l.Ends == nil {
		l.keyOf(runs).Draw(c)
	}
	for _, r := range runs {
		if r.on != 0 {
			c.Only(r.on)
		}
		switch {
		case r.phone:
			phone := l.Phone.Lay()
			if l.Ends != nil {
				phone.keyOf(nil).Draw(c)
			}
			phone.drawStanding(c, r)
		case l.Ends != nil:
			l.keyOf(nil).Draw(c)
			l.drawStanding(c, r)
		case !r.horizontal:
			l.drawStanding(c, r)
		case l.Turned != nil:
			l.Turned.Lay().drawStanding(c, r)
		default:
			l.drawRows(c, r)
		}
		if r.on != 0 {
			c.End()
		}
	}
	if l.below != nil {
		l.below.Draw(c)
	}
}

// drawStanding draws the chart with its places side by side, and the labels of the widths of a run.
func (l *Laid) drawStanding(c canvas.Canvas, r run) {
	h := l.Chart
	switch {
	case h.Right != nil && h.Y.Name+h.Right.Name != "":
		c.AxisNames(h.Y.Name, h.Y.Side(), h.Right.Name)
	case h.Y.Name != "":
		c.AxisName(h.Y.Name, h.Y.Side())
	}
	plot := canvas.Picture{
		Title: h.Title, Says: h.Says, Height: h.Height, Left: l.margin, Right: l.beside(), Places: h.Places, List: h.List, Offset: h.Offset,
		Kind: h.Kind, Small: h.Room.small(), Lines: h.Lines, Sketch: h.Sketch, Flush: h.Flush,
	}
	c.Picture(plot)
	drawShades(c, l.lines)
	for _, e := range h.Events {
		if e.End > 0 {
			at := min(e.At, 1-LeastSpan)
			c.Rect(canvas.Rect{X: canvas.Of(at), Width: canvas.Of(max(e.End-at, LeastSpan)), Height: canvas.Of(1), Shade: true, Tone: "neutral"})
		}
	}
	if h.Y.Rows == nil {
		l.drawGrid(c)
	}
	for _, layer := range h.Under {
		layer.draw(c, &l.plotAxes)
	}
	for _, e := range h.Events {
		if e.End > 0 {
			continue
		}
		c.Line(canvas.Line{X1: canvas.Of(e.At), X2: canvas.Of(e.At), Y2: canvas.Of(1), Stroke: canvas.EventLine})
	}
	if !h.Filled {
		drawReferences(c, l.lines)
	}
	for _, layer := range h.Over {
		layer.draw(c, &l.plotAxes)
	}
	if h.Filled {
		drawReferences(c, l.lines)
	}
	drawReferenceNames(c, l.lines)
	for layer := range h.layers {
		if n, ok := layer.(namedLayer); ok {
			n.drawNames(c, l)
		}
	}
	if h.Ends != nil {
		h.Ends.drawNames(c, l)
	}
	values := l.placeValues(l.markValues(nil)).only(r)
	l.nameEvents(c, &values)
	drawValues(c, values)
	switch {
	case h.Y.Rows != nil:
		h.Y.Rows.Draw(c)
	case h.Y.OnTop:
		l.Axes[axisY].drawNames(c, l.Left)
	}
	l.drawLabels(c, r)
	c.End()
	if h.X.Name != "" {
		c.AxisName(h.X.Name, canvas.XSide)
	}
}

// drawGrid draws the gridlines and, unless these are on top of the marks, their names.
func (l *Laid) drawGrid(c canvas.Canvas) {
	y := &l.Axes[axisY]
	for i, v := range y.Ticks() {
		if y.of.Sparse && l.Left[i] == "" {
			continue
		}
		drawGridline(c, y.Scale, v)
		if !y.of.OnTop && l.Left[i] != "" {
			drawTick(c, y.Scale, v, l.Left[i])
		}
	}
	if l.Right != nil {
		drawRight(c, l.Axes[AxisRight].Scale, l.Right)
	}
}

// PlaceValues finds places for the values of marks, on each of the widths of panels.
func (l *Laid) PlaceValues() PlacedValues {
	out := l.placeValues(l.markValues(nil))
	for _, r := range l.runs() {
		var rows PlacedValues
		switch {
		case r.phone:
			rows = l.Phone.Lay().PlaceValues()
		case !r.horizontal || l.Turned != nil:
			continue
		default:
			rows = l.layRows(r.over).rowValues(l, l.Y.shown(l.Refs))
		}
		for i, on := range r.tiers {
			if on {
				out.labels[i], out.Left[i] = rows.labels[i], rows.Left[i]
			}
		}
	}
	return out
}

// markValues returns the values of marks and the shapes that they must not cover. turn changes them
// for a horizontal chart; nil for others.
func (l *Laid) markValues(turn func(m *markValues)) *markValues {
	m := &markValues{crowd: crowd{names: l.lines}}
	if l.Values == NoValues {
		return m
	}
	for layer := range l.layers {
		if v, ok := layer.(valuedLayer); ok {
			v.values(&l.plotAxes, m)
		}
	}
	if turn != nil {
		turn(m)
	}
	return m
}

// placeValues writes values on the widths of the plot.
func (l *Laid) placeValues(m *markValues) PlacedValues {
	out := PlacedValues{All: len(m.all)}
	if len(m.all) == 0 {
		return out
	}
	ToldApart(m.all)
	ToldApart(m.some)
	for i, width := range l.widths {
		whole := len(m.some) == 0 || len(m.all) <= mostValues
		if whole {
			out.labels[i], out.Left[i] = m.crowd.place(m.all, width, l.plotAxes.height)
		}
		switch {
		case l.Values == AllValues && out.Left[i] > 0:
			out.labels[i] = nil
		case len(m.some) > 0 && (!whole || out.Left[i] > 0):
			out.labels[i], _ = m.crowd.place(m.some, width, l.plotAxes.height)
			out.Left[i] = len(m.all) - len(out.labels[i])
		}
	}
	return out
}
