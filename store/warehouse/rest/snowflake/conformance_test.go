package snowflake_test

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

// The outcomes of statements, by their text. Names of columns that were written without quotes are in capitals.

func fixedOf(name string, scale int) col { return col{Name: name, Type: "fixed", Scale: &scale} }

func textOf(name string) col { return col{Name: name, Type: "text"} }

// tongue has the columns of results, and their cells as "Handling responses", "Getting the data from the results", has them: days since
// 1970, and a "float value (with 9 decimal places) of the number of seconds since the epoch".
var tongue = resttest.Tongue[col]{
	Placeholder: func(int) string { return "?" },
	Integer:     func(name string) col { return fixedOf(strings.ToUpper(name), 0) },
	Amount:      func(name string) col { return fixedOf(strings.ToUpper(name), 2) },
	Text:        typed("text"), Date: typed("date"), Instant: typed("timestamp_ltz"),
	Cell: func(v any) any {
		switch v := v.(type) {
		case resttest.Cents:
			return fmt.Sprintf("%d.%02d", v/100, v%100)
		case cube.Day:
			return strconv.Itoa(int(v))
		case time.Time:
			return fmt.Sprintf("%d.000000000", v.Unix())
		}
		return fmt.Sprint(v)
	},
	Clock: warehousetest.Clock{
		Moments: "(SELECT DATEADD(minute, 30 * SEQ4(), '2026-02-25T00:00:00Z'::TIMESTAMP_LTZ) AS m FROM TABLE(GENERATOR(ROWCOUNT => 12672)))" +
			" AS x",
		Hour: "DATE_TRUNC('HOUR', m)", Day: "m::DATE", Week: "DATE_TRUNC('WEEK', m)", Month: "DATE_TRUNC('MONTH', m)::DATE",
	},
	Slow:    "SELECT COUNT(*) AS n FROM orders a, orders b, orders c WHERE a.amount + b.amount < c.amount - 1e9",
	Endless: "SELECT a.id AS n FROM orders a, orders b, orders c",
	Long:    "SELECT REPEAT('x', 15000000) AS n", Length: 15_000_000,
}

func typed(kind string) func(name string) col {
	return func(name string) col { return col{Name: strings.ToUpper(name), Type: kind} }
}

func invalid(code, message string) recorded {
	return recorded{Fails: resttest.Err(http.StatusUnprocessableEntity, code, "SQL compilation error: "+message)}
}

// broken breaks when it runs.
func broken(code, message string) recorded {
	return recorded{Cols: []col{tongue.Integer("n")}, Breaks: resttest.Err(http.StatusUnprocessableEntity, code, message)}
}

// values are as "Handling responses", "Getting the data from the results", has them.
var values = []resttest.Value[col]{
	resttest.Of("1", cube.Integer, int64(1), fixedOf("V", 0), "1"),
	resttest.Of("12345678901234567890", cube.Integer,
		cube.Decimal("12345678901234567890"), fixedOf("V", 0), "12345678901234567890"),
	resttest.Of("1.50", cube.Number, 1.5, fixedOf("V", 2), "1.50"),
	resttest.Of("12345678901234567.89", cube.Number, cube.Decimal("12345678901234567.89"), fixedOf("V", 2), "12345678901234567.89"),
	resttest.Of("1e300::FLOAT", cube.Number, 1e300, col{Name: "V", Type: "real"}, "1e300"),
	resttest.Of("'NaN'::FLOAT", cube.Number, cube.Lost, col{Name: "V", Type: "real"}, "NaN"),
	resttest.Of("'-inf'::FLOAT", cube.Number, cube.Lost, col{Name: "V", Type: "real"}, "-inf"),
	resttest.Of("TRUE", cube.Boolean, true, col{Name: "V", Type: "boolean"}, "true"),
	resttest.Of("'it''s'", cube.Text, "it's", textOf("V"), "it's"),
	resttest.Of("NULL", cube.Text, nil, textOf("V"), nil),
	resttest.Of("NULL::DATE", cube.Date, nil, col{Name: "V", Type: "date"}, nil),
	resttest.Of("'2020-01-01'::DATE", cube.Date, time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), col{Name: "V", Type: "date"},
		"18262"),
	resttest.Of("'1969-12-31'::DATE", cube.Date, time.Date(1969, 12, 31, 0, 0, 0, 0, time.UTC), col{Name: "V", Type: "date"},
		"-1"),
	resttest.Of("'23:01:59'::TIME", cube.Text, "23:01:59", col{Name: "V", Type: "time"}, "82919.000000000"),
	resttest.Of("'2021-01-28 22:09:37.123456'::TIMESTAMP_NTZ", cube.Timestamp,
		time.Date(2021, 1, 28, 22, 9, 37, 123_456_000, time.UTC), col{Name: "V", Type: "timestamp_ntz"},
		"1611871777.123456000"),
	resttest.Of("'1969-12-31 23:59:59.5Z'::TIMESTAMP_LTZ", cube.Instant,
		time.Date(1969, 12, 31, 23, 59, 59, 5e8, time.UTC), col{Name: "V", Type: "timestamp_ltz"},
		"-0.500000000"),
	resttest.Of("'2021-03-19 18:06:59 +0100'::TIMESTAMP_TZ", cube.Instant,
		time.Date(2021, 3, 19, 17, 6, 59, 0, time.UTC), col{Name: "V", Type: "timestamp_tz"},
		"1616173619.000000000 1500"),
	resttest.Of("TO_BINARY('616263')", cube.Text, "abc", col{Name: "V", Type: "binary"}, "616263"),
	resttest.Of("TO_BINARY('00FF')", cube.Text, `\x00ff`, col{Name: "V", Type: "binary"}, "00FF"),
	resttest.Of("PARSE_JSON('{\"a\":1}')", cube.Text, `{"a":1}`, col{Name: "V", Type: "variant"}, `{"a":1}`),
	resttest.Of("ARRAY_CONSTRUCT(1, 2)", cube.Text, "[1,2]", col{Name: "V", Type: "array"}, "[1,2]"),
}

