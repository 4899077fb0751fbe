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

// Small plots: each is the panel without a facet over the rows of one value, worked out by the code of its type.

// A charted content is drawn as a chart. The chart is nil if it is drawn in another way.
type charted interface {
	plotted() *chart.Chart
}

// A shared content has more in common with the other small plots than the scale of its axes, such as colours of values.
type shared interface {
	// share is called once, on the first of all plots that are drawn.
	share(f *family, all []Content)
}

// A colorful content has colours of values that it chooses by its rows, and all small plots have the same.
type colorful interface {
	// shareColors is called once, on the first of all plots that are drawn.
	shareColors(all []Content)
}

// A settled content reports what depends on the scales of its axes, which small plots share: it does so once these are known.
type settled interface {
	settle()
}

// A keyed content draws its key itself, and not as that of a chart.
type keyed interface {
	keyAbove() *chart.Key
}

// contentOf works out the contents of the panel: a figure, or small plots of it.
func (p *Panel) contentOf() Content {
	if p.Spec.Facet != "" {
		return p.multiples()
	}
	out := p.Summarise(p)
	if s, ok := out.(settled); ok {
		s.settle()
	}
	return out
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
	f.allRows = allRows
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
	for _, plot := range out.plots {
		p.Problem = cmp.Or(p.Problem, plot.Problem)
	}
	if p.Problem != "" {
		return nil
	}
	out.gather()
	return out
}

