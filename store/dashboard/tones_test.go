package dashboard

import (
	"fmt"
	"strings"
	"testing"
)

// A threshold that cannot be meant is refused by the name of its key.
func TestThresholdProblems(t *testing.T) {
	t.Parallel()
	const (
		heatmap = `{"type": "heatmap", "x": "day", "y": "name", "value": "n", "thresholds": [%s]}`
		bar     = `{"type": "bar", "x": "name", "y": "n", "thresholds": [%s]}`
		bars    = `{"type": "bar", "x": "name", "y": ["n", "m"], "thresholds": [%s]}`
		series  = `{"type": "line", "x": "day", "y": "n", "series": "name", "thresholds": [%s]}`
		facet   = `{"type": "line", "x": "day", "y": "n", "facet": "name", "thresholds": [%s]}`
		area    = `{"type": "area", "x": "day", "y": "n", "thresholds": [%s]}`
		kpi     = `{"type": "kpi", "value": "n", "thresholds": [%s]}`
		table   = `{"type": "table", "columns": ["name", "n"], "thresholds": [%s]}`
		pivot   = `{"type": "pivot", "rows": ["name"], "values": ["n", "m"], "thresholds": [%s]}`
		points  = `{"type": "map", "lat": "lat", "lon": "lon", "label": "name", "thresholds": [%s]}`
	)
	for _, tc := range []struct{ panel, threshold, want string }{
		{heatmap, `{"value": 5, "tone": "bad"}`, ""},
		{heatmap, `{"value": "m", "tone": "bad"}`, ""},
		{kpi, `{"value": "m", "tone": "bad"}`, ""},
		{bar, `{"if": "<", "value": "m", "tone": "bad"}`, ""},
		{table, `{"column": "n", "value": "m", "tone": "bad", "row": true}`, ""},
		{pivot, `{"column": "n", "value": 4, "tone": "bad"}`, ""},
		{heatmap, `{"value": "x", "tone": "bad"}`, `panels[0].thresholds[0].value: column "x" is not returned by dataset "d"; columns: `},
		{heatmap, `{"value": "name", "tone": "bad"}`, `panels[0].thresholds[0].value: "name" is a dimension (text), and this must be a measure`},
		{
			heatmap, `{"value": "n", "tone": "bad"}`,
			`panels[0].thresholds[0].value: compares "n" with itself; write a number, or name another measure`,
		},
		{heatmap, `{"value": true, "tone": "bad"}`, `panels[0].thresholds[0].value: must be a number or the name of a measure, not a boolean`},
		{heatmap, `{"tone": "bad"}`, `panels[0].thresholds[0].value: is missing`},
		{heatmap, `{"column": "n", "value": 1, "tone": "bad"}`, ""},
		{heatmap, `{"column": "m", "value": 1, "tone": "bad"}`, ""},
		{heatmap, `{"column": "m", "value": "n", "tone": "bad"}`, ""},
		{heatmap, `{"by": "m", "value": 1, "tone": "bad"}`, `"by" is not a key of a threshold; keys: column, if, value, tone, label, row, cell`},
		{bar, `{"column": "m", "value": 1, "tone": "bad"}`, ""},
		{bar, `{"column": "mm", "value": 1, "tone": "bad"}`, `thresholds[0].column: column "mm" is not returned by dataset "d"`},
		{bar, `{"column": "day", "value": 1, "tone": "bad"}`, `.column: "day" is a dimension (date), and this must be a measure`},
		{bar, `{"column": "m", "value": 1, "tone": "bad", "cell": "n"}`, `.cell: is for tables, whose cells it colours; leave it out`},
		{kpi, `{"column": "m", "value": 1, "tone": "bad"}`, ""},
		{table, `{"column": "m", "value": 1, "tone": "bad", "row": true}`, ""},
		{table, `{"column": "m", "value": 1, "tone": "bad", "cell": "n"}`, ""},
		{table, `{"column": "n", "value": 1, "tone": "bad", "cell": "name"}`, ""},
		{table, `{"column": "day", "value": "2026-01-01", "tone": "bad", "row": true}`, `"day" is of type date, and tones are for numbers`},
		{
			table, `{"column": "m", "value": 1, "tone": "bad"}`,
			`"m" is not a column of this table, so it has no cell: write "row": true, and whole rows have the tone, or "cell": the column ` +
				`whose cells have it; columns shown: name, n`,
		},
		{table, `{"column": "m", "value": 1, "tone": "bad", "cell": "r"}`, `.cell: "r" is not a column of this table; columns shown: name, n`},
		{
			table, `{"column": "m", "value": 1, "tone": "bad", "cell": "n", "row": true}`,
			`thresholds[0].cell: is one cell, and row colours all cells; leave one of them out`,
		},
		{table, `{"column": "m", "value": 1, "tone": "bad", "apply_to": "n"}`, `tone, label, row, cell; did you mean "cell"?`},
		{table, `{"column": "n", "value": 1, "tone": "bad", "cell": true}`, ""},
		{table, `{"column": "n", "value": 1, "tone": "bad", "cell": true, "row": false}`, ""},
		{table, `{"column": "n", "value": 1, "tone": "bad", "cell": false, "row": true}`, ""},
		{table, `{"column": "n", "value": 1, "tone": "bad", "row": false}`, ""},
		{table, `{"column": "n", "value": 1, "tone": "bad", "cell": true, "row": true}`, `.cell: is one cell, and row colours all cells`},
		{table, `{"column": "n", "value": 1, "tone": "bad", "cell": false}`, `.cell: leaves nothing to colour; write "row": true for the whole`},
		{table, `{"column": "n", "value": 1, "tone": "bad", "cell": 1}`, `.cell: must be true, false or the name of a column, not a number`},
		{table, `{"column": "m", "value": 1, "tone": "bad", "cell": true}`, `"m" is not a column of this table, so it has no cell`},
		{heatmap, `{"value": 5, "tone": "bad", "cell": true}`, ""},
		{pivot, `{"column": "n", "value": 5, "tone": "bad", "cell": true, "row": false}`, ""},
		{bar, `{"value": 1, "tone": "bad", "row": false}`, ""},
		{bar, `{"value": 1, "tone": "bad", "cell": true}`, `.cell: is for tables, whose cells it colours; leave it out`},
		{kpi, `{"column": "n", "value": 1, "tone": "bad"}`, ""},
		{bar, `{"column": "n", "value": 1, "tone": "bad"}`, ""},
		{table, `{"column": "name", "value": "down", "tone": "bad", "row": true}`, ""},
		{table, `{"column": "name", "if": "=", "value": "n", "tone": "bad"}`, ""},
		{
			table, `{"column": "name", "if": "<", "value": "down", "tone": "bad"}`,
			`if: compares numbers, and "name" is a dimension (text); write "="`,
		},
		{pivot, `{"column": "name", "value": "down", "tone": "bad"}`, `"name" is not a measure of this panel; measures: n, m`},
		{heatmap, `{"value": 1, "tone": "bad", "row": true}`, `panels[0].thresholds[0].row: is for tables, whose rows it colours`},
		{table, `{"column": "n", "value": "n", "tone": "bad"}`, `compares "n" with itself`},
		{table, `{"column": "n", "value": "r", "tone": "bad"}`, ``},
		{pivot, `{"value": 4, "tone": "bad"}`, `panels[0].thresholds[0].column: is missing, and the panel has several measures; measures: n, m`},
		{pivot, `{"column": "nn", "value": 4, "tone": "bad"}`, `"nn" is not a measure of this panel; measures: n, m`},
		{bars, `{"value": 4, "tone": "bad"}`, `panels[0].thresholds: colour the bars of one measure, and y has 2; name one in y`},
		{series, `{"value": 4, "tone": "bad"}`, `panels[0].thresholds: colour the points, and so does series; leave one of them out`},
		{area, `{"value": 4, "tone": "bad"}`, ``},
		{points, `{"value": 4, "tone": "bad"}`, `panels[0].thresholds: colours the values of a measure; name it in value`},
	} {
		s, err := Parse(rampSpec(fmt.Sprintf(tc.panel, tc.threshold)))
		if err == nil {
			_, err = s.Check(exampleColumns(s))
		}
		switch {
		case tc.want == "" && err != nil:
			t.Errorf("%s: %v", tc.threshold, err)
		case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
			t.Errorf("%s of %s: %v, want %s", tc.threshold, tc.panel, err, tc.want)
		}
	}
}
