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

// Values that a panel highlights keep their colours, and all others are gray, thin and without a place in the legend. Where filters leave
// no row with a highlighted value, the panel is drawn as if it highlighted none.

// lights are what a panel highlights of the rows that it shows.
type lights struct {
	column string // "" for nothing
	read   bool   // whether column is known
}

// highlighted returns the dimension of which some values that are shown are highlighted, or "" for none. The first call warns of values
// that no row has.
func (p *Panel) highlighted() string {
	if p.lights.read {
		return p.lights.column
	}
	p.lights.read = true
	dims := slices.DeleteFunc(p.Spec.HighlightOf(), func(name string) bool { return p.Data == nil || p.Data.Column(name) == nil })
	if len(dims) == 0 {
		return ""
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

// isNamed reports whether the spec wants the name of a value of the label before others.
func (p *Panel) isNamed(c cube.Category) bool {
	return c.Value != nil && slices.Contains(p.Spec.Named, dashboard.ValueKey(c.Value))
}

// isPale reports whether a value of a dimension is gray because others are highlighted.
func (p *Panel) isPale(column string, c cube.Category) bool {
	return column == p.highlighted() && column != "" && (c.Other || !p.Spec.Highlights(c.Value))
}

// mostSeries returns how many values of series are drawn, and which of them in any case. Bars and areas, of which each takes room, are
// never more than there are colours.
func (p *Panel) mostSeries() (most int, always func(cube.Category) bool) {
	column := p.Spec.Series
	if p.highlighted() != column {
		return canvas.MaxSeries, nil
	}
	if most = canvas.MaxSeries; p.Spec.Type == dashboard.Line || p.Spec.Type == dashboard.Scatter {
		most = dashboard.MaxPale
	}
	return most, p.alwaysDrawn(column)
}

// alwaysDrawn are the values of a dimension that are drawn however small they are: those that are highlighted. It returns nil for none.
func (p *Panel) alwaysDrawn(column string) func(cube.Category) bool {
	if column == "" || p.highlighted() != column {
		return nil
	}
	return func(c cube.Category) bool { return !p.isPale(column, c) }
}

// leading moves the highlighted values of a dimension to the front, which a chart draws last and its sentence names. to has the place of
// each category in the order of values.
func (p *Panel) leading(column string, values []cube.Category, to []int) ([]cube.Category, []int) {
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
