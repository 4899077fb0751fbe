package worker

import (
	"database/sql/driver"
	"fmt"
	"math"
	"strings"
	"time"

	"service/store/dashboard/cube"
	"service/store/warehouse/duckdb/wire"
)

// A kind is a type of the engine, and the conversion of its values to those of a column.
type kind struct {
	cube cube.Type
	// digits reports that values are fetched as text, because neither int64 nor float64 holds all of them exactly.
	digits bool
	// fetch is the SQL that reads a value (written %) in a form that the driver
	// supports.
	fetch string
	// stored is the type of values in our Parquet files, if that of sqlType would round them.
	stored string
	// lost is the SQL condition for a value (written %) that a dashboard cannot show, cut the one for a value with more digits than are kept.
	lost, cut string
	// note describes to the owner of a file how such a column changes.
	note string
}

// typeOf parses the name of a type in the output of DESCRIBE.
func typeOf(name string) kind {
	switch {
	case strings.HasSuffix(name, "]"), strings.HasPrefix(name, "STRUCT("),
		strings.HasPrefix(name, "MAP("), strings.HasPrefix(name, "UNION("):
		return kind{cube: cube.Text, fetch: "CAST(to_json(%) AS VARCHAR)", note: "arrays and objects are kept as JSON text"}
	case strings.HasPrefix(name, "DECIMAL("):
		k := kind{cube: cube.Number, digits: true, fetch: "CAST(% AS VARCHAR)", stored: name}
		var width, scale int
		if n, _ := fmt.Sscanf(name, "DECIMAL(%d,%d)", &width, &scale); n == 2 && scale == 0 {
			k.cube = cube.Integer
		} else if n == 2 && width <= 15 { // which a float64 holds
			k.digits, k.fetch = false, "CAST(% AS DOUBLE)"
		}
		return k
	case name == "TIMESTAMP WITH TIME ZONE": // as UTC's clock shows it
		return kind{
			cube: cube.Instant, fetch: "timezone('UTC', %)",
			lost: "% NOT BETWEEN TIMESTAMPTZ '0001-01-01 00:00:00+00' AND TIMESTAMPTZ '9999-12-31 23:59:59.999999+00'",
		}
	case strings.HasPrefix(name, "TIMESTAMP"):
		k := kind{
			cube: cube.Timestamp, fetch: finite("CAST(% AS TIMESTAMP)", "TIMESTAMP"),
			lost: "CAST(% AS TIMESTAMP) NOT BETWEEN TIMESTAMP '0001-01-01' AND TIMESTAMP '9999-12-31 23:59:59.999999'",
		}
		if name == "TIMESTAMP_NS" {
			k.cut = "CAST(CAST(% AS TIMESTAMP) AS TIMESTAMP_NS) <> %"
		}
		return k
	case strings.HasPrefix(name, "ENUM("):
		return kind{cube: cube.Text, fetch: "CAST(% AS VARCHAR)"}
	}
	switch name {
	case "BOOLEAN":
		return kind{cube: cube.Boolean, fetch: "%"}
	case "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER":
		return kind{cube: cube.Integer, fetch: "CAST(% AS BIGINT)"}
	case "UBIGINT", "HUGEINT", "UHUGEINT":
		return kind{cube: cube.Integer, digits: true, fetch: "CAST(% AS VARCHAR)", stored: name}
	case "BIGNUM": // of any length, which no integer of ours has
		return kind{cube: cube.Number, digits: true, fetch: "CAST(% AS VARCHAR)", stored: name}
	case "DOUBLE":
		return kind{cube: cube.Number, fetch: "%", lost: "NOT isfinite(%)"}
	case "FLOAT":
		// Cast to text first, so that 0.1 stays 0.1.
		return kind{cube: cube.Number, fetch: "CAST(CAST(% AS VARCHAR) AS DOUBLE)", lost: "NOT isfinite(%)"}
	case "DATE":
		return kind{
			cube: cube.Date, fetch: finite("%", "DATE"),
			lost: "% NOT BETWEEN DATE '0001-01-01' AND DATE '9999-12-31'",
		}
	case "VARCHAR", "JSON", "UUID":
		return kind{cube: cube.Text, fetch: "CAST(% AS VARCHAR)"}
	}
	// TIME, INTERVAL, BLOB, BIT, VARIANT, and types of later versions.
	return kind{cube: cube.Text, fetch: "CAST(% AS VARCHAR)", note: "values of type " + name + " are kept as text"}
}

// finite is the SQL that reads a day or a timestamp. Both infinities are read as a year that no dashboard can show, which [kind.value]
// treats as lost: as NULL they would be missing without a note, and the driver cannot represent them.
func finite(value, as string) string {
	return "CASE WHEN isfinite(" + value + ") THEN " + value + " WHEN " + value + " IS NOT NULL THEN " + as + " '10000-01-01' END"
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
	case cube.Instant:
		return "TIMESTAMP WITH TIME ZONE"
	default:
		return "VARCHAR"
	}
}

// value turns a value of the driver into one of a column of kind k. It is
// [cube.Lost] for a value that cannot be shown (NaN, infinity, a year over 9999).
func (k *kind) value(v driver.Value) (any, error) {
	switch v := v.(type) {
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return cube.Lost, nil
		}
		return v, nil
	case time.Time:
		if v = v.UTC(); !wire.InRange(v) {
			return cube.Lost, nil
		}
		return v, nil
	case string:
		if k.digits {
			return cube.Parse(k.cube, v)
		}
		return v, nil
	case bool, int64:
		return v, nil
	}
	return nil, nil
}
