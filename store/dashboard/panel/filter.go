package panel

import (
	"cmp"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
	"service/store/dashboard/format"
	"service/store/dashboard/locale"
)

// Filters are in the query of the page's URL, so a link keeps them:
//
//	f.<column>=last_90_days        a date range by name
//	f.<column>=custom&f.<column>.from=2026-01-01&f.<column>.to=2026-03-31
//	f.<column>=2026-01-01..2026-03-31, or 2026-01-01 for one day: the same in short
//	f.<column>=2026-01-01&f.<column>=2026-03-31
//	f.<column>=DE&f.<column>=FR    text values
//	f.<column>=~null               NULL; ~empty is the empty text, and a value
//	                               that begins with ~ is written with ~~
//	f.<column>=                    none of them: all values, regardless of the default
//
// See choice.go for the search in values.
const (
	custom = "custom"

	maxOptions = 100     // check boxes of one filter; others can be typed
	maxListed  = 2 << 20 // bytes of the check boxes of all filters of a page; others can be typed
	maxChosen  = 1000    // values of one filter that are read from a URL
)

// A Filter is a filter of the spec with the viewer's choice.
type Filter struct {
	*dashboard.Filter
	Name string
	Date bool

	preset   string     // of a date: the name of a range, or custom
	From, To *cube.Day  // both nil for all
	step     cube.Grain // of the periods that it lists; [cube.Exact] if it lists none
	begun    []cube.Day // their first days, the newest first
	last     cube.Day   // the first day of the newest complete period

	All     bool // of other columns: all rows pass
	Values  []string
	null    bool
	Listed  []option
	More    int    // number of values without a check box
	Find    string // the text to find in the values
	Hits    int    // number of values that contain it
	Changed bool
	refused []string // values of the address that it cannot apply, in sentences
	notes   []string // other notes to readers, in sentences
}

// refuse reports that the filter cannot apply a value of the address.
func (p *Env) refuse(f *Filter, value string) {
	if len(f.refused) < 3 {
		f.refused = append(f.refused, p.Text("The filter %s cannot take “%s” and ignores it.", canvas.Clip(f.Name, 40), canvas.Clip(value, 40)))
	}
}

type option struct {
	Value, Label string
	Chosen       bool
}

// readFilters reads every filter whose column is in a dataset.
func (p *Env) readFilters() []Filter {
	var out []Filter
	for i := range p.Spec.Filters {
		f := Filter{Filter: &p.Spec.Filters[i]}
		var col *dashboard.Column
		for _, d := range p.Data {
			if c := d.Column(f.Column); c != nil && col == nil && f.Narrows(d.ID) {
				col = c
			}
		}
		if col == nil {
			continue
		}
		f.Name = cmp.Or(f.Label, col.Label)
		f.Date = col.Type.IsTime()
		if f.Date {
			p.listPeriods(&f, col)
			if f.Single {
				p.choosePeriod(&f, p.asksOf(&f))
			} else {
				p.readDates(&f, p.asksOf(&f))
			}
		} else {
			p.readValues(&f, *col)
		}
		out = append(out, f)
	}
	return out
}

