package clickhouse

import (
	"encoding"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"service/store/dashboard/cube"
	"service/store/warehouse"
)

// null represents NULL among the values of parameters. A caller's text cannot equal it, because texts have no NUL (see encode).
const null = "\x00"

// encode returns the type and the text of an argument.
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

// A cell converts the values of one column of a result.
type cell struct {
	name  string
	kind  cube.Type
	fixed bool // a FixedString, padded with zero bytes
	clock bool // contains times of day
}

func cellOf(name, dataType string) cell {
	c := cell{name: name, kind: cube.Text, clock: strings.Contains(dataType, "DateTime")}
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
	base, parameters, _ := strings.Cut(dataType, "(")
	switch base {
	case "Bool":
		c.kind = cube.Boolean
	case "Int8", "Int16", "Int32", "Int64", "Int128", "Int256", "UInt8", "UInt16", "UInt32", "UInt64", "UInt128", "UInt256":
		c.kind = cube.Integer
	case "Float32", "Float64", "BFloat16", "Decimal32", "Decimal64", "Decimal128", "Decimal256":
		c.kind = cube.Number
	case "Decimal":
		if c.kind = cube.Number; strings.HasSuffix(parameters, ", 0)") {
			c.kind = cube.Integer
		}
	case "Date", "Date32":
		c.kind = cube.Date
	case "DateTime", "DateTime32", "DateTime64":
		c.kind = cube.Instant
	case "FixedString":
		c.fixed = true
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

// value converts one value, and returns its size in bytes.
func (c *cell) value(v any) (any, int, error) {
	v, r := plain(v)
	if v == nil {
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
	case cube.Instant:
		if t, ok := v.(time.Time); ok {
			return t.UTC().Truncate(time.Microsecond), 8, nil
		}
	default:
		s := c.text(v, r)
		return s, len(s), nil
	}
	return nil, 0, fmt.Errorf("clickhouse: column of type %s has a %T", c.kind, v)
}

// plain follows pointers, and unwraps Variant and Dynamic. It returns nil for NULL.
func plain(v any) (any, reflect.Value) {
	for {
		if _, ok := v.(*big.Int); ok {
			return v, reflect.ValueOf(v)
		}
		if of, ok := v.(interface{ Any() any }); ok { // Variant and Dynamic
			if r := reflect.ValueOf(v); r.Kind() == reflect.Pointer && r.IsNil() {
				return nil, r
			}
			v = of.Any()
			continue
		}
		r := reflect.ValueOf(v)
		switch {
		case !r.IsValid(), r.Kind() == reflect.Pointer && r.IsNil():
			return nil, reflect.Value{}
		case r.Kind() != reflect.Pointer:
			return v, r
		}
		v = r.Elem().Interface()
	}
}

func (c *cell) number(v any, r reflect.Value) (any, int, error) {
	switch {
	case r.CanInt() && c.kind == cube.Integer:
		return r.Int(), 8, nil
	case r.CanUint() && r.Uint() <= math.MaxInt64 && c.kind == cube.Integer:
		return int64(r.Uint()), 8, nil
	}
	var written string
	switch v := v.(type) {
	case float32: // 0.1 stays 0.1
		written = strconv.FormatFloat(float64(v), 'g', -1, 32)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return cube.Lost, 8, nil
		}
		return v, 8, nil
	case uint64:
		written = strconv.FormatUint(v, 10)
	case big.Int:
		written = v.String()
	case fmt.Stringer: // big.Int and decimals
		written = v.String()
	default:
		return nil, 0, fmt.Errorf("clickhouse: column of type %s has a %T", c.kind, v)
	}
	n, err := cube.Parse(c.kind, written)
	return n, len(written), err
}

// text returns a string, \x… for bytes that are not text, or JSON for compound values.
func (c *cell) text(v any, r reflect.Value) string {
	switch v := v.(type) {
	case time.Time:
		return c.moment(v)
	case time.Duration:
		return clock(v)
	case fmt.Stringer:
		if !compound(v, r) {
			return v.String()
		}
	}
	if r.Kind() == reflect.String {
		s := r.String()
		if words := strings.TrimRight(s, "\x00"); c.fixed && legible(words) {
			return words
		}
		return readable(s)
	}
	return string(c.appendJSON(nil, v))
}

// compound reports whether v is an array, map or tuple.
func compound(v any, r reflect.Value) bool {
	if _, ok := v.(encoding.TextMarshaler); ok { // addresses and UUIDs
		return false
	}
	return r.Kind() == reflect.Slice || r.Kind() == reflect.Array || r.Kind() == reflect.Map || r.Kind() == reflect.Struct
}

func legible(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

func readable(s string) string {
	if !legible(s) {
		return fmt.Sprintf(`\x%x`, s)
	}
	return s
}

func (c *cell) moment(t time.Time) string {
	if c.clock {
		return t.UTC().Format(time.RFC3339Nano)
	}
	return t.Format(time.DateOnly)
}

// clock writes a time of day, or a longer span, as ClickHouse does.
func clock(d time.Duration) string {
	sign := ""
	if d < 0 {
		sign, d = "-", -d
	}
	s := fmt.Sprintf("%s%02d:%02d:%02d", sign, d/time.Hour, d/time.Minute%60, d/time.Second%60)
	if rest := d % time.Second; rest > 0 {
		s += strings.TrimRight(fmt.Sprintf(".%09d", rest), "0")
	}
	return s
}

// appendJSON appends arrays, maps, tuples and JSON without losing a digit or a byte.
func (c *cell) appendJSON(b []byte, v any) []byte {
	v, r := plain(v)
	if v == nil {
		return append(b, "null"...)
	}
	quoted := func(s string) []byte {
		j, _ := json.Marshal(s) // encoding a string cannot fail
		return append(b, j...)
	}
	switch v := v.(type) {
	case float32:
		return appendFloat(b, float64(v), 32)
	case float64:
		return appendFloat(b, v, 64)
	case *big.Int:
		return append(b, v.String()...)
	case big.Int:
		return append(b, v.String()...)
	case time.Time:
		return quoted(c.moment(v))
	case time.Duration:
		return quoted(clock(v))
	case interface{ InexactFloat64() float64 }: // decimals
		return append(b, v.(fmt.Stringer).String()...)
	case driver.JSON:
		return c.appendJSON(b, v.NestedMap())
	case encoding.TextMarshaler:
		s, err := v.MarshalText()
		if err != nil {
			return append(b, "null"...)
		}
		return quoted(string(s))
	}
	switch r.Kind() {
	case reflect.String:
		return quoted(readable(r.String()))
	case reflect.Bool:
		return strconv.AppendBool(b, r.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.AppendInt(b, r.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return strconv.AppendUint(b, r.Uint(), 10)
	case reflect.Slice, reflect.Array:
		b = append(b, '[')
		for i := range r.Len() {
			if i > 0 {
				b = append(b, ',')
			}
			b = c.appendJSON(b, r.Index(i).Interface())
		}
		return append(b, ']')
	case reflect.Map:
		type entry struct {
			key   string
			value reflect.Value
		}
		entries := make([]entry, 0, r.Len())
		for k, value := range r.Seq2() {
			key, kr := plain(k.Interface())
			entries = append(entries, entry{c.text(key, kr), value})
		}
		slices.SortFunc(entries, func(x, y entry) int { return strings.Compare(x.key, y.key) })
		b = append(b, '{')
		for i, e := range entries {
			if i > 0 {
				b = append(b, ',')
			}
			j, _ := json.Marshal(e.key)
			b = append(append(b, j...), ':')
			b = c.appendJSON(b, e.value.Interface())
		}
		return append(b, '}')
	}
	return quoted(fmt.Sprint(v))
}

func appendFloat(b []byte, f float64, bits int) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(b, "null"...)
	}
	return strconv.AppendFloat(b, f, 'g', -1, bits)
}
