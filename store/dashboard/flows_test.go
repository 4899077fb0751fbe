package dashboard_test

import (
	"fmt"
	"strings"
	"testing"

	"service/store/dashboard"
)

// Panels of amounts refuse other measures: a ratio, an average, the largest of many.
func TestAmounts(t *testing.T) {
	t.Parallel()
	const funnel = ` is no amount of which a step keeps a part, as a funnel shows; use a bar, or a measure that is counted or summed`
	const waterfall = ` does not add up, as the changes of a waterfall do; use a bar, or a measure whose "agg" is "sum"`
	const all = `columns: day, country, shop_id, revenue, orders, customers, best, aov, per_head`
	for _, tc := range []struct{ kind, keys, want string }{
		{"funnel", `"label": "country", "value": "revenue", "sort": "-orders"`, ``},
		{"funnel", `"label": "country", "value": "aov"`, `panels[0].value: "aov"` + funnel},
		{"funnel", `"label": "country", "value": "best"`, `panels[0].value: "best"` + funnel},
		{"funnel", `"data": "teams", "label": "team", "value": "median"`, `panels[0].value: "median"` + funnel},
		{
			"funnel", `"label": "country", "value": "customers"`,
			`panels[0].value: "customers" cannot be merged over "day", "shop_id", which this ` +
				`panel leaves out: it is not known how its values add up. Either declare "agg" (sum, min, max, avg, median or last) in ` +
				`datasets[0].columns.customers, or show a "ratio" of two measures that add up`,
		},
		{
			"funnel", `"label": "revenue", "value": "orders"`,
			`panels[0].label: "revenue" is a measure, and this must be a dimension; if it is one, ` +
				`write "role": "dimension" in datasets[0].columns.revenue; dimensions: day, country, shop_id`,
		},
		{
			"funnel", `"label": "country", "value": "orders", "sort": "step"`,
			`panels[0].sort: column "step" is not returned by dataset "orders"; ` + all,
		},
		{"waterfall", `"label": "country", "value": "revenue", "sort": "-orders"`, ``},
		{"waterfall", `"label": "country", "value": "aov"`, `panels[0].value: "aov"` + waterfall},
		{"waterfall", `"label": "country", "value": "best"`, `panels[0].value: "best"` + waterfall},
		{"waterfall", `"label": "country", "value": "customers"`, `panels[0].value: "customers"` + waterfall},
		{"waterfall", `"data": "teams", "label": "team", "value": "median"`, `panels[0].value: "median"` + waterfall},
		{
			"waterfall", `"label": "country", "value": "orders", "grain": "week"`,
			`panels[0].grain: is about times, and "country" is of type text; dates: day`,
		},
	} {
		data := `"data": "orders", `
		if strings.Contains(tc.keys, `"data"`) {
			data = ""
		}
		s, err := dashboard.Parse(document(``, `{"type": "`+tc.kind+`", `+data+tc.keys+`}`, ``))
		if err != nil {
			t.Fatal(tc, err)
		}
		got := ""
		if _, err := s.Check(checkColumns); err != nil {
			got = err.Error()
		}
		if got != tc.want {
			t.Errorf("%s of %s\ngot  %s\nwant %s", tc.kind, tc.keys, got, tc.want)
		}
	}
}

// total is one name or several, or whether there is a closing bar.
func TestTotal(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		``: `[] false`, `, "total": true`: `[] false`, `, "total": false`: `[] true`, `, "total": null`: `[] false`,
		`, "total": "End"`: `["End"] false`, `, "total": ["Start", "End"]`: `["Start" "End"] false`,
		`, "total": []`: `panels[0].total: is empty; name a closing bar or rows that are totals, or write false for none`,
		`, "total": ""`: `panels[0].total: is empty`, `, "total": 7`: `panels[0].total: must be a string, not a number`,
		`, "total": ["a", 1]`: `panels[0].total[1]: must be a string, not a number`,
	} {
		s, err := dashboard.Parse(document(``, `{"type": "waterfall", "data": "orders", "label": "country", "value": "revenue"`+value+`}`, ``))
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = fmt.Sprintf("%q %t", s.Panels[0].Total, s.Panels[0].NoTotal)
		}
		if got != want {
			t.Errorf("%s: %s, want %s", value, got, want)
		}
	}
}

// A table may have a row of totals, with a name.
func TestTableTotal(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		``: `[] false`, `, "total": true`: `[] true`, `, "total": false`: `[] false`, `, "total": null`: `[] false`,
		`, "total": "All"`: `["All"] true`, `, "total": ""`: `panels[0].total: is empty`,
		`, "total": ["All"]`: `panels[0].total: of a table is true, or the name of the row of totals, and not a list`,
		`, "total": 7`:       `panels[0].total: must be a string, not a number`,
	} {
		s, err := dashboard.Parse(document(``, `{"type": "table", "data": "orders"`+value+`}`, ``))
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = fmt.Sprintf("%q %v", s.Panels[0].Total, s.Panels[0].TotalRow)
		}
		if !strings.Contains(got, want) {
			t.Errorf("total%s: %s, want %s", value, got, want)
		}
	}
}
