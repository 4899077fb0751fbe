package panel

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
)

// A split is rows grouped by an axis and, if there is one, a series.
type split struct {
	groups  *cube.Groups
	x       []cube.Category // along the axis, as drawn
	series  []seriesOf      // in the order of the legend
	value   [][]float64     // by series, then x
	exact   [][]any         // the same as in a table, nil if missing
	null    [][]bool        // whether there are rows, but without a value: a gap in a line
	broken  [][]bool        // whether the line of a series is broken before the next point; if nil, null determines it
	xcol    dashboard.Column
	grain   cube.Grain
	span    cube.Span // of a time axis
	dim     cube.Dim  // of the axis, by which rows are grouped
	time    bool
	years   bool            // the axis is of whole years
	step    cube.Grain      // of a time axis: the step between neighbours
	partial []bool          // by x: whether the period is incomplete; nil for none
	ranges  bool            // the categories are ranges of values
	ordered bool            // the categories are the steps of a scale, complete and in order
	zeros   []cube.Category // the places that are 0 without rows; nil unless the panel asks for that
	asides  []aside         // measures drawn next to the series
}

type seriesOf struct {
	name  string
	color canvas.Color
	col   *dashboard.Column
	mark  *Mark                     // the value of the series, if there is one
	pale  bool                      // others are highlighted
	over  map[cube.Category]float64 // of a ratio: its divisor at each place with a value; else nil
}

// A layout limits the numbers of categories in a chart.
type layout struct {
	points int            // of a time axis, before it is rounded down to weeks, months, …
	steps  int            // of another scale, before its steps are merged into ranges
	limit  int            // of other axes
	sorted bool           // by value, unless there is another order
	stack  bool           // smaller series become Other; next to the others it would dwarf them
	also   cube.Selection // rows whose categories are on the axis too, such as those of an earlier period
}

// split groups the panel's rows by p.X and p.Series, or p.X and each of p.Y. It returns nil if the panel has a problem.
func (p *Rows) split(l layout) *split {
	spec, d := p.Spec, p.Data
	s := &split{xcol: *p.col(spec.X)}
	var measures []cube.Measure
	var ys []*dashboard.Column
	for _, y := range spec.Y {
		c := p.col(y)
		ys = append(ys, c)
		measures = append(measures, d.Measure(c))
	}
	if len(ys) == 0 && p.Problem == "" {
		p.Problem = p.Env.Text("No measure is named to draw.")
	}
	if spec.Series != "" {
		p.col(spec.Series)
	}
	asides := p.findAsides()
	if p.Problem != "" {
		return nil
	}
	s.time = s.xcol.Type.IsTime()
	if s.time {
		mergeable := !slices.ContainsFunc(measures, func(m cube.Measure) bool { return !encode.Additive(m) }) &&
			!slices.ContainsFunc(asides, func(a aside) bool { return !encode.Additive(d.Measure(a.col)) })
		s.grain, s.span = p.grain(spec.X, l.points, mergeable)
		if spec.Gaps == dashboard.GapsZero && mergeable {
			p.grainOfZeros(s, l.points)
		}
	}
	h := p.hiddenSort()
	if h.measure != nil {
		measures = append(measures, *h.measure)
	}
	for i := range asides {
		asides[i].measure = len(measures)
		measures = append(measures, d.Measure(asides[i].col))
	}
	q := encode.Query{By: []encode.Channel{p.xChannel(s, l, h)}, Measures: measures}
	if spec.Series != "" {
		q.By = append(q.By, p.seriesChannel(s.time, l))
	}
	t := p.run(q)
	if t == nil {
		return nil
	}
	if s.time && spec.Series == "" && (spec.Limit > 0 || spec.Other) {
		p.report(encode.Warned(dashboard.WarnKeyIgnored, map[bool]string{true: "limit", false: "other"}[spec.Limit > 0],
			`times are never cut, so limit and other change nothing here; grain makes fewer of them, a filter shows the newest.`))
	}
	s.groups, s.dim = t.Groups, t.Dim(0)
	s.years, s.ordered, s.ranges = t.Outcomes[0].Years, t.Outcomes[0].Ordered, t.Outcomes[0].Merged
	for _, c := range t.Axis(0) {
		if s.time && c.Value == nil {
			p.report(encode.WithoutTime(&s.xcol))
			continue
		}
		s.x = append(s.x, c)
	}
	s.years = s.years && !s.ranges && slices.IsSortedFunc(s.x, func(a, b cube.Category) int {
		return cmp.Compare(a.Value.(int64), b.Value.(int64))
	})
	if s.time {
		rolled := s.grain != cube.Exact
		s.step = s.regular()
		s.findPartial(p, rolled)
	}
	if spec.Gaps == dashboard.GapsZero {
		s.zeros = p.zeroTimes(s, measures[:len(ys)])
	} else if s.time && p.family == nil {
		s.beginWithValues(len(ys))
	}
	s.asides = asides
	s.fill(p, t, ys)
	if p.Problem != "" {
		return nil
	}
	return s
}

