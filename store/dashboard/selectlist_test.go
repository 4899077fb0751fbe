package dashboard

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadSelect(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, sql, want string }{
		{"aggregates", "SELECT day, sum(a) AS s, count(*) AS n, min(a) lo, MAX(a) AS hi FROM t GROUP BY 1", "day=none s=sum n=sum lo=min hi=max"},
		{"no names", "SELECT sum(a), count(*), a + b FROM t", "=sum =sum =none"},
		{"averages and the like", "SELECT avg(a) x, median(a) y, sum(a)/count(*) z, stddev(a) w FROM t", "x=none y=none z=none w=none"},
		{
			"sums that are never NULL", "SELECT count(*) - count(x) a, coalesce(sum(a), 0) - ifnull(sum(b), 0) b, " +
				"count(*) FILTER (WHERE x - 1 > 0) + 2 * count(y) - (count(z))::int AS c, count(*) - sum(a) d, count(*) - 1 e, -count(*) f, " +
				"count(*) - avg(x) g, coalesce(sum(a), 1) - count(*) h, (count(*) - count(x)) * 2 i, count(DISTINCT x) - count(*) j FROM t",
			"a=sum b=sum c=sum d=none e=none f=none g=none h=none i=sum j=none",
		},
		{"sums of sums", "SELECT sum(a)+sum(b) x, sum(a) - sum(b) AS y, -sum(a) z FROM t", "x=none y=none z=none"},
		{
			"factors", "SELECT 2*sum(a) a, sum(b) * 100 b, sum(c) / 60.0 c, sum(d)::double / 1000. d, (max(e) * 2) / 1.5 e, count(*) / 7.0 f FROM t",
			"a=sum b=sum c=sum d=sum e=max f=sum",
		},
		{
			"no factors",
			"SELECT sum(a) / 60 a, 60.0 / sum(b) b, sum(c) + sum(d) / 2.0 c, 2 * sum(e) + 1 d, sum(f) / count(*) * 100 e, sum(g) / 0.0 f FROM t",
			"a=none b=none c=none d=none e=none f=none",
		},
		{"distinct", "SELECT count(DISTINCT a) x, sum(distinct a) y, count(ALL a) z FROM t", "x=none y=none z=sum"},
		{"filter", "SELECT sum(a) FILTER (WHERE b = ')') x, count(*) filter (b) AS y FROM t", "x=sum y=sum"},
		{"filter and more", "SELECT sum(a) FILTER (WHERE b) / 2 x, sum(a) FILTER (WHERE b) OVER () y FROM t", "x=none y=none"},
		{"windows", "SELECT sum(a) OVER (ORDER BY b) x, sum(sum(a)) OVER () AS y, count(*) OVER w z FROM t", "x=none y=none z=none"},
		{"within group", "SELECT mode() WITHIN GROUP (ORDER BY a) x, sum(a) WITHIN GROUP (ORDER BY a) y FROM t", "x=none y=none"},
		{
			"casts",
			"SELECT sum(a)::double x, CAST(sum(a) AS decimal(18, 2)) AS y, (sum(a))::numeric(10,2)::double precision z, try_cast(count(*) as " +
				"int) w FROM t",
			"x=sum y=sum z=sum w=sum",
		},
		{"a cast inside", "SELECT sum(a::int) x, sum(CAST(a AS int)) y FROM t", "x=sum y=sum"},
		{
			"a cast of a quotient", "SELECT (sum(a)/count(*))::double x, sum(a)::double / 2 y, sum(a)::Int64 DIV b z FROM t",
			"x=none y=none z=none",
		},
		{
			"coalesce",
			"SELECT coalesce(sum(a), 0) x, COALESCE(sum(a)::int, 0.0)::double y, ifnull(count(*), 0) z, coalesce(sum(a), 0::numeric) w FROM t",
			"x=sum y=sum z=sum w=sum",
		},
		{
			"coalesce to something else",
			"SELECT coalesce(sum(a), 1) x, coalesce(sum(a), sum(b), 0) y, coalesce(min(a), 0) z, coalesce(sum(a), b) w FROM t",
			"x=none y=none z=none w=none",
		},
		{"rounding", "SELECT round(sum(a), 2) x, abs(sum(a)) y, floor(max(a)) z FROM t", "x=none y=none z=none"},
		{"CASE", "SELECT CASE WHEN b THEN sum(a) END x, sum(CASE WHEN b THEN 1 ELSE 0 END) AS y FROM t", "x=none y=sum"},
		{
			"several arguments", "SELECT max(a, b) x, min(a, 3) y, maxIf(a, b) z, sumIf(a, b > 1) v, countIf(b) w FROM t",
			"x=none y=none z=max v=sum w=sum",
		},
		{"scalar subquery", "SELECT (SELECT sum(a) FROM u) x, sum((SELECT 1)) y FROM t", "x=none y=sum"},
		{"brackets", "SELECT ((sum(a))) x, (sum(a)) + 1 y FROM t", "x=sum y=none"},
		{
			"WITH",
			"WITH a AS (SELECT x, sum(y) AS z FROM t GROUP BY x), b(c) AS MATERIALIZED (SELECT 1) SELECT x, z, sum(z) AS s FROM a GROUP BY 1, 2",
			"x=none z=none s=sum",
		},
		{"WITH RECURSIVE", "with recursive n as (select 1 union all select 1 from n) select count(*) c from n", "c=sum"},
		{"brackets around all of it", "(SELECT sum(a) AS s FROM t);", "s=sum"},
		{"UNION", "SELECT sum(a) s FROM t UNION ALL SELECT sum(a) FROM u", "unread"},
		{"UNION in brackets", "(SELECT sum(a) s FROM t) UNION (SELECT 1)", "unread"},
		{"EXCEPT", "SELECT sum(a) s FROM t EXCEPT SELECT 1", "unread"},
		{"UNION below", "SELECT sum(a) s FROM (SELECT a FROM t UNION ALL SELECT a FROM u) x", "s=sum"},
		{"SELECT DISTINCT", "SELECT DISTINCT a, sum(b) FROM t GROUP BY a, c", "unread"},
		{"SELECT ALL", "SELECT ALL sum(b) x FROM t", "x=sum"},
		{"ROLLUP", "SELECT a, sum(b) FROM t GROUP BY ROLLUP (a)", "unread"},
		{"WITH ROLLUP", "SELECT a, sum(b) FROM t GROUP BY a WITH ROLLUP", "unread"},
		{"GROUPING SETS", "SELECT a, sum(b) FROM t GROUP BY GROUPING SETS ((a), ())", "unread"},
		{"WITH TOTALS", "SELECT a, sum(b) FROM t GROUP BY a WITH TOTALS", "unread"},
		{"VALUES", "VALUES (1), (2)", "unread"},
		{"FROM first", "FROM t SELECT sum(a)", "unread"},
		{"two statements", "SELECT sum(a) FROM t; SELECT 1", "unread"},
		{"nothing", "", "unread"},
		{"only SELECT", "SELECT", "unread"},
		{"no FROM", "SELECT 1 AS a, now() AS b", "a=none b=none"},
		{"star", "SELECT *, sum(a) OVER () AS s, count(*) AS n FROM t", "s=none n=sum *"},
		{"star of a table", "SELECT t.*, sum(a) AS s FROM t", "s=sum *"},
		{"star with EXCLUDE", "SELECT * EXCLUDE (a, b), max(c) AS c FROM t", "c=max *"},
		{"COLUMNS", "SELECT day, sum(COLUMNS('a.*')) FROM t GROUP BY 1", "day=none *"},
		{"strings", "SELECT 'a, '' FROM b' AS x, sum(a) AS y FROM t", "x=none y=sum"},
		{"comments", "SELECT /* a, /* b, */ FROM */ sum(a) AS x, -- from, here\n count(*) AS y FROM t", "x=sum y=sum"},
		{"a comment that is not nested", "SELECT /* /* */ sum(a) AS x FROM t", "x=sum"},
		{"quoted names", `SELECT sum(a) AS "from, ""x""", t."count" , sum(b) AS ` + "`y z`" + ` FROM t`, `from, "x"=sum count=none y z=sum`},
		{"a quoted function", `SELECT "sum"(a) AS x FROM t`, "x=none"},
		{"a qualified function", `SELECT my.sum(a) AS x FROM t`, "x=none"},
		{"a column called like a keyword", `SELECT t.from, t.group AS x, sum(a) AS "where" FROM t`, "from=none x=none where=sum"},
		{"dollar quotes", "SELECT $$ FROM , $$ AS x, $tag$ $$ , $tag$ AS y, sum(a) AS z FROM t", "x=none y=none z=sum"},
		{"backslashes of MySQL", `SELECT 'it\'s, ' AS x, sum(a) AS y FROM t`, "x=none y=sum"},
		{"a backslash of the standard", `SELECT split(a, '\') AS x, sum(a) AS y FROM t`, "x=none y=sum"},
		{"E strings", `SELECT E'\', ' AS x, sum(a) AS y FROM t`, "x=none y=sum"},
		{"lists and structs", "SELECT [1, 2] AS x, {'a': 1, 'b': 2} AS y, sum(a) AS z FROM t", "x=none y=none z=sum"},
		{"extract", "SELECT extract(year FROM d) AS y, sum(a) AS s FROM t", "y=none s=sum"},
		{"placeholders", "SELECT date_trunc({{unit}}, d) AS x, sum(a) AS s FROM t WHERE d >= {{since.start}}", "x=none s=sum"},
		{"a comma at the end", "SELECT a, sum(b) AS s, FROM t", "a=none s=sum"},
		{
			"implicit names", "SELECT date '2026-01-01', interval 1 day, a b, case when a then b end, t.a, x is null FROM t",
			"=none day=none b=none =none a=none =none",
		},
		{"a parametric aggregate", "SELECT quantile(0.5)(a) AS x FROM t", "x=none"},
		{"method calls", "SELECT sum(a).round(2) AS x FROM t", "x=none"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, showSelect(readSelect(tc.sql))); diff != "" {
				t.Errorf("%s\n(-want +got):\n%s", tc.sql, diff)
			}
		})
	}
}

