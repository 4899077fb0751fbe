package chart

import "service/store/dashboard/canvas"

// Spans are bars with lines from their ends to farther values: boxes, candles and ranges.
type Spans struct {
	Spans []Span
	Least float64 // height of a bar, at least
}

// A Span is one bar, in the middle of its place.
type Span struct {
	Middle, Width       float64 // of the plot
	Low, From, To, High float64
	Across              *float64 // a line across the bar; nil for none
	Color               canvas.Color
	Outlined            bool
	Hatched             bool       // of an incomplete period
	Texts               *[2]string // the value of the line across as its column writes it, and shorter; nil if it is not written
}

// values returns the values of the lines across bars, in the bars. No other value is written on a bar without one.
func (l *Spans) values(f *plotAxes, to *markValues) {
	y := &f.Axes[axisY]
	for i := range l.Spans {
		s := &l.Spans[i]
		in := s.box(y)
		if s.Texts == nil || s.Across == nil || !y.of.shows(*s.Across) {
			to.crowd.marks = append(to.crowd.marks, in)
			continue
		}
		in.Y1, in.Y2 = y.up(s.To), y.up(s.From)
		to.all = append(to.all, MarkValue{x: s.Middle, y: y.at(*s.Across), Texts: *s.Texts, ways: acrossBar, in: &in})
	}
}

// acrossBar is above or below a line across a bar.
var acrossBar = []labelPlace{{0, -5, canvas.AtMiddle}, {0, 14, canvas.AtMiddle}}

func (l *Spans) extent(add func(on axisName, v float64)) {
	for i := range l.Spans {
		s := &l.Spans[i]
		add(axisY, s.Low)
		add(axisY, s.High)
		if s.Across != nil {
			add(axisY, *s.Across)
		}
	}
}

func (s *Span) box(y *placedAxis) Box {
	return Box{s.Middle - s.Width/2, s.Middle + s.Width/2, y.up(s.High), y.up(s.Low)}
}

func (l *Spans) boxes(f *plotAxes, _ float64, add func(Box)) {
	for i := range l.Spans {
		add(l.Spans[i].box(&f.Axes[axisY]))
	}
}

func (l *Spans) draw(c canvas.Canvas, f *plotAxes) {
	y := &f.Axes[axisY]
	for i := range l.Spans {
		if s := &l.Spans[i]; y.of.reaches(s.Low, s.High) {
			l.drawSpan(c, s, y)
		}
	}
}

// drawSpan draws the part of a span that is on the axis.
func (l *Spans) drawSpan(c canvas.Canvas, s *Span, y *placedAxis) {
	at, y1, y2 := s.box(y), y.up(s.To), y.up(s.From)
	middle := canvas.Of(s.Middle)
	for _, end := range [...][2]float64{{at.Y1, y1}, {y2, at.Y2}} {
		if end[0] < end[1] {
			c.Line(canvas.Line{X1: middle, X2: middle, Y1: canvas.Of(end[0]), Y2: canvas.Of(end[1]), Stroke: canvas.ThinLine, Color: s.Color})
		}
	}
	if y.of.reaches(s.From, s.To) && (s.Across == nil || y1 < y2 || s.From == s.To) {
		c.Rect(canvas.Rect{
			X: canvas.Of(at.X1), Width: canvas.Of(at.X2 - at.X1), Y: canvas.Of(y1), Height: canvas.Of(max(y2-y1, l.Least)),
			Color: s.Color, Outlined: s.Outlined, Hatched: s.Hatched,
		})
	}
	if s.Across != nil && y.of.shows(*s.Across) {
		level := canvas.Of(y.at(*s.Across))
		c.Line(canvas.Line{X1: canvas.Of(at.X1), X2: canvas.Of(at.X2), Y1: level, Y2: level, Stroke: canvas.BoldLine, Color: s.Color})
	}
}

// Dots are circles at values.
type Dots []Dot

type Dot struct {
	X, Value float64
	Color    canvas.Color
}

func (l Dots) extent(add func(on axisName, v float64)) {
	for _, d := range l {
		add(axisY, d.Value)
	}
}

func (Dots) boxes(*plotAxes, float64, func(Box)) {}

func (l Dots) draw(c canvas.Canvas, f *plotAxes) {
	y := &f.Axes[axisY]
	for _, d := range l {
		if y.of.shows(d.Value) {
			c.Circle(canvas.Circle{X: canvas.Of(d.X), Y: canvas.Of(y.at(d.Value)), Radius: 2.5, Color: d.Color})
		}
	}
}

// ValueMarks are values over marks that other layers draw.
type ValueMarks []ValueMark

// A ValueMark is one of them, over a value at a fraction of the width.
type ValueMark struct {
	X, Value float64
	Texts    [2]string // the value as its column writes it, and shorter
}

func (ValueMarks) extent(func(axisName, float64)) {}

func (ValueMarks) boxes(*plotAxes, float64, func(Box)) {}

func (ValueMarks) draw(canvas.Canvas, *plotAxes) {}

func (l ValueMarks) values(f *plotAxes, to *markValues) {
	for _, m := range l {
		to.all = append(to.all, MarkValue{x: m.X, y: f.Axes[axisY].up(m.Value), Texts: m.Texts, ways: aboveBar})
	}
}
