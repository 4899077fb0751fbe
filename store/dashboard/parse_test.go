package dashboard_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"service/store/dashboard"
)

// rangeChoice is the end of the message for every invalid range.
const rangeChoice = `write the name of one, last_<n>_days, or last_<n>_full_days without today (also weeks, months, quarters, ` +
	`years), or two dates such as ["2026-01-01", "2026-03-31"]; names: today, yesterday, last_7_days, last_30_days, last_90_days, ` +
	`last_365_days, this_week, last_week, this_month, last_month, this_quarter, last_quarter, this_year, last_year, all`

func TestParseDefaults(t *testing.T) {
	t.Parallel()
	got, err := dashboard.Parse([]byte(`{
		"datasets": [{"id": "d", "sql": "SELECT day, a, b, sum(x) AS x FROM t GROUP BY 1, 2, 3"}],
		"filters": [{"column": "signup_day"}],
		"panels": [
			{"type": "kpi", "value": "x", "thresholds": [{"value": 1, "tone": "good"}]},
			{"type": "line", "x": "day", "y": "x", "reference": [{"value": 0}]},
			{"type": "pie", "label": "a", "value": "x", "title": null},
			{"type": "table", "columns": ["a", {"column": "x"}]},
			{"type": "text", "markdown": "hello"},
			{"type": "section", "title": "Two"}
		]}`))
	if err != nil {
		t.Fatal(err)
	}
	want := &dashboard.Spec{
		Version: 1, Timezone: "UTC", WeekStarts: "monday", Layout: "dashboard", Currency: "USD", Locale: "en-US",
		Datasets: []dashboard.Dataset{{ID: "d", SQL: "SELECT day, a, b, sum(x) AS x FROM t GROUP BY 1, 2, 3", Rows: 10_000}},
		Filters:  []dashboard.Filter{{Column: "signup_day"}},
		Panels: []dashboard.Panel{
			{Type: dashboard.KPI, Data: "d", Width: 3, Value: "x", Thresholds: []dashboard.Threshold{{If: ">=", Value: 1, Tone: "good"}}},
			{Type: dashboard.Line, Data: "d", Width: 6, X: "day", Y: []string{"x"}, Reference: []dashboard.Reference{{Tone: "neutral"}}},
			{Type: dashboard.Pie, Data: "d", Width: 6, Label: "a", Value: "x"},
			{Type: dashboard.Table, Data: "d", Width: 12, Columns: []dashboard.TableColumn{{Column: "a"}, {Column: "x"}}},
			{Type: dashboard.Text, Width: 12, Markdown: "hello"},
			{Type: dashboard.Section, Width: 12, Title: "Two"},
		},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(dashboard.Dataset{}, dashboard.Panel{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Without panels, the datasets are shown.
func TestParseWithoutPanels(t *testing.T) {
	t.Parallel()
	for _, panels := range []string{``, `, "panels": []`, `, "panels": null`} {
		got, err := dashboard.Parse([]byte(`{"datasets": [{"id": "a", "sql": "SELECT 1"}, {"id": "top_ten", "sql": "SELECT 2"}]` + panels + `}`))
		if err != nil {
			t.Fatal(err)
		}
		want := []dashboard.Panel{
			{Type: dashboard.Table, Title: "A", Data: "a", Width: 12},
			{Type: dashboard.Table, Title: "Top ten", Data: "top_ten", Width: 12},
		}
		if diff := cmp.Diff(want, got.Panels, cmpopts.IgnoreUnexported(dashboard.Panel{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", panels, diff)
		}
	}
}

func TestParseColumns(t *testing.T) {
	t.Parallel()
	want := []dashboard.Meta{
		{Name: "z", Label: "Zed", Format: "percent1", Good: "down"},
		{Name: "a", Role: dashboard.Measure, Agg: dashboard.Max},
		{Name: "r", Ratio: [2]string{"z", "a"}},
		{Name: "net revenue", Description: "After refunds"},
	}
	for name, columns := range map[string]string{
		"object": `{"z": {"label": "Zed", "format": "percent1", "good": "down"}, "a": {"role": "measure", "agg": "max"}, ` +
			`"r": {"ratio": ["z", "a"]}, "net revenue": {"description": "After refunds"}}`,
		"list": `[{"name": "z", "label": "Zed", "format": "percent1", "good": "down"}, {"name": "a", "role": "measure", "agg": "max"}, ` +
			`{"name": "r", "ratio": ["z", "a"]}, {"name": "net revenue", "description": "After refunds"}]`,
	} {
		s, err := dashboard.Parse([]byte(`{"datasets": [{"id": "d", "sql": "SELECT 1", "columns": ` + columns + `}]}`))
		if err != nil {
			t.Fatal(name, err)
		}
		if diff := cmp.Diff(want, s.Datasets[0].Columns); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// in inserts a piece of a spec at its place in an otherwise valid spec.
func in(place, piece string) string {
	switch place {
	case "root":
		return `{"datasets": [{"id": "d", "sql": "SELECT 1"}], ` + piece + `}`
	case "dataset":
		return `{"datasets": [{"id": "d", ` + piece + `}]}`
	case "column":
		return `{"datasets": [{"id": "d", "sql": "SELECT 1", "columns": {"c": {` + piece + `}}}]}`
	case "param":
		return `{"params": [{` + piece + `}], "datasets": [{"id": "d", "sql": "SELECT 1"}]}`
	case "sql":
		b, _ := json.Marshal(piece)
		return `{"params": [{"id": "since", "type": "date_range", "default": "all"}, {"id": "n", "type": "number", "default": 1}],
			"datasets": [{"id": "d", "sql": ` + string(b) + `}]}`
	case "filter":
		return `{"datasets": [{"id": "d", "sql": "SELECT 1"}], "filters": [` + piece + `]}`
	case "panel":
		return `{"datasets": [{"id": "d", "sql": "SELECT 1"}], "panels": [{` + piece + `}]}`
	case "panel of two":
		return `{"datasets": [{"id": "daily", "sql": "SELECT 1"}, {"id": "hourly", "sql": "SELECT 1"}], "panels": [{` + piece + `}]}`
	}
	return piece
}

const panelKeys = "type, title, subtitle, description, width, "

var panelTypes = strings.Join(dashboard.PanelTypes(), ", ")

// Every rule has its words.
func TestParseProblems(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ place, piece, want string }{
		{"", ``, `the document is empty; it must be a JSON object`},
		{"", "{\n \"title\": }", `not valid JSON (line 2, column 11): invalid character '}' looking for beginning of value`},
		{"", `{"title": "a"`, `not valid JSON (line 1, column 13): unexpected end of JSON input`},
		{"", `[]`, `the document must be a JSON object, not a list`},
		{"", `"{}"`, `the document must be a JSON object, not a string`},
		{"", `{}`, `datasets: is missing; declare at least one dataset`},
		{"", `{"datasets": []}`, `datasets: is empty; declare at least one dataset`},
		{"", `{"datasets": {}}`, `datasets: must be a list, not an object`},
		{"", `{"datasets": ["SELECT 1"]}`, `datasets[0]: must be an object, not a string`},
		{"", `{"datasets": [{"id": "d", "sql": "SELECT 1"}, {"id": "d", "sql": "SELECT 2"}]}`, `datasets[1].id: "d" is the id of two datasets`},

		{"root", `"version": 2`, `version: must be 1`},
		{"root", `"version": "1"`, `version: must be a number, not a string; write 1`},
		{
			"root", `"titel": "x"`,
			`titel: "titel" is not a key of a spec; keys: version, title, description, source, connection, upload, sheet, uploads, timezone, ` +
				`week_starts, as_of, ` +
				`currency, locale, layout, contents, params, datasets, columns, filters, events, panels, alerts, deliver, access; ` +
				`did you mean "title"?`,
		},
		{
			"root", `"schedule": "1h"`,
			`schedule: "schedule" is not a key of a spec: the schedule is not part of a spec; set_refresh_schedule sets it; ` +
				`keys: version, title, description, source, connection, upload, sheet, uploads, timezone, ` +
				`week_starts, as_of, currency, locale, layout, contents, params, datasets, columns, filters, events, panels, alerts, deliver, access`,
		},
		{"root", `"title": "a", "title": "b"`, `title: is there twice; keep one`},
		{"root", `"title": 7`, `title: must be a string, not a number`},
		{"root", `"title": "` + strings.Repeat("é", 201) + `"`, `title: has 201 characters, over the limit of 200`},
		{"root", `"title": "a\u0000"`, `title: has a control character (U+0000) at byte 1`},
		{
			"root", `"connection": "SELF"`,
			`connection: connection "SELF" is not a valid connection; pass "self" or a connection id from list_connections. The ` +
				`uploaded-file source also needs an "upload" id. Warehouses are connected in the web application.`,
		},
		{"root", `"connection": 7`, `connection: connection must be a string`},
		{
			"root", `"connection": "{0b9f8a52-6a3b-4c1e-9a7e-51d0d3d4f111}"`,
			`connection: connection "{0b9f8a52-6a3b-4c1e-9a7e-51d0d3d4f111}" is not a valid connection; ` +
				`pass "self" or a connection id from list_connections. The uploaded-file source also needs an "upload" id. Warehouses are ` +
				`connected in the web application.`,
		},
		{
			"root", `"upload": "orders.csv"`,
			`upload: "orders.csv" is not an upload id; pass the id of an uploaded file, as list_connections shows it`,
		},
		{
			"root", `"connections": []`,
			`connections: "connections" is not a key of a spec: the SQL of a spec runs on one connection; to join two sources, publish a ` +
				`dashboard of each and read their datasets: "from": ["mrr", "support/tickets"] with sql over the tables mrr and tickets; keys: ` +
				`version, title, description, source, connection, upload, sheet, uploads, timezone, ` +
				`week_starts, as_of, currency, locale, layout, contents, params, datasets, columns, filters, events, panels, alerts, deliver, access`,
		},
		{
			"dataset", `"sql": "SELECT 1", "connection": "self"`,
			`datasets[0].connection: "connection" is not a key of a dataset: all SQL of a spec runs on its one connection, named at the top; ` +
				`to join two sources, publish a dashboard of each and read their datasets: "from": ["mrr", "support/tickets"] with sql over the ` +
				`tables mrr and tickets; keys: id, sql, from, upload, sheet, columns, row_limit, shared, description`,
		},
		{"root", `"timezone": "Berlin"`, `timezone: "Berlin" is not an IANA time zone; write one such as "Europe/Berlin" or "UTC"`},
		{"root", `"timezone": "Local"`, `timezone: "Local" is not an IANA time zone; write one such as "Europe/Berlin" or "UTC"`},
		{"root", `"currency": "eur"`, `currency: "eur" is not an ISO 4217 currency code; write one such as "EUR"; did you mean "EUR"?`},
		{"root", `"currency": "€"`, `currency: "€" is not an ISO 4217 currency code; write one such as "EUR"; did you mean "EUR"?`},
		{"root", `"currency": "QQQ"`, `currency: "QQQ" is not an ISO 4217 currency code; write one such as "EUR"`},
		{"root", `"locale": "english"`, `locale: "english" is not a BCP 47 locale; write one such as "en-US" or "de-DE"`},
		{"root", `"params": {}`, `params: must be a list, not an object`},
		{
			"root", `"vega_lite": {}`,
			`vega_lite: "vega_lite" is not a key of a spec: it is a reserved name that version 1 refuses; ` +
				`keys: version, title, description, source, connection, upload, sheet, uploads, timezone, ` +
				`week_starts, as_of, currency, locale, layout, contents, params, datasets, columns, filters, events, panels, alerts, deliver, access`,
		},

		{
			"dataset", `"query": "SELECT 1"`,
			`datasets[0].query: "query" is not a key of a dataset; keys: id, sql, from, upload, sheet, columns, row_limit, shared, description; ` +
				`did you mean "sql"?`,
		},
		{"dataset", `"sql": "  "`, `datasets[0].sql: is empty; write one SELECT statement`},
		{"dataset", `"sql": "SELECT 1", "row_limit": 0`, `datasets[0].row_limit: must be a whole number from 1 to 200000`},
		{"dataset", `"sql": "SELECT 1", "row_limit": 200001`, `datasets[0].row_limit: must be a whole number from 1 to 200000`},
		{"dataset", `"sql": "SELECT 1", "row_limit": 1.5`, `datasets[0].row_limit: must be a whole number from 1 to 200000`},
		{"dataset", `"sql": "SELECT 1", "columns": "day"`, `datasets[0].columns: must be an object with a key for each column, not a string`},
		{
			"dataset", `"sql": "SELECT 1", "columns": {"net revenue": "currency"}`,
			`datasets[0].columns["net revenue"]: must be an object, not a string`,
		},
		{"dataset", `"sql": "SELECT 1", "columns": ["a", "a"]`, `datasets[0].columns[1]: "a" is there twice; keep one`},
		{"dataset", `"sql": "SELECT 1", "columns": [{"label": "A"}]`, `datasets[0].columns[0].name: is missing`},
		{
			"dataset", `"sql": "SELECT 1", "rows": []`,
			`datasets[0].rows: "rows" is not a key of a dataset: in a spec the rows come from sql; ` +
				`rows belong to a report, published as body; keys: id, sql, from, upload, sheet, columns, row_limit, shared, description`,
		},
		{"", `{"datasets": [{"sql": "SELECT 1"}]}`, `datasets[0].id: is missing`},
		{
			"", `{"datasets": [{"id": "1st", "sql": "SELECT 1"}]}`,
			`datasets[0].id: "1st" is not an id: a letter, then letters, digits, _ or -, at most 64 in all`,
		},
		{"", `{"datasets": [{"id": "", "sql": "SELECT 1"}]}`, `datasets[0].id: is empty`},

		{
			"column", `"aggregation": "sum"`,
			`datasets[0].columns.c.aggregation: "aggregation" is not a key of a column; keys: label, description, role, agg, along, ratio, ` +
				`format, decimals, unit, negative, sign, hidden, good, labels; did you mean "agg"?`,
		},
		{
			"column", `"agg": "p75"`,
			`datasets[0].columns.c.agg: "p75" cannot be merged from that of groups: return single rows, of which "agg": "median", "p90", "p95" ` +
				`or "p99" is computed and "box" draws quartiles; or the sql returns it, in a dataset of its own with a row for each value that is ` +
				`shown`,
		},
		{
			"column", `"agg": "p50"`,
			`datasets[0].columns.c.agg: "p50" is not one of the possible values; possible values: sum, min, max, avg, median, p90, p95, p99, ` +
				`last, first, none; did you mean "median"?`,
		},
		{
			"column", `"agg": "mean"`,
			`datasets[0].columns.c.agg: "mean" is not one of the possible values; possible values: sum, min, max, avg, median, p90, p95, p99, ` +
				`last, first, none; did you mean "avg"?`,
		},
		{
			"column", `"role": "metric"`,
			`datasets[0].columns.c.role: "metric" is not one of the possible values; possible values: dimension, measure; did you mean "measure"?`,
		},
		{
			"column", `"format": "money"`,
			`datasets[0].columns.c.format: "money" is not one of the possible values; possible values: integer, number, number1, ` +
				`number2, compact, compact2, percent, percent1, percent2, currency, currency2, currency_compact, currency_compact2, ` +
				`duration, hours_minutes, minutes_seconds, bytes, date, datetime, minute, time, week, month, quarter, year; did you mean "currency"?`,
		},
		{"column", `"good": true`, `datasets[0].columns.c.good: must be a string, not a boolean; possible values: up, down; did you mean "up"?`},
		{"column", `"role": "dimension", "agg": "sum"`, `datasets[0].columns.c.agg: is for measures; leave it out, or write "role": "measure"`},
		{"column", `"ratio": "a/b"`, `datasets[0].columns.c.ratio: must be a list of two measures, such as ["revenue", "orders"]`},
		{"column", `"ratio": ["a"]`, `datasets[0].columns.c.ratio: must be a list of two measures, such as ["revenue", "orders"]`},
		{"column", `"ratio": ["a", "c"]`, `datasets[0].columns.c.ratio: "c" cannot be a part of itself`},
		{
			"column", `"ratio": ["a", "b"], "agg": "avg"`,
			`datasets[0].columns.c.agg: does not go with ratio: a ratio is computed after its two measures were added up`,
		},

		{"param", `"id": "since"`, "params[0].type: is missing\nparams[0].default: is missing"},
		{
			"param", `"id": "since", "type": "daterange", "default": "all"`,
			`params[0].type: "daterange" is not one of the possible values; possible values: date_range, date, text, number; ` +
				`did you mean "date_range"?`,
		},
		{
			"param", `"id": "since", "type": "date_range", "default": "last_30d"`,
			`params[0].default: "last_30d" is not a date range; ` + rangeChoice + `; did you mean "last_30_days"?`,
		},
		{
			"param", `"id": "since", "type": "date_range", "default": ["2026-03-31", "2026-01-01"]`,
			`params[0].default: "2026-03-31/2026-01-01" is not a date range; ` + rangeChoice,
		},
		{"param", `"id": "d", "type": "date", "default": "31.01.2026"`, `params[0].default: must be a date such as "2026-01-31", or "today"`},
		{"param", `"id": "n", "type": "number", "default": "ten"`, `params[0].default: must be a number`},
		{"param", `"id": "t", "type": "text", "default": 7`, `params[0].default: must be a string, not a number`},

		{"sql", `SELECT {{until}}`, `datasets[0].sql: {{until}} (line 1, column 8) names no parameter; params: since, n`},
		{
			"sql", `SELECT {{sinse.start}}`,
			`datasets[0].sql: {{sinse.start}} (line 1, column 8) names no parameter; params: since, n; did you mean "since"?`,
		},
		{"sql", `SELECT {{since}}`, `datasets[0].sql: {{since}} (line 1, column 8) is a date_range: write {{since.start}} or {{since.end}}`},
		{
			"sql", `SELECT {{since.begin}}`,
			`datasets[0].sql: {{since.begin}} (line 1, column 8) is a date_range: write {{since.start}} or {{since.end}}`,
		},
		{"sql", `SELECT {{n.start}}`, `datasets[0].sql: {{n.start}} (line 1, column 8) has no part "start": "n" is a number, so write {{n}}`},
		{
			"sql", "SELECT 1\nWHERE day >= '{{since.start}}'",
			`datasets[0].sql: {{since.start}} (line 2, column 15) is inside a quoted string: it is a bound value, so write it without the quotes`,
		},
		{
			"sql", `SELECT "{{n}}"`,
			`datasets[0].sql: {{n}} (line 1, column 9) is inside a quoted name: it is a bound value and cannot name anything`,
		},
		{"sql", "SELECT 1 -- {{n}}", `datasets[0].sql: {{n}} (line 1, column 13) is inside a comment: remove it`},
		{"sql", "SELECT 1 /* /* */ {{n}} */", `datasets[0].sql: {{n}} (line 1, column 19) is inside a comment: remove it`},
		{
			"sql", "SELECT $$ {{n}} $$",
			`datasets[0].sql: {{n}} (line 1, column 11) is inside a quoted string: it is a bound value, so write it without the quotes`,
		},
		{
			"sql", `SELECT {{ ref('orders') }}`,
			`datasets[0].sql: {{ ref('orders') }} (line 1, column 8) is not a placeholder: write {{param}}, ` +
				`or {{param.start}} and {{param.end}} of a date_range`,
		},
		{
			"sql", `SELECT {{n`,
			`datasets[0].sql: {{ (line 1, column 8) is not a placeholder: write {{param}}, or {{param.start}} and {{param.end}} of a date_range`,
		},
		{"dataset", `"sql": "SELECT {{n}}"`, `datasets[0].sql: {{n}} (line 1, column 8) names no parameter: none is declared in params; ` +
			`leave optional clauses to the dashboard's filters`},

		{
			"filter", `{"field": "day"}`,
			`filters[0].field: "field" is not a key of a filter; ` +
				`keys: column, label, default, data, multiple, grain, locked; did you mean "column"?`,
		},
		{
			"filter", `{"column": "day", "type": "date"}`,
			`filters[0].type: "type" is not a key of a filter: a filter's kind follows from its column: a range for dates, ` +
				`a choice of the stored values for the rest; keys: column, label, default, data, multiple, grain, locked`,
		},
		{"filter", `{"column": "day"}, {"column": "day"}`, `filters[1].column: "day" has a filter already`},
		{
			"filter", `{"column": "c", "default": ["a", "b"], "multiple": false}`,
			`filters[0].default: has 2 values, and "multiple": false takes one`,
		},
		{"filter", `{"column": "c", "locked": true}`, `filters[0].locked: needs a "default": what the filter keeps`},
		{"filter", `{"column": "c", "multiple": "no"}`, `filters[0].multiple: must be true or false, not a string; write false`},
		{
			"filter", `{"column": "day", "grain": "hour"}`,
			`filters[0].grain: "hour" is not one of the possible values; possible values: day, week, month, quarter, year`,
		},
		{
			"filter", `{"column": "day", "granularity": "month"}`,
			`filters[0].granularity: "granularity" is not a key of a filter; keys: column, label, default, data, multiple, grain, locked; ` +
				`did you mean "grain"?`,
		},
		{
			"filter", `{"column": "c", "single": true}`,
			`filters[0].single: "single" is not a key of a filter: "multiple": false makes it a choice of exactly one value; without it any ` +
				`number can be chosen; keys: column, label, default, data, multiple, grain, locked`,
		},
		{
			"filter", `{"column": "c", "readonly": true}`,
			`filters[0].readonly: "readonly" is not a key of a filter: "locked": true, with a "default", shows what the page is narrowed to ` +
				`and lets nobody change it; keys: column, label, default, data, multiple, grain, locked`,
		},
		{"filter", `{"column": "day", "default": {"from": 1}}`, `filters[0].default: must be a string, not an object`},

		{
			"panel", `"title": "x"`,
			`panels[0].type: is missing; possible values: ` + panelTypes,
		},
		{
			"panel", `"type": "donut", "label": "a", "value": "b"`,
			`panels[0].type: "donut" is not one of the possible values; possible values: ` + panelTypes + `; did you mean "pie"?`,
		},
		{
			"panel", `"type": "vega_lite"`,
			`panels[0].type: "vega_lite" is a reserved name that version 1 refuses; possible values: ` + panelTypes,
		},
		{"panel", `"type": "kpi"`, `panels[0].value: is missing`},
		{
			"panel", `"type": "kpi", "metric": "x"`,
			`panels[0].metric: "metric" is not a key of a panel of type kpi: write "value": "x"; keys: ` + panelKeys +
				`value, data, where, facet, facet_columns, compare, target, sparkline, grain, partial, thresholds, sort, ` +
				`color, source; did you mean "value"?`,
		},
		{
			"panel", `"type": "kpi", "value": "x", "id": "k"`,
			`panels[0].id: "id" is not a key of a panel of type kpi: panels need no id; keys: ` + panelKeys +
				`value, data, where, facet, facet_columns, compare, target, sparkline, grain, partial, thresholds, sort, color, source`,
		},
		{
			"panel", `"type": "table", "cols": ["day"]`,
			`panels[0].cols: "cols" is not a key of a panel of type table: write "columns": ["day"]; keys: ` + panelKeys +
				`data, where, columns, sort, limit, page_size, search, thresholds, total, compare, grain, partial, click, source; ` +
				`did you mean "columns"?`,
		},
		{
			"panel", `"type": "line", "x": "day", "metric": "x"`,
			`panels[0].metric: "metric" is not a key of a panel of type line: write "y": ["x"]; keys: ` + panelKeys +
				`x, y, data, where, compare, grain, partial, gaps, series, facet, facet_columns, facet_scale, labels, legend, scale, y_reverse, y2, ` +
				`y_min, y_max, y2_min, y2_max, ` +
				`trend, average, reference, target, band, color, thresholds, highlight, sort, limit, other, tooltip, events, click and 2 more; ` +
				`did you mean "y"?`,
		},
		{
			"panel", `"type": "kpi", "value": "x", "format": "currency"`,
			`panels[0].format: "format" is not a key of a panel of type kpi: formats are set once per column, ` +
				`under columns of the dataset; write "columns": {"x": {"format": "currency"}} there; keys: ` + panelKeys +
				`value, data, where, facet, facet_columns, compare, target, sparkline, grain, partial, thresholds, sort, color, source`,
		},
		{"panel", `"type": "kpi", "value": "x", "width": 1`, `panels[0].width: must be a whole number from 2 to 12`},
		{
			"panel", `"type": "kpi", "value": "x", "width": "6"`,
			`panels[0].width: must be a whole number of 12 columns, not a string; write 6`,
		},
		{
			"panel", `"type": "kpi", "value": "x", "width": "33%"`,
			`panels[0].width: must be a whole number of 12 columns, not a string; write 4`,
		},
		{
			"panel", `"type": "kpi", "value": "x", "width": "full"`,
			`panels[0].width: must be a whole number of 12 columns, not a string; write 12`,
		},
		{"panel", `"type": "kpi", "value": ""`, `panels[0].value: is empty`},
		{
			"panel", `"type": "line", "x": "day", "y": "x", "compare": "previous_period"`,
			`panels[0].compare: "previous_period" needs a filter on a date, which defines the period; add one to filters`,
		},
		{"panel", `"type": "kpi", "value": "x", "data": "e"`, `panels[0].data: "e" is not the id of a dataset; datasets: d`},
		{"panel", `"type": "line", "x": "day", "y": []`, `panels[0].y: is empty; name at least one column`},
		{"panel", `"type": "line", "x": "day", "y": ["a", "a"]`, `panels[0].y[1]: "a" is there twice; keep one`},
		{
			"panel", `"type": "line", "x": "day", "y": ["a", "b"], "series": "c"`,
			`panels[0].series: splits one measure, and y has 2; name one in y, or leave series out`,
		},
		{"panel", `"type": "line", "x": "day", "y": {"a": 1}`, `panels[0].y: must be the name of a column, not an object`},
		{"panel", `"type": "combo", "x": "a", "bars": [], "lines": "c"`, `panels[0].bars: is empty; name at least one measure`},
		{"panel", `"type": "combo", "x": "a", "bars": ["b", "c"], "lines": ["d", "c"]`, `panels[0].lines[1]: "c" is there twice; keep one`},
		{
			"panel", `"type": "combo", "x": "a", "bars": ["b", "c", "d", "e", "f"], "lines": ["g", "h", "i", "j"]`,
			`panels[0].lines: has 4 measures beside 5 bars, over the limit of 8 together`,
		},
		{
			"panel", `"type": "combo", "x": "a", "bars": "b", "lines": "c", "y": "d"`,
			`panels[0].y: "y" is not a key of a panel of type combo: its measures are in bars and in lines; keys: ` + panelKeys +
				`x, bars, lines, data, where, compare, one_axis, grain, partial, gaps, facet, facet_columns, facet_scale, stack, labels, y_min, ` +
				`y_max, y2_min, y2_max, trend, average, reference, target, thresholds, ` +
				`sort, limit, other, tooltip, events, click, link, source`,
		},
		{"panel", `"type": "box", "x": "a"`, `panels[0]: must have value, a column of numbers of which each row has one, or low, q1, median, ` +
			`q3, high, which the sql has computed`},
		{"panel", `"type": "box", "x": "a", "low": "b", "high": "c", "median": "b"`, `panels[0].q1: is missing
panels[0].q3: is missing
panels[0].median: "b" is there twice; each of the five is another measure`},
		{"panel", `"type": "box", "value": "a", "high": "c"`, `panels[0].value: a box is of rows, whose numbers value names, or of low, ` +
			`q1, median, ` +
			`q3, high, which the sql has computed; leave one of the two out`},
		{
			"panel", `"type": "box", "value": "a", "limit": 3`,
			`panels[0].limit: is about boxes side by side; name the column in x that tells them apart`,
		},
		{
			"panel", `"type": "box", "x": "x", "low": "a", "q1": "b", "median": "c", "q3": "d", "high": "e", "reference": [{"kind": "average"}]`,
			`panels[0].reference[0].kind: five numbers do not tell the average of all; return the rows and name value, or write the number as ` +
				`value of the line`,
		},
		{
			"panel", `"type": "box", "value": "a", "scale": "log", "y_min": 0`,
			`panels[0].y_min: must be above zero: a logarithmic axis has neither zero nor what is below it`,
		},
		{
			"panel", `"type": "candlestick", "x": "a", "open": "b", "high": "c"`,
			"panels[0].low: is missing\npanels[0].close: is missing",
		},
		{
			"panel", `"type": "candlestick", "x": "a", "low": "b", "high": "b", "reference": [{"kind": "median"}]`,
			`panels[0].reference[0].kind: ranges do not tell the median of the values in them; write the number as value of the line` + "\n" +
				`panels[0].low: "b" is there twice; each is another measure`,
		},
		{"panel", `"type": "histogram", "value": "a", "bins": 0`, `panels[0].bins: must be a whole number from 1 to 100, or a list of edges`},
		{"panel", `"type": "histogram", "value": "a", "bins": [2.5]`, `panels[0].bins: must be a whole number from 1 to 100, or a list of edges`},
		{"panel", `"type": "histogram", "value": "a", "bins": [1, 3, 3]`, `panels[0].bins[2]: must be above the edge before it`},
		{"panel", `"type": "histogram", "value": "a", "bins": [1, "3"]`, `panels[0].bins[1]: must be a number, not a string; write 3`},
		{"panel", `"type": "histogram", "value": "a", "bins": []`, `panels[0].bins: is empty; name the edges, or about how many bins`},
		{"panel", `"type": "histogram", "value": "a", "bins": "auto"`, `panels[0].bins: must be a number, not a string`},
		{
			"panel", `"type": "histogram", "value": "a", "x": "b"`,
			`panels[0].x: "x" is not a key of a panel of type histogram: value is the column whose numbers are counted, and weight a measure ` +
				`that counts them; keys: ` + panelKeys + `value, data, where, bins, weight, facet, facet_columns, facet_scale, series, stack, ` +
				`horizontal, labels, scale, ` +
				`y_max, x_min, x_max, reference, color, thresholds, source`,
		},
		{"panel", `"type": "heatmap", "x": "a", "y": ["b", "c"], "value": "d"`, `panels[0].y: has 2 columns; a heatmap takes one`},
		{
			"panel", `"type": "bar", "x": "a", "y": "b", "horizontal": "yes"`,
			`panels[0].horizontal: must be true or false, not a string; write true`,
		},
		{"panel", `"type": "bar", "x": "a", "y": "b", "limit": 0`, `panels[0].limit: must be a whole number from 1 to 1000`},
		{
			"panel", `"type": "line", "x": "a", "y": "b", "reference": [{"label": "Target"}]`,
			`panels[0].reference[0]: must have a value, a kind (average, median, min, max), or from and to; it has 0 of these`,
		},
		{
			"panel", `"type": "line", "x": "a", "y": "b", "reference": [{"value": 1, "kind": "min"}]`,
			`panels[0].reference[0]: must have a value, a kind (average, median, min, max), or from and to; it has 2 of these`,
		},
		{
			"panel", `"type": "line", "x": "a", "y": "b", "reference": [{"value": 1, "tone": "green"}]`,
			`panels[0].reference[0].tone: "green" is not one of the possible values; possible values: good, warn, bad, info, neutral; ` +
				`did you mean "good"?`,
		},
		{
			"panel", `"type": "kpi", "value": "x", "thresholds": [{"if": "gte", "value": 1, "tone": "good"}]`,
			`panels[0].thresholds[0].if: "gte" is not one of the possible values; possible values: >=, >, <=, <, =; did you mean ">="?`,
		},
		{"panel", `"type": "table", "thresholds": [{"value": 1, "tone": "good"}]`, `panels[0].thresholds[0].column: is missing`},
		{"panel", `"type": "table", "columns": ["a", {"column": "a"}]`, `panels[0].columns[1]: "a" is there twice; keep one`},
		{
			"panel", `"type": "table", "columns": [{"column": "a", "sparkline": "day"}, "b", "a"]`,
			`panels[0].columns[2]: "a" is there twice; keep one: a cell with a small line, a bar or a color has the number too`,
		},
		{
			"panel", `"type": "table", "columns": [{"field": "a"}]`,
			`panels[0].columns[0].field: "field" is not a key of a column of a table; keys: column, label, format, decimals, group, bar, heat, ` +
				`ramp, sparkline, sign, link; did you mean "column"?`,
		},
		{"panel", `"type": "table", "columns": [7]`, `panels[0].columns[0]: must be an object, not a number`},
		{
			"panel", `"type": "table", "columns": [{"column": "a", "link": "http://example.com"}]`,
			`panels[0].columns[0].link: "http://example.com" is not a link; write an address that begins with https://, ` +
				`the slug of a dashboard with filters or without, or one {{column}} that holds such`,
		},
		{
			"panel", `"type": "text", "markdown": "x", "grain": "day"`,
			`panels[0].grain: "grain" is not a key of a panel of type text: leave it out; types that have it: kpi, line, area, bar, combo, box, ` +
				`candlestick, waterfall, slope, heatmap, and 2 more; keys: type, title, subtitle, description, width, markdown, data, source`,
		},
		{
			"panel", `"type": "text", "markdown": "{{}}"`,
			`panels[0].markdown: {{}} must name a dataset and a column, such as {{orders.revenue}}`,
		},
		{"panel", `"type": "text", "markdown": "{{e.x}}"`, `panels[0].markdown: {{e.x}} does not begin with the id of a dataset; datasets: d`},
		{"panel", `"type": "section", "title": ""`, `panels[0].title: is empty`},
		{
			"panel", `"type": "line", "data": "", "x": "day", "y": ["", "a"], "series": ""`,
			"panels[0].y[0]: is empty\npanels[0].series: is empty\npanels[0].data: is empty",
		},
		{
			"panel", `"type": "pie", "label": "a", "value": "b", "other": false`,
			`panels[0].other: is always true of a pie, which shows a whole; a filter leaves values out`,
		},
		{"panel", `"type": "section"`, `panels[0].title: is missing`},
		{"panel of two", `"type": "table"`, `panels[0].data: is missing, and there are several datasets; datasets: daily, hourly`},
		{
			"panel of two", `"type": "table", "data": "dayly"`,
			`panels[0].data: "dayly" is not the id of a dataset; datasets: daily, hourly; did you mean "daily"?`,
		},
	} {
		t.Run(tc.place+" "+tc.piece, func(t *testing.T) {
			t.Parallel()
			_, err := dashboard.Parse([]byte(in(tc.place, tc.piece)))
			if err == nil {
				t.Fatal("accepted")
			}
			if diff := cmp.Diff(tc.want, err.Error()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseLimits(t *testing.T) {
	t.Parallel()
	list := func(n int, item string) string {
		items := make([]string, n)
		for i := range items {
			items[i] = strings.ReplaceAll(item, "#", fmt.Sprint(i))
		}
		return "[" + strings.Join(items, ",") + "]"
	}
	dataset, panel, filter := `{"id": "d#", "sql": "SELECT 1"}`, `{"type": "table", "data": "d0"}`, `{"column": "c#"}`
	document := func(datasets, filters, panels int) []byte {
		return []byte(`{"datasets": ` + list(datasets, dataset) + `, "filters": ` + list(filters, filter) + `, "panels": ` +
			list(panels, panel) + `}`)
	}
	if _, err := dashboard.Parse(document(20, 20, 60)); err != nil {
		t.Errorf("at the limits: %v", err)
	}
	_, err := dashboard.Parse(document(21, 22, 63))
	want := "datasets: has 21 members, over the limit of 20\nfilters: has 22 members, over the limit of 20\npanels: has 63 members, " +
		"over the limit of 60"
	if err == nil || err.Error() != want {
		t.Errorf("over the limits: %v", err)
	}
}

// All mistakes are reported at once, the first twenty in full.
func TestParseTellsAll(t *testing.T) {
	t.Parallel()
	_, err := dashboard.Parse([]byte(`{"datasets": [{"id": "d", "sql": "SELECT 1"}], "panels": [` +
		strings.Repeat(`{"type": "nope"},`, 24) + `{"type": "kpi"}]}`))
	p, ok := errors.AsType[*dashboard.Problems](err)
	if !ok || len(*p) != 25 {
		t.Fatalf("got %v", err)
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 21 || lines[20] != "… and 5 more" {
		t.Errorf("%d lines, the last is %q", len(lines), lines[len(lines)-1])
	}
	want := dashboard.Problem{Path: "panels[24].value", Message: "is missing"}
	if diff := cmp.Diff(want, (*p)[24]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A mistake is reported once, and causes no further problems.
func TestParseFollowUps(t *testing.T) {
	t.Parallel()
	_, err := dashboard.Parse([]byte(`{"datasets": [{"id": "my data", "sql": "SELECT 1"}, {"id": "b", "sql": "SELECT 2"}],
		"panels": [{"type": "kpi", "data": "my data", "value": "x"}]}`))
	if want := `datasets[0].id: "my data" is not an id: a letter, then letters, digits, _ or -, at most 64 in all`; err == nil ||
		err.Error() != want {
		t.Errorf("got %v", err)
	}
}

func TestParseParams(t *testing.T) {
	t.Parallel()
	got, err := dashboard.ParseParams([]byte(`[
		{"id": "a", "type": "date_range", "default": "2026-01-01/2026-03-31"},
		{"id": "b", "type": "date_range", "default": ["2026-01-01", "2026-03-31"]},
		{"id": "c", "type": "date_range", "default": "this_year"},
		{"id": "d", "type": "number", "default": "10"}, {"id": "e", "type": "number", "default": 1e3},
		{"id": "f", "type": "date", "default": "today"}, {"id": "g", "type": "text", "default": ""}]`))
	if err != nil {
		t.Fatal(err)
	}
	want := []dashboard.Param{
		{ID: "a", Type: "date_range", Default: json.RawMessage(`["2026-01-01","2026-03-31"]`)},
		{ID: "b", Type: "date_range", Default: json.RawMessage(`["2026-01-01","2026-03-31"]`)},
		{ID: "c", Type: "date_range", Default: json.RawMessage(`"this_year"`)},
		{ID: "d", Type: "number", Default: json.RawMessage(`10`)},
		{ID: "e", Type: "number", Default: json.RawMessage(`1e3`)},
		{ID: "f", Type: "date", Default: json.RawMessage(`"today"`)},
		{ID: "g", Type: "text", Default: json.RawMessage(`""`)},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for raw, want := range map[string]string{
		`{"id": "a"}`: `params: must be a list, not an object`,
		`[{`:          `params: not valid JSON (line 1, column 2): unexpected end of JSON input`,

		`[{"id": "a", "type": "text", "default": "x"}, {"id": "a", "type": "text", "default": "x"}]`: "params[1].id: " +
			`"a" is the id of two parameters`,
	} {
		if _, err := dashboard.ParseParams([]byte(raw)); err == nil || err.Error() != want {
			t.Errorf("%s: %v", raw, err)
		}
	}
	if params, err := dashboard.ParseParams([]byte(`null`)); err != nil || params != nil {
		t.Errorf("null: %v, %v", params, err)
	}
}

// A spec that Parse accepts has its defaults, is accepted by Check without known columns, and can be bound.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"datasets": [{"id": "d", "sql": "SELECT {{a.start}}"}], "params": [{"id": "a", "type": "date_range", "default": "all"}]}`))
	for _, place := range []string{"root", "dataset", "column", "param", "sql", "filter", "panel"} {
		f.Add([]byte(in(place, `"type": "line", "x": "day", "y": ["a"], "data": "d"`)))
	}
	f.Add([]byte(in(
		"panel",
		`"type": "table", "columns": ["a", {"column": "b", "link": "https://a.b/{{c}}"}], "sort": "-a", `+
			`"thresholds": [{"column": "a", "value": 1, "tone": "bad"}]`,
	)))
	f.Add([]byte(in("panel", `"type": "line", "x": "a", "y": [""], "data": ""`)))
	f.Add([]byte(`{"datasets": [{"id": "d", "rows": [{"a": 1}, {"b": "2026-01-01"}]}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if s, cubes, err := dashboard.ParseReport(raw); err == nil {
			accepted(t, s)
			for _, d := range s.Datasets {
				if cubes[d.ID] == nil {
					t.Errorf("no rows of %s", d.ID)
				}
			}
		}
		s, err := dashboard.Parse(raw)
		if s != nil {
			_, _ = s.Check(columnsOf(s))
		}
		if err != nil {
			if len(err.Error()) == 0 {
				t.Error("an error without words")
			}
			return
		}
		accepted(t, s)
		if _, err := s.Check(nil); err != nil {
			t.Errorf("Check without columns: %v", err)
		}
		for i := range s.Datasets {
			if _, _, err := s.Datasets[i].Bind(s, testNow, dollar); err != nil {
				t.Errorf("Bind: %v", err)
			}
		}
	})
}
