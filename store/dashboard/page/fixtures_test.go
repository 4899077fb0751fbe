package page

import (
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// now is the time at which every page of the tests is drawn.
var now = time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC)

// weather returns four years of Seattle's weather: one row a day.
func weather(t testing.TB) View {
	t.Helper()
	file, err := os.Open("testdata/seattle-weather.csv.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(z).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	b := cube.NewBuilder([]cube.Column{
		{Name: "date", Type: cube.Date},
		{Name: "precipitation", Type: cube.Number},
		{Name: "temp_max", Type: cube.Number},
		{Name: "temp_min", Type: cube.Number},
		{Name: "wind", Type: cube.Number},
		{Name: "weather", Type: cube.Text},
		{Name: "month", Type: cube.Text},
		{Name: "days", Type: cube.Integer},
	})
	for _, r := range records[1:] {
		day, err := time.Parse(time.DateOnly, r[0])
		if err != nil {
			t.Fatal(err)
		}
		row := []any{day}
		for _, s := range r[1:5] {
			v, err := strconv.ParseFloat(s, 64)
			if err != nil {
				t.Fatal(err)
			}
			row = append(row, v)
		}
		if err := b.Add(append(row, r[5], day.Format("Jan"), int64(1))); err != nil {
			t.Fatal(err)
		}
	}
	s := &dashboard.Spec{
		Version: 1, Title: "Seattle weather", Description: "Daily observations at Seattle–Tacoma airport, 2012 to 2015.",
		Timezone: "America/Los_Angeles", Currency: "USD", Locale: "en-US",
		Datasets: []dashboard.Dataset{{ID: "daily", SQL: "SELECT * FROM upload", Columns: []dashboard.Meta{
			{Name: "date", Label: "Date"},
			{Name: "precipitation", Label: "Precipitation (mm)", Agg: dashboard.Sum, Format: "number1"},
			{Name: "temp_max", Label: "Warmest (°C)", Agg: dashboard.Avg, Format: "number1"},
			{Name: "temp_min", Label: "Coldest (°C)", Agg: dashboard.Avg, Format: "number1"},
			{Name: "wind", Label: "Wind (m/s)", Agg: dashboard.Avg, Format: "number1"},
			{Name: "days", Agg: dashboard.Sum, Format: "integer"},
			{Name: "rain", Label: "Rain per day (mm)", Ratio: [2]string{"precipitation", "days"}, Format: "number2"},
		}}},
		Filters: []dashboard.Filter{{Column: "date", Default: []string{"2015-01-01", "2015-12-31"}}, {Column: "weather"}},
		Panels: []dashboard.Panel{
			{Type: dashboard.KPI, Value: "precipitation", Compare: []string{"previous_period"}, Sparkline: "date"},
			{Type: dashboard.KPI, Value: "temp_max", Compare: []string{"previous_year"}, Sparkline: "date"},
			{Type: dashboard.KPI, Value: "wind", Compare: []string{"previous_period"}, Sparkline: "date"},
			{Type: dashboard.KPI, Value: "rain", Compare: []string{"previous_period"}, Sparkline: "date"},
			{
				Type: dashboard.Line, Title: "Temperature", Subtitle: "Mean of the daily extremes",
				X: "date", Y: []string{"temp_max", "temp_min"}, Width: 8,
			},
			{Type: dashboard.Bar, Title: "Days by weather", X: "weather", Y: []string{"days"}, Horizontal: true, Width: 4},
			{Type: dashboard.Bar, Title: "Days a month", X: "month", Y: []string{"days"}, Series: "weather", Stack: true, Width: 6},
			{
				Type: dashboard.Area, X: "date", Y: []string{"precipitation"}, Width: 6,
				Reference: []dashboard.Reference{{Kind: "average", Label: "Average"}},
			},
			{
				Type: dashboard.Table, Title: "Weather in numbers", Columns: []dashboard.TableColumn{
					{Column: "weather"}, {Column: "days", Bar: true}, {Column: "precipitation"}, {Column: "rain"}, {Column: "temp_max"}, {Column: "wind"},
				}, Sort: "-days", Width: 8,
			},
			{Type: dashboard.Heatmap, Title: "Rain per day", X: "month", Y: []string{"weather"}, Value: "rain", Width: 4},
		},
	}
	return View{
		Spec:  s,
		Cubes: map[string]*cube.Cube{"daily": b.Cube()},
		Header: Header{
			Workspace: "Northwind", WorkspaceSlug: "northwind", Slug: "seattle-weather", Name: "Seattle weather",
			URL:  "https://northwind.example.com/seattle-weather",
			Home: "https://app.example.com/w/northwind/", Details: "https://app.example.com/w/northwind/d/seattle-weather",
			Send: "https://app.example.com/w/northwind/d/seattle-weather/send",
			AsOf: now.Add(-time.Hour), State: "succeeded", Version: "7c1e9a52", NextRun: now.Add(23 * time.Hour),
		},
		Now: now,
	}
}

