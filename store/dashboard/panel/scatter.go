package panel

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
	"service/store/dashboard/format"
)

const scatterHeight = 260 // in pixels

var scatterFigure = Figure{
	Summarise: summariseScatter,
}

// A scatterPanel draws circles at the values of two measures.
type scatterPanel struct {
	*Panel
	spots  []spot
	most   float64             // the largest size, among all small plots
	cols   []*dashboard.Column // x, y and, if there is one, size
	legend []seriesOf
	trends []trend   // of the points, or of each series
	tinted *markRamp // the ramp of the colours, if a measure has them; else nil
	crowd  *crowd    // the cells in which points are counted; else nil
}

// A spot is one circle of a scatter chart.
type spot struct {
	x, y, size float64 // size is NaN for a point without a size
	series     int     // index in the legend
	label      int     // index on the axis of the label
	order      int     // position among the values of the label
	row        int     // index in the grid
	color      canvas.Color
	tint       any // value of the measure that sets the colour
	name       string
	pale       bool // others are highlighted
	first      bool // its name has precedence over others
}

// summariseScatter computes a point for each value of the label, in each series; without a label, it computes a point for each row.
func summariseScatter(p *Panel) Content {
	tint := p.colorOfMarks()
	spec, d := p.Spec, p.Data
	if len(spec.Y) == 0 {
		p.Problem = p.Env.Text("No measure is named to draw.")
		return nil
	}
	cols := []*dashboard.Column{p.col(spec.X), p.col(spec.Y[0])}
	if spec.Size != "" {
		cols = append(cols, p.col(spec.Size))
	}
	q := encode.Query{Each: spec.Label == ""}
	for _, name := range [...]string{spec.Label, spec.Series} {
		if name != "" && (len(q.By) == 0 || q.By[0].Column != name) {
			p.col(name)
			q.By = append(q.By, encode.Channel{Column: name, Key: "label"})
		}
	}
	dim := len(q.By) - 1 // index of the series dimension
	if spec.Series != "" {
		q.By[dim].Key = "series"
		top := encode.Top{Measure: 1, Rank: encode.AtFirst, Advice: "the sql can group the small ones"}
		top.Most, top.Always = p.mostSeries()
		q.By[dim].Keep.Names = top
	}
	dims := len(q.By)
	for _, c := range cols {
		q.Measures = append(q.Measures, d.Measure(c))
	}
	if tint != nil {
		q.Measures = append(q.Measures, d.Measure(tint))
	}
	shape := p.spotShape(&q, dims, len(q.Measures))
	if p.Problem != "" {
		return nil
	}
	t := p.run(q)
	if t == nil {
		return nil
	}
	p.Grid = &Grid{}
	for dim := range dims {
		p.Grid.Columns = append(p.Grid.Columns, Column{Column: *t.Column(dim)})
	}
	for _, c := range cols {
		p.Grid.Columns = append(p.Grid.Columns, Column{Column: *c})
	}
	if tint != nil {
		p.Grid.Columns = append(p.Grid.Columns, Column{Column: *tint})
	}
	for _, m := range shape.more {
		p.Grid.Columns = append(p.Grid.Columns, Column{Column: *m.col, extra: true})
	}
	legend, place := p.scatterSeries(t, dim)
	spots, groups := p.spots(t.Groups, dims, dim, len(cols), legend, place)
	if spec.Connect != "" {
		joined(spots, t)
	}
	if len(spots) == 0 {
		p.Empty = p.Env.missing()
		return nil
	}
	ramp := p.paintSpots(spots, groups, t, tint, len(cols))
	p.Summary = p.Env.ofSpots(spots, cols)
	trends := p.spotTrends(spots, cols, legend)
	if spots = p.onAxes(spots); spots == nil {
		p.fillRows(t.Groups, shape, groups, nil)
		return nil
	}
	spots = p.largestSpots(spots, cols)
	crowded := p.crowded(len(spots))
	if crowded {
		p.fillRows(t.Groups, shape, groups, nil)
	} else {
		spots = p.evenSpots(spots, t)
		p.fillRows(t.Groups, shape, groups, spots)
		inDrawingOrder(spots)
	}
	out := &scatterPanel{Panel: p, spots: spots, cols: cols, legend: legend, trends: trends, tinted: ramp}
	for _, s := range spots {
		if !math.IsNaN(s.size) {
			out.most = max(out.most, s.size)
		}
	}
	if crowded {
		out.countSpots()
	}
	for axis := range p.Spec.Range {
		p.noteReferences(out.spotReferences(axis), axis)
	}
	return out
}

func (p *scatterPanel) plotted() *chart.Chart { return p.chart() }

