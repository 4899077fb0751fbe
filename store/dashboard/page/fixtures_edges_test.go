package page

import (
	"math"
	"time"

	"service/store/dashboard"
)

// edges is a page whose texts are at the edges of their panels: a legend of many long numbers, small plots whose last time has a name,
// slopes, rows and cells with long names, and bars below zero.
func edges() View {
	kinds := []string{
		"Elektrizitätsversorgungsunternehmen", "Kraftfahrzeug-Haftpflichtversicherung", "Öl", "Arbeitsunfähigkeitsbescheinigungen",
		"Rechtsschutzversicherungsgesellschaften", "A supplier of water and of heat",
	}
	towns := []string{"Frankfurt am Main", "Garmisch-Partenkirchen", "Villingen-Schwenningen"}
	var rows [][]any
	for i := range 72 {
		at := day("2025-01-06").AddDate(0, 0, 5*i)
		rain := 123 * math.Pow(10, float64(i%7)/2-1)
		rows = append(rows, []any{at, at.AddDate(0, 0, 40), kinds[i%6], towns[i%3], rain, -float64(i*i) - 5000, int64(i%11 + 1)})
	}
	rain := dashboard.Panel{Type: dashboard.Calendar, X: "day", Value: "rain", Ramp: &dashboard.Ramp{Scale: "log"}, Width: 4}
	cells := dashboard.Panel{Type: dashboard.Heatmap, X: "kind", Y: []string{"town"}, Value: "size"}
	turned := dashboard.Panel{Type: dashboard.Heatmap, X: "town", Y: []string{"kind"}, Value: "size"}
	v := tiny([]dashboard.Panel{
		{Type: dashboard.Bar, X: "kind", Y: []string{"below"}, Width: 4},
		{Type: dashboard.Bar, X: "town", Y: []string{"below"}, Width: 4},
		rain,
		{Type: dashboard.Line, X: "day", Y: []string{"size"}, Facet: "town", Width: 12},
		{Type: dashboard.Slope, Label: "kind", X: "town", Value: "size"},
		{Type: dashboard.Timeline, Label: "kind", Start: "day", End: "until", Series: "town", Width: 12},
		{Type: dashboard.Sankey, Steps: []string{"town", "kind"}, Value: "size", Width: 12},
		cells, turned,
		{Type: dashboard.Scatter, X: "size", Y: []string{"below"}, Label: "day", Width: 6},
	}, []string{
		"day date", "until date", "kind text", "town text", "rain number sum currency2", "below number sum", "size integer sum",
	}, rows...)
	v.Header.AsOf = now.Add(-time.Hour)
	return v
}

// months is a page of calendars of a few months that have days without a value, also side by side.
func months() View {
	var rows [][]any
	for i := range 90 {
		if i%13 > 0 {
			rows = append(rows, []any{day("2026-08-20").AddDate(0, 0, i), [...]string{"Boarding", "Tickets"}[i%2], float64(i % 8)})
		}
	}
	tones := []dashboard.Threshold{{If: "<", Value: 1, Tone: "bad"}, {If: ">=", Value: 1, Tone: "good"}}
	return tiny([]dashboard.Panel{
		{Type: dashboard.Calendar, X: "at", Value: "n"},
		{Type: dashboard.Calendar, X: "at", Value: "n", Thresholds: tones},
		{Type: dashboard.Calendar, X: "at", Value: "n", Facet: "of", Width: 12},
	}, []string{"at date", "of text", "n number sum"}, rows...)
}
