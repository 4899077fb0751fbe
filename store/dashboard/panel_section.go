package dashboard

// Section is the type of panel that is a heading.
const Section = "section"

var sectionPanel = panelType{
	name:     Section,
	also:     []string{"header", "heading", "title", "divider"},
	doc:      "a heading that begins a new row",
	required: []panelKey{keyTitle},
	width:    fullWidth,
	verify:   func(o *object, _ *Panel) { o.problems.emptyAt(o.at("title"), o.values["title"]) },
	check: func(c *panelCheck) {
		if c.panel.Width != fullWidth {
			c.warnf(WarnKeyIgnored, c.at("width"), "a section begins a row and has all of it, so width changes nothing.")
		}
	},
	title: untitled,
}
