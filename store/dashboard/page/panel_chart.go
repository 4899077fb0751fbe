package page

import (
	"service/store/dashboard"
	"service/store/dashboard/format"
)

// newChart is a chart of the panel's, with an axis of y that is written in the format of a column, under its unit.
func (p *panel) newChart(col dashboard.Column) *chart {
	h := &chart{
		title: p.title, says: p.summary, height: int(p.plotHeight()), room: p.room(), offset: p.offset,
		y: p.axisOf(dashboard.AxisY, format.OrInteger(col)),
	}
	if p.family == nil && p.parts == nil { // small plots have it once, above all
		h.y.name = p.page.Head(col, "")
	}
	return h
}

// overSlots gives a chart the places of a split side by side, with their names.
func (p *panel) overSlots(h *chart, s *split, at *slots) {
	h.places = at.places()
	p.nameSlots(&h.x, s, at)
}

// shared gives a chart that is one of several small plots what these share.
func (p *panel) shared(h *chart) {
	if p.family != nil {
		h.y.reach = &p.family.reach
	}
	if p.parts != nil {
		h.y.fixed, h.y.write = &percentScale, func(s scale) []string { return p.tickTexts(s, "percent") }
	}
}

// percentScale is the scale of shares.
var percentScale = scale{lo: 0, hi: 1, step: 0.25}

// eachBar calls f for each bar of the values of a split, with those at which it begins and ends.
func (s *split) eachBar(values [][]float64, stacked bool, f func(series, x int, from, to float64)) {
	for x := range s.x {
		var st stack
		for i := range s.series {
			if !s.has(i, x) {
				continue
			}
			from := 0.0
			if stacked {
				from = st.put(values[i][x])
			}
			f(i, x, from, from+values[i][x])
		}
	}
}

// barMarks are the bars of the values of a split, side by side or on one another. with adds to a
// mark what the panel alone knows.
func (s *split) barMarks(values [][]float64, stacked bool, at *slots, with func(b *barMark, series, x int)) []barMark {
	var out []barMark
	s.eachBar(values, stacked, func(i, x int, from, to float64) {
		left, width := s.barPlace(at, i, x, !stacked)
		b := barMark{
			x1: left, x2: left + width, from: from, to: to, color: s.series[i].color, none: s.value[i][x] == 0, hatched: s.isPartial(x),
		}
		with(&b, i, x)
		out = append(out, b)
	})
	return out
}

// barPlace is where the bar of a series, or all bars together, begin at a place of the axis, and how wide they are.
func (s *split) barPlace(at *slots, series, x int, beside bool) (left, width float64) {
	fill, n := shareOf(len(s.x), 0.2, 0.5, 0.72, 0.72), float64(len(s.series))
	left, width = at.middle(x)-fill/2*at.band, fill*at.band
	if beside && n > 1 {
		width /= n
		left += float64(series) * width
	}
	return left, width
}

// A stack is how far values above and below zero reach that lie on one another.
type stack struct{ up, down float64 }

// put adds a value and returns where it begins.
func (s *stack) put(v float64) float64 {
	to := &s.down
	if v > 0 {
		to = &s.up
	}
	from := *to
	*to += v
	return from
}

// line is a series of the split at places of the axis, with the values that are drawn of it. In a
// stack it has all places where some series has a value.
func (s *split) line(i int, values, at []float64, stacked bool) valueLine {
	out := valueLine{points: make([]valuePoint, 0, len(values)), color: s.series[i].color}
	broken := false
	for x, v := range values {
		broken = broken || s.breaks(i, x)
		has := s.has(i, x) || stacked && s.some(x)
		if !has && !stacked {
			continue
		}
		out.points = append(out.points, valuePoint{at[x], v, broken && has, s.isPartial(x), !has})
		if has {
			broken = false
		}
	}
	return out
}

// lines are all series of the split.
func (s *split) lines(at []float64) []valueLine {
	out := make([]valueLine, len(s.series))
	for i := range out {
		out[i] = s.line(i, s.value[i], at, false)
	}
	return out
}
