package page

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// scatterPoints is how many points are drawn; of more, an even selection.
const scatterPoints = 400

// Sizes in pixels.
const (
	scatterHeight = 260
	smallestSpot  = 3.0 // radius
	largestSpot   = 18.0
)

var scatterFigure = figure{
	summarise: summariseScatter,
}

// A scatterPanel is circles at two measures.
type scatterPanel struct {
	*panel
	spots  []spot
	cols   []*dashboard.Column // of x, y and, when there is one, size
	legend []seriesOf
}

// A spot is one circle of a scatter chart.
type spot struct {
	x, y, size float64 // the size is NaN when there is none
	series     int     // its place in the legend
	row        int     // of the grid
	color      color
	name       string
}

// summariseScatter works out a point for each value of the label, in each series,
// or for each row when there is no label.
func summariseScatter(p *panel) content {
	spec, d := p.spec, p.data
	if len(spec.Y) == 0 {
		p.problem = p.page.Text("No measure is named to draw.")
		return nil
	}
	cols := []*dashboard.Column{p.col(spec.X), p.col(spec.Y[0])}
	if spec.Size != "" {
		cols = append(cols, p.col(spec.Size))
	}
	var by []cube.Dim
	for _, name := range [...]string{spec.Label, spec.Series} {
		if name != "" && (len(by) == 0 || by[0].Column != name) {
			p.col(name)
			by = append(by, cube.Dim{Column: name, Zone: p.page.zone})
		}
	}
	if p.problem != "" {
		return nil
	}
	var measures []cube.Measure
	for _, c := range cols {
		measures = append(measures, d.measure(c))
	}
	g := d.cube.Group(d.rows, cube.Query{By: by, Measures: measures, Each: spec.Label == ""})
	for m := range measures {
		if p.problem = p.page.unclear(g, m); p.problem != "" {
			return nil
		}
	}
	if spec.Series != "" {
		all := len(g.Axes[len(by)-1])
		top, n := g.Top(len(by)-1, 1, maxSeries, false)
		if n > 0 {
			p.most(notDrawn, maxSeries, all, p.label(spec.Series))
			p.warnCut(dashboard.WarnCut, "series", maxSeries, all, spec.Series, "the sql can group the small ones")
		}
		g = top
	}
	p.grid = &grid{}
	for _, dim := range by {
		p.grid.cols = append(p.grid.cols, gridColumn{Column: *d.column(dim.Column)})
	}
	for _, c := range cols {
		p.grid.cols = append(p.grid.cols, gridColumn{Column: *c})
	}
	legend, place := p.scatterSeries(g, len(by)-1)
	spots := p.spots(g, len(by), len(cols), legend, place)
	if len(spots) == 0 {
		p.empty = p.page.missing()
		return nil
	}
	p.summary = p.ofSpots(spots, cols)
	if len(spots) > scatterPoints {
		p.note("%s of %s points are drawn, evenly chosen.", strconv.Itoa(scatterPoints), p.page.Number(float64(len(spots)), 0))
		p.warn(dashboard.WarnCut, "label", "%d of %d points are drawn, evenly chosen; a label with fewer values, or sql that returns "+
			"fewer rows, draws all.", scatterPoints, len(spots))
		even := make([]spot, scatterPoints)
		for i := range even {
			even[i] = spots[i*len(spots)/scatterPoints]
		}
		spots = even
	}
	slices.SortStableFunc(spots, func(a, b spot) int { // what is drawn later lies on top
		return cmp.Or(cmp.Compare(b.series, a.series), compareSizes(b.size, a.size))
	})
	return &scatterPanel{p, spots, cols, legend}
}

