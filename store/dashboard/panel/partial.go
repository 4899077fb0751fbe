package panel

import (
	"slices"
	"strings"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
	"service/store/dashboard/locale"
)

// A period is incomplete if it was not over at the time of the data, or if a filter or a parameter cuts it: see [dashboard.Periods].

// asOf returns the time of the data.
func (p *Env) asOf() time.Time {
	at := p.AsOf
	if at.IsZero() {
		at = p.Now
	}
	return p.Spec.DataEnd(at).In(p.Zone)
}

// A cutter finds the incomplete periods of one column.
type cutter struct {
	dashboard.Periods
	p      *Rows
	column string
	rolled bool // the rows are finer than the periods
}

// cutter returns nil if the periods of a column have no length.
func (p *Rows) cutter(col dashboard.Column, step cube.Grain, rolled bool) *cutter {
	if step == cube.Exact || !col.Type.IsTime() {
		return nil
	}
	all := p.Data.Span(col.Name)
	if !all.OK {
		return nil
	}
	c := &cutter{p: p, column: col.Name, rolled: rolled}
	c.Periods = dashboard.Periods{
		Step: step, At: dashboard.ClockOf(col.Type, p.Env.asOf()), Min: all.Min, Max: all.Max,
		Ranges: p.Env.Spec.Ranges(p.Data.Dataset, p.Env.asOf()),
	}
	if rolled {
		c.Busy = func() [7]bool { return *p.Data.Busy(col.Name) }
	}
	return c
}

// why returns the reason why the period that begins at a time is incomplete, and its first and last day with data; "" if it is complete.
func (c *cutter) why(t time.Time) (reason locale.Key, from, to cube.Day) {
	if c.Step == cube.Minutely || c.Step == cube.Hourly {
		if c.Open(t) {
			reason = "not over"
		}
		return reason, cube.DayOf(t), cube.DayOf(t)
	}
	from, to, cut := c.Cut(cube.DayOf(t))
	if cut {
		reason = "cut by a parameter"
	}
	for i := range c.p.Env.Filters {
		f := &c.p.Env.Filters[i]
		if f.Column != c.column || f.From == nil || !c.rolled || !f.of(c.p.Data) {
			continue
		}
		if from < *f.From && *f.From <= to && c.rows(from, *f.From-1) {
			reason, from = "cut by the filter", *f.From
		}
		if from <= *f.To && *f.To < to && c.rows(*f.To+1, to) {
			reason, to = "cut by the filter", *f.To
		}
	}
	if c.Open(t) {
		if reason, to = "not over", min(to, cube.DayOf(c.At)); c.finer() && c.Max >= from {
			to = min(to, c.Max)
		}
	}
	return reason, from, to
}

// finer reports whether the rows are of shorter periods than those of the axis, whatever grain the panel asks for.
func (c *cutter) finer() bool {
	own := c.p.Data.GrainsOf(c.column)
	return c.rolled && len(own) > 0 && own[0].Size() < c.Step.Size()
}

// rows reports whether some days have rows.
func (c *cutter) rows(from, to cube.Day) bool {
	f := cube.Filter{Column: c.column, From: from, To: to, Zone: c.p.Env.Zone}
	return len(c.p.Data.Select(f)) > 0
}

// findPartial marks the incomplete periods of an axis of times, reports them, and removes them if the panel hides them.
func (s *split) findPartial(p *Rows, rolled bool) {
	s.partial = nil
	if p.Spec.Partial == "show" {
		return
	}
	step := s.step
	if step == cube.Exact && !s.span.Clock {
		step = cube.Daily
	}
	c := p.cutter(s.xcol, step, rolled)
	if c == nil {
		return
	}
	partial := make([]bool, len(s.x))
	hide := p.Spec.Partial == "hide"
	for i, x := range s.x {
		reason, from, to := c.why(x.Value.(time.Time))
		if reason == "" {
			if p.Spec.Partial != "" && c.Rests(x.Value.(time.Time)) {
				p.report(encode.Warned(dashboard.WarnKeyIgnored, "partial", "%s counts as over, because the days that are left of it never "+
					"have rows; rows with 0 for such days let it count as not over.", p.Env.Cell(s.xcol, s.grain, x)))
			}
			continue
		}
		partial[i] = true
		name, why := p.Env.Cell(s.xcol, s.grain, x), p.Env.Text(reason)
		switch {
		case hide:
			p.report(encode.Noted("%s is left out: it is %s.", name, why))
		case step == cube.Daily || step == cube.Hourly || step == cube.Minutely:
			p.report(encode.Noted("%s is %s.", name, why))
		case from == to:
			p.report(encode.Noted("%s is %s: %s.", name, why, p.Env.DayMonth(from.Time())))
		default:
			p.report(encode.Noted("%s is %s: %s – %s.", name, why, p.Env.DayMonth(from.Time()), p.Env.DayMonth(to.Time())))
		}
	}
	switch {
	case !slices.Contains(partial, true):
	case hide:
		var x []cube.Category
		for i := range s.x {
			if !partial[i] {
				x = append(x, s.x[i])
			}
		}
		s.x = x
		if len(x) == 0 {
			p.Empty = p.Env.Text("Every period is incomplete, and incomplete ones are left out.")
		}
	default: // marked, or drawn like the others: nothing is lost, so the author gets no warning
		s.partial = partial
	}
}

// abbreviated returns a text without its last full stop, since another one follows.
func abbreviated(s string) string { return strings.TrimSuffix(s, ".") }

// isPartial reports whether a place on the axis is an incomplete period.
func (s *split) isPartial(x int) bool { return s.partial != nil && s.partial[x] }
