package page

import (
	"math"
	"slices"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

const (
	linePoints = 400                    // of a time axis, before times are rounded down
	lineSteps  = 400                    // of another scale, before its steps become ranges
	dotsMost   = maxSeries * linePoints // of lines: a point alone is seen by its dot
	drawnMost  = 1200                   // points of a curve; of more, only the extremes are drawn
)

var lineFigure = figure{
	summarise: func(p *panel) content { return summariseLine(p, false) },
	asks:      lineAsks,
}

// A linePanel is a line for each series, or an area.
type linePanel struct {
	*panel
	split   *split
	area    bool
	stacked bool

	averages *split  // moving averages of the series, or nil
	trends   []trend // of series
}

func summariseLine(p *panel, area bool) content {
	stack := area && p.spec.Stack
	s := p.onAxis(layout{points: linePoints, steps: lineSteps, limit: 60, stack: stack})
	switch {
	case s == nil:
		return nil
	case s.facets != nil:
		return p.inFacets(s, func(p *panel, s *split) smallPlot {
			if l := p.lineOf(s, area); l != nil {
				return l
			}
			return nil
		})
	}
	p.addBefore(s)
	if l := p.lineOf(s, area); l != nil {
		return l
	}
	return nil
}

// lineOf works out the lines of a split, or returns nil where it has said why there are none.
func (p *panel) lineOf(s *split, area bool) *linePanel {
	stack := area && p.spec.Stack
	if !p.tabulate(s) {
		return nil
	}
	s = p.parted(s)
	stacked := stack && len(s.series) > 1
	if lo, _ := s.extent(false); stacked && lo < 0 {
		stacked = false
		p.note("Not stacked, because some values are negative.")
		p.warn(dashboard.WarnKeyIgnored, "stack", "the areas are not stacked, because some values are below zero; a bar stacks such.")
	}
	if p.summary = p.overTime(s); p.findParts(s, stacked) {
		p.summary = p.ofShares(s)
	}
	p.summary += p.ofBefore()
	if stacked {
		p.addTotals(s)
	}
	out := &linePanel{panel: p, split: s, area: area, stacked: stacked}
	p.breakLines(s, stacked)
	out.findAverages()
	out.findTrends()
	at, _ := s.positions()
	p.markEvents(s, at, true)
	if !out.noteRange() {
		return nil
	}
	if p.labelled() {
		p.noteLabels(out.lineValues(out.plot()))
	}
	return out
}

func (p *linePanel) sketch() []string { return append(p.sketchSeries(p.area), textsOf(p.trends)...) }

// A linePlot is where the lines of a panel lie.
type linePlot struct {
	scale   scale
	left    []string    // names of the gridlines
	top     [][]float64 // what each series reaches: in a stack, with those under it
	at      []float64   // the places on the axis
	even    bool        // they are evenly spaced
	points  [][]point   // of each series, as far as they lie on the plot
	dots    []dot
	floor   int       // of what is filled
	pressed [][]point // of what is filled, which fills the plot where it goes beyond
	names   []namedLine

	averages, trends []curve
}

// tops are what the series reach: in a stack, with those under them.
func (p *linePanel) tops() [][]float64 {
	s, values := p.split, p.split.value
	if p.parts != nil {
		values = p.parts
	}
	if !p.stacked {
		return values
	}
	out := make([][]float64, len(s.series))
	base := make([]float64, len(s.x)) // what the stack has reached
	for i := range out {
		out[i] = make([]float64, len(s.x))
		for x := range s.x {
			base[x] += values[i][x]
			out[i][x] = base[x]
		}
	}
	return out
}

// noteRange says which values the axis does not show. It is false where it shows none.
func (p *linePanel) noteRange() bool {
	s := p.split
	var c census
	for i, top := range p.tops() {
		for x := range s.x {
			if s.has(i, x) {
				c.count(p.panel, dashboard.AxisY, top[x])
			}
		}
	}
	p.before.each(func(v float64) { c.count(p.panel, dashboard.AxisY, v) })
	p.noteReferences(p.references(s), dashboard.AxisY)
	return p.noteHidden(c)
}

// reach is how far the lines reach.
func (p *linePanel) reach() extremes {
	e := noExtremes()
	for i, top := range p.tops() {
		for x, v := range top {
			if (p.split.has(i, x) || p.stacked) && p.onLog(dashboard.AxisY, v) {
				e.add(v)
			}
		}
	}
	return e
}

// plot works out where the lines lie.
func (p *linePanel) plot() linePlot {
	s := p.split
	out := linePlot{top: p.tops(), points: make([][]point, len(s.series)), pressed: make([][]point, len(s.series))}
	e := p.reach()
	if p.family != nil {
		e = p.family.reach
	}
	p.before.each(func(v float64) {
		if p.onLog(dashboard.AxisY, v) {
			e.add(v)
		}
	})
	refs := p.onScale(p.references(s), dashboard.AxisY)
	for _, r := range refs {
		e.add(r.value)
	}
	if p.labelled() && !p.spec.Log(dashboard.AxisY) {
		e.lo, e.hi = roomFor(e.lo, e.hi, valueRoom/plotHeight)
	}
	format := orInteger(*s.series[0].col)
	out.scale = p.yScale(e.lo, e.hi, p.area, format)
	if p.parts != nil {
		format, out.scale = "percent", percentScale
	}
	out.left = p.tickTexts(out.scale, format)
	out.at, out.even = s.positions()
	out.floor = int(out.scale.at(max(out.scale.lo, min(0, out.scale.hi)))*1000 + 0.5)
	var marks []box
	for i := range s.series {
		raw := p.points(i, out.top[i], out.at, out.scale)
		out.points[i], out.pressed[i] = clipped(raw), pressed(raw)
		out.dots = append(p.dots(raw, s.series[i].color), out.dots...)
		if len(refs) > 0 {
			marks = p.boxesOf(marks, out.points[i], out.floor)
		}
	}
	if p.averages != nil {
		l := &linePanel{panel: p.panel, split: p.averages}
		for i, se := range p.averages.series {
			points := clipped(l.points(i, p.averages.value[i], out.at, out.scale))
			out.averages = append(out.averages, curve{points: points, color: se.color, bold: true})
			if len(refs) > 0 {
				marks = p.boxesOf(marks, points, out.floor)
			}
		}
	}
	for i := range p.trends {
		t := &p.trends[i]
		run := p.curveOf(t, t.from, t.to, func(x float64) float64 { return x }, out.scale)
		run.over = true // it would not be seen on a line with many points
		out.trends = append(out.trends, run)
	}
	out.names = p.nameLines(refs, out.scale, p.plotHeight(), out.left, marks)
	return out
}

// findTrends fits a straight line to each series, but for its incomplete periods. On a
// logarithmic axis it is straight where it is drawn: growth by one rate.
func (p *linePanel) findTrends() {
	s := p.split
	if p.spec.Trend == "" || !p.ordinal(s, "trend", "No trend: values of %s have no order of their own.") {
		return
	}
	at, _ := s.positions()
	var unfitted []string
	for i, se := range s.series {
		var xs, ys []float64
		for x, v := range s.value[i] {
			if s.has(i, x) && !s.isPartial(x) && p.onLog(dashboard.AxisY, v) {
				xs, ys = append(xs, at[x]), append(ys, p.straight(dashboard.AxisY, v))
			}
		}
		f, ok := leastSquares(xs, ys)
		if !ok {
			unfitted = append(unfitted, clip(se.name, 40))
			continue
		}
		length, per := p.perPeriod(s)
		t := trend{fit: f, color: se.color, text: p.trendText(&f, *se.col, length, per)}
		if len(s.series) > 1 {
			t.text = clip(se.name, 40) + " · " + t.text
		}
		p.trends = append(p.trends, t)
	}
	p.noteUnfitted(unfitted, s.xcol)
	p.sayTrends(p.trends)
}

// drawNames draws the legend: a line that has an average is named beside it.
func (p *linePanel) drawNames(c canvas) {
	series := p.before.both(p.split)
	if p.averages == nil && p.trends == nil {
		p.drawLegend(c, series)
		return
	}
	c.list(legendList)
	if p.averages != nil || len(series) > 1 || p.spec.Series != "" {
		ways := p.ways()
		for _, se := range series {
			c.item(item{color: se.color, name: se.name, way: ways.of(se.mark)})
			c.end()
		}
	}
	if p.averages != nil {
		for _, se := range p.averages.series {
			c.item(item{color: se.color, line: true, name: se.name})
			c.end()
		}
	}
	drawTrendItems(c, p.trends)
	c.end()
}

// dots are the points without neighbours, and where a single line stands now.
func (p *linePanel) dots(raw []rawPoint, c color) []dot {
	var out []dot
	for j, at := range raw {
		alone := (j == 0 || at.broken) && (j == len(raw)-1 || raw[j+1].broken)
		if last := j == len(raw)-1 && j > 0 && len(p.split.series) == 1; (alone || last) && at.inside() {
			out = append(out, dot{at.point(), c})
		}
	}
	return out
}

func (p *linePanel) draw(c canvas) {
	s, plot := p.split, p.plot()
	places := places{columns: len(s.x)}
	if !plot.even {
		places.at = plot.at
	}
	if p.family == nil {
		p.drawNames(c)
	}
	c.picture(picture{
		title: p.title, says: p.summary, height: int(p.plotHeight()), left: plot.left, places: places, offset: p.offset, small: p.family != nil,
	})
	drawY(c, plot.scale, plot.left)
	p.drawEvents(c)
	p.drawBefore(c, plot.at, plot.scale, false)
	c.viewport()
	for i := len(s.series) - 1; i >= 0; i-- {
		color, points := s.series[i].color, plot.points[i]
		switch {
		case p.stacked && i > 0:
			under := unbroken(plot.pressed[i-1])
			for k, piece := range unbroken(plot.pressed[i]) {
				c.area(area{points: piece, under: under[k], color: color, solid: true})
			}
		case p.area && (p.stacked || len(s.series) == 1):
			c.area(area{points: plot.pressed[i], floor: plot.floor, color: color, solid: p.stacked})
		}
		for _, run := range pieces(points) {
			run.color, run.thin = color, p.averages != nil
			c.curve(run)
		}
	}
	for _, curves := range [...][]curve{plot.trends, plot.averages} {
		for _, run := range slices.Backward(curves) {
			c.curve(run)
		}
	}
	c.end()
	for _, d := range plot.dots[:min(len(plot.dots), dotsMost)] {
		c.circle(circle{x: of(float64(d.x) / 1000), y: of(float64(d.y) / 1000), radius: 3.5, color: d.color})
	}
	drawReferences(c, plot.names)
	p.nameEvents(c, plot.left, plot.names)
	drawValues(c, p.lineValues(plot))
	p.drawLabels(c, plot.left)
	c.end()
}

// boxesOf adds where a curve lies, and what is filled under it.
func (p *linePanel) boxesOf(to []box, points []point, floor int) []box {
	for i, at := range points {
		from := at
		if i > 0 && !at.broken {
			from = points[i-1]
		}
		b := box{float64(from.x), float64(at.x), float64(min(from.y, at.y)), float64(max(from.y, at.y))}
		if p.stacked {
			b.y2 = float64(floor)
		}
		const around = 6 // thousandths: half a line, and some air
		to = append(to, box{(b.x1 - around) / 1000, (b.x2 + around) / 1000, (b.y1 - around) / 1000, (b.y2 + around) / 1000})
	}
	return to
}

// A dot is on a curve.
type dot struct {
	point
	color color
}

func (p *linePanel) drawLabels(c canvas, left []string) {
	s := p.split
	if s.time {
		from, to := s.x[0].Value.(time.Time), s.x[len(s.x)-1].Value.(time.Time)
		grain := s.grain
		if grain == cube.Exact && !s.span.Clock {
			grain = cube.Daily
		}
		drawX(c, p.tiersOf(left, func(w float64) []xLabel { return p.page.timeLabels(from, to, grain, w) }))
		return
	}
	texts := p.axisTexts(s)
	at, _ := s.positions()
	drawX(c, p.tiersOf(left, func(w float64) []xLabel { return s.steps(texts, at, w) }))
}

// points turns a series into points; of very many, the extremes of each slice.
func (p *linePanel) points(i int, values, at []float64, sc scale) []rawPoint {
	s := p.split
	out := make([]rawPoint, 0, min(len(values), drawnMost))
	broken := false
	for x, v := range values {
		broken = broken || s.breaks(i, x)
		if !s.has(i, x) && !(p.stacked && s.some(x)) {
			continue
		}
		if !p.onLog(dashboard.AxisY, v) {
			broken = true
			continue
		}
		out = append(out, rawPoint{math.Floor(at[x]*1000 + 0.5), place(sc, v), broken, s.isPartial(x)})
		broken = false
	}
	if len(out) <= drawnMost {
		return out
	}
	thin := out[:0:0]
	for from := 0; from < len(out); {
		to := from + 1
		lo, hi := from, from
		for to < len(out) && out[to].x == out[from].x && !out[to].broken {
			if out[to].y < out[lo].y {
				lo = to
			}
			if out[to].y > out[hi].y {
				hi = to
			}
			to++
		}
		keep := []int{from, lo, hi, to - 1}
		slices.Sort(keep)
		for _, j := range slices.Compact(keep) {
			thin = append(thin, out[j])
		}
		from = to
	}
	return thin
}

// place is where a value lies on a scale, in thousandths from the top, also a little
// beyond the plot: a line that leaves it far out leaves it steeply.
func place(sc scale, v float64) float64 { return min(max(sc.place(v)*1000, -1e7), 1e7) }