func (p *Env) readDates(f *Filter, query url.Values) {
	def := cmp.Or(f.first(), "all")
	if len(f.Default) == 2 {
		def = custom
	}
	given := oneRange(query["f."+f.Column])
	if f.preset = def; len(given) > 0 {
		f.preset = cmp.Or(given[0], def)
	}
	if len(given) > 1 {
		for _, v := range given[1:] {
			p.refuse(f, v)
		}
	} else if len(given) == 0 && (query.Get("f."+f.Column+".from") != "" || query.Get("f."+f.Column+".to") != "") {
		f.preset = custom
	}
	set := func(from, to time.Time) {
		if !from.IsZero() || !to.IsZero() {
			a, b := cube.DayOf(from), cube.DayOf(to)
			f.From, f.To = &a, &b
		}
	}
	if from, to, ok := readPeriod(f.preset); ok {
		f.preset = custom
		set(from, to)
		f.Changed = true
		return
	}
	if f.preset == custom {
		begin, end := query.Get("f."+f.Column+".from"), query.Get("f."+f.Column+".to")
		from, err1 := dayOfAddress(begin)
		to, err2 := dayOfAddress(end)
		if err1 != nil && begin != "" {
			p.refuse(f, begin)
		}
		if err2 != nil && end != "" && end != begin {
			p.refuse(f, end)
		}
		switch {
		case err1 == nil && err2 == nil:
			if to.Before(from) {
				from, to = to, from
			}
			set(from, to)
			f.Changed = def != custom || from.Format(time.DateOnly) != f.Default[0] || to.Format(time.DateOnly) != f.Default[1]
			return
		case err1 == nil: // without an end
			set(from, time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC))
			f.Changed = true
			return
		case err2 == nil:
			set(time.Date(1, 1, 2, 0, 0, 0, 0, time.UTC), to)
			f.Changed = true
			return
		case def != custom:
			f.preset = def
		}
	} else if from, to, ok := dashboard.DateRange(f.preset, p.Zone, p.week, p.Now); ok {
		set(from, to)
		f.Changed = f.preset != def
		return
	} else {
		p.refuse(f, f.preset)
		f.preset = def
	}
	if from, to, ok := dashboard.Period(f.Default, p.Zone, p.week, p.Now); ok {
		set(from, to)
	} else {
		f.preset = "all"
	}
}

// oneRange returns values of a filter of dates; two days, which is how a spec writes a default, are one value.
func oneRange(given []string) []string {
	if len(given) != 2 {
		return given
	}
	for _, v := range given {
		if _, err := dayOfAddress(v); err != nil {
			return given
		}
	}
	return []string{given[0] + ".." + given[1]}
}

// dayOfAddress reads a day, within the years that a time can have.
func dayOfAddress(s string) (time.Time, error) {
	t, err := time.Parse(time.DateOnly, s)
	if err == nil && t.Year() < 1 {
		err = strconv.ErrRange
	}
	return t, err
}

func (f *Filter) first() string {
	if len(f.Default) == 0 {
		return ""
	}
	return f.Default[0]
}

func (p *Env) readValues(f *Filter, col dashboard.Column) {
	given, said := p.asksOf(f)["f."+f.Column]
	given = slices.DeleteFunc(slices.Clone(given), func(s string) bool { return s == "" })
	if len(given) > maxChosen {
		f.refused = append(f.refused, p.Text("The filter %s takes at most %s values, so the address does not filter by it.",
			canvas.Clip(f.Name, 40), p.Number(maxChosen, 0)))
		given, said = nil, true
	}
	given = slices.DeleteFunc(given, func(s string) bool {
		bad := s != dashboard.AddressNull && s != dashboard.AddressEmpty && !suits(col.Type, strings.TrimPrefix(s, "~"))
		if bad {
			p.refuse(f, s)
		}
		return bad
	})
	defaults := make([]string, len(f.Default))
	for i, v := range f.Default {
		defaults[i] = dashboard.AddressValue(v)
	}
	if !said {
		given = defaults
	}
	f.Changed = said && !slices.Equal(slices.Sorted(slices.Values(given)), slices.Sorted(slices.Values(defaults)))
	f.All = len(given) == 0
	for _, s := range given {
		switch {
		case s == dashboard.AddressNull:
			f.null = true
		case s == dashboard.AddressEmpty:
			f.Values = append(f.Values, "")
		default:
			f.Values = append(f.Values, strings.TrimPrefix(s, "~"))
		}
	}
	f.Values = slices.Compact(slices.Sorted(slices.Values(f.Values)))
	if !f.Locked {
		f.Find = canvas.Clip(strings.TrimSpace(p.Query.Get(FindParam(f.Column))), MaxFind)
	}
	found := p.valuesOf(f)
	if f.Single {
		p.chooseOne(f, col, found, said)
	}
	p.listOptions(f, col, found)
	f.chosenFirst()
}

// suits reports whether a text can be a value of a column type.
func suits(t cube.Type, s string) bool {
	switch t {
	case cube.Boolean:
		return s == "true" || s == "false"
	case cube.Integer, cube.Number:
		v, err := strconv.ParseFloat(s, 64)
		return err == nil && !math.IsInf(v, 0) && !math.IsNaN(v)
	}
	return true
}

