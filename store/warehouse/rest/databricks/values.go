package databricks

import (
	"strconv"
	"strings"
	"time"

	"service/store/dashboard/cube"
	"service/store/rawjson"
	"service/store/warehouse"
	"service/store/warehouse/rest"
)

// types are the types of columns, by their names in SQL and in the API, and the functions that read their texts. All others are text.
var types = map[string]struct {
	kind cube.Type
	read func(text string) (any, error)
}{
	"boolean": {cube.Boolean, rest.Boolean},
	"tinyint": {cube.Integer, rest.Numeric(cube.Integer)}, "byte": {cube.Integer, rest.Numeric(cube.Integer)},
	"smallint": {cube.Integer, rest.Numeric(cube.Integer)}, "short": {cube.Integer, rest.Numeric(cube.Integer)},
	"int": {cube.Integer, rest.Numeric(cube.Integer)}, "bigint": {cube.Integer, rest.Numeric(cube.Integer)},
	"long": {cube.Integer, rest.Numeric(cube.Integer)}, "decimal": {cube.Number, rest.Numeric(cube.Number)},
	"float": {cube.Number, rest.Numeric(cube.Number)}, "double": {cube.Number, rest.Numeric(cube.Number)},
	"date": {cube.Date, rest.Times(time.DateOnly)}, "timestamp_ntz": {cube.Timestamp, clock},
	"timestamp": {cube.Instant, instant}, "binary": {cube.Text, rest.Base64},
}

// columnOf returns a column of a type as SQL writes it, such as decimal(10,2), in capitals or not.
func columnOf(name, kind string) rest.Column {
	base, parameters, _ := strings.Cut(strings.ToLower(kind), "(")
	t, ok := types[strings.TrimSpace(base)]
	if !ok {
		return rest.Column{Column: cube.Column{Name: name, Type: cube.Text}, Read: rest.Reading(cube.Text, rest.Legible)}
	}
	if base == "decimal" {
		_, scale, _ := strings.Cut(strings.TrimSuffix(parameters, ")"), ",")
		if n, err := strconv.Atoi(strings.TrimSpace(scale)); err == nil && n == 0 {
			t.kind, t.read = cube.Integer, rest.Numeric(cube.Integer)
		}
	}
	return rest.Column{Column: cube.Column{Name: name, Type: t.kind}, Read: rest.Reading(t.kind, t.read)}
}

// columnsOf returns the columns of a manifest.
func columnsOf(list []byte) ([]rest.Column, error) {
	var cols []rest.Column
	for one := range rawjson.Elements(list) {
		kind := rest.PickText(one, "type_text")
		if kind == "" || len(cols) > warehouse.MaxColumns {
			return nil, rest.ErrForm
		}
		cols = append(cols, columnOf(rest.PickText(one, "name"), kind))
	}
	if cols == nil { // there is at least one
		return nil, rest.ErrForm
	}
	return cols, nil
}

// clock reads a wall-clock time, with T or a space.
func clock(text string) (any, error) {
	return time.Parse(time.DateTime, strings.Replace(text, "T", " ", 1))
}

// instant reads a moment: a wall-clock time, and Z or an offset.
func instant(text string) (any, error) {
	t, err := time.Parse("2006-01-02 15:04:05Z07:00", strings.Replace(text, "T", " ", 1))
	return t.UTC(), err
}