// facetValues are the values of the facet that have a plot, in order: those with the largest values of the panel's measure or, if that does
// not add up, with the most rows. It leaves the panel with their rows alone. It is nil where the panel has a problem.
func (p *Panel) facetValues() []cube.Category {
	q := encode.Query{By: []encode.Channel{{Column: p.Spec.Facet, Key: "facet", Keep: encode.Keep{Names: encode.Top{
		Most: maxFacets, Rank: encode.MostRows, Advice: "the sql can group the small ones, and a filter on it shows others",
	}}}}}
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
	if len(p.Spec.Y) > 0 && p.Spec.Type != dashboard.Heatmap {
		return p.Spec.Y[0]
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

// below reports whether a value is below zero: of small plots that share their scales, a value of any of them, because all are stacked or
// none is.
func (p *Panel) below(s *split) bool {
	if p.alone() {
		lo, _ := s.extent(false)
		return lo < 0
	}
	measures := len(s.series)
	if p.Spec.Series != "" {
		measures = 1
	}
	t := p.family.table
	for i := range t.Len() {
		for m := range measures {
			if v, ok := t.Value(i, m); ok && v < 0 {
				return true
			}
		}
	}
	return false
}

// settle gives the plots what they share.
func (p *facetPanel) settle() {
	f := p.family
	var all []Content
	for i := range p.plots {
		if c := p.plots[i].plot; c != nil {
			all = append(all, c)
		}
	}
	joinCompared(all)
	if s, ok := all[0].(colorful); ok {
		s.shareColors(all)
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
		r := h.Reaches()
		f.reach.Join(r.Y)
		f.across.Join(r.X)
		f.right.Join(r.Right)
		if h.Below != nil {
			f.below.Join(h.Below.Reaches().Y)
		}
	}
	for _, c := range all {
		if s, ok := c.(settled); ok {
			s.settle()
		}
	}
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

// small is a chart as one of small plots, which do not repeat what is written once for all of them. Their values are written if the spec
// asks for them.
func (f *family) small(h *chart.Chart) *chart.Chart {
	if h.Y.Name, h.X.Name, h.Key = "", "", nil; !f.uneven {
		h.Height = f.height
	}
	if h.Values != chart.AnyValues {
		h.Values = chart.NoValues
	}
	if h.Right != nil {
		h.Right.Name = ""
	}
	if f.free {
		return h
	}
	if h.Y.Rows == nil {
		h.Y.Reach = &f.reach
	}
	if f.across.Lo <= f.across.Hi {
		h.X.Reach = &f.across
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
	if p.family != nil {
		h = p.family.small(h)
	}
	return h.Lay()
}

// Draw draws the plots, and once what they have in common: the key and the names of their axes.
func (p *facetPanel) Draw(c canvas.Canvas) {
	f := p.family
	if len(p.plots) == 4 && f.columns == 4 && !f.chosen && p.inside() < canvas.DesktopInside { // none stands alone in its row
		f.columns = 2
	}
	charts := make([]*chart.Chart, len(p.plots))
	var first *chart.Chart
	for i := range p.plots {
		plot := &p.plots[i]
		plot.Columns = p.Columns
		if plot.plot != nil {
			charts[i] = chartOf(plot.plot)
			first = cmp.Or(first, charts[i])
		}
	}
	all, own := p.keys(charts)
	all.Draw(c)
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
	plots := canvas.SmallPlots{Columns: f.columns, Height: f.height, Own: f.own}
	for i, h := range charts {
		plots.Names = append(plots.Names, p.plots[i].Title)
		if h != nil {
			f.small(h)
			if plots.Left == nil && !f.own {
				plots.Left = h.Lay().Left
			}
		}
	}
	c.Facets(plots)
	for i := range p.plots {
		plot := &p.plots[i]
		c.Facet(plot.Title)
		own[i].Draw(c)
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

// keys returns the key of all plots, and the keys of single plots, which have the trends and the reference lines that are not the same in
// all of them. Reference lines that all charts have are named in the key of all, and not on the plots.
func (p *facetPanel) keys(charts []*chart.Chart) (all *chart.Key, own []*chart.Key) {
	all, own = &chart.Key{Kind: canvas.LegendList}, make([]*chart.Key, len(charts))
	var of [][]*chart.Key // of each plot that is drawn
	var at []int
	for i, h := range charts {
		if p.plots[i].plot == nil {
			continue
		}
		var keys []*chart.Key
		if k, ok := p.plots[i].plot.(keyed); ok {
			keys = append(keys, k.keyAbove())
		}
		if h != nil {
			keys = append(keys, h.Key)
		}
		of, at = append(of, slices.DeleteFunc(keys, func(k *chart.Key) bool { return k == nil })), append(at, i)
	}
	items := func(keys []*chart.Key) (out []canvas.Item) {
		for _, k := range keys {
			out = append(out, k.Items...)
		}
		return out
	}
	order := slices.Clone(of) // the plot that has most of the items determines their order
	slices.SortStableFunc(order, func(a, b []*chart.Key) int { return cmp.Compare(len(items(b)), len(items(a))) })
	same := func(i canvas.Item) func(canvas.Item) bool {
		return func(had canvas.Item) bool { return had.Name == i.Name && had.Color == i.Color && had.Tone == i.Tone }
	}
	for _, keys := range order {
		for _, k := range keys {
			if all.Kind = k.Kind; all.Ramp == nil && !p.family.free {
				all.Ramp = k.Ramp
			}
		}
		for _, i := range items(keys) {
			if !slices.ContainsFunc(all.Items, same(i)) {
				all.Items = append(all.Items, i)
			}
		}
	}
	all.Items = slices.DeleteFunc(all.Items, func(i canvas.Item) bool {
		if !i.Dashed && !i.Mark && !i.Shade {
			return false
		}
		return slices.ContainsFunc(of, func(keys []*chart.Key) bool { return !slices.ContainsFunc(items(keys), same(i)) })
	})
	for n, keys := range of {
		k := &chart.Key{Kind: all.Kind}
		for _, key := range keys {
			if p.family.free {
				k.Ramp = cmp.Or(k.Ramp, key.Ramp)
			}
		}
		for _, i := range items(keys) {
			if !slices.ContainsFunc(all.Items, same(i)) && !slices.ContainsFunc(k.Items, same(i)) {
				k.Items = append(k.Items, i)
			}
		}
		if k.Ramp != nil || len(k.Items) > 0 {
			own[at[n]] = k
		}
	}
	for _, l := range nameTogether(charts) {
		all.Items = append(all.Items, l.Item(false))
	}
	if all.Ramp == nil && len(all.Items) == 0 {
		all = nil
	}
	return all, own
}

// nameTogether returns the reference lines that all charts have, and takes their names from the plots.
func nameTogether(charts []*chart.Chart) (out []chart.Reference) {
	charts = slices.DeleteFunc(slices.Clone(charts), func(h *chart.Chart) bool { return h == nil })
	if len(charts) == 0 {
		return nil
	}
	for _, of := range [...]func(*chart.Chart) []chart.Reference{
		func(h *chart.Chart) []chart.Reference { return h.Refs },
		func(h *chart.Chart) []chart.Reference { return h.Uprights },
	} {
		for i, r := range of(charts[0]) {
			same := func(h *chart.Chart) bool { return i < len(of(h)) && of(h)[i] == r }
			if slices.ContainsFunc(charts, func(h *chart.Chart) bool { return !same(h) }) {
				continue
			}
			out = append(out, r)
			for _, h := range charts {
				of(h)[i].Unnamed = true
			}
		}
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
