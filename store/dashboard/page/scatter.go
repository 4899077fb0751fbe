package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// scatterPoints is how many points are drawn; of more, an even selection.
const scatterPoints = 400

// A dot is one point of a scatter chart.
type dot struct {
	x, y, size float64
	color      int
	name       string
}

// scatter works out a scatter chart: a point for each value of its label, in each
// series, or for each row when it has no label.
func (f *figure) scatter() {
	p, d := f.panel, f.data
	if len(p.Y) == 0 {
		f.problem = "No measure is named to draw."
		return
	}
	cols := []*dashboard.Column{f.col(p.X), f.col(p.Y[0])}
	if p.Size != "" {
		cols = append(cols, f.col(p.Size))
	}
	var by []cube.Dim
	for _, name := range [...]string{p.Label, p.Series} {
		if name != "" && (len(by) == 0 || by[0].Column != name) {
			f.col(name)
			by = append(by, cube.Dim{Column: name, Zone: f.page.zone})
		}
	}
	if f.problem != "" {
		return
	}
	var measures []cube.Measure
	for _, c := range cols {
		measures = append(measures, d.measure(c))
	}
	g := d.cube.Group(d.rows, cube.Query{By: by, Measures: measures, Each: p.Label == ""})
	for m := range measures {
		if f.problem = g.Problem(m); f.problem != "" {
			return
		}
	}
	if p.Series != "" {
		all := len(g.Axes[len(by)-1])
		top, n := g.Top(len(by)-1, 1, maxSeries, false)
		if n > 0 {
			f.note("The %d largest of %s; the rest is not drawn.", maxSeries, f.count(all, lower(f.label(p.Series))))
		}
		g = top
	}
	f.grid = &grid{}
	for _, dim := range by {
		f.grid.cols = append(f.grid.cols, gridColumn{Column: *d.column(dim.Column)})
	}
	for _, c := range cols {
		f.grid.cols = append(f.grid.cols, gridColumn{Column: *c})
	}
	dots := f.dots(g, len(by), len(cols))
	if len(dots) == 0 {
		f.empty = f.page.missing()
		return
	}
	f.summary = f.ofDots(dots, cols)
	if len(dots) > scatterPoints {
		f.note("%d of %s points are drawn, evenly chosen.", scatterPoints, f.page.number(float64(len(dots)), 0))
		even := make([]dot, scatterPoints)
		for i := range even {
			even[i] = dots[i*len(dots)/scatterPoints]
		}
		dots = even
	}
	var legend []seriesOf
	if p.Series != "" {
		for i, c := range g.Axes[len(by)-1] {
			legend = append(legend, seriesOf{name: f.page.cell(*d.column(p.Series), cube.Exact, c), color: i%maxSeries + 1})
		}
	}
	f.draw = func(d *doc) { f.drawDots(d, dots, cols, legend) }
}

// dots reads the points out of the groups, and fills in the grid.
func (f *figure) dots(g *cube.Groups, dims, measures int) []dot {
	var out []dot
	for i := range g.Len() {
		row := make([]any, 0, dims+measures)
		for dim := range dims {
			row = append(row, g.Category(i, dim))
		}
		x, okx := g.Value(i, 0)
		y, oky := g.Value(i, 1)
		if !okx || !oky {
			continue
		}
		row = append(row, g.Exact(i, 0), g.Exact(i, 1))
		p := dot{x: x, y: y, color: 1, size: math.NaN()}
		if measures > 2 {
			v, ok := g.Value(i, 2)
			if !ok || v < 0 {
				continue
			}
			p.size = v
			row = append(row, g.Exact(i, 2))
		}
		if f.panel.Label != "" {
			p.name = f.page.cell(f.grid.cols[0].Column, cube.Exact, g.Category(i, 0))
		}
		if f.panel.Series != "" {
			p.color = g.At(i, dims-1)%maxSeries + 1
		}
		out = append(out, p)
		f.grid.rows = append(f.grid.rows, row)
	}
	if left := g.Len() - len(out); left > 0 && len(out) > 0 {
		f.note("%s without a value left out.", plural(f.page, left, "point"))
	}
	return out
}

