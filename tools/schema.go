package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// A shape is the argument struct of a tool. The schema that clients see and the checks of
// arguments are both made from it.
//
// A parameter is a field with a json tag:
//
//	Limit int `json:"limit" doc:"How many to list." default:"50" min:"1" max:"200"`
//	Slug  slug `json:"slug" arg:"required"`
//
// doc is its meaning and format; default, min, max, enum (of the items of an array, comma
// separated) and eg (an example) are added to it and, except for eg, to the schema. A type
// that implements [documented] has its own texts.
type shape []parameter

type parameter struct {
	name     string
	alias    string // another name that is accepted too; may be empty
	doc      string
	example  string
	required bool
	index    []int
	kind     string // JSON type
	items    string // JSON type of an array's items
	fallback json.RawMessage
	enum     []string
	min, max int
	extra    json.RawMessage // schema that replaces the one made from the above
}

// documented is a parameter type that describes itself.
type documented interface {
	describe() (doc, example string)
}

// explaining is an argument struct with descriptions that are too long for a tag. It returns
// "" for other names.
type explaining interface {
	explain(name string) (doc, example string)
}

// schematic is a parameter type with its own keywords in the schema, in addition to the
// description.
type schematic interface {
	keywords() json.RawMessage // a JSON object
}

// jsonTyped is a parameter type whose JSON type is not that of its Go kind.
type jsonTyped interface{ jsonType() (typ, items string) }

// shapeOf reads the shape of the struct type In. It panics on a field with an unsupported
// type, which is a mistake in this package.
func shapeOf[In any]() shape {
	var s shape
	t := reflect.TypeFor[In]()
	var in any = *new(In)
	for _, f := range reflect.VisibleFields(t) {
		tag := f.Tag.Get("json")
		if tag == "" || f.Anonymous {
			continue
		}
		p := parameter{index: f.Index, doc: f.Tag.Get("doc"), example: f.Tag.Get("eg")}
		p.name, p.required = tag, f.Tag.Get("arg") == "required"
		if e, ok := in.(explaining); ok && p.doc == "" {
			p.doc, p.example = e.explain(p.name)
		}
		v := reflect.New(f.Type).Interface()
		if d, ok := v.(documented); ok && p.doc == "" {
			p.doc, p.example = d.describe()
		}
		if j, ok := v.(jsonTyped); ok {
			p.kind, p.items = j.jsonType()
		} else {
			p.kind, p.items = jsonTypeOf(f.Type)
		}
		if a, ok := v.(aliased); ok {
			p.alias = a.alias()
		}
		if k, ok := v.(schematic); ok {
			p.extra = k.keywords()
		}
		if d, ok := f.Tag.Lookup("default"); ok {
			p.fallback = json.RawMessage(d)
		}
		if e, ok := f.Tag.Lookup("enum"); ok {
			p.enum = strings.Split(e, ",")
		}
		if p.kind == "integer" {
			p.min, p.max = number(f, "min"), number(f, "max")
		}
		s = append(s, p)
	}
	return s
}

func number(f reflect.StructField, tag string) int {
	n, err := strconv.Atoi(f.Tag.Get(tag))
	if err != nil {
		panic(fmt.Sprintf("tools: %s needs the tag %s", f.Name, tag))
	}
	return n
}

// sentence returns the description of the parameter: meaning, range, default and
// example. It repeats the schema's keywords because many clients show the model nothing
// else.
func (p parameter) sentence() string {
	b := strings.Builder{}
	b.WriteString(p.doc)
	if p.kind == "integer" {
		fmt.Fprintf(&b, " From %d to %d.", p.min, p.max)
	}
	if p.fallback != nil {
		fmt.Fprintf(&b, " Default: %s.", p.fallback)
	}
	if p.example != "" {
		fmt.Fprintf(&b, " Example: %s.", p.example)
	}
	return b.String()
}

