package dashboard

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// rampSpec is a spec with one panel of a dataset with the columns day, name, n, m and the ratio r.
func rampSpec(panel string) []byte {
	return fmt.Appendf(nil,
		`{"datasets": [{"id": "d", "sql": "SELECT day, name, lat, lon, sum(n) AS n, sum(m) AS m FROM t GROUP BY 1, 2, 3, 4",
		"columns": {"r": {"ratio": ["n", "m"]}}}], "panels": [%s]}`, panel)
}

// An impossible ramp is refused by the name of its key, with the possible ones.
func TestRampProblems(t *testing.T) {
	t.Parallel()
	const heatmap, treemap = `{"type": "heatmap", "x": "day", "y": "name", "value": "n", %s}`,
		`{"type": "treemap", "label": "name", "value": "n", %s}`
	const table, pivot = `{"type": "table", "columns": ["name", {"column": "n", %s}]}`,
		`{"type": "pivot", "rows": ["name"], "values": ["n"], %s}`
	const points = `{"type": "map", "lat": "lat", "lon": "lon", "label": "name", %s}`
	for _, tc := range []struct{ panel, keys, want string }{
		{heatmap, `"ramp": "green"`, ""},
		{heatmap, `"ramp": "blue_red"`, ""},
		{heatmap, `"ramp": {"name": "violet_orange", "min": -5, "max": 9, "middle": 2, "reverse": true}`, ""},
		{heatmap, `"ramp": {"min": 0, "max": 1}`, ""},
		{heatmap, `"ramp": {"middle": 5}`, ""},
		{heatmap, `"ramp": {"scale": "log", "min": 1}`, ""},
		{heatmap, `"ramp": {"scale": "quantile", "name": "gray"}`, ""},
		{heatmap, `"ramp": {"scale": "linear"}`, ""},
		{
			heatmap, `"ramp": "viridis"`,
			`panels[0].ramp: "viridis" is not one of the possible values; possible values: blue, green, orange, red, violet, ` +
				`gray, blue_red, green_red, violet_orange; did you mean "green"?`,
		},
		{heatmap, `"ramp": "RdYlGn"`, `did you mean "green_red"?`},
		{
			heatmap, `"ramp": ["#fff", "#00f"]`,
			`panels[0].ramp: must be a name or an object such as {"name": "blue", "min": 0, "max": 100}, not a list; names: blue`,
		},
		{heatmap, `"ramp": {"domain": [0, 1]}`, `panels[0].ramp.domain: "domain" is not a key of a ramp: the ends are numbers: "min" and "max"`},
		{heatmap, `"ramp": {"scheme": "blues"}`, `did you mean "name"?`},
		{heatmap, `"ramp": {"zmin": 1}`, `did you mean "min"?`},
		{heatmap, `"ramp": {"domainMid": 1}`, `did you mean "middle"?`},
		{heatmap, `"ramp": {"pivot": 1}`, `did you mean "middle"?`},
		{heatmap, `"ramp": {"min": 5, "max": 5}`, `panels[0].ramp.max: must be above min`},
		{heatmap, `"ramp": {"min": "5"}`, `panels[0].ramp.min: must be a number, not a string`},
		{
			heatmap, `"ramp": {"name": "green", "middle": 5}`,
			`panels[0].ramp.middle: is of ramps of two colours, and "green" has one; leave middle out, ` +
				`or name another; names: blue_red, green_red, violet_orange; did you mean "green_red"?`,
		},
		{
			heatmap, `"ramp": {"name": "blue_red", "min": 2}`,
			`panels[0].ramp.min: must be below 0, the middle, or both min and max must be set, which have the middle between them`,
		},
		{heatmap, `"ramp": {"name": "blue_red", "max": -1}`, `panels[0].ramp.max: must be above 0, the middle, or both`},
		{heatmap, `"ramp": {"name": "green_red", "min": 90, "max": 100}`, ""},
		{heatmap, `"ramp": {"name": "green_red", "min": 0, "max": 100}`, ""},
		{heatmap, `"ramp": {"name": "green_red", "min": -9, "max": -5}`, ""},
		{heatmap, `"ramp": {"middle": 5, "max": 5}`, `panels[0].ramp.max: must be above middle`},
		{
			heatmap, `"ramp": {"scale": "log", "name": "blue_red"}`,
			`panels[0].ramp.name: does not go with scale "log", whose colours go one way; name one of blue`,
		},
		{heatmap, `"ramp": {"scale": "quantile", "middle": 1}`, `panels[0].ramp.middle: does not go with scale "quantile"`},
		{
			heatmap, `"ramp": {"scale": "quantile", "max": 1}`,
			`panels[0].ramp.scale: "quantile" has as many values in each step, and no min and max`,
		},
		{heatmap, `"ramp": {"scale": "log", "min": 0}`, `panels[0].ramp.min: must be above zero: a logarithmic scale`},
		{heatmap, `"ramp": {"scale": "logarithmic"}`, `did you mean "log"?`},
		{heatmap, `"scheme": "blues"`, `did you mean "ramp"?`},
		{heatmap, `"colorscale": "Blues"`, `did you mean "ramp"?`},
		{heatmap, `"zmin": 1`, `did you mean "ramp"?`},
		{heatmap, `"scale": "log"`, ""},
		{heatmap, `"colors": "blues"`, `ramp is the colours of the values: a name such as "green"`},
		{treemap, `"ramp": "green"`, ""},
		{treemap, `"ramp": "blue_red", "color": "r"`, ""},
		{treemap, `"color": "r"`, ""},
		{treemap, `"color": "name"`, `panels[0].color: "name" is a dimension`},
		{treemap, `"series": "name", "ramp": "green"`, `panels[0].ramp: colours the areas by numbers, and series by the values of a dimension`},
		{treemap, `"series": "name", "color": "r"`, `panels[0].color: colours the areas by numbers`},
		{table, `"heat": true, "ramp": "green"`, ""},
		{table, `"ramp": "green"`, `panels[0].columns[1].ramp: is the colours of "heat": true; write that too`},
		{table, `"heat": true, "scheme": "green"`, `did you mean "ramp"?`},
		{pivot, `"heat": "all", "ramp": {"scale": "quantile"}`, ""},
		{pivot, `"heat": "column", "ramp": {"middle": 5}`, ""},
		{
			pivot, `"ramp": "green"`,
			`panels[0].ramp: is the colours of heat, which says what they compare; write heat too; possible values: row, column, all; ` +
				`did you mean "all"?`,
		},
		{
			pivot, `"heat": "column", "ramp": {"max": 5}`,
			`panels[0].ramp: has min, max or "quantile", and heat "column" gives each column colours of its own`,
		},
		{pivot, `"heat": "column", "ramp": {"scale": "quantile"}`, `has min, max or "quantile"`},
		{points, `"value": "n", "ramp": "green"`, ""},
		{points, `"size": "m", "value": "r"`, ""},
		{points, `"ramp": "green"`, `panels[0].ramp: colours the values of a measure; name it in value`},
		{points, `"value": "n", "series": "name"`, `panels[0].series: colours the points, and so does value; keep one of them`},
		{`{"type": "line", "x": "day", "y": "n", %s}`, `"ramp": "green"`, `"ramp" is not a key of a panel of type line`},
	} {
		s, err := Parse(rampSpec(fmt.Sprintf(tc.panel, tc.keys)))
		if err == nil {
			_, err = s.Check(exampleColumns(s))
		}
		switch {
		case tc.want == "" && err != nil:
			t.Errorf("%s: %v", tc.keys, err)
		case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
			t.Errorf("%s: %v, want %s", tc.keys, err, tc.want)
		}
	}
}

// The middle of a ramp whose ends are on one side of 0 is halfway between them; any other is 0 unless it is written.
func TestMiddleOfRamps(t *testing.T) {
	t.Parallel()
	for keys, want := range map[string]string{
		`"name": "green_red", "min": 90, "max": 100`: "95", `"name": "blue_red", "min": -9, "max": -5`: "-7",
		`"name": "blue_red", "min": 0, "max": 100`: "50", `"name": "blue_red", "min": -5, "max": 100`: "", `"name": "blue_red"`: "",
		`"name": "green_red", "min": 90, "max": 100, "middle": 99`: "99", `"name": "green", "min": 90, "max": 100`: "",
	} {
		s, err := Parse(rampSpec(`{"type": "heatmap", "x": "day", "y": "name", "value": "n", "ramp": {` + keys + `}}`))
		if err != nil {
			t.Fatal(keys, err)
		}
		got := ""
		if m := s.Panels[0].Ramp.Middle; m != nil {
			got = strconv.FormatFloat(*m, 'f', -1, 64)
		}
		if got != want {
			t.Errorf("%s: middle %q, want %q", keys, got, want)
		}
	}
}
