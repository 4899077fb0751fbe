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
	"service/store/warehouse/rest/snowflake"
	"service/store/warehouse/warehousetest"
)

// The outcomes of statements, by their text. Names of columns that were written without quotes are in capitals.

func fixedOf(name string, scale int) col { return col{Name: name, Type: "fixed", Scale: &scale} }

func textOf(name string) col { return col{Name: name, Type: "text"} }

var (
	orders = []col{fixedOf("ID", 0), {Name: "DAY", Type: "date"}, fixedOf("AMOUNT", 2), textOf("NOTE")}
	n      = []col{fixedOf("N", 0)}
)

// order is row i (from 0) of the table orders.
func order(i int) []any {
	id := i + 1
	day := cube.DayOf(time.Date(2026, 1, 1+id%30, 0, 0, 0, 0, time.UTC))
	return []any{strconv.Itoa(id), fmt.Sprint(int64(day)), fmt.Sprintf("%d.%02d", id/100, id%100), "n" + strconv.Itoa(id)}
}

// fixed has the same rows whatever the parameters.
func fixed(types []col, rows ...[]any) recorded {
	return recorded{types: types, rows: func(params) (int, func(int) []any) {
		return len(rows), func(i int) []any { return rows[i] }
	}}
}

// many has n rows.
func many(types []col, n int, row func(i int) []any) recorded {
	return recorded{types: types, rows: func(params) (int, func(int) []any) { return n, row }}
}

func ids(name string, of ...int) recorded {
	rows := make([][]any, len(of))
	for i, id := range of {
		rows[i] = []any{strconv.Itoa(id)}
	}
	return fixed([]col{fixedOf(name, 0)}, rows...)
}

// counting counts the orders for which keep is true.
func counting(keep func(id int, p params) bool) recorded {
	return recorded{types: n, rows: func(p params) (int, func(int) []any) {
		n := 0
		for id := range 20_000 {
			if keep(id+1, p) {
				n++
			}
		}
		return 1, func(int) []any { return []any{strconv.Itoa(n)} }
	}}
}

func (p params) number(i int) float64 {
	f, _ := strconv.ParseFloat(*p.values[i], 64)
	return f
}

// date is a binding of type DATE, which is milliseconds.
func (p params) date(i int) int64 { return int64(p.number(i)) / 86_400_000 }

func dayOf(id int) int64 {
	n, _ := strconv.ParseInt(order(id - 1)[1].(string), 10, 64)
	return n
}

func invalid(code, message string) recorded {
	return recorded{fails: fault{http.StatusUnprocessableEntity, code, "SQL compilation error: " + message}}
}

// broken breaks when it runs.
func broken(code, message string) recorded {
	return recorded{types: n, breaks: fault{http.StatusUnprocessableEntity, code, message}}
}

const (
	slow    = "SELECT COUNT(*) AS n FROM orders a, orders b, orders c WHERE a.amount + b.amount < c.amount - 1e9"
	endless = "SELECT a.id AS n FROM orders a, orders b, orders c"
	long    = "SELECT REPEAT('x', 15000000) AS n"
	moments = "(SELECT DATEADD(minute, 30 * SEQ4(), '2026-02-25T00:00:00Z'::TIMESTAMP_LTZ) AS m FROM TABLE(GENERATOR(ROWCOUNT => 12672))) AS x"
)

var clock = warehousetest.Clock{
	Moments: moments, Hour: "DATE_TRUNC('HOUR', m)", Day: "m::DATE", Week: "DATE_TRUNC('WEEK', m)", Month: "DATE_TRUNC('MONTH', m)::DATE",
}

