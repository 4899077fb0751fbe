package panel

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
	"service/store/dashboard/format"
	"service/store/pattern"
)

const (
	waterfallSteps = 62 // bars of times or of another scale
	waterfallLimit = 12 // changes with names; beyond that, the rest is one bar
	mostStanding   = 16 // bars whose names fit under them on a phone; more bars are horizontal
)

var waterfallFigure = Figure{
	Summarise: summariseWaterfall,
}

// A waterfallPanel shows changes, each beginning where the one before ends, and their sum.
type waterfallPanel struct {
	*Panel
	bars   []flow
	col    dashboard.Column
	axis   split // of the changes, without a closing bar; ordered if they are steps of a scale, such as months
	times  bool  // the changes are consecutive times
	lo, hi float64
	cut    *float64 // where the axis begins above zero, if the steps are small compared with the totals; nil for zero
	tones  *toner
}

// A flow is a change, or a total.
type flow struct {
	cat      cube.Category
	name     string
	exact    any // of the change or the total; nil for none
	value    float64
	after    any     // the sum up to here; nil for none
	from, to float64 // ends of the bar
	total    bool
	closing  bool // it is not a row of the data
	color    canvas.Color
}

func summariseWaterfall(p *Panel) Content {
	spec, d := p.Spec, p.Data
	dim, col := p.col(spec.Label), p.col(spec.Value)
	if p.Problem != "" {
		return nil
	}
	m := d.Measure(col)
	if m.Over != nil || m.Agg != cube.None && !encode.Sums(m, spec.Label) {
		p.Problem = p.Env.Text(`A waterfall shows changes that add up, and "%s" does not. Use a bar chart, or a measure with agg "sum".`,
			col.Name)
		return nil
	}
	rows := d.Group(p.ownRows(), cube.Query{By: []cube.Dim{d.Dim(spec.Label, cube.Exact)}, Measures: []cube.Measure{m}})
	if p.Problem = d.Env.Unclear(rows, 0); p.Problem != "" {
		return nil
	}
	if m.Agg == cube.None {
		m.Agg = cube.Sum // rows that need not be merged are added, like the bars
	}
	w := &waterfallPanel{Panel: p, col: *col, tones: p.toner(), axis: split{xcol: *dim, time: dim.Type.IsTime()}}
	if w.axis.time {
		w.axis.grain, w.axis.span = p.grainWithin(spec.Label, waterfallSteps, true)
	}
	totals, closing := p.totalRows()
	t := p.run(encode.Query{
		By:       []encode.Channel{{Column: spec.Label, Key: "label", Grain: w.axis.grain, Keep: w.keeps(totals), Order: p.sequence()}},
		Measures: append([]cube.Measure{m}, w.tones.measures()...),
	})
	if t == nil || !w.stack(t, totals) {
		return nil
	}
	rest := func(c cube.Category) bool { return c.Other }
	if len(t.Axes[0]) < t.Outcomes[0].All && !t.Outcomes[0].Merged && !slices.ContainsFunc(t.Axes[0], rest) {
		closing = "" // the last bars are left out
	}
	w.close(closing)
	w.tabulate()
	if !slices.ContainsFunc(w.bars, func(b flow) bool { return b.exact != nil }) {
		p.Empty = p.missing()
		return nil
	}
	w.doubt(closing != "")
	w.doubtOpening(closing)
	p.Summary = w.say() + w.tones.says()
	if w.findCut(); !w.noteRange() {
		return nil
	}
	if w.marksTimes() {
		n := len(w.bars)
		at := make([]float64, n)
		for i := range at {
			at[i] = (float64(i) + 0.5) / float64(n)
		}
		p.markEvents(&w.axis, at, 0.5/float64(n))
	}
	return w
}

// settle reports the amounts that do not fit.
func (w *waterfallPanel) settle() {
	if w.labelled() && !w.horizontal() {
		w.noteLabels(w.laid(w.chart()).PlaceValues())
	}
}

