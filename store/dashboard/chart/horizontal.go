package chart

import (
	"math"
	"slices"

	"service/store/dashboard/canvas"
)

// This file draws charts whose places are rows, because their names do not fit side by side: bars, boxes and lines then lie, with the first
// place at the top, and their values grow to the right. No name is turned.

const (
	rowNameShare = 0.3 // of the panel's width, at most, for the names of rows
	twoLineRow   = 28  // least height of a row with a name in two lines, in pixels
	overRow      = 16  // height of a name over its row, in pixels
	lowRow       = 24  // height of a row under its name, at most, in pixels
	leastRowPlot = 80  // least width of a plot beside room for the values of its longest bars, in pixels
)

// isHorizontal reports whether the places of the chart are rows in a panel of a width, in pixels.
func (l *Laid) isHorizontal(inside float64) bool {
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

// A run is neighbouring widths of panels on which a chart is horizontal or vertical.
type run struct {
	on         canvas.Widths // 0 for all
	tiers      [3]bool
	horizontal bool
	over       bool // horizontal, and the names are over their rows
	phone      bool // it is [Chart.Phone]
}

// runs returns the widths on which the chart is vertical and those on which it is horizontal.
func (l *Laid) runs() []run {
	if l.Phone != nil {
		return []run{
			{on: canvas.Phone, tiers: [3]bool{true}, phone: true},
			{on: canvas.Tablet | canvas.Desktop, tiers: [3]bool{false, true, true}},
		}
	}
	if l.Horizontal {
		return l.horizontalRuns()
	}
	var horizontals [3]bool
	for i, inside := range l.Room.FullWidths() {
		horizontals[i] = l.isHorizontal(inside)
	}
	over := horizontals[0] && l.Turned == nil && l.cutsRowNames()
	if horizontals == [3]bool{true, true} && !l.isHorizontal(canvas.HalfInside) {
		vertical := run{on: canvas.Desktop | canvas.Half, tiers: [3]bool{false, true, true}}
		if over {
			return []run{
				{on: canvas.Phone, tiers: [3]bool{true}, horizontal: true, over: true},
				{on: canvas.Tablet | canvas.Half, tiers: [3]bool{false, true}, horizontal: true},
				vertical,
			}
		}
		return []run{{on: canvas.Phone | canvas.Tablet | canvas.Half, tiers: [3]bool{true, true}, horizontal: true}, vertical}
	}
	var out []run
	for i, horizontal := range horizontals {
		if i == 0 || horizontal != horizontals[i-1] || i == 1 && over {
			out = append(out, run{horizontal: horizontal, over: i == 0 && over})
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

// horizontalRuns returns the widths of a chart that is horizontal on all. Names that do not fit at the left of their rows are over them: on
// a phone, and in small plots, which are about as narrow.
func (l *Laid) horizontalRuns() []run {
	all := run{tiers: [3]bool{true, true, true}, horizontal: true}
	switch {
	case l.Room.small():
		all.over = l.cutsNames(l.rowRoom()) || l.cutsNames(canvas.PhoneMargin)
	case l.cutsRowNames():
		return []run{
			{on: canvas.Phone, tiers: [3]bool{true}, horizontal: true, over: true},
			{on: canvas.Tablet | canvas.Desktop, tiers: [3]bool{false, true, true}, horizontal: true},
		}
	}
	return []run{all}
}

// layRows turns the chart: the scale of values is along the plot, and the places are one below another. With over, their names are over
// them instead of at their left.
func (l *Laid) layRows(over bool) *Laid {
	h := *l.Chart
	n := len(l.X.Bands.Full)
	h.Height, h.X, h.Y, h.Right = l.Row*n, l.Y, l.X, nil
	out := &Laid{Chart: &h, plotAxes: l.plotAxes}
	var names []string
	if over {
		high := min(l.Row, lowRow) + overRow
		h.Height, out.air = high*n, overRow/float64(high)
	} else {
		names = make([]string, n)
		for i, lines := range l.rowNames(l.rowRoom()) {
			names[i] = lines[0]
			if canvas.LabelWidth(lines[1]) > canvas.LabelWidth(lines[0]) {
				names[i] = lines[1]
			}
		}
	}
	out.plotAxes.height = float64(h.Height)
	above, below := l.beyondBars()
	if above != "" {
		out.Right = []string{above}
	}
	lay := func(left []string) {
		out.margin, out.Flush = left, over && left == nil
		if out.widths = h.Room.Widths(left, out.Right); out.Flush {
			out.widths = h.Room.flush(out.Right)
		}
	}
	if lay(names); slices.Min(out.widths[:]) < leastRowPlot {
		out.Right = nil // the bars need the room more
		lay(names)
	}
	for range 2 { // the second time for the plot that is narrower by this room
		if out.aside = l.roomAside(below, slices.Min(out.widths[:])); out.aside > 0 {
			left := []string{below}
			for _, name := range names {
				left = append(left, name+below)
			}
			lay(left)
		}
	}
	return out
}

// beyondBars returns the longest value that is on the right of a horizontal bar, and the longest on the left of one; "" for none.
func (l *Laid) beyondBars() (right, left string) {
	m := l.markValues(nil)
	for _, v := range slices.Concat(m.all, m.some) {
		if v.in != nil {
			continue
		}
		to := &right
		if v.ways[0].down > 4 {
			to = &left
		}
		if text := v.Texts[0]; canvas.LabelWidth(text) > canvas.LabelWidth(*to) {
			*to = text
		}
	}
	return right, left
}

// roomAside returns the room that the values of bars below zero need at the left of a plot that is so many pixels wide, in pixels: text is
// the longest of them.
func (l *Laid) roomAside(text string, width float64) float64 {
	if text == "" {
		return 0
	}
	out := 0.0
	m := l.markValues(nil)
	for _, v := range slices.Concat(m.all, m.some) {
		if v.in == nil && v.ways[0].down > 4 {
			out = max(out, canvas.LabelWidth(v.Texts[0])+besideBar-(1-v.y)*width)
		}
	}
	return out
}

// besideBar is the room for a value beside its bar, apart from its text, in pixels.
const besideBar = 10

// cutsRowNames reports whether the names of rows do not fit at their left on a phone.
func (l *Laid) cutsRowNames() bool { return l.cutsNames(canvas.PhoneMargin - l.layRows(false).aside) }

// cutsNames reports whether the names of rows do not fit into a room at their left, in pixels.
func (l *Laid) cutsNames(room float64) bool {
	for i, lines := range l.rowNames(room) {
		if name := l.X.Bands.Full[i]; lines[0] != name && lines[0]+" "+lines[1] != name && lines[0]+lines[1] != name {
			return true
		}
	}
	return false
}

// rowRoom returns the room for the names of rows, in pixels.
func (l *Laid) rowRoom() float64 {
	if l.Room.small() {
		return rowNameRoom(l.Room.narrowest())
	}
	return rowNameRoom(l.Room.Inside)
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

// keyOf returns the legend with the reference lines that have no name on the plot: those of a horizontal chart, whose names would be on
// bars, and those without a free place.
func (l *Laid) keyOf(runs []run) *Key {
	var lines []canvas.Item
	horizontal := l.Turned == nil && slices.ContainsFunc(runs, func(r run) bool { return r.horizontal })
	for i := range l.lines {
		if n := &l.lines[i]; !n.Unnamed && !n.upright && (horizontal || n.keyed) {
			it := n.Item(horizontal)
			it.Flat = it.Mark && !horizontal
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

// drawRows draws the chart with horizontal bars, on the widths of a run.
func (l *Laid) drawRows(c canvas.Canvas, r run) {
	h, turned := l.Chart, l.layRows(r.over)
	shown := h.Y.shown(h.Refs)
	if h.Right != nil && h.Right.Name != "" {
		c.AxisName(h.Right.Name, canvas.TopSide)
	}
	n := len(h.X.Bands.Full)
	rows := n * max(h.Beside, 1)
	c.Picture(canvas.Picture{
		Title: h.Title, Says: h.Says, Height: turned.Height, Left: turned.margin, Right: turned.Right,
		Places: canvas.Places{Columns: 1, Rows: rows},
		List:   canvas.RowList{First: h.Offset, From: h.Offset, To: h.Offset + rows}, Lines: rows, Top: h.Right != nil, Flush: turned.Flush,
		Small: h.Room.small(), Offset: h.Offset,
	})
	across := horizontalCanvas{c, rowBands{n, turned.air}}
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
	axes.height = turned.widths[2] // lengths in pixels along the values
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
	drawValues(c, turned.rowValues(l, shown).only(r))
	turned.drawRowNames(c, l, r)
	turned.drawScale(c, y, l.Left, r, false)
	if h.Right != nil {
		turned.drawScale(c, &l.Axes[AxisRight], l.Right, r, true)
	}
	c.End()
	if h.Y.Name != "" {
		c.AxisName(h.Y.Name, canvas.XSide)
	}
}

// drawRowNames writes the names of the rows of a vertical chart at their left, or over them.
func (l *Laid) drawRowNames(c canvas.Canvas, vertical *Laid, r run) {
	write := func(on canvas.Widths, names [][2]string) {
		c.Group(canvas.Group{Look: canvas.AxisText, Anchor: canvas.AtEnd, Widths: on})
		for i, lines := range names {
			down := 4
			if lines[1] != "" {
				down = -3
			}
			for _, text := range lines {
				if text != "" {
					c.Label(canvas.Label{
						X: canvas.Px(-8 - math.Ceil(l.aside)), Y: canvas.Of((float64(i) + 0.5) / float64(len(names))), Down: down, Text: text,
					})
				}
				down += lineHeight
			}
		}
		c.End()
	}
	switch {
	case r.over:
		left := 0.0
		if !l.Flush {
			_, left = canvas.MarginOf(l.margin)
			left = min(left, canvas.PhoneMargin)
		}
		full, room := vertical.X.Bands.Full, l.Room.narrowest()-canvas.Padding
		c.Group(canvas.Group{Look: canvas.MarkedText, Anchor: canvas.AtStart})
		for i, name := range full {
			c.Label(canvas.Label{
				X: canvas.Px(-left), Y: canvas.Of(float64(i) / float64(len(full))), Down: overRow - 3,
				Text: canvas.ClipMiddle(name, room),
			})
		}
		c.End()
		return
	case r.tiers[0]:
		write(canvas.Phone, vertical.rowNames(canvas.PhoneMargin-l.aside))
	}
	if r.tiers[1] || r.tiers[2] {
		write(canvas.Tablet|canvas.Desktop, vertical.rowNames(l.rowRoom()))
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
func (l *Laid) rowValues(vertical *Laid, refs []Reference) PlacedValues {
	for _, ref := range refs {
		at, end := ref.placedUpright(vertical.Axes[axisY].Scale)
		l.lines = append(l.lines, namedLine{Reference: ref, at: at, end: end, upright: true})
	}
	return l.placeValues(vertical.markValues(func(m *markValues) {
		for _, list := range [...][]MarkValue{m.all, m.some} {
			for i := range list {
				list[i].lie()
			}
		}
		for _, boxes := range [...][]Box{m.crowd.marks, m.crowd.over} {
			for i, b := range boxes {
				boxes[i] = b.horizontal()
			}
		}
		for i, s := range m.crowd.lines {
			m.crowd.lines[i] = Segment{1 - s.Y1, s.X1, 1 - s.Y2, s.X2}
		}
		m.crowd.names, m.crowd.right, m.crowd.left = l.lines, rightSide(l.Right), l.aside
		if l.air > 0 {
			m.fold(rowBands{len(vertical.X.Bands.Full), l.air})
		}
	}))
}

// horizontal returns the box on a horizontal plot.
func (b Box) horizontal() Box { return Box{1 - b.Y2, 1 - b.Y1, b.X1, b.X2} }

// lie turns the places of a value with its mark.
func (v *MarkValue) lie() {
	v.x, v.y = 1-v.y, v.x
	if v.in != nil {
		in := v.in.horizontal()
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

// fold moves the values and the shapes of a horizontal chart to rows with names over them.
func (m *markValues) fold(rows rowBands) {
	box := func(b *Box) { b.Y1, b.Y2 = rows.at(b.Y1), rows.at(b.Y2) }
	for _, list := range [...][]MarkValue{m.all, m.some} {
		for i := range list {
			if list[i].y = rows.at(list[i].y); list[i].in != nil {
				box(list[i].in)
			}
		}
	}
	for _, boxes := range [...][]Box{m.crowd.marks, m.crowd.over} {
		for i := range boxes {
			box(&boxes[i])
		}
	}
	for i := range m.crowd.lines {
		s := &m.crowd.lines[i]
		s.Y1, s.Y2 = rows.at(s.Y1), rows.at(s.Y2)
	}
}

// rowBands are rows one below another, each of which has room for its name above its marks: a share of its height.
type rowBands struct {
	rows int
	air  float64
}

// at returns the place of a mark down a plot, of which x is the place on a plot whose rows have no such room.
func (b rowBands) at(x float64) float64 {
	row := min(math.Floor(x*float64(b.rows)), float64(b.rows-1))
	return (row + b.air + (x*float64(b.rows)-row)*(1-b.air)) / float64(b.rows)
}

// A horizontalCanvas draws marks of a vertical chart on a horizontal one: the top of the plot
// is its right edge, and the left edge is its top.
type horizontalCanvas struct {
	canvas.Canvas
	rows rowBands
}

// down returns the place down the plot of a place across.
func (c horizontalCanvas) down(x canvas.Coord) canvas.Coord {
	if c.rows.air == 0 || x.Unit != canvas.Fraction {
		return x
	}
	return canvas.Of(c.rows.at(x.V))
}

// valueOf returns the place along the plot of a height.
func valueOf(y canvas.Coord) canvas.Coord {
	if y.Unit == canvas.Unset {
		return canvas.Of(1)
	}
	return canvas.Of(1 - y.V)
}

func (c horizontalCanvas) Line(l canvas.Line) {
	l.X1, l.X2, l.Y1, l.Y2 = valueOf(l.Y1), valueOf(l.Y2), c.down(l.X1), c.down(l.X2)
	c.Canvas.Line(l)
}

func (c horizontalCanvas) Rect(r canvas.Rect) {
	high := r.Height.V
	if r.Height.Unit == canvas.Unset {
		high = 1
	}
	from, long := c.down(r.X), r.Width
	if from != r.X && long.Unit == canvas.Fraction {
		long = canvas.Of(c.rows.at(r.X.V+r.Width.V) - from.V)
	}
	r.X, r.Width, r.Y, r.Height = canvas.Of(1-r.Y.V-high), canvas.Of(high), from, long
	c.Canvas.Rect(r)
}

func (c horizontalCanvas) Circle(o canvas.Circle) {
	o.X, o.Y = valueOf(o.Y), c.down(o.X)
	c.Canvas.Circle(o)
}

func (c horizontalCanvas) Curve(o canvas.Curve) {
	points := slices.Clone(o.Points)
	for i, p := range points {
		if points[i].X, points[i].Y = 1000-p.Y, p.X; c.rows.air > 0 {
			points[i].Y = int(math.Round(1000 * c.rows.at(float64(p.X)/1000)))
		}
	}
	o.Points = points
	c.Canvas.Curve(o)
}