// beginWithValues removes the periods before the first that has a value of one of the first n measures, such as those of the first year of
// a growth on a year ago: only their rows would lengthen the axis.
func (s *split) beginWithValues(n int) {
	has := map[cube.Category]bool{}
	for g := range s.groups.Len() {
		for m := range n {
			if s.groups.Exact(g, m) != nil {
				has[s.groups.Category(g, 0)] = true
			}
		}
	}
	first := slices.IndexFunc(s.x, func(c cube.Category) bool { return has[c] })
	if first <= 0 {
		return
	}
	s.x = s.x[first:]
	if s.partial != nil {
		s.partial = s.partial[first:]
	}
}

// A hiddenSort is a column by which a panel is sorted, and which it does not show.
type hiddenSort struct {
	col     *dashboard.Column // nil for none
	measure *cube.Measure     // nil if it is not a number
}

func (p *Rows) hiddenSort() (h hiddenSort) {
	by, _ := sortKey(p.Spec.Sort)
	if by == "" || by == p.Spec.X || slices.Contains(p.Spec.Y, by) {
		return h
	}
	if h.col = p.Data.Column(by); h.col != nil {
		h.measure = p.sortMeasure(h.col)
	}
	return h
}

// sortMeasure returns the measure of a column of numbers by which rows are sorted: its minimum if the spec does not define how it adds up.
// It returns nil for other columns.
func (p *Rows) sortMeasure(c *dashboard.Column) *cube.Measure {
	m := p.Data.Measure(c)
	switch {
	case c.Role == dashboard.Measure && encode.Additive(m):
		return &m
	case (c.Type == cube.Integer || c.Type == cube.Number) && !c.IsRatio():
		return &cube.Measure{Column: c.Name, Agg: cube.Min}
	}
	return nil
}

// xChannel returns the axis of a split: the steps of a scale are merged into ranges, and of names the largest are kept. If the author
// limits or sorts the axis, steps are kept like names.
func (p *Rows) xChannel(s *split, l layout, h hiddenSort) encode.Channel {
	spec := p.Spec
	by, descending := sortKey(spec.Sort)
	c := encode.Channel{Column: spec.X, Key: "x", Grain: s.grain, Also: l.also}
	switch m := slices.Index(spec.Y, by); {
	case h.measure != nil:
		c.Order = encode.Order{Measured: true, Measure: len(spec.Y), Descending: descending}
	case m >= 0:
		c.Order = encode.Order{Measured: true, Measure: m, Descending: descending}
	default:
		c.Order = encode.Order{Column: h.col, Largest: by == "" && !s.time && l.sorted, Descending: descending && (h.col != nil || by == spec.X)}
	}
	if s.time {
		return c
	}
	top := encode.Top{Most: cmp.Or(spec.Limit, l.limit), Slack: spec.Limit == 0, Other: spec.Other, Adds: true, Key: "limit"}
	top.Measure, top.Rank = p.sortedBy()
	top.Always = p.alwaysDrawn(spec.X)
	if spec.Limit == 0 {
		top.Advice, top.Together = "limit is another number, and other merges the rest", "limit is another number"
		if c.Keep.Years = true; by == "" || by == spec.X {
			c.Keep.Steps = l.steps
		}
	} else {
		top.Advice, top.Wished = p.limited(true), true
	}
	c.Keep.Names = top
	return c
}

// sortedBy returns the measure of the groups by which names are kept, and the ranking: the one by which the panel is sorted, largest first,
// or the first measure. If a panel is sorted by a measure that it shows, smallest first, the smallest are kept.
func (p *Rows) sortedBy() (measure int, rank encode.Ranking) {
	by, descending := sortKey(p.Spec.Sort)
	shown := slices.Index(p.Spec.Y, by)
	switch h := p.hiddenSort(); {
	case by == "":
		return 0, encode.Farthest
	case shown >= 0 && !descending:
		return shown, encode.Smallest
	case shown >= 0:
		return shown, encode.Largest
	case descending && h.measure != nil:
		return len(p.Spec.Y), encode.Largest
	}
	return 0, encode.Largest
}

