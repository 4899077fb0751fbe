package page

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/cube"
)

// A keyTrial tries keys on panels of all types.
type keyTrial struct {
	*testing.T
	base    map[string]string // by type: the keys that it requires
	more    map[string]string // by type and key: what the key needs beside it
	values  map[string]string // by key: another value than that of base
	other   map[string]string // by type and key: a value in place of that
	columns map[string][]cube.Column
	cubes   map[string]*cube.Cube
	keys    []string // of the schema
}

// keyTrialData are the columns of most panels.
const keyTrialData = `{"id":"d","sql":"SELECT day, name, part, sum(n) AS n, sum(m) AS m, max(q) AS q FROM t GROUP BY 1, 2, 3",` +
	`"columns":{"r":{"ratio":["n","m"]},"q":{"agg":"none"}}}`

func newKeyTrial(t *testing.T) *keyTrial {
	t.Helper()
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
	more := map[string]string{ // what a key needs beside it
		"table.grain": `"columns":[{"column":"n","sparkline":"day"}]`, "table.partial": `"columns":[{"column":"n","sparkline":"day"}]`,
		"table.compare": `"columns":["name","n"]`,
		"pivot.grain":   `"rows":["day"]`, "pivot.partial": `"rows":["day"]`, "pivot.ramp": `"heat":"all"`,
		"kpi.grain": `"sparkline":"day"`, "kpi.color": `"sparkline":"day"`, "kpi.partial": `"sparkline":"day"`, "bar.share": `"horizontal":true`,
		"waterfall.grain": `"label":"day"`, "waterfall.labels": `"horizontal":false`,
		"scatter.click": `"label":"name"`, "scatter.link": `"label":"name"`,
		"heatmap.other": `"limit":3`, "scatter.labels": `"label":"name"`, "scatter.sort": `"limit":5`, "scatter.ramp": `"color":"n"`,
		"bar.grain": `"x":"day"`, "bar.partial": `"x":"day"`, "line.other": `"series":"name"`, "area.other": `"series":"name"`,
		"line.limit": `"series":"name"`, "area.limit": `"series":"name"`, "area.stack": `"series":"name"`, "bar.stack": `"series":"part"`,
		"box.grain": `"x":"day"`, "box.partial": `"x":"day"`, "box.trend": `"x":"day"`, "box.average": `"x":"day"`, "bar.ramp": `"color":"m"`,
		"box.compare": `"x":"day"`, "combo.compare": `"x":"day"`,
		"line.highlight": `"series":"name"`, "area.highlight": `"series":"name"`, "scatter.highlight": `"label":"name"`,
		"scatter.names": `"label":"name"`,
		"line.legend":   `"y":["n","m"]`, "text.data": `"markdown":"{{n}}"`,
		"line.gaps": `"x":"day"`, "area.gaps": `"x":"day"`, "combo.gaps": `"x":"day"`, "bar.gaps": `"x":"day"`,
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
		"bars": `["r"]`, "lines": `["r"]`, "sort": `"n"`, "limit": `3`, "tooltip": `["name"]`, "page_size": `5`, "search": `false`,
		"other":    `true`,
		"markdown": `"Text"`, "labels": `true`,
		"click": `"none"`,
		"scale": `"log"`, "facet": `"part"`, "facet_columns": `1`, "facet_scale": `"free"`,
		"trend": `"linear"`, "average": `{"of":3}`, "band": `{"low":"m","high":"q"}`, "events": `[{"on":"2026-11-02","label":"E"}]`,
		"y2": `["m"]`, "y2_min": `-3`, "y2_max": `5`, "y_reverse": `true`, "legend": `"ends"`,
		"y_min": `-3`, "y_max": `5`, "x_min": `1`, "x_max": `5`,
		"area": `"part"`, "lat": `"n"`, "lon": `"m"`, "region": `"asia"`,
		"low": `"n"`, "q1": `"n"`, "median": `"n"`, "q3": `"n"`, "high": `"n"`, "open": `"m"`, "close": `"m"`,
		"bins": `[5]`, "weight": `"m"`, "link": `"https://crm.example.com/{{name}}"`, "source": `{"name":"Census"}`,
		"highlight": `["ax"]`, "where": `{"part":"ay"}`, "names": `["none"]`, "connect": `"day"`,
		"steps": `["part","name"]`, "from": `"part"`, "to": `"part"`, "start": `"until"`, "end": `"day"`,
	}
	other := map[string]string{
		"table.total": `true`, "table.partial": `"show"`, "line.color": `"orange"`, "area.color": `"orange"`, "histogram.color": `"orange"`,
		"box.color": `"orange"`, "funnel.color": `"orange"`, "kpi.color": `"orange"`, "timeline.color": `"orange"`,
		"kpi.thresholds": `[{"value":1,"tone":"good"}]`, "heatmap.thresholds": `[{"value":1,"tone":"good"}]`,
		"calendar.thresholds": `[{"value":1,"tone":"good"}]`, "map.thresholds": `[{"value":1,"tone":"good"}]`, "kpi.partial": `"show"`,
		"scatter.y": `["n"]`, "heatmap.y": `["part"]`,
		"bar.labels": `false`, "bar.target": `["m"]`, "heatmap.labels": `false`, "pie.labels": `false`, "scatter.labels": `false`,
		"scatter.limit": `3`, "box.tooltip": `["n"]`,
		"timeline.x_min": `"2026-11-01"`, "timeline.x_max": `"2026-11-10"`,
		"timeline.thresholds": `[{"value":3,"tone":"bad","column":"n"}]`,
		"heatmap.tooltip":     `["m"]`, "heatmap.sort": `"-n"`,
		"funnel.labels":  `false`,
		"treemap.labels": `false`, "funnel.thresholds": `[{"value":0.5,"tone":"good"}]`, "pie.tooltip": `["m"]`, "funnel.tooltip": `["m"]`,
		"treemap.tooltip": `["m"]`, "table.sort": `"-m"`, "table.type": `"line"`,
		"table.compare": `"previous_period"`, "funnel.compare": `"previous_period"`,
		"line.compare": `"previous_year"`, "area.compare": `"previous_year"`, "bar.compare": `"previous_period"`,
		"box.compare":   `"previous_year"`,
		"combo.compare": `"previous_year"`, "combo.labels": `"lines"`, "candlestick.compare": `"previous_year"`, "slope.labels": `false`,
		"box.thresholds": `[{"value":1,"tone":"good"}]`, "candlestick.thresholds": `[{"value":1,"tone":"good"}]`,
		"calendar.facet_columns": `2`, "timeline.facet_columns": `2`,
		"bar.facet_columns": `2`, "combo.facet_columns": `2`, "box.facet_columns": `2`, // names of their columns are alone in a row
		"heatmap.gaps": `"zero"`, "bar.gaps": `"zero"`,
		"table.width": `6`, "calendar.width": `6`, "pivot.width": `6`, "pivot.columns": `["part"]`,
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
	var schema struct {
		Properties struct {
			Panels struct {
				Items struct{ Properties map[string]any }
			}
		}
	}
	if err := json.Unmarshal(dashboard.Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	out := &keyTrial{T: t, base: base, more: more, values: values, other: other, columns: columns, cubes: cubes}
	for key := range schema.Properties.Panels.Items.Properties {
		if values[key] == "" {
			t.Fatalf("no value of %s to try: add one to values, other than that of base", key)
		}
		out.keys = append(out.keys, key)
	}
	slices.Sort(out.keys)
	return out
}

// keysOf are the keys of JSON texts, of which later ones win.
func (t *keyTrial) keysOf(s ...string) map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	for _, s := range s {
		if err := json.Unmarshal([]byte("{"+s+"}"), &out); err != nil {
			t.Fatal(s, err)
		}
	}
	return out
}

// with are the keys of a panel on which a key is tried, and the value of the key.
func (t *keyTrial) with(kind, key string) (keys []string, value string) {
	keys = []string{`"type":"` + kind + `"`, t.base[kind], t.more[kind+"."+key]}
	if dashboard.NeedsData(kind) || kind+key == "textdata" {
		keys[0] += `,"data":"d"`
	}
	value = t.values[key]
	if other, ok := t.other[kind+"."+key]; ok {
		value = other
	}
	return keys, value
}

// view is a page of one panel with its warnings, or false where it is refused.
func (t *keyTrial) view(keys ...string) (View, []dashboard.Warning, bool) {
	panel, err := json.Marshal(t.keysOf(keys...))
	if err != nil {
		t.Fatal(err)
	}
	s, err := dashboard.Parse([]byte(`{"datasets":[` + keyTrialData + `,` + strings.Replace(keyTrialData, `"d"`, `"e"`, 1) +
		`,{"id":"f","sql":"SELECT day, n, m FROM t"},{"id":"h","sql":"SELECT day, n, m, part FROM t"}` +
		`,{"id":"g","sql":"SELECT name, part, day, until, n FROM t"}],` +
		`"filters":[{"column":"name"},{"column":"part"},{"column":"day"}],` +
		`"panels":[` + string(panel) +
		`,{"type":"bar","data":"d","x":"part","y":"n"}]}`))
	if err != nil {
		return View{}, nil, false
	}
	warnings, err := s.Check(t.columns)
	if err != nil {
		return View{}, nil, false
	}
	v := View{Spec: s, Cubes: t.cubes, Now: now, Header: Header{AsOf: now}}
	return v, append(warnings, Warnings(v)...), true
}

// No key of a panel is ignored: in every type it is refused, or changes the page, or a
// warning says why it does not.
func TestKeysHaveEffect(t *testing.T) {
	t.Parallel()
	try := newKeyTrial(t)
	for _, kind := range dashboard.PanelTypes() {
		if _, ok := try.base[kind]; !ok {
			t.Errorf("no panel of type %s to try keys on: add one to base, with the keys that the type requires", kind)
			continue
		}
		for _, key := range try.keys {
			with, value := try.with(kind, key)
			before, _, ok := try.view(with...)
			if !ok {
				t.Fatalf("the panel of type %s on which to try %s is refused: mend base, or what more has for the key", kind, key)
			}
			after, warnings, ok := try.view(append(with, `"`+key+`":`+value)...)
			said := slices.ContainsFunc(warnings, func(w dashboard.Warning) bool { return w.Path == "panels[0]."+key })
			if ok && !said && string(render(t, after)) == string(render(t, before)) {
				t.Errorf("%s of a %s changes nothing, and nothing says so", key, kind)
			}
		}
	}
}

// TestKeysOfFacets: a key that changes what a panel draws is accepted beside facet, and changes what each of its small plots draws. Small
// plots share a legend, so legend is refused there.
func TestKeysOfFacets(t *testing.T) {
	t.Parallel()
	try := newKeyTrial(t)
	try.inBothParts()
	try.other["bar.labels"] = `true` // which small plots do not have by default
	try.values["where"] = `{"name":"cx"}`
	try.more["bar.stack"], try.more["box.labels"] = `"series":"name"`, `"limit":3`
	for _, kind := range dashboard.PanelTypes() {
		if !dashboard.HasFacet(kind) {
			continue
		}
		facet, tried := `"facet":"part"`, 0
		if kind == dashboard.Candlestick {
			facet += `,"data":"h"`
		}
		for _, key := range try.keys {
			with, value := try.with(kind, key)
			required := strings.Contains(try.base[kind], `"`+key+`":`)
			if required || strings.HasPrefix(key, "facet") || slices.Contains([]string{"type", "data", "title", "legend"}, key) {
				continue
			}
			if value == `"part"` {
				value = `"name"`
			}
			own := `"` + key + `":` + value
			before, _, _ := try.view(with...)
			after, _, ok := try.view(append(with, own)...)
			if !ok || draws(after) == "" || draws(before) == draws(after) {
				continue
			}
			tried++
			_, _, plain := try.view(append(with, facet)...)
			small, _, ok := try.view(append(with, facet, own)...)
			switch {
			case !plain:
				t.Errorf("%s: the panel on which to try %s is refused beside facet", kind, key)
			case !ok:
				t.Errorf("%s: %s is refused beside facet", kind, key)
			default:
				before, _, _ := try.view(append(with, facet)...)
				was, is := plotsOf(draws(before)), plotsOf(draws(small))
				if len(was) != 2 || len(is) != 2 {
					t.Errorf("%s: %d and %d plots with %s", kind, len(was), len(is), key)
					continue
				}
				for i := range is {
					if was[i] == is[i] {
						t.Errorf("%s: %s changes nothing in plot %d", kind, key, i)
					}
				}
			}
		}
		if tried < 3 {
			t.Errorf("%s: %d keys were tried", kind, tried)
		}
	}
}

// inBothParts gives each value of part all rows, with other numbers.
func (t *keyTrial) inBothParts() {
	t.Helper()
	for _, id := range []string{"d", "e", "g", "h"} {
		from := t.cubes[id]
		b := cube.NewBuilder(from.Columns())
		for row := range from.Rows() {
			for k, part := range []string{"ay", "by"} {
				cells := make([]any, len(from.Columns()))
				for i, c := range from.Columns() {
					switch v := from.Value(row, i); c.Name {
					case "part":
						cells[i] = part
					case "n", "m":
						cells[i] = v.(int64)*int64(k+1) + int64(k)
					default:
						cells[i] = v
					}
				}
				if err := b.Add(cells); err != nil {
					t.Fatal(err)
				}
			}
		}
		t.cubes[id] = b.Cube()
	}
}

// draws is what the first panel of a view draws, as a recorder writes it, and the marks of its plots with their tooltips.
func draws(v View) string {
	p := open(v).Panel(0)
	if p.Content == nil {
		return ""
	}
	r := &canvas.Recorder{}
	p.Content.Draw(r)
	return r.String()
}

// plotsOf are the small plots of a drawing.
func plotsOf(drawn string) []string {
	var out []string
	for line := range strings.Lines(drawn) {
		switch {
		case strings.HasPrefix(line, "  facet "):
			out = append(out, "")
		case len(out) > 0 && strings.HasPrefix(line, "  "):
			out[len(out)-1] += line
		}
	}
	return out
}
