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

// bounds returns the range of an axis.
func bounds(lo, hi *float64) dashboard.AxisRange { return dashboard.AxisRange{Min: lo, Max: hi} }

func ptr(v float64) *float64 { return &v }

// TestHistogramReferences: lines are at values of the bins. Averages, medians and extremes are over the counted rows, each with its weight.
// A line outside of the bins is reported.
func TestHistogramReferences(t *testing.T) {
	t.Parallel()
	values := []any{0.0, 1.0, 2.0, 2.0, 7.0, 10.0} // with the weights 1 2 3 1 2 3
	for _, tc := range []struct {
		kind, weight, name string
		value              float64
	}{
		{"average", "", "Average 3.7", 22. / 6},
		{"median", "", "Median 2", 2},
		{"min", "", "Lowest 0", 0},
		{"max", "", "Highest 10", 10},
		{"average", "w", "Average 4.5", 54. / 12},
		{"median", "w", "Median 2", 2},
		{"", "", "Goal 4", 4},
	} {
		v := histogramOf("number none", func(p *dashboard.Panel) {
			p.Weight, p.Bins = tc.weight, 5
			p.Reference = []dashboard.Reference{{Axis: dashboard.AxisX, Kind: tc.kind, Tone: "good"}}
			if tc.kind == "" {
				p.Reference[0].Value, p.Reference[0].Label = tc.value, "Goal"
			}
		}, values...)
		_, c := recorded(t, v, 0)
		var lines []float64
		for _, l := range c.Lines {
			if l.Stroke == canvas.ReferenceLine {
				lines = append(lines, l.X1.V)
			}
		}
		if len(lines) != 1 || math.Abs(lines[0]-tc.value/10) > 1e-12 {
			t.Errorf("%s by %q: lines at %v, want %v", tc.kind, tc.weight, lines, tc.value/10)
		}
		if !slices.ContainsFunc(c.Labels, func(l canvas.RecordedLabel) bool { return l.Text == tc.name }) {
			t.Errorf("%s by %q: no label %s in %v", tc.kind, tc.weight, tc.name, c.Labels)
		}
	}
	v := histogramOf("number none", func(p *dashboard.Panel) {
		p.Reference = []dashboard.Reference{{Axis: dashboard.AxisX, Value: 50, Label: "Goal"}, {Axis: dashboard.AxisX, From: ptr(4), To: ptr(6)}}
	}, values...)
	p, c := recorded(t, v, 0)
	if got := strings.Join(p.Notes, " "); got != "The line Goal 50 is outside the axis." || codes(v) != "clipped panels[0].reference" {
		t.Errorf("notes %q, warnings %s", got, codes(v))
	}
	if r := c.Rects[0]; !r.Shade || math.Abs(r.X.V-0.4) > 1e-12 || math.Abs(r.Width.V-0.2) > 1e-12 {
		t.Errorf("the range is drawn as %+v", r)
	}
}

// TestHistogramOfLogarithms: the edges of bins have equal ratios, begin at or below the lowest positive number, and each row is in one bin.
// Notes report the other rows.
func TestHistogramOfLogarithms(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		kind   string
		bins   int
		values []any
		names  string
		amount []float64
		note   string
	}{
		{"number none", 3, []any{1.0, 9.0, 10.0, 99.0, 100.0, 1000.0}, "1–<10 10–<100 100–1,000", []float64{2, 2, 2}, ""},
		{"number none", 4, []any{1.0, 3.15, 3.16, 99.0}, "1–<3.16 3.16–<10 10–<31.6 31.6–<100", []float64{2, 1, 0, 1}, ""},
		{"number none", 3, []any{0.0, -1.0, 0.1, 40.0, nil}, "0.1–<1 1–<10 10–<100", []float64{1, 0, 1}, "Left out, because not above zero: 2."},
		{"integer none", 3, []any{int64(1), int64(9), int64(10), int64(1000)}, "1–9 10–99 100–999 1,000–9,999", []float64{2, 1, 0, 1}, ""},
		{"integer none", 6, []any{int64(1), int64(2), int64(5), int64(60)}, "1 2–4 5–9 10–21 22–45 46–99", []float64{1, 1, 1, 0, 0, 1}, ""},
	} {
		v := histogramOf(tc.kind, func(p *dashboard.Panel) { p.Bins, p.Scale = tc.bins, "log_x" }, tc.values...)
		p, c := recorded(t, v, 0)
		h := p.Content.(*histogramPanel)
		if got := strings.Join(h.names, " "); got != tc.names || !slices.Equal(h.amount, tc.amount) {
			t.Errorf("%v in %d: %s with %v, want %s with %v", tc.values, tc.bins, got, h.amount, tc.names, tc.amount)
		}
		if notes := strings.Join(p.Notes, " "); !strings.Contains(notes, "The axis of x is logarithmic.") || !strings.Contains(notes, tc.note) {
			t.Errorf("%v: %q", tc.values, notes)
		}
		if tc.bins == 3 && tc.kind == "number none" {
			for _, r := range c.Rects {
				if math.Abs(r.Width.V-1./3) > 1e-9 {
					t.Errorf("%v: a bar is %v wide", tc.values, r.Width.V)
				}
			}
		}
	}
	v := histogramOf("number none", func(p *dashboard.Panel) { p.Scale = "log_x" }, 0.0, -3.0)
	if p := open(v).Panel(0); p.Empty != "No value is on the axis." {
		t.Errorf("nothing above zero: %q", p.Empty)
	}
}

