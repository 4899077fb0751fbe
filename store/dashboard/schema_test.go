package dashboard

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
)

var update = flag.Bool("update", false, "rewrite the generated files")

const docsSchema = "../../docs/spec.schema.json"

// A node is a part of the schema.
type node struct {
	Type        string           `json:"type"`
	Description string           `json:"description"`
	Properties  map[string]*node `json:"properties"`
	Required    []string         `json:"required"`
	Items       *node            `json:"items"`
	Enum        []string         `json:"enum"`
	MinItems    int              `json:"minItems"`
	MaxItems    int              `json:"maxItems"`
	MaxLength   int              `json:"maxLength"`
	Minimum     *float64         `json:"minimum"`
	Maximum     *float64         `json:"maximum"`
	Closed      json.RawMessage  `json:"additionalProperties"`
}

func readSchema(t *testing.T) *node {
	t.Helper()
	var root node
	if err := json.Unmarshal(Schema(), &root); err != nil {
		t.Fatal(err)
	}
	return &root
}

// at follows a path of keys; * is the values of an object with any keys.
func (n *node) at(t *testing.T, path string) *node {
	t.Helper()
	for _, key := range strings.Fields(path) {
		switch {
		case key == "*":
			values := &node{}
			if err := json.Unmarshal(n.Closed, values); err != nil {
				t.Fatal(err)
			}
			n = values
		case key == "[]":
			n = n.Items
		default:
			n = n.Properties[key]
		}
		if n == nil {
			t.Fatalf("the schema has no %s", path)
		}
	}
	return n
}

// The schema has the keys, possible values and limits of the checks.
func TestSchemaEqualsChecks(t *testing.T) {
	t.Parallel()
	root := readSchema(t)
	for path, keys := range map[string][]string{
		"":                       specKeys,
		"params []":              paramKeys,
		"datasets []":            datasetKeys,
		"datasets [] columns *":  columnKeys,
		"filters []":             filterKeys,
		"panels []":              panelKeys(),
		"panels [] band":         bandKeys,
		"panels [] reference []": referenceKeys, "panels [] thresholds []": thresholdKeys, "panels [] columns []": tableKeys,
	} {
		n := root.at(t, path)
		var have []string
		for key := range n.Properties {
			have = append(have, key)
		}
		slices.Sort(have)
		if diff := cmp.Diff(slices.Sorted(slices.Values(keys)), have); diff != "" {
			t.Errorf("keys of %q (-checks +schema):\n%s", path, diff)
		}
		if string(n.Closed) != "false" {
			t.Errorf("%q is not closed", path)
		}
	}
	for path, values := range map[string][]string{
		"params [] type": paramTypes, "datasets [] columns * role": roles, "datasets [] columns * agg": aggs,
		"datasets [] columns * format": formats,
		"datasets [] columns * good":   goods, "panels [] type": panelTypes, "panels [] reference [] kind": refKinds,
		"panels [] reference [] tone": tones,
		"panels [] thresholds [] if":  comparisons, "panels [] thresholds [] tone": tones,
	} {
		if diff := cmp.Diff(values, root.at(t, path).Enum); diff != "" {
			t.Errorf("values of %q (-checks +schema):\n%s", path, diff)
		}
	}
	for path, limit := range map[string]int{
		"params": MaxParams, "datasets": MaxDatasets, "filters": MaxFilters, "panels": MaxPanels, "panels [] y": MaxSeries, "alerts": MaxAlerts,
		"deliver":             MaxDeliveries,
		"access":              MaxAccess,
		"panels [] reference": MaxReferences, "panels [] thresholds": MaxThresholds, "panels [] columns": MaxColumns,
		"filters [] default": MaxValues,
	} {
		if got := root.at(t, path).MaxItems; got != limit {
			t.Errorf("%s: maxItems %d, want %d", path, got, limit)
		}
	}
	for path, required := range map[string][]string{
		"": {"datasets"}, "params []": {"id", "type", "default"}, "datasets []": {"id"}, "filters []": {"column"}, "panels []": {"type"},
		"panels [] thresholds []": {"value", "tone"}, "panels [] columns []": {"column"},
	} {
		if diff := cmp.Diff(required, root.at(t, path).Required); diff != "" {
			t.Errorf("required of %q (-want +schema):\n%s", path, diff)
		}
	}
}