func showSelect(l *selectList) string {
	if l == nil {
		return "unread"
	}
	var out []string
	for _, o := range l.outputs {
		out = append(out, o.name+"="+string(o.agg))
	}
	if l.star {
		out = append(out, "*")
	}
	return strings.Join(out, " ")
}

// The rows are not grouped by a column that is an aggregate.
func TestReadSelectAggregates(t *testing.T) {
	t.Parallel()
	list := readSelect("SELECT sku, mode(category) AS category, any_value(name)::text, max(day), lower(min(name)), " +
		"first(a) OVER () FROM t GROUP BY sku")
	var got []bool
	for _, o := range list.outputs {
		got = append(got, o.aggregate)
	}
	if diff := cmp.Diff([]bool{false, true, true, true, false, false}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The function of a column is recognized inside rounding and casts, beside factors and divisors that are numbers, and so is a quotient of
// columns.
func TestReadSelectFunctions(t *testing.T) {
	t.Parallel()
	for expr, want := range map[string]string{
		"avg(a)": "avg", "round(avg(a)::numeric, 2)": "avg", "cast(avg(a) AS int)": "avg", "coalesce(round(median(a)), 0)": "median",
		"sum(a) / count(*)": "/", "round(100 * sum(a) / nullif(count(*), 0))": "/", "sum(a) / 100": "sum", "sum(a / b)": "sum",
		"100.0 * avg(a)": "avg", "avg(a) * 100 / 2": "avg", "round(2 * median(a) / 3, 1)": "median",
		"100 * sum(a) / count(*)": "/", "2 / sum(a)": "/",
		"count(DISTINCT a)": "count distinct", "a": "", "a / b": "/", "round(a)": "", "round(": "", "lower(min(a))": "", "sum(a) OVER ()": "",
	} {
		list := readSelect("SELECT k, " + expr + " AS n FROM t GROUP BY 1")
		if list == nil || len(list.outputs) != 2 || list.outputs[1].function != want {
			t.Errorf("%s: %+v, want %s", expr, list, want)
		}
	}
}

// Whether rows have an order that somebody wrote: grouped rows without ORDER BY have no order.
func TestInOrder(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]bool{
		"SELECT k, count(*) AS n FROM t GROUP BY 1":                                   false,
		"SELECT k, count(*) AS n FROM t GROUP BY 1 ORDER BY min(no)":                  true,
		"SELECT k, sum(n) OVER (ORDER BY k), count(*) AS m FROM t GROUP BY 1":         false,
		"SELECT k, count(*) AS n FROM (SELECT * FROM t ORDER BY k) AS s GROUP BY 1":   false,
		"SELECT 'a' AS k, count(*) AS n FROM t UNION ALL SELECT 'b', count(*) FROM u": true,
		"SELECT k, n FROM t":                              true,
		"SELECT t.order, count(*) AS n FROM t GROUP BY 1": false,
		"WITH s AS (SELECT k FROM t ORDER BY 1) SELECT k, count(*) AS n FROM s GROUP BY ALL":      false,
		"SELECT k, count(*) AS n FROM t GROUP BY k HAVING count(*) > 1 ORDER BY n DESC LIMIT 10;": true,
		"SELECT k FROM t GROUP BY k":                                          false,
		"SELECT DISTINCT k, n FROM t":                                         false,
		"SELECT DISTINCT k, n FROM t ORDER BY n":                              true,
		"(SELECT DISTINCT ON (k) k, n FROM t);":                               false,
		"WITH a AS (SELECT DISTINCT k FROM t) SELECT k FROM a":                true,
		"SELECT k, n FROM t UNION SELECT k, n FROM u":                         false,
		"SELECT k, n FROM t UNION DISTINCT SELECT k, n FROM u":                false,
		"SELECT k FROM t EXCEPT SELECT k FROM u":                              false,
		"SELECT k FROM t INTERSECT SELECT k FROM u ORDER BY k":                true,
		"SELECT k, sum(n) AS n FROM t GROUP BY ROLLUP (k)":                    false,
		"SELECT k, sum(n) AS n FROM t GROUP BY GROUPING SETS ((k), ())":       false,
		"SELECT k, sum(n) AS n FROM t GROUP BY CUBE (k) ORDER BY 1":           true,
		"SELECT k, n FROM t UNION ALL SELECT DISTINCT k, n FROM u":            true,
		"SELECT k, \"distinct\" FROM t UNION ALL SELECT k, t.order FROM u":    true,
		"SELECT * EXCEPT (k) FROM t":                                          true,
		"SELECT grouping, cube, minus FROM t UNION ALL SELECT a, b, c FROM u": true,
		"VALUES (1), (2)": true,
		"":                true,
	} {
		if got := (&Dataset{SQL: sql}).InOrder(); got != want {
			t.Errorf("%s: %t", sql, got)
		}
		read := &Dataset{}
		if read.readList(sql); read.InOrder() != want {
			t.Errorf("%s: %t once it is read", sql, !want)
		}
	}
}

// Reading hostile SQL takes time in proportion to its length.
func TestReadSelectHostile(t *testing.T) {
	t.Parallel()
	for name, piece := range map[string]string{
		"brackets": "(", "open comments": "/*", "comments that do not nest": "/*/* */ ", "dollars": "$a$", "holes": "{{", "quotes": "'",
		"casts": "::a", "coalesce": "coalesce(",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sql := "SELECT " + strings.Repeat(piece, 200_000/len(piece))
			if list := readSelect(sql); list != nil {
				for _, o := range list.outputs {
					if o.agg != None {
						t.Errorf("agg %s", o.agg)
					}
				}
			}
		})
	}
	if readSelect("SELECT sum(a) -- "+strings.Repeat("x", maxSelect)) != nil {
		t.Error("read a text over the limit")
	}
}

func FuzzSelectList(f *testing.F) {
	f.Add("SELECT a, sum(b)::double AS c FROM t WHERE x = '{{y}}' -- z")
	f.Add("WITH a AS (SELECT 1) SELECT coalesce(sum(x), 0) FROM a;")
	f.Fuzz(func(t *testing.T, sql string) {
		list := readSelect(sql)
		if list == nil {
			return
		}
		for _, o := range list.outputs {
			if o.agg != None && !strings.ContainsAny(strings.ToLower(sql), "sminaxcou") {
				t.Errorf("agg %s of nothing", o.agg)
			}
		}
	})
}
