package rawjson

import (
	"encoding/json"
	"errors"
	"iter"
	"unicode/utf16"
	"unicode/utf8"
)

// Members iterates over the members of an object: their names as written, in quotes, and their values. raw must be valid; a value that is
// not an object has no members. A name may occur more than once.
func Members(raw []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		i := space(raw, 0)
		if i == len(raw) || raw[i] != '{' {
			return
		}
		for i = space(raw, i+1); raw[i] != '}'; {
			end := skipText(raw, i)
			name := raw[i:end]
			i = space(raw, space(raw, end)+1)
			end = skip(raw, i)
			if !yield(name, raw[i:end:end]) {
				return
			}
			if i = space(raw, end); raw[i] == ',' {
				i = space(raw, i+1)
			}
		}
	}
}

// Elements iterates over the elements of a list. raw must be valid; a value that is not a list has no elements.
func Elements(raw []byte) iter.Seq[[]byte] {
	return func(yield func(value []byte) bool) {
		i := space(raw, 0)
		if i == len(raw) || raw[i] != '[' {
			return
		}
		for i = space(raw, i+1); raw[i] != ']'; {
			end := skip(raw, i)
			if !yield(raw[i:end:end]) {
				return
			}
			if i = space(raw, end); raw[i] == ',' {
				i = space(raw, i+1)
			}
		}
	}
}

// MaxMembers is how many members [Object] reads. Legitimate objects have far fewer.
const MaxMembers = 1_000

// ErrMembers is returned for an object of more than [MaxMembers] members.
var ErrMembers = errors.New("an object has too many members")

// Object returns the members of an object by name; the last of several with the same name. raw must be valid; the map is nil if it is not
// an object. An object of more than [MaxMembers], which would take many times its size in memory, is [ErrMembers].
func Object(raw []byte) (map[string]json.RawMessage, error) {
	if i := space(raw, 0); i == len(raw) || raw[i] != '{' {
		return nil, nil
	}
	all, n := map[string]json.RawMessage{}, 0
	for name, value := range Members(raw) {
		if n++; n > MaxMembers {
			return nil, ErrMembers
		}
		all[String(name)] = value
	}
	return all, nil
}

// List returns the elements of a list, the first most of them, and how many it has. raw must be valid; n is -1 if it is not a list.
func List(raw []byte, most int) (first []json.RawMessage, n int) {
	if i := space(raw, 0); i == len(raw) || raw[i] != '[' {
		return nil, -1
	}
	for value := range Elements(raw) {
		if n++; n <= most {
			first = append(first, value)
		}
	}
	return first, n
}

// String returns the decoded text of a string. raw must be a valid string, from quote to quote.
func String(raw []byte) string {
	inner := raw[1 : len(raw)-1]
	if !utf8.Valid(inner) {
		var s string
		_ = json.Unmarshal(raw, &s) // it is valid
		return s
	}
	i := 0
	for i < len(inner) && inner[i] != '\\' {
		i++
	}
	if i == len(inner) {
		return string(inner)
	}
	out := make([]byte, 0, len(inner))
	for from := 0; ; {
		out = append(out, inner[from:i]...)
		if i == len(inner) {
			return string(out)
		}
		i++ // after the backslash
		switch c := inner[i]; c {
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			r := unit(inner[i+1:])
			i += 4
			if utf16.IsSurrogate(r) {
				second := utf8.RuneError
				if len(inner) > i+6 && inner[i+1] == '\\' && inner[i+2] == 'u' {
					second = unit(inner[i+3:])
				}
				if r = utf16.DecodeRune(r, second); r != utf8.RuneError {
					i += 6
				}
			}
			out = utf8.AppendRune(out, r)
		default:
			out = append(out, c)
		}
		i++
		for from = i; i < len(inner) && inner[i] != '\\'; {
			i++
		}
	}
}

// unit returns the number of the first four hexadecimal digits.
func unit(digits []byte) (r rune) {
	for _, c := range digits[:4] {
		r = r<<4 | hex(c)
	}
	return r
}

// skip returns the end of the valid value that begins at i.
func skip(raw []byte, i int) int {
	switch raw[i] {
	case '"':
		return skipText(raw, i)
	case '{', '[':
		for depth := 0; ; i++ {
			switch kinds[raw[i]] {
			case quote:
				i = skipText(raw, i) - 1
			case opens:
				depth++
			case closes:
				if depth--; depth == 0 {
					return i + 1
				}
			}
		}
	}
	for i < len(raw) && kinds[raw[i]] != closes && kinds[raw[i]] != ends {
		i++
	}
	return i
}

func skipText(raw []byte, i int) int {
	for i++; raw[i] != '"'; i++ {
		if raw[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// The meaning of a byte outside of strings for the end of a value.
const (
	quote = iota + 1
	opens
	closes
	ends // a number or a word
)

var kinds = [256]uint8{
	'"': quote, '{': opens, '[': opens, '}': closes, ']': closes, ',': ends, ' ': ends, '\t': ends, '\r': ends, '\n': ends,
}
