package page

import (
	"math"
	"slices"

	"service/store/dashboard/canvas"
	"service/store/dashboard/chart/stat"
)

const (
	dotsMost  = canvas.MaxSeries * 400 // of lines: a point alone is seen by its dot
	drawnMost = 1200                   // points of a curve; of more, only the extremes are drawn
)

// Lines are curves through values, with what is filled under them, in the order in which they are
// drawn. Straight lines and moving averages are over them.
type lineLayer struct {
	lines    []valueLine
	trends   []trendLine
	averages []valueLine
	over     bool // they keep their distance from other marks under them
	light    bool // names can be read on them
	stacked  bool // names cannot be read under them either
	extremes bool // the highest and the lowest value are worth more than others
	dots     dotRule
	radius   float64 // of dots, in pixels
	rimmed   bool
}

// A valueLine is one of them.
type valueLine struct {
	on     axisName
	points []valuePoint
	texts  [][2]string // of each point, the value as its column writes it, and shorter; nil where they are not written
	color  canvas.Color
	thin   bool
	fill   lineFill
}

// A lineFill is what is filled under a line.
type lineFill uint8

const (
	noFill    lineFill = iota
	pale               // down to zero, so that others shine through
	solid              // down to zero
	toTheNext          // down to the line that is drawn next
)

// A valuePoint is a value at a fraction of the width.
type valuePoint struct {
	x, value float64
	broken   bool // the line is broken before it
	partial  bool // of an incomplete period
	none     bool // nothing is drawn here; of a stack, whose axis has the value all the same
}

// A dotRule says which points of lines have a dot.
type dotRule uint8

const (
	noDots   dotRule = iota
	loneDots         // those without neighbours
	lastDots         // and the last
	allDots
)

// A trendLine is straight from one place of x to another.
type trendLine struct {
	*stat.Fit
	color    canvas.Color
	text     string
	from, to float64
}

// curve is the line where it is on the plot.
func (t *trendLine) curve(from, to float64, place func(x float64) float64, y *placedAxis) canvas.Curve {
	lo, hi := y.of.straight(y.lo), y.of.straight(y.hi)
	raw := make([]rawPoint, 2)
	for i, x := range [...]float64{from, to} {
		at := (t.At(x)/2 - hi/2) / (lo/2 - hi/2)
		raw[i] = rawPoint{x: place(x) * 1000, y: min(max(at*1000, -1e7), 1e7)}
	}
	return canvas.Curve{Points: clipped(raw), Color: t.color, Trend: true, Title: t.text}
}

func (l *lineLayer) extent(add func(on axisName, v float64)) {
	for i := range l.lines {
		for _, p := range l.lines[i].points {
			add(l.lines[i].on, p.value)
		}
	}
}

func (l *lineLayer) boxes(f *plotAxes, _ float64, add func(box)) {
	if l.light {
		return
	}
	floor := -1
	if l.stacked {
		floor = fillFloor(&f.axes[axisY])
	}
	for _, list := range [...][]valueLine{l.lines, l.averages} {
		for i := range list {
			boxesOf(add, clipped(list[i].placed(f)), floor)
		}
	}
}

// fillFloor is down to where is filled, in thousandths.
func fillFloor(y *placedAxis) int { return int(y.at(max(y.lo, min(0, y.hi)))*1000 + 0.5) }

func (l *lineLayer) draw(c canvas.Canvas, f *plotAxes) {
	if len(l.lines) == 0 {
		return
	}
	placed := make([][]rawPoint, len(l.lines))
	for i := range l.lines {
		placed[i] = l.lines[i].placed(f)
	}
	c.Viewport()
	for i := range l.lines {
		line := &l.lines[i]
		switch line.fill {
		case pale, solid:
			c.Area(canvas.Area{Points: pressed(placed[i]), Floor: fillFloor(&f.axes[line.on]), Color: line.color, Solid: line.fill == solid})
		case toTheNext:
			under := unbroken(pressed(placed[i+1]))
			for k, piece := range unbroken(pressed(placed[i])) {
				c.Area(canvas.Area{Points: piece, Under: under[k], Color: line.color, Solid: true})
			}
		}
		for _, run := range pieces(clipped(placed[i])) {
			run.Color, run.Thin, run.Over = line.color, line.thin, l.over
			c.Curve(run)
		}
	}
	for i := range l.trends {
		t := &l.trends[i]
		run := t.curve(t.from, t.to, func(x float64) float64 { return x }, &f.axes[axisY])
		run.Over = true // it would not be seen on a line with many points
		c.Curve(run)
	}
	for i := range l.averages {
		c.Curve(canvas.Curve{Points: clipped(l.averages[i].placed(f)), Color: l.averages[i].color, Bold: true})
	}
	c.End()
	l.drawDots(c, placed)
}

