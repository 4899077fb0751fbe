package panel

import (
	"cmp"
	"slices"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
)

// A reader can compare a line, or bars, of one measure along filtered times with the period before:
//
//	p3.before=1
const (
	askBefore = "before"
	yes       = "1"
)

// lineAsks are the parameters of a line or of bars.
var lineAsks = append(slices.Clone(grainAsks), ask{askBefore, func(p *dashboard.Panel) func(string) bool {
	one := comparable(p) && p.Facet == ""
	return func(v string) bool { return one && v == yes }
}})

// comparable reports whether a second line fits into a panel.
func comparable(p *dashboard.Panel) bool {
	return len(p.Compared()) == 1 && len(p.Y2) == 0 && p.Series == "" && (!p.Horizontal || p.Type == dashboard.Box)
}

// A before is the earlier period with which a panel is compared, as long as the period of its filter.
type before struct {
	asked    bool
	ofSpec   bool     // the spec asks for the comparison, not the reader
	from, to cube.Day // first and last day
	days     int      // by which it is earlier, or
	months   int
	begins   cube.Day // first day of the data, if it is within the period; else 0

	dates   string         // of categories and tables: the column of the days; "" for an axis of times
	names   [2]string      // of categories and tables: the names of the shown and of the earlier days
	rows    cube.Selection // of categories and tables: those of the earlier days
	reached bool           // of categories and tables: the data reach back to the earlier days

	reach *[2]places // of the values of both periods in all small plots; nil for those of the panel
	drawn bool       // it has values
	split *split     // of the period alone, at the places of the shown period; nil until it is computed
}

// offerBefore finds the period before the one that a filter on the axis selects, if there are data before it.
func (p *Rows) offerBefore(s *split) *before {
	if len(p.Spec.Compare) > 0 && comparable(p.Spec) {
		return p.compared(s)
	}
	if p.family != nil || !p.Figure.offers(askBefore) || !comparable(p.Spec) || !s.time {
		return nil
	}
	i := slices.IndexFunc(p.Env.Filters, func(f Filter) bool { return f.Column == s.xcol.Name && f.of(p.Data) })
	if i < 0 || p.Env.Filters[i].From == nil {
		return nil
	}
	b := p.periodBefore(&p.Env.Filters[i], s)
	if b != nil {
		b.asked = p.asked(askBefore) == yes
	}
	return b
}

// periodBefore returns the period before the one that a filter selects, or nil if the data begin later or its times have no common length.
func (p *Rows) periodBefore(f *Filter, s *split) *before {
	from, to := *f.From, *f.To
	if from.Time().Year() <= 1 || to.Time().Year() >= 9999 {
		return nil
	}
	b := &before{days: int(to-from) + 1}
	grain := s.stepOf(p)
	each := map[cube.Grain]int{cube.Monthly: 1, cube.Quarterly: 3, cube.Yearly: 12}[grain] // months
	switch months := f.months(); {
	case grain == cube.Exact: // such times are never next to each other
		return nil
	case grain == cube.Weekly:
		b.days = (b.days + 6) / 7 * 7
	case each == 0 && months == 1, each > 0 && months > 0 && months%each == 0:
		b.days, b.months = 0, months
	case each > 0:
		for b.days = 0; b.months == 0 || b.back(to) >= from; b.months += each {
		}
	}
	b.from, b.to = b.back(from), b.back(to)
	if each > 0 {
		b.to = b.lastOf(to)
	}
	return p.reached(b, s.xcol.Name)
}

// calendarMonths are the ranges that begin with a calendar period, with the months of that period.
var calendarMonths = map[string]int{"this_month": 1, "this_quarter": 3, "this_year": 12}

// months returns the number of months of a filter's period if it is a calendar period, the last of which may not be over; else 0. By days
// only single months can be compared: longer ranges differ in the lengths of their months.
func (f *Filter) months() int {
	if months := calendarMonths[f.preset]; months > 0 {
		return months
	}
	from, after := f.From.Time(), (*f.To + 1).Time()
	if from.Day() != 1 || after.Day() != 1 {
		return 0
	}
	return 12*(after.Year()-from.Year()) + int(after.Month()-from.Month())
}

// back returns the day of the earlier period that corresponds to a day of the shown one.
func (b *before) back(d cube.Day) cube.Day {
	if b.months == 0 {
		return d - cube.Day(b.days)
	}
	return monthsOn(d, -b.months)
}

