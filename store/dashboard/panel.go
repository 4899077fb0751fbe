package dashboard

import (
	"encoding/json"
	"fmt"
	"slices"
)

func (p *parser) panels(o *object, s *Spec) {
	list := o.list("panels", MaxPanels)
	for i, raw := range list {
		before := len(p.problems)
		panel := p.panel(index("panels", i), raw, s)
		if panel.faulty = len(p.problems) > before; panel.faulty {
			panel.problem = p.problems[before]
		}
		s.Panels = append(s.Panels, panel)
	}
	if len(list) > 0 || o.has("panels") && kindOf(o.values["panels"]) != "a list" {
		return
	}
	for _, d := range s.Datasets { // no panels: show every dataset
		s.Panels = append(s.Panels, Panel{Type: Table, Title: Label(d.ID), Data: d.ID, Width: tablePanel.width})
	}
}

// panel reads a panel. A panel without a known type is read as if it could have every key, so
// that all its mistakes are reported at once.
func (p *parser) panel(path string, raw json.RawMessage, s *Spec) Panel {
	o := p.problems.object(path, raw)
	if o == nil {
		return Panel{}
	}
	t := p.panelType(o)
	if t == nil {
		t = &panelType{width: 2}
		o.closed("a panel", panelKeys(), otherPanelKeys, panelHints)
	} else {
		if slices.ContainsFunc(o.keys, func(key string) bool { return !t.has(key) }) { // else no hint is needed
			also := t.otherKeys(o)
			o.closed(ofPanel+t.name, t.keys(), also, t.elsewhere(o, also, merge(merge(panelHints, t.axisHints(o)), t.hints)))
		}
		o.forms(t)
		o.require(keyNames(t.required)...)
		for key := range o.values { // reported above; not read
			if !t.has(key) {
				delete(o.values, key)
			}
		}
	}
	panel := Panel{Type: t.name}
	for _, key := range keyOrder {
		if key.read != nil {
			key.read(o, &panel, t)
		}
	}
	switch {
	case t.needsData():
		panel.Data = p.data(o, s)
	case t.name == Text:
		panel.Markdown = p.bareFields(o, s, panel.Markdown)
	}
	if t.has(keyEvents.name) {
		panel.Events = p.events(o, s)
	}
	p.measures(o, &panel, t)
	if t.has(keyFacet.name) {
		verifyFacet(o, &panel)
	}
	verifyPaint(o, &panel)
	if t.verify != nil {
		t.verify(o, &panel)
	}
	if i := slices.Index(panel.Compare, PreviousPeriod); i >= 0 && len(s.Filters) == 0 && !comparesLast(t.name) {
		p.problems.addf(pathOf(o.at("compare"), panel.Compare, i),
			`"%s" needs a filter on a date, which defines the period; add one to filters`, panel.Compare[i])
	}
	p.fields(o.at("markdown"), panel.Markdown)
	return panel
}

// HasFacet reports whether panels of a type can have small plots.
func HasFacet(kind string) bool {
	t := typeNamed(kind)
	return t != nil && t.has(keyFacet.name)
}

// panelType reads a panel's type. The other name of a type is reported, and the panel is read as one of that type, so that its other
// mistakes are reported as well. It returns nil for an unknown type.
func (p *parser) panelType(o *object) *panelType {
	if !o.has("type") {
		p.problems.add(Problem{Path: o.at("type"), Message: "is missing", Allowed: panelTypes})
		return nil
	}
	var t string // the type, also by another name
	if json.Unmarshal(o.values["type"], &t) == nil {
		if t == "vega_lite" {
			p.problems.add(Problem{Path: o.at("type"), Message: `"vega_lite" is a reserved name that version 1 refuses`, Allowed: panelTypes})
			return nil
		}
		if typeNamed(t) == nil {
			if r := o.refuseType(t); r != nil {
				return r.instead()
			}
		}
	}
	if name := o.enum("type", panelTypes, otherPanelTypes); name != "" {
		return typeNamed(name)
	}
	return typeNamed(otherName(t, otherPanelTypes, panelTypes))
}

// data reads the dataset that a panel shows.
func (p *parser) data(o *object, s *Spec) string {
	if !o.has("data") {
		if len(p.declared) == 1 {
			return p.declared[0]
		}
		if len(p.declared) > 1 {
			p.problems.add(Problem{
				Path: o.at("data"), Message: "is missing, and there are several datasets", Noun: "datasets", Allowed: p.declared,
			})
		}
		return ""
	}
	id := o.name("data")
	if id != "" && !slices.Contains(p.declared, id) && len(p.declared) > 0 {
		p.problems.add(Problem{
			Path: o.at("data"), Message: quote(id) + " is not the id of a dataset", Noun: "datasets",
			Allowed: p.declared, Nearest: likeliest(id, p.declared),
		})
	}
	if s.Dataset(id) == nil {
		return ""
	}
	return id
}

// measures checks how many columns y has.
func (p *parser) measures(o *object, panel *Panel, t *panelType) {
	for i, name := range panel.Y {
		if slices.Contains(panel.Y[:i], name) {
			p.problems.addf(index(o.at("y"), i), "%s is there twice; keep one", quote(name))
		}
	}
	switch {
	case o.has("y") && len(panel.Y) == 0 && kindOf(o.values["y"]) == "a list":
		p.problems.addf(o.at("y"), "is empty; name at least one column")
	case t.single && len(panel.Y) > 1:
		p.problems.addf(o.at("y"), "has %d columns; a %s takes one", len(panel.Y), t.name)
	case panel.Series != "" && len(panel.Y) > 1:
		p.problems.addf(o.at("series"), "splits one measure, and y has %d; name one in y, or leave series out", len(panel.Y))
	}
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
				Noun: "datasets", Allowed: p.declared, Nearest: likeliest(f.dataset, p.declared),
			})
		}
	}
}
