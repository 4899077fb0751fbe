package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"service/store/dashboard/cube"
)

const pieSlices = 6

// A slice is a part of a pie.
type slice struct {
	name  string
	value float64
	color int
}

// pie works out the parts of a whole.
func (f *figure) pie() {
	p, d := f.panel, f.data
	label := cmp.Or(p.Label, p.X)
	dim, col := f.col(label), f.col(p.Value)
	if f.problem != "" {
		return
	}
	m := d.measure(col)
	if m.Agg != cube.Sum && m.Agg != cube.None || m.Over != nil {
		f.problem = fmt.Sprintf(`A pie shows parts of a whole, and "%s" does not add up to one. Use a bar chart, or a measure with agg "sum".`, col.Name)
		return
	}
	g := d.cube.Group(d.rows, cube.Query{By: []cube.Dim{{Column: label, Zone: f.page.zone}}, Measures: []cube.Measure{m}})
	if f.problem = g.Problem(0); f.problem != "" {
		return
	}
	for i := range g.Len() {
		if v, _ := g.Value(i, 0); v < 0 {
			f.problem = "A pie cannot show negative values; use a bar chart."
			return
		}
	}
	limit, all := cmp.Or(p.Limit, pieSlices), len(g.Axes[0])
	if all == limit+1 && p.Limit == 0 {
		limit++
	}
	limit = min(limit, maxSeries)
	top, n := g.Top(0, 0, limit, true)
	if n > 0 {
		f.note("The %d largest of %s.", limit, f.count(all, lower(dim.Label)))
	}
	order := top.Ranked(0, 0)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(truth(top.Axes[0][a].Other), truth(top.Axes[0][b].Other)) })
	values, exact := make([]float64, len(top.Axes[0])), make([]any, len(top.Axes[0]))
	for i := range top.Len() {
		values[top.At(i, 0)], _ = top.Value(i, 0)
		exact[top.At(i, 0)] = top.Exact(i, 0)
	}
	f.grid = &grid{cols: []gridColumn{{Column: *dim}, {Column: *col}}}
	var parts []slice
	total := 0.0
	for i, cat := range order {
		c := top.Axes[0][cat]
		part := slice{f.page.cell(*dim, cube.Exact, c), values[cat], i%maxSeries + 1}
		if c.Other {
			part.color = maxSeries + 1
		}
		parts = append(parts, part)
		total += part.value
		f.grid.rows = append(f.grid.rows, []any{c, exact[cat]})
	}
	if total <= 0 {
		f.empty = "Every value is zero or missing for these filters."
		return
	}
	if math.IsInf(total, 0) {
		f.problem = "The values are too large to add up."
		return
	}
	format := orInteger(*col)
	var b strings.Builder
	fmt.Fprintf(&b, "Of %s in all: ", f.page.value(format, total))
	for i, part := range parts[:min(len(parts), 4)] {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s %s", clip(part.name, 40), f.page.percent(part.value/total, 1))
	}
	if left := len(parts) - 4; left > 0 {
		fmt.Fprintf(&b, " and %d more", left)
	}
	b.WriteByte('.')
	f.summary = b.String()
	f.draw = func(d *doc) { f.drawPie(d, parts, total, format) }
}

// drawPie draws a ring and, beside it, the same as a list.
func (f *figure) drawPie(d *doc, parts []slice, total float64, format string) {
	d.add(h(`<div class="pie"><svg viewBox="0 0 42 42" role="img" aria-label="`), f.title, h(`: `), f.summary, h(`">`))
	from := 0.0
	for _, part := range parts {
		share := part.value / total
		if share == 0 {
			continue
		}
		// A circle of circumference 100; its dash is the slice.
		d.add(h(`<circle class="p`), part.color, h(`" cx="21" cy="21" r="15.9155" stroke-dasharray="`))
		dash := max(share*100-gap(parts), 0.2)
		d.fixed(dash, 2)
		d.add(h(` `))
		d.fixed(100-dash, 2)
		d.add(h(`" stroke-dashoffset="`))
		d.fixed(25-from*100, 2)
		d.add(h(`"><title>`), clip(part.name, 60), h(`: `), f.page.value(format, part.value), h(`</title></circle>`))
		from += share
	}
	d.add(h(`<text class="pt" x="21" y="21.6">`), f.page.short(format, total), h(`</text><text class="ps" x="21" y="25.4">total</text></svg><ul>`))
	for _, part := range parts {
		d.add(h(`<li><i class="b`), part.color, h(`"></i><span>`), part.name, h(`</span><b>`), f.page.value(format, part.value), h(`</b><em>`), f.page.percent(math.Min(part.value/total, 1), 1), h(`</em></li>`))
	}
	d.add(h(`</ul></div>`))
}

// gap is the space between slices.
func gap(parts []slice) float64 {
	if len(parts) == 1 {
		return 0
	}
	return 0.5
}
