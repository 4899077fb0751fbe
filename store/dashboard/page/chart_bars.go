package page

import (
	"service/store/dashboard/canvas"
)

// Bars are columns from one value to another.
type barLayer struct {
	bars     []barMark
	totals   []stackTotal
	least    float64 // height of a bar, at least
	touching bool    // others are right beside each
	targeted bool    // the marks of targets are over them
}

// A barMark is one of them, at fractions of the width.
type barMark struct {
	x1, x2   float64
	from, to float64
	color    canvas.Color
	none     bool // nothing is drawn at its place
	hatched  bool // of an incomplete period
	outlined bool
	bare     bool       // it has the colour of a tone
	texts    *[2]string // the value as its column writes it, and shorter; nil where it is not written
	at       barText
}

// A barText says where the value of a bar is.
type barText uint8

const (
	beyondBar barText = iota // beyond its end
	overBar
	insideBar
)

// A stackTotal is the value of bars that are on one another.
type stackTotal struct {
	x, value float64
	texts    [2]string
}

// leastBar is how high a bar is at least, of the plot, for it to be seen.
const leastBar = 0.003

func (l *barLayer) extent(add func(on axisName, v float64)) {
	add(axisY, 0)
	for i := range l.bars {
		add(axisY, l.bars[i].from)
		add(axisY, l.bars[i].to)
	}
}

func (b *barMark) box(y *placedAxis) box {
	return box{b.x1, b.x2, y.up(max(b.from, b.to)), y.up(min(b.from, b.to))}
}

func (l *barLayer) boxes(f *plotAxes, _ float64, add func(box)) {
	for i := range l.bars {
		if b := &l.bars[i]; !b.none {
			add(b.box(&f.axes[axisY]))
		}
	}
}

func (l *barLayer) draw(c canvas.Canvas, f *plotAxes) {
	y := &f.axes[axisY]
	for i := range l.bars {
		b := &l.bars[i]
		if b.none {
			continue
		}
		at := b.box(y)
		c.Rect(canvas.Rect{
			X: canvas.Of(at.x1), Width: canvas.Of(at.x2 - at.x1), Y: canvas.Of(at.y1), Height: canvas.Of(max(at.y2-at.y1, l.least)),
			Color: b.color, Hatched: b.hatched, Outlined: b.outlined, Touching: l.touching, Bare: b.bare,
		})
	}
	for i := range l.bars { // a gap through the end of what goes on beyond the plot
		b := &l.bars[i]
		if b.none || y.of.shows(b.to) || !y.of.has(b.to) {
			continue
		}
		if at := b.box(y); at.y2 > at.y1 {
			drawCut(c, at, b.to < b.from, f.height)
		}
	}
}

// drawCut draws a gap through the end of a bar that goes on beyond the plot.
func drawCut(c canvas.Canvas, b box, below bool, height float64) {
	y1, y2 := 12/height, 7/height
	if below {
		y1, y2 = 1-y1, 1-y2
	}
	c.Line(canvas.Line{X1: canvas.Of(b.x1), X2: canvas.Of(b.x2), Y1: canvas.Of(y1), Y2: canvas.Of(y2), Stroke: canvas.CutLine})
}

func (l *barLayer) values(f *plotAxes, to *markValues) {
	y, above := &f.axes[axisY], aboveBar
	if l.targeted {
		above = aboveTarget
	}
	for i := range l.bars {
		b := &l.bars[i]
		at := b.box(y)
		if !b.none {
			to.crowd.marks = append(to.crowd.marks, at)
		}
		if b.texts == nil {
			continue
		}
		v := markValue{x: (at.x1 + at.x2) / 2, y: at.y1, texts: *b.texts, ways: above}
		switch {
		case b.at == insideBar:
			v.y, v.ways, v.in = (at.y1+at.y2)/2, insideOf, &at
		case b.at == beyondBar && b.to < b.from:
			v.y, v.ways = at.y2, belowBar
		}
		to.all = append(to.all, v)
	}
	for _, t := range l.totals {
		to.all = append(to.all, markValue{x: t.x, y: y.up(t.value), texts: t.texts, ways: above})
	}
}

// Links are lines from the end of each bar to the next, and across the places of those that are
// not drawn.
type linkLayer struct{ bars []barMark }

func (*linkLayer) extent(func(axisName, float64))      {}
func (*linkLayer) boxes(*plotAxes, float64, func(box)) {}
func (l *linkLayer) values(f *plotAxes, to *markValues) {
	to.crowd.lines = append(to.crowd.lines, l.segments(f)...)
}

func (l *linkLayer) segments(f *plotAxes) (out []segment) {
	y := &f.axes[axisY]
	for i, b := range l.bars {
		if i > 0 {
			level := y.up(l.bars[i-1].to)
			out = append(out, segment{l.bars[i-1].x2, level, b.x1, level})
		}
		if b.none {
			level := y.up(b.to)
			out = append(out, segment{b.x1, level, b.x2, level})
		}
	}
	return out
}

func (l *linkLayer) draw(c canvas.Canvas, f *plotAxes) {
	for _, s := range l.segments(f) {
		c.Line(canvas.Line{X1: canvas.Of(s.x1), X2: canvas.Of(s.x2), Y1: canvas.Of(s.y1), Y2: canvas.Of(s.y2), Stroke: canvas.LinkLine})
	}
}