// monthsOn returns the same day a number of months later, or the last day of a shorter month.
func monthsOn(d cube.Day, months int) cube.Day {
	t := d.Time()
	first := time.Date(t.Year(), t.Month()+time.Month(months), 1, 0, 0, 0, 0, time.UTC)
	last := first.AddDate(0, 1, -1).Day()
	return cube.DayOf(first.AddDate(0, 0, min(t.Day(), last)-1))
}

// endMonthsOn is [monthsOn] for the last day of a period: the last day of a month stays the last one.
func endMonthsOn(d cube.Day, months int) cube.Day {
	if after := d + 1; after.Time().Day() == 1 {
		return monthsOn(after, months) - 1
	}
	return monthsOn(d, months)
}

// forth returns the time of the shown period that corresponds to a time of the earlier one.
func (b *before) forth(t time.Time) time.Time { return t.AddDate(0, b.months, b.days) }

// addBefore adds the values of the earlier period to those of the only series, at the times of both, if the reader asked for them.
func (p *Panel) addBefore(s *split) {
	if p.Spec.Type == dashboard.Bar && len(p.Spec.Compare) > 0 && !s.time {
		return // nothing to compare with, which is reported
	}
	b := p.offerBefore(s)
	p.before = b
	if b == nil || !b.asked || !s.any() {
		return
	}
	measure := p.Data.Measure(s.series[0].col)
	g, all := p.groupsBefore(b, s.xcol.Name, cube.Query{By: []cube.Dim{s.dim}, Measures: []cube.Measure{measure}})
	if p.Data.Env.Unclear(g, 0) != "" {
		p.before = nil
		return
	}
	first, last := s.x[0].Value.(time.Time), s.x[len(s.x)-1].Value.(time.Time)
	each := func(g *cube.Groups, f func(group int, t time.Time)) {
		for i := range g.Len() {
			t, ok := g.Category(i, 0).Value.(time.Time)
			if !ok {
				continue
			}
			own := cube.DayOf(t)
			if t = b.forth(t); b.months > 0 && cube.DayOf(b.own(t)) != own { // a day that the shown period lacks, such as 29 February
				continue
			}
			if p.Spec.Partial != "hide" || !t.Before(first) && !t.After(last) {
				f(i, t)
			}
		}
	}
	groups, null := map[int64]int{}, map[int64]bool{} // by their time in the shown period; null are those without a value
	each(g, func(group int, t time.Time) {
		if null[t.UnixMicro()] = g.Exact(group, 0) == nil; !null[t.UnixMicro()] {
			groups[t.UnixMicro()] = group
		}
	})
	x := slices.Clone(s.x)
	each(all, func(group int, t time.Time) {
		if all.Exact(group, 0) != nil {
			x = append(x, cube.Category{Value: t})
		}
	})
	key := func(c cube.Category) int64 { return c.Value.(time.Time).UnixMicro() }
	slices.SortStableFunc(x, func(a, b cube.Category) int { return cmp.Compare(key(a), key(b)) })
	s.replace(slices.CompactFunc(x, func(a, b cube.Category) bool { return key(a) == key(b) }))
	if len(groups) == 0 {
		p.noteNothingBefore(s, b)
		return
	}
	s.series = append(s.series, seriesOf{name: p.Env.Text("Period before"), color: canvas.OtherColor, col: s.series[0].col})
	value, exact := make([]float64, len(s.x)), make([]any, len(s.x))
	begun := p.Data.Span(s.xcol.Name).Min
	for i, c := range s.x {
		if j, ok := groups[key(c)]; ok {
			value[i], _ = g.Value(j, 0)
			exact[i] = g.Exact(j, 0)
			continue
		}
		t := c.Value.(time.Time)
		own := b.own(t)
		if at := cube.DayOf(own); s.zeros != nil && !null[key(c)] && b.forth(own).Equal(t) && at >= max(b.from, begun) && at <= b.to {
			exact[i] = 0.0
		}
	}
	s.value, s.exact = append(s.value, value), append(s.exact, exact)
	s.null = append(s.null, make([]bool, len(s.x)))
	b.drawn = true
	p.noteBefore(s, b)
}

// noteNothingBefore reports that the earlier period has no values.
func (p *Rows) noteNothingBefore(s *split, b *before) {
	if from, to := p.endsBefore(s, b); to == "" {
		p.report(encode.Noted("No data in the period before, %s.", from))
	} else {
		p.report(encode.Noted("No data in the period before, %s – %s.", from, to))
	}
}

