package page

import (
	"math"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/encode"
)

// An axis in the spec: where it begins and ends, and whether it is
// logarithmic. Values outside of it are not drawn, and the panel reports them.

// axisOf is an axis of a chart of the panel's, which is written in a format.
func (p *panel) axisOf(which int, format string) axis {
	r := p.spec.Range[which]
	return axis{
		min: r.Min, max: r.Max, log: p.spec.Log(which), unit: format,
		write: func(s scale) []string { return p.tickTexts(s, format) },
	}
}

// besideBound are bounds of an axis of which one is fixed, and the other is not on its side.
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

// onAxis reports whether an axis has a place for a value: a logarithmic one has none
// for zero and what is below it.
func (p *panel) onLog(axis int, v float64) bool { return v > 0 || !p.spec.Log(axis) }

// drawn reports whether a value lies on its axis.
func (p *panel) drawn(axis int, v float64) bool {
	return p.onLog(axis, v) && !p.spec.Range[axis].Outside(v)
}

// extremes are the least and the largest of some values that an axis has a place for,
// or [missing] where there is none.
type extremes struct{ lo, hi float64 }

func noExtremes() extremes { return extremes{math.Inf(1), math.Inf(-1)} }

func (e *extremes) add(v float64) { e.lo, e.hi = min(e.lo, v), max(e.hi, v) }

// A census counts the values that an axis does not show.
type census struct {
	shown, log, outside int
}

func (c *census) count(p *panel, axis int, v float64) {
	switch {
	case !p.onLog(axis, v):
		c.log++
	case p.spec.Range[axis].Outside(v):
		c.outside++
	default:
		c.shown++
	}
}

// noteHidden says how many values the axis of the measures does not show. It is false
// where it shows none.
func (p *panel) noteHidden(c census) bool {
	r := p.spec.Range[dashboard.AxisY]
	if p.spec.Log(dashboard.AxisY) {
		p.report(encode.Noted("The axis is logarithmic."))
	}
	if c.log > 0 {
		p.report(encode.Noted("Left out, because not above zero: %s.", c.log).
			Warned(dashboard.WarnLeftOut, "scale",
				"%d values are zero or below, which a logarithmic axis does not have, and are left out; a linear one shows them.", c.log))
	}
	if c.outside > 0 {
		key := "y_max"
		if r.Max == nil {
			key = "y_min"
		}
		p.report(encode.Noted("Values outside the axis: %s.", c.outside).
			Warned(dashboard.WarnClipped, key,
				"values that lie outside the axis, and are cut off: %d; another y_min or y_max shows them.", c.outside))
	}
	if c.shown == 0 && c.log+c.outside > 0 {
		p.empty = p.page.Text("No value lies on the axis.")
		return false
	}
	return true
}

// reaches reports whether a reference line, or a part of a range, is on its axis.
func (p *panel) reaches(axis int, r reference) bool {
	lo, hi := r.ends()
	bounds := p.spec.Range[axis]
	return p.onLog(axis, hi) && !(bounds.Min != nil && hi < *bounds.Min) && !(bounds.Max != nil && lo > *bounds.Max)
}

// onScale are the reference lines that an axis has a place for. The others are told to
// readers and author.
func (p *panel) onScale(refs []reference, axis int) []reference {
	var out []reference
	for _, r := range refs {
		if p.reaches(axis, r) {
			out = append(out, r)
		}
	}
	return out
}

// noteReferences names the reference lines that are not drawn, because they lie outside
// of the axis.
func (p *panel) noteReferences(refs []reference, axis int) {
	for _, r := range refs {
		if !p.reaches(axis, r) {
			p.report(encode.Noted("The line %s lies outside the axis.", r.text).
				Warned(dashboard.WarnClipped, "reference",
					`the line "%s" lies outside the axis, and is not drawn; the range of the axis shows it.`, r.text))
		}
	}
}

// A rawPoint is a point of a curve that may lie above or below the plot, in thousandths.
type rawPoint struct {
	x, y            float64
	broken, partial bool
}

// inside reports whether the point lies on the plot, as far as it is drawn.
func (r rawPoint) inside() bool { return r.y >= -0.5 && r.y < 1000.5 }

func (r rawPoint) point() canvas.Point {
	return canvas.Point{X: int(r.x + 0.5), Y: int(r.y + 0.5), Broken: r.broken, Partial: r.partial}
}

// edge is where the line between two points meets a height.
func edge(a, b rawPoint, y float64) rawPoint {
	return rawPoint{x: a.x + (b.x-a.x)*(y-a.y)/(b.y-a.y), y: y, partial: a.partial || b.partial}
}

// clipped is the part of a curve that lies on the plot.
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

// bound is the edge of the plot that is nearest to a height.
func bound(y float64) float64 { return min(max(y, 0), 1000) }

// pressed is a curve whose parts beyond the plot lie on its edge: what is filled to it
// is all of the plot that it fills.
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
