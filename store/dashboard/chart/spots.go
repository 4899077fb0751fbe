package chart

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
	SmallestSpot = 3.0
	LargestSpot  = 18.0
)

// Spots are circles at two values, whose area may be a third one. The last is on top.
type Spots struct {
	Spots    []Spot
	Most     float64 // the largest size on all plots side by side; 0 for none
	AllNames bool    // each point should have its name beside it
}

// A Spot is one circle.
type Spot struct {
	X, Y, Size float64 // the size is NaN for a point without a size
	Color      canvas.Color
	Name       string   // beside it; "" for none
	First      bool     // its name is placed before others
	Title      []string // the text of its tooltip, in pieces
	Row        int      // of the table behind, from 1: the link of the point; 0 for none
}

func (l *Spots) extent(add func(on axisName, v float64)) {
	for i := range l.Spots {
		add(axisX, l.Spots[i].X)
		add(axisY, l.Spots[i].Y)
	}
}

// circle returns a spot on the plot.
func (l *Spots) circle(i int, f *plotAxes) canvas.Circle {
	s := &l.Spots[i]
	out := canvas.Circle{
		X: canvas.Of(1 - f.Axes[axisX].at(s.X)), Y: canvas.Of(f.Axes[axisY].at(s.Y)),
		Radius: 4, Color: s.Color, Sheer: true, Title: s.Title, Row: s.Row,
	}
	switch {
	case math.IsNaN(s.Size):
	case l.Most == 0:
		out.Radius = SmallestSpot
	default:
		out.Radius = SmallestSpot + (LargestSpot-SmallestSpot)*math.Sqrt(s.Size/l.Most)
	}
	return out
}

func (l *Spots) circles(f *plotAxes) []canvas.Circle {
	out := make([]canvas.Circle, len(l.Spots))
	for i := range out {
		out[i] = l.circle(i, f)
	}
	return out
}

func (l *Spots) boxes(f *plotAxes, width float64, add func(Box)) {
	for _, b := range boxesOfSpots(l.circles(f), width, f.height) {
		add(b)
	}
}

func (l *Spots) draw(c canvas.Canvas, f *plotAxes) {
	for i := range l.Spots {
		c.Circle(l.circle(i, f))
	}
}

const (
	NamedSpots  = 25  // the maximal number of points with names
	alwaysNamed = 8   // the number of these whose names may be aside or, on a map, on other points
	mostNamed   = 200 // the maximal number of points with names if all should have one
)

// A Naming limits names. The first names, in their order, may be aside of their points, joined to them by a line, or cover other points; if
// the points are few enough, all may. Names never overlap each other.
type Naming struct {
	Over  int // names that may be on other points
	Aside int // names that may be aside; 0 for none
	Most  int // names at most
}

// SomeNames is the naming of points if the spec chooses none.
var SomeNames = Naming{Over: alwaysNamed, Most: NamedSpots}

// naming returns the limits of names.
func (l *Spots) naming() Naming {
	if l.AllNames {
		return Naming{Over: mostNamed, Aside: mostNamed, Most: mostNamed}
	}
	first := 0
	for i := range l.Spots {
		first += stat.One(l.Spots[i].First)
	}
	return Naming{Over: max(first, 1), Aside: max(alwaysNamed, first), Most: max(NamedSpots, first)}
}

// drawNames writes the names of points beside them, if there is room: first those of chosen points, then those of the largest or, if they
// have no size, of those farthest out.
func (l *Spots) drawNames(c canvas.Canvas, at *Laid) {
	order := slices.DeleteFunc(stat.Indices(len(l.Spots)), func(i int) bool { return strings.TrimSpace(l.Spots[i].Name) == "" })
	if len(order) == 0 {
		return
	}
	dots := l.circles(&at.plotAxes)
	weight, names := make([]float64, len(dots)), make([]string, len(dots))
	for i, d := range dots {
		names[i] = SpotName(l.Spots[i].Name)
		if weight[i] = l.Spots[i].Size; math.IsNaN(weight[i]) {
			weight[i] = max(math.Abs(d.X.V-0.5), math.Abs(d.Y.V-0.5))
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(stat.One(l.Spots[b].First), stat.One(l.Spots[a].First)), cmp.Compare(weight[b], weight[a]))
	})
	masks := [...]canvas.Widths{canvas.Phone, canvas.Tablet, canvas.Desktop}
	for tier, width := range at.widths {
		c.Group(canvas.Group{Look: canvas.AxisText, Widths: masks[tier]})
		var taken []Box
		for i := range at.lines {
			b := at.lines[i].Boxes(width, at.plotAxes.height)
			taken = append(taken, b[:]...)
		}
		labels, lines := SpotNames(names, order, dots, taken, l.naming(), width, at.plotAxes.height)
		for _, line := range lines {
			c.Line(line)
		}
		for _, label := range labels {
			c.Label(label)
		}
		c.End()
	}
}

// Trends are straight lines over points, from one value of x to another.
type Trends []Trend

func (Trends) extent(func(axisName, float64)) {}

func (Trends) boxes(*plotAxes, float64, func(Box)) {}

func (l Trends) draw(c canvas.Canvas, f *plotAxes) {
	x := &f.Axes[axisX]
	lo, hi := x.of.straight(x.Lo), x.of.straight(x.Hi)
	var runs []canvas.Curve
	for i := range l {
		if from, to := max(l[i].From, lo), min(l[i].To, hi); from < to {
			runs = append(runs, l[i].curve(from, to, func(v float64) float64 { return Within(v, lo, hi) }, &f.Axes[axisY]))
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