// scatterSeries are the series of the points, in the order of the legend, and the
// place in it of each of their categories. Without a series there is one.
func (p *panel) scatterSeries(g *cube.Groups, dim int) (legend []seriesOf, place []int) {
	name := p.spec.Series
	if name == "" {
		return []seriesOf{{color: p.page.measureColors(p.spec.Y[0])[0]}}, nil
	}
	order := indices(len(g.Axes[dim]))
	p.page.ordering(p.data, name).sort(order, g.Axes[dim])
	cats := make([]cube.Category, len(order))
	place = make([]int, len(order))
	for row, i := range order {
		cats[row], place[i] = g.Axes[dim][i], row
	}
	colors := p.valueColors(name, cats)
	for i, c := range cats {
		legend = append(legend, seriesOf{
			name: p.page.cell(*p.data.column(name), cube.Exact, c), color: colors[i], mark: &mark{column: name, Category: c},
		})
	}
	return legend, place
}

// compareSizes orders the sizes of points, those without one as equal.
func compareSizes(a, b float64) int {
	if math.IsNaN(a) || math.IsNaN(b) {
		return 0
	}
	return cmp.Compare(a, b)
}

// spots reads the points out of the groups, and fills in the grid.
func (p *panel) spots(g *cube.Groups, dims, measures int, legend []seriesOf, place []int) []spot {
	var out []spot
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
		sp := spot{x: x, y: y, color: legend[0].color, size: math.NaN(), row: len(p.grid.rows)}
		if measures > 2 {
			v, ok := g.Value(i, 2)
			if !ok || v < 0 {
				continue
			}
			sp.size = v
			row = append(row, g.Exact(i, 2))
		}
		if p.spec.Label != "" {
			sp.name = p.page.cell(p.grid.cols[0].Column, cube.Exact, g.Category(i, 0))
		}
		if p.spec.Series != "" {
			sp.series = place[g.At(i, dims-1)]
			sp.color = legend[sp.series].color
		}
		out = append(out, sp)
		p.grid.rows = append(p.grid.rows, row)
	}
	if left := g.Len() - len(out); left > 0 && len(out) > 0 {
		p.noteCount(left, "%d point without a value left out.", "%d points without a value left out.")
		p.warn(dashboard.WarnLeftOut, "x", "%d points lack a value or have a size below zero, and are left out; the sql can leave such "+
			"rows out, or COALESCE them.", left)
	}
	return out
}

func (p *panel) ofSpots(spots []spot, cols []*dashboard.Column) string {
	byX := func(a, b spot) int { return cmp.Compare(a.x, b.x) }
	byY := func(a, b spot) int { return cmp.Compare(a.y, b.y) }
	v := func(c int, v float64) string { return p.page.value(orInteger(*cols[c]), v) }
	top := slices.MaxFunc(spots, byY)
	s := p.page.Count(len(spots), "%d point: %s from %s to %s, %s from %s to %s", "%d points: %s from %s to %s, %s from %s to %s",
		p.page.inside(cols[0].Label), v(0, slices.MinFunc(spots, byX).x), v(0, slices.MaxFunc(spots, byX).x),
		p.page.inside(cols[1].Label), v(1, slices.MinFunc(spots, byY).y), v(1, top.y))
	if top.name != "" {
		s += " (" + clip(top.name, 40) + ")"
	}
	return s + "."
}