// TestHistogramWithin: bins begin at x_min and end at x_max. Other rows are counted separately, and neither the median nor a line includes
// them.
func TestHistogramWithin(t *testing.T) {
	t.Parallel()
	values := []any{-4.0, 3.0, 5.0, 9.0, 17.0, 18.0, 40.0, nil}
	for _, tc := range []struct {
		lo, hi *float64
		bins   int
		names  string
		note   string
	}{
		{ptr(0), ptr(20), 4, "0–<5 5–<10 10–<15 15–20", "Values outside the axis: 2."},
		{ptr(3), nil, 4, "3–<13 13–<23 23–<33 33–<43", "Values outside the axis: 1."},
		{nil, ptr(18), 2, "−2–<8 8–18", "Values outside the axis: 1."},
		{ptr(1), ptr(22), 7, "1–<4 4–<7 7–<10 10–<13 13–<16 16–<19 19–22", "Values outside the axis: 2."},
	} {
		v := histogramOf("number none", func(p *dashboard.Panel) {
			p.Bins, p.Range[dashboard.AxisX] = tc.bins, bounds(tc.lo, tc.hi)
		}, values...)
		p := open(v).Panel(0)
		h := p.Content.(*histogramPanel)
		if got := strings.Join(h.names, " "); tc.lo != nil && got != tc.names {
			t.Errorf("%s, want %s", got, tc.names)
		}
		if notes := strings.Join(p.Notes, " "); !strings.Contains(notes, tc.note) {
			t.Errorf("%s: %q", tc.names, notes)
		}
		sum := 0.0
		for _, n := range h.amount {
			sum += n
		}
		if tc.lo != nil && tc.hi != nil && sum != 5 || !strings.Contains(p.Summary, fmt.Sprintf("%v values", sum)) {
			t.Errorf("%s: %v rows, and it says %s", tc.names, sum, p.Summary)
		}
	}
}

