package bigquery_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"service/store/dashboard/cube"
	"service/store/warehouse"
	"service/store/warehouse/rest/resttest"
	"service/store/warehouse/warehousetest"
)

// tongue has the columns of results, and their cells as "Data types" and DataFormatOptions, useInt64Timestamp ("Output timestamp as usec
// int64"), have them.
var tongue = resttest.Tongue[col]{
	Placeholder: func(n int) string { return "@p" + strconv.Itoa(n) },
	Integer:     typed("INTEGER"), Amount: typed("NUMERIC"), Text: typed("STRING"), Date: typed("DATE"), Instant: typed("TIMESTAMP"),
	Cell: func(v any) any {
		switch v := v.(type) {
		case resttest.Cents:
			return strings.TrimSuffix(fmt.Sprintf("%d.%02d", v/100, v%100), ".00")
		case cube.Day:
			return v.Time().Format(time.DateOnly)
		case time.Time:
			return strconv.FormatInt(v.UnixMicro(), 10)
		}
		return fmt.Sprint(v)
	},
	Clock: warehousetest.Clock{
		Moments: "UNNEST(GENERATE_TIMESTAMP_ARRAY('2026-02-25 00:00:00+00', '2026-11-15 23:30:00+00', INTERVAL 30 MINUTE)) AS m",
		Hour:    "TIMESTAMP_TRUNC(m, HOUR)", Day: "DATE(m, @@time_zone)",
		Week: "TIMESTAMP_TRUNC(m, ISOWEEK, @@time_zone)", Month: "DATE_TRUNC(DATE(m, @@time_zone), MONTH)",
	},
	Slow:    "SELECT COUNT(*) AS n FROM orders a, orders b, orders c WHERE a.amount + b.amount < c.amount - 1e9",
	Endless: "SELECT a.id AS n FROM orders a, orders b, orders c",
	Long:    "SELECT REPEAT('x', 20000000) AS n", Length: 20_000_000,
}

func typed(kind string) func(name string) col {
	return func(name string) col { return col{Name: name, Type: kind} }
}

func invalid(message string) recorded {
	return recorded{Fails: resttest.Err(http.StatusBadRequest, "invalidQuery", message)}
}

// broken breaks when it runs.
func broken(reason, message string) recorded {
	return recorded{Cols: []col{tongue.Integer("n")}, Breaks: resttest.Err(http.StatusBadRequest, reason, message)}
}

const wide = "SELECT REPEAT('x', 2000000) AS n"

