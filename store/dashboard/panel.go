package dashboard

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// panelTypes are the types of panels, in the order of the reference.
var panelTypes = []string{KPI, Line, Area, Bar, Scatter, Pie, Heatmap, Table, Text, Section}

var otherPanelTypes = map[string]string{
	"number": KPI, "metric": KPI, "stat": KPI, "bignumber": KPI, "scorecard": KPI, "card": KPI, "value": KPI, "gauge": KPI,
	"linechart": Line, "timeseries": Line, "trend": Line, "areachart": Area, "stackedarea": Area, "barchart": Bar, "column": Bar, "columnchart": Bar,
	"hbar": Bar, "horizontalbar": Bar, "stackedbar": Bar, "histogram": Bar, "scatterplot": Scatter, "bubble": Scatter, "piechart": Pie, "donut": Pie,
	"doughnut": Pie, "matrix": Heatmap, "grid": Table, "markdown": Text, "note": Text, "header": Section, "heading": Section, "title": Section, "divider": Section,
}

// everyPanel are the keys that panels of all types have.
var everyPanel = []string{"type", "title", "subtitle", "description", "width"}

// A panelShape is what a type of panel needs, and what else it can have.
type panelShape struct {
	required []string
	optional []string
	width    int
}

var panelShapes = map[string]panelShape{
	KPI:     {[]string{"value"}, []string{"data", "compare", "sparkline", "thresholds"}, 3},
	Line:    {[]string{"x", "y"}, []string{"data", "series", "reference", "limit", "other"}, 6},
	Area:    {[]string{"x", "y"}, []string{"data", "series", "stack", "reference", "limit", "other"}, 6},
	Bar:     {[]string{"x", "y"}, []string{"data", "series", "stack", "horizontal", "reference", "sort", "limit", "other"}, 6},
	Scatter: {[]string{"x", "y"}, []string{"data", "size", "label", "series"}, 6},
	Pie:     {[]string{"label", "value"}, []string{"data", "limit"}, 6},
	Heatmap: {[]string{"x", "y", "value"}, []string{"data"}, 6},
	Table:   {nil, []string{"data", "columns", "sort", "limit", "thresholds"}, 12},
	Text:    {[]string{"markdown"}, nil, 12},
	Section: {[]string{"title"}, nil, 12},
}

// keys are all the keys that a panel of the shape can have.
func (s panelShape) keys() []string { return slices.Concat(everyPanel, s.required, s.optional) }

// panelKeys are the keys of panels of all types together.
func panelKeys() []string {
	out := slices.Clone(everyPanel)
	for _, t := range panelTypes {
		for _, key := range panelShapes[t].keys() {
			if !slices.Contains(out, key) {
				out = append(out, key)
			}
		}
	}
	return out
}

var (
	otherPanelKeys = map[string]string{
		"dataset": "data", "datasource": "data", "source": "data", "query": "data", "name": "title", "heading": "title", "metric": "value|y",
		"measure": "value|y", "field": "value|x", "column": "value|x", "measures": "y|value", "metrics": "y|value", "values": "y|value", "xaxis": "x", "dimension": "x|label", "category": "x|label",
		"yaxis": "y", "groupby": "series|x|label", "group": "series|x|label", "color": "series", "breakdown": "series", "splitby": "series", "stacked": "stack",
		"comparison": "compare", "delta": "compare", "trend": "sparkline", "orderby": "sort", "order": "sort", "rows": "limit", "top": "limit",
		"maxrows": "limit", "span": "width", "colspan": "width", "cols": "width", "w": "width", "references": "reference", "target": "reference",
		"threshold": "thresholds", "fields": "columns", "text": "markdown", "content": "markdown", "body": "markdown", "names": "label", "labels": "label",
	}
	panelHints = map[string]string{
		"id":          "panels need no id",
		"sql":         "SQL belongs to a dataset; a panel names one by data",
		"format":      "formats are set once per column, under columns of the dataset",
		"agg":         "how a measure adds up is set once per column, under columns of the dataset",
		"aggregation": "how a measure adds up is set once per column, under columns of the dataset",
		"good":        "it is set once per column, under columns of the dataset",
		"height":      "panels have no height; the page makes a row equally high",
		"position":    "there are no positions; panels follow in reading order, each with a width",
		"layout":      "there are no positions; panels follow in reading order, each with a width",
		"colors":      "there are no colours; thresholds and reference lines have a tone",
		"filters":     "filters are at the top of the spec and act on every dataset that has the column",
		"vega_lite":   "it is a reserved name that version 1 refuses",
	}
)

