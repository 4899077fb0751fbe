package chart

import (
	"service/store/dashboard/canvas"
)

// Paths are thin lines that join points in an order of their own, which may lead back.
type Paths []Path

// A Path joins points from the first to the last.
type Path struct {
	X, Y  []float64
	Color canvas.Color
}

func (Paths) extent(func(axisName, float64)) {}

func (Paths) boxes(*plotAxes, float64, func(Box)) {}

func (l Paths) draw(c canvas.Canvas, f *plotAxes) {
	if len(l) == 0 {
		return
	}
	c.Viewport()
	for _, p := range l {
		points := make([]canvas.Point, len(p.X))
		for i := range p.X {
			points[i] = canvas.Point{X: int((1-f.Axes[axisX].at(p.X[i]))*1000 + 0.5), Y: int(f.Axes[axisY].at(p.Y[i])*1000 + 0.5)}
		}
		c.Curve(canvas.Curve{Points: points, Color: p.Color, Thin: true})
	}
	c.End()
}
