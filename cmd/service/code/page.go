package code

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"

	"github.com/google/uuid"
	yaml "go.yaml.in/yaml/v3"

	"service/store"
	"service/store/dashboard"
)

// A Page is one dashboard, from a file or from a server. It refers to its connection and uploads by name, not by id. Equal pages have equal
// hashes.
type Page struct {
	Slug string
	Head Head
	Spec *yaml.Node // a mapping, without the keys of the head

	File string     // path of its file, from the project's folder; empty for a page of a server
	top  *yaml.Node // top-level node of its file
}

// A Head holds the attributes of a dashboard that are not in its spec.
type Head struct {
	Name     string // the spec's title by default; empty if that is missing too
	Tags     []string
	Chart    string
	Schedule string // "off" if there is no schedule
	Timezone string // of the schedule; the spec's by default
}

// self is the name of the built-in connection to usage metrics.
const self = "self"

// readPage reads the page in a file. Mistakes in the head and in the spec are reported together, in the order of the file.
func readPage(file, slug string, data []byte) (*Page, error) {
	top, err := decode(file, data)
	if err != nil {
		return nil, err
	}
	p := &Page{Slug: slug, File: file, top: top, Spec: without(top, headKeys...)}
	var wrong Mistakes
	add := func(n *yaml.Node, text string) {
		wrong = append(wrong, Mistake{File: file, Line: n.Line, Column: n.Column, Text: text})
	}
	if err := dashboard.CheckNewSlug(slug); err != nil {
		add(top, "the slug is the name of the file: "+err.Error())
	}
	p.Head = readHead(top, add)
	problems, _ := errors.AsType[*dashboard.Problems](check(p.Spec))
	if problems != nil {
		for _, problem := range *problems {
			add(place(top, problem.Path), problem.String())
		}
	}
	slices.SortStableFunc(wrong, func(a, b Mistake) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	if len(wrong) > 0 {
		return p, wrong
	}
	return p, nil
}

// readHead reads the keys of the head.
func readHead(top *yaml.Node, add func(*yaml.Node, string)) Head {
	text := func(name string) (string, *yaml.Node) {
		key, value := member(top, name)
		switch {
		case key == nil:
			return "", nil
		case value.Kind != yaml.ScalarNode || value.ShortTag() != "!!str" || strings.TrimSpace(value.Value) == "":
			add(key, name+" must be a text that is not empty")
			return "", nil
		}
		return value.Value, key
	}
	var h Head
	h.Name, _ = text("name")
	h.Chart, _ = text("chart")
	h.Tags = []string{}
	if key, list := member(top, "tags"); key != nil {
		if list.Kind != yaml.SequenceNode {
			add(key, "tags must be a list of texts")
		}
		for _, tag := range list.Content {
			if tag.Kind != yaml.ScalarNode || tag.ShortTag() != "!!str" {
				add(tag, "a tag must be a text")
			}
			h.Tags = append(h.Tags, tag.Value)
		}
	}
	h.Schedule, _ = text("schedule")
	zone, zoneKey := text("schedule_timezone")
	if h.Timezone = zone; zone == "" {
		h.Timezone = specText(top, "timezone", "UTC")
	}
	if key, _ := member(top, "schedule"); h.Schedule != "" {
		of := h.Timezone
		if _, ok := dashboard.Zone(of); !ok && zone == "" { // the spec parser reports an unknown time zone
			of = "UTC"
		}
		if _, err := store.ParseSchedule(h.Schedule, of); err != nil {
			add(key, err.Error())
		}
	} else if zoneKey != nil && key == nil {
		add(zoneKey, "schedule_timezone requires schedule, which is missing")
	}
	h = h.complete(top)
	return h
}

// complete fills in the values that a file omits.
func (h Head) complete(spec *yaml.Node) Head {
	if h.Name == "" {
		h.Name = specText(spec, "title", "")
	}
	if h.Chart == "" {
		h.Chart = firstPanel(spec)
	}
	if h.Schedule == "" || h.Schedule == "off" {
		h.Schedule, h.Timezone = "off", ""
	}
	return h
}

func specText(spec *yaml.Node, key, missing string) string {
	if _, value := member(spec, key); value != nil && value.Kind == yaml.ScalarNode && value.Value != "" {
		return value.Value
	}
	return missing
}

// firstPanel returns the type of the first panel, the default of the key chart.
func firstPanel(spec *yaml.Node) string {
	if _, panels := member(spec, "panels"); panels != nil && panels.Kind == yaml.SequenceNode && len(panels.Content) > 0 {
		return specText(panels.Content[0], "type", "document")
	}
	return "document"
}

// check parses the spec of a file with the server's parser, which requires ids instead of names.
func check(spec *yaml.Node) error {
	_, err := dashboard.Parse(toJSON(withIDs(spec)))
	return err
}

// withIDs returns a copy of a spec in which names of connections and uploads are replaced by ids derived from the names.
func withIDs(spec *yaml.Node) *yaml.Node {
	out, _ := renamed(spec, func(_ nameKind, name, _ string) (string, error) {
		return uuid.NewSHA1(uuid.Nil, []byte(name)).String(), nil
	})
	return out
}

// A nameKind is the kind of thing that a name refers to: a connection or an upload.
type nameKind int

const (
	aConnection nameKind = iota
	anUpload
)

// renamed returns a copy of a spec in which f has replaced the names of the connection and of the uploads. connection is the name of the
// spec's connection, to which the files belong. Values that are not strings are left unchanged; the parser rejects them.
func renamed(spec *yaml.Node, f func(kind nameKind, name, connection string) (string, error)) (*yaml.Node, error) {
	var failed error
	connection := specText(spec, "connection", self)
	change := func(n *yaml.Node, kind nameKind) *yaml.Node {
		if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" || kind == aConnection && n.Value == self {
			return n
		}
		to, err := f(kind, n.Value, connection)
		if err != nil {
			failed = errors.Join(failed, err)
		}
		out := textNode(to)
		out.Line, out.Column = n.Line, n.Column
		return out
	}
	// copied returns a copy of a mapping, in which some of its values are changed.
	copied := func(n *yaml.Node, value func(key string, n *yaml.Node) *yaml.Node) *yaml.Node {
		if n.Kind == yaml.AliasNode {
			n = n.Alias
		}
		if n.Kind != yaml.MappingNode {
			return n
		}
		out := *n
		out.Content = slices.Clone(n.Content)
		for i := 0; i+1 < len(out.Content); i += 2 {
			out.Content[i+1] = value(out.Content[i].Value, out.Content[i+1])
		}
		return &out
	}
	ofDataset := func(key string, n *yaml.Node) *yaml.Node {
		if key == "upload" {
			return change(n, anUpload)
		}
		return n
	}
	out := copied(spec, func(key string, n *yaml.Node) *yaml.Node {
		switch {
		case key == "connection":
			return change(n, aConnection)
		case key == "upload":
			return change(n, anUpload)
		case key == "uploads":
			return copied(n, func(_ string, n *yaml.Node) *yaml.Node {
				if n.Kind == yaml.MappingNode || n.Kind == yaml.AliasNode { // with a sheet
					return copied(n, func(key string, n *yaml.Node) *yaml.Node {
						if key == "id" {
							return change(n, anUpload)
						}
						return n
					})
				}
				return change(n, anUpload)
			})
		case key == "datasets" && n.Kind == yaml.SequenceNode:
			list := *n
			list.Content = slices.Clone(n.Content)
			for i, item := range list.Content {
				list.Content[i] = copied(item, ofDataset)
			}
			return &list
		}
		return n
	})
	return out, failed
}

