package chart

import "service/store/dashboard/canvas"

// A RowTarget is a target of a horizontal bar.
type RowTarget struct {
	Series int
	Value  float64
}

// Targets are short marks across bars.
type Targets []Target

type Target struct{ X1, X2, Value float64 }

func (l Targets) extent(add func(on axisName, v float64)) {
	for _, t := range l {
		add(axisY, t.Value)
	}
}

// targetRoom is the distance of names from a mark, in pixels.
const targetRoom = 2

func (l Targets) boxes(f *plotAxes, _ float64, add func(Box)) {
	y := &f.Axes[axisY]
	for _, t := range l {
		if at := y.up(t.Value); y.of.shows(t.Value) {
			add(Box{t.X1, t.X2, at - targetRoom/f.height, at + targetRoom/f.height})
		}
	}
}

// values keeps the values of the bars away from the marks.
func (l Targets) values(f *plotAxes, to *markValues) {
	l.boxes(f, 0, func(b Box) { to.crowd.over = append(to.crowd.over, b) })
}

func (l Targets) draw(c canvas.Canvas, f *plotAxes) {
	y := &f.Axes[axisY]
	for _, t := range l {
		if y.of.shows(t.Value) {
			at := canvas.Of(y.at(t.Value))
			c.Line(canvas.Line{X1: canvas.Of(t.X1), X2: canvas.Of(t.X2), Y1: at, Y2: at, Stroke: canvas.MarkLine, Tone: "neutral"})
		}
	}
}
