package page

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
	color               color
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

func (l *spanLayer) draw(c canvas, f *plotAxes) {
	y := &f.axes[axisY]
	for i := range l.spans {
		if s := &l.spans[i]; y.of.reaches(s.low, s.high) {
			l.drawSpan(c, s, y)
		}
	}
}

// drawSpan draws as much of a span as is on the axis.
func (l *spanLayer) drawSpan(c canvas, s *spanMark, y *placedAxis) {
	at, y1, y2 := s.box(y), y.up(s.to), y.up(s.from)
	middle := of(s.middle)
	for _, end := range [...][2]float64{{at.y1, y1}, {y2, at.y2}} {
		if end[0] < end[1] {
			c.line(line{x1: middle, x2: middle, y1: of(end[0]), y2: of(end[1]), stroke: thinLine, color: s.color})
		}
	}
	if y.of.reaches(s.from, s.to) && (s.across == nil || y1 < y2 || s.from == s.to) {
		c.rect(rect{
			x: of(at.x1), width: of(at.x2 - at.x1), y: of(y1), height: of(max(y2-y1, l.least)),
			color: s.color, outlined: s.outlined, hatched: s.hatched,
		})
	}
	if s.across != nil && y.of.shows(*s.across) {
		level := of(y.at(*s.across))
		c.line(line{x1: of(at.x1), x2: of(at.x2), y1: level, y2: level, stroke: boldLine, color: s.color})
	}
}

// Dots are circles at values.
type dotLayer []dotMark

type dotMark struct {
	x, value float64
	color    color
}

func (l dotLayer) extent(add func(on axisName, v float64)) {
	for _, d := range l {
		add(axisY, d.value)
	}
}

func (dotLayer) boxes(*plotAxes, float64, func(box)) {}

func (l dotLayer) draw(c canvas, f *plotAxes) {
	y := &f.axes[axisY]
	for _, d := range l {
		if y.of.shows(d.value) {
			c.circle(circle{x: of(d.x), y: of(y.at(d.value)), radius: 2.5, color: d.color})
		}
	}
}
