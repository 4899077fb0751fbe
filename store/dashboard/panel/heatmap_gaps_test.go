package panel

import (
	"math"
	"net/url"
	"slices"
	"strings"
	"testing"

	"service/store/dashboard"
)

// TestHeatmapsHavePlacesOfGaps: an axis of times has places for the times without rows, like the axis of a bar chart, in columns and in
// rows, unless there are too many.
func TestHeatmapsHavePlacesOfGaps(t *testing.T) {
	t.Parallel()
	rowsOf := func(days ...int) (out [][]any) {
		for _, d := range days {
			for _, place := range []string{"a", "b"} {
				out = append(out, []any{day("2026-01-01").AddDate(0, 0, d), place, float64(d)})
			}
		}
		return out
	}
	for name, tc := range map[string]struct {
		days  []int
		grain string
		want  int // places of the axis
		noted bool
	}{
		"days":     {[]int{0, 1, 2, 3, 18, 19}, "", 20, false},
		"whole":    {[]int{0, 1, 2}, "", 3, false},
		"months":   {[]int{0, 40, 200}, "month", 7, false},
		"too many": {[]int{0, 7, 100000}, "year", 2, true},
	} {
		for _, axis := range []string{"x", "y"} {
			panel := dashboard.Panel{Type: dashboard.Heatmap, X: "day", Y: []string{"place"}, Value: "v", Grain: tc.grain}
			if axis == "y" {
				panel.X, panel.Y = "place", []string{"day"}
			}
			p := open(tiny([]dashboard.Panel{panel}, []string{"day date", "place text", "v number sum"}, rowsOf(tc.days...)...)).Panel(0)
			h := p.Content.(*heatmapPanel)
			at := slices.Index([]string{"x", "y"}, axis)
			if got := len(h.axes[at]); got != tc.want {
				t.Errorf("%s on %s: %d places, want %d: %v", name, axis, got, tc.want, h.axes[at])
			}
			if noted := strings.Contains(strings.Join(p.Notes, " "), "Times without rows"); noted != tc.noted {
				t.Errorf("%s on %s: notes %q", name, axis, p.Notes)
			}
			last := h.cells[len(h.cells)-1]
			if want := float64(tc.days[len(tc.days)-1]); last != want {
				t.Errorf("%s on %s: the last cell has %v, want %v", name, axis, last, want)
			}
		}
	}
}

// TestCellsWithGapsHaveTooltips: the added columns of a tooltip are those of its cell, also where the axis has times without rows.
func TestCellsWithGapsHaveTooltips(t *testing.T) {
	t.Parallel()
	panel := dashboard.Panel{Type: dashboard.Heatmap, X: "day", Y: []string{"part"}, Value: "n", Tooltip: []string{"m"}}
	_, c := recorded(t, tiny([]dashboard.Panel{panel}, []string{"day date", "part text", "n number sum", "m number sum"},
		[]any{day("2026-11-02"), "a", 3.0, 71.0}, []any{day("2026-11-03"), "a", 4.0, 72.0}, []any{day("2026-11-06"), "a", 5.0, 73.0}), 0)
	var got []string
	for _, r := range c.Rects {
		got = append(got, strings.Join(r.Title, ""))
	}
	if all := strings.Join(got, "|"); len(got) != 3 || !strings.Contains(got[2], "Nov 6") || !strings.HasSuffix(got[2], "73") {
		t.Errorf("tooltips %q", all)
	}
}