var values = called([]resttest.Value[col]{
	resttest.Of("1", cube.Integer, int64(1), col{Type: "INTEGER"}, "1"),
	resttest.Of("9007199254740993", cube.Integer, int64(9007199254740993), col{Type: "INTEGER"},
		"9007199254740993"),
	resttest.Of("1.5", cube.Number, 1.5, col{Type: "FLOAT"}, "1.5"),
	resttest.Of("1e300", cube.Number, 1e300, col{Type: "FLOAT"}, "1.0E300"),
	resttest.Of("CAST('NaN' AS FLOAT64)", cube.Number, cube.Lost, col{Type: "FLOAT"}, "NaN"),
	resttest.Of("CAST('-inf' AS FLOAT64)", cube.Number, cube.Lost, col{Type: "FLOAT"}, "-Infinity"),
	resttest.Of("NUMERIC '12345678901234567.89'", cube.Number, cube.Decimal("12345678901234567.89"), col{Type: "NUMERIC"},
		"12345678901234567.89"),
	resttest.Of("BIGNUMERIC '-1e-30'", cube.Number, -1e-30, col{Type: "BIGNUMERIC"},
		"-0.000000000000000000000000000001"),
	resttest.Of("CAST(12345678901234567890 AS NUMERIC(20))", cube.Integer, cube.Decimal("12345678901234567890"),
		col{Type: "NUMERIC", Precision: "20"},
		"12345678901234567890"),
	resttest.Of("CAST(1.25 AS NUMERIC(10, 2))", cube.Number, 1.25, col{Type: "NUMERIC", Precision: "10", Scale: "2"},
		"1.25"),
	resttest.Of("TRUE", cube.Boolean, true, col{Type: "BOOLEAN"}, "true"),
	resttest.Of("'it\\'s'", cube.Text, "it's", col{Type: "STRING"}, "it's"),
	resttest.Of("'\\x00'", cube.Text, `\x00`, col{Type: "STRING"}, "\x00"),
	resttest.Of("NULL", cube.Integer, nil, col{Type: "INTEGER"}, nil),
	resttest.Of("CAST(NULL AS DATE)", cube.Date, nil, col{Type: "DATE"}, nil),
	resttest.Of("DATE '2026-02-03'", cube.Date, time.Date(2026, 2, 3, 0, 0, 0, 0, time.UTC), col{Type: "DATE"},
		"2026-02-03"),
	resttest.Of("TIMESTAMP '2026-02-03 04:05:06.000007+02'", cube.Instant,
		time.Date(2026, 2, 3, 2, 5, 6, 7000, time.UTC), col{Type: "TIMESTAMP"},
		"1770084306000007"),
	resttest.Of("TIMESTAMP '1969-12-31 23:59:59.5Z'", cube.Instant,
		time.Date(1969, 12, 31, 23, 59, 59, 5e8, time.UTC), col{Type: "TIMESTAMP"},
		"-500000"),
	resttest.Of("DATETIME '2026-02-03 04:05:06.5'", cube.Timestamp, time.Date(2026, 2, 3, 4, 5, 6, 5e8, time.UTC), col{Type: "DATETIME"},
		"2026-02-03T04:05:06.500000"),
	resttest.Of("TIME '12:30:00.45'", cube.Text, "12:30:00.450000", col{Type: "TIME"}, "12:30:00.450000"),
	resttest.Of("b'abc'", cube.Text, "abc", col{Type: "BYTES"}, "YWJj"),
	resttest.Of("b'\\x00\\xff'", cube.Text, `\x00ff`, col{Type: "BYTES"}, "AP8="),
	resttest.Of("[1, 2]", cube.Text, "[1,2]", col{Type: "INTEGER", Mode: "REPEATED"}, []any{"1", "2"}),
	resttest.Of("ARRAY<STRING>[]", cube.Text, "[]", col{Type: "STRING", Mode: "REPEATED"}, []any{}),
	resttest.Of("[STRUCT(1 AS a, 'x\"' AS b, TIMESTAMP '2026-02-03 04:05:06Z' AS c, NULL AS d, CAST('NaN' AS FLOAT64) AS e, "+
		"JSON '{\"k\": 1}' AS f)]", cube.Text,
		`[{"a":1,"b":"x\"","c":"2026-02-03T04:05:06Z","d":null,"e":null,"f":{"k":1}}]`,
		col{Type: "RECORD", Mode: "REPEATED", Fields: []col{
			{Name: "a", Type: "INTEGER"},
			{Name: "b", Type: "STRING"},
			{Name: "c", Type: "TIMESTAMP"},
			{Name: "d", Type: "INTEGER"},
			{Name: "e", Type: "FLOAT"},
			{Name: "f", Type: "JSON"},
		}},
		[]any{[]any{"1", `x"`, "1770091506000000", nil, "NaN", `{"k":1}`}}),
	resttest.Of(`JSON '{"a": 1}'`, cube.Text, `{"a":1}`, col{Type: "JSON"}, `{"a":1}`),
	resttest.Of("INTERVAL 1 DAY", cube.Text, "0-0 1 0:0:0", col{Type: "INTERVAL"}, "0-0 1 0:0:0"),
	resttest.Of("RANGE<DATE> '[2026-01-01, 2026-02-01)'", cube.Text, "[2026-01-01, 2026-02-01)", col{Type: "RANGE"},
		"[2026-01-01, 2026-02-01)"),
	resttest.Of("ST_GEOGPOINT(1, 2)", cube.Text, "POINT(1 2)", col{Type: "GEOGRAPHY"}, "POINT(1 2)"),
})

