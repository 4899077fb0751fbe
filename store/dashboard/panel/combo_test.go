package panel

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
)

// TestComboDrawsWhatIsThere: bars and points of lines are at the numbers that the test adds up, each on its axis.
func TestComboDrawsWhatIsThere(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 8))
	var rows [][]any
	amount, size := map[int]float64{}, map[int]float64{}
	for range 400 {
		d, a, s := r.IntN(40), math.Round(r.NormFloat64()*900)/8, int64(r.IntN(50))
		if d == 7 || d == 8 {
			continue // days without rows
		}
		rows = append(rows, []any{day("2026-03-01").AddDate(0, 0, d), a, s})
		amount[d] += a
		size[d] += float64(s)
	}
	v := tiny([]dashboard.Panel{{Type: dashboard.Combo, X: "day", Bars: []string{"amount"}, Lines: []string{"size"}}},
		[]string{"day date", "amount number sum currency", "size integer sum"}, rows...)
	p, c := recorded(t, v, 0)
	left, right := leftAxis(t, c.Labels, false), rightAxis(t, c.Labels)
	if len(c.Rects) != len(amount) || len(c.Curves) != 1 || len(c.Curves[0].Points) != len(size) {
		t.Fatalf("%d bars of %d, %d curves", len(c.Rects), len(amount), len(c.Curves))
	}
	for _, bar := range c.Rects {
		d := int(math.Floor((bar.X.V + bar.Width.V/2) * 40))
		from, to := left(0), left(amount[d])
		if math.Abs(bar.Y.V-min(from, to)) > 1e-9 || math.Abs(bar.Height.V-max(math.Abs(to-from), 0.003)) > 1e-9 {
			t.Errorf("day %d: a bar from %v, %v high; want it from %v to %v", d, bar.Y.V, bar.Height.V, from, to)
		}
	}
	for _, at := range c.Curves[0].Points {
		d := at.X * 40 / 1000
		if want := right(size[d]) * 1000; math.Abs(float64(at.Y)-want) > 0.5+1e-6 {
			t.Errorf("day %d: a point at %d, want %v", d, at.Y, want)
		}
	}
	if len(p.Grid.Rows) != 40 || p.Grid.Rows[7][1] != nil || p.Grid.Rows[9][2] != size[9] {
		t.Errorf("the table has %d rows, of day 9 %v, want %v", len(p.Grid.Rows), p.Grid.Rows[9], size[9])
	}
	if !c.Plots[0].Places.Bands || c.Plots[0].Right == nil {
		t.Errorf("drawn as %+v", c.Plots[0])
	}
}

// TestComboAxes: measures of one unit share an axis, those of two units have one each, with names, and the legend assigns them.
func TestComboAxes(t *testing.T) {
	t.Parallel()
	const above = "The axis on the right does not begin at zero."
	rows := [][]any{{"a", 1000.0, 400.0, 0.25, 3600.0}, {"b", 700.0, 600.0, 0.21, 7200.0}}
	columns := []string{
		"k text", "revenue number sum currency", "cost number sum currency2", "margin number avg percent1", "time number sum duration",
	}
	for _, tc := range []struct {
		bars, lines string
		names       string
		legend      string
		notes       string
	}{
		{"revenue", "cost", "", "Revenue | line Cost", ""},
		{"revenue cost", "margin", "Revenue and cost / Margin", "Revenue | Cost | line Margin (right axis)", above},
		{
			"margin", "revenue cost", "Margin / Revenue and cost",
			"Margin | line Revenue (right axis) | line Cost (right axis)", "",
		},
		{"time", "revenue", "Time / Revenue", "Time | line Revenue (right axis)", above},
		{"revenue", "cost time", "Revenue and cost / Time", "Revenue | line Cost | line Time (right axis)", above},
	} {
		v := tiny([]dashboard.Panel{{
			Type: dashboard.Combo, X: "k", Bars: strings.Fields(tc.bars), Lines: strings.Fields(tc.lines),
		}}, columns, rows...)
		p, c := recorded(t, v, 0)
		var legend []string
		for _, i := range c.Items {
			legend = append(legend, map[bool]string{true: "line "}[i.Line]+i.Name)
		}
		if got := strings.Join(legend, " | "); got != tc.legend {
			t.Errorf("%s and %s: legend %s, want %s", tc.bars, tc.lines, got, tc.legend)
		}
		if got := strings.Join(c.Names, " / "); got != tc.names {
			t.Errorf("%s and %s: axes %s, want %s", tc.bars, tc.lines, got, tc.names)
		}
		right := c.Plots[0].Right
		above := right != nil && !slices.ContainsFunc(right, func(s string) bool { return s != "" && !strings.ContainsAny(s, "123456789") })
		if above != (tc.notes != "") || strings.Join(p.Notes, " ") != tc.notes {
			t.Errorf("%s and %s: begins above zero: %t, notes %q", tc.bars, tc.lines, above, p.Notes)
		}
	}
}

