package dashboard

import (
	"fmt"
	"slices"
	"strings"

	"service/store/dashboard/cube"
)

// cellsOfText checks a heat map whose value is a text, or true and false.
func (c *panelCheck) cellsOfText(col *Column) {
	p := c.panel
	for _, k := range [...]struct {
		key   string
		given bool
	}{
		{"gaps", p.Gaps == GapsZero},
		{"ramp", p.Ramp != nil},
		{"color", p.Color != ""},
		{"other", p.Other},
	} {
		if k.given {
			c.problems.addf(c.at(k.key), "is for numbers, and %s is a dimension (%s); leave it out", quote(col.Name), col.Type)
		}
	}
	for _, of := range [...]struct{ key, name string }{{"x", p.X}, {"y", strings.Join(p.Y, "")}, {"facet", p.Facet}} {
		if of.name == col.Name {
			c.problems.addf(c.at("value"), "%s is in %s already; name another dimension, or a measure", quote(col.Name), of.key)
		}
	}
	if p.Sort != "" && strings.TrimPrefix(p.Sort, "-") == col.Name {
		c.problems.addf(c.at("sort"), "orders the rows, and %s is the text in their cells; name %s or a measure", quote(col.Name),
			quote(strings.Join(p.Y, "")))
	}
	for i := range p.Thresholds {
		c.toneOfText(index(c.at("thresholds"), i), &p.Thresholds[i], col)
	}
	if c.set.rows != nil && c.set.rows.Index(col.Name) >= 0 {
		axis := c.set.rows.Group(c.set.rows.Select(), cube.Query{By: []cube.Dim{{Column: col.Name}}}).Axes[0]
		axis = slices.DeleteFunc(axis, func(v cube.Category) bool { return v.Value == nil })
		if n := len(axis); n > len(Palette) {
			c.problems.addf(c.at("value"), "%s has %d values, and cells have %d colours at most; group them with CASE in the sql", quote(col.Name),
				n, len(Palette))
		}
	}
}

// toneOfText checks a threshold that gives a tone to one of the values of a dimension, the only one of the panel. The tone of a kpi can be
// that of a measure as well.
func (c *panelCheck) toneOfText(at string, t *Threshold, col *Column) {
	orMeasure := ""
	if c.panel.Type == KPI {
		orMeasure = "; a number is that of a measure, named in column"
	}
	switch {
	case t.Column != "" && t.Column != col.Name:
		c.problems.addf(at+".column", "must be %s, the column of value, or left out%s", quote(col.Name), orMeasure)
	case t.If != "=" && t.If != ">=": // the default, which means = here
		c.problems.addf(at+".if", "compares numbers, and %s is a dimension (%s); write \"=\"%s", quote(col.Name), col.Type, orMeasure)
	}
}

// colorsOfTexts adds to the hints of a heat map where the colours of texts are set, if a panel has them as an object of values.
func (t *panelType) colorsOfTexts(o *object, hints map[string]string) {
	raw := o.values["colors"]
	if t.name != Heatmap || kindOf(raw) != "an object" {
		return
	}
	hints["colors"] = fmt.Sprintf(`colours of values belong to their column, for all panels: at the top of the spec, write "columns": {%s: `+
		`{"colors": %s}}; of numbers, ramp is the colours`, firstName(o, "value"), labelsIn(raw))
}
