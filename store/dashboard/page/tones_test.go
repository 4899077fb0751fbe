package page

import "service/store/dashboard"

// toned is a page with thresholds in each type of panel that can have them.
func toned() View {
	at := func(value float64, tone string) dashboard.Threshold {
		return dashboard.Threshold{If: ">=", Value: value, Tone: tone}
	}
	below := func(value float64, tone string) dashboard.Threshold {
		return dashboard.Threshold{If: "<", Value: value, Tone: tone}
	}
	goal := dashboard.Threshold{If: ">=", By: "goal", Tone: "good"}
	limits := []dashboard.Threshold{at(200, "good"), at(100, "warn"), below(50, "bad")}
	of := func(column string, t dashboard.Threshold, row bool) dashboard.Threshold {
		t.Column, t.Row = column, row
		return t
	}
	days := []dashboard.TableColumn{{Column: "day"}}
	panels := []dashboard.Panel{
		{Type: dashboard.KPI, Value: "amount", Thresholds: []dashboard.Threshold{goal}},
		{Type: dashboard.Heatmap, X: "day", Y: []string{"city"}, Value: "amount", Width: 6, Thresholds: limits},
		{Type: dashboard.Heatmap, X: "day", Y: []string{"city"}, Value: "amount", Width: 6, Thresholds: []dashboard.Threshold{goal}},
		{Type: dashboard.Bar, X: "city", Y: []string{"amount"}, Width: 6, Thresholds: []dashboard.Threshold{goal, below(910, "bad")}},
		{Type: dashboard.Bar, X: "city", Y: []string{"amount"}, Width: 6, Horizontal: true, Thresholds: []dashboard.Threshold{at(950, "good")}},
		{Type: dashboard.Line, X: "day", Y: []string{"amount"}, Width: 6, Thresholds: []dashboard.Threshold{at(950, "good"), below(750, "bad")}},
		{Type: dashboard.Map, Area: "country", Value: "amount", Width: 6, Thresholds: []dashboard.Threshold{at(1000, "good"), below(950, "bad")}},
		{
			Type: dashboard.Map, Lat: "lat", Lon: "lon", Label: "city", Value: "amount", Width: 6,
			Thresholds: []dashboard.Threshold{goal, at(900, "neutral")},
		},
		{Type: dashboard.Calendar, X: "day", Value: "amount", Width: 6, Thresholds: []dashboard.Threshold{at(900, "info"), below(750, "bad")}},
		{
			Type: dashboard.Pivot, Rows: []string{"city"}, Columns: days, Values: []string{"amount"}, Heat: dashboard.HeatAll, Width: 12,
			Thresholds: []dashboard.Threshold{at(235, "good"), below(20, "bad")},
		},
		{
			Type: dashboard.Table, TotalRow: true, Columns: []dashboard.TableColumn{
				{Column: "city"},
				{Column: "amount", Bar: true},
				{Column: "goal"},
			},
			Thresholds: []dashboard.Threshold{of("amount", goal, true), of("amount", below(895, "bad"), true), of("goal", at(900, "info"), false)},
		},
	}
	var rows [][]any
	for i, city := range someCities {
		for d := range 8 {
			rows = append(rows, []any{
				city.name, city.country, city.lat, city.lon, day("2026-03-01").AddDate(0, 0, d),
				float64((i*13+d*29)%50)*5 + 10, float64(90 + i*10),
			})
		}
	}
	return tiny(panels, []string{
		"city text", "country text", "lat number none", "lon number none", "day date", "amount number sum", "goal number sum",
	}, rows...)
}
