package chart

import (
	"slices"
	"strings"

	"service/store/dashboard/canvas"
	"service/store/dashboard/geo"
)

// A RowAxis has the names of rows of cells, from the top down, each at its row. An axis of y with row names has no scale.
type RowAxis struct {
	Margin []string // texts that must fit into the margin on the left
	Right  []string // and into the margin on the right; nil for none
	Names  []string // on a tablet and a desktop, in one line or in two with a line break between them; "" for a row without one
	Phone  []string // on a phone, in the same form
	Corner string   // above them; "" for none
	Again  bool     // the plot next to it has the names if both are side by side, so these are written on a phone only
}

// The names of rows in two lines, in pixels.
const (
	rowLine  = 13 // from one line to the next
	TwoLines = 28 // the least height of a row that has room for them
)

// RowName returns a name for a row of a height and a margin of a width, both in pixels: in two lines if it needs and has them. The rest of
// a longer name is cut.
func RowName(name string, height, width float64) string {
	if height < TwoLines || canvas.LabelWidth(name) <= width {
		return canvas.ClipWidth(name, width)
	}
	return strings.Join(nameLines(name, width, 2), "\n")
}

// Draw writes the names.
func (r *RowAxis) Draw(c canvas.Canvas) {
	write := func(on canvas.Widths, names []string) {
		c.Group(canvas.Group{Look: canvas.AxisText, Anchor: canvas.AtEnd, Widths: on})
		if r.Corner != "" {
			c.Label(canvas.Label{X: canvas.Px(-8), Down: -canvas.AboveCells, Text: r.Corner})
		}
		for i, text := range names {
			first, second, two := strings.Cut(text, "\n")
			at := canvas.Label{X: canvas.Px(-8), Y: canvas.Of((float64(i) + 0.5) / float64(len(names))), Down: 4, Text: first}
			if two {
				at.Down -= rowLine / 2
			}
			if first != "" {
				c.Label(at)
			}
			if at.Down, at.Text = at.Down+rowLine, second; two {
				c.Label(at)
			}
		}
		c.End()
	}
	switch {
	case !r.Again && slices.Equal(r.Names, r.Phone):
		write(0, r.Names)
		return
	case !r.Again:
		defer write(canvas.Tablet|canvas.Desktop, r.Names)
	}
	write(canvas.Phone, r.Phone)
}

// Cells are a grid of colours, whose rows are named by an axis of y.
type Cells struct {
	Columns, Rows int
	Cells         []Cell // row by row
	Written       bool   // the values are written if they fit in all cells

	PartialColumns, PartialRows []bool // those of incomplete periods; nil for none
}

// A Cell is one cell. A cell without a colour has no value.
type Cell struct {
	Color canvas.Color
	Text  string
	Sign  string   // in place of Text where that does not fit; "" for none
	Title []string // the text of its tooltip, in pieces; nil if the table behind has it
	Row   int      // of the table behind, from 1: the link of the cell; 0 for none
}

// Turned returns the cells with their rows as columns.
func (l *Cells) Turned() *Cells {
	out := &Cells{
		Columns: l.Rows, Rows: l.Columns, Cells: make([]Cell, len(l.Cells)), Written: l.Written,
		PartialColumns: l.PartialRows, PartialRows: l.PartialColumns,
	}
	for k, cell := range l.Cells {
		out.Cells[k%l.Columns*out.Columns+k/l.Columns] = cell
	}
	return out
}

func (*Cells) extent(func(axisName, float64)) {}

func (*Cells) boxes(*plotAxes, float64, func(Box)) {}

func (l *Cells) draw(c canvas.Canvas, _ *plotAxes) {
	w, h := 1/float64(l.Columns), 1/float64(l.Rows)
	for k, cell := range l.Cells {
		if cell.Color > 0 {
			x, y := l.place(k)
			r := canvas.Rect{
				X: canvas.Of(x), Y: canvas.Of(y), Width: canvas.Of(w), Height: canvas.Of(h), Round: 3, Color: cell.Color,
				Title: cell.Title, Row: cell.Row,
			}
			if cell.Color < canvas.HeatColor { // the style draws edges of other cells
				r.X, r.Width = canvas.Of(x+cellGap/2), canvas.Of(w-cellGap)
				r.Y, r.Height = canvas.Of(y+h*rowGap/2), canvas.Of(h*(1-rowGap))
			}
			c.Rect(r)
		}
	}
	for k, cell := range l.Cells {
		if cell.Color > 0 && l.partial(k) {
			x, y := l.place(k)
			c.Rect(canvas.Rect{
				X: canvas.Of(x), Y: canvas.Of(y), Width: canvas.Of(w), Height: canvas.Of(h), Round: 3, Color: cell.Color, Veil: true,
			})
		}
	}
}

