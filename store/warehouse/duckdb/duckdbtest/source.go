package duckdbtest

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"service/store/dashboard/cube"
	"service/store/warehouse"
	"service/store/warehouse/warehousetest"
)

// Orders is the table orders of the suite as CSV, with a header.
func Orders() []byte {
	data := []byte("id,day,amount,note\n")
	for i := 1; i <= 20_000; i++ {
		data = fmt.Appendf(data, "%d,%s,%v,n%d\n", i, date(2026, 1, 1).AddDate(0, 0, i%30).Format(time.DateOnly), float64(i)/100, i)
	}
	return data
}

// Source is the subject of the suite for a connector whose queries run in query workers. The caller adds Running, and the tables besides
// orders.
func Source(t *testing.T, open func(testing.TB) warehouse.Connector) warehousetest.Source {
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret.csv")
	if err := os.WriteFile(secret, []byte("word\nxyzzy\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return warehousetest.Source{
		Open: open,
		Clock: warehousetest.Clock{
			Moments: "(SELECT TIMESTAMPTZ '2026-02-25 00:00:00+00' + i * INTERVAL 30 MINUTE AS m FROM range(12672) AS r(i)) AS x",
			// date_trunc merges the two hours of the clock change into one.
			Hour: "m - to_minutes(date_part('minute', m)::BIGINT)", Day: "m::DATE", Week: "date_trunc('week', m)", Month: "date_trunc('month', m)",
			Midnight: "date_trunc('day', m)",
		},
		Values: values,
		Slow:   "SELECT count(*) AS n FROM orders a, orders b, orders c WHERE a.amount + b.amount < c.amount - 1e9",
		Runaways: []string{
			"SELECT count(*) AS n FROM range(1000000000000) a, range(1000000) b",
			"SELECT count(*) AS n FROM range(100000000000) WHERE sin(range) > 2",
			"WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) AS n FROM r",
			"SELECT max(md5(repeat('a', 1000) || range)) AS n FROM range(1000000000)",
			"SELECT max(levenshtein(repeat('a', 20000), repeat('b', 20000) || range)) AS n FROM range(100000)",
			"SELECT count(*) AS n FROM range(100000000000) ORDER BY random()",
		},
		Endless: "SELECT a.id AS n FROM orders a, orders b, orders c",
		Long:    "SELECT repeat('x', 20000000) AS n",
		Mistakes: []warehousetest.Mistake{
			{SQL: "SELECT revenu FROM orders", Class: warehouse.Unknown, Line: 1, Names: `"revenu"`},
			{SQL: "SELECT 1\nFROM nowhere", Class: warehouse.Unknown, Line: 2, Names: `"nowhere"`},
			{SQL: "SELECT 1\n\nFROM orders WHER id = 1", Class: warehouse.Syntax, Line: 3, Names: `"id"`},
			{SQL: "SELECT note::INT FROM orders", Class: warehouse.Type, Line: 1},
			{SQL: "DELETE FROM orders", Class: warehouse.Refused, Names: "SELECT"},
		},
		Attacks: attacks(dir, secret),
		Strict:  true,
		State:   func(t testing.TB) string { return state(t, open(t), dir) },
		Secrets: []string{"xyzzy", dir},
	}
}

// state returns the names of the files in dir, the tables, and sums of their rows.
func state(t testing.TB, c warehouse.Connector, dir string) string {
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	found, err := c.Introspect(t.Context(), warehouse.Introspection{})
	if err != nil {
		t.Fatal(err)
	}
	var sums warehousetest.Table
	const sql = "SELECT count(*) AS n, sum(id) AS ids, sum(amount)::DECIMAL(20, 2) AS amount, max(note) AS note FROM orders"
	if _, err := c.Query(t.Context(), sql, nil, warehousetest.Wide, &sums); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(files, "\n", found, "\n", sums.Rows)
}

func date(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, time.UTC) }

