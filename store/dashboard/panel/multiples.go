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

// Small plots of types that do not group their rows by the facet themselves: each plot is the panel without a facet over the rows of one
// value, worked out by the code of its type.

// A charted content is drawn as a chart. The chart is nil if it is drawn in another way.
type charted interface {
	plotted() *chart.Chart
}

// A shared content has more in common with the other small plots than the scale of its axes, such as colours of values.
type shared interface {
	// share is called once, on the first of all plots that are drawn.
	share(f *family, all []Content)
}

// A settled content reports what depends on the scales that the small plots share, once these are known.
type settled interface {
	settle()
}

// A lined content has reference lines, which small plots share.
type lined interface {
	// lineValues returns the values that kinds of lines are of, and those of which the ends are the least and the largest.
	lineValues() (of, ends []float64, col dashboard.Column)
}

// A keyed content draws its key itself, and not as that of a chart.
type keyed interface {
	keyAbove() *chart.Key
}

// contentOf works out the contents of the panel: a figure, or small plots of it.
func (p *Panel) contentOf() Content {
	if p.Spec.Facet == "" || p.Facets {
		return p.Summarise(p)
	}
	return p.multiples()
}

// multiples makes a small plot for each value of the facet. The rows are grouped and cut once for all plots, so these have the same places
// in the same order.
func (p *Panel) multiples() Content {
	p.col(p.Spec.Facet)
	if p.Problem != "" {
		return nil
	}
	allRows := len(p.Data.Rows) == p.Data.Cube.Rows()
	order := p.facetValues()
	if order == nil {
		return nil
	}
	f := p.newFamily(len(order))
	f.of, f.allRows, f.right, f.below = p, allRows, chart.NoExtremes(), chart.NoExtremes()
	out := &facetPanel{Panel: p, family: f}
	dim := p.Data.Dim(p.Spec.Facet, cube.Exact)
	for _, cat := range order {
		own := p.smallPanel(f, cat)
		spec := *p.Spec
		spec.Facet = ""
		own.Spec, own.shows = &spec, nil
		own.ofValue = p.Data.Cube.Where(p.Data.Rows, dim, func(c cube.Category) bool { return c == cat })
		out.plots = append(out.plots, facetPlot{Panel: own, plot: own.Summarise(own)})
		if p.Problem = cmp.Or(p.Problem, own.Problem); p.Problem != "" {
			return nil
		}
	}
	first := out.plots[0].Panel
	p.shows, p.grains = append(p.shows, first.shows...), first.grains
	out.tableOf(order)
	if !slices.ContainsFunc(out.plots, func(f facetPlot) bool { return f.plot != nil }) {
		p.Empty = first.Empty
		return nil
	}
	out.settle()
	out.gather()
	return out
}

// facetValues are the values of the facet that have a plot, in order: those with the largest values of the panel's measure or, if that does
// not add up, with the most rows. It leaves the panel with their rows alone. It is nil where the panel has a problem.
func (p *Panel) facetValues() []cube.Category {
	channel := p.facetChannel(0, false)
	channel.Keep.Names.Rank = encode.MostRows
	q := encode.Query{By: []encode.Channel{channel}}
	if name := p.mainMeasure(); name != "" {
		if m := p.Data.Measure(p.col(name)); p.Problem == "" && encode.Additive(m) {
			q.Measures, q.By[0].Keep.Names.Rank = []cube.Measure{m}, encode.Farthest
		}
	}
	if p.Problem != "" {
		return nil
	}
	t := p.run(q)
	if t == nil {
		return nil
	}
	order := t.Axis(0)
	if len(order) < t.Outcomes[0].All {
		data := *p.Data
		data.Rows = data.Cube.Where(data.Rows, t.Dim(0), func(c cube.Category) bool { return slices.Contains(order, c) })
		p.Data = &data
	}
	return order
}

// mainMeasure is the measure by which the largest plots are chosen, or "".
func (p *Panel) mainMeasure() string {
	switch p.Spec.Type {
	case dashboard.Combo:
		return slices.Concat(p.Spec.Bars, []string{""})[0]
	case dashboard.Histogram:
		return p.Spec.Weight
	case dashboard.Box, dashboard.Candlestick:
		return ""
	}
	return p.Spec.Value
}