func (l *lineLayer) drawDots(c canvas.Canvas, placed [][]rawPoint) {
	drawn := 0
	for i, points := range placed {
		for j, at := range points {
			last := len(points) - 1
			alone := (j == 0 || at.broken) && (j == last || points[j+1].broken)
			has := l.dots == allDots || alone && l.dots != noDots || l.dots == lastDots && j == last && j > 0
			if !has || !at.inside() || drawn == dotsMost {
				continue
			}
			p := at.point()
			c.Circle(canvas.Circle{
				X: canvas.Of(float64(p.X) / 1000), Y: canvas.Of(float64(p.Y) / 1000), Radius: l.radius, Color: l.lines[i].color, Rimmed: l.rimmed,
			})
			drawn++
		}
	}
}

// placed are the points where they are on the plot, or beyond it. Of very many they are the
// extremes of each slice.
func (l *valueLine) placed(f *plotAxes) []rawPoint {
	y := &f.axes[l.on]
	out := make([]rawPoint, 0, len(l.points))
	broken := false
	for i := range l.points {
		p := &l.points[i]
		switch broken = broken || p.broken; {
		case p.none:
		case !y.of.has(p.value):
			broken = true
		default:
			out = append(out, rawPoint{math.Floor(p.x*1000 + 0.5), place(y.scale, p.value), broken, p.partial})
			broken = false
		}
	}
	if len(out) <= drawnMost {
		return out
	}
	return extremesOf(out)
}

// extremesOf are the points of a curve that has too many, but for those between others at one place.
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

// place is where a value is on a scale, in thousandths from the top, also a little beyond the
// plot: a line that leaves it far out leaves it steeply.
func place(sc scale, v float64) float64 { return min(max(sc.place(v)*1000, -1e7), 1e7) }

// boxesOf adds where a curve is and, unless floor is below zero, what is filled under it.
func boxesOf(add func(box), points []canvas.Point, floor int) {
	for i, at := range points {
		from := at
		if i > 0 && !at.Broken {
			from = points[i-1]
		}
		b := box{float64(from.X), float64(at.X), float64(min(from.Y, at.Y)), float64(max(from.Y, at.Y))}
		if floor >= 0 {
			b.y2 = float64(floor)
		}
		const around = 6 // thousandths: half a line, and some air
		add(box{(b.x1 - around) / 1000, (b.x2 + around) / 1000, (b.y1 - around) / 1000, (b.y2 + around) / 1000})
	}
}

// values are those of all points, from the line that is on top, and, where not all have room, the last of
// each line, its highest and its lowest.
func (l *lineLayer) values(f *plotAxes, to *markValues) {
	for i := range slices.Backward(l.lines) {
		line := &l.lines[i]
		y := &f.axes[line.on]
		points := clipped(line.placed(f))
		for j, at := range points {
			from := at
			if j > 0 && !at.Broken {
				from = points[j-1]
			}
			to.crowd.lines = append(to.crowd.lines,
				segment{float64(from.X) / 1000, float64(from.Y) / 1000, float64(at.X) / 1000, float64(at.Y) / 1000})
		}
		lo, hi, last, first := -1, -1, -1, len(to.all)
		for j, text := range line.texts {
			p := line.points[j]
			if !y.of.shows(p.value) {
				continue
			}
			last = len(to.all)
			to.all = append(to.all, markValue{x: p.x, y: y.at(p.value), texts: text, ways: besideLine})
			if lo < 0 || to.all[last].y > to.all[lo].y {
				lo = last
			}
			if hi < 0 || to.all[last].y < to.all[hi].y {
				hi = last
			}
		}
		if last < 0 {
			continue
		}
		to.some = append(to.some, to.all[last])
		for _, k := range slices.Compact([]int{hi, lo}) {
			if l.extremes && k != last && last > first {
				to.some = append(to.some, to.all[k])
			}
		}
	}
}
