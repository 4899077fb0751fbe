package code

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"

	yaml "go.yaml.in/yaml/v3"
)

// encode returns the text of a file with the contents of top, whose keys are in order. old is the file that it replaces, or nil: in YAML
// its comments stay with the keys and items that are in both.
func encode(name string, top, old *yaml.Node) ([]byte, error) {
	if filepath.Ext(name) == ".json" {
		var b bytes.Buffer
		if err := json.Indent(&b, toJSON(top), "", "  "); err != nil {
			return nil, err
		}
		return append(b.Bytes(), '\n'), nil
	}
	if old != nil {
		merged := *old
		merge(&merged, top)
		if text, err := encodeYAML(&merged, top); err == nil {
			return text, nil
		}
	}
	text, err := encodeYAML(top, top)
	if err != nil { // a text on several lines that begins with a tab, for example
		quoteTexts(top)
		text, err = encodeYAML(top, top)
	}
	return text, err
}

// quoteTexts puts the texts of a node into quotes.
func quoteTexts(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str" {
		n.Style = yaml.DoubleQuotedStyle
	}
	for _, item := range n.Content {
		quoteTexts(item)
	}
}

// encodeYAML writes a node, and reads it again: the text must mean the same as top.
func encodeYAML(n, top *yaml.Node) ([]byte, error) {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(n); err != nil {
		return nil, err
	}
	if err := e.Close(); err != nil {
		return nil, err
	}
	again, err := decodeYAML(b.Bytes())
	if err != nil {
		return nil, err
	}
	if !sameValue(again, top) {
		return nil, fmt.Errorf("YAML does not keep this value")
	}
	return b.Bytes(), nil
}

// merge changes old so that it has the value of n, and keeps the comments and styles of the remaining parts.
func merge(old, n *yaml.Node) {
	switch {
	case old.Kind == yaml.AliasNode && sameValue(old, n):
		return
	case old.Kind != n.Kind:
		head, line, foot := old.HeadComment, old.LineComment, old.FootComment
		*old = *n
		old.HeadComment, old.LineComment, old.FootComment = head, line, foot
	case n.Kind == yaml.MappingNode:
		mergeMapping(old, n)
	case n.Kind == yaml.SequenceNode:
		mergeSequence(old, n)
	case !sameValue(old, n):
		old.Value, old.Tag, old.Style, old.Anchor = n.Value, n.Tag, n.Style, ""
	}
}

// mergeMapping keeps the order of the remaining keys. A new key is placed after the key that precedes it in n.
func mergeMapping(old, n *yaml.Node) {
	var kept []*yaml.Node
	for i := 0; i+1 < len(old.Content); i += 2 {
		if _, value := member(n, old.Content[i].Value); value != nil {
			merge(old.Content[i+1], value)
			kept = append(kept, old.Content[i], old.Content[i+1])
		}
	}
	old.Content = kept
	at := 0
	for i := 0; i+1 < len(n.Content); i += 2 {
		if j := keyIndex(old, n.Content[i].Value); j >= 0 {
			at = j + 2
			continue
		}
		old.Content = append(old.Content[:at:at], append([]*yaml.Node{n.Content[i], n.Content[i+1]}, old.Content[at:]...)...)
		at += 2
	}
	if len(old.Content) > 0 && old.Style == yaml.FlowStyle && len(toJSON(old)) > maxFlow {
		old.Style = 0
	}
}

func keyIndex(n *yaml.Node, name string) int {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return i
		}
	}
	return -1
}

// mergeSequence matches items by value, then by their names, then by their index.
func mergeSequence(old, n *yaml.Node) {
	used := make([]bool, len(old.Content))
	find := func(same func(o *yaml.Node) bool) *yaml.Node {
		for i, o := range old.Content {
			if !used[i] && same(o) {
				used[i] = true
				return o
			}
		}
		return nil
	}
	out := make([]*yaml.Node, len(n.Content))
	for i, item := range n.Content {
		out[i] = find(func(o *yaml.Node) bool { return sameValue(o, item) })
	}
	for i, item := range n.Content {
		if name := itemName(item); out[i] == nil && name != "" {
			out[i] = find(func(o *yaml.Node) bool { return itemName(o) == name })
		}
	}
	for i, item := range n.Content { // panels without a title before or now
		if _, kind := member(item, "type"); out[i] == nil && kind != nil {
			out[i] = find(func(o *yaml.Node) bool {
				_, was := member(o, "type")
				return was != nil && was.Value == kind.Value
			})
		}
	}
	for i, item := range n.Content {
		switch {
		case out[i] != nil:
		case len(n.Content) == len(old.Content) && !used[i]:
			out[i], used[i] = old.Content[i], true
		default:
			out[i] = item
		}
		merge(out[i], item)
	}
	old.Content = out
}

// itemName returns the name of an item of a list: its id, its column, or its type and title. It is "" for other items.
func itemName(n *yaml.Node) string {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	for _, key := range []string{"id", "column", "title"} {
		if _, value := member(n, key); value != nil && value.Kind == yaml.ScalarNode {
			name := key + " " + value.Value
			if _, kind := member(n, "type"); kind != nil && key == "title" {
				name = kind.Value + " " + name
			}
			return name
		}
	}
	return ""
}