// commerce returns orders by day, country, channel and category, in the last year.
func commerce(rows int) View {
	r := rand.New(rand.NewPCG(3, 9))
	b := cube.NewBuilder([]cube.Column{
		{Name: "day", Type: cube.Date},
		{Name: "country", Type: cube.Text},
		{Name: "channel", Type: cube.Text},
		{Name: "category", Type: cube.Text},
		{Name: "weekday", Type: cube.Text},
		{Name: "hour", Type: cube.Integer},
		{Name: "revenue", Type: cube.Number},
		{Name: "orders", Type: cube.Integer},
		{Name: "refunds", Type: cube.Integer},
		{Name: "rating", Type: cube.Number},
	})
	countries := []any{
		"Germany", "France", "United States", "United Kingdom", "Netherlands", "Spain", "Italy", "Poland",
		"Sweden", "Japan", nil,
	}
	channels := []any{"web", "store", "partner", "app"}
	categories := []any{"Accessories", "Phones", "Wearables", "Cameras", "Laptops", "Audio"}
	today := cube.DayOf(now)
	for i := range rows {
		day := today - 364 + cube.Day(i*365/rows)
		country := countries[min(int(r.ExpFloat64()*3), len(countries)-1)]
		channel := channels[min(int(r.ExpFloat64()*1.3), 3)]
		hour := int64(min(max(14+r.NormFloat64()*5, 0), 23)) / 2 * 2
		n := r.Int64N(9) + 2
		growth := 1 + 0.3*float64(i)/float64(rows)
		row := []any{
			day.Time(), country, channel, categories[r.IntN(len(categories))], day.Time().Format("Mon"), hour,
			math.Round(float64(n)*growth*(60+40*r.Float64())*100) / 100, n, r.Int64N(3) / 2, math.Round(r.Float64()*40+10) / 10,
		}
		if err := b.Add(row); err != nil {
			panic(err)
		}
	}
	s := &dashboard.Spec{
		Version: 1, Title: "Commerce performance", Description: "Revenue, orders and customer mix across web, store, partner and app channels.",
		Timezone: "UTC", Currency: "EUR", Locale: "en-US",
		Datasets: []dashboard.Dataset{{ID: "orders", SQL: "SELECT * FROM orders", Columns: []dashboard.Meta{
			{Name: "revenue", Agg: dashboard.Sum, Format: "currency_compact", Good: "up"},
			{Name: "orders", Agg: dashboard.Sum, Format: "integer", Good: "up"},
			{Name: "refunds", Agg: dashboard.Sum, Format: "integer", Good: "down"},
			{Name: "rating", Agg: dashboard.None},
			{Name: "aov", Label: "Average order value", Ratio: [2]string{"revenue", "orders"}, Format: "currency2", Good: "up"},
			{Name: "refund_rate", Label: "Refund rate", Ratio: [2]string{"refunds", "orders"}, Format: "percent1", Good: "down"},
		}}},
		Filters: []dashboard.Filter{
			{Column: "day", Label: "Period", Default: []string{"last_90_days"}}, {Column: "country"}, {Column: "channel"},
		},
		Panels: []dashboard.Panel{
			{Type: dashboard.KPI, Value: "revenue", Compare: []string{"previous_period"}, Sparkline: "day"},
			{Type: dashboard.KPI, Value: "orders", Compare: []string{"previous_period"}, Sparkline: "day"},
			{Type: dashboard.KPI, Value: "aov", Compare: []string{"previous_period"}, Sparkline: "day"},
			{Type: dashboard.KPI, Value: "refund_rate", Compare: []string{"previous_period"}, Sparkline: "day"},
			{
				Type: dashboard.Area, Subtitle: "Paid orders, net of discounts", X: "day", Y: []string{"revenue"}, Width: 8,
				Reference: []dashboard.Reference{{Kind: "average"}},
			},
			{Type: dashboard.Bar, X: "category", Y: []string{"revenue"}, Horizontal: true, Width: 4},
			{Type: dashboard.Bar, Title: "Revenue by channel", X: "day", Y: []string{"revenue"}, Series: "channel", Stack: true, Width: 6},
			{
				Type: dashboard.Heatmap, Title: "When orders arrive", Subtitle: "Orders by weekday and hour, UTC",
				X: "hour", Y: []string{"weekday"}, Value: "orders", Width: 6,
			},
			{
				Type: dashboard.Table, Title: "Countries", Columns: []dashboard.TableColumn{
					{Column: "country"}, {Column: "orders"}, {Column: "revenue", Bar: true, Format: "currency"}, {Column: "aov"}, {Column: "refund_rate"},
				},
				Sort: "-revenue", Thresholds: []dashboard.Threshold{
					{Column: "refund_rate", If: ">=", Value: 0.057, Tone: "bad"}, {Column: "refund_rate", If: "<", Value: 0.05, Tone: "good"},
				}, Width: 8,
			},
			{Type: dashboard.Pie, Label: "channel", Value: "revenue", Width: 4},
		},
	}
	return View{
		Spec:  s,
		Cubes: map[string]*cube.Cube{"orders": b.Cube()},
		Header: Header{
			Workspace: "Northwind", WorkspaceSlug: "northwind", Slug: "commerce-performance", Name: "Commerce performance",
			URL:  "https://northwind.example.com/commerce-performance",
			Home: "https://app.example.com/w/northwind/", Details: "https://app.example.com/w/northwind/d/commerce-performance",
			Send: "https://app.example.com/w/northwind/d/commerce-performance/send",
			AsOf: now, State: "succeeded", Version: "7c1e9a52",
		},
		Now: now,
	}
}

