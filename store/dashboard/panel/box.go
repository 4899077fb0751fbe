package panel

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
)

const (
	boxSteps    = 62  // maximum of boxes of times or of another scale
	groupBoxes  = 96  // the same with series, whose boxes are beside each other
	boxOutliers = 200 // maximum of outliers that a panel draws
	fence       = 1.5 // the distance from a box, in heights of it, beyond which a value is an outlier
)

var boxFigure = Figure{
	Summarise: summariseBox,
}

// A boxPanel draws boxes next to each other. The series of its axis have their medians.
type boxPanel struct {
	*Panel
	split  *split
	slots  chart.Slots
	colors []canvas.Color // of the boxes, if the spec sets colours of the values under them; else nil
	over   *overlay       // over the medians
	tones  *toner
	toned  []canvas.Color   // of the medians: the colours of tones, else 0; nil without thresholds
	col    dashboard.Column // the column of the numbers
	legend []seriesOf       // the series whose boxes are beside each other; nil without any
	boxes  []fiveNumbers    // by place, and there by series
	far    []outlier        // the outliers that are drawn
}

// fiveNumbers are the numbers of a box. If the box has no rows, all are missing.
type fiveNumbers struct {
	there          bool
	rows           int // number of rows; 0 if the query has computed the numbers
	exact          [5]any
	q1, median, q3 float64
	low, high      float64 // the ends of the whiskers
	outliers       int     // number of rows that are outliers
	values         stat.Counted
}

// An outlier is a number beyond the whiskers of a box.
type outlier struct {
	at int // the index of the box
	stat.CountedValue
	beyond float64 // the distance from the box
}

// numbersOf computes the numbers of a box from its values; there must be at least one.
func numbersOf(values stat.Counted) fiveNumbers {
	f := fiveNumbers{there: true, rows: values.Total(), values: values}
	f.q1, f.median, f.q3 = values.Quantile(0.25), values.Quantile(0.5), values.Quantile(0.75)
	f.low, f.high = f.q1, f.q3 // a quartile between two values can be farther out than the last value within the fence
	reach := fence * (f.q3 - f.q1)
	for _, v := range values {
		if v.Value < f.q1-reach || v.Value > f.q3+reach {
			f.outliers += v.Count
			continue
		}
		f.low, f.high = min(f.low, v.Value), max(f.high, v.Value)
	}
	return f
}

// beyond reports whether a value is an outlier of the box.
func (f *fiveNumbers) beyond(v float64) bool { return v < f.low || v > f.high }

func summariseBox(p *Panel) Content {
	b := &boxPanel{col: *p.col(cmp.Or(p.Spec.Value, p.Spec.Median))}
	axis := &split{xcol: dashboard.Column{Column: cube.Column{Type: cube.Text}, Label: b.col.Label}}
	if p.Spec.X != "" {
		axis.xcol = *p.col(p.Spec.X)
	}
	b.Panel, b.split = p, axis
	axis.time = axis.xcol.Type.IsTime()
	var cats []cube.Category
	var of []fiveNumbers
	if p.Spec.Series != "" {
		p.col(p.Spec.Series)
	}
	switch {
	case p.Problem != "":
	case p.Spec.Value == "":
		cats, of = b.ofFive()
	default:
		cats, of = b.ofRows()
	}
	if p.Problem != "" {
		return nil
	}
	b.place(cats, of)
	if p.Empty != "" {
		return nil
	}
	b.tabulate()
	if !slices.ContainsFunc(b.boxes, func(f fiveNumbers) bool { return f.there }) {
		p.Empty = cmp.Or(p.Empty, p.missing())
		return nil
	}
	b.findOutliers()
	b.Summary = b.sentence()
	b.compareMarks(b.split)
	if b.legend == nil {
		b.addOverlay()
	}
	b.tones = p.toner()
	b.toned = b.tones.ofSplit(b.split)
	b.Summary += b.tones.says()
	if !p.Spec.Horizontal {
		b.markEvents(b.split, b.slots.Middles(), b.slots.Band/2)
	}
	b.report(encode.Noted("Boxes: the middle half, and the median in it."))
	if p.Spec.Value != "" {
		b.report(encode.Noted("Lines: to the farthest values within one and a half box heights. Points: outliers."))
	}
	if !b.noteAxis() {
		return nil
	}
	return b
}

// settle reports the medians that do not fit.
func (b *boxPanel) settle() {
	if b.labelled() {
		b.noteLabels(b.laid(b.chart()).PlaceValues())
	}
}

