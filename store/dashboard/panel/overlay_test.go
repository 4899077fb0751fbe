package panel

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
)

// overlaid returns the straight lines and the moving averages of a drawing.
func overlaid(c *canvas.Recorder) (trends, averages []canvas.Curve) {
	for _, curve := range c.Curves {
		switch {
		case curve.Trend:
			trends = append(trends, curve)
		case curve.Bold:
			averages = append(averages, curve)
		}
	}
	return trends, averages
}

// workdays returns rows of working days with two names; ys has the sums of days, by days since the first.
func workdays() (rows [][]any, xs, ys []float64) {
	r := rand.New(rand.NewPCG(7, 3))
	for d := range 40 {
		at := day("2026-03-02").AddDate(0, 0, d)
		if at.Weekday() == 0 || at.Weekday() == 6 {
			continue
		}
		a, b := math.Round(r.Float64()*400)/8+float64(d), math.Round(r.Float64()*100)/8
		rows = append(rows, []any{at, "a", a, b}, []any{at, "b", b, a})
		xs, ys = append(xs, float64(d)), append(ys, a+b)
	}
	return rows, xs, ys
}

// TestTrendsOfFilledMarks: the trend over bars, areas and candles is computed from their values, has the slope of the trend of a line of
// the same values, and is drawn at its place on the axis; for a stack it is the trend of its total.
func TestTrendsOfFilledMarks(t *testing.T) {
	t.Parallel()
	rows, xs, ys := workdays()
	columns := []string{"day date", "name text", "n number sum", "m number sum currency"}
	slope, r2 := exactFit(xs, ys)
	stacked := dashboard.Panel{X: "day", Y: []string{"n"}, Series: "name", Stack: true}
	alone := dashboard.Panel{X: "day", Y: []string{"n"}}
	for _, tc := range []struct {
		kind, name string
		panel      dashboard.Panel
		over       func(p *Panel) *overlay
	}{
		{dashboard.Bar, "", alone, func(p *Panel) *overlay { return p.Content.(*barPanel).over }},
		{dashboard.Bar, "Total · ", stacked, func(p *Panel) *overlay { return p.Content.(*barPanel).over }},
		{dashboard.Area, "", alone, func(p *Panel) *overlay { return p.Content.(*linePanel).over }},
		{dashboard.Area, "Total · ", stacked, func(p *Panel) *overlay { return p.Content.(*linePanel).over }},
		{
			dashboard.Combo, "M · ",
			dashboard.Panel{X: "day", Bars: []string{"n"}, Lines: []string{"m"}},
			func(p *Panel) *overlay { return p.Content.(*comboPanel).over },
		},
	} {
		tc.panel.Type, tc.panel.Trend, tc.panel.Average = tc.kind, "linear", 5
		p, c := recorded(t, tiny([]dashboard.Panel{tc.panel}, columns, rows...), 0)
		got := tc.over(p)
		trends, averages := overlaid(c)
		if len(got.trends) != 1 || len(trends) != 1 || len(averages) != 1 {
			t.Fatalf("%s: %d trends, %d drawn, %d averages drawn", tc.kind, len(got.trends), len(trends), len(averages))
		}
		span := (xs[len(xs)-1] - xs[0]) / (got.at[len(got.at)-1] - got.at[0]) // days in the width
		if fit := got.trends[0]; !near(fit.Slope/span, slope) || !near(fit.R2, r2) || !strings.Contains(p.Summary, " "+fit.text+".") {
			t.Errorf("%s: %v a day, R² %v; want %v, %v; said %q", tc.kind, fit.Slope/span, fit.R2, slope, r2, p.Summary)
		}
		unit := 3
		if tc.kind == dashboard.Combo {
			unit = 4
		}
		line := tiny([]dashboard.Panel{{Type: dashboard.Line, X: "day", Y: []string{[]string{"n", "m"}[unit-3]}, Trend: "linear", Average: 5}},
			columns, rows...)
		want := open(line).Panel(0)
		words := want.Content.(*linePanel).over.trends[0].text
		if text := got.trends[0].text; text != tc.name+words || !slices.ContainsFunc(c.Items, func(it canvas.Item) bool {
			return it.Name == text && it.Line && it.Dashed
		}) {
			t.Errorf("%s: %q, and a line has %q; legend %+v", tc.kind, text, words, c.Items)
		}
		scale := leftAxis(t, c.Labels, false)
		if tc.kind == dashboard.Combo {
			scale = rightAxis(t, c.Labels)
		}
		first, last := xs[0], xs[len(xs)-1]
		for i, x := range [...]float64{first, last} {
			y := scale(mean(ys)+slope*(x-mean(xs))) * 1000
			at := got.at[0] + (x-first)/span
			if drawn := trends[0].Points[i]; math.Abs(float64(drawn.X)-at*1000) > 1 || math.Abs(float64(drawn.Y)-y) > 1 {
				t.Errorf("%s: drawn to %+v, want %v, %v", tc.kind, drawn, at*1000, y)
			}
		}
		sameAverages(t, tc.kind, p, want)
	}
}

