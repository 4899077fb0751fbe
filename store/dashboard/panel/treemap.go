package panel

import (
	"cmp"
	"math"
	"math/big"
	"slices"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
)

var treemapFigure = Figure{
	Summarise: summariseTreemap,
}

// A treemapPanel shows the parts of a whole as nested areas.
type treemapPanel struct {
	*Panel
	dims   []*dashboard.Column // of the levels, the outermost first; the first may be the series alone
	col    dashboard.Column
	areas  []treeArea // the largest first
	total  float64
	series int // the level that determines the colours; -1 for none
	legend []seriesOf

	tint   *dashboard.Column // measure of the colours; nil for none
	domain domain            // of tint
}

// A treeArea is an area with the values of its levels. Merged values are Other.
type treeArea struct {
	cats   []cube.Category
	value  float64
	exact  any
	merged int // number of merged values; 0 for one value
	color  canvas.Color
	tint   any // value of the colour
}

func summariseTreemap(p *Panel) Content {
	spec, d := p.Spec, p.Data
	names := spec.Levels
	if spec.Series != "" && !slices.Contains(names, spec.Series) {
		names = append([]string{spec.Series}, names...)
	}
	out := &treemapPanel{Panel: p, series: slices.Index(names, spec.Series)}
	if spec.Ramp != nil || spec.Color != "" {
		out.tint = p.col(cmp.Or(spec.Color, spec.Value))
	} else if spec.Series == "" && len(names) > 1 {
		out.series = 0
	}
	q := encode.Query{Positive: "A treemap cannot show negative values; use a bar chart."}
	for _, name := range names {
		out.dims = append(out.dims, p.col(name))
		q.By = append(q.By, encode.Channel{Column: name, Key: "label"})
	}
	out.col = *p.col(spec.Value)
	if len(names) == 0 && p.Problem == "" {
		p.Problem = p.Env.Text("No dimension is named for the areas.")
	}
	if p.Problem != "" {
		return nil
	}
	m := d.Measure(&out.col)
	for _, name := range names {
		if m.Over != nil || m.Agg != cube.None && !encode.Sums(m, name) {
			p.Problem = p.Env.Text(`A treemap shows parts of a whole, and "%s" does not add up to one. `+
				`Use a bar chart, or a measure with agg "sum".`, out.col.Name)
			return nil
		}
	}
	q.Measures = []cube.Measure{m}
	if out.tint != nil {
		q.Measures = append(q.Measures, d.Measure(out.tint))
	}
	t := p.run(q)
	if t == nil {
		return nil
	}
	out.read(t)
	switch {
	case len(out.areas) == 0:
		p.Empty = p.Env.Text("Every value is zero or missing for these filters.")
		return nil
	case math.IsInf(out.total, 0):
		p.Problem = p.Env.Text("The values are too large to add up.")
		return nil
	}
	out.merge()
	out.paint()
	out.mute()
	out.tabulate()
	p.Summary = out.say()
	return out
}

// read reads the areas. Rows without a value have no area.
func (m *treemapPanel) read(t *encode.Table) {
	without := 0
	for i := range t.Len() {
		v, ok := t.Value(i, 0)
		switch {
		case !ok:
			without++
		case v > 0:
			a := treeArea{value: v, exact: t.Exact(i, 0)}
			if m.tint != nil {
				a.tint = t.Exact(i, 1)
			}
			for dim := range m.dims {
				a.cats = append(a.cats, t.Category(i, dim))
			}
			m.areas = append(m.areas, a)
			m.total += v
		}
	}
	if without > 0 && len(m.areas) > 0 {
		m.report(encode.WithoutValue(without, &m.col))
	}
	at := make([][]int, len(m.dims)) // positions of the values in their order, to sort equal areas
	for dim := range m.dims {
		at[dim] = t.Places(dim)
	}
	place := make([]map[cube.Category]int, len(m.dims))
	for dim := range place {
		place[dim] = map[cube.Category]int{}
		for i, c := range t.Axes[dim] {
			place[dim][c] = at[dim][i]
		}
	}
	slices.SortStableFunc(m.areas, func(a, b treeArea) int {
		if order := compareNumbers(b.exact, a.exact); order != 0 {
			return order
		}
		for dim := range m.dims {
			if order := cmp.Compare(place[dim][a.cats[dim]], place[dim][b.cats[dim]]); order != 0 {
				return order
			}
		}
		return 0
	})
}

