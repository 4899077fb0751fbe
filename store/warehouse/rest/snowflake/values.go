package snowflake

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"service/store/dashboard/cube"
	"service/store/pattern"
	"service/store/rawjson"
	"service/store/warehouse"
	"service/store/warehouse/rest"
)

// A binding is a value of a placeholder.
type binding struct {
	Type  string  `json:"type"`
	Value *string `json:"value"` // null for NULL
}

// encode returns the binding of an argument. Dates are milliseconds, moments nanoseconds since 1970.
func encode(arg any) (binding, error) {
	bind := func(kind, text string) (binding, error) { return binding{kind, &text}, nil }
	switch a := arg.(type) {
	case nil:
		return binding{Type: "TEXT"}, nil
	case string:
		return bind("TEXT", a)
	case int64:
		return bind("FIXED", strconv.FormatInt(a, 10))
	case float64:
		return bind("REAL", strconv.FormatFloat(a, 'g', -1, 64))
	case bool:
		return bind("BOOLEAN", strconv.FormatBool(a))
	case time.Time:
		if a = a.UTC(); a.Equal(a.Truncate(24 * time.Hour)) {
			return bind("DATE", strconv.FormatInt(a.UnixMilli(), 10))
		}
		return bind("TIMESTAMP_LTZ", strconv.FormatInt(a.UnixNano(), 10))
	}
	return binding{}, fmt.Errorf("snowflake: an argument is a %T", arg)
}

// types are the types of columns, and the functions that read their texts: "Handling responses", "Getting the data from the results". All
// other types are text.
var types = map[string]struct {
	kind cube.Type
	read func(text string) (any, error)
}{
	"FIXED":         {cube.Number, rest.Numeric(cube.Number)},
	"NUMBER":        {cube.Number, rest.Numeric(cube.Number)},
	"REAL":          {cube.Number, rest.Numeric(cube.Number)},
	"FLOAT":         {cube.Number, rest.Numeric(cube.Number)},
	"DECFLOAT":      {cube.Number, rest.Numeric(cube.Number)},
	"BOOLEAN":       {cube.Boolean, rest.Boolean},
	"DATE":          {cube.Date, days},
	"TIME":          {cube.Text, clock},
	"TIMESTAMP_NTZ": {cube.Timestamp, seconds},
	"TIMESTAMP_LTZ": {cube.Instant, seconds},
	"TIMESTAMP_TZ":  {cube.Instant, seconds},
	"BINARY":        {cube.Text, bytes},
}

// columnOf returns a column of a type, whose name may be in upper or lower case.
func columnOf(name, kind string, scale int) rest.Column {
	col := rest.Column{Column: cube.Column{Name: known(name), Type: cube.Text}}
	kind = strings.ToUpper(kind)
	t, ok := types[kind]
	switch {
	case !ok:
		col.Read = rest.Reading(cube.Text, rest.Legible)
		return col
	case (kind == "FIXED" || kind == "NUMBER") && scale == 0:
		t.kind, t.read = cube.Integer, rest.Numeric(cube.Integer)
	}
	col.Type, col.Read = t.kind, rest.Reading(t.kind, t.read)
	return col
}

// bare matches a name that was written without quotes.
var bare = pattern.New(`^[A-Z_][A-Z0-9_]*$`)

// known returns a name in the form used here: in lower case if it needs no quotes.
func known(name string) string {
	if bare.MatchString(name) {
		return strings.ToLower(name)
	}
	return name
}

// columnsOf returns the columns of a resultSetMetaData.
func columnsOf(metadata []byte) ([]rest.Column, error) {
	var cols []rest.Column
	for one := range rawjson.Elements(rest.Pick(metadata, "rowType")) {
		if len(cols) > warehouse.MaxColumns {
			return nil, rest.ErrForm
		}
		scale, _ := strconv.Atoi(string(rest.Pick(one, "scale"))) // null if the type has no scale
		kind := rest.PickText(one, "type")
		if kind == "" {
			return nil, rest.ErrForm
		}
		cols = append(cols, columnOf(rest.PickText(one, "name"), kind, scale))
	}
	if cols == nil { // there is at least one
		return nil, rest.ErrForm
	}
	return cols, nil
}

// days reads days since 1970.
func days(text string) (any, error) {
	n, err := strconv.ParseInt(text, 10, 32)
	return cube.Day(n).Time(), err
}

// seconds reads seconds since 1970, with a fraction, and optionally an offset after a space, which does not change the instant.
func seconds(text string) (any, error) {
	text, _, _ = strings.Cut(text, " ")
	whole, fraction, _ := strings.Cut(text, ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || len(fraction) > 9 {
		return nil, rest.ErrForm
	}
	nanos, err := strconv.ParseUint((fraction + "000000000")[:9], 10, 32)
	if err != nil {
		return nil, rest.ErrForm
	}
	if strings.HasPrefix(whole, "-") {
		return time.Unix(n, -int64(nanos)).UTC(), nil
	}
	return time.Unix(n, int64(nanos)).UTC(), nil
}

// clock reads seconds since midnight as a time of day.
func clock(text string) (any, error) {
	t, err := seconds(text)
	if err != nil {
		return nil, err
	}
	return t.(time.Time).Format("15:04:05.999999999"), nil
}

// bytes reads hexadecimal digits.
func bytes(text string) (any, error) {
	b, err := hex.DecodeString(text)
	if err != nil {
		return nil, err
	}
	return rest.Legible(string(b))
}
