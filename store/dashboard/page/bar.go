package page

import (
	"cmp"
	"slices"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

const (
	barPoints = 120 // bars of a time axis, before times are rounded down
	barSteps  = 62  // columns of another scale, before its steps become ranges
	groupBars = 124 // of such columns in groups, of which there are fewer then
	listSteps = 31  // rows of a horizontal chart with a scale
	barLimit  = 12  // other categories, whose names stand aslant on a phone
	listLimit = 20  // rows of a horizontal chart with others
)

var barFigure = figure{
	summarise: summariseBar,
	asks:      lineAsks,
}

// A barPanel is columns, or a list of bars when they lie.
type barPanel struct {
	*panel
	split   *split
	stacked bool
	colors  []color            // of the bars, where the spec gives colours to what is under them
	band    float64            // of the width, that a column or a group of them has
	shares  func(x int) string // the percentage beside a lying bar, or nil
	at      []float64          // where columns that are not evenly spaced have their middle, or nil
}

// bars is how many bars there are at one place, side by side or stacked.
func (p *panel) bars() int {
	if p.spec.Series == "" || p.data.column(p.spec.Series) == nil {
		return max(len(p.spec.Y), 1)
	}
	g := p.data.group(p.data.rows, cube.Query{By: []cube.Dim{{Column: p.spec.Series, Zone: p.page.zone}}})
	return max(len(g.Axes[0]), 1)
}

// middle is where a column or a group of them stands.
func (p *barPanel) middle(x int) float64 {
	if p.at != nil {
		return p.at[x]
	}
	return (float64(x) + 0.5) * p.band
}

// middles are where all columns stand.
func (p *barPanel) middles() []float64 {
	out := make([]float64, len(p.split.x))
	for x := range out {
		out[x] = p.middle(x)
	}
	return out
}

func summariseBar(p *panel) content {
	l := layout{points: barPoints, steps: barSteps, limit: barLimit, sorted: true, stack: p.spec.Stack}
	if (p.spec.Series != "" || len(p.spec.Y) > 1) && !p.spec.Stack {
		l.steps = min(barSteps, max(groupBars/p.bars(), barLimit))
	}
	if p.spec.Horizontal {
		l.steps, l.limit = min(l.steps, listSteps), listLimit
	}
	if c := p.data.column(p.spec.X); c != nil && c.Type.IsTime() {
		l.points = barPoints / min(p.bars(), maxSeries)
	}
	s := p.onAxis(l)
	switch {
	case s == nil:
		return nil
	case s.facets != nil:
		return p.inFacets(s, func(p *panel, s *split) smallPlot {
			if b := p.barOf(s); b != nil {
				return b
			}
			return nil
		})
	}
	p.addBefore(s)
	if b := p.barOf(s); b != nil {
		return b
	}
	return nil
}

// barOf works out the bars of a split, or returns nil where it has said why there are none.
func (p *panel) barOf(s *split) *barPanel {
	slots := s.time && !p.spec.Horizontal && s.fillGaps(s.step)
	if !p.tabulate(s) {
		return nil
	}
	s = p.parted(s)
	b := &barPanel{
		panel: p, split: s, stacked: p.spec.Stack && len(s.series) > 1, colors: p.barColors(s), band: 1 / float64(len(s.x)),
	}
	if p.summary = p.ofBars(s); p.findParts(s, b.stacked) {
		p.summary = p.ofShares(s)
	}
	p.summary += p.ofBefore()
	if !b.noteRange() {
		return nil
	}
	if p.spec.Horizontal {
		b.shares = b.findShares()
	}
	if b.stacked {
		p.addTotals(s)
	}
	if (s.time || s.years) && !slots {
		b.band, b.at = s.bands()
	}
	if !p.spec.Horizontal {
		p.markEvents(s, b.middles(), false)
	}
	if p.labelled() {
		b.noteValues()
	}
	return b
}

// findParts works out the shares that are drawn, and reports whether there are some.
// Of values below zero there are none.
func (p *panel) findParts(s *split, stacked bool) bool {
	if !stacked || !p.spec.Percent {
		return false
	}
	if lo, _ := s.extent(false); lo < 0 {
		p.note("No shares, because some values are negative.")
		p.warn(dashboard.WarnKeyIgnored, "stack", "the values themselves are drawn, because some are below zero, and have no share of a whole.")
		return false
	}
	p.parts = s.shares()
	return true
}

// noteRange says which bars and lines the axis does not show. It is false where it
// shows nothing.
func (p *barPanel) noteRange() bool {
	s := p.split
	var c census
	p.eachBar(func(_, _ int, from, to float64) {
		if y := p.spec.Range[dashboard.AxisY]; y.Outside(to) && !y.Outside(from) || !p.stacked {
			c.count(p.panel, dashboard.AxisY, to)
		} else {
			c.shown++
		}
	})
	p.before.each(func(v float64) { c.count(p.panel, dashboard.AxisY, v) })
	p.noteReferences(p.references(s), dashboard.AxisY)
	return p.noteHidden(c)
}

// eachBar calls f for each bar, with the values at which it begins and ends.
func (p *barPanel) eachBar(f func(series, x int, from, to float64)) {
	s, values := p.split, p.split.value
	if p.parts != nil {
		values = p.parts
	}
	for x := range s.x {
		var st stack
		for i := range s.series {
			if !s.has(i, x) {
				continue
			}
			from := 0.0
			if p.stacked {
				from = st.put(values[i][x])
			}
			f(i, x, from, from+values[i][x])
		}
	}
}

// extent is from the least to the largest value that bars reach, with zero.
func (p *barPanel) extent() (lo, hi float64) {
	p.eachBar(func(_, _ int, from, to float64) { lo, hi = min(lo, from, to), max(hi, from, to) })
	p.before.each(func(v float64) { lo, hi = min(lo, v), max(hi, v) })
	return lo, hi
}

// ofBars is the sentence of a bar chart: its leading values.
func (p *panel) ofBars(s *split) string {
	if s.time {
		return p.overTime(s)
	}
	name := func(x int) string { return clip(p.page.cell(s.xcol, s.grain, s.x[x]), 40) }
	var b strings.Builder
	for i := range s.series {
		order := make([]int, 0, len(s.x))
		for x := range s.x {
			if s.has(i, x) {
				order = append(order, x)
			}
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.value[i][b], s.value[i][a]) })
		if i == 4 {
			n := len(s.series) - i
			b.WriteString(" " + p.page.Count(n, "And %d more series.", "And %d more series."))
			break
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		if len(s.series) > 1 {
			b.WriteString(clip(s.series[i].name, 40) + ": ")
		}
		for j, x := range order[:min(len(order), 3)] {
			if j > 0 {
				b.WriteString(", ")
			}
			b.WriteString(name(x) + " " + p.page.amount(orInteger(*s.series[i].col), s.exact[i][x]))
		}
		if left := len(order) - 3; left > 0 {
			b.WriteString(" " + p.page.Count(left, "and %d more", "and %d more"))
		}
		b.WriteByte('.')
	}
	return b.String()
}