// full is a spec with every key that the schema has, in the schema's form.
const full = `{"version": 1, "title": "T", "description": "D", "source": {"name": "S", "url": "https://example.com"},
  "connection": "0b9f8a52-6a3b-4c1e-9a7e-51d0d3d4f111",
  "upload": "0b9f8a52-6a3b-4c1e-9a7e-51d0d3d4f112", "sheet": "2026", "uploads": {"rain": "0b9f8a52-6a3b-4c1e-9a7e-51d0d3d4f113"},
"timezone": "UTC", "week_starts": "sunday", "as_of": "2026-06-30", "currency": "EUR", "locale": "de-DE", "layout": "article",
"contents": true,
"params": [{"id": "since", "type": "date_range", "default": "2026-01-01/2026-03-31"}, {"id": "n", "type": "number", "default": "10",
  "options": ["10", "20"], "label": "N"}],
"datasets": [{"id": "d", "sql": "SELECT {{since.start}}, {{n}}", "row_limit": 5,
  "upload": "0b9f8a52-6a3b-4c1e-9a7e-51d0d3d4f114", "sheet": "2025", "columns": {
  "a": {"label": "A", "description": "D", "role": "measure", "agg": "last", "along": "day", "format": "number", "decimals": 3, "unit": "kg",
   "negative": "brackets", "sign": true,
   "hidden": false, "good": "up"}, "s": {"labels": {"x": "X"}},
  "r": {"ratio": ["a", "b"]}}}, {"id": "e", "from": ["sales/d"], "sql": "SELECT 1", "shared": true, "description": "D"}],
"columns": {"s": {"order": ["x", "y"], "colors": {"x": "gray"}, "labels": {"x": "X"}}, "a": {"color": "red"}},
"filters": [{"column": "day", "label": "Day", "default": ["last_90_days"], "data": ["d"], "multiple": true,
  "grain": "month", "locked": false}],
"events": {"data": "d", "x": "day", "label": "s"},
"panels": [
  {"type": "kpi", "title": "T", "subtitle": "S", "description": "D", "data": "d", "width": 4, "value": "a",
  "where": {"s": "x"}, "compare": "previous_year", "target": 5, "sparkline": "day", "grain": "week", "partial": "hide",
  "thresholds": [{"if": ">", "value": 1, "tone": "good", "label": "many"}]},
  {"type": "bar", "data": "d", "x": "day", "y": ["a"], "series": "s", "horizontal": true, "stack": "percent", "labels": false,
   "sort": "-a", "limit": 5, "other": true,
   "reference": [{"value": 1.5, "label": "L", "tone": "info"}, {"kind": "average"}, {"from": 1, "to": 2}]},
  {"type": "bar", "data": "d", "x": "s", "y": ["a"], "horizontal": true, "share": "first", "click": "none", "link": "sales?a={{s}}"},
  {"type": "line", "data": "d", "x": "day", "y": ["a"], "gaps": "break", "series": "s", "legend": "ends", "highlight": ["x"],
   "trend": "linear", "average": {"of": 7}, "y_reverse": true},
  {"type": "line", "data": "d", "x": "day", "y": ["a"], "y2": ["b"]},
  {"type": "line", "data": "d", "x": "day", "y": ["a"], "facet": "s", "facet_columns": 2, "facet_scale": "free",
   "tooltip": ["b"], "band": {"low": "b", "high": "c", "label": "L"}, "events": {"data": "d", "x": "day", "to": "day", "label": "s"}},
  {"type": "combo", "data": "d", "x": "s", "bars": ["a"], "lines": ["r"], "one_axis": true, "y2_min": 0, "y2_max": 9,
   "source": {"name": "S", "url": "https://example.com"}},
  {"type": "box", "data": "d", "x": "s", "low": "a", "q1": "b", "median": "c", "q3": "d", "high": "e"},
  {"type": "box", "data": "d", "x": "s", "value": "a", "series": "day", "horizontal": true},
  {"type": "candlestick", "data": "d", "x": "day", "open": "a", "high": "b", "low": "c", "close": "d"},
  {"type": "histogram", "data": "d", "value": "a", "bins": [0, 7.5, 8], "weight": "b"},
  {"type": "histogram", "data": "d", "value": "a", "series": "s", "stack": "normal", "labels": true, "scale": "log", "x_min": 1, "x_max": 9,
   "y_max": 4, "reference": [{"kind": "median"}]},
  {"type": "scatter", "data": "d", "x": "a", "y": ["b"], "size": "a", "label": "s", "names": ["x"], "scale": "log_y",
   "y_min": 1, "y_max": 9, "x_min": -5, "x_max": 5, "reference": [{"value": 2, "axis": "x"}]},
  {"type": "scatter", "data": "d", "x": "a", "y": ["b"], "connect": "day"},
  {"type": "pie", "data": "d", "label": "s", "value": "a", "labels": false, "highlight": ["x"], "sort": "-a", "limit": 3},
  {"type": "funnel", "data": "d", "label": "s", "value": "a", "compare": "previous_year",
   "share": "first", "limit": 3, "thresholds": [{"value": 0.5, "tone": "bad"}],
   "tooltip": ["day"]},
  {"type": "treemap", "data": "d", "label": "s", "value": "a", "labels": false, "highlight": ["x"], "limit": 9, "tooltip": ["day"]},
  {"type": "map", "data": "d", "area": "s", "value": "a", "region": "europe"},
  {"type": "map", "data": "d", "lat": "a", "lon": "b", "size": "a", "label": "s", "series": "day"},
  {"type": "heatmap", "data": "d", "x": "s", "y": ["day"], "value": "a",
   "ramp": {"name": "blue_red", "min": 1, "max": 9, "middle": 5, "scale": "linear", "reverse": true}},
  {"type": "table", "data": "d", "page_size": 10, "search": false, "compare": "previous_period", "columns": [{"column": "a", "label": "A",
    "format": "number", "decimals": 1, "group": "G", "bar": true, "heat": true,
    "ramp": {"name": "green", "min": 0, "max": 9, "scale": "linear", "reverse": false},
    "sparkline": "s", "sign": true,
  "link": "https://example.com"}, {"column": "b", "heat": true, "ramp": {"middle": 1}}], "thresholds": [{"column": "a", "value": 1,
	"tone": "bad", "row": true}, {"column": "a", "value": 1, "tone": "bad", "cell": "b"}]},
  {"type": "pivot", "data": "d", "rows": ["s"], "values": ["a"], "partial": "hide", "totals": false, "heat": "all"},
  {"type": "waterfall", "data": "d", "label": "s", "value": "a", "total": "End"},
  {"type": "treemap", "data": "d", "label": "s", "value": "a", "series": "day"},
  {"type": "treemap", "data": "d", "label": "s", "value": "a", "color": "b"},
  {"type": "slope", "data": "d", "label": "s", "x": "day", "value": "a", "grain": "year"},
  {"type": "sankey", "data": "d", "steps": ["s", "day"], "value": "a"},
  {"type": "sankey", "data": "d", "from": "s", "to": "day", "value": "a"},
  {"type": "timeline", "data": "d", "label": "s", "start": "day", "end": "e", "series": "s", "sort": "-day", "tooltip": ["a"]},
  {"type": "text", "markdown": "M"}],
"alerts": [{"id": "low", "data": "d", "value": "a", "x": "day", "if": "<", "than": 1000}],
"deliver": [{"to": "sales", "every": "weekly", "on": "mon", "at": "08:00"}],
"access": [{"column": "b", "is": "member.region", "channels": {"sales": ["EMEA"]}}]}`

