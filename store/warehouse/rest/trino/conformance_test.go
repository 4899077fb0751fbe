package trino_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"service/store/dashboard/cube"
	"service/store/warehouse"
	"service/store/warehouse/rest/resttest"
	"service/store/warehouse/warehousetest"
)

// tongue has the columns of results, and their cells as the classes of trino-client read them: numbers as such, decimals and times as
// texts.
var tongue = resttest.Tongue[col]{
	Placeholder: func(int) string { return "?" },
	Integer:     typed("bigint"), Amount: typed("decimal(18,2)"), Text: typed("varchar"), Date: typed("date"),
	Instant: typed("timestamp(3) with time zone"),
	Cell: func(v any) any {
		switch v := v.(type) {
		case resttest.Cents:
			return fmt.Sprintf("%d.%02d", v/100, v%100)
		case cube.Day:
			return v.Time().Format(time.DateOnly)
		}
		return v
	},
	Clock: warehousetest.Clock{
		Moments: "(SELECT at_timezone(date_add('minute', 30 * (i * 6336 + j), TIMESTAMP '2026-02-25 00:00:00 UTC'), current_timezone()) AS m " +
			"FROM UNNEST(sequence(0, 1)) AS a (i) CROSS JOIN UNNEST(sequence(0, 6335)) AS b (j)) AS x",
		Hour: "date_trunc('hour', m)", Day: "CAST(m AS date)", Week: "date_trunc('week', m)", Month: "CAST(date_trunc('month', m) AS date)",
	},
	Slow:    "SELECT COUNT(*) AS n FROM orders a, orders b, orders c WHERE a.amount + b.amount < c.amount - 1e9",
	Endless: "SELECT a.id AS n FROM orders a, orders b, orders c",
	Long:    "SELECT rpad('', 2000000, 'x') AS n", Length: 2_000_000,
}

func typed(kind string) func(name string) col {
	return func(name string) col { return colOf(name, kind) }
}

// wrong fails when it is planned.
func wrong(name, message string) recorded {
	return recorded{Fails: resttest.Err(http.StatusOK, name, message)}
}

// broken breaks when it runs.
func broken(name, message string) recorded {
	return recorded{Cols: []col{colOf("n", "bigint")}, Breaks: resttest.Err(http.StatusOK, name, message)}
}

func of(sql string, kind cube.Type, want any, column string, sent any) resttest.Value[col] {
	return resttest.Of(sql, kind, want, colOf("v", column), sent)
}

func utc(year int, month time.Month, day, hour, minute, second, nanos int) time.Time {
	return time.Date(year, month, day, hour, minute, second, nanos, time.UTC)
}

var values = []resttest.Value[col]{
	of("1", cube.Integer, int64(1), "integer", 1),
	of("BIGINT '9007199254740993'", cube.Integer, int64(9007199254740993), "bigint", json.Number("9007199254740993")),
	of("TINYINT '7'", cube.Integer, int64(7), "tinyint", 7),
	of("1.5", cube.Number, 1.5, "decimal(2,1)", "1.5"),
	of("12345678901234567.89", cube.Number, cube.Decimal("12345678901234567.89"), "decimal(19,2)", "12345678901234567.89"),
	of("DECIMAL '12345678901234567890'", cube.Integer, cube.Decimal("12345678901234567890"), "decimal(20,0)", "12345678901234567890"),
	of("DECIMAL '7'", cube.Integer, int64(7), "decimal(1, 0)", "7"),
	of("1e300", cube.Number, 1e300, "double", json.Number("1.0E300")),
	of("nan()", cube.Number, cube.Lost, "double", "NaN"),
	of("-infinity()", cube.Number, cube.Lost, "double", "-Infinity"),
	of("REAL '1.5'", cube.Number, 1.5, "real", 1.5),
	of("true", cube.Boolean, true, "boolean", true),
	of("'it''s'", cube.Text, "it's", "varchar(4)", "it's"),
	of("chr(0)", cube.Text, `\x00`, "varchar", "\x00"),
	of("NULL", cube.Text, nil, "unknown", nil),
	of("CAST(NULL AS date)", cube.Date, nil, "date", nil),
	of("DATE '2026-02-03'", cube.Date, utc(2026, 2, 3, 0, 0, 0, 0), "date", "2026-02-03"),
	of("TIMESTAMP '2026-02-03 04:05:06.5'", cube.Timestamp, utc(2026, 2, 3, 4, 5, 6, 5e8), "timestamp(1)", "2026-02-03 04:05:06.5"),
	of("TIMESTAMP '2026-02-03 04:05:06'", cube.Timestamp, utc(2026, 2, 3, 4, 5, 6, 0), "timestamp(0)", "2026-02-03 04:05:06"),
	of("TIMESTAMP '2026-02-03 04:05:06.000007 +02:00'", cube.Instant, utc(2026, 2, 3, 2, 5, 6, 7000),
		"timestamp(6) with time zone", time.Date(2026, 2, 3, 4, 5, 6, 7000, time.FixedZone("+02:00", 7200))),
	of("TIMESTAMP '1969-12-31 23:59:59.5 UTC'", cube.Instant, utc(1969, 12, 31, 23, 59, 59, 5e8),
		"timestamp(3) with time zone", utc(1969, 12, 31, 23, 59, 59, 5e8)),
	of("TIME '12:30:00.45'", cube.Text, "12:30:00.45", "time(2)", "12:30:00.45"),
	of("INTERVAL '1' DAY", cube.Text, "1 00:00:00.000", "interval day to second", "1 00:00:00.000"),
	of("X'616263'", cube.Text, "abc", "varbinary", "YWJj"),
	of("X'00FF'", cube.Text, `\x00ff`, "varbinary", "AP8="),
	of("ARRAY[1, 2]", cube.Text, "[1,2]", "array(integer)", []any{1, 2}),
	of("MAP(ARRAY['a'], ARRAY[1])", cube.Text, `{"a":1}`, "map(varchar(1), integer)", map[string]any{"a": 1}),
	of("ROW(1, 'x')", cube.Text, `[1,"x"]`, "row(integer, varchar(1))", []any{1, "x"}),
	of(`JSON '{"a": 1}'`, cube.Text, `{"a":1}`, "json", `{"a":1}`),
	of("UUID '12151fd2-7586-11e9-8f9e-2a86e4085a59'", cube.Text, "12151fd2-7586-11e9-8f9e-2a86e4085a59", "uuid",
		"12151fd2-7586-11e9-8f9e-2a86e4085a59"),
}

