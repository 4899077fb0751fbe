package chart

import (
	"testing"

	"service/store/dashboard/canvas"
)

// TestNamesOfNeighboursAreApart: the names under small plots beside each other do not touch, however long the first and the last are.
func TestNamesOfNeighboursAreApart(t *testing.T) {
	t.Parallel()
	for _, texts := range [][2]string{{"Jan ’26", "Nov"}, {"Jan", "30 September 2026"}, {"1 January 2026", "2026"}} {
		l := &Laid{Chart: &Chart{Room: Room{Inside: 1194, Columns: 5}}, widths: [3]float64{300, 250, 205}}
		tiers := l.tiers(func(float64) []Label { return []Label{{At: 0, Text: texts[0]}, {At: 1, Text: texts[1]}} })
		for i, labels := range tiers {
			lo, hi := 0.0, l.widths[i]
			for _, n := range labels {
				w, x := canvas.LabelWidth(n.Text), n.At*l.widths[i]
				switch {
				case n.pull && n.edge == canvas.AtStart:
					hi = max(hi, x+w)
				case n.pull:
					lo = min(lo, x-w)
				default:
					lo, hi = min(lo, x-w/2), max(hi, x+w/2)
				}
			}
			if gap := plotGap + lo - (hi - l.widths[i]); gap < 6 {
				t.Errorf("%q, tier %d: %v pixels between the names of two plots", texts, i, gap)
			}
		}
	}
}
