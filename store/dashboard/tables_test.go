package dashboard

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTablesOf(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string][]string{
		"SELECT 1":          nil,
		"SELECT a FROM t":   {"t"},
		"select a from T x": {"T"},
		`SELECT a FROM "My T" AS x, s.b y WHERE z IN (SELECT c FROM d) GROUP BY 1, 2`:                 {`"My T"`, "s.b", "d"},
		"SELECT a FROM a JOIN b ON a.i = b.i LEFT JOIN c.d.e USING (i, j)":                            {"a", "b", "c.d.e"},
		"SELECT extract(year FROM d), trim(both ' ' FROM x) FROM orders":                              {"orders"},
		"SELECT a IS DISTINCT FROM b FROM t":                                                          {"t"},
		"WITH x AS (SELECT 1 FROM a), y(c, d) AS MATERIALIZED (SELECT 2 FROM x) SELECT * FROM y, b":   {"a", "b"},
		"WITH RECURSIVE x AS (SELECT 1 UNION ALL SELECT n FROM x JOIN edges ON true) SELECT * FROM X": {"edges"},
		"SELECT * FROM (SELECT * FROM t) q JOIN (VALUES (1), (2)) v ON true, range(5) r":              {"t"},
		"SELECT * FROM (a CROSS JOIN b), LATERAL unnest(x) u":                                         {"a", "b"},
		"SELECT * FROM t ARRAY JOIN tags":                                                             {"t"},
		"SELECT * FROM t UNION SELECT * FROM u ORDER BY a, b":                                         {"t", "u"},
		"SELECT ' FROM no ', \"from\" FROM t -- FROM neither\n":                                       {"t"},
		"SELECT * FROM t WHERE d >= {{since.start}} AND d < {{since.end}}":                            {"t"},
		"SELECT * FROM t WHERE (SELECT max(n) FROM u) > (1) AND f(a, b) IN (1, 2)":                    {"t", "u"},
		"SELECT * FROM":   nil,
		"FROM t SELECT a": {"t"},
	} {
		if diff := cmp.Diff(want, TablesOf(sql)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", sql, diff)
		}
	}
}

func TestTablesOfASpec(t *testing.T) {
	t.Parallel()
	s, err := Parse([]byte(`{"datasets": [{"id": "a", "sql": "SELECT d, 1 AS n FROM b, a"}, {"id": "c", "sql": "SELECT d, 1 AS n FROM a, ` +
		`c"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"b", "a", "c"}, s.Tables()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
