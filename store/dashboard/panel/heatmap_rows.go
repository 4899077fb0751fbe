package panel

import (
	"math"
	"slices"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
)

// chooseRows applies the keys sort, limit and other to a query of a heat map.
func (p *Rows) chooseRows(q *encode.Query) {
	spec := p.Spec
	y := &q.By[1]
	for i := range q.By {
		q.By[i].Keep.Names.Other = spec.Other
	}
	if spec.Limit > 0 {
		y.Keep.Names.Key, y.Keep.Names.Adds = "limit", true
		y.Keep.Names.Rank, y.Keep.Names.Advice = encode.Farthest, p.limited(true)
		y.Keep.Names.Wished = true
		y.Keep.Steps = 0
	}
	by, descending := sortKey(spec.Sort)
	switch col := p.Data.Column(by); {
	case by == "":
	case by == spec.Value:
		y.Order = encode.Order{Measured: true, Descending: descending}
		if y.Keep.Names.Rank = encode.Largest; !descending {
			y.Keep.Names.Rank = encode.Smallest
		}
	case by == spec.Y[0]:
		y.Order = encode.Order{Said: true, Descending: descending}
	case col != nil:
		p.shows = append(p.shows, by)
		y.Order = encode.Order{Column: col, Descending: descending}
	}
}

// color returns the colour of a cell in the domain: gray if the measure of the colours has no value.
func (p *heatmapPanel) color(k int) canvas.Color {
	v := p.cells[k]
	if p.tint != nil {
		if v = p.tints[k]; math.IsNaN(v) {
			return canvas.NoLogColor
		}
	}
	return p.domain.color(v)
}

// findTitles writes the tooltips of cells, if the spec adds columns to them. Cells of merged values have no values of these columns.
// at has the places of the table's values on both axes, -1 for those that are not drawn.
func (p *heatmapPanel) findTitles(t *encode.Table, at [2][]int, dims [2]Column, names [2][]string, exact []any) {
	if len(p.Spec.Tooltip) == 0 && p.tint == nil {
		return
	}
	by := []cube.Dim{t.Dim(0), t.Dim(1)}
	var cats [2][]cube.Category // of the rows, by place: the axis itself has days in place of instants where it has gaps
	for dim := range cats {
		cats[dim] = make([]cube.Category, len(names[dim]))
		for i, place := range at[dim] {
			if place >= 0 {
				cats[dim][place] = t.Axes[dim][i]
			}
		}
	}
	type extra struct {
		col    *dashboard.Column
		values map[markKey]any
	}
	var extras []extra
	columns := p.Spec.Tooltip
	if p.tint != nil && !slices.Contains(columns, p.tint.Name) {
		columns = append([]string{p.tint.Name}, columns...)
	}
	for _, name := range columns {
		c := p.Panel.col(name)
		if p.Problem != "" {
			return
		}
		if c.Role == dashboard.Measure {
			extras = append(extras, extra{c, p.measuresOf(by, c)})
		} else {
			extras = append(extras, extra{c, p.onlyValues(by, c)})
		}
	}
	p.titles = make([][]string, len(p.cells))
	for k := range p.cells {
		if math.IsNaN(p.cells[k]) {
			continue
		}
		x, y := k%len(names[0]), k/len(names[0])
		title := []string{
			canvas.Clip(names[1][y], 60), " · ", canvas.Clip(names[0][x], 60), "\n", p.col.Label, "  ", p.Env.Cell(p.col, cube.Exact, exact[k]),
		}
		merged := dims[0].merged || dims[1].merged || cats[0][x].Other || cats[1][y].Other
		for _, e := range extras {
			var v any
			if !merged {
				v = e.values[markKey{cats[0][x], cats[1][y]}]
			}
			title = append(title, "\n", e.col.Label, "  ", canvas.Clip(p.Env.Cell(*e.col, cube.Exact, v), canvas.MaxCell))
		}
		p.titles[k] = title
	}
}

// sketch returns the cells in characters: the first rows with their names, because a line has no room for two.
func (p *heatmapPanel) sketch() []string {
	drawn, left := *p, len(p.axes[1])-mostSketched
	if left > 0 {
		n := mostSketched * len(p.axes[0])
		drawn.axes[1], drawn.cells, drawn.titles = p.axes[1][:mostSketched], p.cells[:n], nil
	}
	lines, names := p.painted(drawn.chart().Draw, sketchLines-2)
	if left > 0 {
		lines = append(lines, "… "+p.Env.moreRows(left))
	}
	return append(lines, p.largest(names)...)
}
