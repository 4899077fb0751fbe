package dashboard_test

import (
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// TestQuantilesOfRows: a measure of a median or a percentile is merged by every panel, is not stacked, and is doubtful if the values are
// means, quantiles or extremes of groups. Sums of groups have a median.
func TestQuantilesOfRows(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ agg, value, panel, want string }{
		{"median", "h", `{"type": "bar", "x": "team", "y": "h"}`, ""},
		{"p95", "h", `{"type": "kpi", "value": "h"}`, ""},
		{"median", "sum(h) AS h", `{"type": "kpi", "value": "h"}`, ""},
		{
			"median", "avg(h) AS h", `{"type": "kpi", "value": "h"}`,
			`[doubtful] datasets[0].columns.h.agg: "median" is that of the rows of the dataset, and each of them has the avg() of a group; ` +
				`return single rows.`,
		},
		{"p90", "median(h) AS h", `{"type": "kpi", "value": "h"}`, `"p90" is that of the rows of the dataset, and each of them has the median()`},
		{
			"p99", "h", `{"type": "area", "x": "day", "y": "h", "series": "team", "stack": true}`,
			`panels[0].y: "h" is of agg "p99", and such do not add up to the height of a stack; leave stack out`,
		},
		{"median", "h", `{"type": "pie", "label": "team", "value": "h"}`, `"h" does not add up to the whole that a pie shows`},
	} {
		sql := "SELECT day, team, " + tc.value + " FROM t"
		if strings.Contains(tc.value, "(") {
			sql += " GROUP BY day, team"
		}
		s, err := dashboard.Parse([]byte(`{"datasets": [{"id": "d", "sql": "` + sql + `", "columns": {"h": {"agg": "` + tc.agg +
			`"}}}], "panels": [` + tc.panel + `]}`))
		var warnings []string
		if err == nil {
			var issues []dashboard.Warning
			issues, err = s.Check(map[string][]cube.Column{
				"d": {{Name: "day", Type: cube.Date}, {Name: "team", Type: cube.Text}, {Name: "h", Type: cube.Number}},
			})
			for _, w := range issues {
				warnings = append(warnings, w.String())
			}
		}
		if got := errorText(err) + strings.Join(warnings, "\n"); !strings.Contains(got, tc.want) || tc.want == "" && got != "" {
			t.Errorf("%s of %s in %s:\n%s\nwant %s", tc.agg, tc.value, tc.panel, got, tc.want)
		}
	}
}
