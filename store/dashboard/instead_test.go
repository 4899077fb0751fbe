package dashboard_test

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// insteadBases are panels of each type that draws data, along times where the type can.
var insteadBases = map[string]string{
	"kpi": `"value": "revenue"`, "line": `"x": "day", "y": "revenue"`, "area": `"x": "day", "y": "revenue"`,
	"bar": `"x": "day", "y": "revenue"`, "combo": `"x": "day", "bars": "revenue", "lines": "aov"`,
	"histogram": `"data": "rows", "value": "price"`, "box": `"data": "boxes", "x": "day", "value": "price"`,
	"candlestick": `"data": "candles", "x": "day", "open": "o", "high": "h", "low": "l", "close": "c"`,
	"scatter":     `"x": "revenue", "y": "orders", "label": "country"`, "pie": `"label": "country", "value": "revenue"`,
	"funnel": `"label": "country", "value": "revenue"`, "waterfall": `"label": "day", "value": "revenue"`,
	"slope": `"label": "country", "x": "day", "value": "revenue"`, "treemap": `"label": "country", "value": "revenue"`,
	"sankey":   `"steps": ["country", "shop_id"], "value": "revenue"`,
	"timeline": `"data": "spans", "label": "team", "start": "begun", "end": "ended"`,
	"heatmap":  `"x": "day", "y": "shop_id", "value": "revenue"`, "calendar": `"x": "day", "value": "revenue"`,
	"map": `"area": "country", "value": "revenue"`, "table": `"columns": ["country", "revenue"]`,
	"pivot": `"rows": ["day"], "values": ["revenue"]`,
}

// insteadWords are keys of Vega-Lite, Plotly, Grafana, Metabase, Looker, Superset, Chart.js and of no tool, with values.
const insteadWords = `show_values=true data_labels=true value_labels=true show_tooltip=true x_axis_title="X" y_title="Y" x_title="X"
y_axis_title="Y" y_format="0.0%" number_format="0,0" precision=1 decimals=1 currency="USD" unit="kg" prefix="$" threshold=100 goal=100
benchmark=100 target=100 avg_line=true average_line=true mean=true median=true trendline=true smooth=true curve="monotone" step=true
fill=true dash=true line_width=2 line_style="dashed" point_size=3 marker=true show_points=true bar_mode="stack" stack_mode="percent"
stacked=true grouped=true orientation="h" vertical=true limit_rows=5 top=5 top_n=5 max_rows=10 others=true order="desc" order_by="revenue"
ascending=false descending=true sort_order="desc" sort_by="-revenue" sort_desc=true group_by="country" breakdown="country"
segment="country" color_by="country" split_by="country" legend_position="bottom" show_legend=false hide_legend=true height=300 span=6
cols=2 size="large" caption="C" footnote="F" help="H" info="I" note="N" url="https://e.com" drilldown="country" on_click="filter"
empty_text="none" no_data="none" null_text="-" null_value="-" empty_message="x" colors=["red"] palette="viridis" colour="red"
scheme="blues" domain=[0,1] range=[0,1] log=true y_scale="log" bin_width=5 percent=true normalize=true cumulative=true running_total=true
moving_average=7 window=7 rolling=7 period="last_30_days" granularity="month" interval="month" date_range="last_30_days"
timeframe="last_30_days" time_range="x" refresh="5m" icon="up" emoji="x" badge="new" status="ok" conditional_format=[{}]
conditional_formatting=[{}] row_colors=true zebra=true pagination=true searchable=true sticky=true freeze=1 sticky_header=true
pivot="country" totals=true total=true subtotals=true row_totals=true column_totals=true grand_total=true hidden=true visible=true
hide=true aggregation="sum" aggregate="sum" agg="sum" func="sum" metric="revenue" metrics=["revenue"] measure="revenue"
measures=["revenue"] dimension="country" dimensions=["country"] field="revenue" x_label="X" y_label="Y" axis_label="Y" annotations=[{}]
markers=[{}] bands=[{}] shade=[{}] reference_line=100 reference_lines=[100,200] compare_to="previous_year" previous=true delta=true
change=true show_change=true comparison="previous_year" invert_colors=true good="down" direction="down" lower_is_better=true min=1
max=100 ymin=0 begin_at_zero=true zero=true grid=true ticks=5 axis=true donut=true inner_radius=0.5 incomplete="hide"
hide_incomplete=true exclude_current=true connect_nulls=true filter={"country":"DE"} filters=[{}] sql="SELECT" query="x" id="a" name="N"
heading="H" text="T" body="T" content="T" format="currency" date_format="YYYY" timezone="UTC" theme="dark" background="white"
font_size=12 align="right" bold=true bar=true heatmap=true small_multiples="country" row="country" column="country" category="country"
dual_axis=true secondary_axis="orders" right_axis="orders" export=true download=true collapsible=true tabs=[{}] gauge=true forecast=true
percentiles=[50] top_values=5 rank=true interactive=true animation=true legend_title="L" y_range=[0,10]`

