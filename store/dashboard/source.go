package dashboard

import (
	"strings"
)

// A Source names the owner of the data that a page or a panel shows.
type Source struct {
	Name string // at most 200 characters
	URL  string // https://…, or "" for none
}

var (
	sourceMembers = []member{
		{"name", textOf(maxName), "Provider of the data."},
		{"url", textOf(maxLong), "https://…"},
	}
	sourceKeys      = memberNames(sourceMembers)
	otherSourceKeys = map[string]string{"title": "name", "label": "name", "text": "name", "link": "url", "href": "url", "address": "url"}

	keySource = panelKey{
		name: "source", kind: kind{
			schema: `"type": "object", "additionalProperties": false, "required": ["name"]`,
			tail:   `"properties": {` + properties(sourceMembers) + `}`,
			words:  `{"name", "url"}`,
		},
		note: "Provider of the data.",
		read: func(o *object, p *Panel, t *panelType) {
			instead := "data names a dataset"
			if t.name == Sankey {
				instead = "the column from which flows lead is from"
			}
			p.Source = readSource(o, instead)
		},
	}
)

// readSource reads the source of a page or a panel. instead is the hint if the value is a text.
func readSource(o *object, instead string) *Source {
	raw, ok := o.values["source"]
	if !ok {
		return nil
	}
	if kindOf(raw) == "a string" {
		o.problems.addf(o.at("source"), `is {"name": …, "url": …}: whose data it is; %s`, instead)
		return nil
	}
	in := o.problems.object(o.at("source"), raw)
	if in == nil {
		return nil
	}
	in.closed("a source", sourceKeys, otherSourceKeys, nil)
	in.require("name")
	s := &Source{Name: strings.TrimSpace(in.name("name")), URL: in.text("url", maxLong)}
	if s.Name == "" && in.has("name") && kindOf(in.values["name"]) == "a string" {
		in.problems.emptyAt(in.at("name"), []byte(`""`))
	}
	if !in.has("url") || kindOf(in.values["url"]) != "a string" {
		return s
	}
	if !strings.HasPrefix(s.URL, "https://") || strings.Contains(s.URL, "{{") || checkLink(s.URL) != "" {
		in.problems.addf(in.at("url"), `%s is not an address; write one that begins with https://, or leave it out`, quote(short(s.URL)))
		s.URL = ""
	}
	return s
}

// withSources adds the source to the types that draw something.
func withSources(types []*panelType) []*panelType {
	for _, t := range types {
		if t.name != Section {
			t.optional = append(t.optional[:len(t.optional):len(t.optional)], keySource)
		}
	}
	return types
}
