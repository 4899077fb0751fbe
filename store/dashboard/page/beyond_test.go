package page

import (
	"bytes"
	"fmt"
	"testing"

	"service/store/dashboard"
)

// TestAxesBesideAllValues: an axis whose only bound excludes all values still has gridlines, at finite numbers.
func TestAxesBesideAllValues(t *testing.T) {
	t.Parallel()
	number := func(v float64) *float64 { return &v }
	for _, kind := range []string{dashboard.Line, dashboard.Area, dashboard.Bar, dashboard.Scatter, dashboard.Box, dashboard.Candlestick} {
		for _, scale := range []string{"", "log", "log_y"} {
			for _, bound := range []float64{-1e308, -3, 0, 1e-300, 0.25, 1, 40, 5000, 1e308} {
				for _, max := range []bool{false, true} {
					p := dashboard.Panel{Type: kind, X: "day", Y: []string{"n"}, Scale: scale}
					switch kind {
					case dashboard.Scatter:
						p.X = "n"
					case dashboard.Box:
						p.Y, p.Value = nil, "n"
					case dashboard.Candlestick:
						p.Y, p.Low, p.High = nil, "n", "n"
					}
					log := scale == "log" || scale == "log_y" && kind == dashboard.Scatter
					if log && bound <= 0 || kind == dashboard.Area && log || scale == "log_y" && kind != dashboard.Scatter {
						continue // the checks refuse it
					}
					if p.Range[dashboard.AxisY].Max = number(bound); !max {
						p.Range[dashboard.AxisY] = dashboard.AxisRange{Min: number(bound)}
					}
					v := tiny([]dashboard.Panel{p}, []string{"day date", "n number none"},
						[]any{day("2026-03-01"), 2.0}, []any{day("2026-03-02"), 300.0})
					doc := render(t, v)
					for _, bad := range []string{"NaN", "Inf"} {
						if bytes.Contains(doc, []byte(bad)) {
							t.Errorf("%s %s %s: there is %s", kind, scale, fmt.Sprint(bound, max), bad)
						}
					}
				}
			}
		}
	}
}
