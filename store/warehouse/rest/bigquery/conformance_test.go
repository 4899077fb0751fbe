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
	"service/store/warehouse/rest/bigquery"
	"service/store/warehouse/warehousetest"
)

// The outcomes of statements, by their text.

var orders = []col{
	{Name: "id", Type: "INTEGER", Mode: "REQUIRED"},
	{Name: "day", Type: "DATE"},
	{Name: "amount", Type: "NUMERIC"},
	{Name: "note", Type: "STRING"},
}

// order is row i (from 0) of the table orders.
func order(i int) []any {
	id := i + 1
	day := time.Date(2026, 1, 1+id%30, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
	return []any{strconv.Itoa(id), day, strings.TrimSuffix(fmt.Sprintf("%d.%02d", id/100, id%100), ".00"), "n" + strconv.Itoa(id)}
}

// fixed has the same rows whatever the parameters.
func fixed(schema []col, rows ...[]any) recorded {
	return recorded{schema: schema, bytes: 160_000, rows: func(params) (int, func(int) []any) {
		return len(rows), func(i int) []any { return rows[i] }
	}}
}

// many has n rows.
func many(schema []col, n int, row func(i int) []any) recorded {
	return recorded{schema: schema, bytes: 160_000, rows: func(params) (int, func(int) []any) { return n, row }}
}

func ids(name string, of ...int) recorded {
	rows := make([][]any, len(of))
	for i, id := range of {
		rows[i] = []any{strconv.Itoa(id)}
	}
	return fixed([]col{{Name: name, Type: "INTEGER"}}, rows...)
}

// counting counts the orders for which keep is true.
func counting(keep func(id int, p params) bool) recorded {
	return recorded{schema: []col{{Name: "n", Type: "INTEGER"}}, bytes: 160_000, rows: func(p params) (int, func(int) []any) {
		n := 0
		for id := range 20_000 {
			if keep(id+1, p) {
				n++
			}
		}
		return 1, func(int) []any { return []any{strconv.Itoa(n)} }
	}}
}

func (p params) number(name string) float64 {
	f, _ := strconv.ParseFloat(*p.values[name], 64)
	return f
}

func invalid(message string) recorded {
	return recorded{fails: fault{http.StatusBadRequest, "invalidQuery", message}}
}

// broken breaks when it runs.
func broken(reason, message string) recorded {
	return recorded{schema: n, breaks: fault{http.StatusBadRequest, reason, message}}
}

var n = []col{{Name: "n", Type: "INTEGER"}}

const (
	slow    = "SELECT COUNT(*) AS n FROM orders a, orders b, orders c WHERE a.amount + b.amount < c.amount - 1e9"
	endless = "SELECT a.id AS n FROM orders a, orders b, orders c"
	long    = "SELECT REPEAT('x', 20000000) AS n"
	wide    = "SELECT REPEAT('x', 2000000) AS n"
	moments = "UNNEST(GENERATE_TIMESTAMP_ARRAY('2026-02-25 00:00:00+00', '2026-11-15 23:30:00+00', INTERVAL 30 MINUTE)) AS m"
)

var clock = warehousetest.Clock{
	Moments: moments, Hour: "TIMESTAMP_TRUNC(m, HOUR)", Day: "DATE(m, @@time_zone)",
	Week: "TIMESTAMP_TRUNC(m, ISOWEEK, @@time_zone)", Month: "DATE_TRUNC(DATE(m, @@time_zone), MONTH)",
}

// rounded counts moments by their beginnings on the clock of a zone.
func rounded(kind string, begin func(local time.Time) time.Time) recorded {
	return recorded{
		schema: []col{{Name: "at", Type: kind}, {Name: "n", Type: "INTEGER"}},
		rows: func(p params) (int, func(int) []any) {
			zone, _ := time.LoadLocation(p.zone)
			counts, order := map[string]int{}, []string{}
			for i := range warehousetest.Moments {
				at := begin(warehousetest.FirstMoment.Add(time.Duration(i) * 30 * time.Minute).In(zone))
				text := at.Format(time.DateOnly)
				if kind == "TIMESTAMP" { // DataFormatOptions, useInt64Timestamp: "Output timestamp as usec int64"
					text = strconv.FormatInt(at.UnixMicro(), 10)
				}
				if counts[text]++; counts[text] == 1 {
					order = append(order, text)
				}
			}
			return len(order), func(i int) []any { return []any{order[i], strconv.Itoa(counts[order[i]])} }
		},
	}
}

var values = []struct {
	warehousetest.Value
	col  col
	sent any
}{
	{warehousetest.Value{SQL: "1", Type: cube.Integer, Want: int64(1)}, col{Type: "INTEGER"}, "1"},
	{
		warehousetest.Value{SQL: "9007199254740993", Type: cube.Integer, Want: int64(9007199254740993)},
		col{Type: "INTEGER"},
		"9007199254740993",
	},
	{warehousetest.Value{SQL: "1.5", Type: cube.Number, Want: 1.5}, col{Type: "FLOAT"}, "1.5"},
	{warehousetest.Value{SQL: "1e300", Type: cube.Number, Want: 1e300}, col{Type: "FLOAT"}, "1.0E300"},
	{warehousetest.Value{SQL: "CAST('NaN' AS FLOAT64)", Type: cube.Number, Want: cube.Lost}, col{Type: "FLOAT"}, "NaN"},
	{warehousetest.Value{SQL: "CAST('-inf' AS FLOAT64)", Type: cube.Number, Want: cube.Lost}, col{Type: "FLOAT"}, "-Infinity"},
	{
		warehousetest.Value{SQL: "NUMERIC '12345678901234567.89'", Type: cube.Number, Want: cube.Decimal("12345678901234567.89")},
		col{Type: "NUMERIC"},
		"12345678901234567.89",
	},
	{
		warehousetest.Value{SQL: "BIGNUMERIC '-1e-30'", Type: cube.Number, Want: -1e-30},
		col{Type: "BIGNUMERIC"},
		"-0.000000000000000000000000000001",
	},
	{
		warehousetest.Value{SQL: "CAST(12345678901234567890 AS NUMERIC(20))", Type: cube.Integer, Want: cube.Decimal("12345678901234567890")},
		col{Type: "NUMERIC", Precision: "20"},
		"12345678901234567890",
	},
	{
		warehousetest.Value{SQL: "CAST(1.25 AS NUMERIC(10, 2))", Type: cube.Number, Want: 1.25},
		col{Type: "NUMERIC", Precision: "10", Scale: "2"},
		"1.25",
	},
	{warehousetest.Value{SQL: "TRUE", Type: cube.Boolean, Want: true}, col{Type: "BOOLEAN"}, "true"},
	{warehousetest.Value{SQL: "'it\\'s'", Type: cube.Text, Want: "it's"}, col{Type: "STRING"}, "it's"},
	{warehousetest.Value{SQL: "'\\x00'", Type: cube.Text, Want: `\x00`}, col{Type: "STRING"}, "\x00"},
	{warehousetest.Value{SQL: "NULL", Type: cube.Integer, Want: nil}, col{Type: "INTEGER"}, nil},
	{warehousetest.Value{SQL: "CAST(NULL AS DATE)", Type: cube.Date, Want: nil}, col{Type: "DATE"}, nil},
	{
		warehousetest.Value{SQL: "DATE '2026-02-03'", Type: cube.Date, Want: time.Date(2026, 2, 3, 0, 0, 0, 0, time.UTC)},
		col{Type: "DATE"},
		"2026-02-03",
	},
	{
		warehousetest.Value{
			SQL: "TIMESTAMP '2026-02-03 04:05:06.000007+02'", Type: cube.Instant, Want: time.Date(2026, 2, 3, 2, 5, 6, 7000, time.UTC),
		},
		col{Type: "TIMESTAMP"},
		"1770084306000007",
	},
	{
		warehousetest.Value{
			SQL: "TIMESTAMP '1969-12-31 23:59:59.5Z'", Type: cube.Instant, Want: time.Date(1969, 12, 31, 23, 59, 59, 5e8, time.UTC),
		},
		col{Type: "TIMESTAMP"},
		"-500000",
	},
	{
		warehousetest.Value{SQL: "DATETIME '2026-02-03 04:05:06.5'", Type: cube.Timestamp, Want: time.Date(2026, 2, 3, 4, 5, 6, 5e8, time.UTC)},
		col{Type: "DATETIME"},
		"2026-02-03T04:05:06.500000",
	},
	{warehousetest.Value{SQL: "TIME '12:30:00.45'", Type: cube.Text, Want: "12:30:00.450000"}, col{Type: "TIME"}, "12:30:00.450000"},
	{warehousetest.Value{SQL: "b'abc'", Type: cube.Text, Want: "abc"}, col{Type: "BYTES"}, "YWJj"},
	{warehousetest.Value{SQL: "b'\\x00\\xff'", Type: cube.Text, Want: `\x00ff`}, col{Type: "BYTES"}, "AP8="},
	{warehousetest.Value{SQL: "[1, 2]", Type: cube.Text, Want: "[1,2]"}, col{Type: "INTEGER", Mode: "REPEATED"}, []any{"1", "2"}},
	{warehousetest.Value{SQL: "ARRAY<STRING>[]", Type: cube.Text, Want: "[]"}, col{Type: "STRING", Mode: "REPEATED"}, []any{}},
	{
		warehousetest.Value{
			SQL: "[STRUCT(1 AS a, 'x\"' AS b, TIMESTAMP '2026-02-03 04:05:06Z' AS c, NULL AS d, CAST('NaN' AS FLOAT64) AS e, " +
				"JSON '{\"k\": 1}' AS f)]",
			Type: cube.Text, Want: `[{"a":1,"b":"x\"","c":"2026-02-03T04:05:06Z","d":null,"e":null,"f":{"k":1}}]`,
		},
		col{Type: "RECORD", Mode: "REPEATED", Fields: []col{
			{Name: "a", Type: "INTEGER"},
			{Name: "b", Type: "STRING"},
			{Name: "c", Type: "TIMESTAMP"},
			{Name: "d", Type: "INTEGER"},
			{Name: "e", Type: "FLOAT"},
			{Name: "f", Type: "JSON"},
		}},
		[]any{[]any{"1", `x"`, "1770091506000000", nil, "NaN", `{"k":1}`}},
	},
	{warehousetest.Value{SQL: `JSON '{"a": 1}'`, Type: cube.Text, Want: `{"a":1}`}, col{Type: "JSON"}, `{"a":1}`},
	{warehousetest.Value{SQL: "INTERVAL 1 DAY", Type: cube.Text, Want: "0-0 1 0:0:0"}, col{Type: "INTERVAL"}, "0-0 1 0:0:0"},
	{
		warehousetest.Value{SQL: "RANGE<DATE> '[2026-01-01, 2026-02-01)'", Type: cube.Text, Want: "[2026-01-01, 2026-02-01)"},
		col{Type: "RANGE"},
		"[2026-01-01, 2026-02-01)",
	},
	{warehousetest.Value{SQL: "ST_GEOGPOINT(1, 2)", Type: cube.Text, Want: "POINT(1 2)"}, col{Type: "GEOGRAPHY"}, "POINT(1 2)"},
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
func listing(p params) (int, func(int) []any) {
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
		if table := *p.values["p1"]; (table == "" || table == name) && strings.Contains(name, strings.ToLower(*p.values["p2"])) {
			rows = append(rows, row)
		}
	}
	return len(rows), func(i int) []any { return rows[i] }
}

// statements are all that is recorded.
func statements() map[string]recorded {
	id, idNote := orders[:1], []col{orders[3]}
	table := func(from int, to int) recorded {
		return many(orders, to-from+1, func(i int) []any { return order(from - 1 + i) })
	}
	first := func(row func(i int) []any, cells int) func(i int) []any {
		return func(i int) []any { return row(i)[:cells] }
	}
	all := map[string]recorded{
		catalog: {schema: catalogColumns, bytes: 10 << 20, rows: listing},
		"SELECT 1 AS n FROM `shop`.INFORMATION_SCHEMA.TABLES LIMIT 1": ids("n", 1),

		"SELECT 1 AS n":                         ids("n", 1),
		"SELECT 1 AS n -- a comment":            ids("n", 1),
		"SELECT 1 AS n ":                        ids("n", 1),
		"\n SELECT /* a ; b */ ';' AS n":        fixed([]col{{Name: "n", Type: "STRING"}}, []any{";"}),
		"SELECT id FROM orders":                 many(id, 20_000, first(order, 1)),
		"SELECT id AS turning FROM orders":      many([]col{{Name: "turning", Type: "INTEGER"}}, 20_000, first(order, 1)),
		"SELECT id FROM orders WHERE id <= 700": many(id, 700, first(order, 1)),
		"SELECT id FROM orders WHERE id < 0":    many(id, 0, nil),
		"SELECT note FROM orders":               many(idNote, 20_000, func(i int) []any { return order(i)[3:] }),
		"WITH x AS (SELECT id FROM orders WHERE id <= 3) SELECT id FROM x UNION ALL SELECT id FROM x": ids("id", 1, 2, 3, 1, 2, 3),
		"(SELECT id FROM orders WHERE id = 1) UNION (SELECT id FROM orders WHERE id = 2)":             ids("id", 1, 2),
		"SELECT id, day, amount, note FROM orders ORDER BY id LIMIT 3":                                table(1, 3),
		"SELECT id, day, amount, note FROM orders WHERE id BETWEEN 31 AND 32 ORDER BY id":             table(31, 32),
		"SELECT day, SUM(amount) AS revenue, COUNT(*) AS orders FROM orders GROUP BY day ORDER BY day -- by day": fixed(
			[]col{{Name: "day", Type: "DATE"}, {Name: "revenue", Type: "NUMERIC"}, {Name: "orders", Type: "INTEGER"}},
			[]any{"2026-01-01", "66733", "666"}),
		"WITH big AS (SELECT * FROM orders WHERE amount > 100) SELECT MAX(day) AS last, MIN(note) AS first FROM big": fixed(
			[]col{{Name: "last", Type: "DATE"}, {Name: "first", Type: "STRING"}}, []any{"2026-01-30", "n10001"}),
		"SELECT id FROM orders WHERE id = @p1": {schema: id, rows: func(p params) (int, func(int) []any) {
			return 1, func(int) []any { return []any{*p.values["p1"]} }
		}},
		"SELECT note FROM orders WHERE id = @p1": {schema: idNote, rows: func(p params) (int, func(int) []any) {
			return 1, func(int) []any { return []any{"n" + *p.values["p1"]} }
		}},
		"SELECT COUNT(*) AS n FROM orders WHERE id = @p1": counting(func(id int, p params) bool { return float64(id) == p.number("p1") }),
		"SELECT COUNT(*) AS n FROM orders WHERE day >= @p1": counting(func(id int, p params) bool {
			return order(id - 1)[1].(string) >= *p.values["p1"]
		}),
		"SELECT COUNT(*) AS n FROM orders WHERE amount > @p1": counting(func(id int, p params) bool {
			return float64(id)/100 > p.number("p1")
		}),
		"SELECT COUNT(*) AS n FROM orders WHERE note = @p1": counting(func(id int, p params) bool {
			return p.values["p1"] != nil && "n"+strconv.Itoa(id) == *p.values["p1"]
		}),
		"SELECT COUNT(*) AS n FROM orders WHERE note <> @p1": counting(func(id int, p params) bool {
			return "n"+strconv.Itoa(id) != *p.values["p1"]
		}),
		"SELECT COUNT(*) AS n FROM orders WHERE id >= @p1 AND note = @p2 AND day < @p3": counting(func(id int, p params) bool {
			return float64(id) >= p.number("p1") && "n"+strconv.Itoa(id) == *p.values["p2"] && order(id - 1)[1].(string) < *p.values["p3"]
		}),

		slow:    {schema: n, slow: true, bytes: 160_000},
		endless: many(n, 8_000_000_000_000, func(i int) []any { return []any{strconv.Itoa(i)} }),
		long:    many([]col{{Name: "n", Type: "STRING"}}, 1, func(int) []any { return []any{strings.Repeat("x", 20_000_000)} }),
		wide:    many([]col{{Name: "n", Type: "STRING"}}, 1, func(int) []any { return []any{strings.Repeat("x", 2_000_000)} }),

		// The forms of messages are those that the parsers of other programs know.
		"SELECT 1 AS a, 2 AS a":         invalid("Duplicate column names in the result are not supported. Found duplicate(s): a"),
		"SELECT revenu FROM orders":     invalid("Unrecognized name: revenu at [1:8]"),
		"SELECT o.revenu FROM orders o": invalid("Name revenu not found inside o at [1:10]"),
		"SELECT 1\nFROM nowhere": {fails: fault{
			http.StatusNotFound, "notFound", "Not found: Table acme-prod:shop.nowhere was not found in location europe-west3 at [2:6]",
		}},
		"SELECT 1 FROM other.secret": {fails: fault{
			http.StatusForbidden, "accessDenied", "Access Denied: Table acme-prod:other.secret: User does not have permission to query table " +
				"acme-prod:other.secret, or perhaps it does not exist.",
		}},
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
	}
	for _, v := range values {
		c := v.col
		c.Name = "v"
		all["SELECT "+v.SQL+" AS v"] = fixed([]col{c}, []any{v.sent})
	}
	midnight := func(l time.Time) time.Time { return cube.DayOf(l).In(l.Location()) } // the day's first moment, where there is no midnight
	for expression, r := range map[string]recorded{
		clock.Hour: rounded("TIMESTAMP", func(l time.Time) time.Time {
			_, offset := l.Zone()
			local := l.Add(time.Duration(offset) * time.Second).UTC()
			return l.Add(local.Truncate(time.Hour).Sub(local))
		}),
		clock.Day: rounded("DATE", midnight),
		clock.Week: rounded("TIMESTAMP", func(l time.Time) time.Time {
			return midnight(l.AddDate(0, 0, -(int(l.Weekday())+6)%7))
		}),
		clock.Month: rounded("DATE", func(l time.Time) time.Time { return midnight(l.AddDate(0, 0, 1-l.Day())) }),
	} {
		all["SELECT "+expression+" AS at, count(*) AS n FROM "+moments+" GROUP BY 1"] = r
	}
	for _, sql := range piped {
		all[sql] = recorded{kind: "CREATE_TABLE_AS_SELECT", rows: func(params) (int, func(int) []any) { return 0, nil }}
	}
	return all
}

// start is a stand-in with all statements, and opens connectors to it.
func start(t testing.TB) (s *standIn, open func(address string) warehouse.Connector) {
	s = newStandIn(t, statements())
	return s, func(address string) warehouse.Connector {
		c, err := bigquery.Open(s.target(address), warehouse.Dialer{AllowPrivate: true})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
}

func TestConformance(t *testing.T) {
	s, open := start(t)
	var all []warehousetest.Value
	for _, v := range values {
		all = append(all, v.Value)
	}
	warehousetest.Run(t, warehousetest.Source{
		Open:    func(testing.TB) warehouse.Connector { return open("") },
		Address: s.http.Listener.Addr().String(),
		At:      func(_ testing.TB, address string) warehouse.Connector { return open(address) },
		Tables:  []string{"daily view"},
		Values:  all,
		Clock:   clock,
		Slow:    slow,
		Endless: endless,
		Long:    long,
		Mistakes: []warehousetest.Mistake{
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
		},
		Attacks: attacks(),
		Strict:  true,
		State: func(testing.TB) string {
			s.mu.Lock()
			defer s.mu.Unlock()
			return strings.Join(s.effects, "\n")
		},
		Running: func(testing.TB) int { return s.running() },
		Secrets: []string{"127.0.0.1", "acme-prod", account, "n1", "PRIVATE KEY"},
	})
}
