package page

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/canvas/text"
	"service/store/dashboard/chart"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
	"service/store/dashboard/format"
)

// maxFacets is how many small plots a panel has at most; of more, the largest are drawn.
const maxFacets = 24

// How high they are drawn, in pixels: points need height as much as width.
const (
	facetHeight     = 120
	facetSpots      = 150
	facetSpotsOfFew = 200 // at most three beside each other
)

// A facet is the part of a split that has one value of the panel's facet.
type facet struct {
	cube.Category
	*split
}

// A family is what small plots share: their axes, and the lines across all of them.
type family struct {
	columns int               // beside each other on a desktop
	chosen  bool              // the spec says how many
	height  int               // of a plot, in pixels
	refs    []chart.Reference // lines at values of y
	named   []chart.Reference // all lines that are drawn, which the legend names
	reach   chart.Extremes    // of all that they draw
	right   chart.Extremes    // the same on the axis on the right
	below   chart.Extremes    // and of the plots below theirs
	own     bool              // each plot has the labels of its axes beside it
	free    bool              // each has scales of its own
	of      *panel            // whose small plots they are, where they are worked out by the code of its type
	allRows bool              // no filter leaves out rows
	table   *encode.Table     // of all of them; nil before it is asked for
}

// A smallPlot is one of several plots with the same axes, of a type that groups its rows by the facet itself.
type smallPlot interface {
	content
	chart() *chart.Chart
	profile() [][]float64 // its series, as a sketch draws them
}

// A facetPanel is small plots, one for each value of a dimension.
type facetPanel struct {
	*panel
	family *family
	plots  []facetPlot
	series []seriesOf
}

// A facetPlot is one of them. Its panel says what it shows, or why it is empty.
type facetPlot struct {
	*panel
	plot content // nil where it is empty
}

// facetChannel is the panel's facet, of which the largest values by a measure are drawn if there are too many.
func (p *panel) facetChannel(measure int, first bool) encode.Channel {
	return encode.Channel{Column: p.spec.Facet, Key: "facet", First: first, Keep: encode.Keep{Names: encode.Top{
		Most: maxFacets, Measure: measure, Rank: encode.Farthest, Advice: "the sql can group the small ones, and a filter on it shows others",
	}}}
}

// fillFacets makes a part of each value of the facet. All have the same axis and series.
func (s *split) fillFacets(p *panel, t *encode.Table, ys []*dashboard.Column) {
	dim := len(t.Axes) - 1
	for _, at := range t.OrderOf(dim) {
		part := *s
		part.x, part.partial = slices.Clone(s.x), slices.Clone(s.partial)
		part.fill(p, t, ys, at)
		s.facets = append(s.facets, facet{t.Axes[dim][at], &part})
	}
	s.series = s.facets[0].series
}

// newFamily is what small plots share beside each other.
func (p *panel) newFamily(n int) *family {
	free := p.spec.FacetScale == dashboard.FacetFree
	f := &family{columns: 4, height: facetHeight, reach: chart.NoExtremes(), free: free, own: free}
	switch of := p.spec; {
	case of.FacetCols > 0:
		f.columns, f.chosen = of.FacetCols, true
		return f
	case of.Type == dashboard.Calendar:
		f.columns = 1
		return f
	case slices.Contains([]string{dashboard.Heatmap, dashboard.Pie, dashboard.Funnel, dashboard.Slope, dashboard.Treemap}, of.Type):
		f.columns = min(n, 3)
		if n == 4 {
			f.columns = 2
		}
		return f
	}
	if n <= 3 || n == 5 || n == 6 || n == 9 {
		f.columns = min(n, 3)
	}
	return f
}

// plotHeight is how high lines, areas and columns of the panel are drawn, in pixels.
func (p *panel) plotHeight() float64 {
	if p.family != nil {
		return float64(p.family.height)
	}
	return plotHeight
}

// smallPanel is a panel for one small plot.
func (p *panel) smallPanel(f *family, cat cube.Category) *panel {
	own := *p
	own.family, own.notes, own.warnings, own.summary = f, nil, nil, ""
	own.title, own.value = p.env.Cell(*p.data.Column(p.spec.Facet), cube.Exact, cat), cat
	return &own
}

