package dashboard

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"strings"
)

// Schema is the JSON Schema of a spec, for clients that show one to a model:
// single types only, no references and no alternatives. What it describes is
// accepted by [Parse], which also takes the short forms that the descriptions
// name, and checks more. docs/spec.schema.json is the same.
var Schema = makeSchema()

// document is the schema but for the keys of panels, which are made of [types].
//
//go:embed schema.json
var document []byte

func makeSchema() json.RawMessage {
	lines := make([]string, len(keyOrder))
	for i, k := range keyOrder {
		fragment := k.kind
		if k.name == keyType.name {
			fragment = oneOf(panelTypes)
		}
		lines[i] = property(k.name, fragment, k.describe())
	}
	keys := `"properties": {` + "\n " + strings.Join(lines, ",\n ") + "}"
	return bytes.Replace(document, []byte(`"properties": {}`), []byte(keys), 1)
}
