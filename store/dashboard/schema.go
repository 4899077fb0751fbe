package dashboard

import (
	_ "embed"
	"encoding/json"
)

// Schema is the JSON Schema of a spec, for clients that show one to a model:
// single types only, no references and no alternatives. What it describes is
// accepted by [Parse], which also takes the short forms that the descriptions
// name, and checks more. docs/spec.schema.json is the same file.
//
//go:embed schema.json
var Schema json.RawMessage
