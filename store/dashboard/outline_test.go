package dashboard

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"testing"
)

// readNode is a schema as the tests read it.
func readNode(t *testing.T, raw json.RawMessage) *node {
	t.Helper()
	n := &node{}
	if err := json.Unmarshal(raw, n); err != nil {
		t.Fatal(err)
	}
	return n
}

// members are the parts of a schema, by name: [] are the items of a list, * the values of an
// object with any keys.
func (n *node) members(t *testing.T) map[string]*node {
	t.Helper()
	out := map[string]*node{}
	for name, m := range n.Properties {
		out[name] = m
	}
	if n.Items != nil {
		out["[]"] = n.Items
	}
	if len(n.Closed) > 0 && n.Closed[0] == '{' {
		out["*"] = readNode(t, n.Closed)
	}
	return out
}

// Every part of the outline is in the schema too, and equal. Each key and each possible value of the schema is in the outline: as itself,
// or as a word of the description of its object.
func TestOutlineIsOfTheSchema(t *testing.T) {
	t.Parallel()
	var compare func(path string, whole, short *node, words []string)
	compare = func(path string, whole, short *node, words []string) {
		if short.Type != whole.Type {
			t.Errorf("%s: its type is %s, in the schema %s", path, short.Type, whole.Type)
		}
		if short.Required != nil && !slices.Equal(short.Required, whole.Required) {
			t.Errorf("%s: it requires %v, in the schema %v", path, short.Required, whole.Required)
		}
		if short.Enum != nil && !slices.Equal(short.Enum, whole.Enum) {
			t.Errorf("%s: its values are %v, in the schema %v", path, short.Enum, whole.Enum)
		}
		if bytes.Equal(short.Closed, []byte("false")) {
			t.Errorf("%s is closed: a client would hold back what the parser explains", path)
		}
		words = append(words, short.Description)
		if short.Enum == nil {
			for _, value := range whole.Enum {
				if !named(value, words[max(0, len(words)-3):]) {
					t.Errorf("%s: no description near it has the value %s", path, value)
				}
			}
		}
		have := short.members(t)
		for name, m := range whole.members(t) {
			switch part := have[name]; {
			case part != nil:
				compare(path+"."+name, m, part, words)
			case name != "[]" && name != "*" && !named(name, words[max(0, len(words)-2):]):
				t.Errorf("%s.%s is in the schema, and neither a property of the outline nor in the description", path, name)
			}
			delete(have, name)
		}
		for name := range have {
			t.Errorf("%s.%s is not in the schema", path, name)
		}
	}
	compare("", readSchema(t), readNode(t, Outline()), nil)
}

// named reports whether one of texts has name as a word of its own.
func named(name string, texts []string) bool {
	word := regexp.MustCompile(`(^|[\s,;("{|])` + regexp.QuoteMeta(name) + `($|[\s,;:.)"}|])`)
	return slices.ContainsFunc(texts, word.MatchString)
}

// A client that removes descriptions leaves this of the outline. The other arguments need 450 bytes, and the least budget known is 4,000.
func TestOutlineIsShort(t *testing.T) {
	t.Parallel()
	var strip func(v any)
	strip = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if _, text := v["description"].(string); text {
				delete(v, "description")
			}
			for _, member := range v {
				strip(member)
			}
		case []any:
			for _, item := range v {
				strip(item)
			}
		}
	}
	var outline any
	if err := json.Unmarshal(Outline(), &outline); err != nil {
		t.Fatal(err)
	}
	strip(outline)
	bare, err := json.Marshal(outline)
	if err != nil {
		t.Fatal(err)
	}
	if len(bare) > 3400 {
		t.Errorf("without descriptions, the outline has %d bytes, want at most 3,400: rareKeys are words alone", len(bare))
	}
	if len(Outline()) > 12_000 {
		t.Errorf("the outline has %d bytes, want at most 12,000", len(Outline()))
	}
}

func TestRareKeysAreKeys(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, name := range rareKeys {
		if !slices.ContainsFunc(keyOrder, func(k panelKey) bool { return k.name == name }) {
			t.Errorf("%s is not a key of a panel", name)
		}
		if seen[name] {
			t.Errorf("%s is there twice", name)
		}
		seen[name] = true
	}
}
