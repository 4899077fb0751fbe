package panel

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/canvas/text"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
	"service/store/dashboard/format"
)

var kpiFigure = Figure{
	Summarise: summariseKPI,
	Frame:     inCard,
	Small:     true,
	Behind:    NothingBehind,
}

// tilesFigure shows a large number for each value of a dimension.
var tilesFigure = Figure{Summarise: summariseKPI}

// A kpiPanel shows one large number.
type kpiPanel struct {
	*Panel
	col    dashboard.Column
	value  float64
	text   string
	tone   string
	met    string         // the name of the threshold that gives the tone; "" for none
	others []*comparison  // in the order of the spec; of those without a value for one reason, the first
	goal   *goal          // nil for none
	taken  string         // the time or the period of the value, or the reason why it has none; "" for that of all rows
	period *ownPeriod     // its period, if no filter selects one for a comparison; nil for none
	times  string         // the name of its period or, beside a line with a grain, the first and the last time of its rows; "" for none
	alone  bool           // its period is its own: no filter selects one
	line   []canvas.Point // the line under the number, of at least two points; nil for none
	open   bool           // the last period of the line is incomplete
	verbal bool           // it is a text, not a number
}

func summariseKPI(p *Panel) Content {
	spec := p.Spec
	col := p.col(spec.Value)
	if p.Problem != "" {
		return nil
	}
	if col.Type.IsTime() {
		return p.ofTime(*col)
	}
	if col.Role == dashboard.Dimension {
		return p.ofText(*col)
	}
	k := &kpiPanel{Panel: p, col: *col, text: format.None}
	p.hidesRunning(col)
	if k.alone = p.hasPeriod(col); k.alone {
		switch k.period = p.findPeriod(); {
		case k.period == nil && spec.Periodic():
			k.without(p.Env.Text("No period is complete yet."))
			return k
		case k.period != nil && len(p.Data.Rows) == 0:
			k.withoutRows()
			return k
		case k.period != nil:
			k.warnOfPeriod(k.period)
		}
	}
	d := p.Data
	q, tones := cube.Query{Measures: []cube.Measure{d.Measure(col)}}, p.toner()
	g := d.Group(d.Rows, cube.Query{Measures: append(slices.Clone(q.Measures), tones.measures()...)})
	if p.Problem = p.Data.Env.Unclear(g, 0); p.Problem != "" {
		return nil
	}
	v, ok := g.Value(0, 0)
	k.value = v
	p.Grid = &Grid{Columns: []Column{{Column: *col}}, Rows: [][]any{{nil}}}
	p.Summary = p.Env.Text("No value for these filters.")
	if ok {
		k.text = k.large(g.Exact(0, 0), v)
		of := tones.limits(g, 0, 1)
		k.meets(met(spec.Thresholds, of, p.comparing(v, of, spec.Value)))
		p.Grid.Rows[0][0] = g.Exact(0, 0)
		p.Summary = k.text + "."
	}
	if k.period != nil {
		k.times = k.period.name
	} else if k.grainOfLine() {
		k.times = k.timesOfRows()
	}
	switch k.taken = p.takenOf(col, g, ok); {
	case k.taken != "":
		p.Summary = k.text + ", " + p.Env.Inside(k.taken) + "."
	case k.times != "" && ok:
		k.taken = k.times
		p.Summary = k.text + " (" + k.taken + ")."
	case k.period != nil:
		k.withoutRows()
	}
	if len(spec.Compare) > 0 && ok {
		p.Summary = k.compared(q) + "."
	}
	if (spec.Target != 0 || spec.TargetBy != "") && ok {
		k.findGoal()
	}
	if spec.Sparkline != "" {
		if k.period != nil {
			p.Data = k.period.all
		}
		k.sparkline(q)
	}
	p.Summary = k.judged(p.Summary)
	return k
}