// partial reports whether a cell is of an incomplete period.
func (l *Cells) partial(k int) bool {
	column, row := k%l.Columns, k/l.Columns
	return l.PartialColumns != nil && l.PartialColumns[column] || l.PartialRows != nil && l.PartialRows[row]
}

// CellLines are lines between columns of cells, at fractions of the width.
type CellLines []float64

func (CellLines) extent(func(axisName, float64)) {}

func (CellLines) boxes(*plotAxes, float64, func(Box)) {}

func (l CellLines) draw(c canvas.Canvas, _ *plotAxes) {
	for _, at := range l {
		c.Line(canvas.Line{X1: canvas.Of(at), X2: canvas.Of(at), Y2: canvas.Of(1), Stroke: canvas.ReferenceLine, Tone: "neutral"})
	}
}

// place is the upper left corner of a cell.
func (l *Cells) place(k int) (x, y float64) {
	return float64(k%l.Columns) / float64(l.Columns), float64(k/l.Columns) / float64(l.Rows)
}

// The gaps between cells in the colours of values: a share of the width of all cells, and of the height of a row.
const (
	cellGap = 0.004
	rowGap  = 0.08
)

// drawNames writes the values in the cells, by their colours, or their signs on the widths on which values do not fit.
func (l *Cells) drawNames(c canvas.Canvas, to *Laid) {
	if !l.Written {
		return
	}
	const every = canvas.Phone | canvas.Tablet | canvas.Desktop
	texts, signs := l.fits(to)
	for _, of := range [...]struct {
		on   canvas.Widths
		text func(*Cell) string
	}{{texts, (*Cell).text}, {signs, (*Cell).sign}} {
		switch of.on {
		case 0:
		case every:
			l.write(c, 0, of.text)
		default:
			l.write(c, of.on, of.text)
		}
	}
}

func (c *Cell) text() string { return c.Text }

func (c *Cell) sign() string { return c.Sign }

// write writes the texts of the cells on some widths; 0 is all.
func (l *Cells) write(c canvas.Canvas, on canvas.Widths, text func(*Cell) string) {
	w, h := 1/float64(l.Columns), 1/float64(l.Rows)
	texts := cellTexts{on: on}
	for k := range l.Cells {
		if cell := &l.Cells[k]; cell.Color > 0 {
			x, y := l.place(k)
			texts.add(cell.Color, x+w/2, y+h/2, text(cell))
		}
	}
	texts.draw(c)
}

// cellTexts are the values in cells, by the colours under them.
type cellTexts struct {
	on      canvas.Widths
	byColor [int(canvas.HeatColor) + canvas.HeatColors][]canvas.Label
}

// add adds a value to be written in the middle of a cell, which is at fractions of the plot.
func (t *cellTexts) add(color canvas.Color, x, y float64, text string) {
	of := &t.byColor[color]
	*of = append(*of, canvas.Label{X: canvas.Of(x), Y: canvas.Of(y), Down: 4, Text: text})
}

func (t *cellTexts) draw(c canvas.Canvas) {
	for color, labels := range t.byColor {
		if len(labels) == 0 {
			continue
		}
		c.Group(canvas.Group{Look: canvas.CellText, Anchor: canvas.AtMiddle, Widths: t.on, On: canvas.Color(color)})
		for _, l := range labels {
			c.Label(l)
		}
		c.End()
	}
}

// fits returns the widths on which the texts of all cells fit, and the others on which their signs do.
func (l *Cells) fits(on *Laid) (texts, signs canvas.Widths) {
	if on.plotAxes.height/float64(l.Rows) < canvas.LabelSize+5 {
		return 0, 0
	}
	widest, sign := 0.0, 0.0
	for i := range l.Cells {
		widest, sign = max(widest, canvas.LabelWidth(l.Cells[i].Text)), max(sign, canvas.LabelWidth(l.Cells[i].Sign))
	}
	for i, width := range on.widths {
		switch column := width / float64(l.Columns); {
		case widest+8 <= column:
			texts |= canvas.Phone << i
		case sign > 0 && sign+signAir <= column:
			signs |= canvas.Phone << i
		}
	}
	return texts, signs
}

// signAir is the space beside a sign in a narrow cell, in pixels.
const signAir = 3

// Left returns how many texts do not fit, on each of the widths.
func (l *Cells) Left(on *Laid) PlacedValues {
	var t PlacedValues
	for _, cell := range l.Cells {
		if cell.Color > 0 {
			t.All++
		}
	}
	texts, signs := l.fits(on)
	for i := range t.Left {
		if (texts|signs)&(canvas.Phone<<i) == 0 {
			t.Left[i] = t.All
		}
	}
	return t
}