// merge merges the smallest areas with others of their group, if there are too many, and reports it.
func (m *treemapPanel) merge() {
	values, groups := make([]float64, len(m.areas)), make([][]int, len(m.dims)-1)
	for level := range groups {
		groups[level] = make([]int, len(m.areas))
	}
	ids := map[string]int{}
	for i := range m.areas {
		values[i] = m.areas[i].value
		for level := range groups {
			key := encode.CategoryKey(m.areas[i].cats[:level+1])
			if _, ok := ids[key]; !ok {
				ids[key] = len(ids)
			}
			groups[level][i] = ids[key]
		}
	}
	most := min(cmp.Or(m.Spec.Limit, dashboard.MaxAreas), dashboard.MaxAreas)
	chosen := stat.Merge(values, groups, most)
	if chosen.Kept == nil {
		return
	}
	var kept, rest []treeArea
	at := map[int]int{}
	all := len(m.areas)
	for i, a := range m.areas {
		if chosen.Kept[i] {
			kept = append(kept, a)
			continue
		}
		group := 0
		if chosen.Level > 0 {
			group = groups[chosen.Level-1][i]
		}
		k, ok := at[group]
		if !ok {
			k = len(rest)
			at[group] = k
			first := treeArea{cats: slices.Clone(a.cats), exact: a.exact, value: a.value, merged: 1}
			for level := chosen.Level; level < len(first.cats); level++ {
				first.cats[level] = cube.Category{Other: true}
			}
			rest = append(rest, first)
			continue
		}
		rest[k].value += a.value
		rest[k].exact = exactly(rest[k].exact, a.exact, (*big.Rat).Add)
		rest[k].merged++
	}
	m.areas = append(kept, rest...)
	slices.SortStableFunc(m.areas, func(a, b treeArea) int { return compareNumbers(b.exact, a.exact) })
	inner := len(m.dims) - 1
	note := encode.Noted("The %s largest of %s areas; the rest is merged into %s.",
		len(kept), all, m.Env.Rest(m.dims[inner].Name))
	if chosen.Level > 0 {
		note = encode.Noted("The %s largest of %s areas; the rest is merged into %s of its group (%s).", len(kept), all,
			m.Env.Rest(m.dims[inner].Name), encode.Inline(m.dims[chosen.Level-1].Label))
	}
	if most != m.Spec.Limit {
		note = note.Warned(dashboard.WarnMerged, "label",
			"%d of %d areas {is|are} drawn, the others merged with those of their group, because a treemap draws %d at most; "+
				"a filter, or a label with fewer values, draws all.", len(kept), all, most)
	}
	m.report(note)
}

// paint sets the colours of areas by a level, or by the measure. If there are more values than colours, only the largest have one.
func (m *treemapPanel) paint() {
	if m.tint != nil {
		m.paintRamp()
		return
	}
	if m.series < 0 {
		one := m.Env.measureColors(m.col.Name)[0]
		for i := range m.areas {
			a := &m.areas[i]
			if a.color = one; len(a.cats) > 0 && m.Env.names(m.Spec.Levels[0], a.cats[0]) {
				a.color = m.Env.valueColor(m.Spec.Levels[0], a.cats[0])
			}
		}
		return
	}
	sum := map[cube.Category]float64{}
	var cats []cube.Category
	for i := range m.areas {
		c := m.areas[i].cats[m.series]
		if _, ok := sum[c]; !ok && !c.Other {
			cats = append(cats, c)
		}
		sum[c] += m.areas[i].value
	}
	slices.SortStableFunc(cats, func(a, b cube.Category) int { return cmp.Compare(sum[b], sum[a]) })
	of, legend := m.fewColors(m.dims[m.series], cats, func(c cube.Category) float64 { return sum[c] }, "series")
	for i := range legend {
		legend[i].pale = m.isPale(m.dims[m.series].Name, legend[i].mark.Category)
	}
	m.legend = legend
	for i := range m.areas {
		m.areas[i].color = cmp.Or(of[m.areas[i].cats[m.series]], canvas.OtherColor)
	}
}

