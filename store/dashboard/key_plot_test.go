package dashboard

import (
	"strings"
	"testing"

	"service/store/dashboard/cube"
)

// The keys of axes, stacks and values of a plot: refusals at the faulty key, and accepted values.
func TestPlotKeys(t *testing.T) {
	t.Parallel()
	for _, tc := range [][2]string{
		{`"type": "line", "y": "revenue", "y_min": 5, "y_max": 9, "scale": "log", "labels": true`, ""},
		{`"type": "bar", "y": "revenue", "y_min": -5, "y_max": 9, "labels": false`, ""},
		{`"type": "bar", "y": "revenue", "series": "channel", "stack": "percent"`, ""},
		{`"type": "bar", "y": "revenue", "series": "channel", "stack": "normal"`, ""},
		{`"type": "bar", "y": ["revenue", "orders"], "stack": "none"`, ""},
		{`"type": "area", "y": "aov", "stack": true`, ""},
		{`"type": "line", "y": "revenue", "y_min": 9, "y_max": 9`, "panels[0].y_max: must be above y_min"},
		{`"type": "line", "y": "revenue", "scale": "log", "y_min": 0`, "panels[0].y_min: must be above zero"},
		{`"type": "line", "y": "revenue", "scale": "log", "reference": [{"value": 0}]`, "panels[0].reference[0].value: must be above"},
		{`"type": "line", "y": "revenue", "scale": "log_x"`, `panels[0].scale: "log_x" is for a scatter`},
		{`"type": "line", "y": "revenue", "scale": "logarithmic"`, `did you mean "log"?`},
		{`"type": "line", "y": "revenue", "y_min": "5"`, "panels[0].y_min: must be a number, not a string"},
		{`"type": "line", "y": "revenue", "labels": "all"`, "panels[0].labels: must be true or false"},
		{`"type": "line", "y": "revenue", "reference": [{"kind": "max", "axis": "x"}]`, `panels[0].reference[0].axis: "x" is for a`},
		{`"type": "bar", "y": "revenue", "scale": "log"`, "begins at zero, which a logarithmic axis does not"},
		{`"type": "area", "y": "revenue", "log": true`, "begins at zero, which a logarithmic axis does not"},
		{`"type": "bar", "y": "revenue", "y_min": 5`, "panels[0].y_min: must not be above zero: bars"},
		{`"type": "area", "y": "revenue", "y_max": -5`, "panels[0].y_max: must not be below zero: bars"},
		{`"type": "bar", "y": "revenue", "stack": "percent"`, `panels[0].stack: "percent" is about several`},
		{`"type": "bar", "y": "revenue", "series": "channel", "stack": "percent", "y_max": 1`, `panels[0].stack: "percent" has an axis`},
		{`"type": "area", "y": "revenue", "series": "channel", "stack": "percent", "labels": true`, "panels[0].labels: are the totals"},
		{`"type": "bar", "y": "revenue", "series": "channel", "stack": "100%"`, `did you mean "percent"?`},
		{`"type": "bar", "y": "aov", "series": "channel", "stack": true`, `panels[0].y: "aov" is a ratio, and such do not`},
		{`"type": "area", "y": ["revenue", "top"], "stack": true`, `panels[0].y[1]: "top" is of agg "max", and such`},
		{`"type": "bar", "y": ["paid", "orders"], "stack": true`, `panels[0].y[1]: "orders" is a plain number and "paid" is money`},
		{`"type": "bar", "y": "buyers", "x": "day", "series": "channel", "stack": true`, ""},
		{`"type": "bar", "y": "buyers", "series": "channel", "stack": "percent"`, `panels[0].y: "buyers" may not add up to the`},
		{`"type": "scatter", "x": "orders", "y": "revenue", "scale": "log_y", "x_min": -1`, ""},
		{`"type": "scatter", "x": "orders", "y": "revenue", "scale": "log_x", "x_min": -1`, "panels[0].x_min: must be above zero"},
		{`"type": "line", "y": "revenue", "reference": [{"value": "paid"}]`, "not a string; a measure is drawn by its name"},
		{`"type": "scatter", "x": "orders", "y": "revenue", "reference": [{"value": 1, "axis": "x"}]`, ""},
		{`"type": "scatter", "x": "orders", "y": "revenue", "reference": [{"value": 1, "axis": "right"}]`, "possible values: x, y"},
		{`"type": "combo", "bars": ["orders"], "lines": ["paid"], "stack": "percent"`, `panels[0].stack: "percent" is for bars and areas`},
		{`"type": "line", "y": "revenue", "trend": "linear", "average": {"of": 7}`, ""},
		{`"type": "line", "y": "revenue", "trend": true, "average": 7`, ""},
		{`"type": "line", "y": "revenue", "trend": "regression"`, `did you mean "linear"?`},
		{`"type": "line", "y": "revenue", "trendline": true`, `did you mean "trend"?`},
		{`"type": "line", "y": "revenue", "moving_average": 7`, `did you mean "average"?`},
		{`"type": "line", "y": "revenue", "average": {"window": 7}`, `panels[0].average.window: "window" is not a key of a moving`},
		{`"type": "line", "y": "revenue", "average": {}`, "panels[0].average.of: is missing"},
		{`"type": "line", "y": "revenue", "average": {"of": 1}`, "panels[0].average.of: must be a whole number from 2 to 400"},
		{`"type": "line", "y": "revenue", "average": true`, "panels[0].average: must be the number of points, such as 7, not a boolean"},
		{`"type": "area", "y": "revenue", "trend": "linear", "average": 7`, ""},
		{`"type": "bar", "y": "revenue", "trend": "linear", "average": 7`, ""},
		{`"type": "combo", "bars": ["orders"], "lines": ["paid"], "trend": "linear", "average": 7`, ""},
		{`"type": "bar", "y": "revenue", "horizontal": true, "trend": "linear"`, "panels[0].trend: does not go with horizontal bars"},
		{
			`"type": "area", "y": "revenue", "series": "channel", "stack": "percent", "average": 7`,
			`panels[0].average: is of values, and "stack"`,
		},
		{
			`"type": "combo", "bars": ["paid"], "lines": ["orders"], "labels": true, "y_max": 5, "thresholds": [{"value": 1, "tone": "good"}]`,
			"",
		},
		{`"type": "combo", "bars": ["paid"], "lines": ["orders"], "thresholds": [{"column": "orders", "value": 1, "tone": "good"}]`, ""},
		{
			`"type": "combo", "bars": ["paid"], "lines": ["orders"], "thresholds": [{"value": 1, "tone": "bad"}, ` +
				`{"column": "orders", "value": 1, "tone": "good"}]`,
			`thresholds[1].column: is "orders", and others are about "paid"`,
		},
		{
			`"type": "combo", "bars": ["paid"], "lines": ["orders"], "thresholds": [{"column": "top", "value": 1, "tone": "good"}]`,
			`"top" is not a measure of`,
		},
		{`"type": "combo", "bars": ["paid"], "lines": ["orders"], "y_min": 5`, "panels[0].y_min: must not be above zero"},
		{
			`"type": "combo", "bars": ["paid"], "lines": ["orders"], "scale": "log"`,
			`"scale" is not a key of a panel of type combo: what is as long`,
		},
		{
			`"type": "area", "y": "revenue", "series": "channel", "thresholds": [{"value": 1, "tone": "good"}]`,
			"thresholds: colour the points, and so",
		},
		{`"type": "waterfall", "x": null, "label": "channel", "value": "revenue", "y_min": 900, "reference": [{"value": 1000}]`, ""},
		{`"type": "waterfall", "x": null, "label": "channel", "value": "revenue", "reference": [{"kind": "average"}]`, "is of values alike"},
		{`"type": "waterfall", "x": null, "label": "channel", "value": "revenue", "thresholds": [{"value": "orders", "tone": "bad"}]`, ""},
		{
			`"type": "slope", "label": "channel", "value": "revenue", "scale": "log", "reference": [{"value": -1}]`,
			"reference[0].value: must be above",
		},
		{`"type": "slope", "label": "channel", "value": "revenue", "y_min": 0, "y_max": 9, "labels": false`, ""},
		{`"type": "slope", "label": "channel", "value": "revenue", "y_min": 9, "y_max": 9`, "y_max: must be above y_min"},
		{`"type": "combo", "bars": "revenue", "lines": "orders", "compare": "previous_year"`, ""},
		{
			`"type": "combo", "bars": ["revenue", "paid"], "lines": "orders", "compare": "previous_year"`,
			"panels[0].compare: is of one measure, and bars has 2; name one in bars",
		},
		{`"type": "box", "x": "channel", "value": "top", "compare": "previous_year"`, `compare: is about an earlier period, and "channel"`},
		{`"type": "box", "value": "top", "thresholds": [{"value": "paid", "tone": "bad"}]`, "thresholds[0].value: must be a number: a box"},
		{`"type": "box", "value": "top", "thresholds": [{"column": "paid", "value": 1, "tone": "bad"}]`, `must be "top", the column of the`},
		{`"type": "box", "x": null, "value": "top", "highlight": "a"`, "panels[0].highlight: has values of x; name the column"},
		{
			`"type": "candlestick", "low": "revenue", "high": "paid", "thresholds": [{"value": "top", "tone": "bad"}]`,
			"panels[0].thresholds[0].value: must be a number: a candle can be",
		},
		{`"type": "line", "x": "channel", "y": "revenue", "sort": "-orders"`, ""},
		{`"type": "area", "y": "revenue", "sort": "-orders"`, "panels[0].sort: a line along times follows them; leave sort out"},
		{`"type": "line", "x": "channel", "y": "revenue", "sort": "color"`, `panels[0].sort: column "color" is not returned`},
		{`"type": "bar", "x": "channel", "y": "revenue", "color": "aov", "ramp": "green", "horizontal": true`, ""},
		{`"type": "bar", "y": "revenue", "color": "channel"`, ""},
		{`"type": "bar", "y": "revenue", "color": "red"`, ""},
		{`"type": "bar", "y": "revenue", "ramp": "green"`, "panels[0].ramp: colours the values of a measure; name it in color"},
		{`"type": "bar", "y": ["revenue", "paid"], "color": "aov"`, "panels[0].color: colours the bars of one measure, and y has 2"},
		{`"type": "bar", "y": "revenue", "color": "aov", "series": "channel"`, "panels[0].color: colours the bars, and so does series"},
		{`"type": "heatmap", "y": "channel", "value": "revenue", "trend": "linear"`, `"trend" is not a key of a panel of type heatmap: cells`},
		{`"type": "calendar", "value": "revenue", "compare": "previous_year"`, "of type calendar: cells have no axis of values"},
		{`"type": "line", "y": "revenue", "compare": "previous_year"`, ""},
		{`"type": "bar", "y": "revenue", "compare": ["previous_year"]`, ""},
		{`"type": "line", "y": "revenue", "compare": "previous_period"`, `"previous_period" needs a filter on a date`},
		{`"type": "area", "y": "revenue", "compare": "paid"`, `panels[0].compare: "paid" is not an earlier period; another measure`},
		{`"type": "line", "y": "revenue", "compare": ["previous_year", "previous_period"]`, "panels[0].compare: has 2 comparisons"},
		{`"type": "line", "y": "revenue", "series": "channel", "compare": "previous_year"`, "panels[0].compare: is of one series"},
		{`"type": "line", "y": ["revenue", "paid"], "compare": "previous_year"`, "panels[0].compare: is of one measure, and y has 2"},
		{`"type": "bar", "y": "revenue", "horizontal": true, "compare": "previous_year"`, "panels[0].compare: does not go with horizontal"},
		{`"type": "bar", "x": "channel", "y": "revenue", "compare": "previous_year"`, `compare: is about an earlier period, and "channel"`},
		{`"type": "scatter", "x": "orders", "y": "revenue", "trend": "linear"`, ""},
		{`"type": "scatter", "x": "orders", "y": "revenue", "average": 7`, "points have no order in which it could move"},
		{`"type": "kpi", "value": "revenue", "x": null, "trend": "day"`, `did you mean "sparkline"?`},
		{`"type": "line", "y": "revenue", "target": 5`, `one that changes along x is another measure in "y"`},
		{`"type": "bar", "y": "revenue", "target": "paid"`, ""},
		{`"type": "bar", "y": "revenue", "target": 5`, ""},
		{`"type": "bar", "y": ["revenue", "orders"], "target": ["paid", "top"]`, ""},
		{`"type": "bar", "y": "revenue", "series": "channel", "stack": true, "target": "paid"`, ""},
		{`"type": "bar", "y": "revenue", "goal": "paid"`, `did you mean "target"?`},
		{`"type": "bar", "y": "revenue", "target": true`, "panels[0].target: must be a number or the name of a measure, not a boolean"},
		{`"type": "bar", "y": "revenue", "target": []`, "panels[0].target: is empty; name a measure for each of y"},
		{`"type": "bar", "y": "revenue", "target": ["paid", "top"]`, "panels[0].target: has 2 measures and y has 1; name one for each"},
		{`"type": "bar", "y": ["revenue", "paid"], "stack": true, "target": ["orders", "top"]`, "has 2 measures, and a stack"},
		{
			`"type": "bar", "y": "revenue", "series": "channel", "stack": "percent", "target": "paid"`,
			`target: does not go with stack "percent"`,
		},
		{`"type": "bar", "y": "revenue", "series": "channel", "stack": "percent", "target": 3`, `target: does not go with stack "percent"`},
		{`"type": "bar", "y": "revenue", "target": "revenue"`, `panels[0].target: "revenue" is one of y too; name another`},
		{`"type": "bar", "y": "revenue", "target": "channel"`, `panels[0].target: "channel" is a dimension (text), and this must be`},
		{`"type": "bar", "y": "orders", "target": "paid"`, `panels[0].target: "paid" is money and "orders" is a plain number, so`},
		{`"type": "bar", "y": "revenue", "series": "channel", "target": "buyers"`, ""},
		{`"type": "bar", "y": "revenue", "series": "channel", "stack": true, "target": "buyers"`, `"buyers" cannot be merged over "channel"`},
		{`"type": "line", "y": "revenue", "reference": [{"from": 1, "to": 2, "label": "Normal"}, {"from": 5}, {"to": -5}]`, ""},
		{`"type": "scatter", "x": "orders", "y": "revenue", "reference": [{"from": 1, "axis": "x"}]`, ""},
		{`"type": "line", "y": "revenue", "reference": [{"from": 2, "to": 2}]`, "panels[0].reference[0].to: must be above from"},
		{`"type": "line", "y": "revenue", "reference": [{"value": 1, "to": 2}]`, "panels[0].reference[0]: must have a value, a kind"},
		{`"type": "line", "y": "revenue", "scale": "log", "reference": [{"from": 0, "to": 2}]`, "reference[0].from: must be above zero"},
		{`"type": "line", "y": "revenue", "reference": [{"y0": 1, "y1": 2}]`, `did you mean "from"?`},
		{`"type": "line", "y": "revenue", "band": {"low": "paid", "high": "top", "label": "Expected"}`, ""},
		{`"type": "line", "y": "revenue", "confidence_interval": {}`, `did you mean "band"?`},
		{`"type": "line", "y": "revenue", "band": {"lower": "paid", "high": "top"}`, `keys: low, high, label; did you mean "low"?`},
		{`"type": "line", "y": "revenue", "band": {"low": "paid"}`, "panels[0].band.high: is missing"},
		{`"type": "line", "y": "revenue", "band": {"low": 1, "high": 2}`, `band.low: must be a measure; write two numbers as a reference`},
		{`"type": "line", "y": "revenue", "band": {"low": "top", "high": "top"}`, `panels[0].band.high: is "top", as low is; name another`},
		{`"type": "line", "y": "orders", "band": {"low": "top", "high": "paid"}`, `"paid" is money and "orders" is a plain number, and both`},
		{`"type": "line", "y": "revenue", "band": {"low": "channel", "high": "top"}`, `panels[0].band.low: "channel" is a dimension (text)`},
		{`"type": "line", "y": "revenue", "band": {"low": "paid", "high": "buyers"}`, `"buyers" cannot be merged over "channel"`},
		{`"type": "line", "y": ["revenue", "orders"], "band": {"low": "paid", "high": "top"}`, "band: is the range of one line, and y has 2"},
		{`"type": "line", "y": "revenue", "series": "channel", "band": {"low": "paid", "high": "top"}`, "write facet in place of series"},
		{
			`"type": "line", "y": "revenue", "series": "channel", "facet": "channel", "band": {"low": "paid", "high": "top"}`,
			"series has several in each small plot; leave series out",
		},
		{
			`"type": "line", "y": "revenue", "series": "channel", "facet": "channel"`,
			`"channel" is in series already; leave series out, or name another`,
		},
		{`"type": "area", "y": "revenue", "band": {"low": "paid", "high": "top"}`, `"band" is not a key of a panel of type area: draw a line`},
		{`"type": "kpi", "x": null, "value": "revenue", "goal": 5`, `did you mean "target"?`},
		{`"type": "kpi", "x": null, "value": "revenue", "target": -1`, "panels[0].target: must be above zero, because the panel shows"},
		{`"type": "kpi", "x": null, "value": "revenue", "target": "nothing"`, `panels[0].target: column "nothing" is not returned`},
		{`"type": "line", "y": "revenue", "facet": "channel", "reference": [{"kind": "average"}]`, ""},
		{`"type": "bar", "y": "revenue", "small_multiples": "channel"`, `did you mean "facet"?`},
		{`"type": "pie", "x": null, "label": "channel", "value": "revenue", "facet": "day", "facet_columns": 2`, ""},
		{`"type": "pie", "x": null, "label": "channel", "value": "revenue", "facet": "channel"`, `facet: "channel" is in label already`},
		{`"type": "pie", "x": null, "label": "channel", "value": "revenue", "facet": "day", "facet_scale": "free"`, "each pie is a whole"},
		{`"type": "sankey", "x": null, "steps": ["channel", "day"], "value": "revenue", "facet": "day"`, `"facet" is not a key of a panel`},
		{`"type": "combo", "bars": "revenue", "lines": "orders", "facet": "channel", "facet_scale": "independent"`, `did you mean "free"?`},
		{`"type": "combo", "bars": "revenue", "lines": "orders", "facet": "revenue"`, `panels[0].facet: "revenue" is a measure, and this must`},
		{`"type": "heatmap", "y": "channel", "value": "revenue", "facet": "channel"`, `panels[0].facet: "channel" is in y already`},
		{`"type": "treemap", "x": null, "label": ["day"], "value": "revenue", "facet": "day"`, `panels[0].facet: "day" is in label already`},
		{
			`"type": "treemap", "x": null, "label": "day", "value": "revenue", "facet": "channel", "facet_scale": "free"`,
			"panels[0].facet_scale: is about the ramp",
		},
		{`"type": "line", "y": "revenue", "facet_columns": 3`, "panels[0].facet_columns: is about small plots; name a dimension in facet"},
		{`"type": "line", "y": "revenue", "facet": "channel", "facet_columns": 7`, "panels[0].facet_columns: must be a whole number from 1 to 6"},
		{`"type": "line", "y": "revenue", "facet": "channel", "ncol": 3`, `did you mean "facet_columns"?`},
		{`"type": "line", "y": "revenue", "facet": "channel", "sharey": false`, `did you mean "facet_scale"?`},
		{`"type": "line", "y": "revenue", "facet": "day"`, `panels[0].facet: "day" is in x already`},
		{`"type": "line", "y": "revenue", "facet": "orders"`, `panels[0].facet: "orders" is a measure, and this must be a dimension`},
		{`"type": "line", "y": "revenue", "y2": "orders", "y2_min": 0, "y2_max": 100, "scale": "log"`, ""},
		{`"type": "area", "y": ["revenue", "orders"], "stack": true, "y2": ["paid"]`, ""},
		{`"type": "line", "y": "revenue", "y2": "paid"`, ""},
		{`"type": "line", "y": ["revenue", "paid"], "y2": "top"`, `panels[0].y[1]: "paid" is money and "revenue" is a plain number, and an`},
		{`"type": "line", "y": "revenue", "y2": ["paid", "orders"]`, `panels[0].y2[1]: "orders" is a plain number and "paid" is money`},
		{`"type": "line", "y": "revenue", "y2": "revenue"`, `panels[0].y2: "revenue" is there twice`},
		{`"type": "line", "y": "revenue", "y2": "channel"`, `panels[0].y2: "channel" is a dimension`},
		{`"type": "line", "y": "revenue", "series": "channel", "y2": "orders"`, "panels[0].y2: does not go with series, which splits one"},
		{`"type": "line", "y": "revenue", "y2_min": 1`, "panels[0].y2_min: is about the axis of y2; name its measures"},
		{`"type": "line", "y": "revenue", "y2": "orders", "y2_min": 2, "y2_max": 2`, "panels[0].y2_max: must be above y2_min"},
		{`"type": "combo", "bars": "revenue", "lines": "paid", "y2_min": 0`, ""},
		{`"type": "combo", "bars": "revenue", "lines": "orders", "y2_max": 9`, "panels[0].y2_max: is about the axis on the right, and all lines"},
		{`"type": "line", "y": "revenue", "secondary_axis": "orders"`, `did you mean "y2"?`},
		{`"type": "area", "y": "revenue", "axis2": "orders"`, `did you mean "y2"?`},
		{`"type": "bar", "y": "revenue", "y_right": "orders"`, `a second axis is that of "y2" of a line or an area`},
		{`"type": "line", "y": "revenue", "yAxisIndex": 1`, `a second axis is that of "y2" of a line or an area`},
		{`"type": "pie", "label": "channel", "value": "revenue", "ymin": 1`, `"ymin" is not a key of a panel of type pie`},
	} {
		panel, want := tc[0], tc[1]
		if !strings.Contains(panel, `"x":`) {
			panel = `"x": "day", ` + panel
		}
		s, err := Parse([]byte(`{"datasets": [{"id": "orders", "sql": "SELECT day, channel, sum(amount) AS revenue, count(*) AS orders, ` +
			`max(amount) AS top, count(DISTINCT buyer) AS buyers, sum(paid) AS paid FROM sales GROUP BY 1, 2", ` +
			`"columns": {"aov": {"ratio": ["revenue", "orders"]}, ` +
			`"orders": {"format": "integer"}, "paid": {"format": "currency"}}}], "panels": [{` + panel + `}]}`))
		if err == nil {
			columns := exampleColumns(s)
			columns["orders"][1].Type = cube.Text
			_, err = s.Check(columns)
		}
		got := ""
		if err != nil {
			got = err.Error()
		}
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s\ngot  %s\nwant %s", panel, got, want)
		}
	}
}
