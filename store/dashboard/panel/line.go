package panel

import (
	"slices"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
	"service/store/dashboard/format"
)

const (
	linePoints = 400 // maximum of points on an axis of times, before times are rounded down
	lineSteps  = 400 // maximum of points on another scale, before its steps become ranges
)

var lineFigure = Figure{
	Summarise: func(p *Panel) Content { return summariseLine(p, false) },
	asks:      lineAsks,
}

// A linePanel draws a line or an area for each series.
type linePanel struct {
	*Panel
	split   *split
	right   *split // the lines on the right axis; nil for none
	area    bool
	stacked bool

	targets  []aside  // the value that the line should reach; nil for none
	band     *split   // the two ends of the band behind the line; nil for none
	bandless bool     // no place has both ends of the band
	over     *overlay // over the series, or over a stack
	tones    *toner
	toned    []canvas.Color // of the points: the colours of tones, else 0; nil without thresholds
}

func summariseLine(p *Panel, area bool) Content {
	stack := area && p.Spec.Stack
	p.joinRight()
	s := p.onAxis(layout{points: linePoints, steps: lineSteps, limit: 60, stack: stack})
	if s == nil {
		return nil
	}
	p.addBefore(s)
	if l := p.lineOf(s, area); l != nil {
		return l
	}
	return nil
}

// lineOf computes the lines of a split. It returns nil after reporting the reason if nothing is drawn.
func (p *Panel) lineOf(s *split, area bool) *linePanel {
	stack := area && p.Spec.Stack
	if !p.tabulate(s) {
		return nil
	}
	all := p.parted(s)
	s, right := p.rightOf(all)
	p.addChange(s)
	stacked := stack && (len(s.series) > 1 || p.Spec.Percent)
	if stacked && p.below(s) {
		stacked = false
		p.report(encode.NotStacked())
	}
	if p.Summary = p.overTime(all); p.findParts(s, stacked) {
		p.Summary = p.ofShares(s)
	}
	p.Summary += p.ofBefore()
	if stacked {
		p.addTotals(s)
	}
	out := &linePanel{Panel: p, split: s, right: right, area: area, stacked: stacked, tones: p.toner()}
	out.toned = out.tones.ofSplit(s)
	p.Summary += out.tones.says()
	p.breakBoth(all, s, right, stacked)
	out.sayRight()
	p.Summary += out.findTarget()
	out.findBand()
	at, _ := s.positions()
	if stacked {
		out.over = p.newOverlay(p.Env.measured(s, p.Env.Text("Total")), at, false, true)
	} else {
		out.over = p.newOverlay(s, at, false, len(s.series) > 1)
	}
	p.markEvents(s, at, 0)
	if !out.noteRange() {
		return nil
	}
	return out
}

func (p *linePanel) plotted() *chart.Chart { return p.chart() }

// settle reports that the right axis does not begin at zero, and the values that do not fit.
func (p *linePanel) settle() {
	if p.right != nil && p.area {
		p.noteZero(p.laid(p.chart()))
	}
	if p.labelled() {
		p.noteLabels(p.laid(p.chart()).PlaceValues())
	}
	if p.Spec.Legend == dashboard.LegendEnds && p.chart().Ends == nil {
		p.report(encode.Warned(dashboard.WarnKeyIgnored, "legend",
			`the names do not fit at the ends of the lines, and are in a legend; shorter names, a wider panel or fewer lines do.`))
	}
}

// nameEnds replaces the legend of the lines, which are drawn in the reverse order of the series, with names at their ends, except on a
// phone and if they do not fit. Pale lines have names if all fit.
func (p *linePanel) nameEnds(h *chart.Chart, lines *chart.Lines) {
	if p.Spec.Legend != dashboard.LegendEnds {
		return
	}
	ends, ways := &chart.LineEnds{Of: lines, Names: make([]canvas.Item, len(lines.Lines))}, p.Ways()
	for i, se := range p.split.series {
		ends.Names[len(ends.Names)-1-i] = canvas.Item{Name: se.name, Way: ways.Of(se.mark)}
	}
	if !ends.Fit(h) {
		for i, se := range p.split.series {
			if se.pale {
				ends.Names[len(ends.Names)-1-i] = canvas.Item{}
			}
		}
		if !ends.Fit(h) {
			return
		}
	}
	phone := *h
	h.Phone, h.Ends, h.Key = &phone, ends, p.tones.addTo(p.key(false))
	lines.Dots = chart.LastDots
}

// tops returns the values at the upper edges of the series: in a stack, each includes the series below it.
func (p *linePanel) tops() [][]float64 {
	s, values := p.split, p.split.value
	if p.Parts != nil {
		values = p.Parts
	}
	if !p.stacked {
		return values
	}
	out := make([][]float64, len(s.series))
	base := make([]float64, len(s.x)) // the height of the stack so far
	for i := range out {
		out[i] = make([]float64, len(s.x))
		for x := range s.x {
			base[x] += values[i][x]
			out[i][x] = base[x]
		}
	}
	return out
}

