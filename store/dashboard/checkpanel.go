package dashboard

import (
	"fmt"
	"slices"
	"strings"

	"service/store/dashboard/cube"
	"service/store/pattern"
	"service/store/suggest"
)

// A panelCheck checks the columns that one panel names.
type panelCheck struct {
	*checker
	panel *Panel
	path  string
	set   *resolved // the panel's dataset; nil for a type that needs none

	grain    []string // the dimensions by which the panel groups
	fixed    []string // the dimensions of which it shows one value
	measures []shownMeasure
}

// A shownMeasure is a measure in a panel, with the path of the key that names it.
type shownMeasure struct {
	path string
	*Column
	over string // a dimension of the grain over which it is merged all the same; "" for none
}

// panel checks the columns that a panel names.
func (c *checker) panel(path string, p *Panel) {
	t := typeNamed(p.Type)
	if t == nil || t.check == nil {
		return
	}
	pc := &panelCheck{checker: c, panel: p, path: path, set: c.sets[p.Data]}
	pc.heads()
	if t.needsData() && pc.set == nil {
		return
	}
	if pc.set != nil {
		pc.groups(pc.at("facet"), p.Facet)
		pc.where()
	}
	t.check(pc)
	c.warnNear(pc.at("color"), p.paintNear)
	if pc.set != nil {
		pc.tooltip()
		pc.ownEvents()
		pc.hidden()
		pc.reversed()
	}
	pc.link()
	if p.faulty {
		return // the faulty part may be what distinguishes the rows
	}
	grain := slices.Concat(pc.grain, pc.fixed, c.chosen(pc.set))
	if p.TotalRow && len(p.Columns) == 0 { // every column is shown
		for i := range pc.set.columns {
			c.addedOver(pc.set, &pc.set.columns[i], grain, true)
		}
	}
	for _, m := range pc.measures {
		before, grain := len(c.problems), grain
		if m.over != "" {
			grain = slices.DeleteFunc(slices.Clone(grain), func(name string) bool { return name == m.over })
		}
		c.addedOver(pc.set, m.Column, grain, t.rounds() || p.TotalRow)
		c.merged(m.path, pc.set, m.Column, grain, p.Type == Table)
		if p.Other && m.Agg == None && len(c.problems) == before {
			c.notAdditive(m.path, pc.set, m.Column, `into "Other"`)
		}
	}
}

// heads warns of placeholders in the texts of the page that do not replace them.
func (c *checker) heads() {
	c.bare("", [][2]string{{"title", c.spec.Title}, {"description", c.spec.Description}})
}

// heads warns of placeholders in texts of a panel that do not replace them.
func (c *panelCheck) heads() {
	c.bare(c.path, [][2]string{{"title", c.panel.Title}, {"subtitle", c.panel.Subtitle}, {"description", c.panel.Description}})
}

// bare warns of placeholders in texts, which are written as they are. heads are the keys of the texts, below path, and the texts.
func (c *checker) bare(path string, heads [][2]string) {
	for _, head := range heads {
		if hole := holeInText.FindString(head[1]); hole != "" {
			c.warnf(WarnKeyIgnored, join(path, head[0]), "%s is written unchanged: only the content of text panels can have values of rows.",
				quote(hole))
		}
	}
}

// holeInText matches a placeholder of a value in the content of text panels.
var holeInText = pattern.New(`\{\{[^{}]*\}\}`)

// at returns the path of a key of the panel.
func (c *panelCheck) at(key string) string { return join(c.path, key) }

// shows checks that name is a measure, which the panel merges over the dimensions outside its grain. It ignores "", which was not given.
func (c *panelCheck) shows(path, name string) {
	if col := c.measure(path, c.set, name); col != nil {
		c.measures = append(c.measures, shownMeasure{path: path, Column: col})
	}
}

// amounts checks that name is a measure of amounts: a sum, or unmerged rows with values of a better kind than refused. It refuses others
// with the reason why.
func (c *panelCheck) amounts(path, name string, refused values, why string) {
	col := c.measure(path, c.set, name)
	if col == nil {
		return
	}
	if !col.sums() && (col.IsRatio() || col.Agg != None || valuesOf(c.set.function(name)) >= refused) {
		c.problems.addf(path, "%s %s", quote(name), why)
		return
	}
	c.measures = append(c.measures, shownMeasure{path: path, Column: col})
}

// groups checks that name is a dimension and adds it to the grain.
func (c *panelCheck) groups(path, name string) {
	c.dimension(path, c.set, name)
	if name != "" {
		c.grain = append(c.grain, name)
	}
}

