package dashboard

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"service/store/suggest"
)

// A worded is a group of words that people and models write because other tools have them.
type worded struct {
	level string // object in which they are written; of a panel, its type
	words string // separated by spaces
	names string // what the refusal names: keys, separated by spaces; "" for a hint to leave the word out
	fix   string // members that replace the word, as JSON; "" to leave it out. null removes a member
	at    string // level of the fix, if it is another
}

// words are keys of Vega-Lite, Observable Plot, Chart.js, Plotly, ECharts, Grafana, Metabase, Looker, Superset, Power BI and of no tool at
// all, such as a first guess.
var words = []worded{
	{
		"page", "theme dark_mode darkMode style css colorscheme palette colorway colors background", "columns",
		`{"columns": {"channel": {"colors": {"web": "violet"}}}}`, "",
	},
	{"page", "refresh refresh_interval refreshInterval autoRefresh cron interval ttl cache schedule", "", "", ""},
	{
		"page", "time time_range timeRange dateRange period range", "filters",
		`{"filters": [{"column": "day", "default": "last_30_days"}]}`, "",
	},
	{"page", "slicers dropdowns inputs quickFilters controls", "filters", `{"filters": [{"column": "country"}]}`, ""},
	{
		"page", "cards dashcards elements visualizations views items graphs visuals blocks layers hconcat vconcat charts widgets tiles", "panels",
		`{"panels": [{"type": "kpi", "value": "revenue"}]}`, "",
	},
	{"page", "tabs pages sections", "panels", `{"panels": [{"type": "section", "title": "A"}, {"type": "kpi", "value": "revenue"}]}`, ""},
	{"page", "sql query queries", "datasets", "", ""},
	{"page", "dimensions measures metrics", "columns", `{"columns": {"revenue": {"format": "currency"}}}`, "dataset"},
	{"page", "transform joins where groupby", "sql", "", ""},
	{"page", "visibility public owner share id uid $schema slug tags workspace", "", "", ""},
	{"page", "logo html image", "panels", `{"panels": [{"type": "text", "markdown": "Hi"}, {"type": "kpi", "value": "revenue"}]}`, ""},
	{"page", "width height grid columnCount", "width", `{"width": 8}`, "line"},
	{"page", "limit rowLimit maxRows", "row_limit", `{"row_limit": 500}`, "dataset"},
	{"page", "encoding mark layer", "panels", `{"panels": [{"type": "line", "x": "day", "y": "revenue"}]}`, ""},
	{"page", "legend plugins responsive animation", "", "", ""},
	{"page", "annotations", "events", `{"events": [{"on": "2026-05-01", "label": "v2"}]}`, ""},
	{"page", "variables templating parameters", "params", `{"params": [{"id": "n", "type": "number", "default": 1}]}`, ""},
	{"page", "rls permissions", "access", `{"access": [{"column": "country", "is": "member.country"}]}`, ""},
	{"page", "lang language", "locale", `{"locale": "de-DE"}`, ""},
	{"page", "timezoneName tz", "timezone", `{"timezone": "Europe/Berlin"}`, ""},
	{"page", "database db warehouse connectionId datasource", "connection", `{"connection": "self"}`, ""},

	{"line", "theme css style background font border", "columns", `{"columns": {"channel": {"colors": {"web": "violet"}}}}`, "page"},
	{
		"line", "opacity alpha lineWidth strokeWidth stroke lineInterpolation markers pointSize interpolate tension step animation", "",
		"", "",
	},
	{"line", "grid ticks tickCount tickAngle margin padding aspectRatio dataZoom toolbox", "", "", ""},
	{"line", "size size_x gridPos h", "width", `{"width": 8}`, ""},
	{"line", "refresh refreshInterval cache_ttl", "", "", ""},
	{"line", "single multi variables filter", "filters", `{"filters": [{"column": "channel", "multiple": false}]}`, "page"},
	{"line", "suffix unit", "unit", `{"columns": {"revenue": {"unit": "kg"}}}`, "dataset"},
	{"line", "timeRange timeFrom dateRange", "filters", `{"filters": [{"column": "day", "default": "last_30_days"}]}`, "page"},
	{
		"line", "axis2 rightAxis secondaryAxis yAxisID dualAxis y_right", "y2",
		`{"type": "combo", "y": null, "bars": "orders", "lines": "revenue"}`, "",
	},
	{"line", "transform calculate joins cumulative running_total forecast formula", "sql", "", ""},
	{
		"line", "aggregate aggFunc aggregator estimator reducer calcs aggregation agg", "",
		`{"columns": {"revenue": {"agg": "avg"}}}`, "dataset",
	},
	{"line", "encoding mark layers options fieldConfig viz_settings config", "x y", `{"x": "day", "y": "orders"}`, ""},
	{
		"line", "xTitle yTitle axisTitle yLabel tickFormat numberFormat", "label format",
		`{"columns": {"revenue": {"label": "Net", "format": "currency"}}}`, "dataset",
	},
	{"line", "color_by colorBy colorField seriesField breakout split_by groupBy", "series", `{"series": "channel"}`, ""},
	{"line", "alert alerts", "alerts", `{"alerts": [{"id": "a", "failing": true}]}`, "page"},
	{"line", "vline", "events", `{"events": [{"on": "2026-05-01", "label": "v2"}]}`, "page"},
	{
		"line", "hline referenceLines annotations markLine goalLine plotLines averageLine", "reference",
		`{"reference": [{"value": 10}]}`, "",
	},
	{"line", "timeUnit time_grain granularity bucket dateTrunc", "grain", `{"grain": "week"}`, ""},
	{"line", "facetBy smallMultiples trellis repeat row col", "facet", `{"facet": "channel"}`, ""},
	{"line", "spanNulls spanGaps connectNulls connectgaps", "gaps", `{"gaps": "join"}`, ""},
	{"line", "trendline regression", "trend", `{"trend": "linear"}`, ""},
	{"line", "movingAverage rolling smoothing", "average", `{"average": 7}`, ""},
	{"line", "chartType kind viz visualization", "type", `{"type": "area"}`, ""},
	{"line", "datasetId targets query", "data", `{"data": "orders"}`, ""},
	{"line", "drilldown href onClick", "link", `{"link": "https://example.com/{{day}}"}`, ""},
	{"line", "crossFilter", "click", `{"click": "none"}`, ""},
	{"line", "xField xColumn xKey axisX", "x", `{"x": "month"}`, ""},
	{"line", "yField yColumn yKeys yAxis", "y", `{"y": "orders"}`, ""},
	{"line", "logScale yScale", "scale", `{"scale": "log"}`, ""},
	{"line", "confidence errorBand", "band", `{"band": {"low": "low", "high": "high"}}`, ""},

	{"bar", "stacked stacking barMode groupMode stackMode normalize", "stack", `{"stack": true, "series": "channel"}`, ""},
	{"bar", "orientation indexAxis swapAxes flip", "horizontal", `{"horizontal": true}`, ""},
	{"bar", "topN maxItems showTop top", "limit", `{"limit": 5}`, ""},
	{"bar", "others groupOthers showOther", "other", `{"other": true}`, ""},
	{"bar", "sortBy orderBy sorting", "sort", `{"sort": "-revenue"}`, ""},
	{"bar", "barWidth bargap cornerRadius", "", "", ""},
	{"bar", "dataLabels showValues valueLabels", "labels", `{"labels": true}`, ""},
	{"bar", "goal goalValue", "target", `{"target": "orders"}`, ""},
	{"kpi", "goal objective targetValue", "target", `{"target": 100}`, ""},
	{"kpi", "comparison compareWith previousPeriod showDelta delta", "compare", `{"compare": "previous_period"}`, ""},
	{"kpi", "graphMode trend showSparkline", "sparkline", `{"sparkline": "day"}`, ""},
	{"kpi", "conditional_formatting color_rules ranges threshold", "thresholds", `{"thresholds": [{"value": 10, "tone": "good"}]}`, ""},
	{"kpi", "metric measure valueField", "value", `{"value": "orders"}`, ""},
	{"kpi", "palette", "columns", `{"columns": {"revenue": {"color": "green"}}}`, "page"},
	{"pie", "hole innerRadius donut", "", "", ""},
	{"pie", "angleField valueColumn", "value", `{"value": "orders"}`, ""},
	{"pie", "category nameField labelField", "label", `{"label": "channel"}`, ""},
	{"table", "fields visibleColumns columnOrder", "columns", `{"columns": ["country", "revenue"]}`, ""},
	{"table", "pageSize rowsPerPage pagination", "page_size", `{"page_size": 10}`, ""},
	{"table", "showTotals summaryRow totals footer", "total", `{"total": true}`, ""},
	{"table", "url", "link", `{"columns": [{"column": "country", "link": "https://example.com/{{country}}"}]}`, ""},
	{"pivot", "index rowGroups pivotRows", "rows", `{"rows": ["channel"]}`, ""},
	{"pivot", "pivotColumns columnFields", "columns", `{"columns": ["channel"]}`, ""},
	{"scatter", "bubbleSize sizeBy r radius", "size", `{"size": "orders"}`, ""},
	{"scatter", "pointLabel nameField", "label", `{"label": "channel"}`, ""},
	{"heatmap", "z intensity cellValue metric", "value", `{"value": "orders"}`, ""},
	{"heatmap", "colorscale scheme cmap domain zmin zmid", "ramp", `{"ramp": "green"}`, ""},
	{"histogram", "nbins nbinsx binCount binWidth maxbins buckets", "bins", `{"bins": 10}`, ""},
	{"map", "geoField countryField isoCode locations country", "area", `{"area": "country"}`, ""},
	{"map", "center basemap scope", "region", `{"region": "europe"}`, ""},
	{"treemap", "path parents hierarchy levels", "label", `{"label": ["country", "channel"]}`, ""},
	{"sankey", "stages levels path", "steps", "", ""},

	{"dataset", "query statement table model rawSql expr", "sql", "", ""},
	{"dataset", "groupBy where filters joins transform having", "sql", "", ""},
	{"dataset", "limit maxRows top", "row_limit", `{"row_limit": 500}`, ""},
	{"dataset", "title", "title", `{"title": "T"}`, "line"},
	{"dataset", "refresh cacheTtl schedule", "", "", ""},
	{"dataset", "params variables", "params", `{"params": [{"id": "n", "type": "number", "default": 1}]}`, "page"},
	{"dataset", "columnTypes types formats fields", "columns", `{"columns": {"revenue": {"format": "currency"}}}`, ""},
	{"dataset", "timezone dialect", "timezone", `{"timezone": "UTC"}`, "page"},
	{"dataset", "refId uid alias name", "id", "", ""},

	{"column", "datatype columnType type", "role", `{"role": "measure"}`, ""},
	{"column", "displayName header title caption", "label", `{"label": "Net"}`, ""},
	{"column", "numberFormat valueFormat pattern fmt", "format", `{"format": "currency"}`, ""},
	{"column", "help comment desc", "description", `{"description": "D"}`, ""},
	{"column", "direction polarity higherIsBetter", "good", `{"good": "up"}`, ""},
	{"column", "aggregation aggFunc rollup reducer", "agg", `{"agg": "avg"}`, ""},
	{"column", "sql expression formula computed", "sql ratio", "", ""},
	{"column", "color palette sort", "columns", `{"columns": {"revenue": {"color": "green"}}}`, "page"},
	{"column", "currency symbol", "currency", `{"currency": "EUR"}`, "page"},
	{"column", "suffix units uom", "unit", `{"unit": "kg"}`, ""},
	{"column", "precision digits decimalPlaces", "decimals", `{"decimals": 1}`, ""},
	{"column", "visible show hide", "hidden", "", ""},
	{"column", "align wrap width", "", "", ""},
	{"column", "goal thresholds", "target", `{"target": 5}`, "kpi"},

	{"filter", "field dimension columnName", "column", "", ""},
	{"filter", "defaultValue selected current initial", "default", `{"default": "DE"}`, ""},
	{"filter", "multi multiSelect single isMulti", "multiple", `{"multiple": false}`, ""},
	{"filter", "operator condition", "default", `{"default": "DE"}`, ""},
	{"filter", "values choices options sql dependsOn placeholder", "", "", ""},
	{"filter", "readOnly disabled hidden", "locked", `{"locked": true, "default": "DE"}`, ""},
	{"filter", "appliesTo datasets", "data", `{"data": ["orders"]}`, ""},

	{"param", "choices values allowedValues enum", "options", `{"options": [1, 2]}`, ""},
	{"param", "defaultValue value current", "default", `{"default": 1}`, ""},
	{"param", "datatype kind", "type", "", ""},
	{"param", "prompt caption title", "label", `{"label": "L", "options": [1, 2]}`, ""},
	{"param", "required regex min step", "options", `{"options": [1, 2]}`, ""},
	{"param", "column field", "filters", `{"filters": [{"column": "country"}]}`, "page"},

	{"alert", "above gt upper", "if than", `{"value": "revenue", "x": "day", "if": ">", "than": 5, "failing": null}`, ""},
	{"alert", "below lt lower", "if than", `{"value": "revenue", "x": "day", "if": "<", "than": 5, "failing": null}`, ""},
	{
		"alert", "percentChange drop", "change",
		`{"value": "revenue", "x": "day", "change": {"against": "previous_week", "by": -0.2}, "failing": null}`, "",
	},
	{"alert", "zscore stddev outlier", "anomaly", `{"value": "revenue", "x": "day", "anomaly": "low", "failing": null}`, ""},
	{"alert", "noData empty", "rows", `{"rows": "none", "failing": null}`, ""},
	{"alert", "forDuration pendingPeriod consecutive", "for", `{"for": 2}`, ""},
	{"alert", "slack pagerduty channel email webhook", "to", `{"to": ["me"]}`, ""},
	{"alert", "evaluateEvery frequency schedule enabled paused mute", "", "", ""},
	{"alert", "summary message description", "title", `{"title": "T"}`, ""},
	{"alert", "priority", "severity", `{"severity": "critical"}`, ""},

	{"delivery", "recipients channel destination slack email", "to", "", ""},
	{"delivery", "frequency schedule cadence", "every", "", ""},
	{"delivery", "weekday dayOfMonth days", "on", `{"every": "weekly", "on": "mon", "at": "08:00"}`, ""},
	{"delivery", "hour time", "at", "", ""},
	{"delivery", "fileFormat attachments pdf format", "attach", `{"attach": "csv"}`, ""},
	{"delivery", "onlyIf onChange", "changed", `{"changed": true}`, ""},
	{"delivery", "subject body panels", "", "", ""},
}