// addOverlay adds the average and the trend of the medians.
func (b *boxPanel) addOverlay() {
	medians := b.Env.measured(b.split, "")
	medians.series[0].name = b.Env.Text("Median")
	b.over = b.newOverlay(medians, b.slots.Middles(), b.slots.At == nil && b.split.step != cube.Exact, false)
}

// compared returns the medians.
func (b *boxPanel) compared() *split { return b.split }

// channel returns the axis of the boxes. If a scale has too many steps, they are merged.
func (b *boxPanel) channel() encode.Channel {
	c := encode.Channel{Column: b.Spec.X, Key: "x", Grain: b.split.grain}
	by, _ := sortKey(b.Spec.Sort)
	if !b.split.time && b.Spec.Limit == 0 && (by == "" || by == b.Spec.X) {
		c.Keep.Steps = b.most()
	}
	if b.family != nil && !b.split.time { // small plots have the same boxes, regardless of their medians
		limit := b.limit()
		c.Keep.Names = encode.Top{Most: limit, Slack: b.Spec.Limit == 0, Rank: encode.MostRows, Key: "limit"}
		if limit != b.Spec.Limit {
			c.Keep.Names.Advice = b.otherLimit()
		} else {
			c.Keep.Names.Advice = b.limited(false)
		}
	}
	return c
}

// seriesChannel returns the series, of which those with the most rows are kept: boxes of the others cannot be merged into one.
func (b *boxPanel) seriesChannel() encode.Channel {
	return encode.Channel{Column: b.Spec.Series, Key: "series", Keep: encode.Keep{Names: encode.Top{
		Most: canvas.MaxSeries, Rank: encode.MostRows, Always: b.alwaysDrawn(b.Spec.Series),
		Advice: fmt.Sprintf("there are %d colours; the sql can group the small ones", canvas.MaxSeries),
	}}}
}

// most returns the maximum number of places that have room for their boxes.
func (b *boxPanel) most() int {
	if b.Spec.Series == "" {
		return boxSteps
	}
	return groupBoxes / min(b.bars(), canvas.MaxSeries)
}

// limit returns the maximum number of places of names.
func (b *boxPanel) limit() int { return min(cmp.Or(b.Spec.Limit, barLimit), b.most()) }

// otherLimit is the advice to set another number of names.
func (b *boxPanel) otherLimit() string {
	return fmt.Sprintf("limit is another number, at most %d", b.most())
}

// beside returns the number of boxes beside each other at each place.
func (b *boxPanel) beside() int { return max(len(b.legend), 1) }

// scale copies the properties of a table's axis to the axis of the boxes.
func (b *boxPanel) scale(t *encode.Table) {
	s, a := b.split, &t.Outcomes[0]
	s.ordered, s.ranges = a.Scale, a.Merged
	s.years = a.Scale && a.All <= b.most() && encode.AreYears(s.xcol.Name, t.Axes[0])
}

// ofRows computes the boxes of all values of x, and there of all series, from the rows.
func (b *boxPanel) ofRows() (cats []cube.Category, of []fiveNumbers) {
	p, s := b.Panel, b.split
	q := encode.Query{By: []encode.Channel{{Column: p.Spec.Value, Key: "value"}}}
	if p.Spec.X != "" && p.Problem == "" {
		if s.time {
			s.grain, s.span = p.grainWithin(p.Spec.X, b.most(), true)
		}
		if q.By = []encode.Channel{b.channel(), q.By[0]}; p.Spec.Series != "" {
			q.By = []encode.Channel{q.By[0], b.seriesChannel(), q.By[1]}
		}
	}
	if p.Problem != "" {
		return nil, nil
	}
	g := p.run(q)
	if g == nil {
		return nil, nil
	}
	values := len(q.By) - 1 // index of the dimension of the numbers
	if values == 0 {
		cats = []cube.Category{{Value: b.col.Label}}
	} else {
		b.scale(g)
		cats = g.Axes[0]
	}
	index := b.indexOf(g)
	of = make([]fiveNumbers, len(cats)*b.beside())
	counts := make([]stat.Counted, len(of))
	missing := 0
	for i := range g.Len() {
		at := index(i)
		exact := g.Category(i, values).Value
		v, ok := cube.Float(exact)
		if !ok {
			missing += g.Rows(i)
			continue
		}
		if counts[at] == nil {
			of[at].exact[0] = exact
		}
		of[at].exact[4] = exact
		counts[at] = append(counts[at], stat.CountedValue{Value: v, Count: g.Rows(i)})
	}
	for at, values := range counts {
		if len(values) > 0 {
			ends := of[at].exact
			of[at] = numbersOf(values)
			of[at].exact = [...]any{ends[0], of[at].q1, of[at].median, of[at].q3, ends[4]}
		}
	}
	if missing > 0 {
		p.report(encode.WithoutValue(missing, &b.col))
	}
	return cats, of
}

