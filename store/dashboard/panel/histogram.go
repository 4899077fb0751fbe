package panel

import (
	"math"
	"math/big"
	"slices"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
	"service/store/dashboard/format"
)

// The number of bins of a histogram if the spec does not set it: it grows with the cube root of the number of values, within these limits.
const (
	fewestBins = 5
	mostBins   = 30
)

var histogramFigure = Figure{
	Summarise: summariseHistogram,
}

// A histogramPanel draws adjacent bars whose areas are the numbers of values in them.
type histogramPanel struct {
	*Panel
	count  writer // of counts; nil until one is written
	bins   *binning
	col    dashboard.Column
	by     dashboard.Column // the unit of counts: the weight, or rows
	amount []float64        // of each bin
	height []float64        // amount or, for bins of different widths, amount relative to the narrowest width
	parts  []histogramPart  // one for each series, in the order of the legend; nil without a series
	toned  []canvas.Color   // colours of the bins: those of tones, else 0; nil without thresholds
	tones  *toner
	lines  []chart.Reference // at values
	ends   *chart.Extremes   // of the shared axis of horizontal bars in small plots; nil if each panel has its own
	names  []string          // of the bins
	write  func(any) string  // returns an edge with all its digits
	exact  bool              // write uses as many decimals as all edges need
}

func summariseHistogram(p *Panel) Content {
	col := p.col(p.Spec.Value)
	h := &histogramPanel{Panel: p, col: *col}
	h.by = dashboard.Column{Column: cube.Column{Type: cube.Integer}, Label: p.Env.Text("Count"), Role: dashboard.Measure, Agg: dashboard.Sum}
	q := encode.Query{By: []encode.Channel{{Column: p.Spec.Value, Key: "value"}}}
	if p.Spec.Weight != "" {
		h.by = *p.col(p.Spec.Weight)
		q.Measures = []cube.Measure{p.Data.Measure(&h.by)}
	}
	if p.Spec.Series != "" {
		p.col(p.Spec.Series)
		q.By = append(q.By, p.partChannel())
	}
	if p.Problem != "" {
		return nil
	}
	run := p.run
	if p.family != nil && p.alone() {
		run = p.runAlone
	}
	t := run(q)
	if t == nil {
		return nil
	}
	g := t.Groups // the distinct numbers, ascending
	values := make([]any, 0, len(g.Axes[0]))
	for _, c := range g.Axes[0] {
		if _, ok := cube.Float(c.Value); ok {
			values = append(values, c.Value)
		}
	}
	if len(values) == 0 {
		p.Empty = p.Env.missing()
		return nil
	}
	on := h.onAxis(values)
	counted, missing := 0, 0
	var hidden census
	for i := range g.Len() {
		at := g.At(i, 0)
		if at >= len(values) {
			missing += g.Rows(i)
			continue
		}
		v, _ := cube.Float(values[at])
		var one census
		one.count(&p.Settings, dashboard.AxisX, v)
		hidden.log, hidden.outside = hidden.log+one.log*g.Rows(i), hidden.outside+one.outside*g.Rows(i)
		counted += one.shown * g.Rows(i)
	}
	h.tellHidden(hidden)
	switch {
	case len(on) == 0:
		p.Empty = p.Env.Text("No value is on the axis.")
		return nil
	case counted == 0 && hidden == (census{}):
		p.Empty = p.Env.missing()
		return nil
	}
	all := counted
	if !p.alone() {
		all = p.family.counted()
	}
	h.findBins(on, all)
	outside := h.fill(t, values, on) - hidden.log - hidden.outside
	h.tell(missing, outside)
	if outside == counted {
		p.Empty = p.Env.Text("Every value is outside the bins.")
		return nil
	}
	in, counts := inside(g, on, h.bins, slices.IndexFunc(values, func(v any) bool { return sameNumber(v, on[0]) }))
	p.Summary = h.sentence(in, counts) + h.ofParts(t, in)
	h.findLines(t, in)
	h.findTones(counts)
	if !h.noteHeights() {
		return nil
	}
	return h
}

