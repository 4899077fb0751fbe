package page

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"service/store/dashboard/cube"
)

const (
	barPoints    = 62 // columns of a time axis, before days become weeks and so on
	groupPoints  = 24 // groups of columns of a time axis
	barLimit     = 12 // other categories
	listLimit    = 10 // rows of a horizontal chart
	longestLabel = 14 // letters under a column or a point
)

// bar works out columns, or rows when horizontal.
func (f *figure) bar() {
	limit := barLimit
	if f.panel.Horizontal {
		limit = listLimit
	}
	l := layout{points: barPoints, limit: limit, sorted: true, stack: f.panel.Stack}
	if (f.panel.Series != "" || len(f.panel.Y) > 1) && !f.panel.Stack {
		l.points = groupPoints
	}
	s := f.split(l)
	if s == nil {
		return
	}
	if len(s.x) == 0 {
		f.empty = "Nothing to draw: no row has a " + lower(s.xcol.Label) + "."
		return
	}
	if step := s.regular(); s.time && !f.panel.Horizontal {
		s.fillGaps(step)
	}
	f.grid = s.table()
	if !s.any() {
		f.empty = f.page.missing()
		return
	}
	stacked := f.panel.Stack && len(s.series) > 1
	f.summary = f.ofBars(s)
	if f.panel.Horizontal {
		f.draw = func(d *doc) { f.drawRows(d, s, stacked) }
		return
	}
	f.draw = func(d *doc) { f.drawColumns(d, s, stacked) }
}

// fillGaps gives dates without rows their place on the axis.
func (s *split) fillGaps(step cube.Grain) {
	if len(s.x) < 2 || step == cube.Exact || step == cube.Hourly {
		return
	}
	var days []cube.Day
	last := cube.DayOf(s.x[len(s.x)-1].Value.(time.Time))
	for d := cube.DayOf(s.x[0].Value.(time.Time)); d <= last; d = step.Next(d) {
		if days = append(days, d); len(days) > 3*barPoints {
			return
		}
	}
	if len(days) == len(s.x) {
		return
	}
	at := map[cube.Day]int{}
	for i, c := range s.x {
		at[cube.DayOf(c.Value.(time.Time))] = i
	}
	for i := range s.series {
		value, exact := make([]float64, len(days)), make([]any, len(days))
		for j, d := range days {
			if k, ok := at[d]; ok {
				value[j], exact[j] = s.value[i][k], s.exact[i][k]
			}
		}
		s.value[i], s.exact[i] = value, exact
	}
	s.x = make([]cube.Category, len(days))
	for j, d := range days {
		s.x[j] = cube.Category{Value: d.Time()}
	}
}

// ofBars is the sentence of a bar chart: its leading values.
func (f *figure) ofBars(s *split) string {
	if s.time {
		return f.overTime(s)
	}
	name := func(x int) string { return clip(f.page.cell(s.xcol, s.grain, s.x[x]), 40) }
	var b strings.Builder
	for i := range s.series {
		order := make([]int, 0, len(s.x))
		for x := range s.x {
			if s.has(i, x) {
				order = append(order, x)
			}
		}
		slices.SortStableFunc(order, func(a, c int) int {
			if s.value[i][a] > s.value[i][c] {
				return -1
			}
			return truth(s.value[i][a] < s.value[i][c])
		})
		if i == 4 {
			fmt.Fprintf(&b, " And %d more series.", len(s.series)-i)
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
			fmt.Fprintf(&b, "%s %s", name(x), f.page.amount(orInteger(*s.series[i].col), s.exact[i][x]))
		}
		if left := len(order) - 3; left > 0 {
			fmt.Fprintf(&b, " and %d more", left)
		}
		b.WriteByte('.')
	}
	return b.String()
}

// extent returns the smallest and the largest value that is drawn.
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

func (f *figure) drawColumns(d *doc, s *split, stacked bool) {
	lo, hi := s.extent(stacked)
	refs := f.references(s)
	for _, r := range refs {
		lo, hi = min(lo, r.value), max(hi, r.value)
	}
	format := orInteger(*s.series[0].col)
	sc := newScale(lo, hi, true, format)
	f.legend(d, s)
	f.openPlot(d, f.yMargin(sc, format), len(s.x), nil, true, true)
	f.drawY(d, sc, format)
	band := 1 / float64(len(s.x))
	fill := 0.72
	switch len(s.x) {
	case 1:
		fill = 0.2
	case 2, 3:
		fill = 0.5
	}
	n := float64(len(s.series))
	for x := range s.x {
		up, down := 0.0, 0.0
		for i, se := range s.series {
			v := s.value[i][x]
			if !s.has(i, x) || v == 0 {
				continue
			}
			from, left, width := 0.0, (float64(x)+(1-fill)/2)*band, fill*band
			if stacked {
				if v > 0 {
					from, up = up, up+v
				} else {
					from, down = down, down+v
				}
			} else if n > 1 {
				width /= n
				left += float64(i) * width
			}
			y0, y1 := sc.at(from), sc.at(from+v)
			d.add(h(`<rect class="f`), se.color, h(`" x="`), pct(left), h(`" width="`), pct(width), h(`" y="`), pct(min(y0, y1)), h(`" height="`), pct(max(math.Abs(y1-y0), 0.003)), h(`"/>`))
		}
	}
	drawReferences(d, refs, sc)
	f.columnLabels(d, s)
	d.add(h(`</svg>`))
}