// rounded counts moments by their beginnings on the clock of a zone.
func rounded(kind string, begin func(local time.Time) time.Time) recorded {
	return recorded{
		types: []col{{Name: "AT", Type: kind}, fixedOf("N", 0)},
		rows: func(p params) (int, func(int) []any) {
			zone, _ := time.LoadLocation(p.zone)
			counts, order := map[string]int{}, []string{}
			for i := range warehousetest.Moments {
				at := begin(warehousetest.FirstMoment.Add(time.Duration(i) * 30 * time.Minute).In(zone))
				text := fmt.Sprint(int64(cube.DayOf(at)))
				if kind == "timestamp_ltz" { // "Float value (with 9 decimal places) of the number of seconds since the epoch"
					text = fmt.Sprintf("%d.000000000", at.Unix())
				}
				if counts[text]++; counts[text] == 1 {
					order = append(order, text)
				}
			}
			return len(order), func(i int) []any { return []any{order[i], strconv.Itoa(counts[order[i]])} }
		},
	}
}

// values are as "Handling responses", "Getting the data from the results", has them.
var values = []struct {
	warehousetest.Value
	col  col
	sent any
}{
	{warehousetest.Value{SQL: "1", Type: cube.Integer, Want: int64(1)}, fixedOf("V", 0), "1"},
	{
		warehousetest.Value{SQL: "12345678901234567890", Type: cube.Integer, Want: cube.Decimal("12345678901234567890")},
		fixedOf("V", 0), "12345678901234567890",
	},
	{warehousetest.Value{SQL: "1.50", Type: cube.Number, Want: 1.5}, fixedOf("V", 2), "1.50"},
	{
		warehousetest.Value{SQL: "12345678901234567.89", Type: cube.Number, Want: cube.Decimal("12345678901234567.89")},
		fixedOf("V", 2), "12345678901234567.89",
	},
	{warehousetest.Value{SQL: "1e300::FLOAT", Type: cube.Number, Want: 1e300}, col{Name: "V", Type: "real"}, "1e300"},
	{warehousetest.Value{SQL: "'NaN'::FLOAT", Type: cube.Number, Want: cube.Lost}, col{Name: "V", Type: "real"}, "NaN"},
	{warehousetest.Value{SQL: "'-inf'::FLOAT", Type: cube.Number, Want: cube.Lost}, col{Name: "V", Type: "real"}, "-inf"},
	{warehousetest.Value{SQL: "TRUE", Type: cube.Boolean, Want: true}, col{Name: "V", Type: "boolean"}, "true"},
	{warehousetest.Value{SQL: "'it''s'", Type: cube.Text, Want: "it's"}, textOf("V"), "it's"},
	{warehousetest.Value{SQL: "NULL", Type: cube.Text, Want: nil}, textOf("V"), nil},
	{warehousetest.Value{SQL: "NULL::DATE", Type: cube.Date, Want: nil}, col{Name: "V", Type: "date"}, nil},
	{
		warehousetest.Value{SQL: "'2020-01-01'::DATE", Type: cube.Date, Want: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)},
		col{Name: "V", Type: "date"},
		"18262",
	},
	{
		warehousetest.Value{SQL: "'1969-12-31'::DATE", Type: cube.Date, Want: time.Date(1969, 12, 31, 0, 0, 0, 0, time.UTC)},
		col{Name: "V", Type: "date"},
		"-1",
	},
	{warehousetest.Value{SQL: "'23:01:59'::TIME", Type: cube.Text, Want: "23:01:59"}, col{Name: "V", Type: "time"}, "82919.000000000"},
	{
		warehousetest.Value{
			SQL: "'2021-01-28 22:09:37.123456'::TIMESTAMP_NTZ", Type: cube.Timestamp, Want: time.Date(2021, 1, 28, 22, 9, 37, 123_456_000, time.UTC),
		},
		col{Name: "V", Type: "timestamp_ntz"},
		"1611871777.123456000",
	},
	{
		warehousetest.Value{
			SQL: "'1969-12-31 23:59:59.5Z'::TIMESTAMP_LTZ", Type: cube.Instant, Want: time.Date(1969, 12, 31, 23, 59, 59, 5e8, time.UTC),
		},
		col{Name: "V", Type: "timestamp_ltz"},
		"-0.500000000",
	},
	{
		warehousetest.Value{
			SQL: "'2021-03-19 18:06:59 +0100'::TIMESTAMP_TZ", Type: cube.Instant, Want: time.Date(2021, 3, 19, 17, 6, 59, 0, time.UTC),
		},
		col{Name: "V", Type: "timestamp_tz"},
		"1616173619.000000000 1500",
	},
	{warehousetest.Value{SQL: "TO_BINARY('616263')", Type: cube.Text, Want: "abc"}, col{Name: "V", Type: "binary"}, "616263"},
	{warehousetest.Value{SQL: "TO_BINARY('00FF')", Type: cube.Text, Want: `\x00ff`}, col{Name: "V", Type: "binary"}, "00FF"},
	{warehousetest.Value{SQL: "PARSE_JSON('{\"a\":1}')", Type: cube.Text, Want: `{"a":1}`}, col{Name: "V", Type: "variant"}, `{"a":1}`},
	{warehousetest.Value{SQL: "ARRAY_CONSTRUCT(1, 2)", Type: cube.Text, Want: "[1,2]"}, col{Name: "V", Type: "array"}, "[1,2]"},
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
func listing(p params) (int, func(int) []any) {
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
		table, own := strings.ToUpper(*p.values[0]), *p.values[1]
		fits := table == "" || table == schema+"."+name || schema == own && table == name
		if fits && strings.Contains(schema+"."+name, strings.ToUpper(*p.values[2])) {
			rows = append(rows, row)
		}
	}
	return len(rows), func(i int) []any { return rows[i] }
}

