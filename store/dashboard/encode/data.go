package encode

import (
	"slices"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/dashboard/format"
)

// An Env is the context in which the data of a page are read: its language, its calendar, and its spec, which describes the columns.
type Env struct {
	*format.Formatter
	Spec *dashboard.Spec
	Zone *time.Location
	Week cube.Weekday // on which weeks begin
}

// A Dataset is a cube with its meaning, and the rows that the filters leave.
type Dataset struct {
	*dashboard.Dataset
	Cube      *cube.Cube // nil if there are no rows yet or they are left out
	LeftOut   bool
	Cols      []dashboard.Column
	Rows      cube.Selection
	Truncated bool
	Env       *Env
	Failed    string // why its last refresh failed
	Spent     *int   // groups of the page so far: see mostGroups

	Filters []cube.Filter             // of the page, on columns of the dataset
	where   []cube.Filter             // of one panel: see [Dataset.Only]
	among   map[string]cube.Selection // by column, computed when needed: see [Dataset.amongOf]

	all    cube.Selection       // every row, ignoring filters; use EveryRow
	orders map[string]*Ordering // by column, computed when needed
	spans  map[string]*span     // of all rows by column, computed when needed
}

// A span describes a column of times over all rows; OK is false if no row has a time.
type span struct {
	cube.Span
	OK     bool
	busy   *[7]bool           // the days of the week with rows, computed when needed
	grains []cube.Grain       // see [Dataset.GrainsOf]
	Habits map[string]*Habits // by the grain and the measures, computed when needed: see [page.panel.habitsOf]
}

// Habits are the days and times at which a column of times has values.
type Habits struct {
	Days  [7]bool // of the week, from Sunday
	Slots []bool  // times of day: 24 hours or 1,440 minutes; nil for all
}

// EveryRow returns all rows, ignoring filters.
func (d *Dataset) EveryRow() cube.Selection {
	if d.all == nil {
		d.all = d.Select()
	}
	return d.all
}

// Select returns the rows that pass filters in place of those of the page.
func (d *Dataset) Select(filters ...cube.Filter) cube.Selection {
	return d.Cube.Select(slices.Concat(filters, d.where)...)
}

// Only returns the dataset for a panel that shows a part of its rows: all other rows are as if the dataset did not have them, except that
// the time of a stock is searched among them too.
func (d *Dataset) Only(where []dashboard.Where) *Dataset {
	if len(where) == 0 || d.Cube == nil {
		return d
	}
	return d.limited(dashboard.Filters(where)...)
}

// Of returns the dataset of the rows with one value of a dimension that is not a time: see [Dataset.Only].
func (d *Dataset) Of(column string, of cube.Category) *Dataset {
	keep := cube.Filter{Column: column, Null: of.Value == nil}
	if of.Value != nil {
		keep.Values = []string{cube.Label(of.Value)}
	}
	return d.limited(keep)
}

// limited returns the dataset of the rows that pass more conditions than those of the panel.
func (d *Dataset) limited(more ...cube.Filter) *Dataset {
	part := *d
	part.where = slices.Concat(d.where, more)
	part.Rows = part.Select(d.Filters...)
	part.all, part.orders, part.spans = nil, nil, nil
	return &part
}

// Under returns the dataset under one more filter of the page.
func (d *Dataset) Under(f cube.Filter) *Dataset {
	out := *d
	out.Filters = slices.Concat(d.Filters, []cube.Filter{f})
	out.Rows = out.Select(out.Filters...)
	out.among = nil // the times of stocks are under the filters
	return &out
}

// Times returns the column of times that has the name or, if the name is "", the only one of the dataset. It returns nil if the dataset has
// no such column, or has several.
func (d *Dataset) Times(name string) (only *dashboard.Column) {
	if name != "" {
		return d.Column(name)
	}
	for i := range d.Cols {
		c := &d.Cols[i]
		switch {
		case !c.Type.IsTime() || c.Role != dashboard.Dimension:
		case only != nil:
			return nil
		default:
			only = c
		}
	}
	return only
}

// Span returns the span of all rows of a column of times.
func (d *Dataset) Span(column string) *span {
	s := d.spans[column]
	if s == nil {
		s = &span{}
		s.Span, s.OK = d.Cube.Span(d.EveryRow(), column, d.Env.Zone, 0)
		if d.spans == nil {
			d.spans = map[string]*span{}
		}
		d.spans[column] = s
	}
	return s
}

// Busy returns [dashboard.BusyDays] of all rows of a column.
func (d *Dataset) Busy(column string) *[7]bool {
	s := d.Span(column)
	if s.busy == nil {
		s.busy = new(dashboard.BusyDays(d.Cube, d.EveryRow(), column, d.Env.Zone))
	}
	return s.busy
}

// Column returns a column by name, or nil.
func (d *Dataset) Column(name string) *dashboard.Column {
	for i := range d.Cols {
		if d.Cols[i].Name == name {
			return &d.Cols[i]
		}
	}
	return nil
}

