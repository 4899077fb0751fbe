package mysql

import (
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"service/store/dashboard/cube"
	"service/store/warehouse"
)

// A cell scans the values of one column of a result, one at a time.
type cell struct {
	name  string
	kind  cube.Type
	bits  bool
	bytes bool           // bytes that may not be text
	zone  *time.Location // of an instant

	value any
	size  int
}

// cellsOf maps the columns of a result.
func cellsOf(rows *sql.Rows, zone *time.Location) ([]cell, error) {
	if zone == nil {
		zone = time.UTC
	}
	types, err := rows.ColumnTypes()
	if err != nil {
		return nil, err
	}
	cells := make([]cell, len(types))
	seen := map[string]bool{}
	for i, t := range types {
		if seen[t.Name()] {
			return nil, warehouse.SameColumn(t.Name())
		}
		seen[t.Name()] = true
		name := t.DatabaseTypeName()
		cells[i] = cell{name: t.Name(), kind: typeNamed(name), bits: name == "BIT", zone: zone}
		switch name {
		case "DECIMAL": // also the type of sums of integers
			if _, scale, ok := t.DecimalSize(); ok && scale == 0 {
				cells[i].kind = cube.Integer
			}
		case "BLOB", "TINYBLOB", "MEDIUMBLOB", "LONGBLOB", "BINARY", "VARBINARY", "GEOMETRY", "VECTOR":
			cells[i].bytes = true
		}
	}
	return cells, nil
}

func columns(cells []cell) []cube.Column {
	cols := make([]cube.Column, len(cells))
	for i, c := range cells {
		cols[i] = cube.Column{Name: c.name, Type: c.kind}
	}
	return cols
}

// typeNamed maps the name of a type in the driver or information_schema.
func typeNamed(name string) cube.Type {
	switch strings.TrimPrefix(strings.ToUpper(name), "UNSIGNED ") {
	case "TINYINT", "SMALLINT", "MEDIUMINT", "INT", "BIGINT", "YEAR", "BIT":
		return cube.Integer
	case "DECIMAL", "FLOAT", "DOUBLE":
		return cube.Number
	case "DATE":
		return cube.Date
	case "DATETIME":
		return cube.Timestamp
	case "TIMESTAMP":
		return cube.Instant
	}
	return cube.Text
}

// Scan converts a value of the driver. It copies bytes, because the driver reuses them.
func (c *cell) Scan(src any) error {
	c.value, c.size = nil, 8
	switch v := src.(type) {
	case nil:
		c.size = 0
	case int64:
		c.value = v
	case float64:
		c.value = v
	case float32: // 0.1 stays 0.1
		f, err := strconv.ParseFloat(strconv.FormatFloat(float64(v), 'g', -1, 32), 64)
		if err != nil {
			return err
		}
		c.value = f
	case []byte:
		c.size = len(v)
		return c.read(v)
	default:
		return fmt.Errorf("mysql: column of type %s has a %T", c.kind, src)
	}
	return nil
}

func (c *cell) read(v []byte) error {
	switch c.kind {
	case cube.Integer, cube.Number:
		if c.bits {
			if strings.Trim(string(v), "0123456789") == "" {
				// With the same type, MariaDB sends bits for a column, but digits for an expression.
				return warehouse.Errorf(warehouse.Type, `Column "%s" holds bits, which the warehouse writes in two ways. Add 0 to it to have a `+
					`number.`, c.name)
			}
			var n uint64
			for _, b := range v {
				n = n<<8 | uint64(b)
			}
			v = strconv.AppendUint(nil, n, 10)
		}
		n, err := cube.Parse(c.kind, string(v))
		if err != nil {
			return fmt.Errorf("mysql: a number of type %s cannot be read", c.kind)
		}
		c.value = n
	case cube.Date:
		c.date(time.DateOnly, string(v), time.UTC)
	case cube.Timestamp:
		c.date(dateTime, string(v), time.UTC)
	case cube.Instant:
		c.date(dateTime, string(v), c.zone)
	default:
		c.value = text(v, c.bytes)
	}
	return nil
}

const dateTime = "2006-01-02 15:04:05.999999"

// date converts a date. One that is not in the calendar, such as 0000-00-00, is lost.
func (c *cell) date(layout, text string, zone *time.Location) {
	c.value = cube.Lost
	if t, err := time.ParseInLocation(layout, text, zone); err == nil {
		c.value = t.UTC()
	}
}

// text returns v as a string, or \x… for bytes that are not text.
func text(v []byte, bytes bool) string {
	control := func(r rune) bool { return r < ' ' && r != '\t' && r != '\n' && r != '\r' }
	if bytes && (!utf8.Valid(v) || strings.ContainsFunc(string(v), control)) {
		return fmt.Sprintf(`\x%x`, v)
	}
	return strings.ToValidUTF8(string(v), "\uFFFD")
}
