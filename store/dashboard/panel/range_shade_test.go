package panel

import (
	"slices"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
	"service/store/dashboard/format"
)

// shadedOf returns the shaded ranges of a drawing.
func shadedOf(drawn *canvas.Recorder) []canvas.Rect {
	return slices.DeleteFunc(slices.Clone(drawn.Rects), func(r canvas.Rect) bool { return !r.Shade })
}

// tenValues is a view of ten values from 10 to 100 by name, with their tenths.
func tenValues(panel dashboard.Panel) Input {
	var rows [][]any
	for i := range 10 {
		rows = append(rows, []any{string(rune('a'+i)) + "x", float64(10 * (i + 1)), float64(i + 1)})
	}
	return tiny([]dashboard.Panel{panel}, []string{"k text", "n number sum number", "m number sum number"}, rows...)
}

// TestShadedReferences: a reference with two ends is shaded under the marks, within its axis; one without an end extends to the edge.
func TestShadedReferences(t *testing.T) {
	t.Parallel()
	number := func(v float64) *float64 { return &v }
	whole := canvas.Rect{Width: canvas.Of(1), Height: canvas.Of(1)}
	for _, tc := range []struct {
		name  string
		panel dashboard.Panel
		ref   dashboard.Reference
		want  canvas.Rect
		text  string
	}{
		{
			"of bars",
			dashboard.Panel{Type: dashboard.Bar, X: "k", Y: []string{"n"}},
			dashboard.Reference{From: number(25), To: number(50), Label: "Normal"},
			canvas.Rect{Width: canvas.Of(1), Y: canvas.Of(0.5), Height: canvas.Of(0.25)},
			"Normal 25 – 50",
		},
		{
			"to the top",
			dashboard.Panel{Type: dashboard.Bar, X: "k", Y: []string{"n"}},
			dashboard.Reference{From: number(75), Label: "Over 75"},
			canvas.Rect{Width: canvas.Of(1), Y: canvas.Of(0), Height: canvas.Of(0.25)},
			"Over 75",
		},
		{
			"to the bottom",
			dashboard.Panel{Type: dashboard.Bar, X: "k", Y: []string{"n"}},
			dashboard.Reference{To: number(50), Tone: "bad"},
			canvas.Rect{Width: canvas.Of(1), Y: canvas.Of(0.5), Height: canvas.Of(0.5), Tone: "bad"},
			"≤ 50",
		},
		{
			"beyond the values",
			dashboard.Panel{Type: dashboard.Bar, X: "k", Y: []string{"n"}},
			dashboard.Reference{From: number(100), To: number(200)},
			canvas.Rect{Width: canvas.Of(1), Y: canvas.Of(0), Height: canvas.Of(0.5)},
			"100 – 200",
		},
		{
			"on a logarithmic axis",
			dashboard.Panel{Type: dashboard.Line, X: "k", Y: []string{"n"}, Scale: "log"},
			dashboard.Reference{To: number(100)},
			whole, "≤ 100",
		},
		{
			"upright",
			dashboard.Panel{
				Type: dashboard.Scatter, X: "n", Y: []string{"m"},
				Range: [2]dashboard.AxisRange{dashboard.AxisX: {Min: number(0), Max: number(100)}},
			},
			dashboard.Reference{Axis: dashboard.AxisX, From: number(20), To: number(60)},
			canvas.Rect{X: canvas.Of(0.2), Width: canvas.Of(0.4), Height: canvas.Of(1)},
			"20 – 60",
		},
	} {
		tc.panel.Reference, tc.want.Shade = []dashboard.Reference{tc.ref}, true
		_, drawn := recorded(t, tenValues(tc.panel), 0)
		got := shadedOf(drawn)
		if len(got) != 1 || !sameShade(got[0], tc.want) {
			t.Errorf("%s: %+v, want %+v", tc.name, got, tc.want)
		}
		named := func(l canvas.RecordedLabel) bool { return strings.ReplaceAll(l.Text, format.NBSP, " ") == tc.text }
		if !slices.ContainsFunc(drawn.Labels, named) {
			t.Errorf("%s: no name %q", tc.name, tc.text)
		}
	}
}

// sameShade reports whether two shades are equal except for rounding.
func sameShade(a, b canvas.Rect) bool {
	close := func(a, b canvas.Coord) bool { return a.V-b.V < 1e-9 && b.V-a.V < 1e-9 }
	return close(a.X, b.X) && close(a.Y, b.Y) && close(a.Width, b.Width) && close(a.Height, b.Height) && a.Tone == b.Tone && a.Shade == b.Shade
}

// TestShadesOfOtherPanels: a range beyond the axis is reported to readers and author; in horizontal bars and small plots the legend names
// it.
func TestShadesOfOtherPanels(t *testing.T) {
	t.Parallel()
	number := func(v float64) *float64 { return &v }
	ref := []dashboard.Reference{{From: number(200), To: number(300), Label: "Far", Tone: "good"}}
	v := tenValues(dashboard.Panel{
		Type: dashboard.Line, X: "k", Y: []string{"n"}, Reference: ref, Range: [2]dashboard.AxisRange{dashboard.AxisY: {Max: number(100)}},
	})
	p, drawn := recorded(t, v, 0)
	if len(shadedOf(drawn)) > 0 || !strings.Contains(strings.Join(p.Notes, " "), "The line Far 200 – 300 is outside the axis.") ||
		codes(v) != "clipped panels[0].reference" {
		t.Errorf("beyond the axis: %v %s", p.Notes, codes(v))
	}
	for _, panel := range []dashboard.Panel{
		{Type: dashboard.Bar, X: "k", Y: []string{"n"}, Horizontal: true},
		{Type: dashboard.Bar, X: "k", Y: []string{"n"}, Facet: "k"},
	} {
		panel.Reference = ref
		_, drawn := recorded(t, tenValues(panel), 0)
		if n := len(shadedOf(drawn)); n != 10 {
			t.Errorf("%+v: %d shades, want one of each bar or plot", panel, n)
		}
		if !slices.ContainsFunc(drawn.Items, func(it canvas.Item) bool { return it.Shade && it.Tone == "good" && it.Name == "Far 200 – 300" }) {
			t.Errorf("%+v: the legend is %+v", panel, drawn.Items)
		}
	}
}

// TestNamesOfRangesKeepClear: the name of a range does not overlap a mark if there is a free place.
func TestNamesOfRangesKeepClear(t *testing.T) {
	t.Parallel()
	sc := chart.Scale{Lo: 0, Hi: 100, Step: 25}
	plots := [3]float64{300, 500, 800}
	r := chart.Reference{Shaded: true, Lo: 25, Hi: 75, Text: "Normal"}
	for _, marks := range [][]chart.Box{
		nil,
		{{X1: 0.7, X2: 1, Y1: 0.2, Y2: 0.45}},
		{{X1: 0.7, X2: 1, Y1: 0.2, Y2: 0.45}, {X1: 0, X2: 0.3, Y1: 0.2, Y2: 0.45}, {X1: 0.7, X2: 1, Y1: 0.55, Y2: 0.8}},
		{{X1: 0, X2: 1, Y1: 0.26, Y2: 0.74}},
	} {
		n := chart.NameLines([]chart.Reference{r}, sc, plotHeight, plots, marks, true)[0]
		b := n.Boxes(plots[0], plotHeight)[1]
		if slices.ContainsFunc(marks, b.Touches) || b.Y1 < 0 || b.Y2 > 1 {
			t.Errorf("%+v: the name is at %+v", marks, b)
		}
	}
}