// Measure returns how the cube aggregates a column.
func (d *Dataset) Measure(c *dashboard.Column) cube.Measure {
	one := func(c *dashboard.Column) cube.Measure {
		m := cube.Measure{Column: c.Name, Agg: aggOf(c), Zone: d.Env.Zone}
		if c.IsStock() && c.Along != "" {
			m.Along, m.Among = c.Along, d.amongOf(c.Along)
		}
		return m
	}
	if !c.IsRatio() {
		return one(c)
	}
	part := func(name string) cube.Measure {
		if p := d.Column(name); p != nil {
			return one(p)
		}
		return cube.Measure{Column: name, Agg: cube.Sum}
	}
	m, over := part(c.Ratio[0]), part(c.Ratio[1])
	m.Over = &over
	return m
}

// EndOf returns which of the times that a column has in rows represents them. ok is false if no time does: there are several, and the SQL
// chooses each by something else, as arg_min does.
func (d *Dataset) EndOf(rows cube.Selection, c *dashboard.Column) (m cube.Measure, ok bool) {
	end, _ := c.End()
	m = cube.Measure{Column: c.Name, Agg: cube.Agg(end), Zone: d.Env.Zone}
	if end != dashboard.None {
		return m, true
	}
	times := 0
	for _, v := range d.Cube.Group(rows, cube.Query{By: []cube.Dim{{Column: c.Name, Zone: d.Env.Zone}}}).Axes[0] {
		if v.Value != nil {
			times++
		}
	}
	m.Agg = cube.Min
	return m, times <= 1
}

func aggOf(c *dashboard.Column) cube.Agg {
	if c.Agg == "" || c.IsStock() && c.Along == "" {
		return cube.None
	}
	return cube.Agg(c.Agg)
}

// GrainsOf returns the grains that the times of a column of a dataset can have, ignoring filters.
func (d *Dataset) GrainsOf(column string) []cube.Grain {
	s := d.Span(column)
	if s.grains == nil {
		s.grains = d.Cube.Grains(column, d.Env.Zone, d.Env.Week)
	}
	return s.grains
}

// Group groups rows for a panel, and counts the groups.
func (d *Dataset) Group(rows cube.Selection, q cube.Query) *cube.Groups {
	g := d.Cube.Group(rows, q)
	d.Spend(g.Len())
	return g
}

// Spend counts groups that a panel makes, or cells that it keeps.
func (d *Dataset) Spend(n int) { *d.Spent += n }

// Additive reports whether values of a measure can be merged into one.
func Additive(m cube.Measure) bool {
	return m.Agg != cube.None && (m.Over == nil || m.Over.Agg != cube.None)
}

// amongOf returns the rows among which the time of a stock is searched: all rows, ignoring all filters except those on its times.
func (d *Dataset) amongOf(along string) cube.Selection {
	if rows, ok := d.among[along]; ok {
		return rows
	}
	if d.among == nil {
		d.among = map[string]cube.Selection{}
	}
	d.among[along] = d.selectAmong(along, d.Filters)
	return d.among[along]
}

func (d *Dataset) selectAmong(along string, filters []cube.Filter) cube.Selection {
	var of []cube.Filter
	for _, f := range filters {
		if f.Column == along {
			of = append(of, f)
		}
	}
	return d.Cube.Select(of...)
}

// WithFilters returns measures whose times of stocks are searched under the given filters instead of those of the page.
func (d *Dataset) WithFilters(measures []cube.Measure, filters []cube.Filter) []cube.Measure {
	out := slices.Clone(measures)
	for i, m := range out {
		out[i] = m.WithAmong(func(m cube.Measure) cube.Selection { return d.selectAmong(m.Along, filters) })
	}
	return out
}

// Level reports whether a column is a stock, or a ratio of two.
func (d *Dataset) Level(c *dashboard.Column) bool {
	if c == nil || !c.IsRatio() {
		return c != nil && c.IsStock()
	}
	a, b := d.Column(c.Ratio[0]), d.Column(c.Ratio[1])
	return a != nil && b != nil && a.IsStock() && b.IsStock()
}

// Along returns the column of the times of a stock, or of the numerator of a ratio if that is a stock; nil for other measures.
func (d *Dataset) Along(c *dashboard.Column) *dashboard.Column {
	if c == nil {
		return nil
	}
	if !c.IsRatio() {
		if c.IsStock() {
			return d.Column(c.Along)
		}
		return nil
	}
	for _, name := range c.Ratio {
		if part := d.Column(name); part != nil && part.IsStock() {
			return d.Column(part.Along)
		}
	}
	return nil
}

// Sums reports whether values of a measure add up over the values of a column.
func Sums(m cube.Measure, over string) bool {
	return m.Over == nil && (m.Agg == cube.Sum || m.Agg.IsStock() && m.Along != over)
}

// Unclear returns why a measure of groups cannot be shown, or "".
func (e *Env) Unclear(g *cube.Groups, measure int) string {
	return e.UnclearRows(g.Unclear(measure))
}

// UnclearRows is [Env.Unclear] for a number of rows that fall into one group.
func (e *Env) UnclearRows(n int, column string) string {
	if n == 0 {
		return ""
	}
	return e.Text(`A number here could be wrong: up to %s rows of "%s" fall together, and nothing says how they add up. `+
		`Declare "agg" (sum, min, max or avg) for this column, or make it a "ratio" of two measures that add up.`,
		e.Number(float64(n), 0), column)
}
