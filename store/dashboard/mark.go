package dashboard

import (
	"slices"
	"strings"
)

// The keys of reference lines and thresholds.
var (
	referenceMembers = []member{
		{"value", aNumber, "Place."},
		{"kind", oneOf(refKinds), "Of drawn values."},
		{"from", aNumber, "Of a range."},
		{"to", aNumber, "Its end."},
		{"label", textOf(maxName), "Name."},
		{"tone", oneOf(tones), "Default neutral."},
		{"axis", oneOf(axes), "Of a scatter."},
	}
	thresholdMembers = []member{
		{"column", aName, "Its measure."},
		{"if", oneOf(comparisons), "Default >=."},
		{"value", aNumber, "Or measure, text."},
		{"tone", oneOf(tones), "Tone."},
		{"label", textOf(maxName), "Its name."},
		{"row", aFlag, "table: the row."},
		{"cell", aName, "table: its cells."},
	}
	referenceKeys = memberNames(referenceMembers)
	thresholdKeys = memberNames(thresholdMembers)

	axes = []string{"x", "y"}

	typesOfCells = []string{Heatmap, Calendar, Pivot} // besides tables; their thresholds colour cells

	otherReferenceKeys = map[string]string{
		"y": "value", "color": "tone", "type": "kind", "name": "label", "at": "value", "y0": "from", "y1": "to", "x0": "from", "x1": "to",
		"min": "from", "max": "to", "low": "from", "high": "to", "lower": "from", "upper": "to", "start": "from", "end": "to",
	}
	thresholdHints = map[string]string{
		"min": fromValue, "from": fromValue, "gte": fromValue, "above": fromValue, "low": fromValue, "start": fromValue,
		"max": toValue, "to": toValue, "lte": toValue, "below": toValue, "high": toValue, "end": toValue,
	}
	otherThresholdKeys = map[string]string{
		"color": "tone", "op": "if", "operator": "if", "field": "column", "when": "if",
		"measure": "column", "than": "value", "target": "value", "level": "value", "limit": "value", "entirerow": "row", "wholerow": "row",
		"rowtone": "row", "highlightrow": "row", "scope": "row", "status": "tone", "by": "column", "cells": "cell", "tonecolumn": "cell",
		"applyto": "cell", "appliesto": "cell", "of": "cell", "on": "cell", "for": "cell",
		"name": "label", "text": "label", "title": "label", "legend": "label",
	}
)

// Remedies for the ends of a range in a threshold.
const (
	fromValue = `write "value" and "if": ">="`
	toValue   = `write "value" and "if": "<="`
)

func readReferences(o *object, scatter, histogram bool) []Reference {
	var out []Reference
	for i, raw := range o.list("reference", MaxReferences) {
		if kindOf(raw) == "a number" {
			o.problems.addf(index(o.at("reference"), i), `must be an object, not a number; write {"value": %s}`, trimmed(raw))
			continue
		}
		o := o.problems.object(index(o.at("reference"), i), raw)
		if o == nil {
			continue
		}
		o.closed("a reference line", referenceKeys, otherReferenceKeys, nil)
		shaded := o.has("from") || o.has("to")
		kind := o.enum("kind", refKinds, otherKinds)
		if ways := count(o.has("value"), o.has("kind"), shaded); ways != 1 && o.has("kind") == (kind != "") && len(o.meant) == 0 {
			o.problems.addf(o.path, "must have a value, a kind (%s), or from and to; it has %d of these", strings.Join(refKinds, ", "), ways)
		}
		if kindOf(o.values["value"]) == "a string" {
			o.problems.addf(o.at("value"),
				`must be a number, not a string; a measure is drawn by its name in "y" or "lines", or as "target" of a bar or a line`)
			continue
		}
		value, _ := o.number("value")
		r := Reference{
			Value: value, Kind: kind, Label: o.text("label", maxName),
			Tone: o.enum("tone", tones, otherTones),
		}
		for key, end := range map[string]**float64{"from": &r.From, "to": &r.To} {
			if v, ok := o.number(key); ok {
				*end = &v
			}
		}
		if r.From != nil && r.To != nil && *r.From >= *r.To {
			o.problems.addf(o.at("to"), "must be above from; a line at one number has a value")
		}
		if r.Tone == "" {
			r.Tone = "neutral"
		}
		switch axis := o.enum("axis", axes, nil); {
		case histogram:
			if r.Axis = AxisX; axis == "y" {
				o.problems.addf(o.at("axis"), `"y" counts, and a line of a histogram is at one of its values, which are along x; leave it out`)
			}
		case axis == "x":
			if r.Axis = AxisX; !scatter {
				o.problems.addf(o.at("axis"), `"x" is for a scatter, whose x is a number; leave it out`)
			}
		}
		out = append(out, r)
	}
	return out
}

// count returns how many of the conditions hold.
func count(conditions ...bool) int {
	n := 0
	for _, holds := range conditions {
		if holds {
			n++
		}
	}
	return n
}

