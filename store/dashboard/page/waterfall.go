package page

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

const (
	waterfallSteps = 62 // bars of times or of another scale
	waterfallLimit = 12 // changes with names; of more, the rest is one bar
	mostStanding   = 16 // bars whose names fit under them on a phone; more of them lie
)

var waterfallFigure = figure{
	summarise: summariseWaterfall,
}

// A waterfallPanel is changes that stand on one another, and what they add up to.
type waterfallPanel struct {
	*panel
	bars   []flow
	col    dashboard.Column
	axis   split // of the changes, without a closing bar; ordered where they are steps of a scale, such as months
	times  bool  // the changes are times, one after the other
	lo, hi float64
}

// A flow is a change, or a total.
type flow struct {
	cat      cube.Category
	name     string
	exact    any // of the change or the total; nil for none
	value    float64
	after    any     // what all up to here amounts to; nil for none
	from, to float64 // where the bar begins and ends
	total    bool
	closing  bool // no row is this total
	color    color
}

func summariseWaterfall(p *panel) content {
	spec, d := p.spec, p.data
	dim, col := p.col(spec.Label), p.col(spec.Value)
	if p.problem != "" {
		return nil
	}
	m := d.measure(col)
	if m.Over != nil || m.Agg != cube.None && !sums(m, spec.Label) {
		p.problem = p.page.Text(`A waterfall shows changes that add up, and "%s" does not. Use a bar chart, or a measure with agg "sum".`,
			col.Name)
		return nil
	}
	by := cube.Dim{Column: spec.Label, Week: p.page.week, Zone: p.page.zone}
	rows := d.group(d.rows, cube.Query{By: []cube.Dim{by}, Measures: []cube.Measure{m}})
	if p.problem = p.page.unclear(rows, 0); p.problem != "" {
		return nil
	}
	var span cube.Span
	if m.Agg == cube.None {
		m.Agg = cube.Sum // rows that need not be merged add up, as the bars do
	}
	if dim.Type.IsTime() {
		by.Grain, span = p.grainWithin(spec.Label, waterfallSteps, true)
	}
	g := d.group(d.rows, cube.Query{By: []cube.Dim{by}, Measures: []cube.Measure{m}})
	w := &waterfallPanel{panel: p, col: *col, axis: split{xcol: *dim, grain: by.Grain, span: span, time: dim.Type.IsTime()}}
	totals, closing := p.totalRows(by)
	g, order, whole := w.choose(g, by, totals)
	if !w.stack(g, order, totals) {
		return nil
	}
	if !whole {
		closing = ""
	}
	w.close(closing)
	w.tabulate()
	if !slices.ContainsFunc(w.bars, func(b flow) bool { return b.exact != nil }) {
		p.empty = p.page.missing()
		return nil
	}
	w.doubt(closing != "")
	p.summary = w.say()
	if p.labelled() && !w.lying() {
		p.noteLabels(w.chart().lay().placeValues())
	}
	return w
}

// totalRows are the values of the label that the spec names as totals, and the name of
// the bar that closes the waterfall, or "".
func (p *panel) totalRows(by cube.Dim) (rows map[string]bool, closing string) {
	switch {
	case p.spec.NoTotal:
		return nil, ""
	case len(p.spec.Total) == 0:
		return nil, p.page.Text("Total")
	}
	rows = map[string]bool{}
	by.Grain = cube.Exact
	for _, c := range p.data.group(p.data.everyRow(), cube.Query{By: []cube.Dim{by}}).Axes[0] {
		if key := dashboard.ValueKey(c.Value); c.Value != nil && slices.Contains(p.spec.Total, key) {
			rows[key] = true
		}
	}
	for i, name := range p.spec.Total {
		switch {
		case rows[name]:
		case i == len(p.spec.Total)-1:
			closing = name
		default:
			p.report(warned(dashboard.WarnDoubtful, "total",
				`"%s" is no value of "%s", and only the last name of total can be that of a closing bar.`,
				clip(name, 40), by.Column))
		}
	}
	return rows, closing
}

// isTotal reports whether a category is one of the totals.
func isTotal(totals map[string]bool, c cube.Category) bool {
	return c.Value != nil && !c.Other && totals[dashboard.ValueKey(c.Value)]
}

