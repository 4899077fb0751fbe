package panel

import (
	"cmp"
	"slices"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
)

// Maximum numbers of candles: of a quarter of days, and of a year if the panel is wide.
const (
	candleSteps     = 92
	wideCandleSteps = 372
	wideCandles     = 9 // columns of a wide panel, at least
)

var candlestickFigure = Figure{
	Summarise: summariseCandlestick,
}

// A candlePanel draws candles, or ranges, along times. The only series of its axis has the closes or, for ranges, the upper ends.
type candlePanel struct {
	*Panel
	split   *split
	slots   chart.Slots
	ranges  bool
	candles []candle // of each place
	over    *split   // lines along the same places: the spec's lines, and the moving average
	volume  *volume  // bars below, or nil
	fitted  *overlay // the straight line through the closes
	tones   *toner
	toned   []canvas.Color // of the closes: those of tones, else 0; nil without thresholds
}

// Indexes of the numbers of a candle in [candle.exact] and in [dashboard.Panel.Candle].
const (
	candleOpen = iota
	candleHigh
	candleLow
	candleClose
)

// A candle is the mark of a period: its first and last value, and its extremes. A range has a low and a high alone, which are also its
// first and last value.
type candle struct {
	there                  bool
	open, high, low, close float64
	exact                  [4]any
	lines                  []any // measures drawn as lines, like close: the last of the period
}

// rises returns 1 for a candle that closes above its open, -1 for one that closes below it, and else 0.
func (c *candle) rises() int { return cmp.Compare(c.close, c.open) }

// sound reports whether the numbers of a candle are consistent.
func (c *candle) sound() bool {
	return c.low <= c.high && c.low <= min(c.open, c.close) && max(c.open, c.close) <= c.high
}

// join merges a later candle into c: the result has the open of the first, the close of the last, and the extremes of both.
func (c *candle) join(later candle) {
	if !c.there {
		*c = later
		return
	}
	c.close, c.exact[candleClose] = later.close, later.exact[candleClose]
	c.lines = later.lines
	if lessNumber(c.exact[candleHigh], later.exact[candleHigh]) {
		c.high, c.exact[candleHigh] = later.high, later.exact[candleHigh]
	}
	if lessNumber(later.exact[candleLow], c.exact[candleLow]) {
		c.low, c.exact[candleLow] = later.low, later.exact[candleLow]
	}
}

func summariseCandlestick(p *Panel) Content {
	spec := p.Spec
	s := &split{xcol: *p.col(spec.X), time: true}
	b := &candlePanel{Panel: p, split: s, ranges: spec.Close == ""}
	var measures []cube.Measure
	var columns []dashboard.Column
	var keys []int // the number of a candle that each measure is
	for i, name := range spec.Candle() {
		if name == "" && (b.ranges || p.Problem != "") && (i == candleOpen || i == candleClose) {
			continue
		}
		col := p.col(name)
		m := p.Data.Measure(col)
		m.Agg = cube.None // each number is merged in its own way
		measures, columns, keys = append(measures, m), append(columns, *col), append(keys, i)
	}
	if p.Problem == "" && !s.xcol.Type.IsTime() {
		p.Problem = p.Env.Text("%s is no time, and candles stand along times.", s.xcol.Label)
	}
	if p.Problem != "" {
		return nil
	}
	for _, name := range spec.Lines {
		m := p.Data.Measure(p.col(name))
		m.Agg = cube.None
		measures = append(measures, m)
	}
	if p.Problem != "" {
		return nil
	}
	steps := candleSteps
	if cmp.Or(p.Columns, spec.Width, dashboard.DefaultWidth(spec.Type)) >= wideCandles {
		steps = wideCandleSteps
	}
	s.grain, s.span = p.grainWithin(spec.X, steps, true)
	candles := b.merge(measures, keys)
	s.dim = p.Data.Dim(spec.X, s.grain)
	if p.Problem != "" || !b.place(candles, columns[len(columns)-1]) {
		return nil
	}
	b.tabulate(columns, keys)
	if b.addVolume(); p.Problem != "" {
		return nil
	}
	if !slices.ContainsFunc(b.candles, func(c candle) bool { return c.there }) {
		p.Empty = cmp.Or(p.Empty, p.missing())
		return nil
	}
	p.Summary = b.sentence()
	p.compareMarks(b.closes())
	if !b.noteAxis() {
		return nil
	}
	b.fitTrend()
	b.tones = p.toner()
	b.toned = b.tones.ofSplit(b.closes())
	p.Summary += b.tones.says()
	p.markEvents(s, b.slots.Middles(), b.slots.Band/2)
	return b
}

