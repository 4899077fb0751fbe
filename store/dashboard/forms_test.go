package dashboard_test

import (
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// A value in the form of another tool, or a key of another type, is refused with the form or the key to write, and without further problems
// that the first one causes: each line of an answer is listed here.
func TestFirstGuesses(t *testing.T) {
	t.Parallel()
	columns := map[string][]cube.Column{"d": {
		{Name: "day", Type: cube.Date},
		{Name: "k", Type: cube.Text},
		{Name: "j", Type: cube.Text},
		{Name: "n", Type: cube.Integer},
		{Name: "m", Type: cube.Integer},
	}}
	for _, tc := range []struct {
		panel string
		want  []string
	}{
		{`"line", "x": {"column": "day", "grain": "month"}, "y": {"field": "n", "agg": "sum"}`, []string{
			`x: must be the name of a column, not an object; write "day", and "grain" as a key of the panel`,
			`y: must be the name of a column, not an object; write "n", and "agg" under "columns" of the dataset`,
		}},
		{`"line", "x": "day", "y": [{"column": "n", "label": "N", "format": "integer"}, "m"]`, []string{
			`y[0]: must be the name of a column, not an object; write "n", and "label" and "format" under "columns" of the dataset`,
		}},
		{`"bar", "x": ["k", "j"], "y": "n"`, []string{`x: must be the name of one column, not a list; write "k", and "j" as "series"`}},
		{`"kpi", "value": ["n", "m"]`, []string{`value: must be the name of one column, not a list; make a panel of each`}},
		{`"kpi", "value": "n", "sparkline": true`, []string{`sparkline: must be the name of a date, not a boolean; write "…"`}},
		{`"kpi", "value": "n", "sparkline": {"x": "day"}`, []string{`sparkline: must be the name of a column, not an object; write "day"`}},
		{`"kpi", "value": "n", "target": {"value": 100}`, []string{
			`target: must be a number or the name of a measure, not an object; write 100`,
		}},
		{`"kpi", "value": "n", "compare": {"period": "previous_year"}`, []string{
			`compare: must be a word or the name of a measure, not an object`,
		}},
		{`"line", "x": "day", "y": "n", "compare": true`, []string{`compare: must be a word, not a boolean; write "previous_year"`}},
		{`"line", "x": "day", "y": "n", "reference": 100`, []string{`reference: must be a list, not a number; write [{"value": 100}]`}},
		{`"line", "x": "day", "y": "n", "reference": {"value": 5}`, []string{`reference: must be a list, not an object; write [{"value": 5}]`}},
		{`"line", "x": "day", "y": "n", "reference": [5]`, []string{`reference[0]: must be an object, not a number; write {"value": 5}`}},
		{`"line", "x": "day", "y": "n", "reference": [{"kind": "target", "value": 5}]`, []string{
			`reference[0].kind: "target" is not one of the possible values; possible values: average, median, min, max`,
		}},
		{`"line", "x": "day", "y": "n", "reference": [{"type": "average", "style": "dashed"}]`, []string{
			`reference[0].type: "type" is not a key of a reference line`,
			`reference[0].style: "style" is not a key of a reference line: marks, axes and legends have one look`,
		}},
		{`"line", "x": "day", "y": "n", "thresholds": [5, 6]`, []string{
			`thresholds: must be a list of objects, not of numbers; write [{"value": 5, "tone": "bad"}]`,
		}},
		{`"line", "x": "day", "y": "n", "thresholds": {"warn": 5}`, []string{
			`thresholds: must be a list, not an object; write [{"value": 5, "tone": "warn"}]`,
		}},
		{`"line", "x": "day", "y": "n", "thresholds": [{"min": 1, "max": 9, "tone": "bad"}]`, []string{
			`thresholds[0].min: "min" is not a key of a threshold: write "value" and "if": ">="`,
			`thresholds[0].max: "max" is not a key of a threshold: write "value" and "if": "<="`,
		}},
		{`"line", "x": "day", "y": "n", "average": true`, []string{`average: must be the number of points, such as 7, not a boolean`}},
		{`"line", "x": "day", "y": "n", "average": "7d"`, []string{`average: must be the number of points, such as 7, not a string`}},
		{`"line", "x": "day", "y": "n", "trend": {"type": "linear"}`, []string{`trend: must be true or "linear", not an object`}},
		{`"line", "x": "day", "y": "n", "sort": {"by": "n", "order": "desc"}`, []string{
			`sort: must be the name of a column, not an object; write "-n"`,
		}},
		{`"table", "sort": [{"column": "n", "direction": "ASC"}]`, []string{`sort: must be the name of one column, not a list; write "n"`}},
		{`"table", "sort": "n desc"`, []string{`sort: must be the name of a column, alone; write "-n"`}},
		{`"line", "x": "day", "y": "n", "grain": "1d"`, []string{
			`grain: "1d" is not one of the possible values; possible values: auto, minute, hour, day, week, month, quarter, year; ` +
				`did you mean "day"?`,
		}},
		{`"kpi", "value": "n", "compare": "yoy"`, []string{
			`compare: "yoy" is neither an earlier period nor a measure of dataset "d"; possible values: previous_period, previous_year, n, m; ` +
				`did you mean "previous_year"?`,
		}},
		{`"bar", "x": "k", "y": "n", "other": "Rest", "limit": {"n": 5, "by": "m"}`, []string{
			`limit: must be a whole number, not an object; write 5`,
			`other: must be true or false, not a string; write true`,
		}},
		{`"line", "x": "day", "y": "n", "series": "k", "highlight": {"n": 3}`, []string{
			`highlight.n: "n" is not a key of highlight; keys: top; did you mean "top"?`,
		}},
		{`"line", "x": "day", "y": "n", "series": "k", "highlight": {"top": 21}`, []string{`highlight.top: must be a whole number from 1 to 20`}},
		{`"line", "x": "day", "y": "n", "highlight": {"top": 3}`, []string{`highlight: has values of series; name a dimension in series`}},
		{`"line", "x": "day", "y": "n", "series": "k", "facet": "j", "highlight": {"top": 3}`, []string{`highlight: must be values with facet`}},
		{`"box", "x": "k", "value": "n", "highlight": {"top": 3}`, []string{
			`highlight: has values of x: boxes show distributions`, `value: "n" is one number for all rows of a group`,
		}},
		{`"pivot", "rows": "k", "columns": "j", "values": "n", "heat": true`, []string{
			`heat: must be a word, not a boolean; write "all"`,
		}},
		{`"pie", "x": "k", "y": "n"`, []string{
			`x: "x" is not a key of a panel of type pie`, `y: "y" is not a key of a panel of type pie`,
		}},
		{`"waterfall", "x": "k", "y": "n"`, []string{
			`x: "x" is not a key of a panel of type waterfall`, `y: "y" is not a key of a panel of type waterfall`,
		}},
		{`"slope", "label": "k", "x": "j", "y": "n"`, []string{`y: "y" is not a key of a panel of type slope: value is the measure`}},
		{`"timeline", "x": "day", "label": "k"`, []string{`x: "x" is not a key of a panel of type timeline: start and end are`}},
		{`"sankey", "source": "k", "target": "j", "value": "n"`, []string{
			`target: "target" is not a key of a panel of type sankey: to is the dimension`,
			`source: is {"name": …, "url": …}: whose data it is; the column from which flows lead is from`,
		}},
		{`"donut", "x": "k", "y": "n"`, []string{
			`type: "donut" is not one of the possible values; possible values: kpi`,
			`x: "x" is not a key of a panel of type pie`, `y: "y" is not a key of a panel of type pie`,
		}},
		{`"gauge", "value": "n", "max": 100`, []string{
			`type: "gauge" is not a type of panel`, `max: "max" is not a key of a panel of type kpi`,
		}},
		{`"line", "x": "day", "y": "n", "area": true`, []string{`area: "area" is not a key of a panel of type line: write "type": "area"`}},
		{`"kpi", "value": "n", "label": "N"`, []string{`label: "label" is not a key of a panel of type kpi: title is the heading`}},
		{`"kpi", "value": "sum(n)"`, []string{
			`value: column "sum(n)" is not returned by dataset "d": the sql computes columns, and panels name them; write "n"`,
		}},
		{`"table", "columns": [{"column": "n", "align": "right", "agg": "sum"}]`, []string{
			`columns[0].align: "align" is not a key of a column of a table: tables choose it; leave it out`,
			`columns[0].agg: "agg" is not a key of a column of a table: it is set once per column, under "columns" of the dataset`,
		}},
	} {
		s, err := dashboard.Parse([]byte(`{"datasets": [{"id": "d", "sql": "SELECT day, k, j, sum(n) AS n, sum(m) AS m FROM t GROUP BY ALL"}], ` +
			`"panels": [{"type": ` + tc.panel + `}]}`))
		_, further := s.Check(columns)
		got := strings.Split(errorText(dashboard.Join(err, further)), "\n")
		if len(got) != len(tc.want) {
			t.Errorf("%s: %d problems, want %d\n%s", tc.panel, len(got), len(tc.want), strings.Join(got, "\n"))
			continue
		}
		for i, line := range got {
			if !strings.HasPrefix(line, "panels[0]."+tc.want[i]) {
				t.Errorf("%s:\n%s\nwant\npanels[0].%s", tc.panel, line, tc.want[i])
			}
		}
	}
}

// The keys of an object are listed once, however many of its keys are wrong: a line for each mistake has to be readable.
func TestKeysAreListedOnce(t *testing.T) {
	t.Parallel()
	_, err := dashboard.Parse([]byte(`{"datasets": [{"id": "d", "sql": "SELECT 1 AS n"}], ` +
		`"panels": [{"type": "kpi", "value": "n", "qqqq": 1, "wwww": 2, "legend": true}]}`))
	if got := errorText(err); strings.Count(got, "keys: type") != 1 || strings.Count(got, "\n") != 2 {
		t.Error(got)
	}
}
