package page

import (
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// A comparison is what a KPI is compared with.
type comparison struct {
	value  float64
	ok     bool
	versus string // previous 90 days, same days a year before, or a measure's name
	why    string // when there is none: the reason
}

// kpi works out one large number.
func (f *figure) kpi() {
	p, d := f.panel, f.data
	col := f.col(p.Value)
	if f.problem != "" {
		return
	}
	q := cube.Query{Measures: []cube.Measure{d.measure(col)}}
	g := d.cube.Group(d.rows, q)
	if f.problem = g.Problem(0); f.problem != "" {
		return
	}
	v, ok := g.Value(0, 0)
	format := orInteger(*col)
	text := none
	if ok {
		text = f.page.amount(format, g.Exact(0, 0))
		if utf8.RuneCountInString(text) > 14 {
			text = f.page.short(format, v)
		}
	}
	f.wide = utf8.RuneCountInString(text) > 8
	f.grid = &grid{cols: []gridColumn{{Column: *col}}, rows: [][]any{{nil}}}
	if ok {
		f.grid.rows[0][0] = g.Exact(0, 0)
	}
	f.summary = text + "."
	if !ok {
		f.summary = "No value for these filters."
	}
	var c *comparison
	if p.Compare != "" && ok {
		c = f.compare(col, q)
		f.summary = text + ", " + f.versus(*col, v, c) + "."
		if c.ok {
			f.addCompared(*col, c)
		}
	}
	tone := ""
	if ok {
		tone = toneOf(p.Thresholds, p.Value, v)
	}
	if p.Sparkline != "" {
		f.sparkline = f.spark(q)
	}
	f.draw = func(d *doc) {
		d.add(h(`<p class="big`), toneClass(tone))
		if utf8.RuneCountInString(text) > 11 {
			d.add(h(` long`))
		}
		d.add(h(`">`), text)
		drawTone(d, tone)
		d.add(h(`</p>`))
		if c != nil {
			f.drawDelta(d, *col, v, c)
		}
		if len(f.sparkline) > 1 {
			d.add(h(`<svg class="spark" viewBox="0 0 1000 1000" preserveAspectRatio="none" width="100%" height="36" aria-hidden="true"><path class="a1" d="`))
			writeArea(d, f.sparkline, 1000)
			d.add(h(`"/><path class="l l1 thin" d="`))
			writePath(d, f.sparkline)
			d.add(h(`"/></svg>`))
		}
	}
}

func (f *figure) addCompared(col dashboard.Column, c *comparison) {
	col.Label = upper(c.versus)
	f.grid.cols = append(f.grid.cols, gridColumn{Column: col})
	f.grid.rows[0] = append(f.grid.rows[0], c.value)
}

func upper(s string) string {
	_, n := utf8.DecodeRuneInString(s)
	return strings.ToUpper(s[:n]) + s[n:]
}

// compare finds the value that the KPI is compared with.
func (f *figure) compare(col *dashboard.Column, q cube.Query) *comparison {
	by := f.panel.Compare
	if by != "previous_period" && by != "previous_year" {
		m := f.col(by)
		if f.problem != "" {
			return &comparison{why: "no measure to compare with"}
		}
		g := f.data.cube.Group(f.data.rows, cube.Query{Measures: []cube.Measure{f.data.measure(m)}})
		if g.Problem(0) != "" {
			return &comparison{why: "not comparable: nothing says how " + m.Label + " adds up"}
		}
		c := &comparison{versus: lower(m.Label), why: "no value to compare with"}
		c.value, c.ok = g.Value(0, 0)
		return c
	}
	var dates *filter
	for i := range f.page.filters {
		if fl := &f.page.filters[i]; fl.date && f.data.column(fl.Column) != nil {
			dates = fl
			break
		}
	}
	if dates == nil || dates.from == nil || dates.from.Time().Year() <= 1 || dates.to.Time().Year() >= 9999 {
		return &comparison{why: "choose a period to compare"}
	}
	from, to := *dates.from, *dates.to
	days := to - from + 1
	c := &comparison{versus: fmt.Sprintf("previous %d days", days)}
	if days == 1 {
		c.versus = "the day before"
	}
	if by == "previous_year" {
		from, to = cube.DayOf(from.Time().AddDate(-1, 0, 0)), cube.DayOf(to.Time().AddDate(-1, 0, 0))
		c.versus = "a year before"
	} else {
		from, to = from-days, from-1
	}
	// Data that begins inside the earlier period would make it look small.
	span, ok := f.data.cube.Span(f.data.cube.Select(), dates.Column, f.page.zone, 0)
	if !ok || span.Min > from {
		c.why = "nothing to compare with: the data begins " + f.page.date(span.Min.Time())
		return c
	}
	filters := f.page.cubeFilters()
	for i := range filters {
		if filters[i].Column == dates.Column {
			filters[i].From, filters[i].To = from, to
		}
	}
	g := f.data.cube.Group(f.data.cube.Select(filters...), q)
	if g.Len() == 0 {
		c.why = "no data in the " + strings.TrimPrefix(c.versus, "the ")
		if by == "previous_year" {
			c.why = "no data a year before"
		}
		return c
	}
	if g.Problem(0) != "" {
		c.why = "not comparable: nothing says how " + col.Label + " adds up"
		return c
	}
	c.value, c.ok = g.Value(0, 0)
	c.why = "no value in the earlier period"
	return c
}

// change is the difference in its own words: a percentage, or points of a
// percentage, or an amount when the other value is zero.
func (f *figure) change(col dashboard.Column, v float64, c *comparison) string {
	delta := v - c.value
	switch {
	case strings.HasPrefix(col.Format, "percent"):
		return signed(f.page.number(delta*100, 1), math.Round(delta*1000)) + nbsp + "pp"
	case c.value == 0:
		return signed(f.page.short(orInteger(col), delta), delta)
	}
	rate := delta / math.Abs(c.value)
	if math.Abs(rate) >= 10 {
		return signed(f.page.percent(rate, 0), rate)
	}
	return signed(f.page.percent(rate, 1), math.Round(rate*1000))
}

// direction is -1, 0 or 1, as the change is written.
func (f *figure) direction(col dashboard.Column, v float64, c *comparison) int {
	digits := strings.ContainsAny(f.change(col, v, c), "123456789")
	switch {
	case !digits || v == c.value:
		return 0
	case v > c.value:
		return 1
	}
	return -1
}

// versus is the comparison in words.
func (f *figure) versus(col dashboard.Column, v float64, c *comparison) string {
	if !c.ok {
		return c.why
	}
	was := f.page.value(orInteger(col), c.value)
	switch f.direction(col, v, c) {
	case 1:
		return fmt.Sprintf("up %s from %s (%s)", strings.TrimPrefix(f.change(col, v, c), "+"), was, c.versus)
	case -1:
		return fmt.Sprintf("down %s from %s (%s)", strings.TrimPrefix(f.change(col, v, c), minus), was, c.versus)
	}
	return fmt.Sprintf("unchanged from %s (%s)", was, c.versus)
}

// drawDelta writes arrow, sign and word, so that colour says nothing alone.
func (f *figure) drawDelta(d *doc, col dashboard.Column, v float64, c *comparison) {
	if !c.ok {
		d.add(h(`<p class="cmp">`), upper(c.why), h(`</p>`))
		return
	}
	way := f.direction(col, v, c)
	tone := ""
	switch {
	case way == 0 || col.Good == "":
	case (way > 0) == (col.Good == "up"):
		tone = "good"
	default:
		tone = "bad"
	}
	arrow, word := h(`▲`), h(`up from `)
	switch way {
	case 0:
		arrow, word = h(`＝`), h(`same as `)
	case -1:
		arrow, word = h(`▼`), h(`down from `)
	}
	d.add(h(`<p class="cmp"><span class="pill`), toneClass(tone), h(`"><span aria-hidden="true">`), arrow, h(`</span> `), f.change(col, v, c), h(`</span> `), word)
	was := f.page.value(orInteger(col), c.value)
	if utf8.RuneCountInString(was) > 12 {
		was = f.page.short(orInteger(col), c.value)
	}
	d.add(was, h(` <span class="vs">vs `), c.versus, h(`</span></p>`))
}

// spark works out the small line under a KPI.
func (f *figure) spark(q cube.Query) []point {
	m := q.Measures[0]
	additive := m.Agg != cube.None && (m.Over == nil || m.Over.Agg != cube.None)
	span, ok := f.data.cube.Span(f.data.rows, f.panel.Sparkline, f.page.zone, 120)
	if !ok || !additive && span.Distinct > 400 {
		return nil
	}
	grain := cube.Exact
	if additive && span.Distinct > 120 {
		switch days := span.Max - span.Min + 1; {
		case days <= 120:
			grain = cube.Daily
		case days <= 7*120:
			grain = cube.Weekly
		case days <= 30*240:
			grain = cube.Monthly
		default:
			grain = cube.Yearly
		}
	}
	q.By = []cube.Dim{{Column: f.panel.Sparkline, Grain: grain, Zone: f.page.zone}}
	g := f.data.cube.Group(f.data.rows, q)
	if g.Problem(0) != "" {
		return nil
	}
	var at []time.Time
	var vs []float64
	for i := range g.Len() {
		t, isTime := g.Category(i, 0).Value.(time.Time)
		if v, ok := g.Value(i, 0); ok && isTime {
			at, vs = append(at, t), append(vs, v)
		}
	}
	// A week or month that has only just begun would end the line in a fall
	// that is not there.
	if n := len(vs); n > 3 && (grain == cube.Weekly || grain == cube.Monthly || grain == cube.Yearly) {
		if first := cube.DayOf(at[0]); first < span.Min {
			at, vs = at[1:], vs[1:]
		}
		if last := cube.DayOf(at[len(at)-1]); grain.Next(last) > span.Max+1 {
			at, vs = at[:len(at)-1], vs[:len(vs)-1]
		}
	}
	if len(vs) < 2 {
		return nil
	}
	lo, hi := vs[0], vs[0]
	for _, v := range vs {
		lo, hi = min(lo, v), max(hi, v)
	}
	y := func(v float64) int {
		if hi/2-lo/2 < negligible {
			return 500
		}
		return int(950 - (v/2-lo/2)/(hi/2-lo/2)*900 + 0.5)
	}
	total := float64(at[len(at)-1].Sub(at[0]))
	out := make([]point, len(vs))
	for i, v := range vs {
		out[i] = point{x: int(float64(at[i].Sub(at[0]))/total*1000 + 0.5), y: y(v)}
	}
	return out
}

// toneOf returns the tone of the threshold that v meets most closely.
func toneOf(ts []dashboard.Threshold, column string, v float64) string {
	tone, nearest := "", math.Inf(1)
	for _, t := range ts {
		if t.Column != "" && t.Column != column {
			continue
		}
		met := false
		switch t.If {
		case ">=":
			met = v >= t.Value
		case ">":
			met = v > t.Value
		case "<=":
			met = v <= t.Value
		case "<":
			met = v < t.Value
		case "=":
			met = v == t.Value
		}
		if far := math.Abs(v - t.Value); met && far < nearest {
			tone, nearest = t.Tone, far
		}
	}
	return tone
}

// drawTone puts a sign and a word beside what a tone colours.
func drawTone(d *doc, tone string) {
	switch tone {
	case "good":
		d.add(h(`<i class="tn" aria-hidden="true">✓</i><span class="vh"> (good)</span>`))
	case "warn":
		d.add(h(`<i class="tn" aria-hidden="true">!</i><span class="vh"> (warning)</span>`))
	case "bad":
		d.add(h(`<i class="tn" aria-hidden="true">✕</i><span class="vh"> (bad)</span>`))
	case "info":
		d.add(h(`<i class="tn" aria-hidden="true">i</i><span class="vh"> (note)</span>`))
	}
}
