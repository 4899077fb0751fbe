package wire

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"time"
	"unicode/utf8"

	"service/store/dashboard/cube"
)

// MaxColumns is the largest number of columns of a result.
const MaxColumns = 1000

// DecodeColumns reads the payload of a [Columns] frame of a query worker, and cleans the names.
func DecodeColumns(payload []byte) ([]cube.Column, error) {
	cols, err := ParseColumns(payload, MaxColumns)
	for i, c := range cols {
		cols[i].Name = Clean(c.Name, maxName)
	}
	return cols, err
}

// ParseColumns reads the payload of a [Columns] frame, of at most this many columns.
func ParseColumns(payload []byte, most int) ([]cube.Column, error) {
	var cols []cube.Column
	if err := json.Unmarshal(payload, &cols); err != nil || len(cols) == 0 || len(cols) > most {
		return nil, ErrGarbage
	}
	for _, c := range cols {
		switch c.Type {
		case cube.Text, cube.Boolean, cube.Integer, cube.Number, cube.Date, cube.Timestamp, cube.Instant:
		default:
			return nil, ErrGarbage
		}
	}
	return cols, nil
}

// AppendRow appends the form of a row on the wire: for each column one byte, 0 for nil, 1 for a value, 2 for a [cube.Decimal] and 3 for
// [cube.Lost], then the value: text and a Decimal as length (uvarint) and bytes, a boolean as one byte, an integer as a varint, a number as
// its 8 bytes, a date as days and a timestamp as microseconds since 1970 (varint). A value that does not have its column's type is a
// programming error.
func AppendRow(dst []byte, cols []cube.Column, row []any) []byte {
	for i, c := range cols {
		if row[i] == nil {
			dst = append(dst, 0)
			continue
		}
		if row[i] == cube.Lost {
			dst = append(dst, 3)
			continue
		}
		if d, ok := row[i].(cube.Decimal); ok {
			dst = appendText(append(dst, 2), string(d))
			continue
		}
		dst = append(dst, 1)
		switch c.Type {
		case cube.Boolean:
			if row[i].(bool) {
				dst = append(dst, 1)
			} else {
				dst = append(dst, 0)
			}
		case cube.Integer:
			dst = binary.AppendVarint(dst, row[i].(int64))
		case cube.Number:
			dst = binary.BigEndian.AppendUint64(dst, math.Float64bits(row[i].(float64)))
		case cube.Date:
			dst = binary.AppendVarint(dst, floorDiv(row[i].(time.Time).Unix(), secondsPerDay))
		case cube.Timestamp, cube.Instant:
			dst = binary.AppendVarint(dst, row[i].(time.Time).UnixMicro())
		default:
			dst = appendText(dst, row[i].(string))
		}
	}
	return dst
}

func appendText(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

const secondsPerDay = 24 * 60 * 60

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// Times on the wire are in the years 1 to 9999, which JSON can write.
var (
	minTime = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)
	maxTime = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)
)

// InRange reports whether t can be sent.
func InRange(t time.Time) bool { return !t.Before(minTime) && t.Before(maxTime) }

// DecodeRow reads one row from the head of payload and returns the rest.
func DecodeRow(payload []byte, cols []cube.Column) (row []any, rest []byte, err error) {
	d := decoder{payload}
	row = make([]any, len(cols))
	for i, c := range cols {
		set, ok := d.byte()
		if !ok || set > 3 {
			return nil, nil, ErrGarbage
		}
		var v any
		switch set {
		case 0:
			continue
		case 1:
			v, ok = d.value(c.Type)
		case 2:
			v, ok = d.decimal(c.Type)
		case 3:
			v = cube.Lost
		}
		if !ok {
			return nil, nil, ErrGarbage
		}
		row[i] = v
	}
	return row, d.rest, nil
}

type decoder struct{ rest []byte }

func (d *decoder) byte() (byte, bool) {
	if len(d.rest) == 0 {
		return 0, false
	}
	b := d.rest[0]
	d.rest = d.rest[1:]
	return b, true
}

func (d *decoder) varint() (int64, bool) {
	v, n := binary.Varint(d.rest)
	if n <= 0 {
		return 0, false
	}
	d.rest = d.rest[n:]
	return v, true
}

func (d *decoder) value(t cube.Type) (any, bool) {
	switch t {
	case cube.Boolean:
		b, ok := d.byte()
		return b == 1, ok && b <= 1
	case cube.Integer:
		return valueOf(d.varint())
	case cube.Number:
		if len(d.rest) < 8 {
			return nil, false
		}
		f := math.Float64frombits(binary.BigEndian.Uint64(d.rest))
		d.rest = d.rest[8:]
		return f, !math.IsNaN(f) && !math.IsInf(f, 0)
	case cube.Date:
		days, ok := d.varint()
		if !ok || days < -1_000_000 || days > 10_000_000 {
			return nil, false
		}
		t := time.Unix(days*secondsPerDay, 0).UTC()
		return t, InRange(t)
	case cube.Timestamp, cube.Instant:
		us, ok := d.varint()
		t := time.UnixMicro(us).UTC()
		return t, ok && InRange(t)
	default:
		text, ok := d.text()
		return text, ok && utf8.ValidString(text)
	}
}

func (d *decoder) text() (string, bool) {
	size, n := binary.Uvarint(d.rest)
	if n <= 0 || size > uint64(len(d.rest)-n) {
		return "", false
	}
	text := string(d.rest[n : n+int(size)])
	d.rest = d.rest[n+int(size):]
	return text, true
}

// decimal reads a [cube.Decimal]. It returns false unless the text is in canonical form and the column's type cannot hold it exactly.
func (d *decoder) decimal(t cube.Type) (any, bool) {
	text, ok := d.text()
	if !ok || t != cube.Integer && t != cube.Number {
		return nil, false
	}
	v, err := cube.Parse(t, text)
	return v, err == nil && v == cube.Decimal(text)
}

func valueOf[T any](v T, ok bool) (any, bool) { return v, ok }
