package dashboard

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Forms is the JSON Schema of everything that [Parse] accepts, for editors and programs: [Schema] with the short forms, such as one name
// instead of a list of names, as lists of types, and with the keys of alerts, deliveries and events. docs/spec.schema.json is the same.
var Forms = sync.OnceValue(makeForms)

// forms are the keywords that Forms has in addition to those of Schema, or in place of them, by path: [] is the members of
// a list, * the values of an object with any keys.
//
//go:embed schema_forms.json
var forms []byte

func makeForms() json.RawMessage {
	var schema map[string]any
	var more map[string]map[string]any
	for _, err := range []error{json.Unmarshal(Schema(), &schema), json.Unmarshal(forms, &more)} {
		if err != nil {
			panic(err)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(more)) { // a list before its members
		maps.Copy(at(schema, path), more[path])
	}
	for _, key := range []string{keyStack.name, keyTrend.name} { // these also accept true and false
		node := at(schema, "panels.[]."+key)
		node["enum"] = append(node["enum"].([]any), true, false)
	}
	delete(at(schema, "columns.*.color"), "enum") // other colours mean the nearest
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(schema); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// at returns the part of a schema at a path.
func at(node map[string]any, path string) map[string]any {
	for key := range strings.SplitSeq(path, ".") {
		switch key {
		case "[]":
			node = node["items"].(map[string]any)
		case "*":
			node = node["additionalProperties"].(map[string]any)
		default:
			node = node["properties"].(map[string]any)[key].(map[string]any)
		}
	}
	return node
}
