package dashboard

import (
	"fmt"
	"slices"
	"strings"
)

// panel checks the columns that a panel names.
func (c *checker) panel(path string, p *Panel) {
	if p.Type == Text {
		c.text(path+".markdown", p)
		return
	}
	set := c.sets[p.Data]
	if set == nil || p.Type == "" {
		return
	}
	at := func(key string) string { return join(path, key) }
	var measures []*Column // with their paths
	var paths []string
	measure := func(path, name string) {
		if col := c.measure(path, set, name); col != nil {
			measures = append(measures, col)
			paths = append(paths, path)
		}
	}
	grain := []string{p.X, p.Series, p.Label}
	switch p.Type {
	case KPI:
		measure(at("value"), p.Value)
		c.compare(at("compare"), set, p, measure)
		if col := c.column(at("sparkline"), set, p.Sparkline); col != nil && !isDate(*col) {
			c.problems.add(Problem{Path: at("sparkline"), Message: quote(p.Sparkline) + " is no date", Noun: "dates", Allowed: set.names(isDate)})
		}
	case Line, Area, Bar:
		c.dimension(at("x"), set, p.X)
		c.dimension(at("series"), set, p.Series)
		for i, y := range p.Y {
			measure(yPath(at("y"), p, i), y)
		}
		c.sort(at("sort"), set, p.Sort, append([]string{p.X}, p.Y...))
	case Scatter:
		c.dimension(at("label"), set, p.Label)
		c.dimension(at("series"), set, p.Series)
		measure(at("x"), p.X)
		if len(p.Y) > 0 {
			measure(at("y"), p.Y[0])
		}
		measure(at("size"), p.Size)
		if p.Label == "" { // a point for each row
			grain = set.keys
		}
	case Pie:
		c.dimension(at("label"), set, p.Label)
		if col := c.measure(at("value"), set, p.Value); col != nil && (col.Agg != Sum || col.IsRatio()) {
			c.problems.addf(at("value"), `%s does not add up to the whole that a pie shows; use a bar, or a measure whose "agg" is "sum"`, quote(p.Value))
		}
	case Heatmap:
		c.dimension(at("x"), set, p.X)
		if len(p.Y) > 0 {
			c.dimension(at("y"), set, p.Y[0])
			grain = append(grain, p.Y[0])
		}
		measure(at("value"), p.Value)
	case Table:
		grain = c.table(path, set, p, measure)
	}
	if p.faulty {
		return // it may be the faulty part that tells the rows apart
	}
	for i, col := range measures {
		before := len(c.problems)
		c.merged(paths[i], set, col, grain)
		if p.Other && col.Agg == None && len(c.problems) == before {
			c.notAdditive(paths[i], set, col, `into "Other"`)
		}
	}
}

// yPath is the path of member i of y.
func yPath(path string, p *Panel, i int) string {
	if len(p.Y) == 1 {
		return path
	}
	return index(path, i)
}

// compare checks what a kpi is compared with.
func (c *checker) compare(path string, set *resolved, p *Panel, measure func(path, name string)) {
	if !previous(p.Compare) {
		if p.Compare != "" && find(set.columns, p.Compare) == nil {
			all := append([]string{"previous_period", "previous_year"}, set.names(isMeasure)...)
			c.problems.add(Problem{
				Path: path, Message: fmt.Sprintf("%s is neither an earlier period nor a measure of dataset %s", quote(p.Compare), quote(set.ID)),
				Allowed: all, Nearest: nearest(p.Compare, all),
			})
			return
		}
		if p.Compare != "" && p.Compare == p.Value {
			c.problems.addf(path, "compares %s with itself", quote(p.Value))
			return
		}
		measure(path, p.Compare)
		return
	}
	for _, f := range c.spec.Filters {
		if col := find(set.columns, f.Column); col != nil && isDate(*col) {
			return
		}
	}
	dates := set.names(isDate)
	if len(dates) == 0 {
		c.problems.addf(path, `"%s" needs a date, and dataset %s returns none; group its SQL by a date too, or compare with another measure`, p.Compare, quote(set.ID))
		return
	}
	if len(c.spec.Filters) > 0 { // Parse has reported that there are none
		c.problems.add(Problem{Path: path, Message: fmt.Sprintf(`"%s" needs a filter on a date of dataset %s, which says what the period is`, p.Compare, quote(set.ID)), Noun: "dates", Allowed: dates})
	}
}

// sort checks that a panel is sorted by something that it shows.
func (c *checker) sort(path string, set *resolved, sort string, shown []string) {
	name := strings.TrimPrefix(sort, "-")
	if name == "" || find(set.columns, sort) != nil && slices.Contains(shown, sort) {
		return
	}
	if c.column(path, set, name) != nil && !slices.Contains(shown, name) {
		shown = slices.DeleteFunc(slices.Clone(shown), func(s string) bool { return s == "" })
		c.problems.add(Problem{Path: path, Message: quote(name) + " is not shown by this panel", Noun: "columns shown", Allowed: shown})
	}
}

// table checks a table and returns the dimensions that tell its rows apart.
func (c *checker) table(path string, set *resolved, p *Panel, measure func(path, name string)) (grain []string) {
	if len(p.Columns) == 0 { // every column
		c.sort(path+".sort", set, p.Sort, set.names(anyColumn))
		c.tableThresholds(path, set, p, set.names(anyColumn))
		return set.keys
	}
	var shown []string
	for i := range p.Columns {
		tc := &p.Columns[i]
		at := index(path+".columns", i)
		col := c.column(at, set, tc.Column)
		if col == nil {
			continue
		}
		shown = append(shown, tc.Column)
		c.format(at+".format", col, tc.Format)
		if isDimension(*col) {
			grain = append(grain, col.Name)
			for _, key := range []string{"bar", "sign"} {
				if key == "bar" && tc.Bar || key == "sign" && tc.Sign {
					c.problems.addf(join(at, key), "is for measures, and %s is a dimension", quote(tc.Column))
				}
			}
		} else {
			measure(at, tc.Column)
		}
	}
	for i := range p.Columns { // what a link depends on tells rows apart as well
		for _, m := range hole.FindAllStringSubmatch(p.Columns[i].Link, -1) {
			if col := c.dimension(index(path+".columns", i)+".link", set, m[1]); col != nil {
				grain = append(grain, col.Name)
			}
		}
	}
	c.sort(path+".sort", set, p.Sort, shown)
	c.tableThresholds(path, set, p, shown)
	return grain
}

func (c *checker) tableThresholds(path string, set *resolved, p *Panel, shown []string) {
	for i, t := range p.Thresholds {
		at := index(path+".thresholds", i) + ".column"
		if col := c.measure(at, set, t.Column); col != nil && !slices.Contains(shown, t.Column) {
			c.problems.add(Problem{Path: at, Message: quote(t.Column) + " is not a column of this table", Noun: "columns shown", Allowed: shown})
		}
	}
}

// text checks the columns that a text shows. A measure is merged over all rows.
func (c *checker) text(path string, p *Panel) {
	for _, f := range fields(p.Markdown) {
		set := c.sets[f.dataset]
		if set == nil {
			continue
		}
		if col := c.column(path, set, f.column); col != nil && isMeasure(*col) {
			c.merged(path, set, col, nil)
		}
	}
}
