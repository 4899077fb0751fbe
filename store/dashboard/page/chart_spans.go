package page

import (
	"service/store/dashboard/canvas"
)

// Spans are bars with lines from their ends to farther values: boxes, candles and ranges.
type spanLayer struct {
	spans []spanMark
	least float64 // height of a bar, at least
}

// A spanMark is one of them, in the middle of its place.
type spanMark struct {
	middle, width       float64 // of the plot
	low, from, to, high float64
	across              *float64 // a line across the bar; nil for none
	color               canvas.Color
	outlined            bool
	hatched             bool // of an incomplete period
}

func (l *spanLayer) extent(add func(on axisName, v float64)) {
	for i := range l.spans {
		s := &l.spans[i]
		add(axisY, s.low)
		add(axisY, s.high)
		if s.across != nil {
			add(axisY, *s.across)
		}
	}
}

func (s *spanMark) box(y *placedAxis) box {
	return box{s.middle - s.width/2, s.middle + s.width/2, y.up(s.high), y.up(s.low)}
}

func (l *spanLayer) boxes(f *plotAxes, _ float64, add func(box)) {
	for i := range l.spans {
		add(l.spans[i].box(&f.axes[axisY]))
	}
}

func (l *spanLayer) draw(c canvas.Canvas, f *plotAxes) {
	y := &f.axes[axisY]
	for i := range l.spans {
		if s := &l.spans[i]; y.of.reaches(s.low, s.high) {
			l.drawSpan(c, s, y)
		}
	}
}

// drawSpan draws as much of a span as is on the axis.
func (l *spanLayer) drawSpan(c canvas.Canvas, s *spanMark, y *placedAxis) {
	at, y1, y2 := s.box(y), y.up(s.to), y.up(s.from)
	middle := canvas.Of(s.middle)
	for _, end := range [...][2]float64{{at.y1, y1}, {y2, at.y2}} {
		if end[0] < end[1] {
			c.Line(canvas.Line{X1: middle, X2: middle, Y1: canvas.Of(end[0]), Y2: canvas.Of(end[1]), Stroke: canvas.ThinLine, Color: s.color})
		}
	}
	if y.of.reaches(s.from, s.to) && (s.across == nil || y1 < y2 || s.from == s.to) {
		c.Rect(canvas.Rect{
			X: canvas.Of(at.x1), Width: canvas.Of(at.x2 - at.x1), Y: canvas.Of(y1), Height: canvas.Of(max(y2-y1, l.least)),
			Color: s.color, Outlined: s.outlined, Hatched: s.hatched,
		})
	}
	if s.across != nil && y.of.shows(*s.across) {
		level := canvas.Of(y.at(*s.across))
		c.Line(canvas.Line{X1: canvas.Of(at.x1), X2: canvas.Of(at.x2), Y1: level, Y2: level, Stroke: canvas.BoldLine, Color: s.color})
	}
}

// Dots are circles at values.
type dotLayer []dotMark

type dotMark struct {
	x, value float64
	color    canvas.Color
}

func (l dotLayer) extent(add func(on axisName, v float64)) {
	for _, d := range l {
		add(axisY, d.value)
	}
}

func (dotLayer) boxes(*plotAxes, float64, func(box)) {}

func (l dotLayer) draw(c canvas.Canvas, f *plotAxes) {
	y := &f.axes[axisY]
	for _, d := range l {
		if y.of.shows(d.value) {
			c.Circle(canvas.Circle{X: canvas.Of(d.x), Y: canvas.Of(y.at(d.value)), Radius: 2.5, Color: d.color})
		}
	}
}
