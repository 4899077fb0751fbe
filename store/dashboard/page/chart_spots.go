package page

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"service/store/dashboard/canvas"
	"service/store/dashboard/chart/stat"
)

// Radii of spots, in pixels.
const (
	smallestSpot = 3.0
	largestSpot  = 18.0
)

// Spots are circles at two values, whose area may be a third one. The last is on top.
type spotLayer struct {
	spots []spotMark
	most  float64 // the largest size on all plots beside each other; 0 for none
}

// A spotMark is one of them.
type spotMark struct {
	x, y, size float64 // the size is NaN for a point without a size
	color      canvas.Color
	name       string   // beside it; "" for none
	title      []string // what one reads of it, in pieces
	row        int      // of the table behind, from 1, whose link it follows; 0 for none
}

func (l *spotLayer) extent(add func(on axisName, v float64)) {
	for i := range l.spots {
		add(axisX, l.spots[i].x)
		add(axisY, l.spots[i].y)
	}
}

// circle is a spot where it is on the plot.
func (l *spotLayer) circle(i int, f *plotAxes) canvas.Circle {
	s := &l.spots[i]
	out := canvas.Circle{
		X: canvas.Of(1 - f.axes[axisX].at(s.x)), Y: canvas.Of(f.axes[axisY].at(s.y)),
		Radius: 4, Color: s.color, Sheer: true, Title: s.title, Row: s.row,
	}
	switch {
	case math.IsNaN(s.size):
	case l.most == 0:
		out.Radius = smallestSpot
	default:
		out.Radius = smallestSpot + (largestSpot-smallestSpot)*math.Sqrt(s.size/l.most)
	}
	return out
}

func (l *spotLayer) circles(f *plotAxes) []canvas.Circle {
	out := make([]canvas.Circle, len(l.spots))
	for i := range out {
		out[i] = l.circle(i, f)
	}
	return out
}

func (l *spotLayer) boxes(f *plotAxes, width float64, add func(box)) {
	for _, b := range boxesOfSpots(l.circles(f), width, f.height) {
		add(b)
	}
}

func (l *spotLayer) draw(c canvas.Canvas, f *plotAxes) {
	for i := range l.spots {
		c.Circle(l.circle(i, f))
	}
}

const (
	namedSpots  = 25 // points that have their names beside them, at most
	alwaysNamed = 8  // of these, as many whose names may be on other points
)

// drawNames writes the names of points beside them, where there is room: those of the largest
// first or, where they have no size, of those farthest out. A name may be on other points where so
// few have one that all can be named, and that of the first.
func (l *spotLayer) drawNames(c canvas.Canvas, at *laid) {
	order := slices.DeleteFunc(stat.Indices(len(l.spots)), func(i int) bool { return strings.TrimSpace(l.spots[i].name) == "" })
	if len(order) == 0 || at.room.small() {
		return
	}
	dots := l.circles(&at.plotAxes)
	weight, names := make([]float64, len(dots)), make([]string, len(dots))
	for i, d := range dots {
		names[i] = l.spots[i].name
		if weight[i] = l.spots[i].size; math.IsNaN(weight[i]) {
			weight[i] = max(math.Abs(d.X.V-0.5), math.Abs(d.Y.V-0.5))
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(weight[b], weight[a]) })
	masks := [...]canvas.Widths{canvas.Phone, canvas.Tablet, canvas.Desktop}
	for tier, width := range at.widths {
		c.Group(canvas.Group{Look: canvas.AxisText, Widths: masks[tier]})
		var taken []box
		for i := range at.lines {
			b := at.lines[i].boxes(width, at.plotAxes.height)
			taken = append(taken, b[:]...)
		}
		for _, label := range spotNames(names, order, dots, taken, width, at.plotAxes.height) {
			c.Label(label)
		}
		c.End()
	}
}

// Trends are straight lines over points, from one value of x to another.
type trendLayer []trendLine

func (trendLayer) extent(func(axisName, float64))      {}
func (trendLayer) boxes(*plotAxes, float64, func(box)) {}

func (l trendLayer) draw(c canvas.Canvas, f *plotAxes) {
	x := &f.axes[axisX]
	lo, hi := x.of.straight(x.lo), x.of.straight(x.hi)
	var runs []canvas.Curve
	for i := range l {
		if from, to := max(l[i].from, lo), min(l[i].to, hi); from < to {
			runs = append(runs, l[i].curve(from, to, func(v float64) float64 { return within(v, lo, hi) }, &f.axes[axisY]))
		}
	}
	if runs == nil {
		return
	}
	c.Viewport()
	for _, run := range runs {
		c.Curve(run)
	}
	c.End()
}
