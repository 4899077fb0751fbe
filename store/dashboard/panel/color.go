package panel

import (
	"cmp"
	"hash/fnv"
	"slices"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
)

// Colours belong to columns: a value of a dimension has the same colour on the whole page, with any filters, and a measure can have one.

// valueColor returns the colour of a value of a dimension.
func (p *Env) valueColor(column string, c cube.Category) canvas.Color {
	if c.Other || c.Value == nil {
		return canvas.OtherColor
	}
	key := dashboard.ValueKey(c.Value)
	if a := p.Spec.Appearance(column); a != nil {
		if name, ok := a.Colors[key]; ok {
			return namedColor(name)
		}
	}
	if n := p.Colors[column][key]; n > 0 && n <= canvas.MaxSeries && p.Spec.Appearance(column) == nil { // the other values keep theirs, too
		return canvas.Color(n)
	}
	if n := p.colors()[column][key]; n > 0 {
		return canvas.Color(n)
	}
	h := fnv.New32a() // a value among very many
	h.Write([]byte(key))
	return canvas.SeriesColor(int(h.Sum32() % canvas.MaxSeries))
}

// colors returns the stored colours of the dashboard, and those of newer values, which the next refresh stores as well.
func (p *Env) colors() dashboard.Colors {
	if p.given == nil {
		p.given = p.Colors.With(p.Spec, p.Cubes)
	}
	return p.given
}

// namedColor returns a colour of [dashboard.Palette], or gray.
func namedColor(name string) canvas.Color {
	if i := slices.Index(dashboard.Palette, name); i >= 0 {
		return canvas.Color(i + 1)
	}
	return canvas.OtherColor
}

// valueColors returns the colours of the values of one panel. If a column has more values than there are colours, two of them can have the
// same: the later one gets a colour that is free in this panel, with a note.
func (p *Rows) valueColors(column string, cats []cube.Category) []canvas.Color {
	out := make([]canvas.Color, len(cats))
	var used [canvas.MaxSeries + 1]bool
	var again []int
	for i, c := range cats {
		out[i] = p.Env.valueColor(column, c)
		if p.isPale(column, c) {
			out[i] = canvas.PaleColor
		}
		switch {
		case out[i] > canvas.MaxSeries || p.Env.names(column, c):
		case used[out[i]]:
			again = append(again, i)
			continue
		}
		if out[i] <= canvas.MaxSeries {
			used[out[i]] = true
		}
	}
	for n, i := range again {
		free := slices.Index(used[1:], false)
		if free < 0 {
			break
		}
		if n == 0 {
			key := "series"
			if column == p.Spec.Label {
				key = "label"
			}
			p.report(encode.Noted(
				"%s has more values than there are colors: some here have another one than elsewhere on this page.", p.label(column)).
				Warned(dashboard.WarnColorsShared, key,
					`"%s" has more values than there are colours, so some have another one here than `+
						`elsewhere; columns can say the colours of those that matter.`, column))
		}
		out[i] = canvas.Color(free + 1)
		used[out[i]] = true
	}
	return out
}

// fewColors returns the colours of a dimension's values and the items of a legend, in their order or in the spec's. If there are more
// values than colours, only the largest have one. key names the key of the panel that chooses the dimension.
func (p *Rows) fewColors(dim *dashboard.Column, cats []cube.Category, size func(cube.Category) float64, key string) (
	of map[cube.Category]canvas.Color, legend []seriesOf,
) {
	if all := len(cats); all > canvas.MaxSeries {
		ranked := slices.Clone(cats)
		slices.SortStableFunc(ranked, func(a, b cube.Category) int { return cmp.Compare(size(b), size(a)) })
		cats = slices.DeleteFunc(slices.Clone(cats), func(c cube.Category) bool { return !slices.Contains(ranked[:canvas.MaxSeries], c) })
		p.report(encode.Noted("The %s largest of %s values of %s have a color; the others are gray.",
			canvas.MaxSeries, all, encode.Inline(dim.Label)).
			Warned(dashboard.WarnCut, key, `%d of %d values of "%s" {has|have} a colour, the others are gray; `+
				"a dimension with fewer values tells all apart.", canvas.MaxSeries, all, dim.Name))
	}
	if a := p.Env.Spec.Appearance(dim.Name); a != nil && (a.Order.Rows || a.Order.Values != nil || a.Order.Column != "") {
		o := p.Data.Ordering(dim.Name)
		cats = slices.SortedStableFunc(slices.Values(cats), o.Compare)
	}
	of = map[cube.Category]canvas.Color{}
	for i, c := range p.valueColors(dim.Name, cats) {
		of[cats[i]] = c
		legend = append(legend, seriesOf{
			name: p.Env.Cell(*dim, cube.Exact, cats[i]), color: c, mark: &Mark{Column: dim.Name, Category: cats[i]},
		})
	}
	return of, legend
}

// names reports whether the spec sets the colour of a value.
func (p *Env) names(column string, c cube.Category) bool {
	a := p.Spec.Appearance(column)
	if a == nil || c.Value == nil {
		return false
	}
	_, ok := a.Colors[dashboard.ValueKey(c.Value)]
	return ok
}

// measureColors returns the colours of the measures of one panel: those that the spec sets, and the next free ones for others.
func (p *Env) measureColors(names ...string) []canvas.Color {
	out := make([]canvas.Color, len(names))
	var used [canvas.MaxSeries + 2]bool
	for i, name := range names {
		if a := p.Spec.Appearance(name); a != nil && a.Color != "" {
			out[i] = namedColor(a.Color)
			used[out[i]] = true
		}
	}
	next := canvas.Color(1)
	for i := range out {
		if out[i] > 0 {
			continue
		}
		for next < canvas.MaxSeries && used[next] {
			next++
		}
		out[i] = next
		if next < canvas.MaxSeries {
			next++
		}
	}
	return out
}

// markColor returns the colour of the marks of one measure: that of the panel, or else of the measure.
func (p *Settings) markColor(measure string) canvas.Color {
	if p.Spec.Paint != "" {
		return namedColor(p.Spec.Paint)
	}
	return p.Env.measureColors(measure)[0]
}

// barColors returns the colours of bars without series, if the spec sets colours of the values under them; otherwise nil.
func (p *Rows) barColors(s *split) []canvas.Color {
	a, lit := p.Env.Spec.Appearance(p.Spec.X), p.highlighted() == p.Spec.X
	if len(s.series) != 1 || p.Spec.Series != "" || !lit && (a == nil || len(a.Colors) == 0) {
		return nil
	}
	out := make([]canvas.Color, len(s.x))
	for i, c := range s.x {
		switch out[i] = s.series[0].color; {
		case lit && p.isPale(p.Spec.X, c):
			out[i] = canvas.PaleColor
		case p.Env.names(p.Spec.X, c):
			out[i] = p.Env.valueColor(p.Spec.X, c)
		}
	}
	return out
}
