package dashboard

import (
	"strings"
	"testing"

	"service/store/dashboard/cube"
)

// The key compare along categories: bars take it with a filter on a date, and every refusal names what helps.
func TestCompareKeysOfCategories(t *testing.T) {
	t.Parallel()
	const onDay, onText, none = `[{"column": "day", "default": "this_quarter"}]`, `[{"column": "channel"}]`, `[]`
	for _, tc := range [][3]string{
		{onDay, `"type": "bar", "y": "revenue", "compare": "previous_period"`, ""},
		{onDay, `"type": "bar", "y": "revenue", "compare": "previous_year", "horizontal": true, "partial": "hide"`, ""},
		{
			onDay, `"type": "bar", "y": "revenue", "compare": "previous_period", "horizontal": true, "limit": 5, "other": true, "target": "paid"`,
			"",
		},
		{onDay, `"type": "bar", "y": "revenue", "compare": "previous_period", "thresholds": [{"value": 1, "tone": "good"}]`, ""},
		{onDay, `"type": "bar", "y": "revenue", "compare": "previous_period", "horizontal": true, "share": "none"`, ""},
		{onDay, `"type": "bar", "x": "day", "y": "revenue", "compare": "previous_period"`, ""},
		{
			onDay, `"type": "bar", "y": "revenue", "compare": "previous_period", "horizontal": true, "share": "total"`,
			"panels[0].share: is of one period, and compare writes the values of two beside the bars; leave share or compare out",
		},
		{
			onDay, `"type": "bar", "y": "revenue", "compare": "previous_period", "highlight": "web"`,
			"panels[0].highlight: does not go with compare: the bars of the earlier period are gray already; leave one of them out",
		},
		{
			onDay, `"type": "bar", "y": "revenue", "compare": "previous_period", "facet": "kind"`,
			"panels[0].compare: does not go with facet along categories; leave facet out",
		},
		{
			onDay, `"type": "bar", "x": "day", "y": "revenue", "compare": "previous_period", "horizontal": true`,
			"panels[0].compare: does not go with horizontal bars of dates, which are a list; leave horizontal out",
		},
		{onDay, `"type": "bar", "y": "revenue", "series": "kind", "compare": "previous_period"`, "compare: is of one series"},
		{onDay, `"type": "bar", "y": ["revenue", "paid"], "compare": "previous_period"`, "compare: is of one measure, and y has 2"},
		{
			onDay, `"type": "bar", "y": "revenue", "compare": "previous_period", "color": "paid"`,
			"panels[0].color: colours the bars, and so does",
		},
		{onText, `"type": "bar", "y": "revenue", "compare": "previous_period"`, withoutDates},
		{onText, `"type": "bar", "y": "revenue", "compare": "previous_year", "horizontal": true`, withoutDates},
		{none, `"type": "bar", "y": "revenue", "compare": "previous_year"`, withoutDates},
		{
			none, `"type": "bar", "y": "revenue", "compare": "previous_period"`,
			`"previous_period" needs a filter on a date, which defines the period`,
		},
		{
			onDay, `"type": "line", "y": "revenue", "compare": "previous_period"`,
			`panels[0].compare: is about an earlier period, and "channel" is of type text; a bar compares categories over the period of a ` +
				"filter on a date; dates: day",
		},
		{onDay, `"type": "combo", "bars": "revenue", "lines": "paid", "compare": "previous_year"`, "a bar compares categories"},
		{onDay, `"type": "box", "value": "top", "compare": "previous_year"`, "a bar compares categories"},
		{onDay, `"type": "funnel", "x": null, "label": "channel", "value": "revenue", "compare": "previous_period"`, ""},
		{none, `"type": "funnel", "x": null, "label": "channel", "value": "revenue", "compare": "previous_year"`, ""},
		{
			none, `"type": "funnel", "x": null, "label": "day", "value": "revenue", "compare": "previous_year"`,
			`panels[0].compare: "day" is the date of the periods, so no step is in both; name another column in label`,
		},
		{
			onDay, `"type": "funnel", "x": null, "label": "channel", "value": "revenue", "compare": "previous_period", "facet": "kind"`,
			"panels[0].compare: does not go with facet: small plots of this type have no room for an earlier period",
		},
		{
			onDay, `"type": "funnel", "x": null, "label": "channel", "value": "revenue", "compare": ["previous_period", "previous_year"]`,
			"panels[0].compare: has 2 comparisons, and a funnel has room for one",
		},
		{
			onDay, `"type": "funnel", "x": null, "label": "channel", "value": "revenue", "compare": "paid"`,
			`"paid" is not an earlier period; another measure is drawn by a bar with both measures in y`,
		},
		{
			onDay, `"type": "waterfall", "x": null, "label": "channel", "value": "revenue", "compare": "previous_period"`,
			"bar with compare has",
		},
		{
			onDay, `"type": "pie", "x": null, "label": "channel", "value": "revenue", "compare": "previous_period"`,
			"a bar with compare has both",
		},
		{
			onDay, `"type": "treemap", "x": null, "label": "channel", "value": "revenue", "compare": "previous_period"`,
			"a bar with compare has both",
		},
		{onDay, `"type": "heatmap", "y": "kind", "value": "revenue", "compare": "previous_period"`, "a bar with compare has both"},
		{
			onDay, `"type": "map", "x": null, "area": "channel", "value": "revenue", "compare": "previous_period"`,
			"a bar with compare has both",
		},
		{
			onDay, `"type": "sankey", "x": null, "steps": ["channel", "kind"], "value": "revenue", "compare": "previous_period"`,
			"a bar with compare has",
		},
	} {
		filters, panel, want := tc[0], tc[1], tc[2]
		if !strings.Contains(panel, `"x":`) {
			panel = `"x": "channel", ` + panel
		}
		s, err := Parse([]byte(`{"datasets": [{"id": "orders", "sql": "SELECT day, channel, kind, sum(amount) AS revenue, sum(paid) AS paid, ` +
			`max(amount) AS top FROM sales GROUP BY ALL", "columns": {"paid": {"agg": "sum"}}}], "filters": ` + filters +
			`, "panels": [{` + panel + `}]}`))
		if err == nil {
			_, err = s.Check(map[string][]cube.Column{"orders": {
				{Name: "day", Type: cube.Date},
				{Name: "channel", Type: cube.Text},
				{Name: "kind", Type: cube.Text},
				{Name: "revenue", Type: cube.Number},
				{Name: "paid", Type: cube.Number},
				{Name: "top", Type: cube.Number},
			}})
		}
		got := ""
		if err != nil {
			got = err.Error()
		}
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s with filters %s\ngot  %s\nwant %s", panel, filters, got, want)
		}
	}
}

// withoutDates is the refusal of bars of categories without a filter that defines the periods.
const withoutDates = `panels[0].compare: is about an earlier period, and "channel" is of type text; add a filter on a date, ` +
	"which defines both periods; dates: day"
