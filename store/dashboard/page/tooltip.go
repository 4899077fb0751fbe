package page

import (
	"slices"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/cube"
	"service/store/dashboard/format"
)

// The columns of a panel's key tooltip are the last columns of its grid. So tooltips, which show the row of the table behind a mark, have
// them, as do that table and the downloads.

// mostKeys is how many columns distinguish marks at most: label, series, facet, and a place on a map.
const mostKeys = 5

// markKey has the values that a mark is for, of the columns that distinguish marks.
type markKey [mostKeys]cube.Category

// addTooltip adds the columns of the tooltip to the grid, except to that of a heat map, which has a column for each value of x. A measure
// is merged over the rows of a mark, and a dimension is shown if these have one value. Marks that merge values, such as Other and ranges,
// have neither.
func (p *panel) addTooltip() {
	if p.content == nil || p.grid == nil || len(p.spec.Tooltip) == 0 || p.grid.extras() > 0 || p.spec.Type == dashboard.Heatmap {
		return
	}
	keys := p.markColumns()
	if keys == 0 {
		return
	}
	by := make([]cube.Dim, keys)
	for i := range by {
		by[i] = p.data.Dim(p.grid.cols[i].Name, p.grid.cols[i].grain)
	}
	var values []map[markKey]any
	for _, name := range p.spec.Tooltip {
		c := p.col(name)
		if p.problem != "" {
			return
		}
		if c.Role == dashboard.Measure {
			values = append(values, p.measuresOf(by, c))
		} else {
			values = append(values, p.onlyValues(by, c))
		}
		p.grid.cols = append(p.grid.cols, gridColumn{Column: *c, extra: true})
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
	for i, row := range p.grid.rows {
		if row != nil {
			p.grid.rows[i] = extend(row)
		}
	}
	if every := p.grid.every; every != nil {
		p.grid.every = func(yield func([]any) bool) {
			every(func(row []any) bool { return yield(extend(row)) })
		}
	}
}

// markColumns returns how many of the first columns of the grid distinguish marks.
func (p *panel) markColumns() int {
	s := p.spec
	named := append([]string{s.X, s.Label, s.Series, s.Facet, s.Area, s.Start, s.End}, s.Levels...)
	for i, c := range p.grid.cols {
		key := c.Role == dashboard.Dimension && slices.Contains(named, c.Name) || c.Name == s.Lat || c.Name == s.Lon
		if c.Name == "" || i >= mostKeys || !key {
			return i
		}
	}
	return min(len(p.grid.cols), mostKeys)
}

// keyOf returns the values that the mark of a row is for. It is not ok if these merge values of the rows.
func (p *panel) keyOf(row []any, keys int) (key markKey, ok bool) {
	for i := range keys {
		c := &p.grid.cols[i]
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

// measuresOf are the values of a measure by mark.
func (p *panel) measuresOf(by []cube.Dim, c *dashboard.Column) map[markKey]any {
	g := p.data.Group(p.data.Rows, cube.Query{By: by, Measures: []cube.Measure{p.data.Measure(c)}})
	if problem := p.data.Env.Unclear(g, 0); problem != "" {
		p.problem = problem
	}
	out := make(map[markKey]any, g.Len())
	for i := range g.Len() {
		out[groupKey(g, i, len(by))] = g.Exact(i, 0)
	}
	return out
}

// onlyValues are the values of a dimension by mark, of which it is nil where the rows of one have several.
func (p *panel) onlyValues(by []cube.Dim, c *dashboard.Column) map[markKey]any {
	g := p.data.Group(p.data.Rows, cube.Query{By: append(slices.Clone(by), p.data.Dim(c.Name, cube.Exact))})
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

// extras is how many of the last columns of the grid are those of the tooltip.
func (g *grid) extras() int {
	n := 0
	for n < len(g.cols) && g.cols[len(g.cols)-1-n].extra {
		n++
	}
	return n
}

// extraTitle returns the labels and values of the tooltip's columns for a row, in pieces that follow the title of its mark.
func (p *panel) extraTitle(row int) []string {
	var out []string
	for j, c := range p.grid.cols {
		if c.extra && row < len(p.grid.rows) && p.grid.rows[row] != nil {
			out = append(out, "\n", c.Label, "  ", canvas.Clip(p.cellOf(j, p.grid.rows[row][j]), canvas.MaxCell))
		}
	}
	return out
}

// cellOf writes a value of the grid. A tooltip's column of which a mark has no single value is a dash.
func (p *panel) cellOf(column int, v any) string {
	c := &p.grid.cols[column]
	if v == nil && c.extra {
		return format.None
	}
	return p.env.Cell(c.Column, c.grain, v)
}
