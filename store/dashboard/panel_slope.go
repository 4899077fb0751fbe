package dashboard

// Slope is the type of panel that shows how values change between two times, or between two other values of a dimension.
const Slope = "slope"

var slopePanel = panelType{
	name: Slope,
	also: []string{"slopegraph", "slopechart", "slopes", "beforeafter"},
	doc:  "a measure at two values of a dimension, such as two years",
	required: []panelKey{
		keyLabel.as("dimension with a line for each value"), keyX.as("dimension; its first and last value are the two ends"), keyValue,
	},
	optional: []panelKey{
		keyData, keyGrain, keyFacet, keyFacetColumns, keyFacetScale,
		keyHighlight.as("values of label that keep their colours, the others gray"), keyLimit,
		keyLabels.as("values beside the names at both ends; default true"), keyScale, keyYReverse, keyYMin, keyYMax,
		keyReference, keyThresholds.as("tones of the values at the second end"), keyTooltip,
	},
	hints: map[string]string{
		"y":      "value is the measure of both ends",
		"series": "label is the dimension that has a line for each value",
		"from":   "x is the dimension of which both ends are values", "to": "x is the dimension of which both ends are values",
		"start": "x is the dimension of which both ends are values", "end": "x is the dimension of which both ends are values",
		"other": "what limit cuts has no line; the sql can merge it",
		"color": "lines have the colours of what rises and falls; columns at the top of the spec can give values of label others",
		"sort":  "each line is where its values are",
		"names": "the ends of all lines have names; highlight keeps the colours of some lines",
		"trend": twoEnds, "average": twoEnds, "compare": twoEnds,
	},
	width:  chartWidth,
	verify: verifySlope,
	check:  checkSlope,
	title:  func(p *Panel, label labeler) string { return label.by(label.of(p.Value), p.Label, p.X, p.Facet) },
}

// twoEnds is the reason why a slope has no line over others.
const twoEnds = "it compares two ends; draw a line, which has points between them"

func verifySlope(o *object, p *Panel) {
	verifyAxes(o, p, false)
	if p.X != "" && p.X == p.Label {
		o.problems.addf(o.at("x"), "%s is in label already; name the dimension of which the two ends are values, such as a year", quote(p.X))
	}
}

func checkSlope(c *panelCheck) {
	p := c.panel
	c.groups(c.at("label"), p.Label)
	c.groups(c.at("x"), p.X)
	c.times(p.X)
	c.shows(c.at("value"), p.Value)
	c.thresholds([]string{p.Value})
}
