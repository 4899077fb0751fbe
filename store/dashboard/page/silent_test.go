package page

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/dashboard/format"
)

// codes returns the codes of the warnings of a view.
func codes(v View) string {
	var out []string
	for _, w := range Warnings(v) {
		out = append(out, w.Code+" "+w.Path)
	}
	return strings.Join(out, ", ")
}

// TestNothingSilent: values that a panel leaves out or merges cause a note on it and a warning with the key that changes it; an omission
// that its author asked for causes a note alone.
func TestNothingSilent(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for i := range 14 {
		for d := range 3 {
			rows = append(rows, []any{day("2026-05-01").AddDate(0, 0, d), string(rune('a'+i)) + "x", int64(100 - i)})
		}
	}
	columns := []string{"day date", "name text", "n integer sum"}
	series := dashboard.Panel{X: "day", Y: []string{"n"}, Series: "name"}
	for _, tc := range []struct {
		kind   string
		change func(*dashboard.Panel)
		series int
		note   string
		codes  string
	}{
		{dashboard.Line, func(*dashboard.Panel) {}, 10, "The 10 largest of 14 values of name; the rest, not drawn", "cut panels[0].series"},
		{dashboard.Line, func(p *dashboard.Panel) { p.Other = true }, 11, "merged into Other", "merged panels[0].series"},
		{dashboard.Area, func(p *dashboard.Panel) { p.Limit, p.Other = 6, true }, 7, "The 6 largest of 14 values of name; the rest is m", ""},
		{dashboard.Area, func(p *dashboard.Panel) { p.Limit = 6 }, 6, "The 6 largest of 14", ""},
		{dashboard.Area, func(p *dashboard.Panel) { p.Stack = true }, 11, "merged into Other", "merged panels[0].series"},
		{dashboard.Bar, func(p *dashboard.Panel) { p.Series, p.Limit = "", 5 }, 1, "", "key_ignored panels[0].limit"},
		{dashboard.Line, func(p *dashboard.Panel) { p.Limit = 20 }, 10, "The 10 largest of 14", "cut panels[0].limit"},
	} {
		panel := series
		panel.Type = tc.kind
		tc.change(&panel)
		v := tiny([]dashboard.Panel{panel}, columns, rows...)
		p := open(v).Panel(0)
		if n := len(p.Grid.Columns) - 1; n != tc.series {
			t.Errorf("%+v: %d series, want %d", panel, n, tc.series)
		}
		if notes := strings.Join(p.Notes, " "); !strings.Contains(notes, tc.note) || tc.note == "" && notes != "" {
			t.Errorf("%+v: notes %q", panel, notes)
		}
		if got := codes(v); got != tc.codes {
			t.Errorf("%+v: warnings %q, want %q", panel, got, tc.codes)
		}
	}
}

// TestLostValuesAreSaid: values that are not numbers are counted on the panel and reported to its author (N3).
func TestLostValuesAreSaid(t *testing.T) {
	t.Parallel()
	for _, panel := range []dashboard.Panel{
		{Type: dashboard.KPI, Value: "n"},
		{Type: dashboard.KPI, Value: "r"},
		{Type: dashboard.Bar, X: "k", Y: []string{"n"}},
		{Type: dashboard.Table},
	} {
		v := tiny([]dashboard.Panel{panel}, []string{"k text", "n number sum", "m number sum"},
			[]any{"a", 1.0, 1.0}, []any{"b", math.NaN(), 1.0}, []any{"c", math.Inf(1), 1.0})
		v.Spec.Datasets[0].Columns = append(v.Spec.Datasets[0].Columns, dashboard.Meta{Name: "r", Ratio: [2]string{"n", "m"}})
		if notes := strings.Join(open(v).Panel(0).Notes, " "); notes != "2 values of N missing: not a number, or infinite." {
			t.Errorf("%s: %q", panel.Type, notes)
		}
		if got := codes(v); got != "lost_values datasets[0].sql" {
			t.Errorf("%s: %s", panel.Type, got)
		}
	}
}