func resolve(t *testing.T, schema []byte) *jsonschema.Resolved {
	t.Helper()
	var js jsonschema.Schema
	if err := json.Unmarshal(schema, &js); err != nil {
		t.Fatal(err)
	}
	resolved, err := js.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return resolved
}

// The checks and the schemas, read by a library, agree on a full spec and on
// everything that can be made of it by one change.
func TestSchemaMutations(t *testing.T) {
	t.Parallel()
	schema, forms := resolve(t, Schema()), resolve(t, Forms())
	var document any
	if err := json.Unmarshal([]byte(full), &document); err != nil {
		t.Fatal(err)
	}
	judge := func() (bySchema, byForms, byParse error) {
		raw, err := json.Marshal(document)
		if err != nil {
			t.Fatal(err)
		}
		_, byParse = Parse(raw)
		return schema.Validate(document), forms.Validate(document), byParse
	}
	if s, f, p := judge(); s != nil || f != nil || p != nil {
		t.Fatalf("the full spec: schema: %v, forms: %v, Parse: %v", s, f, p)
	}

	seen := map[string]bool{} // the schema's keys that the full spec has
	mutations := 0
	// try replaces a value for a moment: Parse must refuse all that the schema refuses.
	try := func(path string, set func(any), old, value any) {
		set(value)
		defer set(old)
		mutations++
		s, f, p := judge()
		if f != nil && p == nil {
			t.Errorf("%s = %v: docs/spec.schema.json refuses what Parse accepts: %v", path, value, f)
		}
		if s == nil && p != nil && !checkedFurther(path, value) {
			t.Errorf("%s = %v: Parse refuses what the schema accepts: %v", path, value, p)
		}
	}
	var walk func(path string, n *node, v any, set func(any))
	walk = func(path string, n *node, v any, set func(any)) {
		seen[path] = true
		for _, wrong := range []any{"", "nonsense", 7.0, 1e9, true, []any{}, map[string]any{}, []any{"x"}, []any{map[string]any{}}} {
			try(path, set, v, wrong)
		}
		for _, value := range n.Enum {
			try(path, set, v, value)
		}
		for _, bound := range []*float64{n.Minimum, n.Maximum} {
			if bound != nil {
				for _, near := range []float64{*bound - 1, *bound, *bound + 1, *bound + 0.5} {
					try(path, set, v, near)
				}
			}
		}
		if n.MaxLength > 0 {
			try(path, set, v, strings.Repeat("x", n.MaxLength))
			try(path, set, v, strings.Repeat("x", n.MaxLength+1))
		}
		switch v := v.(type) {
		case map[string]any:
			if n.Properties == nil && n.Closed == nil { // any keys, of any values
				return
			}
			values := n.Properties
			for key, member := range v {
				path, child := path+"."+key, values[key]
				if values == nil {
					path, child = strings.TrimSuffix(path, key)+"*", n.at(t, "*")
				}
				walk(path, child, member, func(x any) { v[key] = x })
				delete(v, key)
				mutations++
				if s, _, p := judge(); (s == nil) != (p == nil) && !checkedFurther(path, nil) {
					t.Errorf("without %s: schema says %v, Parse says %v", path, s, p)
				}
				v[key] = member
			}
			if values != nil {
				try(path+".unheard_of", func(x any) {
					if v["unheard_of"] = x; x == nil {
						delete(v, "unheard_of")
					}
				}, nil, "x")
			}
		case []any:
			for i, member := range v {
				if path == ".panels" { // alone: the others would only be checked again and again
					one := []any{member}
					set(one)
					walk(path+"[]", n.Items, member, func(x any) { one[0] = x })
					set(v)
					continue
				}
				walk(path+"[]", n.Items, member, func(x any) { v[i] = x })
			}
			if n.MaxItems > 0 && len(v) > 0 {
				many := slices.Repeat([]any{v[0]}, n.MaxItems+1)
				try(path, set, slices.Clone(v), many)
			}
		}
	}
	root := readSchema(t)
	walk("", root, document, func(x any) { document = x })
	if mutations < 1000 {
		t.Errorf("only %d mutations", mutations)
	}

	var every func(path string, n *node)
	every = func(path string, n *node) {
		if !seen[path] {
			t.Errorf("the full spec has no %s", path)
		}
		for key, child := range n.Properties {
			every(path+"."+key, child)
		}
		if n.Items != nil {
			every(path+"[]", n.Items)
		}
		if len(n.Closed) > 0 && n.Closed[0] == '{' {
			every(path+".*", n.at(t, "*"))
		}
	}
	every("", root)
}

