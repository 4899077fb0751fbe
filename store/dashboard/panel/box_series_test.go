package panel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
)

// TestBoxesOfSeriesAreExact: each value of a series has its own box at each value of x, computed from its rows alone, and each box is a
// row of the table behind, in the order in which the boxes are drawn.
func TestBoxesOfSeriesAreExact(t *testing.T) {
	t.Parallel()
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 6))
		want := map[string][]float64{}
		var rows [][]any
		for range 20 + r.IntN(300) {
			name, part, v := string(rune('a'+r.IntN(5)))+"x", string(rune('a'+r.IntN(4)))+"y", math.Round(r.NormFloat64()*100)
			rows = append(rows, []any{name, part, v})
			want[name+" "+part] = append(want[name+" "+part], v)
		}
		for _, horizontal := range []bool{false, true} {
			panel := dashboard.Panel{Type: dashboard.Box, X: "name", Series: "part", Value: "n", Horizontal: horizontal}
			p := open(tiny([]dashboard.Panel{panel}, []string{"name text", "part text", "n number none"}, rows...)).Panel(0)
			b := p.Content.(*boxPanel)
			if len(p.Grid.Rows) != len(b.boxes) || len(b.boxes) != len(b.split.x)*len(b.legend) {
				t.Fatalf("seed %d: %d boxes and %d rows of %d places and %d series",
					seed, len(b.boxes), len(p.Grid.Rows), len(b.split.x), len(b.legend))
			}
			seen := 0
			for i, f := range b.boxes {
				key := b.named(b.split.x[i/len(b.legend)], i)
				if row := fmt.Sprint(p.words(0, p.Grid.Rows[i][0]), " ", p.words(1, p.Grid.Rows[i][1])); row != key {
					t.Fatalf("seed %d: row %d is of %s, and the box of %s", seed, i, row, key)
				}
				if !f.there {
					continue
				}
				seen++
				low, q1, median, q3, high, outliers := quartilesOf(want[key])
				if got := [...]float64{f.low, f.q1, f.median, f.q3, f.high}; got != [...]float64{low, q1, median, q3, high} ||
					f.outliers != outliers || f.rows != len(want[key]) {
					t.Fatalf("seed %d, %s: %v, %d outliers of %d", seed, key, got, f.outliers, f.rows)
				}
			}
			if seen != len(want) {
				t.Errorf("seed %d: %d boxes, want %d", seed, seen, len(want))
			}
			checkSeriesDrawn(t, b)
		}
	}
}

// checkSeriesDrawn checks that all boxes are drawn, and none over another.
func checkSeriesDrawn(t *testing.T, b *boxPanel) {
	t.Helper()
	r := &canvas.Recorder{}
	h := b.chart()
	h.Room.Inside = 1000
	h.Draw(r)
	there := 0
	for _, f := range b.boxes {
		if f.there {
			there++
		}
	}
	if n := strings.Count(r.String(), "bold line"); n < there {
		t.Errorf("%d medians are drawn of %d", n, there)
	}
	for _, horizontal := range []bool{false, true} {
		step := b.step(horizontal)
		for i := 1; i < len(b.boxes); i++ {
			if gap := b.middle(i, step) - b.middle(i-1, step); gap < step-1e-9 {
				t.Errorf("boxes %d and %d of %d series are %v apart, and a step is %v", i-1, i, len(b.legend), gap, step)
			}
			row := int(b.middle(i, step) * float64(len(b.boxes)))
			if horizontal && row != i {
				t.Errorf("box %d of %d series is in row %d", i, len(b.legend), row)
			}
		}
	}
}

// TestBoxesOfSeriesAreBounded: panels with many series and many values draw a bounded number of boxes, and report what they leave out.
func TestBoxesOfSeriesAreBounded(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for name := range 40 {
		for part := range 12 {
			for k := range 3 + part%5 {
				rows = append(rows, []any{
					day("2026-01-01").AddDate(0, 0, 7*name), fmt.Sprintf("name %d", name), int64(name), fmt.Sprintf("part %d", part), float64(k * name),
				})
			}
		}
	}
	for _, x := range []string{"name", "day", "step"} {
		for _, facet := range []bool{false, true} {
			panel := dashboard.Panel{Type: dashboard.Box, X: x, Series: "part", Value: "n", Limit: 60}
			if x != "name" {
				panel.Limit = 0
			}
			if facet {
				panel.Facet = "step"
			}
			v := tiny([]dashboard.Panel{panel}, []string{"day date", "name text", "step integer", "part text", "n number none"}, rows...)
			p := open(v).Panel(0)
			var all []*boxPanel
			if f, ok := p.Content.(*facetPanel); ok {
				for _, plot := range f.plots {
					if b, ok := plot.plot.(*boxPanel); ok {
						all = append(all, b)
					}
				}
			} else {
				all = append(all, p.Content.(*boxPanel))
			}
			if len(all) == 0 {
				t.Errorf("%s, facet %v: nothing is drawn", x, facet)
			}
			for _, b := range all {
				if len(b.boxes) > groupBoxes+len(b.legend) || len(b.legend) > canvas.MaxSeries {
					t.Errorf("%s, facet %v: %d boxes of %d series", x, facet, len(b.boxes), len(b.legend))
				}
			}
			if !slices.ContainsFunc(p.Notes, func(s string) bool { return strings.Contains(s, "12 values of part; the rest is not drawn") }) {
				t.Errorf("%s, facet %v: it does not report the series that are left out: %q", x, facet, p.Notes)
			}
		}
	}
}

// TestBoxesLie: horizontal boxes are rows on every width, with whole names, also along times, alone and in small plots; boxes that are not
// horizontal stand where their names fit.
func TestBoxesLie(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for i := range 60 {
		name := []string{"Ax", "Bx", "A supplier of water and heat"}[i%3]
		rows = append(rows, []any{day("2026-01-01").AddDate(0, 0, 3*i), name, float64(i % 17)})
	}
	for _, x := range []string{"day", "name", ""} {
		for _, facet := range []string{"", "name"} {
			for _, horizontal := range []bool{true, false} {
				if x == facet && x != "" {
					continue
				}
				panel := dashboard.Panel{Type: dashboard.Box, X: x, Value: "n", Facet: facet, Horizontal: horizontal}
				if x == "day" {
					panel.Grain = "month"
				}
				v := tiny([]dashboard.Panel{panel}, []string{"day date", "name text", "n number none"}, rows...)
				r := &canvas.Recorder{}
				open(v).Panel(0).Content.Draw(r)
				drawn := r.String()
				if got := strings.Contains(drawn, " of 1 by "); got != horizontal && x != "name" || horizontal && strings.Contains(drawn, " bands ") {
					t.Errorf("x %q, facet %q, horizontal %v: drawn as\n%s", x, facet, horizontal, drawn)
				}
				for _, name := range map[string][]string{"day": {"Jan 2026", "May 2026"}, "name": {"A supplier of water", "Ax"}}[x] {
					if horizontal && !strings.Contains(drawn, name) {
						t.Errorf("x %q, facet %q: no row is named %s", x, facet, name)
					}
				}
			}
		}
	}
}
