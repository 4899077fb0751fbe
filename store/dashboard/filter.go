package dashboard

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"service/store/dashboard/cube"
	"service/store/suggest"
)

// filterGrains are the periods that a filter on dates can list.
var filterGrains = []string{
	string(cube.Daily), string(cube.Weekly), string(cube.Monthly), string(cube.Quarterly), string(cube.Yearly),
}

// The hints for groups of names that others use for multiple and locked.
const (
	multipleHint = `"multiple": false makes it a choice of exactly one value; without it any number can be chosen`
	lockedHint   = `"locked": true, with a "default", shows what the page is narrowed to and lets nobody change it`
)

// choosing reads how readers choose: one value or several, of which periods, and whether at all.
func (f *Filter) choosing(o *object) {
	f.Single = o.has("multiple") && !o.boolean("multiple")
	f.Grain = cube.Grain(o.enum("grain", filterGrains, otherGrains))
	f.Locked = o.boolean("locked")
	if f.Single && f.Grain == "" && len(f.Default) > 1 {
		o.problems.addf(o.at("default"), `has %d values, and "multiple": false takes one`, len(f.Default))
	}
	if f.Locked && len(f.Default) == 0 && !o.has("default") {
		o.problems.addf(o.at("locked"), `needs a "default": what the filter keeps`)
	}
}

// choice checks the way in which readers choose against the type of the column, and the default against the column's rows in with, as far
// as they are known.
func (c *checker) choice(path string, f *Filter, col *Column, with []*resolved) {
	switch {
	case !isTime(col.Type) && f.Grain != "":
		c.problems.addf(join(path, "grain"), "is about dates, and %s is of type %s; leave it out", quote(f.Column), col.Type)
	case !isTime(col.Type):
		c.unknownDefaults(path, f, with)
	case f.Single && f.Grain == "":
		c.problems.add(Problem{
			Path: join(path, "grain"), Message: fmt.Sprintf(`is missing: %s is of type %s, and "multiple": false is a choice of one period of it`,
				quote(f.Column), col.Type), Allowed: filterGrains,
		})
	case f.Single && len(f.Default) > 0:
		_, _, ranged := Period(f.Default, time.UTC, 0, time.Time{}) // a range that is not valid is refused elsewhere
		if _, ok := f.PeriodOf(c.spec.Location(), c.spec.Week(), time.Now()); ranged && !ok {
			c.problems.addf(join(path, "default"), `is not one %s; write %s, or the first and the last day of one`,
				f.Grain, strings.Join(quoted(onePeriod[f.Grain]), " or "))
		}
	}
}

// onePeriod are the ranges that are one period of a grain.
var onePeriod = map[cube.Grain][]string{
	cube.Daily: {"yesterday", "today"}, cube.Weekly: {"last_week", "this_week"}, cube.Monthly: {"last_month", "this_month"},
	cube.Quarterly: {"last_quarter", "this_quarter"}, cube.Yearly: {"last_year", "this_year"},
}

// PeriodOf returns the first day of the period that is the default of a filter with a grain; ok is false if the default is not one whole
// period. A period that is not over yet counts as whole.
func (f *Filter) PeriodOf(zone *time.Location, week cube.Weekday, now time.Time) (begun cube.Day, ok bool) {
	from, to, ok := Period(f.Default, zone, week, now)
	if !ok || from.IsZero() {
		return 0, false
	}
	begun = cube.DayOf(from)
	if f.Grain.Floor(begun, week) != begun {
		return 0, false
	}
	whole := f.Grain.Next(begun)-1 == cube.DayOf(to)
	return begun, whole || len(f.Default) == 1 && slices.Contains(onePeriod[f.Grain], f.Default[0])
}

// unknownDefaults warns of values of the default that no row has.
func (c *checker) unknownDefaults(path string, f *Filter, with []*resolved) {
	if len(f.Default) == 0 {
		return
	}
	var all []string
	for _, set := range with {
		if set.rows == nil || set.rows.Rows() == 0 {
			return // it may have them
		}
		g := set.rows.Group(set.rows.Select(), cube.Query{By: []cube.Dim{{Column: f.Column}}})
		for i := range g.Len() {
			if v := g.Category(i, 0).Value; v != nil {
				all = append(all, cube.Label(v))
			}
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	for _, v := range f.Default {
		if _, ok := slices.BinarySearch(all, v); ok {
			continue
		}
		const most = 3
		like := suggest.Names(v, all, most)
		noun := "the nearest are"
		if len(like) == 0 {
			noun, like = "there are", all[:min(len(all), most)]
		}
		c.warnf(WarnDefaultUnknown, join(path, "default"), "no row has the value %s of %s at present; %s %s.",
			quote(v), quote(f.Column), noun, strings.Join(quoted(like), ", "))
	}
}

// chosen returns the columns of a dataset of which readers always see exactly one value: those with a filter that requires one. For dates,
// the rows must not have a finer grain than the filter.
func (c *checker) chosen(set *resolved) []string {
	if set == nil {
		return nil
	}
	if set.chosen != nil {
		return set.chosen
	}
	out := []string{}
	for i := range c.spec.Filters {
		f := &c.spec.Filters[i]
		col := find(set.columns, f.Column)
		if !f.Single || col == nil || !f.Narrows(set.ID) {
			continue
		}
		if isTime(col.Type) && !c.steps(set, col, f.Grain) {
			continue
		}
		out = append(out, f.Column)
	}
	set.chosen = out
	return out
}

// steps reports whether each period of a grain has at most one time of a column, as far as the rows are known.
func (c *checker) steps(set *resolved, col *Column, grain cube.Grain) bool {
	if set.rows == nil {
		return col.Type == cube.Date // the page judges the rows
	}
	dim := cube.Dim{Column: col.Name, Zone: c.spec.Location()}
	times := set.rows.Group(set.rows.Select(), cube.Query{By: []cube.Dim{dim}}).Len()
	dim.Grain, dim.Week = grain, c.spec.Week()
	return grain != "" && times == set.rows.Group(set.rows.Select(), cube.Query{By: []cube.Dim{dim}}).Len()
}
