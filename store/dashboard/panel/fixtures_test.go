package panel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// now is the time at which every page of the tests is drawn.
var now = time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC)

// commerce returns orders by day, country, channel and category, in the last year.
func commerce(rows int) Input {
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
	return Input{
		Spec:  s,
		Cubes: map[string]*cube.Cube{"orders": b.Cube()},
		AsOf:  now,
		Now:   now,
	}
}

// tiny returns a view with one dataset "d" of the given rows. A column is written "name type", and a measure has its agg after that:
// "revenue number sum".
func tiny(panels []dashboard.Panel, columns []string, rows ...[]any) Input {
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
	return Input{
		Spec: &dashboard.Spec{
			Version: 1, Title: "Tiny", Timezone: "UTC", Currency: "USD", Locale: "en-US",
			Datasets: []dashboard.Dataset{def}, Panels: panels,
		},
		Cubes: map[string]*cube.Cube{"d": b.Cube()},
		AsOf:  now,
		Now:   now,
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

func zooView(rows ...[]any) Input { return tiny(zoo(), zooColumns, rows...) }

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

// orders200k returns a table of 200,000 orders: two texts, one of them distinct in each row, numbers, dates and instants.
func orders200k(columns ...string) Input {
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

// viewOf returns the view from which the panels of a page were computed.
func viewOf(e *Env) Input {
	return Input{Spec: e.Spec, Cubes: e.Cubes, Truncated: e.Truncated, Query: e.Query, Now: e.Now, AsOf: e.AsOf}
}
