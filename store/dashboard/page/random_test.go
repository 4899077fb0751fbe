package page

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/url"
	"testing"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/dashboard/export"
)

// A chooser writes specs at random, mostly valid ones, from the columns of randomColumns and of periodColumns.
type chooser struct{ *rand.Rand }

func (c chooser) of(texts ...string) string { return texts[c.IntN(len(texts))] }

// rarely is true one time in n.
func (c chooser) rarely(n int) bool { return c.IntN(n) == 0 }

var (
	randomDims     = []string{"day", "at", "name", "flag", "code"}
	randomMeasures = []string{"amount", "size", "peak", "low", "mean", "share"}
	randomColumns  = []cube.Column{
		{Name: "day", Type: cube.Date},
		{Name: "at", Type: cube.Timestamp},
		{Name: "name", Type: cube.Text},
		{Name: "flag", Type: cube.Boolean},
		{Name: "code", Type: cube.Integer},
		{Name: "amount", Type: cube.Number},
		{Name: "size", Type: cube.Integer},
		{Name: "peak", Type: cube.Number},
		{Name: "low", Type: cube.Number},
		{Name: "mean", Type: cube.Number},
	}
)

const randomDatasets = `[{"id": "d",
	"sql": "SELECT day, at, name, flag, code, sum(amount) AS amount, count(*) AS size, max(x) AS peak, min(x) AS low, avg(x) AS mean` +
	` FROM t GROUP BY 1, 2, 3, 4, 5",
	"columns": {"share": {"ratio": ["amount", "size"], "format": "percent1", "good": "up"},
		"amount": {"format": "currency", "good": "down"}, "low": {"format": "duration"}, "peak": {"agg": "max"}, 
		"mean": {"agg": "none", "unit": "kg"},
		"size": {"unit": "/day", "decimals": 1}}},
	{"id": "days", "sql": "SELECT day, ` + periodSQL + `", "columns": ` + periodMeta + `},
	{"id": "times", "sql": "SELECT at, ` + periodSQL + `", "columns": ` + periodMeta + `}]`

// Values of candles and boxes that the query computes: one row for each day, or time.
const (
	periodSQL = `first(x) AS open, max(x) AS high, min(x) AS low, last(x) AS close, median(x) AS middle, sum(n) AS traded` +
		` FROM t GROUP BY 1 ORDER BY 1`
	periodMeta = `{"open": {"agg": "none"}, "close": {"agg": "none", "format": "currency2"}, "middle": {"agg": "none"}}`
)

// periodColumns returns the columns of a dataset of such rows along the column of a time.
func periodColumns(time string, of cube.Type) []cube.Column {
	out := []cube.Column{{Name: time, Type: of}}
	for _, name := range []string{"open", "high", "low", "close", "middle"} {
		out = append(out, cube.Column{Name: name, Type: cube.Number})
	}
	return append(out, cube.Column{Name: "traded", Type: cube.Integer})
}

// randomSets are the columns of the datasets.
var randomSets = map[string][]cube.Column{
	"d": randomColumns, "days": periodColumns("day", cube.Date), "times": periodColumns("at", cube.Timestamp),
}

