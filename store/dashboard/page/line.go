package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

const (
	linePoints = 200  // of a time axis, before days become weeks and so on
	drawnMost  = 1200 // points of a path; of more, only the extremes are drawn
)

// line works out a line or an area.
func (f *figure) line() {
	stacked := f.panel.Type == dashboard.Area && f.panel.Stack
	s := f.split(layout{points: linePoints, limit: 60, stack: stacked})
	if s == nil {
		return
	}
	if len(s.x) == 0 {
		f.empty = "Nothing to draw: no row has a " + lower(s.xcol.Label) + "."
		return
	}
	s.regular()
	f.grid = s.table()
	if !s.any() {
		f.empty = f.page.missing()
		return
	}
	stacked = stacked && len(s.series) > 1
	if lo, _ := s.extent(false); stacked && lo < 0 {
		stacked = false
		f.notes = append(f.notes, "Not stacked, because some values are negative.")
	}
	f.summary = f.overTime(s)
	f.draw = func(d *doc) { f.drawLine(d, s, stacked) }
}

func (s *split) any() bool {
	return slices.ContainsFunc(s.exact, func(row []any) bool {
		return slices.ContainsFunc(row, func(v any) bool { return v != nil })
	})
}

// regular notices that an exact time axis holds months or years, so that its
// labels say so. It returns the step of the axis.
func (s *split) regular() cube.Grain {
	if !s.time || s.grain != cube.Exact || s.span.Clock || len(s.x) < 2 {
		return s.grain
	}
	months, years, weeks := true, true, true
	first := s.x[0].Value.(time.Time)
	for _, c := range s.x {
		t := c.Value.(time.Time)
		months = months && t.Day() == 1
		years = years && t.YearDay() == 1
		weeks = weeks && (cube.DayOf(t)-cube.DayOf(first))%7 == 0
	}
	switch {
	case years:
		s.grain = cube.Yearly
	case months:
		s.grain = cube.Monthly
	case weeks:
		return cube.Weekly
	default:
		return cube.Daily
	}
	return s.grain
}