// called gives the columns the name that the suite gives them.
func called(values []resttest.Value[col]) []resttest.Value[col] {
	for i := range values {
		values[i].Col.Name = "v"
	}
	return values
}

// catalog is the statement that lists tables, as it is sent for the dataset of the connection.
const catalog = "SELECT t.table_schema, t.table_name, IF(ENDS_WITH(t.table_type, 'VIEW'), 'view', 'table') AS kind,\n" +
	"       c.column_name, c.data_type, c.is_nullable, f.description\n" +
	"  FROM (SELECT table_schema, table_name, table_type FROM `shop`.INFORMATION_SCHEMA.TABLES\n" +
	"         WHERE (@p1 = '' OR table_name = @p1) AND STRPOS(LOWER(table_name), LOWER(@p2)) > 0\n" +
	"         ORDER BY table_name LIMIT 200) AS t\n" +
	"  JOIN `shop`.INFORMATION_SCHEMA.COLUMNS AS c ON c.table_name = t.table_name\n" +
	"  LEFT JOIN `shop`.INFORMATION_SCHEMA.COLUMN_FIELD_PATHS AS f\n" +
	"    ON f.table_name = c.table_name AND f.column_name = c.column_name AND f.field_path = c.column_name\n" +
	" ORDER BY t.table_name, c.ordinal_position"

var catalogColumns = []col{
	{Name: "table_schema", Type: "STRING"},
	{Name: "table_name", Type: "STRING"},
	{Name: "kind", Type: "STRING"},
	{Name: "column_name", Type: "STRING"},
	{Name: "data_type", Type: "STRING"},
	{Name: "is_nullable", Type: "STRING"},
	{Name: "description", Type: "STRING"},
}

// listing lists the tables whose name fits.
func listing(p resttest.Params) (int, func(int) []any) {
	var rows [][]any
	for _, row := range [][]any{
		{"shop", "daily", "view", "day", "DATE", "YES", nil},
		{"shop", "daily", "view", "parts", "ARRAY<STRUCT<a INT64, b STRING(10)>>", "NO", nil},
		{"shop", "orders", "table", "id", "INT64", "NO", "The number of the order"},
		{"shop", "orders", "table", "day", "DATE", "YES", nil},
		{"shop", "orders", "table", "amount", "NUMERIC(10, 2)", "YES", nil},
		{"shop", "orders", "table", "note", "STRING", "YES", nil},
	} {
		name := row[1].(string)
		if table := p.Args[0]; (table == "" || table == name) && strings.Contains(name, strings.ToLower(p.Args[1].(string))) {
			rows = append(rows, row)
		}
	}
	return len(rows), func(i int) []any { return rows[i] }
}