// TestSmallDifferences: a difference is written with as many digits as it needs, and is never reported as none (N10).
func TestSmallDifferences(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		format   string
		now, was float64
		want     string
	}{
		{"percent1", 0.2221, 0.2219, "22.2%, up 0.02 pp from 22.19% (M)."},
		{"percent1", 0.22251, 0.22149, "22.3%, up 0.1 pp from 22.1% (M)."},
		{"percent1", 0.3, 0.1 + 0.2, "30.0%, unchanged from 30.0% (M)."},
		{"percent", 0.5, 0.5, "50%, unchanged from 50% (M)."},
		{"integer", 1000000, 999900, "1,000,000, up 0.01% from 999,900 (M)."},
		{"number1", 5.01, 5.02, "5.0, down 0.2% from 5.02 (M)."},
		{"integer", 0, 0, "0, unchanged from 0 (M)."},
	} {
		v := tiny([]dashboard.Panel{{Type: dashboard.KPI, Value: "n", Compare: []string{"m"}}},
			[]string{"n number sum " + tc.format, "m number sum " + tc.format},
			[]any{tc.now, tc.was})
		if got := strings.ReplaceAll(Summaries(v)[0].Text, format.NBSP, " "); got != tc.want {
			t.Errorf("%v of %v: %s want %s", tc.now, tc.was, got, tc.want)
		}
	}
}

// TestHeatmapOfShares: of rows with equal amounts a heat map shows the first ones in order, independent of the order of the rows (N12), and
// its legend has the format of the column (O10).
func TestHeatmapOfShares(t *testing.T) {
	t.Parallel()
	for _, backwards := range []bool{false, true} {
		var rows [][]any
		for i := range 26 {
			if backwards {
				i = 25 - i
			}
			part := float64(i+1) / 100
			for k, v := range map[string]float64{"p": part, "q": 1 - part} {
				rows = append(rows, []any{string(rune('a'+i)) + "x", k, v})
			}
		}
		v := tiny([]dashboard.Panel{{Type: dashboard.Heatmap, X: "k", Y: []string{"name"}, Value: "n"}},
			[]string{"name text", "k text", "n number sum percent1"}, rows...)
		p := open(v).Panel(0)
		if n := len(p.Grid.Rows); n != 24 || p.Grid.Rows[0][0].(cube.Category).Value != "ax" || p.Grid.Rows[23][0].(cube.Category).Value != "xx" {
			t.Errorf("%d rows: %v to %v", n, p.Grid.Rows[0][0], p.Grid.Rows[n-1][0])
		}
		if got := codes(v); got != "cut panels[0].y" || !strings.Contains(p.Notes[0], "The first 24 of 26 values of name") {
			t.Errorf("warnings %q, notes %q", got, p.Notes)
		}
		if doc := string(render(t, v)); !strings.Contains(doc, ">1.0%<") || !strings.Contains(doc, ">99.0%<") {
			t.Error("the legend has not the format of the column")
		}
	}
}

// TestReferencesHaveTheFormat: a reference has the format of its column (O10).
func TestReferencesHaveTheFormat(t *testing.T) {
	t.Parallel()
	v := tiny([]dashboard.Panel{{Type: dashboard.Line, X: "day", Y: []string{"n"}, Reference: []dashboard.Reference{{Kind: "average"}}}},
		[]string{"day date", "n number avg percent1"}, []any{day("2026-05-01"), 0.15}, []any{day("2026-05-02"), 0.1616})
	if doc := string(render(t, v)); !strings.Contains(doc, "Average 15.6%") {
		t.Error("no average with one digit")
	}
}

