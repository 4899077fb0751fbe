package dashboard

import (
	"fmt"
	"slices"
)

// Treemap is the type of panel that shows shares of a whole as nested areas.
const Treemap = "treemap"

// MaxAreas is the greatest number of areas of a treemap.
const MaxAreas = 400

// maxLevels is the largest number of levels of a treemap.
const maxLevels = 3

var treemapPanel = panelType{
	name:     Treemap,
	also:     []string{"treemapchart", "treechart", "areamap", "nestedareas"},
	doc:      "shares of a whole as nested areas",
	required: []panelKey{keyLabel.as(fmt.Sprintf("dimension of the areas, or list of 1 to %d, the outer first", maxLevels)), keyValue},
	optional: []panelKey{
		keyData, keySeries.as("dimension that colours the areas; default the first label if there are several"), keyRamp,
		keyColor, keyLabels.as("names and values in the areas, where they fit"), keyHighlight.as(labelHighlight),
		keyLimit.as(fmt.Sprintf("number of areas, at most %d; the others are merged", MaxAreas)),
		keyOther.as("always true: a treemap is a whole"),
		keyTooltip,
		keyFacet, keyFacetColumns, keyFacetScale,
	},
	hints: map[string]string{
		"x":          "label is the dimension of the areas, or a list of them",
		"y":          "value is the measure of the areas",
		"compare":    "areas have one size; a bar with compare has both periods",
		"sort":       "areas are in the order of their sizes",
		"size":       "value is the measure of the areas",
		"thresholds": "areas have the colours of ramp, whose scale, min and max set its steps; a bar has thresholds",
	},
	width:  chartWidth,
	verify: verifyTreemap,
	check:  checkTreemap,
	title: func(p *Panel, label labeler) string {
		return label.by(label.of(p.Value), append(slices.Clone(p.Levels), p.Facet)...)
	},
}

var keyColor = panelKey{
	name: "color", kind: aName, doc: "measure that selects colours of ramp; default: the measure in value", terse: true, read: readColor,
}

// verifyTreemap checks that the levels are different dimensions, and that areas have colours of one kind.
func verifyTreemap(o *object, p *Panel) {
	if o.has("label") && len(p.Levels) == 0 && kindOf(o.values["label"]) == "a list" {
		o.problems.addf(o.at("label"), "is empty; name the dimension of the areas, or several, the outer first")
	}
	for i, name := range p.Levels {
		if slices.Contains(p.Levels[:i], name) {
			o.problems.addf(pathOf(o.at("label"), p.Levels, i), "%s is there twice; each level is another dimension", quote(name))
		}
	}
	verifyMerged(o, p, "treemap")
	if o.has("facet_scale") && p.Facet != "" && !o.has("ramp") && !o.has("color") {
		o.problems.addf(o.at("facet_scale"), "is about the ramp, and each treemap is a whole; leave it out, or add a ramp")
	}
	for _, key := range []string{"ramp", "color"} {
		if o.has(key) && o.has("series") {
			o.problems.addf(o.at(key), "colours the areas by numbers, and series by the values of a dimension; keep one of them")
		}
	}
}

func checkTreemap(c *panelCheck) {
	p := c.panel
	c.merges()
	for i, name := range p.Levels {
		c.groups(pathOf(c.at("label"), p.Levels, i), name)
	}
	if !slices.Contains(p.Levels, p.Series) {
		c.groups(c.at("series"), p.Series)
	}
	c.amounts(c.at("value"), p.Value, notAdded,
		`does not add up to the whole that a treemap shows; use a bar, or a measure whose "agg" is "sum"`)
	c.shows(c.at("color"), p.Color)
	if col := find(c.set.columns, p.Value); col != nil && col.IsStock() && slices.Contains(c.grain, col.Along) {
		c.problems.addf(c.at("value"), `%s is of "agg": "%s" along %s, and values of several times do not add up to a whole; use a line`,
			quote(p.Value), col.Agg, quote(col.Along))
	}
}
