package panel

import (
	"math"
	"slices"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
	"service/store/dashboard/format"
)

// comboDots is the maximum number of places of an axis on which each value of a line has a dot.
const comboDots = 31

var comboFigure = Figure{
	Summarise: summariseCombo,
	asks:      grainAsks,
}

// A comboPanel draws columns with lines over them. Lines whose unit differs from that of the columns have an axis on the right.
type comboPanel struct {
	*Panel
	split   *split // the columns
	stacked bool
	slots   chart.Slots
	lines   *split // the lines, at the same places
	onRight []bool // by line
	over    *overlay
	tones   *toner
	toned   []canvas.Color // of the bars or points of one measure: the colours of tones, else 0; nil without thresholds
	of      int            // the index of that measure among bars and lines
}

// legible is the minimum share of an axis that the largest value of a measure needs to be readable.
const legible = 0.05

func summariseCombo(p *Panel) Content {
	own := *p.Spec // has the measures in y, like other panels
	own.Y = slices.Concat(own.Bars, own.Lines)
	p.Spec = &own
	n := len(own.Bars)
	if n == 0 || len(own.Lines) == 0 {
		p.Problem = p.Env.Text("No measure is named to draw.")
		return nil
	}
	beside := min(n, canvas.MaxSeries)
	if own.Stack {
		beside = 1
	}
	s := p.onAxis(layout{points: barPoints / beside, steps: min(barSteps, max(groupBars/beside, barLimit)), limit: barLimit, sorted: true})
	if s == nil {
		return nil
	}
	p.addBefore(s)
	slots := s.time && s.fillGaps(s.step)
	if !p.tabulate(s) {
		return nil
	}
	s = p.parted(s)
	p.addChange(s)
	c := &comboPanel{
		Panel: p, split: s.part(0, n), stacked: own.Stack && n > 1, slots: s.slotsOf(slots), lines: s.part(n, len(s.series)),
	}
	p.breakLines(c.lines, false)
	for _, se := range c.lines.series {
		c.onRight = append(c.onRight, !own.OneAxis && (own.TwoAxes || se.col.Unit() != c.split.series[0].col.Unit()))
	}
	if own.OneAxis && !slices.ContainsFunc(c.lines.series, func(se seriesOf) bool { return se.col.Unit() != c.split.series[0].col.Unit() }) {
		p.report(encode.Warned(dashboard.WarnKeyIgnored, "one_axis",
			"the lines are of the unit of the bars, so all share one axis anyway; leave it out."))
	}
	p.Summary = c.sentence(s) + p.ofBefore()
	p.noteRight(c.lines, c.onRight)
	c.over = p.newOverlay(c.lines, c.slots.Middles(), c.slots.At == nil && s.step != cube.Exact, true)
	c.over.onRight = c.onRight
	c.findTones(s)
	if !c.noteRange() {
		return nil
	}
	p.markEvents(s, c.slots.Middles(), c.slots.Band/2)
	return c
}

// findTones sets the tones of the values of the measure to which thresholds apply: the first bars, unless they name another one.
func (p *comboPanel) findTones(s *split) {
	if p.tones = p.toner(); p.tones == nil {
		return
	}
	if name := p.Spec.Thresholds[0].Column; name != "" {
		p.of = max(slices.Index(p.Spec.Y, name), 0)
	}
	p.toned = p.tones.ofSplit(s.part(p.of, p.of+1))
	p.Summary += p.tones.says()
}

// noteRange reports the bars and lines that the axis of the bars does not show. It returns false if that axis shows none, and no line has
// an axis of its own.
func (p *comboPanel) noteRange() bool {
	var c census
	p.split.eachBar(p.split.value, p.stacked, func(_, _ int, _, to float64) { c.count(&p.Settings, dashboard.AxisY, to) })
	p.before.each(func(v float64) { c.count(&p.Settings, dashboard.AxisY, v) })
	for i := range p.lines.series {
		for x, v := range p.lines.value[i] {
			switch {
			case !p.lines.has(i, x):
			case p.onRight[i]:
				c.shown++
			default:
				c.count(&p.Settings, dashboard.AxisY, v)
			}
		}
	}
	p.noteReferences(p.references(p.split), dashboard.AxisY)
	return p.noteHidden(c)
}