// TestKeysHaveEffect: no key of a panel is ignored: in every type it is refused, or changes the page, or a warning explains why it does
// not.
func TestKeysHaveEffect(t *testing.T) {
	t.Parallel()
	const data = `{"id":"d","sql":"SELECT day, name, part, sum(n) AS n, sum(m) AS m, max(q) AS q FROM t GROUP BY 1, 2, 3",` +
		`"columns":{"r":{"ratio":["n","m"]},"q":{"agg":"none"}}}`
	base := map[string]string{
		"kpi": `"value":"n"`, "line": `"x":"day","y":["n"]`, "area": `"x":"day","y":["n"]`, "bar": `"x":"name","y":["n"]`,
		"combo":   `"x":"name","bars":["n"],"lines":["m"]`,
		"scatter": `"x":"n","y":["m"]`, "pie": `"label":"name","value":"n"`,
		"funnel": `"label":"name","value":"n"`, "waterfall": `"label":"name","value":"n"`,
		"histogram": `"value":"q","weight":"n"`,
		"box":       `"x":"name","value":"q"`,
		"slope":     `"label":"name","x":"day","value":"n"`,
		"treemap":   `"label":"name","value":"n"`,
		"sankey":    `"steps":["name","part"],"value":"n"`,
		"timeline":  `"data":"g","label":"name","start":"day","end":"until"`,
		"heatmap":   `"x":"day","y":["name"],"value":"n"`, "table": ``,
		"calendar": `"x":"day","value":"n"`,
		"pivot":    `"rows":["name"],"values":["n"]`,
		"map":      `"area":"name","value":"n"`,
		"text":     `"markdown":"{{d.n}}"`, "section": `"title":"T"`,
		"candlestick": `"data":"f","x":"day","low":"n","high":"m"`,
	}
	more := map[string]string{ // the other keys that a key needs
		"table.grain": `"columns":[{"column":"n","sparkline":"day"}]`, "table.partial": `"columns":[{"column":"n","sparkline":"day"}]`,
		"pivot.grain": `"rows":["day"]`, "pivot.ramp": `"heat":"all"`,
		"kpi.grain": `"sparkline":"day"`, "kpi.partial": `"sparkline":"day"`, "bar.share": `"horizontal":true`,
		"waterfall.grain": `"label":"day"`, "scatter.click": `"label":"name"`, "scatter.link": `"label":"name"`,
		"heatmap.other": `"limit":3`, "scatter.labels": `"label":"name"`, "scatter.sort": `"limit":5`, "scatter.ramp": `"color":"n"`,
		"bar.grain": `"x":"day"`, "bar.partial": `"x":"day"`, "line.other": `"series":"name"`, "area.other": `"series":"name"`,
		"line.limit": `"series":"name"`, "area.limit": `"series":"name"`, "area.stack": `"series":"name"`, "bar.stack": `"series":"part"`,
		"box.grain": `"x":"day"`, "box.partial": `"x":"day"`,
		"line.highlight": `"series":"name"`, "area.highlight": `"series":"name"`, "scatter.highlight": `"label":"name"`,
		"scatter.names": `"label":"name"`,
		"line.gaps":     `"x":"day"`, "area.gaps": `"x":"day"`, "combo.gaps": `"x":"day"`,
		"combo.grain": `"x":"day"`, "combo.partial": `"x":"day"`, "combo.stack": `"bars":["n","m"],"lines":["r"]`,
	}
	for _, kind := range dashboard.PanelTypes() {
		if dashboard.HasFacet(kind) {
			more[kind+".facet_columns"], more[kind+".facet_scale"] = `"facet":"part"`, `"facet":"part"`
		}
	}
	for _, key := range []string{"facet_columns", "facet_scale"} {
		more["candlestick."+key] += `,"data":"h"`
	}
	for _, key := range []string{"y2_min", "y2_max"} {
		more["line."+key], more["area."+key], more["combo."+key] = `"y2":["m"]`, `"y2":["m"]`, `"lines":["r"]`
	}
	more["treemap.facet_scale"] += `,"ramp":"green"`
	values := map[string]string{
		"rows": `["part"]`, "values": `["m"]`, "totals": `false`, "heat": `"all"`, "ramp": `"green"`, "color": `"m"`,
		"type": `"table"`, "title": `"A title"`, "subtitle": `"A subtitle"`, "description": `"A description"`, "data": `"e"`, "width": `9`,
		"value": `"m"`, "compare": `"m"`, "target": `50`,
		"sparkline": `"day"`, "x": `"part"`, "y": `["m"]`, "grain": `"week"`, "partial": `"hide"`, "gaps": `"join"`,
		"series": `"part"`, "size": `"n"`, "label": `"part"`, "total": `"T"`, "horizontal": `true`, "share": `"first"`, "stack": `"percent"`,
		"one_axis":  `true`,
		"reference": `[{"value":3}]`, "thresholds": `[{"value":1,"tone":"good","column":"n"}]`, "columns": `[{"column":"n"}]`,
		"bars": `["r"]`, "lines": `["r"]`, "sort": `"n"`, "limit": `3`, "tooltip": `["name"]`, "page_size": `5`, "other": `true`,
		"markdown": `"Text"`, "labels": `true`,
		"click": `"none"`,
		"scale": `"log"`, "facet": `"part"`, "facet_columns": `1`, "facet_scale": `"free"`,
		"trend": `"linear"`, "average": `{"of":3}`, "band": `{"low":"m","high":"q"}`, "events": `[{"on":"2026-11-02","label":"E"}]`,
		"y2": `["m"]`, "y2_min": `-3`, "y2_max": `5`, "y_min": `-3`, "y_max": `5`, "x_min": `1`, "x_max": `5`,
		"area": `"part"`, "lat": `"n"`, "lon": `"m"`, "region": `"asia"`,
		"low": `"n"`, "q1": `"n"`, "median": `"n"`, "q3": `"n"`, "high": `"n"`, "open": `"m"`, "close": `"m"`,
		"bins": `[5]`, "weight": `"m"`, "link": `"https://crm.example.com/{{name}}"`, "source": `{"name":"Census"}`,
		"highlight": `["ax"]`, "names": `["none"]`, "connect": `"day"`,
		"steps": `["part","name"]`, "from": `"part"`, "to": `"part"`, "start": `"until"`, "end": `"day"`,
	}
	other := map[string]string{
		"table.total": `true`, "table.partial": `"show"`,
		"kpi.thresholds": `[{"value":1,"tone":"good"}]`, "heatmap.thresholds": `[{"value":1,"tone":"good"}]`,
		"calendar.thresholds": `[{"value":1,"tone":"good"}]`, "map.thresholds": `[{"value":1,"tone":"good"}]`, "kpi.partial": `"show"`,
		"scatter.y": `["n"]`, "heatmap.y": `["part"]`,
		"bar.labels": `false`, "bar.target": `["m"]`, "heatmap.labels": `false`, "pie.labels": `false`, "scatter.labels": `false`,
		"scatter.limit": `3`, "box.tooltip": `["n"]`,
		"timeline.thresholds": `[{"value":3,"tone":"bad","column":"n"}]`,
		"heatmap.tooltip":     `["m"]`, "heatmap.sort": `"-n"`,
		"funnel.labels":  `false`,
		"treemap.labels": `false`, "funnel.thresholds": `[{"value":0.5,"tone":"good"}]`, "pie.tooltip": `["m"]`, "funnel.tooltip": `["m"]`,
		"treemap.tooltip": `["m"]`, "table.sort": `"-m"`, "table.type": `"line"`,
		"line.compare": `"previous_year"`, "area.compare": `"previous_year"`,
		"calendar.facet_columns": `2`,
		"table.width":            `6`, "calendar.width": `6`, "pivot.width": `6`, "pivot.columns": `["part"]`,
		"text.width": `6`, "map.width": `6`,
		"candlestick.low": `"m"`, "candlestick.high": `"n"`, "timeline.tooltip": `["n"]`, "timeline.width": `6`, "sankey.width": `6`,
	}
	b := cube.NewBuilder([]cube.Column{
		{Name: "day", Type: cube.Date},
		{Name: "name", Type: cube.Text},
		{Name: "part", Type: cube.Text},
		{Name: "n", Type: cube.Integer},
		{Name: "m", Type: cube.Integer},
		{Name: "q", Type: cube.Number},
	})
	for i := range 60 {
		row := []any{
			day("2026-11-20").AddDate(0, 0, -i-i/40), string(rune('a'+i%24)) + "x", string(rune('a'+i%2)) + "y", int64(1 + i%7), int64(i),
			float64(i*i) / 8,
		}
		if err := b.Add(row); err != nil {
			t.Fatal(err)
		}
	}
	rows := b.Cube()
	columns := map[string][]cube.Column{"d": rows.Columns(), "e": rows.Columns()}
	half := cube.NewBuilder(rows.Columns())
	for row := range 20 {
		cells := make([]any, len(columns["d"]))
		for i := range cells {
			cells[i] = rows.Value(row, i)
		}
		if err := half.Add(cells); err != nil {
			t.Fatal(err)
		}
	}
	ranges := cube.NewBuilder([]cube.Column{{Name: "day", Type: cube.Date}, {Name: "n", Type: cube.Integer}, {Name: "m", Type: cube.Integer}})
	parts := cube.NewBuilder([]cube.Column{
		{Name: "day", Type: cube.Date},
		{Name: "n", Type: cube.Integer},
		{Name: "m", Type: cube.Integer},
		{Name: "part", Type: cube.Text},
	})
	for i := range int64(60) {
		row := []any{day("2026-11-20").AddDate(0, 0, -int(i)), 1 + i%7, 2 + i%7 + i%5}
		if err := errors.Join(ranges.Add(row), parts.Add(append(row, string(rune('a'+i%2))+"y"))); err != nil {
			t.Fatal(err)
		}
	}
	spans := cube.NewBuilder([]cube.Column{
		{Name: "name", Type: cube.Text},
		{Name: "part", Type: cube.Text},
		{Name: "day", Type: cube.Date},
		{Name: "until", Type: cube.Date},
		{Name: "n", Type: cube.Integer},
	})
	for i := range 12 {
		from := day("2026-10-20").AddDate(0, 0, i*3)
		row := []any{string(rune('a'+i)) + "x", string(rune('a'+i%2)) + "y", from, from.AddDate(0, 0, i), int64(i * 7 % 12)}
		if err := spans.Add(row); err != nil {
			t.Fatal(err)
		}
	}
	cubes := map[string]*cube.Cube{"d": rows, "e": half.Cube(), "f": ranges.Cube(), "g": spans.Cube(), "h": parts.Cube()}
	columns["f"], columns["g"], columns["h"] = cubes["f"].Columns(), cubes["g"].Columns(), cubes["h"].Columns()
	// drawn returns a page of one panel and its warnings, or false if it is refused.
	drawn := func(keys map[string]json.RawMessage) (string, []dashboard.Warning, bool) {
		panel, err := json.Marshal(keys)
		if err != nil {
			t.Fatal(err)
		}
		s, err := dashboard.Parse([]byte(`{"datasets":[` + data + `,` + strings.Replace(data, `"d"`, `"e"`, 1) +
			`,{"id":"f","sql":"SELECT day, n, m FROM t"},{"id":"h","sql":"SELECT day, n, m, part FROM t"}` +
			`,{"id":"g","sql":"SELECT name, part, day, until, n FROM t"}],` +
			`"filters":[{"column":"name"},{"column":"part"},{"column":"day"}],` +
			`"panels":[` + string(panel) +
			`,{"type":"bar","data":"d","x":"part","y":"n"}]}`))
		if err == nil {
			_, err = s.Check(columns)
		}
		if err != nil {
			return "", nil, false
		}
		v := View{Spec: s, Cubes: cubes, Now: now, Header: Header{AsOf: now}}
		warnings, _ := s.Check(columns)
		return string(render(t, v)), append(warnings, Warnings(v)...), true
	}
	keysOf := func(s ...string) map[string]json.RawMessage {
		out := map[string]json.RawMessage{}
		for _, s := range s {
			if err := json.Unmarshal([]byte("{"+s+"}"), &out); err != nil {
				t.Fatal(s, err)
			}
		}
		return out
	}
	var schema struct {
		Properties struct {
			Panels struct {
				Items struct{ Properties map[string]any }
			}
		}
	}
	if err := json.Unmarshal(dashboard.Schema, &schema); err != nil {
		t.Fatal(err)
	}
	for _, kind := range dashboard.PanelTypes() {
		if _, ok := base[kind]; !ok {
			t.Errorf("no panel of type %s to try keys on: add one to base, with the keys that the type requires", kind)
			continue
		}
		for key := range schema.Properties.Panels.Items.Properties {
			if values[key] == "" {
				t.Fatalf("no value of %s to try: add one to values, other than that of base", key)
			}
			with := []string{`"type":"` + kind + `"`, base[kind], more[kind+"."+key]}
			if dashboard.NeedsData(kind) {
				with[0] += `,"data":"d"`
			}
			before, _, ok := drawn(keysOf(with...))
			if !ok {
				t.Fatalf("the panel of type %s on which to try %s is refused: mend base, or what more has for the key", kind, key)
			}
			value := values[key]
			if other, ok := other[kind+"."+key]; ok {
				value = other
			}
			after, warnings, ok := drawn(keysOf(append(with, `"`+key+`":`+value)...))
			said := slices.ContainsFunc(warnings, func(w dashboard.Warning) bool { return w.Path == "panels[0]."+key })
			if ok && after == before && !said {
				t.Errorf("%s of a %s changes nothing, and nothing says so", key, kind)
			}
		}
	}
}