// meets sets the tone, and the name, of a threshold, which may be nil.
func (p *kpiPanel) meets(h *dashboard.Threshold) {
	if h != nil {
		p.tone, p.met = h.Tone, h.Label
	}
}

// judged returns a sentence, followed by the name of the threshold.
func (p *kpiPanel) judged(sentence string) string {
	if p.met == "" {
		return sentence
	}
	return sentence + " " + p.met + "."
}

// withoutRows names the period of which there is no value.
func (p *kpiPanel) withoutRows() {
	p.without(p.Env.Text("No rows in %s", p.period.name))
}

// without shows a reason in place of a number.
func (p *kpiPanel) without(why string) {
	p.Grid = &Grid{Columns: []Column{{Column: p.col}}, Rows: [][]any{{nil}}}
	p.taken = strings.TrimRight(why, ".。")
	p.Summary = p.text + ", " + p.Env.Inside(p.taken) + "."
}

// compared computes the comparisons, and returns the number and the comparisons in words.
func (p *kpiPanel) compared(q cube.Query) string {
	out := []string{p.text}
	if p.times != "" {
		out[0] += " (" + p.times + ")"
	} else if p.taken != "" {
		out = append(out, p.Env.Inside(p.taken))
	}
	for _, by := range p.Spec.Compare {
		var c *comparison
		if p.alone && dashboard.Previous(by) {
			c = p.comparePeriods(by, q)
		} else {
			c = p.compare(by, &p.col, p.value, q)
		}
		if !c.ok && slices.ContainsFunc(p.others, func(o *comparison) bool { return !o.ok && o.why == c.why }) {
			continue // the reason is there already
		}
		p.others = append(p.others, c)
		if base := p.large(c.base, c.base); c.ok && c.base != p.value && base != p.text {
			out[0] = p.Env.Text("%s (%s as compared)", p.text, base)
		}
		out = append(out, p.versus(p.col, c))
		if c.ok {
			p.addCompared(p.col, c)
		}
	}
	return strings.Join(out, ", ")
}

// large returns a number as text, in its short form if the text is long without its unit. exact is v in the type of the cube.
func (p *kpiPanel) large(exact any, v float64) string {
	if text := p.Env.Amount(format.OrInteger(p.col), exact); utf8.RuneCountInString(text) <= 14 {
		return p.Env.InUnit(p.col, text)
	}
	return p.Env.Brief(p.col, v)
}

// sketch returns the number with its tone and its sparkline, and its share of the target. Without these it returns nil, because the summary
// has the number.
func (p *kpiPanel) sketch() []string {
	var signs toneSigns
	sign := signs.of(p.tone)
	toned := func(lines []string) []string {
		return slices.Concat(lines, p.goal.sketch(), signs.words(p.Env))
	}
	switch {
	case p.line == nil && sign == "":
		return p.goal.sketch()
	case p.line == nil:
		return toned([]string{text.OneLine(p.text) + sign})
	}
	var vs []float64
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, at := range p.line {
		if at.Broken {
			vs = append(vs, math.NaN())
		}
		v := float64(-at.Y) // y grows downwards
		vs = append(vs, v)
		lo, hi = min(lo, v), max(hi, v)
	}
	return toned([]string{p.words(0, p.Grid.Rows[0][0]) + sign + "  " + spark(vs, 40, lo, hi)})
}

func (p *kpiPanel) Draw(c canvas.Canvas) {
	if p.verbal {
		c.Words(canvas.Clip(p.text, canvas.MaxCell), p.tone)
	} else {
		c.Number(p.text, p.tone)
	}
	for _, line := range []string{p.met, p.taken} {
		if line != "" {
			c.Delta(canvas.Delta{Missing: line})
		}
	}
	for _, other := range p.others {
		c.Delta(p.delta(other))
	}
	if p.goal != nil {
		p.goal.draw(c, p.markColor(p.Spec.Value))
	}
	if p.line != nil {
		c.Picture(canvas.Picture{Kind: canvas.SparkPicture, Height: 36})
		color := p.markColor(p.Spec.Value)
		c.Area(canvas.Area{Points: p.line, Floor: 1000, Color: color})
		for _, curve := range p.curves() {
			curve.Color, curve.Thin = color, true
			c.Curve(curve)
		}
		c.End()
	}
}

