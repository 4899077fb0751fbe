package panel

import (
	"slices"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
)

const (
	barPoints = 120 // maximum of bars on an axis of times, before times are rounded down
	barSteps  = 62  // maximum of columns on another scale, before its steps become ranges
	groupBars = 124 // maximum of bars in groups of columns on such a scale
	listSteps = 31  // maximum of rows of a horizontal chart with a scale
	barLimit  = 12  // maximum of other categories, whose names are turned on a phone
	listLimit = 20  // maximum of rows of a horizontal chart with other categories
)

var barFigure = Figure{
	Summarise: summariseBar,
	asks:      lineAsks,
}

// A barPanel draws columns or, if the spec has horizontal, a list of bars.
type barPanel struct {
	*Panel
	split   *split
	stacked bool
	alone   bool               // series only set the colours of bars: each place has a bar of one series
	own     []canvas.Color     // of the bars, if the spec sets colours of the values under them, or colours by a measure; else nil
	tinted  *markRamp          // the ramp of own, if a measure sets these colours; else nil
	slots   chart.Slots        // the places of columns, or of groups of them
	shares  func(x int) string // the percentage next to a horizontal bar; nil for none
	targets []aside            // the values that the bars should reach
	tones   *toner
	toned   []canvas.Color    // of the bars: the colours of tones, else 0; nil without thresholds
	ends    *chart.Extremes   // of the shared axis of horizontal bars in small plots; nil if each panel has its own
	over    *overlay          // nil for horizontal bars
	write   map[string]writer // by format
}

// bars returns the number of bars at one place, next to each other or stacked.
func (p *Rows) bars() int {
	if p.Spec.Series == "" || p.Data.Column(p.Spec.Series) == nil {
		return max(len(p.Spec.Y), 1)
	}
	g := p.Data.Group(p.Data.Rows, cube.Query{By: []cube.Dim{{Column: p.Spec.Series, Zone: p.Env.Zone}}})
	return max(len(g.Axes[0]), 1)
}

func summariseBar(p *Panel) Content {
	if p.colorOfMarks(); p.Problem != "" {
		return nil
	}
	l := layout{points: barPoints, steps: barSteps, limit: barLimit, sorted: true, stack: p.Spec.Stack}
	if (p.Spec.Series != "" || len(p.Spec.Y) > 1) && !p.Spec.Stack {
		l.steps = min(barSteps, max(groupBars/p.bars(), barLimit))
	}
	if p.Spec.Horizontal {
		l.steps, l.limit = min(l.steps, listSteps), listLimit
	}
	if c := p.Data.Column(p.Spec.X); c != nil && c.Type.IsTime() {
		l.points = barPoints / min(p.bars(), canvas.MaxSeries)
	}
	if len(p.Spec.Compare) > 0 {
		l.points /= 2
	}
	settings, all := p.Settings, p.Data
	compared := p.compareCategories()
	if compared {
		l.also = p.before.rows
	}
	s := p.onAxis(l)
	switch {
	case s == nil:
		return nil
	case !compared:
		p.addBefore(s)
	default:
		if report := p.addCategories(s); report != nil { // nothing is compared, so no row of the period is left out
			p.Settings, p.Data, p.before, l.also = settings, all, nil, nil
			if s = p.onAxis(l); s == nil {
				return nil
			}
			report()
		}
	}
	if b := p.barOf(s); b != nil {
		return b
	}
	return nil
}

// barOf computes the bars of a split. It returns nil after reporting the reason if nothing is drawn.
func (p *Panel) barOf(s *split) *barPanel {
	slots := s.time && !p.Spec.Horizontal && s.fillGaps(s.step)
	if !p.tabulate(s) {
		return nil
	}
	s = p.parted(s)
	p.addChange(s)
	b := &barPanel{
		Panel: p, split: s, stacked: p.Spec.Stack && (len(s.series) > 1 || p.Spec.Percent), own: p.barColors(s), slots: s.slotsOf(slots),
		tones: p.toner(),
	}
	b.alone = !b.stacked && p.Spec.Series != "" && s.alone()
	if p.Summary = p.ofBars(s); p.findParts(s, b.stacked) {
		p.Summary = p.ofShares(s)
	}
	if colors := b.ramped(); colors != nil {
		b.own = colors
	}
	b.toned = b.tones.ofSplit(s)
	p.Summary += b.findTargets() + b.tones.says() + p.ofBefore()
	if !p.Spec.Horizontal {
		b.addOverlay()
	}
	if !b.noteRange() {
		return nil
	}
	if p.Spec.Horizontal {
		b.shares = b.findShares()
	}
	if b.stacked {
		p.addTotals(s)
		b.noteSides()
	}
	if !p.Spec.Horizontal {
		p.markEvents(s, b.slots.Middles(), b.slots.Band/2)
	}
	return b
}

