package worker

import (
	"database/sql/driver"
	"math"
	"strconv"
	"strings"
	"time"

	"service/store/dashboard/cube"
	"service/store/warehouse/duckdb/wire"
)

// A kind is a type of the engine as our columns see it.
type kind struct {
	cube cube.Type
	// wide integers come as text and may not fit 64 bits: then the whole
	// column is numbers.
	wide bool
	// fetch is the SQL that reads a value (written %) in a form that the
	// driver can give us.
	fetch string
}

// typeOf understands the name of a type as DESCRIBE writes it.
func typeOf(name string) kind {
	switch {
	case strings.HasSuffix(name, "]"), strings.HasPrefix(name, "STRUCT("),
		strings.HasPrefix(name, "MAP("), strings.HasPrefix(name, "UNION("):
		return kind{cube: cube.Text, fetch: "CAST(to_json(%) AS VARCHAR)"}
	case strings.HasPrefix(name, "DECIMAL("):
		if strings.HasSuffix(name, ",0)") {
			return kind{cube: cube.Integer, wide: true, fetch: "CAST(% AS VARCHAR)"}
		}
		return kind{cube: cube.Number, fetch: "CAST(% AS DOUBLE)"}
	case strings.HasPrefix(name, "TIMESTAMP"):
		return kind{cube: cube.Timestamp, fetch: "CASE WHEN isfinite(CAST(% AS TIMESTAMP)) THEN CAST(% AS TIMESTAMP) END"}
	}
	switch name {
	case "BOOLEAN":
		return kind{cube: cube.Boolean, fetch: "%"}
	case "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER":
		return kind{cube: cube.Integer, fetch: "CAST(% AS BIGINT)"}
	case "UBIGINT", "HUGEINT", "UHUGEINT":
		return kind{cube: cube.Integer, wide: true, fetch: "CAST(% AS VARCHAR)"}
	case "DOUBLE":
		return kind{cube: cube.Number, fetch: "%"}
	case "FLOAT", "BIGNUM":
		// By way of text, so that 0.1 stays 0.1.
		return kind{cube: cube.Number, fetch: "CAST(CAST(% AS VARCHAR) AS DOUBLE)"}
	case "DATE":
		return kind{cube: cube.Date, fetch: "CASE WHEN isfinite(%) THEN % END"}
	}
	// VARCHAR, JSON, ENUM, TIME, INTERVAL, UUID, BLOB, BIT, VARIANT, and what
	// the next version brings.
	return kind{cube: cube.Text, fetch: "CAST(% AS VARCHAR)"}
}

// sqlType is the engine's type for values of t.
func sqlType(t cube.Type) string {
	switch t {
	case cube.Boolean:
		return "BOOLEAN"
	case cube.Integer:
		return "BIGINT"
	case cube.Number:
		return "DOUBLE"
	case cube.Date:
		return "DATE"
	case cube.Timestamp:
		return "TIMESTAMP"
	default:
		return "VARCHAR"
	}
}

// value turns what the driver gives into a value of a column of type t, nil
// when there is none that can be shown (NaN, infinity, a year over 9999). A wide
// integer stays text.
func value(v driver.Value) any {
	switch v := v.(type) {
	case nil:
		return nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
		return v
	case time.Time:
		if v = v.UTC(); !wire.InRange(v) {
			return nil
		}
		return v
	case bool, int64, string:
		return v
	}
	return nil
}

// narrow turns a column of wide integers, which are texts, into integers when
// all fit and into numbers otherwise, and returns the column's type.
func narrow(rows [][]any, column int) cube.Type {
	out := cube.Integer
	for _, row := range rows {
		if s, ok := row[column].(string); ok {
			if _, err := strconv.ParseInt(s, 10, 64); err != nil {
				out = cube.Number
				break
			}
		}
	}
	for _, row := range rows {
		s, ok := row[column].(string)
		if !ok {
			continue
		}
		if out == cube.Integer {
			row[column], _ = strconv.ParseInt(s, 10, 64)
		} else {
			row[column], _ = strconv.ParseFloat(s, 64)
		}
	}
	return out
}
