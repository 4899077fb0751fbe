package panel

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
)

// TestFacetsShareTheirAxes: each small plot draws the rows of its value at the numbers that the test adds up, on axes that are the same for
// all plots.
func TestFacetsShareTheirAxes(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 1))
	sums := map[string]map[int]float64{}
	var rows [][]any
	for range 500 {
		name, d, v := string(rune('a'+r.IntN(5)))+"x", r.IntN(20), math.Round(r.NormFloat64()*100)/4
		if name == "cx" && d > 4 {
			continue // most of its days are missing
		}
		if sums[name] == nil {
			sums[name] = map[int]float64{}
		}
		sums[name][d] += v
		rows = append(rows, []any{day("2026-03-01").AddDate(0, 0, d), name, v})
	}
	for _, kind := range []string{dashboard.Line, dashboard.Bar} {
		v := tiny([]dashboard.Panel{{Type: kind, X: "day", Y: []string{"n"}, Facet: "name", Reference: []dashboard.Reference{{Kind: "max"}}}},
			[]string{"day date", "name text", "n number sum"}, rows...)
		v.Spec.Columns = []dashboard.Appearance{{Column: "name", Order: dashboard.Order{Values: []string{"ex", "dx", "cx", "bx", "ax"}}}}
		p, c := recorded(t, v, 0)
		f := p.Content.(*facetPanel)
		most, n := math.Inf(-1), 0
		for _, of := range sums {
			for _, v := range of {
				most, n = max(most, v), n+1
			}
		}
		if len(f.plots) != 5 || len(c.Plots) != 5 || len(p.Grid.Rows) != 5*20 {
			t.Fatalf("%s: %d plots, %d drawn, %d rows", kind, len(f.plots), len(c.Plots), len(p.Grid.Rows))
		}
		for i, name := range []string{"ex", "dx", "cx", "bx", "ax"} {
			plot := f.plots[i]
			if plot.Title != name || c.Plots[i].Title != name || c.Plots[i].Says == "" || c.Plots[i].Offset != 20*i {
				t.Errorf("%s: plot %d is %+v", kind, i, c.Plots[i])
			}
			if slices.Compare(c.Plots[i].Left, c.Plots[0].Left) != 0 {
				t.Errorf("%s: %s has other labels: %v", kind, name, c.Plots[i].Left)
			}
			axis := leftAxis(t, c.Plots[i].Labels, false)
			if y := axis(0); y != leftAxis(t, c.Plots[0].Labels, false)(0) || axis(most) < 0 {
				t.Errorf("%s: the axis of %s has zero at %v and %v at %v", kind, name, y, most, axis(most))
			}
			switch plot.plot.(type) {
			case *linePanel:
				points := c.Plots[i].Points(1)
				if len(points) != len(sums[name]) {
					t.Errorf("%s: %d points, want %d", name, len(points), len(sums[name]))
				}
				for _, at := range points {
					d := int(math.Round(float64(at.X) / 1000 * 19))
					if want := axis(sums[name][d]) * 1000; math.Abs(float64(at.Y)-want) > 1 {
						t.Errorf("%s: day %d at %d, want %v", name, d, at.Y, want)
					}
				}
			case *barPanel:
				bars, want := c.Plots[i].Rects, 0
				for _, v := range sums[name] {
					want += stat.One(v != 0)
				}
				if len(bars) != want {
					t.Errorf("%s: %d bars, want %d", name, len(bars), want)
				}
				for _, b := range bars {
					d := int((b.X.V + b.Width.V/2) * 20)
					y1, y2 := axis(max(sums[name][d], 0)), axis(min(sums[name][d], 0))
					if math.Abs(b.Y.V-y1) > 1e-9 || math.Abs(b.Height.V-max(y2-y1, 0.003)) > 1e-9 {
						t.Errorf("%s: day %d is drawn as %+v, want it from %v to %v", name, d, b, y1, y2)
					}
				}
			}
		}
		csv, err := csvOfPanel(v, 0)
		if err != nil || !strings.HasPrefix(string(csv), "Day,Name,N\n2026-03-01,ex,") || strings.Count(string(csv), "\n") != 101 {
			t.Errorf("%s: %v: %.80s", kind, err, csv)
		}
		if sketch := p.sketchText(); strings.Count(sketch, "\n") != 4 || !strings.HasPrefix(sketch, "ex ") {
			t.Errorf("%s: sketch\n%s", kind, sketch)
		}
		safe(t, render(t, v))
	}
}

