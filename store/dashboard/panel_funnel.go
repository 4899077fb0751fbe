package dashboard

// Funnel is the type of panel that shows how many reach each step of a process.
const Funnel = "funnel"

var funnelPanel = panelType{
	name:     Funnel,
	also:     []string{"funnelchart", "conversion", "conversionfunnel"},
	doc:      "how many reach each step",
	required: []panelKey{keyLabel.as("dimension of the steps"), keyValue},
	optional: []panelKey{keyData, keySort},
	hints: map[string]string{
		"share": "a funnel always says what share of the first step and of the one before each is",
		"limit": "a funnel shows its steps from the first on; filter, or return fewer",
		"stack": "a funnel has one measure; a bar stacks several",
	},
	width: chartWidth,
	check: checkFunnel,
	title: func(p *Panel, label labeler) string { return label.by(label.of(p.Value), p.Label) },
}

func checkFunnel(c *panelCheck) {
	p := c.panel
	c.groups(c.at("label"), p.Label)
	c.sort()
	c.amounts(c.at("value"), p.Value, noAmounts,
		"is no amount of which a step keeps a part, as a funnel shows; use a bar, or a measure that is counted or summed")
}