// texts returns a function that writes the value of series i of bars or lines at place x as text for its mark, in full and in short.
func (p *comboPanel) texts(s *split) func(i, x int) [2]string {
	write := map[string]writer{}
	for i := range s.series {
		if of := format.OrInteger(*s.series[i].col); write[of] == nil {
			write[of] = s.writer(p.Env, of)
		}
	}
	return func(i, x int) [2]string {
		col := *s.series[i].col
		return write[format.OrInteger(col)].of(col, s.exact[i][x], s.value[i][x])
	}
}

// part returns the split with some of its series.
func (s *split) part(from, to int) *split {
	out := *s
	out.series, out.value, out.exact, out.null = s.series[from:to], s.value[from:to], s.exact[from:to], s.null[from:to]
	out.broken = nil
	return &out
}

func (p *comboPanel) plotted() *chart.Chart { return p.chart() }

// settle reports marks that are hard to read on the axes, and values that do not fit.
func (p *comboPanel) settle() {
	if p.labelled() {
		defer func() { p.noteLabels(p.laid(p.chart()).PlaceValues()) }()
	}
	p.noteZero(p.laid(p.chart()))
	lo, hi := p.split.extent(p.stacked)
	for i, se := range p.lines.series {
		if p.onRight[i] {
			continue
		}
		most := 0.0
		for x, v := range p.lines.value[i] {
			if p.lines.has(i, x) {
				most = max(most, math.Abs(v))
			}
		}
		p.compareSizes(se, most, max(hi, -lo))
	}
}

// nearZero returns the ratio of the smallest to the largest value on the right axis up to which that axis begins at zero. For shares of a
// whole the ratio is higher, because readers compare them with the whole.
func nearZero(lines *split, onRight []bool) float64 {
	for i, se := range lines.series {
		if onRight[i] && se.col.Unit() == dashboard.UnitShare {
			return 0.7
		}
	}
	return 0.5
}

// compareSizes reports if a line and the bars share an axis on which one of them is too small to be read.
func (p *comboPanel) compareSizes(line seriesOf, most, bars float64) {
	small, large := line, p.split.series[0]
	if most > bars {
		small, large, most, bars = large, small, bars, most
	}
	if most == 0 || most >= legible*bars {
		return
	}
	p.report(encode.Noted("%s is too small to be read on the axis of %s.",
		canvas.Clip(small.name, 60), encode.Inline(canvas.Clip(large.name, 60))).
		Warned(dashboard.WarnOneAxis, "lines",
			`"%s" and "%s" are of one unit, %s, and share an axis, on which "%s" is too small to be `+
				`read; "one_axis": false gives the lines an axis on the right.`,
			small.col.Name, large.col.Name, small.col.Unit(), small.col.Name))
}

// sentence returns a sentence that names the bars and the lines, and the leading values.
func (p *comboPanel) sentence(s *split) string {
	var bars, left, right string
	for _, se := range p.split.series {
		bars = p.Env.and(bars, se.name)
	}
	for i, se := range p.lines.series {
		if p.onRight[i] {
			right = p.Env.and(right, se.name)
		} else {
			left = p.Env.and(left, se.name)
		}
	}
	text := p.Env.Text("Bars: %s.", bars)
	if left != "" {
		text += " " + p.Env.Text("Lines: %s.", left)
	}
	if right != "" {
		text += " " + p.Env.Text("Lines on the right axis: %s.", right)
	}
	return text + " " + p.ofBars(s)
}

func (p *comboPanel) Draw(c canvas.Canvas) { p.chart().Draw(c) }