func (p *barPanel) sketch() []string {
	if c := p.grid.cols[0]; p.parts != nil || len(p.grid.cols) > 2 || len(p.grid.rows) > 2*sketchRow || c.Type.IsTime() {
		return p.sketchSeries(true)
	}
	return p.sketchBars(false)
}

func (p *barPanel) draw(c canvas) {
	if p.spec.Horizontal {
		p.drawRows(c)
		return
	}
	p.drawColumns(c)
}

// A barPlot is where the columns of a panel lie.
type barPlot struct {
	scale scale
	left  []string // names of the gridlines
	bars  []oldBar
	names []namedLine
}

// A oldBar is a column, or a part of a stack.
type oldBar struct {
	box
	series, x int
	cut       bool // it goes on beyond the plot
}

// plot works out where the columns lie.
func (p *barPanel) plot() barPlot {
	s := p.split
	lo, hi := p.extent()
	if p.family != nil {
		lo, hi = min(p.family.reach.lo, 0), max(p.family.reach.hi, 0)
	}
	refs := p.onScale(p.references(s), dashboard.AxisY)
	for _, r := range refs {
		lo, hi = min(lo, r.value), max(hi, r.value)
	}
	if p.mayWrite() {
		below, _ := roomFor(lo, 0, valueRoom/plotHeight)
		lo = min(lo, below)
	}
	format := orInteger(*s.series[0].col)
	out := barPlot{scale: p.yScale(lo, hi, true, format)}
	if p.parts != nil {
		format, out.scale = "percent", percentScale
	}
	out.left = p.tickTexts(out.scale, format)
	var marks []box
	out.bars, marks = p.barsOn(out.scale)
	out.names = p.nameLines(refs, out.scale, p.plotHeight(), out.left, marks)
	return out
}

