package duckdb_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"service/store/dashboard/cube"
	"service/store/warehouse"
)

// TestOrdinarySQL runs what people write: the gate must not refuse it.
func TestOrdinarySQL(t *testing.T) {
	t.Parallel()
	c := open(t, newEngine(t))
	for _, tt := range []struct {
		sql  string
		want any // the first value
	}{
		{"SELECT 1", int64(1)},
		{"VALUES (1), (2)", int64(1)},
		{"(SELECT 1)", int64(1)},
		{"((SELECT 1)) ORDER BY 1", int64(1)},
		{"FROM sales SELECT count(*)", int64(3)},
		{"SELECT 1 UNION SELECT 2 ORDER BY 1 DESC", int64(2)},
		{"SELECT 1 EXCEPT SELECT 2", int64(1)},
		{"WITH a AS (SELECT 1 AS x), b AS (SELECT x + 1 AS y FROM a) SELECT y FROM b", int64(2)},
		{"WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT max(n) FROM r", int64(5)},
		{"WITH Sales AS (SELECT 7 AS orders) SELECT orders FROM SALES", int64(7)},
		{"SELECT count(*) FROM main.sales", int64(3)},
		{"SELECT count(*) FROM memory.main.sales", int64(3)},
		{"SELECT count(*) FROM \"Sales\" AS s", int64(3)},
		{"SELECT sum(orders) FROM sales WHERE region = 'north' OR region ILIKE '%UTH'", int64(7)},
		{"SELECT region FROM sales WHERE region LIKE 'n%' AND orders BETWEEN 1 AND 9 AND paid IS NOT NULL", "north"},
		{"SELECT date_trunc('month', day) FROM sales", date(2024, 1, 1)},
		{"SELECT extract(year FROM day) FROM sales", int64(2024)},
		{"SELECT strftime(day, '%Y-%m') FROM sales ORDER BY day", "2024-01"},
		{"SELECT day + INTERVAL 1 DAY FROM sales ORDER BY day", date(2024, 1, 2)},
		{"SELECT day - DATE '2023-12-31' FROM sales ORDER BY day", int64(1)},
		{"SELECT sum(revenue) OVER (PARTITION BY paid ORDER BY day ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM sales ORDER BY day", 10.5},
		{"SELECT row_number() OVER (ORDER BY day) FROM sales", int64(1)},
		{"SELECT lag(orders, 1, 0) OVER w FROM sales WINDOW w AS (ORDER BY day)", int64(0)},
		{"SELECT count(*) FILTER (WHERE paid) FROM sales", int64(1)},
		{"SELECT count(DISTINCT region) FROM sales", int64(2)},
		{"SELECT coalesce(region, 'none'), count(*) FROM sales GROUP BY ALL ORDER BY ALL", "none"},
		{"SELECT region FROM sales GROUP BY ROLLUP (region) ORDER BY region NULLS LAST", "north"},
		{"SELECT grouping(region) FROM sales GROUP BY CUBE (region) ORDER BY 1", int64(0)},
		{"SELECT CASE WHEN orders > 3 THEN 'many' WHEN orders > 0 THEN 'few' ELSE 'none' END FROM sales ORDER BY day", "few"},
		{"SELECT s.region FROM sales s JOIN sales t USING (day) LEFT JOIN sales u ON u.day = t.day + 1 ORDER BY s.day", "north"},
		{"SELECT a.range FROM range(3) a, generate_series(1, 2) b(i), unnest([1, 2]) AS c(x) ORDER BY 1 DESC", int64(2)},
		{"SELECT unnest(generate_series(DATE '2024-01-01', DATE '2024-01-03', INTERVAL 1 DAY))", date(2024, 1, 1)},
		{"SELECT (SELECT max(orders) FROM sales)", int64(4)},
		{"SELECT 1 WHERE EXISTS (SELECT 1 FROM sales) AND 3 IN (SELECT orders FROM sales) AND 4 = ANY (SELECT orders FROM sales)", int64(1)},
		{"SELECT orders FROM sales QUALIFY row_number() OVER (ORDER BY orders DESC NULLS LAST) = 1", int64(4)},
		{"SELECT DISTINCT ON (paid) orders FROM sales ORDER BY paid NULLS LAST, day", int64(4)},
		{"SELECT * EXCLUDE (day, seen) REPLACE (upper(region) AS region) FROM sales ORDER BY day", "NORTH"},
		{"SELECT COLUMNS('o.*s') FROM sales ORDER BY ALL", int64(3)},
		{"SELECT list_transform([1, 2], lambda x: x + 1)[1]", int64(2)},
		{"SELECT [x * 2 FOR x IN [1, 2] IF x > 1]", "[4]"},
		{"SELECT {'a': 1}.a", int64(1)},
		{"SELECT json_extract_string('{\"a\": \"b\"}', '$.a')", "b"},
		{"SELECT '{\"a\": 1}'::JSON ->> 'a'", "1"},
		{"SELECT CAST('5' AS INTEGER) + '6'::BIGINT + TRY_CAST('x' AS INT)", nil},
		{"SELECT 7 // 2", int64(3)},
		{"SELECT 7 / 2", 3.5},
		{"SELECT round(sqrt(2), 2)", 1.41},
		{"SELECT quantile_cont(orders, 0.5) FROM sales", 3.5},
		{"SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY orders) FROM sales", 3.5},
		{"SELECT string_agg(region, '+' ORDER BY region) FROM sales", "north+so,uth"},
		{"SELECT regexp_replace('a1', '[0-9]', 'x')", "ax"},
		{"SELECT 'a' || 'b' COLLATE NOCASE", "ab"},
		{"SELECT substring('abc' FROM 2 FOR 1), position('b' IN 'abc'), trim(BOTH ' ' FROM ' a ')", "b"},
		{"SELECT ';'", ";"},
		{"SELECT ';' ; -- '", ";"},
		{"SELECT \"a;b\" FROM (SELECT 1 AS \"a;b\");", int64(1)},
		{"SELECT $$a;b$$", "a;b"},
		{"SELECT /* ; */ 1 -- ;", int64(1)},
		{"SELECT current_date > DATE '2020-01-01'", true},
		{"SELECT now() > TIMESTAMP '2020-01-01'", true},
		{"SELECT count(*) FROM sales TABLESAMPLE 100%", int64(3)},
		{"SELECT * FROM (PIVOT sales ON region IN ('north') USING sum(orders) GROUP BY paid) ORDER BY paid NULLS LAST", false},
		{"SELECT value FROM (UNPIVOT sales ON orders, revenue INTO NAME name VALUE value) ORDER BY value", 3.0},
		{"SELECT arg_max(region, revenue) FROM sales", "so,uth"},
		{"SELECT #1 FROM (SELECT 5)", int64(5)},
		{"SELECT count(*) FROM sales ASOF JOIN sales s ON sales.day >= s.day", int64(3)},
		{"SELECT 5 LIMIT 10% OFFSET 0", nil},
		{"SELECT if(true, 1, 2), nullif(1, 1), greatest(1, 2), ifnull(NULL, 3)", int64(1)},
		{"SELECT x FROM (VALUES (1), (2)) v(x) WHERE x > 1", int64(2)},
	} {
		got, _, err := ask(t.Context(), c, tt.sql)
		if err != nil {
			t.Errorf("%s\n%v", tt.sql, err)
			continue
		}
		var first any
		if len(got.rows) > 0 {
			first = got.rows[0][0]
		}
		if !cmp.Equal(tt.want, first) {
			t.Errorf("%s\n got %v (%T), want %v", tt.sql, first, first, tt.want)
		}
		described, err := c.Describe(t.Context(), tt.sql, nil)
		if diff := cmp.Diff(got.cols, described); err != nil || diff != "" {
			t.Errorf("%s: described as %v, %v", tt.sql, described, err)
		}
	}
}

