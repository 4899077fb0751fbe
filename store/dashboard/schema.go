package dashboard

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"strings"
	"sync"
)

// Schema is the JSON Schema of a spec, for clients that show one to a model: single types only, no references and no alternatives. [Parse]
// accepts everything that it describes and also the short forms that the descriptions name, and checks more. [Forms] includes the short
// forms.
var Schema = sync.OnceValue(makeSchema)

// document is the schema without the keys of panels, which are generated from [types], and those of the page's columns.
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
	if err := json.Compact(&b, s); err != nil { // the form sent to clients
		panic(err)
	}
	return b.Bytes()
}
