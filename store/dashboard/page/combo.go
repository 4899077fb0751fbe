package page

import (
	"math"
	"slices"

	"service/store/dashboard"
)

// comboDots is how many places an axis has at most on whose lines each value has a dot.
const comboDots = 31

var comboFigure = figure{
	summarise: summariseCombo,
	asks:      grainAsks,
}

// A comboPanel is columns with lines over them. Lines of another unit than the columns
// have an axis on the right.
type comboPanel struct {
	*barPanel             // the columns, and the axis below them
	lines     *split      // along the same places
	onRight   []bool      // of each line
	scales    [2]scale    // on the left and on the right
	texts     [2][]string // of their gridlines; the second is nil without a right axis
	refs      []reference
}

// legible is the least share of an axis that the largest value of a measure takes which
// is to be read on it.
const legible = 0.05

func summariseCombo(p *panel) content {
	own := *p.spec // with y, as other panels have it
	own.Y = slices.Concat(own.Bars, own.Lines)
	p.spec = &own
	n := len(own.Bars)
	if n == 0 || len(own.Lines) == 0 {
		p.problem = p.page.Text("No measure is named to draw.")
		return nil
	}
	beside := min(n, maxSeries)
	if own.Stack {
		beside = 1
	}
	s := p.onAxis(layout{points: barPoints / beside, steps: min(barSteps, max(groupBars/beside, barLimit)), limit: barLimit, sorted: true})
	if s == nil {
		return nil
	}
	slots := s.time && s.fillGaps(s.step)
	if !p.tabulate(s) {
		return nil
	}
	c := &comboPanel{barPanel: &barPanel{panel: p, split: s.part(0, n), stacked: own.Stack && n > 1, band: 1 / float64(len(s.x))}}
	if (s.time || s.years) && !slots {
		c.band, c.at = s.bands()
	}
	c.lines = s.part(n, len(s.series))
	p.breakLines(c.lines, false)
	c.findScales()
	p.summary = c.sentence(s)
	p.markEvents(s, c.middles(), false)
	return c
}

// part is the split with some of its series.
func (s *split) part(from, to int) *split {
	out := *s
	out.series, out.value, out.exact, out.null = s.series[from:to], s.value[from:to], s.exact[from:to], s.null[from:to]
	out.broken = nil
	return &out
}

// findScales decides which lines have an axis of their own, and how far both axes reach.
func (p *comboPanel) findScales() {
	unit := p.split.series[0].col.Unit()
	lo, hi := p.split.extent(p.stacked)
	bars := max(hi, -lo)
	p.refs = p.references(p.split)
	for _, r := range p.refs {
		lo, hi = min(lo, r.value), max(hi, r.value)
	}
	rlo, rhi := math.Inf(1), math.Inf(-1)
	most := make([]float64, len(p.lines.series)) // of each line
	p.onRight = make([]bool, len(p.lines.series))
	format, rformat := orInteger(*p.split.series[0].col), ""
	for i, se := range p.lines.series {
		right := se.col.Unit() != unit
		if p.onRight[i] = right; right {
			rformat = orInteger(*se.col)
		}
		for x, v := range p.lines.value[i] {
			switch {
			case !p.lines.has(i, x):
				continue
			case right:
				rlo, rhi = min(rlo, v), max(rhi, v)
			default:
				lo, hi = min(lo, v), max(hi, v)
			}
			most[i] = max(most[i], math.Abs(v))
		}
	}
	p.scales[0] = newScale(lo, hi, true, format)
	if rlo <= rhi {
		left, right, ok := pairedScales(lo, hi, rlo, rhi, nearZero(p.lines, p.onRight), format, rformat)
		if !ok {
			left, right = p.scales[0], newScale(rlo, rhi, true, rformat)
		}
		p.scales = [2]scale{left, right}
		p.texts[1] = p.textsFrom(right, rformat, rlo)
		p.right = p.texts[1]
		if right.lo > 0 || right.hi < 0 {
			p.note("The axis on the right does not begin at zero.")
		}
	}
	p.texts[0] = p.textsFrom(p.scales[0], format, lo)
	for i, se := range p.lines.series {
		if !p.onRight[i] {
			p.compareSizes(se, most[i], bars)
		}
	}
}

// nearZero is from which share of their largest value on the values on the right are
// drawn above a zero of their own. Shares of a whole have the whole before them.
func nearZero(lines *split, onRight []bool) float64 {
	for i, se := range lines.series {
		if onRight[i] && se.col.Unit() == dashboard.UnitShare {
			return 0.7
		}
	}
	return 0.5
}

// textsFrom names the gridlines of a scale, but for those below zero that are there for
// the other axis alone.
func (p *panel) textsFrom(s scale, format string, lo float64) []string {
	texts := p.tickTexts(s, format)
	for i, v := range s.ticks() {
		if v < 0 && lo >= 0 {
			texts[i] = ""
		}
	}
	return texts
}