// wordPanels are a panel of each type of words.
var wordPanels = map[string]string{
	"line": `"x": "day", "y": "revenue"`, "bar": `"x": "country", "y": "revenue"`, "kpi": `"value": "revenue"`,
	"pie": `"label": "country", "value": "revenue"`, "table": `"columns": ["country", "orders"]`,
	"pivot": `"rows": ["country"], "values": ["revenue"]`, "scatter": `"x": "orders", "y": "revenue", "label": "country"`,
	"heatmap": `"x": "channel", "y": "country", "value": "revenue"`, "histogram": `"value": "raw"`,
	"map": `"area": "country", "value": "revenue"`, "treemap": `"label": "country", "value": "revenue"`,
	"sankey": `"steps": ["channel", "country"], "value": "revenue"`,
}

// wordSpec is a spec with a panel of a type, and the objects of each level in it.
func wordSpec(t *testing.T, kind string) (spec map[string]any, levels map[string]map[string]any) {
	t.Helper()
	sql := "SELECT day, month, country, channel, sum(amount) AS revenue, count(*) AS orders, min(amount) AS low, max(amount) AS high " +
		"FROM sales GROUP BY 1, 2, 3, 4"
	if kind == "histogram" {
		sql = "SELECT country, raw FROM sales"
	}
	text := fmt.Sprintf(`{"params": [{"id": "n", "type": "number", "default": 1}],
		"datasets": [{"id": "orders", "sql": %q, "columns": {%s}}],
		"filters": [{"column": "day"}, {"column": "country"}],
		"panels": [{"type": %q, %s}], "alerts": [{"id": "a", "failing": true}],
		"deliver": [{"to": "me", "every": "daily", "at": "08:00"}]}`,
		sql, map[bool]string{true: `"raw": {}`, false: `"revenue": {}`}[kind == "histogram"], kind, wordPanels[kind])
	if err := json.Unmarshal([]byte(text), &spec); err != nil {
		t.Fatal(err)
	}
	first := func(key string, i int) map[string]any { return spec[key].([]any)[i].(map[string]any) }
	levels = map[string]map[string]any{
		"page": spec, "dataset": first("datasets", 0), "filter": first("filters", 1), "param": first("params", 0), "alert": first("alerts", 0),
		"delivery": first("deliver", 0), kind: first("panels", 0),
	}
	levels["column"], _ = levels["dataset"]["columns"].(map[string]any)["revenue"].(map[string]any)
	if kind == "histogram" {
		spec["filters"] = []any{}
	}
	return spec, levels
}

