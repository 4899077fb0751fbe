package dashboard

import (
	"fmt"
	"slices"
	"strings"
)

// Color of a panel whose marks have one colour is the name of that colour. In a bar and a scatter it can also be a column.

// keyPaint is keyColor for panels whose marks have one colour.
var keyPaint = keyColor.as("colour of the marks, such as orange")

// readColor reads a colour, or the column that has the colours, as the type has it.
func readColor(o *object, p *Panel, t *panelType) {
	named := o.name("color")
	color, _ := colorNamed(named)
	switch columns := t.name == Bar || t.name == Scatter; {
	case t.name == Heatmap || t.name == Treemap, columns && color == "" && !cssColor(named):
		p.Color = named
	default:
		readPaint(o, p)
	}
}

// readPaint reads the name of a colour.
func readPaint(o *object, p *Panel) {
	named := o.name("color")
	color, words := nearColor(named)
	switch {
	case named == "":
	case color != "":
		p.Paint = color
		if words != "" {
			p.paintNear = []string{words}
		}
	case cssColor(named):
		o.problems.addf(o.at("color"), "%s is not a colour; names: %s", quote(named), strings.Join(colorNames, ", "))
	default:
		o.problems.add(Problem{
			Path: o.at("color"), Message: "is a colour of the marks, and " + quote(named) + " is not a name of one; a dimension is named in series",
			Noun: "names", Allowed: colorNames, Nearest: likeliest(named, colorNames),
		})
	}
}

// verifyPaint checks that the marks of a panel with one colour are of one measure, without a series.
func verifyPaint(o *object, p *Panel) {
	measures := slices.Concat(p.Y, p.Y2)
	switch {
	case p.Paint == "":
	case p.Series != "":
		o.problems.addf(o.at("color"), `is one colour, and series has one for each value: at the top of the spec, write "columns": {%s: `+
			`{"colors": {"a value": "%s"}}}`, quote(p.Series), p.Paint)
	case len(measures) > 1:
		o.problems.addf(o.at("color"), `is one colour, and the panel draws %d measures: at the top of the spec, write "columns": {%s: `+
			`{"color": "%s"}}`, len(measures), quote(measures[0]), p.Paint)
	}
}

// valueColorsHint is the remedy for colours of values in a panel.
var valueColorsHint = fmt.Sprintf(`colours of values belong to their column, for all panels: at the top of the spec, write "columns": `+
	`{"plan": {"colors": {"Free": "%s"}}}; a panel of one measure has "color"`, Gray)