// TestHistogramOfSeries: the bars of series are outlines over each other, or on top of each other. Together they count all rows. If there
// are more than six series, the smallest are Other.
func TestHistogramOfSeries(t *testing.T) {
	t.Parallel()
	values := []any{1.0, 1.5, 2.5, 3.0, 3.5, 4.0} // of a b a b a b
	v := histogramOf("number none", func(p *dashboard.Panel) { p.Bins, p.Series = 4, "k" }, values...)
	p, c := recorded(t, v, 0)
	if len(c.Rects) > 0 || len(c.Areas) != 2 || len(c.Curves) != 2 || len(c.Items) != 2 {
		t.Fatalf("%d bars, %d areas, %d outlines, %d items", len(c.Rects), len(c.Areas), len(c.Curves), len(c.Items))
	}
	if want := "6 values from 1 to 4: most in 3–4 (3). Median: 2.75. Medians: a 2.5, b 3."; p.Summary != want {
		t.Errorf("%s, want %s", p.Summary, want)
	}
	csv, err := csvOfPanel(v, 0)
	if want := "N,a,b,Count\n1–<2,1,1,2\n2–<3,1,0,1\n3–4,1,2,3\n"; err != nil || string(csv) != want {
		t.Errorf("%s (%v), want %s", csv, err, want)
	}
	labels := true
	v.Spec.Panels[0].Stack, v.Spec.Panels[0].Labels = true, &labels
	_, c = recorded(t, v, 0)
	if len(c.Rects) != 5 || len(c.Curves) > 0 {
		t.Fatalf("%d bars, %d outlines", len(c.Rects), len(c.Curves))
	}
	for i, want := range [...][2]float64{{2. / 3, 1. / 3}, {1. / 3, 1. / 3}, {2. / 3, 1. / 3}, {2. / 3, 1. / 3}, {0, 2. / 3}} {
		if r := c.Rects[i]; math.Abs(r.Y.V-want[0]) > 1e-9 || math.Abs(r.Height.V-want[1]) > 1e-9 {
			t.Errorf("bar %d is at %v and %v high, want %v", i, r.Y.V, r.Height.V, want)
		}
	}
	for _, total := range []string{"2", "1", "3"} {
		if !slices.ContainsFunc(c.Labels, func(l canvas.RecordedLabel) bool { return l.Text == total && l.Look == canvas.ValueText }) {
			t.Errorf("no total %s over a stack", total)
		}
	}

	var rows [][]any
	for i := range 8 {
		for n := range 10 - i {
			rows = append(rows, []any{float64(n), string(rune('a'+i)) + "x"})
		}
	}
	many := tiny([]dashboard.Panel{{Type: dashboard.Histogram, Value: "n", Series: "k"}}, []string{"n number none", "k text"}, rows...)
	p, c = recorded(t, many, 0)
	var names []string
	for _, i := range c.Items {
		names = append(names, i.Name)
	}
	if got := strings.Join(names, " "); got != "ax bx cx dx ex fx Other" || codes(many) != "merged panels[0].series" {
		t.Errorf("series %s, warnings %s, notes %v", got, codes(many), p.Notes)
	}
}

// TestHistogramMarks: counts over the bars, tones of bars by their values, bars that the axis cuts off, and bins as a list.
func TestHistogramMarks(t *testing.T) {
	t.Parallel()
	values := []any{1.0, 1.5, 2.5, 3.0, 3.5, 4.0}
	labels := true
	v := histogramOf("number none", func(p *dashboard.Panel) { p.Bins, p.Labels = 4, &labels }, values...)
	_, c := recorded(t, v, 0)
	var texts []string
	for _, l := range c.Labels {
		if l.Look == canvas.ValueText {
			texts = append(texts, l.Text)
		}
	}
	if got := strings.Join(texts, " "); got != "2 1 3" {
		t.Errorf("counts %s", got)
	}
	v.Spec.Panels[0].Thresholds = []dashboard.Threshold{{If: ">=", Value: 2, Tone: "warn"}, {If: ">=", Value: 3, Tone: "bad"}}
	p, c := recorded(t, v, 0)
	var colors []canvas.Color
	for _, r := range c.Rects {
		colors = append(colors, r.Color)
	}
	if want := []canvas.Color{1, canvas.ToneColor("warn"), canvas.ToneColor("bad")}; !slices.Equal(colors, want) || len(c.Items) != 2 {
		t.Errorf("colours %v, want %v; legend %v", colors, want, c.Items)
	}
	if want := " ≥ 2: 1 of 6. ≥ 3: 3 of 6."; !strings.HasSuffix(p.Summary, want) {
		t.Errorf("%s, want %s", p.Summary, want)
	}
	v.Spec.Panels[0].Thresholds, v.Spec.Panels[0].Range[dashboard.AxisY] = nil, bounds(nil, ptr(2))
	p = open(v).Panel(0)
	if !strings.Contains(strings.Join(p.Notes, " "), "Values outside the axis: 1.") || codes(v) != "clipped panels[0].y_max" {
		t.Errorf("notes %v, warnings %s", p.Notes, codes(v))
	}
	v.Spec.Panels[0].Range[dashboard.AxisY], v.Spec.Panels[0].Horizontal = bounds(nil, nil), true
	_, c = recorded(t, v, 0)
	var rows []string
	for i, item := range c.Items {
		rows = append(rows, fmt.Sprintf("%s %s %.2f", item.Name, item.Value, c.Rects[i].Width.V))
	}
	if got := strings.Join(rows, ", "); got != "1–<2 2 0.67, 2–<3 1 0.33, 3–4 3 1.00" {
		t.Errorf("the list has %s", got)
	}
}
