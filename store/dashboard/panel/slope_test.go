package panel

import (
	"fmt"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
)

// slopes is a page of one slope of a dataset with the columns k, x and n.
func slopes(x, n string, rows ...[]any) Input {
	return tiny([]dashboard.Panel{{Type: dashboard.Slope, Label: "k", X: "x", Value: "n"}}, []string{"k text", "x " + x, "n " + n}, rows...)
}

// TestSlopeEnds: the ends of a slope are the first and the last value of x, in any order of the rows, and it reports the values that it
// leaves out.
func TestSlopeEnds(t *testing.T) {
	t.Parallel()
	dates := func(grain string) Input {
		v := slopes("date", "number sum",
			[]any{"a", day("2026-03-01"), 5.0}, []any{"a", day("2025-01-15"), 2.0}, []any{"a", day("2025-06-01"), 9.0},
			[]any{"b", day("2026-02-01"), 1.0}, []any{"b", nil, 70.0}, []any{"b", day("2025-03-01"), 4.0})
		v.Spec.Panels[0].Grain = grain
		return v
	}
	year := func(k string, x int64, n float64) []any { return []any{k, x, n} }
	for name, tc := range map[string]struct {
		v                   Input
		table, notes, codes string
	}{
		"two": {
			slopes("integer", "number sum", year("b", 2023, 3.5), year("a", 2013, 1), year("b", 2013, 4.5), year("a", 2023, 7)),
			"a 1 7 6, b 4.5 3.5 -1", "", "",
		},
		"four": {
			slopes("integer", "number sum", year("a", 2, 2), year("a", 9, 9), year("a", 1, 1), year("a", 5, 5)), "a 1 9 8",
			"2 of 4 values of X are drawn: the first and the last.", "cut panels[0].x",
		},
		"dates": {
			dates(""), "a 2 5 3",
			"2 of 6 values of X are drawn: the first and the last. 1 value of K is at neither end, and is left out.",
			"cut panels[0].x, left_out panels[0].x",
		},
		"years": {
			dates("year"), "a 11 5 -6, b 4 1 -3",
			"2 of 3 values of X are drawn: the first and the last. 2026 is not over: Jan 1 – Mar 1.",
			"cut panels[0].x",
		},
		"cents": {
			slopes("integer", "number sum", year("a", 1, 0.1), year("a", 2, 0.3), year("b", 1, 0.3)), "a 0.1 0.3 0.2, b 0.3  ", "", "",
		},
		"whole numbers": {
			slopes("integer", "integer sum", []any{"a", int64(1), int64(2)}, []any{"a", int64(2), int64(9007199254740993)}),
			"a 2 9007199254740993 9007199254740991", "", "",
		},
	} {
		p := open(tc.v).Panel(0)
		if p.Content == nil {
			t.Errorf("%s: %s%s", name, p.Problem, p.Empty)
			continue
		}
		if got := shown(p); got != tc.table {
			t.Errorf("%s\ngot  %s\nwant %s", name, got, tc.table)
		}
		if notes := strings.Join(p.Notes, " "); notes != tc.notes {
			t.Errorf("%s: notes %q", name, notes)
		}
		if got := codes(tc.v); got != tc.codes {
			t.Errorf("%s: warnings %q", name, got)
		}
	}
	p := open(slopes("integer", "number sum", year("a", 1, 0.1))).Panel(0)
	if p.Empty != "A slope has two ends, and these rows have one value of X." {
		t.Errorf("one end: %q %q", p.Empty, p.Problem)
	}
}

