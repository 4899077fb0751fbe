package athena_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"service/store/dashboard/cube"
	"service/store/warehouse"
	"service/store/warehouse/rest/resttest"
	"service/store/warehouse/warehousetest"
)

// tongue has the columns of results, and their cells as GetQueryResults has them: texts.
var tongue = resttest.Tongue[col]{
	Placeholder: func(int) string { return "?" },
	Integer:     typed("bigint"), Amount: typed("decimal(18,2)"), Text: typed("varchar"), Date: typed("date"), Instant: typed(instants),
	Cell: func(v any) any {
		switch v := v.(type) {
		case resttest.Cents:
			return fmt.Sprintf("%d.%02d", v/100, v%100)
		case cube.Day:
			return v.Time().Format(time.DateOnly)
		case time.Time:
			return v
		}
		return fmt.Sprint(v)
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

// invalid fails, whether it is described or runs.
func invalid(reason string) recorded {
	return recorded{Cols: []col{colOf("n", "bigint")}, Fails: failure(reason)}
}

// broken breaks when it runs.
func broken(reason string) recorded {
	return recorded{Cols: []col{colOf("n", "bigint")}, Breaks: failure(reason)}
}

func of(sql string, kind cube.Type, want any, column string, sent any) resttest.Value[col] {
	return resttest.Of(sql, kind, want, colOf("v", column), sent)
}

func utc(year int, month time.Month, day, hour, minute, second, nanos int) time.Time {
	return time.Date(year, month, day, hour, minute, second, nanos, time.UTC)
}

var values = []resttest.Value[col]{
	of("1", cube.Integer, int64(1), "integer", "1"),
	of("9007199254740993", cube.Integer, int64(9007199254740993), "bigint", "9007199254740993"),
	of("TINYINT '7'", cube.Integer, int64(7), "tinyint", "7"),
	of("1.5", cube.Number, 1.5, "decimal(2,1)", "1.5"),
	of("12345678901234567.89", cube.Number, cube.Decimal("12345678901234567.89"), "decimal(19,2)", "12345678901234567.89"),
	of("DECIMAL '12345678901234567890'", cube.Integer, cube.Decimal("12345678901234567890"), "decimal(20,0)", "12345678901234567890"),
	of("1e300", cube.Number, 1e300, "double", "1.0E300"),
	of("nan()", cube.Number, cube.Lost, "double", "NaN"),
	of("-infinity()", cube.Number, cube.Lost, "double", "-Infinity"),
	of("REAL '1.5'", cube.Number, 1.5, "float", "1.5"),
	of("true", cube.Boolean, true, "boolean", "true"),
	of("'it''s'", cube.Text, "it's", "varchar", "it's"),
	of("''", cube.Text, "", "varchar", ""),
	of("CAST(NULL AS varchar)", cube.Text, nil, "varchar", nil),
	of("CAST(NULL AS date)", cube.Date, nil, "date", nil),
	of("DATE '2026-02-03'", cube.Date, utc(2026, 2, 3, 0, 0, 0, 0), "date", "2026-02-03"),
	of("TIMESTAMP '2026-02-03 04:05:06.5'", cube.Timestamp, utc(2026, 2, 3, 4, 5, 6, 5e8), "timestamp", "2026-02-03 04:05:06.500"),
	of("TIMESTAMP '2026-02-03 04:05:06.000007 +02:00'", cube.Instant, utc(2026, 2, 3, 2, 5, 6, 7000), instants,
		time.Date(2026, 2, 3, 4, 5, 6, 7000, time.FixedZone("+02:00", 7200))),
	of("X'616263'", cube.Text, "abc", "varbinary", "61 62 63"),
	of("X'00FF'", cube.Text, `\x00ff`, "varbinary", "00 ff"),
	of("ARRAY[1, 2]", cube.Text, "[1, 2]", "array", "[1, 2]"),
	of("MAP(ARRAY['a'], ARRAY[1])", cube.Text, "{a=1}", "map", "{a=1}"),
	of("CAST(ROW(1) AS ROW(a integer))", cube.Text, "{a=1}", "row", "{a=1}"),
	of(`JSON '{"a": 1}'`, cube.Text, `{"a":1}`, "json", `{"a":1}`),
}

// catalog is the statement that lists tables.
const catalog = `SELECT t.table_schema, t.table_name, CASE WHEN t.table_type LIKE '%VIEW' THEN 'view' ELSE 'table' END AS kind,
       c.column_name, c.data_type, c.is_nullable, CAST(NULL AS varchar) AS comment
  FROM (SELECT table_schema, table_name, table_type FROM information_schema.tables
         WHERE table_schema = ? AND ? IN ('', table_name) AND strpos(lower(table_name), lower(?)) > 0
         ORDER BY table_name LIMIT 200) AS t
  JOIN information_schema.columns AS c ON c.table_name = t.table_name AND c.table_schema = ?
 ORDER BY t.table_name, c.ordinal_position`

var catalogColumns = []col{
	colOf("table_schema", "varchar"), colOf("table_name", "varchar"), colOf("kind", "varchar"), colOf("column_name", "varchar"),
	colOf("data_type", "varchar"), colOf("is_nullable", "varchar"), colOf("comment", "varchar"),
}

// listing lists the tables whose database and name fit.
func listing(p resttest.Params) (int, func(int) []any) {
	var rows [][]any
	for _, row := range [][]any{
		{"shop", "daily", "view", "day", "date", "YES", nil},
		{"shop", "orders", "table", "id", "bigint", "YES", nil},
		{"shop", "orders", "table", "day", "date", "YES", nil},
		{"shop", "orders", "table", "amount", "decimal(18,2)", "YES", nil},
		{"shop", "orders", "table", "note", "varchar", "YES", nil},
		{"crm", "leads", "table", "id", "bigint", "YES", nil},
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
		"SELECT 1 AS n FROM information_schema.tables": resttest.Fixed([]col{colOf("n", "integer")}, []any{"1"}),

		// The forms of reasons are an error of Trino by its name, and its message.
		"SELECT revenu FROM orders": invalid("COLUMN_NOT_FOUND: line 1:8: Column 'revenu' cannot be resolved or " +
			"requester is not authorized"),
		"SELECT 1\nFROM nowhere":              invalid("TABLE_NOT_FOUND: line 2:6: Table 'awsdatacatalog.shop.nowhere' does not exist"),
		"SELECT 1\n\nFROM orders WHER id = 1": invalid("SYNTAX_ERROR: line 3:18: mismatched input 'id'. Expecting: ',', 'CROSS', <EOF>"),
		"SELECT order FROM orders":            invalid("SYNTAX_ERROR: line 1:8: mismatched input 'order'"),
		"SELECT nofunction(1)":                invalid("FUNCTION_NOT_FOUND: line 1:8: Function 'nofunction' not registered"),
		"SELECT day, note FROM orders GROUP BY day": invalid("EXPRESSION_NOT_AGGREGATE: line 1:13: 'note' must be an aggregate expression or " +
			"appear in GROUP BY clause"),
		"SELECT id + note FROM orders":                 invalid("TYPE_MISMATCH: line 1:11: Cannot apply operator: bigint + varchar"),
		"SELECT CAST(note AS bigint) AS n FROM orders": broken("INVALID_CAST_ARGUMENT: Cannot cast 'n1' to BIGINT"),
		"SELECT 1 / (id - id) AS n FROM orders":        broken("DIVISION_BY_ZERO: Division by zero"),
		"SELECT SUM(id) AS n FROM orders":              broken("Query exhausted resources at this scale factor"),
		"SELECT COUNT(id) AS n FROM orders":            broken("Query timeout"),
		"SELECT MAX(id) AS n FROM orders":              broken("HIVE_BAD_DATA: Malformed n1"),
		"SELECT MIN(id) AS n FROM orders":              broken("Something about n1"),
		"SELECT id AS n FROM other.secret":             broken("Access denied when listing n1 (Service: Amazon S3; Status Code: 403)"),
		"SELECT n FROM large": {
			Cols: []col{colOf("n", "bigint")}, Bytes: 1_500_000_000, Rows: resttest.Fixed[col](nil).Rows,
		},
	} {
		all[sql] = r
	}
	for _, sql := range disguised {
		all[sql] = recorded{Effect: "INSERT", Rows: resttest.Fixed[col](nil).Rows}
	}
	return all
}

// disguised are statements that begin as a query does. The server does not take them as a subquery.
var disguised = []string{
	"WITH x AS (SELECT 1 AS id) INSERT INTO orders SELECT id FROM x",
	"SELECT 1) LIMIT 0 UNION ALL (SELECT 2",
}

// attacks are the statements of Athena that do more than read ("DDL statements", "DML queries, functions, and operators"), and functions
// that reach other systems.
func attacks() []warehousetest.Attack {
	refused := func(name string, sql ...string) warehousetest.Attack {
		return warehousetest.Attack{Name: name, Class: warehouse.Refused, SQL: sql}
	}
	var definitions, several, functions []string
	for _, object := range strings.Fields("TABLE VIEW DATABASE SCHEMA") {
		for _, form := range []string{
			"CREATE EXTERNAL %s x (a int) LOCATION 's3://b/a/'", "CREATE %s x AS SELECT 1", "DROP %s IF EXISTS orders",
			"ALTER %s orders SET LOCATION 's3://b/a/'", "DESCRIBE %s orders", "SHOW CREATE %s orders", "CREATE OR REPLACE %s x AS SELECT 1",
		} {
			definitions = append(definitions, fmt.Sprintf(form, object))
		}
	}
	for _, sql := range []string{
		"INSERT INTO orders VALUES (1)", "INSERT INTO orders SELECT 1", "UPDATE orders SET id = 1", "DELETE FROM orders",
		"MERGE INTO orders USING orders AS b ON true WHEN MATCHED THEN DELETE", "UNLOAD (SELECT * FROM orders) TO 's3://b/a/' WITH " +
			"(format = 'CSV')",
		"OPTIMIZE orders REWRITE DATA USING BIN_PACK", "VACUUM orders", "MSCK REPAIR TABLE orders", "PREPARE x FROM SELECT 1", "EXECUTE x",
		"EXECUTE x USING 1", "DEALLOCATE PREPARE x", "EXPLAIN SELECT 1", "EXPLAIN ANALYZE SELECT 1", "SHOW TABLES", "SHOW PARTITIONS orders",
		"DESCRIBE orders", "ALTER TABLE orders ADD PARTITION (day = '2026-01-01')", "ALTER TABLE orders DROP PARTITION (day = '2026-01-01')",
		"USING EXTERNAL FUNCTION f(x varchar) RETURNS varchar LAMBDA 'steal' SELECT f(note) FROM orders", "TRUNCATE TABLE orders",
		"CALL system.runtime.kill_query('x')", "SET SESSION a = 1", "GRANT SELECT ON orders TO x", "USE other",
	} {
		several = append(several, "SELECT 1; "+sql, sql+"; SELECT 1", sql, "-- SELECT\n"+sql)
	}
	for _, name := range strings.Fields(`system.query mysql.system.query "lambda:x".system.query dynamo.system.QUERY`) {
		functions = append(functions, "SELECT * FROM TABLE("+name+"(query => 'DELETE FROM orders'))",
			"WITH x AS (SELECT * FROM TABLE ( "+name+" /* ( */ (query => 'x'))) SELECT * FROM x")
	}
	functions = append(functions, "WITH SESSION a = 1 SELECT 1", "SELECT `a` FROM orders", "SELECT U&'\\0027 , 1", "SELECT $$ ' "+
		"$$", "SELECT ‘a’",
		"SELECT /* /* */ 1", "SELECT 'a' , \"b' , 1", "SELECT 1 -- a\r, 2", "SELECT 1\x00")
	return []warehousetest.Attack{
		refused("definitions", definitions...), refused("changes", several...), refused("functions and quotes", functions...),
		{Name: "disguised", SQL: disguised},
	}
}

func TestConformance(t *testing.T) {
	source := start(t).Source(tongue, values)
	source.Tables = []string{"daily view"}
	source.Attacks = attacks()
	source.Secrets = []string{"127.0.0.1", "awsdatacatalog", "n1", keyID, secret}
	source.Mistakes = []warehousetest.Mistake{
		{SQL: "SELECT revenu FROM orders", Class: warehouse.Unknown, Line: 1, Names: `"revenu"`},
		{SQL: "SELECT 1\nFROM nowhere", Class: warehouse.Unknown, Line: 2, Names: `"nowhere"`},
		{SQL: "SELECT 1\n\nFROM orders WHER id = 1", Class: warehouse.Syntax, Line: 3},
		{SQL: "SELECT order FROM orders", Class: warehouse.Syntax, Line: 1, Names: `"order"`},
		{SQL: "SELECT nofunction(1)", Class: warehouse.Unknown, Line: 1, Names: `"nofunction"`},
		{SQL: "SELECT day, note FROM orders GROUP BY day", Class: warehouse.Syntax, Line: 1, Names: "GROUP BY"},
		{SQL: "SELECT id + note FROM orders", Class: warehouse.Type, Line: 1, Names: "CAST"},
		{SQL: "SELECT CAST(note AS bigint) AS n FROM orders", Class: warehouse.Type, Names: "TRY_CAST"},
		{SQL: "SELECT 1 / (id - id) AS n FROM orders", Class: warehouse.Type, Names: "NULLIF"},
		{SQL: "SELECT SUM(id) AS n FROM orders", Class: warehouse.TooLarge},
		{SQL: "SELECT COUNT(id) AS n FROM orders", Class: warehouse.Timeout},
		{SQL: "SELECT MAX(id) AS n FROM orders", Class: warehouse.Failed, Names: "Athena could not run the query (HIVE_BAD_DATA)"},
		{SQL: "SELECT MIN(id) AS n FROM orders", Class: warehouse.Failed},
		{SQL: "SELECT id AS n FROM other.secret", Class: warehouse.Permission, Names: "s3:GetObject"},
		{SQL: "SELECT n FROM large", Class: warehouse.TooLarge, Names: "its workgroup allows"},
	}
	warehousetest.Run(t, source)
}

// BenchmarkMillion reads a million rows.
func BenchmarkMillion(b *testing.B) { resttest.Million(b, start, tongue) }
