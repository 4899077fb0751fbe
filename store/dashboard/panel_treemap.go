package dashboard

import (
	"fmt"
	"slices"
)

// Treemap is the type of panel that shows shares of a whole as nested areas.
const Treemap = "treemap"

// maxLevels is the largest number of levels of a treemap.
const maxLevels = 3

var treemapPanel = panelType{
	name:     Treemap,
	also:     []string{"treemapchart", "treechart", "areamap", "nestedareas"},
	doc:      "shares of a whole as nested areas",
	required: []panelKey{keyLabel.as(fmt.Sprintf("dimension of the areas, or list of 1 to %d, the outer first", maxLevels)), keyValue},
	optional: []panelKey{
		keyData, keySeries.as("dimension that colours the areas; default the first label if there are several"), keyRamp,
		keyColor,
	},
	hints: map[string]string{
		"limit":  "it draws 400 areas, and merges the smallest with others of their group",
		"other":  "the smallest of more than 400 areas are always merged with others of their group",
		"sort":   "areas are in the order of their sizes",
		"size":   "value is the measure of the areas",
		"labels": "areas have their names and values where these fit",
	},
	width:  chartWidth,
	verify: verifyTreemap,
	check:  checkTreemap,
	title:  func(p *Panel, label labeler) string { return label.by(label.of(p.Value), p.Levels...) },
}

var keyColor = nameKey("color", "measure for the colours of ramp, value by default", func(p *Panel) *string { return &p.Color }).tersely()

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
	for _, key := range []string{"ramp", "color"} {
		if o.has(key) && o.has("series") {
			o.problems.addf(o.at(key), "colours the areas by numbers, and series by the values of a dimension; keep one of them")
		}
	}
}

func checkTreemap(c *panelCheck) {
	p := c.panel
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