// TestSlopeColors: lines of a slope have the colours of rises and falls, unless the spec sets colours of their values; a click on a point
// filters.
func TestSlopeColors(t *testing.T) {
	t.Parallel()
	v := slopes("integer", "number sum",
		[]any{"up", int64(1), 1.0}, []any{"up", int64(2), 2.0}, []any{"down", int64(1), 2.0}, []any{"down", int64(2), 1.0},
		[]any{"same", int64(1), 5.0}, []any{"same", int64(2), 5.0}, []any{"own", int64(1), 3.0}, []any{"own", int64(2), 4.0},
		[]any{"half", int64(1), 9.0})
	v.Spec.Datasets[0].Columns[2].Good = "down"
	v.Spec.Columns = []dashboard.Appearance{{Column: "k", Colors: map[string]string{"own": "violet"}}}
	v.Spec.Filters = []dashboard.Filter{{Column: "k"}}
	p, r := recorded(t, v, 0)
	want := map[string]canvas.Color{
		"up": namedColor("red"), "down": namedColor("green"), "same": canvas.OtherColor, "own": namedColor("violet"), "half": canvas.OtherColor,
	}
	for _, c := range r.Circles {
		name := c.Title[0]
		if c.Color != want[name] {
			t.Errorf("%s has the color %v, want %v", name, c.Color, want[name])
		}
		if c.Row == 0 || p.words(0, p.Grid.Rows[c.Row-1][0]) != name {
			t.Errorf("%s leads to row %d", name, c.Row)
		}
	}
	if n := len(r.Circles); n != 3*9 {
		t.Errorf("%d points on three widths, want 27", n)
	}
	var key []string
	for _, it := range r.Items {
		key = append(key, it.Name)
	}
	if got := strings.Join(key, " "); got != "Increase Unchanged Decrease" {
		t.Errorf("the key has %s", got)
	}
	if n := len(r.Strokes(canvas.ThinLine)); n != 3*4 {
		t.Errorf("%d lines, want 12: one end alone has none", n)
	}
}

// TestSlopeLimit: of many values a slope draws the largest, at most 30.
func TestSlopeLimit(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for i := range 50 {
		rows = append(rows, []any{fmt.Sprint("k", i), int64(1), float64(i)}, []any{fmt.Sprint("k", i), int64(2), float64(i)})
	}
	for limit, want := range map[int]string{
		0:  "20: The 20 largest of 50 values of K; the rest, not drawn, adds up to 870.",
		5:  "5: The 5 largest of 50 values of K; the rest, not drawn, adds up to 2K.",
		40: "30: The 30 largest of 50 values of K; the rest, not drawn, adds up to 380.",
	} {
		v := slopes("integer", "number sum", rows...)
		v.Spec.Panels[0].Limit = limit
		p := open(v).Panel(0)
		if got := fmt.Sprintf("%d: %s", len(p.Grid.Rows), strings.Join(p.Notes, " ")); got != want {
			t.Errorf("limit %d\ngot  %s\nwant %s", limit, got, want)
		}
		if codes(v) != "cut panels[0].limit" {
			t.Errorf("limit %d: warnings %q", limit, codes(v))
		}
	}
}

// TestSlopeNamesWrap: names that are too long for a half of a page have two lines where all names of a side have room for that, and are
// whole; where there are too many, they are cut, and no two names are on each other.
func TestSlopeNamesWrap(t *testing.T) {
	t.Parallel()
	names := []string{"North Western Railway", "Great Eastern and Southern", "Short"}
	for _, n := range []int{3, 18} {
		var rows [][]any
		for i := range n {
			name := names[i%3]
			if i > 2 {
				name = fmt.Sprint(name, " ", i)
			}
			rows = append(rows, []any{name, int64(1), float64(i)}, []any{name, int64(2), float64(2*n - i)})
		}
		v := slopes("integer", "number sum", rows...)
		v.Spec.Panels[0].Width = 4
		_, r := recorded(t, v, 0)
		cut := false
		for _, l := range r.Labels {
			cut = cut || strings.Contains(l.Text, "…")
		}
		if cut != (n > 3) {
			t.Errorf("%d lines: cut is %v: %v", n, cut, r.Labels)
		}
		high := float64(r.Plots[0].Height)
		for i, a := range r.Labels {
			for _, b := range r.Labels[:i] {
				same := a.X == b.X && a.Right == b.Right && a.Anchor == b.Anchor && a.Text != b.Text
				apart := (a.Y.V-b.Y.V)*high + float64(a.Down-b.Down)
				if same && a.Y.V < 1 && b.Y.V < 1 && apart > -12 && apart < 12 {
					t.Errorf("%d lines: %q and %q are %.1f pixels apart", n, a.Text, b.Text, apart)
				}
			}
		}
	}
}