// curves returns the line under the number. The part to an incomplete last period is dashed.
func (p *kpiPanel) curves() []canvas.Curve {
	last := len(p.line) - 1
	if !p.open || p.line[last-1].Broken {
		return []canvas.Curve{{Points: p.line}}
	}
	out := []canvas.Curve{{Points: p.line[last-1:], Dashed: true}}
	if last > 1 {
		out = append(out, canvas.Curve{Points: p.line[:last]})
	}
	return out
}

func (p *Panel) addCompared(col dashboard.Column, c *comparison) {
	col.Label = format.Upper(c.versus)
	p.Grid.Columns = append(p.Grid.Columns, Column{Column: col})
	p.Grid.Rows[0] = append(p.Grid.Rows[0], c.value)
}

// compare finds the value with which the KPI is compared.
func (p *Rows) compare(by string, col *dashboard.Column, v float64, q cube.Query) *comparison {
	if !dashboard.Previous(by) {
		m := p.col(by)
		if p.Problem != "" {
			return &comparison{why: p.Env.Text("no measure to compare with")}
		}
		g := p.Data.Group(p.Data.Rows, cube.Query{Measures: []cube.Measure{p.Data.Measure(m)}})
		if p.Data.Env.Unclear(g, 0) != "" {
			return &comparison{why: p.Env.Text("not comparable: nothing says how %s adds up", m.Label)}
		}
		c := &comparison{base: v, versus: p.Env.Inside(m.Label), why: p.Env.Text("no value to compare with")}
		c.value, c.ok = g.Value(0, 0)
		return c
	}
	dates := p.datesFilter()
	if dates == nil {
		if along := p.Data.Along(col); along != nil && p.Data.Level(col) {
			return p.compareTimes(by, along, v, q)
		}
		p.reportOnce(encode.Warned(dashboard.WarnKeyIgnored, "compare",
			`the value is of all rows, and there is no change, until a reader chooses a period; `+
				`a filter on the date with a default, such as "last_90_days", shows both at once.`))
		return &comparison{why: p.Env.Text("choose a period to compare")}
	}
	c := &comparison{base: v}
	found := p.findDays(c, by, dates, p.Data.Level(col), func(from, to cube.Day) (v float64, some, clear bool) {
		g := p.during(dates.Column, from, to, q)
		if g.Len() == 0 || p.Data.Env.Unclear(g, 0) != "" {
			return 0, false, false
		}
		v, some = g.Value(0, 0)
		return v, some, true
	})
	if !found {
		return c
	}
	g := p.during(dates.Column, c.before[0], c.before[1], q)
	if g.Len() == 0 {
		return c
	}
	if p.Data.Env.Unclear(g, 0) != "" {
		c.why = p.Env.Text("not comparable: nothing says how %s adds up", col.Label)
		return c
	}
	c.value, c.ok = g.Value(0, 0)
	c.why = p.Env.Text("no value in the earlier period")
	return c
}

// datesFilter returns the filter on a date that selects the period of a comparison: the first that has both ends. It returns nil if
// no filter does.
func (p *Rows) datesFilter() *Filter {
	i := slices.IndexFunc(p.Env.Filters, func(f Filter) bool {
		return f.Date && f.of(p.Data) && f.From != nil && f.From.Time().Year() > 1 && f.To.Time().Year() < 9999
	})
	if i < 0 {
		return nil
	}
	return &p.Env.Filters[i]
}

// A daysValue returns the compared value over some days, whether there is one, and whether the rows of these days can be merged.
type daysValue func(from, to cube.Day) (v float64, some, clear bool)

