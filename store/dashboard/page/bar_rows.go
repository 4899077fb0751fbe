package page

import (
	"math"
	"slices"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// drawRows draws the bars as a list: name, value, share, bar. Lines are short marks
// across each bar.
func (p *barPanel) drawRows(c canvas) {
	s := p.split
	lo, hi := p.extent()
	refs := p.onScale(p.references(s), dashboard.AxisY)
	for i := range refs {
		from, to := refs[i].ends()
		for _, v := range [...]float64{from, to} {
			if !math.IsInf(v, 0) {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
	}
	if most := p.highestTarget(); most >= hi && most > lo {
		hi += (most - lo) / 100 // half a mark would be beyond the end
	}
	y := p.spec.Range[dashboard.AxisY]
	if y.Min != nil {
		lo = *y.Min
	}
	if y.Max != nil {
		hi = *y.Max
	}
	if flat(lo, hi) {
		lo, hi = 0, 1
	}
	at := func(v float64) float64 { return min(max(within(v, lo, hi), 0), 1) }
	height, beside := 8, len(s.series) > 1 && !p.stacked
	if beside {
		height = 7*len(s.series) - 1
	}
	targets := p.targetsByRow()
	around := 0 // a bar, for lines to be seen
	if len(refs)+len(p.targets) > 0 {
		around = 2
	}
	p.legend(s.series, append(targetLines(p.targets), refs...)...).draw(c)
	c.list(barList)
	bars := make([][]rect, len(s.x))
	cuts := make([][]line, len(s.x))
	p.eachBar(func(i, x int, from, to float64) {
		a, b := at(from), at(to)
		if from == to {
			return
		}
		r := rect{x: of(min(a, b)), width: of(math.Abs(b - a)), y: px(float64(around)), height: px(8), color: p.color(i, x)}
		switch {
		case beside:
			r.y, r.height, r.round = px(float64(around+7*i)), px(6), 2
		case !p.stacked:
			r.round = 3
		}
		if around == 0 && !beside {
			r.y = coord{}
		}
		bars[x] = append(bars[x], r)
		switch { // a gap at the end of what goes on beyond the axis
		case y.Outside(to) && to > 0:
			cuts[x] = append(cuts[x], line{x1: of(0.965), x2: of(0.975), y1: of(1), stroke: cutLine})
		case y.Outside(to):
			cuts[x] = append(cuts[x], line{x1: of(0.025), x2: of(0.035), y1: of(1), stroke: cutLine})
		}
	})
	ways, even := p.ways(), p.evenOf(s)
	for x, category := range s.x {
		sum, some := 0.0, false
		for i := range s.series {
			if s.has(i, x) {
				sum += s.value[i][x]
				some = true
			}
		}
		it := item{name: p.page.cell(s.xcol, s.grain, category), way: ways.of(p.grid.cols[0].mark(category))}
		switch {
		case p.spec.Labels != nil && !*p.spec.Labels:
		case beside, p.parts != nil:
			it.value = p.valuesOf(x)
		case !some:
			it.value = none
		case len(s.series) == 1:
			it.value = p.page.number(even, s.exact[0][x])
		default:
			it.value = p.page.number(even, sum)
		}
		if p.shares != nil {
			it.share = p.shares(x)
		}
		c.item(it)
		c.picture(picture{kind: stripPicture, height: height + 2*around})
		for _, r := range refs {
			if from, to := r.ends(); r.shaded {
				c.rect(rect{x: of(at(from)), width: of(at(to) - at(from)), height: of(1), shade: true, tone: r.tone})
			}
		}
		for _, r := range bars[x] {
			c.rect(r)
		}
		for _, l := range cuts[x] {
			c.line(l)
		}
		for _, r := range refs {
			if r.shaded {
				continue
			}
			c.line(line{x1: of(at(r.value)), x2: of(at(r.value)), y2: of(1), stroke: markLine, tone: r.tone})
		}
		for _, t := range targets[x] {
			l := line{x1: of(at(t.value)), x2: of(at(t.value)), y2: of(1), stroke: markLine, tone: "neutral"}
			if beside {
				l.y1, l.y2 = px(float64(around+7*t.series)), px(float64(around+7*t.series+6))
			}
			c.line(l)
		}
		c.end()
		c.end()
	}
	c.end()
}

// evenOf is the column of the values beside bars, with the format of values that are one below another.
func (p *barPanel) evenOf(s *split) dashboard.Column {
	col := *s.series[0].col
	col.Format = orInteger(col)
	col.Format = p.page.evenFormat(col, slices.Values(s.exact[0]))
	return col
}

// mostBeside is how many letters the values of a group of lying bars take at most.
const mostBeside = 30

// valuesOf are the values of a group of lying bars, in the order of the bars, or ""
// where there is no room for them.
func (p *barPanel) valuesOf(x int) string {
	texts := make([]string, len(p.split.series))
	for i := range texts {
		texts[i] = none
		switch {
		case !p.split.has(i, x):
		case p.parts != nil:
			texts[i] = p.page.percent(p.parts[i][x], 0)
		default:
			texts[i] = p.page.number(*p.split.series[i].col, p.split.exact[i][x])
		}
	}
	if s := strings.Join(texts, " · "); letters(s) <= mostBeside {
		return s
	}
	return ""
}

// findShares says of what the percentages beside the bars are, or that there are none.
// Where the spec does not say it, they are shares of a total that is one: the values
// add up, and the bars are all of it. Ranges are a distribution, whose shape is read.
func (p *barPanel) findShares() func(x int) string {
	s := p.split
	lo, _ := p.extent()
	if len(s.series) > 1 || len(s.x) < 2 || lo < 0 || p.spec.Share == "none" {
		return nil
	}
	col := *s.series[0].col
	of := func(base, v float64) string {
		if base <= 0 {
			return ""
		}
		return p.page.percent(v/base, 1)
	}
	if len(p.targets) > 0 && p.spec.Share == "" {
		p.report(noted("Percentages are shares of %s.", Inline(clip(p.targets[0].col.Label, 60))))
		return func(x int) string { return of(p.targets[0].value[x], s.value[0][x]) }
	}
	switch p.spec.Share {
	case "first":
		p.report(noted("Percentages are of the first, %s.", p.page.number(col, s.value[0][0])))
		return func(x int) string { return of(s.value[0][0], s.value[0][x]) }
	case "previous":
		p.report(noted("Percentages are of the one before."))
		return func(x int) string { return of(s.value[0][max(x-1, 0)], s.value[0][x]) }
	}
	if s.ranges && p.spec.Share == "" {
		return nil
	}
	m := p.data.measure(s.series[0].col)
	if !sums(m, s.xcol.Name) {
		return nil
	}
	total, _ := p.data.group(p.data.rows, cube.Query{Measures: []cube.Measure{m}}).Value(0, 0)
	drawn := 0.0
	for _, v := range s.value[0] {
		drawn += v
	}
	whole := !p.data.truncated && p.data.Whole() && math.Abs(total-drawn) <= 1e-9*total
	if total <= 0 || p.spec.Share == "" && !whole {
		return nil
	}
	p.report(noted("Percentages are shares of all, %s.", p.page.number(col, total)))
	return func(x int) string { return of(total, s.value[0][x]) }
}
