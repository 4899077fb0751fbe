package dashboard

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"service/store/dashboard/cube"
)

// maxCells bounds the rows of one dataset of a report, times its columns.
const maxCells = 3_000_000

// ParseReport parses a report: a document with the shape of a spec whose
// datasets bring their rows, under rows, in place of SQL. Rows are objects, or
// lists of values in the order of the dataset's columns. It returns the rows by
// dataset id.
//
// The type of a column follows from its values: integer, number, boolean, date
// (2026-01-31), instant (2026-01-31T12:00:00Z), timestamp (the same without an
// offset: a clock on a wall), else text. Everything is checked, as by [Parse] and [Spec.Check]. The error is
// *[Problems], and nothing else is returned beside it.
func ParseReport(raw []byte) (*Spec, map[string]*cube.Cube, error) {
	p := &parser{report: true, rows: map[string]json.RawMessage{}}
	s := p.spec(raw)
	if s == nil {
		return nil, nil, p.problems.err()
	}
	cubes := map[string]*cube.Cube{}
	columns := map[string][]cube.Column{}
	for i := range s.Datasets {
		d := &s.Datasets[i]
		rows := p.rows[d.ID]
		if rows == nil || cubes[d.ID] != nil {
			continue
		}
		c, err := readRows(index("datasets", i)+".rows", rows, d)
		if err != nil {
			p.problems.add(*err)
			continue
		}
		cubes[d.ID], columns[d.ID] = c, c.Columns()
	}
	_, found := s.CheckRows(columns, cubes)
	if err := Join(p.problems.err(), found); err != nil {
		return nil, nil, err
	}
	return s, cubes, nil
}

// A rowset is the rows of a report's dataset before their types are known.
type rowset struct {
	path  string
	names []string
	index map[string]int
	rows  [][]any // nil, bool, string or json.Number; shorter than names where the rest is NULL
}

// readRows reads the rows of a dataset.
func readRows(path string, raw json.RawMessage, d *Dataset) (*cube.Cube, *Problem) {
	fail := func(path, format string, args ...any) (*cube.Cube, *Problem) {
		return nil, &Problem{Path: path, Message: fmt.Sprintf(format, args...)}
	}
	if kindOf(raw) != "a list" {
		return fail(path, "must be a list of rows, not %s", kindOf(raw))
	}
	r := &rowset{path: path, index: map[string]int{}}
	for _, m := range d.Columns {
		if !m.IsRatio() {
			r.index[m.Name] = len(r.names)
			r.names = append(r.names, m.Name)
		}
	}
	named := len(r.names)
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	_, _ = dec.Token() // the opening bracket
	for dec.More() {
		if len(r.rows) == MaxRows {
			return fail(path, "has more than %d rows", MaxRows)
		}
		at := index(path, len(r.rows))
		var row []any
		var err error
		switch token, _ := dec.Token(); token {
		case json.Delim('{'):
			row, err = r.object(dec)
		case json.Delim('['):
			if named == 0 {
				return fail(at, "is a list, so the dataset must name its columns in order: columns must be a list, or the rows objects")
			}
			row, err = r.list(dec)
			if err == nil && len(row) != named {
				err = fmt.Errorf("has %d values for %d columns", len(row), named)
			}
		default:
			err = errors.New("must be an object, or a list of values")
		}
		if err != nil {
			return fail(at, "%s", err)
		}
		r.rows = append(r.rows, row)
		if len(r.names) > MaxColumns {
			return fail(path, "have more than %d columns", MaxColumns)
		}
		if len(r.rows)*len(r.names) > maxCells {
			return fail(path, "are more than %d cells", maxCells)
		}
	}
	if len(r.names) == 0 {
		return fail(path, "have no columns; write at least one row, or name the columns")
	}
	return r.cube(d)
}

// object reads a row behind its opening brace.
func (r *rowset) object(dec *json.Decoder) ([]any, error) {
	row := make([]any, len(r.names))
	seen := make(map[string]bool, len(r.names))
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return nil, errors.New("cannot be read")
		}
		name, _ := token.(string)
		switch {
		case name == "" || len(name) > maxName:
			return nil, fmt.Errorf("has a column whose name is empty or longer than %d", maxName)
		case seen[name]:
			return nil, fmt.Errorf("has %s twice", quote(name))
		}
		seen[name] = true
		v, err := cell(dec, quote(name))
		if err != nil {
			return nil, err
		}
		i, known := r.index[name]
		if !known {
			i = len(r.names)
			r.index[name] = i
			r.names = append(r.names, name)
			row = append(row, nil)
		}
		row[i] = v
	}
	_, _ = dec.Token() // the closing brace
	return row, nil
}