// listOptions makes a check box for each stored value of the column; if there are too many, for the most frequent and the chosen ones.
func (p *Env) listOptions(f *Filter, col dashboard.Column, found []stored) {
	chosen := func(v any) bool {
		if v == nil {
			return f.null
		}
		if len(f.Values) == 0 {
			return false
		}
		_, ok := slices.BinarySearch(f.Values, cube.Label(v))
		return ok
	}
	if f.Find != "" {
		found = p.findIn(f, col, found, chosen)
	}
	all := len(found)
	found = slices.DeleteFunc(found, func(c stored) bool { // they are too long for an address
		text, ok := c.Value.(string)
		return ok && len(text) > format.MaxText && !chosen(c.Value)
	})
	shown := found
	if len(found) > maxOptions {
		shown = mostFrequent(found, chosen)
	}
	f.More = all - len(shown)
	o := p.filterOrder(f.Column, found)
	slices.SortStableFunc(shown, func(a, b stored) int { return o.Compare(a.Category, b.Category) })
	for _, c := range shown {
		o := option{Value: dashboard.AddressNull, Label: p.Cell(col, cube.Exact, c.Value), Chosen: chosen(c.Value)}
		if c.Value != nil {
			o.Value = dashboard.AddressValue(cube.Label(c.Value))
		}
		if n := len(o.Value) + len(o.Label) + len(f.Column); o.Chosen || p.listed+n <= maxListed {
			p.listed += n
			f.Listed = append(f.Listed, o)
		} else {
			f.More++
		}
	}
	for _, v := range f.Values { // chosen, but no longer in the data
		if !slices.ContainsFunc(f.Listed, func(o option) bool { return o.Value == dashboard.AddressValue(v) }) {
			f.Listed = append(f.Listed, option{Value: dashboard.AddressValue(v), Label: p.Cell(col, cube.Exact, v), Chosen: true})
		}
	}
}

// A stored is a value of a column, with its number of rows.
type stored struct {
	cube.Category
	rows int
}

// valuesOf returns the stored values of a filter's column, in all datasets that it filters. There may be hundreds of thousands.
func (p *Env) valuesOf(f *Filter) (found []stored) {
	var at map[cube.Category]int // index in found, made for the second dataset
	for _, d := range p.Data {
		if d.Cube == nil || !f.of(d) {
			continue
		}
		g := d.Cube.Group(d.EveryRow(), cube.Query{By: []cube.Dim{{Column: f.Column}}})
		if found != nil && at == nil {
			at = make(map[cube.Category]int, len(found))
			for i, c := range found {
				at[c.Category] = i
			}
		}
		found = slices.Grow(found, g.Len())
		for i := range g.Len() {
			c := stored{cube.Category{Value: g.Category(i, 0).Value}, g.Rows(i)}
			if k, known := at[c.Category]; known {
				found[k].rows += c.rows
				continue
			}
			if at != nil {
				at[c.Category] = len(found)
			}
			found = append(found, c)
		}
	}
	return found
}

// mostFrequent returns the chosen values of found and, up to maxOptions together, those with the most rows. It is one pass over found,
// which may be long, and a page needs it for every choice.
func mostFrequent(found []stored, chosen func(any) bool) []stored {
	var kept, others []stored
	for _, c := range found {
		if chosen(c.Value) {
			kept = append(kept, c)
		}
	}
	slices.SortStableFunc(kept, func(a, b stored) int { return cmp.Compare(b.rows, a.rows) })
	room := max(maxOptions-len(kept), 0)
	for _, c := range found {
		if len(others) == room && (room == 0 || c.rows <= others[room-1].rows) || chosen(c.Value) {
			continue
		}
		i, _ := slices.BinarySearchFunc(others, c.rows, func(o stored, rows int) int {
			if o.rows >= rows {
				return -1
			}
			return 1
		})
		others = slices.Insert(others, i, c)
		others = others[:min(len(others), room)]
	}
	return append(kept, others...)
}

// filterOrder returns the order of a filter's values, which can be from several datasets: the first of them whose values have the order of
// the spec determines it.
func (p *Env) filterOrder(column string, found []stored) *encode.Ordering {
	values := make([]any, len(found))
	for i, c := range found {
		values[i] = c.Value
	}
	o := &encode.Ordering{Natural: dashboard.NaturalOrderOf(values, p.Locale)}
	if p.Spec.Appearance(column) == nil {
		return o
	}
	for _, d := range p.Data {
		if d.Cube == nil || d.Column(column) == nil {
			continue
		}
		if in := d.Ordering(column); in.Said {
			o.Rank = in.Rank
			break
		}
	}
	return o
}