// panel returns a random panel of a type.
func (c chooser) panel(t *testing.T, kind string) map[string]any {
	p := map[string]any{"type": kind}
	if dashboard.NeedsData(kind) {
		p["data"] = "d"
	}
	dim, measure := func() string { return c.of(randomDims...) }, func() string { return c.of(randomMeasures...) }
	maybe := func(key string, v any) {
		if c.rarely(3) {
			p[key] = v
		}
	}
	maybe("title", c.of("Title", "A title that is rather long for a panel as narrow as this one", "標題 🎉"))
	maybe("subtitle", "Said below")
	maybe("description", "Said at the end.")
	maybe("source", map[string]any{"name": "Census", "url": "https://example.com/census"})
	maybe("width", 2+c.IntN(11))
	thresholds := func(column string) []map[string]any {
		t := map[string]any{
			"if": c.of(">=", ">", "<=", "<", "="), "value": c.Float64() * 100, "tone": c.of("good", "warn", "bad", "info", "neutral"),
		}
		if column != "" {
			t["column"] = column
		}
		if c.rarely(4) {
			t["value"] = c.of("low", "peak", "size")
		}
		if kind == "table" {
			t["row"] = c.rarely(2)
		}
		return []map[string]any{t}
	}
	switch p["type"] {
	case "kpi":
		p["value"] = measure()
		maybe("compare", c.of("previous_period", "previous_year", measure()))
		maybe("compare", []string{"previous_year", measure(), "previous_period"}[c.IntN(2):])
		maybe("sparkline", c.of("day", "at"))
		maybe("grain", c.of("auto", "hour", "day", "week", "month", "quarter", "year"))
		maybe("partial", c.of("mark", "hide", "show"))
		if maybe("target", []any{c.Float64() * 1000, c.of("amount", "size")}[c.IntN(2)]); c.rarely(10) {
			p = map[string]any{"type": "kpi", "data": "d", "value": c.of("day", "at")}
			if c.rarely(2) {
				p["value"], p["sort"] = dim(), c.of("-", "")+c.of("amount", "size", "share", "day", "at")
			}
		}
		maybe("thresholds", thresholds(""))
	case "line", "area", "bar":
		p["x"], p["y"] = dim(), measure()
		if c.rarely(4) {
			p["y"] = []string{"amount", "size", "share"}
		} else {
			maybe("series", dim())
		}
		maybe("reference", []map[string]any{
			{"kind": c.of("average", "median", "min", "max")},
			{"value": c.NormFloat64() * 1000, "label": "Target", "tone": "good"},
			{"from": c.NormFloat64() * 1000, "label": "Range", "tone": c.of("good", "neutral")},
		})
		if c.rarely(4) {
			p["facet"] = dim()
		}
		if p["type"] != "bar" && p["series"] == nil && p["facet"] == nil && c.rarely(2) {
			p["y"], p["y2"] = measure(), measure()
			maybe("y2_min", c.NormFloat64()*100)
			maybe("y2_max", c.Float64()*1000)
		}
		if _, several := p["y"].([]string); p["type"] != "bar" && p["series"] == nil && !several {
			maybe("target", measure())
		}
		if p["type"] == "line" {
			maybe("y_reverse", true)
			if _, several := p["y"].([]string); (several || p["series"] != nil) && p["facet"] == nil {
				maybe("legend", "ends")
			}
		}
		maybe("limit", 1+c.IntN(20))
		maybe("other", true)
		maybe("tooltip", []string{c.of("low", "code"), c.of("peak", "flag")})
		if _, several := p["y"].([]string); !several && p["series"] == nil && p["facet"] == nil && (p["x"] == "day" || p["x"] == "at") {
			maybe("compare", "previous_year")
		}
		if x := p["x"]; p["type"] != "bar" && (x == "day" || x == "at") {
			maybe("gaps", c.of("auto", "break", "join"))
		}
		if p["facet"] != nil {
			maybe("stack", p["type"] != "line")
		} else if p["type"] != "line" {
			maybe("stack", true)
			maybe("trend", "linear")
			maybe("average", 2+c.IntN(30))
		} else {
			maybe("trend", "linear")
			maybe("average", map[string]any{"of": 2 + c.IntN(30)})
			maybe("band", map[string]any{"low": c.of("peak", "size", "mean"), "high": c.of("peak", "amount", "share"), "label": "Expected"})
		}
		if _, several := p["y"].([]string); !several && p["series"] == nil && p["facet"] == nil && p["type"] != "area" {
			maybe("thresholds", thresholds(""))
		}
		if p["type"] == "bar" {
			if p["trend"] == nil && p["average"] == nil && p["compare"] == nil {
				maybe("horizontal", true)
			}
			maybe("sort", c.of("-", "")+fmt.Sprint(p["y"]))
			maybe("target", []any{c.NormFloat64() * 1000, c.of("amount", "size", "peak", "mean"), []string{"size", "peak", "low"}}[c.IntN(3)])
		}
	case "combo":
		p["x"], p["bars"], p["lines"] = dim(), []string{c.of("amount", "size")}, []string{c.of("peak", "low", "mean", "share")}
		if c.rarely(3) {
			p["bars"] = []string{"size", "peak"}
		}
		maybe("stack", true)
		maybe("trend", "linear")
		maybe("average", 2+c.IntN(30))
		maybe("reference", []map[string]any{{"kind": "average"}, {"value": c.NormFloat64() * 1000}})
		maybe("labels", true)
		maybe("y_max", 1+c.Float64()*1000)
		maybe("thresholds", thresholds(""))
		maybe("sort", c.of("-amount", "size", "name"))
		maybe("limit", 1+c.IntN(20))
		maybe("other", true)
	case "histogram":
		p["value"], p["weight"] = c.of("code", "peak", "mean"), c.of("amount", "size")
		maybe("bins", 1+c.IntN(100))
		maybe("bins", []float64{-1, 0, 0.25, 1, 10, 1e6}[c.IntN(3):])
		if p["bins"] == nil || p["bins"] == 0 {
			maybe("x_min", 1+c.Float64())
			maybe("x_max", 10+c.Float64()*1000)
			maybe("scale", "log")
		}
		maybe("y_max", 1+c.IntN(9))
		switch c.IntN(4) {
		case 0:
			p["series"], p["stack"] = dim(), c.rarely(2)
		case 1:
			p["horizontal"] = true
			maybe("thresholds", []map[string]any{{"value": c.NormFloat64() * 100, "tone": "bad"}})
		default:
			maybe("labels", true)
			maybe("reference", []map[string]any{
				{"kind": c.of("average", "median", "min", "max")}, {"value": 1 + c.Float64()*1000}, {"from": 1 + c.Float64()*1000, "label": "Range"},
			})
		}
	case "box":
		if c.rarely(3) {
			p["low"], p["q1"], p["median"], p["q3"], p["high"] = "low", "open", "middle", "close", "high"
			c.along(p)
			maybe("partial", c.of("mark", "hide", "show"))
			maybe("grain", "day")
			break
		}
		p["value"] = "mean"
		maybe("horizontal", true)
		maybe("reference", []map[string]any{{"kind": c.of("average", "median", "min", "max")}, {"value": 0.1 + c.Float64()}})
		maybe("scale", "log")
		maybe("y_max", 0.5+c.Float64())
		if !c.rarely(3) {
			p["x"] = dim()
			maybe("sort", c.of("-", "")+c.of("amount", "mean", "day", "code", "name"))
			maybe("limit", 1+c.IntN(100))
		}
	case "candlestick":
		p["low"], p["high"] = "low", "high"
		if !c.rarely(3) {
			p["open"], p["close"] = "open", "close"
		}
		c.along(p)
		maybe("bars", "traded")
		maybe("lines", []string{"middle"})
		maybe("labels", true)
		maybe("trend", "linear")
		maybe("average", map[string]any{"of": 2 + c.IntN(30)})
		maybe("grain", c.of("auto", "hour", "day", "week", "month", "year"))
		maybe("partial", c.of("mark", "hide", "show"))
		maybe("scale", "log")
		maybe("y_min", 0.1+c.Float64())
		maybe("y_max", 1.5+c.NormFloat64())
		maybe("reference", []map[string]any{{"kind": c.of("average", "median", "min", "max")}, {"value": 0.1 + c.Float64()}})
	case "scatter":
		p["x"], p["y"] = measure(), measure()
		maybe("y_reverse", true)
		maybe("trend", "linear")
		maybe("reference", []map[string]any{{"from": -c.Float64() * 10, "to": c.Float64() * 100, "axis": c.of("x", "y")}})
		maybe("size", measure())
		maybe("label", dim())
		maybe("series", dim())
		maybe("tooltip", []string{"low", "flag"})
	case "map":
		if c.rarely(2) {
			p["area"], p["value"] = c.of("name", "code"), measure()
			if c.rarely(2) {
				p["series"] = dim()
			} else {
				maybe("ramp", c.ramp())
				maybe("thresholds", thresholds(""))
			}
		} else {
			p["lat"], p["lon"] = c.of("peak", "mean", "size"), c.of("amount", "low", "share", "mean")
			maybe("size", measure())
			maybe("label", dim())
			if maybe("series", dim()); p["series"] == nil && c.rarely(2) {
				p["value"], p["ramp"] = measure(), c.ramp()
			}
		}
		maybe("tooltip", []string{"at", "share"})
		maybe("region", c.of("world", "us", "europe", "asia", "antarctica", "DE", "Fiji"))
	case "pie":
		p["label"], p["value"] = dim(), c.of("amount", "size")
		maybe("limit", 1+c.IntN(12))
	case "waterfall":
		p["label"], p["value"] = dim(), c.of("amount", "size")
		maybe("sort", c.of("-", "")+c.of("amount", "peak", "day", "code"))
		maybe("total", []any{"Sum", []string{"Ada", "Sum"}, []string{"Ada", "Grace"}, false, true}[c.IntN(5)])
		maybe("limit", 1+c.IntN(100))
		maybe("horizontal", true)
		maybe("labels", c.rarely(2))
		maybe("y_min", c.NormFloat64()*100)
		maybe("reference", []map[string]any{{"value": c.NormFloat64() * 1000}, {"from": c.Float64() * 10}})
		maybe("thresholds", []map[string]any{{"value": c.NormFloat64() * 100, "tone": c.of("good", "bad")}})
	case "slope":
		p["label"], p["x"], p["value"] = dim(), dim(), measure()
		maybe("scale", "log")
		maybe("y_reverse", true)
		maybe("reference", []map[string]any{{"value": 1 + c.Float64()*1000}, {"kind": "average"}})
		maybe("thresholds", []map[string]any{{"value": c.NormFloat64() * 100, "tone": c.of("good", "bad")}})
		maybe("limit", 1+c.IntN(40))
		if x := p["x"]; x == "day" || x == "at" {
			maybe("grain", c.of("day", "month", "year"))
		}
	case "treemap":
		p["label"], p["value"] = []any{dim(), []string{dim(), dim()}, []string{"name", "flag", "day"}}[c.IntN(3)], c.of("amount", "size")
		if maybe("series", dim()); p["series"] == nil {
			maybe("ramp", c.ramp())
			maybe("color", measure())
		}
	case "sankey":
		p["value"] = c.of("amount", "size")
		maybe("limit", 2+c.IntN(6))
		if c.rarely(2) {
			p["from"], p["to"] = dim(), dim()
		} else {
			p["steps"] = [][]string{{dim(), dim()}, {"name", "flag", "day"}, {"code", "name", "at", "flag"}}[c.IntN(3)]
		}
	case "timeline":
		p["label"], p["start"], p["end"] = dim(), c.of("day", "at"), c.of("day", "at")
		maybe("series", dim())
		maybe("sort", c.of("-", "")+c.of("amount", "peak", "day", "code", "name"))
		maybe("tooltip", []string{c.of("low", "size"), c.of("peak", "flag")})
		maybe("x_min", c.of("this_year", "2026-11-01", "2026-10-05 12:00"))
		maybe("x_max", c.of("today", "2026-11-03", "last_month"))
	case "funnel":
		p["label"], p["value"] = dim(), c.of("amount", "size")
		maybe("sort", c.of("-", "")+c.of("amount", "peak", "day", "code"))
	case "heatmap":
		p["x"], p["y"], p["value"] = dim(), dim(), measure()
		if p["x"] == "day" {
			maybe("partial", c.of("mark", "hide", "show"))
		}
		if c.rarely(3) { // a text
			p["value"] = c.of("name", "flag", "code")
			maybe("limit", 1+c.IntN(30))
			maybe("labels", c.rarely(2))
			maybe("grain", c.of("auto", "week", "month"))
			break
		}
		maybe("ramp", c.ramp())
		maybe("thresholds", thresholds(""))
	case "pivot":
		p["rows"], p["values"] = []string{dim()}, []string{measure()}
		if c.rarely(2) {
			p["columns"] = []any{dim()}
		}
		if c.rarely(3) {
			p["rows"], p["columns"] = []string{"name", "flag"}, []any{"day", map[string]any{"column": "code"}}
			p["values"] = []string{"amount", measure()}
		}
		maybe("totals", false)
		if maybe("heat", c.of("row", "column", "all")); p["heat"] == "all" {
			maybe("ramp", c.ramp())
		}
		maybe("grain", c.of("auto", "day", "month", "year"))
		maybe("limit", 1+c.IntN(9))
	case "calendar":
		p["x"], p["value"] = c.of("day", "at"), measure()
		maybe("partial", c.of("mark", "hide", "show"))
		maybe("ramp", c.ramp())
		maybe("thresholds", thresholds(""))
	case "table":
		if !c.rarely(4) {
			cols := []any{dim(), map[string]any{"column": "amount", "bar": true, "sign": c.rarely(2), "heat": true, "ramp": c.ramp()}, measure()}
			if c.rarely(2) {
				cols = append(cols, map[string]any{"column": "peak", "group": "Extremes"}, map[string]any{"column": "low", "group": "Extremes"})
			}
			p["columns"] = cols
			maybe("sort", "-amount")
			maybe("thresholds", thresholds("amount"))
			if cols[0] != "day" && cols[0] != "at" && c.rarely(2) {
				cols[1].(map[string]any)["sparkline"] = "day"
				p["compare"], p["total"] = c.of("previous_period", "previous_year"), true
				maybe("sort", c.of("-", "")+c.of("amount.change", "amount.before"))
				maybe("grain", c.of("auto", "day", "week", "month", "quarter", "year"))
				maybe("partial", c.of("mark", "hide", "show"))
			}
		}
		maybe("limit", 1+c.IntN(100))
	case "text":
		p["markdown"] = c.of("Total **{{d.amount}}** of {{d.name}} until {{d.day}}.",
			"# Head\n\n- one\n- {{d.share}}\n\n> {{d.mean}}", "|a|b|\n|-|-|\n|{{d.flag}}|2|")
	case "section":
		p["title"] = "Part"
	default:
		t.Fatalf("no panel of type %s is drawn at random: add a case for it to chooser.panel", kind)
	}
	if p["data"] == "d" && dashboard.HasFacet(kind) && c.rarely(4) {
		c.inFacets(p, dim())
	}
	return p
}