// settle reports the last value if it does not fit.
func (b *candlePanel) settle() {
	if b.labelled() {
		b.noteLabels(b.laid(b.chart()).PlaceValues())
	}
}

// merge fills the axis with the periods, and returns their candles. Rows that lack a number, and those whose numbers contradict each other,
// are reported and left out.
func (b *candlePanel) merge(measures []cube.Measure, keys []int) []candle {
	p, s := b.Panel, b.split
	period := cube.Dim{Column: p.Spec.X, Grain: s.grain, Week: p.Env.week, Zone: p.Env.Zone}
	exact := period
	exact.Grain = cube.Exact
	g := p.Data.Group(p.ownRows(), cube.Query{By: []cube.Dim{period, exact}, Measures: measures})
	axis, at := b.periods(g, period)
	out := make([]candle, len(axis))
	missing := 0
	var wrong []string
	for i := range g.Len() {
		time := g.Category(i, 1)
		if time.Value == nil {
			continue // reported with the axis
		}
		if g.Rows(i) > 1 {
			p.Problem = p.Env.Text("Several rows have the same %s, and a candle is of one.", p.Env.Inside(s.xcol.Label))
			return nil
		}
		c := candle{there: true}
		var v [4]float64
		for m, key := range keys {
			var ok bool
			v[key], ok = g.Value(i, m)
			c.exact[key], c.there = g.Exact(i, m), c.there && ok
		}
		if b.ranges {
			v[candleOpen], v[candleClose] = v[candleLow], v[candleHigh]
		}
		for m := len(keys); m < len(measures); m++ {
			c.lines = append(c.lines, g.Exact(i, m))
		}
		c.open, c.high, c.low, c.close = v[candleOpen], v[candleHigh], v[candleLow], v[candleClose]
		switch {
		case !c.there:
			missing++
		case !c.sound():
			wrong = append(wrong, p.Env.Cell(s.xcol, cube.Exact, time))
		default:
			out[at[g.At(i, 0)]].join(c)
		}
	}
	for _, c := range axis {
		if c.Value == nil {
			p.report(encode.WithoutTime(&s.xcol))
			continue
		}
		s.x = append(s.x, c)
	}
	b.tell(missing, wrong)
	return out[:len(s.x)] // rows without a time are last
}

// periods returns the periods of the axis, which small plots share, and the index of the period of each group.
func (b *candlePanel) periods(g *cube.Groups, period cube.Dim) (axis []cube.Category, at []int) {
	axis = g.Axes[0]
	if b.family != nil {
		axis = b.Data.Group(b.Data.Rows, cube.Query{By: []cube.Dim{period}}).Axes[0]
	}
	for _, c := range g.Axes[0] {
		at = append(at, slices.Index(axis, c))
	}
	return axis, at
}

// tell reports the rows that are not drawn.
func (b *candlePanel) tell(missing int, wrong []string) {
	if missing > 0 {
		b.report(encode.NotedCount(missing, "%d row without a value is left out.", "%d rows without a value are left out.").
			Warned(dashboard.WarnLeftOut, "low",
				"%d {row lacks one of its|rows lack one of their} numbers and {is|are} left out; the sql can leave {it|them} out, too.", missing))
	}
	if len(wrong) == 0 {
		return
	}
	what := "high is below low"
	if !b.ranges {
		what += ", or open or close is outside of them"
	}
	b.report(encode.Noted("Not drawn, because the numbers contradict each other: %s.", b.Env.some(wrong)).
		Warned(dashboard.WarnDoubtful, "high",
			"%d {row is|rows are} not drawn, because %s: %s; columns may be swapped.", len(wrong), what, dashboard.Listed(wrong, nil)))
}

// place puts the candles on their axis. It reports whether there is one.
func (b *candlePanel) place(candles []candle, closes dashboard.Column) bool {
	p, s := b.Panel, b.split
	before := map[cube.Category]int{}
	for i, c := range s.x {
		before[c] = i
	}
	rolled := s.grain != cube.Exact
	s.step = s.regular()
	s.findPartial(&p.Rows, rolled)
	if len(s.x) == 0 {
		p.Empty = cmp.Or(p.Empty, p.missing())
		return false
	}
	shown := make([]candle, len(s.x)) // without hidden periods
	for i, c := range s.x {
		shown[i] = candles[before[c]]
	}
	over := b.linesOver(shown, closes)
	from, slots := s.slots()
	for _, i := range from {
		if i < 0 {
			b.candles = append(b.candles, candle{})
		} else {
			b.candles = append(b.candles, shown[i])
		}
	}
	b.over = over.along(s.x, from)
	b.slots = s.slotsOf(slots)
	return true
}

