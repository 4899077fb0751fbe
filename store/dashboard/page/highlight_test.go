package page

import (
	"fmt"
	"slices"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
)

// many is a panel over thirty values of name, in each of three years: the values of n00 are the smallest.
func many(panel dashboard.Panel) View {
	var rows [][]any
	for i := range 30 {
		for year := range 3 {
			part := "a"
			if i%2 > 0 {
				part = "b"
			}
			rows = append(rows, []any{fmt.Sprintf("n%02d", i), int64(2024 + year), part, float64(i + 1 + year), float64(60 - i)})
		}
	}
	return tiny([]dashboard.Panel{panel}, []string{"name text", "year integer", "part text", "v number sum", "w number sum"}, rows...)
}

// inPale returns the marks that have a colour, and the marks that recede.
func inPale[T any](marks []T, color func(T) canvas.Color) (lit, pale int) {
	for _, m := range marks {
		if c := color(m); c == canvas.PaleColor {
			pale++
		} else if c > 0 {
			lit++
		}
	}
	return lit, pale
}

// TestHighlight: highlighted values keep their colours, are drawn even if they are small, and are the only ones in the legend. All others
// are gray.
func TestHighlight(t *testing.T) {
	t.Parallel()
	two := []string{"n00", "n07"}
	type panel = dashboard.Panel
	for _, tc := range []struct {
		panel     panel
		lit, pale int
		names     []string // in the legend
	}{
		{panel{Type: dashboard.Line, X: "year", Y: []string{"v"}, Series: "name", Highlight: two}, 2, 28, two},
		{panel{Type: dashboard.Line, X: "year", Y: []string{"v"}, Series: "name", Highlight: []string{"nobody"}}, 10, 0, nil},
		{panel{Type: dashboard.Line, X: "year", Y: []string{"v"}, Series: "name", HighlightTop: 2}, 2, 28, []string{"n28", "n29"}},
		{panel{Type: dashboard.Bar, X: "name", Y: []string{"v"}, HighlightTop: 3, Upright: true, Limit: 12, Sort: "-v"}, 3, 12, nil},
		{panel{Type: dashboard.Bar, X: "year", Y: []string{"v"}, Series: "part", HighlightTop: 1}, 3, 3, []string{"b"}},
		{panel{Type: dashboard.Scatter, X: "w", Y: []string{"v"}, Label: "name", HighlightTop: 4}, 4, 26, nil},
		{panel{Type: dashboard.Slope, Label: "name", X: "year", Value: "v", HighlightTop: 2}, 12, 120, nil},
		{panel{Type: dashboard.Bar, X: "name", Y: []string{"v"}, Highlight: two, Upright: true, Limit: 12, Sort: "-v"}, 2, 12, nil},
		{panel{Type: dashboard.Bar, X: "name", Y: []string{"v"}, Horizontal: true, Highlight: two, Limit: 20, Sort: "-v"}, 2, 20, nil},
		{panel{Type: dashboard.Bar, X: "year", Y: []string{"v"}, Series: "part", Highlight: []string{"b"}}, 3, 3, []string{"b"}},
		{panel{Type: dashboard.Scatter, X: "w", Y: []string{"v"}, Label: "name", Highlight: two}, 2, 28, nil},
		{panel{Type: dashboard.Scatter, X: "w", Y: []string{"v"}, Label: "name", Series: "part", Highlight: two}, 2, 28, []string{"a", "b"}},
		{
			panel{Type: dashboard.Scatter, X: "w", Y: []string{"v"}, Label: "name", Series: "part", Highlight: []string{"a"}},
			15, 15,
			[]string{"a"},
		},
		{panel{Type: dashboard.Slope, Label: "name", X: "year", Value: "v", Highlight: two}, 12, 120, nil}, // both ends, on three widths
	} {
		p, drawn := recorded(t, many(tc.panel), 0)
		var lit, pale int
		switch tc.panel.Type {
		case dashboard.Line:
			lit, pale = inPale(drawn.Curves, func(c canvas.Curve) canvas.Color { return c.Color })
			if first := drawn.Curves[0].Color; pale > 0 && first != canvas.PaleColor {
				t.Error("a gray line is drawn over others")
			}
		case dashboard.Bar:
			rects := slices.DeleteFunc(slices.Clone(drawn.Rects), func(r canvas.Rect) bool { return r.Color == 0 })
			lit, pale = inPale(rects, func(r canvas.Rect) canvas.Color { return r.Color })
		default:
			lit, pale = inPale(drawn.Circles, func(c canvas.Circle) canvas.Color { return c.Color })
		}
		if lit != tc.lit || pale != tc.pale {
			t.Errorf("%s by %s: %d in colour, %d gray; want %d, %d", tc.panel.Type, tc.panel.Series, lit, pale, tc.lit, tc.pale)
		}
		var names []string
		for _, it := range drawn.Items {
			names = append(names, it.Name)
		}
		if tc.names != nil && !slices.Equal(names, tc.names) || tc.names == nil && slices.Contains(names, "a") {
			t.Errorf("%s by %s: the legend has %q, want %q (%s)", tc.panel.Type, tc.panel.Series, names, tc.names, p.Summary)
		}
	}
}

