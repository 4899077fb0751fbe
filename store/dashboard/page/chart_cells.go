package page

import (
	"slices"

	"service/store/dashboard/canvas"
	"service/store/dashboard/geo"
)

// A rowAxis is the names of rows of cells, from the top down, each beside its row. An axis of y that has
// them has no scale.
type rowAxis struct {
	margin []string // what the margin beside the plot has room for
	right  []string // and that on its right; nil for none
	names  []string // on a tablet and a desktop; "" for a row without one
	phone  []string // on a phone
	corner string   // above them; "" for none
	again  bool     // the plot beside it has them where the two are side by side, so they are written on a phone alone
}

func (r *rowAxis) draw(c canvas.Canvas) {
	write := func(on canvas.Widths, names []string) {
		c.Group(canvas.Group{Look: canvas.AxisText, Anchor: canvas.AtEnd, Widths: on})
		if r.corner != "" {
			c.Label(canvas.Label{X: canvas.Px(-8), Down: -canvas.AboveCells, Text: r.corner})
		}
		for i, text := range names {
			if text != "" {
				c.Label(canvas.Label{X: canvas.Px(-8), Y: canvas.Of((float64(i) + 0.5) / float64(len(names))), Down: 4, Text: text})
			}
		}
		c.End()
	}
	switch {
	case !r.again && slices.Equal(r.names, r.phone):
		write(0, r.names)
		return
	case !r.again:
		defer write(canvas.Tablet|canvas.Desktop, r.names)
	}
	write(canvas.Phone, r.phone)
}

// Cells are a grid of colours, whose rows an axis of y names.
type cellLayer struct {
	columns, rows int
	cells         []cellMark // row by row
	written       bool       // the values are written where all cells have room for theirs
}

// A cellMark is a cell. One without a colour has no value.
type cellMark struct {
	color canvas.Color
	text  string
}

func (*cellLayer) extent(func(axisName, float64))      {}
func (*cellLayer) boxes(*plotAxes, float64, func(box)) {}

func (l *cellLayer) draw(c canvas.Canvas, _ *plotAxes) {
	w, h := 1/float64(l.columns), 1/float64(l.rows)
	for k, cell := range l.cells {
		if cell.color > 0 {
			x, y := l.place(k)
			c.Rect(canvas.Rect{X: canvas.Of(x), Y: canvas.Of(y), Width: canvas.Of(w), Height: canvas.Of(h), Round: 3, Color: cell.color})
		}
	}
}

// place is the upper left corner of a cell.
func (l *cellLayer) place(k int) (x, y float64) {
	return float64(k%l.columns) / float64(l.columns), float64(k/l.columns) / float64(l.rows)
}

// drawNames writes the values in the cells, by their colours.
func (l *cellLayer) drawNames(c canvas.Canvas, to *laid) {
	on, ok := l.wideEnough(to)
	if !ok || !l.written {
		return
	}
	w, h := 1/float64(l.columns), 1/float64(l.rows)
	var texts [canvas.HeatColors][]canvas.Label
	for k, cell := range l.cells {
		if cell.color > 0 {
			x, y := l.place(k)
			step := cell.color - canvas.HeatColor
			texts[step] = append(texts[step], canvas.Label{X: canvas.Of(x + w/2), Y: canvas.Of(y + h/2), Down: 4, Text: cell.text})
		}
	}
	for step, labels := range texts {
		if len(labels) == 0 {
			continue
		}
		c.Group(canvas.Group{Look: canvas.CellText, Anchor: canvas.AtMiddle, Widths: on, On: canvas.HeatColor + canvas.Color(step)})
		for _, l := range labels {
			c.Label(l)
		}
		c.End()
	}
}

// wideEnough reports whether, and on which widths, all cells have room for their texts.
func (l *cellLayer) wideEnough(on *laid) (which canvas.Widths, ok bool) {
	if on.plotAxes.height/float64(l.rows) < canvas.LabelSize+5 {
		return 0, false
	}
	widest := 0.0
	for _, cell := range l.cells {
		widest = max(widest, canvas.LabelWidth(cell.text))
	}
	fit := func(plot float64) bool { return widest+8 <= plot/float64(l.columns) }
	switch {
	case fit(on.widths[0]):
		return 0, true
	case fit(on.widths[1]):
		return canvas.Tablet | canvas.Desktop, true
	default:
		return canvas.Desktop, fit(on.widths[2])
	}
}

// left is how many of the texts have no room, on each of the widths.
func (l *cellLayer) left(on *laid) placedValues {
	var t placedValues
	for _, cell := range l.cells {
		if cell.color > 0 {
			t.all++
		}
	}
	which, ok := l.wideEnough(on)
	for i := range t.left {
		if !ok || which != 0 && which&(1<<i) == 0 {
			t.left[i] = t.all
		}
	}
	return t
}

// A cellOutline is cells as outlines in a grid of columns and rows, each of which is a unit: thousands of
// them take little markup.
type cellOutline struct {
	columns, rows int
	cells         []outlinedCell
	lines         [][]geo.Point // between cells
}

// An outlinedCell is a cell. The colour 0 is for one without a value.
type outlinedCell struct {
	column, row int
	color       canvas.Color
}

func (*cellOutline) extent(func(axisName, float64))      {}
func (*cellOutline) boxes(*plotAxes, float64, func(box)) {}

func (l *cellOutline) draw(c canvas.Canvas, _ *plotAxes) {
	c.Extent(l.columns, l.rows)
	var rings [int(canvas.HeatColor) + canvas.HeatColors][][]geo.Point
	for _, cell := range l.cells {
		x, y := int32(cell.column), int32(cell.row)
		rings[cell.color] = append(rings[cell.color], []geo.Point{{X: x, Y: y}, {X: x + 1, Y: y}, {X: x + 1, Y: y + 1}, {X: x, Y: y + 1}})
	}
	for of, rings := range rings {
		if len(rings) > 0 {
			c.Shape(canvas.Shape{Rings: rings, Color: canvas.Color(of)})
		}
	}
	if len(l.lines) > 0 {
		c.Shape(canvas.Shape{Rings: l.lines, Color: canvas.OtherColor})
	}
	c.End()
}
