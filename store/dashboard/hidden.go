package dashboard

// A namedColumn is a column that a panel shows, with the path of the key that names it, inside the panel.
type namedColumn struct{ key, column string }

// shown returns the columns whose values the panel shows. It leaves out those that only sort it or fill in its links.
func (p *Panel) shown() []namedColumn {
	out := []namedColumn{
		{"value", p.Value},
		{"target", p.TargetBy},
		{"sparkline", p.Sparkline},
		{"x", p.X},
		{"series", p.Series},
		{"facet", p.Facet},
		{"size", p.Size},
		{"connect", p.Connect},
		{"label", p.Label},
		{"from", p.From},
		{"to", p.To},
		{"start", p.Start},
		{"end", p.End},
		{"area", p.Area},
		{"lat", p.Lat},
		{"lon", p.Lon},
		{"weight", p.Weight},
		{"color", p.Color},
		{"low", p.Low},
		{"q1", p.Q1},
		{"median", p.Median},
		{"q3", p.Q3},
		{"high", p.High},
		{"open", p.Open},
		{"close", p.Close},
	}
	for i, by := range p.Compare {
		if !Previous(by) {
			out = append(out, namedColumn{pathOf("compare", p.Compare, i), by})
		}
	}
	for _, list := range []struct {
		key   string
		names []string
	}{
		{"y", p.Y},
		{"bars", p.Bars},
		{"lines", p.Lines},
		{"y2", p.Y2},
		{"rows", p.Rows},
		{"values", p.Values},
		{"target", p.Targets},
		{"label", p.Levels},
		{"steps", p.Steps},
		{"tooltip", p.Tooltip},
	} {
		for i := range list.names {
			out = append(out, namedColumn{pathOf(list.key, list.names, i), list.names[i]})
		}
	}
	if b := p.Band; b != nil {
		out = append(out, namedColumn{"band.low", b.Low}, namedColumn{"band.high", b.High})
	}
	for i, c := range p.Columns {
		at := index("columns", i)
		out = append(out, namedColumn{at, c.Column}, namedColumn{at + ".sparkline", c.Sparkline})
	}
	return out
}

// visible reports whether a column can be shown.
func visible(c Column) bool { return !c.Hidden }

// hidden checks that the panel shows no hidden column.
func (c *panelCheck) hidden() {
	for _, named := range c.panel.shown() {
		c.unseen(c.path+"."+named.key, c.set, named.column)
	}
	if t := c.panel; t.Type == Table && len(t.Columns) == 0 && len(c.set.columns) > 0 && len(c.set.names(visible)) == 0 {
		c.problems.addf(c.path, "shows all columns of dataset %s, and all of these are hidden", quote(c.set.ID))
	}
}

// unseen reports a hidden column at a place that would show it.
func (c *checker) unseen(path string, set *resolved, name string) {
	if col := find(set.columns, name); col != nil && col.Hidden {
		c.problems.add(Problem{
			Path: path, Message: quote(name) + ` is hidden, so nothing shows it; leave "hidden" out of ` + set.at(name) + ", or name another column",
			Noun: "columns", Allowed: set.names(visible),
		})
	}
}