// findDays sets the days of both periods of a comparison with a filter on a date, the name of the earlier one, and the reason if it has no
// value. The days of the filter that are not over are left out, unless the value is a stock, and c.base becomes the value without them. It
// returns false if no period can be compared.
func (p *Rows) findDays(c *comparison, by string, dates *Filter, stock bool, value daysValue) bool {
	from, to := *dates.From, *dates.To
	over := cube.DayOf(p.Env.asOf()) - 1
	switch cut := p.Spec.Partial != "show" && to > over && !stock; { // an incomplete period would look small
	case !cut:
	case p.inPeriods(dates.Column):
		if !p.untilPeriod(c, dates.Column, from, &to, over, value) {
			return false
		}
	default:
		if from > over {
			c.why = p.Env.Text("not compared: the period is not over")
			return false
		}
		if !p.untilYesterday(c, dates.Column, from, over, value) {
			return false
		}
		to = over
		if all := p.Data.Span(dates.Column); all.OK && all.Max >= from { // rows that come some days late are compared with as many days
			to = min(to, all.Max)
		}
	}
	c.own = [...]cube.Day{from, to}
	days := to - from + 1
	switch months := dates.months(); {
	case by == "previous_year":
		if from, to = monthsOn(from, -12), monthsOn(to, -12); months > 0 { // the last day of a February is that of the other year
			to = endMonthsOn(c.own[1], -12)
		}
		c.versus = p.Env.Text("a year before")
		c.why = p.Env.Text("no data a year before")
	case months > 0:
		c.versus = p.monthsBack(dates, &from, &to, months)
		c.why = p.Env.Text("no value in the earlier period")
	default:
		from, to = from-days, from-1
		c.versus = p.Env.Count(int(days), "the day before", "previous %d days")
		c.why = p.Env.Count(int(days), "no data in the day before", "no data in the previous %d days")
	}
	c.before = [...]cube.Day{from, to}
	// Data that begins within the earlier period would make it look small.
	span := p.Data.Span(dates.Column)
	if !span.OK || span.Min > from && !stock || span.Min > to {
		c.why = p.Env.Text("nothing to compare with: the data begins %s", p.Env.Date(span.Min.Time()))
		return false
	}
	return true
}

// monthsBack moves a period, or its complete part, back by a number of months, and returns the name of the earlier period.
func (p *Rows) monthsBack(dates *Filter, from, to *cube.Day, months int) string {
	now := from.Time().Year()
	*from, *to = monthsOn(*from, -months), endMonthsOn(*to, -months)
	first, last := from.Time(), to.Time()
	if *to+1 == monthsOn(*from, months) {
		for grain, each := range map[cube.Grain]int{cube.Monthly: 1, cube.Quarterly: 3, cube.Yearly: 12} {
			if each == months && grain.Floor(*from, p.Env.week) == *from {
				return p.Env.Cell(*p.Data.Column(dates.Column), grain, cube.Category{Value: first})
			}
		}
	}
	if first.Year() == now && last.Year() == now {
		return p.Env.DayMonth(first) + " – " + abbreviated(p.Env.DayMonth(last))
	}
	return p.Env.Date(first) + " – " + abbreviated(p.Env.Date(last))
}

// during groups the rows of some days, regardless of a filter on them.
func (p *Rows) during(dates string, from, to cube.Day, q cube.Query) *cube.Groups {
	filters := p.filtersDuring(dates, from, to)
	q.Measures = p.Data.WithFilters(q.Measures, filters)
	return p.Data.Group(p.Data.Select(filters...), q)
}

// filtersDuring returns the filters of the page, with some days instead of those of a filter on them.
func (p *Rows) filtersDuring(dates string, from, to cube.Day) []cube.Filter {
	filters, some := p.Env.cubeFilters(p.Data), false
	for i := range filters {
		if filters[i].Column == dates {
			filters[i].From, filters[i].To, some = from, to, true
		}
	}
	if !some {
		filters = append(filters, cube.Filter{Column: dates, From: from, To: to, Zone: p.Env.Zone})
	}
	return filters
}

