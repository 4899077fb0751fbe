package tools

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/url"
	"slices"

	"service/store/dashboard"
	"service/store/message"
	"service/store/rawjson"
)

// choices are values of the params and filters of a page, by the id of the param or the column of the filter.
type choices map[string][]string

func (c *choices) set(name string, raw json.RawMessage) error {
	members, err := rawjson.Object(raw)
	if err != nil {
		return message.Refuse("%s must have at most %d members", name, rawjson.MaxMembers)
	}
	if members == nil {
		return message.Refuse("%s must be an object (got %s)", name, kindOf(raw))
	}
	*c = choices{}
	for _, id := range slices.Sorted(maps.Keys(members)) { // so that the first mistake is always the same
		at, value := name+"."+clip(id, 60), members[id]
		if string(value) == "null" { // as if it were omitted
			continue
		}
		values := []json.RawMessage{value}
		if list, n := rawjson.List(value, maxItems); n > maxItems {
			return message.Refuse("%s must have at most %d items (got %d)", at, maxItems, n)
		} else if n >= 0 {
			values = list
		}
		for _, v := range values {
			text := string(bytes.TrimSpace(v))
			switch kind := kindOf(v); {
			case kind == "string":
				if err := setString(at, v, &text); err != nil {
					return err
				}
			case kind == "array", kind == "object":
				return message.Refuse("%s must be a string, a number, a boolean or a list of these (got %s)", at, kind)
			}
			(*c)[id] = append((*c)[id], text)
		}
	}
	return nil
}

func (choices) jsonType() (string, string) { return "object", "" }

func (choices) describe() (doc, example string) {
	return "Values of params and filters. Default: the page's.", `{"region": ["EU", "US"]}`
}

// query returns the query of the address of a page that shows these values, nil without any. A name of no param is that of a filter.
func (c choices) query(s *dashboard.Spec) url.Values {
	var out url.Values
	for id, values := range c {
		name := "f." + id
		if i := slices.IndexFunc(s.Params, func(p dashboard.Param) bool { return p.ID == id }); i >= 0 {
			name = s.Params[i].Param()
		}
		if out == nil {
			out = url.Values{}
		}
		out[name] = values
	}
	return out
}
