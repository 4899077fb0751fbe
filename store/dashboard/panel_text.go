package dashboard

import (
	"fmt"
	"slices"
	"strings"
)

// Text is the type of panel that shows Markdown.
const Text = "text"

var textPanel = panelType{
	name:     Text,
	also:     []string{"markdown", "note"},
	doc:      "Markdown",
	required: []panelKey{keyMarkdown},
	optional: []panelKey{keyData.as("the dataset of {{revenue}}, for fields that name none")},
	width:    fullWidth,
	check:    checkText,
	title:    untitled,
}

var keyMarkdown = textKey("markdown", 0, "", func(p *Panel) *string { return &p.Markdown }).
	as("Markdown without HTML and images; {{orders.revenue}} is a measure, and {{orders.day}} the last date or the only value, of a " +
		"dataset; {{orders.growth | percent1, sign}} has a format and a plus sign").
	briefly("Markdown without images; {{orders.revenue}} is a measure, {{orders.day}} the last date or the only value.")

// bareFields adds a dataset to the fields of a text that name none: that of the key data, or the only one of the spec.
func (p *parser) bareFields(o *object, s *Spec, markdown string) string {
	set := ""
	if o.has(keyData.name) || len(p.declared) == 1 {
		set = p.data(o, s)
	}
	if set == "" {
		return markdown
	}
	return hole.ReplaceAllStringFunc(markdown, func(field string) string {
		column := hole.FindStringSubmatch(field)[1]
		if name, _, _ := strings.Cut(column, "|"); name == "" || strings.Contains(name, ".") {
			return field
		}
		return "{{" + set + "." + column + "}}"
	})
}

// checkText checks the columns that a text shows. A measure is merged over all rows.
func checkText(c *panelCheck) {
	path := c.at("markdown")
	for _, f := range fields(c.panel.Markdown) {
		set := c.sets[f.dataset]
		if set == nil {
			continue
		}
		shown := set.placeholder(f.column)
		c.unseen(path, set, shown.Column)
		col := c.column(path, set, shown.Column)
		if col != nil && isMeasure(*col) {
			c.merged(path, set, col, c.chosen(set), false)
		}
		if col != nil {
			c.placeholder(path, f, col, shown)
		}
	}
}

// placeholder checks how a field of a text writes the value of its column.
func (c *panelCheck) placeholder(path string, f field, col *Column, shown Placeholder) {
	if shown.other != "" {
		problem := Problem{
			Path: path, Message: fmt.Sprintf(`{{%s.%s}} has %s, which is neither a format nor "sign"; write {{%s.%s | percent1, sign}}`,
				short(f.dataset), short(f.column), quote(shown.other), short(f.dataset), short(shown.Column)),
			Noun: "formats", Allowed: formats, Nearest: known(shown.other, otherFormats, formats),
		}
		if member := formatMember(shown.other); problem.Nearest == "" && member != "" {
			problem.Nearest = strings.Trim(strings.TrimPrefix(strings.Split(member, ",")[0], `"format": `), `"`)
		}
		if slices.Contains([]string{"+", "signed", "plus", "sign=true", "delta"}, strings.ToLower(shown.other)) {
			problem.Nearest = "sign"
		}
		c.problems.add(problem)
	}
	c.format(path, col, shown.Format)
	if shown.Sign && !isNumeric(*col) {
		c.problems.addf(path, `"sign" is for numbers, and %s is of type %s`, quote(col.Name), col.Type)
	}
}
