package code

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	yaml "go.yaml.in/yaml/v3"

	"service/store/pattern"
)

// A Mistake is one mistake in a file. Lines and columns are counted from 1; they are 0 if the place is not known.
type Mistake struct {
	File         string
	Line, Column int
	Text         string
}

// String returns the mistake in the form file:line:column: text, which editors follow.
func (m Mistake) String() string {
	if m.Line == 0 {
		return m.File + ": " + m.Text
	}
	return fmt.Sprintf("%s:%d:%d: %s", m.File, m.Line, m.Column, m.Text)
}

// Mistakes is an error whose text has one line per mistake.
type Mistakes []Mistake

func (m Mistakes) Error() string {
	lines := make([]string, len(m))
	for i := range m {
		lines[i] = m[i].String()
	}
	return strings.Join(lines, "\n")
}

// maxNodes is the maximum number of values in one file; YAML aliases could otherwise expand to more.
const maxNodes = 500_000

// decode parses a dashboard file (JSON if its name ends in .json, otherwise YAML) and returns its top-level mapping. Its error is a
// [Mistakes].
func decode(name string, data []byte) (*yaml.Node, error) {
	parse := decodeYAML
	if filepath.Ext(name) == ".json" {
		parse = decodeJSON
	}
	n, err := parse(data)
	if m, ok := errors.AsType[*Mistake](err); ok {
		m.File = name
		return nil, Mistakes{*m}
	}
	if err != nil {
		return nil, Mistakes{{File: name, Text: err.Error()}}
	}
	if n == nil || n.Kind != yaml.MappingNode {
		return nil, Mistakes{{File: name, Line: 1, Column: 1, Text: "a dashboard is a mapping of keys, as in title: Orders"}}
	}
	return n, nil
}

// Error makes a *Mistake an error.
func (m *Mistake) Error() string { return m.String() }

func mistakeAt(n *yaml.Node, format string, args ...any) *Mistake {
	return &Mistake{Line: n.Line, Column: n.Column, Text: fmt.Sprintf(format, args...)}
}

// yamlLine matches the prefix with the line number in an error of the YAML parser.
var yamlLine = pattern.New(`^yaml: (?:line (\d+): )?`)

// countedFromZero matches those errors of the YAML parser whose line numbers start at 0 instead of 1.
var countedFromZero = pattern.New(`did not find expected (<document start>|node content|'-' indicator|key|',' or)`)

func decodeYAML(data []byte) (*yaml.Node, error) {
	d := yaml.NewDecoder(bytes.NewReader(data))
	var doc yaml.Node
	if err := d.Decode(&doc); err != nil {
		m := yamlLine.FindStringSubmatch(err.Error())
		if m == nil {
			return nil, errors.New("the file is empty")
		}
		line, _ := strconv.Atoi(m[1])
		if countedFromZero.MatchString(err.Error()) {
			line++
		}
		return nil, &Mistake{Line: line, Column: min(line, 1), Text: "not YAML: " + strings.TrimPrefix(err.Error(), m[0])}
	}
	if next := new(yaml.Node); d.Decode(next) == nil {
		return nil, &Mistake{Line: next.Line, Column: 1, Text: "the file has a second document: one file is one dashboard"}
	}
	if len(doc.Content) == 0 {
		return nil, nil
	}
	top, left := doc.Content[0], maxNodes
	if top.HeadComment == "" {
		top.HeadComment = doc.HeadComment
	}
	if top.FootComment == "" {
		top.FootComment = doc.FootComment
	}
	return top, checkNode(top, &left)
}

// checkNode rejects YAML that a spec cannot have: duplicate keys, merge keys, custom tags, and aliases that expand to more than left
// values.
func checkNode(n *yaml.Node, left *int) error {
	if *left--; *left < 0 {
		return mistakeAt(n, "the file has more than %d values", maxNodes)
	}
	switch n.Kind {
	case yaml.AliasNode:
		return checkNode(n.Alias, left)
	case yaml.ScalarNode:
		_, err := scalar(n)
		return err
	case yaml.MappingNode:
		seen := map[string]int{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			switch line := seen[key.Value]; {
			case key.Kind != yaml.ScalarNode:
				return mistakeAt(key, "a key must be a string")
			case key.Tag == "!!merge":
				return mistakeAt(key, "merge keys (<<) are not supported: repeat the keys, or use an alias for the whole value")
			case line > 0:
				return mistakeAt(key, `the key "%s" is a duplicate: it is already on line %d`, key.Value, line)
			}
			seen[key.Value] = key.Line
			if err := checkNode(n.Content[i+1], left); err != nil {
				return err
			}
		}
		return nil
	}
	for _, item := range n.Content {
		if err := checkNode(item, left); err != nil {
			return err
		}
	}
	return nil
}

// jsonNumber matches numbers in JSON syntax.
var jsonNumber = pattern.New(`^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$`)

