package panel

import (
	"slices"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
)

// A kpi that is compared with an earlier period shows the period that a filter on a date selects. If the dataset has no such filter, it
// shows the last complete period of its grain, and names both periods. Without a comparison, it does so if its spec has partial beside
// grain, and no sparkline.

// An ownPeriod is the period of a kpi that no filter selects.
type ownPeriod struct {
	col      *dashboard.Column // its times
	grain    cube.Grain
	from, to cube.Day
	name     string
	running  string          // the name of a later period that has begun, "" for none
	all      *encode.Dataset // the rows of all periods
}

// hasPeriod reports whether the panel shows one period, no filter on a date defines it, and its number is not a stock, which has a time of
// its own.
func (p *Rows) hasPeriod(col *dashboard.Column) bool {
	if !slices.ContainsFunc(p.Spec.Compare, dashboard.Previous) && !p.Spec.Periodic() || p.Data.Level(col) {
		return false
	}
	return p.undated()
}

// undated reports whether the panel's dataset has no filter on a date.
func (p *Rows) undated() bool {
	return !slices.ContainsFunc(p.Env.Filters, func(f Filter) bool { return f.Date && f.of(p.Data) })
}

// hidesRunning limits a stock to the rows until the end of the last complete period, if the spec hides incomplete periods and readers have
// chosen no dates.
func (p *Rows) hidesRunning(col *dashboard.Column) {
	if p.Spec.Partial != "hide" || !p.Data.Level(col) || p.Spec.Sparkline == "" && !p.Spec.Periodic() ||
		slices.ContainsFunc(p.Env.Filters, func(f Filter) bool { return f.Date && f.Chosen() && f.of(p.Data) }) {
		return
	}
	if last := p.lastPeriod(p.Data); last != nil {
		p.Data = p.Data.Under(cube.Filter{
			Column: last.col.Name, From: p.Data.Span(last.col.Name).Min, To: last.to, Zone: p.Env.Zone,
		})
	}
}

// findPeriod returns the last complete period of the panel's times and limits the panel to its rows, or returns nil if no period is
// complete. All tiles of a facet show the same period.
func (p *Rows) findPeriod() *ownPeriod {
	var last *ownPeriod
	if f := p.family; f == nil {
		last = p.lastPeriod(p.Data)
	} else {
		if !f.sought {
			f.sought, f.period = true, p.lastPeriod(f.of.Data)
		}
		last = f.period
	}
	if last == nil {
		return nil
	}
	out := *last
	out.all = p.Data
	p.Data = p.Data.Under(cube.Filter{Column: out.col.Name, From: out.from, To: out.to, Zone: p.Env.Zone})
	return &out
}

// lastPeriod returns the last complete period of the times of a dataset; nil if no period is complete. With "partial": "show" the last
// period counts as complete.
func (p *Rows) lastPeriod(of *encode.Dataset) *ownPeriod {
	out := &ownPeriod{col: of.Times(p.Spec.PeriodDate())}
	if out.col == nil {
		return nil
	}
	for _, grain := range p.periodGrains(of, out.col) {
		begun, running := p.periodsOf(of, out.col, grain)
		if len(begun) == 0 {
			continue
		}
		out.grain, out.from, out.running = grain, begun[0], ""
		if running > begun[0] {
			out.running = p.Env.Cell(*out.col, grain, cube.Category{Value: running.Time()})
		}
		if earlier := grain.Floor(begun[0]-1, p.Env.week); covers(of, out.col.Name, earlier) {
			break
		}
	}
	if out.grain == cube.Exact {
		return nil
	}
	out.to = out.grain.Next(out.from) - 1
	out.name = p.Env.Cell(*out.col, out.grain, cube.Category{Value: out.from.Time()})
	return out
}

// periodGrains returns the grains of which the panel's period may be, in the order in which they are tried: that of the spec, that of the
// rows if it is longer than a day, or else the longest one of which the data have two complete periods.
func (p *Rows) periodGrains(of *encode.Dataset, col *dashboard.Column) []cube.Grain {
	own := of.GrainsOf(col.Name)
	rows := cube.Daily
	if len(own) > 0 && own[0].Size() > rows.Size() {
		rows = own[0]
	}
	if said := cube.Grain(p.Spec.Grain); said != "" && said != "auto" && said.Size() >= rows.Size() {
		return []cube.Grain{said}
	}
	if rows != cube.Daily {
		return []cube.Grain{rows}
	}
	return []cube.Grain{cube.Monthly, cube.Weekly, cube.Daily}
}

