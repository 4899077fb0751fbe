package page

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/cube"
	"service/store/dashboard/panel"
)

// cellsOf is a heat map of 30 rows, the later ones with larger values, in the columns a and b.
func cellsOf(change func(p *dashboard.Panel)) View {
	panel := dashboard.Panel{Type: dashboard.Heatmap, X: "k", Y: []string{"site"}, Value: "n"}
	change(&panel)
	var rows [][]any
	for i := range 60 {
		rows = append(rows, []any{string(rune('a' + i%2)), fmt.Sprintf("s%02d", i/2), int64(i), float64(60 - i), "Ann"})
	}
	return tiny([]dashboard.Panel{panel}, []string{"k text", "site text", "n integer sum", "m number avg", "owner text"}, rows...)
}

// rowsOf returns the first and the last row of a grid, and the number of rows.
func rowsOf(p *panel.Panel) string {
	name := func(row []any) string { return p.Env.Cell(p.Grid.Columns[0].Column, cube.Exact, row[0]) }
	n := len(p.Grid.Rows)
	return fmt.Sprintf("%d rows, %s to %s", n, name(p.Grid.Rows[0]), name(p.Grid.Rows[n-1]))
}

// TestHeatmapRows: limit keeps the largest rows, which sort orders, and other merges the rest. Names fit.
func TestHeatmapRows(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		limit int
		other bool
		sort  string
		want  string
		note  string
	}{
		{0, false, "", "15 rows, s00 – s01 to s28 – s29", ""},
		{100, false, "", "30 rows, s00 to s29", ""},
		{3, false, "", "3 rows, s27 to s29", "The 3 largest of 30 values of site; the rest, not drawn, adds up to 1.4K."},
		{3, true, "", "4 rows, s27 to Other", "The 3 largest of 30 values of site; the rest is merged into Other."},
		{3, false, "-n", "3 rows, s29 to s27", "The 3 largest of 30 values of site; the rest, not drawn, adds up to 1.4K."},
		{3, false, "n", "3 rows, s00 to s02", "The 3 smallest of 30 values of site; the rest is not drawn."},
		{100, false, "-site", "30 rows, s29 to s00", ""},
		{100, false, "m", "30 rows, s29 to s00", ""},
	} {
		p, c := recorded(t, cellsOf(func(p *dashboard.Panel) { p.Limit, p.Other, p.Sort = tc.limit, tc.other, tc.sort }), 0)
		if got := rowsOf(p); got != tc.want {
			t.Errorf("%+v: %s", tc, got)
		}
		if got := strings.Join(p.Notes, " "); tc.limit > 0 && got != tc.note {
			t.Errorf("%+v: %s", tc, got)
		}
		if high := c.Plots[0].Height / len(p.Grid.Rows); float64(high) < canvas.LabelSize {
			t.Errorf("%+v: rows are %d pixels high", tc, high)
		}
	}
}

// TestHeatmapOfDays: the days of three months are columns if the spec asks for days; otherwise they are rounded down to weeks.
func TestHeatmapOfDays(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for i := range 90 {
		rows = append(rows, []any{day("2026-09-01").AddDate(0, 0, i), "a", int64(i)})
	}
	for grain, want := range map[string]int{"day": 90, "": 13, "auto": 13, "week": 13} {
		v := tiny([]dashboard.Panel{{Type: dashboard.Heatmap, Data: "d", X: "day", Y: []string{"k"}, Value: "n", Grain: grain}},
			[]string{"day date", "k text", "n integer sum"}, rows...)
		if _, c := recorded(t, v, 0); len(c.Rects) < want || len(c.Rects) > want+1 {
			t.Errorf("%q: %d cells, want %d", grain, len(c.Rects), want)
		}
	}
}

// TestLargestOfMeasured: values without a value of the measure are not counted among those that are left out.
func TestLargestOfMeasured(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		measured int // of thirty
		want     string
	}{
		{30, "The 3 largest of 30 values of K; the rest, not drawn, adds up to 327."},
		{8, "The 3 largest of 8 values of K; the rest, not drawn, adds up to 75."},
		{2, "The 3 largest of 30 values of K; the rest is not drawn."},
	} {
		var rows [][]any
		for i := range 30 {
			row := []any{fmt.Sprintf("k%02d", i), nil}
			if i < tc.measured {
				row[1] = int64(20 - i%17)
			}
			rows = append(rows, row)
		}
		v := tiny([]dashboard.Panel{{Type: dashboard.Bar, Data: "d", X: "k", Y: []string{"n"}, Limit: 3}},
			[]string{"k text", "n integer sum"}, rows...)
		if got := strings.Join(open(v).Panel(0).Notes, " "); got != tc.want {
			t.Errorf("%d: %s, want %s", tc.measured, got, tc.want)
		}
	}
}