// inFacets adds small plots to a panel, without the keys that are refused for these.
func (c chooser) inFacets(p map[string]any, facet string) {
	p["facet"] = facet
	p["facet_columns"] = 1 + c.IntN(6)
	if p["type"] == "kpi" { // numbers have no axes
		return
	}
	for _, key := range []string{"labels", "horizontal", "trend", "average", "thresholds"} {
		delete(p, key)
	}
	if p["type"] != "pie" && (p["type"] != "treemap" || p["ramp"] != nil || p["color"] != nil) {
		p["facet_scale"] = c.of("shared", "free")
	}
}

// along makes a panel show the rows that the query computes for each day, or time.
func (c chooser) along(p map[string]any) {
	p["data"], p["x"] = "days", "day"
	if c.rarely(2) {
		p["data"], p["x"] = "times", "at"
	}
}

// candles returns random rows for the columns of periodColumns. Some lack a number, and the numbers of some contradict each other.
func (c chooser) candles(t *testing.T, columns []cube.Column) *cube.Cube {
	b := cube.NewBuilder(columns)
	unit := 24 * time.Hour
	if columns[0].Type == cube.Timestamp {
		unit = []time.Duration{time.Minute, time.Hour, 31 * time.Hour}[c.IntN(3)]
	}
	gaps, far, timeless := 2+c.IntN(30), []float64{0, 0.02, 3}[c.IntN(3)], c.rarely(2)
	for i := range []int{0, 1, 2, 40, 600}[c.IntN(5)] {
		if c.rarely(gaps) {
			continue
		}
		row := []any{now.Truncate(unit).Add(-time.Duration(i) * unit)}
		for _, of := range []float64{0, far, -far, far / 2, -far / 2} {
			row = append(row, math.Exp(of+c.NormFloat64()*far/3)-far/10)
		}
		row = append(row, c.Int64N(1000))
		if c.rarely(15) {
			if row[1+c.IntN(len(row)-1)] = nil; timeless { // GROUP BY makes one group of all rows without a time
				row[0], timeless = nil, false
			}
		}
		if err := b.Add(row); err != nil {
			t.Fatal(err)
		}
	}
	return b.Cube()
}