// mute makes the areas gray that are not highlighted.
func (m *treemapPanel) mute() {
	column := m.highlighted()
	for level, c := range m.dims {
		if c.Name != column {
			continue
		}
		for i := range m.areas {
			if m.isPale(column, m.areas[i].cats[level]) {
				m.areas[i].color = canvas.PaleColor
			}
		}
	}
}

// paintRamp sets the colours of areas by a ramp. Areas without a value are gray, and so are merged ones.
func (m *treemapPanel) paintRamp() {
	values := m.tints()
	m.domain = m.Panel.Env.domain(m.tint, m.Spec.Ramp, values)
	if m.family == nil && m.keepsDomain(m.Data.Measure(m.tint)) {
		if all, ok := m.unfiltered(cube.Exact).(*treemapPanel); ok {
			m.domain = all.domain.kept(values)
		}
	}
	m.tintAreas()
	if m.tinted() {
		m.report(encode.Noted("Colors show %s.", encode.Inline(m.tint.Label)))
	}
	if slices.ContainsFunc(m.areas, func(a treeArea) bool { _, ok := cube.Float(a.tint); return !ok }) {
		m.report(encode.Noted("Gray: no data."))
	}
	if m.alone() {
		m.sayRamp(&m.domain, m.Spec.Ramp, "ramp")
	}
}

// tints returns the values of the colours of the areas.
func (m *treemapPanel) tints() []float64 {
	var out []float64
	for i := range m.areas {
		if v, ok := cube.Float(m.areas[i].tint); ok && m.areas[i].merged == 0 {
			out = append(out, v)
		}
	}
	return out
}

// tintAreas sets the colours of areas by the domain.
func (m *treemapPanel) tintAreas() {
	for i := range m.areas {
		m.areas[i].color = canvas.OtherColor
		if v, ok := cube.Float(m.areas[i].tint); ok && m.areas[i].merged == 0 {
			m.areas[i].color = m.domain.color(v)
		}
	}
}

// tinted reports whether the colours represent another measure than the areas.
func (m *treemapPanel) tinted() bool { return m.tint != nil && m.tint.Name != m.col.Name }

// tabulate makes the table behind the areas: a row for each, by its innermost value.
func (m *treemapPanel) tabulate() {
	m.Grid = &Grid{}
	for level := len(m.dims) - 1; level >= 0; level-- {
		c := Column{Column: *m.dims[level]}
		c.Role = dashboard.Dimension
		m.Grid.Columns = append(m.Grid.Columns, c)
	}
	m.Grid.Columns = append(m.Grid.Columns, Column{Column: m.col})
	if m.tinted() {
		m.Grid.Columns = append(m.Grid.Columns, Column{Column: *m.tint})
	}
	for i := range m.areas {
		var row []any
		for level := len(m.dims) - 1; level >= 0; level-- {
			row = append(row, m.areas[i].cats[level])
		}
		if row = append(row, m.areas[i].exact); m.tinted() {
			row = append(row, m.areas[i].tint)
		}
		m.Grid.Rows = append(m.Grid.Rows, row)
	}
}

// name returns the value of a level of an area.
func (m *treemapPanel) name(a *treeArea, level int) string {
	return m.Env.Cell(*m.dims[level], cube.Exact, a.cats[level])
}

// say returns the sentence of a treemap: the whole, and the shares of the largest areas.
func (m *treemapPanel) say() string {
	var b strings.Builder
	inner := len(m.dims) - 1
	for i := range m.areas[:min(len(m.areas), 4)] {
		if i > 0 {
			b.WriteString(", ")
		}
		a := &m.areas[i]
		b.WriteString(canvas.Clip(m.name(a, inner), 40))
		if inner > 0 {
			b.WriteString(" (" + canvas.Clip(m.name(a, 0), 40) + ")")
		}
		b.WriteString(" " + m.Env.Share(a.value/m.total, 1))
	}
	if left := len(m.areas) - 4; left > 0 {
		b.WriteString(" " + m.Env.Count(left, "and %d more", "and %d more"))
	}
	return m.Env.Text("Of %s in all: %s.", m.Env.Quantity(m.col, m.total), b.String())
}

