package dashboard

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Outline is a short form of [Schema], which the tool that takes a spec shows to a model. Some clients cut a large schema before the model
// sees it: above a few thousand bytes they remove all descriptions, and if that is not enough, everything below the third level. So the
// outline fits without its descriptions: the keys of a spec, a dataset and a panel are properties; limits, possible values, the keys of
// objects within panels and the keys in [rareKeys] are only in the descriptions. Everything in it is also in Schema, and every key of
// Schema is in it, as a property or by name. It is open: [Parse] explains an unknown key better than a client that refuses the call.
var Outline = sync.OnceValue(makeOutline)

// rareKeys are the keys that few panels have. The outline only names them, instead of having a property for each.
var rareKeys = []string{
	"weight", "low", "q1", "median", "q3", "high", "open", "close",
	"partial", "totals", "heat", "share", "y_min", "y_max", "x_min", "x_max", "trend", "average", "band", "page_size", "search",
	"click", "link", "lat", "lon", "region", "tooltip", "gaps", "source", "steps", "from", "to", "start", "end", "ramp", "color",
	"one_axis", "highlight", "names", "connect", "facet_columns", "facet_scale", "where", "y2", "y2_min", "y2_max", "events",
	"y_reverse", "legend",
}

func makeOutline() json.RawMessage {
	var spec fragment
	if err := json.Unmarshal(Schema(), &spec); err != nil {
		panic(err)
	}
	spec.Title, spec.Description = "", ""
	panel := spec.member("panels").Items
	panel.Description = "Also " + strings.Join(panel.remove(rareKeys), ", ") + "."
	panel.member(keyColumns.name).Items.member(keyRamp.name).Properties = nil // they repeat those of the panel
	for _, m := range panel.Properties {
		m.flatten()
	}
	filter := spec.member("filters").Items
	filter.Description = "Also " + strings.Join(filter.remove([]string{"multiple", "grain", "locked"}), ", ") + "."
	dataset := spec.member("datasets").Items
	dataset.Description = "Also " + strings.Join(dataset.remove([]string{"from", "sheet", "shared", "description"}), ", ") + "."
	column := dataset.member("columns").Values
	rareOfColumn := []string{"along", "decimals", "unit", "negative", "sign", "hidden", "labels"}
	column.Description = "Also " + strings.Join(column.remove(rareOfColumn), ", ") + "."
	spec.member("uploads").Values = nil // of several types
	spec.member("source").flatten()
	param := spec.member("params").Items
	param.Description = "Also " + strings.Join(param.remove([]string{"options", "label"}), ", ") + "."
	panel.member(keyType.name).Description = "The tool's description names its keys."
	spec.member("columns").Values.flatten()
	spec.brief()
	out, err := json.Marshal(&spec)
	if err != nil {
		panic(err)
	}
	return out
}

// A fragment is a part of the schema, with the keywords that ours uses.
type fragment struct {
	Title       string          `json:"title"`
	Type        string          `json:"type"`
	Required    []string        `json:"required"`
	Properties  fragments       `json:"properties"`
	Items       *fragment       `json:"items"`
	Closed      json.RawMessage `json:"additionalProperties"`
	Values      *fragment       `json:"-"` // additionalProperties, unless that is false
	Enum        []string        `json:"enum"`
	Minimum     *int            `json:"minimum"`
	Maximum     *int            `json:"maximum"`
	Description string          `json:"description"`
}

// fragments are the members of an object, in their order.
type fragments []*namedFragment

type namedFragment struct {
	name string
	*fragment
}

func (f *fragments) UnmarshalJSON(raw []byte) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		m := &namedFragment{name: name.(string), fragment: &fragment{}}
		if err := d.Decode(m.fragment); err != nil {
			return err
		}
		*f = append(*f, m)
	}
	return nil
}

func (f *fragment) UnmarshalJSON(raw []byte) error {
	type plain fragment
	if err := json.Unmarshal(raw, (*plain)(f)); err != nil {
		return err
	}
	if bytes.HasPrefix(f.Closed, []byte{'{'}) {
		f.Values = &fragment{}
		return json.Unmarshal(f.Closed, f.Values)
	}
	return nil
}

