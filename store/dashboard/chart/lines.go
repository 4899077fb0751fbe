package chart

import (
	"math"
	"slices"

	"service/store/dashboard/canvas"
	"service/store/dashboard/chart/stat"
)

const (
	dotsMost  = canvas.MaxSeries * 400 // maximum of drawn dots
	drawnMost = 1200                   // maximum of points of a curve; of a longer curve, only the extremes are drawn
)

// Lines are curves through values, and the areas filled under them, in the order in which they are drawn. Straight lines and moving
// averages are drawn over them.
type Lines struct {
	Lines    []Line
	Trends   []Trend
	Averages []Line
	Over     bool // they keep a distance from marks under them
	Light    bool // other texts may be drawn over them
	Stacked  bool // other texts may not be drawn over the areas under them either
	Extremes bool // the highest and the lowest value are written first
	Dots     dotRule
	Radius   float64 // of dots, in pixels
	Rimmed   bool
}

// A Line is one curve.
type Line struct {
	On     axisName
	Points []Point
	Texts  [][2]string // for each point: its value in the column's format, and a shorter text; nil if values are not written
	Color  canvas.Color
	Thin   bool
	Fill   lineFill
}

// A lineFill is the area that is filled under a line.
type lineFill uint8

const (
	noFill    lineFill = iota
	Pale               // down to zero, so that others shine through
	Solid              // down to zero
	ToTheNext          // down to the next line in the order of drawing
)

// A Point is a value at a fraction of the width.
type Point struct {
	X, Value float64
	Broken   bool // the line is broken before it
	Partial  bool // of an incomplete period
	None     bool // nothing is drawn here; in a stack, the axis includes the value nevertheless
}

// A dotRule selects the points of lines that have a dot.
type dotRule uint8

const (
	noDots   dotRule = iota
	LoneDots         // those without neighbours
	LastDots         // and the last
	AllDots
)

// A Trend is a straight line from one place of x to another.
type Trend struct {
	*stat.Fit
	On       axisName
	Color    canvas.Color
	Text     string
	From, To float64
}

// curve returns the part of the line that is on the plot.
func (t *Trend) curve(from, to float64, place func(x float64) float64, y *placedAxis) canvas.Curve {
	lo, hi := y.of.straight(y.Lo), y.of.straight(y.Hi)
	if y.Reverse {
		lo, hi = hi, lo
	}
	raw := make([]rawPoint, 2)
	for i, x := range [...]float64{from, to} {
		at := (t.At(x)/2 - hi/2) / (lo/2 - hi/2)
		raw[i] = rawPoint{x: place(x) * 1000, y: min(max(at*1000, -1e7), 1e7)}
	}
	return canvas.Curve{Points: clipped(raw), Color: t.Color, Trend: true, Title: t.Text}
}

func (l *Lines) extent(add func(on axisName, v float64)) {
	for i := range l.Lines {
		for _, p := range l.Lines[i].Points {
			add(l.Lines[i].On, p.Value)
		}
	}
}

func (l *Lines) boxes(f *plotAxes, _ float64, add func(Box)) {
	if l.Light {
		return
	}
	floor := -1
	if l.Stacked {
		floor = fillFloor(&f.Axes[axisY])
	}
	for _, list := range [...][]Line{l.Lines, l.Averages} {
		for i := range list {
			boxesOf(add, clipped(list[i].placed(f)), floor)
		}
	}
}

// fillFloor returns the lower edge of fills, in thousandths.
func fillFloor(y *placedAxis) int { return int(y.at(max(y.Lo, min(0, y.Hi)))*1000 + 0.5) }

