package dashboard

// Text is the type of panel that shows Markdown.
const Text = "text"

var textPanel = panelType{
	name:     Text,
	also:     []string{"markdown", "note"},
	doc:      "Markdown",
	required: []panelKey{keyMarkdown},
	hints:    map[string]string{"data": "markdown names the dataset of each number, as in {{orders.revenue}}; leave it out"},
	width:    fullWidth,
	check:    checkText,
	title:    untitled,
}

var keyMarkdown = textKey("markdown", 0, "", func(p *Panel) *string { return &p.Markdown }).
	as("Markdown without HTML and images; {{orders.revenue}} is a measure, and {{orders.day}} the last date or the only value, of a dataset").
	briefly("Markdown without images; {{orders.revenue}} is a measure, {{orders.day}} the last date or the only value.")

// checkText checks the columns that a text shows. A measure is merged over all rows.
func checkText(c *panelCheck) {
	path := c.at("markdown")
	for _, f := range fields(c.panel.Markdown) {
		set := c.sets[f.dataset]
		if set == nil {
			continue
		}
		c.unseen(path, set, f.column)
		if col := c.column(path, set, f.column); col != nil && isMeasure(*col) {
			c.merged(path, set, col, c.chosen(set), false)
		}
	}
}
