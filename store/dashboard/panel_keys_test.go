package dashboard_test

import (
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// Keys that do not fit a panel are refused by name, with the reason and the remedy.
func TestKeysThatDoNotFit(t *testing.T) {
	t.Parallel()
	columns := map[string][]cube.Column{"d": {
		{Name: "day", Type: cube.Date},
		{Name: "k", Type: cube.Text},
		{Name: "j", Type: cube.Text},
		{Name: "n", Type: cube.Integer},
		{Name: "m", Type: cube.Integer},
	}}
	for _, tc := range [][2]string{
		{`"histogram", "value": "n", "tooltip": "k"`, `tooltip: "tooltip" is not a key of a panel of type histogram: a bin has many rows`},
		{`"histogram", "value": "n", "scale": "log_y"`, `scale: "log_y" is the axis of the counts, and bars begin at zero; write "log"`},
		{`"histogram", "value": "n", "scale": "log", "bins": [0, 1, 10]`, `bins: must be above zero`},
		{`"histogram", "value": "n", "bins": [1, 10], "x_min": 2`, `x_min: does not go with a list of bins`},
		{`"histogram", "value": "n", "stack": true`, `stack: is about several series; name a dimension in series`},
		{`"histogram", "value": "n", "series": "k", "stack": "percent"`, `stack: "percent" does not go with a histogram`},
		{`"histogram", "value": "n", "series": "k", "labels": true`, `labels: has no place at outlines that overlap`},
		{`"histogram", "value": "n", "series": "n"`, `series: `},
		{`"histogram", "value": "n", "horizontal": true, "reference": [{"value": 1}]`, `reference: is a line between the bars`},
		{`"histogram", "value": "n", "reference": [{"value": 1, "axis": "y"}]`, `reference[0].axis: "y" counts`},
		{`"histogram", "value": "n", "series": "k", "thresholds": [{"value": 1, "tone": "bad"}]`, `thresholds: colour the bars, and so`},
		{`"histogram", "value": "n", "thresholds": [{"value": "m", "tone": "bad"}]`, `thresholds[0].value: must be a number: a bin has`},
		{`"histogram", "value": "n", "thresholds": [{"column": "m", "value": 1, "tone": "bad"}]`, `thresholds[0].column: must be "n"`},
		{`"histogram", "value": "n", "y_min": 2`, `y_min: "y_min" is not a key of a panel of type histogram: bars begin at zero`},
		{`"pie", "label": "k", "value": "n", "other": false`, `other: is always true of a pie`},
		{`"pie", "label": "k", "value": "n", "series": "j"`, `series: "series" is not a key of a panel of type pie: label is the`},
		{`"treemap", "label": "k", "value": "n", "other": false`, `other: is always true of a treemap`},
		{`"treemap", "label": "k", "value": "n", "thresholds": []`, `thresholds: "thresholds" is not a key of a panel of type treemap: areas`},
		{`"funnel", "label": "k", "value": "n", "share": "total"`, `share: "total" is of parts that add up`},
		{`"funnel", "label": "k", "value": "n", "other": true`, `other: "other" is not a key of a panel of type funnel: steps keep`},
		{`"funnel", "label": "k", "value": "n", "thresholds": [{"value": 50, "tone": "bad"}]`, `thresholds[0].value: must be from 0 to 1`},
		{`"funnel", "label": "k", "value": "n", "thresholds": [{"value": "m", "tone": "bad"}]`, `thresholds[0].value: must be a number`},
		{`"sankey", "steps": ["k", "j"], "value": "n", "tooltip": "m"`, `tooltip: "tooltip" is not a key of a panel of type sankey: a ribbon`},
		{`"heatmap", "x": "k", "y": "j", "value": "n", "limit": 101`, `limit: must be at most 100`},
		{`"heatmap", "x": "k", "y": "j", "value": "n", "color": "n"`, `color: is the measure of value`},
		{`"heatmap", "x": "k", "y": "j", "value": "n", "scale": "log_y"`, `scale: "log_y" is for a scatter`},
		{`"heatmap", "x": "k", "y": "j", "value": "n", "scale": "log", "ramp": "blue_red"`, `scale: "log" does not go with a ramp of two`},
		{`"heatmap", "x": "k", "y": "j", "value": "n", "scale": "log", "ramp": {"scale": "quantile"}`, `scale: is that of the colours`},
		{`"calendar", "x": "day", "value": "n", "scale": "log", "ramp": {"min": 0}`, `scale: "log" has neither zero nor`},
		{`"heatmap", "x": "k", "y": "j", "value": "n", "reference": []`, `reference: "reference" is not a key of a panel of type heatmap: cells`},
		{`"scatter", "x": "n", "y": "m", "color": "k", "series": "j"`, `color: colours the points, and so does series`},
		{`"scatter", "x": "n", "y": "m", "ramp": "blue"`, `ramp: colours the values of a measure; name it in color`},
		{`"scatter", "x": "n", "y": "m", "color": "k", "ramp": "blue"`, `ramp: is for measures, and "k" is a dimension`},
		{`"scatter", "x": "n", "y": "m", "labels": true`, `labels: writes the names of label beside the points`},
		{`"scatter", "x": "n", "y": "m", "label": "k", "names": "all", "labels": true`, `labels: is about the names, which names chooses`},
		{`"scatter", "x": "n", "y": "m", "sort": "n"`, `sort: chooses the points that limit keeps`},
		{`"scatter", "x": "n", "y": "m", "sort": "day", "limit": 5`, `sort: "day" is not a measure of the points`},
		{`"box", "value": "n", "tooltip": "k"`, `tooltip: is of boxes side by side`},
		{`"box", "value": "n", "series": "k"`, `series: is about boxes side by side; name the column in x`},
		{`"box", "value": "n", "x": "k", "series": "k"`, `series: is the column of x already`},
		{`"box", "value": "n", "x": "k", "series": "n"`, `series: is the column of value already`},
		{`"box", "value": "n", "x": "day", "series": "k", "trend": "linear"`, `trend: is of one box at each place, and series has several`},
		{`"box", "value": "n", "x": "day", "series": "k", "average": 3`, `average: is of one box at each place, and series has several`},
		{`"box", "value": "n", "x": "day", "series": "k", "compare": "previous_year"`, `compare: is of one series, and series has several`},
		{`"box", "value": "n", "x": "day", "series": "k", "color": "red"`, `color: is one colour, and series has one for each value`},
		{
			`"box", "value": "n", "x": "day", "series": "k", "thresholds": [{"value": 1, "tone": "bad"}]`,
			`thresholds: colour the boxes, and so does series`,
		},
		{
			`"box", "value": "n", "x": "day", "horizontal": true, "events": [{"on": "2026-05-01", "label": "E"}]`,
			`events: are marked on upright axes`,
		},
		{`"waterfall", "label": "k", "value": "n", "sort": "rows"`, `sort: must be a column; the order of the rows is {"order": "rows"}`},
		{`"bar", "x": "k", "y": "n", "sort": "desc"`, `sort: must be a column; write "-n"`},
		{`"line", "x": "k", "y": "n", "sort": "asc"`, `sort: must be a column; write "n"`},
		{`"table", "columns": ["k", "n"], "sort": "descending"`, `sort: must be a column; write "-n"`},
		{`"table", "sort": "ascending"`, `sort: must be a column, such as "n", or "-n" for the largest first`},
		{`"bar", "x": "k", "y": "n", "thresholds": [{"if": "above", "value": 1, "tone": "bad"}]`, `thresholds[0].if: "above" is not`},
		{`"kpi", "value": "n", "sort": "n"`, `sort: is the order of the numbers of facet, and there is one number`},
		{`"kpi", "value": "n", "facet": "k", "sort": "m"`, `sort: must be "n" or "k", with "-" before it for descending order`},
		{`"kpi", "value": "day", "facet": "k", "sort": "-day"`, `sort: is for numbers, and "day" is of type date`},
		{`"kpi", "value": "n", "where": "k = 'a'"`, `where: must be an object of columns and their values, such as {"country"`},
		{`"kpi", "value": "n", "where": {"country": "France"}`, `where.country: column "country" is not returned by dataset "d"`},
		{`"bar", "x": "k", "y": "n", "where": {"n": 5}`, `where.n: `},
		{`"pie", "label": "k", "value": "n", "where": {"day": "2026-05-01"}`, `where.day: is of type date; a filter at the top of the spec`},
		{`"table", "where": {"k": []}`, `where.k: is empty; name the values that count`},
		{`"kpi", "value": "n", "filter": {"k": "a"}`, `filter: "filter" is not a key of a panel of type kpi: "where" keeps rows of`},
		{`"text", "markdown": "M", "where": {"k": "a"}`, `where: "where" is not a key of a panel of type text`},
		{
			`"timeline", "label": "k", "start": "day", "end": "j", "reference": [{"value": "today"}]`,
			`reference: "reference" is not a key of a panel of type timeline: it marks today by itself`,
		},
		{`"timeline", "label": "k", "start": "day", "end": "day"`, `end: is the column of start`},
		{
			`"timeline", "label": "k", "start": "day", "end": "j", "x_min": "2026-13-01"`,
			`x_min: must be the first day of the axis, such as "2026-05-01", or with a time of the page's zone "2026-05-01 14:30", or the name`,
		},
		{`"timeline", "label": "k", "start": "day", "end": "j", "x_max": "today+0d"`, `x_max: must be the last day of the axis`},
		{`"timeline", "label": "k", "start": "day", "end": "j", "x_max": "now+6w"`, `x_max: must be the last day of the axis`},
		{`"timeline", "label": "k", "start": "day", "end": "j", "x_max": "today+99999y"`, `x_max: must be the last day of the axis`},
		{`"timeline", "label": "k", "start": "day", "end": "j", "x_max": "next_6_full_weeks"`, `x_max: must be the last day of the axis`},
		{`"timeline", "label": "k", "start": "day", "end": "j", "x_max": 2026`, `x_max: must be the last day of the axis, such as`},
		{`"timeline", "label": "k", "start": "day", "end": "j", "x_max": "all"`, `x_max: must be the last day of the axis, such as`},
		{`"timeline", "label": "k", "start": "day", "end": "j", "x_min": ""`, `x_min: must be the first day of the axis, such as`},
		{`"timeline", "label": "k", "start": "day", "end": "j", "x_min": "2026-05-01T10:00Z"`, `x_min: must be the first day of the axis`},
		{`"timeline", "label": "k", "start": "day", "end": "j", "x_min": "2026-05-02", "x_max": "2026-05-01"`, `x_max: must be after x_min`},
		{`"timeline", "label": "k", "start": "day", "end": "j", "min": "2026-05-02"`, `min: "min" is not a key of a panel of type timeline: its`},
		{`"scatter", "x": "n", "y": "m", "x_min": "2026-05-02"`, `x_min: must be a number, not a string`},
		{
			`"timeline", "label": "k", "start": "day", "end": "day", "thresholds": [{"value": 1, "tone": "bad"}]`,
			`thresholds[0].column: is missing: name the column of the spans`,
		},
		{`"map", "area": "k", "value": "n", "names": ["a"]`, `names: "names" is not a key of a panel of type map: points have the names`},
		{`"slope", "label": "k", "x": "j", "value": "n", "names": ["a"]`, `names: "names" is not a key of a panel of type slope: the ends of`},
		{`"text", "markdown": "M", "data": "e"`, `data: "e" is not the id of a dataset`},
		{`"map", "area": "k", "value": "n", "labels": true`, `labels: "labels" is not a key of a panel of type map: names have no room`},
		{`"map", "area": "k", "value": "n", "highlight": "DE"`, `highlight: "highlight" is not a key of a panel of type map: areas have`},
		{`"map", "area": "k", "value": "n", "limit": 5`, `limit: "limit" is not a key of a panel of type map: all areas are drawn`},
	} {
		s, err := dashboard.Parse([]byte(`{"datasets": [{"id": "d", "sql": "SELECT day, k, j, n, m FROM t"}], ` +
			`"panels": [{"type": ` + tc[0] + `}]}`))
		if err == nil {
			_, err = s.Check(columns)
		}
		if got := errorText(err); !strings.Contains(got, "panels[0]."+tc[1]) {
			t.Errorf("%s:\n%s\nwant %s", tc[0], got, tc[1])
		}
	}
}

// A panel that shows one value of a dimension merges no rows over it; one that shows two values does. A value that no row has is a warning.
func TestWhereMergesNothing(t *testing.T) {
	t.Parallel()
	b := cube.NewBuilder([]cube.Column{{Name: "k", Type: cube.Text}, {Name: "n", Type: cube.Integer}})
	for _, k := range []string{"a", "b", "c"} {
		if err := b.Add([]any{k, int64(1)}); err != nil {
			t.Fatal(err)
		}
	}
	rows := b.Cube()
	for where, want := range map[string]string{
		`{"k": "a"}`:        ``,
		`{"k": ["a"]}`:      ``,
		`{"k": ["a", "b"]}`: `"n" cannot be merged over "k"`,
		`{"k": "A"}`:        `[no_rows] panels[0].where.k: no row of dataset "d" has the value "A" at present; did you mean "a"?`,
	} {
		s, err := dashboard.Parse([]byte(`{"datasets": [{"id": "d", "sql": "SELECT k, max(n) AS n FROM t", ` +
			`"columns": {"n": {"agg": "none"}}}], "panels": [{"type": "kpi", "value": "n", "where": ` + where + `}]}`))
		if err != nil {
			t.Fatal(err)
		}
		warnings, err := s.CheckRows(map[string][]cube.Column{"d": rows.Columns()}, map[string]*cube.Cube{"d": rows})
		got := errorText(err)
		for _, w := range warnings {
			got += w.String()
		}
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", where, got, want)
		}
	}
}