// seriesChannel returns the series of a split, of which the largest are kept. With times on the axis, all of which are kept, limit applies
// to the series.
func (p *Rows) seriesChannel(time bool, l layout) encode.Channel {
	spec := p.Spec
	top := encode.Top{Rank: encode.Largest, Other: l.stack || spec.Other, Sum: l.stack && p.family == nil, Adds: true}
	switch {
	case spec.Reverse: // of ranks, the first matter
		top.Rank = encode.Smallest
	case spec.Sort == "":
		top.Rank = encode.Farthest
	}
	top.Most, top.Always = p.mostSeries()
	most := top.Most
	if time && spec.Limit > 0 {
		top.Most = min(spec.Limit, most)
	}
	if !time || spec.Limit != top.Most {
		top.Together = fmt.Sprintf("there are %d colours; the sql can group the small ones", most)
		top.Advice = fmt.Sprintf("there are %d colours; other merges the rest, or the sql groups the small ones", most)
		if most > canvas.MaxSeries {
			top.Together, top.Advice = "the sql can group the small ones", "other merges the rest, or the sql groups the small ones"
		}
	}
	if time && spec.Limit > most { // reduced to the maximum
		top.Key = "limit"
	}
	return encode.Channel{Column: spec.Series, Key: "series", Keep: encode.Keep{Names: top}}
}

// fill copies the values of the groups into the order of axis and legend.
func (s *split) fill(p *Rows, t *encode.Table, ys []*dashboard.Column) {
	at := map[cube.Category]int{}
	for i, c := range s.x {
		at[c] = i
	}
	n := len(ys)
	var to []int // by category of the series dimension: index in value
	if p.Spec.Series != "" {
		scol, cats := *p.Data.Column(p.Spec.Series), t.Axis(1)
		n, to = len(cats), t.Places(1)
		if p.Spec.Type == dashboard.Line && p.highlighted() == p.Spec.Series {
			cats, to = p.leading(p.Spec.Series, cats, to)
		}
		colors := p.valueColors(p.Spec.Series, cats)
		for row, c := range cats {
			s.series = append(s.series, seriesOf{
				name: p.Env.Cell(scol, cube.Exact, c), color: colors[row], col: ys[0], mark: &Mark{Column: p.Spec.Series, Category: c},
				pale: p.isPale(p.Spec.Series, c),
			})
		}
	} else {
		colors := p.Env.measureColors(p.Spec.Y...)
		if p.Spec.Paint != "" { // of a panel of one measure
			colors[0] = p.markColor(p.Spec.Y[0])
		}
		for i, y := range ys {
			s.series = append(s.series, seriesOf{name: y.Label, color: colors[i], col: y})
		}
	}
	for range n {
		s.value = append(s.value, make([]float64, len(s.x)))
		s.exact = append(s.exact, make([]any, len(s.x)))
		s.null = append(s.null, make([]bool, len(s.x)))
	}
	for i := range t.Len() {
		x, ok := at[t.Category(i, 0)]
		if !ok {
			continue
		}
		if to != nil {
			row := to[t.At(i, 1)]
			s.put(row, x, i, 0)
			continue
		}
		for m := range ys {
			s.put(m, x, i, m)
		}
	}
	s.fillZero()
	s.fillAsides(p, at, to)
}

// put sets the value of a series at a place to a measure of a group.
func (s *split) put(series, x, group, measure int) {
	s.value[series][x], _ = s.groups.Value(group, measure)
	s.exact[series][x] = s.groups.Exact(group, measure)
	s.null[series][x] = !s.has(series, x)
	if by, ok := s.groups.Divisor(group, measure); ok && s.has(series, x) {
		se := &s.series[series]
		if se.over == nil {
			se.over = map[cube.Category]float64{}
		}
		se.over[s.x[x]] = by
	}
}

// meanOf returns the mean of the values of a series at the places in [from, to), which must all have a value: see [pooled].
func (s *split) meanOf(series, from, to int) (float64, bool) {
	return pooled(s.value[series][from:to], s.series[series].divisors(s.x[from:to]))
}

// mean returns the mean of all values: see [pooled]. It returns 0 without values.
func (s *split) mean() float64 {
	var values, over []float64
	for i, se := range s.series {
		for x, c := range s.x {
			if s.has(i, x) {
				values = append(values, s.value[i][x])
				if se.col.Name == s.series[0].col.Name {
					over = append(over, se.divisors([]cube.Category{c})...)
				}
			}
		}
	}
	if v, ok := pooled(values, over); ok && len(values) > 0 {
		return v
	}
	return 0
}

// divisors returns the divisors of a ratio at some places, which must have a value; nil for other measures.
func (se *seriesOf) divisors(places []cube.Category) []float64 {
	if se.over == nil {
		return nil
	}
	out := make([]float64, len(places))
	for i, c := range places {
		out[i] = se.over[c]
	}
	return out
}