// TestOneAxisForOneUnit: if a line is too small to be read next to bars of its unit, or the bars next to the line, the page reports it and
// keeps the shared axis.
func TestOneAxisForOneUnit(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		n, m        float64
		notes, code string
	}{
		{1000, 60, "", ""},
		{1000, 40, "Fee is too small to be read on the axis of net.", "one_axis panels[0].lines"},
		{40, 1000, "Net is too small to be read on the axis of fee.", "one_axis panels[0].lines"},
		{1000, 0, "", ""},
	} {
		v := tiny([]dashboard.Panel{{Type: dashboard.Combo, X: "k", Bars: []string{"net"}, Lines: []string{"fee"}}},
			[]string{"k text", "net number sum", "fee number sum integer"}, []any{"a", tc.n, tc.m}, []any{"b", tc.n / 2, tc.m / 2})
		p, c := recorded(t, v, 0)
		if got := strings.Join(p.Notes, " "); got != tc.notes || codes(v) != tc.code {
			t.Errorf("%v and %v: notes %q, warnings %q", tc.n, tc.m, got, codes(v))
		}
		if c.Plots[0].Right != nil || len(c.Names) > 0 {
			t.Errorf("%v and %v: there is a second axis", tc.n, tc.m)
		}
	}
}

// TestOneAxisForAll: with one_axis, lines of another unit are on the axis of the bars, which includes them.
func TestOneAxisForAll(t *testing.T) {
	t.Parallel()
	for _, one := range []bool{false, true} {
		v := tiny([]dashboard.Panel{{Type: dashboard.Combo, X: "k", Bars: []string{"net"}, Lines: []string{"fee", "paid"}, OneAxis: one}},
			[]string{"k text", "net number sum integer", "fee number sum currency", "paid number sum integer"},
			[]any{"a", 40.0, 90.0, 30.0}, []any{"b", 20.0, 50.0, 20.0})
		p, c := recorded(t, v, 0)
		if two := c.Plots[0].Right != nil; two == one || strings.Contains(p.Summary, "right axis") == one {
			t.Errorf("one_axis %v: a second axis %v; %s", one, two, p.Summary)
		}
		if left := p.Content.(*comboPanel).chart().Lay().Left; left[len(left)-1] != map[bool]string{false: "40", true: "100"}[one] {
			t.Errorf("one_axis %v: the axis of the bars has %q", one, left)
		}
		if got := codes(v); got != "" {
			t.Errorf("one_axis %v: warnings %s", one, got)
		}
	}
}

// TestTwoAxesForAll: with one_axis false, lines of the unit of the bars have an axis of their own.
func TestTwoAxesForAll(t *testing.T) {
	t.Parallel()
	spec, err := dashboard.Parse([]byte(`{"version": 1, "title": "T", "datasets": [{"id": "d", "sql": "SELECT 1"}], "panels": [
		{"type": "combo", "x": "k", "bars": "net", "lines": "fee", "one_axis": false},
		{"type": "combo", "x": "k", "bars": "net", "lines": "fee"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	v := tiny(spec.Panels, []string{"k text", "net number sum integer", "fee number sum integer"},
		[]any{"a", 4000.0, 9.0}, []any{"b", 2000.0, 5.0})
	for i, want := range []bool{true, false} {
		p, c := recorded(t, v, i)
		if two := c.Plots[0].Right != nil; two != want || strings.Contains(p.Summary, "right axis") != want {
			t.Errorf("panel %d: a second axis %v; %s", i, two, p.Summary)
		}
	}
}

// TestComboOfTimes: an axis of times is true to scale, an incomplete period is hatched and dashed, and a missing value breaks the line,
// like months without rows.
func TestComboOfTimes(t *testing.T) {
	t.Parallel()
	at := func(month int, n, m any) []any { return []any{day("2026-01-01").AddDate(0, month, 0), n, m} }
	v := tiny([]dashboard.Panel{{Type: dashboard.Combo, X: "day", Bars: []string{"n"}, Lines: []string{"m"}}},
		[]string{"day date", "n number sum", "m number sum percent"},
		at(0, 1.0, 0.1), at(1, 2.0, 0.2), at(4, 3.0, nil), at(5, 4.0, 0.3), at(9, 5.0, 0.4), at(10, 6.0, 0.5))
	p, c := recorded(t, v, 0)
	if n := c.Plots[0].Places.Columns; n != 11 {
		t.Errorf("%d places of 11 months", n)
	}
	var hatched int
	for _, r := range c.Rects {
		if r.Hatched {
			hatched++
		}
	}
	if hatched != 1 || !c.Curves[len(c.Curves)-1].Dashed || !strings.Contains(strings.Join(p.Notes, " "), "Nov 2026 is not over") {
		t.Errorf("%d bars are hatched, the line is %+v, notes %q", hatched, c.Curves, p.Notes)
	}
	var broken []int
	for _, curve := range c.Curves {
		for i, at := range curve.Points {
			if at.Broken {
				broken = append(broken, curve.Points[i].X)
			}
		}
	}
	if broken = slices.Compact(broken); !slices.Equal(broken, []int{500, 864}) {
		t.Errorf("broken at %v", broken)
	}
}

// TestComboLabels: the values of bars and lines are written together, or those of one kind alone.
func TestComboLabels(t *testing.T) {
	t.Parallel()
	for of, want := range map[string][2]bool{"": {true, true}, "bars": {true, false}, "lines": {false, true}} {
		panel := dashboard.Panel{
			Type: dashboard.Combo, X: "k", Bars: []string{"n"}, Lines: []string{"m"}, Labels: new(true), LabelsOf: of, Width: 12,
		}
		_, c := recorded(t, tiny([]dashboard.Panel{panel}, []string{"k text", "n integer sum", "m number sum percent"},
			[]any{"a", int64(101), 0.11}, []any{"b", int64(102), 0.12}), 0)
		var got [2]bool // values of bars, of lines
		for _, l := range c.Labels {
			if l.Look != canvas.AxisText {
				got[0], got[1] = got[0] || l.Text == "102", got[1] || l.Text == "12%"
			}
		}
		if got != want {
			t.Errorf("%q: %v, want %v", of, got, want)
		}
	}
}