// onAxis returns the numbers within the axis of the values. Numbers ascend, so these are consecutive.
func (p *histogramPanel) onAxis(values []any) []any {
	drawn := func(v any) bool {
		f, _ := cube.Float(v)
		return p.drawn(dashboard.AxisX, f)
	}
	from := slices.IndexFunc(values, drawn)
	if from < 0 {
		return nil
	}
	to := from
	for to < len(values) && drawn(values[to]) {
		to++
	}
	return values[from:to]
}

// tellHidden reports how many rows are outside of the axis of the values.
func (p *histogramPanel) tellHidden(hidden census) {
	if p.Spec.Log(dashboard.AxisX) {
		p.report(encode.Noted("The axis of x is logarithmic."))
	}
	if hidden.log > 0 {
		p.report(encode.Noted("Left out, because not above zero: %s.", hidden.log).
			Warned(dashboard.WarnLeftOut, "scale",
				"%d {row has|rows have} a value of zero or below, which a logarithmic axis does not have, and {is|are} left out; a linear one "+
					"shows {it|them}.",
				hidden.log))
	}
	if hidden.outside > 0 {
		p.report(encode.Noted("Values outside the axis: %s.", hidden.outside))
	}
}

// findBins chooses the bins.
func (p *histogramPanel) findBins(values []any, counted int) {
	r := p.Spec.Range[dashboard.AxisX]
	if p.Spec.Edges != nil {
		p.bins = listed(p.Spec.Edges)
		p.bins.whole = p.col.Type == cube.Integer && !slices.ContainsFunc(p.Spec.Edges, func(e float64) bool { return e != math.Trunc(e) })
	} else {
		wished := p.Spec.Bins
		if wished == 0 {
			wished = min(max(int(math.Ceil(2*math.Cbrt(float64(counted)))), fewestBins), mostBins)
		}
		lo, hi, whole := values[0], values[len(values)-1], p.col.Type == cube.Integer
		if r.Min != nil {
			lo = *r.Min
		}
		if r.Max != nil {
			hi = *r.Max
		}
		switch {
		case p.Spec.Log(dashboard.AxisX):
			p.bins = logBins(lo, hi, wished, whole, p.col.Format)
		case r.Fixed():
			p.bins = boundBins(lo, hi, r.Min != nil, r.Max != nil, wished, whole, p.col.Format)
		default:
			p.bins = roundBins(lo, hi, wished, whole, p.col.Format)
		}
	}
	p.write = p.edgeWriter()
	for i := range p.bins.len() {
		p.names = append(p.names, p.binName(i))
	}
}

// binName names a bin by its edges: 10–19 of whole numbers, else 0.5–<1.
func (p *histogramPanel) binName(i int) string {
	from, to, open := p.write(p.bins.edges[i]), p.write(p.bins.edges[i+1]), "<"
	if p.bins.closed && i == p.bins.len()-1 {
		open = ""
	}
	if formats := []string{"", "integer", "number", "currency"}; p.bins.whole && open != "" && slices.Contains(formats, p.col.Format) {
		above := new(big.Rat).Sub(encode.Rational(p.bins.edges[i+1]), encode.Rational(int64(1)))
		to, open = p.write(encode.ColumnNumber(above, true)), ""
		if above.Cmp(encode.Rational(p.bins.edges[i])) == 0 {
			return from
		}
	}
	return from + "–" + open + to
}