// choose are the groups that are drawn, and their order: of the steps of a scale
// ranges where there are too many, of names the largest and the rest as one. Between
// totals nothing is moved, because they would no longer fit; whole is false where the
// last bars are left out.
func (w *waterfallPanel) choose(g *cube.Groups, by cube.Dim, totals map[string]bool) (out *cube.Groups, order []int, whole bool) {
	p := w.panel
	if w.axis.time {
		w.axis.ordered = true
		return g, p.sequence(g, by), true
	}
	o := p.data.ordering(by.Column)
	steps := o.ordered && (o.ranged || len(g.Axes[0]) <= waterfallSteps)
	if steps && p.spec.Sort == "" && p.spec.Limit == 0 && len(totals) == 0 {
		w.axis.ordered = true
		var out *cube.Groups
		if out, w.axis.ranges = p.ranges(g, 0, waterfallSteps, o, w.axis.xcol); w.axis.ranges {
			return out, indices(len(out.Axes[0])), true
		}
		return g, p.sequence(g, by), true
	}
	order = p.sequence(g, by)
	inner, changes := false, 0
	for i, at := range order {
		if !isTotal(totals, g.Axes[0][at]) {
			changes++
		} else if i > 0 && i < len(order)-1 {
			inner = true
		}
	}
	limit := min(cmp.Or(p.spec.Limit, waterfallLimit), waterfallSteps)
	if changes == limit+1 && p.spec.Limit == 0 {
		limit++
	}
	switch all := len(order); {
	case changes <= limit, inner && all <= waterfallSteps:
		return g, order, true
	case inner:
		p.report(noted("The first %s of %s values of %s; the rest is not drawn.", waterfallSteps, all, Inline(w.axis.xcol.Label)).
			cut(dashboard.WarnCut, "label",
				waterfallSteps, all, w.axis.xcol.Name,
				"they are the first ones; a filter or sql with fewer draws all"))
		return g, order[:waterfallSteps], false
	}
	merged := noted("The %s largest of %s values of %s; the rest is merged into %s.",
		limit, changes, Inline(w.axis.xcol.Label), p.page.rest(by.Column))
	if limit != p.spec.Limit {
		merged = merged.cut(dashboard.WarnMerged, "limit", limit, changes, w.axis.xcol.Name,
			"limit is another number, at most "+strconv.Itoa(waterfallSteps))
	}
	p.report(merged)
	out, order = w.merge(g, order, totals, limit)
	return out, order, true
}

// merge keeps the totals and the largest changes, and merges the others into one
// that comes last, but before a total.
func (w *waterfallPanel) merge(g *cube.Groups, order []int, totals map[string]bool, limit int) (*cube.Groups, []int) {
	var keep []int
	for _, at := range bySize(g, 0, 0, w.data.ordering(w.axis.xcol.Name).ranked(g, 0, 0, true)) {
		switch {
		case isTotal(totals, g.Axes[0][at]):
			keep = append(keep, at)
		case limit > 0:
			keep = append(keep, at)
			limit--
		}
	}
	slices.Sort(keep)
	var kept []int
	for _, at := range order {
		if i, ok := slices.BinarySearch(keep, at); ok {
			kept = append(kept, i)
		}
	}
	out, other := g.Keep(0, keep, true), len(keep)
	if last := len(kept) - 1; last >= 0 && isTotal(totals, out.Axes[0][kept[last]]) {
		return out, slices.Insert(kept, last, other)
	}
	return out, append(kept, other)
}

// stack puts the bars on one another. It reports false where they are too large.
func (w *waterfallPanel) stack(g *cube.Groups, order []int, totals map[string]bool) bool {
	values, exact := make([]float64, len(g.Axes[0])), make([]any, len(g.Axes[0]))
	for i := range g.Len() {
		values[g.At(i, 0)], _ = g.Value(i, 0)
		exact[g.At(i, 0)] = g.Exact(i, 0)
	}
	for _, at := range order {
		w.axis.x = append(w.axis.x, g.Axes[0][at])
	}
	w.times = w.axis.time && w.spec.Sort == "" && !slices.ContainsFunc(w.axis.x, func(c cube.Category) bool { return c.Value == nil })
	if w.times {
		w.axis.step = w.axis.regular() // months have the names of months
	}
	colors := w.colors()
	start, level := 0, 0.0 // where the sum begins, and what it has come to
	for k, at := range order {
		c := g.Axes[0][at]
		b := flow{cat: c, name: w.page.cell(w.axis.xcol, w.axis.grain, c), total: isTotal(totals, c), from: level}
		b.exact, b.value = exact[at], values[at]
		if b.total && b.exact != nil {
			w.fits(b, k, level)
			start, b.from = k, 0
		}
		sum := g.Keep(0, order[start:k+1], false).Fold()
		after, ok := sum.Value(0, 0)
		if !ok && slices.ContainsFunc(order[start:k+1], func(at int) bool { return exact[at] != nil }) {
			w.problem = w.page.Text("The values are too large to add up.")
			return false
		}
		b.after, b.to, level = sum.Exact(0, 0), after, after
		switch {
		case w.page.names(w.axis.xcol.Name, c):
			b.color = w.page.valueColor(w.axis.xcol.Name, c)
		case b.total:
			b.color = otherColor
		default:
			b.color = colors[truth(b.value < 0)]
		}
		w.bars = append(w.bars, b)
	}
	return true
}

