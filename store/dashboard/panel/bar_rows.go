package panel

import (
	"math"
	"slices"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
	"service/store/dashboard/format"
)

// rowLines returns the reference lines across horizontal bars.
func (p *barPanel) rowLines() []chart.Reference {
	return p.onScale(p.references(p.split), dashboard.AxisY)
}

// rowReach returns the range of the values of horizontal bars, of their lines and of their targets.
func (p *barPanel) rowReach() chart.Extremes {
	lo, hi := p.extent()
	for _, r := range p.rowLines() {
		from, to := r.Ends()
		for _, v := range [...]float64{from, to} {
			if !math.IsInf(v, 0) {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
	}
	if most := p.highestTarget(); most >= hi && most > lo {
		hi += (most - lo) / 100 // otherwise half of the mark would be beyond the end
	}
	if p.Spec.Diverging && p.Parts != nil {
		lo, hi = min(lo, -hi), max(hi, -lo)
	}
	return chart.Extremes{Lo: lo, Hi: hi}
}

// share gives the horizontal bars of small plots one axis, and one domain of colours.
func (p *barPanel) share(f *family, all []Content) {
	ends := chart.NoExtremes()
	for _, c := range all {
		ends.Join(c.(*barPanel).rowReach())
	}
	for _, c := range all {
		c.(*barPanel).ends = &ends
	}
	if p.tinted == nil {
		return
	}
	f.shareRamp(all)
	for _, c := range all {
		c.(*barPanel).own = c.(*barPanel).tints()
	}
}

// keyAbove returns the legend above horizontal bars; it includes the reference lines, which have no names on the plot.
func (p *barPanel) keyAbove() *chart.Key {
	if !p.Spec.Horizontal {
		return nil
	}
	return p.tinted.addTo(p.Env, p.tones.addTo(p.legendOf(p.bothPeriods(), append(targetLines(p.targets), p.rowLines()...)...)))
}

// drawRows draws the bars as a list: name, value, share, bar. Reference lines are short marks across each bar.
func (p *barPanel) drawRows(c canvas.Canvas) {
	s, refs, ends := p.split, p.rowLines(), p.rowReach()
	if p.ends != nil {
		ends = *p.ends
	}
	lo, hi, y := ends.Lo, ends.Hi, p.Spec.Range[dashboard.AxisY]
	if y.Min != nil {
		lo = *y.Min
	}
	if y.Max != nil {
		hi = *y.Max
	}
	if stat.Flat(lo, hi) {
		lo, hi = 0, 1
	}
	at := func(v float64) float64 { return min(max(chart.Within(v, lo, hi), 0), 1) }
	height, beside, compared := 8, p.beside(), p.before.drawnBySpec()
	switch {
	case beside:
		height = 7*len(s.series) - 1
	case compared:
		height = 7*2 - 1
	}
	targets := p.targetsByRow()
	around := 0 // pixels around a bar that make lines visible
	if len(refs)+len(p.targets) > 0 {
		around = 2
	}
	c.List(canvas.BarList)
	bars := make([][]canvas.Rect, len(s.x))
	cuts := make([][]canvas.Line, len(s.x))
	cut := func(x int, to float64) { // a gap at the end of a bar that extends beyond the axis
		switch {
		case y.Outside(to) && to > 0:
			cuts[x] = append(cuts[x], canvas.Line{X1: canvas.Of(0.965), X2: canvas.Of(0.975), Y1: canvas.Of(1), Stroke: canvas.CutLine})
		case y.Outside(to):
			cuts[x] = append(cuts[x], canvas.Line{X1: canvas.Of(0.025), X2: canvas.Of(0.035), Y1: canvas.Of(1), Stroke: canvas.CutLine})
		}
	}
	p.eachBar(func(i, x int, from, to float64) {
		a, b := at(from), at(to)
		if from == to {
			return
		}
		r := canvas.Rect{
			X: canvas.Of(min(a, b)), Width: canvas.Of(math.Abs(b - a)), Y: canvas.Px(float64(around)), Height: canvas.Px(8), Color: p.color(i, x),
		}
		r.Bare = r.Color >= canvas.HeatColor
		r.Title = p.rowTitle(i, x)
		switch {
		case beside || compared:
			r.Y, r.Height, r.Round = canvas.Px(float64(around+7*i)), canvas.Px(6), 2
		case !p.stacked:
			r.Round = 3
		}
		if around == 0 && !beside && !compared {
			r.Y = canvas.Coord{}
		}
		bars[x] = append(bars[x], r)
		cut(x, to)
	})
	if compared {
		p.earlierRows(at, float64(around+7), func(x int, v float64, r canvas.Rect) {
			bars[x] = slices.Insert(bars[x], 0, r) // under the other bar where both have one line of text
			cut(x, v)
		})
	}
	ways, even := p.Ways(), p.evenOf(s)
	for x, category := range s.x {
		sum, some := 0.0, false
		for i := range s.series {
			if s.has(i, x) {
				sum += s.value[i][x]
				some = true
			}
		}
		it := canvas.Item{Name: p.Env.Cell(s.xcol, s.grain, category), Way: ways.Of(p.Grid.Columns[0].Mark(category))}
		switch {
		case p.Spec.Labels != nil && !*p.Spec.Labels:
		case beside, p.Parts != nil:
			it.Value = p.valuesOf(x)
		case compared:
			it.Value, _ = p.bothValues(even, x)
		case !some:
			it.Value = format.None
		case len(s.series) == 1:
			it.Value = p.Env.Quantity(even, s.exact[0][x])
		case p.alone:
			i := slices.IndexFunc(s.exact, func(of []any) bool { return of[x] != nil })
			it.Value = p.Env.Quantity(even, s.exact[i][x])
		default:
			it.Value = p.Env.Quantity(even, sum)
		}
		if p.shares != nil {
			it.Share = p.shares(x)
		}
		c.Item(it)
		c.Picture(canvas.Picture{Kind: canvas.StripPicture, Height: height + 2*around})
		for _, r := range refs {
			if from, to := r.Ends(); r.Shaded {
				c.Rect(canvas.Rect{X: canvas.Of(at(from)), Width: canvas.Of(at(to) - at(from)), Height: canvas.Of(1), Shade: true, Tone: r.Tone})
			}
		}
		for _, r := range bars[x] {
			c.Rect(r)
		}
		for _, l := range cuts[x] {
			c.Line(l)
		}
		for _, r := range refs {
			if r.Shaded {
				continue
			}
			c.Line(canvas.Line{X1: canvas.Of(at(r.Value)), X2: canvas.Of(at(r.Value)), Y2: canvas.Of(1), Stroke: canvas.MarkLine, Tone: r.Tone})
		}
		for _, t := range targets[x] {
			l := canvas.Line{X1: canvas.Of(at(t.Value)), X2: canvas.Of(at(t.Value)), Y2: canvas.Of(1), Stroke: canvas.MarkLine, Tone: "neutral"}
			if beside || compared {
				l.Y1, l.Y2 = canvas.Px(float64(around+7*t.Series)), canvas.Px(float64(around+7*t.Series+6))
			}
			c.Line(l)
		}
		c.End()
		c.End()
	}
	c.End()
}

// earlierRows calls f for each horizontal bar of the earlier period, which is y pixels from the top of its row, and has a value.
func (p *barPanel) earlierRows(at func(v float64) float64, y float64, f func(x int, v float64, r canvas.Rect)) {
	s := p.before.split
	for x, v := range s.value[0] {
		if s.has(0, x) && v != 0 {
			a, b := at(0), at(v)
			f(x, v, canvas.Rect{
				X: canvas.Of(min(a, b)), Width: canvas.Of(math.Abs(b - a)), Y: canvas.Px(y), Height: canvas.Px(6), Round: 2, Color: s.series[0].color,
			})
		}
	}
}

// rowTitle returns the tooltip of a bar of a list in pieces if the spec adds columns to it, and else nil: the value is beside the bar.
func (p *barPanel) rowTitle(i, x int) []string {
	if g, _ := p.behind(); g.Extras() == 0 {
		return nil
	}
	s := p.split
	out := []string{p.Env.Cell(s.xcol, s.grain, s.x[x]), "\n"}
	if len(s.series) > 1 {
		out = append(out, canvas.Clip(s.series[i].name, 60), "  ")
	}
	return append(append(out, p.Env.Quantity(*s.series[i].col, s.exact[i][x])), p.extraTitle(x)...)
}

// evenOf returns the column of the values next to bars, with a format for values below each other.
func (p *barPanel) evenOf(s *split) dashboard.Column {
	col := *s.series[0].col
	if col.Format = format.OrInteger(col); col.Format == "" || col.Format == "number" {
		values := s.exact[0]
		if p.before.drawnBySpec() {
			values = slices.Concat(values, p.before.split.exact[0])
		}
		col.Format = evenDecimals(col.Format, slices.Values(values))
	}
	var shown []any
	for x := range s.x {
		sum := 0.0
		for i := range s.series {
			sum += s.value[i][x]
			if !p.stacked || p.alone || len(s.series) == 1 {
				shown = append(shown, s.exact[i][x])
			}
		}
		if p.stacked && !p.alone && len(s.series) > 1 {
			shown = append(shown, sum)
		}
	}
	col.Format = p.Env.Apart(col, slices.Values(shown))
	return col
}

// mostBeside is the maximum number of letters of the values of a group of horizontal bars.
const mostBeside = 34

// valuesOf returns the values of a group of horizontal bars, in the order of the bars; "" if they do not fit.
func (p *barPanel) valuesOf(x int) string {
	texts := make([]string, len(p.split.series))
	for i := range texts {
		texts[i] = format.None
		switch {
		case !p.split.has(i, x):
		case p.Parts != nil:
			texts[i] = p.Env.Share(p.Parts[i][x], 0)
		default:
			texts[i] = p.Env.InUnit(*p.split.series[i].col, p.valueTexts(i, x)[0])
		}
	}
	if s := strings.Join(texts, " · "); canvas.Letters(s) <= mostBeside {
		return s
	}
	return ""
}

// bothValues returns the value of a horizontal bar and that of the earlier period, or the first alone if both do not fit.
func (p *barPanel) bothValues(col dashboard.Column, x int) (text string, fits bool) {
	texts := [2]string{format.None, format.None}
	for i, s := range [...]*split{p.split, p.before.split} {
		if s.has(0, x) {
			texts[i] = p.Env.Quantity(col, s.exact[0][x])
		}
	}
	if both := texts[0] + " · " + texts[1]; canvas.Letters(both) <= mostBeside {
		return both, true
	}
	return texts[0], false
}

// findShares returns the function that writes the percentages next to the bars, and reports their base.
// It returns nil for bars without percentages.
// Unless the spec sets the base, they are shares of the target or of the total, if there is one: the values add up, and the bars are all of
// it. Values that are percentages themselves have none. Bars of ranges show a distribution and have no percentages.
func (p *barPanel) findShares() func(x int) string {
	s := p.split
	lo, _ := p.extent()
	if len(s.series) > 1 || len(s.x) < 2 || lo < 0 || p.Spec.Share == "none" || p.before.drawnBySpec() {
		return nil
	}
	col := *s.series[0].col
	if p.Spec.Share == "" && strings.HasPrefix(col.Format, "percent") { // two percentages beside each other, of different wholes, mislead
		return nil
	}
	of := func(base float64, x int) string {
		if base <= 0 || !s.has(0, x) {
			return ""
		}
		return p.Env.Share(s.value[0][x]/base, 1)
	}
	if len(p.targets) > 0 && p.Spec.Share == "" {
		p.report(encode.Noted("Percentages are shares of %s.", encode.Inline(canvas.Clip(p.targets[0].col.Label, 60))))
		return func(x int) string { return of(p.targets[0].value[x], x) }
	}
	switch p.Spec.Share {
	case "first":
		p.report(encode.Noted("Percentages are of the first, %s.", p.Env.Quantity(col, s.value[0][0])))
		return func(x int) string { return of(s.value[0][0], x) }
	case "previous":
		p.report(encode.Noted("Percentages are of the one before."))
		return func(x int) string { return of(s.value[0][max(x-1, 0)], x) }
	}
	if s.ranges && p.Spec.Share == "" {
		return nil
	}
	m := p.Data.Measure(s.series[0].col)
	if !encode.Sums(m, s.xcol.Name) {
		return nil
	}
	total, _ := p.Data.Group(p.ownRows(), cube.Query{Measures: []cube.Measure{m}}).Value(0, 0)
	drawn := 0.0
	for _, v := range s.value[0] {
		drawn += v
	}
	whole := !p.Data.Truncated && p.Data.Whole() && math.Abs(total-drawn) <= 1e-9*total
	if total <= 0 || p.Spec.Share == "" && !whole {
		return nil
	}
	p.report(encode.Noted("Percentages are shares of all, %s.", p.Env.Quantity(col, total)))
	return func(x int) string { return of(total, x) }
}