// rows returns random rows, one for each existing combination of dimensions. Every column has NULLs.
func (c chooser) rows(t *testing.T) *cube.Cube {
	b := cube.NewBuilder(randomColumns)
	seen := map[string]bool{}
	days := 1 + c.IntN(500)
	for range []int{0, 1, 2, 40, 600}[c.IntN(5)] {
		null := func(v any) any {
			if c.rarely(15) {
				return nil
			}
			return v
		}
		at := now.Add(-time.Duration(c.IntN(days*24)) * time.Hour)
		row := []any{
			null(at), null(at),
			null(c.of("Ada", "Grace", "France", "US", "united states", "Tuvalu", "Texas", "", " ", "مرحبا", "👩‍👧",
				"Edsger W. Dijkstra of Nuenen and Austin", fmt.Sprint("n", c.IntN(40)))),
			null(c.rarely(2)), null(int64(c.IntN(30))),
			null(c.ExpFloat64() * 1000), null(int64(c.IntN(50))), null(c.NormFloat64()), null(c.NormFloat64() * 1e9), null(c.Float64()),
		}
		if k := fmt.Sprint(row[:5]...); !seen[k] {
			seen[k] = true
			if err := b.Add(row); err != nil {
				t.Fatal(err)
			}
		}
	}
	return b.Cube()
}