// indexOf returns a function that returns the index of the box of a group. It sets the legend.
func (b *boxPanel) indexOf(g *encode.Table) func(group int) int {
	switch {
	case b.Spec.X == "":
		return func(int) int { return 0 }
	case b.Spec.Series == "":
		return func(group int) int { return g.At(group, 0) }
	}
	var place []int
	b.legend, place = b.legendOf(g, 1)
	return func(group int) int { return g.At(group, 0)*len(b.legend) + place[g.At(group, 1)] }
}

// ofFive returns the boxes whose numbers the query has computed.
func (b *boxPanel) ofFive() (cats []cube.Category, of []fiveNumbers) {
	p, s := b.Panel, b.split
	names := p.Spec.Five()
	q := encode.Query{Measures: make([]cube.Measure, len(names))}
	for i, name := range names {
		q.Measures[i] = p.Data.Measure(p.col(name))
		q.Measures[i].Agg = cube.None // the numbers of two boxes cannot be merged
	}
	if p.Problem != "" {
		return nil, nil
	}
	q.Twice = p.Env.Text("Several rows have the same %s, and a box is of one.", p.Env.Inside(s.xcol.Label))
	cats = []cube.Category{{Value: b.col.Label}}
	if p.Spec.X != "" {
		if s.time {
			s.grain, s.span = p.grain(p.Spec.X, b.most(), false)
		}
		q.By = []encode.Channel{b.channel()}
		if q.By[0].Keep.Times = b.most(); p.Spec.Series != "" {
			q.By = append(q.By, b.seriesChannel())
		}
	}
	g := p.run(q)
	if g == nil {
		return nil, nil
	}
	if p.Spec.X != "" {
		b.scale(g)
		cats = g.Axes[0]
	}
	index := b.indexOf(g)
	of = make([]fiveNumbers, len(cats)*b.beside())
	missing := 0
	var wrong []string
	for i := range g.Len() {
		at := index(i)
		f := &of[at]
		var v [5]float64
		f.there = true
		for m := range v {
			var ok bool
			v[m], ok = g.Value(i, m)
			f.exact[m], f.there = g.Exact(i, m), f.there && ok
		}
		f.low, f.q1, f.median, f.q3, f.high = v[0], v[1], v[2], v[3], v[4]
		switch {
		case !f.there:
			missing++
		case !slices.IsSorted(v[:]):
			f.there = false
			wrong = append(wrong, b.named(cats[at/b.beside()], at))
		}
	}
	b.tellFive(missing, wrong)
	return cats, of
}

// named returns the name of the box with an index: that of its place, and that of its series.
func (b *boxPanel) named(place cube.Category, at int) string {
	name := canvas.Clip(b.Env.Cell(b.split.xcol, b.split.grain, place), 40)
	if b.legend != nil {
		name += " " + canvas.Clip(b.legend[at%len(b.legend)].name, 40)
	}
	return name
}

// tellFive reports the boxes that are not drawn because they lack a number or their numbers do not ascend.
func (b *boxPanel) tellFive(missing int, wrong []string) {
	if missing > 0 {
		b.report(encode.NotedCount(missing, "%d box lacks a number and is not drawn.", "%d boxes lack a number and are not drawn.").
			Warned(dashboard.WarnLeftOut, "low",
				"%d {box lacks one of its|boxes lack one of their} five numbers and {is|are} not drawn; the sql can leave such rows out.", missing))
	}
	if len(wrong) > 0 {
		b.report(encode.Noted("Not drawn, because the five numbers do not ascend: %s.", b.Env.some(wrong)).
			Warned(dashboard.WarnDoubtful, "low",
				"%d {box is|boxes are} not drawn, because low, q1, median, q3 and high do not ascend: %s; "+
					"two of them may be swapped.", len(wrong), dashboard.Listed(wrong, nil)))
	}
}