// totalRows returns the values of the label that the spec names as totals, and the name of the bar that closes the waterfall, or "".
func (p *Rows) totalRows() (rows map[string]bool, closing string) {
	switch {
	case p.Spec.NoTotal:
		return nil, ""
	case len(p.Spec.Total) == 0:
		return nil, p.Env.Text("Total")
	}
	rows = map[string]bool{}
	for _, c := range p.Data.Group(p.Data.EveryRow(), cube.Query{By: []cube.Dim{p.Data.Dim(p.Spec.Label, cube.Exact)}}).Axes[0] {
		if key := dashboard.ValueKey(c.Value); c.Value != nil && slices.Contains(p.Spec.Total, key) {
			rows[key] = true
		}
	}
	for i, name := range p.Spec.Total {
		switch {
		case rows[name]:
		case i == len(p.Spec.Total)-1:
			closing = name
		default:
			p.report(encode.Warned(dashboard.WarnDoubtful, "total",
				`"%s" is no value of "%s", and only the last name of total can be that of a closing bar.`,
				canvas.Clip(name, 40), p.Spec.Label))
		}
	}
	return rows, closing
}

// isTotal reports whether a category is one of the totals.
func isTotal(totals map[string]bool, c cube.Category) bool {
	return c.Value != nil && !c.Other && totals[dashboard.ValueKey(c.Value)]
}

// keeps returns which changes are kept: the steps of a scale are merged into ranges if there are too many; of names the largest are kept
// and the rest is merged. Between totals nothing is merged, because the totals would no longer fit; then the last bars are left out.
func (w *waterfallPanel) keeps(totals map[string]bool) (k encode.Keep) {
	spec := w.Spec
	if w.axis.time {
		return k
	}
	if spec.Sort == "" && spec.Limit == 0 && len(totals) == 0 {
		k.Steps = waterfallSteps
	}
	total, lit := func(c cube.Category) bool { return isTotal(totals, c) }, w.alwaysDrawn(spec.Label)
	top := encode.Top{
		Most: min(cmp.Or(spec.Limit, waterfallLimit), waterfallSteps), Slack: spec.Limit == 0,
		Rank: encode.Farthest, Always: func(c cube.Category) bool { return total(c) || lit != nil && lit(c) }, Other: true, Key: "limit",
	}
	if top.Most != spec.Limit {
		top.Advice = "limit is another number, at most " + strconv.Itoa(waterfallSteps)
	}
	k.Choose = func(t *encode.Table, dim int) encode.Top {
		axis := encode.Picked(t.Axes[dim], t.Sorted(dim))
		all, changes := len(axis), len(axis)-encode.CountOf(axis, total)
		switch {
		case changes <= top.Most+stat.One(top.Slack):
			return encode.Top{}
		case !slices.ContainsFunc(axis[1:all-1], total):
			return top
		}
		return encode.Top{Most: waterfallSteps, Rank: encode.InOrder, Advice: "they are the first ones; a filter or sql with fewer draws all"}
	}
	return k
}

func (w *waterfallPanel) share(_ *family, all []Content) {
	for _, c := range all {
		w.lo, w.hi = min(w.lo, c.(*waterfallPanel).lo), max(w.hi, c.(*waterfallPanel).hi)
	}
	for _, c := range all {
		c.(*waterfallPanel).lo, c.(*waterfallPanel).hi = w.lo, w.hi
	}
}