// Cells along times have partial; those along other axes refuse it by the name of the axis, and so do types without cells or lines.
func TestPartialOfCells(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ keys, want string }{
		{`"heatmap", "x": "day", "y": "country", "value": "revenue", "partial": "hide"`, ""},
		{`"heatmap", "x": "country", "y": "day", "value": "revenue", "partial": "mark"`, ""},
		{`"calendar", "x": "day", "value": "revenue", "partial": "show"`, ""},
		{
			`"heatmap", "x": "country", "y": "shop_id", "value": "revenue", "partial": "hide"`,
			`panels[0].partial: is about times, and "shop_id" is of type integer; dates: day`,
		},
		{`"calendar", "x": "day", "value": "revenue", "partial": true`, `panels[0].partial: must be a string, not a boolean`},
		{
			`"heatmap", "x": "day", "y": "country", "value": "revenue", "partial": "hidden"`,
			`panels[0].partial: "hidden" is not one of the possible values; possible values: mark, hide, show; did you mean "hide"?`,
		},
		{
			`"pie", "label": "country", "value": "revenue", "partial": "hide"`,
			`panels[0].partial: "partial" is not a key of a panel of type pie`,
		},
	} {
		s, err := dashboard.Parse(document("", `{"type": `+tc.keys+`, "data": "orders"}`, ""))
		if err == nil {
			_, err = s.Check(checkColumns)
		}
		got := ""
		if err != nil {
			got = err.Error()
		}
		if (got == "") != (tc.want == "") || !strings.Contains(got, tc.want) {
			t.Errorf("%s: %s", tc.keys, got)
		}
	}
}