// catalog is the statement that lists tables, as it is sent.
const catalog = `SELECT t.table_schema, t.table_name, IFF(t.table_type LIKE '%VIEW%', 'view', 'table') AS kind,
       c.column_name, c.data_type || '(' || COALESCE(c.numeric_scale, 0) || ')' AS type, c.is_nullable, c.comment
  FROM (SELECT table_schema, table_name, table_type FROM information_schema.tables
         WHERE table_schema <> 'INFORMATION_SCHEMA'
           AND UPPER(?) IN ('', UPPER(table_schema || '.' || table_name), IFF(table_schema = ?, UPPER(table_name), NULL))
           AND CONTAINS(UPPER(table_schema || '.' || table_name), UPPER(?))
         ORDER BY table_schema <> ?, table_schema, table_name LIMIT 200) AS t
  JOIN information_schema.columns AS c ON c.table_schema = t.table_schema AND c.table_name = t.table_name
 ORDER BY t.table_schema <> ?, t.table_schema, t.table_name, c.ordinal_position`

var catalogColumns = []col{
	textOf("TABLE_SCHEMA"), textOf("TABLE_NAME"), textOf("KIND"), textOf("COLUMN_NAME"),
	textOf("TYPE"), textOf("IS_NULLABLE"), textOf("COMMENT"),
}

