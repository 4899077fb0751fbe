package rest

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"service/store/dashboard/cube"
	"service/store/rawjson"
	"service/store/warehouse"
)

// Null reports whether a JSON value is null.
func Null(raw []byte) bool { return string(raw) == "null" }

// Cells is a [Page.Cells] for rows that are lists of values.
func Cells(row []byte, cells [][]byte) ([][]byte, error) {
	return CellsOf(row, cells, func(element []byte) []byte { return element })
}

// CellsOf appends the value of each element of a list to cells. A list of more than [warehouse.MaxColumns] elements is an error.
func CellsOf(list []byte, cells [][]byte, value func(element []byte) []byte) ([][]byte, error) {
	for element := range rawjson.Elements(list) {
		if len(cells) > warehouse.MaxColumns {
			return nil, ErrForm
		}
		cells = append(cells, value(element))
	}
	return cells, nil
}

// Text returns the text of a JSON string. ok is false for any other JSON.
func Text(raw []byte) (text string, ok bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	return rawjson.String(raw), true
}

// Reading returns a [Column.Read] for a function that reads a text: NULL is nil, and any other JSON than a text is an error.
func Reading(kind cube.Type, read func(text string) (any, error)) func(raw []byte) (any, int, error) {
	return func(raw []byte) (any, int, error) {
		if Null(raw) {
			return nil, 0, nil
		}
		text, ok := Text(raw)
		if !ok {
			return nil, 0, ErrForm
		}
		v, err := read(text)
		if err != nil {
			return nil, 0, unread(err, kind)
		}
		if s, ok := v.(string); ok {
			return v, len(s), nil
		}
		return v, len(text), nil
	}
}

// unread returns the error of a value that cannot be read: err if it is for the author, and otherwise ErrForm.
func unread(err error, kind cube.Type) error {
	if known, ok := errors.AsType[*warehouse.Error](err); ok {
		return known
	}
	return fmt.Errorf("%w: a column of type %s", ErrForm, kind)
}

// Numeric returns a function that reads numbers from texts, for columns of type kind.
func Numeric(kind cube.Type) func(text string) (any, error) {
	return func(text string) (any, error) { return cube.Parse(kind, text) }
}

// Boolean reads true and false.
func Boolean(text string) (any, error) {
	switch text {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return nil, ErrForm
}

// Times returns a function that reads times in UTC from texts in one layout.
func Times(layout string) func(text string) (any, error) {
	return func(text string) (any, error) { return time.Parse(layout, text) }
}

// Micros reads microseconds since 1970.
func Micros(text string) (any, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	return time.UnixMicro(n).UTC(), err
}

// Legible reads a text unchanged, or as \x… if it contains a NUL.
func Legible(text string) (any, error) {
	if strings.IndexByte(text, 0) >= 0 || !utf8.ValidString(text) {
		return fmt.Sprintf(`\x%x`, text), nil
	}
	return text, nil
}

// Base64 reads bytes, as text if they are text, and otherwise as \x… .
func Base64(text string) (any, error) {
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, err
	}
	return Legible(string(b))
}

// Scalar is [Reading] for vendors that write numbers and booleans as such: it takes them as texts too. Lists and objects are errors.
func Scalar(kind cube.Type, read func(text string) (any, error)) func(raw []byte) (any, int, error) {
	quoted := Reading(kind, read)
	return func(raw []byte) (any, int, error) {
		if len(raw) == 0 || raw[0] == '"' || raw[0] == '[' || raw[0] == '{' || Null(raw) {
			return quoted(raw)
		}
		v, err := read(string(raw))
		if err != nil {
			return nil, 0, unread(err, kind)
		}
		return v, len(raw), nil
	}
}

// Written is a [Column.Read] for texts: a JSON string is its text, and any other JSON but null is its JSON.
func Written(raw []byte) (any, int, error) {
	if Null(raw) {
		return nil, 0, nil
	}
	text, ok := Text(raw)
	if !ok {
		text = string(raw)
	}
	if text == "" && !ok {
		return nil, 0, ErrForm
	}
	v, err := Legible(text)
	if err != nil {
		return nil, 0, err
	}
	return v, len(v.(string)), nil
}
