package bigquery

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"

	"service/store/dashboard/cube"
	"service/store/rawjson"
	"service/store/warehouse"
	"service/store/warehouse/rest"
)

// A parameter is a QueryParameter of the reference.
type parameter struct {
	Name  string `json:"name"`
	Type  scalar `json:"parameterType"`
	Value valued `json:"parameterValue"`
}

type scalar struct {
	Type string `json:"type"`
}

type valued struct {
	Value *string `json:"value"` // null for NULL
}

// encode returns argument n (from 1) as a parameter.
func encode(n int, arg any) (parameter, error) {
	kind, text := "", ""
	switch a := arg.(type) {
	case nil:
		return parameter{"p" + strconv.Itoa(n), scalar{"STRING"}, valued{}}, nil
	case string:
		kind, text = "STRING", a
	case int64:
		kind, text = "INT64", strconv.FormatInt(a, 10)
	case float64:
		kind, text = "FLOAT64", strconv.FormatFloat(a, 'g', -1, 64)
	case bool:
		kind, text = "BOOL", strconv.FormatBool(a)
	case time.Time:
		if a = a.UTC(); a.Equal(a.Truncate(24 * time.Hour)) {
			kind, text = "DATE", a.Format(time.DateOnly)
		} else {
			kind, text = "TIMESTAMP", a.Format("2006-01-02 15:04:05.000000Z07:00")
		}
	default:
		return parameter{}, fmt.Errorf("bigquery: argument %d is a %T", n, arg)
	}
	return parameter{"p" + strconv.Itoa(n), scalar{kind}, valued{&text}}, nil
}

// A field is a TableFieldSchema of the reference.
type field struct {
	name, kind, mode, precision, scale string
	fields                             []field
}

// maxDepth limits the nesting of structs. The service allows 15 levels.
const maxDepth = 16

// fieldsOf reads a TableSchema, or the fields of a struct.
func fieldsOf(raw []byte, depth int) ([]field, error) {
	all := []field{}
	for one := range rawjson.Elements(rest.Pick(raw, "fields")) {
		f := field{
			name: rest.PickText(one, "name"), kind: rest.PickText(one, "type"), mode: rest.PickText(one, "mode"),
			precision: rest.PickText(one, "precision"), scale: rest.PickText(one, "scale"),
		}
		if len(all) > warehouse.MaxColumns || depth > maxDepth || f.kind == "" {
			return nil, fmt.Errorf("bigquery: a schema that is not known")
		}
		if f.kind == "RECORD" || f.kind == "STRUCT" {
			var err error
			if f.fields, err = fieldsOf(one, depth+1); err != nil {
				return nil, err
			}
		}
		all = append(all, f)
	}
	return all, nil
}

// columnsOf returns the columns of a schema.
func columnsOf(schema []byte) ([]rest.Column, error) {
	fields, err := fieldsOf(schema, 0)
	if err != nil {
		return nil, err
	}
	cols := make([]rest.Column, len(fields))
	for i, f := range fields {
		cols[i] = columnOf(f)
	}
	return cols, nil
}

// types are the types of scalars, by their names in schemas and in the catalog, with the functions that read their texts. All other types
// are text.
var types = map[string]struct {
	kind cube.Type
	read func(text string) (any, error)
}{
	"INTEGER":    {cube.Integer, rest.Numeric(cube.Integer)},
	"INT64":      {cube.Integer, rest.Numeric(cube.Integer)},
	"FLOAT":      {cube.Number, rest.Numeric(cube.Number)},
	"FLOAT64":    {cube.Number, rest.Numeric(cube.Number)},
	"NUMERIC":    {cube.Number, rest.Numeric(cube.Number)},
	"BIGNUMERIC": {cube.Number, rest.Numeric(cube.Number)},
	"BOOLEAN":    {cube.Boolean, rest.Boolean},
	"BOOL":       {cube.Boolean, rest.Boolean},
	"DATE":       {cube.Date, rest.Times(time.DateOnly)},
	"DATETIME":   {cube.Timestamp, rest.Times("2006-01-02T15:04:05")},
	"TIMESTAMP":  {cube.Instant, rest.Micros},
	"BYTES":      {cube.Text, rest.Base64},
}

