package scim

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/elimity-com/scim"
	scimerrors "github.com/elimity-com/scim/errors"
	"github.com/elimity-com/scim/schema"
	"github.com/scim2/filter-parser/v2"
)

// maxSteps limits the work of the operations of a request: the sum of the items of lists at each operation.
const maxSteps = 5_000_000

// applyAll applies operations to attributes.
func applyAll(attributes map[string]any, s schema.Schema, operations []scim.PatchOperation) error {
	steps := 0
	for _, o := range operations {
		for _, v := range attributes {
			list, _ := v.([]any)
			steps += 1 + len(list)
		}
		if steps > maxSteps {
			return scimerrors.ScimError{
				ScimType: scimerrors.ScimTypeTooMany, Status: http.StatusBadRequest,
				Detail: "The operations are too many for lists as long as these. Send fewer operations in a request.",
			}
		}
		if err := apply(attributes, s, o); err != nil {
			return err
		}
	}
	return nil
}

// apply applies an operation, which the library has checked against the schema, to attributes (RFC 7644, 3.5.2).
func apply(attributes map[string]any, s schema.Schema, o scim.PatchOperation) error {
	if o.Path == nil {
		values, ok := o.Value.(map[string]any)
		if !ok {
			return scimerrors.ScimErrorNoTarget
		}
		for name, value := range values {
			set(attributes, canonical(s, name), value, o.Op)
		}
		return nil
	}
	p := o.Path.AttributePath
	target := attributes
	if uri := p.URI(); uri != "" && uri != s.ID {
		inside, _ := attributes[uri].(map[string]any)
		if inside == nil {
			inside = map[string]any{}
		}
		attributes[uri], target, s = inside, inside, enterpriseSchema
	}
	name, sub := canonical(s, p.AttributeName), p.SubAttributeName()
	if o.Path.SubAttribute != nil {
		sub = *o.Path.SubAttribute
	}
	switch {
	case o.Path.ValueExpression != nil:
		return applyMatching(target, name, sub, o)
	case sub != "":
		inside, _ := target[name].(map[string]any)
		if inside == nil {
			inside = map[string]any{}
		}
		target[name] = inside
		set(inside, sub, o.Value, o.Op)
	default:
		if _, ok := o.Value.(map[string]any); ok && o.Op == scim.PatchOperationReplace { // with all its parts (RFC 7644, 3.5.2.3)
			delete(target, existing(target, name))
		}
		set(target, name, o.Value, o.Op)
	}
	return nil
}

// set changes one attribute. Values that are added to a list are there once.
func set(target map[string]any, name string, value any, op string) {
	name = existing(target, name)
	list, isList := value.([]any)
	have, _ := target[name].([]any)
	switch {
	case op == scim.PatchOperationRemove && isList && len(list) > 0: // some providers put the values to remove next to the path
		target[name] = without(have, list)
	case op == scim.PatchOperationRemove:
		delete(target, name)
	case op == scim.PatchOperationAdd && isList:
		target[name] = append(without(have, list), list...)
	default:
		if inside, ok := target[name].(map[string]any); ok {
			if values, ok := value.(map[string]any); ok { // to a complex attribute, the given parts are added
				for sub, v := range values {
					inside[existing(inside, sub)] = v
				}
				return
			}
		}
		target[name] = value
	}
}

// without returns the items of list that are not equal to one of others; of two with a value, only that counts.
func without(list, others []any) []any {
	gone, rest := map[string]bool{}, []any{}
	for _, o := range others {
		gone[keyOf(o)] = true
	}
	for _, item := range list {
		if !gone[keyOf(item)] {
			rest = append(rest, item)
		}
	}
	return rest
}

// keyOf identifies an item of a list: by its value, or an item without a value by all its parts.
func keyOf(item any) string {
	value := item
	if m, ok := item.(map[string]any); ok && m["value"] != nil {
		value = m["value"]
	}
	if text, ok := value.(string); ok {
		return "=" + text
	}
	raw, err := json.Marshal(item)
	if err != nil {
		panic(err) // it was read from JSON
	}
	return string(raw)
}

// applyMatching applies an operation to the items of a list that match the filter in its path.
func applyMatching(target map[string]any, name, sub string, o scim.PatchOperation) error {
	list, _ := target[name].([]any)
	rest, found := []any{}, false
	for _, item := range list {
		inside, _ := item.(map[string]any)
		matches, err := matching(inside, o.Path.ValueExpression)
		if err != nil {
			return err
		}
		if !matches {
			rest = append(rest, item)
			continue
		}
		found = true
		switch {
		case o.Op == scim.PatchOperationRemove && sub == "":
			continue // without the item
		case sub == "":
			if values, ok := one(o.Value).(map[string]any); ok {
				if o.Op == scim.PatchOperationReplace {
					clear(inside)
				}
				for k, v := range values {
					inside[existing(inside, k)] = v
				}
			}
		default:
			set(inside, sub, one(o.Value), o.Op)
		}
		rest = append(rest, inside)
	}
	if !found && o.Op != scim.PatchOperationRemove {
		item, ok := made(o, sub)
		if !ok {
			return scimerrors.ScimErrorNoTarget
		}
		rest = append(rest, item)
	}
	target[name] = rest
	return nil
}

// made returns the item that an operation on emails[type eq "work"].value makes for a person without a work address, as providers expect.
func made(o scim.PatchOperation, sub string) (map[string]any, bool) {
	e, ok := o.Path.ValueExpression.(*filter.AttributeExpression)
	if !ok || e.Operator != filter.EQ || sub == "" {
		return nil, false
	}
	return map[string]any{e.AttributePath.AttributeName: e.CompareValue, sub: one(o.Value)}, true
}

// one returns the value of a list with one.
func one(v any) any {
	if list, ok := v.([]any); ok && len(list) == 1 {
		return list[0]
	}
	return v
}

// matching reports whether an item matches a filter. Comparisons other than of equality are refused.
func matching(item map[string]any, e filter.Expression) (bool, error) {
	switch e := e.(type) {
	case *filter.AttributeExpression:
		have := item[existing(item, e.AttributePath.AttributeName)]
		equal := have == e.CompareValue
		if a, ok := have.(string); ok {
			b, ok := e.CompareValue.(string)
			equal = ok && strings.EqualFold(a, b)
		}
		switch e.Operator {
		case filter.EQ:
			return equal, nil
		case filter.NE:
			return !equal, nil
		}
	case *filter.LogicalExpression:
		left, err := matching(item, e.Left)
		if err != nil {
			return false, err
		}
		right, err := matching(item, e.Right)
		if e.Operator == filter.OR {
			return left || right, err
		}
		return left && right, err
	case *filter.NotExpression:
		inside, err := matching(item, e.Expression)
		return !inside, err
	}
	return false, scimerrors.ScimErrorInvalidFilter
}

// canonical returns the name of an attribute as the schema writes it; names do not depend on capitals.
func canonical(s schema.Schema, name string) string {
	if a, ok := s.Attributes.ContainsAttribute(name); ok {
		return a.Name()
	}
	return name
}

// existing returns the name under which an attribute is stored, or name.
func existing(target map[string]any, name string) string {
	if _, ok := target[name]; ok {
		return name
	}
	for have := range target {
		if strings.EqualFold(have, name) {
			return have
		}
	}
	return name
}