func mean(vs []float64) float64 {
	sum := 0.0
	for _, v := range vs {
		sum += v
	}
	return sum / float64(len(vs))
}

// sameAverages checks that the last column of the table of a panel has the moving averages that a line has, and no others.
func sameAverages(t *testing.T, kind string, p, line *Panel) {
	t.Helper()
	of := func(p *Panel) map[string]any {
		out := map[string]any{}
		for _, row := range p.Grid.Rows {
			if v := row[len(row)-1]; v != nil {
				out[p.words(0, row[0])] = v
			}
		}
		return out
	}
	got, want := of(p), of(line)
	if len(got) != len(want) || len(got) == 0 {
		t.Errorf("%s has %d averages, and a line has %d", kind, len(got), len(want))
	}
	for at, v := range want {
		if w, ok := got[at].(float64); !ok || !near(w, v.(float64)) {
			t.Errorf("%s: an average of %v on %s, want %v", kind, got[at], at, v)
		}
	}
}

// TestTrendsOfCandlesAndSortedBars: the trend of candles is that of their closes, and bars that are not in the order of times have no
// trend.
func TestTrendsOfCandlesAndSortedBars(t *testing.T) {
	t.Parallel()
	var rows [][]any
	var xs, ys []float64
	for i := range 9 {
		closes := float64(i*i) / 4
		rows = append(rows, []any{day("2026-03-02").AddDate(0, 0, 7*i), 1.0, 30.0, 0.0, closes})
		xs, ys = append(xs, float64(i)), append(ys, closes)
	}
	v := candlesOf(func(p *dashboard.Panel) { p.Trend = "linear" }, rows...)
	p, c := recorded(t, v, 0)
	slope, r2 := exactFit(xs, ys)
	got := p.Content.(*candlePanel).fitted
	weeks := 8 / (got.at[len(got.at)-1] - got.at[0])
	if trends, _ := overlaid(c); len(trends) != 1 || !near(got.trends[0].Slope/weeks, slope) || !near(got.trends[0].R2, r2) ||
		!strings.Contains(p.Summary, "Trend +2 per week, R² 0.93.") {
		t.Errorf("%d trends, %v a week, want %v; said %q", len(trends), got.trends[0].Slope/weeks, slope, p.Summary)
	}

	sales, _, _ := workdays()
	v = tiny([]dashboard.Panel{{Type: dashboard.Bar, X: "day", Y: []string{"n"}, Sort: "-n", Trend: "linear", Average: 3}},
		[]string{"day date", "name text", "n number sum", "m number sum"}, sales...)
	p, c = recorded(t, v, 0)
	trends, averages := overlaid(c)
	if len(trends)+len(averages) > 0 || codes(v) != "key_ignored panels[0].average, panels[0].trend" {
		t.Errorf("sorted by value: %d trends, %d averages, warnings %q", len(trends), len(averages), codes(v))
	}
	if notes := strings.Join(p.Notes, " "); !strings.Contains(notes, "No trend: values of day have no order of their own.") {
		t.Errorf("notes %q", notes)
	}
}