// schema returns the JSON Schema that clients see. It has no unions, references or closed
// objects, because some clients reject a whole server for one of them. It has no patterns,
// so that clients do send bad values, which are refused in the specification's words.
func (s shape) schema() json.RawMessage {
	var props, required bytes.Buffer
	for _, p := range s {
		if p.doc == "" { // accepted, but not in the schema
			continue
		}
		if props.Len() > 0 {
			props.WriteByte(',')
		}
		fmt.Fprintf(&props, "%s:%s", encode(p.name), p.schema())
		if p.required {
			if required.Len() > 0 {
				required.WriteByte(',')
			}
			required.Write(encode(p.name))
		}
	}
	if required.Len() > 0 {
		return fmt.Appendf(nil, `{"type":"object","properties":{%s},"required":[%s]}`, &props, &required)
	}
	return fmt.Appendf(nil, `{"type":"object","properties":{%s}}`, &props)
}

func (p parameter) schema() json.RawMessage {
	b := fmt.Appendf(nil, `{"description":%s`, encode(p.sentence()))
	if p.extra != nil {
		return append(append(b, ','), bytes.TrimPrefix(p.extra, []byte{'{'})...)
	}
	b = fmt.Appendf(b, `,"type":%s`, encode(p.kind))
	if p.kind == "array" {
		items := fmt.Appendf(nil, `{"type":%s}`, encode(p.items))
		if p.enum != nil {
			items = fmt.Appendf(nil, `{"type":%s,"enum":%s}`, encode(p.items), encode(p.enum))
		}
		b = fmt.Appendf(b, `,"items":%s`, items)
	}
	if p.kind == "integer" {
		b = fmt.Appendf(b, `,"minimum":%d,"maximum":%d`, p.min, p.max)
	}
	return append(b, '}')
}

// jsonTypeOf returns the JSON type of a Go type, and of its items.
func jsonTypeOf(t reflect.Type) (typ, items string) {
	switch t.Kind() {
	case reflect.Pointer:
		return jsonTypeOf(t.Elem())
	case reflect.String:
		return "string", ""
	case reflect.Bool:
		return "boolean", ""
	case reflect.Int, reflect.Int64:
		return "integer", ""
	case reflect.Float64:
		return "number", ""
	case reflect.Struct, reflect.Map:
		return "object", ""
	case reflect.Slice, reflect.Array:
		if t == reflect.TypeFor[json.RawMessage]() {
			return "object", ""
		}
		items, _ = jsonTypeOf(t.Elem())
		return "array", items
	case reflect.Interface:
		return "", ""
	}
	panic(fmt.Sprintf("tools: no JSON type for %s", t))
}

// outputSchema returns the schema of structuredContent with the type of v, in the order of
// its fields. All fields are optional, and the contents of objects and lists are not
// described, to keep it short, because every model may see it. Fields with the tag schema:"-"
// are left out: fields that few answers have, and fields without a single type, which some
// clients cannot read.
func outputSchema(v any) json.RawMessage {
	var props []byte
	for _, f := range reflect.VisibleFields(reflect.TypeOf(v)) {
		tag := f.Tag.Get("json")
		if tag == "" || tag == "-" || f.Anonymous || f.Tag.Get("schema") == "-" {
			continue
		}
		name, _, _ := strings.Cut(tag, ",")
		if len(props) > 0 {
			props = append(props, ',')
		}
		props = fmt.Appendf(props, "%s:%s", encode(name), valueSchema(f.Type))
	}
	return fmt.Appendf(nil, `{"type":"object","properties":{%s}}`, props)
}

func valueSchema(t reflect.Type) json.RawMessage {
	if t.Kind() == reflect.Pointer {
		return valueSchema(t.Elem())
	}
	if t.Implements(reflect.TypeFor[json.Marshaler]()) && t != reflect.TypeFor[json.RawMessage]() {
		return json.RawMessage(`{"type":"string"}`) // times and ids
	}
	typ, _ := jsonTypeOf(t)
	switch {
	case typ == "":
		panic(fmt.Sprintf("tools: %s is of no one JSON type: leave its field out with schema:\"-\"", t))
	case typ == "array" && t.Elem().Kind() == reflect.Interface:
		return json.RawMessage(`{"type":"array"}`) // cells of data, of any type
	case typ == "array":
		return fmt.Appendf(nil, `{"type":"array","items":%s}`, valueSchema(t.Elem()))
	}
	return fmt.Appendf(nil, `{"type":%s}`, encode(typ))
}
