package chart

import "service/store/dashboard/canvas"

// Tones are dots on a line, in the colours of tones.
type Tones struct {
	On   axisName
	Dots []ToneDot
}

// A ToneDot is a dot at a fraction of the width.
type ToneDot struct {
	X, Value float64
	Color    canvas.Color
}

func (*Tones) extent(func(axisName, float64)) {}

func (*Tones) boxes(*plotAxes, float64, func(Box)) {}

func (l *Tones) draw(c canvas.Canvas, f *plotAxes) {
	y := &f.Axes[l.On]
	for _, d := range l.Dots {
		if y.of.has(d.Value) && y.of.shows(d.Value) {
			c.Circle(canvas.Circle{X: canvas.Of(d.X), Y: canvas.Of(y.at(d.Value)), Radius: 3.5, Color: d.Color})
		}
	}
}
