package dashboard

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"service/store/rawjson"
	"service/store/suggest"
)

// Lengths of texts, in characters.
const (
	maxName = 200   // titles, labels and names
	maxLong = 2_000 // descriptions
	maxKeys = 1_000 // of one object
)

// syntax returns the syntax error of raw as JSON, or nil.
func syntax(raw []byte) *Problem {
	if rawjson.Valid(raw) {
		return nil
	}
	var v json.RawMessage
	err := json.Unmarshal(raw, &v)
	if len(bytes.TrimSpace(raw)) == 0 {
		return &Problem{Message: "the document is empty; it must be a JSON object"}
	}
	at := len(raw)
	if s, ok := err.(*json.SyntaxError); ok {
		at = min(max(int(s.Offset)-1, 0), len(raw))
	}
	line := 1 + bytes.Count(raw[:at], []byte{'\n'})
	column := 1 + utf8.RuneCount(raw[bytes.LastIndexByte(raw[:at], '\n')+1:at])
	return &Problem{Message: fmt.Sprintf("not valid JSON (line %d, column %d): %s", line, column, err)}
}

// An object is a JSON object that is being read. Its typed methods return the value of a key, and report a problem if that has another
// type. A key that is absent or null has the zero value. Values are decoded only when they are read, so that a large document does not
// become a tree in memory.
type object struct {
	problems *Problems
	path     string
	keys     []string // in the order written, without those that are null
	values   map[string]json.RawMessage
	meant    []string // keys that were written under another name, which was reported
}

// object reads raw, which is valid JSON. If it is not an object, it reports a problem and
// returns nil.
func (p *Problems) object(path string, raw json.RawMessage) *object {
	if kindOf(raw) != "an object" {
		p.addf(path, "must be an object, not %s", kindOf(raw))
		return nil
	}
	o := &object{problems: p, path: path, values: map[string]json.RawMessage{}}
	for name, value := range rawjson.Members(raw) {
		key := rawjson.String(name)
		if len(o.values) == maxKeys {
			p.addf(path, "has more than %d keys", maxKeys)
			return nil
		}
		if _, twice := o.values[key]; twice {
			p.addf(o.at(key), "is there twice; keep one")
			continue
		}
		o.values[key] = value
		if kindOf(value) != "null" {
			o.keys = append(o.keys, key)
		}
	}
	for key, value := range o.values {
		if kindOf(value) == "null" {
			delete(o.values, key)
		}
	}
	return o
}

// at returns the path of a key.
func (o *object) at(key string) string { return join(o.path, key) }

