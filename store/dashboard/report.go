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
	"service/store/rawjson"
)

// maxKnown bounds the values of a column that are converted once.
const maxKnown = 1_000

// maxCells bounds the rows of one dataset of a report, times its columns.
const maxCells = 3_000_000

// ParseReport parses a report: a document in the form of a spec whose datasets have their rows, under rows, in place of SQL. Rows are
// objects, or lists of values in the order of the dataset's columns. It returns the rows by dataset id.
//
// The type of a column follows from its values: integer, number, boolean, date (2026-01-31), instant (2026-01-31T12:00:00Z), timestamp (the
// same without an offset: a clock on a wall), else text. Everything is checked, as by [Parse] and [Spec.Check]. The error is *[Problems],
// and then nothing else is returned.
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
	cells []cells // by column
	rows  int
}

// cells are the values of a column as written, from the first row with one. Missing values and null are nil, and may be absent at the end.
type cells struct {
	from   int
	values [][]byte
}

// value returns the value of a row in column i, or nil for NULL.
func (r *rowset) value(i, row int) []byte {
	c := &r.cells[i]
	if row -= c.from; row < 0 || row >= len(c.values) {
		return nil
	}
	return c.values[row]
}

// put sets the value of the current row in column i.
func (r *rowset) put(i int, value []byte) {
	if value[0] == 'n' || i >= MaxColumns { // with more columns, the rows are refused
		return
	}
	c := &r.cells[i]
	if len(c.values) == 0 {
		c.from = r.rows
	}
	for c.from+len(c.values) < r.rows {
		c.values = append(c.values, nil)
	}
	c.values = append(c.values, value)
}

// column returns the column of a name, which it adds if necessary.
func (r *rowset) column(name string) int {
	i, known := r.index[name]
	if !known {
		i = len(r.names)
		r.index[name] = i
		r.names = append(r.names, name)
		r.cells = append(r.cells, cells{})
	}
	return i
}

// readRows reads the rows of a dataset, which are valid JSON.
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
			r.column(m.Name)
		}
	}
	named := len(r.names)
	seen := &names{}
	for row := range rawjson.Elements(raw) {
		if r.rows == MaxRows {
			return fail(path, "has more than %d rows", MaxRows)
		}
		var err error
		switch row[0] {
		case '{':
			err = r.object(row, seen)
		case '[':
			if named == 0 {
				return fail(index(path, r.rows),
					"is a list, so the dataset must name its columns in order: columns must be a list, or the rows objects")
			}
			err = r.list(row, named)
		default:
			err = errors.New("must be an object, or a list of values")
		}
		if err != nil {
			return fail(index(path, r.rows), "%s", err)
		}
		r.rows++
		if len(r.names) > MaxColumns {
			return fail(path, "have more than %d columns", MaxColumns)
		}
		if r.rows*len(r.names) > maxCells {
			return fail(path, "are more than %d cells", maxCells)
		}
	}
	if len(r.names) == 0 {
		return fail(path, "have no columns; write at least one row, or name the columns")
	}
	return r.cube(d)
}

// names are the columns of the part of a row that was read.
type names struct {
	order [][]byte // names of an earlier row, as written in quotes
	known []int    // the column of each of order
	last  []int    // by column: one more than the row that had it last
}

// of returns the column of the name at position n of a row.
func (s *names) of(r *rowset, n int, written []byte) (column int, err error) {
	if n < len(s.order) && bytes.Equal(s.order[n], written) {
		column = s.known[n]
	} else {
		name := rawjson.String(written)
		if name == "" || len(name) > maxName {
			return 0, fmt.Errorf("has a column whose name is empty or longer than %d", maxName)
		}
		column = r.column(name)
		s.order, s.known = append(s.order[:min(n, len(s.order))], written), append(s.known[:min(n, len(s.known))], column)
	}
	for column >= len(s.last) {
		s.last = append(s.last, 0)
	}
	if s.last[column] == r.rows+1 {
		return 0, fmt.Errorf("has %s twice", quote(r.names[column]))
	}
	s.last[column] = r.rows + 1
	return column, nil
}

// object reads a row of names and values.
func (r *rowset) object(row []byte, seen *names) error {
	n := 0
	for name, value := range rawjson.Members(row) {
		i, err := seen.of(r, n, name)
		if err != nil {
			return err
		}
		if isNested(value) {
			return notCell(quote(r.names[i]))
		}
		r.put(i, value)
		n++
	}
	return nil
}

// list reads a row of values, one for each of the columns that the dataset has named.
func (r *rowset) list(row []byte, named int) error {
	n := 0
	for value := range rawjson.Elements(row) {
		if isNested(value) {
			return notCell("value " + strconv.Itoa(n))
		}
		if n == len(r.names) {
			return fmt.Errorf("has more values than the dataset has columns (%d)", len(r.names))
		}
		r.put(n, value)
		n++
	}
	if n != named {
		return fmt.Errorf("has %d values for %d columns", n, named)
	}
	return nil
}