func (l *Lines) draw(c canvas.Canvas, f *plotAxes) {
	if len(l.Lines)+len(l.Trends)+len(l.Averages) == 0 {
		return
	}
	placed := make([][]rawPoint, len(l.Lines))
	for i := range l.Lines {
		placed[i] = l.Lines[i].placed(f)
	}
	c.Viewport()
	for i := range l.Lines {
		line := &l.Lines[i]
		switch line.Fill {
		case Pale, Solid:
			c.Area(canvas.Area{Points: pressed(placed[i]), Floor: fillFloor(&f.Axes[line.On]), Color: line.Color, Solid: line.Fill == Solid})
		case ToTheNext:
			under := Unbroken(pressed(placed[i+1]))
			for k, piece := range Unbroken(pressed(placed[i])) {
				c.Area(canvas.Area{Points: piece, Under: under[k], Color: line.Color, Solid: true})
			}
		}
		for _, run := range pieces(clipped(placed[i])) {
			run.Color, run.Thin, run.Over = line.Color, line.Thin, l.Over
			c.Curve(run)
		}
	}
	for i := range l.Trends {
		t := &l.Trends[i]
		run := t.curve(t.From, t.To, func(x float64) float64 { return x }, &f.Axes[t.On])
		run.Over = true // otherwise it would not be visible on a line with many points
		c.Curve(run)
	}
	for i := range l.Averages {
		c.Curve(canvas.Curve{Points: clipped(l.Averages[i].placed(f)), Color: l.Averages[i].Color, Bold: true, Over: l.Over})
	}
	c.End()
	l.drawDots(c, placed)
}

func (l *Lines) drawDots(c canvas.Canvas, placed [][]rawPoint) {
	drawn := 0
	for i, points := range placed {
		for j, at := range points {
			last := len(points) - 1
			alone := (j == 0 || at.broken) && (j == last || points[j+1].broken)
			has := l.Dots == AllDots || alone && l.Dots != noDots || l.Dots == LastDots && j == last && j > 0
			if !has || !at.inside() || drawn == dotsMost {
				continue
			}
			p := at.point()
			c.Circle(canvas.Circle{
				X: canvas.Of(float64(p.X) / 1000), Y: canvas.Of(float64(p.Y) / 1000), Radius: l.Radius, Color: l.Lines[i].Color, Rimmed: l.Rimmed,
			})
			drawn++
		}
	}
}

// placed returns the points on the plot, or beyond it. If there are very many points, it returns the extremes of each slice.
func (l *Line) placed(f *plotAxes) []rawPoint {
	y := &f.Axes[l.On]
	out := make([]rawPoint, 0, len(l.Points))
	broken := false
	for i := range l.Points {
		p := &l.Points[i]
		switch broken = broken || p.Broken; {
		case p.None:
		case !y.of.has(p.Value):
			broken = true
		default:
			out = append(out, rawPoint{math.Floor(p.X*1000 + 0.5), place(y.Scale, p.Value), broken, p.Partial})
			broken = false
		}
	}
	if len(out) <= drawnMost {
		return out
	}
	return extremesOf(out)
}

// extremesOf keeps, of consecutive points with the same x, only the first, the lowest, the highest and the last.
func extremesOf(points []rawPoint) []rawPoint {
	var out []rawPoint
	for from := 0; from < len(points); {
		to := from + 1
		lo, hi := from, from
		for to < len(points) && points[to].x == points[from].x && !points[to].broken {
			if points[to].y < points[lo].y {
				lo = to
			}
			if points[to].y > points[hi].y {
				hi = to
			}
			to++
		}
		keep := []int{from, lo, hi, to - 1}
		slices.Sort(keep)
		for _, j := range slices.Compact(keep) {
			out = append(out, points[j])
		}
		from = to
	}
	return out
}

// place returns the position of a value on a scale, in thousandths from the top. It can be outside the plot, so that a line to a distant
// value leaves the plot at the right angle.
func place(sc Scale, v float64) float64 { return min(max(sc.place(v)*1000, -1e7), 1e7) }