// of reports whether the filter applies to a dataset.
func (f *Filter) of(d *encode.Dataset) bool { return f.Narrows(d.ID) && d.Column(f.Column) != nil }

// Chosen reports whether the filter leaves rows out of the datasets to which it applies.
func (f *Filter) Chosen() bool { return f.Date && f.From != nil || !f.Date && !f.All }

// cubeFilters returns the filters of a dataset for its cube.
func (p *Env) cubeFilters(d *encode.Dataset) []cube.Filter {
	var out []cube.Filter
	for i := range p.Filters {
		f := &p.Filters[i]
		switch {
		case !f.of(d):
		case f.Date && f.From != nil:
			out = append(out, cube.Filter{Column: f.Column, From: *f.From, To: *f.To, Zone: p.Zone})
		case !f.Date && !f.All:
			out = append(out, cube.Filter{Column: f.Column, Values: f.Values, Null: f.null})
		}
	}
	return out
}

// presets are the ranges that a filter of days offers.
var presets = []string{
	"today", "yesterday", "last_7_days", "last_30_days", "last_90_days", "last_365_days", "this_week", "last_week",
	"this_month", "last_month", "this_quarter", "last_quarter", "this_year", "last_year", "all",
}

// rangeLabels are the names of ranges in words.
var rangeLabels = map[string]locale.Key{
	"today": "Today", "yesterday": "Yesterday", "this_week": "This week", "last_week": "Last week", "this_month": "This month",
	"last_month": "Last month", "this_quarter": "This quarter", "last_quarter": "Last quarter", "this_year": "This year",
	"last_year": "Last year", "all": "All dates", custom: "Custom dates …",
}

// rangeLabel returns the name of a range in words, such as "Last 7 days".
func rangeLabel(f *locale.Locale, name string) string {
	if key, ok := rangeLabels[name]; ok {
		return f.Text(key)
	}
	n, unit, full, _ := dashboard.LastRange(name)
	switch {
	case full && unit == "day":
		return f.Count(n, "Last full day", "Last %d full days")
	case full && unit == "week":
		return f.Count(n, "Last full week", "Last %d full weeks")
	case full && unit == "month":
		return f.Count(n, "Last full month", "Last %d full months")
	case full && unit == "quarter":
		return f.Count(n, "Last full quarter", "Last %d full quarters")
	case full:
		return f.Count(n, "Last full year", "Last %d full years")
	case unit == "day":
		return f.Count(n, "Last day", "Last %d days")
	case unit == "week":
		return f.Count(n, "Last 7 days", "Last %d weeks")
	case unit == "month":
		return f.Count(n, "Last 1 month", "Last %d months")
	case unit == "quarter":
		return f.Count(n, "Last 1 quarter", "Last %d quarters")
	}
	return f.Count(n, "Last 1 year", "Last %d years")
}

// Says describes the filter's state in words.
func (f *Filter) Says(p *Env) string {
	if f.Date {
		if begun, ok := f.period(); ok {
			return p.periodName(f, begun)
		}
		if f.preset == custom && f.From != nil {
			switch {
			case f.From.Time().Year() <= 1:
				return p.Text("until %s", p.Date(f.To.Time()))
			case f.To.Time().Year() >= 9999:
				return p.Text("from %s", p.Date(f.From.Time()))
			}
			return p.Date(f.From.Time()) + " – " + p.Date(f.To.Time())
		}
		if f.preset == custom {
			return rangeLabel(p.Locale, "all")
		}
		return rangeLabel(p.Locale, f.preset)
	}
	if f.All {
		return p.Text("All")
	}
	var names []string
	for _, o := range f.Listed {
		if o.Chosen {
			names = append(names, o.Label)
		}
	}
	if f.Locked { // no list shows them
		return canvas.Clip(strings.Join(names, ", "), 60)
	}
	if len(names) > 2 {
		return p.Count(len(names), "%d selected", "%d selected")
	}
	return canvas.Clip(strings.Join(names, ", "), 28)
}