// periodsOf returns the first days of the complete periods that have rows, the newest first, and of the one of today if it has rows and is
// not complete.
func (p *Rows) periodsOf(of *encode.Dataset, col *dashboard.Column, grain cube.Grain) (out []cube.Day, running cube.Day) {
	all := of.Span(col.Name)
	periods := dashboard.Periods{
		Step: grain, At: dashboard.ClockOf(col.Type, p.Env.asOf()), Min: all.Min, Max: all.Max,
		Ranges: p.Env.Spec.Ranges(of.Dataset, p.Env.asOf()),
		Busy:   func() [7]bool { return *of.Busy(col.Name) },
	}
	g := of.Group(of.EveryRow(), cube.Query{By: []cube.Dim{{Column: col.Name, Grain: grain, Week: p.Env.week, Zone: p.Env.Zone}}})
	today := grain.Floor(cube.DayOf(p.Env.asOf()), p.Env.week)
	for i := range g.Len() {
		t, ok := g.Category(i, 0).Value.(time.Time)
		switch {
		case !ok:
		case p.Spec.Partial == "show" || periods.Complete(cube.DayOf(t).Time()):
			out = append(out, cube.DayOf(t))
		case cube.DayOf(t) == today:
			running = today
		}
	}
	slices.SortFunc(out, func(a, b cube.Day) int { return int(b - a) })
	return out, running
}

// warnOfPeriod reports to the author which period the number, or the numbers of a table, are of, if a later one has begun.
func (p *Rows) warnOfPeriod(of *ownPeriod) {
	if of.running == "" || p.Spec.Partial != "" {
		return
	}
	what, has, where := "the number is", "that", ""
	if p.Spec.Type != dashboard.KPI {
		what, has = "the numbers are", "those"
	}
	if p.Spec.PeriodDate() != "" {
		where = ", in the number and in the sparkline"
		if p.Spec.Type == dashboard.Table {
			where = ", in the numbers and in the small lines"
		}
	}
	p.report(encode.Warned(dashboard.WarnIncomplete, "partial",
		`%s of %s, the last complete %s; "partial": "show" has %s of %s, which is not over%s.`,
		what, of.name, of.grain, has, of.running, where))
}

// covers reports whether the data begin no later than the first day of a period that can have rows.
func covers(of *encode.Dataset, column string, from cube.Day) bool {
	busy, first := of.Busy(column), from
	for range 7 {
		if busy[first.Time().Weekday()] {
			break
		}
		first++
	}
	return of.Span(column).Min <= first
}

// comparePeriods compares the number of the panel's period with that of an earlier one: see [Rows.earlierPeriod].
func (p *kpiPanel) comparePeriods(by string, q cube.Query) *comparison {
	c := &comparison{base: p.value, why: p.Env.Text("no value in the earlier period")}
	of := p.period
	if of == nil {
		c.why = p.Env.Text("not compared: the period is not over")
		return c
	}
	from, to, name := p.earlierPeriod(of, by)
	c.versus = name
	if all := of.all.Span(of.col.Name); !all.OK || !covers(of.all, of.col.Name, from) {
		c.why = p.Env.Text("nothing to compare with: the data begins %s", p.Env.Date(all.Min.Time()))
		return c
	}
	g := p.during(of.col.Name, from, to, q)
	if g.Len() == 0 { // perhaps the period of another comparison has rows
		c.why = p.Env.Inside(p.Env.Text("No rows in %s", name))
		return c
	}
	if p.Data.Env.Unclear(g, 0) != "" {
		c.why = p.Env.Text("not comparable: nothing says how %s adds up", p.col.Label)
		return c
	}
	c.value, c.ok = g.Value(0, 0)
	return c
}

// earlierPeriod returns the first and the last day, and the name, of the period before that of a panel, or of the one a year before. For
// weeks, a year is 52 weeks. A period that is not over, which "partial": "show" shows, is compared with the same part of the earlier one,
// as charts compare it.
func (p *Rows) earlierPeriod(of *ownPeriod, by string) (from, to cube.Day, name string) {
	from = of.grain.Floor(of.from-1, p.Env.week)
	if by == dashboard.PreviousYear {
		if from = cube.DayOf(of.from.Time().AddDate(-1, 0, 0)); of.grain == cube.Weekly {
			from = of.from - 364
		}
	}
	to = of.grain.Next(from) - 1
	name = p.Env.Cell(*of.col, of.grain, cube.Category{Value: from.Time()})
	if until := p.partOf(of, from); until < to {
		to = until
		name = p.Env.Date(from.Time()) + " – " + abbreviated(p.Env.Date(to.Time()))
	}
	return from, to, name
}

// partOf returns the last day of the part of an earlier period, from its first day on, that is as long as the part of the panel's period
// that is over. Rows of whole periods have no such part: it is the end of the earlier period.
func (p *Rows) partOf(of *ownPeriod, from cube.Day) cube.Day {
	end, earlier := p.endOfRows(of.col.Name, of.grain), of.grain.Next(from)-1
	if own := of.all.GrainsOf(of.col.Name); end >= of.to || len(own) == 0 || own[0].Size() >= of.grain.Size() {
		return earlier
	}
	if of.grain.Size() <= cube.Weekly.Size() {
		return min(earlier, from+end-of.from)
	}
	now, then := of.from.Time(), from.Time()
	return min(earlier, endMonthsOn(end, 12*(then.Year()-now.Year())+int(then.Month())-int(now.Month())))
}