func (m *treemapPanel) plotted() *chart.Chart { return m.chart() }

func (m *treemapPanel) rounded() cube.Grain { return cube.Exact }

func (m *treemapPanel) ramp() (*domain, *dashboard.Column, []float64) {
	return &m.domain, m.tint, m.tints()
}

func (m *treemapPanel) share(f *family, all []Content) {
	if m.tint == nil {
		return
	}
	f.shareRamp(all)
	for _, c := range all {
		c.(*treemapPanel).tintAreas()
	}
}

func (m *treemapPanel) Draw(c canvas.Canvas) { m.chart().Draw(c) }

// chart returns the chart of the areas, with the legend of their colours.
func (m *treemapPanel) chart() *chart.Chart {
	h := m.newChart(dashboard.Column{})
	h.Kind, h.Sketch, h.Height = canvas.FullPicture, canvas.Tablet, treemapHeight
	if m.family != nil {
		h.Height = smallTreemap
	}
	if len(m.legend) > 0 {
		h.Key = m.Panel.legend(m.legend)
	}
	if m.domain.shown > 0 {
		colors := m.Env.key(&m.domain, m.tint)
		h.Key = &chart.Key{Ramp: &colors}
	}
	h.Y.Rows = &chart.RowAxis{}
	h.Over = []chart.Layer{&chart.Areas{Root: m.tree(), Bare: m.unlabelled()}}
	return h
}

// The height of a treemap, in pixels.
const (
	treemapHeight = 340
	smallTreemap  = 170
)

// tree nests the areas by their levels.
func (m *treemapPanel) tree() *chart.AreaNode {
	root, nodes := &chart.AreaNode{}, map[string]*chart.AreaNode{}
	ways := m.Ways()
	values := make([]float64, len(m.areas))
	for i := range m.areas {
		values[i] = m.areas[i].value
	}
	write := m.Env.Cells(m.col, values)
	for i := range m.areas {
		a := &m.areas[i]
		parent := root
		parent.Value += a.value
		for level := range len(m.dims) - 1 {
			key := encode.CategoryKey(a.cats[:level+1])
			if a.cats[level].Other {
				key += "other"
			}
			n := nodes[key]
			if n == nil {
				n = &chart.AreaNode{Name: m.name(a, level)}
				nodes[key] = n
				parent.Children = append(parent.Children, n)
			}
			n.Value += a.value
			parent = n
		}
		inner := len(m.dims) - 1
		leaf := &chart.AreaNode{Value: a.value, Name: m.name(a, inner), Text: write(a.value), Color: a.color}
		leaf.Row = row(m.offset+i, m.link(ways, m.Grid.Rows[i]))
		leaf.Title = append(m.title(a), m.extraTitle(i)...)
		parent.Children = append(parent.Children, leaf)
	}
	return root
}

// link returns the link of an area: it filters by its innermost value that has a filter.
func (m *treemapPanel) link(ways *ways, row []any) canvas.Way {
	marks := m.Grid.Marks(row)
	for _, k := range marks {
		if to := ways.Of(k, marks...); to.To != "" {
			return to
		}
	}
	return canvas.Way{}
}

// title returns the tooltip of an area: its values from the innermost level out, the amount and its share.
func (m *treemapPanel) title(a *treeArea) []string {
	var out []string
	for level := len(m.dims) - 1; level >= 0; level-- {
		name := canvas.Clip(m.name(a, level), 60)
		if level == len(m.dims)-1 && a.merged > 0 {
			name += " (" + m.Env.Number(float64(a.merged), 0) + ")"
		}
		out = append(out, name, "\n")
	}
	out = append(out, m.Env.Cell(m.col, cube.Exact, a.exact), " · ", m.Env.Share(a.value/m.total, 1))
	if m.tinted() && a.merged == 0 {
		out = append(out, "\n", m.tint.Label+"  ", m.Env.Cell(*m.tint, cube.Exact, a.tint))
	}
	return out
}