// pooled returns the mean of values or, if each has a divisor, the ratio over all of them: the sum of the numerators divided by the sum of
// the divisors. It returns false if the divisors add up to zero.
func pooled(values, over []float64) (float64, bool) {
	if len(over) != len(values) || len(values) == 0 {
		return stat.Mean(values), true
	}
	parts := make([]float64, len(values))
	for i, v := range values {
		parts[i] = v * over[i]
	}
	by := stat.Mean(over)
	return stat.Mean(parts) / by, by != 0
}

// has reports whether a series has a value at a place.
func (s *split) has(series, x int) bool { return s.exact[series][x] != nil }

// table returns the split as a grid: a row for each place on the axis, a column for each series.
func (s *split) table() *Grid {
	g := &Grid{Columns: []Column{{Column: s.xcol, Grain: s.grain, every: s.step, merged: s.ranges}}}
	g.Columns[0].Role = dashboard.Dimension
	for _, se := range s.series {
		c := *se.col
		c.Label = se.name
		g.Columns = append(g.Columns, Column{Column: c, Head: se.mark})
	}
	cells := make([]any, len(s.x)*len(g.Columns))
	for x, cat := range s.x {
		row := cells[x*len(g.Columns) : (x+1)*len(g.Columns) : (x+1)*len(g.Columns)]
		row[0] = cat
		for i := range s.series {
			row[i+1] = s.exact[i][x]
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

// any reports whether there is a value.
func (s *split) any() bool {
	return slices.ContainsFunc(s.exact, func(row []any) bool {
		return slices.ContainsFunc(row, func(v any) bool { return v != nil })
	})
}

// positions returns the position of each x on the axis, from 0 to 1, and whether they are evenly spaced.
func (s *split) positions() (at []float64, even bool) {
	n := len(s.x)
	at = make([]float64, n)
	even = true
	for i := range s.x {
		at[i] = 0.5
		if n > 1 {
			at[i] = float64(i) / float64(n-1)
		}
		if s.years && n > 1 {
			from, to := s.x[0].Value.(int64), s.x[n-1].Value.(int64)
			exact := float64(s.x[i].Value.(int64)-from) / float64(to-from)
			even = even && math.Abs(exact-at[i]) < 0.002
			at[i] = exact
		}
		if s.time && n > 1 {
			from, to := s.x[0].Value.(time.Time), s.x[n-1].Value.(time.Time)
			exact := between(s.x[i].Value.(time.Time), from, to)
			even = even && math.Abs(exact-at[i]) < 0.002
			at[i] = exact
		}
	}
	return at, even
}

// thinnest is the minimum width of a column whose neighbours are far away, if all have it.
const thinnest = 0.008

// bands returns the width of columns that are not one for each step of the axis, and the positions of their middles; nil if they are evenly
// spaced.
func (s *split) bands() (band float64, middle []float64) {
	at, even := s.positions()
	n := len(at)
	if even || n < 2 {
		return 1 / float64(max(n, 1)), nil
	}
	least := 1.0
	for i := 1; i < n; i++ {
		least = min(least, at[i]-at[i-1])
	}
	total := 1 + least // half a column is outside of the first and the last place
	band = max(least/total, min(thinnest, 1/float64(n)))
	for i := range at {
		at[i] = band/2 + at[i]*(1-band)
	}
	return band, at
}

// slotsOf returns the places of the axis next to each other. each reports that there is one for each step of it.
func (s *split) slotsOf(each bool) chart.Slots {
	out := chart.Slots{N: len(s.x), Band: 1 / float64(len(s.x))}
	if (s.time || s.years) && !each {
		out.Band, out.At = s.bands()
	}
	return out
}

// shares returns the values as shares of the sum at their place; 0 if that is not positive and finite.
func (s *split) shares() [][]float64 {
	out := make([][]float64, len(s.series))
	for i := range out {
		out[i] = make([]float64, len(s.x))
	}
	for x := range s.x {
		sum := 0.0
		for i := range s.series {
			sum += s.value[i][x]
		}
		for i := range s.series {
			if sum > 0 && !math.IsInf(sum, 0) {
				out[i][x] = s.value[i][x] / sum
			}
		}
	}
	return out
}

// extent returns the smallest and the largest drawn value, including 0.
func (s *split) extent(stacked bool) (lo, hi float64) {
	for x := range s.x {
		up, down := 0.0, 0.0
		for i := range s.series {
			v := s.value[i][x]
			switch {
			case !s.has(i, x):
			case !stacked:
				lo, hi = min(lo, v), max(hi, v)
			case v > 0:
				up += v
			default:
				down += v
			}
		}
		lo, hi = min(lo, down), max(hi, up)
	}
	return lo, hi
}
