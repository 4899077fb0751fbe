package panel

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
)

// textsOf are the texts with a look on a plot, each once: most are drawn for several widths.
func textsOf(c *canvas.Recorder, look canvas.Look) []string {
	var out []string
	for _, l := range c.Labels {
		if l.Look == look && !slices.Contains(out, l.Text) {
			out = append(out, l.Text)
		}
	}
	slices.Sort(out)
	return out
}

// A slope writes its values beside the names of both ends, unless labels is false: then the axis has the unit, and names alone are there.
func TestSlopeLabels(t *testing.T) {
	t.Parallel()
	rows := [][]any{{"a", int64(1), 10.0}, {"a", int64(2), 40.0}, {"b", int64(1), 30.0}, {"b", int64(2), 20.0}}
	for _, labels := range []*bool{nil, new(true), new(false)} {
		v := slopes("integer", "number sum", rows...)
		v.Spec.Panels[0].Labels = labels
		_, c := recorded(t, v, 0)
		want := []string{"10", "20", "30", "40"}
		if labels != nil && !*labels {
			want = nil
		}
		if got := textsOf(c, canvas.MarkedText); !slices.Equal(got, want) {
			t.Errorf("labels %v: values %q, want %q", labels, got, want)
		}
		if got := textsOf(c, canvas.ValueText); !slices.Equal(got, []string{"a", "b"}) {
			t.Errorf("labels %v: names %q", labels, got)
		}
		if len(c.Circles) == 0 || !strings.Contains(strings.Join(c.Circles[0].Title, ""), "40") {
			t.Errorf("labels %v: the tooltip has no value", labels)
		}
	}
}

// The axis of a slope has the ends that the spec gives it; values beyond these are left out, and readers and author are told so.
func TestSlopeRange(t *testing.T) {
	t.Parallel()
	rows := [][]any{{"a", int64(1), 10.0}, {"a", int64(2), 40.0}, {"b", int64(1), 30.0}, {"b", int64(2), 90.0}}
	for _, tc := range []struct {
		lo, hi       *float64
		scale        string
		places       []float64 // of the dots from the top: those of a, then those of b
		notes, codes string
	}{
		{new(0.0), new(100.0), "", []float64{0.1, 0.6, 0.7, 0.9}, "", ""},
		{new(1.0), new(100.0), "log", []float64{0.0228787, 0.1989700, 0.2614394, 0.5}, "The axis is logarithmic.", ""},
		{
			nil, new(50.0), "", []float64{0.25, 0.5, 1}, "Values outside the axis: 1.", "clipped panels[0].y_max",
		},
	} {
		v := slopes("integer", "number sum", rows...)
		spec := &v.Spec.Panels[0]
		spec.Scale = tc.scale
		spec.Range[dashboard.AxisY].Min, spec.Range[dashboard.AxisY].Max = tc.lo, tc.hi
		p, c := recorded(t, v, 0)
		var got []float64
		for _, d := range c.Circles[:len(c.Circles)/3] { // one of the three widths
			got = append(got, d.Y.V)
		}
		slices.Sort(got)
		if len(got) != len(tc.places) || !slices.EqualFunc(got, tc.places, func(a, b float64) bool { return a-b < 1e-6 && b-a < 1e-6 }) {
			t.Errorf("from %v to %v: dots at %v, want %v", tc.lo, tc.hi, got, tc.places)
		}
		if notes := strings.Join(p.Notes, " "); notes != tc.notes || codes(v) != tc.codes {
			t.Errorf("from %v to %v: notes %q, warnings %q", tc.lo, tc.hi, notes, codes(v))
		}
	}
}

// Spans have the value of their series in them, or how long they are, where there is room; those without are counted.
func TestTimelineLabels(t *testing.T) {
	t.Parallel()
	long, short := spanOf("a", "2026-01-01", "2026-03-31"), spanOf("b", "2026-02-01", "2026-02-01")
	for _, tc := range []struct {
		series       string
		labels       *bool
		want         []string
		notes, codes string
	}{
		{"", nil, nil, "", ""},
		{"", new(false), nil, "", ""},
		{"", new(true), []string{"90\u00a0d"}, "Values are written where there is room.", "left_out panels[0].labels"},
		{"s", new(true), []string{"sa"}, "Values are written where there is room.", "left_out panels[0].labels"},
	} {
		v := timelines("date", long, short)
		v.Spec.Panels[0].Series, v.Spec.Panels[0].Labels = tc.series, tc.labels
		p, c := recorded(t, v, 0)
		if got := textsOf(c, canvas.ValueText); !slices.Equal(got, tc.want) {
			t.Errorf("series %q, labels %v: %q, want %q", tc.series, tc.labels, got, tc.want)
		}
		for _, l := range c.Labels {
			if l.Look == canvas.ValueText && (l.X.V != 0 || l.Right != 6 || l.Y.V != 0.25) {
				t.Errorf("%q is at %v and %d pixels, %v", l.Text, l.X, l.Right, l.Y)
			}
		}
		if notes := strings.Join(p.Notes, " "); notes != tc.notes || codes(v) != tc.codes {
			t.Errorf("series %q: notes %q, warnings %q", tc.series, notes, codes(v))
		}
	}
}

