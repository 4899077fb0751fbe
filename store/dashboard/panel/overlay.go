package panel

import (
	"slices"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
	"service/store/dashboard/chart/stat"
)

// An overlay is the moving averages and the trends that are drawn over the marks of a chart along an axis.
type overlay struct {
	at       []float64 // places of the axis, as fractions of the width
	averages *split    // nil for none
	trends   []trend
	onRight  []bool // of each series; nil if all are on the left axis
}

// newOverlay computes the moving averages and the trends of a split whose places are at fractions of the width, and adds them to the table
// and to the sentence. each reports that the places are one for each step of the axis. named puts the name of a series before its trend.
func (p *Panel) newOverlay(s *split, at []float64, each, named bool) *overlay {
	o := &overlay{at: at, averages: p.addAverages(s), trends: p.trendsOf(s, at, each, named)}
	p.sayTrends(o.trends)
	return o
}

// layer returns the lines over other marks, with a distance from them; nil for none.
func (o *overlay) layer() []chart.Layer {
	if o == nil || o.averages == nil && len(o.trends) == 0 {
		return nil
	}
	out := &chart.Lines{Over: true}
	o.lay(out)
	return []chart.Layer{out}
}

// lay adds the averages and the trends to lines, the first on top.
func (o *overlay) lay(to *chart.Lines) {
	if o.averages != nil {
		to.Averages = o.averages.lines(o.at)
		for i, right := range o.onRight {
			if right {
				to.Averages[i].On = chart.AxisRight
			}
		}
		slices.Reverse(to.Averages)
	}
	for i := range slices.Backward(o.trends) {
		t := &o.trends[i]
		line := chart.Trend{Fit: &t.Fit, Color: t.color, Text: t.text, From: t.Fit.From, To: t.Fit.To}
		if o.onRight != nil && o.onRight[t.series] {
			line.On = chart.AxisRight
		}
		to.Trends = append(to.Trends, line)
	}
}

// addTo adds the lines to the legend of a chart, which can be nil, and returns it.
func (o *overlay) addTo(k *chart.Key) *chart.Key {
	if o == nil || o.averages == nil && len(o.trends) == 0 {
		return k
	}
	if k == nil {
		k = &chart.Key{Kind: canvas.LegendList}
	}
	k.Items = append(append(k.Items, o.averageItems()...), trendItems(o.trends)...)
	return k
}

// averageItems returns the averages' items of a legend.
func (o *overlay) averageItems() []canvas.Item {
	if o.averages == nil {
		return nil
	}
	var out []canvas.Item
	for _, se := range o.averages.series {
		out = append(out, canvas.Item{Color: se.color, Line: true, Name: se.name})
	}
	return out
}

// measured returns the split whose averages and trends are drawn over filled marks: the series themselves or, if together is not "", the
// sum of all series under that name, because they are stacked or each place has one series only. A single series gets a colour other than
// that of its marks, on which its lines would be invisible.
func (p *Env) measured(s *split, together string) *split {
	out := *s
	out.broken = nil
	if together == "" {
		if out.series = slices.Clone(s.series); len(out.series) == 1 {
			out.series[0].color = besideColor(out.series[0].color)
		}
		return &out
	}
	col := *s.series[0].col
	col.Label = together
	out.series = []seriesOf{{name: col.Label, color: canvas.OtherColor, col: &col}}
	value, exact, null := make([]float64, len(s.x)), make([]any, len(s.x)), make([]bool, len(s.x))
	for x := range s.x {
		some := false
		for i := range s.series {
			null[x] = null[x] || s.null[i][x]
			if s.has(i, x) {
				value[x], some = value[x]+s.value[i][x], true
			}
		}
		if null[x] = null[x] && !some; some {
			exact[x] = value[x]
		}
	}
	out.value, out.exact, out.null = [][]float64{value}, [][]any{exact}, [][]bool{null}
	return &out
}

// besideColor returns a colour of the palette other than c.
func besideColor(c canvas.Color) canvas.Color {
	if c == canvas.SeriesColor(1) {
		return canvas.SeriesColor(0)
	}
	return canvas.SeriesColor(1)
}

// averagesAmong returns the moving averages of a split some of whose places have no rows: bars have these, so that each step of time has
// its place. They are left out of the averages.
func (p *Rows) averagesAmong(s *split) *split {
	if p.Spec.Average == 0 {
		return nil
	}
	kept, from, back := []int{}, make([]int, len(s.x)), *s
	for x := range s.x {
		if from[x] = -1; s.some(x) || slices.ContainsFunc(s.null, func(row []bool) bool { return row[x] }) {
			from[x] = len(kept)
			kept = append(kept, x)
		}
	}
	if len(kept) == len(s.x) {
		return p.movingAverages(s)
	}
	back.x, back.value, back.exact, back.null = moved(s.x, kept), nil, nil, nil
	for i := range s.series {
		back.value, back.exact = append(back.value, moved(s.value[i], kept)), append(back.exact, moved(s.exact[i], kept))
		back.null = append(back.null, moved(s.null[i], kept))
	}
	if s.partial != nil {
		back.partial = moved(s.partial, kept)
	}
	of := p.movingAverages(&back)
	if of == nil {
		return nil
	}
	return of.along(s.x, from)
}

// addAverages computes the moving averages of a split, and adds them to the table and to the sentence. It returns nil without any.
func (p *Panel) addAverages(s *split) *split {
	of := p.averagesAmong(s)
	if of == nil {
		return nil
	}
	for i, se := range of.series {
		p.Grid.Columns = append(p.Grid.Columns, Column{Column: *se.col})
		for x := range p.Grid.Rows {
			p.Grid.Rows[x] = append(p.Grid.Rows[x], of.exact[i][x])
		}
	}
	p.Summary += " " + p.Env.averageSentence(of)
	return of
}

// trendsOf fits a straight line to each series, without its incomplete periods. On a logarithmic axis it is straight as drawn: constant
// relative growth.
func (p *Settings) trendsOf(s *split, at []float64, each, named bool) []trend {
	if p.Spec.Trend == "" || !p.ordinal(s, "trend", "No trend: values of %s have no order of their own.") {
		return nil
	}
	var out []trend
	var unfitted []string
	for i, se := range s.series {
		if se.pale {
			continue
		}
		var xs, ys []float64
		for x, v := range s.value[i] {
			if s.has(i, x) && !s.isPartial(x) && p.onLog(dashboard.AxisY, v) {
				xs, ys = append(xs, at[x]), append(ys, p.straight(dashboard.AxisY, v))
			}
		}
		f, ok := stat.LeastSquares(xs, ys)
		if !ok {
			unfitted = append(unfitted, canvas.Clip(se.name, 40))
			continue
		}
		length, per := p.Env.perPeriod(s)
		if each { // steps are equally wide
			length = 1 / float64(len(s.x)-1)
		}
		length *= at[len(at)-1] - at[0]
		t := trend{Fit: f, series: i, color: se.color, text: p.trendText(&f, *se.col, length, per)}
		if named {
			t.text = canvas.Clip(se.name, 40) + " · " + t.text
		}
		out = append(out, t)
	}
	p.noteUnfitted(unfitted, s.xcol)
	return out
}