func plural(p *page, n int, of string) string {
	if n == 1 {
		return "1 " + of
	}
	return p.number(float64(n), 0) + " " + of + "s"
}

func (f *figure) ofDots(dots []dot, cols []*dashboard.Column) string {
	byX := func(a, b dot) int { return cmp.Compare(a.x, b.x) }
	byY := func(a, b dot) int { return cmp.Compare(a.y, b.y) }
	v := func(c int, v float64) string { return f.page.value(orInteger(*cols[c]), v) }
	top := slices.MaxFunc(dots, byY)
	s := fmt.Sprintf("%s: %s from %s to %s, %s from %s to %s",
		plural(f.page, len(dots), "point"),
		lower(cols[0].Label), v(0, slices.MinFunc(dots, byX).x), v(0, slices.MaxFunc(dots, byX).x),
		lower(cols[1].Label), v(1, slices.MinFunc(dots, byY).y), v(1, top.y))
	if top.name != "" {
		s += " (" + clip(top.name, 40) + ")"
	}
	return s + "."
}

func (f *figure) drawDots(d *doc, dots []dot, cols []*dashboard.Column, legend []seriesOf) {
	xlo, xhi, ylo, yhi, most := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1), 0.0
	for _, p := range dots {
		xlo, xhi, ylo, yhi = min(xlo, p.x), max(xhi, p.x), min(ylo, p.y), max(yhi, p.y)
		if !math.IsNaN(p.size) {
			most = max(most, p.size)
		}
	}
	xf, yf := orInteger(*cols[0]), orInteger(*cols[1])
	xs, ys := newScale(xlo, xhi, false, xf), newScale(ylo, yhi, false, yf)
	if len(legend) > 1 {
		f.legend(d, &split{series: legend})
	}
	d.add(h(`<p class="ax">↑ `), cols[1].Label, h(`</p><svg class="plot`), f.yMargin(ys, yf), h(`" role="img" aria-label="`), f.title, h(`: `), f.summary, h(`" width="100%" height="260">`))
	f.drawY(d, ys, yf)
	for _, p := range dots {
		d.add(h(`<circle class="f`), p.color, h(` dot" cx="`), pct(1-xs.at(p.x)), h(`" cy="`), pct(ys.at(p.y)), h(`" r="`))
		switch {
		case math.IsNaN(p.size):
			d.add(h(`4`))
		case most == 0:
			d.add(h(`3`))
		default:
			d.fixed(3+15*math.Sqrt(p.size/most), 1)
		}
		d.add(h(`"><title>`))
		if p.name != "" {
			d.add(clip(p.name, 60), h(`: `))
		}
		d.add(f.page.value(xf, p.x), h(` · `), f.page.value(yf, p.y))
		if len(cols) > 2 {
			d.add(h(` · `), f.page.value(orInteger(*cols[2]), p.size))
		}
		d.add(h(`</title></circle>`))
	}
	drawX(d, f.tiersOf(func(width float64) []xLabel { return f.numberLabels(xs, xf, width) }))
	d.add(h(`</svg><p class="ax end">`), cols[0].Label, h(` →</p>`))
}

// numberLabels labels an axis of numbers, every other or fewer when it is narrow.
func (f *figure) numberLabels(s scale, format string, width float64) []xLabel {
	ticks := s.ticks()
	longest := 1
	for _, v := range ticks {
		longest = max(longest, len([]rune(f.page.short(format, v))))
	}
	fit := max(int(width/(float64(longest)*charWidth+14)), 2)
	step := (len(ticks) + fit - 1) / fit
	var out []xLabel
	for i := 0; i < len(ticks); i += step {
		out = append(out, xLabel{1 - s.at(ticks[i]), f.page.short(format, ticks[i])})
	}
	return out
}