// times checks that at least one of the columns has times, which grain and partial need.
func (c *panelCheck) times(columns ...string) {
	var other *Column
	for _, name := range columns {
		col := find(c.set.columns, name)
		if col == nil && name != "" {
			return // reported
		}
		if col != nil && isTime(col.Type) {
			if g := cube.Grain(c.panel.Grain); col.Type == cube.Date && (g == cube.Minutely || g == cube.Hourly) {
				c.problems.add(Problem{
					Path: c.at("grain"), Message: fmt.Sprintf("%s is a date, which has no %s", quote(name), g),
					Allowed: []string{"auto", "day", "week", "month", "quarter", "year"},
				})
			}
			return
		}
		if col != nil {
			other = col
		}
	}
	for _, k := range [...]struct{ key, value string }{{"grain", c.panel.Grain}, {"partial", c.panel.Partial}} {
		switch {
		case k.value == "", k.key == "partial" && slices.ContainsFunc(c.panel.Compare, Previous):
		case other == nil:
			c.problems.addf(c.at(k.key), "is about the sparkline, and the panel has none; name a date in sparkline%s", c.latestPeriod(k.key))
		default:
			c.problems.add(Problem{
				Path: c.at(k.key), Message: fmt.Sprintf("is about times, and %s is of type %s", quote(other.Name), other.Type),
				Noun: "dates", Allowed: c.set.names(isDate),
			})
		}
	}
}

// latestPeriod explains how a kpi shows the number of the latest complete period of its grain, and which panels mark a period that is not
// over, as a table does not.
func (c *panelCheck) latestPeriod(key string) string {
	if c.panel.Type == Table && len(c.set.names(isDate)) > 0 {
		return fmt.Sprintf(", or show the date %s in columns", quote(c.set.names(isDate)[0]))
	}
	dates := c.set.names(isDate)
	g := c.panel.Grain
	if key != "grain" || c.panel.Type != KPI || len(dates) == 0 || !slices.Contains(filterGrains, g) {
		return ""
	}
	out := fmt.Sprintf(`. For the number of the latest complete %s, a filter {"column": "%s", "grain": "%s", "multiple": false} `+
		"opens the page at it", g, dates[0], g)
	if len(dates) == 1 && c.panel.Partial == "" && !c.filtersDates() {
		out += fmt.Sprintf(`, or write "partial": "hide" beside grain; "show" has that of the running %s`, g)
	}
	return out
}

// axes checks x, y and series of a chart that draws measures along a dimension.
func (c *panelCheck) axes() {
	p := c.panel
	c.groups(c.at("x"), p.X)
	c.groups(c.at("series"), p.Series)
	c.times(p.X)
	for i, y := range p.Y {
		path := c.at("y")
		if len(p.Y) > 1 {
			path = index(path, i)
		}
		c.shows(path, y)
	}
}

// link checks that the placeholders in the link of the marks are dimensions of the marks.
func (c *panelCheck) link() {
	for _, name := range linkHoles(c.panel.Link) {
		if !slices.Contains(c.grain, name) {
			c.problems.add(Problem{
				Path: c.at("link"), Message: fmt.Sprintf("{{%s}} is no dimension of this panel's marks", short(name)),
				Noun: "dimensions", Allowed: c.grain, Nearest: likeliest(name, c.grain),
			})
		}
	}
}

// sort checks that the panel is sorted by a column of its dataset, shown or not.
func (c *panelCheck) sort() {
	sort := c.panel.Sort
	if find(c.set.columns, sort) != nil {
		return
	}
	by := strings.TrimPrefix(sort, "-")
	if find(c.set.columns, by) == nil {
		switch suggest.Plain(by) {
		case "rows", "none", "data", "original", "sql", "query":
			c.problems.addf(c.at("sort"), `must be a column; the order of the rows is {"order": "rows"} of a dimension, in "columns" at the `+
				"top of the spec")
			return
		case "asc", "desc", "ascending", "descending", "value", "values":
			c.problems.addf(c.at("sort"), "must be a column%s", c.sortBy(sort))
			return
		}
	}
	c.column(c.at("sort"), c.set, by)
}

// sortBy returns the value of sort for a direction without a column, such as "desc": by the first measure of the panel.
func (c *panelCheck) sortBy(direction string) string {
	p := c.panel
	names := slices.Concat([]string{p.Value}, p.Bars, p.Values)
	if p.Type != Heatmap {
		names = append(names, p.Y...)
	}
	for _, column := range p.Columns {
		names = append(names, column.Column)
	}
	isNumber := func(name string) bool {
		col := find(c.set.columns, name)
		return col != nil && isMeasure(*col)
	}
	if i := slices.IndexFunc(names, isNumber); i >= 0 {
		return "; write " + sortName(names[i], map[bool]string{true: "desc", false: "asc"}[!strings.HasPrefix(suggest.Plain(direction), "asc")])
	}
	for _, name := range c.set.names(isMeasure) {
		return fmt.Sprintf(`, such as "%s", or "-%s" for the largest first`, name, name)
	}
	return ""
}
