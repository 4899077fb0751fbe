package panel

import (
	"slices"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
	"service/store/dashboard/format"
)

// The columns of a panel's key tooltip are the last columns of its grid. So tooltips, which show the row of the table behind a mark, have
// them, and so have that table and the downloads.

// mostKeys is the maximum number of columns that distinguish marks: label, series, facet, and a place on a map.
const mostKeys = 5

// A markKey has the values that a mark represents, of the columns that distinguish marks.
type markKey [mostKeys]cube.Category

// addTooltip adds the columns of the tooltip to the grid, except to that of a heat map, which has a column for each value of x. A measure
// is merged over the rows of a mark, and a dimension is shown if these have one value. Marks that merge values, such as Other and ranges,
// have neither.
func (p *Panel) addTooltip() {
	if p.Content == nil || p.Grid == nil || len(p.Spec.Tooltip) == 0 || p.Grid.Extras() > 0 || p.Spec.Type == dashboard.Heatmap {
		return
	}
	keys := p.markColumns()
	if keys == 0 {
		return
	}
	by := make([]cube.Dim, keys)
	for i := range by {
		by[i] = p.Data.Dim(p.Grid.Columns[i].Name, p.Grid.Columns[i].Grain)
	}
	var values []map[markKey]any
	for _, name := range p.Spec.Tooltip {
		c := p.col(name)
		if p.Problem != "" {
			return
		}
		if c.Role == dashboard.Measure {
			values = append(values, p.measuresOf(by, c))
		} else {
			values = append(values, p.onlyValues(by, c))
		}
		p.Grid.Columns = append(p.Grid.Columns, Column{Column: *c, extra: true})
	}
	extend := func(row []any) []any {
		key, ok := p.keyOf(row, keys)
		row = slices.Grow(row[:len(row):len(row)], len(values))
		for _, of := range values {
			if v, has := of[key]; ok && has {
				row = append(row, v)
			} else {
				row = append(row, nil)
			}
		}
		return row
	}
	for i, row := range p.Grid.Rows {
		if row != nil {
			p.Grid.Rows[i] = extend(row)
		}
	}
	if every := p.Grid.Every; every != nil {
		p.Grid.Every = func(yield func([]any) bool) {
			every(func(row []any) bool { return yield(extend(row)) })
		}
	}
}

// markColumns returns how many of the first columns of the grid distinguish marks.
func (p *Panel) markColumns() int {
	s := p.Spec
	named := append([]string{s.X, s.Label, s.Series, s.Facet, s.Area, s.Start, s.End}, s.Levels...)
	for i, c := range p.Grid.Columns {
		key := c.Role == dashboard.Dimension && slices.Contains(named, c.Name) || c.Name == s.Lat || c.Name == s.Lon
		if c.Name == "" || i >= mostKeys || !key {
			return i
		}
	}
	return min(len(p.Grid.Columns), mostKeys)
}

// keyOf returns the values that the mark of a row represents. ok is false if they are merged values of the rows.
func (p *Panel) keyOf(row []any, keys int) (key markKey, ok bool) {
	for i := range keys {
		c := &p.Grid.Columns[i]
		cat, is := row[i].(cube.Category)
		if !is {
			cat = cube.Category{Value: row[i]}
		}
		if c.values != nil {
			if cat, is = c.values[cat.Value]; !is {
				return key, false
			}
		}
		if cat.Other || c.merged {
			return key, false
		}
		key[i] = cat
	}
	return key, true
}

// measuresOf returns the values of a measure by mark.
func (p *Panel) measuresOf(by []cube.Dim, c *dashboard.Column) map[markKey]any {
	g := p.Data.Group(p.ownRows(), cube.Query{By: by, Measures: []cube.Measure{p.Data.Measure(c)}})
	if n, column := g.Unclear(0); n > 0 {
		p.report(encode.Warned(dashboard.WarnLeftOut, "tooltip",
			`tooltips have no "%s": up to %d {row|rows} of "%s" {is|are} at one mark, and nothing says how they add up. `+
				`Declare "agg" (sum, min, max, avg, median or last) in columns.%s, or draw a mark for each of these rows.`,
			c.Name, n, column, column))
		return nil
	}
	out := make(map[markKey]any, g.Len())
	for i := range g.Len() {
		out[groupKey(g, i, len(by))] = g.Exact(i, 0)
	}
	return out
}

// onlyValues returns the values of a dimension by mark, nil for a mark whose rows have several.
func (p *Rows) onlyValues(by []cube.Dim, c *dashboard.Column) map[markKey]any {
	g := p.Data.Group(p.ownRows(), cube.Query{By: append(slices.Clone(by), p.Data.Dim(c.Name, cube.Exact))})
	out := make(map[markKey]any, g.Len())
	for i := range g.Len() {
		key := groupKey(g, i, len(by))
		if _, several := out[key]; several {
			out[key] = nil
		} else {
			out[key] = g.Category(i, len(by))
		}
	}
	return out
}

func groupKey(g *cube.Groups, group, dims int) (key markKey) {
	for d := range dims {
		key[d] = g.Category(group, d)
	}
	return key
}

// Extras returns how many of the last columns of the grid are those of the tooltip.
func (g *Grid) Extras() int {
	n := 0
	for n < len(g.Columns) && g.Columns[len(g.Columns)-1-n].extra {
		n++
	}
	return n
}

// extraTitle returns the labels and values of the tooltip's columns for a row, in pieces that follow the title of its mark.
func (p *Panel) extraTitle(row int) []string {
	g, offset := p.behind()
	var out []string
	for j := range g.Columns {
		if c := &g.Columns[j]; c.extra && offset+row < len(g.Rows) && g.Rows[offset+row] != nil {
			out = append(out, "\n", c.Label, "  ", canvas.Clip(p.Env.cellOf(c, g.Rows[offset+row][j]), canvas.MaxCell))
		}
	}
	return out
}

// behind returns the table behind the panel, and where its rows begin there: small plots have one table.
func (p *Panel) behind() (g *Grid, offset int) {
	if p.family != nil {
		return p.family.of.Grid, p.offset
	}
	return p.Grid, 0
}

// CellOf writes a value of the grid. A tooltip's column of which a mark has no single value is a dash.
func (p *Panel) CellOf(column int, v any) string { return p.Env.cellOf(&p.Grid.Columns[column], v) }

func (p *Env) cellOf(c *Column, v any) string {
	if v == nil && c.extra {
		return format.None
	}
	return p.Cell(c.Column, c.Grain, v)
}