// TestTablesFollowOrders: tables have the order that the spec sets for their first dimension, and rows equal in it have the order of the
// other dimensions.
func TestTablesFollowOrders(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ sort, agg, want string }{
		{"", "sum", "c b a"},
		{"-n", "sum", "b c a"},
		{"n", "none", "c a b"},
		{"k", "sum", "c b a"},
	} {
		v := tiny([]dashboard.Panel{{Type: dashboard.Table, Sort: tc.sort}}, []string{"k text", "n integer " + tc.agg},
			[]any{"a", int64(1)}, []any{"b", int64(2)}, []any{"c", int64(1)})
		v.Spec.Columns = []dashboard.Appearance{{Column: "k", Order: dashboard.Order{Values: []string{"c", "b", "a"}}}}
		var got []string
		for _, row := range open(v).Panel(0).Grid.Rows {
			got = append(got, row[0].(cube.Category).Value.(string))
		}
		if s := strings.Join(got, " "); s != tc.want {
			t.Errorf("sort %q: %s, want %s", tc.sort, s, tc.want)
		}
	}
}

// TestTablesMergeEqualValues: a table merges equal values of a measure if the spec does not define how the measure adds up.
func TestTablesMergeEqualValues(t *testing.T) {
	t.Parallel()
	for place, want := range map[int64]string{3: "", 4: "A number here could be wrong"} {
		v := tiny([]dashboard.Panel{{Type: dashboard.Table, Columns: []dashboard.TableColumn{{Column: "k"}, {Column: "n"}}}},
			[]string{"k text", "side text", "n integer none"}, []any{"a", "x", int64(3)}, []any{"a", "y", place}, []any{"b", "x", int64(5)})
		p := open(v).Panel(0)
		if !strings.HasPrefix(p.Problem, want) || want == "" && (p.Problem != "" || len(p.Grid.Rows) != 2) {
			t.Errorf("%d: %s", place, p.Problem)
		}
	}
}