// fits says where a total is another number than what comes before it.
func (w *waterfallPanel) fits(total flow, at int, level float64) {
	if at == 0 || alike(total.value, level) {
		return
	}
	w.report(noted("%s is %s; what comes before it adds up to %s.", clip(total.name, 40), w.amount(total.exact), w.amount(w.bars[at-1].after)).
		warned(dashboard.WarnDoubtful, "total",
			`"%s" is not what comes before it adds up to; a change may be missing, or it is no total.`,
			clip(total.name, 40)))
}

// alike reports whether two amounts differ by no more than adding up can make of them.
func alike(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b)) }

// close adds the bar of what all bars add up to.
func (w *waterfallPanel) close(name string) {
	if name == "" || len(w.bars) == 0 {
		return
	}
	last := w.bars[len(w.bars)-1]
	w.bars = append(w.bars, flow{
		cat: cube.Category{Value: name}, name: name, exact: last.after, value: last.to, after: last.after, to: last.to,
		total: true, closing: true, color: otherColor,
	})
}

// doubt warns of a last change that is as large as all before it: a total, most likely.
func (w *waterfallPanel) doubt(closed bool) {
	last := len(w.bars) - 1 - truth(closed)
	if last < 2 {
		return
	}
	if b := w.bars[last]; !b.total && b.value != 0 && !b.cat.Other && alike(b.value, b.from) {
		w.report(warned(dashboard.WarnDoubtful, "total",
			`"%s" is as large as all before it together; if it is a total and no change, name it in total.`,
			clip(b.name, 40)))
	}
}

func (w *waterfallPanel) tabulate() {
	after := w.col
	after.Name, after.Label = "", w.page.Text("Running total")
	w.grid = &grid{cols: []gridColumn{
		{Column: w.axis.xcol, grain: w.axis.grain, every: w.axis.step, merged: w.axis.ranges}, {Column: w.col}, {Column: after},
	}}
	w.grid.cols[0].Role = dashboard.Dimension
	for i := range w.bars {
		b := &w.bars[i]
		w.lo, w.hi = min(w.lo, b.from, b.to), max(w.hi, b.from, b.to)
		row := []any{b.cat, b.exact, b.after}
		if b.closing { // it is no value of the column
			row[0] = b.name
		}
		w.grid.rows = append(w.grid.rows, row)
	}
}

// amount writes what a bar stands for.
func (w *waterfallPanel) amount(v any) string { return w.page.cell(w.col, cube.Exact, v) }

// text is [waterfallPanel.amount] with the sign of a change.
func (b *flow) text(amount string) string {
	if b.total || b.exact == nil {
		return amount
	}
	return signed(amount, b.value)
}

// colors are those of changes up and down.
func (w *waterfallPanel) colors() [2]color {
	up, down := w.signColors(&w.col)
	return [2]color{up, down}
}

// signColors are the colours of what rises and of what falls: green for what is good.
// Where nothing says which way is good, what rises has the colour of the measure.
func (p *panel) signColors(c *dashboard.Column) (up, down color) {
	green, red := namedColor("green"), namedColor("red")
	switch c.Good {
	case "up":
		return green, red
	case "down":
		return red, green
	}
	up, down = p.page.measureColors(c.Name)[0], namedColor("orange")
	if up == down {
		down = namedColor("blue")
	}
	return up, down
}

// say is the sentence of a waterfall: what it comes to, and what moves it most.
func (w *waterfallPanel) say() string {
	changes, most, least := 0, -1, -1
	for i, b := range w.bars {
		if b.total {
			continue
		}
		changes++
		if b.cat.Other {
			continue
		}
		if b.value > 0 && (most < 0 || b.value > w.bars[most].value) {
			most = i
		}
		if b.value < 0 && (least < 0 || b.value < w.bars[least].value) {
			least = i
		}
	}
	first, last := w.bars[0], w.bars[len(w.bars)-1]
	var text string
	if first.total && len(w.bars) > 1 {
		text = w.page.Count(changes, "From %s to %s by %d change.", "From %s to %s by %d changes.", w.amount(first.exact), w.amount(last.after))
	} else {
		text = w.page.Count(changes, "%d change adds up to %s.", "%d changes add up to %s.", w.amount(last.after))
	}
	named := func(i int) string { return clip(w.bars[i].name, 40) + " " + w.bars[i].text(w.amount(w.bars[i].exact)) }
	if most >= 0 {
		text += " " + w.page.Text("Largest increase: %s.", named(most))
	}
	if least >= 0 {
		text += " " + w.page.Text("Largest decrease: %s.", named(least))
	}
	return text
}
