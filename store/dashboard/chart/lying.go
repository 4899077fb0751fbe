package chart

import (
	"slices"

	"service/store/dashboard/canvas"
)

// This file draws charts whose places are rows, because their names do not fit side by side: bars, boxes and lines then lie, with the first
// place at the top, and their values grow to the right. No name is turned.

const (
	rowNameShare = 0.3 // of the panel's width, at most, for the names of rows
	twoLineRow   = 28  // least height of a row with a name in two lines, in pixels
	leastRowPlot = 80  // least width of a plot beside room for the values of its longest bars, in pixels
)

// lies reports whether the places of the chart are rows in a panel of a width, in pixels.
func (l *Laid) lies(inside float64) bool {
	b := l.X.Bands
	if b == nil || l.Row == 0 && l.Turned == nil || l.Room.small() || len(b.Full) < 2 || b.Thin != nil ||
		b.whole(plotWidth(inside, l.margin, l.Right), true) != nil {
		return false
	}
	if l.Turned == nil {
		return true
	}
	turned := l.Turned.Y.Rows.Margin
	return l.Turned.X.Bands.whole(plotWidth(inside, turned, nil), true) != nil
}

// plotWidth returns the width of a plot with labels on its left and on its right in a panel of a width, in pixels.
func plotWidth(inside float64, left, right []string) float64 {
	_, margin := canvas.MarginOf(left)
	beside := rightSide(right)
	if inside < canvas.TabletInside {
		margin, beside = min(margin, canvas.PhoneMargin), min(beside, canvas.PhoneMargin)
	}
	return max(inside-margin-beside, 40)
}

// A run is neighbouring widths of panels on which a chart lies, or stands.
type run struct {
	on    canvas.Widths // 0 for all
	tiers [3]bool
	lying bool
}

// runs returns the widths on which the chart stands and those on which it lies.
func (l *Laid) runs() []run {
	var lies [3]bool
	for i, inside := range l.Room.FullWidths() {
		lies[i] = l.lies(inside)
	}
	if lies == [3]bool{true, true} && !l.lies(canvas.HalfInside) {
		return []run{
			{on: canvas.Phone | canvas.Tablet | canvas.Half, tiers: [3]bool{true, true}, lying: true},
			{on: canvas.Desktop | canvas.Half, tiers: [3]bool{false, true, true}},
		}
	}
	var out []run
	for i, lying := range lies {
		if i == 0 || lying != lies[i-1] {
			out = append(out, run{lying: lying})
		}
		r := &out[len(out)-1]
		r.tiers[i] = true
		r.on |= canvas.Phone << i
	}
	if len(out) == 1 {
		out[0].on = 0
	}
	return out
}

// layRows turns the chart: the scale of values is along the plot, and the places are one below another.
func (l *Laid) layRows() *Laid {
	h := *l.Chart
	h.Height, h.X, h.Y, h.Right = l.Row*len(l.X.Bands.Full), l.Y, l.X, nil
	out := &Laid{Chart: &h, plotAxes: l.plotAxes}
	out.plotAxes.height = float64(h.Height)
	names := make([]string, len(l.X.Bands.Full))
	for i, lines := range l.rowNames(rowNameRoom(l.Room.Inside)) {
		names[i] = lines[0]
		if canvas.LabelWidth(lines[1]) > canvas.LabelWidth(lines[0]) {
			names[i] = lines[1]
		}
	}
	out.margin = names
	m := l.markValues(nil)
	for _, v := range slices.Concat(m.all, m.some) { // the value of the longest bar is beyond the plot
		if text := v.Texts[0]; v.in == nil && (out.Right == nil || canvas.LabelWidth(text) > canvas.LabelWidth(out.Right[0])) {
			out.Right = []string{text}
		}
	}
	if out.widths = h.Room.Widths(names, out.Right); slices.Min(out.widths[:]) < leastRowPlot {
		out.Right = nil // the bars need the room more
		out.widths = h.Room.Widths(names, nil)
	}
	return out
}

// rowNameRoom returns the room for the names of rows in a panel of a width, in pixels.
func rowNameRoom(inside float64) float64 {
	return min(rowNameShare*inside, canvas.Margins[len(canvas.Margins)-1]-8)
}