// boxesOf adds the boxes of a curve and, unless floor is below zero, of the area filled under it.
func boxesOf(add func(Box), points []canvas.Point, floor int) {
	for i, at := range points {
		from := at
		if i > 0 && !at.Broken {
			from = points[i-1]
		}
		b := Box{float64(from.X), float64(at.X), float64(min(from.Y, at.Y)), float64(max(from.Y, at.Y))}
		if floor >= 0 {
			b.Y2 = float64(floor)
		}
		const around = 6 // thousandths: half a line, and some air
		add(Box{(b.X1 - around) / 1000, (b.X2 + around) / 1000, (b.Y1 - around) / 1000, (b.Y2 + around) / 1000})
	}
}

// values adds the values of all points to all, beginning with the line that is on top. It also adds the most important values to some: the
// last value of each line and, with Extremes, its highest and its lowest.
func (l *Lines) values(f *plotAxes, to *markValues) {
	l.overlaid(f, &to.crowd)
	for i := range slices.Backward(l.Lines) {
		line := &l.Lines[i]
		y := &f.Axes[line.On]
		points := clipped(line.placed(f))
		for j, at := range points {
			from := at
			if j > 0 && !at.Broken {
				from = points[j-1]
			}
			to.crowd.lines = append(to.crowd.lines,
				Segment{float64(from.X) / 1000, float64(from.Y) / 1000, float64(at.X) / 1000, float64(at.Y) / 1000})
		}
		lo, hi, last, first := -1, -1, -1, len(to.all)
		for j, text := range line.Texts {
			p := line.Points[j]
			if !y.of.shows(p.Value) {
				continue
			}
			last = len(to.all)
			to.all = append(to.all, MarkValue{x: p.X, y: y.at(p.Value), Texts: text, ways: besideLine})
			if lo < 0 || to.all[last].y > to.all[lo].y {
				lo = last
			}
			if hi < 0 || to.all[last].y < to.all[hi].y {
				hi = last
			}
		}
		if last < 0 || l.Over { // over other marks, no value of a line is more important than their values
			continue
		}
		to.some = append(to.some, to.all[last])
		for _, k := range slices.Compact([]int{hi, lo}) {
			if l.Extremes && k != last && last > first {
				to.some = append(to.some, to.all[k])
			}
		}
	}
}

// overlaid adds the averages and trends that are drawn over other marks, so that the values of these marks are not written on them.
func (l *Lines) overlaid(f *plotAxes, to *crowd) {
	if !l.Over {
		return
	}
	add := func(points []canvas.Point) {
		for i := 1; i < len(points); i++ {
			if a, b := points[i-1], points[i]; !b.Broken {
				to.lines = append(to.lines, Segment{float64(a.X) / 1000, float64(a.Y) / 1000, float64(b.X) / 1000, float64(b.Y) / 1000})
			}
		}
	}
	for i := range l.Averages {
		add(clipped(l.Averages[i].placed(f)))
	}
	for i := range l.Trends {
		t := &l.Trends[i]
		add(t.curve(t.From, t.To, func(x float64) float64 { return x }, &f.Axes[t.On]).Points)
	}
}

// Unbroken cuts points where a line through them is broken.
func Unbroken(points []canvas.Point) [][]canvas.Point {
	var out [][]canvas.Point
	for i, at := range points {
		if i == 0 || at.Broken {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], at)
	}
	return out
}

// pieces cuts a curve into solid and dashed pieces. Segments that begin or end
// at a point of an incomplete period are dashed.
func pieces(points []canvas.Point) []canvas.Curve {
	var out []canvas.Curve
	from := 0
	dashed := func(i int) bool { return points[i-1].Partial || points[i].Partial }
	for i := 1; i < len(points); i++ {
		if i > from+1 && dashed(i) != dashed(i-1) {
			out = append(out, canvas.Curve{Points: points[from:i], Dashed: dashed(i - 1)})
			from = i - 1
		}
	}
	last := canvas.Curve{Points: points[from:]}
	if len(points)-from > 1 {
		last.Dashed = dashed(len(points) - 1)
	}
	return append(out, last)
}