// share gives all points one scale of sizes, and the colours of one ramp.
func (p *scatterPanel) share(f *family, all []Content) {
	most := 0.0
	for _, c := range all {
		most = max(most, c.(*scatterPanel).most)
	}
	for _, c := range all {
		c.(*scatterPanel).most = most
	}
	if p.tinted == nil {
		return
	}
	f.shareRamp(all)
	for _, c := range all {
		c.(*scatterPanel).tinted.tintSpots(c.(*scatterPanel).spots)
	}
}

// onAxes returns the points that are within both axes, and reports how many are not. It returns nil if none is.
func (p *Rows) onAxes(spots []spot) []spot {
	var out []spot
	log := 0
	for _, s := range spots {
		switch {
		case !p.onLog(dashboard.AxisX, s.x) || !p.onLog(dashboard.AxisY, s.y):
			log++
		case p.drawn(dashboard.AxisX, s.x) && p.drawn(dashboard.AxisY, s.y):
			out = append(out, s)
		}
	}
	switch p.Spec.Scale {
	case "log":
		p.report(encode.Noted("Both axes are logarithmic."))
	case "log_x":
		p.report(encode.Noted("The axis of x is logarithmic."))
	case "log_y":
		p.report(encode.Noted("The axis of y is logarithmic."))
	}
	p.noteReverse()
	if log > 0 {
		p.report(encode.Noted("Left out, because not above zero: %s.", log).
			Warned(dashboard.WarnLeftOut, "scale",
				"%d {point is|points are} zero or below, which a logarithmic axis does not have, and {is|are} left out; "+
					"a linear one shows {it|them}.", log))
	}
	if n := len(spots) - len(out) - log; n > 0 {
		key := "y_max"
		for name, bound := range map[string]*float64{
			"x_min": p.Spec.Range[dashboard.AxisX].Min, "x_max": p.Spec.Range[dashboard.AxisX].Max, "y_min": p.Spec.Range[dashboard.AxisY].Min,
		} {
			if bound != nil && p.Spec.Range[dashboard.AxisY].Max == nil && (key == "y_max" || name > key) {
				key = name
			}
		}
		p.report(encode.Noted("Points outside the axes: %s.", n).
			Warned(dashboard.WarnClipped, key,
				"points that lie outside the axes, and are not drawn: %d; another range of x or y shows them.", n))
	}
	if len(out) == 0 {
		p.Empty = p.Env.Text("No value is on the axis.")
	}
	return out
}

// spotReferences returns the lines at values of an axis.
func (p *scatterPanel) spotReferences(axis int) []chart.Reference {
	if p.crowd != nil {
		return p.crowd.refs[axis]
	}
	values := make([]float64, len(p.spots))
	for i, s := range p.spots {
		values[i] = [...]float64{dashboard.AxisX: s.x, dashboard.AxisY: s.y}[axis]
	}
	return p.referencesOf(axis, values, *p.cols[[...]int{dashboard.AxisX: 0, dashboard.AxisY: 1}[axis]])
}

// scatterSeries returns the series of the points, in the order of the legend, and the index in it of each category. Without a series, the
// legend has one item.
func (p *Rows) scatterSeries(t *encode.Table, dim int) (legend []seriesOf, place []int) {
	if p.Spec.Series == "" {
		return []seriesOf{{color: p.markColor(p.Spec.Y[0])}}, nil
	}
	return p.legendOf(t, dim)
}

// legendOf returns the values of a dimension as series: see [Panel.scatterSeries].
func (p *Rows) legendOf(t *encode.Table, dim int) (legend []seriesOf, place []int) {
	name, cats := p.Spec.Series, t.Axis(dim)
	colors := p.valueColors(name, cats)
	for i, c := range cats {
		legend = append(legend, seriesOf{
			name: p.Env.Cell(*p.Data.Column(name), cube.Exact, c), color: colors[i], mark: &Mark{Column: name, Category: c},
			pale: p.isPale(name, c),
		})
	}
	return legend, t.Places(dim)
}

// compareSizes orders the sizes of points. A point without a size is equal to all others.
func compareSizes(a, b float64) int {
	if math.IsNaN(a) || math.IsNaN(b) {
		return 0
	}
	return cmp.Compare(a, b)
}