func columnOf(f field) rest.Column {
	col := rest.Column{Column: cube.Column{Name: f.name, Type: cube.Text}}
	if f.mode == "REPEATED" || f.fields != nil {
		col.Read = f.compound
		return col
	}
	t, known := types[f.kind]
	switch {
	case !known:
		col.Read = rest.Reading(cube.Text, rest.Legible)
		return col
	case t.kind == cube.Number && f.precision != "" && (f.scale == "" || f.scale == "0"):
		t.kind, t.read = cube.Integer, rest.Numeric(cube.Integer)
	}
	col.Type, col.Read = t.kind, rest.Reading(t.kind, t.read)
	return col
}

// compound reads an array or a struct as JSON.
func (f field) compound(raw []byte) (any, int, error) {
	if rest.Null(raw) {
		return nil, 0, nil
	}
	text, err := f.appendJSON(nil, raw)
	return string(text), len(text), err
}

// appendJSON writes a value: the elements of an array are {"v": …}, the members of a struct {"f": [{"v": …}, …]}.
func (f field) appendJSON(b, raw []byte) ([]byte, error) {
	var err error
	switch {
	case raw == nil:
		return nil, rest.ErrForm
	case rest.Null(raw):
		return append(b, "null"...), nil
	case f.mode == "REPEATED":
		one := f
		one.mode = ""
		b = append(b, '[')
		first := len(b)
		for element := range rawjson.Elements(raw) {
			if len(b) > first {
				b = append(b, ',')
			}
			if b, err = one.appendJSON(b, rest.Pick(element, "v")); err != nil {
				return nil, err
			}
		}
		return append(b, ']'), nil
	case f.fields != nil:
		b = append(b, '{')
		i := 0
		for member := range rawjson.Elements(rest.Pick(raw, "f")) {
			if i == len(f.fields) {
				return nil, rest.ErrForm
			}
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendText(b, f.fields[i].name), ':')
			if b, err = f.fields[i].appendJSON(b, rest.Pick(member, "v")); err != nil {
				return nil, err
			}
			i++
		}
		return append(b, '}'), nil
	}
	text, ok := rest.Text(raw)
	if !ok {
		return nil, rest.ErrForm
	}
	return f.appendScalar(b, text)
}

// appendScalar appends numbers and booleans as such, JSON unchanged, and any other value as text.
func (f field) appendScalar(b []byte, text string) ([]byte, error) {
	t := types[f.kind]
	switch {
	case f.kind == "JSON" && rawjson.Valid([]byte(text)), t.kind == cube.Boolean && (text == "true" || text == "false"):
		return append(b, text...), nil
	case t.kind == cube.Integer || t.kind == cube.Number:
		if x, err := strconv.ParseFloat(text, 64); err == nil && (math.IsNaN(x) || math.IsInf(x, 0)) {
			return append(b, "null"...), nil
		}
		if !rawjson.Valid([]byte(text)) {
			return nil, rest.ErrForm
		}
		return append(b, text...), nil
	case t.read == nil:
		return appendText(b, text), nil
	}
	v, err := t.read(text)
	if err != nil {
		return nil, rest.ErrForm
	}
	switch v := v.(type) {
	case string:
		return appendText(b, v), nil
	case time.Time:
		if t.kind == cube.Instant {
			return appendText(b, v.Format(time.RFC3339Nano)), nil
		}
	}
	return appendText(b, text), nil
}

func appendText(b []byte, text string) []byte {
	quoted, _ := json.Marshal(text) // encoding a string cannot fail
	return append(b, quoted...)
}