// listing lists the tables whose name fits.
func listing(p resttest.Params) (int, func(int) []any) {
	var rows [][]any
	for _, row := range [][]any{
		{"SHOP", "DAILY", "view", "DAY", "DATE(0)", "YES", nil},
		{"SHOP", "ORDERS", "table", "ID", "NUMBER(0)", "NO", "The number of the order"},
		{"SHOP", "ORDERS", "table", "DAY", "DATE(0)", "YES", nil},
		{"SHOP", "ORDERS", "table", "AMOUNT", "NUMBER(2)", "YES", nil},
		{"SHOP", "ORDERS", "table", "NOTE", "TEXT(0)", "YES", nil},
		{"CRM", "Leads", "table", "Id", "NUMBER(0)", "YES", nil},
	} {
		schema, name := row[0].(string), strings.ToUpper(row[1].(string))
		table, own := strings.ToUpper(p.Args[0].(string)), p.Args[1]
		fits := table == "" || table == schema+"."+name || schema == own && table == name
		if fits && strings.Contains(schema+"."+name, strings.ToUpper(p.Args[2].(string))) {
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
		"SELECT CURRENT_VERSION() AS version, CURRENT_USER() AS signed_in_as, CURRENT_ROLE() AS role, " +
			"CURRENT_WAREHOUSE() AS warehouse": resttest.Fixed(
			[]col{textOf("VERSION"), textOf("SIGNED_IN_AS"), textOf("ROLE"), textOf("WAREHOUSE")}, []any{"9.1.0", "READER", "DASHBOARDS", "SMALL"}),
		"SELECT 1 AS n FROM information_schema.tables": resttest.Fixed([]col{fixedOf("N", 0)}, []any{"1"}),

		"SELECT revenu FROM orders":           invalid("000904", "error line 1 at position 7\ninvalid identifier 'REVENU'"),
		"SELECT 1\nFROM nowhere":              invalid("002003", "Object 'SALES.SHOP.NOWHERE' does not exist or not authorized."),
		"SELECT 1\n\nFROM orders WHER id = 1": invalid("001003", "syntax error line 3 at position 17 unexpected 'id'."),
		"SELECT order FROM orders":            invalid("001003", "syntax error line 1 at position 7 unexpected 'order'."),
		"SELECT nofunction(1)":                invalid("002140", "Unknown function NOFUNCTION"),
		"SELECT day, note FROM orders GROUP BY day": invalid("000979",
			"'ORDERS.NOTE' in select clause is neither an aggregate nor in the group by clause."),
		"SELECT id FROM orders a, orders b": invalid("002028", "ambiguous column name 'ID'"),
		"SELECT ABS(day) FROM orders": invalid("001044",
			"error line 1 at position 7 Invalid argument types for function 'ABS': (DATE)"),
		"SELECT note::NUMBER AS v FROM orders":  broken("100038", "Numeric value 'n1' is not recognized"),
		"SELECT 1 / (id - id) AS v FROM orders": broken("100051", "Division by zero"),
		"SELECT SUM(id) AS v FROM orders":       broken("000606", "No active warehouse selected in the current session."),
		"SELECT COUNT(id) AS v FROM orders":     broken("000630", "Statement reached its statement or warehouse timeout of 1 second(s)"),
		"SELECT MAX(id) AS v FROM orders":       broken("099999", "Something that names n1 and SALES"),
	} {
		all[sql] = r
	}
	for _, sql := range disguised {
		all[sql] = recorded{Effect: "a change", Rows: resttest.Fixed[col](nil).Rows}
	}
	return all
}

func TestConformance(t *testing.T) {
	source := start(t).Source(tongue, values)
	source.Tables = []string{"daily view", `crm."Leads" table`}
	source.Attacks = attacks()
	source.Secrets = []string{"127.0.0.1", "SALES", "n1", "PRIVATE KEY"}
	source.Mistakes = []warehousetest.Mistake{
		{SQL: "SELECT revenu FROM orders", Class: warehouse.Unknown, Line: 1, Names: `"revenu"`},
		{SQL: "SELECT 1\nFROM nowhere", Class: warehouse.Unknown, Names: `"nowhere"`},
		{SQL: "SELECT 1\n\nFROM orders WHER id = 1", Class: warehouse.Syntax, Line: 3},
		{SQL: "SELECT order FROM orders", Class: warehouse.Syntax, Line: 1, Names: `"ORDER"`},
		{SQL: "SELECT nofunction(1)", Class: warehouse.Unknown, Names: `"nofunction"`},
		{SQL: "SELECT day, note FROM orders GROUP BY day", Class: warehouse.Syntax, Names: "GROUP BY"},
		{SQL: "SELECT id FROM orders a, orders b", Class: warehouse.Syntax, Names: `"id"`},
		{SQL: "SELECT ABS(day) FROM orders", Class: warehouse.Type, Line: 1},
		{SQL: "SELECT note::NUMBER AS v FROM orders", Class: warehouse.Type, Names: "TRY_TO_NUMBER"},
		{SQL: "SELECT 1 / (id - id) AS v FROM orders", Class: warehouse.Type, Names: "NULLIF"},
		{SQL: "SELECT SUM(id) AS v FROM orders", Class: warehouse.Permission, Names: "default warehouse"},
		{SQL: "SELECT COUNT(id) AS v FROM orders", Class: warehouse.Timeout},
		{SQL: "SELECT MAX(id) AS v FROM orders", Class: warehouse.Failed, Names: "099999"},
	}
	warehousetest.Run(t, source)
}

// BenchmarkMillion reads a million rows.
func BenchmarkMillion(b *testing.B) { resttest.Million(b, start, tongue) }
