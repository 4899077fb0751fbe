package panel

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
)

// TestTones: a value has the tone of the nearest condition that it meets, which overrides the ramp; a measure as the limit is that of the
// same cell, and a cell without it has no tone.
func TestTones(t *testing.T) {
	t.Parallel()
	columns := []string{"a text", "b text", "n number sum", "goal number sum"}
	rows := [][]any{{"p", "x", 10.0, 5.0}, {"p", "y", 20.0, 30.0}, {"q", "x", 30.0, 30.0}, {"q", "y", 40.0, nil}}
	good, bad, info := canvas.ToneColor("good"), canvas.ToneColor("bad"), canvas.ToneColor("info")
	byGoal := []dashboard.Threshold{{If: ">=", By: "goal", Tone: "good"}, {If: "<", By: "goal", Tone: "bad"}}
	steps := []dashboard.Threshold{{If: ">=", Value: 20, Tone: "good"}, {If: ">=", Value: 40, Tone: "info"}, {
		If: "<=", Value: 10,
		Tone: "bad",
	}}
	for _, panel := range []dashboard.Panel{
		{Type: dashboard.Heatmap, X: "b", Y: []string{"a"}, Value: "n"},
		{
			Type: dashboard.Pivot, Rows: []string{"a"}, Columns: []dashboard.TableColumn{{Column: "b"}}, Values: []string{"n"}, NoTotals: true,
			Heat: "all",
		},
	} {
		ramp := canvas.BlueHue.Step(6)
		for _, tc := range []struct {
			thresholds []dashboard.Threshold
			want       []canvas.Color
			says       string
		}{
			{steps, []canvas.Color{bad, good, good, info}, " ≥ 20: 2 of 4. ≥ 40: 1 of 4. <= 10: 1 of 4."},
			{byGoal, []canvas.Color{good, bad, good, ramp}, " ≥ Goal: 2 of 4. < Goal: 1 of 4."},
		} {
			panel.Thresholds = tc.thresholds
			v := tiny([]dashboard.Panel{panel}, columns, rows...)
			s := shadesOf(v, 0)
			if !slices.Equal(s.cells, tc.want) {
				t.Errorf("%s: colours %v, want %v", panel.Type, s.cells, tc.want)
			}
			if got := open(v).Panel(0).Summary; !strings.HasSuffix(got, strings.ReplaceAll(tc.says, "<=", "≤")) {
				t.Errorf("%s: says %q, want %q", panel.Type, got, tc.says)
			}
			safe(t, render(t, v))
		}
	}
}

// TestTonesOfTotals: thresholds apply to totals of a pivot and of a table, whose rows can have the tone of a value.
func TestTonesOfTotals(t *testing.T) {
	t.Parallel()
	columns := []string{"a text", "b text", "n number sum", "goal number sum"}
	rows := [][]any{{"p", "x", 10.0, 5.0}, {"p", "y", 20.0, 30.0}, {"q", "x", 30.0, 30.0}, {"q", "y", 45.0, nil}}
	v := tiny([]dashboard.Panel{
		{
			Type: dashboard.Pivot, Rows: []string{"a"}, Columns: []dashboard.TableColumn{{Column: "b"}}, Values: []string{"n"},
			Thresholds: []dashboard.Threshold{{If: ">=", By: "goal", Tone: "good"}},
		},
		{
			Type: dashboard.Table, TotalRow: true, Sort: "a", Columns: []dashboard.TableColumn{{Column: "a"}, {Column: "n"}},
			Thresholds: []dashboard.Threshold{
				{Column: "n", If: ">=", By: "goal", Tone: "good", Row: true}, {Column: "n", If: "<", By: "goal", Tone: "bad", Row: true},
			},
		},
	}, columns, rows...)
	good, bad := canvas.ToneColor("good"), canvas.PaleTone("bad")
	p := open(v).Panel(0).Content.(*pivotPanel)
	line := p.crossLine(p.Ways(), pivotLine{line: -1}, p.columns())
	for i, want := range []canvas.Color{good, good, good} { // 40 of 35, 65 of 30, 105 of 65
		if line.Cells[i].Color != want {
			t.Errorf("total %d of the pivot has %v, want %v", i, line.Cells[i].Color, want)
		}
	}
	table := open(v).Panel(1).Content.(*tablePanel)
	table.ways = table.Panel.Ways()
	for row, want := range []canvas.Color{bad, canvas.PaleTone("good")} { // 30 of 35, 75 of 30
		for column := range 2 {
			if c := table.cell(row, column); c.Heat != want {
				t.Errorf("row %d, column %d: %v, want %v", row, column, c.Heat, want)
			}
		}
	}
	if c := table.cell(0, 1); c.Tone != "bad" {
		t.Errorf("the value has the tone %q", c.Tone)
	}
	if foot := table.foot.cells(table); foot[0].Heat != canvas.PaleTone("good") || foot[1].Tone != "good" {
		t.Errorf("the total is %+v", foot)
	}
	v.Query = url.Values{"p1.q": {"p"}}
	if foot := open(v).Panel(1).Content.(*tablePanel).foot; foot != nil && foot.cells(table)[1].Tone != "bad" {
		t.Errorf("of the row that is found, the total is %+v", foot.cells(table))
	}
}