func (p *scatterPanel) draw(c canvas) {
	xlo, xhi, ylo, yhi, most := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1), 0.0
	for _, s := range p.spots {
		xlo, xhi, ylo, yhi = min(xlo, s.x), max(xhi, s.x), min(ylo, s.y), max(yhi, s.y)
		if !math.IsNaN(s.size) {
			most = max(most, s.size)
		}
	}
	xf, yf := orInteger(*p.cols[0]), orInteger(*p.cols[1])
	if most > 0 { // the largest lies inside the plot, on a phone too
		xlo, xhi = roomFor(xlo, xhi, largestSpot/(phoneInside-60))
		ylo, yhi = roomFor(ylo, yhi, largestSpot/scatterHeight)
	}
	xs, ys := spotScale(xlo, xhi, p.cols[0], xf), spotScale(ylo, yhi, p.cols[1], yf)
	texts := p.tickTexts(ys, yf)
	if len(p.legend) > 1 {
		p.drawLegend(c, p.legend)
	}
	c.axisName(p.cols[1].Label, yAxis)
	c.picture(picture{title: p.title, says: p.summary, height: scatterHeight, left: texts})
	drawGrid(c, ys)
	title, dots, ways := make([]string, 0, 10), make([]circle, 0, len(p.spots)), p.ways()
	for _, s := range p.spots {
		title = title[:0]
		if s.name != "" {
			title = append(title, clip(s.name, 60), "\n")
		}
		title = append(title, p.cols[0].Label, "  ", p.page.value(xf, s.x), "\n", p.cols[1].Label, "  ", p.page.value(yf, s.y))
		if len(p.cols) > 2 && p.cols[2].Name != p.cols[1].Name && p.cols[2].Name != p.cols[0].Name {
			title = append(title, "\n", p.cols[2].Label, "  ", p.page.value(orInteger(*p.cols[2]), s.size))
		}
		dot := circle{x: of(1 - xs.at(s.x)), y: of(ys.at(s.y)), radius: 4, color: s.color, sheer: true, title: title}
		dot.row = row(s.row, ways.of(p.grid.cols[0].mark(p.grid.rows[s.row][0])))
		switch {
		case math.IsNaN(s.size):
		case most == 0:
			dot.radius = smallestSpot
		default:
			dot.radius = smallestSpot + (largestSpot-smallestSpot)*math.Sqrt(s.size/most)
		}
		c.circle(dot)
		dots = append(dots, dot)
	}
	p.drawSpotNames(c, dots, texts)
	drawTicks(c, ys, texts) // on top of the points
	drawX(c, p.tiersOf(texts, func(width float64) []xLabel { return p.numberLabels(xs, xf, width) }))
	c.end()
	c.axisName(p.cols[0].Label, xAxis)
}

const (
	namedSpots  = 25 // points that have their names beside them, at most
	alwaysNamed = 8  // of these, as many whose names may lie on other points
)

// drawSpotNames writes the names of points beside them, where there is room: those of
// the largest first or, where they have no size, of those farthest out. A name may lie
// on other points where so few have one that all can be named, and that of the first.
func (p *scatterPanel) drawSpotNames(c canvas, dots []circle, left []string) {
	order := indices(len(dots))
	order = slices.DeleteFunc(order, func(i int) bool { return strings.TrimSpace(p.spots[i].name) == "" })
	if len(order) == 0 {
		return
	}
	weight := make([]float64, len(dots))
	for i, d := range dots {
		if weight[i] = p.spots[i].size; math.IsNaN(weight[i]) {
			weight[i] = max(math.Abs(d.x.v-0.5), math.Abs(d.y.v-0.5))
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(weight[b], weight[a]) })
	masks := [...]widths{phone, tablet, desktop}
	for tier, width := range p.plotWidths(left) {
		c.group(group{look: axisText, widths: masks[tier]})
		for _, l := range p.spotNames(order, dots, width) {
			c.label(l)
		}
		c.end()
	}
}

// spotNames are the names that fit on a plot of a width in pixels.
func (p *scatterPanel) spotNames(order []int, dots []circle, width float64) []label {
	marks := make([]box, len(dots))
	for i, d := range dots {
		x, y := d.radius/width, d.radius/scatterHeight
		marks[i] = box{d.x.v - x, d.x.v + x, d.y.v - y, d.y.v + y}
	}
	var out []label
	var taken []box
	put := func(i int, free func(box) bool) bool {
		d, text := dots[i], clipLabel(p.spots[i].name, 2*longestLabel)
		half := (labelWidth(text)/2 + 1) / width
		r := int(d.radius) + 4
		beside := r + int(labelWidth(text)/2)
		for _, at := range [...]struct {
			label
			middle int // of the text, to the right
		}{
			{label{right: r, down: 4, anchor: atStart}, beside},
			{label{right: -r, down: 4, anchor: atEnd}, -beside},
			{label{down: -r, anchor: atMiddle}, 0},
			{label{down: r + 9, anchor: atMiddle}, 0},
		} {
			x, y := d.x.v+float64(at.middle)/width, d.y.v+float64(at.down)/scatterHeight
			b := box{x - half, x + half, y - (labelSize-2)/scatterHeight, y + 2.0/scatterHeight}
			if b.x1 < 0 || b.x2 > 1 || b.y1 < 0 || b.y2 > 1 || slices.ContainsFunc(taken, b.touches) || !free(b) {
				continue
			}
			taken = append(taken, b)
			at.x, at.y, at.look, at.text = d.x, d.y, markedText, text
			out = append(out, at.label)
			return true
		}
		return false
	}
	for n, i := range order {
		if len(out) == namedSpots {
			break
		}
		if !put(i, func(b box) bool { return !slices.ContainsFunc(marks, b.touches) }) && (n < alwaysNamed || len(order) <= namedSpots) {
			put(i, func(box) bool { return true })
		}
	}
	return out
}

