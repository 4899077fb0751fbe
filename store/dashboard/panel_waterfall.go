package dashboard

// Waterfall is the type of panel that shows how changes add up.
const Waterfall = "waterfall"

var waterfallPanel = panelType{
	name:     Waterfall,
	also:     []string{"waterfallchart", "bridge", "bridgechart", "cascade"},
	doc:      "changes and their sum",
	required: []panelKey{keyLabel.as("dimension of the changes"), keyValue},
	optional: []panelKey{
		keyData, keyTotal, keyFacet, keyFacetColumns, keyFacetScale,
		keyHorizontal, keyGrain, keyLabels, keyYMin, keyYMax, keyReference,
		keyThresholds.as(waterfallTones), keyHighlight.as("values of label that keep their colours; all others are gray, except totals"),
		keySort, keyLimit, keyTooltip,
	},
	hints: map[string]string{
		"x":      "label is the dimension of the changes",
		"y":      "value is the measure of the changes",
		"series": "its bars rise and fall; a bar with series and stack splits amounts",
		"start":  `the first row is where it starts; total is a list of its name and that of the closing bar: ["Opening", "Closing"]`,
		"scale":  noLog, "log": noLog, "y_reverse": noReverse,
		"trend": noSteps, "average": noSteps,
		"compare": "its bars are changes already; the sql returns those of another period, and a bar with compare has both periods",
		"stack":   "the bars of a waterfall stand on one another",
		"other":   "a waterfall always merges what limit cuts, so that it adds up",
	},
	width:  chartWidth,
	verify: verifyWaterfall,
	check:  checkWaterfall,
	title:  func(p *Panel, label labeler) string { return label.by(label.of(p.Value), p.Label, p.Facet) },
}

const (
	// noSteps is the reason why a waterfall has no line over its bars.
	noSteps = "its bars are changes, and what they add up to is drawn; draw a bar or a line of the values"

	waterfallTones = "tones of the changes, by their values; if several conditions hold, the one with the closest number applies"
)

// verifyWaterfall checks that reference lines are at numbers: changes and totals together have no average.
func verifyWaterfall(o *object, p *Panel) {
	verifyAxes(o, p, false)
	for i, r := range p.Reference {
		if r.Kind != "" {
			o.problems.addf(join(index(o.at("reference"), i), "kind"), "is of values alike, and a waterfall has changes and totals; "+
				"write the number as value of the line")
		}
	}
}

// maxTotals is the largest number of bars of a waterfall that are totals.
const maxTotals = 20

var keyTotal = panelKey{
	name: "total", kind: kind{schema: `"type": "string"`, words: "name, list of at most 20 names, true or false"},
	doc: `name of the closing bar, false for no such bar, or list of names of rows that are totals, at its end possibly with that of the ` +
		`closing bar: ["Opening", "Closing"]; default true, "Total"`,
	brief: "waterfall: closing bar, or list: rows that are totals, closing bar. table: totals row: true, or name.",
	read: func(o *object, p *Panel, t *panelType) {
		switch {
		case !o.has("total"):
			return
		case t.name == Table:
			readTotalRow(o, p)
			return
		}
		if kindOf(o.values["total"]) == "a boolean" {
			p.NoTotal = !o.boolean("total")
			return
		}
		p.Total = o.texts("total", maxTotals, true)
		if len(p.Total) == 0 && kindOf(o.values["total"]) == "a list" {
			o.problems.addf(o.at("total"), "is empty; name a closing bar or rows that are totals, or write false for none")
		}
	},
}

// readTotalRow reads whether a table has a row of totals: true, or its name.
func readTotalRow(o *object, p *Panel) {
	switch kindOf(o.values["total"]) {
	case "a boolean":
		p.TotalRow = o.boolean("total")
	case "a list":
		o.problems.addf(o.at("total"), "of a table is true, or the name of the row of totals, and not a list")
	default:
		p.Total, p.TotalRow = o.texts("total", 1, true), true
	}
}

func checkWaterfall(c *panelCheck) {
	p := c.panel
	c.groups(c.at("label"), p.Label)
	c.times(p.Label)
	c.sort()
	c.thresholds([]string{p.Value})
	c.amounts(c.at("value"), p.Value, notAdded,
		`does not add up, as the changes of a waterfall do; use a bar, or a measure whose "agg" is "sum"`)
	if col := find(c.set.columns, p.Value); col != nil && col.IsStock() && col.Along == p.Label {
		c.problems.addf(c.at("value"), `%s is of "agg": "%s" along %s, and `+
			`values of several times do not add up, as the changes of a waterfall do; `+
			"use a bar, or return the changes in the sql", quote(p.Value), col.Agg, quote(p.Label))
	}
}
