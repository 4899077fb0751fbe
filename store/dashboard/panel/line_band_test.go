package panel

import (
	"slices"
	"strings"
	"testing"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
)

// banded is a line with a band behind it, with a row for each day; a zero is a missing value.
func banded(panel dashboard.Panel, rows ...[3]float64) Input {
	panel.Type, panel.X, panel.Y = dashboard.Line, "day", []string{"v"}
	panel.Band = &dashboard.Band{Low: "lo", High: "hi", Label: panel.Label}
	panel.Label = ""
	var of [][]any
	for i, row := range rows {
		cells := []any{day("2026-03-01").AddDate(0, 0, i)}
		for _, v := range row {
			if v == 0 {
				cells = append(cells, nil)
			} else {
				cells = append(cells, v)
			}
		}
		of = append(of, cells)
	}
	columns := []string{"day date", "v number avg number1", "lo number min number1", "hi number max number1"}
	return tiny([]dashboard.Panel{panel}, columns, of...)
}

// TestBands: a band is the area between its ends, which the axis includes. The table has both ends, and values outside are counted. It is
// broken where an end is missing, and a single place is a line.
func TestBands(t *testing.T) {
	t.Parallel()
	v := banded(dashboard.Panel{}, [3]float64{5, 4, 8}, [3]float64{3, 4, 8}, [3]float64{9, 0, 8}, [3]float64{9, 4, 20}, [3]float64{5, 0, 8},
		[3]float64{0, 4, 8}, [3]float64{0, 2, 8})
	p, drawn := recorded(t, v, 0)
	if want := "Lo – Hi: 1 of 3 values outside."; !strings.HasSuffix(p.Summary, want) {
		t.Errorf("%s, want %s at the end", p.Summary, want)
	}
	if n := len(drawn.Areas); n != 2 || len(drawn.Areas[0].Points) != 2 || len(drawn.Areas[1].Points) != 2 {
		t.Errorf("%d areas: %+v", n, drawn.Areas)
	}
	alone := slices.DeleteFunc(slices.Clone(drawn.Lines), func(l canvas.Line) bool { return l.Stroke != canvas.ThinLine })
	if len(alone) != 1 || alone[0].X1.V != 0.5 || alone[0].Y1.V >= alone[0].Y2.V {
		t.Errorf("the place alone: %+v", alone)
	}
	if left := drawn.Plots[0].Left; left[len(left)-1] != "20" {
		t.Errorf("the axis reaches %v", left)
	}
	line := p.Content.(*linePanel).split.series[0].color
	if !slices.ContainsFunc(drawn.Items, func(it canvas.Item) bool { return it.Pale && it.Name == "Lo – Hi" && it.Color == line }) {
		t.Errorf("the key is %+v", drawn.Items)
	}
	v.Spec.Columns = []dashboard.Appearance{{Column: "hi", Color: "gray"}}
	_, gray := recorded(t, v, 0)
	if gray.Areas[0].Color != canvas.OtherColor || !slices.ContainsFunc(gray.Items, func(it canvas.Item) bool {
		return it.Name == "Lo – Hi" && it.Color == canvas.OtherColor
	}) {
		t.Errorf("the band has the colour %d, want gray", gray.Areas[0].Color)
	}
	csv, err := csvOfPanel(v, 0)
	if err != nil || !strings.HasPrefix(string(csv), "Day,V,Lo,Hi\n2026-03-01,5,4,8\n") {
		t.Errorf("%s %v", csv, err)
	}
}

// TestReversedBands: ends in the wrong order are drawn as a range, and counted.
func TestReversedBands(t *testing.T) {
	t.Parallel()
	v := banded(dashboard.Panel{Label: "Expected"}, [3]float64{5, 4, 8}, [3]float64{5, 8, 4}, [3]float64{5, 4, 8})
	p, drawn := recorded(t, v, 0)
	if !strings.HasSuffix(p.Summary, "Expected: 0 of 3 values outside.") {
		t.Error(p.Summary)
	}
	if notes := strings.Join(p.Notes, " "); notes != "At 1 place the low end of the band is above the high one." {
		t.Error(notes)
	}
	if got := codes(v); got != "doubtful panels[0].band" {
		t.Error(got)
	}
	for i, at := range drawn.Areas[0].Points {
		if at.Y != drawn.Areas[0].Points[0].Y || drawn.Areas[0].Under[i].Y <= at.Y {
			t.Errorf("%+v over %+v", drawn.Areas[0].Points, drawn.Areas[0].Under)
		}
	}
}