// errorOf reads and checks a spec as a publish does.
func errorOf(t *testing.T, spec map[string]any) error {
	t.Helper()
	raw, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Parse(raw)
	if err != nil {
		return err
	}
	_, err = s.Check(exampleColumns(s))
	return err
}

// TestWordsOfOthers: each key of another tool is refused with a replacement, and a spec with the replacement is accepted.
func TestWordsOfOthers(t *testing.T) {
	t.Parallel()
	count, levels := 0, map[string]bool{}
	for _, group := range words {
		kind := "line"
		switch {
		case wordPanels[group.level] != "":
			kind = group.level
		case wordPanels[group.at] != "":
			kind = group.at
		}
		levels[group.level] = true
		for word := range strings.FieldsSeq(group.words) {
			count++
			spec, at := wordSpec(t, kind)
			if at[group.level] == nil {
				t.Fatalf("%s: no such level", group.level)
			}
			at[group.level][word] = "x"
			err := errorOf(t, spec)
			if err == nil {
				t.Errorf("%s of %s is accepted", word, group.level)
				continue
			}
			line, _, _ := strings.Cut(err.Error(), "\n")
			_, after, _ := strings.Cut(line, `"`+word+`" is not a key of `)
			before, _, _ := strings.Cut(after, "; keys: ")
			_, hint, _ := strings.Cut(before, ": ")
			_, suggestion, _ := strings.Cut(after, "did you mean ")
			if hint == "" && suggestion == "" {
				t.Errorf("%s of %s is not explained: %s", word, group.level, line)
				continue
			}
			for name := range strings.FieldsSeq(group.names) {
				if !strings.HasPrefix(suggestion, `"`+name+`"?`) && !strings.Contains(hint, `"`+name+`"`) {
					t.Errorf("%s of %s: the refusal does not name %s: %s", word, group.level, name, line)
				}
			}
			if suggestion != "" && group.names == "" {
				t.Errorf("%s of %s: it suggests a key: %s", word, group.level, line)
			}
			delete(at[group.level], word)
			if group.fix != "" {
				var fix map[string]any
				if err := json.Unmarshal([]byte(group.fix), &fix); err != nil {
					t.Fatalf("%s: %v", group.fix, err)
				}
				in := at[group.level]
				if group.at != "" {
					in = at[group.at]
				}
				for k, v := range fix {
					if in[k] = v; v == nil {
						delete(in, k)
					}
				}
			}
			if err := errorOf(t, spec); err != nil {
				t.Errorf("%s of %s: what replaces it is refused: %v", word, group.level, err)
			}
		}
	}
	if count < 400 || len(levels) < 18 {
		t.Errorf("%d words in %d objects are tried", count, len(levels))
	}
}

