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

// Small plots: each is the panel without a facet over the rows of one value, computed by the code of its type.

// A charted content may be drawn as a chart. The chart is nil if the content is drawn in another way.
type charted interface {
	plotted() *chart.Chart
}

// A shared content shares more with the other small plots than the scales of its axes, such as the colours of values.
type shared interface {
	// share is called once, on the first of all drawn plots.
	share(f *family, all []Content)
}

// A colorful content chooses the colours of values by its rows. All small plots have the same colours.
type colorful interface {
	// shareColors is called once, on the first of all drawn plots.
	shareColors(all []Content)
}

// A settled content makes reports that depend on the scales of its axes. Small plots share these, so settle is called when they are known.
type settled interface {
	settle()
}

// A keyed content draws its own key instead of the key of a chart.
type keyed interface {
	keyAbove() *chart.Key
}

// contentOf computes the content of the panel: a figure, or small plots of it.
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

// multiples makes a small plot for each value of the facet. The rows are grouped and cut once for all plots, so all plots have the same
// places in the same order.
func (p *Panel) multiples() Content {
	p.col(p.Spec.Facet)
	if p.Problem != "" {
		return nil
	}
	allRows := len(p.Data.Rows) == len(p.Data.EveryRow())
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
		if spec.Type == dashboard.KPI {
			own.Data = p.Data.Of(p.Spec.Facet, cat)
		} else {
			own.ofValue = p.Data.Cube.Where(p.Data.Rows, dim, func(c cube.Category) bool { return c == cat })
		}
		out.plots = append(out.plots, facetPlot{Panel: own, plot: own.Summarise(own)})
		if p.Problem = cmp.Or(p.Problem, own.Problem); p.Problem != "" {
			return nil
		}
	}
	out.sortTiles(order)
	first := out.plots[0].Panel
	p.shows, p.grains = append(p.shows, first.shows...), first.grains
	out.tableOf(order)
	if !slices.ContainsFunc(out.plots, func(f facetPlot) bool { return f.plot != nil }) {
		p.Empty = first.Empty
		return nil
	}
	out.settle()
	out.noteOnlyBefore()
	for _, plot := range out.plots {
		p.Problem = cmp.Or(p.Problem, plot.Problem)
	}
	if p.Problem != "" {
		return nil
	}
	out.gather()
	return out
}

// facetValues returns the values of the facet that have a plot, in order: those with the largest values of the panel's measure or, if that
// does not add up, with the most rows. It limits the panel to the rows of these values. It returns nil if the panel has a problem.
func (p *Rows) facetValues() []cube.Category {
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
		data, kept := *p.Data, map[cube.Category]bool{}
		for _, c := range order {
			kept[c] = true
		}
		data.Rows = data.Cube.Where(data.Rows, t.Dim(0), func(c cube.Category) bool { return kept[c] })
		p.Data = &data
	}
	return order
}

