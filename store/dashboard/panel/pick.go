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

// If a page has a filter on a column, the names of its values are links to the page with that value as the filter: in the tables behind
// figures, in tables, legends and lists. They work without script and by keyboard, and are read aloud. Marks are not links themselves,
// since there are hundreds: a click on one makes the script follow the link of its row in the table behind.

// A pick makes the links that filter the page by a value of a column, or remove that filter.
type pick struct {
	filter *Filter
	week   cube.Weekday // the first day of weeks
	clock  bool         // of a column of times: some are not at midnight
	to     string       // the address up to the value
	off    string       // the address without a value
}

// pick returns the maker of links of a column's values, or nil if no filter on the column applies to the panel's rows,
// or its author has switched links off.
func (p *Rows) pick(column string) *pick {
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

// way returns the link of a value; a time represents the period that begins with it.
func (k *pick) way(c cube.Category, grain cube.Grain) canvas.Way {
	if k == nil || c.Other {
		return canvas.Way{}
	}
	if k.clock && grain == cube.Exact { // filters have no hours
		return canvas.Way{}
	}
	value, on, ok := k.filter.value(c, grain)
	if k.filter.Date && k.filter.Single {
		value, on, ok = k.filter.onePeriod(c, grain, k.week)
	}
	switch {
	case !ok, on && k.filter.Single && !k.filter.Changed: // it always has a value
		return canvas.Way{}
	case !on:
		return canvas.Way{To: k.to + url.QueryEscape(value)}
	case k.filter.Changed:
		return canvas.Way{To: k.off, On: true}
	case k.filter.Date: // removing the filter restores the default
		return canvas.Way{To: k.to + "all", On: true}
	}
	return canvas.Way{To: k.to, On: true}
}

// maxPicked is the maximum length of a value in a link, in bytes.
const maxPicked = 400

// value returns a category as a value of the filter, and whether the filter is set to it alone. ok is false for values that the filter
// cannot have: hours, or NULL as a time.
func (f *Filter) value(c cube.Category, grain cube.Grain) (value string, on, ok bool) {
	if !f.Date {
		on = !f.All && len(f.Values)+stat.One(f.null) == 1
		if c.Value == nil {
			return dashboard.AddressNull, on && f.null, true
		}
		label := cube.Label(c.Value)
		if len(label) > maxPicked {
			return "", false, false
		}
		return dashboard.AddressValue(label), on && !f.null && f.Values[0] == label, true
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
	if f.From != nil { // a period at the end of the range is shown in part
		from, to = max(from, *f.From), min(to, *f.To)
		on = from == *f.From && to == *f.To
	}
	return period(from, to), on, from <= to
}

// onePeriod is [Filter.value] for a filter of exactly one period: the one that contains the time's period, unless that is longer.
func (f *Filter) onePeriod(c cube.Category, grain cube.Grain, week cube.Weekday) (value string, on, ok bool) {
	t, isTime := c.Value.(time.Time)
	if !isTime || f.From == nil || grain.Size() > f.step.Size() {
		return "", false, false
	}
	from := f.step.Floor(cube.DayOf(t), week)
	return period(from, f.step.Next(from)-1), from == *f.From, true
}

// period returns days as the value of a filter, which readPeriod reads.
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
	if err1 == nil && err2 == nil && to.Before(from) { // the intention is clear
		from, to = to, from
	}
	return from, to, err1 == nil && err2 == nil && from.Year() > 0
}

// A Mark is the value of a column that a name in a figure represents.
type Mark struct {
	Column string
	grain  cube.Grain // of times
	cube.Category
}

// ways makes the links of a panel's names.
type ways struct {
	panel *Rows
	picks map[string]*pick
}

// Ways returns the links of the panel's names.
func (p *Rows) Ways() *ways { return &ways{p, map[string]*pick{}} }

// Of returns the link of a name, if it represents a value: the panel's own link if it needs no values but that one and those of its row, or
// else the link that filters.
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

// At returns the panel's own link for a number that represents the values of its row and of its column, if neither of their names has it.
func (w *ways) At(row []*Mark, head *Mark) canvas.Way {
	if w.panel.Spec.Link == "" || head == nil || w.panel.drill(row...) != "" || w.panel.drill(head) != "" {
		return canvas.Way{}
	}
	return w.counted(canvas.Way{To: w.panel.drill(append(row, head)...)})
}

// counted returns a link if it fits into the limit of the page, else an empty one.
func (w *ways) counted(to canvas.Way) canvas.Way {
	if w.panel.Env.linked += len(to.To); w.panel.Env.linked > maxLinked {
		return canvas.Way{}
	}
	return to
}

// maxLinked is the maximum size of the addresses of a page's links in bytes: each repeats the reader's choices, which can be long.
const maxLinked = 1 << 20

// Marks returns the values that the names in a row of the grid represent.
func (g *Grid) Marks(row []any) []*Mark {
	var out []*Mark
	for j := range row {
		if m := g.Columns[j].Mark(row[j]); m != nil {
			out = append(out, m)
		}
	}
	return out
}

// row returns the row of the table behind whose link a mark follows, from 1; 0 for none.
func row(i int, w canvas.Way) int {
	if w.To == "" {
		return 0
	}
	return i + 1
}

// Mark returns the value that a cell of a grid represents, if that is one value of a dimension.
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