// findOutliers chooses the outliers that are drawn, those farthest from their boxes, and reports how many are left out.
func (b *boxPanel) findOutliers() {
	all := 0
	for at, f := range b.boxes {
		if all += f.outliers; f.outliers == 0 {
			continue
		}
		for _, v := range f.values {
			if f.beyond(v.Value) {
				b.far = append(b.far, outlier{at, v, max(f.q1-v.Value, v.Value-f.q3)})
			}
		}
	}
	if len(b.far) <= boxOutliers {
		return
	}
	slices.SortStableFunc(b.far, func(x, y outlier) int { return cmp.Compare(y.beyond, x.beyond) })
	b.far = b.far[:boxOutliers]
	drawn := 0
	for _, o := range b.far {
		drawn += o.Count
	}
	b.report(encode.Noted("%s of %s outliers are drawn, the farthest.", drawn, all).
		Warned(dashboard.WarnCut, "value",
			"%d of %d outliers {is|are} drawn, the farthest, and the table counts all; a filter or sql with fewer rows draws more.", drawn, all))
}

// noteAxis reports the values and lines that the axis does not show. It returns false if the axis shows none.
func (b *boxPanel) noteAxis() bool {
	var c census
	for _, f := range b.boxes {
		f.each(func(v float64, rows int) {
			var one census
			one.count(&b.Settings, dashboard.AxisY, v)
			c.shown, c.log, c.outside = c.shown+one.shown*rows, c.log+one.log*rows, c.outside+one.outside*rows
		})
	}
	b.before.each(func(v float64) { c.count(&b.Settings, dashboard.AxisY, v) })
	b.noteReferences(b.lines(), dashboard.AxisY)
	return b.noteHidden(c)
}

// each calls f for each value of a box with its number of rows. If the query has computed the box, these are its five numbers.
func (f *fiveNumbers) each(call func(v float64, rows int)) {
	switch {
	case !f.there:
	case f.values == nil:
		for _, v := range [...]float64{f.low, f.q1, f.median, f.q3, f.high} {
			call(v, 1)
		}
	default:
		for _, v := range f.values {
			call(v.Value, v.Count)
		}
	}
}

// lines returns the reference lines; averages and the like are computed over all values.
func (b *boxPanel) lines() []chart.Reference {
	if len(b.Spec.Reference) == 0 {
		return nil
	}
	var of []float64
	for _, f := range b.boxes {
		f.each(func(v float64, rows int) { of = append(of, slices.Repeat([]float64{v}, rows)...) })
	}
	return b.referencesOf(dashboard.AxisY, of, *b.split.series[0].col)
}

// sentence returns a sentence with the number of values, and the medians.
func (b *boxPanel) sentence() string {
	s := b.split
	text := func(v any) string { return b.Env.InUnit(*s.series[0].col, b.Env.Amount(s.series[0].col.Format, v)) }
	rows, outliers := 0, 0
	var first *fiveNumbers
	var ends [2]any
	var medians []string
	lo, hi := math.Inf(1), math.Inf(-1)
	for i := range b.boxes {
		f := &b.boxes[i]
		if !f.there {
			continue
		}
		first = cmp.Or(first, f)
		rows, outliers = rows+f.rows, outliers+f.outliers
		for k, at := range [...]int{0, 4} {
			if v, _ := cube.Float(f.exact[at]); k == 0 && v < lo {
				lo, ends[0] = v, f.exact[at]
			} else if k == 1 && v > hi {
				hi, ends[1] = v, f.exact[at]
			}
		}
		medians = append(medians, b.named(s.x[i/b.beside()], i)+" "+text(f.exact[2]))
	}
	said := ""
	if b.Spec.Value != "" {
		said = b.Env.Count(rows, "%d value from %s to %s.", "%d values from %s to %s.",
			b.Env.Cell(b.col, cube.Exact, ends[0]), b.Env.Cell(b.col, cube.Exact, ends[1])) + " "
	}
	switch {
	case len(medians) == 1:
		said += b.Env.Text("Median: %s.", text(first.exact[2])) + " " +
			b.Env.Text("Middle half: from %s to %s.", text(first.exact[1]), text(first.exact[3]))
	case s.time || s.ordered && len(medians) > 5:
		said += b.Env.Text("Medians: %s", b.overTime(s))
	default:
		said += b.Env.Text("Medians: %s", b.Env.some(medians)+".")
	}
	if outliers > 0 {
		said += " " + b.Env.Count(outliers, "%d outlier.", "%d outliers.")
	}
	return said
}
