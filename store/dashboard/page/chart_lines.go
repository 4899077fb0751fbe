package page

import (
	"math"
	"slices"
)

// Lines are curves through values, one over another: the first is on top.
type lineLayer struct {
	lines []valueLine
	over  bool // they keep their distance from other marks under them
	light bool // names can be read on them
}

// A valueLine is one of them.
type valueLine struct {
	on     axisName
	points []valuePoint
	color  color
	thin   bool
	bold   bool
}

// A valuePoint is a value at a fraction of the width.
type valuePoint struct {
	x, value float64
	broken   bool // the line is broken before it
	partial  bool // of an incomplete period
	none     bool // nothing is drawn here; of a stack, whose axis has the value all the same
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
	for i := range l.lines {
		boxesOf(add, clipped(l.lines[i].placed(f)), -1)
	}
}

func (l *lineLayer) draw(c canvas, f *plotAxes) {
	if len(l.lines) == 0 {
		return
	}
	c.viewport()
	for i := range l.lines {
		line := &l.lines[i]
		for _, run := range pieces(clipped(line.placed(f))) {
			run.color, run.thin, run.bold, run.over = line.color, line.thin, line.bold, l.over
			c.curve(run)
		}
	}
	c.end()
}

// placed are the points where they are on the plot, or beyond it. Of very many they are the extremes
// of each slice.
func (l *valueLine) placed(f *plotAxes) []rawPoint {
	y := &f.axes[l.on]
	out := make([]rawPoint, 0, len(l.points))
	broken := false
	for _, p := range l.points {
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

// boxesOf adds where a curve is and, unless floor is below zero, what is filled under it.
func boxesOf(add func(box), points []point, floor int) {
	for i, at := range points {
		from := at
		if i > 0 && !at.broken {
			from = points[i-1]
		}
		b := box{float64(from.x), float64(at.x), float64(min(from.y, at.y)), float64(max(from.y, at.y))}
		if floor >= 0 {
			b.y2 = float64(floor)
		}
		const around = 6 // thousandths: half a line, and some air
		add(box{(b.x1 - around) / 1000, (b.x2 + around) / 1000, (b.y1 - around) / 1000, (b.y2 + around) / 1000})
	}
}