// barsOn is where the columns lie on a scale, and the marks among them.
func (p *barPanel) barsOn(sc scale) (bars []oldBar, marks []box) {
	s := p.split
	fill := 0.72
	switch len(s.x) {
	case 1:
		fill = 0.2
	case 2, 3:
		fill = 0.5
	}
	n := float64(len(s.series))
	p.eachBar(func(i, x int, from, to float64) {
		left, width := p.middle(x)-fill/2*p.band, fill*p.band
		if !p.stacked && n > 1 {
			width /= n
			left += float64(i) * width
		}
		y0, y1 := sc.at(from), sc.at(to)
		b := oldBar{box{left, left + width, min(y0, y1), max(y0, y1)}, i, x, p.spec.Range[dashboard.AxisY].Outside(to)}
		bars = append(bars, b)
		if from != to {
			marks = append(marks, b.box)
		}
	})
	return bars, marks
}

// percentScale is the scale of shares.
var percentScale = scale{lo: 0, hi: 1, step: 0.25}

func (p *barPanel) drawColumns(c canvas) {
	s, plot := p.split, p.plot()
	if p.family == nil {
		p.drawLegend(c, p.before.both(s))
	}
	c.picture(picture{
		title: p.title, says: p.summary, height: int(p.plotHeight()), left: plot.left,
		places: places{columns: len(s.x), bands: true, at: p.at}, offset: p.offset, small: p.family != nil,
	})
	drawY(c, plot.scale, plot.left)
	p.drawBars(c, plot.bars)
	p.drawEvents(c)
	p.drawBefore(c, p.middles(), plot.scale, true)
	drawReferences(c, plot.names)
	p.nameEvents(c, plot.left, plot.names)
	drawValues(c, p.barValues(plot))
	p.drawLabels(c, plot.left)
	c.end()
}

func (p *barPanel) drawBars(c canvas, bars []oldBar) {
	s := p.split
	for _, b := range bars {
		if s.value[b.series][b.x] == 0 {
			continue
		}
		c.rect(rect{
			x: of(b.x1), width: of(b.x2 - b.x1), y: of(b.y1), height: of(max(b.y2-b.y1, 0.003)),
			color: p.color(b.series, b.x), hatched: s.isPartial(b.x),
		})
	}
	for _, b := range bars {
		if b.cut && b.y2 > b.y1 {
			drawCut(c, b.box, s.value[b.series][b.x] < 0, p.plotHeight())
		}
	}
}

// color is the colour of a bar.
func (p *barPanel) color(series, x int) color {
	if p.colors != nil {
		return p.colors[x]
	}
	return p.split.series[series].color
}

// A stack is how far values above and below zero reach that lie on one another.
type stack struct{ up, down float64 }

// put adds a value and returns where it begins.
func (s *stack) put(v float64) float64 {
	to := &s.down
	if v > 0 {
		to = &s.up
	}
	from := *to
	*to += v
	return from
}
