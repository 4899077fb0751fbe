package dashboard

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// A Target is the target of a spec's link: a dashboard of the workspace, with the filters that the link sets.
type Target struct {
	Path    string // of the link in the spec; "" for a target without a spec
	Slug    string
	Filters []TargetFilter
}

// A TargetFilter is a filter that a link sets. Its value is one of Value and From.
type TargetFilter struct {
	Column string
	Value  string // in the form of a page's address, such as DE or last_90_days
	From   string // the column of the link's row or mark with the value
}

const targetWant = `write the slug of a dashboard with its filters, such as sales?country={{country}}&day=last_90_days`

// ReadTarget reads a link such as sales?country={{country}}&day=last_90_days. problem describes a fault of the link. ok is false for a link
// to another site.
func ReadTarget(link string) (t Target, problem string, ok bool) {
	slug, query, filtered := strings.Cut(strings.TrimPrefix(link, "/"), "?")
	if CheckSlug(slug) != nil {
		return t, "", false
	}
	t.Slug = slug
	if !filtered {
		return t, "", true
	}
	for part := range strings.SplitSeq(query, "&") {
		name, value, found := strings.Cut(part, "=")
		column, err1 := url.QueryUnescape(strings.TrimPrefix(name, "f."))
		f := TargetFilter{Column: column}
		var err2 error
		if m := hole.FindStringSubmatch(value); m != nil && m[0] == value {
			f.From = m[1]
		} else {
			f.Value, err2 = url.QueryUnescape(value)
		}
		switch {
		case column == "" || !found:
			return t, fmt.Sprintf("has %s, which is no filter with its value; %s", quote(part), targetWant), true
		case strings.ContainsAny(column, "{}#") || f.From == "" && strings.ContainsAny(f.Value, "{}#"):
			return t, fmt.Sprintf("has %s, where the value of a filter is a text or one {{column}}; %s", quote(part), targetWant), true
		case err1 != nil || err2 != nil:
			return t, fmt.Sprintf("has %s, whose %% is not followed by two hexadecimal digits", quote(part)), true
		case len(t.Filters) == MaxValues:
			return t, fmt.Sprintf("sets more than %d filters", MaxValues), true
		}
		t.Filters = append(t.Filters, f)
	}
	return t, "", true
}

// Targets returns the targets of the spec's links, in panels and in columns of tables.
func (s *Spec) Targets() []Target {
	var out []Target
	add := func(path, link string) {
		if t, problem, ok := ReadTarget(link); ok && problem == "" {
			t.Path = path
			out = append(out, t)
		}
	}
	for i := range s.Panels {
		at := index("panels", i)
		add(join(at, "link"), s.Panels[i].Link)
		for j, c := range s.Panels[i].Columns {
			add(join(index(join(at, "columns"), j), "link"), c.Link)
		}
	}
	return out
}

// Missing returns a problem for each filter of t that a spec does not have, or has locked, with the nearest existing filter.
func (t *Target) Missing(of *Spec) []string {
	var have []string
	for _, f := range of.Filters {
		have = append(have, f.Column)
	}
	var out []string
	for _, f := range t.Filters {
		if i := slices.Index(have, f.Column); i >= 0 {
			if of.Filters[i].Locked {
				out = append(out, fmt.Sprintf(`dashboard "%s" has a locked filter on %s, which no link sets.`, t.Slug, quote(f.Column)))
			}
			continue
		}
		if len(have) == 0 {
			out = append(out, fmt.Sprintf(`dashboard "%s" has no filters, so none on %s.`, t.Slug, quote(f.Column)))
			continue
		}
		p := Problem{
			Message: fmt.Sprintf(`dashboard "%s" has no filter on %s`, t.Slug, quote(f.Column)), Noun: "its filters", Allowed: have,
			Nearest: likeliest(f.Column, have),
		}
		out = append(out, p.String())
	}
	return out
}

// linkHoles returns the columns whose values a link contains.
func linkHoles(link string) []string {
	var out []string
	for _, m := range hole.FindAllStringSubmatch(link, -1) {
		out = append(out, m[1])
	}
	return out
}