// settle reports the values that do not fit.
func (p *barPanel) settle() {
	if p.labelled() {
		p.noteValues()
	}
}

// plotted returns the chart of vertical bars; nil for horizontal ones.
func (p *barPanel) plotted() *chart.Chart {
	if p.Spec.Horizontal {
		return nil
	}
	return p.chart()
}

// addOverlay adds the averages and the trends of vertical bars; for stacks, those of the totals.
func (p *barPanel) addOverlay() {
	s, together := p.split, ""
	switch {
	case p.stacked:
		together = p.Env.Text("Total")
	case p.alone:
		together = s.series[0].col.Label
	}
	each := p.slots.At == nil && s.step != cube.Exact
	p.over = p.newOverlay(p.Env.measured(s, together), p.slots.Middles(), each, len(s.series) > 1)
}

// findParts computes the shares that are drawn, and reports whether there are any. Negative values have no shares.
func (p *Panel) findParts(s *split, stacked bool) bool {
	if !stacked || !p.Spec.Percent {
		return false
	}
	if p.below(s) {
		p.report(encode.NoShares())
		return false
	}
	p.Parts = s.shares()
	return true
}

// noteRange reports the bars and lines that the axis does not show. It returns false if the axis shows nothing.
func (p *barPanel) noteRange() bool {
	s := p.split
	var c census
	p.eachBar(func(_, _ int, from, to float64) {
		if y := p.Spec.Range[dashboard.AxisY]; y.Outside(to) && !y.Outside(from) || !p.stacked {
			c.count(&p.Settings, dashboard.AxisY, to)
		} else {
			c.shown++
		}
	})
	p.before.each(func(v float64) { c.count(&p.Settings, dashboard.AxisY, v) })
	p.eachTarget(func(_, _ int, v float64) { c.count(&p.Settings, dashboard.AxisY, v) })
	p.noteReferences(p.references(s), dashboard.AxisY)
	return p.noteHidden(c)
}

// drawnValues returns the values of the bars, or their shares if these are drawn.
func (p *barPanel) drawnValues() [][]float64 {
	if p.Parts != nil {
		return p.Parts
	}
	return p.split.value
}

// eachBar calls f for each bar, with the values at its beginning and its end. Zero is the middle of the bars of a diverging stack.
func (p *barPanel) eachBar(f func(series, x int, from, to float64)) {
	p.split.eachBar(p.drawnValues(), p.stacked || p.alone, func(series, x int, from, to float64) {
		left := p.leftOf(x)
		f(series, x, from-left, to-left)
	})
}

// leftOf returns the share of a stack that is on the left of its middle: that of the first half of the series, with half of the middle
// one. It is 0 for other stacks.
func (p *barPanel) leftOf(x int) float64 {
	if !p.Spec.Diverging || p.Parts == nil {
		return 0
	}
	left, n := 0.0, len(p.Parts)
	for i := range n / 2 {
		left += p.Parts[i][x]
	}
	if n%2 == 1 {
		left += p.Parts[n/2][x] / 2
	}
	return left
}

// noteSides warns if nothing says which of the series are on the left of a diverging stack.
func (p *barPanel) noteSides() {
	column := p.Spec.Series
	if !p.Spec.Diverging || column == "" || p.Data.Ordering(column).Ordered {
		return
	}
	if a := p.Env.Spec.Appearance(column); a != nil && (a.Order.Rows || a.Order.Values != nil || a.Order.Column != "") {
		return
	}
	p.report(encode.Warned(dashboard.WarnDoubtful, "stack", `the values of "%s" are from left to right in the order of their names; `+
		`"order" of "%s", under "columns" at the top of the spec, puts them from one side to the other.`, column, column))
}

// beside reports whether the bars of a place are next to each other.
func (p *barPanel) beside() bool { return len(p.split.series) > 1 && !p.stacked && !p.alone }

// alone reports whether at most one of several series has a value at each place.
func (s *split) alone() bool {
	for x := range s.x {
		n := 0
		for i := range s.series {
			n += stat.One(s.has(i, x))
		}
		if n > 1 {
			return false
		}
	}
	return len(s.series) > 1
}

// extent returns the smallest and the largest value that bars reach, including zero.
func (p *barPanel) extent() (lo, hi float64) {
	p.eachBar(func(_, _ int, from, to float64) { lo, hi = min(lo, from, to), max(hi, from, to) })
	p.before.each(func(v float64) { lo, hi = min(lo, v), max(hi, v) })
	p.eachTarget(func(_, _ int, v float64) { lo, hi = min(lo, v), max(hi, v) })
	return lo, hi
}

