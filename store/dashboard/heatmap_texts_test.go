package dashboard

import (
	"fmt"
	"strings"
	"testing"
)

// TestHeatMapOfTexts: value of a heat map may be a text or yes and no, whose values are the colours of the cells. Keys for numbers are
// refused with the remedy, and so are texts with more values than there are colours.
func TestHeatMapOfTexts(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ columns, panel, want string }{
		{"", `"value": "status"`, ""},
		{"", `"value": "up"`, ""},
		{`"status": {"colors": {"OK": "green", "down": "red"}, "order": ["OK", "slow", "down"]}`, `"value": "status", "labels": false`, ""},
		{
			"", `"value": "status",
				"thresholds": [{"value": "down", "tone": "bad"}, {"column": "status", "if": "=", "value": "OK", "tone": "good"}]`,
			"",
		},
		{"", `"value": "status", "limit": 3, "sort": "-ms", "tooltip": ["ms"], "grain": "week", "partial": "hide"`, ""},
		{"", `"value": "status", "facet": "region"`, ""},
		{
			"", `"value": "status", "colors": {"OK": "green"}`,
			`"columns": {"status": {"colors": {"OK": "green"}}}`,
		},
		{"", `"value": "status", "ramp": "green"`, `panels[0].ramp: is for numbers, and "status" is a dimension (text); leave it out`},
		{"", `"value": "status", "scale": "log"`, `is for numbers, and "status" is a dimension (text); leave it out`},
		{"", `"value": "status", "gaps": "zero"`, `panels[0].gaps: is for numbers, and "status" is a dimension (text); leave it out`},
		{"", `"value": "status", "other": true`, `panels[0].other: is for numbers, and "status" is a dimension (text); leave it out`},
		{"", `"value": "status", "color": "ms"`, `panels[0].color: is for numbers, and "status" is a dimension (text); leave it out`},
		{
			"", `"value": "status", "sort": "-status"`,
			`panels[0].sort: orders the rows, and "status" is the text in their cells; name "service" or a measure`,
		},
		{"", `"value": "status", "thresholds": [{"if": ">", "value": "down", "tone": "bad"}]`, `panels[0].thresholds[0].if: compares numbers`},
		{
			"", `"value": "status", "thresholds": [{"column": "ms", "value": 3, "tone": "bad"}]`,
			`panels[0].thresholds[0].column: must be "status", the column of value, or left out`,
		},
		{"", `"value": "service"`, `panels[0].value: "service" is in y already`},
		{"", `"value": "many"`, `panels[0].value: "many" has 11 values, and cells have 10 colours at most; group them with CASE in the sql`},
		{"", `"value": "price"`, `is a dimension (text), and this must be a measure`},
		{"", `"value": "year"`, `is a dimension (integer), and this must be a measure`},
		{"", `"value": "day", "x": "region"`, `is a dimension (date), and this must be a measure`},
	} {
		var rows []string
		for i := range 12 {
			rows = append(rows, fmt.Sprintf(`{"day": "2026-03-%02d", "service": "s%d", "region": "r%d", "status": "%s", "up": %t, "ms": %d.5,
				"many": "m%d", "price": "$%d.00", "year": %d}`, i/2+1, i%2, i%2, []string{"OK", "slow", "down"}[i%3], i > 2, i, i%11, i, 2000+i))
		}
		panel := `"type": "heatmap", "x": "day", "y": "service", ` + tc.panel
		if strings.Contains(tc.panel, `"x"`) {
			panel = strings.Replace(panel, `"x": "day", `, "", 1)
		}
		_, _, err := ParseReport(fmt.Appendf(nil, `{"columns": {%s}, "datasets": [{"id": "d", "columns": {"ms": {"agg": "max"}}, "rows": [%s]}],
			"panels": [{%s}]}`, tc.columns, strings.Join(rows, ","), panel))
		switch got := fmt.Sprint(err); {
		case tc.want == "" && err != nil:
			t.Errorf("%s: %s", tc.panel, got)
		case !strings.Contains(got, tc.want):
			t.Errorf("%s:\n%s\nwant %s", tc.panel, got, tc.want)
		}
	}
}