// TestHighlightOfNothing: a highlighted value that no row has causes a warning.
func TestHighlightOfNothing(t *testing.T) {
	t.Parallel()
	v := many(dashboard.Panel{Type: dashboard.Bar, X: "name", Y: []string{"v"}, Highlight: []string{"n01", "nobody"}, Limit: 40})
	warnings := Warnings(v)
	const want = `no row has the value "nobody" in "name".`
	if len(warnings) != 1 || warnings[0].Code != dashboard.WarnColorsUnused || warnings[0].Message != want {
		t.Errorf("%+v", warnings)
	}
}

// TestPointNames: a scatter names the points that its key names selects.
func TestPointNames(t *testing.T) {
	t.Parallel()
	named := func(panel dashboard.Panel) []string {
		panel.Type, panel.X, panel.Y, panel.Label = dashboard.Scatter, "w", []string{"v"}, "name"
		_, drawn := recorded(t, many(panel), 0)
		return drawn.Texts(canvas.MarkedText, 2)
	}
	if got := named(dashboard.Panel{Names: dashboard.NamesNone}); len(got) != 0 {
		t.Errorf("none: %q", got)
	}
	auto, all := named(dashboard.Panel{}), named(dashboard.Panel{Names: dashboard.NamesAll})
	if len(auto) > 25 || len(all) <= len(auto) {
		t.Errorf("auto names %d, all %d", len(auto), len(all))
	}
	middle := "n15" // the outermost points are named first
	if slices.Contains(named(dashboard.Panel{}), middle) {
		t.Error("the one in the middle is named by itself")
	}
	if got := named(dashboard.Panel{Named: []string{middle}}); !slices.Contains(got, middle) {
		t.Errorf("not named: %q", got)
	}
	if got := named(dashboard.Panel{Highlight: []string{middle}}); !slices.Equal(got, []string{middle}) {
		t.Errorf("of gray points are named: %q", got)
	}
}

// TestConnect: points are joined in the order of a column, separately for each series, and the ends and turns of the path are named.
func TestConnect(t *testing.T) {
	t.Parallel()
	v := tiny([]dashboard.Panel{{Type: dashboard.Scatter, X: "x", Y: []string{"y"}, Connect: "year", Label: "year", Series: "part"}},
		[]string{"year integer", "part text", "x number sum", "y number sum"},
		[]any{int64(2022), "a", 3.0, 9.0}, []any{int64(2020), "a", 1.0, 1.0}, []any{int64(2021), "a", 2.0, 2.0},
		[]any{int64(2023), "a", 9.0, 3.0},
		[]any{int64(2020), "b", 9.0, 9.0}, []any{int64(2021), "b", 1.0, 8.0}, []any{int64(2022), "b", 0.5, 7.0})
	_, drawn := recorded(t, v, 0)
	if len(drawn.Curves) != 2 {
		t.Fatalf("%d paths", len(drawn.Curves))
	}
	var x []int
	for _, p := range drawn.Curves[0].Points {
		x = append(x, p.X)
	}
	if len(x) != 4 || !slices.IsSorted(x) {
		t.Errorf("a goes through x = %v", x)
	}
	if b := drawn.Curves[1].Points; len(b) != 3 || b[0].X < b[1].X {
		t.Errorf("b goes through %v", b)
	}
	if got := drawn.Texts(canvas.MarkedText, 2); !slices.Equal(got, []string{"2020", "2020", "2022", "2022", "2023"}) {
		t.Errorf("named: %q", got)
	}
}