// choices returns a page with a filter of each kind.
func choices() View {
	v := commerce(600)
	v.Spec.Panels = v.Spec.Panels[:5]
	v.Spec.Filters = []dashboard.Filter{
		{Column: "day", Grain: cube.Monthly},
		{Column: "country", Single: true, Default: []string{"France"}},
		{Column: "channel"},
		{Column: "category", Single: true},
		{Column: "weekday", Locked: true, Default: []string{"Mon", "Tue", "Wed"}},
	}
	return v
}

// tiny returns a view with one dataset "d" of the given rows. A column is written "name type", and a measure has its agg after that:
// "revenue number sum".
func tiny(panels []dashboard.Panel, columns []string, rows ...[]any) View {
	var cols []cube.Column
	def := dashboard.Dataset{ID: "d", SQL: "SELECT * FROM t"}
	for _, c := range columns {
		f := strings.Fields(c)
		cols = append(cols, cube.Column{Name: f[0], Type: cube.Type(f[1])})
		m := dashboard.Meta{Name: f[0]}
		if len(f) > 2 {
			m.Role, m.Agg = dashboard.Measure, dashboard.Agg(f[2])
		}
		if len(f) > 3 {
			m.Format = f[3]
		}
		def.Columns = append(def.Columns, m)
	}
	b := cube.NewBuilder(cols)
	for _, r := range rows {
		if err := b.Add(r); err != nil {
			panic(err)
		}
	}
	return View{
		Spec: &dashboard.Spec{
			Version: 1, Title: "Tiny", Timezone: "UTC", Currency: "USD", Locale: "en-US",
			Datasets: []dashboard.Dataset{def}, Panels: panels,
		},
		Cubes:  map[string]*cube.Cube{"d": b.Cube()},
		Header: Header{Workspace: "Acme", WorkspaceSlug: "acme", Slug: "tiny", Name: "Tiny", AsOf: now, State: "succeeded"},
		Now:    now,
	}
}