// fill counts the numbers in the bins, and returns how many rows are outside of all of them. on are the values on the axis.
func (p *histogramPanel) fill(t *encode.Table, values, on []any) (outside int) {
	n, g := p.bins.len(), t.Groups
	to := p.bins.of(values)
	for i, v := range values {
		if order, _ := cube.Compare(v, on[0]); order < 0 {
			to[i] = n
		} else if order, _ := cube.Compare(v, on[len(on)-1]); order > 0 {
			to[i] = n
		}
	}
	var left []int
	axis := make([]cube.Category, n+2) // the bins, then values outside, then missing values
	for i := range axis {
		axis[i] = cube.Category{Value: int64(i)}
	}
	for range g.Axes[0][len(values):] {
		left = append(left, n+1)
	}
	for i, bin := range to {
		if bin < 0 {
			to[i] = n
		}
	}
	binned := g.Regroup(0, append(to, left...), axis)
	p.amount, p.height = make([]float64, n), make([]float64, n)
	exact := make([]any, n)
	for i := range exact {
		if exact[i] = any(int64(0)); p.Spec.Weight != "" {
			exact[i] = 0.0
		}
	}
	p.fillParts(t, binned)
	all := binned
	if p.Spec.Series != "" {
		all = binned.Fold(0)
	}
	for i := range all.Len() {
		switch bin := all.At(i, 0); {
		case bin == n:
			outside = all.Rows(i)
		case bin > n:
		case p.Spec.Weight == "":
			p.amount[bin] = float64(all.Rows(i))
			exact[bin] = int64(all.Rows(i))
		default:
			p.amount[bin], _ = all.Value(i, 0)
			if v := all.Exact(i, 0); v != nil {
				exact[bin] = v
			}
		}
	}
	p.Grid = &Grid{Columns: []Column{{Column: dashboard.Column{
		Column: cube.Column{Type: cube.Text}, Label: p.col.Label, Role: dashboard.Dimension,
	}}, {Column: p.by}}}
	shares := p.shares()
	for i := range n {
		p.height[i] = p.amount[i] * shares[i]
		p.Grid.Rows = append(p.Grid.Rows, []any{p.names[i], exact[i]})
	}
	p.tabulateParts(shares)
	return outside
}

// byArea reports whether the area of a bar, and not its height, represents its count.
func (p *histogramPanel) byArea() bool {
	return !p.bins.even && !p.Spec.Log(dashboard.AxisX) && !p.Spec.Horizontal
}

// shares returns the factors by which the amounts of bins are multiplied to get the heights of their bars.
func (p *histogramPanel) shares() []float64 {
	out := slices.Repeat([]float64{1}, p.bins.len())
	if p.byArea() {
		narrow := p.bins.narrowest()
		for i := range out {
			out[i], _ = new(big.Rat).Quo(narrow, p.bins.width(i)).Float64()
		}
	}
	return out
}

// tell reports rows that are not counted, and how to read bars of different widths.
func (p *histogramPanel) tell(missing, outside int) {
	if missing > 0 {
		p.report(encode.WithoutValue(missing, &p.col))
	}
	if outside > 0 {
		p.report(encode.NotedCount(outside, "%d row outside the bins is left out.", "%d rows outside the bins are left out.").
			Warned(dashboard.WarnLeftOut, "bins",
				`%d {row has|rows have} a "%s" outside the bins and {is|are} left out; wider edges, or a number, have all.`,
				outside, p.col.Name))
	}
	if p.byArea() {
		p.report(encode.Noted("Bins differ in width: the area of a bar is what it counts."))
	}
}

// inside returns the numbers in bins, ascending, with the number of rows of each. The first of the values is number first on the axis.
func inside(g *cube.Groups, values []any, bins *binning, first int) (in []any, counts stat.Counted) {
	rows := make([]int, len(values))
	for i := range g.Len() {
		if at := g.At(i, 0) - first; at >= 0 && at < len(rows) {
			rows[at] += g.Rows(i)
		}
	}
	for i, bin := range bins.of(values) {
		if bin >= 0 && bin < bins.len() && rows[i] > 0 {
			v, _ := cube.Float(values[i])
			in, counts = append(in, values[i]), append(counts, stat.CountedValue{Value: v, Count: rows[i]})
		}
	}
	return in, counts
}

