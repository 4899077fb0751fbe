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
	title:    untitled,
}