// A heat map has no totals: the refusal contains the pivot with the same cells, which is accepted. A combo writes the values of its bars or
// of its lines alone.
func TestTotalsAndLabels(t *testing.T) {
	t.Parallel()
	refusal := func(panel string) string {
		s, err := dashboard.Parse(document("", `{"data": "orders", `+panel+`}`, ""))
		if err == nil {
			_, err = s.Check(checkColumns)
		}
		if err != nil {
			return err.Error()
		}
		return ""
	}
	const pivot = `"type": "pivot", "rows": ["country"], "columns": ["day"], "values": ["revenue"], "heat": "all"`
	for _, key := range []string{"totals", "total", "row_totals", "columnTotals", "margins", "grand_total", "subtotals"} {
		got := refusal(`"type": "heatmap", "x": "day", "y": "country", "value": "revenue", "` + key + `": true`)
		if !strings.Contains(got, `a pivot has totals, and colours its cells: in place of "x", "y" and "value", write `+pivot) {
			t.Errorf("%s: %s", key, got)
		}
	}
	if got := refusal(pivot); got != "" {
		t.Errorf("the pivot: %s", got)
	}
	const combo = `"type": "combo", "x": "day", "bars": "revenue", "lines": "aov", "labels": `
	for value, want := range map[string]string{
		`true`: "", `false`: "", `"bars"`: "", `"lines"`: "",
		`"outside"`:   `panels[0].labels: must be true, false, "bars" or "lines", not a string; write true`,
		`["revenue"]`: `panels[0].labels: must be true, false, "bars" or "lines", not a list; write true`,
	} {
		if got := refusal(combo + value); got != want {
			t.Errorf("labels %s: %s", value, got)
		}
	}
	if got := refusal(`"type": "bar", "x": "day", "y": "revenue", "labels": "bars"`); !strings.Contains(got, "must be true or false") {
		t.Errorf("labels of a bar: %s", got)
	}
}