// Each word of the table of hints can be found, once in its object, and is not a key there.
func TestForeignWords(t *testing.T) {
	t.Parallel()
	keys := map[string][]string{
		"a spec": specKeys, "a dataset": datasetKeys, "a column": columnKeys, "a filter": filterKeys, "a parameter": paramKeys,
		"an alert":   alertKeys,
		"a delivery": deliveryKeys,
	}
	for object, groups := range foreignWords {
		seen := map[string]bool{}
		for _, g := range groups {
			for word := range strings.FieldsSeq(g.words) {
				switch {
				case word != suggest.Plain(word):
					t.Errorf("%s of %s is never found", word, object)
				case seen[word]:
					t.Errorf("%s of %s is there twice", word, object)
				case slices.Contains(keys[object], word):
					t.Errorf("%s is a key of %s", word, object)
				}
				seen[word] = true
			}
		}
	}
}

// modelWords are keys that models write into panels: those of Vega-Lite, Chart.js, Plotly, Grafana, Metabase, Looker, Superset and Power
// BI, and keys of other types of panels.
const modelWords = `
xField yField field fields datum bin binned bins nbins maxbins binwidth binSize nbinsx timeUnit timeGrain granularity interval
resolution bucket bucketing aggregate aggfunc aggregation agg groupby group groups dimension dimensions metric metrics measure
measures breakout breakouts breakdown split splitBy color colour colorField color_by fill stroke palette opacity size sizeField
shape detail key facet row column rows cols columns facet_col facet_row facetWrap wrap trellis small_multiples stack stacked
stacking stackMode barmode mode normalize normalized percent percentage percentStacked contribution orientation orient horizontal
direction layout indexAxis flip transpose swap_axes title name heading subtitle caption description text label labels show_labels
dataLabels show_values show_value value_labels textinfo texttemplate textposition annotation annotations xaxis yaxis axis axes
y_axis_min yaxis_range ymin ymax min max domain range scale log logScale logarithmic yScale scaleType beginAtZero zero suggestedMax
softMin y2 yaxis2 secondary_y y_right secondary_axis trend trendline regression moving_average rolling rolling_window smooth
smoothing smoothed window cumulative target goal goal_line show_goal threshold thresholds threshold_value reference reference_line
referenceLines refLine markLine plotLines baseline benchmark compare comparison compare_to time_compare time_comparison
comparison_period previous_period delta show_delta change deltaType sparkline trend_column background_trend sort sort_by order
order_by sortOrder order_desc descending limit top topN row_limit maxRows series_limit max_items other show_other group_other
groupOthers filter filters where adhoc_filters query sql dataset data source data_source queryName format number_format valueFormat
tickFormat d3_format prefix suffix unit units decimals precision currency y_axis_format date_format time_format legend showLegend
legend_position tooltip tooltips tooltipFields hover hovertemplate hover_data hover_name custom_data showTooltip width height w h x
y gridPos span colSpan position conditional_formatting color_scale heat cmap scheme min_color max_color midpoint zmid zmin zmax
color_range value values y_values x_values lat latitude lon longitude lng geo geojson country location locations region iso
projection zoom mapbox nodes links from to source_column target_column path levels hierarchy parent children names parents start end
startDate end_date begin finish task tasks progress dependencies milestones milestone swimlane lane resource open high low close
volume page_size pagination paginate rows_per_page show_totals totals total subtotals grand_total row_total summary footer search
searchable frozen freeze pinned content markdown body html md message steps stages step stage conversion markers marker points
point_size line_width curve interpolation interpolate fill_opacity area step_line connect_nulls spanNulls spanGaps nullValue nulls
missing gaps error error_y error_bars confidence ci band lower upper y_lower y_upper highlight emphasis focus selected hidden
visible hide show link url drill drilldown onClick click action actions events annotations_layers vlines vline theme style css class
variant emphasis_color grain period time time_column timeField date date_column datetime share cumulative_percent pct q1 q3 median
quartiles whiskers notched boxpoints outliers
`