func join(path, key string) string {
	if !isID(key) {
		return path + "[" + quote(key) + "]"
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

func index(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// isID reports whether s can be an id: a letter, then letters, digits, _ and -,
// at most 64 in all.
func isID(s string) bool {
	if s == "" || len(s) > 64 {
		return false
	}
	for i, r := range s {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || !(r >= '0' && r <= '9' || r == '_' || r == '-')) {
			return false
		}
	}
	return true
}

func kindOf(raw json.RawMessage) string {
	raw = bytes.TrimLeft(raw, " \t\r\n")
	if len(raw) == 0 {
		return "nothing"
	}
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

func (o *object) has(key string) bool { _, ok := o.values[key]; return ok }

// require reports a problem for each of keys that is absent. It must be called after closed, so
// that a misspelt key is reported once.
func (o *object) require(keys ...string) {
	for _, key := range keys {
		if !o.has(key) && !slices.Contains(o.meant, key) {
			o.problems.addf(o.at(key), "is missing")
		}
	}
}

// closed reports a problem for each key that is not one of keys. also maps other names of keys,
// and hints has explanations for some that are often tried, before those of [foreignWords].
func (o *object) closed(what string, keys []string, also, hints map[string]string) {
	listed := false // the keys, once for the object
	for _, key := range o.keys {
		if slices.Contains(keys, key) {
			continue
		}
		if len(*o.problems) >= maxKept {
			return // further problems are not kept, and finding the nearest key of each is slow
		}
		problem := Problem{Path: o.at(key), Message: fmt.Sprintf("%s is not a key of %s", quote(key), what)}
		if !listed {
			problem.Noun, problem.Allowed, listed = "keys", keys, true
		}
		hint, other := cmp.Or(hints[key], hints[suggest.Plain(key)]), otherName(key, also, keys)
		if hint == "" && other == "" {
			hint = foreignHint(what, key)
		}
		if hint != "" {
			problem.Message += ": " + hint
			o.meant = append(o.meant, namedFirst(hint, keys)...)
			if strings.HasPrefix(hint, "write ") {
				problem.Nearest = other
			}
		} else {
			problem.Nearest = cmp.Or(other, likeliest(key, keys))
			o.meant = append(o.meant, problem.Nearest)
		}
		o.problems.add(problem)
	}
}

// namedFirst returns the keys with which a hint begins, such as start and end for "start and end are the columns of the times": they are
// meant.
func namedFirst(hint string, keys []string) []string {
	var out []string
	for word := range strings.FieldsSeq(strings.TrimPrefix(hint, "it is ")) {
		switch word = strings.Trim(word, `",:`); {
		case slices.Contains(keys, word):
			out = append(out, word)
		case word != "and" && word != "or" && word != "write":
			return out
		}
	}
	return out
}

// text returns a string of at most limit characters.
func (o *object) text(key string, limit int) string {
	raw, ok := o.values[key]
	if !ok {
		return ""
	}
	if m := memberOf(raw, "text", "value", "title", "label", "name", "content"); kindOf(m) == "a string" {
		o.problems.addf(o.at(key), "must be a string, not an object; write %s", m)
		return ""
	}
	s, _ := o.problems.text(o.at(key), raw, limit)
	return s
}

// name returns the name of a column or the like: a text that is not empty.
func (o *object) name(key string) string {
	s := o.text(key, maxName)
	if s == "" && o.has(key) {
		o.problems.emptyAt(o.at(key), o.values[key])
	}
	return s
}

// emptyAt reports an empty string, unless its fault was reported already.
func (p *Problems) emptyAt(path string, raw json.RawMessage) {
	if string(bytes.TrimSpace(raw)) == `""` {
		p.addf(path, "is empty")
	}
}

func (p *Problems) text(path string, raw json.RawMessage, limit int) (string, bool) {
	if kindOf(raw) != "a string" {
		p.addf(path, "must be a string, not %s", kindOf(raw))
		return "", false
	}
	s := rawjson.String(bytes.TrimSpace(raw))
	if n := utf8.RuneCountInString(s); limit > 0 && n > limit {
		p.addf(path, "has %d characters, over the limit of %d", n, limit)
		return "", false
	}
	if i := strings.IndexFunc(s, func(r rune) bool { return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0x7f }); i >= 0 {
		p.addf(path, "has a control character (U+%04X) at byte %d", s[i], i)
		return "", false
	}
	return s, true
}

func (o *object) boolean(key string) bool {
	raw, ok := o.values[key]
	if !ok {
		return false
	}
	if kindOf(raw) != "a boolean" {
		o.problems.addf(o.at(key), "must be true or false, not %s%s", kindOf(raw), meantFlag(raw))
		return false
	}
	return bytes.HasPrefix(bytes.TrimSpace(raw), []byte("t"))
}

// meantFlag returns the remedy for a text or a number that means true or false, such as "yes" and 1.
func meantFlag(raw json.RawMessage) string {
	switch strings.ToLower(strings.Trim(trimmed(raw), `"`)) {
	case "true", "yes", "on", "1", "y", "show":
		return "; write true"
	case "false", "no", "off", "0", "n", "hide", "none":
		return "; write false"
	}
	return ""
}

// flag reports whether a key is true. A value of another type is not reported.
func (o *object) flag(key string) bool {
	return kindOf(o.values[key]) == "a boolean" && o.boolean(key)
}

func (o *object) number(key string) (float64, bool) {
	raw, ok := o.values[key]
	if !ok {
		return 0, false
	}
	return o.problems.number(o.at(key), raw)
}

func (p *Problems) number(path string, raw json.RawMessage) (float64, bool) {
	f, err := strconv.ParseFloat(string(bytes.TrimSpace(raw)), 64)
	switch {
	case kindOf(raw) != "a number":
		p.addf(path, "must be a number, not %s%s", kindOf(raw), meantNumber(raw))
		return 0, false
	case err != nil:
		p.addf(path, "is too large a number")
		return 0, false
	}
	return f, true
}

// meantNumber returns the remedy for a text that is a number, such as "10".
func meantNumber(raw json.RawMessage) string {
	if text := strings.TrimSpace(strings.Trim(trimmed(raw), `"`)); kindOf(raw) == "a string" && len(text) <= maxQuoted && isJSONNumber(text) {
		return "; write " + text
	}
	return ""
}

// integer returns a whole number from lo to hi.
func (o *object) integer(key string, lo, hi, def int) int {
	f, ok := o.number(key)
	if !ok {
		return def
	}
	if f != math.Trunc(f) || f < float64(lo) || f > float64(hi) {
		o.problems.addf(o.at(key), "must be a whole number from %d to %d", lo, hi)
		return def
	}
	return int(f)
}

// enum returns a string that is one of allowed. also maps other names for them.
func (o *object) enum(key string, allowed []string, also map[string]string) string {
	raw, ok := o.values[key]
	if !ok {
		return ""
	}
	if kind := kindOf(raw); kind != "a string" {
		o.problems.add(Problem{
			Path: o.at(key), Message: "must be a string, not " + kind, Allowed: allowed, Nearest: meantWord(raw, also, allowed),
		})
		return ""
	}
	s, ok := o.problems.text(o.at(key), raw, 0)
	if ok && !slices.Contains(allowed, s) {
		o.problems.add(Problem{
			Path: o.at(key), Message: quote(s) + " is not one of the possible values",
			Allowed: allowed, Nearest: known(s, also, allowed),
		})
		return ""
	}
	return s
}

// meantWord returns the one of allowed that a value of another form means: a boolean, a list of one, or an object with a member for it.
func meantWord(raw json.RawMessage, also map[string]string, allowed []string) string {
	text := trimmed(raw)
	if m := memberOf(raw, "type", "mode", "value", "name", "position", "kind", "method", "unit"); m != nil {
		text = string(m)
	} else if names := namesIn(raw); len(names) == 1 {
		text = names[0]
	}
	if text = strings.Trim(text, `"`); slices.Contains(allowed, text) {
		return text
	}
	return otherName(text, also, allowed)
}

// list returns the members of a list of at most limit.
func (o *object) list(key string, limit int) []json.RawMessage {
	raw, ok := o.values[key]
	if !ok {
		return nil
	}
	if kindOf(raw) != "a list" {
		o.problems.addf(o.at(key), "must be a list, not %s", kindOf(raw))
		return nil
	}
	return o.problems.list(o.at(key), raw, limit)
}

func (p *Problems) list(path string, raw json.RawMessage, limit int) []json.RawMessage {
	var out []json.RawMessage
	n := 0
	for value := range rawjson.Elements(raw) {
		if n++; n <= limit {
			out = append(out, value)
		}
	}
	if n > limit {
		p.addf(path, "has %d members, over the limit of %d", n, limit)
	}
	return out
}

// texts returns a list of at most limit strings; a single string is a list of one. They are names, or else values, which can be empty;
// numbers and booleans among values are converted to text.
func (o *object) texts(key string, limit int, names bool) []string {
	raw, ok := o.values[key]
	if !ok {
		return nil
	}
	members, single := []json.RawMessage{raw}, true
	if kindOf(raw) == "a list" {
		members, single = o.list(key, limit), false
	}
	var out []string
	for i, m := range members {
		path := o.at(key)
		if !single {
			path = index(path, i)
		}
		if kind := kindOf(m); !names && (kind == "a number" || kind == "a boolean") {
			out = append(out, string(bytes.TrimSpace(m)))
			continue
		}
		if s, ok := o.problems.text(path, m, maxName); ok {
			if names {
				o.problems.emptyAt(path, m)
			}
			out = append(out, s)
		}
	}
	return out
}

// different returns texts as [object.texts] does, and reports a list that is empty or has one of them twice. remedy names what to add to an
// empty one.
func (o *object) different(key string, limit int, names bool, remedy string) []string {
	out := o.texts(key, limit, names)
	if o.has(key) && len(out) == 0 && kindOf(o.values[key]) == "a list" {
		o.problems.addf(o.at(key), "is empty; %s, or leave it out", remedy)
	}
	for i, text := range out {
		if slices.Contains(out[:i], text) {
			o.problems.addf(index(o.at(key), i), "%s is there twice; keep one", quote(text))
		}
	}
	return out
}
