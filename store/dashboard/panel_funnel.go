package dashboard

// Funnel is the type of panel that shows how many reach each step of a process.
const Funnel = "funnel"

var funnelPanel = panelType{
	name:     Funnel,
	also:     []string{"funnelchart", "conversion", "conversionfunnel"},
	doc:      "how many reach each step",
	required: []panelKey{keyLabel.as("dimension of the steps"), keyValue},
	optional: []panelKey{
		keyData, keyCompare.as("previous_period or previous_year (as in a kpi), whose values and changes are under the bars"),
		keyFacet, keyFacetColumns, keyFacetScale,
		keyShare.as("which percentages are beside the steps: of the first, of the previous step, or none; default first and previous"),
		keyLabels.as("the amounts beside the names"),
		keyPaint, keyThresholds.as("tones of steps by conversion: 0.5 is half of the step before, or of the first if share is first"),
		keyHighlight.as(labelHighlight), keySort, keyLimit.as("number of steps, from the first"), keyTooltip,
	},
	hints: map[string]string{
		"x":          "label is the dimension of the steps",
		"y":          "value is the measure of the steps",
		"steps":      "label is the dimension of the steps, of which each row has one, and value their measure",
		"stack":      "a funnel has one measure; a bar stacks several",
		"series":     "a funnel has one process; a bar with series compares several",
		"other":      "steps keep parts of the same amount, so they do not add up; limit leaves the last ones out",
		"horizontal": "the bars of a funnel are always horizontal",
	},
	width:  chartWidth,
	verify: verifyFunnel,
	check:  checkFunnel,
	title:  func(p *Panel, label labeler) string { return label.by(label.of(p.Value), p.Label, p.Facet) },
}

// verifyFunnel checks that the shares of steps are shares of another step.
func verifyFunnel(o *object, p *Panel) {
	if p.Share == "total" {
		o.problems.addf(o.at("share"), `"total" is of parts that add up, and a step is a part of the one before; `+
			`write "first", "previous" or "none"`)
	}
	verifyOnePeriod(o, p, "a funnel", "drawn by a bar with both measures in y")
	if len(p.Compare) > 0 && p.Facet != "" {
		o.problems.addf(o.at("compare"), "does not go with facet: "+noRoomBefore)
	}
}

func checkFunnel(c *panelCheck) {
	p := c.panel
	c.thresholds([]string{p.Value})
	for i, t := range p.Thresholds {
		at := index(c.at("thresholds"), i) + ".value"
		switch {
		case t.By != "":
			c.problems.addf(at, "must be a number: the share of the step before that a step keeps, such as 0.5")
		case t.Value < 0 || t.Value > 1:
			c.problems.addf(at, "must be from 0 to 1: the share of the step before that a step keeps; 0.5 is 50 %%")
		}
	}
	c.groups(c.at("label"), p.Label)
	if date := c.comparedDate(); date != "" && date == p.Label {
		c.problems.addf(c.at("compare"), "%s is the date of the periods, so no step is in both; name another column in label", quote(date))
	}
	c.sort()
	c.amounts(c.at("value"), p.Value, noAmounts,
		"is no amount of which a step keeps a part, as a funnel shows; use a bar, or a measure that is counted or summed")
}
