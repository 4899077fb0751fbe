package dashboard_test

import (
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// TestKPIOfTextNeedsAnOrder: without sort, a kpi of a text needs rows in an intended order, or one row.
func TestKPIOfTextNeedsAnOrder(t *testing.T) {
	t.Parallel()
	columns := map[string][]cube.Column{"d": {{Name: "city", Type: cube.Text}, {Name: "day", Type: cube.Date}}}
	for sql, want := range map[string]string{
		"SELECT city, day FROM t ORDER BY day DESC":        "",
		"SELECT max(city) AS city, max(day) AS day FROM t": "",
		"SELECT city, max(day) AS day FROM t GROUP BY 1": `"city" is a dimension (text) of several values: write "sort": "-day" beside it ` +
			`to show the one with the latest "day", or name a measure`,
	} {
		s, err := dashboard.Parse([]byte(`{"datasets": [{"id": "d", "sql": "` + sql + `"}], "panels": [{"type": "kpi", "value": "city"}]}`))
		if err == nil {
			_, err = s.Check(columns)
		}
		if got := errorText(err); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%s: %s", sql, got)
		}
	}
}

// TestKPIOfTheTextOfOneThing: a kpi of a text needs no order if a facet, or a filter of exactly one value, leaves one value of each.
func TestKPIOfTheTextOfOneThing(t *testing.T) {
	t.Parallel()
	columns := map[string][]cube.Column{
		"d": {{Name: "child", Type: cube.Text}, {Name: "coach", Type: cube.Text}}, "e": {{Name: "town", Type: cube.Text}},
	}
	for rest, want := range map[string]string{
		`"facet": "child"}]`: "",
		`"title": "x"}], "filters": [{"column": "child", "multiple": false}]`: "",
		`"title": "x"}], "filters": [{"column": "child"}]`:                    `"coach" is a dimension (text) of several values`,
		`"title": "x"}], "filters": [{"column": "town", "multiple": false}]`:  `"coach" is a dimension (text) of several values`,
	} {
		s, err := dashboard.Parse([]byte(`{
			"datasets": [{"id": "d", "sql": "SELECT child, coach FROM t"}, {"id": "e", "sql": "SELECT town FROM u"}],
			"panels": [{"type": "kpi", "data": "d", "value": "coach", ` + rest + `}`))
		if err == nil {
			_, err = s.Check(columns)
		}
		if got := errorText(err); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%s: %s", rest, got)
		}
	}
}
