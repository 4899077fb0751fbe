package code

import (
	"bytes"
	"encoding/json"
	"slices"
	"sync"

	yaml "go.yaml.in/yaml/v3"

	"service/store/dashboard"
)

// headKeys are the keys of a file that are not keys of a spec, but arguments of publish_dashboard and set_refresh_schedule. They are first,
// in this order.
var headKeys = []string{"name", "tags", "chart", "schedule", "schedule_timezone"}

// A shape lists the keys of a value in the order of docs/spec. Other keys are names that people chose, such as those of columns, and keep
// their order.
type shape struct {
	keys   []string
	of     map[string]*shape
	items  *shape // of a list
	values *shape // of a mapping whose keys are names
}

// specShape is the shape of a spec, from its JSON Schema, which lists the keys in order.
var specShape = sync.OnceValue(func() *shape { return readShape(dashboard.Schema()) })

func readShape(schema json.RawMessage) *shape {
	var s struct {
		Properties           json.RawMessage `json:"properties"`
		Items                json.RawMessage `json:"items"`
		AdditionalProperties json.RawMessage `json:"additionalProperties"`
	}
	out := &shape{of: map[string]*shape{}}
	if json.Unmarshal(schema, &s) != nil { // true or false
		return out
	}
	if s.Items != nil {
		out.items = readShape(s.Items)
	}
	if s.AdditionalProperties != nil {
		out.values = readShape(s.AdditionalProperties)
	}
	if s.Properties == nil {
		return out
	}
	d := json.NewDecoder(bytes.NewReader(s.Properties))
	for _, _ = d.Token(); d.More(); {
		key, _ := d.Token()
		var value json.RawMessage
		if d.Decode(&value) != nil {
			break
		}
		name, _ := key.(string)
		out.keys = append(out.keys, name)
		out.of[name] = readShape(value)
	}
	return out
}

// member returns the shape of a key, which may be nil.
func (s *shape) member(name string) *shape {
	if s == nil {
		return nil
	}
	if of := s.of[name]; of != nil {
		return of
	}
	return s.values
}

func (s *shape) item() *shape {
	if s == nil {
		return nil
	}
	return s.items
}

// rank returns the place of a key. Keys without a place are last.
func (s *shape) rank(name string) int {
	if s == nil {
		return 0
	}
	if i := slices.Index(s.keys, name); i >= 0 {
		return i
	}
	return len(s.keys)
}

// arrange returns a copy of a node with its keys in order, without comments and styles.
func arrange(n *yaml.Node, s *shape) *yaml.Node {
	switch n.Kind {
	case yaml.AliasNode:
		return arrange(n.Alias, s)
	case yaml.MappingNode:
		type pair struct {
			key   string
			value *yaml.Node
		}
		var pairs []pair
		for i := 0; i+1 < len(n.Content); i += 2 {
			name := n.Content[i].Value
			pairs = append(pairs, pair{name, arrange(n.Content[i+1], s.member(name))})
		}
		slices.SortStableFunc(pairs, func(a, b pair) int { return s.rank(a.key) - s.rank(b.key) })
		out := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		for _, p := range pairs {
			out.Content = append(out.Content, textNode(p.key), p.value)
		}
		return out
	case yaml.SequenceNode:
		out := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		short := 0
		for _, item := range n.Content {
			out.Content = append(out.Content, arrange(item, s.item()))
			if short += len(item.Value) + 2; item.Kind != yaml.ScalarNode {
				short = maxFlow + 1
			}
		}
		if short <= maxFlow {
			out.Style = yaml.FlowStyle
		}
		return out
	}
	if tag := n.ShortTag(); tag == "!!str" || tag == "!!timestamp" {
		return textNode(n.Value)
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: n.ShortTag(), Value: n.Value}
}

// maxFlow is the length up to which a list of texts and numbers is on one line.
const maxFlow = 90

func textNode(s string) *yaml.Node {
	n := &yaml.Node{}
	n.SetString(s)
	return n
}
