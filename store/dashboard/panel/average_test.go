package panel

import (
	"math"
	"testing"

	"service/store/dashboard"
)

// The average of a ratio, moving or as a line of reference, is the ratio over the periods together: that of a day with many orders counts
// for more than that of a day with few. Averages of other measures are means of what is drawn.
func TestAveragesOfRatios(t *testing.T) {
	t.Parallel()
	rows := [][]any{
		{day("2026-03-01"), "a", 1.0, 1.0, 2.0},
		{day("2026-03-02"), "a", 1.0, 99.0, 4.0},
		{day("2026-03-03"), "a", 50.0, 100.0, 9.0},
		{day("2026-03-01"), "b", 3.0, 4.0, 3.0},
		{day("2026-03-02"), "b", 0.0, 1.0, 3.0},
		{day("2026-03-03"), "b", 1.0, 5.0, 3.0},
	}
	of := func(p dashboard.Panel) Input {
		p.X, p.Average, p.Reference = "day", 3, []dashboard.Reference{{Kind: "average"}}
		v := tiny([]dashboard.Panel{p}, []string{"day date", "k text", "part number sum", "whole number sum", "score number avg"}, rows...)
		rate := dashboard.Meta{Name: "rate", Ratio: [2]string{"part", "whole"}, Format: "percent2"}
		v.Spec.Datasets[0].Columns = append(v.Spec.Datasets[0].Columns, rate)
		return v
	}
	for _, tc := range []struct {
		panel  dashboard.Panel
		moving []float64 // at the last place, of each series
		line   string
	}{
		{dashboard.Panel{Type: dashboard.Line, Y: []string{"rate"}}, []float64{56.0 / 210}, "Average 26.67%"},
		{dashboard.Panel{Type: dashboard.Bar, Y: []string{"rate"}}, []float64{56.0 / 210}, "Average 26.67%"},
		{dashboard.Panel{Type: dashboard.Line, Y: []string{"rate"}, Series: "k"}, []float64{52.0 / 200, 4.0 / 10}, "Average 26.67%"},
		{dashboard.Panel{Type: dashboard.Line, Y: []string{"rate"}, Grain: "month"}, nil, "Average 26.67%"},
		{dashboard.Panel{Type: dashboard.Line, Y: []string{"part"}}, []float64{56.0 / 3}, "Average 18.7"},
		{dashboard.Panel{Type: dashboard.Line, Y: []string{"score"}}, []float64{(2.5 + 3.5 + 6) / 3}, "Average 4"},
	} {
		p, _ := recorded(t, of(tc.panel), 0)
		name := tc.panel.Type + " of " + tc.panel.Y[0] + " by " + tc.panel.Series + tc.panel.Grain
		first := len(p.Grid.Columns) - len(tc.moving)
		for i, want := range tc.moving {
			if got := number(p.Grid.Rows[len(p.Grid.Rows)-1][first+i]); math.Abs(got-want) > 1e-12 {
				t.Errorf("%s: moving average %d is %v, want %v", name, i, got, want)
			}
		}
		var s *split
		switch c := p.Content.(type) {
		case *linePanel:
			s = c.split
		case *barPanel:
			s = c.split
		}
		if got := p.references(s)[0].Text; got != tc.line {
			t.Errorf("%s: the line is %q, want %q", name, got, tc.line)
		}
	}
}