func (p *parser) panels(o *object, s *Spec) {
	list := o.list("panels", MaxPanels)
	for i, raw := range list {
		before := len(p.problems)
		panel := p.panel(index("panels", i), raw, s)
		panel.faulty = len(p.problems) > before
		s.Panels = append(s.Panels, panel)
	}
	if len(list) > 0 || o.has("panels") && kindOf(o.values["panels"]) != "a list" {
		return
	}
	for _, d := range s.Datasets { // no panels: show what there is
		s.Panels = append(s.Panels, Panel{Type: Table, Title: Label(d.ID), Data: d.ID, Width: 12})
	}
}

func (p *parser) panel(path string, raw json.RawMessage, s *Spec) Panel {
	o := p.problems.object(path, raw)
	if o == nil {
		return Panel{}
	}
	shape, what := panelShape{}, "a panel"
	kind := p.panelType(o)
	if kind == "" {
		o.closed(what, panelKeys(), otherPanelKeys, panelHints)
	} else {
		shape, what = panelShapes[kind], "a panel of type "+kind
		hints := panelHints
		switch kind {
		case Table:
			hints = merge(panelHints, map[string]string{"y": "a table lists its columns", "x": "a table lists its columns"})
		case Pie:
			hints = merge(panelHints, map[string]string{"other": "a pie always merges what limit cuts"})
		}
		o.closed(what, shape.keys(), otherPanelKeys, hints)
		o.require(shape.required...)
		for key := range o.values { // reported above; not read
			if !slices.Contains(shape.keys(), key) {
				delete(o.values, key)
			}
		}
	}
	panel := Panel{
		Type: kind, Title: o.text("title", maxName), Subtitle: o.text("subtitle", maxName), Description: o.text("description", 0),
		Width: o.integer("width", 2, 12, max(shape.width, 2)),
		Value: o.name("value"), Compare: o.name("compare"), Sparkline: o.name("sparkline"),
		X: o.name("x"), Y: o.texts("y", MaxSeries, true), Series: o.name("series"),
		Size: o.name("size"), Label: o.name("label"),
		Horizontal: o.boolean("horizontal"), Stack: o.boolean("stack"),
		Reference: p.references(o), Thresholds: p.thresholds(o, kind), Columns: p.tableColumns(o),
		Sort: o.name("sort"), Limit: o.integer("limit", 1, 1000, 0), Other: o.boolean("other"),
		Markdown: o.text("markdown", 0),
	}
	if kind != Text && kind != Section && kind != "" {
		panel.Data = p.data(o, s)
	}
	for i, name := range panel.Y {
		if slices.Contains(panel.Y[:i], name) {
			p.problems.addf(index(o.at("y"), i), "%s is there twice; keep one", quote(name))
		}
	}
	switch {
	case o.has("y") && len(panel.Y) == 0 && kindOf(o.values["y"]) == "a list":
		p.problems.addf(o.at("y"), "is empty; name at least one column")
	case (kind == Heatmap || kind == Scatter) && len(panel.Y) > 1:
		p.problems.addf(o.at("y"), "has %d columns; a %s takes one", len(panel.Y), kind)
	case panel.Series != "" && len(panel.Y) > 1:
		p.problems.addf(o.at("series"), "splits one measure, and y has %d; name one in y, or leave series out", len(panel.Y))
	}
	if kind == Section {
		p.problems.emptyAt(o.at("title"), o.values["title"])
	}
	if previous(panel.Compare) && len(s.Filters) == 0 {
		p.problems.addf(o.at("compare"), `"%s" needs a filter on a date, which says what the period is; add one to filters`, panel.Compare)
	}
	p.fields(o.at("markdown"), panel.Markdown)
	return panel
}

// previous reports whether a comparison is with an earlier period.
func previous(compare string) bool { return compare == "previous_period" || compare == "previous_year" }

func (p *parser) panelType(o *object) string {
	if !o.has("type") {
		p.problems.add(Problem{Path: o.at("type"), Message: "is missing", Allowed: panelTypes})
		return ""
	}
	var t string
	if json.Unmarshal(o.values["type"], &t) == nil && t == "vega_lite" {
		p.problems.add(Problem{Path: o.at("type"), Message: `"vega_lite" is a reserved name that version 1 refuses`, Allowed: panelTypes})
		return ""
	}
	return o.enum("type", panelTypes, otherPanelTypes)
}

