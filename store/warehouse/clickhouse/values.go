package clickhouse

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"service/store/dashboard/cube"
	"service/store/warehouse"
)

// null stands for NULL among the values of parameters. No text of a caller's is
// equal to it: theirs have no NUL (see encode).
const null = "\x00"

// encode is the type and the text of an argument.
func encode(a any) (kind, text string, err error) {
	switch a := a.(type) {
	case nil:
		return "Nullable(String)", null, nil
	case string:
		if strings.ContainsRune(a, 0) {
			return "", "", warehouse.Errorf(warehouse.Type, "A parameter has a NUL character, which cannot be sent.")
		}
		return "String", a, nil
	case int64:
		return "Int64", strconv.FormatInt(a, 10), nil
	case float64:
		return "Float64", strconv.FormatFloat(a, 'g', -1, 64), nil
	case bool:
		return "Bool", strconv.FormatBool(a), nil
	case time.Time:
		if a = a.UTC(); a.Equal(a.Truncate(24 * time.Hour)) {
			return "Date32", a.Format(time.DateOnly), nil
		}
		return "DateTime64(6, 'UTC')", a.Format("2006-01-02 15:04:05.000000"), nil
	}
	return "", "", fmt.Errorf("a %T", a)
}

// A cell is a column of a result.
type cell struct {
	name string
	kind cube.Type
	wide bool // an integer that may not fit an int64
}

func cellOf(name, dataType string) cell {
	for {
		inner, ok := strings.CutSuffix(dataType, ")")
		if !ok {
			break
		}
		if nested, ok := strings.CutPrefix(inner, "LowCardinality("); ok {
			dataType = nested
		} else if nested, ok := strings.CutPrefix(inner, "Nullable("); ok {
			dataType = nested
		} else if nested, ok := strings.CutPrefix(inner, "SimpleAggregateFunction("); ok {
			_, dataType, _ = strings.Cut(nested, ", ")
		} else {
			break
		}
	}
	base, _, _ := strings.Cut(dataType, "(")
	c := cell{name: name, kind: cube.Text}
	switch base {
	case "Bool":
		c.kind = cube.Boolean
	case "Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32":
		c.kind = cube.Integer
	case "UInt64":
		c.kind, c.wide = cube.Integer, true
	case "Int128", "Int256", "UInt128", "UInt256", "Float32", "Float64", "BFloat16", "Decimal", "Decimal32", "Decimal64", "Decimal128", "Decimal256":
		c.kind = cube.Number
	case "Date", "Date32":
		c.kind = cube.Date
	case "DateTime", "DateTime32", "DateTime64":
		c.kind = cube.Timestamp
	}
	return c
}

func columns(cells []cell) []cube.Column {
	cols := make([]cube.Column, len(cells))
	for i, c := range cells {
		cols[i] = cube.Column{Name: c.name, Type: c.kind}
	}
	return cols
}

// value maps one value, and tells its size.
func (c *cell) value(v any) (any, int, error) {
	r := reflect.ValueOf(v)
	for r.Kind() == reflect.Pointer {
		if _, ok := v.(*big.Int); ok || r.IsNil() {
			break
		}
		r = r.Elem()
		v = r.Interface()
	}
	if v == nil || r.Kind() == reflect.Pointer && r.IsNil() {
		return nil, 0, nil
	}
	switch c.kind {
	case cube.Boolean:
		if r.Kind() == reflect.Bool {
			return r.Bool(), 1, nil
		}
	case cube.Integer, cube.Number:
		return c.number(v, r)
	case cube.Date:
		if t, ok := v.(time.Time); ok {
			return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC), 8, nil
		}
	case cube.Timestamp:
		if t, ok := v.(time.Time); ok {
			return t.UTC().Truncate(time.Microsecond), 8, nil
		}
	default:
		s, err := text(v, r)
		return s, len(s), err
	}
	return nil, 0, fmt.Errorf("clickhouse: column of type %s has a %T", c.kind, v)
}

func (c *cell) number(v any, r reflect.Value) (any, int, error) {
	switch {
	case r.CanInt() && c.kind == cube.Integer:
		return r.Int(), 8, nil
	case r.CanUint() && r.Uint() <= math.MaxInt64 && c.kind == cube.Integer:
		return int64(r.Uint()), 8, nil
	case r.CanUint():
		c.kind = cube.Number // beyond int64: the column becomes one of numbers
		return float64(r.Uint()), 8, nil
	case r.CanInt():
		return float64(r.Int()), 8, nil
	}
	var f float64
	switch v := v.(type) {
	case float32: // 0.1 stays 0.1
		f, _ = strconv.ParseFloat(strconv.FormatFloat(float64(v), 'g', -1, 32), 64)
	case float64:
		f = v
	case *big.Int:
		f, _ = new(big.Float).SetInt(v).Float64()
	case big.Int:
		f, _ = new(big.Float).SetInt(&v).Float64()
	case interface{ InexactFloat64() float64 }: // decimals
		f = v.InexactFloat64()
	default:
		return nil, 0, fmt.Errorf("clickhouse: column of type %s has a %T", c.kind, v)
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, 8, nil
	}
	return f, 8, nil
}

// text is a string, \x… for bytes that are none, or JSON for what has parts.
func text(v any, r reflect.Value) (string, error) {
	if r.Kind() == reflect.String {
		s := r.String()
		if !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
			return fmt.Sprintf(`\x%x`, s), nil
		}
		return s, nil
	}
	if s, ok := v.(fmt.Stringer); ok {
		return s.String(), nil
	}
	b, err := json.Marshal(v)
	if err != nil {
		return "", warehouse.Errorf(warehouse.Type, "A column has a type that cannot be shown. Turn it into text with toString(…).")
	}
	return string(b), nil
}