// Every form that the reference documents fits the schema of forms, and the checks. Values that neither accepts are refused by both.
func TestSchemaForms(t *testing.T) {
	t.Parallel()
	schema := resolve(t, Forms())
	judge := func(members string) (bySchema, byParse error) {
		t.Helper()
		text := `{"datasets": [{"id": "d", "sql": "SELECT {{n}}"}], "filters": [{"column": "day"}], ` + members
		if !strings.Contains(members, "params") {
			text += `, "params": [{"id": "n", "type": "number", "default": 5}]`
		}
		text += "}"
		var document any
		if err := json.Unmarshal([]byte(text), &document); err != nil {
			t.Fatal(members, err)
		}
		_, byParse = Parse([]byte(text))
		return schema.Validate(document), byParse
	}
	for _, members := range []string{
		`"panels": [{"type": "kpi", "value": "a", "target": "goal"}, {"type": "kpi", "value": "a", "target": 5},
			{"type": "bar", "x": "s", "y": "a", "target": "b"}, {"type": "bar", "x": "s", "y": ["a", "c"], "target": ["b", "d"]}]`,
		`"panels": [{"type": "waterfall", "label": "s", "value": "a", "total": ["Jan", "Dec"]}, {"type": "waterfall", "label": "s", "value": "a",
			"total": false}, {"type": "table", "total": true}, {"type": "table", "total": "All"}]`,
		`"panels": [{"type": "bar", "x": "s", "y": "a", "stack": true}, {"type": "area", "x": "s", "y": "a", "stack": false},
			{"type": "line", "x": "day", "y": "a", "trend": true, "average": 7}]`,
		`"panels": [{"type": "combo", "x": "s", "bars": "a", "lines": "r"},
			{"type": "pivot", "rows": "s", "values": "a", "columns": ["c", "d"], "totals": "rows"},
			{"type": "pivot", "rows": "s", "values": "a", "columns": ["c", "d"], "totals": "columns"}]`,
		`"panels": [{"type": "table", "columns": ["a", {"column": "b"}]}, {"type": "histogram", "value": "a", "bins": 12}]`,
		`"panels": [{"type": "timeline", "label": "s", "start": "day", "end": "e", "x_min": "2026-05-01 14:30", "x_max": "this_year"},
			{"type": "timeline", "label": "s", "start": "day", "end": "e", "x_min": "last_90_days", "x_max": "2099-12-31"},
			{"type": "timeline", "label": "s", "start": "day", "end": "e", "x_min": "today-7d", "x_max": "today+6w"},
			{"type": "timeline", "label": "s", "start": "day", "end": "e", "x_min": "now-24h", "x_max": "now"},
			{"type": "timeline", "label": "s", "start": "day", "end": "e", "x_min": "next_3_months", "x_max": "today+1y"},
			{"type": "histogram", "value": "a", "x_min": 1, "x_max": 2.5}]`,
		`"columns": {"s": {"order": "-share"}, "n": {"order": [1, 2, true]}}`,
		`"events": [{"on": "2026-05-01", "label": "v2"}, {"on": "2026-05-01 14:30", "to": "2026-05-03", "label": "v3"}]`,
		`"events": {"x": "day", "to": "until", "label": "s"}`,
		`"alerts": [{"id": "a", "value": "v", "x": "day", "grain": "day", "if": "<", "than": 1, "by": "s",
			"where": {"c": "x", "d": [1, true]}, "for": 2, "again": "12h", "recover": false, "severity": "critical", "to": ["ops", "sales"],
			"title": "T", "data": "d"}]`,
		`"alerts": [{"id": "a", "value": "v", "x": "day", "change": {"against": "mean", "of": 7, "by": -0.2}, "to": "ops"},
			{"id": "b", "value": "v", "x": "day", "anomaly": "any", "k": 4}, {"id": "c", "rows": "any"}, {"id": "d", "stale": "26h"},
			{"id": "e", "failing": true, "again": "never"}]`,
		`"deliver": [{"to": "ops", "every": "refresh", "changed": true}, {"to": "ops", "every": "daily", "at": "08:00", "attach": "xlsx"},
			{"to": "ops", "every": "weekly", "on": "mon", "at": "08:00"}, {"to": "ops", "every": "monthly", "on": 31, "at": "08:00"}]`,
	} {
		if s, p := judge(members); s != nil || p != nil {
			t.Errorf("%s\nschema: %v\nParse: %v", members, s, p)
		}
	}
	for _, members := range []string{
		`"panels": [{"type": "kpi", "value": "a", "target": true}]`, `"alerts": [{"id": "a", "rows": "some"}]`, `"alerts": [{"rows": "any"}]`,
		`"alerts": [{"id": "a", "rows": "any", "unknown": 1}]`,
		`"deliver": [{"to": "ops", "every": "hourly"}]`, `"events": [{"on": "2026-05-01"}]`,
		`"events": {"x": "day"}`, `"panels": [{"type": "bar", "x": "s", "y": "a", "stack": 1}]`,
	} {
		if s, p := judge(members); s == nil || p == nil {
			t.Errorf("%s is accepted: schema: %v, Parse: %v", members, s, p)
		}
	}
	var root node
	var types any // lists of types are not a string, as a node has it
	if err := json.Unmarshal(Forms(), &types); err != nil {
		t.Fatal(err)
	}
	plain, err := json.Marshal(firstTypes(types))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(plain, &root); err != nil {
		t.Fatal(err)
	}
	for path, keys := range map[string][]string{
		"alerts []": alertKeys, "alerts [] change": changeKeys, "deliver []": deliveryKeys, "events": eventsKeys, "events []": eventKeys,
	} {
		n := root.at(t, path)
		if diff := cmp.Diff(slices.Sorted(slices.Values(keys)), slices.Sorted(maps.Keys(n.Properties))); diff != "" {
			t.Errorf("keys of %q (-checks +schema):\n%s", path, diff)
		}
	}
	for path, values := range map[string][]string{
		"alerts [] if": comparisons, "alerts [] change against": againsts, "alerts [] anomaly": anomalies, "alerts [] rows": rowsAre,
		"alerts [] severity": severities, "alerts [] grain": alertGrains, "deliver [] every": everies, "deliver [] attach": attachments,
	} {
		if diff := cmp.Diff(values, root.at(t, path).Enum); diff != "" {
			t.Errorf("values of %q (-checks +schema):\n%s", path, diff)
		}
	}
}