// data reads which dataset a panel shows.
func (p *parser) data(o *object, s *Spec) string {
	if !o.has("data") {
		if len(p.declared) == 1 {
			return p.declared[0]
		}
		if len(p.declared) > 1 {
			p.problems.add(Problem{Path: o.at("data"), Message: "is missing, and there are several datasets", Noun: "datasets", Allowed: p.declared})
		}
		return ""
	}
	id := o.name("data")
	if id != "" && !slices.Contains(p.declared, id) && len(p.declared) > 0 {
		p.problems.add(Problem{
			Path: o.at("data"), Message: quote(id) + " is not the id of a dataset", Noun: "datasets",
			Allowed: p.declared, Nearest: nearest(id, p.declared),
		})
	}
	if s.Dataset(id) == nil {
		return ""
	}
	return id
}

func (p *parser) references(o *object) []Reference {
	var out []Reference
	for i, raw := range o.list("reference", MaxReferences) {
		o := p.problems.object(index(o.at("reference"), i), raw)
		if o == nil {
			continue
		}
		o.closed("a reference line", referenceKeys, map[string]string{"y": "value", "color": "tone", "type": "kind", "name": "label"}, nil)
		if o.has("value") == o.has("kind") {
			p.problems.addf(o.path, "must have either a value or a kind (%s)", strings.Join(refKinds, ", "))
		}
		value, _ := o.number("value")
		r := Reference{Value: value, Kind: o.enum("kind", refKinds, otherKinds), Label: o.text("label", maxName), Tone: o.enum("tone", tones, otherTones)}
		if r.Tone == "" {
			r.Tone = "neutral"
		}
		out = append(out, r)
	}
	return out
}

func (p *parser) thresholds(o *object, kind string) []Threshold {
	var out []Threshold
	for i, raw := range o.list("thresholds", MaxThresholds) {
		o := p.problems.object(index(o.at("thresholds"), i), raw)
		if o == nil {
			continue
		}
		o.closed("a threshold", thresholdKeys, map[string]string{"color": "tone", "op": "if", "operator": "if", "field": "column", "when": "if"}, nil)
		o.require("value", "tone")
		if kind == Table {
			o.require("column")
		} else if o.has("column") {
			p.problems.addf(o.at("column"), "is for tables; the threshold of a kpi is about its value")
		}
		value, _ := o.number("value")
		t := Threshold{
			Column: o.name("column"), If: o.enum("if", comparisons, otherIfs), Value: value,
			Tone: o.enum("tone", tones, otherTones),
		}
		if t.If == "" {
			t.If = ">="
		}
		out = append(out, t)
	}
	return out
}

func (p *parser) tableColumns(o *object) []TableColumn {
	var out []TableColumn
	for i, raw := range o.list("columns", MaxColumns) {
		path := index(o.at("columns"), i)
		if kindOf(raw) == "a string" {
			name, _ := p.problems.text(path, raw, maxName)
			p.problems.emptyAt(path, raw)
			out = append(out, TableColumn{Column: name})
			continue
		}
		o := p.problems.object(path, raw)
		if o == nil {
			out = append(out, TableColumn{})
			continue
		}
		o.closed("a column of a table", tableKeys, map[string]string{"field": "column", "name": "column", "title": "label", "header": "label", "href": "link", "url": "link"}, nil)
		o.require("column")
		c := TableColumn{
			Column: o.name("column"), Label: o.text("label", maxName), Format: o.enum("format", formats, otherFormats),
			Bar: o.boolean("bar"), Sign: o.boolean("sign"), Link: o.text("link", maxLong),
		}
		if msg := checkLink(c.Link); o.has("link") && msg != "" {
			p.problems.addf(o.at("link"), "%s", msg)
		}
		out = append(out, c)
	}
	for i, c := range out {
		if c.Column != "" && slices.ContainsFunc(out[:i], func(d TableColumn) bool { return d.Column == c.Column }) {
			p.problems.addf(index(o.at("columns"), i), "%s is there twice; keep one", quote(c.Column))
		}
	}
	return out
}

// fields checks that the placeholders of a text name datasets.
func (p *parser) fields(path, markdown string) {
	for _, f := range fields(markdown) {
		switch {
		case f.column == "":
			p.problems.addf(path, "{{%s}} must name a dataset and a column, such as {{orders.revenue}}", short(f.dataset))
		case !slices.Contains(p.declared, f.dataset):
			p.problems.add(Problem{
				Path: path, Message: fmt.Sprintf("{{%s.%s}} does not begin with the id of a dataset", short(f.dataset), short(f.column)),
				Noun: "datasets", Allowed: p.declared, Nearest: nearest(f.dataset, p.declared),
			})
		}
	}
}
