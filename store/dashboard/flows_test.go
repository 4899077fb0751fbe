package dashboard_test

import (
	"testing"

	"service/store/dashboard"
)

// Panels of amounts refuse what is none: a ratio, an average, the largest of many.
func TestAmounts(t *testing.T) {
	t.Parallel()
	const funnel = ` is no amount of which a step keeps a part, as a funnel shows; use a bar, or a measure that is counted or summed`
	for panel, want := range map[string]string{
		`{"type": "funnel", "data": "orders", "label": "country", "value": "revenue", "sort": "-orders"}`: ``,
		`{"type": "funnel", "data": "orders", "label": "country", "value": "aov"}`:                        `panels[0].value: "aov"` + funnel,
		`{"type": "funnel", "data": "orders", "label": "country", "value": "best"}`:                       `panels[0].value: "best"` + funnel,
		`{"type": "funnel", "data": "teams", "label": "team", "value": "median"}`:                         `panels[0].value: "median"` + funnel,
		`{"type": "funnel", "data": "orders", "label": "country", "value": "customers"}`: `panels[0].value: "customers" cannot be merged ` +
			`over "day", "shop_id", which this panel leaves out: it is not known how its values add up. Either declare "agg" (sum, min, max or ` +
			`avg) in datasets[0].columns.customers, or show a "ratio" of two measures that add up`,
		`{"type": "funnel", "data": "orders", "label": "revenue", "value": "orders"}`: `panels[0].label: "revenue" is a measure, and this must ` +
			`be a dimension; if it is one, write "role": "dimension" in datasets[0].columns.revenue; dimensions: day, country, shop_id`,
		`{"type": "funnel", "data": "orders", "label": "country", "value": "orders", "sort": "step"}`: `panels[0].sort: column "step" is not ` +
			`returned by dataset "orders"; columns: day, country, shop_id, revenue, orders, customers, best, aov, per_head`,
	} {
		s, err := dashboard.Parse(document(``, panel, ``))
		if err != nil {
			t.Fatal(panel, err)
		}
		got := ""
		if _, err := s.Check(checkColumns); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s\ngot  %s\nwant %s", panel, got, want)
		}
	}
}
