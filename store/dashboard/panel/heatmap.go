package panel

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
	"service/store/dashboard/format"
)

const (
	heatColumns = 53
	heatPeriods = 93 // of a grain that the spec sets: the days of three months
	heatRows    = 24
)

var heatmapFigure = Figure{
	Summarise: summariseHeatmap,
	asks:      grainAsks,
}

// A heatmapPanel is a grid of two dimensions, coloured by a measure.
type heatmapPanel struct {
	*Panel
	axes   [2][]string // names of columns and of rows
	cells  []float64   // row by row; NaN for none
	domain domain
	col    dashboard.Column
	toned  []canvas.Color // by cell: the colours of tones, else 0
	tones  *toner
	tint   *dashboard.Column // the measure of the colours, if it is not the value; else nil
	tints  []float64         // values of tint by cell; NaN for none
	titles [][]string        // tooltips by cell, if the spec adds columns to them; else nil
	grain  cube.Grain        // the grain of times
	times  *timeAxis         // the axis of the columns, if these are times in order; else nil
	open   [2][]bool         // the columns and the rows of incomplete periods; nil for none
	steps  bool              // the columns are steps of a scale, some of which may have no name
	texts  *textCells        // the texts of the cells, if the value is a dimension; else nil
}

func summariseHeatmap(p *Panel) Content {
	spec, d := p.Spec, p.Data
	if len(spec.Y) == 0 {
		p.Problem = p.Env.Text("No dimension is named for the rows.")
		return nil
	}
	xcol, ycol, col := p.col(spec.X), p.col(spec.Y[0]), p.col(spec.Value)
	if p.Problem != "" {
		return nil
	}
	if col.Role == dashboard.Dimension {
		return p.heatmapOfTexts(xcol, ycol, col)
	}
	m, tones := d.Measure(col), p.toner()
	most := p.mostCells()
	channel := func(dim int, c *dashboard.Column) encode.Channel {
		out := heatChannel(dim, c, most[dim])
		if c.Type.IsTime() {
			out.Grain, _ = p.grainWithin(c.Name, most[dim], encode.Additive(m))
		}
		return out
	}
	q := encode.Query{By: []encode.Channel{channel(0, xcol), channel(1, ycol)}, Measures: append([]cube.Measure{m}, tones.measures()...)}
	p.chooseRows(&q)
	var tint *dashboard.Column
	if spec.Color != "" {
		tint = p.col(spec.Color)
		q.Measures = append(q.Measures, d.Measure(tint))
	}
	if p.Problem != "" {
		return nil
	}
	t := p.run(q)
	if t == nil {
		return nil
	}
	g := p.heatAxes(t, xcol, ycol, most)
	axes, names, dims, at, places, open := g.axes, g.names, g.dims, g.at, g.places, g.open
	w, height := len(axes[0]), len(axes[1])
	if p.Empty != "" {
		return nil
	}
	cells := slices.Repeat([]float64{math.NaN()}, w*height)
	exact, toned := make([]any, w*height), make([]canvas.Color, w*height)
	lo, hi := math.Inf(1), math.Inf(-1)
	best, least := -1, -1
	var values, colored []float64
	empty := slices.Repeat([]bool{true}, w*height) // without rows
	tints := slices.Repeat([]float64{math.NaN()}, w*height)
	for i := range t.Len() {
		x, y := at[0][t.At(i, 0)], at[1][t.At(i, 1)]
		if x >= 0 && y >= 0 {
			empty[y*w+x] = false
		}
		if v, ok := t.Value(i, 0); ok && x >= 0 && y >= 0 {
			k := y*w + x
			cells[k], exact[k] = v, t.Exact(i, 0)
			values = append(values, v)
			if tint != nil {
				if v, ok := t.Value(i, len(q.Measures)-1); ok {
					tints[k] = v
					colored = append(colored, v)
				}
			}
			toned[k] = tones.color(v, tones.limits(t.Groups, i, 1), spec.Value, 0)
			if best < 0 || lessNumber(exact[best], exact[k]) {
				best = k
			}
			if least < 0 || lessNumber(exact[k], exact[least]) {
				least = k
			}
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	for k := range cells {
		if spec.Gaps != dashboard.GapsZero || lo > hi || !empty[k] || !g.zero[0](places[0][k%w]) || !g.zero[1](places[1][k/w]) {
			continue
		}
		cells[k], exact[k], values = 0, 0.0, append(values, 0)
		toned[k] = tones.color(0, func(string) (float64, bool) { return 0, false }, spec.Value, 0)
		if lessNumber(exact[best], exact[k]) {
			best = k
		}
		if lessNumber(exact[k], exact[least]) {
			least = k
		}
		lo, hi = min(lo, 0), max(hi, 0)
	}
	p.heatGrid(dims, *col, places, names[0], exact)
	if lo > hi {
		p.Empty = p.missing()
		return nil
	}
	p.Summary = p.Env.Text("%s by %s, from %s to %s (%s, %s).", p.Env.Count(w, "%d column", "%d columns"),
		p.Env.Count(height, "%d row", "%d rows"),
		p.Env.Quantity(*col, exact[least]), p.Env.Quantity(*col, exact[best]),
		canvas.Clip(names[1][best/w], 40), canvas.Clip(names[0][best%w], 40))
	out := &heatmapPanel{Panel: p, axes: axes, cells: cells, col: *col, toned: toned, tones: tones, tint: tint, tints: tints, open: open}
	out.grain = cmp.Or(dims[0].Grain, dims[1].Grain)
	out.times = p.heatTimes(&dims[0], places[0])
	of := col
	if tint != nil {
		of, values = tint, colored
		p.report(encode.Noted("Colors show %s.", encode.Inline(tint.Label)))
	}
	out.steps = g.steps
	out.domain = p.Env.domain(of, spec.Ramp, values)
	if p.family == nil && p.keepsDomain(d.Measure(of)) {
		if all, ok := p.unfiltered(out.grain).(*heatmapPanel); ok {
			out.domain = all.domain.kept(values)
		}
	}
	if tint != nil && len(colored) < t.Len() {
		p.report(encode.Noted("Gray: no data."))
	}
	out.findTitles(t, at, dims, names, exact)
	out.markTimes(&dims[0], places[0])
	if p.alone() {
		p.sayRamp(&out.domain, spec.Ramp, "ramp")
	}
	p.Summary += tones.says()
	if p.labelled() {
		h := out.chart()
		out.noteLabels(h.Under[0].(*chart.Cells).Left(h.Lay()))
	}
	return out
}

// mostCells returns the largest number of columns and of rows.
func (p *Rows) mostCells() (most [2]int) {
	most = [2]int{heatColumns, cmp.Or(p.Spec.Limit, heatRows)}
	if p.Spec.Grain != "" && p.Spec.Grain != "auto" {
		most[0] = heatPeriods
	}
	return most
}

// heatChannel returns the channel of the columns, 0, or of the rows, 1, of which there are at most most.
func heatChannel(dim int, c *dashboard.Column, most int) encode.Channel {
	return encode.Channel{Column: c.Name, Key: [...]string{"x", "y"}[dim], Keep: encode.Keep{
		Times: most, Steps: most, Fill: true,
		Names: encode.Top{
			Most: most, Rank: encode.Heaviest,
			Advice: "they are the %s ones; a filter or sql that groups the others leaves fewer",
		},
	}}
}

// A heatAxes is the columns and the rows of a heat map, in this order.
type heatAxes struct {
	dims        [2]Column
	at          [2][]int // the places of the table's values; -1 for those that are not drawn
	places      [2][]cube.Category
	open        [2][]bool                   // those of incomplete periods; nil for none
	zero        [2]func(cube.Category) bool // whether a cell without rows is 0 at a place; nil unless the spec has zeros
	axes, names [2][]string                 // of the places: on the axis, and in sentences and tooltips
	steps       bool                        // the columns are steps of a scale
}

// heatAxes returns the axes of a heat map, with the times without rows.
func (p *Rows) heatAxes(t *encode.Table, xcol, ycol *dashboard.Column, most [2]int) *heatAxes {
	g := &heatAxes{dims: [2]Column{{Column: *xcol}, {Column: *ycol}}, at: [2][]int{t.Places(0), t.Places(1)}}
	for dim := range g.dims {
		c := &g.dims[dim]
		c.Grain, c.merged = t.Query.By[dim].Grain, t.Outcomes[dim].Merged
		g.places[dim] = t.Axis(dim)
		if p.Spec.Gaps == dashboard.GapsZero {
			g.places[dim], g.zero[dim] = p.withZeros(t, dim, g.at[dim], most[dim])
		}
		g.places[dim] = p.withGaps(c, g.places[dim], g.at[dim], most[dim])
		g.places[dim], g.open[dim] = p.markOpen(c, g.places[dim], g.at[dim])
		if c.Format == "" && c.Type == cube.Number && !c.merged {
			c.Format = p.Env.SameDecimals(valuesOf(g.places[dim]))
		}
		for _, v := range g.places[dim] {
			g.axes[dim] = append(g.axes[dim], p.Env.axisName(c, v))
			g.names[dim] = append(g.names[dim], p.Env.Cell(c.Column, c.Grain, v))
		}
	}
	g.steps = t.Outcomes[0].Ordered || g.dims[0].merged || xcol.Type != cube.Text
	return g
}

// heatTimes returns the axis of the columns if these are times in order, or nil.
func (p *Rows) heatTimes(c *Column, places []cube.Category) *timeAxis {
	if !c.Type.IsTime() || coarser(c.Format) || c.merged {
		return nil
	}
	return p.Env.timeAxis(places, c.Grain, p.Data.Span(c.Name).Span, chart.Bands(len(places)))
}

// heatGrid makes the table behind the heat map, with its rows and columns.
func (p *Panel) heatGrid(dims [2]Column, col dashboard.Column, at [2][]cube.Category, xs []string, cells []any) {
	dims[0].Role, dims[1].Role = dashboard.Dimension, dashboard.Dimension
	p.Grid = &Grid{Columns: []Column{dims[1]}}
	for i, x := range xs {
		c := col
		c.Label = x
		p.Grid.Columns = append(p.Grid.Columns, Column{Column: c, Head: dims[0].Mark(at[0][i])})
	}
	for i, y := range at[1] {
		p.Grid.Rows = append(p.Grid.Rows, append([]any{y}, cells[i*len(xs):(i+1)*len(xs)]...))
	}
}

func (p *heatmapPanel) plotted() *chart.Chart { return p.chart() }

func (p *heatmapPanel) ramp() (*domain, *dashboard.Column, []float64) {
	if p.tint != nil {
		return &p.domain, p.tint, slices.DeleteFunc(slices.Clone(p.tints), math.IsNaN)
	}
	return &p.domain, &p.col, slices.DeleteFunc(slices.Clone(p.cells), math.IsNaN)
}

func (p *heatmapPanel) rounded() cube.Grain { return p.grain }

func (p *heatmapPanel) share(f *family, all []Content) {
	if p.texts == nil {
		f.shareRamp(all)
	}
}

func (p *heatmapPanel) Draw(c canvas.Canvas) { p.chart().Draw(c) }

// withGaps adds the times without rows to an axis of regular times, and updates the places of the table's values in at. If there would be
// more than most times, it adds none, and reports that.
func (p *Rows) withGaps(c *Column, axis []cube.Category, at []int, most int) []cube.Category {
	if !c.Type.IsTime() || c.merged || slices.ContainsFunc(axis, func(v cube.Category) bool { return v.Value == nil }) {
		return axis
	}
	s := &split{x: slices.Clone(axis), time: true, grain: c.Grain, span: p.Data.Span(c.Name).Span}
	s.step = s.regular()
	from, _ := s.slots()
	if len(s.x) > most || len(s.x) == len(axis) {
		if hasGaps(axis, s.step) {
			p.report(encode.Noted("Times without rows have no place on the axis."))
		}
		return axis
	}
	to := make([]int, len(axis))
	for place, before := range from {
		if before >= 0 {
			to[before] = place
		}
	}
	for i, place := range at {
		if place >= 0 {
			at[i] = to[place]
		}
	}
	return s.x
}

// markOpen returns the places of an axis of times, and which of them are incomplete periods. If the panel hides these, it removes them, and
// updates the places of the table's values in at: -1 for a removed one.
func (p *Rows) markOpen(c *Column, axis []cube.Category, at []int) ([]cube.Category, []bool) {
	if !c.Type.IsTime() || c.merged || slices.ContainsFunc(axis, func(v cube.Category) bool { return v.Value == nil }) {
		return axis, nil
	}
	s := &split{x: axis, xcol: c.Column, time: true, grain: c.Grain, span: p.Data.Span(c.Name).Span}
	s.step = s.regular()
	s.findPartial(p, c.Grain != cube.Exact)
	if len(s.x) < len(axis) {
		for i, place := range at {
			if place >= 0 {
				at[i] = slices.Index(s.x, axis[place])
			}
		}
	}
	return s.x, s.partial
}

// hasGaps reports whether an axis of times lacks a time of its step between two neighbours.
func hasGaps(axis []cube.Category, step cube.Grain) bool {
	if step == cube.Exact {
		return false
	}
	for i, c := range axis[min(1, len(axis)):] {
		from, to := axis[i].Value.(time.Time), c.Value.(time.Time)
		if to.Before(from) {
			from, to = to, from
		}
		if ends(from, step).Before(to) {
			return true
		}
	}
	return false
}

// axisName returns the name of a value on an axis of cells. The name of a week is the date at which it begins, because "week of" does not
// fit.
func (p *Env) axisName(c *Column, v cube.Category) string {
	if t, is := v.Value.(time.Time); is && c.Grain == cube.Weekly {
		return p.Date(t)
	}
	return p.Cell(c.Column, c.Grain, v)
}

// chart returns the chart of the cells, with names on both axes. If the names of columns do not fit side by side, columns become rows.
func (p *heatmapPanel) chart() *chart.Chart {
	of := &p.col
	if p.tint != nil {
		of = p.tint
	}
	h := p.grid(p.axes, p.layer())
	if p.texts != nil {
		h.Key = &chart.Key{Kind: p.texts.key.Kind, Items: slices.Clone(p.texts.key.Items)}
	} else {
		h.Key = p.tones.key(p.Env.key(&p.domain, of))
	}
	h.X.Name = p.Env.numberHead(&split{xcol: *p.Data.Column(p.Spec.X)})
	p.addEvents(h)
	names := p.axes[0]
	switch {
	case p.times != nil:
		h.X.Labels = p.times.labels
	case p.steps:
		h.X.Bands = columnNames(names)
		names = canvas.ClipNames(names, chart.LongestLabel)
		h.X.Bands.Thin = func(width float64) []chart.Label { return chart.EveryNth(names, chart.Bands(len(names)), width) }
	default:
		h.X.Bands = columnNames(names)
		if p.family == nil && len(names) <= mostTurned {
			h.Turned = p.grid([2][]string{p.axes[1], p.axes[0]}, p.layer().Turned())
			h.Turned.X.Bands, h.Turned.Places.Turned = columnNames(p.axes[1]), true
		}
	}
	return h
}

// markTimes finds the events on columns that are times in order.
func (p *heatmapPanel) markTimes(c *Column, axis []cube.Category) {
	if !p.hasEvents() || !c.Type.IsTime() || c.merged || slices.ContainsFunc(axis, func(v cube.Category) bool { return v.Value == nil }) {
		return
	}
	s := &split{x: axis, time: true, grain: c.Grain, span: p.Data.Span(c.Name).Span}
	s.step = s.regular()
	p.findMarks(s, chart.Bands(len(axis)), 0.5/float64(len(axis)))
	p.nameEvents()
}

// addEvents draws the events between the columns: a line at the left of the column in which an event begins, and one after the last column
// of a span. Their names are in the legend, because names at the lines would be on cells.
func (p *heatmapPanel) addEvents(h *chart.Chart) {
	var lines chart.CellLines
	said := 0
	for _, m := range p.marks {
		if m.end == 0 {
			lines = append(lines, m.at-0.5/float64(len(p.axes[0])))
		} else {
			lines = append(lines, m.at, m.end)
		}
		for _, e := range m.events {
			if said++; said <= saidEvents {
				h.Key.Items = append(h.Key.Items, canvas.Item{Mark: true, Tone: "neutral", Name: e.label + " (" + p.Env.dates(e) + ")"})
			}
		}
	}
	if lines == nil {
		return
	}
	h.Over = []chart.Layer{lines}
	if more := said - saidEvents; more > 0 {
		h.Key.Items = append(h.Key.Items, canvas.Item{Mark: true, Tone: "neutral", Name: p.Env.Count(more, "and %d more", "and %d more")})
	}
}

// mostTurned is the largest number of columns that may become rows.
const mostTurned = 31

// columnNames are the names of columns of cells that are not steps of a scale.
func columnNames(of []string) *chart.BandNames {
	out := &chart.BandNames{Full: make([]string, len(of))}
	for i, name := range of {
		out.Full[i] = canvas.ClipLabel(name, 3*chart.LongestLabel)
	}
	return out
}

// grid is the cells with the names of their rows, the second of axes.
func (p *heatmapPanel) grid(axes [2][]string, cells *chart.Cells) *chart.Chart {
	h := &chart.Chart{Title: p.Title, Says: p.Summary, Height: p.height(len(axes[1])), Room: p.room(), Offset: p.offset}
	if p.titles == nil {
		h.Places = canvas.Places{Columns: len(axes[0]), Rows: len(axes[1])}
	} else {
		h.Lines = len(axes[1]) // as many as places have
	}
	h.Y.Rows = p.rowNames(axes[1], h)
	h.Under = []chart.Layer{cells}
	return h
}

// layer returns the cells with their values.
func (p *heatmapPanel) layer() *chart.Cells {
	l := &chart.Cells{
		Columns: len(p.axes[0]), Rows: len(p.axes[1]), Cells: make([]chart.Cell, len(p.cells)),
		Written: p.Spec.Labels == nil || *p.Spec.Labels, PartialColumns: p.open[0], PartialRows: p.open[1],
	}
	write, ways := p.writeCells(), p.Ways()
	for k, v := range p.cells {
		if math.IsNaN(v) {
			continue
		}
		var cell chart.Cell
		if p.texts != nil {
			cell.Color = p.texts.color(v)
			cell.Text, cell.Sign = p.texts.written(v)
		} else {
			cell.Color, cell.Text = cmp.Or(p.toned[k], p.color(k)), write(v)
		}
		if p.titles != nil {
			y := k / l.Columns
			cell.Title, cell.Row = p.titles[k], row(y, ways.Of(p.Grid.Columns[0].Mark(p.Grid.Rows[y][0])))
		}
		l.Cells[k] = cell
	}
	return l
}

// mostOfTwo is the maximum number of rows that are made so high that long names have two lines.
const mostOfTwo = 12

// rowNames returns the names of the rows. If some are wider than the margin, a few rows are so high that they have two lines.
func (p *heatmapPanel) rowNames(of []string, h *chart.Chart) *chart.RowAxis {
	room := min(0.3*p.within(), canvas.Margins[len(canvas.Margins)-1]-8)
	if len(of) <= mostOfTwo && slices.ContainsFunc(of, func(s string) bool { return canvas.LabelWidth(s) > room }) {
		h.Height = max(h.Height, chart.TwoLines*len(of))
	}
	out := &chart.RowAxis{}
	high := float64(h.Height) / float64(max(len(of), 1))
	for _, name := range of {
		named := chart.RowName(name, high, room)
		out.Names, out.Margin = append(out.Names, named), append(out.Margin, strings.Split(named, "\n")...)
		out.Phone = append(out.Phone, chart.RowName(name, high, canvas.PhoneMargin))
	}
	return out
}

// height returns the height of n rows of cells together, in pixels.
func (p *heatmapPanel) height(n int) int {
	switch {
	case p.family != nil:
		return max(90, min(18*n, 400))
	case n > heatRows:
		return 20 * n
	}
	return max(120, min(26*n, 480))
}

// writeCells returns the function that writes the numbers of the cells. All have the same number of decimals, unless the format sets it.
// The legend of the ramp has their unit.
func (p *heatmapPanel) writeCells() func(v float64) string {
	bare := p.col
	bare.Suffix = ""
	as := format.OrInteger(p.col)
	most := max(math.Abs(p.domain.lo), math.Abs(p.domain.hi))
	if p.tint != nil || as != "" && as != "number" || most >= 1000 || most < 0.1 {
		return p.Env.Cells(bare, p.cells)
	}
	decimals := 2
	switch {
	case most >= 100:
		decimals = 0
	case most >= 10:
		decimals = 1
	}
	if !slices.ContainsFunc(p.cells, func(v float64) bool { return v != math.Trunc(v) && !math.IsNaN(v) }) {
		decimals = 0
	}
	return func(v float64) string { return format.Accounts(bare, p.Env.Decimals(as, v, decimals)) }
}