// Hash returns a hash of the content of a page, independent of file format, key order and comments.
func (p *Page) Hash() string {
	h := sha256.New()
	for _, text := range []string{p.Head.Name, strings.Join(p.Head.Tags, "\n"), p.Head.Chart, p.Head.Schedule, p.Head.Timezone} {
		h.Write(quoteJSON(text))
	}
	spec := p.Spec
	if specText(spec, "connection", self) == self {
		spec = without(spec, "connection")
	}
	h.Write(canonical(spec))
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// topOf returns the node to write to the page's file: the head, without values that equal their defaults, and the spec with its keys in the
// standard order.
func (p *Page) topOf() *yaml.Node {
	out := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	add := func(key string, value *yaml.Node) { out.Content = append(out.Content, textNode(key), value) }
	h := p.Head
	if h.Name != specText(p.Spec, "title", "") {
		add("name", textNode(h.Name))
	}
	if len(h.Tags) > 0 {
		tags := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Style: yaml.FlowStyle}
		for _, tag := range h.Tags {
			tags.Content = append(tags.Content, textNode(tag))
		}
		add("tags", tags)
	}
	if h.Chart != firstPanel(p.Spec) {
		add("chart", textNode(h.Chart))
	}
	if h.Schedule != "off" {
		add("schedule", textNode(h.Schedule))
		if h.Timezone != specText(p.Spec, "timezone", "UTC") {
			add("schedule_timezone", textNode(h.Timezone))
		}
	}
	spec := arrange(p.Spec, specShape())
	out.Content = append(out.Content, spec.Content...)
	return out
}
