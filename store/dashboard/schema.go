package dashboard

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"strings"
)

// Schema is the JSON Schema of a spec, for clients that show one to a model:
// single types only, no references and no alternatives. What it describes is
// accepted by [Parse], which also takes the short forms that the descriptions
// name, and checks more. [Forms] has these too.
var Schema = makeSchema()

// document is the schema but for the keys of panels, which are made of [types], and
// those of the page's columns.
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
		doc := cmp.Or(k.brief, k.describe())
		if k.terse {
			doc = ""
		}
		lines[i] = property(k.name, fragment, doc)
	}
	keys := `"properties": {` + "\n " + strings.Join(lines, ",\n ") + "}"
	s := bytes.Replace(document, []byte(`"properties": {}`), []byte(keys), 1)
	s = bytes.Replace(s, []byte(`"properties": {"appearance": {}}`), []byte(`"properties": {`+properties(appearanceMembers)+"}"), 1)
	var b bytes.Buffer
	if err := json.Compact(&b, s); err != nil { // as clients get it
		panic(err)
	}
	return b.Bytes()
}