// MarshalJSON writes the keywords that are set, except bounds.
func (f *fragment) MarshalJSON() ([]byte, error) {
	b := []byte(`{"type":` + encode(f.Type))
	if len(f.Enum) > 0 {
		b = fmt.Appendf(b, `,"enum":[%s]`, strings.Join(quoted(f.Enum), ","))
	}
	if f.Description != "" {
		b = fmt.Appendf(b, `,"description":%s`, encode(f.Description))
	}
	if len(f.Required) > 0 {
		b = fmt.Appendf(b, `,"required":[%s]`, strings.Join(quoted(f.Required), ","))
	}
	for _, part := range []struct {
		keyword string
		of      *fragment
	}{{"items", f.Items}, {"additionalProperties", f.Values}} {
		if part.of == nil {
			continue
		}
		inner, err := part.of.MarshalJSON()
		if err != nil {
			return nil, err
		}
		b = fmt.Appendf(b, `,"%s":%s`, part.keyword, inner)
	}
	if len(f.Properties) > 0 {
		b = append(b, `,"properties":{`...)
		for i, m := range f.Properties {
			inner, err := m.fragment.MarshalJSON()
			if err != nil {
				return nil, err
			}
			if i > 0 {
				b = append(b, ',')
			}
			b = fmt.Appendf(b, "%s:%s", encode(m.name), inner)
		}
		b = append(b, '}')
	}
	return append(b, '}'), nil
}

// member returns the fragment of the member called name, which must exist.
func (f *fragment) member(name string) *fragment {
	for _, m := range f.Properties {
		if m.name == name {
			return m.fragment
		}
	}
	panic(fmt.Sprintf("dashboard: the schema has no %s", name))
}

// remove removes the members called names, and returns their descriptions in the order of names.
func (f *fragment) remove(names []string) []string {
	words := make([]string, len(names))
	for i, name := range names {
		m := f.member(name)
		words[i] = inWords(name, m)
	}
	f.Properties = slices.DeleteFunc(f.Properties, func(m *namedFragment) bool { return slices.Contains(names, m.name) })
	return words
}

// flatten replaces the members of an object, or of the objects of a list, by their names in
// the description.
func (f *fragment) flatten() {
	object := f
	if f.Items != nil {
		object = f.Items
	}
	if len(object.Properties) == 0 {
		return
	}
	words := make([]string, len(object.Properties))
	for i, m := range object.Properties {
		words[i] = inWords(m.name, m.fragment)
	}
	f.Description = sentences(f.Description, "Keys: "+strings.Join(words, ", ")+".")
	object.Properties, object.Required = nil, nil
}

// inWords returns a key for a list of keys: its name, and its description in brackets.
func inWords(name string, f *fragment) string {
	if len(f.Properties) == 0 {
		f.brief()
	}
	clauses := strings.Split(strings.TrimSuffix(f.Description, "."), ". ")
	for i, c := range clauses {
		if len(c) > 1 && c[1] >= 'a' && c[1] <= 'z' {
			clauses[i] = strings.ToLower(c[:1]) + c[1:]
		}
	}
	if clauses[0] == name {
		clauses = clauses[1:]
	}
	switch what := strings.Join(clauses, "; "); {
	case len(f.Properties) > 0:
		members := make([]string, len(f.Properties))
		for i, m := range f.Properties {
			members[i] = `"` + m.name + `"`
			if len(m.Enum) > 0 {
				members[i] += ": " + strings.Join(m.Enum, "|")
			}
		}
		return name + " {" + strings.Join(members, ", ") + "}"
	case what == "":
		return name
	default:
		return name + " (" + what + ")"
	}
}

// brief moves the bounds and possible values of f and its members into descriptions. The possible types of panels stay, because every panel
// needs one.
func (f *fragment) brief() {
	if f.Minimum != nil && f.Maximum != nil && *f.Minimum < *f.Maximum {
		f.Description = sentences(f.Description, fmt.Sprintf("From %s to %s.", thousands(*f.Minimum), thousands(*f.Maximum)))
		f.Minimum, f.Maximum = nil, nil
	}
	if len(f.Enum) > 0 {
		f.Description = sentences(f.Description, strings.Join(f.Enum, "|")+".")
		f.Enum = nil
	}
	for _, m := range f.Properties {
		if m.name == keyType.name {
			continue
		}
		m.brief()
	}
	for _, inner := range []*fragment{f.Items, f.Values} {
		if inner != nil {
			inner.brief()
		}
	}
}

func sentences(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " ")
}
