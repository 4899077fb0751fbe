package chart

import "service/store/dashboard/canvas"

// Bars are columns from one value to another.
type Bars struct {
	Bars     []Bar
	Totals   []StackTotal
	Least    float64 // height of a bar, at least
	Touching bool    // neighbours touch
	Targeted bool    // marks of targets are drawn over them
}

// A Bar is one bar, at fractions of the width.
type Bar struct {
	X1, X2   float64
	From, To float64
	Color    canvas.Color
	None     bool // nothing is drawn at its place
	Hatched  bool // of an incomplete period
	Outlined bool
	Bare     bool       // it has the colour of a tone
	Texts    *[2]string // the value as its column writes it, and shorter; nil if it is not written
	At       BarText
}

// A BarText is the position of a bar's value.
type BarText uint8

const (
	beyondBar BarText = iota // beyond its end
	OverBar
	InsideBar
)

// A StackTotal is the total of a stack of bars.
type StackTotal struct {
	X, Value float64
	Texts    [2]string
}

// LeastBar is the least height of a bar, as a share of the plot, so that it is visible.
const LeastBar = 0.003

func (l *Bars) extent(add func(on axisName, v float64)) {
	add(axisY, 0)
	for i := range l.Bars {
		add(axisY, l.Bars[i].From)
		add(axisY, l.Bars[i].To)
	}
}

func (b *Bar) box(y *placedAxis) Box {
	return Box{b.X1, b.X2, y.up(max(b.From, b.To)), y.up(min(b.From, b.To))}
}

func (l *Bars) boxes(f *plotAxes, _ float64, add func(Box)) {
	for i := range l.Bars {
		if b := &l.Bars[i]; !b.None {
			add(b.box(&f.Axes[axisY]))
		}
	}
}

func (l *Bars) draw(c canvas.Canvas, f *plotAxes) {
	y := &f.Axes[axisY]
	for i := range l.Bars {
		b := &l.Bars[i]
		if b.None {
			continue
		}
		at := b.box(y)
		c.Rect(canvas.Rect{
			X: canvas.Of(at.X1), Width: canvas.Of(at.X2 - at.X1), Y: canvas.Of(at.Y1), Height: canvas.Of(max(at.Y2-at.Y1, l.Least)),
			Color: b.Color, Hatched: b.Hatched, Outlined: b.Outlined, Touching: l.Touching, Bare: b.Bare,
		})
	}
	for i := range l.Bars { // a gap through the end of a bar that continues beyond the plot
		b := &l.Bars[i]
		if b.None {
			continue
		}
		if low := min(b.From, b.To); y.of.Min != nil && low < *y.of.Min && b.From <= b.To { // it begins below the plot
			if at := b.box(y); at.Y2 > at.Y1 {
				drawCut(c, at, true, f.height)
			}
		}
		if y.of.shows(b.To) || !y.of.has(b.To) {
			continue
		}
		if at := b.box(y); at.Y2 > at.Y1 {
			drawCut(c, at, b.To < b.From, f.height)
		}
	}
}

// drawCut draws a gap through the end of a bar that continues beyond the plot.
func drawCut(c canvas.Canvas, b Box, below bool, height float64) {
	y1, y2 := 12/height, 7/height
	if below {
		y1, y2 = 1-y1, 1-y2
	}
	c.Line(canvas.Line{X1: canvas.Of(b.X1), X2: canvas.Of(b.X2), Y1: canvas.Of(y1), Y2: canvas.Of(y2), Stroke: canvas.CutLine})
}

func (l *Bars) values(f *plotAxes, to *markValues) {
	y, above := &f.Axes[axisY], aboveBar
	if l.Targeted {
		above = aboveTarget
	}
	for i := range l.Bars {
		b := &l.Bars[i]
		at := b.box(y)
		if !b.None {
			to.crowd.marks = append(to.crowd.marks, at)
		}
		if b.Texts == nil {
			continue
		}
		v := MarkValue{x: (at.X1 + at.X2) / 2, y: at.Y1, Texts: *b.Texts, ways: above}
		switch {
		case b.At == InsideBar:
			v.y, v.ways, v.in = (at.Y1+at.Y2)/2, insideOf, &at
		case b.At == beyondBar && b.To < b.From:
			v.y, v.ways = at.Y2, belowBar
		}
		to.all = append(to.all, v)
	}
	for _, t := range l.Totals {
		to.all = append(to.all, MarkValue{x: t.X, y: y.up(t.Value), Texts: t.Texts, ways: above})
	}
}

// Links are lines from the end of each bar to the next, across the places of bars that are not drawn.
type Links struct{ Bars []Bar }

func (*Links) extent(func(axisName, float64)) {}

func (*Links) boxes(*plotAxes, float64, func(Box)) {}

func (l *Links) values(f *plotAxes, to *markValues) {
	to.crowd.lines = append(to.crowd.lines, l.segments(f)...)
}

func (l *Links) segments(f *plotAxes) (out []Segment) {
	y := &f.Axes[axisY]
	for i, b := range l.Bars {
		if i > 0 {
			level := y.up(l.Bars[i-1].To)
			out = append(out, Segment{l.Bars[i-1].X2, level, b.X1, level})
		}
		if b.None {
			level := y.up(b.To)
			out = append(out, Segment{b.X1, level, b.X2, level})
		}
	}
	return out
}

func (l *Links) draw(c canvas.Canvas, f *plotAxes) {
	for _, s := range l.segments(f) {
		c.Line(canvas.Line{X1: canvas.Of(s.X1), X2: canvas.Of(s.X2), Y1: canvas.Of(s.Y1), Y2: canvas.Of(s.Y2), Stroke: canvas.LinkLine})
	}
}
