package athena

import (
	"encoding/hex"
	"strconv"
	"strings"

	"service/store/dashboard/cube"
	"service/store/rawjson"
	"service/store/warehouse"
	"service/store/warehouse/rest"
	"service/store/warehouse/rest/trino"
)

// columnsOf returns the columns of a ResultSetMetadata.
func columnsOf(list []byte) ([]rest.Column, error) {
	var cols []rest.Column
	for one := range rawjson.Elements(list) {
		kind := rest.PickText(one, "Type")
		if kind == "" || len(cols) > warehouse.MaxColumns {
			return nil, rest.ErrForm
		}
		if kind == "decimal" {
			precision, _ := strconv.Atoi(string(rest.Pick(one, "Precision")))
			scale, _ := strconv.Atoi(string(rest.Pick(one, "Scale")))
			kind += "(" + strconv.Itoa(precision) + "," + strconv.Itoa(scale) + ")"
		}
		cols = append(cols, columnOf(rest.PickText(one, "Name"), kind))
	}
	if cols == nil { // there is at least one
		return nil, rest.ErrForm
	}
	return cols, nil
}

// columnOf returns a column of a type of Trino, with the names that Athena has for some.
func columnOf(name, kind string) rest.Column {
	switch kind {
	case "float":
		kind = "real"
	case "varbinary":
		return rest.Column{Column: cube.Column{Name: name, Type: cube.Text}, Read: rest.Reading(cube.Text, bytes)}
	}
	return trino.ColumnOf(name, kind)
}

// bytes reads hexadecimal digits in pairs, with spaces between them.
func bytes(text string) (any, error) {
	b, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	if err != nil {
		return nil, err
	}
	return rest.Legible(string(b))
}
