package page

import (
	"math"
	"slices"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/encode"
)

// findBand takes the ends of the band from the split, puts them into the table behind, and adds the sentence about them. The band is
// broken where one of its ends is missing, and where periods without rows break lines.
func (p *linePanel) findBand() {
	s := p.split
	if p.spec.Band == nil || len(s.asides) != 2 {
		return
	}
	low, high := s.asides[0], s.asides[1]
	b := *s
	b.series, b.value, b.exact, b.null, b.broken = nil, nil, nil, nil, nil
	for _, a := range [...]aside{low, high} {
		p.grid.cols = append(p.grid.cols, gridColumn{Column: *a.col})
		exact, null := make([]any, len(s.x)), make([]bool, len(s.x))
		for x := range s.x {
			p.grid.rows[x] = append(p.grid.rows[x], a.exact[x])
			on := p.onLog(dashboard.AxisY, low.value[x]) && p.onLog(dashboard.AxisY, high.value[x])
			if exact[x] = a.exact[x]; !low.has(x) || !high.has(x) || !on {
				exact[x], null[x] = nil, s.has(0, x) || low.has(x) || high.has(x)
			}
		}
		b.series = append(b.series, seriesOf{name: a.col.Label, color: s.series[0].color, col: a.col})
		b.value, b.exact, b.null = append(b.value, a.value), append(b.exact, exact), append(b.null, null)
	}
	p.band = &b
	p.gapsOf(&b).findGaps(&b, false)
	p.sayBand(low, high)
}

// sayBand counts the values of the line outside of the band, and the places where its ends are the wrong way round.
func (p *linePanel) sayBand(low, high aside) {
	s := p.split
	outside, of, reversed := 0, 0, 0
	for x := range s.x {
		if !low.has(x) || !high.has(x) {
			continue
		}
		lo, hi := low.value[x], high.value[x]
		if lo > hi {
			reversed++
			lo, hi = hi, lo
		}
		if s.has(0, x) {
			if of++; s.value[0][x] < lo || s.value[0][x] > hi {
				outside++
			}
		}
	}
	if of > 0 {
		p.summary += " " + p.page.Text("%s: %s of %s values outside.", p.bandLines()[0].text,
			p.page.Number(float64(outside), 0), p.page.Number(float64(of), 0))
	}
	if reversed > 0 {
		p.report(encode.NotedCount(reversed, "At %d place the low end of the band is above the high one.",
			"At %d places the low end of the band is above the high one.").
			Warned(dashboard.WarnDoubtful, "band", `places where "%s" is above "%s": %d; the ends of the band may be the wrong way round.`,
				low.col.Name, high.col.Name, reversed))
	}
}

// bandLines is the band as the legend names it; nil for none.
func (p *linePanel) bandLines() []reference {
	b, s := p.spec.Band, p.split
	if b == nil || len(s.asides) < 2 {
		return nil
	}
	text := canvas.Clip(b.Label, 60)
	if text == "" {
		text = canvas.Clip(s.asides[0].col.Label, 40) + " – " + canvas.Clip(s.asides[1].col.Label, 40)
	}
	return []reference{{text: text, band: s.series[0].color}}
}

// eachEnd calls f for each end of the band, 0 for the low and 1 for the high one, at each place that has both.
func (p *linePanel) eachEnd(f func(end, x int, v float64)) {
	if p.band == nil {
		return
	}
	for end, values := range p.band.value {
		for x, v := range values {
			if p.band.has(end, x) {
				f(end, x, v)
			}
		}
	}
}

// bandLayer is the band through places of the axis; nil for none.
func (p *linePanel) bandLayer(at []float64) []layer {
	if p.band == nil {
		return nil
	}
	ends := p.band.lines(at)
	return []layer{&bandLayer{low: ends[0], high: ends[1]}}
}

// A band is what is between two lines that have their points at the same places.
type bandLayer struct{ low, high valueLine }

func (l *bandLayer) extent(add func(on axisName, v float64)) {
	for _, line := range [...]*valueLine{&l.low, &l.high} {
		for _, p := range line.points {
			add(line.on, p.value)
		}
	}
}

// boxes is empty: names can be read on a band.
func (*bandLayer) boxes(*plotAxes, float64, func(box)) {}

func (l *bandLayer) draw(c canvas.Canvas, f *plotAxes) {
	pieces := l.pieces(f)
	c.Viewport()
	for _, p := range pieces {
		if len(p.high) > 1 {
			c.Area(canvas.Area{Points: p.high, Under: p.low, Color: l.high.color})
		}
	}
	c.End()
	for _, p := range pieces {
		if len(p.high) > 1 {
			continue
		}
		x, y1, y2 := canvas.Of(float64(p.high[0].X)/1000), canvas.Of(float64(p.high[0].Y)/1000), canvas.Of(float64(p.low[0].Y)/1000)
		c.Line(canvas.Line{X1: x, X2: x, Y1: y1, Y2: y2, Stroke: canvas.ThinLine, Color: l.high.color})
	}
}

// A bandPiece is an unbroken part of a band.
type bandPiece struct{ low, high []canvas.Point }

// pieces are the parts of the band, pressed to the edges of the plot. Its ends are in the order of their values. Of very many points
// those at one place are the widest range.
func (l *bandLayer) pieces(f *plotAxes) []bandPiece {
	var out []bandPiece
	y := &f.axes[axisY]
	var before [2]rawPoint
	for i := range l.high.points {
		var at [2]rawPoint
		for end, p := range [...]valuePoint{l.low.points[i], l.high.points[i]} {
			at[end] = rawPoint{x: math.Floor(p.x*1000 + 0.5), y: place(y.scale, p.value)}
		}
		if at[0].y < at[1].y {
			at[0], at[1] = at[1], at[0]
		}
		broken := i == 0 || l.high.points[i].broken
		if !broken && len(l.high.points) > drawnMost && at[0].x == before[0].x {
			at[0].y, at[1].y = max(at[0].y, before[0].y), min(at[1].y, before[1].y)
			last := &out[len(out)-1]
			last.low, last.high = last.low[:len(last.low)-1], last.high[:len(last.high)-1]
		}
		if broken {
			out = append(out, bandPiece{})
		}
		last := &out[len(out)-1]
		if len(last.high) > 0 {
			last.cross(before, at)
		}
		last.add(at)
		before = at
	}
	return out
}

// add adds a place of the band, pressed to the plot.
func (b *bandPiece) add(at [2]rawPoint) {
	for end, to := range [...]*[]canvas.Point{&b.low, &b.high} {
		at[end].y = bound(at[end].y)
		*to = append(*to, at[end].point())
	}
}

// cross adds the places between two at which an end of the band crosses an edge of the plot.
func (b *bandPiece) cross(from, to [2]rawPoint) {
	var at []float64
	for end := range from {
		for _, edge := range [...]float64{0, 1000} {
			if (from[end].y < edge) != (to[end].y < edge) && from[end].y != edge && to[end].y != edge {
				at = append(at, (edge-from[end].y)/(to[end].y-from[end].y))
			}
		}
	}
	slices.Sort(at)
	for _, part := range at {
		var between [2]rawPoint
		for end := range from {
			between[end] = rawPoint{
				x: from[end].x + (to[end].x-from[end].x)*part, y: from[end].y + (to[end].y-from[end].y)*part,
			}
		}
		b.add(between)
	}
}