// firstTypes is a schema with the first type of each list of types, and without enumerated booleans.
func firstTypes(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = firstTypes(v[i])
		}
	case map[string]any:
		for key, member := range v {
			if list, ok := member.([]any); ok && key == "type" {
				v[key] = list[0]
				continue
			}
			if list, ok := member.([]any); ok && key == "enum" {
				v[key] = slices.DeleteFunc(list, func(x any) bool { _, text := x.(string); return !text })
				continue
			}
			v[key] = firstTypes(member)
		}
	}
	return v
}

// checkedFurther reports whether Parse refuses a value, or its absence, for
// reasons that a plain schema cannot give.
func checkedFurther(path string, value any) bool {
	if text, ok := value.(string); ok && (text == "" || len(text) > maxName) {
		return true // the schema has no lengths of names
	}
	if strings.HasPrefix(path, ".panels[].ramp.") || strings.HasPrefix(path, ".panels[].columns[].ramp.") ||
		path == ".panels[].columns[].heat" {
		return true // combinations of keys
	}
	switch path {
	case ".connection", ".upload", ".uploads.*", ".datasets[].upload", ".timezone", ".currency", ".locale": // they must name existing objects
		return true
	case ".as_of": // a day
		return true
	case ".params", ".params[].id", ".params[].type", ".params[].default", ".params[].options", ".params[].options[]",
		".params[].label", ".datasets[].id", ".datasets[].sql", ".datasets[].from", ".datasets[].from[]",
		".datasets[].description": // SQL uses the parameters; from goes without
		return true
	case ".filters[].data", ".filters[].data[]", ".events", ".events.*", ".panels[].events",
		".panels[].region": // names of datasets, and of parts of the world
		return true
	case ".source.url", ".panels[].source.url":
		return value != nil
	case ".access", ".access[]": // its members are in the forms; a delivery needs their channels
		return true
	case ".datasets[].columns.*.unit": // it has no length there
		return value != nil
	case ".filters", ".datasets", ".filters[].column": // a panel needs the filter; ids are unique
		return value == nil || path != ".filters[].column"
	case ".panels[].type", ".panels[].data", ".panels[].markdown", ".panels[].compare", ".panels[].columns[].link",
		".panels[].columns[].format", ".datasets[].columns.*.format", // decimals go with some
		".panels[].thresholds[].column", ".panels[].reference[].value", ".panels[].reference[].from",
		".panels[].reference[].to", ".panels[].reference[].kind", ".panels[].reference[]",
		".panels[].reference", ".panels[].share", ".panels[].horizontal", ".panels[].reference[].axis", ".panels[].stack", ".panels[].scale",
		".panels[].y_min", ".panels[].y_max", ".panels[].y2_min", ".panels[].y2_max", ".panels[].x_min", ".panels[].x_max", ".panels[].heat":
		return true // combinations of keys, and references in links and texts
	case ".panels[].highlight", ".panels[].names": // not empty
		return true
	case ".panels[].connect", ".panels[].value", ".panels[].x", ".panels[].y", ".panels[].y[]", ".panels[].bars", ".panels[].bars[]",
		".panels[].lines",
		".panels[].rows", ".panels[].rows[]", ".panels[].values", ".panels[].values[]",
		".panels[].lines[]", ".panels[].series", ".panels[].facet", ".panels[].title",
		".panels[].label", ".panels[].width", ".panels[].area", ".panels[].lat", ".panels[].lon",
		".panels[].low", ".panels[].q1", ".panels[].median", ".panels[].q3", ".panels[].high",
		".panels[].open", ".panels[].close", ".panels[].start", ".panels[].end", ".panels[].steps",
		".panels[].steps[]", ".panels[].from", ".panels[].to":
		return value == nil || value == "" || value == 7.0 // required by the type
	case ".alerts", ".alerts[]", ".deliver", ".deliver[]": // the schema describes their keys in words
		return true
	case ".panels[].bins", ".panels[].bins[]", ".panels[].average.of", ".panels[].target": // edges ascend; the schema has no bounds
		return true
	case ".panels[].columns", ".panels[].thresholds", ".panels[].thresholds[]", ".panels[].columns[]",
		".panels[].columns[].column": // no column twice
		return true
	case ".columns.*", ".columns.*.order", ".columns.*.order[]", ".columns.*.color", ".columns.*.colors", ".columns.*.colors.*":
		return true // what goes together; one text names an order or a column
	case ".datasets[].columns.*", ".datasets[].columns.*.ratio", ".datasets[].columns.*.ratio[]", ".datasets[].columns.*.role",
		".datasets[].columns.*.agg":
		return true // a ratio has no agg and is not a part of itself
	}
	return false
}

