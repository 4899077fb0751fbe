package warehouse_test

import (
	"strings"
	"testing"
	"time"

	"service/store/growthtest"
	"service/store/sqltext"
	"service/store/warehouse"
)

// TestAdvice: an error in SQL that was written for another tool, or that uses a reserved word as a name, names that cause.
func TestAdvice(t *testing.T) {
	t.Parallel()
	for _, try := range []struct {
		sql          string
		line, column int
		dialect      sqltext.Dialect
		want         string
	}{
		{"SELECT 1 FROM t WHERE city = {{city}}", 1, 30, sqltext.Postgres, `"{{city}}" is a template`},
		{"SELECT 1 FROM t WHERE true [[AND city = {{city}}]]", 1, 28, sqltext.MySQL, "is a template"},
		{"SELECT 1 FROM t\n[[ WHERE city = 1 ]]", 2, 4, sqltext.Dialect{}, "is a template"},
		{"SELECT 1 FROM t [[LIMIT 1]]", 0, 0, sqltext.ClickHouse, `"[[LIMIT 1]]" is a template`},
		{"SELECT 1 FROM t FRM u WHERE true [[AND city = 1]]", 1, 17, sqltext.Postgres, ""},
		{"SELECT [[1,2],[3 4]] FROM t", 1, 18, sqltext.Dialect{}, ""},
		{"SELECT ARRAY[[a, b], [c d]] FROM t", 1, 25, sqltext.Postgres, ""},
		{"SELECT ARRAY[[1,2],[3,4]] FROM t FRM", 1, 34, sqltext.Postgres, ""},
		{"SELECT 1 FROM t {% if x %} WHERE a {% endif %}", 1, 17, sqltext.ClickHouse, "is a template"},
		{"SELECT 1 FROM t WHERE a > ${from}", 1, 27, sqltext.Postgres, "is a template"},
		{"SELECT $__timeGroup(a, '1h') FROM t", 1, 8, sqltext.Postgres, "is a template"},
		{"SELECT '{{city}}' FROM t FRM", 1, 26, sqltext.Postgres, ""},
		{"SELECT date_trunc('hour', at) AS h FROM t", 1, 29, sqltext.Dialect{}, `"at" is a reserved word: write a column of that name as "at".`},
		{"SELECT id, order FROM t", 1, 12, sqltext.Postgres, `write a column of that name as "order".`},
		{"SELECT id,\n  group FROM t", 2, 3, sqltext.MySQL, "write a column of that name as `group`."},
		{"SELECT sum(n) FROM t GROUP BY from", 0, 0, sqltext.ClickHouse, "write a column of that name as `from`."},
		{"SELECT sum(n) FROM t GROUP BY user", 0, 0, sqltext.ClickHouse, ""},
		{"SELECT sum(n) FROM t GROUP BY user", 0, 0, sqltext.Postgres, `as "user".`},
		{"SELECT t.table FROM t", 1, 10, sqltext.Postgres, `as "table".`},
		{"SELECT id FROM orders WHER id = 1", 1, 28, sqltext.Postgres, ""},
		{"SELECT id FROM orders ORDER BY", 0, 0, sqltext.Postgres, ""},
		{"SELECT CASE WHEN a THEN 1 END FROM", 0, 0, sqltext.Postgres, ""},
		{"SELECT id, FROM orders", 1, 12, sqltext.Postgres, ""},
		{"SELECT count(*) FROM FROM t", 1, 22, sqltext.Postgres, ""},
		{"SELECT `my col` FROM t", 1, 8, sqltext.Postgres, `Names have no backticks here: write "my col".`},
		{"SELECT n FROM `t`", 0, 0, sqltext.Dialect{}, `write "t".`},
		{"SELECT `city` FROM t", 1, 8, sqltext.Snowflake, `write "CITY".`},
		{"SELECT '`a`', n FROM t FRM", 1, 24, sqltext.Postgres, ""},
		{"SELECT `a`, n FROM t FRM", 1, 22, sqltext.MySQL, ""},
	} {
		e := warehouse.Advise(&warehouse.Error{
			Class: warehouse.Syntax, Message: "The SQL cannot be parsed.", Line: try.line, Column: try.column,
		}, try.dialect, try.sql)
		if try.want == "" && e.Message != "The SQL cannot be parsed." || !strings.Contains(e.Message, try.want) {
			t.Errorf("%s\n%s", try.sql, e.Message)
		}
	}
}

