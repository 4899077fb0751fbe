package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"service/store/message"
	"service/store/rawjson"
	"service/store/suggest"
)

// arguments is the arguments object of a call, whose values are not yet decoded.
type arguments map[string]json.RawMessage

// parse reads the arguments object of a call, which is valid JSON. It returns empty arguments if there is no object.
func parse(raw json.RawMessage) (arguments, error) {
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || string(raw) == "null" {
		return arguments{}, nil
	}
	args, err := rawjson.Object(raw)
	if err != nil {
		return nil, message.Refuse("arguments must have at most %d members", rawjson.MaxMembers)
	}
	if args == nil {
		return nil, message.Refuse("arguments must be an object (got %s)", kindOf(raw))
	}
	return args, nil
}

// value returns the argument called name; nil when it is omitted or null.
func (a arguments) value(name string) json.RawMessage {
	if raw := a[name]; string(raw) != "null" {
		return raw
	}
	return nil
}

// An argument is a parameter type with its own rules. Other parameters have plain Go
// types: see [decode].
type argument interface {
	// set takes the value of the argument called name, or returns a refusal with the wording of the specification.
	set(name string, raw json.RawMessage) error
}

// A presence is an argument that must also handle being omitted or null.
type presence interface {
	// absent is called with null when the argument is null, and nil when it
	// is omitted.
	absent(name string, raw json.RawMessage) error
}

// An aliased parameter type has a second name, which other tools use for the same thing.
// The parameter's own name wins when both are given.
type aliased interface{ alias() string }

// An unknownArgument is an argument that the tool does not have. It is ignored, and every
// answer names it, because a misspelt name would otherwise silently change the effect of a
// call.
type unknownArgument struct {
	Argument string `json:"argument"`
	Nearest  string `json:"nearest,omitempty"` // the most similar parameter
}

// maxUnknown is how many unknown arguments an answer names.
const maxUnknown = 10

// unknown lists the arguments that the tool does not have, by name.
func (s shape) unknown(args arguments) []unknownArgument {
	var names []string // the advertised parameters
	taken, meant := map[string]bool{}, map[string]string{}
	for _, p := range s {
		if taken[p.name] = true; p.doc != "" {
			names = append(names, p.name)
		}
		if p.alias != "" {
			names = append(names, p.alias)
			taken[p.alias] = args.value(p.name) == nil
			meant[p.alias] = p.name
		}
	}
	var out []unknownArgument
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if taken[name] || len(out) == maxUnknown {
			continue
		}
		u := unknownArgument{Argument: clip(name, 60), Nearest: meant[name]}
		if u.Nearest == "" {
			for _, near := range suggest.Names(name, names, 1) {
				u.Nearest = near
			}
		}
		out = append(out, u)
	}
	return out
}

// ignoredSentence names the unknown arguments; it is empty if all are known.
func ignoredSentence(unknown []unknownArgument) string {
	var parts []string
	for _, u := range unknown {
		part := quoted(u.Argument)
		if u.Nearest != "" {
			part += fmt.Sprintf(" (did you mean %s?)", quoted(u.Nearest))
		}
		parts = append(parts, part)
	}
	switch len(parts) {
	case 0:
		return ""
	case 1:
		return "This tool has no argument " + parts[0] + "; it was ignored."
	}
	return "This tool has no arguments " + strings.Join(parts, ", ") + "; they were ignored."
}

// bind fills the struct that in points to. It returns the error of the first bad argument,
// in the order of the schema. It skips unknown arguments: see [shape.unknown].
func (s shape) bind(args arguments, in any) error {
	v := reflect.ValueOf(in).Elem()
	for _, p := range s {
		dst := v.FieldByIndex(p.index)
		if err := p.set(args, dst); err != nil {
			return err
		}
	}
	return nil
}

func (p parameter) set(args arguments, dst reflect.Value) error {
	raw := args.value(p.name)
	if raw == nil && p.alias != "" {
		raw = args.value(p.alias)
	}
	special, isSpecial := dst.Addr().Interface().(argument)
	switch {
	case raw == nil:
		if a, ok := dst.Addr().Interface().(presence); ok {
			return a.absent(p.name, args[p.name])
		}
		if p.required {
			return message.Refuse("%s is required: %s", p.name, p.doc)
		}
		if p.fallback != nil {
			return p.decode(p.fallback, dst)
		}
		return nil
	case isSpecial:
		return special.set(p.name, raw)
	}
	return p.decode(raw, dst)
}

// maxItems is the limit of strings in an argument that is a list. Tools with a lower limit check that themselves.
const maxItems = 1_000

// decode decodes a value of a plain Go type.
func (p parameter) decode(raw json.RawMessage, dst reflect.Value) error {
	switch field := dst.Addr().Interface().(type) {
	case *string:
		return setString(p.name, raw, field)
	case *bool:
		if json.Unmarshal(raw, field) != nil {
			return message.Refuse("%s must be a boolean (got %s)", p.name, typeof(raw))
		}
	case *int:
		var f float64
		if json.Unmarshal(raw, &f) != nil || f != math.Trunc(f) || f < float64(p.min) || f > float64(p.max) {
			return message.Refuse("%s must be a whole number from %d to %d (got %s)", p.name, p.min, p.max, clip(string(raw), 40))
		}
		*field = int(f)
	case *[]string:
		items, n := rawjson.List(raw, maxItems)
		if n < 0 {
			return message.Refuse("%s must be an array of strings (got %s)", p.name, typeof(raw))
		}
		if n > maxItems {
			return message.Refuse("%s must have at most %d items (got %d)", p.name, maxItems, n)
		}
		*field = make([]string, len(items))
		for i, item := range items {
			if err := setString(fmt.Sprintf("%s[%d]", p.name, i), item, &(*field)[i]); err != nil {
				return err
			}
			if p.enum != nil && !slices.Contains(p.enum, (*field)[i]) {
				return message.Refuse("%s[%d] must be one of %s (got %s)", p.name, i, strings.Join(p.enum, ", "), clip(string(item), 40))
			}
		}
	case *json.RawMessage:
		*field = raw
	default:
		panic(fmt.Sprintf("tools: parameter %s has a type that cannot be bound: %T", p.name, field))
	}
	return nil
}

// setString takes a string unchanged. It refuses NUL, which neither a source nor the
// database can store.
func setString(name string, raw json.RawMessage, dst *string) error {
	if raw[0] != '"' {
		return message.Refuse("%s must be a string (got %s)", name, typeof(raw))
	}
	*dst = rawjson.String(raw)
	if strings.ContainsRune(*dst, 0) {
		return message.Refuse("%s must not contain the zero character (U+0000)", name)
	}
	return nil
}

// typeof names the type of a JSON value as JavaScript does.
func typeof(raw json.RawMessage) string {
	switch bytes.TrimSpace(raw)[0] {
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case '{', '[', 'n':
		return "object"
	}
	return "number"
}

// kindOf is typeof, but distinguishes an array from an object.
func kindOf(raw json.RawMessage) string {
	if bytes.TrimSpace(raw)[0] == '[' {
		return "array"
	}
	return typeof(raw)
}

// clip shortens s to at most n characters.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i := range s {
		if n == 0 {
			return s[:i] + "…"
		}
		n--
	}
	return s
}

// quoted returns s as a JSON string.
func quoted(s string) string { return strconv.Quote(s) }