// rowNames returns the names of the rows in one line or, if they are longer than the room, in two.
func (l *Laid) rowNames(room float64) [][2]string {
	full := l.X.Bands.Full
	first, second := brokenInTwo(full)
	out := make([][2]string, len(full))
	for i, name := range full {
		switch {
		case canvas.LabelWidth(name) <= room:
			out[i][0] = name
		case l.Row < twoLineRow || second[i] == "":
			out[i][0] = canvas.ClipMiddle(name, room)
		default:
			out[i] = [2]string{canvas.ClipMiddle(first[i], room), canvas.ClipMiddle(second[i], room)}
		}
	}
	return out
}

// keyOf returns the legend with the reference lines that have no name on the plot: those of a chart that lies, whose names would be on
// bars, and those without a free place.
func (l *Laid) keyOf(runs []run) *Key {
	var lines []canvas.Item
	lies := l.Turned == nil && slices.ContainsFunc(runs, func(r run) bool { return r.lying })
	for i := range l.lines {
		if n := &l.lines[i]; !n.Unnamed && !n.upright && (lies || n.keyed) {
			it := n.Item(lies)
			it.Flat = it.Mark && !lies
			lines = append(lines, it)
		}
	}
	switch {
	case lines == nil:
		return l.Key
	case l.Key == nil:
		return &Key{Kind: canvas.LegendList, Items: lines}
	}
	out := *l.Key
	if len(out.Items) == 0 {
		out.Kind = canvas.LegendList
	}
	out.Items = slices.Concat(out.Items, lines)
	return &out
}

// drawRows draws the chart lying, on the widths of a run.
func (l *Laid) drawRows(c canvas.Canvas, r run) {
	h, lain := l.Chart, l.layRows()
	shown := h.Y.shown(h.Refs)
	if h.Right != nil && h.Right.Name != "" {
		c.AxisName(h.Right.Name, canvas.TopSide)
	}
	n := len(h.X.Bands.Full)
	c.Picture(canvas.Picture{
		Title: h.Title, Says: h.Says, Height: lain.Height, Left: lain.margin, Right: lain.Right, Places: canvas.Places{Columns: 1, Rows: n},
		List: canvas.RowList{To: n}, Lines: n, Top: h.Right != nil,
	})
	across := lyingCanvas{c}
	for _, ref := range shown {
		if ref.Shaded {
			at, end := ref.placedUpright(l.Axes[axisY].Scale)
			c.Rect(canvas.Rect{X: canvas.Of(at), Width: canvas.Of(end - at), Height: canvas.Of(1), Shade: true, Tone: ref.Tone})
		}
	}
	y := &l.Axes[axisY]
	for _, v := range y.Ticks() {
		drawGridline(across, y.Scale, v)
	}
	axes := l.plotAxes
	axes.height = lain.widths[2] // lengths in pixels along the values
	for _, layer := range h.Under {
		layer.draw(across, &axes)
	}
	for _, ref := range shown {
		if !ref.Shaded {
			at, _ := ref.placedUpright(l.Axes[axisY].Scale)
			c.Line(canvas.Line{X1: canvas.Of(at), X2: canvas.Of(at), Y2: canvas.Of(1), Stroke: canvas.ReferenceLine, Tone: ref.Tone})
		}
	}
	for _, layer := range h.Over {
		layer.draw(across, &axes)
	}
	drawValues(c, lain.rowValues(l, shown).only(r))
	l.drawRowNames(c, r)
	lain.drawScale(c, y, l.Left, r, false)
	if h.Right != nil {
		lain.drawScale(c, &l.Axes[AxisRight], l.Right, r, true)
	}
	c.End()
	if h.Y.Name != "" {
		c.AxisName(h.Y.Name, canvas.XSide)
	}
}

// drawRowNames writes the names of the rows at their left.
func (l *Laid) drawRowNames(c canvas.Canvas, r run) {
	write := func(on canvas.Widths, names [][2]string) {
		c.Group(canvas.Group{Look: canvas.AxisText, Anchor: canvas.AtEnd, Widths: on})
		for i, lines := range names {
			down := 4
			if lines[1] != "" {
				down = -3
			}
			for _, text := range lines {
				if text != "" {
					c.Label(canvas.Label{X: canvas.Px(-8), Y: canvas.Of((float64(i) + 0.5) / float64(len(names))), Down: down, Text: text})
				}
				down += lineHeight
			}
		}
		c.End()
	}
	if r.tiers[0] {
		write(canvas.Phone, l.rowNames(canvas.PhoneMargin))
	}
	if r.tiers[1] || r.tiers[2] {
		write(canvas.Tablet|canvas.Desktop, l.rowNames(rowNameRoom(l.Room.Inside)))
	}
}