// A markedContent has marks of several numbers each, one of which is compared with an earlier period.
type markedContent interface {
	Content
	compared() *split // of one series: that number, at each place
}

// compareMarks finds the values of the earlier period for marks of several numbers each, at their places on the axis, if the spec compares
// with it. It computes the same panel over the rows of that period.
func (p *Panel) compareMarks(s *split) {
	if len(p.Spec.Compare) == 0 {
		return
	}
	b := p.offerBefore(s)
	if p.before = b; b == nil {
		return
	}
	data, spec := *p.Data, *p.Spec
	data.Rows = data.Select(p.filtersDuring(s.xcol.Name, b.from, b.to)...)
	spec.Compare, spec.Trend, spec.Average, spec.Thresholds, spec.Labels = nil, "", 0, nil, nil
	earlier, _ := p.over(&data, spec, s.grain).(markedContent)
	of, own := map[int64]any{}, *s
	if earlier != nil {
		for x, c := range earlier.compared().x {
			of[b.forth(c.Value.(time.Time)).UnixMicro()] = earlier.compared().exact[0][x]
		}
	}
	own.series = []seriesOf{{name: p.Env.Text("Period before"), color: canvas.OtherColor, col: s.series[0].col}}
	own.value, own.exact, own.null = [][]float64{make([]float64, len(s.x))}, [][]any{make([]any, len(s.x))}, [][]bool{make([]bool, len(s.x))}
	for x, c := range s.x {
		if v, ok := cube.Float(of[c.Value.(time.Time).UnixMicro()]); ok {
			own.value[0][x], own.exact[0][x] = v, of[c.Value.(time.Time).UnixMicro()]
		}
	}
	if !own.any() {
		p.noteNothingBefore(s, b)
		return
	}
	b.split, b.drawn = &own, true
	p.noteBefore(s, b)
	p.settleBefore(s)
	col := *s.series[0].col
	col.Label = p.Env.Text("Period before")
	p.Grid.Columns = append(p.Grid.Columns, Column{Column: col})
	for x := range p.Grid.Rows {
		p.Grid.Rows[x] = append(p.Grid.Rows[x], own.exact[0][x])
	}
	p.addChange(s)
	p.Summary += p.ofBefore()
}

// groupsBefore groups the rows of the period before: those of the panel and, because small plots have the same times, those of all of them.
func (p *Rows) groupsBefore(b *before, dates string, q cube.Query) (own, all *cube.Groups) {
	f := p.family
	if f == nil {
		own = p.during(dates, b.from, b.to, q)
		return own, own
	}
	q.By = append(slices.Clone(q.By), p.Data.Dim(f.of.Spec.Facet, cube.Exact))
	if f.earlier == nil {
		f.earlier = f.of.during(dates, b.from, b.to, q)
	}
	return f.earlier.Of(1, slices.Index(f.earlier.Axes[1], p.value)), f.earlier
}

// noteBefore adds a note with the periods or the days of the earlier period.
func (p *Rows) noteBefore(s *split, b *before) {
	switch from, to := p.endsBefore(s, b); {
	case b.begins > 0 && to == "":
		p.report(encode.Noted("The period before is %s; the data begin %s.", from, p.Env.Date(b.begins.Time())))
	case b.begins > 0:
		p.report(encode.Noted("The period before is %s – %s; the data begin %s.", from, to, p.Env.Date(b.begins.Time())))
	case to == "":
		p.report(encode.Noted("The period before is %s.", from))
	default:
		p.report(encode.Noted("The period before is %s – %s.", from, to))
	}
}

// endsBefore returns the names of the first and the last period of the axis in the period before, if both are compared as wholes, or else
// its first and last day. to is "" if there is only one.
func (p *Rows) endsBefore(s *split, b *before) (from, to string) {
	if b.dates != "" {
		return p.nameDays(b.dates, [2]cube.Day{b.from, b.to}, false), ""
	}
	first, last, grain := b.from, b.to, s.stepOf(p)
	if len(s.x) > 0 && p.Spec.Partial == "hide" { // the places after the last whole period are left out
		last = min(last, b.lastOf(grain.Next(cube.DayOf(s.x[len(s.x)-1].Value.(time.Time)))-1))
	}
	write := func(d cube.Day) string { return p.Env.Date(d.Time()) }
	if grain.Size() > cube.Daily.Size() {
		begin, end := grain.Floor(first, p.Env.week), grain.Floor(last, p.Env.week)
		if p.inPeriods(s.xcol.Name) || begin == first && grain.Next(end) == last+1 {
			first, last = begin, end
			write = func(d cube.Day) string { return p.Env.Cell(s.xcol, grain, cube.Category{Value: d.Time()}) }
		}
	}
	if from = write(first); last > first {
		to = write(last)
	}
	return from, to
}