// TestHeatmapColors: another measure colours the cells, and the tooltip has it and the columns that the spec adds.
func TestHeatmapColors(t *testing.T) {
	t.Parallel()
	v := cellsOf(func(p *dashboard.Panel) { p.Limit, p.Color, p.Tooltip = 2, "m", []string{"owner"} })
	p, c := recorded(t, v, 0)
	byTitle := map[string]canvas.Color{}
	for _, r := range c.Rects {
		byTitle[strings.Join(r.Title, "")] = r.Color
	}
	low, high := byTitle["s29 · b\nN  59\nM  1\nOwner  Ann"], byTitle["s28 · a\nN  56\nM  4\nOwner  Ann"]
	if len(c.Rects) != 4 || low != canvas.HeatColor || high != canvas.HeatColor+canvas.HeatSteps-1 {
		t.Errorf("colours %v", byTitle)
	}
	if got := p.Notes[len(p.Notes)-1]; got != "Colors show M." {
		t.Errorf("notes %q", p.Notes)
	}
	if c.Plots[0].Places.Rows != 0 {
		t.Error("cells have two tooltips")
	}
	doc := string(render(t, v))
	if !strings.Contains(doc, "<title>s29 · b\nN  59\nM  1\nOwner  Ann</title>") {
		t.Error("the page has no tooltip")
	}
}

// TestScaleOfColors: the scale of a heat map and of a calendar is the scale of its ramp.
func TestScaleOfColors(t *testing.T) {
	t.Parallel()
	for _, panel := range []string{
		`"heatmap", "x": "k", "y": "k", "value": "n", "scale": "log"`, `"calendar", "x": "day", "value": "n", "scale": "log", "ramp": "green"`,
	} {
		s, err := dashboard.Parse([]byte(`{"datasets": [{"id": "d", "sql": "SELECT day, k, n FROM t"}], "panels": [{"type": ` + panel + `}]}`))
		if err != nil {
			t.Fatal(err)
		}
		if p := s.Panels[0]; p.Ramp == nil || p.Ramp.Scale != dashboard.RampLog || p.Scale != "" {
			t.Errorf("%s: ramp %+v, scale %q", panel, p.Ramp, p.Scale)
		}
	}
}

// TestCalendarMarks: a calendar frames the days of events, names them in tooltips and its sentence, and writes the values if all of them
// fit.
func TestCalendarMarks(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for i := range 59 {
		rows = append(rows, []any{day("2026-01-01").AddDate(0, 0, i), int64(i)})
	}
	labels := true
	v := tiny([]dashboard.Panel{{Type: dashboard.Calendar, X: "day", Value: "n", Width: 12, Labels: &labels}},
		[]string{"day date", "n integer sum"}, rows...)
	v.Spec.Events.List = []dashboard.Event{
		{On: day("2026-01-13"), Label: "v2"},
		{On: day("2026-02-02"), To: day("2026-02-04"), Label: "Sale"},
		{On: day("2025-05-13"), Label: "v1"},
	}
	p, c := recorded(t, v, 0)
	sides := 0
	for _, l := range c.Lines {
		if l.Stroke == canvas.MarkLine {
			sides++
		}
	}
	if sides != 4*3 {
		t.Errorf("%d sides of frames", sides)
	}
	beside := map[int]string{12: " · v2", 32: " · Sale", 33: " · Sale"}
	for row, want := range beside {
		if p.Beside[row] != want {
			t.Errorf("day %d has %q, want %q", row, p.Beside[row], want)
		}
	}
	want := "Events: v2 (Jan 13, 2026), Sale (Feb 2, 2026 – Feb 3, 2026)."
	if len(p.Beside) != len(beside) || !strings.HasSuffix(p.Summary, want) {
		t.Errorf("%d days, %s", len(p.Beside), p.Summary)
	}
	written := 0
	for _, l := range c.Labels {
		if l.Look == canvas.CellText {
			written++
		}
	}
	if notes := strings.Join(p.Notes, " "); written != 59 || notes != "" { // the days of two months are wide
		t.Errorf("%d values, %s", written, notes)
	}
	for i := range rows {
		rows[i][1] = int64(1000 + i*7)
	}
	rows = append(rows, []any{day("2025-01-01"), int64(1000)}) // those of years are not
	v = tiny(v.Spec.Panels, []string{"day date", "n integer sum"}, rows...)
	_, c = recorded(t, v, 0)
	some := slices.ContainsFunc(c.Labels, func(l canvas.RecordedLabel) bool { return l.Look == canvas.CellText })
	if some || codes(v) != "left_out panels[0].labels" {
		t.Errorf("values without room are written; warnings %s", codes(v))
	}
}