// TestHeatmapsFillCellsWithZero: with "gaps": "zero", cells without rows are 0, in the colours and in the table behind, too. They stay
// blank in periods that are not complete, on weekdays that never have rows, and where rows have no value. Periods of the dataset that have
// no rows under a filter have cells.
func TestHeatmapsFillCellsWithZero(t *testing.T) {
	t.Parallel()
	const none = -1
	d := func(s string) any { return day(s) }
	var weekdays [][]any // of two weeks and two days, without weekends
	for i := range 16 {
		if at := day("2026-10-05").AddDate(0, 0, i); at.Weekday() != 0 && at.Weekday() != 6 && i != 2 {
			weekdays = append(weekdays, []any{at, "a", 5.0})
		}
	}
	for name, tc := range map[string]struct {
		keys  string
		rows  [][]any
		query url.Values
		cells []float64 // row by row
	}{
		"categories": {
			`"x": "part", "y": "place"`,
			[][]any{{"a", "u", 3.0}, {"b", "v", 4.0}, {"b", "w", nil}, {"c", "w", 6.0}},
			nil,
			[]float64{3, 0, 0, 0, 4, 0, 0, none, 6},
		},
		"months": {
			`"x": "day", "y": "part", "grain": "month"`,
			[][]any{{d("2026-07-03"), "a", 3.0}, {d("2026-09-03"), "b", 4.0}, {d("2026-11-02"), "b", 9.0}},
			nil,
			[]float64{3, 0, 0, 0, none, 0, 0, 4, 0, 9},
		},
		"months down": {
			`"x": "part", "y": "day", "grain": "month"`,
			[][]any{{d("2026-07-03"), "a", 3.0}, {d("2026-09-03"), "b", 4.0}, {d("2026-11-02"), "b", 9.0}},
			nil,
			[]float64{3, 0, 0, 0, 0, 4, 0, 0, none, 9},
		},
		"shown": {
			`"x": "day", "y": "part", "grain": "month", "partial": "show"`,
			[][]any{{d("2026-10-03"), "a", 3.0}, {d("2026-11-02"), "b", 9.0}},
			nil,
			[]float64{3, none, 0, 9},
		},
		"hidden": {
			`"x": "day", "y": "part", "grain": "month", "partial": "hide"`,
			[][]any{{d("2026-08-03"), "a", 3.0}, {d("2026-10-03"), "b", 1.0}, {d("2026-11-02"), "b", 9.0}},
			nil,
			[]float64{3, 0, 0, 0, 0, 1},
		},
		"a filter": {
			`"x": "day", "y": "part", "grain": "month"`,
			[][]any{{d("2026-07-03"), "a", 3.0}, {d("2026-09-03"), "b", 4.0}, {d("2026-10-03"), "a", 5.0}},
			url.Values{"f.part": {"b"}},
			[]float64{0, 0, 4, 0},
		},
		"weekdays": {
			`"x": "day", "y": "part"`, weekdays, nil, []float64{5, 5, 0, 5, 5, none, none, 5, 5, 5, 5, 5, none, none, 5, 5},
		},
		"years": {
			`"x": "year", "y": "part"`,
			[][]any{{int64(2020), "a", 1.0}, {int64(2022), "b", 2.0}, {int64(2023), "a", 3.0}},
			nil,
			[]float64{1, 0, 0, 3, 0, 0, 2, 0},
		},
	} {
		columns := []string{"day date", "part text", "n number sum"}
		switch name {
		case "categories":
			columns = []string{"part text", "place text", "n number sum"}
		case "years":
			columns[0] = "year integer"
		}
		v := tinySpec(t, `{"type": "heatmap", "value": "n", "gaps": "zero", `+tc.keys+`}`, columns, tc.rows...)
		v.Spec.Filters, v.Query = []dashboard.Filter{{Column: "part"}}, tc.query
		p := open(v).Panel(0)
		h, ok := p.Content.(*heatmapPanel)
		if !ok {
			t.Errorf("%s: %s%s", name, p.Problem, p.Empty)
			continue
		}
		var got, table []float64
		for i, v := range h.cells {
			if math.IsNaN(v) {
				v = none
			}
			got = append(got, v)
			w := len(h.axes[0])
			if f, ok := p.Grid.Rows[i/w][1+i%w].(float64); ok {
				table = append(table, f)
			} else {
				table = append(table, none)
			}
		}
		if !slices.Equal(got, tc.cells) || !slices.Equal(table, tc.cells) {
			t.Errorf("%s: cells %v, table %v, want %v", name, got, table, tc.cells)
		}
		if h.domain.lo != 0 {
			t.Errorf("%s: colours from %v", name, h.domain.lo)
		}
	}
}

// TestFilledCellsHaveTooltips: a cell that is filled with 0 has a tooltip whose added columns have no value.
func TestFilledCellsHaveTooltips(t *testing.T) {
	t.Parallel()
	v := tinySpec(t, `{"type": "heatmap", "x": "part", "y": "place", "value": "n", "gaps": "zero", "tooltip": ["m"]}`,
		[]string{"part text", "place text", "n number sum", "m number sum"}, []any{"a", "u", 3.0, 7.0}, []any{"b", "v", 4.0, 8.0})
	_, c := recorded(t, v, 0)
	var got []string
	for _, r := range c.Rects {
		got = append(got, strings.Join(r.Title, ""))
	}
	if want := "u · b\nN  0\nM  –"; len(got) != 4 || got[1] != want {
		t.Errorf("tooltips %q, want %q", got, want)
	}
}