// ofBars returns the sentence of a bar chart: its largest values.
func (p *Panel) ofBars(s *split) string {
	if s.time {
		return p.overTime(s)
	}
	name := func(x int) string { return canvas.Clip(p.Env.Cell(s.xcol, s.grain, s.x[x]), 40) }
	var b strings.Builder
	for i := range s.series {
		order := make([]int, 0, len(s.x))
		for x := range s.x {
			if s.has(i, x) {
				order = append(order, x)
			}
		}
		slices.SortStableFunc(order, func(a, b int) int { return compareNumbers(s.exact[i][b], s.exact[i][a]) })
		if i == 4 {
			n := len(s.series) - i
			b.WriteString(" " + p.Env.Count(n, "And %d more series.", "And %d more series."))
			break
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		if len(s.series) > 1 {
			b.WriteString(canvas.Clip(s.series[i].name, 40) + ": ")
		}
		for j, x := range order[:min(len(order), 3)] {
			if j > 0 {
				b.WriteString(", ")
			}
			b.WriteString(name(x) + " " + p.Env.Quantity(*s.series[i].col, s.exact[i][x]))
		}
		if left := len(order) - 3; left > 0 {
			b.WriteString(" " + p.Env.Count(left, "and %d more", "and %d more"))
		}
		b.WriteByte('.')
	}
	return b.String()
}

func (p *barPanel) Draw(c canvas.Canvas) {
	if !p.Spec.Horizontal {
		p.chart().Draw(c)
		return
	}
	if p.family == nil {
		p.keyAbove().Draw(c)
	}
	p.drawRows(c)
}

// chart returns the chart of the columns, with the earlier period over them.
func (p *barPanel) chart() *chart.Chart {
	s := p.split
	h := p.newChart(*s.series[0].col)
	h.Y.Zero, h.Refs, h.Events = true, p.references(s), p.chartEvents()
	p.Env.overSlots(h, s, &p.slots)
	p.inShares(h)
	series := p.bothPeriods()
	h.Row = p.rowHeight(p.beside() || p.before.drawnBySpec(), len(series))
	h.Key = p.tinted.addTo(p.Env, p.tones.addTo(p.over.addTo(p.legendOf(series, targetLines(p.targets)...))))
	if p.mayWrite() {
		h.Y.PadUnder = chart.ValueRoom / p.plotHeight()
		if h.Values = chart.AllValues; p.labelled() {
			h.Values = chart.AnyValues
		}
	}
	bars := &chart.Bars{Least: chart.LeastBar, Targeted: len(p.targets) > 0}
	alone := p.loneParts()
	with := func(b *chart.Bar, i, x int) {
		b.Color = p.color(i, x)
		b.Bare = b.Color >= canvas.HeatColor
		if h.Values == chart.NoValues || p.stacked && (b.None || p.Parts == nil && (!p.labelled() || alone[x])) {
			return
		}
		texts := p.valueTexts(i, x)
		if b.Texts = &texts; p.stacked {
			b.At = chart.InsideBar
		}
	}
	earlier := p.beforeLayer(p.slots.Middles(), true)
	if p.before.drawnBySpec() {
		bars.Bars, earlier = p.pairedBars(s, &p.slots, with), nil
	} else {
		bars.Bars = s.barMarks(p.drawnValues(), !p.beside(), &p.slots, with)
	}
	if h.Values != chart.NoValues && p.stacked && p.Parts == nil {
		bars.Totals = p.stackTotals()
	}
	h.Under, h.Over = []chart.Layer{bars}, append(earlier, p.targetLayer()...)
	h.Over = append(h.Over, p.over.layer()...)
	return h
}

// bothPeriods returns the series of the bars and, if they are compared with an earlier period, that of its bars, each with its name.
func (p *barPanel) bothPeriods() []seriesOf {
	if p.before.drawnBySpec() {
		return p.nameCompared(p.split)
	}
	return p.before.both(p.split)
}

// legendOf is [Rows.legend]. If bars that are compared with an earlier period have colours of their own, it has that period alone.
func (p *barPanel) legendOf(series []seriesOf, lines ...chart.Reference) *chart.Key {
	if !p.before.drawnBySpec() || p.own == nil {
		return p.legend(series, lines...)
	}
	out := p.legend(nil, lines...)
	if out == nil {
		out = &chart.Key{Kind: canvas.LegendList}
	}
	earlier := series[len(series)-1]
	out.Items = slices.Insert(out.Items, 0, canvas.Item{Color: earlier.color, Name: earlier.name})
	return out
}

// color returns the colour of a bar.
func (p *barPanel) color(series, x int) canvas.Color {
	switch {
	case p.toned != nil && p.toned[x] > 0:
		return p.toned[x]
	case p.own != nil:
		return p.own[x]
	}
	return p.split.series[series].color
}
