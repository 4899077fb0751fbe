package panel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
)

// bounded returns a bound of an axis, as a spec has it.
func bounded(v float64) *float64 { return &v }

// days returns rows of a day and a number each.
func days(values ...any) (out [][]any) {
	for i, v := range values {
		out = append(out, []any{day("2026-01-01").AddDate(0, 0, i), v})
	}
	return out
}

var dayColumns = []string{"day date", "n number sum"}

// TestLogLines: a logarithmic line is at the logarithms of its values, has gaps where these do not exist, and a note reports their number.
func TestLogLines(t *testing.T) {
	t.Parallel()
	line := dashboard.Panel{Type: dashboard.Line, X: "day", Y: []string{"n"}, Scale: "log"}
	p := open(tiny([]dashboard.Panel{line}, dayColumns, days(1.0, 100.0, 0.0, 10.0, -5.0)...)).Panel(0)
	points := record(p).Points(1)
	want := []canvas.Point{{X: 0, Y: 1000}, {X: 250, Y: 0}, {X: 750, Y: 500, Broken: true}}
	if !cmp.Equal(points, want, cmp.AllowUnexported(canvas.Point{})) {
		t.Errorf("points %v, want %v", points, want)
	}
	const said = "The axis is logarithmic. Left out, because not above zero: 2."
	if got := strings.Join(p.Notes, " "); got != said {
		t.Errorf("notes %q", got)
	}
	v := tiny([]dashboard.Panel{line}, dayColumns, days(1.0, 100.0, 0.0, 10.0, -5.0)...)
	if got := codes(v); got != "left_out panels[0].scale" {
		t.Errorf("warnings %q", got)
	}
	if s := summaries(v)[0]; !strings.Contains(s.Text, said) || !strings.Contains(s.Sketch, "\n 10 ┈┈┈┈┈┈┈┈┈●●") ||
		!strings.Contains(s.Sketch, "\n  1 ●●┈") || !strings.Contains(s.Sketch, "100 ┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈●●") {
		t.Errorf("%s\n%s", s.Text, s.Sketch)
	}
	p = open(tiny([]dashboard.Panel{line}, dayColumns, days(0.0, -1.0)...)).Panel(0)
	if p.Content != nil || p.Empty != "No value is on the axis." {
		t.Errorf("nothing above zero: %q", p.Empty)
	}
}

// TestRanges: a line beyond the range of an axis is cut where it meets the edge, and the cut is reported.
func TestRanges(t *testing.T) {
	t.Parallel()
	line := func(kind string, lo, hi *float64) Input {
		panel := dashboard.Panel{Type: kind, X: "day", Y: []string{"n"}, Range: [2]dashboard.AxisRange{{Min: lo, Max: hi}}}
		return tiny([]dashboard.Panel{panel}, dayColumns, days(0.0, 100.0, 0.0)...)
	}
	v := line(dashboard.Line, nil, bounded(50))
	p := open(v).Panel(0)
	points := record(p).Points(1)
	want := []canvas.Point{{X: 0, Y: 1000}, {X: 250, Y: 0}, {X: 750, Y: 0, Broken: true}, {X: 1000, Y: 1000}}
	if !cmp.Equal(points, want, cmp.AllowUnexported(canvas.Point{})) {
		t.Errorf("points %v, want %v", points, want)
	}
	if got := strings.Join(p.Notes, " "); got != "Values outside the axis: 1." {
		t.Errorf("notes %q", got)
	}
	if got := codes(v); got != "clipped panels[0].y_max" {
		t.Errorf("warnings %q", got)
	}
	area := record(open(line(dashboard.Area, nil, bounded(50))).Panel(0)).Areas[0].Points
	want = []canvas.Point{{X: 0, Y: 1000}, {X: 250, Y: 0}, {X: 500, Y: 0}, {X: 750, Y: 0}, {X: 1000, Y: 1000}}
	if !cmp.Equal(area, want, cmp.AllowUnexported(canvas.Point{})) {
		t.Errorf("filled to %v, want %v", area, want)
	}
	for _, tc := range []struct {
		lo, hi *float64
		note   string
	}{
		{bounded(20), nil, "Values outside the axis: 2."},
		{bounded(20), bounded(60), "3"},
		{bounded(-10), bounded(200), ""},
	} {
		p := open(line(dashboard.Line, tc.lo, tc.hi)).Panel(0)
		if strings.HasPrefix(tc.note, "3") {
			if p.Content != nil || p.Empty != "No value is on the axis." {
				t.Errorf("no value inside: %q", p.Empty)
			}
			continue
		}
		if got := strings.Join(p.Notes, " "); got != tc.note {
			t.Errorf("notes %q, want %q", got, tc.note)
		}
		axis := leftAxis(t, record(p).Labels, false)
		if tc.lo != nil && !samePlace(axis(*tc.lo), 1) || tc.hi != nil && !samePlace(axis(*tc.hi), 0) {
			t.Errorf("the axis does not end at its bounds: they are at %v and %v", axis(*tc.lo), axis(*tc.hi))
		}
	}
}

