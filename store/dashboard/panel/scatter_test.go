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

// TestManyScatterPoints: if there are too many joined points, an even choice is drawn, with a note in the numbers of the page's
// language. The table has all points.
func TestManyScatterPoints(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		points, drawn int
		locale, note  string
		codes         string
	}{
		{4000, 4000, "en-US", "", ""},
		{5000, 4000, "en-US", "4,000 of 5,000 points are drawn, evenly chosen.", "cut panels[0].label"},
		{5000, 4000, "de-DE", "4.000 von 5.000 Punkten sind gezeichnet", "cut panels[0].label"},
	} {
		var rows [][]any
		for i := range tc.points {
			rows = append(rows, []any{fmt.Sprintf("n%04d", i), float64(i), float64(i * 7919 % 1000)})
		}
		v := tiny([]dashboard.Panel{{Type: dashboard.Scatter, X: "a", Y: []string{"b"}, Label: "name", Connect: "name"}},
			[]string{"name text", "a number sum", "b number sum"}, rows...)
		v.Spec.Locale = tc.locale
		p := open(v).Panel(0)
		spots := p.Content.(*scatterPanel).spots
		x := make([]float64, len(spots))
		for i, s := range spots {
			x[i] = s.x
		}
		slices.Sort(x)
		step := float64(tc.points) / float64(tc.drawn)
		for i := range x {
			if i > 0 && x[i]-x[i-1] > step+1 {
				t.Fatalf("of %d points, nothing is drawn from %v to %v", tc.points, x[i-1], x[i])
			}
		}
		doc := string(render(t, v))
		if n := strings.Count(doc, "<circle"); len(spots) != tc.drawn || n != tc.drawn {
			t.Errorf("of %d points %d are chosen and %d drawn, want %d", tc.points, len(spots), n, tc.drawn)
		}
		if notes := strings.Join(p.Notes, " "); codes(v) != tc.codes || !strings.HasPrefix(notes, tc.note) || tc.note == "" && notes != "" {
			t.Errorf("%d points: warnings %q, notes %q", tc.points, codes(v), notes)
		}
		if csv, err := csvOfPanel(v, 0); err != nil || strings.Count(string(csv), "\n") != tc.points+1 {
			t.Errorf("%d points: %d lines of CSV, %v", tc.points, strings.Count(string(csv), "\n"), err)
		}
	}
}

// More than 4,000 points are counted in cells, in each of which are the points that the recorder's axes put there. Legend, tooltips,
// sentence, note and warning have the counts, and the table has all points.
func TestDensity(t *testing.T) {
	t.Parallel()
	const points = 20_000
	r := rand.New(rand.NewPCG(5, 8))
	var rows [][]any
	for range points {
		rows = append(rows, []any{[]string{"old", "new"}[r.IntN(2)], math.Exp(r.NormFloat64()), 40 + 10*r.NormFloat64()})
	}
	for name, panel := range map[string]dashboard.Panel{
		"alone":       {},
		"logarithmic": {Scale: "log_x"},
		"trends":      {Series: "name", Trend: "linear"},
	} {
		panel.Type, panel.X, panel.Y = dashboard.Scatter, "a", []string{"b"}
		v := tiny([]dashboard.Panel{panel}, []string{"name text", "a number none", "b number none"}, rows...)
		p, c := recorded(t, v, 0)
		if len(c.Circles) > 0 || len(c.Rects) < 100 {
			t.Fatalf("%s: %d circles, %d cells", name, len(c.Circles), len(c.Rects))
		}
		total, most := 0, 0
		for _, cell := range c.Rects {
			var n int
			if _, err := fmt.Sscanf(strings.ReplaceAll(cell.Title[len(cell.Title)-1], ",", ""), "%d", &n); err != nil {
				t.Fatalf("%s: tooltip %q", name, cell.Title)
			}
			total, most = total+n, max(most, n)
		}
		if total != points {
			t.Errorf("%s: the cells have %d points, want %d", name, total, points)
		}
		last := c.Rects[len(c.Rects)-1]
		if got := last.Title[len(last.Title)-1]; got != p.Env.Number(float64(most), 0) || last.Color != canvas.BlueHue.Step(canvas.HeatSteps-1) {
			t.Errorf("%s: the last cell has %s points in color %d, want %d in the darkest", name, got, last.Color, most)
		}
		want := ": " + p.Env.Number(float64(most), 0) + "."
		if !strings.Contains(p.Summary, "Most are at A ") || !strings.Contains(p.Summary, want) {
			t.Errorf("%s: said as %q", name, p.Summary)
		}
		if key := p.Content.(*scatterPanel).key().Ramp; key == nil || key.Texts[len(key.Texts)-1] != p.Env.Number(float64(most), 0) {
			t.Errorf("%s: ramp %v", name, key)
		}
		if got := codes(v); got != "merged panels[0].label" {
			t.Errorf("%s: warnings %q", name, got)
		}
		if !slices.Contains(p.Notes, "20,000 points are counted in cells, whose colors show how many they have.") {
			t.Errorf("%s: notes %q", name, p.Notes)
		}
		if n := len(c.Curves); panel.Trend != "" && n != 2 {
			t.Errorf("%s: %d trends", name, n)
		}
		if csv, err := csvOfPanel(v, 0); err != nil || strings.Count(string(csv), "\n") != points+1 {
			t.Errorf("%s: %d lines of CSV, %v", name, strings.Count(string(csv), "\n"), err)
		}
	}
}

