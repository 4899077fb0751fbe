package chart

import (
	"math"

	"service/store/dashboard/canvas"
)

// A Density is points counted in cells of the plot, whose colours show the counts.
type Density struct {
	Columns, Rows int
	X, Y          Extremes // of all points
	Cells         []DenseCell
}

// A DenseCell is a cell with points.
type DenseCell struct {
	Column, Row int // from the left and from the top
	Count       int
	X, Y        Extremes // of its points
	Color       canvas.Color
	Title       []string // the text of its tooltip, in pieces
}

// Dense counts points in cells of the plot, row by row. Points beyond the axes are in no cell.
func (l *Laid) Dense(x, y []float64, columns, rows int) []DenseCell {
	all := make([]DenseCell, columns*rows)
	for i := range x {
		across, down := 1-l.Axes[axisX].place(x[i]), l.Axes[axisY].place(y[i])
		if !(across >= 0 && across <= 1 && down >= 0 && down <= 1) {
			continue
		}
		column, row := min(int(across*float64(columns)), columns-1), min(int(down*float64(rows)), rows-1)
		c := &all[row*columns+column]
		if c.Count++; c.Count == 1 {
			c.Column, c.Row, c.X, c.Y = column, row, NoExtremes(), NoExtremes()
		}
		c.X.Add(x[i])
		c.Y.Add(y[i])
	}
	var out []DenseCell
	for _, c := range all {
		if c.Count > 0 {
			out = append(out, c)
		}
	}
	return out
}

func (l *Density) extent(add func(on axisName, v float64)) {
	for _, v := range [...]float64{l.X.Lo, l.X.Hi} {
		add(axisX, v)
	}
	for _, v := range [...]float64{l.Y.Lo, l.Y.Hi} {
		add(axisY, v)
	}
}

func (l *Density) boxes(_ *plotAxes, _ float64, add func(Box)) {
	w, h := 1/float64(l.Columns), 1/float64(l.Rows)
	for i := range l.Cells {
		x, y := float64(l.Cells[i].Column)*w, float64(l.Cells[i].Row)*h
		add(Box{x, x + w, y, y + h})
	}
}

func (l *Density) draw(c canvas.Canvas, _ *plotAxes) {
	w, h := 1/float64(l.Columns), 1/float64(l.Rows)
	// One decimal of a percent is a fraction of a pixel, and halves the size of the page.
	short := func(v float64) canvas.Coord { return canvas.Of(math.Round(v*1e4) / 1e4) }
	for i := range l.Cells {
		cell := &l.Cells[i]
		c.Rect(canvas.Rect{
			X: short(float64(cell.Column) * w), Y: short(float64(cell.Row) * h), Width: short(w), Height: short(h),
			Color: cell.Color, Bare: true, Title: cell.Title,
		})
	}
}
