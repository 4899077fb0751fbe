package dashboard

// Scatter is the type of panel that draws points by two measures.
const Scatter = "scatter"

var scatterPanel = panelType{
	name:     Scatter,
	also:     []string{"scatterplot", "bubble"},
	doc:      "points by two measures",
	required: []panelKey{keyX.as("measure"), keyY.as("one measure")},
	optional: []panelKey{
		keyData, keySize, keyLabel.as("dimension with a point for each value"), keySeries, keyFacet, keyFacetColumns, keyFacetScale,
		keyScale.as("log of both axes, log_x and log_y of one"), keyYMin.as("where the axis of y begins"), keyYMax, keyXMin, keyXMax,
		keyTrend, keyReference, keyHighlight.as(spotHighlight), keyPointNames, keyConnect, keyTooltip,
	},
	hints:  map[string]string{"average": "points have no order in which it could move; draw a line, or a trend"},
	width:  chartWidth,
	single: true,
	verify: verifyScatter,
	check:  checkScatter,
	title: func(p *Panel, label labeler) string {
		return label.by(label.of(append([]string{p.X}, p.Y...)...), p.Label, p.Facet)
	},
}

var keySize = nameKey("size", "measure of the points' size", func(p *Panel) *string { return &p.Size }).
	briefly("Measure of the points' size.")

// spotHighlight describes the values that points highlight.
const spotHighlight = "values of series, or of label, that keep their colours, the others gray"

func verifyScatter(o *object, p *Panel) {
	verifyAxes(o, p, false)
	verifyNames(o, p)
}

func checkScatter(c *panelCheck) {
	p := c.panel
	c.groups(c.at(map[bool]string{true: "connect", false: "label"}[p.Connect != ""]), p.Label)
	c.groups(c.at("series"), p.Series)
	c.shows(c.at("x"), p.X)
	if len(p.Y) > 0 {
		c.shows(c.at("y"), p.Y[0])
	}
	c.shows(c.at("size"), p.Size)
	if p.Label == "" { // a point for each row
		c.grain = c.set.keys
	} else { // x may be a dimension by mistake, and one problem is enough
		c.grain = append(c.grain, p.X)
	}
}
