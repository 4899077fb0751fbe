package chart

import (
	"math"

	"service/store/dashboard/canvas"
)

// besideBound returns bounds of an axis if one of them is fixed and the values are all on its other side.
func besideBound(lo, hi float64, fixedLo, log bool) (from, to float64) {
	fixed, way := hi, -1.0
	if fixedLo {
		fixed, way = lo, 1
	}
	free := fixed + way*max(math.Abs(fixed)/2, 1)
	if log {
		free = fixed * math.Pow(10, way)
	}
	free = min(max(free, -math.MaxFloat64), math.MaxFloat64)
	return min(fixed, free), max(fixed, free)
}

// Extremes are the least and the largest of values that have a place on an axis, or infinities in reverse order without values: see
// [NoExtremes].
type Extremes struct{ Lo, Hi float64 }

func NoExtremes() Extremes { return Extremes{math.Inf(1), math.Inf(-1)} }

// Join adds the values of others.
func (e *Extremes) Join(of Extremes) { e.Lo, e.Hi = min(e.Lo, of.Lo), max(e.Hi, of.Hi) }

func (e *Extremes) Add(v float64) { e.Lo, e.Hi = min(e.Lo, v), max(e.Hi, v) }

// A rawPoint is a point of a curve in thousandths of the plot. It may be above or below the plot.
type rawPoint struct {
	x, y            float64
	broken, partial bool
}

// inside reports whether the point is drawn on the plot.
func (r rawPoint) inside() bool { return r.y >= -0.5 && r.y < 1000.5 }

func (r rawPoint) point() canvas.Point {
	return canvas.Point{X: int(r.x + 0.5), Y: int(r.y + 0.5), Broken: r.broken, Partial: r.partial}
}

// edge returns the point at which the line between two points crosses a height.
func edge(a, b rawPoint, y float64) rawPoint {
	return rawPoint{x: a.x + (b.x-a.x)*(y-a.y)/(b.y-a.y), y: y, partial: a.partial || b.partial}
}

// clipped returns the part of a curve that is on the plot.
func clipped(raw []rawPoint) []canvas.Point {
	out := make([]canvas.Point, 0, len(raw))
	gap := false // before the next point
	add := func(r rawPoint, broken bool) {
		r.broken = (broken || gap) && len(out) > 0
		out, gap = append(out, r.point()), false
	}
	for i, to := range raw {
		if i == 0 || to.broken {
			gap = gap || to.broken
			if to.inside() {
				add(to, false)
			} else {
				gap = true
			}
			continue
		}
		from := raw[i-1]
		switch {
		case from.inside() && to.inside():
			add(to, false)
		case from.inside():
			add(edge(from, to, bound(to.y)), false)
			gap = true
		case to.inside():
			add(edge(from, to, bound(from.y)), true)
			add(to, false)
		case bound(from.y) != bound(to.y): // all across
			add(edge(from, to, bound(from.y)), true)
			add(edge(from, to, bound(to.y)), false)
			gap = true
		}
	}
	return out
}

// bound returns the edge of the plot that is nearest to a height.
func bound(y float64) float64 { return min(max(y, 0), 1000) }

// pressed returns a curve with its parts beyond the plot moved to the edge, so that the fill to it covers all of its area on the plot.
func pressed(raw []rawPoint) []canvas.Point {
	out := make([]canvas.Point, 0, len(raw))
	for i, to := range raw {
		if i > 0 && !to.broken {
			from := raw[i-1]
			edges := [...]float64{0, 1000}
			if to.y < from.y {
				edges = [...]float64{1000, 0}
			}
			for _, y := range edges {
				if (from.y < y) != (to.y < y) && from.y != y && to.y != y {
					out = append(out, edge(from, to, y).point())
				}
			}
		}
		to.y = bound(to.y)
		out = append(out, to.point())
	}
	return out
}
