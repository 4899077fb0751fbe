package panel

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"service/store/dashboard"
)

// TestManyScatterPoints: if there are too many points, an even choice is drawn, with a note in the numbers of the page's language. The
// table has all points.
func TestManyScatterPoints(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		points, drawn int
		locale, note  string
		codes         string
	}{
		{2000, 2000, "en-US", "", ""},
		{5000, 2000, "en-US", "2,000 of 5,000 points are drawn, evenly chosen.", "cut panels[0].label"},
		{5000, 2000, "de-DE", "2.000 von 5.000 Punkten sind gezeichnet", "cut panels[0].label"},
	} {
		var rows [][]any
		for i := range tc.points {
			rows = append(rows, []any{fmt.Sprintf("n%04d", i), float64(i), float64(i * 7919 % 1000)})
		}
		v := tiny([]dashboard.Panel{{Type: dashboard.Scatter, X: "a", Y: []string{"b"}, Label: "name"}},
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