// overTime is the sentence of a chart with an axis of times or categories.
func (f *figure) overTime(s *split) string {
	name := func(i int) string { return f.page.cell(f.grid.cols[0].Column, s.grain, s.x[i]) }
	last := len(s.x) - 1
	var b strings.Builder
	if len(s.x) == 1 {
		fmt.Fprintf(&b, "%s only: ", name(0))
	} else {
		fmt.Fprintf(&b, "%s points from %s to %s: ", f.page.number(float64(len(s.x)), 0), name(0), name(last))
	}
	if len(s.series) == 1 {
		lo, hi, end := -1, -1, -1
		for x := range s.x {
			if !s.has(0, x) {
				continue
			}
			v := s.value[0][x]
			if lo < 0 || v < s.value[0][lo] {
				lo = x
			}
			if hi < 0 || v > s.value[0][hi] {
				hi = x
			}
			end = x
		}
		v := func(x int) string { return f.page.amount(orInteger(*s.series[0].col), s.exact[0][x]) }
		fmt.Fprintf(&b, "latest %s, lowest %s (%s), highest %s (%s).", v(end), v(lo), name(lo), v(hi), name(hi))
		return b.String()
	}
	for i, se := range s.series {
		if i == 5 {
			fmt.Fprintf(&b, " and %d more series", len(s.series)-i)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		end := len(s.x) - 1
		for end >= 0 && !s.has(i, end) {
			end--
		}
		if end < 0 {
			fmt.Fprintf(&b, "%s without values", clip(se.name, 40))
		} else {
			fmt.Fprintf(&b, "%s %s", clip(se.name, 40), f.page.amount(orInteger(*se.col), s.exact[i][end]))
		}
	}
	b.WriteString(" at the latest.")
	return b.String()
}

// positions are where on the axis each x lies, from 0 to 1, and whether they
// are evenly spaced.
func (s *split) positions() (at []float64, even bool) {
	n := len(s.x)
	at = make([]float64, n)
	even = true
	for i := range s.x {
		at[i] = 0.5
		if n > 1 {
			at[i] = float64(i) / float64(n-1)
		}
		if s.time && n > 1 {
			from, to := s.x[0].Value.(time.Time), s.x[n-1].Value.(time.Time)
			exact := float64(s.x[i].Value.(time.Time).Sub(from)) / float64(to.Sub(from))
			even = even && math.Abs(exact-at[i]) < 0.002
			at[i] = exact
		}
	}
	return at, even
}

// A point of a path, in thousandths of the plot. A gap comes before it when
// broken.
type point struct {
	x, y   int
	broken bool
}

func (f *figure) drawLine(d *doc, s *split, stacked bool) {
	area := f.panel.Type == dashboard.Area
	base := make([]float64, len(s.x)) // what the stack has reached
	top := make([][]float64, len(s.series))
	lo, hi := math.Inf(1), math.Inf(-1)
	for i := range s.series {
		top[i] = s.value[i]
		if stacked {
			top[i] = make([]float64, len(s.x))
			for x := range s.x {
				base[x] += s.value[i][x]
				top[i][x] = base[x]
			}
		}
		for x, v := range top[i] {
			if s.has(i, x) || stacked {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
	}
	refs := f.references(s)
	for _, r := range refs {
		lo, hi = min(lo, r.value), max(hi, r.value)
	}
	format := orInteger(*s.series[0].col)
	sc := newScale(lo, hi, area, format)
	at, even := s.positions()

	f.legend(d, s)
	f.openPlot(d, f.yMargin(sc, format), len(s.x), at, even, false)
	f.drawY(d, sc, format)
	d.add(h(`<svg viewBox="0 0 1000 1000" preserveAspectRatio="none" width="100%" height="100%">`))
	var lonely [][3]float64 // points without neighbours: x, y, colour
	floor := int(sc.at(max(sc.lo, min(0, sc.hi)))*1000 + 0.5)
	for i := len(s.series) - 1; i >= 0; i-- {
		color := s.series[i].color
		pts := f.points(s, i, top[i], at, sc, stacked)
		if area && (stacked || len(s.series) == 1) {
			d.add(h(`<path class="a`), color, h(`" d="`))
			if stacked && i > 0 {
				under := f.points(s, i-1, top[i-1], at, sc, stacked)
				writePath(d, pts)
				for j := len(under) - 1; j >= 0; j-- {
					d.add(h(`L`), under[j].x, h(` `), under[j].y)
				}
				d.add(h(`Z`))
			} else {
				writeArea(d, pts, floor)
			}
			d.add(h(`"/>`))
		}
		d.add(h(`<path class="l l`), color, h(`" d="`))
		writePath(d, pts)
		d.add(h(`"/>`))
		for j, pt := range pts {
			if (j == 0 || pt.broken) && (j == len(pts)-1 || pts[j+1].broken) {
				lonely = append(lonely, [3]float64{float64(pt.x) / 1000, float64(pt.y) / 1000, float64(color)})
			}
		}
		if len(s.series) == 1 && len(pts) > 1 { // where the line stands now
			pt := pts[len(pts)-1]
			lonely = append(lonely, [3]float64{float64(pt.x) / 1000, float64(pt.y) / 1000, float64(color)})
		}
	}
	d.add(h(`</svg>`))
	for _, c := range lonely[:min(len(lonely), 200)] {
		d.add(h(`<circle class="f`), int(c[2]), h(`" cx="`), pct(c[0]), h(`" cy="`), pct(c[1]), h(`" r="3.5"/>`))
	}
	drawReferences(d, refs, sc)
	f.lineLabels(d, s)
	d.add(h(`</svg>`))
}

func (f *figure) lineLabels(d *doc, s *split) {
	if s.time {
		from, to := s.x[0].Value.(time.Time), s.x[len(s.x)-1].Value.(time.Time)
		grain := s.grain
		if grain == cube.Exact && !s.span.Clock {
			grain = cube.Daily
		}
		drawX(d, f.tiersOf(func(w float64) []xLabel { return f.page.timeLabels(from, to, grain, w) }))
		return
	}
	texts := f.axisTexts(s)
	drawX(d, f.tiersOf(func(w float64) []xLabel {
		labels := everyNth(texts, w)
		for i := range labels { // a point lies on its label, not in a band
			n := float64(len(texts))
			if n > 1 {
				labels[i].at = (labels[i].at*n - 0.5) / (n - 1)
			}
		}
		return labels
	}))
}

// axisTexts are the names of the categories, clipped.
func (f *figure) axisTexts(s *split) []string {
	out := make([]string, len(s.x))
	for i, c := range s.x {
		out[i] = clipLabel(f.page.cell(s.xcol, s.grain, c), longestLabel)
	}
	return out
}

// openPlot begins the picture. The script finds the numbers for its tooltips in
// the table behind the chart: data-n places, at data-p thousandths when they
// are not evenly spaced.
func (f *figure) openPlot(d *doc, margin h, n int, at []float64, even, bands bool) {
	d.add(h(`<svg class="plot`), margin, h(`" role="img" aria-label="`), f.title, h(`: `), f.summary, h(`" width="100%" height="220" data-n="`), n, h(`"`))
	if bands {
		d.add(h(` data-b`))
	}
	if !even && n <= maxBehind {
		d.add(h(` data-p="`))
		for i, x := range at {
			if i > 0 {
				d.add(h(` `))
			}
			d.add(int(x*1000 + 0.5))
		}
		d.add(h(`"`))
	}
	d.add(h(`>`))
}

// points turns a series into points; of very many, the extremes of each slice.
func (f *figure) points(s *split, i int, values, at []float64, sc scale, stacked bool) []point {
	out := make([]point, 0, min(len(values), drawnMost))
	broken := false
	for x, v := range values {
		if !s.has(i, x) && !stacked {
			broken = broken || s.null[i][x]
			continue
		}
		out = append(out, point{int(at[x]*1000 + 0.5), int(sc.at(v)*1000 + 0.5), broken})
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

func writePath(d *doc, pts []point) {
	for i, pt := range pts {
		switch {
		case i == 0 || pt.broken:
			d.add(h(`M`))
		case i == 1 || pts[i-1].broken:
			d.add(h(`L`))
		default:
			d.add(h(` `))
		}
		d.add(pt.x, h(` `), pt.y)
	}
}

// writeArea closes every unbroken piece of a line down to the floor.
func writeArea(d *doc, pts []point, floor int) {
	for from := 0; from < len(pts); {
		to := from + 1
		for to < len(pts) && !pts[to].broken {
			to++
		}
		writePath(d, append([]point{{x: pts[from].x, y: floor}}, clearBroken(pts[from:to])...))
		d.add(h(`L`), pts[to-1].x, h(` `), floor, h(`Z`))
		from = to
	}
}

func clearBroken(pts []point) []point {
	out := slices.Clone(pts)
	out[0].broken = false
	return out
}

// legend names the series; a single one is named by the title.
func (f *figure) legend(d *doc, s *split) {
	if len(s.series) < 2 && f.panel.Series == "" {
		return
	}
	d.add(h(`<ul class="lg">`))
	for _, se := range s.series {
		d.add(h(`<li><i class="b`), se.color, h(`"></i>`), se.name, h(`</li>`))
	}
	d.add(h(`</ul>`))
}

// A reference line, with its value settled.
type reference struct {
	value float64
	text  string
	tone  string
}

// references settles the reference lines over the values that are drawn.
func (f *figure) references(s *split) []reference {
	var out []reference
	var drawn []float64
	for i := range s.series {
		for x := range s.x {
			if s.has(i, x) {
				drawn = append(drawn, s.value[i][x])
			}
		}
	}
	slices.Sort(drawn)
	for _, r := range f.panel.Reference {
		v, name := r.Value, ""
		if len(drawn) > 0 {
			switch r.Kind {
			case "average":
				name, v = "Average", 0
				for _, x := range drawn {
					v += x / float64(len(drawn))
				}
			case "median":
				name, v = "Median", (drawn[(len(drawn)-1)/2]+drawn[len(drawn)/2])/2
			case "min":
				name, v = "Lowest", drawn[0]
			case "max":
				name, v = "Highest", drawn[len(drawn)-1]
			}
		}
		text := strings.TrimSpace(cmp.Or(r.Label, name) + " " + f.page.short(orInteger(*s.series[0].col), v))
		out = append(out, reference{v, text, r.Tone})
	}
	return out
}

func drawReferences(d *doc, refs []reference, sc scale) {
	for _, r := range refs {
		y := pct(sc.at(r.value))
		dy := h(`-5`)
		if sc.at(r.value) < 0.08 {
			dy = h(`14`)
		}
		d.add(h(`<line class="ref`), toneClass(r.tone), h(`" x2="100%" y1="`), y, h(`" y2="`), y, h(`"/><text class="t e rt" x="100%" y="`), y, h(`" dy="`), dy, h(`">`), r.text, h(`</text>`))
	}
}

// toneClass is the class of a tone, with a space before it.
func toneClass(tone string) h {
	switch tone {
	case "good":
		return h(" good")
	case "warn":
		return h(" warn")
	case "bad":
		return h(" bad")
	case "info":
		return h(" info")
	}
	return h("")
}