// TestWideIntegers: one that does not fit an int64 keeps its digits.
func TestWideIntegers(t *testing.T) {
	t.Parallel()
	c := open(t, newEngine(t))
	got, _, err := ask(t.Context(), c, "SELECT v FROM (VALUES (1::HUGEINT), (NULL), (1e20::HUGEINT)) t(v)")
	want := [][]any{{int64(1)}, {nil}, {cube.Decimal("100000000000000000000")}}
	if diff := cmp.Diff(want, got.rows); err != nil || diff != "" || got.cols[0].Type != cube.Integer {
		t.Errorf("%v, %v\n%s", got.cols, err, diff)
	}
}

// TestOrder: rows arrive in the order of the query.
func TestOrder(t *testing.T) {
	t.Parallel()
	c := open(t, newEngine(t))
	got, _, err := ask(t.Context(), c, "SELECT 1 AS a, range AS b FROM range(100000) ORDER BY hash(range), range")
	if err != nil {
		t.Fatal(err)
	}
	again, _, err := ask(t.Context(), c, "SELECT range AS b FROM range(100000) ORDER BY hash(range), range LIMIT 1000")
	for i := range again.rows {
		if err != nil || again.rows[i][0] != got.rows[i][1] {
			t.Fatalf("row %d: order is lost, %v", i, err)
		}
	}
}

