package panel

import (
	"cmp"
	"slices"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
)

// The values that a panel highlights keep their colours; all others are gray, thin and not in the legend. If no row with a highlighted
// value passes the filters, the panel is drawn without highlights.

// lights are the highlights among the shown rows of a panel.
type lights struct {
	column string          // the dimension; "" for none
	read   bool            // column is known
	top    map[string]bool // the largest values of column, if the panel highlights these
}

// topValues returns the n values of a dimension with the largest value of the measure that decides which marks are large; on an axis upside
// down, as of ranks, with the smallest. If nothing defines how the measure adds up, the largest of its rows counts, or the smallest.
func (p *Rows) topValues(column string, n int) map[string]bool {
	spec := p.Spec
	y := ""
	if len(spec.Y) > 0 {
		y = spec.Y[0]
	}
	c := p.Data.Column(cmp.Or(spec.Size, spec.Value, y))
	if c == nil {
		return nil
	}
	m := p.Data.Measure(c)
	if c.Agg == dashboard.None && !c.IsRatio() {
		m = cube.Measure{Column: c.Name, Agg: cube.Max}
		if spec.Reverse {
			m.Agg = cube.Min
		}
	}
	g := p.Data.Group(p.Data.Rows, cube.Query{By: []cube.Dim{{Column: column, Zone: p.Env.Zone}}, Measures: []cube.Measure{m}})
	order := g.Ranked(0, 0)
	if spec.Reverse {
		order = g.Lowest(0, 0)
	}
	out := map[string]bool{}
	for _, at := range order {
		if v := g.Axes[0][at].Value; v != nil && len(out) < n {
			out[dashboard.ValueKey(v)] = true
		}
	}
	return out
}

// isLit reports whether a value of the highlighted dimension keeps its colour.
func (p *Rows) isLit(v any) bool {
	if p.lights.top != nil {
		return v != nil && p.lights.top[dashboard.ValueKey(v)]
	}
	return p.Spec.Highlights(v)
}

// highlighted returns the dimension with shown values that are highlighted, or "". The first call warns of values that no
// row has.
func (p *Rows) highlighted() string {
	if p.lights.read {
		return p.lights.column
	}
	p.lights.read = true
	dims := slices.DeleteFunc(p.Spec.HighlightOf(), func(name string) bool { return p.Data == nil || p.Data.Column(name) == nil })
	if len(dims) == 0 {
		return ""
	}
	if p.Spec.HighlightTop > 0 {
		p.lights.column, p.lights.top = dims[0], p.topValues(dims[0], p.Spec.HighlightTop)
		return p.lights.column
	}
	has := map[string]bool{}
	for _, column := range dims {
		for _, c := range p.Data.Group(p.Data.Rows, cube.Query{By: []cube.Dim{{Column: column, Zone: p.Env.Zone}}}).Axes[0] {
			if p.Spec.Highlights(c.Value) {
				has[dashboard.ValueKey(c.Value)] = true
			}
		}
		if len(has) > 0 {
			p.lights.column = column
			break
		}
	}
	var unknown []string
	for _, v := range p.Spec.Highlight {
		if !has[v] {
			unknown = append(unknown, `"`+canvas.Clip(v, 40)+`"`)
		}
	}
	if unknown != nil {
		p.report(encode.Warned(dashboard.WarnColorsUnused, "highlight",
			`no row has the value %s in "%s".`, strings.Join(unknown, ", "), cmp.Or(p.lights.column, dims[0])))
	}
	return p.lights.column
}

// isNamed reports whether the spec gives the name of a value of the label precedence over others.
func (p *Settings) isNamed(c cube.Category) bool {
	return c.Value != nil && slices.Contains(p.Spec.Named, dashboard.ValueKey(c.Value))
}

// isPale reports whether a value of a dimension is gray because others are highlighted.
func (p *Rows) isPale(column string, c cube.Category) bool {
	return column == p.highlighted() && column != "" && (c.Other || !p.isLit(c.Value))
}

// mostSeries returns the maximum number of drawn values of series, and a function that reports the values that are always drawn. There are
// never more bars or areas than colours, because each needs space.
func (p *Rows) mostSeries() (most int, always func(cube.Category) bool) {
	column := p.Spec.Series
	if p.highlighted() != column {
		return canvas.MaxSeries, nil
	}
	if most = canvas.MaxSeries; p.Spec.Type == dashboard.Line || p.Spec.Type == dashboard.Scatter {
		most = dashboard.MaxPale
	}
	return most, p.alwaysDrawn(column)
}

// alwaysDrawn returns a function that reports whether a value of a dimension is drawn regardless of its size, because it is highlighted. It
// returns nil if there is no such value.
func (p *Rows) alwaysDrawn(column string) func(cube.Category) bool {
	if column == "" || p.highlighted() != column {
		return nil
	}
	return func(c cube.Category) bool { return !p.isPale(column, c) }
}

// leading moves the highlighted values of a dimension to the front: a chart draws them last, and its sentence names them first. to has the
// place of each category in the order of values.
func (p *Rows) leading(column string, values []cube.Category, to []int) ([]cube.Category, []int) {
	var order []cube.Category
	at := make([]int, len(values))
	for _, pale := range [...]bool{false, true} {
		for i, c := range values {
			if p.isPale(column, c) == pale {
				at[i] = len(order)
				order = append(order, c)
			}
		}
	}
	places := make([]int, len(to))
	for i, place := range to {
		places[i] = place
		if place >= 0 && place < len(at) {
			places[i] = at[place]
		}
	}
	return order, places
}

// inColor returns the series that are not gray because others are highlighted.
func inColor(series []seriesOf) []seriesOf {
	var out []seriesOf
	for _, se := range series {
		if !se.pale {
			out = append(out, se)
		}
	}
	return out
}