// TestBarsAreCut: bars that extend beyond the axis have a gap at their end, vertical and horizontal ones.
func TestBarsAreCut(t *testing.T) {
	t.Parallel()
	for _, horizontal := range []bool{false, true} {
		bars := dashboard.Panel{
			Type: dashboard.Bar, X: "k", Y: []string{"n"}, Horizontal: horizontal,
			Range: [2]dashboard.AxisRange{{Min: bounded(-10), Max: bounded(50)}},
		}
		v := tiny([]dashboard.Panel{bars}, []string{"k text", "n number sum"}, []any{"a", 500.0}, []any{"b", 25.0}, []any{"c", -20.0})
		p := open(v).Panel(0)
		drawn := record(p)
		if n := len(drawn.Strokes(canvas.CutLine)); n != 2 {
			t.Errorf("%d gaps, want 2:\n%s", n, drawn)
		}
		if got := strings.Join(p.Notes, " "); got != "Values outside the axis: 2." {
			t.Errorf("notes %q", got)
		}
		if got := codes(v); got != "clipped panels[0].y_max" {
			t.Errorf("warnings %q", got)
		}
	}
}

// TestPercentStacks: shares of stacks equal those that the test computes, on the plot, in the table and in words.
func TestPercentStacks(t *testing.T) {
	t.Parallel()
	rows := [][]any{
		{day("2026-01-01"), "x", 30.0},
		{day("2026-01-01"), "y", 10.0},
		{day("2026-01-02"), "x", 1.0},
		{day("2026-01-02"), "y", 1.0},
		{day("2026-01-03"), "y", 5.0},
	}
	columns := []string{"day date", "s text", "n number sum"}
	panel := func(kind string) dashboard.Panel {
		return dashboard.Panel{Type: kind, X: "day", Y: []string{"n"}, Series: "s", Stack: true, Percent: true}
	}
	p := open(tiny([]dashboard.Panel{panel(dashboard.Bar)}, columns, rows...)).Panel(0)
	var got []string
	for _, bar := range record(p).Rects {
		got = append(got, fmt.Sprintf("%.4g", bar.Height.V))
	}
	if s := strings.Join(got, " "); s != "0.75 0.25 0.5 0.5 1" {
		t.Errorf("bars of %s", s)
	}
	if got := strings.Join(record(p).Values(2), " "); got != "100% 25% 50% 50% 75%" {
		t.Errorf("written: %s", got)
	}
	p = open(tiny([]dashboard.Panel{panel(dashboard.Area)}, columns, rows...)).Panel(0)
	tops := [][]canvas.Point{{{X: 0, Y: 0}, {X: 500, Y: 0}, {X: 1000, Y: 0}}, {{X: 0, Y: 250}, {X: 500, Y: 500}, {X: 1000, Y: 1000}}}
	for i, area := range record(p).Areas { // the topmost first
		if !cmp.Equal(area.Points, tops[i], cmp.AllowUnexported(canvas.Point{})) {
			t.Errorf("area %d is up to %v, want %v", i, area.Points, tops[i])
		}
	}
	v := tiny([]dashboard.Panel{panel(dashboard.Area)}, columns, rows...)
	if doc := string(render(t, v)); !strings.Contains(doc, "<td>30 · 75.0%</td><td>10 · 25.0%</td><td>40</td>") {
		t.Error("the table behind has no shares")
	}
	if s := summaries(v)[0].Text; s != "3 points from Jan 1, 2026 to Jan 3, 2026: x 0.0%, y 100.0% at the latest." {
		t.Error(s)
	}
	horizontal := panel(dashboard.Bar)
	horizontal.Horizontal, horizontal.X, horizontal.Series = true, "s", "day"
	p = open(tiny([]dashboard.Panel{horizontal}, columns, rows...)).Panel(0)
	if drawn := record(p).String(); !strings.Contains(drawn, `"x" 97% · 3% · –`) {
		t.Error(drawn)
	}
	rows[0][2] = -30.0
	v = tiny([]dashboard.Panel{panel(dashboard.Bar)}, columns, rows...)
	if got := codes(v); got != "key_ignored panels[0].stack" || open(v).Panel(0).Parts != nil {
		t.Errorf("negative values: %q", got)
	}
}