// inPeriods reports whether the rows of a date column are weeks or longer periods, each at its first day.
func (p *Rows) inPeriods(dates string) bool {
	own := p.Data.GrainsOf(dates)
	return len(own) > 0 && own[0].Size() > cube.Daily.Size()
}

// untilPeriod prepares the comparison of rows that are whole periods. An incomplete last period cannot be cut: the panel reports it or, if
// it hides incomplete periods, excludes it. It returns false if no other period is left.
func (p *Rows) untilPeriod(c *comparison, dates string, from cube.Day, to *cube.Day, over cube.Day, value daysValue) bool {
	grain := p.Data.GrainsOf(dates)[0]
	begin := grain.Floor(over+1, p.Env.week)
	name := p.Env.Cell(*p.Data.Column(dates), grain, cube.Category{Value: begin.Time()})
	if s := p.Data.Span(dates); !s.OK || s.Max < begin {
		return true
	}
	if p.Spec.Partial == "hide" {
		if begin <= from {
			c.why = p.Env.Text("not compared: the period is not over")
			return false
		}
		*to = begin - 1
		v, ok, _ := value(from, *to)
		if ok && v != c.base {
			p.reportOnce(encode.Noted("Compared without %s, which is not over.", name))
		}
		c.base = v
		return ok
	}
	p.reportOnce(encode.Noted("%s is %s.", name, p.Env.Text("not over")))
	if p.Spec.Partial == "" {
		p.reportOnce(encode.Warned(dashboard.WarnIncomplete, "partial",
			"the last period is not over, and is compared as it is, because its rows are of whole periods; "+
				"show says that it is complete, hide leaves it out."))
	}
	return true
}

// untilYesterday sets the base of a comparison to the value of the complete days, and reports that if the result differs. It returns false
// if there is no such value.
func (p *Rows) untilYesterday(c *comparison, dates string, from, over cube.Day, value daysValue) bool {
	if s := p.Data.Span(dates); s.OK && s.Max <= over {
		return true // the data ends before
	}
	v, ok, clear := value(from, over)
	if !clear {
		c.why = p.Env.Text("not compared: no day of the period is over")
		return false
	}
	if ok && v != c.base {
		c.base = v
		p.reportOnce(encode.Noted("Compared without %s, which is not over.", p.Env.Date((over + 1).Time())))
		if p.Spec.Partial == "" {
			p.reportOnce(encode.Warned(dashboard.WarnIncomplete, "partial",
				"a day of the period is not over, so the comparison is without it; show compares with it."))
		}
	}
	return true
}

// change is [Settings.changed] of the number.
func (p *kpiPanel) change(c *comparison) string { return p.changed(p.col, c) }

// delta returns the comparison in the form in which it is drawn.
func (p *kpiPanel) delta(c *comparison) canvas.Delta {
	if !c.ok {
		return canvas.Delta{Missing: format.Upper(c.why)}
	}
	d := canvas.Delta{Way: c.direction(), Change: p.change(c), Was: p.wasText(p.col, c), Versus: c.versus, Tone: c.tone(&p.col)}
	if utf8.RuneCountInString(d.Was) > 12+utf8.RuneCountInString(p.Env.InUnit(p.col, "")) {
		d.Was = p.Env.Brief(p.col, c.value)
	}
	return d
}

// Long reports whether the panel shows a number that needs much space.
func (p *Panel) Long() bool {
	return slices.ContainsFunc(p.tiles(), func(k *kpiPanel) bool {
		n := canvas.Letters(k.text)
		if k.verbal {
			return false // it wraps, in a size of its own
		}
		if k.tone != "" {
			n += 2 // for the sign of the tone
		}
		return n > 11
	})
}
