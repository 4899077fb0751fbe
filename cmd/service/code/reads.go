package code

import (
	"slices"
	"strings"

	yaml "go.yaml.in/yaml/v3"

	"service/store/pattern"
)

// reads returns the slugs of the other dashboards whose datasets a page reads (from).
func (p *Page) reads() []string {
	var slugs []string
	add := func(n *yaml.Node) {
		if slug, _, other := strings.Cut(n.Value, "/"); other && n.Kind == yaml.ScalarNode {
			slugs = append(slugs, slug)
		}
	}
	_, datasets := member(p.Spec, "datasets")
	for _, dataset := range itemsOf(datasets) {
		switch _, from := member(dataset, "from"); {
		case from == nil:
		case len(itemsOf(from)) == 0:
			add(from)
		default:
			for _, source := range itemsOf(from) {
				add(source)
			}
		}
	}
	return slugs
}

// itemsOf returns the items of a list; none of another value.
func itemsOf(n *yaml.Node) []*yaml.Node {
	if n != nil && n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n == nil || n.Kind != yaml.SequenceNode {
		return nil
	}
	return n.Content
}

// sourcesFirst orders pairs so that a dashboard is behind those that it reads. The order of dashboards that read each other stays: the
// server refuses them.
func sourcesFirst(pairs []pair) []pair {
	var out []pair
	seen := map[string]bool{}
	var add func(p pair)
	add = func(p pair) {
		if seen[p.slug] {
			return
		}
		seen[p.slug] = true
		if p.file != nil {
			for _, slug := range p.file.reads() {
				if i := slices.IndexFunc(pairs, func(o pair) bool { return o.slug == slug }); i >= 0 {
					add(pairs[i])
				}
			}
		}
		out = append(out, p)
	}
	for _, p := range pairs {
		add(p)
	}
	return out
}

// noDashboard matches the server's refusal of a dataset that reads a dashboard which does not exist.
var noDashboard = pattern.New(`\.from\S*: there is no dashboard "([^"]+)" in workspace `)

// waits explains a refusal whose only reasons are dashboards that the same apply publishes first; it is empty for other refusals.
func waits(refusal string, fresh []string) string {
	var missing []string
	for line := range strings.SplitSeq(refusal, "\n") {
		m := noDashboard.FindStringSubmatch(line)
		if m == nil || !slices.Contains(fresh, m[1]) {
			return ""
		}
		missing = append(missing, m[1])
	}
	slices.Sort(missing)
	return "it reads " + strings.Join(slices.Compact(missing), ", ") + ", which apply publishes first"
}