// tabulate makes the panel's grid: the numbers of each candle that keys selects.
func (b *candlePanel) tabulate(columns []dashboard.Column, keys []int) {
	p, s := b.Panel, b.split
	first := Column{Column: s.xcol, Grain: s.grain, every: s.step}
	first.Role = dashboard.Dimension
	p.Grid = &Grid{Columns: []Column{first}}
	for i, key := range keys {
		p.Grid.Columns = append(p.Grid.Columns, Column{Column: columns[i]})
		if key == candleHigh && b.ranges || key == candleClose {
			s.series = []seriesOf{{name: columns[i].Label, color: p.Env.measureColors(columns[i].Name)[0], col: &columns[i]}}
		}
	}
	for x, c := range b.candles {
		row := []any{s.x[x]}
		for _, key := range keys {
			row = append(row, c.exact[key])
		}
		for i := range b.over.series {
			row = append(row, b.over.exact[i][x])
		}
		p.Grid.Rows = append(p.Grid.Rows, row)
	}
	for _, se := range b.over.series {
		p.Grid.Columns = append(p.Grid.Columns, Column{Column: *se.col})
	}
}

// unit returns the column whose format the axis has.
func (b *candlePanel) unit() *dashboard.Column { return b.split.series[0].col }

// noteAxis reports the numbers and lines outside of the axis. It returns false if the axis contains no candle.
func (b *candlePanel) noteAxis() bool {
	var n census
	for _, c := range b.candles {
		if !c.there {
			continue
		}
		n.count(&b.Settings, dashboard.AxisY, c.low)
		n.count(&b.Settings, dashboard.AxisY, c.high)
		if !b.ranges {
			n.count(&b.Settings, dashboard.AxisY, c.open)
			n.count(&b.Settings, dashboard.AxisY, c.close)
		}
	}
	b.before.each(func(v float64) { n.count(&b.Settings, dashboard.AxisY, v) })
	if lines := b.lines(); len(lines) > 0 {
		b.noteReferences(lines, dashboard.AxisY)
	}
	if r := b.Spec.Range[dashboard.AxisY]; n.shown == 0 && r.Min != nil && r.Max != nil && slices.ContainsFunc(b.candles, func(c candle) bool {
		return c.there && c.low < *r.Min && c.high > *r.Max // it crosses the whole axis
	}) {
		n.shown = 1
	}
	return b.noteHidden(n)
}

// lines returns the reference lines: the average and the median of the closes, the minimum and the maximum of all numbers.
func (b *candlePanel) lines() []chart.Reference {
	if len(b.Spec.Reference) == 0 {
		return nil
	}
	var of, ends []float64
	for _, c := range b.candles {
		if c.there {
			of, ends = append(of, c.close), append(ends, c.low, c.high)
		}
	}
	out, far := b.referencesOf(dashboard.AxisY, of, *b.unit()), b.referencesOf(dashboard.AxisY, ends, *b.unit())
	for i, r := range b.Spec.Reference {
		if r.Kind == "min" || r.Kind == "max" {
			out[i] = far[i]
		}
	}
	return out
}

// sentence describes the first open, the last close, and the extremes of the candles.
func (b *candlePanel) sentence() string {
	s := b.split
	name := func(i int) string { return b.Env.Cell(s.xcol, s.grain, s.x[i]) }
	text := func(x, key int) string { return b.Env.Quantity(*b.unit(), b.candles[x].exact[key]) }
	first, last, lo, hi, n := -1, -1, -1, -1, 0
	var ways [3]int // falls, unchanged, rises
	for x := range b.candles {
		c := &b.candles[x]
		if !c.there {
			continue
		}
		if n++; first < 0 {
			first = x
		}
		last = x
		ways[1+c.rises()]++
		if lo < 0 || lessNumber(c.exact[candleLow], b.candles[lo].exact[candleLow]) {
			lo = x
		}
		if hi < 0 || lessNumber(b.candles[hi].exact[candleHigh], c.exact[candleHigh]) {
			hi = x
		}
	}
	said := b.Env.Text("%s only: ", name(first))
	if n > 1 {
		said = b.Env.Count(n, "%d point from %s to %s: ", "%d points from %s to %s: ", name(first), name(last))
	}
	if b.ranges {
		return said + b.Env.Text("lowest %s (%s), highest %s (%s).", text(lo, candleLow), name(lo), text(hi, candleHigh), name(hi))
	}
	said += b.Env.Text("opened at %s, closed at %s, lowest %s (%s), highest %s (%s).",
		text(first, candleOpen), text(last, candleClose), text(lo, candleLow), name(lo), text(hi, candleHigh), name(hi))
	number := func(n int) string { return b.Env.Number(float64(n), 0) }
	return said + " " + b.Env.Text("Rises: %s, falls: %s.", number(ways[2]), number(ways[0]))
}
