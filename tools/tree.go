package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"service/store/message"
	"service/store/rawjson"
)

// A tree is a JSON value that a patch changes. It reads the members of an object or a list when an operation first needs them; all else
// stays as it is written, so digits of numbers and the order of names do not change.
type tree struct {
	raw     []byte // the value as it is written, or nil for an object or a list whose members were read
	list    bool
	members []member // of an object, in order
	items   []*tree  // of a list
}

type member struct {
	name    string
	written []byte // the name as it is written, in quotes
	value   *tree
}

// Why an operation does not apply, besides a pointer to nothing.
var (
	errPlace  = errors.New("there is no such place")
	errTest   = errors.New("the test does not hold")
	errCopies = errors.New("the copies are too large")
)

// treeOf returns the tree of a valid JSON value.
func treeOf(raw []byte) *tree { return &tree{raw: bytes.TrimSpace(raw)} }

// read reads the members of an object or a list. It returns '{', '[' or, for other values, 0.
func (t *tree) read() byte {
	if t.raw != nil {
		switch t.raw[0] {
		case '{':
			for name, value := range rawjson.Members(t.raw) {
				t.members = append(t.members, member{rawjson.String(name), name, &tree{raw: value}})
			}
		case '[':
			for value := range rawjson.Elements(t.raw) {
				t.items = append(t.items, &tree{raw: value})
			}
			t.list = true
		default:
			return 0
		}
		t.raw = nil
	}
	if t.list {
		return '['
	}
	return '{'
}

// unescaped decodes a part of a JSON Pointer (RFC 6901).
var unescaped = strings.NewReplacer("~1", "/", "~0", "~")

// place returns the index of a member or an item, or -1 if t has none at that part of a pointer.
func (t *tree) place(part string) int {
	switch t.read() {
	case '{':
		name := unescaped.Replace(part)
		return slices.IndexFunc(t.members, func(m member) bool { return m.name == name })
	case '[':
		if i, err := strconv.Atoi(part); err == nil && i >= 0 && i < len(t.items) && strconv.Itoa(i) == part {
			return i
		}
	}
	return -1
}

// child returns the member or item at the index that [tree.place] returned.
func (t *tree) child(i int) *tree {
	if t.list {
		return t.items[i]
	}
	return t.members[i].value
}

// at returns the value at a JSON Pointer, or a refusal that names the last value on the way.
func (t *tree) at(pointer string) (*tree, error) {
	if pointer == "" {
		return t, nil
	}
	seen := ""
	for part := range strings.SplitSeq(pointer[1:], "/") {
		i := t.place(part)
		if i < 0 {
			where := "it"
			if seen != "" {
				where = quoted(seen)
			}
			return nil, message.Refuse(`The spec has nothing at %s: %s has %s.`, quoted(clip(pointer, 120)), where, t.parts())
		}
		t, seen = t.child(i), seen+"/"+part
	}
	return t, nil
}

// parts names the members of a value, for the refusal of a pointer that does not exist.
func (t *tree) parts() string {
	switch t.read() {
	case '[':
		return count(len(t.items), "item") + ", counted from 0"
	case '{':
		names := make([]string, len(t.members))
		for i, m := range t.members {
			names[i] = m.name
		}
		slices.Sort(names)
		return "the members " + clip(strings.Join(names, ", "), 300)
	}
	return "no parts"
}

// text returns the value as JSON, which is shared with t if t was not read.
func (t *tree) text() []byte {
	if t.raw != nil {
		return t.raw
	}
	return t.write(nil)
}

func (t *tree) write(to []byte) []byte {
	switch {
	case t.raw != nil:
		return append(to, t.raw...)
	case t.list:
		to = append(to, '[')
		for i, item := range t.items {
			if i > 0 {
				to = append(to, ',')
			}
			to = item.write(to)
		}
		return append(to, ']')
	}
	to = append(to, '{')
	for i, m := range t.members {
		if i > 0 {
			to = append(to, ',')
		}
		to = m.value.write(append(append(to, m.written...), ':'))
	}
	return append(to, '}')
}

// add inserts a value before an item or at the end of a list, or sets a member of an object.
func (t *tree) add(pointer string, value *tree) error {
	if pointer == "" {
		return t.become(value)
	}
	into, part, err := t.parent(pointer)
	if err != nil {
		return err
	}
	i := into.place(part)
	switch kind := into.read(); {
	case kind == '[' && (part == "-" || part == strconv.Itoa(len(into.items))):
		into.items = append(into.items, value)
	case kind == '[' && i >= 0:
		into.items = slices.Insert(into.items, i, value)
	case kind == '{' && i >= 0:
		into.members[i].value = value
	case kind == '{':
		name := unescaped.Replace(part)
		into.members = append(into.members, member{name, encode(name), value})
	default:
		return errPlace
	}
	return nil
}

