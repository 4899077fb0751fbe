package databricks_test

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

// tongue has the columns of results, and their cells as JSON_ARRAY has them: texts, or null.
var tongue = resttest.Tongue[col]{
	Placeholder: func(n int) string { return ":p" + strconv.Itoa(n) },
	Integer:     typed("BIGINT"), Amount: typed("DECIMAL(18,2)"), Text: typed("STRING"), Date: typed("DATE"), Instant: typed("TIMESTAMP"),
	Cell: func(v any) any {
		switch v := v.(type) {
		case resttest.Cents:
			return fmt.Sprintf("%d.%02d", v/100, v%100)
		case cube.Day:
			return v.Time().Format(time.DateOnly)
		case time.Time:
			return v.UTC().Format("2006-01-02T15:04:05.000Z")
		}
		return fmt.Sprint(v)
	},
	Clock: warehousetest.Clock{
		Moments: "(SELECT explode(sequence(TIMESTAMP '2026-02-25T00:00:00Z', TIMESTAMP '2026-11-15T23:30:00Z', INTERVAL 30 MINUTES)) AS m) AS x",
		Hour:    "date_trunc('MINUTE', m) - make_dt_interval(0, 0, minute(from_utc_timestamp(m, current_timezone())))",
		Day:     "CAST(from_utc_timestamp(m, current_timezone()) AS DATE)",
		Week:    "to_utc_timestamp(date_trunc('WEEK', from_utc_timestamp(m, current_timezone())), current_timezone())",
		Month:   "CAST(date_trunc('MONTH', from_utc_timestamp(m, current_timezone())) AS DATE)",
	},
	Slow:    "SELECT COUNT(*) AS n FROM orders a, orders b, orders c WHERE a.amount + b.amount < c.amount - 1e9",
	Endless: "SELECT a.id AS n FROM orders a, orders b, orders c",
	Long:    "SELECT repeat('x', 2000000) AS n", Length: 2_000_000,
}

func typed(kind string) func(name string) col {
	return func(name string) col { return colOf(name, kind) }
}

// large is a query whose result is not returned inline.
const large = "SELECT id FROM orders /* and more */"

// tooLarge returns an outcome whose result is too large to be returned inline.
func tooLarge(r recorded) recorded {
	r.Bytes = mostInline + 1
	return r
}

// invalid fails when it is planned.
func invalid(message string) recorded {
	return recorded{Fails: resttest.Err(http.StatusOK, "BAD_REQUEST", message)}
}

// broken breaks when it runs.
func broken(code, message string) recorded {
	return recorded{Cols: []col{colOf("n", "BIGINT")}, Breaks: resttest.Err(http.StatusOK, code, message)}
}

func of(sql string, kind cube.Type, want any, column string, sent any) resttest.Value[col] {
	return resttest.Of(sql, kind, want, colOf("v", column), sent)
}

func utc(year int, month time.Month, day, hour, minute, second, nanos int) time.Time {
	return time.Date(year, month, day, hour, minute, second, nanos, time.UTC)
}

// values have the types of "Data types", in the form of type_text.
var values = []resttest.Value[col]{
	of("1", cube.Integer, int64(1), "INT", "1"),
	of("CAST(1 AS TINYINT)", cube.Integer, int64(1), "TINYINT", "1"),
	of("CAST(1 AS SMALLINT)", cube.Integer, int64(1), "SMALLINT", "1"),
	of("9007199254740993", cube.Integer, int64(9007199254740993), "BIGINT", "9007199254740993"),
	of("1.5", cube.Number, 1.5, "DECIMAL(2,1)", "1.5"),
	of("12345678901234567.89", cube.Number, cube.Decimal("12345678901234567.89"), "DECIMAL(19,2)", "12345678901234567.89"),
	of("12345678901234567890", cube.Integer, cube.Decimal("12345678901234567890"), "DECIMAL(20,0)", "12345678901234567890"),
	of("CAST(1e300 AS DOUBLE)", cube.Number, 1e300, "DOUBLE", "1.0E300"),
	of("DOUBLE('NaN')", cube.Number, cube.Lost, "DOUBLE", "NaN"),
	of("DOUBLE('-Infinity')", cube.Number, cube.Lost, "DOUBLE", "-Infinity"),
	of("CAST(1.5 AS FLOAT)", cube.Number, 1.5, "FLOAT", "1.5"),
	of("true", cube.Boolean, true, "BOOLEAN", "true"),
	of(`'it\'s'`, cube.Text, "it's", "STRING", "it's"),
	of("char(0)", cube.Text, `\x00`, "STRING", "\x00"),
	of("NULL", cube.Text, nil, "VOID", nil),
	of("CAST(NULL AS DATE)", cube.Date, nil, "DATE", nil),
	of("DATE'2026-02-03'", cube.Date, utc(2026, 2, 3, 0, 0, 0, 0), "DATE", "2026-02-03"),
	of("TIMESTAMP'2026-02-03T04:05:06.000007+02:00'", cube.Instant, utc(2026, 2, 3, 2, 5, 6, 7000), "TIMESTAMP",
		"2026-02-03T02:05:06.000007Z"),
	of("TIMESTAMP'1969-12-31 23:59:59.5Z'", cube.Instant, utc(1969, 12, 31, 23, 59, 59, 5e8), "TIMESTAMP", "1969-12-31 23:59:59.5+00:00"),
	of("TIMESTAMP_NTZ'2026-02-03 04:05:06.5'", cube.Timestamp, utc(2026, 2, 3, 4, 5, 6, 5e8), "TIMESTAMP_NTZ", "2026-02-03T04:05:06.500"),
	of("INTERVAL '1' DAY", cube.Text, "1 00:00:00.000000000", "INTERVAL DAY", "1 00:00:00.000000000"),
	of("X'616263'", cube.Text, "abc", "BINARY", "YWJj"),
	of("X'00FF'", cube.Text, `\x00ff`, "BINARY", "AP8="),
	of("array(1, 2)", cube.Text, `["1","2"]`, "ARRAY<INT>", `["1","2"]`),
	of("map('a', 1)", cube.Text, `{"a":"1"}`, "MAP<STRING, INT>", `{"a":"1"}`),
	of("struct(1 AS a)", cube.Text, `{"a":"1"}`, "STRUCT<a: INT NOT NULL>", `{"a":"1"}`),
	of(`parse_json('{"a": 1}')`, cube.Text, `{"a":1}`, "VARIANT", `{"a":1}`),
}

