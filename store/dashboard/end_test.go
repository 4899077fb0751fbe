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
		"min(day)":                                     dashboard.Min,
		"MIN (o.day)::date":                            dashboard.Min,
		"CAST(min(at) AS date)":                        dashboard.Min,
		"date_trunc('month', min(at))":                 dashboard.Min,
		"coalesce(min(day), DATE '2030-01-01')":        dashboard.Min,
		"min(day) FILTER (WHERE paid)":                 dashboard.Min,
		"min(day) OVER (PARTITION BY plan)":            dashboard.Min,
		"min(day) + INTERVAL 1 DAY":                    dashboard.Min,
		"minIf(day, paid)":                             dashboard.Min,
		"minOrNull(day)":                               dashboard.Min,
		"toDate(min(at))":                              dashboard.Min,
		"least(min(ordered), min(paid))":               dashboard.Min,
		"min(CASE WHEN paid THEN day END)":             dashboard.Min,
		"min(greatest(ordered, paid))":                 dashboard.Min,
		"first(day)":                                   dashboard.Min,
		"first(day ORDER BY at)":                       dashboard.Min,
		"last(day ORDER BY at DESC)":                   dashboard.Min,
		"first_value(day) OVER (ORDER BY day)":         dashboard.Min,
		"arg_min(day, at)":                             dashboard.Min,
		"min_by(day, at)":                              dashboard.Min,
		"argMin(day, at)":                              dashboard.Min,
		"max(day)":                                     dashboard.Max,
		"maxIf(day, paid)":                             dashboard.Max,
		"last(day)":                                    dashboard.Max,
		"first(day ORDER BY at DESC)":                  dashboard.Max,
		"arg_max(day, at)":                             dashboard.Max,
		"argMax(day, at)":                              dashboard.Max,
		"max_by(day, at)":                              dashboard.Max,
		"last_value(day) OVER (ORDER BY day)":          dashboard.Max,
		"anyLast(day)":                                 dashboard.Max,
		"any_value(day)":                               "",
		"day":                                          "",
		"min(ordered, paid)":                           "", // the least of two columns of a row
		"coalesce(min(ordered), max(paid))":            "",
		"(SELECT min(day) FROM t)":                     "",
		"t.min":                                        "",
		"mode() WITHIN GROUP (ORDER BY day)":           "",
		"CASE WHEN count(*) > 1 THEN max(day) END":     "",
		"date_trunc('month', day)":                     "",
		"make_date(2026, min(month), 1)":               dashboard.Min,
		"timezone('UTC', max(at))":                     dashboard.Max,
		"max(day) - INTERVAL 7 DAY":                    dashboard.Max,
		"greatest(max(ordered), max(paid))":            dashboard.Max,
		"date(max(at))":                                dashboard.Max,
		"min(day) AS \"max\"":                          dashboard.Min,
		"min(min(day)) OVER ()":                        dashboard.Min,
		"any(day)":                                     "",
		"quantile(0.5)(day)":                           "",
		"first_value(day ORDER BY at)":                 dashboard.Min,
		"maxOrDefault(day)":                            dashboard.Max,
		"arg_max(day, at) FILTER (WHERE NOT refunded)": dashboard.Max,
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