// tableFor is the table of the query of a small plot: its part of one table of all of them.
func (f *family) tableFor(small *Panel, q encode.Query) *encode.Table {
	if f.table == nil && f.of.Problem == "" {
		q.By = append(slices.Clone(q.By), encode.Channel{Column: f.of.Spec.Facet, Key: "facet"})
		f.table = f.of.run(q)
	}
	if small.Problem = f.of.Problem; small.Problem != "" {
		return nil
	}
	dim := len(f.table.Axes) - 1
	return f.table.Of(dim, slices.Index(f.table.Axes[dim], small.value))
}

// ownRows are the rows of the panel: of a small plot, those of its value of the facet.
func (p *Panel) ownRows() cube.Selection {
	if p.family != nil {
		return p.ofValue
	}
	return p.Data.Rows
}

// runAlone is [Panel.run] of the rows of the panel alone, without those of the other small plots.
func (p *Panel) runAlone(q encode.Query) *encode.Table {
	own, data := *p, *p.Data
	data.Rows = p.ownRows()
	own.family, own.Data = nil, &data
	t := own.run(q)
	p.Problem, p.Notes, p.Warnings = own.Problem, own.Notes, own.Warnings
	return t
}

// alone reports whether the panel is not one of several small plots with the same scales.
func (p *Panel) alone() bool { return p.family == nil || p.family.free }

// settle gives the plots what they share.
func (p *facetPanel) settle() {
	f := p.family
	var all []Content
	hasLines := false // whose reference lines are shared
	var of, ends []float64
	var col dashboard.Column
	for i := range p.plots {
		c := p.plots[i].plot
		if c == nil {
			continue
		}
		all = append(all, c)
		if l, ok := c.(lined); ok {
			v, e, c := l.lineValues()
			of, ends, col, hasLines = append(of, v...), append(ends, e...), c, true
		}
	}
	if hasLines && len(p.Spec.Reference) > 0 {
		f.refs = p.linesOf(of, ends, col)
		p.noteReferences(f.refs, dashboard.AxisY)
	}
	if s, ok := all[0].(shared); ok && !f.free {
		s.share(f, all)
	}
	for _, c := range all {
		h := chartOf(c)
		if h == nil {
			f.own = true
			continue
		}
		f.own = f.own || f.free || p.Spec.Type == dashboard.Slope || h.Right != nil || h.Y.Rows != nil || h.Full
		f.height = max(f.height, h.Height)
		l, r := h.Reaches()
		f.reach.Join(l)
		f.right.Join(r)
		if h.Below != nil {
			l, _ = h.Below.Reaches()
			f.below.Join(l)
		}
	}
	for _, c := range all {
		if s, ok := c.(settled); ok {
			s.settle()
		}
	}
}

// linesOf are the reference lines of values, of which the least and the largest are those of ends.
func (p *Panel) linesOf(values, ends []float64, col dashboard.Column) []chart.Reference {
	out, far := p.referencesOf(dashboard.AxisY, values, col), p.referencesOf(dashboard.AxisY, ends, col)
	for i, r := range p.Spec.Reference {
		if r.Kind == "min" || r.Kind == "max" {
			out[i] = far[i]
		}
	}
	return out
}

// sharedLines are the lines of all small plots, if the panel is one of them.
func (p *Panel) sharedLines() []chart.Reference {
	if p.family == nil {
		return nil
	}
	return p.family.refs
}

// An onRamp content has colours of a ramp.
type onRamp interface {
	// ramp returns the domain of the colours, the column that they are of and its values.
	ramp() (*domain, *dashboard.Column, []float64)
	// rounded is how far the times of the values are rounded down.
	rounded() cube.Grain
}

// shareRamp gives small plots one domain of colours: that of the values of all of them.
func (f *family) shareRamp(all []Content) {
	p := f.of
	var values []float64
	var col *dashboard.Column
	for _, c := range all {
		_, of, v := c.(onRamp).ramp()
		values, col = append(values, v...), of
	}
	d := p.domain(col, p.Spec.Ramp, values)
	if !f.allRows && p.keepsDomain(p.Data.Measure(col)) {
		if of, ok := p.unfiltered(all[0].(onRamp).rounded()).(*facetPanel); ok {
			for _, plot := range of.plots {
				if c, ok := plot.plot.(onRamp); ok {
					whole, _, _ := c.ramp()
					d = whole.kept(values)
				}
			}
		}
	}
	for _, c := range all {
		to, _, v := c.(onRamp).ramp()
		*to = d.kept(v)
	}
	p.sayRamp(&d, p.Spec.Ramp, "ramp")
}

