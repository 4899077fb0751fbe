package panel

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
	of      *Panel            // whose small plots they are, where they are worked out by the code of its type
	allRows bool              // no filter leaves out rows
	table   *encode.Table     // of all of them; nil before it is asked for
}

// A smallPlot is one of several plots with the same axes, of a type that groups its rows by the facet itself.
type smallPlot interface {
	Content
	chart() *chart.Chart
	profile() [][]float64 // its series, as a sketch draws them
}

// A facetPanel is small plots, one for each value of a dimension.
type facetPanel struct {
	*Panel
	family *family
	plots  []facetPlot
	series []seriesOf
}

// A facetPlot is one of them. Its panel says what it shows, or why it is empty.
type facetPlot struct {
	*Panel
	plot Content // nil where it is empty
}

// facetChannel is the panel's facet, of which the largest values by a measure are drawn if there are too many.
func (p *Panel) facetChannel(measure int, first bool) encode.Channel {
	return encode.Channel{Column: p.Spec.Facet, Key: "facet", First: first, Keep: encode.Keep{Names: encode.Top{
		Most: maxFacets, Measure: measure, Rank: encode.Farthest, Advice: "the sql can group the small ones, and a filter on it shows others",
	}}}
}

// fillFacets makes a part of each value of the facet. All have the same axis and series.
func (s *split) fillFacets(p *Panel, t *encode.Table, ys []*dashboard.Column) {
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
func (p *Panel) newFamily(n int) *family {
	free := p.Spec.FacetScale == dashboard.FacetFree
	f := &family{columns: 4, height: facetHeight, reach: chart.NoExtremes(), free: free, own: free}
	switch of := p.Spec; {
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
func (p *Panel) plotHeight() float64 {
	if p.family != nil {
		return float64(p.family.height)
	}
	return plotHeight
}

// smallPanel is a panel for one small plot.
func (p *Panel) smallPanel(f *family, cat cube.Category) *Panel {
	own := *p
	own.family, own.Notes, own.Warnings, own.Summary = f, nil, nil, ""
	own.Title, own.value = p.Env.Cell(*p.Data.Column(p.Spec.Facet), cube.Exact, cat), cat
	return &own
}

// inFacets works out small plots of the facets of a split, or returns nil where none of
// them has a value. Choices that all of them share are made once for all.
func (p *Panel) inFacets(s *split, of func(*Panel, *split) smallPlot) Content {
	f := p.newFamily(len(s.facets))
	p.keepAlike(s)
	p.without(func(spec *dashboard.Panel) { // checks refuse them: some plots would have lines that others lack, in one table
		spec.Average, spec.Trend = 0, ""
	})
	var drawn []float64
	col := *s.series[0].col
	for _, part := range s.facets {
		values := part.value
		if p.Spec.Percent {
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
	switch p.Spec.Type {
	case dashboard.Bar:
		f.named = append(targetLines(s.facets[0].asides), f.named...)
	case dashboard.Line:
		f.named = append((&linePanel{Panel: p, split: s.facets[0].split}).bandLines(), f.named...)
	}
	out := &facetPanel{Panel: p, family: f, series: s.series}
	for _, part := range s.facets {
		own := p.smallPanel(f, part.Category)
		plot := facetPlot{Panel: own}
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
		p.Empty = out.plots[0].Empty
		return nil
	}
	out.gather()
	return out
}

// keepAlike takes a stack, or shares, from all small plots where one of them cannot have
// it, and says so.
func (p *Panel) keepAlike(s *split) {
	if !p.Spec.Stack || len(s.series) < 2 {
		p.without(func(spec *dashboard.Panel) { spec.Percent = false })
		return
	}
	below := slices.ContainsFunc(s.facets, func(f facet) bool {
		lo, _ := f.extent(false)
		return lo < 0
	})
	switch {
	case !below:
	case p.Spec.Type == dashboard.Area:
		p.without(func(spec *dashboard.Panel) { spec.Stack, spec.Percent = false, false })
		p.report(encode.NotStacked())
	case p.Spec.Percent:
		p.without(func(spec *dashboard.Panel) { spec.Percent = false })
		p.report(encode.NoShares())
	}
}

// without changes what the panel draws of its spec, and not the spec.
func (p *Panel) without(change func(*dashboard.Panel)) {
	own := *p.Spec
	change(&own)
	p.Spec = &own
}

// tableOf is the table behind all small plots: a row for each place on each of their axes.
func (p *facetPanel) tableOf(order []cube.Category) {
	col := Column{Column: *p.Data.Column(p.Spec.Facet)}
	var g *Grid
	var totals []string
	for i := range p.plots {
		plot := &p.plots[i]
		part := plot.Grid
		if part == nil {
			continue
		}
		if g == nil {
			g = &Grid{Columns: slices.Insert(slices.Clone(part.Columns), 1, col)}
		}
		plot.offset = len(g.Rows)
		for _, row := range part.Rows {
			g.Rows = append(g.Rows, slices.Insert(slices.Clone(row), 1, any(order[i])))
		}
		totals = append(totals, plot.Totals...)
		if p.Parts == nil && plot.Parts != nil {
			p.Parts = make([][]float64, len(plot.Parts))
		}
		for i := range plot.Parts {
			p.Parts[i] = append(p.Parts[i], plot.Parts[i]...)
		}
	}
	if p.Grid = g; g != nil && len(totals) == len(g.Rows) {
		p.Totals = totals
	}
}

// gather writes the notes, the warnings and the sentence of the panel: a note that is
// about some of the plots names them.
func (p *facetPanel) gather() {
	var texts []string
	of := map[string][]string{}
	for _, plot := range p.plots {
		for _, note := range plot.Notes {
			if of[note] == nil {
				texts = append(texts, note)
			}
			of[note] = append(of[note], canvas.Clip(plot.Title, 40))
		}
		for _, w := range plot.Warnings {
			if !slices.Contains(p.Warnings, w) {
				p.Warnings = append(p.Warnings, w)
			}
		}
	}
	for _, text := range texts {
		if names := of[text]; len(names) < len(p.plots) {
			if n := len(names) - 3; n > 0 {
				names = append(slices.Clone(names[:3]), p.Env.Count(n, "and %d more", "and %d more"))
			}
			text = strings.Join(names, ", ") + ": " + text
		}
		p.Notes = append(p.Notes, text)
	}
	by := p.Env.Inside(p.label(p.Spec.Facet))
	parts := []string{p.Env.Count(len(p.plots), "%d plot by %s.", "%d plots with the same axes by %s.", by)}
	if p.family.free || p.family.of != nil && p.family.reach.Lo > p.family.reach.Hi {
		parts[0] = p.Env.Count(len(p.plots), "%d plot by %s.", "%d plots by %s.", by)
	}
	for i, plot := range p.plots {
		if i == 4 && len(p.plots) > 5 {
			n := len(p.plots) - i
			parts = append(parts, format.Upper(p.Env.Count(n, "and %d more", "and %d more"))+".")
			break
		}
		says := plot.Summary
		if plot.plot == nil {
			says = plot.Empty
		}
		parts = append(parts, canvas.Clip(plot.Title, 40)+": "+says)
	}
	p.Summary = strings.Join(parts, " ")
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
		c.AxisName(p.Env.Head(*s.cols[1], s.cols[1].Label), canvas.YSide)
	} else if name := p.Env.Head(*p.series[0].col, ""); name != "" && p.Parts == nil {
		c.AxisName(name, canvas.YSide)
	}
	var left []string
	for _, plot := range p.plots {
		if plot.plot != nil {
			plot.Columns = p.Columns
			left = plot.plot.(smallPlot).chart().Lay().Left
			break
		}
	}
	c.Facets(canvas.SmallPlots{Count: len(p.plots), Columns: p.family.columns, Height: p.family.height, Left: left, Own: p.family.own})
	for i := range p.plots {
		plot := &p.plots[i]
		plot.Columns = p.Columns
		c.Facet(plot.Title)
		if plot.plot != nil {
			plot.plot.Draw(c)
		} else {
			c.Message(plot.Empty, false)
		}
		c.End()
	}
	c.End()
	if s, ok := p.plots[0].plot.(*scatterPanel); ok {
		c.AxisName(p.Env.Head(*s.cols[0], s.cols[0].Label), canvas.XSide)
	}
}

// sketch is a small line for each series of each plot, all on one scale.
func (p *facetPanel) sketch() []string {
	if _, ok := p.plots[0].plot.(*scatterPanel); ok || p.family.of != nil {
		var lines []string
		for _, plot := range p.plots {
			lines = append(lines, text.OneLine(plot.Title)+": "+text.OneLine(cmp.Or(plot.Summary, plot.Empty)))
		}
		return text.Most(lines, sketchRow+1, "plots")
	}
	lo, hi := p.straight(dashboard.AxisY, p.family.reach.Lo), p.straight(dashboard.AxisY, p.family.reach.Hi)
	var lines, names []string
	var series [][]float64
	for _, plot := range p.plots {
		if plot.plot == nil {
			names, series = append(names, text.OneLine(plot.Title)), append(series, nil)
			continue
		}
		for i, vs := range plot.plot.(smallPlot).profile() {
			name := text.OneLine(plot.Title)
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
			if p.Spec.Log(dashboard.AxisY) {
				v = math.Pow(10, v)
			}
			if p.Parts != nil {
				format, lo, hi = "percent1", 0, 1
			}
			last = text.OneLine(p.Env.Short(format, v))
			if p.Parts == nil {
				last = text.OneLine(p.Env.InUnit(*p.series[0].col, p.Env.Short(format, v)))
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
func (p *Panel) sketchedAll(series int) [][]float64 {
	out := make([][]float64, series)
	for i := range out {
		out[i] = p.sketchedSeries(i)
	}
	return out
}