// insteadNames are columns in place of the names that a hint leaves open.
var insteadNames = map[string]string{
	"series": "country", "facet": "country", "tooltip": "best", "label": "country", "column": "revenue", "sort": "revenue", "low": "best",
	"high": "best", "y": "revenue", "columns": "country", "x": "day", "value": "revenue", "y2": "orders", "bars": "orders",
	"sparkline": "day",
}

// The columns of further datasets.
var (
	spanColumns = []cube.Column{
		{Name: "team", Type: cube.Text},
		{Name: "lead", Type: cube.Text},
		{Name: "begun", Type: cube.Date},
		{Name: "ended", Type: cube.Date},
		{Name: "hours", Type: cube.Number},
	}
	boxColumns = []cube.Column{
		{Name: "day", Type: cube.Date},
		{Name: "country", Type: cube.Text},
		{Name: "price", Type: cube.Number},
		{Name: "revenue", Type: cube.Number},
		{Name: "best", Type: cube.Number},
	}
	candleColumns = []cube.Column{
		{Name: "day", Type: cube.Date},
		{Name: "o", Type: cube.Number},
		{Name: "h", Type: cube.Number},
		{Name: "l", Type: cube.Number},
		{Name: "c", Type: cube.Number},
		{Name: "revenue", Type: cube.Number},
	}
)

// fillIn replaces each "…" in a value by a column, which the key before it chooses.
func fillIn(v any, key string, names map[string]string) any {
	switch v := v.(type) {
	case string:
		return strings.ReplaceAll(v, "…", names[key])
	case []any:
		for i := range v {
			v[i] = fillIn(v[i], key, names)
		}
	case map[string]any:
		for k := range v {
			v[k] = fillIn(v[k], k, names)
		}
	}
	return v
}