func isNested(value []byte) bool { return value[0] == '{' || value[0] == '[' }

func notCell(what string) error {
	return fmt.Errorf("%s must be a string, a number, a boolean or null", what)
}

// cube determines the types and builds the cube.
func (r *rowset) cube(d *Dataset) (*cube.Cube, *Problem) {
	cols := make([]cube.Column, len(r.names))
	for i, name := range r.names {
		cols[i] = cube.Column{Name: name, Type: r.kind(i)}
	}
	b := cube.NewBuilder(cols)
	row := make([]any, len(cols))
	known := make([]map[string]any, len(cols)) // texts and times, which repeat
	for i := range known {
		known[i] = map[string]any{}
	}
	for n := range r.rows {
		for i := range cols {
			value := r.value(i, n)
			if len(value) == 0 || value[0] != '"' {
				row[i] = convert(value, cols[i].Type)
				continue
			}
			v, ok := known[i][string(value)]
			if !ok {
				if v = convert(value, cols[i].Type); len(known[i]) < maxKnown {
					known[i][string(value)] = v
				}
			}
			row[i] = v
		}
		if err := b.Add(row); err != nil {
			return nil, &Problem{Path: index(r.path, n), Message: "cannot be read"}
		}
		if b.Bytes() > MaxResultBytes {
			return nil, &Problem{Path: r.path, Message: fmt.Sprintf("of dataset %s are more than %d bytes", quote(d.ID), MaxResultBytes)}
		}
	}
	return b.Cube(), nil
}

// kind returns the narrowest type for all values of column i.
func (r *rowset) kind(i int) cube.Type {
	var kind cube.Type
	for row := range r.rows {
		value := r.value(i, row)
		if value == nil {
			continue
		}
		k := valueKind(value, kind)
		pair := []cube.Type{kind, k}
		switch {
		case kind == "" || kind == k:
			kind = k
		case slices.Contains(pair, cube.Integer) && slices.Contains(pair, cube.Number):
			kind = cube.Number
		case kind.IsTime() && k.IsTime(): // a time without an offset is in UTC, next to times with one
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

// valueKind returns the narrowest type of a value. It does not parse a text as a time if the column so far has another type.
func valueKind(value []byte, column cube.Type) cube.Type {
	switch value[0] {
	case 't', 'f':
		return cube.Boolean
	case '"':
		if column != "" && !column.IsTime() || len(value) > 8*longestTime {
			return cube.Text
		}
		s := rawjson.String(value)
		if isDay(s) {
			return cube.Date
		}
		if _, kind := timestamp(s); kind != "" {
			return kind
		}
		return cube.Text
	}
	if bytes.ContainsAny(value, ".eE") {
		return cube.Number
	}
	if _, err := cube.Parse(cube.Integer, string(value)); err != nil {
		return cube.Number
	}
	return cube.Integer
}

func isDay(s string) bool {
	if len(s) != len(time.DateOnly) {
		return false
	}
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

// longestTime is the longest text that is parsed as a time, in bytes.
const longestTime = len("2006-01-02T15:04:05.999999999+00:00")

// timestamp reads the forms of RFC 3339, also with a space for the T; without an offset, which is a timestamp rather than an instant; and a
// bare date. The type is "" for any other text.
func timestamp(s string) (time.Time, cube.Type) {
	if len(s) < len(time.DateOnly) || len(s) > longestTime {
		return time.Time{}, ""
	}
	if len(s) == len(time.DateOnly) { // the others have an hour
		if t, err := time.Parse(time.DateOnly, s); err == nil {
			return t, cube.Timestamp
		}
		return time.Time{}, ""
	}
	s = strings.Replace(s, " ", "T", 1)
	if t, err := time.Parse(time.RFC3339Nano, s); err == nil {
		return t.UTC(), cube.Instant
	}
	for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02T15:04"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, cube.Timestamp
		}
	}
	return time.Time{}, ""
}

// convert converts a value as written to the Go type of t.
func convert(value []byte, t cube.Type) any {
	if value == nil {
		return nil
	}
	switch value[0] {
	case '"':
		s := rawjson.String(value)
		if t.IsTime() {
			at, _ := timestamp(s)
			return at
		}
		return s
	case 't', 'f':
		if t == cube.Text {
			return string(value)
		}
		return value[0] == 't'
	}
	if t == cube.Integer || t == cube.Number {
		n, _ := cube.Parse(t, string(value)) // absurdly large: NULL
		return n
	}
	return string(value)
}