// drawScale writes the names of a scale of values under or above the rows.
func (l *Laid) drawScale(c canvas.Canvas, s *placedAxis, texts []string, r run, above bool) {
	var kept []string
	var at []float64
	for i, v := range s.Ticks() {
		if texts[i] != "" {
			kept, at = append(kept, texts[i]), append(at, 1-s.at(v))
		}
	}
	l.X.Above = above
	drawX(c, r.only(l.tiers(func(width float64) []Label { return EveryNth(kept, at, width) })))
}

// only returns the labels of the widths of the run.
func (r run) only(tiers [3][]Label) [3][]Label {
	for i := range tiers {
		if !r.tiers[i] {
			tiers[i] = nil
		}
	}
	return tiers
}

// only returns the values on the widths of a run.
func (t PlacedValues) only(r run) PlacedValues {
	for i := range t.labels {
		if !r.tiers[i] {
			t.labels[i] = nil
		}
	}
	return t
}

// rowValues finds places for the values of marks that lie: at the right of a bar, where they were above it.
func (l *Laid) rowValues(standing *Laid, refs []Reference) PlacedValues {
	for _, ref := range refs {
		at, end := ref.placedUpright(standing.Axes[axisY].Scale)
		l.lines = append(l.lines, namedLine{Reference: ref, at: at, end: end, upright: true})
	}
	return l.placeValues(standing.markValues(func(m *markValues) {
		for _, list := range [...][]MarkValue{m.all, m.some} {
			for i := range list {
				list[i].lie()
			}
		}
		for _, boxes := range [...][]Box{m.crowd.marks, m.crowd.over} {
			for i, b := range boxes {
				boxes[i] = b.lying()
			}
		}
		for i, s := range m.crowd.lines {
			m.crowd.lines[i] = Segment{1 - s.Y1, s.X1, 1 - s.Y2, s.X2}
		}
		m.crowd.names, m.crowd.right = l.lines, rightSide(l.Right)
	}))
}

// lying returns the box on a plot that lies.
func (b Box) lying() Box { return Box{1 - b.Y2, 1 - b.Y1, b.X1, b.X2} }

// lie turns the places of a value with its mark.
func (v *MarkValue) lie() {
	v.x, v.y = 1-v.y, v.x
	if v.in != nil {
		in := v.in.lying()
		v.in = &in
	}
	ways := slices.Clone(v.ways)
	for i, w := range ways {
		switch {
		case w.down < 0:
			ways[i] = labelPlace{-w.down, 4, canvas.AtStart}
		case w.down > 4:
			ways[i] = labelPlace{8 - w.down, 4, canvas.AtEnd}
		}
	}
	if v.in == nil { // behind a line across the rows
		last := ways[len(ways)-1]
		for range 7 {
			if last.right += 6; last.anchor == canvas.AtEnd {
				last.right -= 12
			}
			ways = append(ways, last)
		}
	}
	v.ways = ways
}

// A lyingCanvas draws marks of a standing chart on one that lies: the top of the plot is its right edge, and the left edge is its top.
type lyingCanvas struct{ canvas.Canvas }

// valueOf returns the place along the plot of a height.
func valueOf(y canvas.Coord) canvas.Coord {
	if y.Unit == canvas.Unset {
		return canvas.Of(1)
	}
	return canvas.Of(1 - y.V)
}

func (c lyingCanvas) Line(l canvas.Line) {
	l.X1, l.X2, l.Y1, l.Y2 = valueOf(l.Y1), valueOf(l.Y2), l.X1, l.X2
	c.Canvas.Line(l)
}

func (c lyingCanvas) Rect(r canvas.Rect) {
	high := r.Height.V
	if r.Height.Unit == canvas.Unset {
		high = 1
	}
	r.X, r.Width, r.Y, r.Height = canvas.Of(1-r.Y.V-high), canvas.Of(high), r.X, r.Width
	c.Canvas.Rect(r)
}

func (c lyingCanvas) Circle(o canvas.Circle) {
	o.X, o.Y = valueOf(o.Y), o.X
	c.Canvas.Circle(o)
}

func (c lyingCanvas) Curve(o canvas.Curve) {
	points := slices.Clone(o.Points)
	for i, p := range points {
		points[i].X, points[i].Y = 1000-p.Y, p.X
	}
	o.Points = points
	c.Canvas.Curve(o)
}