// mainMeasure returns the measure by which the largest plots are chosen, or "".
func (p *Settings) mainMeasure() string {
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

// tableFor returns the table of a query of a small plot: its part of the one table of all plots.
func (f *family) tableFor(small *Rows, q encode.Query) *encode.Table {
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

// ownRows returns the rows of the panel; for a small plot, those with its value of the facet.
func (p *Rows) ownRows() cube.Selection {
	if p.family != nil {
		return p.ofValue
	}
	return p.Data.Rows
}

// runAlone is [Panel.run] over the rows of the panel only, without those of the other small plots.
func (p *Panel) runAlone(q encode.Query) *encode.Table {
	own, data := *p, *p.Data
	data.Rows = p.ownRows()
	own.family, own.Data = nil, &data
	t := own.run(q)
	p.Problem, p.Notes, p.counted, p.Warnings = own.Problem, own.Notes, own.counted, own.Warnings
	return t
}

// alone reports whether the panel shares its scales with no other small plot.
func (p *Rows) alone() bool { return p.family == nil || p.family.free }

// below reports whether there is a negative value. If small plots share their scales, it considers the values of all plots, because either
// all are stacked or none.
func (p *Rows) below(s *split) bool {
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

// settle sets the shared state of the plots.
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
		f.own = f.own || f.free || p.Spec.Type == dashboard.Slope || h.Right != nil || h.Y.Rows != nil ||
			h.Kind == canvas.FullPicture || h.Horizontal
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

// fitNames puts fewer plots next to each other if the names of their places would be cut: as many as have room for the names, or else two.
// Names of a scale stay as they are, because some of them may be left out; a waterfall needs all. At most four plots are below each other.
func (p *facetPanel) fitNames() {
	f, on, first := p.family, 0, (*chart.Chart)(nil)
	for i := range p.plots {
		if c := p.plots[i].plot; c != nil && first == nil {
			first = chartOf(c)
		}
	}
	named := first != nil && first.X.Bands != nil && (first.X.Bands.Thin == nil || p.Spec.Type == dashboard.Waterfall)
	switch inside := p.inside(); {
	case f.chosen || !named || inside <= canvas.TabletInside:
		return
	case inside > canvas.DesktopInside:
		on = 2
	default:
		on = 1
	}
	most := f.columns
	for n := most; n >= 1; n-- {
		if n == 3 && len(p.plots) == 4 || n == 1 && len(p.plots) > 4 {
			continue
		}
		f.columns = n
		first.Room = chart.Room{Inside: p.inside(), Columns: n, Own: f.own}
		if f.small(first).Lay().NamesFit(on) {
			return
		}
	}
	f.columns = min(most, 2)
}

// An onRamp content has the colours of a ramp.
type onRamp interface {
	// ramp returns the domain of the colours, the column that they represent, and its values.
	ramp() (*domain, *dashboard.Column, []float64)
	// rounded returns the grain to which the times of the values are rounded down.
	rounded() cube.Grain
}

// shareRamp gives small plots one domain of colours, over the values of all plots.
func (f *family) shareRamp(all []Content) {
	p := f.of
	var values []float64
	var col *dashboard.Column
	for _, c := range all {
		_, of, v := c.(onRamp).ramp()
		values, col = append(values, v...), of
	}
	d := p.Env.domain(col, p.Spec.Ramp, values)
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

// chartOf returns the chart of a content, or nil if the content is drawn in another way.
func chartOf(c Content) *chart.Chart {
	if c, ok := c.(charted); ok {
		return c.plotted()
	}
	return nil
}

// small turns a chart into one of several small plots: it removes what is written once for all of them, and sets the shared scales. Values
// are only written if the spec asks for them.
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

// laid returns a chart after layout. A small plot has the shared scales.
func (p *Rows) laid(h *chart.Chart) *chart.Laid {
	if p.family != nil {
		h = p.family.small(h)
	}
	return h.Lay()
}

// Draw draws the plots, and once for all of them the key and the names of their axes.
func (p *facetPanel) Draw(c canvas.Canvas) {
	f := p.family
	switch {
	case f.chosen:
	case p.Spec.Type == dashboard.KPI:
		f.columns = tileColumns(len(p.plots), min(canvas.TilesIn(p.inside()), mostTiles))
	case len(p.plots) == 4 && f.columns == 4 && p.inside() < canvas.DesktopInside: // otherwise one plot would be alone in its row
		f.columns = 2
	}
	p.fitNames()
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
		case first.Horizontal:
			end = first.Y.Name
		case first.Right != nil:
			c.AxisNames(first.Y.Name, first.Y.Side(), first.Right.Name)
		case first.Y.Name != "":
			c.AxisName(first.Y.Name, first.Y.Side())
		}
	}
	plots := canvas.SmallPlots{Columns: f.columns, Height: f.height, Own: f.own, Tiles: p.Spec.Type == dashboard.KPI}
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

// keys returns the key of all plots, and the keys of single plots. These have the trends and the reference lines that differ between plots.
// Reference lines that all charts have are named in the key of all plots, and not on the plots.
func (p *facetPanel) keys(charts []*chart.Chart) (all *chart.Key, own []*chart.Key) {
	all, own = &chart.Key{Kind: canvas.LegendList}, make([]*chart.Key, len(charts))
	var of [][]*chart.Key // of each drawn plot
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
	order := slices.Clone(of) // the plot with the most items determines their order
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
	if p.Spec.Type != dashboard.Timeline { // which has room for names above its rows
		for _, e := range nameEventsTogether(charts) {
			all.Items = append(all.Items, e.Item())
		}
	}
	if all.Ramp == nil && len(all.Items) == 0 {
		all = nil
	}
	return all, own
}

// keyedEvents is up to how many events are named in the key of all plots, where they are in the order of their times.
const keyedEvents = 4

// nameEventsTogether returns the events of all charts if they are few, and removes their names from the plots: on each of them, they would
// be cut and cover its marks.
func nameEventsTogether(charts []*chart.Chart) (out []chart.Event) {
	charts = slices.DeleteFunc(slices.Clone(charts), func(h *chart.Chart) bool { return h == nil })
	for _, h := range charts {
		for _, e := range h.Events {
			if !slices.ContainsFunc(out, func(had chart.Event) bool { return had.Text == e.Text && (had.End > 0) == (e.End > 0) }) {
				out = append(out, e)
			}
		}
	}
	if len(out) > keyedEvents {
		return nil
	}
	for _, h := range charts {
		for i := range h.Events {
			h.Events[i].Unnamed = true
		}
	}
	slices.SortStableFunc(out, func(a, b chart.Event) int { return cmp.Compare(a.At, b.At) })
	return out
}

// nameTogether returns the reference lines that all charts have, and removes their names from the plots.
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

// within returns the available width in the panel on a desktop, in pixels; for a small plot, the width of the plot.
func (p *Rows) within() float64 {
	if p.family == nil {
		return p.inside()
	}
	return p.room().FullWidths()[2]
}