// TestTextsOfOneRow: a text reports why it shows no value of rows that must not be merged.
func TestTextsOfOneRow(t *testing.T) {
	t.Parallel()
	text := dashboard.Panel{Type: dashboard.Text, Markdown: "{{d.n}}"}
	v := tiny([]dashboard.Panel{text}, []string{"k text", "n integer none"}, []any{"a", int64(3)})
	if s := Summaries(v)[0].Text; s != "3" {
		t.Errorf("one row: %s", s)
	}
	v = tiny([]dashboard.Panel{text}, []string{"k text", "n integer none"}, []any{"a", int64(3)}, []any{"b", int64(3)})
	if s := Summaries(v)[0].Text; !strings.HasPrefix(s, "– A number here could be wrong") {
		t.Errorf("two rows: %s", s)
	}
}

// TestSummariesOfUnevenSeries: a summary names the period of a series that ends before the others, and a filter with datasets filters only
// these.
func TestSummariesOfUnevenSeries(t *testing.T) {
	t.Parallel()
	v := tiny(
		[]dashboard.Panel{{Type: dashboard.Line, X: "day", Y: []string{"n"}, Series: "k"}},
		[]string{"day date", "k text", "n integer sum"},
		[]any{day("2024-01-01"), "a", int64(1)}, []any{day("2024-01-02"), "a", int64(2)}, []any{day("2024-01-01"), "b", int64(3)},
	)
	const want = "2 points from Jan 1, 2024 to Jan 2, 2024: a 2, b 3 (Jan 1, 2024) at the latest."
	if got := Summaries(v)[0].Text; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for data, rows := range map[string]int{"d": 2, "e": 3} {
		v.Spec.Filters = []dashboard.Filter{{Column: "k", Default: []string{"a"}, Data: []string{data}}}
		if n := Summaries(v)[0].Rows; n != rows {
			t.Errorf("a filter of %s leaves %d rows", data, n)
		}
	}
}
