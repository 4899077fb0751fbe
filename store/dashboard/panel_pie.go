package dashboard

// Pie is the type of panel that shows shares of a whole.
const Pie = "pie"

var piePanel = panelType{
	name:     Pie,
	also:     []string{"piechart", "donut", "doughnut"},
	doc:      "shares of a whole",
	required: []panelKey{keyLabel.as("dimension of the slices"), keyValue},
	optional: []panelKey{keyData, keyLimit, keyTooltip},
	hints:    map[string]string{"other": "a pie always merges what limit cuts"},
	width:    chartWidth,
	check:    checkPie,
	title:    func(p *Panel, label labeler) string { return label.by(label.of(p.Value), p.Label) },
}

func checkPie(c *panelCheck) {
	p := c.panel
	c.groups(c.at("label"), p.Label)
	if col := c.measure(c.at("value"), c.set, p.Value); col != nil && !col.sums(p.Label) {
		c.problems.addf(c.at("value"),
			`%s does not add up to the whole that a pie shows; use a bar, or a measure whose "agg" is "sum"`, quote(p.Value))
	}
}
