package scim

import (
	"net/http"
	"strings"

	"github.com/elimity-com/scim"
	"github.com/elimity-com/scim/optional"
	"github.com/elimity-com/scim/schema"
)

// A selection is a set of names of attributes, in small letters, with the selections within them. An attribute without a selection is
// selected whole.
type selection map[string]selection

// selected reads names such as userName, name.givenName and urn:…:User:department, separated by commas. A name may begin with the id of its
// schema.
func selected(names []string, s schema.Schema) selection {
	out := selection{}
	own, extension := strings.ToLower(s.ID)+":", strings.ToLower(enterpriseSchema.ID)
	for _, list := range names {
		for name := range strings.SplitSeq(strings.ToLower(list), ",") {
			name = strings.TrimPrefix(strings.TrimSpace(name), own)
			var path []string
			if rest, ok := strings.CutPrefix(name, extension); ok {
				path, name = append(path, extension), strings.TrimPrefix(rest, ":")
			}
			if name != "" {
				path = append(path, strings.Split(name, ".")...)
			}
			out.add(path)
		}
	}
	return out
}

func (s selection) add(path []string) {
	for i, step := range path {
		inside, there := s[step]
		switch {
		case there && inside == nil:
			return
		case i == len(path)-1:
			s[step] = nil
			return
		case !there:
			inside = selection{}
			s[step] = inside
		}
		s = inside
	}
}

// of returns the selected parts of a value, or the other ones if keep is false.
func (s selection) of(v any, keep bool) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, value := range v {
			inside, named := s[strings.ToLower(name)]
			switch {
			case named && inside != nil:
				out[name] = inside.of(value, keep)
			case named == keep:
				out[name] = value
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = s.of(item, keep)
		}
		return out
	}
	return v
}

// choose returns the parts of a resource that a request wants, by its parameters attributes and excludedAttributes (RFC 7644, 3.9). The
// id, the schemas and the metadata are in every answer.
func choose(r *http.Request, s schema.Schema, out scim.Resource) scim.Resource {
	query := r.URL.Query()
	for name, keep := range map[string]bool{"attributes": true, "excludedAttributes": false} {
		chosen := selected(query[name], s)
		if len(chosen) == 0 {
			continue
		}
		out.Attributes, _ = chosen.of(map[string]any(out.Attributes), keep).(map[string]any)
		if _, named := chosen["externalid"]; named != keep {
			out.ExternalID = optional.String{}
		}
	}
	return out
}