// columnLabels names the columns: dates where they fit, and every category.
func (f *figure) columnLabels(d *doc, s *split) {
	texts := f.axisTexts(s)
	if s.time {
		for i, c := range s.x {
			texts[i] = f.page.bandTick(s, i, c.Value.(time.Time))
		}
		drawX(d, f.tiersOf(func(w float64) []xLabel { return everyNth(texts, w) }))
		return
	}
	n := len(texts)
	room := f.desktopPlot() / float64(n)
	turned := h(``)
	longest := 0
	for _, t := range texts {
		longest = max(longest, letters(t))
	}
	switch {
	case n > 40: // too many for any way of writing them
		drawX(d, f.tiersOf(func(w float64) []xLabel { return everyNth(texts, w) }))
		return
	case float64(longest)*charWidth+8 > room:
		turned = h(` turn`)
	case float64(longest)*charWidth+8 > phonePlot/float64(n) && longest <= 5:
		turned = h(` turns few`) // characters, such as months: they need less room
	case float64(longest)*charWidth+8 > phonePlot/float64(n):
		turned = h(` turns`)
	}
	d.add(h(`<g class="t m`), turned, h(`">`))
	for i, t := range texts {
		d.add(h(`<text x="`), pct((float64(i)+0.5)/float64(n)), h(`" y="100%" dy="19">`), t, h(`</text>`))
	}
	d.add(h(`</g>`))
}

// bandTick names a column of a time axis, with the year where it changes.
func (p *page) bandTick(s *split, i int, t time.Time) string {
	newYear := i == 0 || s.x[i-1].Value.(time.Time).Year() != t.Year()
	many := s.x[0].Value.(time.Time).Year() != s.x[len(s.x)-1].Value.(time.Time).Year()
	switch s.grain {
	case cube.Yearly:
		return t.Format("2006")
	case cube.Monthly:
		if newYear && many {
			return t.Format("Jan ’06")
		}
		return t.Format("Jan")
	case cube.Hourly:
		if t.Hour() == 0 || i == 0 {
			return p.dayMonth(t)
		}
		return t.Format("15:04")
	}
	if s.xcol.Format != "" && s.xcol.Format != "date" {
		return p.time(s.xcol.Format, s.grain, t)
	}
	if newYear && many {
		return p.dayMonth(t) + t.Format(" ’06")
	}
	return p.dayMonth(t)
}

// drawRows writes a horizontal bar chart as a list: name, value, share, bar.
func (f *figure) drawRows(d *doc, s *split, stacked bool) {
	lo, hi := s.extent(stacked)
	if hi/2-lo/2 < negligible {
		lo, hi = 0, 1
	}
	at := func(v float64) float64 { return min(max((v/2-lo/2)/(hi/2-lo/2), 0), 1) }
	total, share := 0.0, len(s.series) == 1 && f.data.measure(s.series[0].col).Agg == cube.Sum && !s.series[0].col.IsRatio() && lo >= 0
	if share {
		whole := f.data.cube.Group(f.data.rows, cube.Query{Measures: []cube.Measure{f.data.measure(s.series[0].col)}})
		total, share = whole.Value(0, 0)
		share = share && total > 0
	}
	f.legend(d, s)
	d.add(h(`<ol class="hb">`))
	for x, c := range s.x {
		sum, some := 0.0, false
		for i := range s.series {
			if s.has(i, x) {
				sum += s.value[i][x]
				some = true
			}
		}
		d.add(h(`<li><span>`), f.page.cell(s.xcol, s.grain, c), h(`</span>`))
		if len(s.series) == 1 || stacked {
			d.add(h(`<b>`))
			switch {
			case !some:
				d.add(none)
			case len(s.series) == 1:
				d.add(f.page.amount(orInteger(*s.series[0].col), s.exact[0][x]))
			default:
				d.add(f.page.value(orInteger(*s.series[0].col), sum))
			}
			d.add(h(`</b>`))
		}
		if share {
			d.add(h(`<em>`), f.page.percent(sum/total, 1), h(`</em>`))
		}
		height := 8
		if len(s.series) > 1 && !stacked {
			height = 7*len(s.series) - 1
		}
		d.add(h(`<svg width="100%" height="`), height, h(`" aria-hidden="true"><rect class="tr" width="100%" height="100%" rx="3"/>`))
		up, down := 0.0, 0.0
		for i, se := range s.series {
			v := s.value[i][x]
			if !s.has(i, x) || v == 0 {
				continue
			}
			from := 0.0
			if stacked {
				if v > 0 {
					from, up = up, up+v
				} else {
					from, down = down, down+v
				}
			}
			a, b := at(from), at(from+v)
			d.add(h(`<rect class="f`), se.color, h(`" x="`), pct(min(a, b)), h(`" width="`), pct(math.Abs(b-a)))
			switch {
			case stacked:
				d.add(h(`" height="8"/>`))
			case len(s.series) > 1:
				d.add(h(`" y="`), 7*i, h(`" height="6" rx="2"/>`))
			default:
				d.add(h(`" height="8" rx="3"/>`))
			}
		}
		d.add(h(`</svg></li>`))
	}
	d.add(h(`</ol>`))
}