// inFacets works out small plots of the facets of a split, or returns nil where none of
// them has a value. Choices that all of them share are made once for all.
func (p *panel) inFacets(s *split, of func(*panel, *split) smallPlot) content {
	f := p.newFamily(len(s.facets))
	p.keepAlike(s)
	p.without(func(spec *dashboard.Panel) { // checks refuse them: some plots would have lines that others lack, in one table
		spec.Average, spec.Trend = 0, ""
	})
	var drawn []float64
	col := *s.series[0].col
	for _, part := range s.facets {
		values := part.value
		if p.spec.Percent {
			values, col.Format, col.Suffix = part.shares(), "percent1", ""
		}
		for i := range part.series {
			for x := range part.x {
				if part.has(i, x) {
					drawn = append(drawn, values[i][x])
				}
			}
		}
	}
	f.refs = p.referencesOf(dashboard.AxisY, drawn, col)
	f.named = p.onScale(f.refs, dashboard.AxisY)
	switch p.spec.Type {
	case dashboard.Bar:
		f.named = append(targetLines(s.facets[0].asides), f.named...)
	case dashboard.Line:
		f.named = append((&linePanel{panel: p, split: s.facets[0].split}).bandLines(), f.named...)
	}
	out := &facetPanel{panel: p, family: f, series: s.series}
	for _, part := range s.facets {
		own := p.smallPanel(f, part.Category)
		plot := facetPlot{panel: own}
		if small := of(own, part.split); small != nil {
			plot.plot = small
			r, _ := small.chart().Reaches()
			f.reach.Join(r)
		}
		out.plots = append(out.plots, plot)
	}
	var order []cube.Category
	for _, part := range s.facets {
		order = append(order, part.Category)
	}
	out.tableOf(order)
	if !slices.ContainsFunc(out.plots, func(f facetPlot) bool { return f.plot != nil }) {
		p.empty = out.plots[0].empty
		return nil
	}
	out.gather()
	return out
}

// keepAlike takes a stack, or shares, from all small plots where one of them cannot have
// it, and says so.
func (p *panel) keepAlike(s *split) {
	if !p.spec.Stack || len(s.series) < 2 {
		p.without(func(spec *dashboard.Panel) { spec.Percent = false })
		return
	}
	below := slices.ContainsFunc(s.facets, func(f facet) bool {
		lo, _ := f.extent(false)
		return lo < 0
	})
	switch {
	case !below:
	case p.spec.Type == dashboard.Area:
		p.without(func(spec *dashboard.Panel) { spec.Stack, spec.Percent = false, false })
		p.report(encode.NotStacked())
	case p.spec.Percent:
		p.without(func(spec *dashboard.Panel) { spec.Percent = false })
		p.report(encode.NoShares())
	}
}

// without changes what the panel draws of its spec, and not the spec.
func (p *panel) without(change func(*dashboard.Panel)) {
	own := *p.spec
	change(&own)
	p.spec = &own
}

// tableOf is the table behind all small plots: a row for each place on each of their axes.
func (p *facetPanel) tableOf(order []cube.Category) {
	col := gridColumn{Column: *p.data.Column(p.spec.Facet)}
	var g *grid
	var totals []string
	for i := range p.plots {
		plot := &p.plots[i]
		part := plot.grid
		if part == nil {
			continue
		}
		if g == nil {
			g = &grid{cols: slices.Insert(slices.Clone(part.cols), 1, col)}
		}
		plot.offset = len(g.rows)
		for _, row := range part.rows {
			g.rows = append(g.rows, slices.Insert(slices.Clone(row), 1, any(order[i])))
		}
		totals = append(totals, plot.totals...)
		if p.parts == nil && plot.parts != nil {
			p.parts = make([][]float64, len(plot.parts))
		}
		for i := range plot.parts {
			p.parts[i] = append(p.parts[i], plot.parts[i]...)
		}
	}
	if p.grid = g; g != nil && len(totals) == len(g.rows) {
		p.totals = totals
	}
}

// gather writes the notes, the warnings and the sentence of the panel: a note that is
// about some of the plots names them.
func (p *facetPanel) gather() {
	var texts []string
	of := map[string][]string{}
	for _, plot := range p.plots {
		for _, note := range plot.notes {
			if of[note] == nil {
				texts = append(texts, note)
			}
			of[note] = append(of[note], canvas.Clip(plot.title, 40))
		}
		for _, w := range plot.warnings {
			if !slices.Contains(p.warnings, w) {
				p.warnings = append(p.warnings, w)
			}
		}
	}
	for _, text := range texts {
		if names := of[text]; len(names) < len(p.plots) {
			if n := len(names) - 3; n > 0 {
				names = append(slices.Clone(names[:3]), p.env.Count(n, "and %d more", "and %d more"))
			}
			text = strings.Join(names, ", ") + ": " + text
		}
		p.notes = append(p.notes, text)
	}
	by := p.env.Inside(p.label(p.spec.Facet))
	parts := []string{p.env.Count(len(p.plots), "%d plot by %s.", "%d plots with the same axes by %s.", by)}
	if p.family.free || p.family.of != nil && p.family.reach.Lo > p.family.reach.Hi {
		parts[0] = p.env.Count(len(p.plots), "%d plot by %s.", "%d plots by %s.", by)
	}
	for i, plot := range p.plots {
		if i == 4 && len(p.plots) > 5 {
			n := len(p.plots) - i
			parts = append(parts, format.Upper(p.env.Count(n, "and %d more", "and %d more"))+".")
			break
		}
		says := plot.summary
		if plot.plot == nil {
			says = plot.empty
		}
		parts = append(parts, canvas.Clip(plot.title, 40)+": "+says)
	}
	p.summary = strings.Join(parts, " ")
}

