package dashboard

import (
	"slices"
	"strings"
)

// The names of the columns that a compared table has beside a measure consist of the name of the measure and of these: its value in the
// earlier period, and its change.
const (
	BeforeSuffix = ".before"
	ChangeSuffix = ".change"
)

// PeriodDate returns the column of times whose last complete period is that of a compared panel without a filter on a date, as far as the
// panel names it: that of its sparkline or, in a table, of its first one. It returns "" for the only one of the dataset.
func (p *Panel) PeriodDate() string {
	if p.Type != Table {
		return p.Sparkline
	}
	for _, c := range p.Columns {
		if c.Sparkline != "" {
			return c.Sparkline
		}
	}
	return ""
}

// compareLines checks that a table that is compared with an earlier period shows numbers, and that each of its lines can have rows of both
// periods: the table does not show the date of the periods.
func (c *panelCheck) compareLines(shown []string) {
	p := c.panel
	if len(p.Compare) != 1 || !Previous(p.Compare[0]) {
		return
	}
	if !slices.ContainsFunc(shown, func(name string) bool {
		col := find(c.set.columns, name)
		return col != nil && isMeasure(*col) && !isTime(col.Type)
	}) {
		c.problems.add(Problem{
			Path: c.at("compare"), Message: "compares measures, and the table shows none; name one in columns", Noun: "measures",
			Allowed: c.set.names(isNumber),
		})
	}
	date := c.comparedDate()
	if date == "" {
		return
	}
	const why = "%s is the date of the periods, so no row of a table with it is in both; "
	switch {
	case len(p.Columns) == 0 && slices.Contains(shown, date):
		var others []string
		for _, name := range shown {
			if name != date {
				others = append(others, quote(name))
			}
		}
		c.problems.addf(c.at("compare"), why+`write "columns": [%s]`, quote(date), strings.Join(others, ", "))
	case slices.Contains(c.grain, date):
		i := slices.IndexFunc(p.Columns, func(t TableColumn) bool { return t.Column == date })
		if i < 0 {
			i = slices.IndexFunc(p.Columns, func(t TableColumn) bool { return slices.Contains(linkHoles(t.Link), date) })
			c.problems.addf(index(c.at("columns"), i)+".link", why+"leave it out of the link", quote(date))
			return
		}
		c.problems.addf(index(c.at("columns"), i), why+"leave it out, or draw a line or bars along it, which compare their periods", quote(date))
	}
}

// comparedDate checks that a panel of one comparison with an earlier period has the date of both periods, and returns its column, or "".
func (c *panelCheck) comparedDate() string {
	p := c.panel
	if len(p.Compare) != 1 || !Previous(p.Compare[0]) {
		return ""
	}
	before := len(c.problems)
	if c.compare(c.at("compare"), p.Compare[0]); len(c.problems) > before {
		return ""
	}
	if date := c.filteredDate(); date != "" {
		return date
	}
	if date := p.PeriodDate(); date != "" {
		return date
	}
	return c.set.names(isDate)[0] // the only one
}

// tableSort checks the order of a table. A compared table can also be sorted by the values of the earlier period and by the changes.
func (c *panelCheck) tableSort(shown []string) {
	by := strings.TrimPrefix(c.panel.Sort, "-")
	for _, suffix := range [...]string{BeforeSuffix, ChangeSuffix} {
		of, ok := strings.CutSuffix(by, suffix)
		col := find(c.set.columns, of)
		if !ok || find(c.set.columns, by) != nil || col == nil || !isMeasure(*col) || !slices.Contains(shown, of) {
			continue
		}
		if len(c.panel.Compare) == 0 {
			c.problems.addf(c.at("sort"), `is by the comparison of %s with an earlier period; write "compare": "previous_period" too`, quote(of))
		}
		return
	}
	c.sort()
}

// tableTimes checks grain and partial: those of a table with small lines are about their dates, and those of others about the only date
// that the table shows, by which rows are merged.
func (c *panelCheck) tableTimes(dates ...string) {
	if shown := c.shownTimes(); len(dates) == 0 && c.panel.RoundsTimes() && len(shown) > 0 {
		if len(shown) > 1 {
			c.problems.addf(c.at(map[bool]string{true: "grain", false: "partial"}[c.panel.Grain != ""]),
				"is about one date, and the table shows %d: %s; leave some out of columns, or round them in the sql", len(shown),
				strings.Join(shown, ", "))
			return
		}
		c.times(shown...)
		return
	}
	if len(dates) > 0 || !slices.ContainsFunc(c.panel.Compare, Previous) || c.filtersDates() {
		c.times(dates...)
	}
}

// shownTimes returns the dimensions of times that tell the rows of a table apart.
func (c *panelCheck) shownTimes() []string {
	var out []string
	for _, name := range c.grain {
		if col := find(c.set.columns, name); col != nil && isTime(col.Type) {
			out = append(out, name)
		}
	}
	return out
}

// RoundsTimes reports whether the panel is a table that rounds the times of its only date down, or marks or hides its incomplete periods.
func (p *Panel) RoundsTimes() bool {
	return p.Type == Table && (p.Grain != "" || p.Partial != "") && p.PeriodDate() == "" && !slices.ContainsFunc(p.Compare, Previous)
}