// A CellOutline is cells as outlines in a grid of columns and rows, each of which is a unit: thousands of them need little markup.
type CellOutline struct {
	Columns, Rows int
	Cells         []OutlinedCell
	Lines         [][]geo.Point // between cells
}

// An OutlinedCell is a cell. The colour 0 is for a cell without a value.
type OutlinedCell struct {
	Column, Row int
	Color       canvas.Color
	Text        string // its value, if that is written
	Framed      bool   // it has a frame
	Partial     bool   // it is not over
}

func (*CellOutline) extent(func(axisName, float64)) {}

func (*CellOutline) boxes(*plotAxes, float64, func(Box)) {}

func (l *CellOutline) draw(c canvas.Canvas, _ *plotAxes) {
	c.Extent(l.Columns, l.Rows)
	var rings [int(canvas.HeatColor) + canvas.HeatColors][][]geo.Point
	for _, cell := range l.Cells {
		x, y := int32(cell.Column), int32(cell.Row)
		rings[cell.Color] = append(rings[cell.Color], []geo.Point{{X: x, Y: y}, {X: x + 1, Y: y}, {X: x + 1, Y: y + 1}, {X: x, Y: y + 1}})
	}
	for of, rings := range rings {
		if len(rings) > 0 {
			c.Shape(canvas.Shape{Rings: rings, Color: canvas.Color(of)})
		}
	}
	if len(l.Lines) > 0 {
		c.Shape(canvas.Shape{Rings: l.Lines, Color: canvas.OtherColor})
	}
	c.End()
	for _, cell := range l.Cells {
		if cell.Partial && cell.Color > 0 {
			w, h := 1/float64(l.Columns), 1/float64(l.Rows)
			c.Rect(canvas.Rect{
				X: canvas.Of(float64(cell.Column) * w), Y: canvas.Of(float64(cell.Row) * h), Width: canvas.Of(w), Height: canvas.Of(h),
				Color: cell.Color, Veil: true,
			})
		}
		if cell.Framed {
			l.frame(c, cell)
		}
	}
}

// frame draws the four sides of a cell.
func (l *CellOutline) frame(c canvas.Canvas, cell OutlinedCell) {
	x1, x2 := float64(cell.Column)/float64(l.Columns), float64(cell.Column+1)/float64(l.Columns)
	y1, y2 := float64(cell.Row)/float64(l.Rows), float64(cell.Row+1)/float64(l.Rows)
	for _, side := range [...][4]float64{{x1, x2, y1, y1}, {x1, x2, y2, y2}, {x1, x1, y1, y2}, {x2, x2, y1, y2}} {
		c.Line(canvas.Line{
			X1: canvas.Of(side[0]), X2: canvas.Of(side[1]), Y1: canvas.Of(side[2]), Y2: canvas.Of(side[3]),
			Stroke: canvas.MarkLine, Tone: "neutral",
		})
	}
}

// drawNames writes the values in the cells, by their colours.
func (l *CellOutline) drawNames(c canvas.Canvas, to *Laid) {
	on, ok := l.wideEnough(to)
	if !ok {
		return
	}
	texts := cellTexts{on: on}
	for _, cell := range l.Cells {
		if cell.Color > 0 && cell.Text != "" {
			texts.add(cell.Color, (float64(cell.Column)+0.5)/float64(l.Columns), (float64(cell.Row)+0.5)/float64(l.Rows), cell.Text)
		}
	}
	texts.draw(c)
}

// wideEnough returns the widths on which the texts of all cells fit; ok is false if there is no such width.
func (l *CellOutline) wideEnough(on *Laid) (which canvas.Widths, ok bool) {
	widest := 0.0
	for _, cell := range l.Cells {
		widest = max(widest, canvas.LabelWidth(cell.Text))
	}
	if widest == 0 || on.plotAxes.height/float64(l.Rows) < canvas.LabelSize+1 {
		return 0, false
	}
	for i, width := range on.widths {
		if widest+1 <= width/float64(l.Columns) {
			which |= canvas.Phone << i
		}
	}
	if which == canvas.Phone|canvas.Tablet|canvas.Desktop {
		return 0, true
	}
	return which, which != 0
}

// Left returns how many texts do not fit, on each of the widths.
func (l *CellOutline) Left(on *Laid) PlacedValues {
	var t PlacedValues
	for _, cell := range l.Cells {
		if cell.Text != "" {
			t.All++
		}
	}
	which, ok := l.wideEnough(on)
	for i := range t.Left {
		if !ok || which != 0 && which&(canvas.Phone<<i) == 0 {
			t.Left[i] = t.All
		}
	}
	return t
}
