package tools

import (
	"fmt"
	"strings"
	"time"

	"service/store/dashboard/cube"
)

// takesValues reports whether a dialect can name the columns of VALUES, as in
// (VALUES …) AS t(day, n).
func takesValues(dialect string) bool { return dialect == "duckdb" || dialect == "postgres" }

// valuesSQL returns a SELECT that contains the rows of a cube and returns them:
//
//	SELECT t.day, t.n FROM (VALUES (DATE '2026-01-01', 1)) AS t(day, n)
//
// It returns "" if that is longer than most bytes, or if SQL cannot express a name or
// value.
func valuesSQL(dialect string, rows *cube.Cube, most int) string {
	columns := rows.Columns()
	var names, items []string
	for _, c := range columns {
		name := quoteName(dialect, c.Name)
		if name == "" {
			return ""
		}
		names = append(names, name)
		items = append(items, "t."+name)
	}
	if len(names) == 0 || rows.Rows() == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "SELECT %s FROM (VALUES ", strings.Join(items, ", "))
	for row := range rows.Rows() {
		for i, c := range columns {
			switch {
			case i > 0:
				b.WriteString(", ")
			case row > 0:
				b.WriteString(", (")
			default:
				b.WriteByte('(')
			}
			value := literal(rows.Value(row, i), c.Type)
			if value == "" {
				return ""
			}
			if row == 0 && empty(rows, i) {
				value = "CAST(NULL AS " + emptyTypes[c.Type] + ")"
			}
			b.WriteString(value)
		}
		if b.WriteByte(')'); b.Len() > most {
			return ""
		}
	}
	fmt.Fprintf(&b, ") AS t(%s)", strings.Join(names, ", "))
	return b.String()
}

// emptyTypes are the SQL types of columns without values.
var emptyTypes = map[cube.Type]string{
	cube.Integer: "bigint", cube.Number: "double precision", cube.Boolean: "boolean", cube.Date: "date",
	cube.Timestamp: "timestamp", cube.Instant: "timestamptz", cube.Text: "varchar",
}

// empty reports whether a column has no values.
func empty(rows *cube.Cube, column int) bool {
	for row := range rows.Rows() {
		if rows.Value(row, column) != nil {
			return false
		}
	}
	return true
}

// literal returns a value as an SQL literal, with all digits. It returns "" for a value that
// SQL cannot express.
func literal(v any, typ cube.Type) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case bool:
		return strings.ToUpper(fmt.Sprint(v))
	case time.Time:
		if typ == cube.Date {
			return "DATE '" + v.Format(time.DateOnly) + "'"
		}
		if typ == cube.Instant {
			return "TIMESTAMPTZ '" + v.UTC().Format("2006-01-02 15:04:05.999999") + "+00'"
		}
		return "TIMESTAMP '" + v.UTC().Format("2006-01-02 15:04:05.999999") + "'"
	case string:
		if strings.Contains(v, "{{") || strings.ContainsRune(v, 0) {
			return ""
		}
		return "'" + strings.ReplaceAll(v, "'", "''") + "'"
	}
	return fmt.Sprint(v) // numbers
}