// replace puts a value in the place of another.
func (t *tree) replace(pointer string, value *tree) error {
	if pointer == "" {
		return t.become(value)
	}
	old, err := t.at(pointer)
	if err != nil {
		return err
	}
	*old = *value
	return nil
}

// become replaces the document itself, which stays an object or a list.
func (t *tree) become(value *tree) error {
	if value.read() == 0 {
		return errPlace
	}
	*t = *value
	return nil
}

// remove takes a value out of its object or list, and returns it.
func (t *tree) remove(pointer string) (*tree, error) {
	if pointer == "" {
		return nil, errPlace
	}
	from, part, err := t.parent(pointer)
	if err != nil {
		return nil, err
	}
	i := from.place(part)
	if i < 0 {
		return nil, errPlace
	}
	out := from.child(i)
	if from.list {
		from.items = slices.Delete(from.items, i, i+1)
	} else {
		from.members = slices.Delete(from.members, i, i+1)
	}
	return out, nil
}

// parent returns the object or list that contains the value at a pointer, and the last part of the pointer.
func (t *tree) parent(pointer string) (of *tree, part string, err error) {
	of, err = t.at(parent(pointer))
	return of, pointer[strings.LastIndexByte(pointer, '/')+1:], err
}

// equal reports whether two JSON values are equal (RFC 6902, 4.6): names in any order, texts as they are decoded, numbers by their value.
func equal(a, b []byte) bool {
	a, b = bytes.TrimSpace(a), bytes.TrimSpace(b)
	switch {
	case bytes.Equal(a, b):
		return true
	case a[0] == '-' || '0' <= a[0] && a[0] <= '9':
		return plain(a) == plain(b)
	case a[0] != b[0]:
		return false
	case a[0] == '"':
		return rawjson.String(a) == rawjson.String(b)
	case a[0] == '[':
		x, y := slices.Collect(rawjson.Elements(a)), slices.Collect(rawjson.Elements(b))
		return slices.EqualFunc(x, y, equal)
	case a[0] == '{':
		of := map[string][]byte{}
		for name, value := range rawjson.Members(a) {
			of[rawjson.String(name)] = value
		}
		n := 0
		for name, value := range rawjson.Members(b) {
			other, found := of[rawjson.String(name)]
			if n++; !found || !equal(other, value) {
				return false
			}
		}
		return n == len(of)
	}
	return false
}

// plain returns a JSON number as its digits without zeros at their ends and an exponent, so that equal numbers are equal texts. A number
// whose exponent is not an int stays as it is written.
func plain(number []byte) string {
	digits, power, _ := strings.Cut(strings.ToLower(string(number)), "e")
	digits, negative := strings.CutPrefix(digits, "-")
	whole, fraction, _ := strings.Cut(digits, ".")
	exponent := 0
	if power != "" {
		var err error
		if exponent, err = strconv.Atoi(power); err != nil {
			return string(number)
		}
	}
	exponent -= len(fraction)
	digits = strings.TrimLeft(whole+fraction, "0")
	short := strings.TrimRight(digits, "0")
	if short == "" {
		return "0"
	}
	if exponent += len(digits) - len(short); negative {
		short = "-" + short
	}
	return short + "e" + strconv.Itoa(exponent)
}

// run applies the first n operations to a copy of doc. It returns the result and how many operations applied.
func (p patchArg) run(doc json.RawMessage, n int) (to *tree, done int, err error) {
	to = treeOf(doc)
	copied := 0
	for i, o := range p[:n] {
		if err := o.apply(to, &copied); err != nil {
			return to, i, err
		}
	}
	return to, n, nil
}

// apply applies one operation, and adds the bytes that it copies to copied.
func (o operation) apply(to *tree, copied *int) error {
	switch o.Op {
	case "add":
		return to.add(o.Path, treeOf(o.Value))
	case "replace":
		return to.replace(o.Path, treeOf(o.Value))
	case "remove":
		_, err := to.remove(o.Path)
		return err
	case "move":
		if o.From == o.Path {
			_, err := to.at(o.From)
			return err
		}
		if strings.HasPrefix(o.Path, o.From+"/") { // RFC 6902, 4.4: a value does not move into itself
			return errPlace
		}
		value, err := to.remove(o.From)
		if err != nil {
			return err
		}
		return to.add(o.Path, value)
	case "copy":
		value, err := to.at(o.From)
		if err != nil {
			return err
		}
		text := value.text()
		if *copied += len(text); *copied > message.MaxBytes {
			return errCopies
		}
		return to.add(o.Path, treeOf(text))
	case "test":
		value, err := to.at(o.Path)
		if err != nil {
			return err
		}
		if !equal(value.text(), o.Value) {
			return errTest
		}
		return nil
	}
	return fmt.Errorf("no operation: %s", o.Op) // read refused it
}