// TestArguments binds values of every type in each position that allows them.
func TestArguments(t *testing.T) {
	t.Parallel()
	c := open(t, newEngine(t))
	day := date(2024, 1, 2)
	for _, tt := range []struct {
		sql  string
		args []any
		want any
	}{
		{"SELECT count(*) FROM sales WHERE day >= $1", []any{day}, int64(2)},
		{"SELECT count(*) FROM sales WHERE day >= $1", []any{"2024-01-02"}, int64(2)},
		{"SELECT count(*) FROM sales WHERE seen >= $1", []any{day}, int64(1)},
		{"SELECT count(*) FROM sales WHERE seen > $1", []any{day.Add(11 * time.Hour)}, int64(1)},
		{"SELECT count(*) FROM sales WHERE seen > $1", []any{time.Date(2024, 1, 2, 13, 0, 0, 0, time.FixedZone("", 2*3600))}, int64(1)},
		{"SELECT count(*) FROM sales WHERE day BETWEEN $2 AND $1", []any{date(2024, 1, 3), day}, int64(2)},
		{"SELECT count(*) FROM sales WHERE region = $1", []any{"so,uth"}, int64(1)},
		{"SELECT count(*) FROM sales WHERE region = $1", []any{"'; DROP TABLE sales; --"}, int64(0)},
		{"SELECT count(*) FROM sales WHERE orders > $1", []any{int64(3)}, int64(1)},
		{"SELECT count(*) FROM sales WHERE orders > $1", []any{3}, int64(1)},
		{"SELECT count(*) FROM sales WHERE revenue > $1", []any{10.5}, int64(1)},
		{"SELECT count(*) FROM sales WHERE paid = $1", []any{true}, int64(1)},
		{"SELECT count(*) FROM sales WHERE region IS NOT DISTINCT FROM $1", []any{nil}, int64(1)},
		{"SELECT $1 || region FROM sales ORDER BY day", []any{"to "}, "to north"},
		{"SELECT $1", []any{"x"}, "x"},
		{"SELECT $1", []any{day}, day},
		{"SELECT $1 + $1", []any{int64(2)}, int64(4)},
		{"SELECT date_trunc('month', $1::DATE)", []any{day}, date(2024, 1, 1)},
		{"SELECT count(*) FROM sales WHERE day > $1 - INTERVAL 1 DAY", []any{day}, int64(2)},
		{"SELECT count(*) FROM sales WHERE strftime(day, '%Y-%m-%d') = $1", []any{day}, int64(1)},
		{"SELECT 1", []any{"unused"}, int64(1)},
		{"SELECT ?, ?", []any{"a", "b"}, "a"},
	} {
		got, _, err := ask(t.Context(), c, tt.sql, tt.args...)
		if err != nil || len(got.rows) == 0 || !cmp.Equal(got.rows[0][0], tt.want) {
			t.Errorf("%s %v\n got %v, %v, want %v", tt.sql, tt.args, got.rows, err, tt.want)
		}
		if _, err := c.Describe(t.Context(), tt.sql, tt.args); err != nil {
			t.Errorf("describe %s %v: %v", tt.sql, tt.args, err)
		}
	}
	if got := c.Placeholder(3); got != "$3" {
		t.Errorf("placeholder %s", got)
	}
	if _, _, err := ask(t.Context(), c, "SELECT $1", struct{}{}); err == nil || class(err) != "" {
		t.Errorf("an argument of no known type: %v", err)
	}
}

