package panel

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/cube"
)

// maxPeriods is the maximum number of periods in the list of a filter of dates: the newest ones.
const maxPeriods = 120

// stepOf returns the grain of the periods that a filter of dates lists: the spec's, or that of the rows if it is coarser than a day; else
// [cube.Exact].
func (p *Env) stepOf(f *Filter) cube.Grain {
	if f.Grain != "" {
		return f.Grain
	}
	own := cube.Exact
	for _, d := range p.Data {
		if d.Cube == nil || !f.of(d) {
			continue
		}
		if of := d.GrainsOf(f.Column); len(of) > 0 && (own == cube.Exact || of[0].Size() < own.Size()) {
			if own = of[0]; own.Size() <= cube.Daily.Size() {
				return cube.Exact
			}
		}
	}
	return own
}

// listPeriods lists the periods with rows, the newest first, and finds the newest complete one.
func (p *Env) listPeriods(f *Filter, col *dashboard.Column) {
	f.step = p.stepOf(f)
	if f.step == cube.Exact {
		return
	}
	dim := cube.Dim{Column: f.Column, Grain: f.step, Week: p.week, Zone: p.Zone}
	var of *dashboard.Periods
	for _, d := range p.Data {
		if d.Cube == nil || !f.of(d) {
			continue
		}
		g := d.Cube.Group(d.EveryRow(), cube.Query{By: []cube.Dim{dim}})
		for i := range g.Len() {
			if t, ok := TimeOf(g.Category(i, 0).Value); ok {
				f.begun = append(f.begun, cube.DayOf(t))
			}
		}
		if of == nil {
			all := d.Span(f.Column)
			of = &dashboard.Periods{
				Step: f.step, At: dashboard.ClockOf(col.Type, p.asOf()), Min: all.Min, Max: all.Max, Ranges: p.Spec.Ranges(d.Dataset, p.asOf()),
				Busy: func() [7]bool { return *d.Busy(f.Column) },
			}
		}
	}
	slices.SortFunc(f.begun, func(a, b cube.Day) int { return cmp.Compare(b, a) })
	f.begun = slices.Compact(f.begun)
	if len(f.begun) == 0 {
		return
	}
	f.last = f.begun[0]
	for _, day := range f.begun[:min(len(f.begun), maxPeriods)] {
		if of.Complete(day.Time()) {
			f.last = day
			break
		}
	}
}

// choosePeriod sets the period of a filter that takes exactly one.
func (p *Env) choosePeriod(f *Filter, query url.Values) {
	f.preset = "all"
	if len(f.begun) == 0 {
		return
	}
	def := f.last
	vanished := false
	if begun, ok := f.PeriodOf(p.Zone, p.week, p.Now); ok {
		if vanished = !slices.Contains(f.begun, begun); !vanished {
			def = begun
		}
	}
	now := def
	given := oneRange(query["f."+f.Column])
	if from, to := query.Get("f."+f.Column+".from"), query.Get("f."+f.Column+".to"); from+to != "" {
		given = []string{from + ".." + to}
	}
	missed := len(given) > 1
	if len(given) == 1 {
		begun, ok := p.periodOfAddress(f, given[0])
		if missed = !ok; ok {
			now = begun
		}
	}
	f.preset, f.From, f.To, f.Changed = custom, &now, new(f.step.Next(now)-1), now != def
	if missed {
		f.refused = append(f.refused, p.Text("The filter %s takes exactly one of its values, so it ignores the address and shows “%s”.",
			canvas.Clip(f.Name, 40), p.periodName(f, now)))
	}
	if vanished {
		f.notes = append(f.notes, p.Text("The filter %s shows “%s”, because no row has its default “%s”.",
			canvas.Clip(f.Name, 40), p.periodName(f, now), p.defaultName(f)))
	}
}

// defaultName returns the default of a filter of dates in words.
func (p *Env) defaultName(f *Filter) string {
	if len(f.Default) == 1 {
		return rangeLabel(p.Locale, f.Default[0])
	}
	out := make([]string, len(f.Default))
	for i, s := range f.Default {
		day, _ := dayOfAddress(s) // the parser has checked it
		out[i] = p.Date(day)
	}
	return strings.Join(out, " – ")
}

// periodOfAddress returns the first day of the period that an address names: by its first and last day, by its first day alone, or by the
// name of a range.
func (p *Env) periodOfAddress(f *Filter, value string) (begun cube.Day, ok bool) {
	asked := dashboard.Filter{Grain: f.step, Default: []string{value}}
	if begun, ok = asked.PeriodOf(p.Zone, p.week, p.Now); !ok {
		from, to, two := readPeriod(value)
		begun = cube.DayOf(from)
		end := cube.DayOf(to)
		ok = two && f.step.Floor(begun, p.week) == begun && (end == begun || end == f.step.Next(begun)-1)
	}
	return begun, ok && slices.Contains(f.begun, begun)
}

// periodName returns a period of the filter in words.
func (p *Env) periodName(f *Filter, begun cube.Day) string { return p.Time("", f.step, begun.Time()) }

// period returns the first day of the listed period that the filter is set to.
func (f *Filter) period() (begun cube.Day, ok bool) {
	if f.From == nil || f.preset != custom || f.step == cube.Exact || !slices.Contains(f.begun, *f.From) {
		return 0, false
	}
	return *f.From, f.step.Next(*f.From)-1 == *f.To
}

// coarsePresets are the ranges that a filter offers, by the grain of its periods.
var coarsePresets = map[cube.Grain][]string{
	cube.Weekly: {"last_week", "last_4_full_weeks", "last_13_full_weeks", "last_52_full_weeks", "this_year", "last_year", "all"},
	cube.Monthly: {
		"this_month", "last_month", "last_3_full_months", "last_12_full_months", "this_quarter", "last_quarter", "this_year", "last_year", "all",
	},
	cube.Quarterly: {"this_quarter", "last_quarter", "last_4_full_quarters", "last_8_full_quarters", "this_year", "last_year", "all"},
	cube.Yearly:    {"this_year", "last_year", "last_3_full_years", "last_5_full_years", "all"},
}

// presetsOf returns the ranges that fit the filter's periods, after other ranges of the spec or the address.
func (f *Filter) presetsOf() []string {
	out := presets
	if of, ok := coarsePresets[f.step]; ok {
		out = of
	}
	for _, name := range []string{f.preset, f.first()} {
		if !slices.Contains(out, name) && len(f.Default) < 2 && name != "" && name != custom {
			out = append([]string{name}, out...)
		}
	}
	return out
}

// Dates returns the ranges and periods in the list of the filter, in groups; the last one is for typed dates.
func (f *Filter) Dates(p *Env) [][]option {
	var ranges, periods []option
	begun, listed := f.period()
	if !f.Single {
		for _, name := range f.presetsOf() {
			ranges = append(ranges, option{name, rangeLabel(p.Locale, name), name == f.preset})
		}
	}
	for i, day := range f.begun {
		if on := listed && day == begun; i < maxPeriods || on {
			periods = append(periods, option{period(day, f.step.Next(day)-1), p.periodName(f, day), on})
		}
	}
	typed := option{custom, rangeLabel(p.Locale, custom), f.preset == custom && !listed}
	switch {
	case f.Single:
		return [][]option{periods}
	case len(periods) == 0:
		return [][]option{append(ranges, typed)}
	}
	return [][]option{ranges, periods, {typed}}
}