// catalog is the statement that lists tables, as it is sent.
const catalog = `SELECT t.table_schema, t.table_name, IF(t.table_type LIKE '%VIEW', 'view', 'table') AS kind,
       c.column_name, c.full_data_type, c.is_nullable, c.comment
  FROM (SELECT table_schema, table_name, table_type FROM information_schema.tables
         WHERE table_schema <> 'information_schema'
           AND :p1 IN ('', table_schema || '.' || table_name, IF(table_schema = :p2, table_name, NULL))
           AND CONTAINS(table_schema || '.' || table_name, LOWER(:p3))
         ORDER BY table_schema <> :p2, table_schema, table_name LIMIT 200) AS t
  JOIN information_schema.columns AS c ON c.table_schema = t.table_schema AND c.table_name = t.table_name
 ORDER BY t.table_schema <> :p2, t.table_schema, t.table_name, c.ordinal_position`

var catalogColumns = []col{
	colOf("table_schema", "STRING"), colOf("table_name", "STRING"), colOf("kind", "STRING"), colOf("column_name", "STRING"),
	colOf("full_data_type", "STRING"), colOf("is_nullable", "STRING"), colOf("comment", "STRING"),
}

// listing lists the tables whose name fits.
func listing(p resttest.Params) (int, func(int) []any) {
	var rows [][]any
	for _, row := range [][]any{
		{"shop", "daily", "view", "day", "date", "YES", nil},
		{"shop", "orders", "table", "id", "bigint", "NO", "The number of the order"},
		{"shop", "orders", "table", "day", "date", "YES", nil},
		{"shop", "orders", "table", "amount", "decimal(18,2)", "YES", nil},
		{"shop", "orders", "table", "note", "string", "YES", nil},
		{"crm", "my-leads", "table", "id", "bigint", "YES", nil},
	} {
		schema, name := row[0].(string), row[1].(string)
		fits := p.Args[0] == "" || p.Args[0] == schema+"."+name || schema == p.Args[1] && p.Args[0] == name
		if fits && strings.Contains(schema+"."+name, strings.ToLower(p.Args[2].(string))) {
			rows = append(rows, row)
		}
	}
	return len(rows), func(i int) []any { return rows[i] }
}

