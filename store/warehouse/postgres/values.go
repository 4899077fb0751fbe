package postgres

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"service/store/dashboard/cube"
	"service/store/warehouse"
)

// columns maps the columns of a result, and refuses several of one name.
func columns(fields []pgconn.FieldDescription) ([]cube.Column, error) {
	cols, twice := numbered(fields)
	if twice != "" {
		return nil, warehouse.SameColumn(twice)
	}
	return cols, nil
}

// numbered maps the columns of a result. Of several with one name, the second has the number 2, and so on; twice is such a name, or "".
func numbered(fields []pgconn.FieldDescription) (cols []cube.Column, twice string) {
	cols = make([]cube.Column, len(fields))
	seen := map[string]bool{}
	for _, f := range fields {
		seen[f.Name] = true
	}
	first := map[string]bool{}
	for i, f := range fields {
		name := f.Name
		if first[name] {
			twice = f.Name
			for n := 2; seen[name]; n++ {
				name = f.Name + "_" + strconv.Itoa(n)
			}
			seen[name] = true
		}
		first[f.Name] = true
		cols[i] = cube.Column{Name: name, Type: typeOf(f)}
	}
	return cols, twice
}

func typeOf(f pgconn.FieldDescription) cube.Type {
	switch f.DataTypeOID {
	case pgtype.BoolOID:
		return cube.Boolean
	case pgtype.Int2OID, pgtype.Int4OID, pgtype.Int8OID:
		return cube.Integer
	case pgtype.NumericOID:
		if mod := f.TypeModifier - 4; mod >= 0 && mod&0x7ff == 0 { // numeric(p, 0)
			return cube.Integer
		}
		return cube.Number
	case pgtype.Float4OID, pgtype.Float8OID:
		return cube.Number
	case pgtype.DateOID:
		return cube.Date
	case pgtype.TimestampOID:
		return cube.Timestamp
	case pgtype.TimestamptzOID:
		return cube.Instant
	}
	return cube.Text
}

// typeNamed maps the catalog's name of a type.
func typeNamed(name string) cube.Type {
	switch name {
	case "boolean":
		return cube.Boolean
	case "smallint", "integer", "bigint":
		return cube.Integer
	case "numeric", "real", "double precision":
		return cube.Number
	case "date":
		return cube.Date
	case "timestamp without time zone":
		return cube.Timestamp
	case "timestamp with time zone":
		return cube.Instant
	}
	return cube.Text
}

// value converts one value. NaN, infinity and dates that are not in the calendar cannot be shown, so
// they are [cube.Lost].
func value(m *pgtype.Map, f pgconn.FieldDescription, raw []byte) (any, error) {
	if raw == nil {
		return nil, nil
	}
	kind := typeOf(f)
	if f.DataTypeOID == pgtype.NumericOID {
		return numeric(m, f, raw, kind)
	}
	switch kind {
	case cube.Boolean:
		var v bool
		return v, scan(m, f, raw, &v)
	case cube.Integer:
		var v int64
		err := scan(m, f, raw, &v)
		return v, err
	case cube.Number:
		var v float64
		if err := scan(m, f, raw, &v); err != nil {
			return nil, err
		}
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return cube.Lost, nil
		}
		return v, nil
	case cube.Date, cube.Timestamp, cube.Instant:
		var v pgtype.Timestamptz
		if f.DataTypeOID == pgtype.TimestamptzOID {
			if err := scan(m, f, raw, &v); err != nil {
				return nil, err
			}
		} else if f.DataTypeOID == pgtype.DateOID {
			var d pgtype.Date
			if err := scan(m, f, raw, &d); err != nil {
				return nil, err
			}
			v = pgtype.Timestamptz(d)
		} else {
			var ts pgtype.Timestamp
			if err := scan(m, f, raw, &ts); err != nil {
				return nil, err
			}
			v = pgtype.Timestamptz(ts)
		}
		if v.InfinityModifier != pgtype.Finite {
			return cube.Lost, nil
		}
		return v.Time.UTC(), nil
	}
	if f.Format == pgtype.TextFormatCode {
		return strings.ToValidUTF8(string(raw), "\uFFFD"), nil
	}
	var v string
	if err := m.Scan(f.DataTypeOID, f.Format, raw, &v); err != nil {
		return fmt.Sprintf(`\x%x`, raw), nil // an extension's type in its binary form
	}
	return v, nil
}

// numeric maps a numeric, with all its digits.
func numeric(m *pgtype.Map, f pgconn.FieldDescription, raw []byte, kind cube.Type) (any, error) {
	if f.Format == pgtype.TextFormatCode {
		return cube.Parse(kind, string(raw))
	}
	var v pgtype.Numeric
	if err := scan(m, f, raw, &v); err != nil {
		return nil, err
	}
	text, err := v.MarshalJSON() // "NaN" and infinities are quoted
	if err != nil {
		return nil, err
	}
	return cube.Parse(kind, strings.Trim(string(text), `"`))
}

func scan(m *pgtype.Map, f pgconn.FieldDescription, raw []byte, to any) error {
	return m.Scan(f.DataTypeOID, f.Format, raw, to)
}