// insteadError reads and checks a panel with other members; columns are those of the dataset orders.
func insteadError(t *testing.T, kind string, members map[string]any, columns string) string {
	t.Helper()
	var panel map[string]any
	if err := json.Unmarshal([]byte(`{"type": "`+kind+`", `+insteadBases[kind]+`}`), &panel); err != nil {
		t.Fatal(err)
	}
	if panel["data"] == nil {
		panel["data"] = "orders"
	}
	maps.Copy(panel, members)
	raw, err := json.Marshal(panel)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(document("", string(raw), columns)), `"datasets": [`,
		`"datasets": [{"id": "spans", "sql": "SELECT team, lead, begun, ended, hours FROM t", `+
			`"columns": {"hours": {"agg": "sum"}}},`+
			`{"id": "boxes", "sql": "SELECT day, country, price, revenue, best FROM t", `+
			`"columns": {"best": {"agg": "sum"}, "revenue": {"agg": "sum"}}},`+
			`{"id": "candles", "sql": "SELECT day, o, h, l, c, revenue FROM t"},`, 1)
	s, err := dashboard.Parse([]byte(text))
	if err == nil {
		of := maps.Clone(checkColumns)
		of["spans"], of["boxes"], of["candles"] = spanColumns, boxColumns, candleColumns
		_, err = s.Check(of)
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// TestInstead: a key of another tool is refused with a reason or a remedy on every type of panel, and the panel or the dataset accepts each
// member that the refusal says to write.
func TestInstead(t *testing.T) {
	t.Parallel()
	tried, written, columns := 0, 0, 0
	for _, kind := range slices.Sorted(maps.Keys(insteadBases)) {
		if err := insteadError(t, kind, nil, ""); err != "" {
			t.Fatalf("%s: %s", kind, err)
		}
		for word := range strings.FieldsSeq(insteadWords) {
			key, value, _ := strings.Cut(word, "=")
			var v any
			if err := json.Unmarshal([]byte(value), &v); err != nil {
				t.Fatalf("%s: %v", word, err)
			}
			if strings.Contains(insteadBases[kind], `"`+key+`":`) {
				continue
			}
			got := insteadError(t, kind, map[string]any{key: v}, "")
			line, _, _ := strings.Cut(got, "\n")
			_, after, refused := strings.Cut(line, `"`+key+`" is not a key of a panel of type `+kind)
			if !refused {
				continue // the type has it
			}
			tried++
			hint, _, _ := strings.Cut(strings.TrimPrefix(after, ": "), "; keys: ")
			if (hint == "" || hint == after) && !strings.Contains(after, "did you mean") {
				t.Errorf("%s of %s: not explained", word, kind)
			}
			if members, ok := strings.CutPrefix(hint, "write "); ok {
				written++
				members, _, _ = strings.Cut(members, "; did you mean")
				testInstead(t, word, kind, members)
			}
			_, of, ok := strings.Cut(hint, `write "columns": {`)
			of, there := strings.CutSuffix(of, "} there")
			if ok && there && !strings.Contains(insteadBases[kind], `"data"`) && !strings.HasPrefix(of, `"country": {"format"`) {
				columns++
				if err := insteadError(t, kind, nil, ", "+of); err != "" {
					t.Errorf("%s of %s: the column %s is refused: %s", word, kind, of, err)
				}
			}
		}
	}
	if tried < 3500 || written < 900 || columns < 150 {
		t.Errorf("%d words are refused, %d with members of the panel, %d with a column", tried, written, columns)
	}
}

// testInstead writes what a refusal says to write.
func testInstead(t *testing.T, word, kind, members string) {
	t.Helper()
	var fix map[string]any
	if err := json.Unmarshal([]byte("{"+members+"}"), &fix); err != nil {
		t.Errorf("%s of %s: %s is not JSON: %v", word, kind, members, err)
		return
	}
	names := insteadNames
	switch kind {
	case "timeline":
		names = map[string]string{"series": "team", "facet": "lead", "tooltip": "lead", "label": "team", "column": "hours", "sort": "hours"}
	case "candlestick":
		names = map[string]string{"tooltip": "revenue", "bars": "revenue", "facet": "country"}
	}
	filled := fillIn(fix, "", names).(map[string]any)
	err := insteadError(t, kind, filled, "")
	if strings.Contains(err, "along times follows them") { // names have an order
		filled["x"] = "country"
		err = insteadError(t, kind, filled, "")
	}
	ours := regexp.MustCompile(`already; name another dimension|column "(country|revenue)" is not returned|is the column of area`)
	if err != "" && !ours.MatchString(err) { // the name is that of the list of words
		t.Errorf("%s of %s: %s is refused: %s", word, kind, members, err)
	}
}

// TestForeignValues: a value in the form of another tool is refused with the value to write.
func TestForeignValues(t *testing.T) {
	t.Parallel()
	for _, tc := range [][3]string{
		{"bar", `"sort": "desc", "x": "country"`, `sort: must be a column; write "-revenue"`},
		{"line", `"grain": "monthly"`, `did you mean "month"?`},
		{"line", `"width": "50%"`, "not a string; write 6"},
		{"line", `"legend": {"position": "bottom"}, "series": "country"`, `not an object; possible values: above, ends; did you mean "above"?`},
		{"bar", `"legend": "bottom"`, "a legend is above the marks where colours need one; leave it out"},
		{"line", `"stack": true`, `of an area, which has stacks, write "type": "area"`},
		{"bar", `"stack": "grouped"`, `did you mean "none"?`},
		{"combo", `"color": "blue"`, `{"columns": {"revenue": {"color": "blue"}}}`},
		{"line", `"average": "7d"`, "not a string; write 7"},
		{"line", `"scale": {"type": "log"}`, `did you mean "log"?`},
		{"line", `"partial": false`, `did you mean "hide"?`},
		{"line", `"title": {"text": "T"}`, `not an object; write "T"`},
		{"line", `"tooltip": {"show": true}`, `must be a list of columns, not an object`},
		{"line", `"tooltip": true`, `must be a list of columns, not a boolean`},
		{"line", `"y_min": "0"`, "must be a number, not a string; write 0"},
		{"bar", `"horizontal": "false"`, "must be true or false, not a string; write false"},
		{"table", `"page_size": "10"`, "must be a number, not a string; write 10"},
		{"table", `"thresholds": [100]`, `write [{"column": "…", "value": 100, "tone": "bad"}]`},
		{"kpi", `"target": "1000"`, "must be a number or the name of a measure; write 1000"},
		{"kpi", `"sparkline": true`, `must be the name of a date, not a boolean; write "…"`},
		{"kpi", `"format": "$0,0.0"`, `write "columns": {"revenue": {"format": "currency", "decimals": 1}} there`},
		{"kpi", `"format": "thousands"`, `write "columns": {"revenue": {"format": "compact"}} there`},
	} {
		var members map[string]any
		if err := json.Unmarshal([]byte("{"+tc[1]+"}"), &members); err != nil {
			t.Fatal(err)
		}
		if got := insteadError(t, tc[0], members, ""); !strings.Contains(got, tc[2]) {
			t.Errorf("%s, %s: %s, want %s", tc[0], tc[1], got, tc[2])
		}
	}
}
