package trino

import (
	"strings"
	"time"

	"service/store/dashboard/cube"
	"service/store/rawjson"
	"service/store/warehouse"
	"service/store/warehouse/rest"
)

// columnsOf returns the columns of a QueryResults.
func columnsOf(list []byte) ([]rest.Column, error) {
	cols := []rest.Column{}
	for one := range rawjson.Elements(list) {
		if len(cols) > warehouse.MaxColumns {
			return nil, rest.ErrForm
		}
		kind := rest.PickText(one, "type")
		if kind == "" {
			return nil, rest.ErrForm
		}
		cols = append(cols, ColumnOf(rest.PickText(one, "name"), kind))
	}
	return cols, nil
}

// ColumnOf returns a column of a type as Trino writes it, such as decimal(10,2) or timestamp(3) with time zone.
func ColumnOf(name, kind string) rest.Column {
	base, parameters, _ := strings.Cut(kind, "(")
	as := func(kind cube.Type, read func(text string) (any, error)) rest.Column {
		return rest.Column{Column: cube.Column{Name: name, Type: kind}, Read: rest.Scalar(kind, read)}
	}
	switch {
	case strings.HasPrefix(kind, "timestamp") && strings.HasSuffix(kind, "with time zone"):
		return as(cube.Instant, instant())
	case base == "timestamp":
		return as(cube.Timestamp, rest.Times(time.DateTime))
	case base == "date":
		return as(cube.Date, rest.Times(time.DateOnly))
	case base == "boolean":
		return as(cube.Boolean, rest.Boolean)
	case base == "tinyint", base == "smallint", base == "integer", base == "bigint",
		base == "decimal" && (strings.HasSuffix(parameters, ",0)") || strings.HasSuffix(parameters, ", 0)")):
		return as(cube.Integer, rest.Numeric(cube.Integer))
	case base == "decimal", base == "double", base == "real":
		return as(cube.Number, rest.Numeric(cube.Number))
	case base == "varbinary":
		return as(cube.Text, rest.Base64)
	}
	return rest.Column{Column: cube.Column{Name: name, Type: cube.Text}, Read: rest.Written}
}

// instant returns a function that reads a wall-clock time and its zone: an offset, or a name.
func instant() func(text string) (any, error) {
	var name string // the last zone, and
	var zone *time.Location
	return func(text string) (any, error) {
		at := strings.LastIndexByte(text, ' ')
		if at < 0 || at == len(text)-1 {
			return nil, rest.ErrForm
		}
		clock, in := text[:at], text[at+1:]
		switch {
		case in == "UTC":
			return time.Parse(time.DateTime, clock)
		case in[:1] == "+" || in[:1] == "-":
			return time.Parse("2006-01-02 15:04:05-07:00", clock+in)
		case in != name:
			z, err := time.LoadLocation(in)
			if err != nil {
				return nil, err
			}
			name, zone = in, z
		}
		t, err := time.ParseInLocation(time.DateTime, clock, zone)
		if err == nil && repeated(t) {
			return nil, warehouse.Errorf(warehouse.Refused, "A moment of the query is in the hour that is repeated when the clocks of %s are set "+
				"back, and Trino does not write in which one. Select it AT TIME ZONE 'UTC', or sort the rows in the dashboard.", zone)
		}
		return t.UTC(), err
	}
}

// repeated reports whether the wall clock shows the time of t twice.
func repeated(t time.Time) bool {
	_, before := t.Add(-24 * time.Hour).Zone()
	_, after := t.Add(24 * time.Hour).Zone()
	if before <= after {
		return false
	}
	_, now := t.Zone()
	wall := t.Add(time.Duration(now) * time.Second)
	at := func(offset int) bool {
		_, o := wall.Add(-time.Duration(offset) * time.Second).Zone()
		return o == offset
	}
	return at(before) && at(after)
}
