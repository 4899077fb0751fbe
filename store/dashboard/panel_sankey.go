package dashboard

import (
	"fmt"
	"slices"
)

// Sankey is the type of panel that shows how much flows from one value to another.
const Sankey = "sankey"

const (
	fewestSteps = 2
	mostSteps   = 6

	// MaxNodes is the maximum, and the default, of drawn values of a step, with Other.
	MaxNodes = 24
	minNodes = 2
)

var sankeyPanel = panelType{
	name:   Sankey,
	also:   []string{"sankeydiagram", "sankeychart", "alluvial", "alluvialdiagram", "alluvialchart", "parallelsets", "flows", "flowdiagram"},
	doc:    "how much flows from one value to another",
	either: [2][]panelKey{{keySteps, keyValue}, {keyFrom, keyTo, keyValue}},
	optional: []panelKey{
		keyData, keySteps, keyFrom, keyTo, keyValue,
		keyLimit.as(fmt.Sprintf("number of values in a step, including Other: %d to %d (default %[2]d)", minNodes, MaxNodes)),
	},
	hints: map[string]string{
		"target": "to is the dimension to which flows lead", "targets": "to is the dimension to which flows lead",
		"compare":    "ribbons have one width; a bar with compare has both periods of one of the dimensions",
		"facet":      "it is read as one flow; make a panel for each, or name the dimension in steps",
		"thresholds": "ribbons have the colours of the first step, which columns at the top of the spec can set",
		"color":      "ribbons have the colours of the first step, which columns at the top of the spec can set",
		"nodes":      "nodes are the values of from and to, or of the columns in steps",
		"links":      "each row of the dataset is a flow: from, to and value",
		"label":      "steps is the list of the columns, or from and to", "x": "steps is the list of the columns, or from and to",
		"series":    "flows have the colours of the first column in steps, or of from",
		"other":     "limit is the number of values of a step, and the smallest others are always merged",
		"sort":      "nodes are placed so that few flows cross, or in the order of their column, which columns at the top can say",
		"labels":    "nodes have their names beside them",
		"tooltip":   "a ribbon has many rows; its tooltip has its ends and its amount. Show the columns in a table",
		"highlight": "ribbons have the colours of the first step, which columns at the top of the spec can set: gray for those in the background",
	},
	width:  fullWidth,
	verify: verifySankey,
	check:  checkSankey,
	title:  func(p *Panel, label labeler) string { return label.by(label.of(p.Value), p.Flows()...) },
}

var (
	keySteps = panelKey{
		name: "steps", terse: true,
		kind: kind{
			schema: fmt.Sprintf(`"type": "array", "minItems": %d, "maxItems": %d, "items": {"type": "string"}`, fewestSteps, mostSteps),
			words:  fmt.Sprintf("list of %d to %d names", fewestSteps, mostSteps),
		},
		doc:  "dimensions in the order of the flow",
		read: func(o *object, p *Panel, _ *panelType) { p.Steps = o.texts("steps", mostSteps, true) },
	}
	keyFrom = nameKey("from", "dimension of the values from which flows lead", func(p *Panel) *string { return &p.From }).tersely()
	keyTo   = nameKey("to", "dimension of the values to which flows lead", func(p *Panel) *string { return &p.To }).tersely()
)

// Flows returns the dimensions between whose values a sankey has flows.
func (p *Panel) Flows() []string {
	if len(p.Steps) > 0 || p.From == "" {
		return p.Steps
	}
	return []string{p.From, p.To}
}

func verifySankey(o *object, p *Panel) {
	if kindOf(o.values["source"]) == "a string" { // refused, with from to write
		o.meant = append(o.meant, "from")
	}
	steps, ends := o.has("steps"), o.has("from") || o.has("to")
	switch {
	case steps && ends:
		o.problems.addf(o.at("steps"), "a sankey has steps, or from and to; of both, make two panels")
	case steps:
		o.require("value")
		if kind := kindOf(o.values["steps"]); len(p.Steps) < fewestSteps && (kind == "a list" || kind == "a string") {
			o.problems.addf(o.at("steps"), "has %d of %d to %d columns; list those between which something flows",
				len(p.Steps), fewestSteps, mostSteps)
		}
	case ends:
		o.require("from", "to", "value")
		if p.From != "" && p.From == p.To {
			o.problems.addf(o.at("to"), "is the column of from; flows lead from the values of one column to those of another")
		}
	case slices.ContainsFunc([]string{"steps", "from", "to"}, func(key string) bool { return slices.Contains(o.meant, key) }): // reported
		o.require("value")
	default:
		o.require("value")
		o.problems.addf(o.path, "must have steps (a list of columns), or from and to")
	}
	if o.has("limit") && p.Limit > 0 && (p.Limit < minNodes || p.Limit > MaxNodes) {
		o.problems.addf(o.at("limit"), "must be from %d to %d: the values of a step, one of which is Other", minNodes, MaxNodes)
	}
	for i, name := range p.Steps {
		if slices.Contains(p.Steps[:i], name) {
			o.problems.addf(index(o.at("steps"), i), "%s is there twice; each step is another dimension", quote(name))
		}
	}
}

func checkSankey(c *panelCheck) {
	p := c.panel
	for i, name := range p.Steps {
		c.groups(index(c.at("steps"), i), name)
	}
	c.groups(c.at("from"), p.From)
	c.groups(c.at("to"), p.To)
	c.amounts(c.at("value"), p.Value, notAdded,
		`does not add up to an amount that flows, as a sankey shows; use a heatmap, or a measure whose "agg" is "sum"`)
	if col := find(c.set.columns, p.Value); col != nil && col.IsStock() && slices.Contains(c.grain, col.Along) {
		c.problems.addf(c.at("value"), `%s is of "agg": "%s" along %s, and values of several times are not one amount; use a line`,
			quote(p.Value), col.Agg, quote(col.Along))
	}
}
