package panel

import (
	"math"
	"slices"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
	"service/store/dashboard/cube"
	"service/store/dashboard/format"
)

// volumeHeight is the height of the bars below candles, in pixels.
const volumeHeight = 72

// A volume is the traded amount of each period, drawn as bars below the candles.
type volume struct {
	col   dashboard.Column
	value []float64 // of each place; NaN without a value
}

// linesOver returns the lines over the candles of an axis without gaps: the last values of the spec's measures in each period, and the
// moving average of the closes, or of the upper ends of ranges.
func (b *candlePanel) linesOver(candles []candle, closes dashboard.Column) *split {
	p := b.Panel
	out := *b.split
	out.series, out.value, out.exact, out.null = nil, nil, nil, nil
	add := func(col *dashboard.Column, c canvas.Color, of func(k *candle) any) {
		value, exact, null := make([]float64, len(candles)), make([]any, len(candles)), make([]bool, len(candles))
		for x := range candles {
			if k := &candles[x]; k.there {
				exact[x] = of(k)
			}
			v, ok := cube.Float(exact[x])
			value[x], null[x] = v, !ok
			if !ok {
				exact[x] = nil
			}
		}
		out.series = append(out.series, seriesOf{name: col.Label, color: c, col: col})
		out.value, out.exact, out.null = append(out.value, value), append(out.exact, exact), append(out.null, null)
	}
	for i, name := range p.Spec.Lines {
		add(p.col(name), canvas.SeriesColor(2+i), func(k *candle) any { return k.lines[i] })
	}
	if p.Spec.Average > 0 {
		own := out
		out.series, out.value, out.exact, out.null = nil, nil, nil, nil
		add(&closes, canvas.SeriesColor(2+len(p.Spec.Lines)), func(k *candle) any {
			if b.ranges {
				return k.exact[candleHigh]
			}
			return k.exact[candleClose]
		})
		average := p.movingAverages(&out)
		out = own
		if average != nil {
			out.series, out.value = append(out.series, average.series...), append(out.value, average.value...)
			out.exact, out.null = append(out.exact, average.exact...), append(out.null, average.null...)
		}
	}
	return &out
}

// along returns the split with other places: from has the place of s for each of them; -1 is a gap.
func (s *split) along(x []cube.Category, from []int) *split {
	out := *s
	out.x, out.value, out.exact, out.null = x, nil, nil, nil
	out.partial = nil
	for i := range s.series {
		value, exact, null := make([]float64, len(from)), make([]any, len(from)), make([]bool, len(from))
		for at, j := range from {
			if j >= 0 {
				value[at], exact[at], null[at] = s.value[i][j], s.exact[i][j], s.null[i][j]
			}
		}
		out.value, out.exact, out.null = append(out.value, value), append(out.exact, exact), append(out.null, null)
	}
	return &out
}

// compared returns the closes.
func (b *candlePanel) compared() *split { return b.closes() }

// closes returns the closes of the candles, or the upper ends of ranges, as a split of one series.
func (b *candlePanel) closes() *split {
	s := *b.split
	n := len(s.x)
	value, exact, null := make([]float64, n), make([]any, n), make([]bool, n)
	for x := range b.candles {
		if k := &b.candles[x]; k.there {
			if value[x], exact[x] = k.close, k.exact[candleClose]; b.ranges {
				exact[x] = k.exact[candleHigh]
			}
		}
	}
	s.value, s.exact, s.null = [][]float64{value}, [][]any{exact}, [][]bool{null}
	return &s
}

// fitTrend fits a straight line to the closes, or to the upper ends of ranges.
func (b *candlePanel) fitTrend() {
	s := b.closes()
	s.series = slices.Clone(s.series)
	s.series[0].color = canvas.SeriesColor(2 + len(b.over.series))
	at := b.slots.Middles()
	b.fitted = &overlay{at: at, trends: b.trendsOf(s, at, b.slots.At == nil && s.step != cube.Exact, false)}
	b.sayTrends(b.fitted.trends)
}

// addVolume computes the bars below the candles: the measure of each period, merged by its agg.
func (b *candlePanel) addVolume() {
	p, s := b.Panel, b.split
	if len(p.Spec.Bars) == 0 {
		return
	}
	col := p.col(p.Spec.Bars[0])
	if col == nil {
		return
	}
	g := p.Data.Group(p.ownRows(), cube.Query{
		By:       []cube.Dim{{Column: p.Spec.X, Grain: s.grain, Week: p.Env.week, Zone: p.Env.Zone}},
		Measures: []cube.Measure{p.Data.Measure(col)},
	})
	if p.Problem = p.Data.Env.Unclear(g, 0); p.Problem != "" {
		return
	}
	of := map[cube.Category]int{}
	for i := range g.Len() {
		of[g.Category(i, 0)] = i
	}
	v := &volume{col: *col, value: make([]float64, len(s.x))}
	for x, at := range s.x {
		v.value[x] = math.NaN()
		i, ok := of[at]
		var exact any
		if ok {
			if n, has := g.Value(i, 0); has {
				v.value[x], exact = n, g.Exact(i, 0)
			}
		}
		p.Grid.Rows[x] = append(p.Grid.Rows[x], exact)
	}
	p.Grid.Columns = append(p.Grid.Columns, Column{Column: *col})
	b.volume = v
}

// volumeChart returns the chart of the volume below the candles, in their colours, or nil for a panel without a volume.
func (b *candlePanel) volumeChart() *chart.Chart {
	v := b.volume
	if v == nil {
		return nil
	}
	format := format.OrInteger(v.col)
	h := b.newChart(v.col)
	h.Title, h.Says, h.Height = v.col.Label, b.Env.Text("bars below the candles"), volumeHeight
	h.Y = chart.Axis{Name: b.Env.Head(v.col, v.col.Label), Zero: true, Unit: unitOf(format), Sparse: true}
	h.Y.Write = func(s chart.Scale) []string {
		texts := b.Env.tickTexts(s, format)
		for i, at := range s.Ticks() { // only the ends fit
			if at != s.Lo && at != s.Hi {
				texts[i] = ""
			}
		}
		return texts
	}
	h.Places = b.slots.Places()
	bars, colors := &chart.Bars{Least: 0.01}, b.wayColors()
	for x, n := range v.value {
		if math.IsNaN(n) || n == 0 {
			continue
		}
		middle, half := b.slots.Middle(x), b.wide()/2
		one := chart.Bar{X1: middle - half, X2: middle + half, To: n, Color: canvas.OtherColor, Hatched: b.split.isPartial(x)}
		if k := &b.candles[x]; !b.ranges && k.there {
			one.Color, one.Outlined = colors[k.way()], k.way() == 0
		}
		bars.Bars = append(bars.Bars, one)
	}
	h.Under = []chart.Layer{bars}
	return h
}