// noteRange reports the values that the axis does not show. It returns false if the axis shows none.
func (p *linePanel) noteRange() bool {
	s := p.split
	var c census
	for i, top := range p.tops() {
		for x := range s.x {
			if s.has(i, x) {
				c.count(&p.Settings, dashboard.AxisY, top[x])
			}
		}
	}
	p.before.each(func(v float64) { c.count(&p.Settings, dashboard.AxisY, v) })
	p.eachEnd(func(_, _ int, v float64) { c.count(&p.Settings, dashboard.AxisY, v) })
	p.eachTarget(func(_ int, v float64) { c.count(&p.Settings, dashboard.AxisY, v) })
	p.noteReferences(p.references(s), dashboard.AxisY)
	return p.noteHidden(c)
}

// chart returns the chart of the lines, with the earlier period under them.
func (p *linePanel) chart() *chart.Chart {
	s := p.split
	h := p.newChart(*s.series[0].col)
	h.Y.Zero, h.Refs, h.Events = p.area, p.references(s), p.chartEvents()
	p.inShares(h)
	at, even := s.positions()
	if h.Places = (canvas.Places{Columns: len(s.x)}); !even {
		h.Places.At = at
	}
	h.X.Labels, h.X.Name = p.xLabels(at), p.Env.numberHead(s)
	h.Key = p.tones.addTo(p.key(true))
	if p.labelled() {
		if h.Values = chart.AnyValues; !h.Y.Log {
			h.Y.Pad = chart.ValueRoom / p.plotHeight()
		}
	}
	lines := &chart.Lines{Stacked: p.stacked, Extremes: p.stacked || len(s.series) == 1, Dots: chart.LoneDots, Radius: 3.5}
	if len(s.series) == 1 {
		lines.Dots = chart.LastDots
	}
	tops := p.tops()
	for i := range slices.Backward(s.series) {
		line := s.line(i, tops[i], at, p.stacked)
		line.Thin = p.over.averages != nil && !p.stacked || s.series[i].pale
		switch {
		case p.stacked && i > 0:
			line.Fill = chart.ToTheNext
		case p.stacked:
			line.Fill = chart.Solid
		case p.area && len(s.series) == 1:
			line.Fill = chart.Pale
		}
		if h.Values != chart.NoValues && (!p.stacked || i == len(s.series)-1) {
			line.Texts = p.lineTexts(i, tops[i])
		}
		lines.Lines = append(lines.Lines, line)
	}
	h.Under = p.bandLayer(at)
	h.Over, h.Filled = append(p.beforeLayer(at, false), lines), p.Spec.Type == dashboard.Area
	if p.stacked {
		h.Over = append(h.Over, p.over.layer()...)
	} else {
		p.over.lay(lines)
	}
	h.Over = append(h.Over, p.targetLayer(at)...)
	h.Over = append(h.Over, toneDots(p.toned, at, s.value[0], false)...)
	p.addRight(h, at)
	p.nameEnds(h, lines)
	return h
}

// lineTexts returns the values of a line as texts for its points, in full and in short. In a stack, they are the totals.
func (p *linePanel) lineTexts(i int, top []float64) [][2]string {
	s, col := p.split, *p.split.series[i].col
	format := format.OrInteger(col)
	out := make([][2]string, 0, len(s.x))
	var write writer
	if p.stacked {
		write = p.Env.atMarks(format, top)
	} else {
		write = s.writer(p.Env, format)
	}
	for x := range s.x {
		switch v := top[x]; {
		case p.stacked:
			out = append(out, write.of(col, v, v))
		case s.has(i, x):
			out = append(out, write.of(col, s.exact[i][x], v))
		}
	}
	return out
}

// key returns the legend, with the names of the lines if named is set. It names a line next to its average.
func (p *linePanel) key(named bool) *chart.Key {
	series := p.before.both(p.split)
	if p.before.drawnBySpec() {
		series = p.nameCompared(p.split)
	}
	if series = inColor(series); !named {
		series = nil
	}
	if p.over.averages == nil && p.over.trends == nil && p.right == nil {
		return p.legend(series, append(targetLines(p.targets), p.bandLines()...)...)
	}
	out := &chart.Key{Kind: canvas.LegendList}
	if p.over.averages != nil || p.right != nil || len(series) > 1 || p.Spec.Series != "" {
		ways := p.Ways()
		for _, se := range series {
			out.Items = append(out.Items, canvas.Item{Color: se.color, Name: se.name, Way: ways.Of(se.mark)})
		}
	}
	out.Items = append(out.Items, p.rightItems()...)
	out.Items = append(out.Items, p.over.averageItems()...)
	for _, l := range append(targetLines(p.targets), p.bandLines()...) {
		out.Items = append(out.Items, l.Item(p.Spec.Horizontal))
	}
	out.Items = append(out.Items, trendItems(p.over.trends)...)
	return out
}

func (p *linePanel) Draw(c canvas.Canvas) { p.chart().Draw(c) }

// xLabels returns the function for the labels under the plot, whose places are at fractions of the width.
func (p *linePanel) xLabels(at []float64) func(width float64) []chart.Label {
	s := p.split
	if s.time {
		from, to := s.x[0].Value.(time.Time), s.x[len(s.x)-1].Value.(time.Time)
		grain := s.grain
		if grain == cube.Exact && !s.span.Clock {
			grain = cube.Daily
		}
		return func(w float64) []chart.Label { return p.Env.timeLabels(from, to, grain, w) }
	}
	texts := p.Env.axisTexts(s)
	return func(w float64) []chart.Label { return s.steps(texts, at, w) }
}
