package dashboard

import "slices"

// Heatmap is the type of panel that colours the cells of two dimensions.
const Heatmap = "heatmap"

var heatmapPanel = panelType{
	name:     Heatmap,
	also:     []string{"matrix"},
	doc:      "a measure by two dimensions",
	required: []panelKey{keyX, keyY.as("one dimension"), keyValue},
	optional: []panelKey{keyData, keyGrain, keyFacet, keyFacetColumns, keyFacetScale, keyLabels, keyRamp, keyThresholds},
	hints:    map[string]string{"colors": rampHint},
	width:    chartWidth,
	single:   true,
	check:    checkHeatmap,
	title: func(p *Panel, label labeler) string {
		return label.by(label.of(p.Value), slices.Concat([]string{p.X}, p.Y, []string{p.Facet})...)
	},
}

func checkHeatmap(c *panelCheck) {
	p := c.panel
	c.groups(c.at("x"), p.X)
	if len(p.Y) > 0 {
		c.groups(c.at("y"), p.Y[0])
	}
	c.times(append([]string{p.X}, p.Y...)...)
	c.shows(c.at("value"), p.Value)
	c.thresholds([]string{p.Value})
}