// readThresholds reads thresholds: of columns of a table, of one of several measures, or of the one value of the panel.
func readThresholds(o *object, t *panelType) []Threshold {
	var out []Threshold
	for i, raw := range o.list("thresholds", MaxThresholds) {
		o := o.problems.object(index(o.at("thresholds"), i), raw)
		if o == nil {
			continue
		}
		o.closed("a threshold", thresholdKeys, otherThresholdKeys, thresholdHints)
		o.require("value", "tone")
		if t.columns {
			o.require("column")
		}
		threshold := readThreshold(o)
		cell := threshold.Cell != "" || o.flag("cell")
		switch {
		case t.columns && cell && threshold.Row:
			o.problems.addf(o.at("cell"), "is one cell, and row colours all cells; leave one of them out")
		case t.columns && kindOf(o.values["cell"]) == "a boolean" && !cell && !threshold.Row:
			o.problems.addf(o.at("cell"), `leaves nothing to colour; write "row": true for the whole row, or leave it out for the cell of "column"`)
		case t.columns || t.name == "":
		case threshold.Row:
			o.problems.addf(o.at("row"), "is for tables, whose rows it colours; leave it out")
		case cell && (threshold.Cell != "" || !slices.Contains(typesOfCells, t.name)):
			o.problems.addf(o.at("cell"), "is for tables, whose cells it colours; leave it out")
		}
		out = append(out, threshold)
	}
	return out
}

// readThreshold reads a threshold, whose value is a number or the name of a measure or, for a dimension of a table, one of its values.
func readThreshold(o *object) Threshold {
	t := Threshold{
		Column: o.name("column"), If: o.enum("if", comparisons, otherIfs), Tone: o.enum("tone", tones, otherTones), Row: o.boolean("row"),
		Label: o.text("label", maxName),
	}
	switch kind := kindOf(o.values["cell"]); kind {
	case "nothing", "a boolean": // true is the cell of column, which has the tone without the key
	case "a string":
		t.Cell = o.name("cell")
	default:
		o.problems.addf(o.at("cell"), "must be true, false or the name of a column, not %s", kind)
	}
	switch kindOf(o.values["value"]) {
	case "a string":
		t.By = o.name("value")
	case "a number":
		t.Value, _ = o.number("value")
	default:
		if o.has("value") {
			o.problems.addf(o.at("value"), "must be a number or the name of a measure, not %s", kindOf(o.values["value"]))
		}
	}
	if t.If == "" {
		t.If = ">="
	}
	return t
}

// verifyTones checks that a chart with thresholds has one measure, whose marks have no other colours.
func verifyTones(o *object, p *Panel, marks string) {
	switch {
	case len(p.Thresholds) == 0:
	case p.Series != "":
		o.problems.addf(o.at("thresholds"), "colour the %s, and so does series; leave one of them out", marks)
	case len(p.Y) > 1:
		o.problems.addf(o.at("thresholds"), "colour the %s of one measure, and y has %d; name one in y", marks, len(p.Y))
	}
}

// TonedBy reports whether a threshold compares another column than the one whose values it gives a tone: of a table one that the table does
// not show, or another than cell; of a chart one that is not drawn.
func (p *Panel) TonedBy(t *Threshold) bool {
	switch p.Type {
	case Table:
		shown := len(p.Columns) == 0 || slices.ContainsFunc(p.Columns, func(c TableColumn) bool { return c.Column == t.Column })
		return t.Cell != "" && t.Cell != t.Column || !shown
	case Timeline, Combo, Funnel, Box, Candlestick, Histogram:
		return false
	}
	return t.Column != "" && t.Column != p.Value && !slices.Contains(p.Y, t.Column) && !slices.Contains(p.Values, t.Column)
}

// thresholds checks the measures that thresholds name: those whose values they compare, which must be in shown if there are several, and
// those that they compare with. The marks of one measure can have the tones of another.
func (c *panelCheck) thresholds(shown []string) {
	for i := range c.panel.Thresholds {
		t := &c.panel.Thresholds[i]
		at := index(c.at("thresholds"), i)
		about := t.Column
		switch {
		case about == "" && len(shown) > 1:
			c.problems.add(Problem{
				Path: at + ".column", Message: "is missing, and the panel has several measures", Noun: "measures", Allowed: shown,
			})
			continue
		case about == "" && len(shown) == 1:
			about = shown[0]
		case about != "" && c.panel.TonedBy(t) && len(shown) == 1:
			if c.measure(at+".column", c.set, about) == nil {
				continue
			}
			c.shows(at+".column", about)
		case about != "" && !slices.Contains(shown, about):
			c.problems.add(Problem{
				Path: at + ".column", Message: quote(about) + " is not a measure of this panel", Noun: "measures", Allowed: shown,
				Nearest: likeliest(about, shown),
			})
			continue
		}
		c.limitBy(at, t, about)
	}
}

// fixedThresholds checks the thresholds of marks of several rows or numbers each: they compare one column, about, with numbers. what
// describes that column, and why is the reason, a format for the name of the measure in place of a number.
func (c *panelCheck) fixedThresholds(about, what, why string) {
	for i, t := range c.panel.Thresholds {
		at := index(c.at("thresholds"), i)
		switch {
		case t.By != "":
			c.problems.addf(at+".value", "must be a number: "+why, quote(t.By))
		case t.Column != "" && t.Column != about:
			c.problems.addf(at+".column", "must be %s, %s, or left out", quote(about), what)
		}
	}
}

// limitBy checks the measure with which a threshold compares another.
func (c *panelCheck) limitBy(at string, t *Threshold, about string) {
	path := at + ".value"
	switch {
	case t.By == "":
	case t.By == about:
		c.problems.addf(path, "compares %s with itself; write a number, or name another measure", quote(about))
	default:
		c.shows(path, t.By)
		c.sameAxis(path, t.By, about)
	}
}
