package chart

import (
	"math"
	"slices"

	"service/store/dashboard/canvas"
)

// A Ribbon is the area between two lines that have their points at the same places.
type Ribbon struct{ Low, High Line }

func (l *Ribbon) extent(add func(on axisName, v float64)) {
	for _, line := range [...]*Line{&l.Low, &l.High} {
		for _, p := range line.Points {
			add(line.On, p.Value)
		}
	}
}

// boxes is empty: names can be read on a band.
func (*Ribbon) boxes(*plotAxes, float64, func(Box)) {}

func (l *Ribbon) draw(c canvas.Canvas, f *plotAxes) {
	pieces := l.pieces(f)
	c.Viewport()
	for _, p := range pieces {
		if len(p.high) > 1 {
			c.Area(canvas.Area{Points: p.high, Under: p.low, Color: l.High.Color})
		}
	}
	c.End()
	for _, p := range pieces {
		if len(p.high) > 1 {
			continue
		}
		x, y1, y2 := canvas.Of(float64(p.high[0].X)/1000), canvas.Of(float64(p.high[0].Y)/1000), canvas.Of(float64(p.low[0].Y)/1000)
		c.Line(canvas.Line{X1: x, X2: x, Y1: y1, Y2: y2, Stroke: canvas.ThinLine, Color: l.High.Color})
	}
}

// A bandPiece is an unbroken part of a band.
type bandPiece struct{ low, high []canvas.Point }

// pieces returns the parts of the band, pressed to the edges of the plot. Its ends are ordered by value. If there are very many points,
// those at one place become the widest range.
func (l *Ribbon) pieces(f *plotAxes) []bandPiece {
	var out []bandPiece
	y := &f.Axes[axisY]
	var before [2]rawPoint
	for i := range l.High.Points {
		var at [2]rawPoint
		for end, p := range [...]Point{l.Low.Points[i], l.High.Points[i]} {
			at[end] = rawPoint{x: math.Floor(p.X*1000 + 0.5), y: place(y.Scale, p.Value)}
		}
		if at[0].y < at[1].y {
			at[0], at[1] = at[1], at[0]
		}
		broken := i == 0 || l.High.Points[i].Broken
		if !broken && len(l.High.Points) > drawnMost && at[0].x == before[0].x {
			at[0].y, at[1].y = max(at[0].y, before[0].y), min(at[1].y, before[1].y)
			last := &out[len(out)-1]
			last.low, last.high = last.low[:len(last.low)-1], last.high[:len(last.high)-1]
		}
		if broken {
			out = append(out, bandPiece{})
		}
		last := &out[len(out)-1]
		if len(last.high) > 0 {
			last.cross(before, at)
		}
		last.add(at)
		before = at
	}
	return out
}

// add adds a place of the band, pressed to the plot.
func (b *bandPiece) add(at [2]rawPoint) {
	for end, to := range [...]*[]canvas.Point{&b.low, &b.high} {
		at[end].y = bound(at[end].y)
		*to = append(*to, at[end].point())
	}
}

// cross adds the places between two at which an end of the band crosses an edge of the plot.
func (b *bandPiece) cross(from, to [2]rawPoint) {
	var at []float64
	for end := range from {
		for _, edge := range [...]float64{0, 1000} {
			if (from[end].y < edge) != (to[end].y < edge) && from[end].y != edge && to[end].y != edge {
				at = append(at, (edge-from[end].y)/(to[end].y-from[end].y))
			}
		}
	}
	slices.Sort(at)
	for _, part := range at {
		var between [2]rawPoint
		for end := range from {
			between[end] = rawPoint{
				x: from[end].x + (to[end].x-from[end].x)*part, y: from[end].y + (to[end].y-from[end].y)*part,
			}
		}
		b.add(between)
	}
}