func day(s string) time.Time {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		panic(err)
	}
	return t
}

// zoo returns a panel of every type on one small dataset.
func zoo() []dashboard.Panel {
	return []dashboard.Panel{
		{Type: dashboard.Section, Title: "Every type", Subtitle: "On one small dataset."},
		{
			Type: dashboard.KPI, Value: "amount",
			Thresholds: []dashboard.Threshold{{If: ">=", Value: 10, Tone: "good"}, {If: "<", Value: 10, Tone: "bad"}},
		},
		{Type: dashboard.Line, X: "day", Y: []string{"amount"}},
		{Type: dashboard.Area, X: "day", Y: []string{"amount"}, Series: "name", Stack: true},
		{Type: dashboard.Bar, X: "name", Y: []string{"amount"}},
		{Type: dashboard.Bar, X: "day", Y: []string{"amount"}, Series: "name"},
		{Type: dashboard.Bar, X: "name", Y: []string{"amount"}, Horizontal: true},
		{Type: dashboard.Combo, X: "day", Bars: []string{"amount"}, Lines: []string{"size"}},
		{Type: dashboard.Histogram, Value: "amount", Bins: 6},
		{Type: dashboard.Box, X: "name", Value: "amount"},
		{Type: dashboard.Candlestick, X: "day", Low: "size", High: "amount"}, // several rows a day; the page "candles" has others
		{Type: dashboard.Scatter, X: "amount", Y: []string{"size"}, Label: "name", Size: "size"},
		{Type: dashboard.Pie, Label: "name", Value: "amount"},
		{Type: dashboard.Waterfall, Label: "name", Value: "amount", Sort: "amount"},
		{Type: dashboard.Slope, Label: "name", X: "day", Value: "amount"},
		{Type: dashboard.Treemap, Levels: []string{"name", "day"}, Value: "amount"},
		{Type: dashboard.Sankey, Steps: []string{"name", "day"}, Value: "amount"},
		{Type: dashboard.Timeline, Label: "name", Start: "day", End: "day", Series: "name"},
		{Type: dashboard.Funnel, Label: "name", Value: "amount", Sort: "-amount"},
		{Type: dashboard.Heatmap, X: "day", Y: []string{"name"}, Value: "amount"},
		{Type: dashboard.Calendar, X: "day", Value: "amount"},
		{Type: dashboard.Map, Area: "name", Value: "amount"}, // people are not countries; the page "maps" has countries
		{Type: dashboard.Table},
		{
			Type: dashboard.Pivot, Rows: []string{"name", "day"}, Columns: []dashboard.TableColumn{{Column: "size"}}, Values: []string{"amount"},
			Heat: dashboard.HeatRow,
		},
		{Type: dashboard.Table, TotalRow: true, PageSize: 3, Columns: []dashboard.TableColumn{
			{Column: "name"}, {Column: "amount", Heat: true, Sparkline: "day"}, {Column: "size", Bar: true, Heat: true},
		}},
		{Type: dashboard.Text, Markdown: "Total **{{d.amount}}** of {{d.name}} until {{d.day}}."},
	}
}

var zooColumns = []string{"day date", "name text", "amount number sum currency2", "size integer sum"}

func zooView(rows ...[]any) View { return tiny(zoo(), zooColumns, rows...) }

// ordinary returns ordinary rows for the zoo.
func ordinary() [][]any {
	var out [][]any
	for i, name := range []any{"Ada", "Grace", "Edsger", nil} {
		for d := range 6 {
			out = append(out, []any{day("2026-03-01").AddDate(0, 0, d), name, float64(10+i*7+d*d) * 1.25, int64(i + d)})
		}
	}
	return out
}

