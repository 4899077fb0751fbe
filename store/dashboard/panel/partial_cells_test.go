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

// veils returns the upper left corners of the veils that a panel draws.
func veils(c *canvas.Recorder) string {
	var out []string
	for line := range strings.Lines(c.String()) {
		if at, ok := strings.CutPrefix(strings.TrimSpace(line), "veil "); ok {
			out = append(out, strings.Fields(at)[0])
		}
	}
	return strings.Join(out, " ")
}

// TestHeatmapsMarkIncompletePeriods: columns or rows of cells that are an incomplete period have a veil over their colours, or are left
// out, as lines and bars do; the panel names the period.
func TestHeatmapsMarkIncompletePeriods(t *testing.T) {
	t.Parallel()
	rows := [][]any{
		{day("2026-09-03"), "a", 3.0},
		{day("2026-09-04"), "b", 4.0},
		{day("2026-10-05"), "a", 30.0},
		{day("2026-11-12"), "a", 5.0},
		{day("2026-11-19"), "b", 90.0},
	}
	const open, left = "Nov 2026 is not over: Nov 1 – Nov 19.", "Nov 2026 is left out: it is not over."
	for _, tc := range []struct {
		partial, x, veils, notes string
		cells                    []float64 // row by row; -1 for none
		table                    int       // rows and columns of values of the table behind, one after the other
	}{
		{"", "day", "66.7%,0.0% 66.7%,50.0%", open, []float64{3, 30, 5, 4, -1, 90}, 23},
		{"mark", "day", "66.7%,0.0% 66.7%,50.0%", open, []float64{3, 30, 5, 4, -1, 90}, 23},
		{"show", "day", "", "", []float64{3, 30, 5, 4, -1, 90}, 23},
		{"hide", "day", "", left, []float64{3, 30, 4, -1}, 22},
		{"mark", "part", "0.0%,66.7% 50.0%,66.7%", open, []float64{3, 4, 30, -1, 5, 90}, 32},
		{"hide", "part", "", left, []float64{3, 4, 30, -1}, 22},
	} {
		panel := dashboard.Panel{Type: dashboard.Heatmap, X: "day", Y: []string{"part"}, Value: "n", Grain: "month", Partial: tc.partial}
		if tc.x == "part" {
			panel.X, panel.Y = "part", []string{"day"}
		}
		v := tiny([]dashboard.Panel{panel}, []string{"day date", "part text", "n number sum"}, rows...)
		p, c := recorded(t, v, 0)
		of := fmt.Sprintf("%q along %s", tc.partial, tc.x)
		if got := veils(c); got != tc.veils {
			t.Errorf("%s: veils %q, want %q", of, got, tc.veils)
		}
		if got := strings.Join(p.Notes, " "); !strings.Contains(got, tc.notes) || tc.notes == "" && strings.Contains(got, "over") {
			t.Errorf("%s: notes %q, want %q", of, got, tc.notes)
		}
		cells := slices.Clone(p.Content.(*heatmapPanel).cells)
		for i, n := range cells {
			if math.IsNaN(n) {
				cells[i] = -1
			}
		}
		if !slices.Equal(cells, tc.cells) {
			t.Errorf("%s: cells %v, want %v", of, cells, tc.cells)
		}
		if got := 10*len(p.Grid.Rows) + len(p.Grid.Columns) - 1; got != tc.table {
			t.Errorf("%s: a table of %d", of, got)
		}
		if lo := p.Content.(*heatmapPanel).domain.hi; tc.partial == "hide" && lo > 30 {
			t.Errorf("%s: the colours reach %v, which is not drawn", of, lo)
		}
	}
}

// TestSmallCellsMarkIncompletePeriods: so do the small multiples of heat maps and of calendars, and a panel with nothing else is empty.
func TestSmallCellsMarkIncompletePeriods(t *testing.T) {
	t.Parallel()
	rows := [][]any{
		{day("2026-11-18"), "a", "u", 3.0},
		{day("2026-11-19"), "b", "v", 4.0},
		{day("2026-11-20"), "a", "u", 5.0},
		{day("2026-11-20"), "b", "v", 6.0},
		{day("2026-11-21"), "b", "u", 7.0},
	}
	columns := []string{"day date", "part text", "place text", "n number sum"}
	for _, kind := range []string{dashboard.Heatmap, dashboard.Calendar} {
		for partial, want := range map[string]int{"": 2, "show": 0, "hide": 0} {
			panel := dashboard.Panel{Type: kind, X: "day", Value: "n", Facet: "place", Partial: partial}
			if kind == dashboard.Heatmap {
				panel.Y = []string{"part"}
			}
			p, c := recorded(t, tiny([]dashboard.Panel{panel}, columns, rows...), 0)
			if got := strings.Count(c.String(), "veil "); got != want {
				t.Errorf("%s %q: %d veils, want %d:\n%s", kind, partial, got, want, c)
			}
			notes := strings.Join(p.Notes, " ")
			if got := strings.Contains(notes, "Nov 20"); got != (partial != "show") {
				t.Errorf("%s %q: notes %q", kind, partial, notes)
			}
			drawn := fmt.Sprint(p.Grid.Rows)
			if got := strings.Contains(drawn, " 5"); got == (partial == "hide") {
				t.Errorf("%s %q: the table is %s", kind, partial, drawn)
			}
		}
		panel := dashboard.Panel{Type: kind, X: "day", Value: "n", Y: []string{"part"}, Partial: "hide"}
		p := open(tiny([]dashboard.Panel{panel}, columns, rows[2])).Panel(0)
		if p.Content != nil || p.Empty != "Every period is incomplete, and incomplete ones are left out." {
			t.Errorf("%s of one day: %q", kind, p.Empty)
		}
	}
}

// TestCalendarsMarkToday: the day that is not over has a veil, or no cell.
func TestCalendarsMarkToday(t *testing.T) {
	t.Parallel()
	for partial, want := range map[string]struct {
		veils int
		notes string
		days  int // of the table
	}{
		"": {1, "Nov 20, 2026 is not over.", 3}, "mark": {1, "Nov 20, 2026 is not over.", 3}, "show": {0, "", 3},
		"hide": {0, "Nov 20, 2026 is left out: it is not over.", 2},
	} {
		v := calendarOf("date", "sum", day("2026-11-18"), day("2026-11-19"), day("2026-11-20"))
		v.Spec.Panels[0].Partial = partial
		p, c := recorded(t, v, 0)
		notes := strings.ReplaceAll(strings.Join(p.Notes, " "), "Gray: no data.", "")
		if n := strings.Count(c.String(), "veil "); n != want.veils || strings.TrimSpace(notes) != want.notes || len(p.Grid.Rows) != want.days {
			t.Errorf("%q: %d veils, notes %q, %d days", partial, n, notes, len(p.Grid.Rows))
		}
	}
}