// spots returns the points of the groups, and the groups that are the rows of the grid.
func (p *Panel) spots(g *cube.Groups, dims, series, measures int, legend []seriesOf, place []int) (out []spot, rows []int32) {
	for i := range g.Len() {
		x, okx := g.Value(i, 0)
		y, oky := g.Value(i, 1)
		if !okx || !oky {
			continue
		}
		sp := spot{x: x, y: y, color: legend[0].color, size: math.NaN(), row: len(rows)}
		if measures > 2 {
			v, ok := g.Value(i, 2)
			if !ok || v < 0 {
				continue
			}
			sp.size = v
		}
		if p.Spec.Label != "" {
			c := g.Category(i, 0)
			sp.label, sp.name = g.At(i, 0), p.Env.Cell(p.Grid.Columns[0].Column, cube.Exact, c)
			sp.pale, sp.first = p.isPale(p.Spec.Label, c), p.isNamed(c)
		}
		if p.Spec.Series != "" {
			sp.series = place[g.At(i, series)]
			sp.color, sp.pale = legend[sp.series].color, sp.pale || legend[sp.series].pale
		}
		if sp.pale {
			sp.color = canvas.PaleColor
		}
		out = append(out, sp)
		rows = append(rows, int32(i))
	}
	if left := g.Len() - len(out); left > 0 && len(out) > 0 {
		p.report(encode.NotedCount(left, "%d point without a value left out.", "%d points without a value left out.").
			Warned(dashboard.WarnLeftOut, "x",
				"%d {point lacks a value or has|points lack a value or have} a size below zero, and {is|are} left out; the sql can leave such "+
					"rows out, or COALESCE them.", left))
	}
	return out, rows
}

// A spotShape defines where the values of a row behind a point are, among the dimensions and measures of its group.
type spotShape struct {
	dims, measures int
	more           []spotColumn // of the tooltip, if each row is a point; in other cases [Panel.addTooltip] adds them
}

// A spotColumn is a column of the tooltip: the index of a dimension or, if that is -1, of a measure.
type spotColumn struct {
	col          *dashboard.Column
	dim, measure int
}

// spotShape adds the columns of the tooltip to a query by which each row is a point.
func (p *Rows) spotShape(q *encode.Query, dims, measures int) spotShape {
	out := spotShape{dims: dims, measures: measures}
	for _, name := range p.Spec.Tooltip {
		if !q.Each {
			break
		}
		c := spotColumn{col: p.col(name), dim: -1}
		if c.col.Role == dashboard.Measure {
			c.measure = len(q.Measures)
			q.Measures = append(q.Measures, p.Data.Measure(c.col))
		} else {
			c.dim = len(q.By)
			q.By = append(q.By, encode.Channel{Column: name, Key: "tooltip"})
		}
		out.more = append(out.more, c)
	}
	return out
}

// row returns the row of a group in the table behind the points.
func (s *spotShape) row(g *cube.Groups, group int) []any {
	row := make([]any, 0, s.dims+s.measures+len(s.more))
	for dim := range s.dims {
		row = append(row, g.Category(group, dim))
	}
	for m := range s.measures {
		row = append(row, g.Exact(group, m))
	}
	for _, c := range s.more {
		if c.dim >= 0 {
			row = append(row, g.Category(group, c.dim))
		} else {
			row = append(row, g.Exact(group, c.measure))
		}
	}
	return row
}

// fillRows fills in the grid, whose rows are groups. If there are more points than are drawn, it keeps only the rows that a page shows:
// those of drawn points, and the first ones. The others are made on demand, because groups need a tenth of the memory.
func (p *Panel) fillRows(g *cube.Groups, shape spotShape, rows []int32, drawn []spot) {
	p.Grid.Rows = make([][]any, len(rows))
	first := len(rows)
	if len(rows) > scatterPoints && p.family == nil { // the table behind small plots has the rows of all plots
		first = max(canvas.MaxBehind, MeasuredRows)
		p.Grid.Every = func(yield func([]any) bool) {
			for _, group := range rows {
				if !yield(shape.row(g, int(group))) {
					return
				}
			}
		}
	}
	for i, group := range rows[:first] {
		p.Grid.Rows[i] = shape.row(g, int(group))
	}
	for _, s := range drawn {
		if s.row >= first {
			p.Grid.Rows[s.row] = shape.row(g, int(rows[s.row]))
		}
	}
}

func (p *Env) ofSpots(spots []spot, cols []*dashboard.Column) string {
	byX := func(a, b spot) int { return cmp.Compare(a.x, b.x) }
	byY := func(a, b spot) int { return cmp.Compare(a.y, b.y) }
	v := func(c int, v float64) string { return p.Quantity(*cols[c], v) }
	top := slices.MaxFunc(spots, byY)
	s := p.Count(len(spots), "%d point: %s from %s to %s, %s from %s to %s", "%d points: %s from %s to %s, %s from %s to %s",
		p.Inside(cols[0].Label), v(0, slices.MinFunc(spots, byX).x), v(0, slices.MaxFunc(spots, byX).x),
		p.Inside(cols[1].Label), v(1, slices.MinFunc(spots, byY).y), v(1, top.y))
	if top.name != "" {
		s += " (" + canvas.Clip(top.name, 40) + ")"
	}
	return s + "."
}