// compareSizes says of a line that shares the axis of the bars that it or they are too
// small to be read there.
func (p *comboPanel) compareSizes(line seriesOf, most, bars float64) {
	small, large := line, p.split.series[0]
	if most > bars {
		small, large, most, bars = large, small, bars, most
	}
	if most == 0 || most >= legible*bars {
		return
	}
	p.note("%s is too small to be read on the axis of %s.", clip(small.name, 60), p.page.inside(clip(large.name, 60)))
	p.warn(dashboard.WarnOneAxis, "lines", `"%s" and "%s" are of one unit, %s, and share an axis, on which "%s" is too small to be `+
		`read; if their units differ, their formats say so, and there are two axes, else another panel shows it.`,
		small.col.Name, large.col.Name, small.col.Unit(), small.col.Name)
}

// sentence says what is drawn how, and the leading values.
func (p *comboPanel) sentence(s *split) string {
	var bars, left, right string
	for _, se := range p.split.series {
		bars = p.and(bars, se.name)
	}
	for i, se := range p.lines.series {
		if p.onRight[i] {
			right = p.and(right, se.name)
		} else {
			left = p.and(left, se.name)
		}
	}
	text := p.page.Text("Bars: %s.", bars)
	if left != "" {
		text += " " + p.page.Text("Lines: %s.", left)
	}
	if right != "" {
		text += " " + p.page.Text("Lines on the right axis: %s.", right)
	}
	return text + " " + p.ofBars(s)
}

// and adds a name to an enumeration of measures.
func (p *comboPanel) and(to, name string) string {
	name = clip(name, 60)
	if to == "" {
		return name
	}
	return p.page.Text("%s and %s", to, p.page.inside(name))
}

func (p *comboPanel) draw(c canvas) {
	s := p.split
	c.list(legendList)
	for _, se := range s.series {
		c.item(item{color: se.color, name: se.name})
		c.end()
	}
	names := [2]string{}
	for _, se := range s.series {
		names[0] = p.and(names[0], se.name)
	}
	for i, se := range p.lines.series {
		name, axis := se.name, 0
		if p.onRight[i] {
			name, axis = p.page.Text("%s (right axis)", name), 1
		}
		names[axis] = p.and(names[axis], se.name)
		c.item(item{color: se.color, line: true, name: name})
		c.end()
	}
	c.end()
	if p.right != nil {
		c.axisNames(names[0], names[1])
	}
	c.picture(picture{
		title: p.title, says: p.summary, height: plotHeight, left: p.texts[0], right: p.right,
		places: places{columns: len(s.x), bands: true, at: p.at},
	})
	drawY(c, p.scales[0], p.texts[0])
	if p.right != nil {
		drawRight(c, p.scales[1], p.right)
	}
	bars, marks := p.barsOn(p.scales[0])
	p.drawBars(c, bars)
	p.drawEvents(c)
	marks = p.drawLines(c, marks)
	lines := p.nameLines(p.refs, p.scales[0], plotHeight, p.texts[0], marks)
	drawReferences(c, lines)
	p.nameEvents(c, p.texts[0], lines)
	p.drawLabels(c, p.texts[0])
	c.end()
}

// drawLines draws the lines through the middles of the columns, and adds where they lie.
func (p *comboPanel) drawLines(c canvas, marks []box) []box {
	at := p.middles()
	l := &linePanel{panel: p.panel, split: p.lines}
	var dots []dot
	c.viewport()
	for i, se := range p.lines.series {
		sc := p.scales[0]
		if p.onRight[i] {
			sc = p.scales[1]
		}
		points := clipped(l.points(i, p.lines.value[i], at, sc))
		if len(p.refs) > 0 {
			marks = l.boxesOf(marks, points, 0)
		}
		for _, run := range pieces(points) {
			run.color, run.over = se.color, true
			c.curve(run)
		}
		for j, at := range points {
			if len(p.lines.x) <= comboDots || (j == 0 || at.broken) && (j == len(points)-1 || points[j+1].broken) {
				dots = append(dots, dot{at, se.color})
			}
		}
	}
	c.end()
	for _, d := range dots[:min(len(dots), dotsMost)] {
		c.circle(circle{x: of(float64(d.x) / 1000), y: of(float64(d.y) / 1000), radius: 3.5, color: d.color, rimmed: true})
	}
	return marks
}

// sketch is a small line for each measure, on the scale of its axis.
func (p *comboPanel) sketch() []string {
	n := len(p.split.series)
	lines := p.sketchOn(func(i int) (lo, hi float64) {
		sc := p.scales[0]
		if i >= n && p.onRight[i-n] {
			sc = p.scales[1]
		}
		return sc.lo, sc.hi
	}, func(i int) string {
		switch {
		case i < n:
			return "▮ "
		case p.onRight[i-n]:
			return "─→"
		}
		return "─ "
	})
	key := "▮ bars  ─ lines"
	if p.right != nil {
		key += "  → on the right axis"
	}
	return append(lines, key)
}