// sentence returns a sentence with the number of values, the fullest bin and, for rows, the median.
func (p *histogramPanel) sentence(values []any, counts stat.Counted) string {
	text := func(v any) string { return p.Env.Cell(p.col, cube.Exact, v) }
	most := 0
	for i, v := range p.amount {
		if v > p.amount[most] {
			most = i
		}
	}
	if p.Spec.Weight != "" {
		return p.weighed(text(values[0]), text(values[len(values)-1]), most)
	}
	s := p.Env.Count(counts.Total(), "%d value from %s to %s: most in %s (%s).", "%d values from %s to %s: most in %s (%s).",
		text(values[0]), text(values[len(values)-1]), p.names[most], p.Env.Quantity(p.by, p.total(most)))
	if p.Spec.Weight == "" {
		var median any = counts.Quantile(0.5)
		if v, ok := median.(float64); ok && p.col.Type == cube.Integer && v == math.Trunc(v) && math.Abs(v) < format.MaxExact {
			median = int64(v)
		}
		s += " " + p.Env.Text("Median: %s.", text(median))
	}
	return s
}

// weighed is the sentence of a histogram with a weight: the total weight if it adds up, and the bin with most of it.
func (p *histogramPanel) weighed(from, to string, most int) string {
	amount := func(v any) string { return p.Env.Quantity(p.by, v) }
	if m := p.Data.Measure(&p.by); m.Agg != cube.Sum || m.Over != nil {
		return p.Env.Text("%s from %s to %s: most in %s (%s).", p.by.Label, from, to, p.names[most], amount(p.total(most)))
	}
	all := new(big.Rat)
	for bin := range p.Grid.Rows {
		all.Add(all, encode.Rational(p.total(bin)))
	}
	return p.Env.Text("%s from %s to %s: %s in all, most in %s (%s).", p.by.Label, from, to,
		amount(encode.ColumnNumber(all, p.by.Type == cube.Integer)), p.names[most], amount(p.total(most)))
}

// chart returns the chart of adjacent bars.
func (p *histogramPanel) chart() *chart.Chart {
	h, at := p.newChart(p.by), p.positions()
	if p.byArea() {
		h.Y = p.axisOf(dashboard.AxisY, p.by, p.by.Format)
	}
	h.Y.Name, h.Y.Zero, h.X.Name = p.Env.Head(p.by, p.yName()), true, p.Env.Head(p.col, p.col.Label)
	h.X.Labels = func(width float64) []chart.Label { return p.edgeLabels(at, width) }
	p.addLines(h)
	h.Places = canvas.Places{Columns: p.bins.len(), Bands: true}
	for i := range p.height {
		if !p.bins.even {
			h.Places.At = append(h.Places.At, (at[i]+at[i+1])/2)
		}
	}
	if p.labelled() {
		h.Values = chart.AnyValues
	}
	h.Key = p.tones.addTo(p.partKey())
	switch {
	case p.parts == nil:
		h.Under = []chart.Layer{p.bars(at)}
	case p.Spec.Stack:
		h.Under = []chart.Layer{p.stackedBars(at)}
	default:
		h.Under = []chart.Layer{p.outlines(at)}
	}
	return h
}

// bars returns the bars of all rows.
func (p *histogramPanel) bars(at []float64) *chart.Bars {
	color := p.markColor(p.by.Name)
	bars := &chart.Bars{Least: chart.LeastBar, Touching: true}
	for i, v := range p.height {
		b := chart.Bar{X1: at[i], X2: at[i+1], To: v, Color: color, None: v == 0}
		if p.toned != nil && p.toned[i] > 0 {
			b.Color, b.Bare = p.toned[i], true
		}
		if p.labelled() && !b.None {
			b.Texts = p.countTexts(i)
		}
		bars.Bars = append(bars.Bars, b)
	}
	return bars
}

func (p *histogramPanel) Draw(c canvas.Canvas) {
	if p.Spec.Horizontal {
		p.list().Draw(c)
		return
	}
	p.chart().Draw(c)
}

// plotted is the standing bars as a chart.
func (p *histogramPanel) plotted() *chart.Chart {
	if p.Spec.Horizontal {
		return nil
	}
	return p.chart()
}

func (p *histogramPanel) keyAbove() *chart.Key {
	if !p.Spec.Horizontal {
		return nil
	}
	return p.list().keyAbove()
}