// list reads a row behind its opening bracket.
func (r *rowset) list(dec *json.Decoder) ([]any, error) {
	row := make([]any, 0, len(r.names))
	for dec.More() {
		v, err := cell(dec, "value "+strconv.Itoa(len(row)))
		if err != nil {
			return nil, err
		}
		if row = append(row, v); len(row) > len(r.names) {
			return nil, fmt.Errorf("has more values than the dataset has columns (%d)", len(r.names))
		}
	}
	_, _ = dec.Token() // the closing bracket
	return row, nil
}

func cell(dec *json.Decoder, what string) (any, error) {
	token, err := dec.Token()
	if err != nil {
		return nil, errors.New("cannot be read")
	}
	if _, nested := token.(json.Delim); nested {
		return nil, fmt.Errorf("%s must be a string, a number, a boolean or null", what)
	}
	return token, nil
}

// cube settles the types and makes the cube.
func (r *rowset) cube(d *Dataset) (*cube.Cube, *Problem) {
	cols := make([]cube.Column, len(r.names))
	for i, name := range r.names {
		cols[i] = cube.Column{Name: name, Type: r.kind(i)}
	}
	b := cube.NewBuilder(cols)
	for n, row := range r.rows {
		out := make([]any, len(cols))
		for i, v := range row {
			out[i] = convert(v, cols[i].Type)
		}
		if err := b.Add(out); err != nil {
			return nil, &Problem{Path: index(r.path, n), Message: "cannot be read"}
		}
		if b.Bytes() > MaxResultBytes {
			return nil, &Problem{Path: r.path, Message: fmt.Sprintf("of dataset %s are more than %d bytes", quote(d.ID), MaxResultBytes)}
		}
	}
	return b.Cube(), nil
}

// kind is the narrowest type that holds all values of column i.
func (r *rowset) kind(i int) cube.Type {
	var kind cube.Type
	for _, row := range r.rows {
		if i >= len(row) || row[i] == nil {
			continue
		}
		k := valueKind(row[i], kind)
		pair := []cube.Type{kind, k}
		switch {
		case kind == "" || kind == k:
			kind = k
		case slices.Contains(pair, cube.Integer) && slices.Contains(pair, cube.Number):
			kind = cube.Number
		case kind.IsTime() && k.IsTime(): // what has no offset is in UTC, beside what has one
			kind = cube.Timestamp
			if slices.Contains(pair, cube.Instant) {
				kind = cube.Instant
			}
		default:
			return cube.Text
		}
		if kind == cube.Text {
			break
		}
	}
	if kind == "" {
		return cube.Text
	}
	return kind
}

// valueKind is the narrowest type of a value. Where only dates are of interest
// still, but the column is something else, text is not looked into.
func valueKind(v any, column cube.Type) cube.Type {
	switch v := v.(type) {
	case bool:
		return cube.Boolean
	case json.Number:
		if _, err := cube.Parse(cube.Integer, v.String()); err != nil || strings.ContainsAny(v.String(), ".eE") {
			return cube.Number
		}
		return cube.Integer
	case string:
		if column != "" && !column.IsTime() {
			return cube.Text
		}
		if _, err := time.Parse(time.DateOnly, v); err == nil {
			return cube.Date
		}
		if _, kind := timestamp(v); kind != "" {
			return kind
		}
	}
	return cube.Text
}

// timestamp reads the forms of RFC 3339, also with a space for the T; without an
// offset, which is no instant but a clock on a wall; and a bare date. The type is
// "" for anything else.
func timestamp(s string) (time.Time, cube.Type) {
	if len(s) < len(time.DateOnly) || len(s) > len("2006-01-02T15:04:05.999999999+00:00") {
		return time.Time{}, ""
	}
	s = strings.Replace(s, " ", "T", 1)
	if t, err := time.Parse(time.RFC3339Nano, s); err == nil {
		return t.UTC(), cube.Instant
	}
	for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02T15:04", time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, cube.Timestamp
		}
	}
	return time.Time{}, ""
}

// convert turns a value into the Go type that t names.
func convert(v any, t cube.Type) any {
	switch v := v.(type) {
	case json.Number:
		if t == cube.Integer || t == cube.Number {
			n, _ := cube.Parse(t, v.String()) // beyond all use: NULL
			return n
		}
		return v.String()
	case bool:
		if t == cube.Text {
			return strconv.FormatBool(v)
		}
		return v
	case string:
		if t.IsTime() {
			at, _ := timestamp(v)
			return at
		}
		return v
	}
	return nil
}
