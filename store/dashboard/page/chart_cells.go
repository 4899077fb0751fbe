package page

import (
	"slices"

	"service/store/dashboard/geo"
)

// A rowAxis is the names of rows of cells, from the top down, each beside its row. An axis of y that has
// them has no scale.
type rowAxis struct {
	margin []string // what the margin beside the plot has room for
	names  []string // on a tablet and a desktop; "" for a row without one
	phone  []string // on a phone
	corner string   // above them; "" for none
	again  bool     // the plot beside it has them where the two are side by side, so they are written on a phone alone
}

func (r *rowAxis) draw(c canvas) {
	write := func(on widths, names []string) {
		c.group(group{look: axisText, anchor: atEnd, widths: on})
		if r.corner != "" {
			c.label(label{x: px(-8), down: -aboveCells, text: r.corner})
		}
		for i, text := range names {
			if text != "" {
				c.label(label{x: px(-8), y: of((float64(i) + 0.5) / float64(len(names))), down: 4, text: text})
			}
		}
		c.end()
	}
	switch {
	case !r.again && slices.Equal(r.names, r.phone):
		write(0, r.names)
		return
	case !r.again:
		defer write(tablet|desktop, r.names)
	}
	write(phone, r.phone)
}

// Cells are a grid of colours, whose rows an axis of y names.
type cellLayer struct {
	columns, rows int
	cells         []cellMark // row by row
	written       bool       // the values are written where all cells have room for theirs
}

// A cellMark is a cell. One without a colour has no value.
type cellMark struct {
	color color
	text  string
}

func (*cellLayer) extent(func(axisName, float64))      {}
func (*cellLayer) boxes(*plotAxes, float64, func(box)) {}

func (l *cellLayer) draw(c canvas, _ *plotAxes) {
	w, h := 1/float64(l.columns), 1/float64(l.rows)
	for k, cell := range l.cells {
		if cell.color > 0 {
			x, y := l.place(k)
			c.rect(rect{x: of(x), y: of(y), width: of(w), height: of(h), round: 3, color: cell.color})
		}
	}
}

// place is the upper left corner of a cell.
func (l *cellLayer) place(k int) (x, y float64) {
	return float64(k%l.columns) / float64(l.columns), float64(k/l.columns) / float64(l.rows)
}

// drawNames writes the values in the cells, by their colours.
func (l *cellLayer) drawNames(c canvas, to *laid) {
	on, ok := l.wideEnough(to)
	if !ok || !l.written {
		return
	}
	w, h := 1/float64(l.columns), 1/float64(l.rows)
	var texts [heatSteps + signSteps][]label
	for k, cell := range l.cells {
		if cell.color > 0 {
			x, y := l.place(k)
			step := cell.color - heatColor
			texts[step] = append(texts[step], label{x: of(x + w/2), y: of(y + h/2), down: 4, text: cell.text})
		}
	}
	for step, labels := range texts {
		if len(labels) == 0 {
			continue
		}
		c.group(group{look: cellText, anchor: atMiddle, widths: on, on: heatColor + color(step)})
		for _, l := range labels {
			c.label(l)
		}
		c.end()
	}
}

// wideEnough reports whether, and on which widths, all cells have room for their texts.
func (l *cellLayer) wideEnough(on *laid) (which widths, ok bool) {
	if on.plotAxes.height/float64(l.rows) < labelSize+5 {
		return 0, false
	}
	widest := 0.0
	for _, cell := range l.cells {
		widest = max(widest, labelWidth(cell.text))
	}
	fit := func(plot float64) bool { return widest+8 <= plot/float64(l.columns) }
	switch {
	case fit(on.widths[0]):
		return 0, true
	case fit(on.widths[1]):
		return tablet | desktop, true
	default:
		return desktop, fit(on.widths[2])
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
	color       color
}

func (*cellOutline) extent(func(axisName, float64))      {}
func (*cellOutline) boxes(*plotAxes, float64, func(box)) {}

func (l *cellOutline) draw(c canvas, _ *plotAxes) {
	c.extent(l.columns, l.rows)
	var rings [heatColor + heatSteps + signSteps][][]geo.Point
	for _, cell := range l.cells {
		x, y := int32(cell.column), int32(cell.row)
		rings[cell.color] = append(rings[cell.color], []geo.Point{{X: x, Y: y}, {X: x + 1, Y: y}, {X: x + 1, Y: y + 1}, {X: x, Y: y + 1}})
	}
	for of, rings := range rings {
		if len(rings) > 0 {
			c.shape(shape{rings: rings, color: color(of)})
		}
	}
	if len(l.lines) > 0 {
		c.shape(shape{rings: l.lines, color: otherColor})
	}
	c.end()
}
