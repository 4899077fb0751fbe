package dashboard

import (
	"slices"
	"strings"
)

// tooltip checks the columns that a panel adds to its tooltips. A dimension may have several values for a mark: its tooltip then has none
// of them.
func (c *panelCheck) tooltip() {
	p := c.panel
	shown := p.shown()
	for i, name := range p.Tooltip {
		path := pathOf(c.at("tooltip"), p.Tooltip, i)
		col := c.column(path, c.set, name)
		if slices.Contains(p.Tooltip[:i], name) {
			c.problems.addf(path, "%s is there twice; keep one", quote(name))
			continue
		}
		of := func(n namedColumn) bool { return n.column == name && !strings.HasPrefix(n.key, "tooltip") }
		if i := slices.IndexFunc(shown, of); i >= 0 && col != nil {
			c.problems.addf(path, "%s is %s of the panel, which tooltips have anyway; leave it out", quote(name), shown[i].key)
			continue
		}
		if col != nil && isMeasure(*col) {
			c.measures = append(c.measures, shownMeasure{path: path, Column: col})
		}
	}
}