// TestTonesCountValuesOfTheirColumn: the sentence counts the values of the column that a threshold is about, and a threshold without a
// column is about all of them.
func TestTonesCountValuesOfTheirColumn(t *testing.T) {
	t.Parallel()
	v := tiny([]dashboard.Panel{{
		Type: dashboard.Pivot, Rows: []string{"a"}, Columns: []dashboard.TableColumn{{Column: "b"}}, Values: []string{"n", "m"},
		Thresholds: []dashboard.Threshold{{Column: "m", If: "<", Value: 3, Tone: "bad"}, {If: ">=", Value: 20, Tone: "good"}},
	}}, []string{"a text", "b text", "n number sum", "m number sum"},
		[]any{"p", "x", 10.0, 1.0}, []any{"p", "y", 20.0, 5.0}, []any{"q", "x", 30.0, 2.0}, []any{"q", "y", 45.0, nil})
	if said := open(v).Panel(0).Summary; !strings.Contains(said, "< 3: 2 of 3.") || !strings.Contains(said, "≥ 20: 3 of 7.") {
		t.Errorf("said %q", said)
	}
}

// TestTonesOfMarks: bars and points have tones, and the legend has the conditions. See TestLimitsOfUnfinishedPeriods for running periods.
func TestTonesOfMarks(t *testing.T) {
	t.Parallel()
	good, bad := canvas.ToneColor("good"), canvas.ToneColor("bad")
	thresholds := []dashboard.Threshold{{If: ">=", By: "goal", Tone: "good"}, {If: "<", Value: 12, Tone: "bad"}}
	columns := []string{"day date", "name text", "n number sum", "goal number sum"}
	rows := [][]any{
		{day("2026-11-17"), "a", 10.0, 20.0}, {day("2026-11-18"), "b", 30.0, 20.0}, {day("2026-11-19"), "c", 15.0, 20.0}, {
			day("2026-11-20"),
			"d", 5.0, 4.0,
		},
	}
	for _, tc := range []struct {
		panel dashboard.Panel
		want  string
	}{
		{dashboard.Panel{Type: dashboard.Bar, X: "name", Y: []string{"n"}}, fmt.Sprint(good, canvas.Color(1), bad, good)}, // 30, 15, 10, 5
		{dashboard.Panel{Type: dashboard.Bar, X: "name", Y: []string{"n"}, Horizontal: true}, fmt.Sprint(good, canvas.Color(1), bad, good)},
		{dashboard.Panel{Type: dashboard.Bar, X: "day", Y: []string{"n"}}, fmt.Sprint(bad, good, canvas.Color(1), good)},
		// today is not over, and its sum is above the goal already
		{dashboard.Panel{Type: dashboard.Line, X: "day", Y: []string{"n"}}, fmt.Sprint(bad, good, good)},
	} {
		tc.panel.Thresholds = thresholds
		v := tiny([]dashboard.Panel{tc.panel}, columns, rows...)
		m := &marksDrawn{}
		p := open(v).Panel(0)
		p.Content.Draw(m)
		if got := fmt.Sprint(m.colors...); got != tc.want {
			t.Errorf("%s of %s: %s, want %s", tc.panel.Type, tc.panel.X, got, tc.want)
		}
		if s := fmt.Sprint(m.names); !strings.Contains(s, "≥ Goal") || !strings.Contains(s, "< 12") {
			t.Errorf("%s of %s: the legend has %s", tc.panel.Type, tc.panel.X, s)
		}
		if !strings.Contains(p.Summary, "≥ Goal: ") {
			t.Errorf("%s of %s: says %q", tc.panel.Type, tc.panel.X, p.Summary)
		}
		safe(t, render(t, v))
	}
}

// marksDrawn has the colours of bars, and of dots of tones.
type marksDrawn struct {
	canvas.Recorder
	colors []any
	names  []string
}

func (m *marksDrawn) Rect(r canvas.Rect) {
	if r.Color > 0 {
		m.colors = append(m.colors, r.Color)
	}
}

func (m *marksDrawn) Circle(c canvas.Circle) {
	if c.Color >= canvas.HeatColor {
		m.colors = append(m.colors, c.Color)
	}
}

func (m *marksDrawn) Item(i canvas.Item) {
	m.names = append(m.names, i.Name)
	m.Recorder.Item(i)
}
