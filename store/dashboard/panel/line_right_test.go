package panel

import (
	"math"
	"slices"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
)

// TestLinesHaveTwoAxes: the measures of y2 are lines at their values on the right axis; the others, and reference lines, are on the left
// axis.
func TestLinesHaveTwoAxes(t *testing.T) {
	t.Parallel()
	n, q := []float64{110, 130, 120, 125}, []float64{0.31, 0.36, 0.33, 0.35}
	var rows [][]any
	for i := range n {
		rows = append(rows, []any{day("2026-03-01").AddDate(0, i, 0), n[i], q[i]})
	}
	columns := []string{"day date", "n number sum", "q number sum percent"}
	bound := func(v float64) *float64 { return &v }
	for name, tc := range map[string]struct {
		panel   dashboard.Panel
		outside int // values on the right that are cut off
	}{
		"line":        {dashboard.Panel{Type: dashboard.Line}, 0},
		"area":        {dashboard.Panel{Type: dashboard.Area}, 0},
		"log":         {dashboard.Panel{Type: dashboard.Line, Scale: "log"}, 0},
		"bounds":      {dashboard.Panel{Type: dashboard.Line, RangeY2: dashboard.AxisRange{Min: bound(0), Max: bound(0.4)}}, 0},
		"cut":         {dashboard.Panel{Type: dashboard.Line, RangeY2: dashboard.AxisRange{Max: bound(0.34)}}, 2},
		"left bounds": {dashboard.Panel{Type: dashboard.Line, Range: [2]dashboard.AxisRange{dashboard.AxisY: {Min: bound(100)}}}, 0},
	} {
		spec := tc.panel
		spec.X, spec.Y, spec.Y2, spec.Reference = "day", []string{"n"}, []string{"q"}, []dashboard.Reference{{Value: 115}}
		v := tiny([]dashboard.Panel{spec}, columns, rows...)
		p, c := recorded(t, v, 0)
		left, right := leftAxis(t, c.Labels, spec.Scale == "log"), rightAxis(t, c.Labels)
		check := func(of canvas.Color, values []float64, at func(float64) float64) {
			points := c.Plots[0].Points(of)
			if len(points) != len(values) {
				t.Errorf("%s: %d points of colour %v, want %d", name, len(points), of, len(values))
				return
			}
			for i, p := range points {
				if want := at(values[i]) * 1000; math.Abs(float64(p.Y)-want) > 0.5+1e-9 {
					t.Errorf("%s: the value %v is at %d, want %v", name, values[i], p.Y, want)
				}
			}
		}
		check(1, n, left)
		if tc.outside == 0 {
			check(2, q, right)
		}
		if c.Names[0] != "N" || c.Names[1] != "Q" || len(c.Plots[0].Right) < 3 {
			t.Errorf("%s: the axes are called %q, and the right one has %q", name, c.Names, c.Plots[0].Right)
		}
		items := slices.DeleteFunc(slices.Clone(c.Items), func(i canvas.Item) bool { return i.Mark }) // lines without a free place
		if len(items) != 2 || items[0].Name != "N" || items[1].Name != "Q (right axis)" {
			t.Errorf("%s: the legend is %v", name, items)
		}
		if !strings.Contains(p.Summary, "Lines on the right axis: Q.") {
			t.Errorf("%s: %s", name, p.Summary)
		}
		notes := strings.Join(p.Notes, " ")
		cut := strings.Contains(notes, "Values outside the axis on the right: 2.")
		if cut != (tc.outside > 0) || cut != (codes(v) == "clipped panels[0].y2_max") {
			t.Errorf("%s: notes %q, warnings %q", name, notes, codes(v))
		}
		if starts := strings.Contains(notes, "The axis on the right does not begin at zero."); starts != (name == "area") {
			t.Errorf("%s: %q", name, notes)
		}
		if heads := len(p.Grid.Columns); heads != 3 || !slices.Equal(p.Grid.Rows[1][1:], []any{130.0, 0.36}) {
			t.Errorf("%s: the table has %d columns and the row %v", name, heads, p.Grid.Rows[1])
		}
	}
}

// TestStacksHaveASecondAxis: a stack, and its shares, include only the measures on the left.
func TestStacksHaveASecondAxis(t *testing.T) {
	t.Parallel()
	for _, percent := range []bool{false, true} {
		v := tiny([]dashboard.Panel{{
			Type: dashboard.Area, X: "day", Y: []string{"a", "b"}, Y2: []string{"q"}, Stack: true, Percent: percent,
		}}, []string{"day date", "a number sum", "b number sum", "q number sum"},
			[]any{day("2026-03-01"), 10.0, 30.0, 500.0}, []any{day("2026-04-01"), 20.0, 20.0, 700.0})
		p, c := recorded(t, v, 0)
		if l := p.Content.(*linePanel); len(l.split.series) != 2 || len(l.right.series) != 1 || !slices.Equal(p.Totals, []string{"40", "40"}) {
			t.Errorf("%d series on the left, %d on the right, totals %q", len(l.split.series), len(l.right.series), p.Totals)
		}
		right := rightAxis(t, c.Labels)
		for i, at := range c.Plots[0].Points(3) {
			if want := right([]float64{500, 700}[i]) * 1000; math.Abs(float64(at.Y)-want) > 0.5+1e-9 {
				t.Errorf("point %d is at %d, want %v", i, at.Y, want)
			}
		}
		safe(t, render(t, v))
	}
}

// TestCombosHaveARangeOnTheRight: y2_min and y2_max are the ends of the right axis of a combo.
func TestCombosHaveARangeOnTheRight(t *testing.T) {
	t.Parallel()
	lo, hi := 0.3, 0.4
	v := tiny([]dashboard.Panel{{
		Type: dashboard.Combo, X: "name", Bars: []string{"n"}, Lines: []string{"q"}, RangeY2: dashboard.AxisRange{Min: &lo, Max: &hi},
	}}, []string{"name text", "n number sum", "q number sum percent"}, []any{"a", 5.0, 0.31}, []any{"b", 7.0, 0.45})
	p, c := recorded(t, v, 0)
	right := rightAxis(t, c.Labels)
	if !samePlace(right(lo), 1) || !samePlace(right(hi), 0) || codes(v) != "clipped panels[0].y2_max" {
		t.Errorf("the axis ends at %v and %v, warnings %q", right(lo), right(hi), codes(v))
	}
	if !strings.Contains(strings.Join(p.Notes, " "), "Values outside the axis on the right: 1.") {
		t.Errorf("%q", p.Notes)
	}
}
