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

// TestNamesOfOrderedPlacesAreStaggered: names of an ordered axis that do not fit side by side are in two lines, one after the other in
// turns. Where they do not fit there either, some are left out. All that are written are whole and do not touch.
func TestNamesOfOrderedPlacesAreStaggered(t *testing.T) {
	t.Parallel()
	days := []string{"segunda-feira", "terça-feira", "quarta-feira", "quinta-feira", "sexta-feira", "sábado", "domingo"}
	short := []string{"الأحد", "الاثنين", "الثلاثاء", "الأربعاء", "الخميس", "الجمعة", "السبت"}
	for _, tc := range []struct {
		names []string
		width float64
		lines int // 0: some are left out
	}{{days, 800, 1}, {days, 460, 2}, {days, 440, 2}, {days, 150, 0}, {short, 330, 2}, {short, 1000, 1}, {days[:2], 90, 0}} {
		b := &BandNames{Full: tc.names, Thin: func(width float64) []Label { return EveryNth(tc.names, Bands(len(tc.names)), width) }}
		labels := kept(b.labels(tc.width, true), tc.width, 20, 20)
		second := 0
		ends := [2]float64{-20, -20}
		for _, l := range labels {
			for line, text := range [2]string{l.Text, l.more} {
				if text == "" {
					continue
				}
				second = max(second, line)
				w := canvas.LabelWidth(text)
				from := l.At*tc.width - w/2
				if l.pull {
					from = l.At * (tc.width - w)
				}
				if from < ends[line]-1 || from+w > tc.width+21 {
					t.Errorf("%.0f: %q begins at %.0f, and the name before ends at %.0f", tc.width, text, from, ends[line])
				}
				ends[line] = from + w
			}
		}
		if whole := len(labels) == len(tc.names); whole != (tc.lines > 0) || whole && second+1 != tc.lines {
			t.Errorf("%q on %.0f: %d names in %d lines, want %d lines", tc.names[0], tc.width, len(labels), second+1, tc.lines)
		}
	}
}