// inLanguage returns the zoo in a language, with filters, a comparison and notes.
func inLanguage(locale, currency string) View {
	v := zooView(ordinary()...)
	v.Spec.Locale, v.Spec.Currency = locale, currency
	v.Spec.Filters = []dashboard.Filter{{Column: "day"}, {Column: "name"}}
	v.Truncated = map[string]bool{"d": true}
	v.Spec.Datasets[0].Columns[2].Good = "up"
	v.Spec.Panels[1].Compare, v.Spec.Panels[1].Sparkline = []string{"previous_period"}, "day"
	v.Query = map[string][]string{"f.day": {"custom"}, "f.day.from": {"2026-03-03"}, "f.day.to": {"2026-03-04"}}
	return v
}

// mapped returns a page with maps of areas and of points.
func mapped() View {
	panels := []dashboard.Panel{
		{Type: dashboard.Map, Area: "country", Value: "amount", Width: 6},
		{Type: dashboard.Map, Area: "state", Value: "balance", Region: "us", Width: 6},
		{Type: dashboard.Map, Lat: "lat", Lon: "lon", Label: "city", Size: "amount", Series: "country"},
		{Type: dashboard.Map, Lat: "lat", Lon: "lon", Region: "CH", Width: 4},
	}
	columns := []string{
		"country text", "state text", "city text", "lat number none", "lon number none", "amount number sum currency", "balance number sum",
	}
	return tiny(panels, columns,
		[]any{"DE", "California", "Berlin", 52.52, 13.4, 120.0, 5.0}, []any{"Germany", "TX", "Freiburg", 48.0, 7.85, 40.0, -3.0},
		[]any{"CH", "48", "Basel", 47.56, 7.59, 90.0, -2.5}, []any{"Switzerland", "Hawaii", "Zürich", 47.37, 8.54, 150.0, 9.0},
		[]any{"MT", "DC", "Valletta", 35.9, 14.51, 60.0, 4.0}, []any{"Atlantis", "Puerto Rico", "Nowhere", nil, 200.0, 1.0, 1.0},
		[]any{"France", "Ohio", "Mulhouse", 47.75, 7.34, nil, nil}, []any{"France", "AK", "<b>&amp;</b>", 48.58, 7.75, 10.0, 0.0})
}

// traded returns a page with candles, ranges, and boxes whose numbers the query has computed.
func traded() View {
	const open, high, low, shut = "open", "high", "low", "close"
	mean := []dashboard.Reference{{Kind: "average"}}
	panels := []dashboard.Panel{
		{Type: dashboard.Candlestick, X: "day", Open: open, High: high, Low: low, Close: shut, Reference: mean},
		{Type: dashboard.Candlestick, X: "day", Open: open, High: high, Low: low, Close: shut, Grain: "month", Scale: "log"},
		{Type: dashboard.Candlestick, X: "day", High: high, Low: low, Grain: "week"},
		{Type: dashboard.Box, X: "day", Low: low, Q1: open, Median: "middle", Q3: shut, High: high, Grain: "week"},
	}
	r := rand.New(rand.NewPCG(7, 1))
	var rows [][]any
	price := 100.0
	for i := range 80 {
		d := day("2026-09-02").AddDate(0, 0, i)
		if d.Weekday()%6 == 0 {
			continue
		}
		to := math.Round(price*math.Exp(r.NormFloat64()*0.02)*100) / 100
		top, foot := math.Ceil(max(price, to)*100.5)/100, math.Floor(min(price, to)*99.5)/100
		rows = append(rows, []any{d, price, top, foot, to, (price + to) / 2})
		price = to
	}
	return tiny(panels, []string{
		"day date", "open number none currency2", "high number max currency2", "low number min currency2", "close number none currency2",
		"middle number",
	}, rows...)
}

// languages are the ones in which all fixed texts are translated.
var languages = []string{"en-US", "en-GB", "de-DE", "fr-FR", "es-ES", "pt-BR", "it-IT", "nl-NL", "ja-JP", "zh-CN", "ko-KR", "ar-AE"}