// chart returns the chart of the points, with their trends over them.
func (p *scatterPanel) chart() *chart.Chart {
	h := p.newChart(dashboard.Column{})
	if p.family == nil {
		h.Height = scatterHeight
	}
	h.X, h.Y = p.spotAxis(dashboard.AxisX, p.cols[0]), p.spotAxis(dashboard.AxisY, p.cols[1])
	h.Y.OnTop = true
	h.Refs, h.Uprights = p.spotReferences(dashboard.AxisY), p.spotReferences(dashboard.AxisX)
	h.Key, h.X.Name, h.Y.Name = p.key(), p.Env.Head(*p.cols[0], p.cols[0].Label), p.Env.Head(*p.cols[1], p.cols[1].Label)
	points := &chart.Spots{AllNames: p.Spec.Names == dashboard.NamesAll, Most: p.most, Spots: make([]chart.Spot, 0, len(p.spots))}
	if points.Most > 0 { // so that the largest circle is inside the plot, also on a phone
		h.X.Pad, h.Y.Pad = chart.LargestSpot/(canvas.PhoneInside-60), chart.LargestSpot/float64(h.Height)
	}
	if p.crowd != nil {
		h.X.Pad, h.Y.Pad = 0, 0 // only circles need it
		h.Under = []chart.Layer{p.crowd.layer(), p.trendLayer()}
		return h
	}
	ways := p.Ways()
	for i := range p.spots {
		s := &p.spots[i]
		points.Spots = append(points.Spots, chart.Spot{
			X: s.x, Y: s.y, Size: s.size, Color: s.color, Name: p.nameOf(s), Title: p.titleOf(i),
			First: s.first || p.Spec.Label != "" && p.Spec.Label == p.highlighted() && !s.pale,
			Row:   row(p.offset+s.row, ways.Of(p.Grid.Columns[0].Mark(p.Grid.Rows[s.row][0]))),
		})
	}
	h.Under = []chart.Layer{p.pathLayer(points), points, p.trendLayer()}
	return h
}

// trendLayer returns the trends as a layer.
func (p *scatterPanel) trendLayer() chart.Trends {
	var out chart.Trends
	for i := range p.trends {
		t := &p.trends[i]
		out = append(out, chart.Trend{Fit: &t.Fit, Color: t.color, Text: t.text, From: t.Fit.From, To: t.Fit.To})
	}
	return out
}

// nameOf returns the name next to a point. Gray points have none, unless the spec asks for it.
func (p *scatterPanel) nameOf(s *spot) string {
	if p.Spec.Names == dashboard.NamesNone || s.pale && !s.first && p.Spec.Names != dashboard.NamesAll {
		return ""
	}
	return s.name
}

// spotAxis returns an axis of a scatter chart. The axis of a latitude or longitude ends where the globe does.
func (p *scatterPanel) spotAxis(which int, c *dashboard.Column) chart.Axis {
	format := format.OrInteger(*c)
	out := p.axisOf(which, *c, format)
	out.Round = func(lo, hi float64) chart.Scale {
		if most := mostDegrees(c.Name); most > 0 {
			return chart.Degrees(lo, hi, most)
		}
		if s, ok := out.OfRanks(lo, hi); ok {
			return s
		}
		return chart.Fitted(lo, hi, unitOf(format))
	}
	return out
}

// titleOf returns the tooltip of a point, in pieces.
func (p *scatterPanel) titleOf(i int) []string {
	s := &p.spots[i]
	title := make([]string, 0, 10)
	if s.name != "" {
		title = append(title, canvas.Clip(s.name, 60), "\n")
	}
	title = append(title, p.cols[0].Label, "  ", p.Env.Quantity(*p.cols[0], s.x), "\n",
		p.cols[1].Label, "  ", p.Env.Quantity(*p.cols[1], s.y))
	if len(p.cols) > 2 && p.cols[2].Name != p.cols[1].Name && p.cols[2].Name != p.cols[0].Name {
		title = append(title, "\n", p.cols[2].Label, "  ", p.Env.Quantity(*p.cols[2], s.size))
	}
	if p.tinted != nil && !slices.ContainsFunc(p.cols, func(c *dashboard.Column) bool { return c.Name == p.tinted.col.Name }) {
		title = append(title, "\n", p.tinted.col.Label, "  ", p.Env.Cell(*p.tinted.col, cube.Exact, s.tint))
	}
	return append(title, p.extraTitle(s.row)...)
}

func (p *scatterPanel) Draw(c canvas.Canvas) { p.chart().Draw(c) }

// density returns the character for a number of points at one place of a sketch: · for one, • for some, ● for many.
func density(n int) rune {
	switch {
	case n == 0:
		return ' '
	case n == 1:
		return '·'
	case n < 5:
		return '•'
	}
	return '●'
}

// mostDegrees returns the largest possible value of a column of latitudes or longitudes, or 0 for other columns.
func mostDegrees(column string) float64 {
	switch strings.ToLower(column) {
	case "lat", "latitude":
		return 90
	case "lon", "lng", "long", "longitude":
		return 180
	}
	return 0
}