// stack computes the ends of the bars. It returns false if they are too large.
func (w *waterfallPanel) stack(t *encode.Table, totals map[string]bool) bool {
	w.axis.ordered, w.axis.ranges = w.axis.time || t.Outcomes[0].Ordered, t.Outcomes[0].Merged
	values, exact := t.ValuesOf(0)
	order := t.OrderOf(0)
	if last := len(order) - 1; last > 0 && t.Axes[0][order[last]].Other && isTotal(totals, t.Axes[0][order[last-1]]) {
		order[last-1], order[last] = order[last], order[last-1] // the merged bar is before the total that includes it
	}
	w.axis.x = t.Axis(0)
	w.times = w.axis.time && w.Spec.Sort == "" && !slices.ContainsFunc(w.axis.x, func(c cube.Category) bool { return c.Value == nil })
	if w.times {
		w.axis.step = w.axis.regular() // months are named as months
	}
	colors := w.colors()
	start, level := 0, 0.0 // where the sum begins, and its present value
	for k, at := range order {
		c := t.Axes[0][at]
		b := flow{cat: c, name: w.Env.Cell(w.axis.xcol, w.axis.grain, c), total: isTotal(totals, c), from: level}
		b.exact, b.value = exact[at], values[at]
		if b.total && b.exact != nil {
			w.fits(b, k, level)
			start, b.from = k, 0
		}
		sum := t.Keep(0, order[start:k+1], false).Fold()
		var after float64
		ok := sum.Len() > 0 // one small plot may begin later than others
		if ok {
			after, ok = sum.Value(0, 0)
			b.after = sum.Exact(0, 0)
		}
		if !ok && slices.ContainsFunc(order[start:k+1], func(at int) bool { return exact[at] != nil }) {
			w.Problem = w.Env.Text("The values are too large to add up.")
			return false
		}
		b.to, level = after, after
		toned := canvas.Color(0)
		if !b.total && b.exact != nil {
			toned = w.tones.color(b.value, w.limits(t, at), w.col.Name, 0)
		}
		switch {
		case !b.total && w.isPale(w.axis.xcol.Name, c):
			b.color = canvas.PaleColor
		case toned > 0:
			b.color = toned
		case w.Env.names(w.axis.xcol.Name, c):
			b.color = w.Env.valueColor(w.axis.xcol.Name, c)
		case b.total:
			b.color = canvas.OtherColor
		default:
			b.color = colors[stat.One(b.value < 0)]
		}
		w.bars = append(w.bars, b)
	}
	return true
}

// fits reports totals that differ from the sum of the bars before them.
func (w *waterfallPanel) fits(total flow, at int, level float64) {
	if at == 0 || alike(total.value, level) {
		return
	}
	w.report(encode.Noted("%s is %s; what comes before it adds up to %s.", canvas.Clip(total.name, 40),
		w.amount(total.exact), w.amount(w.bars[at-1].after)).
		Warned(dashboard.WarnDoubtful, "total",
			`"%s" is not what comes before it adds up to; a change may be missing, or it is no total.`,
			canvas.Clip(total.name, 40)))
}

// alike reports whether two amounts differ only by rounding during addition.
func alike(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b)) }

// close adds the bar with the sum of all bars.
func (w *waterfallPanel) close(name string) {
	if name == "" || len(w.bars) == 0 {
		return
	}
	last := w.bars[len(w.bars)-1]
	w.bars = append(w.bars, flow{
		cat: cube.Category{Value: name}, name: name, exact: last.after, value: last.to, after: last.after, to: last.to,
		total: true, closing: true, color: canvas.OtherColor,
	})
}

// doubt warns of a last change that equals the sum of all before it: probably a total.
func (w *waterfallPanel) doubt(closed bool) {
	last := len(w.bars) - 1 - stat.One(closed)
	if last < 2 {
		return
	}
	if b := w.bars[last]; !b.total && b.value != 0 && !b.cat.Other && alike(b.value, b.from) {
		w.report(encode.Warned(dashboard.WarnDoubtful, "total",
			`"%s" is as large as all before it together; if it is a total and no change, name it in total.`,
			canvas.Clip(b.name, 40)))
	}
}

// namesOpening matches names of opening balances, in the languages of the built-in texts.
var namesOpening = pattern.New(`(?i)(^|[^\pL])(opening|openings\pL+|begin\pL*|start|starting|initial|initiale|` +
	`carried forward|brought forward|anfang|anfangs\pL*|eröffnungs\pL*|vortrag|ouverture|début|inicial|apertura|inicio|inizio|iniziale|` +
	`abertura|início)($|[^\pL])|` +
	`(期首|期初|繰越|기초|افتتاح|بداية)`)

