package page

import (
	"fmt"
	"math"
	"slices"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

const (
	heatColumns = 53
	heatRows    = 24
	heatSteps   = 7
)

// heatmap works out a grid of two dimensions, coloured by a measure.
func (f *figure) heatmap() {
	p, d := f.panel, f.data
	if len(p.Y) == 0 {
		f.problem = "No dimension is named for the rows."
		return
	}
	xcol, ycol, col := f.col(p.X), f.col(p.Y[0]), f.col(p.Value)
	if f.problem != "" {
		return
	}
	m := d.measure(col)
	additive := m.Agg != cube.None && (m.Over == nil || m.Over.Agg != cube.None)
	grain := func(c *dashboard.Column, points int) cube.Grain {
		if c.Type != cube.Date && c.Type != cube.Timestamp {
			return cube.Exact
		}
		g, _ := f.grain(c.Name, points, additive)
		return g
	}
	grains := [2]cube.Grain{grain(xcol, heatColumns), grain(ycol, heatRows)}
	g := d.cube.Group(d.rows, cube.Query{
		By:       []cube.Dim{{Column: p.X, Grain: grains[0], Zone: f.page.zone}, {Column: p.Y[0], Grain: grains[1], Zone: f.page.zone}},
		Measures: []cube.Measure{m},
	})
	if f.problem = g.Problem(0); f.problem != "" {
		return
	}
	for dim, limit := range [...]int{heatColumns, heatRows} {
		all := len(g.Axes[dim])
		top, n := g.Top(dim, 0, limit, false)
		if n > 0 {
			f.note("The %d largest of %s; the rest is not drawn.", limit, f.count(all, lower([...]*dashboard.Column{xcol, ycol}[dim].Label)))
		}
		g = top
	}
	var axes [2][]string
	var at [2][]int // category: place
	var ordered [2][]cube.Category
	for dim, c := range [...]*dashboard.Column{xcol, ycol} {
		order := make([]int, len(g.Axes[dim]))
		for i := range order {
			order[i] = i
		}
		sortCalendar(order, g.Axes[dim])
		at[dim] = make([]int, len(order))
		for place, cat := range order {
			at[dim][cat] = place
			axes[dim] = append(axes[dim], f.page.cell(*c, grains[dim], g.Axes[dim][cat]))
			ordered[dim] = append(ordered[dim], g.Axes[dim][cat])
		}
	}
	w, height := len(axes[0]), len(axes[1])
	cells := slices.Repeat([]float64{math.NaN()}, w*height)
	exact := make([]any, w*height)
	lo, hi := math.Inf(1), math.Inf(-1)
	best := 0
	for i := range g.Len() {
		if v, ok := g.Value(i, 0); ok {
			k := at[1][g.At(i, 1)]*w + at[0][g.At(i, 0)]
			cells[k], exact[k] = v, g.Exact(i, 0)
			if v > hi {
				best = k
			}
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	f.heatGrid(*ycol, *col, grains[1], ordered[1], axes[0], exact)
	if lo > hi {
		f.empty = f.page.missing()
		return
	}
	format := orInteger(*col)
	f.summary = fmt.Sprintf("%d columns by %d rows, from %s to %s (%s, %s).", w, height, f.page.value(format, lo), f.page.value(format, hi), clip(axes[1][best/w], 40), clip(axes[0][best%w], 40))
	f.draw = func(d *doc) { f.drawHeat(d, axes, cells, lo, hi, format) }
}

// heatGrid is the heat map as a table: its rows and columns.
func (f *figure) heatGrid(ycol, col dashboard.Column, grain cube.Grain, ys []cube.Category, xs []string, cells []any) {
	ycol.Role = dashboard.Dimension
	f.grid = &grid{cols: []gridColumn{{ycol, grain}}}
	for _, x := range xs {
		c := col
		c.Label = x
		f.grid.cols = append(f.grid.cols, gridColumn{Column: c})
	}
	for i, y := range ys {
		f.grid.rows = append(f.grid.rows, append([]any{y}, cells[i*len(xs):(i+1)*len(xs)]...))
	}
}

func (f *figure) drawHeat(d *doc, axes [2][]string, cells []float64, lo, hi float64, format string) {
	d.add(h(`<div class="ramp" aria-hidden="true"><span>`), f.page.short(format, lo), h(`</span>`))
	for i := range heatSteps {
		d.add(h(`<i class="h`), i, h(`"></i>`))
	}
	d.add(h(`<span>`), f.page.short(format, hi), h(`</span></div>`))
	w, height := len(axes[0]), len(axes[1])
	longest := 0
	for i, y := range axes[1] {
		axes[1][i] = clipLabel(y, 12)
		longest = max(longest, letters(axes[1][i]))
	}
	d.add(h(`<svg class="plot`), margin(longest), h(`" role="img" aria-label="`), f.title, h(`: `), f.summary, h(`" width="100%" height="`), max(120, min(26*height, 480)), h(`" data-n="`), w, h(`" data-r="`), height, h(`">`))
	for k, v := range cells {
		if math.IsNaN(v) {
			continue
		}
		step := heatSteps - 1
		if hi/2-lo/2 > negligible {
			step = min(int((v/2-lo/2)/(hi/2-lo/2)*heatSteps), heatSteps-1)
		}
		d.add(h(`<rect class="h`), step, h(`" x="`), pct(float64(k%w)/float64(w)), h(`" y="`), pct(float64(k/w)/float64(height)), h(`" width="`), pct(1/float64(w)), h(`" height="`), pct(1/float64(height)), h(`" rx="3"/>`))
	}
	for i, y := range axes[1] {
		d.add(h(`<text class="t e" x="-8" y="`), pct((float64(i)+0.5)/float64(height)), h(`" dy="4">`), y, h(`</text>`))
	}
	texts := make([]string, w)
	for i, x := range axes[0] {
		texts[i] = clipLabel(x, longestLabel)
	}
	drawX(d, f.tiersOf(func(width float64) []xLabel { return everyNth(texts, width) }))
	d.add(h(`</svg>`))
}