// TestReferencesOfAllAxes: horizontal bars have short marks at their reference lines, which the legend names; a scatter chart has lines at
// values of both axes.
func TestReferencesOfAllAxes(t *testing.T) {
	t.Parallel()
	lines := []dashboard.Reference{{Value: 3, Label: "Goal", Tone: "good"}, {Kind: "max"}}
	v := tiny([]dashboard.Panel{{Type: dashboard.Bar, X: "k", Y: []string{"n"}, Horizontal: true, Reference: lines}},
		[]string{"k text", "n integer sum"}, []any{"a", int64(1)}, []any{"b", int64(4)})
	drawn := record(open(v).Panel(0)).String()
	for _, want := range []string{
		`item 0 mark good "Goal 3"`, `item 0 mark "Highest 4"`,
		"mark line 75.0%,- to 75.0%,100.0% good",
	} {
		if !strings.Contains(drawn, want) {
			t.Errorf("no %s:\n%s", want, drawn)
		}
	}
	if n := strings.Count(drawn, "line 75.0%,-"); n != 2 || codes(v) != "" {
		t.Errorf("%d marks, warnings %q", n, codes(v))
	}

	lines = []dashboard.Reference{{Kind: "average", Axis: dashboard.AxisX}, {Kind: "average"}, {Value: 99, Axis: dashboard.AxisX}}
	v = tiny([]dashboard.Panel{{
		Type: dashboard.Scatter, X: "a", Y: []string{"b"}, Label: "k", Reference: lines,
		Range: [2]dashboard.AxisRange{{Min: bounded(0), Max: bounded(8)}, {Min: bounded(0), Max: bounded(10)}},
	}}, []string{"k text", "a number sum", "b number sum"}, []any{"p", 2.0, 6.0}, []any{"q", 3.0, 2.0})
	p := open(v).Panel(0)
	drawn = record(p).String()
	for _, want := range []string{
		"reference line 25.0%,- to 25.0%,100.0%", `"Average 2.5"`, "reference line -,50.0% to 100.0%,50.0%", `"Average 4"`,
	} {
		if !strings.Contains(drawn, want) {
			t.Errorf("no %s:\n%s", want, drawn)
		}
	}
	if got := strings.Join(p.Notes, " "); got != "The line 99 is outside the axis." || codes(v) != "clipped panels[0].reference" {
		t.Errorf("notes %q, warnings %q", got, codes(v))
	}
}