// TestBandsBeyondTheAxis: if the axis ends before a band does, the band stays on the plot, and both edges have points at the same places.
func TestBandsBeyondTheAxis(t *testing.T) {
	t.Parallel()
	top, bottom := 8.0, 5.0
	v := banded(dashboard.Panel{}, [3]float64{6, 4, 7}, [3]float64{6, 5.5, 12}, [3]float64{6, 9, 12}, [3]float64{6, 3, 4},
		[3]float64{6, 3, 12})
	v.Spec.Panels[0].Range[dashboard.AxisY] = dashboard.AxisRange{Min: &bottom, Max: &top}
	p, drawn := recorded(t, v, 0)
	a := drawn.Areas[0]
	if len(a.Points) != len(a.Under) || len(a.Points) < 8 {
		t.Fatalf("%d points over %d", len(a.Points), len(a.Under))
	}
	for i := range a.Points {
		if a.Points[i].X != a.Under[i].X || a.Points[i].Y < 0 || a.Under[i].Y > 1000 || a.Points[i].Y > a.Under[i].Y {
			t.Errorf("point %d: %+v over %+v", i, a.Points[i], a.Under[i])
		}
	}
	if notes := strings.Join(p.Notes, " "); notes != "Values outside the axis: 8." {
		t.Error(notes)
	}
	v = banded(dashboard.Panel{Scale: "log"}, [3]float64{6, -4, 7}, [3]float64{6, 5, 12}, [3]float64{6, 9, 12})
	if _, drawn := recorded(t, v, 0); len(drawn.Areas) != 1 || len(drawn.Areas[0].Points) != 2 {
		t.Errorf("on a logarithmic axis: %+v", drawn.Areas)
	}
}

// TestBandsOfManyPoints: a band of very many points keeps the widest range at each place.
func TestBandsOfManyPoints(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for i := range 5000 {
		hi := 2.0
		if i == 2500 {
			hi = 9
		}
		rows = append(rows, []any{day("2026-03-01").Add(time.Duration(i) * time.Hour), 1.0, 1.0, hi})
	}
	v := tiny([]dashboard.Panel{{Type: dashboard.Line, X: "at", Y: []string{"v"}, Band: &dashboard.Band{Low: "lo", High: "hi"}}},
		[]string{"at timestamp", "v number none", "lo number none", "hi number none"}, rows...)
	_, drawn := recorded(t, v, 0)
	least := 1000
	for _, at := range drawn.Areas[0].Points {
		least = min(least, at.Y)
	}
	if n := len(drawn.Areas[0].Points); n > 1001 || least > 110 {
		t.Errorf("%d points, the highest at %d", n, least)
	}
}

// A band that is drawn nowhere, and one that has only one end at some places, are reported with counts.
func TestBandsWithOneEnd(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name     string
		rows     [][3]float64
		note     string
		advice   string
		drawn    int
		inLegend bool
	}{
		{
			"no high end",
			[][3]float64{{5, 4, 0}, {6, 4, 0}, {7, 0, 0}},
			"The band is not drawn: no place has both Lo and Hi.",
			`of 3 places, "lo" has a value at 2 and "hi" at 0`, 0, false,
		},
		{
			"ends at different places",
			[][3]float64{{5, 4, 0}, {6, 0, 8}},
			"The band is not drawn: no place has both Lo and Hi.",
			`of 2 places, "lo" has a value at 1 and "hi" at 1`, 0, false,
		},
		{
			"one end at a place",
			[][3]float64{{5, 4, 8}, {6, 4, 8}, {7, 4, 0}, {7, 0, 0}},
			"At 1 place only one end of the band has a value; the band is not drawn there.",
			`has a value, so that the band is not drawn: 1 of 4.`, 1, true,
		},
		{"both ends", [][3]float64{{5, 4, 8}, {6, 4, 8}, {7, 0, 0}}, "", "", 1, true},
	} {
		v := banded(dashboard.Panel{}, tc.rows...)
		p, drawn := recorded(t, v, 0)
		if notes := strings.Join(p.Notes, " "); notes != tc.note {
			t.Errorf("%s: notes %q, want %q", tc.name, notes, tc.note)
		}
		if n := len(drawn.Areas); n != tc.drawn {
			t.Errorf("%s: %d areas, want %d", tc.name, n, tc.drawn)
		}
		if named := slices.ContainsFunc(drawn.Items, func(it canvas.Item) bool { return it.Pale && it.Name == "Lo – Hi" }); named != tc.inLegend {
			t.Errorf("%s: the band is in the legend: %t", tc.name, named)
		}
		var advice []string
		for _, w := range warnings(v) {
			if w.Code == dashboard.WarnLeftOut && w.Path == "panels[0].band" {
				advice = append(advice, w.Message)
			}
		}
		if text := strings.Join(advice, " "); !strings.Contains(text, tc.advice) || tc.advice == "" && text != "" {
			t.Errorf("%s: warned %q, want %q", tc.name, text, tc.advice)
		}
	}
}