// statements are all that is recorded.
func statements() map[string]recorded {
	all := resttest.Statements(tongue, values)
	for sql, r := range map[string]recorded{
		catalog: {Cols: catalogColumns, Rows: listing},
		"SELECT current_version().dbsql_version AS version, current_user() AS signed_in_as, current_catalog() AS catalog": resttest.Fixed(
			[]col{tongue.Text("version"), tongue.Text("signed_in_as"), tongue.Text("catalog")}, []any{"2026.10", "0f2a", "main"}),
		"SELECT 1 AS n FROM information_schema.tables": resttest.Fixed([]col{colOf("n", "INT")}, []any{"1"}),
		large: tooLarge(all["SELECT id FROM orders"]),

		// The forms of messages are those of "Error classes".
		"SELECT revenu FROM orders": invalid("[UNRESOLVED_COLUMN.WITH_SUGGESTION] A column, variable, or function parameter with name `revenu` " +
			"cannot be resolved. Did you mean one of the following? [`day`, `note`]. SQLSTATE: 42703; line 1 pos 7"),
		"SELECT 1\nFROM nowhere": invalid("[TABLE_OR_VIEW_NOT_FOUND] The table or view `main`.`shop`.`nowhere` cannot be found. " +
			"Verify the spelling and correctness of the schema and catalog. SQLSTATE: 42P01; line 2 pos 5"),
		"SELECT 1 FROM other.secret": invalid("[INSUFFICIENT_PERMISSIONS] Insufficient privileges: User does not have SELECT on Table 'n1'. " +
			"SQLSTATE: 42501"),
		"SELECT 1\n\nFROM orders WHER id = 1": invalid("[PARSE_SYNTAX_ERROR] Syntax error at or near 'id'. SQLSTATE: 42601 (line 3, pos 17)"),
		"SELECT group FROM orders":            invalid("[PARSE_SYNTAX_ERROR] Syntax error at or near 'group'. SQLSTATE: 42601 (line 1, pos 7)"),
		"SELECT nofunction(1)": invalid("[UNRESOLVED_ROUTINE] Cannot resolve routine `nofunction` on search path [`system`.`builtin`]. " +
			"SQLSTATE: 42883; line 1 pos 7"),
		"SELECT day, note FROM orders GROUP BY day": invalid("[MISSING_AGGREGATION] The non-aggregating expression " +
			"\"note\" is based on columns " +
			"which are not participating in the GROUP BY clause. SQLSTATE: 42803"),
		"SELECT id FROM orders a, orders b": invalid("[AMBIGUOUS_REFERENCE] Reference `id` is ambiguous, could be: [`a`.`id`, `b`.`id`]. " +
			"SQLSTATE: 42704; line 1 pos 7"),
		"SELECT abs(day) FROM orders": invalid("[DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE] Cannot resolve \"abs(day)\" " +
			"due to data type mismatch. " +
			"SQLSTATE: 42K09; line 1 pos 7"),
		"SELECT CAST(note AS BIGINT) AS n FROM orders": broken("BAD_REQUEST", "[CAST_INVALID_INPUT] The value 'n1' "+
			"of the type \"STRING\" cannot be "+
			"cast to \"BIGINT\" because it is malformed. SQLSTATE: 22018"),
		"SELECT 1 / (id - id) AS n FROM orders": broken("BAD_REQUEST", "[DIVIDE_BY_ZERO] Division by zero. SQLSTATE: 22012"),
		"SELECT SUM(id) AS n FROM orders":       broken("RESOURCE_EXHAUSTED", "out of memory near n1"),
		"SELECT COUNT(id) AS n FROM orders":     broken("DEADLINE_EXCEEDED", "timeout"),
		"SELECT MAX(id) AS n FROM orders":       broken("IO_ERROR", "[FAILED_READ_FILE.NO_HINT] Error while reading file n1"),
		"SELECT MIN(id) AS n FROM orders":       broken("INTERNAL_ERROR", "n1"),
	} {
		all[sql] = r
	}
	for _, sql := range disguised {
		all[sql] = recorded{Effect: "INSERT", Rows: resttest.Fixed[col](nil).Rows}
	}
	return all
}

func TestConformance(t *testing.T) {
	source := start(t).Source(tongue, values)
	source.Tables = []string{"daily view", "crm.`my-leads` table"}
	source.Attacks = attacks()
	source.Secrets = []string{"127.0.0.1", "main", "n1", "open-sesame", token}
	source.Mistakes = []warehousetest.Mistake{
		{SQL: "SELECT revenu FROM orders", Class: warehouse.Unknown, Line: 1, Names: `"revenu"`},
		{SQL: "SELECT 1\nFROM nowhere", Class: warehouse.Unknown, Line: 2, Names: `"nowhere"`},
		{SQL: "SELECT 1 FROM other.secret", Class: warehouse.Permission},
		{SQL: "SELECT 1\n\nFROM orders WHER id = 1", Class: warehouse.Syntax, Line: 3},
		{SQL: "SELECT group FROM orders", Class: warehouse.Syntax, Line: 1, Names: "`group`"},
		{SQL: "SELECT nofunction(1)", Class: warehouse.Unknown, Line: 1, Names: `"nofunction"`},
		{SQL: "SELECT day, note FROM orders GROUP BY day", Class: warehouse.Syntax, Names: "GROUP BY"},
		{SQL: "SELECT id FROM orders a, orders b", Class: warehouse.Syntax, Line: 1, Names: `"id"`},
		{SQL: "SELECT abs(day) FROM orders", Class: warehouse.Type, Line: 1},
		{SQL: "SELECT CAST(note AS BIGINT) AS n FROM orders", Class: warehouse.Type, Names: "try_cast"},
		{SQL: "SELECT 1 / (id - id) AS n FROM orders", Class: warehouse.Type, Names: "try_divide"},
		{SQL: "SELECT SUM(id) AS n FROM orders", Class: warehouse.TooLarge},
		{SQL: "SELECT COUNT(id) AS n FROM orders", Class: warehouse.Timeout},
		{SQL: "SELECT MAX(id) AS n FROM orders", Class: warehouse.Failed, Names: "FAILED_READ_FILE"},
		{SQL: "SELECT MIN(id) AS n FROM orders", Class: warehouse.Failed, Names: "INTERNAL_ERROR"},
	}
	warehousetest.Run(t, source)
}

// BenchmarkMillion reads a million rows.
func BenchmarkMillion(b *testing.B) { resttest.Million(b, start, tongue) }
