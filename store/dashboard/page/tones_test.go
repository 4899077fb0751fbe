package page

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
)

// toned has thresholds in each type of panel that has them.
func toned() View {
	at := func(value float64, tone string) dashboard.Threshold {
		return dashboard.Threshold{If: ">=", Value: value, Tone: tone}
	}
	below := func(value float64, tone string) dashboard.Threshold {
		return dashboard.Threshold{If: "<", Value: value, Tone: tone}
	}
	goal := dashboard.Threshold{If: ">=", By: "goal", Tone: "good"}
	limits := []dashboard.Threshold{at(200, "good"), at(100, "warn"), below(50, "bad")}
	of := func(column string, t dashboard.Threshold, row bool) dashboard.Threshold {
		t.Column, t.Row = column, row
		return t
	}
	days := []dashboard.TableColumn{{Column: "day"}}
	panels := []dashboard.Panel{
		{Type: dashboard.KPI, Value: "amount", Thresholds: []dashboard.Threshold{goal}},
		{Type: dashboard.Heatmap, X: "day", Y: []string{"city"}, Value: "amount", Width: 6, Thresholds: limits},
		{Type: dashboard.Heatmap, X: "day", Y: []string{"city"}, Value: "amount", Width: 6, Thresholds: []dashboard.Threshold{goal}},
		{Type: dashboard.Bar, X: "city", Y: []string{"amount"}, Width: 6, Thresholds: []dashboard.Threshold{goal, below(910, "bad")}},
		{Type: dashboard.Bar, X: "city", Y: []string{"amount"}, Width: 6, Horizontal: true, Thresholds: []dashboard.Threshold{at(950, "good")}},
		{Type: dashboard.Line, X: "day", Y: []string{"amount"}, Width: 6, Thresholds: []dashboard.Threshold{at(950, "good"), below(750, "bad")}},
		{Type: dashboard.Map, Area: "country", Value: "amount", Width: 6, Thresholds: []dashboard.Threshold{at(1000, "good"), below(950, "bad")}},
		{
			Type: dashboard.Map, Lat: "lat", Lon: "lon", Label: "city", Value: "amount", Width: 6,
			Thresholds: []dashboard.Threshold{goal, at(900, "neutral")},
		},
		{Type: dashboard.Calendar, X: "day", Value: "amount", Width: 6, Thresholds: []dashboard.Threshold{at(900, "info"), below(750, "bad")}},
		{
			Type: dashboard.Pivot, Rows: []string{"city"}, Columns: days, Values: []string{"amount"}, Heat: dashboard.HeatAll, Width: 12,
			Thresholds: []dashboard.Threshold{at(235, "good"), below(20, "bad")},
		},
		{
			Type: dashboard.Table, TotalRow: true, Columns: []dashboard.TableColumn{
				{Column: "city"},
				{Column: "amount", Bar: true},
				{Column: "goal"},
			},
			Thresholds: []dashboard.Threshold{of("amount", goal, true), of("amount", below(895, "bad"), true), of("goal", at(900, "info"), false)},
		},
	}
	var rows [][]any
	for i, city := range someCities {
		for d := range 8 {
			rows = append(rows, []any{
				city.name, city.country, city.lat, city.lon, day("2026-03-01").AddDate(0, 0, d),
				float64((i*13+d*29)%50)*5 + 10, float64(90 + i*10),
			})
		}
	}
	return tiny(panels, []string{
		"city text", "country text", "lat number none", "lon number none", "day date", "amount number sum", "goal number sum",
	}, rows...)
}

// A threshold gives a value the tone of the nearest condition that holds, and wins over the ramp; a measure in place of a number is that of
// the same cell, and one without a value there gives no tone.
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
			if got := open(v).panel(0).summary; !strings.HasSuffix(got, strings.ReplaceAll(tc.says, "<=", "≤")) {
				t.Errorf("%s: says %q, want %q", panel.Type, got, tc.says)
			}
			safe(t, render(t, v))
		}
	}
}

// Totals obey thresholds: of a pivot, and of a table, whose rows can have the tone of a value.
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
	p := open(v).panel(0).content.(*pivotPanel)
	line := p.crossLine(p.ways(), pivotLine{line: -1}, p.columns())
	for i, want := range []canvas.Color{good, good, good} { // 40 of 35, 65 of 30, 105 of 65
		if line.Cells[i].Color != want {
			t.Errorf("total %d of the pivot has %v, want %v", i, line.Cells[i].Color, want)
		}
	}
	table := open(v).panel(1).content.(*tablePanel)
	table.ways = table.panel.ways()
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
	if foot := open(v).panel(1).content.(*tablePanel).foot; foot != nil && foot.cells(table)[1].Tone != "bad" {
		t.Errorf("of the row that is found, the total is %+v", foot.cells(table))
	}
}

// Bars and points have tones, incomplete periods have none, and the legend has the conditions.
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
		{dashboard.Panel{Type: dashboard.Bar, X: "day", Y: []string{"n"}}, fmt.Sprint(bad, good, canvas.Color(1), canvas.Color(1))},
		// today is not over
		{dashboard.Panel{Type: dashboard.Line, X: "day", Y: []string{"n"}}, fmt.Sprint(bad, good)},
	} {
		tc.panel.Thresholds = thresholds
		v := tiny([]dashboard.Panel{tc.panel}, columns, rows...)
		m := &marksDrawn{}
		p := open(v).panel(0)
		p.content.Draw(m)
		if got := fmt.Sprint(m.colors...); got != tc.want {
			t.Errorf("%s of %s: %s, want %s", tc.panel.Type, tc.panel.X, got, tc.want)
		}
		if s := fmt.Sprint(m.names); !strings.Contains(s, "≥ Goal") || !strings.Contains(s, "< 12") {
			t.Errorf("%s of %s: the legend has %s", tc.panel.Type, tc.panel.X, s)
		}
		if !strings.Contains(p.summary, "≥ Goal: ") {
			t.Errorf("%s of %s: says %q", tc.panel.Type, tc.panel.X, p.summary)
		}
		safe(t, render(t, v))
	}
}

// marksDrawn are the colours of bars, and of dots of tones.
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