// statements are all that is recorded.
func statements() map[string]recorded {
	all := resttest.Statements(tongue, values)
	for sql, r := range map[string]recorded{
		catalog: {Cols: catalogColumns, Bytes: 10 << 20, Rows: listing},
		"SELECT SESSION_USER() AS signed_in_as, @@project_id AS project": resttest.Fixed(
			[]col{tongue.Text("signed_in_as"), tongue.Text("project")}, []any{account, "acme-prod"}),
		"SELECT 1 AS n FROM `shop`.INFORMATION_SCHEMA.TABLES LIMIT 1": resttest.Fixed([]col{tongue.Integer("n")}, []any{"1"}),
		wide: resttest.Fixed([]col{tongue.Text("n")}, []any{strings.Repeat("x", 2_000_000)}),

		// The forms of messages are those that the parsers of other programs know.
		"SELECT 1 AS a, 2 AS a":         invalid("Duplicate column names in the result are not supported. Found duplicate(s): a"),
		"SELECT revenu FROM orders":     invalid("Unrecognized name: revenu at [1:8]"),
		"SELECT o.revenu FROM orders o": invalid("Name revenu not found inside o at [1:10]"),
		"SELECT 1\nFROM nowhere": {Fails: resttest.Err(
			http.StatusNotFound, "notFound", "Not found: Table acme-prod:shop.nowhere was not found in location europe-west3 at [2:6]")},
		"SELECT 1 FROM other.secret": {Fails: resttest.Err(
			http.StatusForbidden, "accessDenied", "Access Denied: Table acme-prod:other.secret: User does not have permission to query table "+
				"acme-prod:other.secret, or perhaps it does not exist.")},
		"SELECT 1\n\nFROM orders WHER id = 1": invalid("Syntax error: Expected end of input but got identifier \"id\" at [3:18]"),
		"SELECT nofunction(1)":                invalid("Function not found: nofunction at [1:8]"),
		"SELECT day, note FROM orders GROUP BY day": invalid(
			"SELECT list expression references column note which is neither grouped nor aggregated at [1:13]"),
		"SELECT id FROM orders a, orders b": invalid("Column name id is ambiguous at [1:8]"),
		"SELECT id + note FROM orders": invalid(
			"No matching signature for operator + for argument types: INT64, STRING. Supported signatures: INT64 + INT64 at [1:8]"),
		"SELECT CAST(note AS INT64) FROM orders":     broken("invalidQuery", "Bad int64 value: n1"),
		"SELECT 1 / (id - id) AS v FROM orders":      broken("invalidQuery", "Division by zero: 1 / 0"),
		"SELECT order FROM orders":                   invalid("Syntax error: Unexpected keyword ORDER at [1:8]"),
		"SELECT * FROM UNNEST(GENERATE_ARRAY(1, 9))": broken("resourcesExceeded", "Resources exceeded during query execution"),
	} {
		all[sql] = r
	}
	for _, sql := range piped {
		all[sql] = recorded{Effect: "CREATE_TABLE_AS_SELECT", Rows: resttest.Fixed[col](nil).Rows}
	}
	return all
}

func TestConformance(t *testing.T) {
	source := start(t).Source(tongue, values)
	source.Tables = []string{"daily view"}
	source.Attacks = attacks()
	source.Secrets = []string{"127.0.0.1", "acme-prod", account, "n1", "PRIVATE KEY"}
	source.Mistakes = []warehousetest.Mistake{
		{SQL: wide, Class: warehouse.TooLarge},
		{SQL: "SELECT revenu FROM orders", Class: warehouse.Unknown, Line: 1, Names: `"revenu"`},
		{SQL: "SELECT o.revenu FROM orders o", Class: warehouse.Unknown, Line: 1, Names: `"revenu"`},
		{SQL: "SELECT 1\nFROM nowhere", Class: warehouse.Unknown, Line: 2, Names: `"nowhere"`},
		{SQL: "SELECT 1 FROM other.secret", Class: warehouse.Permission, Names: "BigQuery Data Viewer"},
		{SQL: "SELECT 1\n\nFROM orders WHER id = 1", Class: warehouse.Syntax, Line: 3},
		{SQL: "SELECT order FROM orders", Class: warehouse.Syntax, Line: 1, Names: "`order`"},
		{SQL: "SELECT nofunction(1)", Class: warehouse.Unknown, Line: 1, Names: `"nofunction"`},
		{SQL: "SELECT day, note FROM orders GROUP BY day", Class: warehouse.Syntax, Line: 1, Names: "GROUP BY"},
		{SQL: "SELECT id FROM orders a, orders b", Class: warehouse.Syntax, Line: 1, Names: `"id"`},
		{SQL: "SELECT id + note FROM orders", Class: warehouse.Type, Line: 1},
		{SQL: "SELECT CAST(note AS INT64) FROM orders", Class: warehouse.Type},
		{SQL: "SELECT 1 / (id - id) AS v FROM orders", Class: warehouse.Type, Names: "SAFE_DIVIDE"},
		{SQL: "SELECT * FROM UNNEST(GENERATE_ARRAY(1, 9))", Class: warehouse.TooLarge},
		{SQL: "#legacySQL\nSELECT 1", Class: warehouse.Refused, Names: "GoogleSQL"},
	}
	warehousetest.Run(t, source)
}

// BenchmarkMillion reads a million rows.
func BenchmarkMillion(b *testing.B) { resttest.Million(b, start, tongue) }
