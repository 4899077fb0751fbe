package panel

import (
	"service/store/dashboard"
	"service/store/dashboard/chart"
	"service/store/dashboard/cube"
	"service/store/dashboard/format"
)

// newChart returns a chart of the panel with a y axis in the format of a column, under its unit.
func (p *Panel) newChart(col dashboard.Column) *chart.Chart {
	h := &chart.Chart{
		Title: p.Title, Says: p.Summary, Height: int(p.plotHeight()), Room: p.room(), Offset: p.offset,
		Y: p.axisOf(dashboard.AxisY, col, format.OrInteger(col)),
	}
	if p.Parts == nil {
		h.Y.Name = p.Env.Head(col, "")
	}
	return h
}

// overSlots adds the places of a split, next to each other and with their names, to a chart.
func (p *Env) overSlots(h *chart.Chart, s *split, at *chart.Slots) {
	h.Places = at.Places()
	p.nameSlots(&h.X, s, at)
	h.X.Name = p.numberHead(s)
}

// numberHead returns the name of an axis of x whose places are numbers; "" for other axes, because times and categories need no name.
func (p *Env) numberHead(s *split) string {
	numbers := s.xcol.Type == cube.Integer || s.xcol.Type == cube.Number
	if !numbers || s.years {
		return ""
	}
	return p.Head(s.xcol, s.xcol.Label)
}

// inShares sets the axis of a chart of shares.
func (p *Panel) inShares(h *chart.Chart) {
	if p.Parts != nil {
		h.Y.Fixed, h.Y.Write = &percentScale, func(s chart.Scale) []string { return p.Env.tickTexts(s, "percent") }
	}
}

// percentScale is the scale of shares.
var percentScale = chart.Scale{Lo: 0, Hi: 1, Step: 0.25}

// eachBar calls f for each bar of the values of a split, with the values at its beginning and its end.
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

// barMarks returns the bars of the values of a split, next to each other or stacked. with completes a mark of the panel.
func (s *split) barMarks(values [][]float64, stacked bool, at *chart.Slots, with func(b *chart.Bar, series, x int)) []chart.Bar {
	var out []chart.Bar
	s.eachBar(values, stacked, func(i, x int, from, to float64) {
		left, width := s.barPlace(at, i, x, !stacked)
		b := chart.Bar{
			X1: left, X2: left + width, From: from, To: to, Color: s.series[i].color, None: s.value[i][x] == 0, Hatched: s.isPartial(x),
		}
		with(&b, i, x)
		out = append(out, b)
	})
	return out
}

// barPlace returns the left edge and the width of the bar of a series at a place of the axis, or of all bars together.
func (s *split) barPlace(at *chart.Slots, series, x int, beside bool) (left, width float64) {
	fill, n := chart.ShareOf(len(s.x), 0.2, 0.5, 0.72, 0.72), float64(len(s.series))
	left, width = at.Middle(x)-fill/2*at.Band, fill*at.Band
	if beside && n > 1 {
		width /= n
		left += float64(series) * width
	}
	return left, width
}

// A stack is the sums of the positive and of the negative values that are stacked so far.
type stack struct{ up, down float64 }

// put adds a value and returns where its bar begins.
func (s *stack) put(v float64) float64 {
	to := &s.down
	if v > 0 {
		to = &s.up
	}
	from := *to
	*to += v
	return from
}

// line returns a series of the split at places of the axis, with its drawn values. In a stack it has all places where some series has a
// value.
func (s *split) line(i int, values, at []float64, stacked bool) chart.Line {
	out := chart.Line{Points: make([]chart.Point, 0, len(values)), Color: s.series[i].color}
	broken := false
	for x, v := range values {
		broken = broken || s.breaks(i, x)
		has := s.has(i, x) || stacked && s.some(x)
		if !has && !stacked {
			continue
		}
		out.Points = append(out.Points, chart.Point{X: at[x], Value: v, Broken: broken && has, Partial: s.isPartial(x), None: !has})
		if has {
			broken = false
		}
	}
	return out
}

// lines returns all series of the split.
func (s *split) lines(at []float64) []chart.Line {
	out := make([]chart.Line, len(s.series))
	for i := range out {
		out[i] = s.line(i, s.value[i], at, false)
	}
	return out
}