func (p *facetPanel) Draw(c canvas.Canvas) {
	if len(p.plots) == 4 && p.family.columns == 4 && !p.family.chosen && p.inside() < canvas.DesktopInside { // none stands alone in its row
		p.family.columns = 2
	}
	if p.family.of != nil {
		p.drawMultiples(c)
		return
	}
	p.legend(p.series, p.family.named...).Draw(c)
	if s, ok := p.plots[0].plot.(*scatterPanel); ok {
		c.AxisName(p.env.Head(*s.cols[1], s.cols[1].Label), canvas.YSide)
	} else if name := p.env.Head(*p.series[0].col, ""); name != "" && p.parts == nil {
		c.AxisName(name, canvas.YSide)
	}
	var left []string
	for _, plot := range p.plots {
		if plot.plot != nil {
			plot.columns = p.columns
			left = plot.plot.(smallPlot).chart().Lay().Left
			break
		}
	}
	c.Facets(canvas.SmallPlots{Count: len(p.plots), Columns: p.family.columns, Height: p.family.height, Left: left, Own: p.family.own})
	for i := range p.plots {
		plot := &p.plots[i]
		plot.columns = p.columns
		c.Facet(plot.title)
		if plot.plot != nil {
			plot.plot.Draw(c)
		} else {
			c.Message(plot.empty, false)
		}
		c.End()
	}
	c.End()
	if s, ok := p.plots[0].plot.(*scatterPanel); ok {
		c.AxisName(p.env.Head(*s.cols[0], s.cols[0].Label), canvas.XSide)
	}
}

// sketch is a small line for each series of each plot, all on one scale.
func (p *facetPanel) sketch() []string {
	if _, ok := p.plots[0].plot.(*scatterPanel); ok || p.family.of != nil {
		var lines []string
		for _, plot := range p.plots {
			lines = append(lines, text.OneLine(plot.title)+": "+text.OneLine(cmp.Or(plot.summary, plot.empty)))
		}
		return text.Most(lines, sketchRow+1, "plots")
	}
	lo, hi := p.straight(dashboard.AxisY, p.family.reach.Lo), p.straight(dashboard.AxisY, p.family.reach.Hi)
	var lines, names []string
	var series [][]float64
	for _, plot := range p.plots {
		if plot.plot == nil {
			names, series = append(names, text.OneLine(plot.title)), append(series, nil)
			continue
		}
		for i, vs := range plot.plot.(smallPlot).profile() {
			name := text.OneLine(plot.title)
			if len(p.series) > 1 {
				name = text.Cut(name, sketchName/2) + " " + text.OneLine(p.series[i].name)
			}
			names, series = append(names, name), append(series, vs)
		}
	}
	wide := widest(names)
	for i, vs := range series {
		last := format.None
		if k := lastValue(vs); k >= 0 {
			v, format := vs[k], format.OrInteger(*p.series[0].col)
			if p.spec.Log(dashboard.AxisY) {
				v = math.Pow(10, v)
			}
			if p.parts != nil {
				format, lo, hi = "percent1", 0, 1
			}
			last = text.OneLine(p.env.Short(format, v))
			if p.parts == nil {
				last = text.OneLine(p.env.InUnit(*p.series[0].col, p.env.Short(format, v)))
			}
		}
		lines = append(lines, text.Pad(names[i], wide)+" "+spark(vs, text.LineWidth-wide-10, lo, hi)+" "+last)
	}
	return text.Most(lines, sketchRow+1, "plots")
}

func (p *barPanel) profile() [][]float64 { return p.sketchedAll(len(p.split.series)) }

func (p *linePanel) profile() [][]float64 {
	out := p.sketchedAll(len(p.split.series))
	for i := range out {
		out[i] = p.withHoles(out[i])
	}
	return out
}

// sketchedAll are the values of so many series as they are drawn.
func (p *panel) sketchedAll(series int) [][]float64 {
	out := make([][]float64, series)
	for i := range out {
		out[i] = p.sketchedSeries(i)
	}
	return out
}