// roomFor widens the bounds of an axis by a share of it on both sides, so that a
// point there does not lie on the axis. Numbers that are all positive, or all
// negative, do not get another sign.
func roomFor(lo, hi, share float64) (wideLo, wideHi float64) {
	room := (hi - lo) * share / (1 - 2*share)
	if math.IsInf(lo-room, 0) || math.IsInf(hi+room, 0) {
		return lo, hi // there are no larger numbers
	}
	wideLo, wideHi = lo-room, hi+room
	if lo >= 0 {
		wideLo = max(wideLo, 0)
	}
	if hi <= 0 {
		wideHi = min(wideHi, 0)
	}
	return wideLo, wideHi
}

// spotScale is an axis of a scatter chart. That of a place on the globe ends where
// the globe does.
func spotScale(lo, hi float64, c *dashboard.Column, format string) scale {
	if most := mostDegrees(c.Name); most > 0 {
		return degrees(lo, hi, most)
	}
	return fitted(lo, hi, format)
}

// numberLabels labels an axis of numbers, every other or fewer when it is narrow.
func (p *scatterPanel) numberLabels(s scale, format string, width float64) []xLabel {
	var at []float64
	for _, v := range s.ticks() {
		at = append(at, 1-s.at(v))
	}
	return everyNth(p.tickTexts(s, format), at, width)
}

// sketch draws · for a point, • for some, ● for many.
func (p *scatterPanel) sketch() []string {
	const w, height = 44, 8
	g := p.grid
	at := slices.IndexFunc(g.cols, func(c gridColumn) bool { return c.Role == dashboard.Measure })
	if at < 0 || at+1 >= len(g.cols) {
		return nil
	}
	xs, ys := column(g, at), column(g, at+1)
	xlo, xhi, ylo, yhi := slices.Min(xs), slices.Max(xs), slices.Min(ys), slices.Max(ys)
	var count [height][w]int
	for i := range xs {
		count[height-1-step(ys[i], ylo, yhi, height)][step(xs[i], xlo, xhi, w)]++
	}
	short := func(col int, v float64) string { return oneLine(p.page.short(orInteger(g.cols[col].Column), v)) }
	labels := []string{short(at+1, yhi), short(at+1, ylo)}
	wide := widest(labels)
	lines := []string{pad("", wide) + " ↑ " + oneLine(g.cols[at+1].Label)}
	for i, row := range count {
		var b strings.Builder
		for _, n := range row {
			switch {
			case n == 0:
				b.WriteByte(' ')
			case n == 1:
				b.WriteRune('·')
			case n < 5:
				b.WriteRune('•')
			default:
				b.WriteRune('●')
			}
		}
		label := ""
		switch i {
		case 0:
			label = labels[0]
		case height - 1:
			label = labels[1]
		}
		lines = append(lines, pad(label, wide)+" "+b.String())
	}
	from, to := short(at, xlo), short(at, xhi)
	return append(lines, pad("", wide)+" "+from+strings.Repeat(" ", max(w-cells(from)-cells(to), 1))+to,
		pad("", wide)+" → "+oneLine(g.cols[at].Label))
}