// TestErrors shows the errors that a caller gets: class, place and the nearest names, in our words, and nothing of the data.
func TestErrors(t *testing.T) {
	t.Parallel()
	c := open(t, newEngine(t))
	for _, tt := range []struct {
		sql  string
		want warehouse.Error
	}{
		{
			"SELECT * FORM sales",
			warehouse.Error{Class: warehouse.Syntax, Message: `the SQL cannot be parsed at or near "sales"`, Line: 1, Column: 15},
		},
		{
			"SELECT\n  'é', FROM WHERE",
			warehouse.Error{Class: warehouse.Syntax, Message: `the SQL cannot be parsed at or near "WHERE"`, Line: 2, Column: 13},
		},
		{
			"SELECT date_trunc('hour', at) AS h FROM sales",
			warehouse.Error{
				Class: warehouse.Syntax, Line: 1, Column: 29,
				Message: `the SQL cannot be parsed at or near ")". "at" is a reserved word: write a column of that name as "at".`,
			},
		},
		{
			"SELECT order FROM sales",
			warehouse.Error{
				Class: warehouse.Syntax, Line: 1, Column: 14,
				Message: `the SQL cannot be parsed at or near "FROM". "order" is a reserved word: write a column of that name as "order".`,
			},
		},
		{
			"SELECT 1 FROM sales WHERE true [[AND orders = 5]]",
			warehouse.Error{
				Class: warehouse.Syntax, Line: 1, Column: 32,
				Message: `the SQL cannot be parsed at or near "[". "[[AND orders = 5]]" is a template of another tool, which is not filled in: ` +
					"write parameters as the dataset's params say, and leave optional clauses to the dashboard's filters.",
			},
		},
		{"SELECT (1", warehouse.Error{Class: warehouse.Syntax, Message: "the SQL ends too early", Line: 1, Column: 10}},
		{
			"SELECT *\nFROM sale",
			warehouse.Error{Class: warehouse.Unknown, Message: `there is no table "sale"`, Line: 2, Column: 6, Suggestions: []string{"sales"}},
		},
		{
			"SELECT * FROM xyz",
			warehouse.Error{Class: warehouse.Unknown, Message: `there is no table "xyz"`, Line: 1, Column: 15, Suggestions: []string{"sales"}},
		},
		{
			"SELECT 'é', ordes FROM sales",
			warehouse.Error{Class: warehouse.Unknown, Message: `there is no column "ordes"`, Line: 1, Column: 13, Suggestions: []string{"orders"}},
		},
		{
			"SELECT x.orders FROM sales s",
			warehouse.Error{Class: warehouse.Unknown, Message: `there is no table "x" in FROM`, Line: 1, Column: 8, Suggestions: []string{"s"}},
		},
		{"SELECT * EXCLUDE (foo) FROM sales", warehouse.Error{Class: warehouse.Unknown, Message: `there is no column "foo"`}},
		{
			"SELECT orders FROM sales GROUP BY 5",
			warehouse.Error{Class: warehouse.Syntax, Message: "GROUP BY or ORDER BY names the number of a column that is not there"},
		},
		{
			"SELECT 1 UNION SELECT 1, 2",
			warehouse.Error{Class: warehouse.Syntax, Message: "the parts of UNION, INTERSECT or EXCEPT must have the same number of columns"},
		},
		{
			"SELECT 1::foo",
			warehouse.Error{Class: warehouse.Unknown, Message: `there is no type "foo"`, Line: 1, Column: 11, Suggestions: []string{"bool"}},
		},
		{
			"SELECT s.ordes FROM sales s",
			warehouse.Error{Class: warehouse.Unknown, Message: `there is no column "ordes"`, Line: 1, Column: 8, Suggestions: []string{"orders"}},
		},
		{
			"SELECT summ(orders) FROM sales",
			warehouse.Error{Class: warehouse.Unknown, Message: `there is no function "summ"`, Line: 1, Column: 8, Suggestions: []string{"sum"}},
		},
		{
			"SELECT sum(region) FROM sales",
			warehouse.Error{Class: warehouse.Type, Message: `the function "sum" does not take these types: sum(VARCHAR)`, Line: 1, Column: 8},
		},
		{
			"SELECT region::INT FROM sales",
			warehouse.Error{
				Class: warehouse.Type, Message: "a value cannot be converted to INT32; TRY_CAST gives NULL for such values",
				Line: 1, Column: 14,
			},
		},
		{
			"SELECT strptime(region, '%Y') FROM sales",
			warehouse.Error{
				Class:   warehouse.Type,
				Message: "a text does not have the format that strptime is given; try_strptime gives NULL for such texts",
			},
		},
		{
			"SELECT json_extract(region, '$.x') FROM sales",
			warehouse.Error{Class: warehouse.Type, Message: "a text is not valid JSON; json_valid finds such texts"},
		},
		{
			"SELECT region, sum(orders) FROM sales",
			warehouse.Error{Class: warehouse.Syntax, Message: `column "region" must stand in GROUP BY or inside an aggregate`, Line: 1, Column: 8},
		},
		{
			"SELECT day FROM sales a, sales b",
			warehouse.Error{
				Class: warehouse.Unknown, Message: `"day" is in more than one table of the query; write the table before it`,
				Line: 1, Column: 8,
			},
		},
		{
			"SELECT 1 FROM sales WHERE sum(orders) > 1",
			warehouse.Error{Class: warehouse.Syntax, Message: "WHERE cannot contain aggregates; use HAVING", Line: 1, Column: 27},
		},
		{
			"SELECT (SELECT orders FROM sales)",
			warehouse.Error{
				Class:   warehouse.Failed,
				Message: "a subquery used as one value returns several rows; add LIMIT 1 or an aggregate",
			},
		},
		{
			"SELECT 9223372036854775807 + orders FROM sales",
			warehouse.Error{
				Class: warehouse.Type,
				Message: "a number is too large for its type; cast it to a larger one, such as HUGEINT or DOUBLE, " +
					"before calculating",
			},
		},
		{
			"SELECT `orders` FROM sales",
			warehouse.Error{
				Class: warehouse.Unknown, Message: "there is no operator \"`\". Names have no backticks here: write \"orders\".", Line: 1, Column: 15,
			},
		},
		{
			"SELECT orders FROM sales WHERE region = <% region %>",
			warehouse.Error{
				Class: warehouse.Unknown, Line: 1, Column: 51,
				Message: `there is no operator "%>". "<% region %>" is a template of another tool, which is not filled in: ` +
					`write parameters as the dataset's params say, and leave optional clauses to the dashboard's filters.`,
			},
		},
		{"SELECT getenv('x')", warehouse.Error{Class: warehouse.Unknown, Message: `there is no function "getenv"`, Line: 1, Column: 8}},
		{
			"SELECT version()",
			warehouse.Error{Class: warehouse.Refused, Message: `the function "version" is not allowed here`, Line: 1, Column: 8},
		},
		{
			"DROP TABLE sales",
			warehouse.Error{Class: warehouse.Refused, Message: "only one SELECT statement is allowed here, and DROP is not one"},
		},
		{"SELECT $1", warehouse.Error{Class: warehouse.Refused, Message: "there is no value for the placeholder $1"}},
	} {
		_, _, err := ask(t.Context(), c, tt.sql)
		got, ok := errors.AsType[*warehouse.Error](err)
		if !ok {
			t.Errorf("%s: %v", tt.sql, err)
			continue
		}
		if diff := cmp.Diff(tt.want, *got); diff != "" {
			t.Errorf("%s: -want +got\n%s", tt.sql, diff)
		}
		if strings.Contains(got.Message, "uth") {
			t.Errorf("%s tells data: %s", tt.sql, got.Message)
		}
	}
	_, _, err := ask(t.Context(), c, "SELECT count(*) FROM sales WHERE day >= $1", "secret")
	if class(err) != warehouse.Type || strings.Contains(err.Error(), "secret") {
		t.Errorf("an argument of the wrong type: %v", err)
	}
	deep := "SELECT " + strings.Repeat("(", 5000) + "1" + strings.Repeat(")", 5000)
	for _, sql := range []string{
		deep, "SELECT 1" + strings.Repeat("+1", 40000),
		strings.Repeat("SELECT (", 3000) + "1" + strings.Repeat(")", 3000), "SELECT '" + strings.Repeat("x", 200_000) + "'",
	} {
		if _, _, err := ask(t.Context(), c, sql); err != nil && class(err) == "" {
			t.Errorf("%.40s…: %v", sql, err)
		}
	}
	if _, _, err := ask(t.Context(), c, "SELECT 1"); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// TestSentences: what people get wrong most has a sentence of its own, with the class of it.
func TestSentences(t *testing.T) {
	t.Parallel()
	c := open(t, newEngine(t))
	for _, tt := range []struct {
		sql   string
		class warehouse.Class
		say   string
	}{
		{"SELECT strftime(day, '%Q') FROM sales", warehouse.Type, "a format of strftime or strptime is not valid"},
		{"SELECT json_extract('{}', '$[')", warehouse.Type, "a path in JSON is not valid"},
		{"SELECT region::JSON FROM sales", warehouse.Type, "a text is not valid JSON"},
		{"SELECT regexp_matches(region, '[') FROM sales", warehouse.Type, "a regular expression is not valid"},
		{"SELECT regexp_replace(region, '(', 'x') FROM sales", warehouse.Type, "a regular expression is not valid"},
		{"SELECT regexp_replace(region, 'a', 'x', 'q') FROM sales", warehouse.Type, "an option of a regular expression is not known"},
		{"SELECT date_trunc('fortnight', day) FROM sales", warehouse.Type, "a part of a date is not known"},
		{"SELECT extract(foo FROM day) FROM sales", warehouse.Type, "a part of a date is not known"},
		{"SELECT timezone('Nowhere', seen) FROM sales", warehouse.Type, "a time zone is not known"},
		{"SELECT ln(orders - 3) FROM sales", warehouse.Type, "a logarithm needs a number above 0"},
		{"SELECT asin(orders) FROM sales", warehouse.Type, "asin, acos and atanh need a number from -1 to 1"},
		{"SELECT 'abc'::DATE", warehouse.Type, "a text is not a date or time"},
		{"SELECT '2024-13-01'::DATE", warehouse.Type, "a text is not a date or time"},
		{"SELECT '2024-01-01 25:00:00'::TIMESTAMP", warehouse.Type, "a text is not a date or time"},
		{"SELECT day FROM sales UNION ALL SELECT orders FROM sales", warehouse.Type, "cannot be cast to the other"},
		{"SELECT orders FROM sales WHERE row_number() OVER () = 1", warehouse.Syntax, "cannot contain window functions"},
		{"SELECT sum(row_number() OVER ()) FROM sales", warehouse.Syntax, "cannot contain window functions"},
		{"SELECT sum(orders) FROM sales GROUP BY sum(orders)", warehouse.Syntax, "GROUP BY cannot contain aggregates"},
		{"SELECT abs(orders) OVER () FROM sales", warehouse.Syntax, `the function "abs" is not an aggregate`},
		{"SELECT orders FROM sales GROUP BY 1 HAVING revenue > 1", warehouse.Syntax, `column "revenue" must stand in GROUP BY`},
		{"SELECT 1 LIMIT -1", warehouse.Syntax, "LIMIT and OFFSET must not be negative"},
		{"SELECT (SELECT orders, paid FROM sales LIMIT 1)", warehouse.Syntax, "a subquery has more columns"},
		{"SELECT unnest(orders) FROM sales", warehouse.Type, "unnest takes lists and structs only"},
		{"SELECT orders FROM sales WHERE unnest([1]) = 1", warehouse.Syntax, "unnest is possible in the list of SELECT"},
		{"SELECT {'a': 1}.b", warehouse.Unknown, `there is no field "b"`},
		{"SELECT orders.a FROM sales", warehouse.Type, "only structs, maps and JSON have fields"},
		{"SELECT * FROM sales a JOIN sales a ON true", warehouse.Syntax, `two tables of the query are called "a"`},
		{"SELECT 1 FROM sales NATURAL JOIN (SELECT 1 AS q)", warehouse.Syntax, "have no column in common"},
		{"SELECT orders + y AS x, 1 AS y FROM sales", warehouse.Unknown, `"y" is used before the SELECT defines it`},
		{"SELECT count(DISTINCT *) FROM sales", warehouse.Syntax, "* is possible by itself or in count(*) only"},
		{"SELECT quantile_cont(orders, 1.5) FROM sales", warehouse.Type, "must be from 0 to 1"},
		{"SELECT ntile(0) OVER () FROM sales", warehouse.Type, "need a number of 1 or more"},
		{"SELECT region COLLATE NOCASE = region COLLATE NOACCENT FROM sales", warehouse.Type, "texts with different collations"},
		{"SELECT 1::DECIMAL(50, 2)", warehouse.Type, "a DECIMAL has 1 to 38 digits"},
	} {
		_, _, err := ask(t.Context(), c, tt.sql)
		if class(err) != tt.class || !strings.Contains(err.Error(), tt.say) {
			t.Errorf("%s: %s, %v; want %s, %s", tt.sql, class(err), err, tt.class, tt.say)
		}
	}
}

// TestIntrospect lists tables.
func TestIntrospect(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	other := numbers(1)
	other.Name = `od"d`
	c := e.Open(warehouse.Tenant{Workspace: [16]byte{1}}, "two", []warehouse.DataTable{sales, other})
	for _, tt := range []struct {
		find warehouse.Introspection
		want []string
	}{
		{warehouse.Introspection{}, []string{"sales", `od"d`}},
		{warehouse.Introspection{Table: "SALES"}, []string{"sales"}},
		{warehouse.Introspection{Table: "sale"}, nil},
		{warehouse.Introspection{Pattern: "AL"}, []string{"sales"}},
		{warehouse.Introspection{Pattern: "zzz"}, nil},
	} {
		tables, err := c.Introspect(t.Context(), tt.find)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, table := range tables {
			names = append(names, table.Name)
			if table.Kind != "table" {
				t.Errorf("kind %s", table.Kind)
			}
		}
		if diff := cmp.Diff(tt.want, names); diff != "" {
			t.Errorf("%+v\n%s", tt.find, diff)
		}
	}
	tables, err := c.Introspect(t.Context(), warehouse.Introspection{Table: "sales"})
	if err != nil {
		t.Fatal(err)
	}
	for i, col := range tables[0].Columns {
		if col.Column != sales.Columns[i] || !col.Nullable {
			t.Errorf("column %d: %+v", i, col)
		}
	}
	if got, _, err := ask(t.Context(), c, `SELECT n FROM "od""d"`); err != nil || got.rows[0][0] != int64(1) {
		t.Errorf("a table with an odd name: %v, %v", got.rows, err)
	}
	if c.Dialect() != "duckdb" {
		t.Errorf("dialect %s", c.Dialect())
	}
}

// TestLongSQLStaysHere shows that a statement over the limit starts no worker.
func TestLongSQLStaysHere(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	c := open(t, e)
	long := "SELECT 1 --" + strings.Repeat("x", 31<<20)
	_, err := c.Describe(t.Context(), long, nil)
	if _, _, asked := ask(t.Context(), c, long); class(err) != warehouse.Refused || class(asked) != warehouse.Refused {
		t.Errorf("%v, %v", err, asked)
	}
	if pids := e.Pids(); len(pids) > 0 {
		t.Errorf("workers were started: %v", pids)
	}
}
