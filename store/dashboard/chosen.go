package dashboard

import "net/url"

// Chosen returns the filters of the spec that the query of a page's address sets, in the form of an address.
func (s *Spec) Chosen(query map[string][]string) string {
	kept := url.Values{}
	for _, f := range s.Filters {
		for _, name := range []string{"f." + f.Column, "f." + f.Column + ".from", "f." + f.Column + ".to"} {
			if values, ok := query[name]; ok {
				kept[name] = values
			}
		}
	}
	return kept.Encode()
}