// catalog is the statement that lists tables, with its arguments.
const catalog = `SELECT t.table_schema, t.table_name, CASE WHEN t.table_type LIKE '%VIEW' THEN 'view' ELSE 'table' END AS kind,
       c.column_name, c.data_type, c.is_nullable, CAST(NULL AS varchar) AS comment
  FROM (SELECT table_schema, table_name, table_type FROM information_schema.tables
         WHERE table_schema = ? AND ? IN ('', table_name) AND strpos(lower(table_name), lower(?)) > 0
         ORDER BY table_name LIMIT 200) AS t
  JOIN information_schema.columns AS c ON c.table_name = t.table_name AND c.table_schema = ?
 ORDER BY t.table_name, c.ordinal_position`

var catalogColumns = []col{
	colOf("table_schema", "varchar"), colOf("table_name", "varchar"), colOf("kind", "varchar(5)"), colOf("column_name", "varchar"),
	colOf("data_type", "varchar"), colOf("is_nullable", "varchar"), colOf("comment", "varchar"),
}

// listing lists the tables whose schema and name fit.
func listing(p resttest.Params) (int, func(int) []any) {
	var rows [][]any
	for _, row := range [][]any{
		{"shop", "daily", "view", "day", "date", "YES", nil},
		{"shop", "daily", "view", "parts", "array(row(a bigint, b varchar(10)))", "NO", nil},
		{"shop", "orders", "table", "id", "bigint", "NO", nil},
		{"shop", "orders", "table", "day", "date", "YES", nil},
		{"shop", "orders", "table", "amount", "decimal(18,2)", "YES", nil},
		{"shop", "orders", "table", "note", "varchar", "YES", nil},
		{"crm", "order", "table", "id", "bigint", "YES", nil},
	} {
		name := row[1].(string)
		if (p.Args[1] == "" || p.Args[1] == name) && row[0] == p.Args[0] && p.Args[0] == p.Args[3] &&
			strings.Contains(name, strings.ToLower(p.Args[2].(string))) {
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
		"SELECT version() AS version, current_user AS signed_in_as, current_catalog AS catalog": resttest.Fixed(
			[]col{tongue.Text("version"), tongue.Text("signed_in_as"), tongue.Text("catalog")}, []any{"476", "reader", "hive"}),
		"SELECT 1 AS n FROM information_schema.tables": resttest.Fixed([]col{colOf("n", "integer")}, []any{1}),

		// The forms of messages are those of TestAnalyzer, and of the tests of other clients.
		"SELECT revenu FROM orders":     wrong("COLUMN_NOT_FOUND", "line 1:8: Column 'revenu' cannot be resolved"),
		"SELECT o.revenu FROM orders o": wrong("COLUMN_NOT_FOUND", "line 1:8: Column 'o.revenu' cannot be resolved"),
		"SELECT 1\nFROM nowhere":        wrong("TABLE_NOT_FOUND", "line 2:6: Table 'hive.shop.nowhere' does not exist"),
		"SELECT 1 FROM other.secret": wrong("PERMISSION_DENIED",
			"Access Denied: Cannot select from columns [n1] in table or view hive.other.secret"),
		"SELECT 1\n\nFROM orders WHER id = 1": wrong("SYNTAX_ERROR", "line 3:18: mismatched input 'id'. Expecting: ',', 'CROSS', <EOF>"),
		"SELECT order FROM orders":            wrong("SYNTAX_ERROR", "line 1:8: mismatched input 'order'. Expecting: '*', <expression>"),
		"SELECT nofunction(1)":                wrong("FUNCTION_NOT_FOUND", "line 1:8: Function 'nofunction' not registered"),
		"SELECT day, note FROM orders GROUP BY day": wrong("EXPRESSION_NOT_AGGREGATE",
			"line 1:13: 'note' must be an aggregate expression or appear in GROUP BY clause"),
		"SELECT id FROM orders a, orders b":       wrong("AMBIGUOUS_NAME", "line 1:8: Column 'id' is ambiguous"),
		"SELECT id + note FROM orders":            wrong("TYPE_MISMATCH", "line 1:11: Cannot apply operator: bigint + varchar"),
		"SELECT CAST(note AS bigint) FROM orders": broken("INVALID_CAST_ARGUMENT", "Cannot cast 'n1' to BIGINT"),
		"SELECT 1 / (id - id) AS n FROM orders":   broken("DIVISION_BY_ZERO", "Division by zero"),
		"SELECT SUM(id) AS n FROM orders":         broken("EXCEEDED_LOCAL_MEMORY_LIMIT", "Query exceeded per-node memory limit of 1GB"),
		"SELECT COUNT(id) AS n FROM orders":       broken("EXCEEDED_TIME_LIMIT", "Query exceeded maximum time limit of 1.00s"),
		"SELECT MAX(id) AS n FROM orders":         broken("HIVE_CURSOR_ERROR", "Failed to read n1 of hive"),
		"SELECT n FROM large":                     {Cols: []col{colOf("n", "bigint")}, Bytes: 2_000_000, Rows: resttest.Fixed[col](nil).Rows},
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
	source.Tables = []string{"daily view"}
	source.Attacks = attacks()
	source.Secrets = []string{"127.0.0.1", "hive", "n1", "open sesame"}
	source.Mistakes = []warehousetest.Mistake{
		{SQL: "SELECT revenu FROM orders", Class: warehouse.Unknown, Line: 1, Names: `"revenu"`},
		{SQL: "SELECT o.revenu FROM orders o", Class: warehouse.Unknown, Line: 1, Names: `"o.revenu"`},
		{SQL: "SELECT 1\nFROM nowhere", Class: warehouse.Unknown, Line: 2, Names: `"nowhere"`},
		{SQL: "SELECT 1 FROM other.secret", Class: warehouse.Permission},
		{SQL: "SELECT 1\n\nFROM orders WHER id = 1", Class: warehouse.Syntax, Line: 3},
		{SQL: "SELECT order FROM orders", Class: warehouse.Syntax, Line: 1, Names: `"order"`},
		{SQL: "SELECT nofunction(1)", Class: warehouse.Unknown, Line: 1, Names: `"nofunction"`},
		{SQL: "SELECT day, note FROM orders GROUP BY day", Class: warehouse.Syntax, Line: 1, Names: "GROUP BY"},
		{SQL: "SELECT id FROM orders a, orders b", Class: warehouse.Syntax, Line: 1, Names: `"id"`},
		{SQL: "SELECT id + note FROM orders", Class: warehouse.Type, Line: 1, Names: "CAST"},
		{SQL: "SELECT CAST(note AS bigint) FROM orders", Class: warehouse.Type, Names: "TRY_CAST"},
		{SQL: "SELECT 1 / (id - id) AS n FROM orders", Class: warehouse.Type, Names: "NULLIF"},
		{SQL: "SELECT SUM(id) AS n FROM orders", Class: warehouse.TooLarge},
		{SQL: "SELECT COUNT(id) AS n FROM orders", Class: warehouse.Timeout},
		{SQL: "SELECT MAX(id) AS n FROM orders", Class: warehouse.Failed, Names: "HIVE_CURSOR_ERROR"},
		{SQL: "SELECT n FROM large", Class: warehouse.TooLarge, Names: "raise its limit"},
	}
	warehousetest.Run(t, source)
}

// BenchmarkMillion reads a million rows.
func BenchmarkMillion(b *testing.B) { resttest.Million(b, start, tongue) }
