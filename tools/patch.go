package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"service/store/message"
	"service/store/rawjson"
)

// maxOperations is the limit of operations in a patch. Each may move all later items of
// an array, so many operations would take long.
const maxOperations = 200

// maxNested limits the nesting of a value in a patch, and the parts of a pointer: twice as many as any
// spec has. At each level, a [tree] reads the rest of the value again.
const maxNested = 16

// patchArg is a JSON Patch (RFC 6902), an array or a string that holds one. It
// is nil when there is none.
type patchArg []operation

// An operation is one step of a patch, checked as far as possible without the document.
type operation struct {
	Op    string
	Path  string
	From  string
	Value json.RawMessage
}

func (p *patchArg) set(name string, raw json.RawMessage) error {
	if raw[0] == '"' { // some clients send every structure as text
		raw = bytes.TrimSpace([]byte(text(raw)))
	}
	if len(raw) > message.MaxBytes {
		return message.Refuse("%s is %d bytes, over the %d-byte limit", name, len(raw), message.MaxBytes)
	}
	if !rawjson.Valid(raw) { // it was a string
		raw = nil
	}
	items, n := rawjson.List(raw, maxOperations)
	if n < 0 {
		return message.Refuse(`%s must be an array of operations (RFC 6902), such as [{"op": "replace", "path": "/panels/0/title", "value": `+
			`"Sales"}]`, name)
	}
	if n == 0 || n > maxOperations {
		return message.Refuse("%s must have 1 to %d operations (got %d)", name, maxOperations, n)
	}
	*p = make(patchArg, len(items))
	for i, item := range items {
		if why := (*p)[i].read(item); why != "" {
			return message.Refuse("%s[%d]: %s", name, i, why)
		}
	}
	return nil
}

func (patchArg) jsonType() (string, string) { return "array", "object" }

func (patchArg) describe() (doc, example string) {
	return "Edit of the stored spec, in place of spec: RFC 6902 operations with op, path and value or from, at most 200. Default: none.",
		`[{"op": "replace", "path": "/panels/0/title", "value": "Sales"}]`
}

// operations maps each operation to the member that it needs in addition to op and path.
var operations = map[string]string{
	"add": "value", "replace": "value", "test": "value", "move": "from", "copy": "from", "remove": "",
}

// read decodes one operation. It returns the problem, or "".
func (o *operation) read(raw json.RawMessage) string {
	if nested(raw) > maxNested+1 {
		return fmt.Sprintf("a pointer or a value has more than %d levels, which no spec has", maxNested)
	}
	if why := crowded(raw); why != "" {
		return why
	}
	members, err := rawjson.Object(raw)
	if err != nil || members == nil {
		return "must be an object with op and path"
	}
	o.Op = text(members["op"])
	needs, known := operations[o.Op]
	if !known {
		return "op must be one of add, remove, replace, move, copy, test"
	}
	if !pointerOf(members["path"], &o.Path) {
		return `path must be a JSON Pointer, such as "/panels/0/title"`
	}
	if needs == "from" && !pointerOf(members["from"], &o.From) {
		return `from must be a JSON Pointer, such as "/panels/0"`
	}
	o.Value = members["value"]
	switch {
	case needs == "value" && o.Value == nil:
		return fmt.Sprintf("%s needs a value", o.Op)
	case strings.Count(o.Path, "/") > maxNested || strings.Count(o.From, "/") > maxNested || nested(o.Value) > maxNested:
		return fmt.Sprintf("a pointer or a value has more than %d levels, which no spec has", maxNested)
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if !slices.Contains([]string{"op", "path", "from", "value"}, name) {
			return fmt.Sprintf("%s is not a member of an operation; the members are op, path, from and value", quoted(clip(name, 60)))
		}
	}
	return ""
}

// pointerOf decodes a JSON Pointer, and reports whether raw is one.
func pointerOf(raw json.RawMessage, to *string) bool {
	return len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, to) == nil && (*to == "" || (*to)[0] == '/')
}

// nested returns the nesting depth of arrays and objects in a JSON value.
func nested(raw json.RawMessage) (most int) {
	depth, quoted := 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '"':
			quoted = !quoted
		case quoted && c == '\\':
			i++
		case quoted:
		case c == '[', c == '{':
			depth++
			most = max(most, depth)
		case c == ']', c == '}':
			depth--
		}
	}
	return most
}

// crowded returns a problem of an object or a list in raw, or "": a key that occurs twice, so that it is unclear which one a patch
// changes, or more members than a spec allows.
func crowded(raw json.RawMessage) string {
	n, keys := 0, map[string]bool{}
	for name, value := range rawjson.Members(raw) {
		key := rawjson.String(name)
		if keys[key] {
			return fmt.Sprintf("%s occurs twice; keep one", quoted(clip(key, 60)))
		}
		if keys[key], n = true, n+1; n > rawjson.MaxMembers {
			return fmt.Sprintf("an object has more than %d members, which no object of a spec has", rawjson.MaxMembers)
		}
		if why := crowded(value); why != "" {
			return why
		}
	}
	for value := range rawjson.Elements(raw) {
		if n++; n > rawjson.MaxMembers {
			return fmt.Sprintf("a list has more than %d members, which no list of a spec has", rawjson.MaxMembers)
		}
		if why := crowded(value); why != "" {
			return why
		}
	}
	return ""
}

// apply applies all operations to doc, or returns a refusal that names the first one that
// does not apply. It also refuses a result that is larger than a spec may be.
func (p patchArg) apply(doc json.RawMessage) (json.RawMessage, error) {
	to, done, err := p.run(doc, len(p))
	if err != nil {
		o := p[done]
		before, _, _ := p.run(doc, done) // these operations applied
		return nil, message.Refuse("patch[%d] (%s %s): %s Nothing was changed.", done, o.Op, quoted(clip(o.Path, 200)), o.why(before, err))
	}
	var out bytes.Buffer
	if err := json.Compact(&out, to.text()); err != nil {
		return nil, err
	}
	if out.Len() > message.MaxBytes {
		return nil, message.SpecTooLarge(out.Len())
	}
	return out.Bytes(), nil
}

// why returns why the operation does not apply to doc.
func (o operation) why(doc *tree, err error) string {
	if errors.Is(err, errCopies) {
		return fmt.Sprintf("The patch copies more than the %d bytes that a spec may have.", message.MaxBytes)
	}
	if errors.Is(err, errTest) {
		return "The test does not hold: the spec has another value there."
	}
	look := []string{o.Path}
	switch o.Op {
	case "add":
		look = []string{parent(o.Path)}
	case "move", "copy":
		look = []string{o.From, parent(o.Path)}
	}
	for _, pointer := range look {
		if _, missing := doc.at(pointer); missing != nil {
			return missing.Error()
		}
	}
	if into, err := doc.at(parent(o.Path)); err == nil && into.read() == '[' {
		return fmt.Sprintf(`The place in an array is a number from 0 to %d, or "-" for its end.`, len(into.items))
	}
	return "It does not apply there."
}

// parent returns the JSON Pointer of the object or array that contains the value at
// pointer.
func parent(pointer string) string {
	return pointer[:max(strings.LastIndexByte(pointer, '/'), 0)]
}
