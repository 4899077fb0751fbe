package panel

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
)

// Where a page has a filter on a column, the names of its values are links to the page
// with that value as the filter: in the tables behind figures, in tables, legends and
// lists. They are complete without script, reached by keyboard, and read out. Marks are
// no links of their own, for there are hundreds: the script has a click on one follow
// the link of its row in the table behind.

// A pick makes the links that narrow the page to a value of a column, or take that away.
type pick struct {
	filter *Filter
	week   cube.Weekday // on which weeks begin
	clock  bool         // of a column of times: some are not at midnight
	to     string       // the address up to the value
	off    string       // the address without one
}

// pick returns what makes the links of a column's values, or nil when there are none:
// when no filter on it narrows the panel's rows, or its author has switched them off.
func (p *Panel) pick(column string) *pick {
	if p.Data == nil || p.Spec.Click == "none" {
		return nil
	}
	i := slices.IndexFunc(p.Env.Filters, func(f Filter) bool { return f.Column == column && f.of(p.Data) })
	if i < 0 || p.Env.Filters[i].Locked {
		return nil
	}
	k := &pick{filter: &p.Env.Filters[i], week: p.Env.week}
	keep := p.Env.Kept()
	for _, name := range FilterParams(column) {
		delete(keep, name)
	}
	k.off = "?" + keep.Encode()
	if k.to = k.off; len(keep) > 0 {
		k.to += "&"
	}
	k.to += url.QueryEscape("f."+column) + "="
	k.clock = k.filter.Date && p.Data.Span(column).Clock
	return k
}

// way is the link of a value; times stand for periods that begin with them.
func (k *pick) way(c cube.Category, grain cube.Grain) canvas.Way {
	if k == nil || c.Other {
		return canvas.Way{}
	}
	if k.clock && grain == cube.Exact { // a filter knows no hours
		return canvas.Way{}
	}
	value, on, ok := k.filter.value(c, grain)
	if k.filter.Date && k.filter.Single {
		value, on, ok = k.filter.onePeriod(c, grain, k.week)
	}
	switch {
	case !ok, on && k.filter.Single && !k.filter.Changed: // one value there is always
		return canvas.Way{}
	case !on:
		return canvas.Way{To: k.to + url.QueryEscape(value)}
	case k.filter.Changed:
		return canvas.Way{To: k.off, On: true}
	case k.filter.Date: // the default is what is taken away
		return canvas.Way{To: k.to + "all", On: true}
	}
	return canvas.Way{To: k.to, On: true}
}

// maxPicked is how many bytes a value has at most that a link has room for.
const maxPicked = 400

// value is a category as a value of the filter, and whether the filter is set to it
// alone. It is not ok for what the filter cannot be set to: hours, or no time at all.
func (f *Filter) value(c cube.Category, grain cube.Grain) (value string, on, ok bool) {
	if !f.Date {
		on = !f.All && len(f.Values)+stat.One(f.null) == 1
		if c.Value == nil {
			return nullValue, on && f.null, true
		}
		label := cube.Label(c.Value)
		if len(label) > maxPicked {
			return "", false, false
		}
		return encodeValue(label), on && !f.null && f.Values[0] == label, true
	}
	t, isTime := c.Value.(time.Time)
	if !isTime || grain == cube.Minutely || grain == cube.Hourly {
		return "", false, false
	}
	from := cube.DayOf(t)
	to := from
	if grain != cube.Exact {
		to = grain.Next(from) - 1
	}
	if f.From != nil { // a period at its end is shown in part
		from, to = max(from, *f.From), min(to, *f.To)
		on = from == *f.From && to == *f.To
	}
	return period(from, to), on, from <= to
}

// onePeriod is [Filter.value] of a filter that takes exactly one period: that of the time, unless it is longer.
func (f *Filter) onePeriod(c cube.Category, grain cube.Grain, week cube.Weekday) (value string, on, ok bool) {
	t, isTime := c.Value.(time.Time)
	if !isTime || f.From == nil || grain.Size() > f.step.Size() {
		return "", false, false
	}
	from := f.step.Floor(cube.DayOf(t), week)
	return period(from, f.step.Next(from)-1), from == *f.From, true
}

// period writes days as the value of a filter, which readPeriod reads.
func period(from, to cube.Day) string {
	if from == to {
		return from.Time().Format(time.DateOnly)
	}
	return from.Time().Format(time.DateOnly) + ".." + to.Time().Format(time.DateOnly)
}

func readPeriod(s string) (from, to time.Time, ok bool) {
	first, last, two := strings.Cut(s, "..")
	if !two {
		last = first
	}
	from, err1 := time.Parse(time.DateOnly, first)
	to, err2 := time.Parse(time.DateOnly, last)
	if err1 == nil && err2 == nil && to.Before(from) { // what was meant is plain
		from, to = to, from
	}
	return from, to, err1 == nil && err2 == nil && from.Year() > 0
}

// A Mark is the value of a column that a name on a figure stands for.
type Mark struct {
	Column string
	grain  cube.Grain // of times
	cube.Category
}

// ways makes the links of a panel's names.
type ways struct {
	panel *Panel
	picks map[string]*pick
}

// Ways returns the links of the panel's names.
func (p *Panel) Ways() *ways { return &ways{p, map[string]*pick{}} }

// Of is the link of what a name stands for, if it stands for a value: the panel's own,
// where it takes no values but that one and those of its row, or else the one that
// filters.
func (w *ways) Of(m *Mark, row ...*Mark) canvas.Way {
	if m == nil || m.Other {
		return canvas.Way{}
	}
	if to := w.panel.drill(append(row, m)...); to != "" {
		return w.counted(canvas.Way{To: to})
	}
	k, ok := w.picks[m.Column]
	if !ok {
		k = w.panel.pick(m.Column)
		w.picks[m.Column] = k
	}
	return w.counted(k.way(m.Category, m.grain))
}

// At is the panel's own link from a number that stands for the values of its row and of
// its column, where the name of neither has it.
func (w *ways) At(row []*Mark, head *Mark) canvas.Way {
	if w.panel.Spec.Link == "" || head == nil || w.panel.drill(row...) != "" || w.panel.drill(head) != "" {
		return canvas.Way{}
	}
	return w.counted(canvas.Way{To: w.panel.drill(append(row, head)...)})
}

// counted is a link while there is room for it.
func (w *ways) counted(to canvas.Way) canvas.Way {
	if w.panel.Env.linked += len(to.To); w.panel.Env.linked > maxLinked {
		return canvas.Way{}
	}
	return to
}

// maxLinked is how many bytes the addresses of a page's links have at most: each
// repeats what the reader has chosen, which can be long.
const maxLinked = 1 << 20

// Marks returns the values that the names in a row of the grid stand for.
func (g *Grid) Marks(row []any) []*Mark {
	var out []*Mark
	for j := range row {
		if m := g.Columns[j].Mark(row[j]); m != nil {
			out = append(out, m)
		}
	}
	return out
}

// row is the row of the table behind whose link a mark follows, from 1; 0 for none.
func row(i int, w canvas.Way) int {
	if w.To == "" {
		return 0
	}
	return i + 1
}

// Mark is what a cell of a grid stands for, if that is one value of a dimension.
func (c *Column) Mark(v any) *Mark {
	cat, ok := v.(cube.Category)
	if !ok || c.merged || c.extra || c.Role != dashboard.Dimension {
		return nil
	}
	if c.values != nil {
		if cat, ok = c.values[cat.Value]; !ok {
			return nil
		}
	}
	return &Mark{c.Name, cmp.Or(c.Grain, c.every), cat}
}