// doubtOpening warns of a first change that is named like an opening balance and is the largest: drawn as an increase, it is probably a
// total.
func (w *waterfallPanel) doubtOpening(closing string) {
	first := w.bars[0]
	if first.total || first.value <= 0 || first.cat.Other || !namesOpening.MatchString(first.name) {
		return
	}
	for _, b := range w.bars[1:] {
		if !b.total && math.Abs(b.value) > first.value {
			return
		}
	}
	totals := append([]string{dashboard.ValueKey(first.cat.Value)}, w.Spec.Total...)
	if closing != "" && !slices.Contains(totals, closing) {
		totals = append(totals, closing)
	}
	list, err := json.Marshal(totals)
	if err != nil {
		return
	}
	w.report(encode.Warned(dashboard.WarnDoubtful, "total",
		`"%s" is named like an opening balance, and is drawn as an increase; "total": %s draws it as a total.`,
		canvas.Clip(first.name, 40), list))
}

func (w *waterfallPanel) tabulate() {
	after := w.col
	after.Name, after.Label = "", w.Env.Text("Running total")
	w.Grid = &Grid{Columns: []Column{
		{Column: w.axis.xcol, Grain: w.axis.grain, every: w.axis.step, merged: w.axis.ranges}, {Column: w.col}, {Column: after},
	}}
	w.Grid.Columns[0].Role = dashboard.Dimension
	for i := range w.bars {
		b := &w.bars[i]
		w.lo, w.hi = min(w.lo, b.from, b.to), max(w.hi, b.from, b.to)
		row := []any{b.cat, b.exact, b.after}
		if b.closing { // it is not a value of the column
			row[0] = b.name
		}
		w.Grid.Rows = append(w.Grid.Rows, row)
	}
}

// amount returns the value of a bar as text.
func (w *waterfallPanel) amount(v any) string { return w.Env.Cell(w.col, cube.Exact, v) }

// text returns an amount with the sign of a change.
func (b *flow) text(amount string) string {
	if b.total || b.exact == nil {
		return amount
	}
	return format.Signed(amount, b.value)
}

// colors returns the colours of changes up and down.
func (w *waterfallPanel) colors() [2]canvas.Color {
	up, down := w.Env.signColors(&w.col)
	return [2]canvas.Color{up, down}
}

// signColors returns the colours of rises and falls: green for the good direction. If the spec does not set the good direction, rises have
// the colour of the measure.
func (p *Env) signColors(c *dashboard.Column) (up, down canvas.Color) {
	green, red := namedColor("green"), namedColor("red")
	switch c.Good {
	case "up":
		return green, red
	case "down":
		return red, green
	}
	up, down = p.measureColors(c.Name)[0], namedColor("orange")
	if up == down {
		down = namedColor("blue")
	}
	return up, down
}

// say returns the sentence of a waterfall: the final sum, and the largest changes.
func (w *waterfallPanel) say() string {
	changes, most, least := 0, -1, -1
	for i, b := range w.bars {
		if b.total || b.exact == nil {
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
		text = w.Env.Count(changes, "From %s to %s by %d change.", "From %s to %s by %d changes.", w.amount(first.exact), w.amount(last.after))
	} else {
		text = w.Env.Count(changes, "%d change adds up to %s.", "%d changes add up to %s.", w.amount(last.after))
	}
	named := func(i int) string {
		return canvas.Clip(w.bars[i].name, 40) + " " + w.bars[i].text(w.amount(w.bars[i].exact))
	}
	if most >= 0 {
		text += " " + w.Env.Text("Largest increase: %s.", named(most))
	}
	if least >= 0 {
		text += " " + w.Env.Text("Largest decrease: %s.", named(least))
	}
	return text
}

// limits returns the measures with which thresholds compare a change.
func (w *waterfallPanel) limits(t *encode.Table, at int) limit {
	if w.tones == nil || len(w.tones.names) == 0 {
		return noLimit
	}
	return func(measure string) (float64, bool) {
		values, exact := t.ValuesOf(1 + slices.Index(w.tones.names, measure))
		return values[at], exact[at] != nil
	}
}