// share gives the lists of bins in small plots one axis.
func (p *histogramPanel) share(_ *family, all []Content) {
	if !p.Spec.Horizontal {
		return
	}
	ends := chart.NoExtremes()
	for _, c := range all {
		ends.Join(c.(*histogramPanel).list().rowReach())
	}
	for _, c := range all {
		c.(*histogramPanel).ends = &ends
	}
}

// counted returns the number of rows with a number in all small plots.
func (f *family) counted() int {
	n := 0
	for i := range f.table.Len() {
		if _, ok := cube.Float(f.table.Category(i, 0).Value); ok {
			n += f.table.Rows(i)
		}
	}
	return n
}

// yName returns the name of the axis of heights.
func (p *histogramPanel) yName() string {
	if !p.byArea() {
		return p.by.Label
	}
	return p.Env.Text("%s per %s", p.by.Label, p.write(encode.ColumnNumber(p.bins.narrowest(), false)))
}

// positions returns the positions of the edges, from 0 to 1.
func (p *histogramPanel) positions() []float64 {
	if p.Spec.Log(dashboard.AxisX) {
		sc := p.scale()
		out := make([]float64, len(p.bins.edges))
		for i, e := range p.bins.edges {
			v, _ := cube.Float(e)
			out[i] = chart.Within(math.Log10(v), math.Log10(sc.Lo), math.Log10(sc.Hi))
		}
		return out
	}
	from := encode.Rational(p.bins.edges[0])
	all := new(big.Rat).Sub(encode.Rational(p.bins.edges[p.bins.len()]), from)
	out := make([]float64, len(p.bins.edges))
	for i, e := range p.bins.edges {
		d := new(big.Rat).Sub(encode.Rational(e), from)
		out[i], _ = d.Quo(d, all).Float64()
	}
	return out
}

// edgeLabels returns names of edges, the roundest numbers as densely as they fit. Bins of one integer each have their name in the middle.
func (p *histogramPanel) edgeLabels(at []float64, width float64) []chart.Label {
	texts := p.tickNames()
	if p.bins.whole && p.bins.even && p.bins.width(0).Cmp(encode.Rational(int64(1))) == 0 {
		middle := make([]float64, p.bins.len())
		for i := range middle {
			middle[i] = (at[i] + at[i+1]) / 2
		}
		at, texts = middle, texts[:len(middle)]
	}
	if p.Spec.Log(dashboard.AxisX) {
		if tens := p.powersOfTen(texts, at); len(tens) > 2 && chart.Fits(tens, width) {
			return tens
		}
	}
	if !p.bins.even {
		return chart.Thinned(texts, at, width)
	}
	for n := int64(1); n <= int64(len(at)); n++ {
		if !p.isRound(n) {
			continue
		}
		var out []chart.Label
		for _, i := range p.bins.multiples(n) {
			if i < len(at) {
				out = append(out, chart.Label{At: at[i], Text: texts[i]})
			}
		}
		if len(out) > 1 && chart.Fits(out, width) {
			return out
		}
	}
	return chart.Thinned(texts, at, width)
}

// powersOfTen returns the names of the edges that are powers of ten.
func (p *histogramPanel) powersOfTen(texts []string, at []float64) (out []chart.Label) {
	for i, e := range p.bins.edges {
		if v, _ := cube.Float(e); math.Log10(v) == math.Trunc(math.Log10(v)) {
			out = append(out, chart.Label{At: at[i], Text: texts[i]})
		}
	}
	return out
}

// isRound reports whether the edges after each n bins are to be named: n is 1, 2 or 5 times a power of ten, or n bins are a round time on a
// clock.
func (p *histogramPanel) isRound(n int64) bool {
	width, _ := p.bins.width(0).Float64()
	if long := width * float64(n) * format.OneLasts(p.col.Format); long >= 1 && long < 7*chart.ADay {
		return slices.Contains(chart.TimeSteps[:], long)
	}
	for n%10 == 0 {
		n /= 10
	}
	return n == 1 || n == 2 || n == 5
}
