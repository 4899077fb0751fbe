package dashboard

import "strings"

// A panelCheck checks the columns that one panel names.
type panelCheck struct {
	*checker
	panel *Panel
	path  string
	set   *resolved // the panel's dataset; nil for a type that needs none

	grain    []string // the dimensions that tell apart what the panel shows
	measures []shownMeasure
}

// A shownMeasure is a measure in a panel, with the path of the key that names it.
type shownMeasure struct {
	path string
	*Column
}

// panel checks the columns that a panel names.
func (c *checker) panel(path string, p *Panel) {
	t := typeNamed(p.Type)
	if t == nil || t.check == nil {
		return
	}
	pc := &panelCheck{checker: c, panel: p, path: path, set: c.sets[p.Data]}
	if t.needsData() && pc.set == nil {
		return
	}
	t.check(pc)
	if p.faulty {
		return // it may be the faulty part that tells the rows apart
	}
	for _, m := range pc.measures {
		before := len(c.problems)
		c.merged(m.path, pc.set, m.Column, pc.grain)
		if p.Other && m.Agg == None && len(c.problems) == before {
			c.notAdditive(m.path, pc.set, m.Column, `into "Other"`)
		}
	}
}

// at is the path of a key of the panel.
func (c *panelCheck) at(key string) string { return join(c.path, key) }

// shows checks that name is a measure, which the panel merges over what is not
// in its grain. "" is nothing, for what was not given.
func (c *panelCheck) shows(path, name string) {
	if col := c.measure(path, c.set, name); col != nil {
		c.measures = append(c.measures, shownMeasure{path, col})
	}
}

// groups checks that name is a dimension and adds it to the grain.
func (c *panelCheck) groups(path, name string) {
	c.dimension(path, c.set, name)
	c.grain = append(c.grain, name)
}

// axes checks x, y and series of a chart that draws measures along a dimension.
func (c *panelCheck) axes() {
	p := c.panel
	c.groups(c.at("x"), p.X)
	c.groups(c.at("series"), p.Series)
	for i, y := range p.Y {
		path := c.at("y")
		if len(p.Y) > 1 {
			path = index(path, i)
		}
		c.shows(path, y)
	}
}

// sort checks that the panel is sorted by a column of its dataset, shown or not.
func (c *panelCheck) sort() {
	sort := c.panel.Sort
	if find(c.set.columns, sort) == nil {
		c.column(c.at("sort"), c.set, strings.TrimPrefix(sort, "-"))
	}
}