// values are values of each of the engine's types, and the values that they are converted to.
var values = []warehousetest.Value{
	{SQL: "true", Type: cube.Boolean, Want: true},
	{SQL: "1::TINYINT", Type: cube.Integer, Want: int64(1)},
	{SQL: "65535::USMALLINT", Type: cube.Integer, Want: int64(65535)},
	{SQL: "9223372036854775807", Type: cube.Integer, Want: int64(9223372036854775807)},
	{SQL: "9223372036854775807::UBIGINT", Type: cube.Integer, Want: int64(9223372036854775807)},
	{SQL: "9223372036854775808::UBIGINT", Type: cube.Integer, Want: cube.Decimal("9223372036854775808")},
	{SQL: "12::HUGEINT", Type: cube.Integer, Want: int64(12)},
	{
		SQL: "-170141183460469231731687303715884105727::HUGEINT", Type: cube.Integer,
		Want: cube.Decimal("-170141183460469231731687303715884105727"),
	},
	{SQL: "12::UHUGEINT", Type: cube.Integer, Want: int64(12)},
	{SQL: "12::DECIMAL(20, 0)", Type: cube.Integer, Want: int64(12)},
	{SQL: "12.50::DECIMAL(20, 2)", Type: cube.Number, Want: 12.5},
	{SQL: "12345678901234567.89::DECIMAL(20, 2)", Type: cube.Number, Want: cube.Decimal("12345678901234567.89")},
	{SQL: "1234567890123.45::DECIMAL(15, 2)", Type: cube.Number, Want: 1234567890123.45},
	{SQL: "sum(12345678901234567.89) OVER ()", Type: cube.Number, Want: cube.Decimal("12345678901234567.89")},
	{SQL: "0.1::FLOAT", Type: cube.Number, Want: 0.1},
	{SQL: "0.1::DOUBLE", Type: cube.Number, Want: 0.1},
	{SQL: "'NaN'::DOUBLE", Type: cube.Number, Want: cube.Lost},
	{SQL: "1 / 0", Type: cube.Number, Want: cube.Lost},
	{SQL: "'-inf'::FLOAT", Type: cube.Number, Want: cube.Lost},
	{SQL: "'x'", Type: cube.Text, Want: "x"},
	{SQL: "'é' || chr(0) || '漢'", Type: cube.Text, Want: "é\x00漢"},
	{SQL: "DATE '2024-02-29'", Type: cube.Date, Want: date(2024, 2, 29)},
	{SQL: "DATE '0001-01-01'", Type: cube.Date, Want: date(1, 1, 1)},
	{SQL: "DATE '1969-12-31'", Type: cube.Date, Want: date(1969, 12, 31)},
	{SQL: "'infinity'::DATE", Type: cube.Date, Want: cube.Lost},
	{SQL: "DATE '12024-02-29'", Type: cube.Date, Want: cube.Lost},
	{SQL: "TIMESTAMP '2024-02-29 12:00:00.123456'", Type: cube.Timestamp, Want: noon},
	{SQL: "TIMESTAMPTZ '2024-02-29 14:00:00.123456+02'", Type: cube.Instant, Want: noon},
	{SQL: "'2024-02-29 12:00:00.123456789'::TIMESTAMP_NS", Type: cube.Timestamp, Want: noon},
	{SQL: "'2024-02-29 12:00:00'::TIMESTAMP_S", Type: cube.Timestamp, Want: noon.Truncate(time.Second)},
	{SQL: "'-infinity'::TIMESTAMP", Type: cube.Timestamp, Want: cube.Lost},
	{SQL: "'infinity'::TIMESTAMPTZ", Type: cube.Instant, Want: cube.Lost},
	{SQL: "NULL::TIMESTAMP", Type: cube.Timestamp, Want: nil},
	{SQL: "TIME '10:11:12'", Type: cube.Text, Want: "10:11:12"},
	{SQL: "INTERVAL '1 month 2 days'", Type: cube.Text, Want: "1 month 2 days"},
	{SQL: "'1b4e28ba-2fa1-11d2-883f-0016d3cca427'::UUID", Type: cube.Text, Want: "1b4e28ba-2fa1-11d2-883f-0016d3cca427"},
	{SQL: "'b'::ENUM('a', 'b')", Type: cube.Text, Want: "b"},
	{SQL: "[1, NULL]", Type: cube.Text, Want: "[1,null]"},
	{SQL: "[DATE '2024-02-29']", Type: cube.Text, Want: `["2024-02-29"]`},
	{SQL: "{'a': 1, 'b': [true]}", Type: cube.Text, Want: `{"a":1,"b":[true]}`},
	{SQL: "MAP {'a': 1}", Type: cube.Text, Want: `{"a":1}`},
	{SQL: "union_value(k := 1)", Type: cube.Text, Want: `{"k":1}`},
	{SQL: "array_value(1, 2)", Type: cube.Text, Want: "[1,2]"},
	{SQL: "'{\"a\": 1}'::JSON", Type: cube.Text, Want: `{"a": 1}`},
	{SQL: "'\\xAA'::BLOB", Type: cube.Text, Want: `\xAA`},
	{SQL: "'101'::BIT", Type: cube.Text, Want: "101"},
	{SQL: "123456789012345678901234567890::BIGNUM", Type: cube.Number, Want: cube.Decimal("123456789012345678901234567890")},
	{SQL: "NULL", Type: cube.Integer, Want: nil},
	{SQL: "NULL::VARCHAR", Type: cube.Text, Want: nil},
}

var noon = time.Date(2024, 2, 29, 12, 0, 0, 123456000, time.UTC)
