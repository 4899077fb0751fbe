package dashboard

import (
	"fmt"
	"slices"
)

// Keys that choose among marks: which of them keep their colour, which have names, and which are joined.

const (
	maxHighlight = 20 // values that keep their colour
	maxNamed     = 50 // values that are named before others

	// MaxPale is how many values of a dimension are drawn if a panel highlights some of them.
	MaxPale = 200
)

// The values of the key names, which selects the points with names next to them. Its other form is a list of values.
const (
	NamesAuto = "auto" // those that fit, at most 25
	NamesNone = "none" // in tooltips and the table alone
	NamesAll  = "all"  // also on other points, but not on other names
)

var (
	namesModes = []string{NamesAuto, NamesNone, NamesAll}
	otherNames = map[string]string{
		"true": NamesAll, "always": NamesAll, "every": NamesAll, "show": NamesAll, "false": NamesNone, "never": NamesNone, "off": NamesNone,
		"hide": NamesNone, "default": NamesAuto, "some": NamesAuto,
	}
)

// listOfValues is the kind of a value of a dimension, or a list of at most limit values.
func listOfValues(limit int) kind {
	return kind{
		schema: fmt.Sprintf(`"type": "array", "maxItems": %d, "items": {"type": "string"}`, limit),
		words:  fmt.Sprintf("value, or list of at most %d values", limit),
	}
}

var (
	keyHighlight = panelKey{
		name: "highlight", kind: kind{
			schema: listOfValues(maxHighlight).schema,
			words:  fmt.Sprintf(`value, list of at most %d values, or {"top": how many of the largest}`, maxHighlight),
		},
		doc:  "values of series that keep their colours, the others gray",
		note: "At most 200 values are drawn then.", brief: `Values in colour, or {"top": 3}.`,
		read: readHighlight,
	}
	keyPointNames = panelKey{
		name: "names", kind: kind{
			schema: listOfValues(maxNamed).schema,
			words:  fmt.Sprintf("one of `auto`, `none`, `all`, or list of at most %d values", maxNamed),
		},
		doc: "which points have their names beside them; a list names these before others", note: "Default auto, where there is room.",
		brief: "auto, none, all, or values named first.", read: readNames,
	}
	keyConnect = nameKey("connect", "column in whose order the points are joined by a line", func(p *Panel) *string { return &p.Connect }).
			briefly("Joins points, ordered by a column.")
)

// readHighlight reads values, or the number of the largest values: {"top": 3}.
func readHighlight(o *object, p *Panel, _ *panelType) {
	if kindOf(o.values["highlight"]) == "an object" {
		of := o.problems.object(o.at("highlight"), o.values["highlight"])
		if of == nil {
			return
		}
		of.closed("highlight", []string{"top"}, otherTops, nil)
		of.require("top")
		p.HighlightTop = of.integer("top", 1, maxHighlight, 0)
		return
	}
	p.Highlight = o.different("highlight", maxHighlight, false, "name values")
}

// readNames reads a word, a value or a list of values.
func readNames(o *object, p *Panel, _ *panelType) {
	switch kind := kindOf(o.values["names"]); {
	case !o.has("names"):
	case kind == "a boolean":
		if p.Names = NamesNone; o.boolean("names") {
			p.Names = NamesAll
		}
	case kind == "a list":
		if list := o.texts("names", maxNamed, false); len(list) == 1 && slices.Contains(namesModes, list[0]) {
			p.Names = list[0]
			return
		}
		if p.Named = o.texts("names", maxNamed, false); len(p.Named) == 0 {
			o.problems.addf(o.at("names"), `is empty; name values, or write "none"`)
		}
	default:
		p.Names = o.enum("names", namesModes, otherNames)
	}
}

// otherTops are other names of the number of the largest values.
var otherTops = map[string]string{
	"n": "top", "largest": "top", "count": "top", "limit": "top", "first": "top", "topn": "top", "max": "top",
	"number": "top", "biggest": "top",
}

// Lights reports whether the panel highlights something: values, or the largest ones.
func (p *Panel) Lights() bool { return len(p.Highlight) > 0 || p.HighlightTop > 0 }

// HighlightOf returns the dimensions of which the panel can highlight values. It highlights those of the first dimension with such a value.
// It returns nil for a panel that highlights nothing.
func (p *Panel) HighlightOf() []string {
	if !p.Lights() {
		return nil
	}
	out := []string{p.Series}
	if p.Type == Scatter {
		out = append(out, p.Color)
	}
	switch {
	case p.Type == Scatter || p.Type == Slope || p.Type == Pie || p.Type == Funnel || p.Type == Waterfall:
		out = append(out, p.Label)
	case p.Type == Treemap:
		out = append(out, p.Levels...)
	case (p.Type == Box || p.Type == Bar && len(p.Y) == 1) && p.Series == "":
		out = append(out, p.X)
	}
	return slices.DeleteFunc(out, func(name string) bool { return name == "" })
}

// Highlights reports whether a value of a dimension of [Panel.HighlightOf] keeps its colour.
func (p *Panel) Highlights(v any) bool { return v != nil && slices.Contains(p.Highlight, ValueKey(v)) }

// verifyHighlight checks that a panel has a dimension whose values it can highlight.
func verifyHighlight(o *object, p *Panel) {
	switch {
	case p.HighlightTop > 0 && p.Type == Box:
		o.problems.addf(o.at("highlight"), "has values of x: boxes show distributions, of which none is the largest")
	case p.HighlightTop > 0 && p.Facet != "":
		o.problems.addf(o.at("highlight"), "must be values with facet, because the largest differ between small plots")
	}
	if !p.Lights() || len(p.HighlightOf()) > 0 {
		return
	}
	switch p.Type {
	case Scatter:
		o.problems.addf(o.at("highlight"), "has values of series or label; name one of these dimensions")
	case Bar:
		o.problems.addf(o.at("highlight"), "has values of series or, for bars of one measure, of x; name a series, or one measure in y")
	case Line, Area:
		o.problems.addf(o.at("highlight"), "has values of series; name a dimension in series")
	case Box:
		o.problems.addf(o.at("highlight"), "has values of x; name the column in x that tells boxes apart")
	}
}

// verifyNames checks that points with names have a dimension of names, and that points which are joined have no other.
func verifyNames(o *object, p *Panel) {
	switch {
	case p.Connect != "" && p.Label != "" && p.Label != p.Connect:
		o.problems.addf(o.at("connect"), "joins a point for each of its values, and label has points for those of %s; write label as series",
			quote(p.Label))
	case p.Connect != "" && p.Label == "":
		p.Label = p.Connect
	case (p.Names != "" || p.Named != nil) && p.Label == "":
		o.problems.addf(o.at("names"), "is about the values of label; name a dimension in label")
	}
}