// chart returns the chart of the columns, with the lines through their middles over them.
func (p *comboPanel) chart() *chart.Chart {
	s := p.split
	h := p.newChart(*s.series[0].col)
	h.Y.Zero, h.Refs, h.Events, h.Key = true, p.references(s), p.chartEvents(), p.key()
	p.Env.overSlots(h, s, &p.slots)
	h.Row = plainRow
	if !p.stacked {
		h.Row += besideRow * (len(s.series) - 1)
	}
	h.Right = p.rightAxis()
	ofBars, ofLines := p.texts(s), p.texts(p.lines)
	with := func(b *chart.Bar, i, x int) {
		if p.toned != nil && p.of == i && p.toned[x] > 0 {
			b.Color, b.Bare = p.toned[x], true
		}
		if p.writes("bars") && !(p.stacked && b.None) {
			texts := ofBars(i, x)
			if b.Texts = &texts; p.stacked {
				b.At = chart.InsideBar
			}
		}
	}
	bars := &chart.Bars{Least: chart.LeastBar}
	if p.before.drawnBySpec() {
		bars.Bars = p.pairedBars(s, &p.slots, with)
	} else {
		bars.Bars = s.barMarks(s.value, p.stacked, &p.slots, with)
	}
	lines := &chart.Lines{Lines: p.lines.lines(p.slots.Middles()), Over: true, Dots: chart.LoneDots, Radius: 3.5, Rimmed: true}
	if len(s.x) <= comboDots {
		lines.Dots = chart.AllDots
	}
	var dots []chart.Layer
	for i := range lines.Lines {
		if p.onRight[i] {
			lines.Lines[i].On = chart.AxisRight
		}
		for x := range p.lines.x {
			if p.writes("lines") && p.lines.has(i, x) {
				lines.Lines[i].Texts = append(lines.Lines[i].Texts, ofLines(i, x))
			}
		}
		if p.of == i+len(s.series) {
			dots = toneDots(p.toned, p.slots.Middles(), p.lines.value[i], p.onRight[i])
		}
	}
	if p.labelled() {
		h.Values = chart.AnyValues
	}
	for i := range lines.Lines {
		lines.Lines[i].Thin = p.over.averages != nil
	}
	h.Under, h.Over = []chart.Layer{bars}, append([]chart.Layer{lines}, p.over.layer()...)
	h.Over = append(h.Over, dots...)
	if h.Right != nil {
		var names [2]string
		for _, se := range s.series {
			names[0] = p.Env.and(names[0], se.name)
		}
		var right *dashboard.Column
		for i, se := range p.lines.series {
			if names[stat.One(p.onRight[i])] = p.Env.and(names[stat.One(p.onRight[i])], se.name); p.onRight[i] {
				right = se.col
			}
		}
		h.Y.Name, h.Right.Name = p.Env.Head(*s.series[0].col, names[0]), p.Env.Head(*right, names[1])
	}
	return h
}

// writes reports whether the values of the marks of a key, bars or lines, are written.
func (p *comboPanel) writes(key string) bool {
	return p.labelled() && (p.Spec.LabelsOf == "" || p.Spec.LabelsOf == key)
}

// rightAxis returns the axis of the lines whose unit differs from that of the columns; nil if none of them has a value.
func (p *comboPanel) rightAxis() *chart.Axis {
	var out *chart.Axis
	some := false
	for i, se := range p.lines.series {
		if !p.onRight[i] {
			continue
		}
		format := format.OrInteger(*se.col)
		out = &chart.Axis{
			Zero: true, Unit: unitOf(format), Near: nearZero(p.lines, p.onRight), Min: p.Spec.RangeY2.Min, Max: p.Spec.RangeY2.Max,
			Write: p.Env.ticksOf(*se.col, format),
		}
		for x := range p.lines.x {
			some = some || p.lines.has(i, x)
		}
	}
	if of := p.family; !some && (of == nil || of.free || of.right.Lo > of.right.Hi) {
		return nil
	}
	return out
}

// key returns the legend.
func (p *comboPanel) key() *chart.Key {
	out := &chart.Key{Kind: canvas.LegendList}
	bars := p.split.series
	if p.before.drawnBySpec() {
		bars = p.nameCompared(p.split)
		for i := range bars {
			bars[i].name = p.split.series[0].name + " · " + bars[i].name
		}
	}
	for _, se := range bars {
		out.Items = append(out.Items, canvas.Item{Color: se.color, Name: se.name})
	}
	for i, se := range p.lines.series {
		name := se.name
		if p.onRight[i] {
			name = p.Env.Text("%s (right axis)", name)
		}
		out.Items = append(out.Items, canvas.Item{Color: se.color, Line: true, Name: name})
	}
	return p.tones.addTo(p.over.addTo(out))
}
