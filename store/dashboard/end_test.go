package dashboard_test

import (
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// The function in the SQL determines which of several times represents them, in every dialect.
func TestEndOfTimes(t *testing.T) {
	t.Parallel()
	for expr, want := range map[string]dashboard.Agg{
		"min(day)":                                                dashboard.Min,
		"MIN (o.day)::date":                                       dashboard.Min,
		"CAST(min(at) AS date)":                                   dashboard.Min,
		"date_trunc('month', min(at))":                            dashboard.Min,
		"coalesce(min(day), DATE '2030-01-01')":                   dashboard.Min,
		"min(day) FILTER (WHERE paid)":                            dashboard.Min,
		"min(day) OVER (PARTITION BY plan)":                       dashboard.Min,
		"min(day) + INTERVAL 1 DAY":                               dashboard.Min,
		"minIf(day, paid)":                                        dashboard.Min,
		"minOrNull(day)":                                          dashboard.Min,
		"toDate(min(at))":                                         dashboard.Min,
		"least(min(ordered), min(paid))":                          dashboard.Min,
		"min(CASE WHEN paid THEN day END)":                        dashboard.Min,
		"min(greatest(ordered, paid))":                            dashboard.Min,
		"first(day)":                                              dashboard.Min,
		"first(day ORDER BY at)":                                  dashboard.None,
		"last(day ORDER BY at DESC)":                              dashboard.None,
		"first_value(day) OVER (ORDER BY day)":                    dashboard.Min,
		"arg_min(day, at)":                                        dashboard.None,
		"min_by(day, at)":                                         dashboard.None,
		"argMin(day, at)":                                         dashboard.None,
		"max(day)":                                                dashboard.Max,
		"first(day ORDER BY day)":                                 dashboard.Min,
		"last(day ORDER BY day DESC)":                             dashboard.Min,
		"first(day ORDER BY day DESC)":                            dashboard.Max,
		"last(day ORDER BY rev)":                                  dashboard.None,
		"last_value(day) OVER (ORDER BY rev)":                     dashboard.None,
		"arg_max(day, day)":                                       dashboard.Max,
		"min_by(day, rev)":                                        dashboard.None,
		"DATE '2030-01-01' - (max(day) - DATE '2026-01-01')::INT": dashboard.None,
		"DATE '2026-01-01' + (max(day) - DATE '2026-01-01')":      dashboard.Max,
		"max(day) - 7":                                            dashboard.Max,
		"DATE '2026-01-01' + (max(day) - DATE '2026-01-01') * -1": dashboard.None,
		"maxIf(day, paid)":                                        dashboard.Max,
		"last(day)":                                               dashboard.Max,
		"first(day ORDER BY at DESC)":                             dashboard.None,
		"arg_max(day, at)":                                        dashboard.None,
		"argMax(day, at)":                                         dashboard.None,
		"max_by(day, at)":                                         dashboard.None,
		"last_value(day) OVER (ORDER BY day)":                     dashboard.Max,
		"anyLast(day)":                                            dashboard.Max,
		"quantile_disc(day, 0.5)":                                 dashboard.None,
		"percentile_disc(0.5) WITHIN GROUP (ORDER BY day)":        dashboard.None,
		"any_value(day)":                                          "",
		"day":                                                     "",
		"min(ordered, paid)":                                      "", // the least of two columns of a row
		"coalesce(min(ordered), max(paid))":                       dashboard.None,
		"(SELECT min(day) FROM t)":                                dashboard.None,
		"t.min":                                                   "",
		"mode() WITHIN GROUP (ORDER BY day)":                      dashboard.None,
		"CASE WHEN count(*) > 1 THEN max(day) END":                dashboard.Max,
		"date_trunc('month', day)":                                "",
		"make_date(2026, min(month), 1)":                          dashboard.Min,
		"timezone('UTC', max(at))":                                dashboard.Max,
		"max(day) - INTERVAL 7 DAY":                               dashboard.Max,
		"greatest(max(ordered), max(paid))":                       dashboard.Max,
		"date(max(at))":                                           dashboard.Max,
		"min(day) AS \"max\"":                                     dashboard.Min,
		"min(min(day)) OVER ()":                                   dashboard.Min,
		"median(day)":                                             dashboard.None,
		"lag(day) OVER (ORDER BY day)":                            "",
		"(SELECT day FROM t LIMIT 1)":                             "",
		"coalesce(any_value(day), max(day))":                      dashboard.None,
		"any(day)":                                                "",
		"quantile(0.5)(day)":                                      dashboard.None,
		"first_value(day ORDER BY at)":                            dashboard.None,
		"maxOrDefault(day)":                                       dashboard.Max,
		"arg_max(day, at) FILTER (WHERE NOT refunded)":            dashboard.None,
	} {
		cols := dashboard.ResolveColumns("SELECT plan, "+expr+" AS d FROM t GROUP BY 1",
			[]cube.Column{{Name: "plan", Type: cube.Text}, {Name: "d", Type: cube.Date}})
		end, told := cols[1].End()
		wanted := want
		if want == "" {
			wanted = dashboard.Max // the latest by default
		}
		if end != wanted || told != (want != "") || cols[1].Role != dashboard.Dimension {
			t.Errorf("%s: got %s, told %v, a %s; want %q", expr, end, told, cols[1].Role, want)
		}
	}
	spec, err := dashboard.Parse([]byte(`{"version": 1, "title": "T", "panels": [{"type": "table", "data": "d"}],
		"datasets": [{"id": "d", "sql": "SELECT plan, max(day) AS d FROM t GROUP BY 1", "columns": {"d": {"agg": "min"}}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	cols := spec.Datasets[0].Resolve([]cube.Column{{Name: "plan", Type: cube.Text}, {Name: "d", Type: cube.Date}})
	if end, told := cols[1].End(); end != dashboard.Min || !told {
		t.Errorf("the spec says min, and max is in the SQL: got %s, %v", end, told)
	}
}

// Times are followed through common table expressions, subqueries, joins and unions to the function that aggregates them.
func TestEndOfInnerTimes(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]dashboard.Agg{
		"WITH s AS (SELECT p, min(day) AS v FROM t GROUP BY 1) SELECT * FROM s":                                      dashboard.Min,
		"WITH s AS (SELECT p, min(day) AS first FROM t GROUP BY 1) SELECT p, s.first AS v FROM s":                    dashboard.Min,
		"WITH s AS (SELECT p, min(day) AS a FROM t GROUP BY 1), u AS (SELECT p, a AS b FROM s) SELECT p, b v FROM u": dashboard.Min,
		"SELECT p, v FROM (SELECT p, min(day) AS v FROM t GROUP BY 1)":                                               dashboard.Min,
		"SELECT p, v FROM (SELECT p, max(day) AS v FROM t GROUP BY 1)":                                               dashboard.Max,
		"SELECT t.p, s.v FROM t JOIN (SELECT p, min(day) AS v FROM t GROUP BY 1) s USING (p)":                        dashboard.Min,
		"SELECT p, min(day) AS v FROM t GROUP BY 1 UNION ALL SELECT p, min(day) FROM u GROUP BY 1":                   dashboard.Min,
		"SELECT p, min(day) AS v FROM t GROUP BY 1 UNION ALL SELECT p, max(day) FROM u GROUP BY 1":                   dashboard.None,
		"SELECT p, v FROM (SELECT p, arg_max(day, n) AS v FROM t GROUP BY 1)":                                        dashboard.None,
		"SELECT p, v FROM (SELECT p, day AS v FROM t)":                                                               "",
		"SELECT p, max(v) AS v FROM (SELECT p, min(day) AS v FROM t GROUP BY 1, q) GROUP BY 1":                       dashboard.Max,
		"SELECT p, v FROM (SELECT p, min(day) AS a FROM t GROUP BY 1) q(p, v)":                                       dashboard.Min,
		"SELECT p, v FROM (SELECT p, min(day) FROM t GROUP BY 1) AS q (p, v) WHERE p IN (SELECT p FROM u)":           dashboard.Min,
		"SELECT q.p, q.v FROM t JOIN (SELECT p, max(day) m FROM t GROUP BY 1) AS q(p, \"v\") USING (p)":              dashboard.Max,
		"WITH q(p, v) AS (SELECT p, min(day) FROM t GROUP BY 1) SELECT p, v FROM q":                                  dashboard.Min,
		"WITH q (p, v) AS NOT MATERIALIZED (SELECT p, min(day) AS a FROM t GROUP BY 1) SELECT * FROM q":              dashboard.Min,
		"SELECT p, v FROM t WHERE v IN (SELECT min(day) FROM t) AND (p, v) = (p, v)":                                 "",
		"WITH a AS (SELECT p, v FROM b), b AS (SELECT p, v AS v FROM a) SELECT p, v FROM a":                          "",
	} {
		cols := dashboard.ResolveColumns(sql, []cube.Column{{Name: "p", Type: cube.Text}, {Name: "v", Type: cube.Date}})
		end, told := cols[1].End()
		wanted := want
		if want == "" {
			wanted = dashboard.Max
		}
		if end != wanted || told != (want != "") {
			t.Errorf("%s: got %s, told %t; want %q", sql, end, told, want)
		}
	}
}