// TestWhatPassesTheChecksRenders: random specs that pass the checks are drawn from random rows, under random filters, without warnings,
// always in the same way, and with sound markup.
func TestWhatPassesTheChecksRenders(t *testing.T) {
	t.Parallel()
	passed := map[string]int{}
	for seed := range uint64(150) {
		c := chooser{rand.New(rand.NewPCG(seed, 4))}
		var panels []map[string]any
		document := func(panels []map[string]any) *dashboard.Spec {
			raw, err := json.Marshal(map[string]any{
				"title": "Random", "locale": c.of("en-US", "de-DE", "fr-FR", "hi-IN"),
				"timezone": c.of("UTC", "America/Los_Angeles", "Asia/Kathmandu"), "currency": c.of("EUR", "JPY"),
				"datasets": json.RawMessage(randomDatasets), "panels": panels,
				"filters": []map[string]any{
					{"column": "day", "default": c.of("all", "last_90_days", "last_365_days", "this_year")}, {"column": "name"}, {"column": "flag"},
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			s, err := dashboard.Parse(raw)
			if err == nil {
				_, err = s.Check(randomSets)
			}
			if err != nil {
				return nil
			}
			return s
		}
		for range 40 { // a panel that the checks refuse is left out
			if p := c.panel(t, c.of(dashboard.PanelTypes()...)); document([]map[string]any{p}) != nil {
				panels = append(panels, p)
				passed[fmt.Sprint(p["type"])]++
			}
		}
		s := document(panels)
		if s == nil {
			t.Fatalf("seed %d: panels that pass alone do not pass together", seed)
		}
		v := View{
			Spec: s, Now: now,
			Cubes: map[string]*cube.Cube{
				"d": c.rows(t), "days": c.candles(t, randomSets["days"]), "times": c.candles(t, randomSets["times"]),
			},
			Header: Header{Workspace: "Acme", Slug: "random", Name: "Random", State: "succeeded", AsOf: now},
			Query:  url.Values{"f.name": {c.of("Ada", "", "~null", "nobody")}, "f.day": {c.of("all", "last_7_days", "this_month", "nonsense")}},
		}
		if c.rarely(2) {
			v.Query = nil
		}
		for _, p := range Summaries(v) {
			if p.Problem != "" {
				raw, _ := json.Marshal(panels[p.Index])
				t.Errorf("seed %d: %s\nsays: %s", seed, raw, p.Problem)
			}
		}
		doc := render(t, v)
		safe(t, doc)
		if !bytes.Equal(doc, render(t, v)) {
			t.Errorf("seed %d: two drawings differ", seed)
		}
		for _, bad := range []string{"NaN", "Inf%", "=\"-%", "%!"} {
			if i := bytes.Index(doc, []byte(bad)); i >= 0 {
				t.Errorf("seed %d: %s in …%s…", seed, bad, doc[max(0, i-80):i+20])
			}
		}
		for i, p := range Summaries(v) {
			_, err := CSV(v, i)
			if _, vain := errors.AsType[*export.AddressError](err); vain {
				continue // the query is invalid
			}
			if err != nil && p.Type != dashboard.Text && p.Type != dashboard.Section && !p.Empty && p.Problem == "" {
				t.Errorf("seed %d: panel %d as CSV: %v", seed, i, err)
			}
		}
	}
	for _, kind := range dashboard.PanelTypes() {
		if passed[kind] < 50 {
			t.Errorf("only %d panels of type %s passed the checks: the test sees too little", passed[kind], kind)
		}
	}
}

// ramp returns a ramp that is valid for every panel with colours for numbers.
func (c chooser) ramp() any {
	return []any{
		"green", "orange", "red", "violet", "gray", "blue_red", "green_red", "violet_orange",
		map[string]any{"reverse": true},
		map[string]any{"min": -5 - c.Float64(), "max": c.Float64() * 50},
		map[string]any{"max": c.NormFloat64()},
		map[string]any{"scale": "log", "name": "orange"},
		map[string]any{"scale": "log", "min": 0.5, "max": 9 + c.Float64()},
		map[string]any{"scale": "quantile", "reverse": true},
		map[string]any{"middle": c.NormFloat64()},
		map[string]any{"name": "violet_orange", "min": -c.Float64(), "middle": 1, "max": 2, "reverse": true},
	}[c.IntN(16)]
}