// Clients and the models behind them get along with this much and no more.
func TestSchemaIsPlain(t *testing.T) {
	t.Parallel()
	for _, banned := range []string{`"$ref"`, `"anyOf"`, `"oneOf"`, `"allOf"`, `"not"`, `"const"`, `null`, `"type": [`} {
		if bytes.Contains(Schema(), []byte(banned)) {
			t.Errorf("it has %s", banned)
		}
	}
	var check func(path string, n *node)
	check = func(path string, n *node) {
		if !slices.Contains([]string{"object", "array", "string", "number", "integer", "boolean"}, n.Type) {
			t.Errorf("%s has type %q", path, n.Type)
		}
		for key, child := range n.Properties {
			if child.Description == "" && !slices.ContainsFunc(keyOrder, func(k panelKey) bool { return k.terse && k.name == key }) {
				t.Errorf("%s.%s has no description", path, key)
			}
			check(path+"."+key, child)
		}
		if (n.Type == "array") != (n.Items != nil) {
			t.Errorf("%s: an array has items", path)
		}
		if n.Items != nil {
			check(path+"[]", n.Items)
		}
	}
	check("", readSchema(t))
}

func TestSchemaDocument(t *testing.T) {
	t.Parallel()
	if *update {
		if err := os.WriteFile(docsSchema, Forms(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(docsSchema)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, Forms()) {
		t.Errorf("%s differs from the schema; run go test ./store/dashboard -update", docsSchema)
	}
}