// statements are all that is recorded.
func statements() map[string]recorded {
	table := func(from, to int) recorded {
		return many(orders, to-from+1, func(i int) []any { return order(from - 1 + i) })
	}
	first := func(i int) []any { return order(i)[:1] }
	note := func(p params) string {
		if p.values[0] == nil {
			return "\x00"
		}
		return *p.values[0]
	}
	all := map[string]recorded{
		catalog: {types: catalogColumns, rows: listing},
		"SELECT 1 AS n FROM information_schema.tables": ids("N", 1),

		"SELECT 1 AS n":                         ids("N", 1),
		"SELECT 1 AS n -- a comment":            ids("N", 1),
		"SELECT 1 AS n ":                        ids("N", 1),
		"\n SELECT /* a ; b */ ';' AS n":        fixed([]col{textOf("N")}, []any{";"}),
		"SELECT id FROM orders":                 many(orders[:1], 20_000, first),
		"SELECT id AS turning FROM orders":      many([]col{fixedOf("TURNING", 0)}, 20_000, first),
		"SELECT id FROM orders WHERE id <= 700": many(orders[:1], 700, first),
		"SELECT id FROM orders WHERE id < 0":    many(orders[:1], 0, nil),
		"SELECT note FROM orders":               many(orders[3:], 20_000, func(i int) []any { return order(i)[3:] }),
		"WITH x AS (SELECT id FROM orders WHERE id <= 3) SELECT id FROM x UNION ALL SELECT id FROM x": ids("ID", 1, 2, 3, 1, 2, 3),
		"(SELECT id FROM orders WHERE id = 1) UNION (SELECT id FROM orders WHERE id = 2)":             ids("ID", 1, 2),
		"SELECT id, day, amount, note FROM orders ORDER BY id LIMIT 3":                                table(1, 3),
		"SELECT id, day, amount, note FROM orders WHERE id BETWEEN 31 AND 32 ORDER BY id":             table(31, 32),
		"SELECT day, SUM(amount) AS revenue, COUNT(*) AS orders FROM orders GROUP BY day ORDER BY day -- by day": fixed(
			[]col{orders[1], fixedOf("REVENUE", 2), fixedOf("ORDERS", 0)}, []any{"20454", "66733.00", "666"}),
		"WITH big AS (SELECT * FROM orders WHERE amount > 100) SELECT MAX(day) AS last, MIN(note) AS first FROM big": fixed(
			[]col{{Name: "LAST", Type: "date"}, textOf("FIRST")}, []any{"20483", "n10001"}),
		"SELECT 1 AS a, 2 AS a": fixed([]col{fixedOf("A", 0), fixedOf("A", 0)}, []any{"1", "2"}),
		"SELECT id FROM orders WHERE id = ?": {types: orders[:1], rows: func(p params) (int, func(int) []any) {
			return 1, func(int) []any { return []any{*p.values[0]} }
		}},
		"SELECT note FROM orders WHERE id = ?": {types: orders[3:], rows: func(p params) (int, func(int) []any) {
			return 1, func(int) []any { return []any{"n" + *p.values[0]} }
		}},
		"SELECT COUNT(*) AS n FROM orders WHERE id = ?":   counting(func(id int, p params) bool { return float64(id) == p.number(0) }),
		"SELECT COUNT(*) AS n FROM orders WHERE day >= ?": counting(func(id int, p params) bool { return dayOf(id) >= p.date(0) }),
		"SELECT COUNT(*) AS n FROM orders WHERE amount > ?": counting(func(id int, p params) bool {
			return float64(id)/100 > p.number(0)
		}),
		"SELECT COUNT(*) AS n FROM orders WHERE note = ?":  counting(func(id int, p params) bool { return "n"+strconv.Itoa(id) == note(p) }),
		"SELECT COUNT(*) AS n FROM orders WHERE note <> ?": counting(func(id int, p params) bool { return "n"+strconv.Itoa(id) != note(p) }),
		"SELECT COUNT(*) AS n FROM orders WHERE id >= ? AND note = ? AND day < ?": counting(func(id int, p params) bool {
			return float64(id) >= p.number(0) && "n"+strconv.Itoa(id) == *p.values[1] && dayOf(id) < p.date(2)
		}),

		slow:    {types: n, slow: true},
		endless: many(n, 8_000_000_000_000, func(i int) []any { return []any{strconv.Itoa(i)} }),
		long:    many([]col{textOf("N")}, 1, func(int) []any { return []any{strings.Repeat("x", 15_000_000)} }),

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
	}
	for _, v := range values {
		all["SELECT "+v.SQL+" AS v"] = fixed([]col{v.col}, []any{v.sent})
	}
	midnight := func(l time.Time) time.Time { return cube.DayOf(l).In(l.Location()) } // the day's first moment, where there is no midnight
	for expression, r := range map[string]recorded{
		clock.Hour: rounded("timestamp_ltz", func(l time.Time) time.Time {
			_, offset := l.Zone()
			local := l.Add(time.Duration(offset) * time.Second).UTC()
			return l.Add(local.Truncate(time.Hour).Sub(local))
		}),
		clock.Day: rounded("date", midnight),
		clock.Week: rounded("timestamp_ltz", func(l time.Time) time.Time {
			return midnight(l.AddDate(0, 0, -(int(l.Weekday())+6)%7))
		}),
		clock.Month: rounded("date", func(l time.Time) time.Time { return midnight(l.AddDate(0, 0, 1-l.Day())) }),
	} {
		all["SELECT "+expression+" AS at, count(*) AS n FROM "+moments+" GROUP BY 1"] = r
	}
	for _, sql := range disguised {
		all[sql] = recorded{effect: true, types: n, rows: func(params) (int, func(int) []any) { return 0, nil }}
	}
	return all
}

// start is a stand-in with all statements, and opens connectors to it.
func start(t testing.TB) (s *standIn, open func(address string) warehouse.Connector) {
	s = newStandIn(t, statements())
	return s, func(address string) warehouse.Connector {
		c, err := snowflake.Open(s.target(address), warehouse.Dialer{AllowPrivate: true})
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
		Tables:  []string{"daily view", `crm."Leads" table`},
		Values:  all,
		Clock:   clock,
		Slow:    slow,
		Endless: endless,
		Long:    long,
		Mistakes: []warehousetest.Mistake{
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
		},
		Attacks: attacks(),
		Strict:  true,
		State: func(testing.TB) string {
			s.mu.Lock()
			defer s.mu.Unlock()
			return strings.Join(s.effects, "\n")
		},
		Running: func(testing.TB) int { return s.running() },
		Secrets: []string{"127.0.0.1", "SALES", "n1", "PRIVATE KEY"},
	})
}