// stepOf is the grain of the axis: the one to which times are rounded, or that of the rows.
func (s *split) stepOf(p *Rows) cube.Grain {
	if own := p.Data.GrainsOf(s.xcol.Name); s.dim.Grain == cube.Exact && len(own) > 0 {
		return own[0]
	}
	return s.dim.Grain
}

// lastOf is [before.back] of the last day of a period of the axis.
func (b *before) lastOf(d cube.Day) cube.Day {
	if b.months == 0 {
		return b.back(d)
	}
	return endMonthsOn(d, -b.months)
}

// own returns the time of the earlier period that corresponds to a time of the shown one.
func (b *before) own(t time.Time) time.Time {
	if b.months == 0 {
		return t.AddDate(0, 0, -b.days)
	}
	day := cube.DayOf(t)
	return t.AddDate(0, 0, int(b.back(day)-day))
}

// parted removes the values of the earlier period from s, to which they were added, and returns a split of the others.
func (p *Panel) parted(s *split) *split {
	b := p.before
	if b == nil || !b.drawn {
		return s
	}
	last := len(s.series) - 1
	b.split = s.part(last, last+1)
	own := s.part(0, last)
	p.settleBefore(own)
	return own
}

// settleBefore finds the gaps of the values of the earlier period, and names these beside the first series of s.
func (p *Panel) settleBefore(s *split) {
	b := p.before
	if b.dates != "" {
		b.split.series[0].name = b.names[1]
		return
	}
	f := p.gapsOf(b.split)
	if f.rhythm != nil { // its days of the week are those of its own times
		f.at = func(x int) time.Time { return b.own(s.x[x].Value.(time.Time)) }
	}
	f.findGaps(b.split, false)
	if b.ofSpec {
		b.split.series[0].name = p.nameCompared(s.part(0, 1))[1].name
	}
	if s.step.Size() <= cube.Daily.Size() { // its days are over; longer periods are cut like the others
		b.split.partial = nil
	}
}

// both returns the series of a panel, and that of the earlier period.
func (b *before) both(s *split) []seriesOf {
	if b == nil || b.split == nil {
		return s.series
	}
	return slices.Concat(s.series, b.split.series)
}

// each calls f for each value of the earlier period.
func (b *before) each(f func(v float64)) {
	if b == nil || b.split == nil {
		return
	}
	for x, v := range b.split.value[0] {
		if b.split.has(0, x) {
			f(v)
		}
	}
}

// addTo adds the line of the earlier period to the legend of a chart, which can be nil.
func (b *before) addTo(k *chart.Key) *chart.Key {
	if b == nil || b.split == nil {
		return k
	}
	if k == nil {
		k = &chart.Key{Kind: canvas.LegendList}
	}
	k.Items = append(k.Items, canvas.Item{Color: b.split.series[0].color, Line: true, Name: b.split.series[0].name})
	return k
}

// ofBefore returns the sentence about the earlier period, or "".
func (p *Panel) ofBefore() string {
	var values []any
	if p.before != nil && p.before.split != nil {
		values = slices.DeleteFunc(slices.Clone(p.before.split.exact[0]), func(v any) bool { return v == nil })
	}
	if len(values) == 0 {
		return ""
	}
	if p.before.dates != "" {
		return " " + p.Env.Text("Period before: %s", p.ofBars(p.before.split))
	}
	text := func(v any) string { return p.Env.Quantity(*p.before.split.series[0].col, v) }
	return " " + p.Env.Text("Period before: latest %s, lowest %s, highest %s.", text(values[len(values)-1]),
		text(slices.MinFunc(values, compareNumbers)), text(slices.MaxFunc(values, compareNumbers)))
}

// beforeLayer returns the earlier period as a thin line through places of the axis, over bars or under other lines.
// It returns nil without a comparison.
func (p *Panel) beforeLayer(at []float64, over bool) []chart.Layer {
	if p.before == nil || p.before.split == nil {
		return nil
	}
	lines := p.before.split.lines(at)
	for i := range lines {
		lines[i].Thin = true
	}
	return []chart.Layer{&chart.Lines{Lines: lines, Over: over, Light: true, Dots: chart.LoneDots, Radius: 2.5}}
}