// cases returns the pages that have golden files, by name.
func cases(t testing.TB) map[string]View {
	with := func(v View, change func(*View)) View {
		change(&v)
		return v
	}
	names := func(texts ...string) View {
		var rows [][]any
		for i, s := range texts {
			rows = append(rows, []any{day("2026-03-01").AddDate(0, 0, i), s, float64(100 - i), int64(i + 1)})
		}
		return zooView(rows...)
	}
	many := func(n int) View {
		var rows [][]any
		for i := range n {
			at, name := day("2026-01-01").AddDate(0, 0, i%300), fmt.Sprintf("Customer %04d", i)
			rows = append(rows, []any{at, name, float64((i*7919)%1000) + 0.5, int64(i % 10)})
		}
		return zooView(rows...)
	}
	scaled := func(f float64) View {
		var rows [][]any
		for _, r := range ordinary() {
			rows = append(rows, []any{r[0], r[1], r[2].(float64) * f, r[3]})
		}
		return zooView(rows...)
	}
	var nulls [][]any
	for _, r := range ordinary() {
		nulls = append(nulls, []any{r[0], r[1], nil, nil})
	}
	var gaps [][]any
	for i, r := range ordinary() {
		if i%3 == 1 {
			r[2] = nil
		}
		gaps = append(gaps, r)
	}
	return map[string]View{
		"weather":  weather(t),
		"commerce": commerce(4000),
		"choices":  choices(),
		"months":   months(),
		"filtered": with(commerce(4000), func(v *View) {
			v.Query = map[string][]string{
				"f.day": {"custom"}, "f.day.from": {"2026-01-01"}, "f.day.to": {"2026-03-31"}, "f.country": {"Germany", "~null"},
			}
		}),
		"frame":    framed(),
		"ugly":     ugly(),
		"ordinary": zooView(ordinary()...),
		"never": with(zooView(), func(v *View) {
			v.Cubes, v.Header.AsOf, v.Header.State = nil, time.Time{}, "never"
		}),
		"no-rows":  zooView(),
		"one-row":  zooView(ordinary()[0]),
		"all-null": zooView(nulls...),
		"gaps":     zooView(gaps...),
		"negative": zooView(func() [][]any {
			rows := ordinary()
			for i := range rows {
				rows[i][2] = rows[i][2].(float64) - 30
			}
			return rows
		}()...),
		"huge":   scaled(1e12),
		"minute": scaled(1e-7),
		"names": names("A name that is so long that it cannot be written anywhere on the page without being cut somewhere",
			"👩‍👩‍👧‍👦 family 🇩🇪", "مرحبا بالعالم", "שלום עולם", "日本語のとても長いカテゴリ名です", " ", "", "<b>&amp;</b>"),
		"many": with(many(5000), func(v *View) { // one point a day; TestManyScatterPoints has too many
			for i, p := range v.Spec.Panels {
				if p.Type == dashboard.Scatter {
					v.Spec.Panels[i].Label = "day"
				}
			}
		}),
		"empty-after-filter": with(commerce(500), func(v *View) {
			v.Query = map[string][]string{"f.country": {"Atlantis"}}
		}),
		"outside-the-data": with(weather(t), func(v *View) {
			v.Query = map[string][]string{"f.date": {"last_7_days"}}
		}),
		"failing": with(zooView(ordinary()...), func(v *View) {
			v.Header.State, v.Header.FailingSince, v.Header.AsOf = "failed", now.Add(-5*time.Hour), now.Add(-30*time.Hour)
			v.Header.Errors = map[string]string{"d": `column "amount" does not exist`}
			v.Truncated = map[string]bool{"d": true}
		}),
		"not-additive": with(commerce(500), func(v *View) {
			v.Spec.Panels = []dashboard.Panel{
				{Type: dashboard.KPI, Value: "rating"},
				{Type: dashboard.Line, X: "day", Y: []string{"rating"}},
				{Type: dashboard.Table, Columns: []dashboard.TableColumn{{Column: "country"}, {Column: "rating"}}},
				{Type: dashboard.Bar, X: "country", Y: []string{"nonsense"}},
				{Type: dashboard.Pie, Label: "channel", Value: "aov"},
			}
		}),
		"preview": with(commerce(500), func(v *View) {
			v.Header.Preview, v.Header.VersionTime = true, now.Add(-50*time.Hour)
			v.Query = map[string][]string{"version": {"7c1e9a52"}, "f.country": {"France"}}
		}),
		"article": with(zooView(ordinary()...), func(v *View) {
			v.Spec.Layout, v.Spec.Title, v.Header.Name = "article", "What grew", "What grew"
			v.Spec.Description = "Every name has more than it had."
			text := func(s string) dashboard.Panel { return dashboard.Panel{Type: dashboard.Text, Markdown: s} }
			v.Spec.Panels = []dashboard.Panel{
				text("They have **{{d.amount}}** together, as of {{d.day}}. " + prose(4)),
				{Type: dashboard.Area, X: "day", Y: []string{"amount"}, Series: "name", Stack: true, Width: 6},
				text("## Who has the most\n\n" + prose(3)),
				{
					Type: dashboard.Bar, X: "name", Y: []string{"amount"}, Width: 4,
					Reference: []dashboard.Reference{{Kind: "average"}, {Kind: "max"}},
				},
				{
					Type: dashboard.Table, Columns: []dashboard.TableColumn{{Column: "name"}, {Column: "size"}, {Column: "amount", Bar: true}},
					Thresholds: []dashboard.Threshold{{Column: "amount", If: ">=", Value: 250, Tone: "good"}},
				},
			}
		}),
		"maps":          mapped(),
		"edges":         edges(),
		"ramps":         ramped(),
		"tones":         toned(),
		"candles":       traded(),
		"japanese":      inLanguage("ja-JP", "JPY"),
		"arabic":        inLanguage("ar-AE", "AED"),
		"german-panels": inLanguage("de-DE", "EUR"),
		"german": with(commerce(2000), func(v *View) {
			v.Spec.Locale, v.Spec.Timezone = "de-DE", "Europe/Berlin"
		}),
	}
}