// TestScatterAxes: points of a scatter chart are at their values on both axes, and points outside are counted.
func TestScatterAxes(t *testing.T) {
	t.Parallel()
	rows := [][]any{{"a", 1.0, 1.0}, {"b", 100.0, 10.0}, {"c", 10000.0, 100.0}, {"d", 0.0, 5.0}, {"e", 50.0, -1.0}}
	view := func(scale string, x, y dashboard.AxisRange) Input {
		return tiny([]dashboard.Panel{{
			Type: dashboard.Scatter, X: "x", Y: []string{"y"}, Label: "k", Scale: scale,
			Range: [2]dashboard.AxisRange{dashboard.AxisX: x, dashboard.AxisY: y},
		}}, []string{"k text", "x number sum", "y number sum"}, rows...)
	}
	var none dashboard.AxisRange
	for _, tc := range []struct {
		scale  string
		x, y   dashboard.AxisRange
		points int
		note   string
		codes  string
	}{
		{"log", none, none, 3, "Both axes are logarithmic. Left out, because not above zero: 2.", "left_out panels[0].scale"},
		{"log_x", none, none, 4, "The axis of x is logarithmic. Left out, because not above zero: 1.", "left_out panels[0].scale"},
		{"", dashboard.AxisRange{Max: bounded(60)}, dashboard.AxisRange{}, 3, "Points outside the axes: 2.", "clipped panels[0].x_max"},
		{"", dashboard.AxisRange{}, dashboard.AxisRange{Min: bounded(500)}, 0, "Points outside the axes: 5.", "clipped panels[0].y_min"},
	} {
		v := view(tc.scale, tc.x, tc.y)
		p := open(v).Panel(0)
		if got := strings.Join(p.Notes, " "); got != tc.note || codes(v) != tc.codes {
			t.Errorf("%s: notes %q, warnings %q", tc.scale, got, codes(v))
		}
		if tc.points == 0 {
			if p.Empty == "" {
				t.Error("it is not empty")
			}
			continue
		}
		dots := record(p).Circles
		if n := len(dots); n != tc.points {
			t.Errorf("%s: %d points, want %d", tc.scale, n, tc.points)
		}
		if tc.scale == "log" {
			for i, want := range []float64{0, 0.5, 1} {
				if d := dots[i]; math.Abs(d.X.V-want) > 1e-9 || math.Abs(d.Y.V-(1-want)) > 1e-9 {
					t.Errorf("point %d lies at %v, %v", i, d.X.V, d.Y.V)
				}
			}
		}
	}
}

// TestAxesOfAnything: for any numbers and axes, every mark is on the plot.
func TestAxesOfAnything(t *testing.T) {
	t.Parallel()
	place := regexp.MustCompile(`NaN|Inf|[0-9]{9}%|[ML ]-?[0-9]{5,}`)
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 11))
		var rows [][]any
		for i := range 1 + r.IntN(40) {
			for s := range 1 + r.IntN(3) {
				v := any(r.NormFloat64() * []float64{1, 1e5, 1e300, 1e-300, 0}[r.IntN(5)])
				if r.IntN(9) == 0 {
					v = nil
				}
				rows = append(rows, []any{day("2026-01-01").AddDate(0, 0, i), fmt.Sprint(s), v, float64(i)})
			}
		}
		var panels []dashboard.Panel
		for range 12 {
			p := dashboard.Panel{
				Type: []string{dashboard.Line, dashboard.Area, dashboard.Bar, dashboard.Scatter}[r.IntN(4)], X: "day", Y: []string{"n"}, Width: 6,
				Stack: r.IntN(2) == 0, Percent: r.IntN(2) == 0, Horizontal: r.IntN(3) == 0, Labels: on(r.IntN(2) == 0),
				Reference: []dashboard.Reference{{Value: r.NormFloat64()}, {Kind: "average"}, {Kind: "max"}},
			}
			if r.IntN(2) == 0 {
				p.Series = "s"
			}
			if r.IntN(2) == 0 && (p.Type == dashboard.Line || p.Type == dashboard.Scatter) {
				p.Scale = "log"
			}
			if bound := r.NormFloat64() * 10; r.IntN(2) == 0 {
				p.Range[dashboard.AxisY] = dashboard.AxisRange{Min: bounded(min(bound, 0)), Max: bounded(max(bound, 0.5))}
				if p.Scale == "log" {
					p.Range[dashboard.AxisY] = dashboard.AxisRange{Max: bounded(math.Abs(bound) + 0.01)}
				}
			}
			if p.Type == dashboard.Scatter {
				p.X, p.Y = "i", []string{"n"}
				p.Reference[0].Axis = dashboard.AxisX
			}
			panels = append(panels, p)
		}
		doc := string(render(t, tiny(panels, []string{"day date", "s text", "n number sum", "i number sum"}, rows...)))
		if found := place.FindString(doc); found != "" {
			t.Errorf("seed %d: %q", seed, found)
		}
	}
}