// scalar returns the JSON of a scalar. Dates and times are texts, as in JSON.
func scalar(n *yaml.Node) (json.RawMessage, error) {
	switch n.ShortTag() {
	case "!!str", "!!timestamp":
		return quoteJSON(n.Value), nil
	case "!!null":
		return json.RawMessage("null"), nil
	case "!!bool":
		var b bool
		if err := n.Decode(&b); err != nil {
			return nil, mistakeAt(n, "%s is neither true nor false", n.Value)
		}
		return json.RawMessage(strconv.FormatBool(b)), nil
	case "!!int", "!!float":
		if jsonNumber.MatchString(n.Value) {
			return json.RawMessage(n.Value), nil
		}
		var f float64
		if err := n.Decode(&f); err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
			return nil, mistakeAt(n, "%s cannot be written as a JSON number", n.Value)
		}
		return json.RawMessage(strconv.FormatFloat(f, 'f', -1, 64)), nil
	}
	return nil, mistakeAt(n, "the tag %s is not supported: a spec consists of strings, numbers, true, false, null, lists and mappings", n.Tag)
}

// quoteJSON returns s as a JSON string without the escapes of < and >.
func quoteJSON(s string) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string always has a JSON form
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'})
}

// toJSON returns the JSON of a checked node on one line, its keys in the order of the node.
func toJSON(n *yaml.Node) json.RawMessage {
	var b bytes.Buffer
	writeJSON(&b, n)
	return b.Bytes()
}

func writeJSON(b *bytes.Buffer, n *yaml.Node) {
	switch n.Kind {
	case yaml.AliasNode:
		writeJSON(b, n.Alias)
	case yaml.MappingNode:
		b.WriteByte('{')
		for i := 0; i+1 < len(n.Content); i += 2 {
			if i > 0 {
				b.WriteByte(',')
			}
			b.Write(quoteJSON(n.Content[i].Value))
			b.WriteByte(':')
			writeJSON(b, n.Content[i+1])
		}
		b.WriteByte('}')
	case yaml.SequenceNode:
		b.WriteByte('[')
		for i, item := range n.Content {
			if i > 0 {
				b.WriteByte(',')
			}
			writeJSON(b, item)
		}
		b.WriteByte(']')
	default:
		raw, _ := scalar(n) // no error: checkNode has accepted it
		b.Write(raw)
	}
}

// canonical returns the JSON of a node with its keys sorted: equal for equal values.
func canonical(n *yaml.Node) []byte {
	d := json.NewDecoder(bytes.NewReader(toJSON(n)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		panic(err) // cannot happen: toJSON returns valid JSON
	}
	out, _ := json.Marshal(v)
	return out
}

func sameValue(a, b *yaml.Node) bool { return bytes.Equal(canonical(a), canonical(b)) }

// member returns the key and the value of a mapping's member, or nil.
func member(n *yaml.Node, name string) (key, value *yaml.Node) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind != yaml.MappingNode {
		return nil, nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i], n.Content[i+1]
		}
	}
	return nil, nil
}

// without returns a mapping without some of its members. The values are shared.
func without(n *yaml.Node, names ...string) *yaml.Node {
	out := *n
	out.Content = nil
	for i := 0; i+1 < len(n.Content); i += 2 {
		if !slices.Contains(names, n.Content[i].Value) {
			out.Content = append(out.Content, n.Content[i], n.Content[i+1])
		}
	}
	return &out
}

// place returns the node at a path such as panels[4].y (as in errors of the parser of specs), or its deepest existing ancestor. For a
// member of a mapping it returns the key.
func place(top *yaml.Node, path string) *yaml.Node {
	at, n := top, top
	for path != "" {
		if n.Kind == yaml.AliasNode {
			n = n.Alias
		}
		step, rest, quoted := nextStep(path)
		i, err := strconv.Atoi(step)
		switch {
		case n.Kind == yaml.SequenceNode && err == nil && !quoted && i < len(n.Content):
			at, n = n.Content[i], n.Content[i]
		case n.Kind == yaml.MappingNode:
			key, value := member(n, step)
			if key == nil {
				return at
			}
			at, n = key, value
		default:
			return at
		}
		path = rest
	}
	return at
}

// nextStep splits the first step from a path: a name, an index, or a name in brackets and quotes.
func nextStep(path string) (step, rest string, quoted bool) {
	if inner, ok := strings.CutPrefix(path, `["`); ok {
		step, rest, _ = strings.Cut(inner, `"]`)
		return step, strings.TrimPrefix(rest, "."), true
	}
	if inner, ok := strings.CutPrefix(path, "["); ok {
		step, rest, _ = strings.Cut(inner, "]")
		return step, strings.TrimPrefix(rest, "."), false
	}
	end := strings.IndexAny(path, ".[")
	if end < 0 {
		return path, "", false
	}
	return path[:end], strings.TrimPrefix(path[end:], "."), false
}
