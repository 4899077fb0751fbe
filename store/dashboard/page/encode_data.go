package page

import (
	"slices"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/dashboard/format"
)

// An env is what the data of a page are read by: its language, its calendar, and what its spec says of columns.
type env struct {
	*format.Formatter
	spec *dashboard.Spec
	zone *time.Location
	week cube.Weekday // on which weeks begin
}

// A dataset is a cube with its meaning, and the rows that the filters leave.
type dataset struct {
	*dashboard.Dataset
	cube      *cube.Cube // nil when there are no rows yet, and when they are left out
	leftOut   bool
	cols      []dashboard.Column
	rows      cube.Selection
	truncated bool
	env       *env
	failed    string // why its last refresh failed
	spent     *int   // of the page: see mostGroups

	filters []cube.Filter             // of the page, on columns of the dataset
	among   map[string]cube.Selection // by column, once they are known: see [dataset.amongOf]

	all    cube.Selection       // every row, whatever the filters; use everyRow
	orders map[string]*ordering // by column, once they are known
	spans  map[string]*span     // of all rows by column, once they are known
}

// A span is what all rows say of a column of times; ok is false where they have none.
type span struct {
	cube.Span
	ok     bool
	busy   *[7]bool           // of the days of the week: which have rows, once it is known
	grains []cube.Grain       // see [dataset.grainsOf]
	habits map[string]*habits // by the grain and the measures, once they are known: see [panel.habitsOf]
}

// everyRow returns all rows, whatever the filters.
func (d *dataset) everyRow() cube.Selection {
	if d.all == nil {
		d.all = d.cube.Select()
	}
	return d.all
}

// span is the span of all rows of a column of times.
func (d *dataset) span(column string) *span {
	s := d.spans[column]
	if s == nil {
		s = &span{}
		s.Span, s.ok = d.cube.Span(d.everyRow(), column, d.env.zone, 0)
		if d.spans == nil {
			d.spans = map[string]*span{}
		}
		d.spans[column] = s
	}
	return s
}

// busy is [dashboard.BusyDays] of all rows of a column.
func (d *dataset) busy(column string) *[7]bool {
	s := d.span(column)
	if s.busy == nil {
		s.busy = new(dashboard.BusyDays(d.cube, d.everyRow(), column, d.env.zone))
	}
	return s.busy
}

// column returns a column by name, or nil.
func (d *dataset) column(name string) *dashboard.Column {
	for i := range d.cols {
		if d.cols[i].Name == name {
			return &d.cols[i]
		}
	}
	return nil
}

// measure says how the cube aggregates a column.
func (d *dataset) measure(c *dashboard.Column) cube.Measure {
	one := func(c *dashboard.Column) cube.Measure {
		m := cube.Measure{Column: c.Name, Agg: aggOf(c), Zone: d.env.zone}
		if c.IsStock() && c.Along != "" {
			m.Along, m.Among = c.Along, d.amongOf(c.Along)
		}
		return m
	}
	if !c.IsRatio() {
		return one(c)
	}
	part := func(name string) cube.Measure {
		if p := d.column(name); p != nil {
			return one(p)
		}
		return cube.Measure{Column: name, Agg: cube.Sum}
	}
	m, over := part(c.Ratio[0]), part(c.Ratio[1])
	m.Over = &over
	return m
}

// endOf says which of several times of a column the cube returns.
func (d *dataset) endOf(c *dashboard.Column) cube.Measure {
	end, _ := c.End()
	return cube.Measure{Column: c.Name, Agg: cube.Agg(end), Zone: d.env.zone}
}

func aggOf(c *dashboard.Column) cube.Agg {
	if c.Agg == "" || c.IsStock() && c.Along == "" {
		return cube.None
	}
	return cube.Agg(c.Agg)
}

// grainsOf are the grains that the times of a column of a dataset can have, whatever the
// filters.
func (d *dataset) grainsOf(column string) []cube.Grain {
	s := d.span(column)
	if s.grains == nil {
		s.grains = d.cube.Grains(column, d.env.zone, d.env.week)
	}
	return s.grains
}

// group groups rows for a panel, and counts the groups.
func (d *dataset) group(rows cube.Selection, q cube.Query) *cube.Groups {
	g := d.cube.Group(rows, q)
	d.spend(g.Len())
	return g
}

// spend counts groups that a panel makes, or cells that it keeps.
func (d *dataset) spend(n int) { *d.spent += n }

// additive reports whether values of a measure can be merged into one.
func additive(m cube.Measure) bool {
	return m.Agg != cube.None && (m.Over == nil || m.Over.Agg != cube.None)
}

// amongOf are the rows among which the time of a stock is looked for: all, but for filters on its times.
func (d *dataset) amongOf(along string) cube.Selection {
	if rows, ok := d.among[along]; ok {
		return rows
	}
	if d.among == nil {
		d.among = map[string]cube.Selection{}
	}
	d.among[along] = d.selectAmong(along, d.filters)
	return d.among[along]
}

func (d *dataset) selectAmong(along string, filters []cube.Filter) cube.Selection {
	var of []cube.Filter
	for _, f := range filters {
		if f.Column == along {
			of = append(of, f)
		}
	}
	return d.cube.Select(of...)
}

// within has the times of stocks among measures looked for under other filters than those of the page.
func (d *dataset) within(measures []cube.Measure, filters []cube.Filter) []cube.Measure {
	out := slices.Clone(measures)
	for i, m := range out {
		out[i] = m.WithAmong(func(m cube.Measure) cube.Selection { return d.selectAmong(m.Along, filters) })
	}
	return out
}

// level reports whether a column is a stock, or a ratio of two.
func (d *dataset) level(c *dashboard.Column) bool {
	if c == nil || !c.IsRatio() {
		return c != nil && c.IsStock()
	}
	a, b := d.column(c.Ratio[0]), d.column(c.Ratio[1])
	return a != nil && b != nil && a.IsStock() && b.IsStock()
}

// along is the column of the times of a stock, or of the first part of a ratio that is one; nil for other measures.
func (d *dataset) along(c *dashboard.Column) *dashboard.Column {
	if c == nil {
		return nil
	}
	if !c.IsRatio() {
		if c.IsStock() {
			return d.column(c.Along)
		}
		return nil
	}
	for _, name := range c.Ratio {
		if part := d.column(name); part != nil && part.IsStock() {
			return d.column(part.Along)
		}
	}
	return nil
}

// sums reports whether values of a measure add up to a whole whose parts are of several values of a column.
func sums(m cube.Measure, over string) bool {
	return m.Over == nil && (m.Agg == cube.Sum || m.Agg.IsStock() && m.Along != over)
}

// unclear says why a measure of groups cannot be shown, or "".
func (e *env) unclear(g *cube.Groups, measure int) string {
	return e.unclearRows(g.Unclear(measure))
}

// unclearRows is [env.unclear] where so many rows fall together.
func (e *env) unclearRows(n int, column string) string {
	if n == 0 {
		return ""
	}
	return e.Text(`A number here could be wrong: up to %s rows of "%s" fall together, and nothing says how they add up. `+
		`Declare "agg" (sum, min, max or avg) for this column, or make it a "ratio" of two measures that add up.`,
		e.Number(float64(n), 0), column)
}
