package page

import (
	"strings"

	"service/store/dashboard"
)

func numberAt(v float64) *float64 { return &v }

// ramped is a page with ramps of each kind, in each type of panel that can have them, and with cells in the colours of texts.
func ramped() View {
	all := func(p dashboard.Panel, r dashboard.Ramp) dashboard.Panel {
		p.Ramp, p.Title = &r, strings.TrimSpace(r.Name+" "+r.Scale)
		return p
	}
	heatmap := dashboard.Panel{Type: dashboard.Heatmap, X: "day", Y: []string{"city"}, Value: "amount", Width: 6}
	balance := heatmap
	balance.Value = "balance"
	points := dashboard.Panel{Type: dashboard.Map, Lat: "lat", Lon: "lon", Label: "city", Size: "amount", Value: "rate", Width: 6}
	pivot := dashboard.Panel{
		Type: dashboard.Pivot, Rows: []string{"city"}, Columns: []dashboard.TableColumn{{Column: "day"}}, Values: []string{"balance"},
		Heat: dashboard.HeatAll, Width: 12,
	}
	panels := []dashboard.Panel{
		all(heatmap, dashboard.Ramp{Name: "green"}),
		all(heatmap, dashboard.Ramp{Name: "orange", Min: numberAt(40), Max: numberAt(200)}),
		all(heatmap, dashboard.Ramp{Name: "gray", Reverse: true}),
		all(heatmap, dashboard.Ramp{Name: "violet", Scale: "quantile"}),
		all(balance, dashboard.Ramp{Name: "blue_red"}),
		all(balance, dashboard.Ramp{Name: "green_red", Min: numberAt(-20), Max: numberAt(60)}),
		all(balance, dashboard.Ramp{Name: "violet_orange", Middle: numberAt(20)}),
		all(balance, dashboard.Ramp{Name: "red", Scale: "log"}),
		all(dashboard.Panel{Type: dashboard.Map, Area: "country", Value: "amount", Width: 6}, dashboard.Ramp{Name: "violet"}),
		all(points, dashboard.Ramp{Name: "red"}),
		all(dashboard.Panel{Type: dashboard.Treemap, Levels: []string{"country", "city"}, Value: "amount", Color: "rate", Width: 6},
			dashboard.Ramp{Name: "green"}),
		all(dashboard.Panel{Type: dashboard.Calendar, X: "day", Value: "amount", Width: 6}, dashboard.Ramp{Name: "orange"}),
		{Type: dashboard.Heatmap, X: "day", Y: []string{"city"}, Value: "country", Width: 6},
		{
			Type: dashboard.Heatmap, X: "day", Y: []string{"country"}, Value: "city", Width: 6,
			Thresholds: []dashboard.Threshold{{If: "=", By: "Oslo", Tone: "good"}, {If: "=", By: "Berlin", Tone: "warn"}},
		},
		all(pivot, dashboard.Ramp{Name: "green_red"}),
		{Type: dashboard.Table, Columns: []dashboard.TableColumn{
			{Column: "city"},
			{Column: "amount", Heat: true, Ramp: &dashboard.Ramp{Name: "violet"}},
			{Column: "rate", Heat: true, Ramp: &dashboard.Ramp{Name: "orange", Scale: "quantile"}},
			{Column: "balance", Heat: true},
		}},
	}
	var rows [][]any
	for i, city := range someCities {
		for d := range 8 {
			rows = append(rows, []any{
				city.name, city.country, city.lat, city.lon, day("2026-03-01").AddDate(0, 0, d),
				float64((i*13+d*29)%50)*5 + 10, float64((i*17+d*7)%60) - 20, float64((i*5+d)%9) / 10,
			})
		}
	}
	return tiny(panels, []string{
		"city text", "country text", "lat number none", "lon number none", "day date", "amount number sum", "balance number sum",
		"rate number avg percent",
	}, rows...)
}