// Changes of a waterfall and boxes that are highlighted keep their colours, and are drawn however small they are; the others are gray, but
// for totals.
func TestHighlightOfBars(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for i := range 20 {
		for k := range 3 {
			rows = append(rows, []any{fmt.Sprintf("n%02d", i), float64(100 - 5*i + k)})
		}
	}
	for _, tc := range []struct {
		panel dashboard.Panel
		gray  int // marks of others
		total bool
	}{
		{dashboard.Panel{Type: dashboard.Waterfall, Label: "name", Value: "n", Upright: true}, 6, true}, // five, and the rest
		{dashboard.Panel{Type: dashboard.Box, X: "name", Value: "n"}, 5, false},
	} {
		tc.panel.Highlight, tc.panel.Limit = []string{"n19"}, 5
		v := tiny([]dashboard.Panel{tc.panel}, []string{"name text", "n number sum"}, rows...)
		if tc.panel.Type == dashboard.Box {
			v.Spec.Datasets[0].Columns[1].Agg = dashboard.None
		}
		_, c := recorded(t, v, 0)
		count := map[canvas.Color]int{}
		for _, r := range c.Rects {
			count[r.Color]++
		}
		gray := canvas.OtherColor // in which the outline and the median of a box can be seen
		if tc.total {
			gray = canvas.PaleColor
		}
		if count[gray] != tc.gray || tc.total && count[canvas.OtherColor] != 1 {
			t.Errorf("%s: colours %v, want %d gray", tc.panel.Type, count, tc.gray)
		}
		delete(count, canvas.PaleColor)
		delete(count, canvas.OtherColor)
		if len(count) != 1 {
			t.Errorf("%s: colours %v beside gray", tc.panel.Type, count)
		}
		want := "cut panels[0].limit"
		if tc.total { // the rest is one bar
			want = ""
		}
		if codes(v) != want {
			t.Errorf("%s: warnings %q, want %q", tc.panel.Type, codes(v), want)
		}
	}
}

// Bars have the colours of a measure by a ramp, beside which it is in the legend, the table and a note, or those of a dimension, which is
// their series then.
func TestColorOfBars(t *testing.T) {
	t.Parallel()
	columns := []string{"name text", "part text", "n number sum", "m number sum"}
	rows := [][]any{{"a", "x", 40.0, 1.0}, {"b", "y", 30.0, 5.0}, {"c", "x", 20.0, 3.0}, {"d", "y", 10.0, nil}}
	for _, horizontal := range []bool{false, true} {
		bars := dashboard.Panel{Type: dashboard.Bar, X: "name", Y: []string{"n"}, Color: "m", Horizontal: horizontal}
		v := tiny([]dashboard.Panel{bars}, columns, rows...)
		p, c := recorded(t, v, 0)
		var got []canvas.Color
		for _, r := range c.Rects {
			got = append(got, r.Color)
		}
		ramp := p.Content.(*barPanel).tinted
		want := []canvas.Color{ramp.domain.color(1), ramp.domain.color(5), ramp.domain.color(3), canvas.NoLogColor}
		if !slices.Equal(got, want) || want[0] >= want[2] || want[2] >= want[1] {
			t.Errorf("horizontal %v: colours %v, want %v", horizontal, got, want)
		}
		if notes := strings.Join(p.Notes, " "); !strings.Contains(notes, "Colors show M. Gray: no data.") {
			t.Errorf("horizontal %v: notes %q", horizontal, notes)
		}
		if got := shown(p); !strings.HasPrefix(got, "a 40 1, b 30 5, c 20 3, d 10 ") {
			t.Errorf("horizontal %v: table %q", horizontal, got)
		}
		if doc := string(render(t, v)); !strings.Contains(doc, `class="ramp`) {
			t.Errorf("horizontal %v: no ramp", horizontal)
		}

		v.Spec.Panels[0].Color = "part"
		_, c = recorded(t, v, 0)
		got = nil
		for _, r := range c.Rects {
			got = append(got, r.Color)
		}
		if len(got) != 4 || got[0] != got[2] || got[1] != got[3] || got[0] == got[1] || got[0] > canvas.MaxSeries {
			t.Errorf("horizontal %v: colours of the dimension %v", horizontal, got)
		}
		if names := fmt.Sprint(c.Items); !strings.Contains(names, "x") || !strings.Contains(names, "y") {
			t.Errorf("horizontal %v: legend %s", horizontal, names)
		}
	}
}

// Lines and areas along names are in the order of sort, by a measure that they show or not, and limit keeps the largest or,
// sorted by them, the smallest.
func TestSortOfLines(t *testing.T) {
	t.Parallel()
	columns := []string{"name text", "n number sum", "m number sum"}
	rows := [][]any{{"a", 2.0, 9.0}, {"b", 4.0, 7.0}, {"c", 3.0, 8.0}, {"d", 1.0, 6.0}}
	for _, kind := range []string{dashboard.Line, dashboard.Area} {
		for sort, want := range map[string]string{
			"": "a 2, b 4, c 3", "-n": "b 4, c 3, a 2", "n": "d 1, a 2, c 3", "m": "b 4, c 3, a 2", "-name": "c 3, b 4, a 2",
		} {
			panel := dashboard.Panel{Type: kind, X: "name", Y: []string{"n"}, Sort: sort, Limit: 3}
			p, c := recorded(t, tiny([]dashboard.Panel{panel}, columns, rows...), 0)
			if got := shown(p); got != want {
				t.Errorf("%s sorted by %q: %s, want %s", kind, sort, got, want)
			}
			scale := leftAxis(t, c.Labels, false)
			for i, row := range p.Grid.Rows {
				y := scale(number(row[1])) * 1000
				if at := c.Curves[0].Points[i]; at.X != []int{0, 500, 1000}[i] || math.Abs(float64(at.Y)-y) > 1 {
					t.Errorf("%s sorted by %q: a point at %+v", kind, sort, at)
				}
			}
		}
	}
}
