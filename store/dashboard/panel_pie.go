package dashboard

// Pie is the type of panel that shows shares of a whole.
const Pie = "pie"

var piePanel = panelType{
	name:     Pie,
	also:     []string{"piechart", "donut", "doughnut"},
	doc:      "shares of a whole",
	required: []panelKey{keyLabel.as("dimension of the slices"), keyValue},
	optional: []panelKey{
		keyData, keyFacet, keyFacetColumns, keyLabels.as("amounts and shares beside the names"), keyHighlight.as(labelHighlight),
		keySort, keyLimit,
		keyOther.as("always true: a pie is a whole"), keyTooltip,
	},
	hints: map[string]string{
		"x":           "label is the dimension of the slices",
		"y":           "value is the measure of the slices",
		"compare":     "a whole has no earlier one beside it; a bar with compare has both",
		"series":      "label is the dimension of the slices; a bar with stack splits each of them",
		"thresholds":  "slices have the colours of their values, which columns at the top of the spec can set; a bar has thresholds",
		"facet_scale": "each pie is a whole, and its slices are shares of it",
		"share":       "slices always have their share of the whole; labels leaves the numbers out",
	},
	width:  chartWidth,
	verify: func(o *object, p *Panel) { verifyMerged(o, p, "pie") },
	check:  checkPie,
	title:  func(p *Panel, label labeler) string { return label.by(label.of(p.Value), p.Label, p.Facet) },
}

// labelHighlight describes the values that slices, steps and areas highlight.
const labelHighlight = "values of label that keep their colours, the others gray"

// verifyMerged refuses "other": false, because a panel of a whole always merges the values that it does not draw.
func verifyMerged(o *object, p *Panel, what string) {
	if o.has("other") && !p.Other && kindOf(o.values["other"]) == "a boolean" {
		o.problems.addf(o.at("other"), "is always true of a %s, which shows a whole; a filter leaves values out", what)
	}
}

// merges warns that "other": true changes nothing in a panel that always merges the values that it does not draw.
func (c *panelCheck) merges() {
	if c.panel.Other {
		c.warnf(WarnKeyIgnored, c.at("other"), "a %s is a whole, and always merges what it does not draw; leave other out.", c.panel.Type)
	}
}

func checkPie(c *panelCheck) {
	p := c.panel
	c.groups(c.at("label"), p.Label)
	c.merges()
	c.sort()
	switch col := c.measure(c.at("value"), c.set, p.Value); {
	case col == nil:
	case col.sums(p.Label):
		c.measures = append(c.measures, shownMeasure{path: c.at("value"), Column: col})
	default:
		c.problems.addf(c.at("value"),
			`%s does not add up to the whole that a pie shows; use a bar, or a measure whose "agg" is "sum"`, quote(p.Value))
	}
}
