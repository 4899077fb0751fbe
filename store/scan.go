package store

import (
	"encoding/binary"
	"math"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgtype/zeronull"
)

// scanRow reads the current row of rows, as its Scan does. For each result, pgx determines how to read each column, which takes longer than
// reading fifty columns of one row. Most types are read here, and all others by pgx (BenchmarkScan).
func scanRow(rows pgx.Rows, dest []any) error {
	fields, values := rows.FieldDescriptions(), rows.RawValues()
	if len(dest) != len(fields) || len(dest) == 1 { // a mistake that pgx reports, or a scan of a whole row
		return rows.Scan(dest...)
	}
	for i, f := range fields {
		if dest[i] == nil || f.Format == formOf(f.DataTypeOID) && scanValue(f.DataTypeOID, values[i], dest[i]) {
			continue
		}
		if rows.Conn().TypeMap().Scan(f.DataTypeOID, f.Format, values[i], dest[i]) != nil {
			return rows.Scan(dest...) // it fails too, and rows.Err returns the error
		}
	}
	return nil
}

// formOf returns the wire format in which scanValue reads a type; pgx requests the same.
func formOf(oid uint32) int16 {
	switch oid {
	case pgtype.TextOID, pgtype.JSONBOID:
		return pgtype.TextFormatCode
	}
	return pgtype.BinaryFormatCode
}

// scanValue reads a value in the form of its type, nil for NULL. It returns false for an unknown type, and for a NULL that dest cannot
// hold.
func scanValue(oid uint32, value []byte, dest any) bool {
	null := value == nil
	switch oid {
	case pgtype.TextOID:
		if to, ok := dest.(*zeronull.Text); ok {
			*to = zeronull.Text(value)
			return true
		}
		return assign(dest, string(value), null)
	case pgtype.ByteaOID, pgtype.JSONBOID:
		if to, ok := dest.(*Files); ok && null {
			*to = nil
			return true
		}
		to, ok := dest.(*[]byte)
		if ok && null {
			*to = nil
		} else if ok {
			*to = append([]byte{}, value...)
		}
		return ok
	case pgtype.UUIDOID:
		var id uuid.UUID
		if !null && copy(id[:], value) != len(id) {
			return false
		}
		if to, ok := dest.(*zeronull.UUID); ok {
			*to = zeronull.UUID(id)
			return true
		}
		return assign(dest, id, null)
	case pgtype.TimestamptzOID:
		var at time.Time
		if !null {
			us, ok := integer(value)
			if !ok || us == math.MaxInt64 || us == math.MinInt64 { // infinite
				return false
			}
			at = time.Unix(since2000+us/1e6, us%1e6*1000).UTC()
		}
		if to, ok := dest.(*zeronull.Timestamptz); ok {
			*to = zeronull.Timestamptz(at)
			return true
		}
		return assign(dest, at, null)
	case pgtype.Int4OID, pgtype.Int8OID:
		n, ok := integer(value)
		if !ok && !null {
			return false
		}
		if to, ok := dest.(*orZero); ok {
			*to = orZero(n)
			return true
		}
		return assign(dest, int(n), null)
	case pgtype.BoolOID:
		set := len(value) == 1 && value[0] == 1
		if to, ok := dest.(*orFalse); ok {
			*to = orFalse(set)
			return true
		}
		return assign(dest, set, null)
	}
	switch to := dest.(type) {
	case *[]string:
		return scanArray(pgtype.TextArrayOID, oid, value, to)
	case *[][]byte:
		return scanArray(pgtype.ByteaArrayOID, oid, value, to)
	case *[]int:
		return scanArray(pgtype.Int4ArrayOID, oid, value, to)
	case *[]bool:
		return scanArray(pgtype.BoolArrayOID, oid, value, to)
	case *[]time.Time:
		return scanArray(pgtype.TimestamptzArrayOID, oid, value, to)
	}
	return false
}

// scanArray reads an array of type want that has one dimension and no NULL.
func scanArray[T any](want, oid uint32, value []byte, to *[]T) bool {
	if oid != want {
		return false
	}
	if value == nil {
		*to = nil
		return true
	}
	next := func() int32 {
		if len(value) < 4 {
			return -1
		}
		n := int32(binary.BigEndian.Uint32(value))
		value = value[4:]
		return n
	}
	dimensions, _, element := next(), next(), next() // between them: whether there are NULLs
	if dimensions == 0 {
		*to = []T{}
		return true
	}
	n, _ := int(next()), next() // then: the first index
	if dimensions != 1 || n < 0 || n > len(value)/4 {
		return false
	}
	all := make([]T, n)
	for i := range all {
		size := int(next())
		if size < 0 || size > len(value) || !scanValue(uint32(element), value[:size:size], &all[i]) {
			return false
		}
		value = value[size:]
	}
	*to = all
	return true
}

// assign sets dest to v, or to nil for NULL. It returns false if dest is neither of the type of v nor a pointer to
// it, or cannot be NULL.
func assign[T any](dest any, v T, null bool) bool {
	switch to := dest.(type) {
	case *T:
		if !null {
			*to = v
		}
		return !null
	case **T:
		*to = nil
		if !null {
			*to = new(T)
			**to = v
		}
		return true
	}
	return false
}

// since2000 is where PostgreSQL counts time from, in seconds after 1970.
const since2000 = 946_684_800

// integer reads a number of four or eight bytes.
func integer(value []byte) (n int64, ok bool) {
	switch len(value) {
	case 4:
		return int64(int32(binary.BigEndian.Uint32(value))), true
	case 8:
		return int64(binary.BigEndian.Uint64(value)), true
	}
	return 0, false
}