// TestFacetsAreAlike: of many values the largest are drawn, and the rest is reported; an addition that one small plot cannot have is left
// out of all.
func TestFacetsAreAlike(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for i := range 30 {
		for d := range 3 {
			rows = append(rows, []any{day("2026-03-01").AddDate(0, 0, d), fmt.Sprintf("f%02d", i), string(rune('a' + d%2)), float64(100 - i)})
		}
	}
	columns := []string{"day date", "name text", "part text", "n number sum"}
	panel := dashboard.Panel{Type: dashboard.Area, X: "day", Y: []string{"n"}, Facet: "name", Series: "part", Stack: true}
	v := tiny([]dashboard.Panel{panel}, columns, rows...)
	p, c := recorded(t, v, 0)
	if n := len(c.Plots); n != 24 || c.Plots[23].Title != "f23" || codes(v) != "cut panels[0].facet" || len(c.Items) != 2 {
		t.Errorf("%d plots to %s, warnings %q", n, c.Plots[n-1].Title, codes(v))
	}
	if notes := strings.Join(p.Notes, " "); notes != "The 24 largest of 30 values of name; the rest is not drawn." {
		t.Errorf("notes %q", notes)
	}
	rows[0][3], rows[1][3] = 1000.0, -5.0
	v = tiny([]dashboard.Panel{panel}, columns, rows...)
	p, c = recorded(t, v, 0)
	if p.Content.(*facetPanel).plots[0].plot.(*linePanel).stacked || codes(v) != "cut panels[0].facet, key_ignored panels[0].stack" {
		t.Errorf("stacked; warnings %q", codes(v))
	}
	if n := strings.Count(strings.Join(p.Notes, " "), "Not stacked"); n != 1 || len(c.Plots) != 24 {
		t.Errorf("said %d times", n)
	}
}

// TestFacetsOfScatters: small plots of points have the same axes, and the points of their value.
func TestFacetsOfScatters(t *testing.T) {
	t.Parallel()
	var rows [][]any
	count := map[string]int{}
	for i := range 60 {
		name := string(rune('a' + i*i%3))
		count[name]++
		rows = append(rows, []any{name, float64(i), float64(i*i) / 7})
	}
	v := tiny([]dashboard.Panel{{Type: dashboard.Scatter, X: "x", Y: []string{"y"}, Facet: "name"}},
		[]string{"name text", "x number none", "y number none"}, rows...)
	p, c := recorded(t, v, 0)
	for i, plot := range p.Content.(*facetPanel).plots {
		drawn := c.Plots[i]
		if n := len(drawn.Circles); n != count[plot.Title] {
			t.Errorf("%s: %d points, want %d", plot.Title, n, count[plot.Title])
		}
		if !slices.Equal(drawn.Labels, c.Plots[0].Labels) {
			t.Errorf("%s has the axes %v, want %v", plot.Title, drawn.Labels, c.Plots[0].Labels)
		}
	}
	if len(c.Plots) != len(count) || slices.Compare(c.Names, []string{"Y", "X"}) != 0 {
		t.Errorf("%d plots, axes %v", len(c.Plots), c.Names)
	}
	html := render(t, v)
	safe(t, html)
	if got := strings.Count(string(html), `height="200"`); got != len(count) {
		t.Errorf("%d plots are 200 pixels high, want %d: points want height as much as width", got, len(count))
	}
}

// TestFacetsOfUncheckedSpecs: keys that the checks refuse together with a facet, or on a type without small plots, are not drawn and cause
// no panic: plots of one table have the same columns.
func TestFacetsOfUncheckedSpecs(t *testing.T) {
	t.Parallel()
	columns := []cube.Column{{Name: "day", Type: cube.Date}, {Name: "name", Type: cube.Text}, {Name: "n", Type: cube.Integer}}
	b := cube.NewBuilder(columns)
	for i := range 10 {
		for _, name := range []string{"few", "many"} {
			if name == "few" && i > 1 { // too few for an average
				continue
			}
			if err := b.Add([]any{now.AddDate(0, 0, -i), name, int64(i)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, panel := range map[string]dashboard.Panel{
		"average": {Type: dashboard.Line, X: "day", Y: []string{"n"}, Facet: "name", Average: 5, Trend: "linear"},
		"area":    {Type: dashboard.Area, X: "day", Y: []string{"n"}, Facet: "name", Average: 5},
		"combo":   {Type: dashboard.Combo, X: "day", Bars: []string{"n"}, Lines: []string{"n"}, Facet: "name"},
	} {
		s, err := dashboard.Parse([]byte(`{"title": "T", "datasets": [{"id": "d", "sql": "SELECT day, name, sum(n) AS n FROM t GROUP BY 1, 2",
			"columns": {"n": {"agg": "sum"}}}], "panels": [{"type": "table", "data": "d"}]}`))
		if err != nil {
			t.Fatal(err)
		}
		panel.Data = "d"
		s.Panels = []dashboard.Panel{panel}
		v := Input{Spec: s, Now: now, Cubes: map[string]*cube.Cube{"d": b.Cube()}}
		sums, _ := examine(v)
		if sums[0].Problem != "" || sums[0].Sketch == "" {
			t.Errorf("%s: problem %q, sketch %q", name, sums[0].Problem, sums[0].Sketch)
		}
		if doc := render(t, v); bytes.Contains(doc, []byte("fault in the service")) {
			t.Errorf("%s is not drawn", name)
		}
		if _, err := csvOfPanel(v, 0); err != nil {
			t.Errorf("%s as CSV: %v", name, err)
		}
	}
}