// BenchmarkDensity draws 100,000 points as cells: "all" works out the panel from its rows, "count" counts its points, and "draw", which
// may take 20 ms, draws the cells.
func BenchmarkDensity(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 8))
	var rows [][]any
	var spots []spot
	for range 100_000 {
		x, y := r.NormFloat64(), r.NormFloat64()
		rows, spots = append(rows, []any{x, y}), append(spots, spot{x: x, y: y})
	}
	v := tiny([]dashboard.Panel{{Type: dashboard.Scatter, X: "a", Y: []string{"b"}}}, []string{"a number none", "b number none"}, rows...)
	p := open(v).Panel(0)
	points := *p.Content.(*scatterPanel)
	b.Run("all", func(b *testing.B) {
		for b.Loop() {
			open(v).Panel(0)
		}
	})
	b.Run("count", func(b *testing.B) {
		for b.Loop() {
			own := *p
			points.Panel, points.spots, points.crowd = &own, spots, nil
			points.countSpots()
		}
	})
	b.Run("draw", func(b *testing.B) {
		for b.Loop() {
			points.Draw(&canvas.Recorder{})
		}
	})
}

// TestThinnedPointsKeepSmallSeries: if points are selected, each series, each small plot and each named point keeps some, and the note has
// the number of drawn points.
func TestThinnedPointsKeepSmallSeries(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for i := range 8_000 {
		kind, name := "common", fmt.Sprint("p", i)
		switch {
		case i == 7777:
			kind = "single"
		case i%3001 == 1:
			kind = "rare"
		case i%50 == 3:
			kind = "some"
		}
		rows = append(rows, []any{name, kind, float64(i % 101), float64(i % 97), float64(i % 11)})
	}
	columns := []string{"name text", "kind text", "x number sum", "y number sum", "v number avg"}
	for _, tc := range []struct {
		keys        string
		single, few int // points of the smallest and of the next series or plot
	}{
		{`"label": "name", "series": "kind", "highlight": ["rare"]`, 1, 3},
		{`"label": "name", "facet": "kind"`, 1, 3},
		{`"facet": "kind"`, 1, 3},
	} {
		v := tinySpec(t, `{"type": "scatter", "x": "x", "y": "y", `+tc.keys+`}`, columns, rows...)
		p := open(v).Panel(0)
		drawn, sum := map[string]int{}, 0
		if f, ok := p.Content.(*facetPanel); ok {
			for _, plot := range f.plots {
				drawn[plot.Title] = len(plot.plot.(*scatterPanel).spots)
			}
		} else {
			s := p.Content.(*scatterPanel)
			for _, spot := range s.spots {
				drawn[s.legend[spot.series].name]++
			}
		}
		for _, n := range drawn {
			sum += n
		}
		if drawn["single"] != tc.single || drawn["rare"] != tc.few || sum > scatterPoints || sum < scatterPoints*9/10 {
			t.Errorf("%s: %v of %d; %s %s", tc.keys, drawn, sum, p.Notes, p.Problem)
		}
		if note := fmt.Sprintf("%s of 8,000 points are drawn", p.Env.Number(float64(sum), 0)); p.Spec.Facet == "" &&
			!strings.Contains(strings.Join(p.Notes, " "), note) {
			t.Errorf("%s: %q, want %q", tc.keys, p.Notes, note)
		}
	}
	v := tinySpec(t, `{"type": "scatter", "x": "x", "y": "y", "label": "name", "color": "v", "names": ["p1111", "p7999"]}`, columns, rows...)
	named := 0
	for _, s := range open(v).Panel(0).Content.(*scatterPanel).spots {
		if s.first {
			named++
		}
	}
	if named != 2 {
		t.Errorf("%d of 2 named points are drawn", named)
	}
}