// orders200k returns a table of 200,000 orders: two texts, one of them distinct in each row, numbers, dates and instants.
func orders200k(columns ...string) View {
	const n = 200_000
	b := cube.NewBuilder([]cube.Column{
		{Name: "placed_at", Type: cube.Instant},
		{Name: "order_id", Type: cube.Integer},
		{Name: "customer", Type: cube.Text},
		{Name: "country", Type: cube.Text},
		{Name: "day", Type: cube.Date},
		{Name: "amount", Type: cube.Number},
		{Name: "qty", Type: cube.Integer},
	})
	for i := range n {
		k := (i * 7919) % n
		row := []any{
			now.Add(-time.Duration(k*97) * time.Second), int64(10_000_000 + k*3), fmt.Sprintf("Customer %06d GmbH", k),
			[]string{"Germany", "France", "United States", "Österreich"}[k%4], day("2020-01-01").AddDate(0, 0, k%2000),
			float64(k%100000) / 100, int64(k % 9),
		}
		if err := b.Add(row); err != nil {
			panic(err)
		}
	}
	var shown []dashboard.TableColumn
	for _, name := range columns {
		shown = append(shown, dashboard.TableColumn{Column: name})
	}
	v := tiny([]dashboard.Panel{{Type: dashboard.Table, Title: "Orders", Columns: shown}}, nil)
	v.Spec.Datasets[0].Columns = []dashboard.Meta{{Name: "amount", Agg: dashboard.Sum}, {Name: "qty", Agg: dashboard.Sum}}
	v.Cubes["d"] = b.Cube()
	return v
}

// someCities are the places on the maps of the fixtures.
var someCities = []struct {
	name, country string
	lat, lon      float64
}{
	{"Berlin", "DE", 52.5, 13.4},
	{"Basel", "CH", 47.6, 7.6},
	{"Lyon", "FR", 45.8, 4.8},
	{"Rome", "IT", 41.9, 12.5},
	{"Madrid", "ES", 40.4, -3.7},
	{"Lille", "FR", 50.6, 3.1},
	{"Oslo", "NO", 59.9, 10.8},
}