// chartOf is the chart as which a content is drawn, or nil.
func chartOf(c Content) *chart.Chart {
	if c, ok := c.(charted); ok {
		return c.plotted()
	}
	return nil
}

// small is a chart as one of small plots, which do not repeat what is written once for all of them.
func (f *family) small(h *chart.Chart) *chart.Chart {
	h.Y.Name, h.X.Name, h.Height, h.Values = "", "", f.height, chart.NoValues
	if h.Right != nil {
		h.Right.Name = ""
	}
	if f.free {
		if h.Key != nil && h.Key.Ramp == nil {
			h.Key = nil
		}
		return h
	}
	h.Key = nil
	if h.Y.Rows == nil {
		h.Y.Reach = &f.reach
	}
	if h.Right != nil {
		h.Right.Reach = &f.right
	}
	if h.Below != nil {
		h.Below.Y.Reach = &f.below
	}
	return h
}

// laid is a chart with the scales that the small plots share, if it is one of them.
func (p *Panel) laid(h *chart.Chart) *chart.Laid {
	if p.family != nil && p.family.of != nil {
		h = p.family.small(h)
	}
	return h.Lay()
}

// drawMultiples draws the plots, and once what they have in common: the key and the names of their axes.
func (p *facetPanel) drawMultiples(c canvas.Canvas) {
	f := p.family
	charts := make([]*chart.Chart, len(p.plots))
	var first *chart.Chart
	var keys []*chart.Key
	for i := range p.plots {
		plot := &p.plots[i]
		plot.Columns = p.Columns
		if plot.plot == nil {
			continue
		}
		h := chartOf(plot.plot)
		if k, ok := plot.plot.(keyed); ok {
			keys = append(keys, k.keyAbove())
		}
		if charts[i] = h; h != nil {
			keys = append(keys, h.Key)
			first = cmp.Or(first, h)
		}
	}
	p.key(keys).Draw(c)
	end := ""
	if first != nil {
		end = first.X.Name
		switch {
		case first.Right != nil:
			c.AxisNames(first.Y.Name, first.Right.Name)
		case first.Y.Name != "":
			c.AxisName(first.Y.Name, canvas.YSide)
		}
	}
	var left []string
	for _, h := range charts {
		if h != nil {
			f.small(h)
			if left == nil && !f.own {
				left = h.Lay().Left
			}
		}
	}
	c.Facets(canvas.SmallPlots{Count: len(p.plots), Columns: f.columns, Height: f.height, Left: left, Own: f.own})
	for i := range p.plots {
		plot := &p.plots[i]
		c.Facet(plot.Title)
		switch {
		case plot.plot == nil:
			c.Message(plot.Empty, false)
		case charts[i] != nil:
			charts[i].Draw(c)
		default:
			plot.plot.Draw(c)
		}
		c.End()
	}
	c.End()
	if end != "" {
		c.AxisName(end, canvas.XSide)
	}
}

// key is the key of all plots: what any of their keys has, and the reference lines.
func (p *facetPanel) key(keys []*chart.Key) *chart.Key {
	out := &chart.Key{Kind: canvas.LegendList}
	keys = slices.DeleteFunc(keys, func(k *chart.Key) bool { return k == nil })
	slices.SortStableFunc(keys, func(a, b *chart.Key) int { return cmp.Compare(len(b.Items), len(a.Items)) })
	for _, k := range keys {
		out.Kind = k.Kind
		if out.Ramp == nil && !p.family.free {
			out.Ramp = k.Ramp
		}
		for _, i := range k.Items {
			if !slices.ContainsFunc(out.Items, func(had canvas.Item) bool { return had.Name == i.Name && had.Color == i.Color }) {
				out.Items = append(out.Items, i)
			}
		}
	}
	for _, l := range p.onScale(p.family.refs, dashboard.AxisY) {
		out.Items = append(out.Items, l.Item(false))
	}
	if out.Ramp == nil && len(out.Items) == 0 {
		return nil
	}
	return out
}

// within is how wide what stands in the panel is on a desktop, in pixels: in a small plot, that plot.
func (p *Panel) within() float64 {
	if p.family == nil {
		return p.inside()
	}
	return p.room().FullWidths()[2]
}