// TestAdviceOnPlaceholders: a placeholder of another program in the place of a value is named if the error is at it, in every dialect.
func TestAdviceOnPlaceholders(t *testing.T) {
	t.Parallel()
	const asked = 29 // the column of the placeholder in WHERE city = …
	for _, dialect := range []sqltext.Dialect{
		{}, sqltext.Postgres, sqltext.MySQL, sqltext.ClickHouse, sqltext.BigQuery, sqltext.Snowflake, sqltext.Trino, sqltext.Databricks,
	} {
		for _, value := range []string{
			":city", "@city", "$city", "%(city)s", "%s", "?", "#{city}", "#city#", "&city", "{city}", "{$city}", "<%= city %>", "<% city %>",
			"<Parameters.City>",
		} {
			for sql, column := range map[string]int{
				"SELECT n FROM t WHERE city = " + value:                           asked + 1,
				"SELECT n FROM t WHERE city = " + value + " AND n > 1":            asked + 2 + len(value), // the token after it
				"SELECT n FROM t WHERE city IN (" + value + ")":                   asked + 3,
				"SELECT n FROM t WHERE city LIKE " + value + " LIMIT 1":           asked + 4,
				"SELECT " + value + " AS city FROM t":                             8,
				"SELECT n FROM t WHERE n BETWEEN 1 AND " + value:                  0,
				"SELECT n -- " + value + "\nFROM t WHERE city = '' OR n=" + value: 0,
			} {
				if value == "%(city)s" || value == "$city" { // in which some lexers find brackets and strings
					column = min(column, strings.LastIndex(sql, value)+1)
				}
				e := warehouse.Advise(&warehouse.Error{Class: warehouse.Syntax, Message: "No.", Line: min(column, 1), Column: column}, dialect, sql)
				want := "\"" + value + "\" is a template of another tool, which is not filled in: write parameters as the dataset's params say, " +
					"and leave optional clauses to the dashboard's filters."
				if !strings.Contains(e.Message, want) {
					t.Errorf("%s: %s", sql, e.Message)
				}
			}
		}
	}
	for sql, at := range map[string]int{
		"SELECT n::date, nope FROM t": 17, "SELECT a[1:n], nope FROM t": 16, "SELECT doc ? 'city', nope FROM t": 22,
		"SELECT a % s, nope FROM t": 15, "SELECT a & s, nope FROM t": 15, "SELECT a # s, nope FROM t": 15,
		"SELECT (a <% b) AND (c %> d), nope": 31,
		"SELECT {n: 1}, nope FROM t":         16, "SELECT a <b AND c> d, nope FROM t": 23, "SELECT '#{city}', nope FROM t": 19,
		"SELECT {'a': n}, nope FROM t": 18, "SELECT doc:city, nope FROM t": 18, "SELECT f(a := 1), nope FROM t": 19,
		"SELECT ':city', nope FROM t":          17,
		"SELECT n FROM t WHERE city = '?' FRM": 34, "SELECT $1, nope FROM t": 12, "SELECT $$:city$$, nope FROM t": 19,
		"SELECT nope FROM t WHERE city = @city": 8, "SELECT nope, :city FROM t": 8, "SELECT 1 FROM t FRM u WHERE n = ?": 17,
	} {
		for _, class := range []warehouse.Class{warehouse.Syntax, warehouse.Unknown} {
			e := warehouse.Advise(&warehouse.Error{Class: class, Message: "No.", Line: 1, Column: at}, sqltext.Postgres, sql)
			if strings.Contains(e.Message, "is a template") {
				t.Errorf("%s: %s", sql, e.Message)
			}
		}
	}
}

// TestAdviceOnNames: a nested list in a query that names an unknown column is not a template, and a template is.
func TestAdviceOnNames(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]bool{
		"SELECT ARRAY[[1,2],[3,4]], nope FROM t": false, "SELECT [[1, 2], [3, 4]] AS l, nope FROM t": false,
		"SELECT nope, m[[1]] FROM t": false, "SELECT nope, [[order_id]] FROM t": false, "SELECT '{{nope}}', nope FROM t": false,
		"SELECT {{nope}} FROM t": true, "SELECT ${nope} FROM t": true,
	} {
		e := warehouse.Advise(&warehouse.Error{Class: warehouse.Unknown, Message: "There is no nope."}, sqltext.Postgres, sql)
		if got := strings.Contains(e.Message, "is a template"); got != want {
			t.Errorf("%s\n%s", sql, e.Message)
		}
	}
}

// Advice on SQL of many tokens takes time that grows no faster than n log n, wherever its error is.
func TestAdviceGrowsSlowly(t *testing.T) {
	for _, e := range []warehouse.Error{
		{Class: warehouse.Syntax, Line: 1, Column: 1 << 20}, {Class: warehouse.Syntax}, {Class: warehouse.Refused, Line: 1, Column: 1 << 20},
	} {
		for _, unit := range []string{"UNION ALL SELECT 1 ", "SELECT\n", "[[ AND a ]] ", "{{a}} ", "'{{a}}' ", "a::b, "} {
			growthtest.Check(t, 1<<18, time.Millisecond, func(n int) func() {
				sql := strings.Repeat(unit, n/len(unit))
				return func() {
					again := e
					warehouse.Advise(&again, sqltext.Postgres, sql)
				}
			})
		}
	}
}

// TestAdviceCostsLittle: SQL without templates, as most is, is not matched with their patterns, which take ten times as long as the rest.
// The limit is for the race detector, under which the tests of this package run.
func TestAdviceCostsLittle(t *testing.T) {
	sql := strings.Repeat("UNION ALL SELECT a::date ", 1<<18/25)
	growthtest.Within(t, 100*time.Millisecond, func() {
		warehouse.Advise(&warehouse.Error{Class: warehouse.Syntax, Line: 1, Column: 1 << 20}, sqltext.Postgres, sql)
	})
}