// A panel that has a key of another tool, or of another type of panel, is refused with the key to write or the types that have it, and not
// with a list of keys alone.
func TestKeysOfOtherToolsAreExplained(t *testing.T) {
	t.Parallel()
	for _, kind := range types {
		for word := range strings.FieldsSeq(modelWords) {
			if slices.Contains(kind.keys(), word) || kind.name == "text" && word == "date" || kind.name == "section" && word == "date" {
				continue
			}
			_, err := Parse([]byte(`{"version": 1, "title": "T", "datasets": [{"id": "d", "sql": "SELECT 1 AS n"}],
				"panels": [{"type": "` + kind.name + `", "` + word + `": "x"}]}`))
			if err == nil {
				t.Errorf("a %s accepts %s", kind.name, word)
				continue
			}
			refusal := `"` + word + `" is not a key of a panel of type ` + kind.name
			_, rest, ok := strings.Cut(err.Error(), refusal)
			rest, _, _ = strings.Cut(rest, "\n")
			if !ok || !strings.HasPrefix(rest, ": ") && !strings.Contains(rest, "did you mean") {
				t.Errorf("a %s with %s: %s%s", kind.name, word, refusal, rest)
			}
		}
	}
	for key, want := range map[string]string{
		`"type": "line", "x": "d", "y": "n", "horizontal": true`:     `types that have it: bar, `,
		`"type": "line", "x": "d", "y": "n", "barmode": "stack"`:     `it is "stack": lines are at their values; of an area`,
		`"type": "pivot", "rows": "k", "values": "n", "total": true`: `did you mean "totals"?`,
		`"type": "bar", "x": "k", "y": "n", "stak": true`:            `did you mean "stack"?`,
		`"type": "bar", "x": "k", "y": "n", "annotations": []`:       `did you mean "reference"?`,
	} {
		_, err := Parse([]byte(`{"version": 1, "title": "T", "datasets": [{"id": "d", "sql": "SELECT 1 AS n"}], "panels": [{` + key + `}]}`))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", key, err, want)
		}
	}
}
