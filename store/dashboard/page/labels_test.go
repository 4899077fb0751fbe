package page

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"service/store/dashboard"
)

// on returns a pointer to a flag, as a spec has it.
func on(v bool) *bool { return &v }

// TestValuesOfBars: vertical bars have their values on them if all fit; the spec can switch them off, or ask for those that fit.
func TestValuesOfBars(t *testing.T) {
	t.Parallel()
	rows := func(n int, value func(i int) float64) (out [][]any) {
		for i := range n {
			out = append(out, []any{fmt.Sprintf("%02d", i), "s", value(i)})
		}
		return out
	}
	up := func(i int) float64 { return float64(1000 + i) }
	for name, tc := range map[string]struct {
		labels *bool
		rows   [][]any
		width  int
		want   [3]int // on a phone, a tablet and a desktop
		first  string // on a desktop
		noted  bool
	}{
		"five":               {nil, rows(5, up), 6, [3]int{5, 5, 5}, "1,000", false},
		"off":                {on(false), rows(5, up), 6, [3]int{}, "", false},
		"short where narrow": {nil, rows(6, func(i int) float64 { return 1234567 + float64(i)*1e5 }), 6, [3]int{6, 6, 6}, "1,234,567", false},
		"too many":           {nil, rows(40, up), 12, [3]int{}, "", false},
		"not on a phone":     {nil, rows(12, func(i int) float64 { return 1234500 + float64(i)*1e5 }), 6, [3]int{0, 12, 12}, "1,234,500", false},
		"asked for":          {on(true), rows(60, func(i int) float64 { return 100000 + float64(i*i) }), 6, [3]int{}, "", true},
		"below zero":         {nil, rows(4, func(i int) float64 { return -float64(i + 1) }), 6, [3]int{4, 4, 4}, "−1", false},
		"zero":               {nil, rows(3, func(i int) float64 { return float64(i) }), 6, [3]int{3, 3, 3}, "0", false},
	} {
		bars := dashboard.Panel{Type: dashboard.Bar, X: "name", Y: []string{"n"}, Width: tc.width, Labels: tc.labels}
		v := tiny([]dashboard.Panel{bars}, []string{"name text", "series text", "n number sum integer"}, tc.rows...)
		p := open(v).Panel(0)
		for size, want := range tc.want {
			got := record(p).Values(size)
			if !tc.noted && len(got) != want || tc.noted && (len(got) == 0 || len(got) == len(tc.rows)) {
				t.Errorf("%s, on width %d: %q are written, want %d", name, size, got, want)
			}
			if size == 2 && tc.first != "" && (len(got) == 0 || got[0] != tc.first) {
				t.Errorf("%s: %q, want %s first", name, got, tc.first)
			}
		}
		if noted := strings.Contains(strings.Join(p.Notes, " "), "where there is room"); noted != tc.noted {
			t.Errorf("%s: notes %q", name, p.Notes)
		}
		if got := codes(v); (got == "left_out panels[0].labels") != tc.noted {
			t.Errorf("%s: warnings %q", name, got)
		}
	}
}

// TestValuesOfStacks: stacks have their totals on top and, if the spec asks for them, the values of their parts inside; groups of bars have
// a value on each bar.
func TestValuesOfStacks(t *testing.T) {
	t.Parallel()
	rows := [][]any{{"a", "x", 10.0}, {"a", "y", 20.0}, {"b", "x", 5.0}, {"b", "y", 0.25}, {"c", "y", 7.0}}
	for _, tc := range []struct {
		stack  bool
		labels *bool
		want   string
	}{
		{true, nil, "30 5.25 7"},
		{true, on(true), "10 20 30 5 5.25 7"}, // 0.25 does not fit; a stack of one part has its value once
		{false, nil, "0.25 10 20 5 7"},
		{true, on(false), ""},
	} {
		bars := dashboard.Panel{Type: dashboard.Bar, X: "name", Y: []string{"n"}, Series: "s", Stack: tc.stack, Labels: tc.labels, Width: 6}
		p := open(tiny([]dashboard.Panel{bars}, []string{"name text", "s text", "n number sum"}, rows...)).Panel(0)
		if got := strings.Join(record(p).Values(2), " "); got != tc.want {
			t.Errorf("stack %v: %s, want %s", tc.stack, got, tc.want)
		}
	}
	rows[0][2] = -10.0
	bars := dashboard.Panel{Type: dashboard.Bar, X: "name", Y: []string{"n"}, Series: "s", Stack: true, Width: 6}
	p := open(tiny([]dashboard.Panel{bars}, []string{"name text", "s text", "n number sum"}, rows...)).Panel(0)
	if got := record(p).Values(2); len(got) > 0 {
		t.Errorf("stacks in both directions have totals: %q", got)
	}
}

// TestValuesOfLines: a line has its values if the spec asks for them: all of them, or those at the ends, the highest and the lowest.
func TestValuesOfLines(t *testing.T) {
	t.Parallel()
	rows := func(n int) (out [][]any) {
		for i := range n {
			at := day("2026-01-01").AddDate(0, 0, i)
			out = append(out, []any{at, "s", float64(100 + i*37%50)}, []any{at, "t", float64(i)})
		}
		return out
	}
	for _, tc := range []struct {
		n      int
		panel  dashboard.Panel
		want   string
		noted  bool
		filter string
	}{
		{4, dashboard.Panel{Labels: on(true)}, "100 111 124 137", false, "s"},
		{90, dashboard.Panel{Labels: on(true)}, "100 143 149", true, "s"}, // the last is 100 + 89*37%50 = 143
		{90, dashboard.Panel{Labels: on(true), Series: "s"}, "143 89", true, ""},
		{90, dashboard.Panel{}, "", false, "s"},
		{3, dashboard.Panel{Labels: on(true), Series: "s", Stack: true, Type: dashboard.Area}, "100 126 138", false, ""},
	} {
		panel := tc.panel
		panel.X, panel.Y, panel.Width = "day", []string{"n"}, 12
		if panel.Type == "" {
			panel.Type = dashboard.Line
		}
		all := rows(tc.n)
		if tc.filter != "" {
			all = slices.DeleteFunc(all, func(r []any) bool { return r[1] != tc.filter })
		}
		p := open(tiny([]dashboard.Panel{panel}, []string{"day date", "s text", "n number sum integer"}, all...)).Panel(0)
		if got := strings.Join(record(p).Values(2), " "); got != tc.want {
			t.Errorf("%d points: %s, want %s", tc.n, got, tc.want)
		}
		if noted := strings.Contains(strings.Join(p.Notes, " "), "where there is room"); noted != tc.noted {
			t.Errorf("%d points: notes %q", tc.n, p.Notes)
		}
	}
}

// TestValuesOfCells: the cells of a heat map have no values if the spec switches them off. If the spec asks for them and they do not fit,
// the panel reports that.
func TestValuesOfCells(t *testing.T) {
	t.Parallel()
	view := func(n int, labels *bool) View {
		var rows [][]any
		for i := range n {
			rows = append(rows, []any{fmt.Sprintf("%02d", i), "y", float64(12345600 + i)})
		}
		return tiny([]dashboard.Panel{{Type: dashboard.Heatmap, X: "x", Y: []string{"y"}, Value: "n", Labels: labels, Width: 6}},
			[]string{"x text", "y text", "n number sum integer"}, rows...)
	}
	cells := func(v View) int { return strings.Count(string(render(t, v)), ">12,345,60") }
	if n := cells(view(3, nil)); n < 3 {
		t.Errorf("%d cells have their values, want 3", n)
	}
	behind := 5 // in the table behind, and at the two ends of the legend
	if n := cells(view(3, on(false))); n > behind {
		t.Errorf("%d texts, want at most %d", n, behind)
	}
	if got := codes(view(3, on(true))); got != "" {
		t.Error(got)
	}
	if got := codes(view(40, on(true))); got != "left_out panels[0].labels" {
		t.Error(got)
	}
}

// TestValuesLieOnNothing: no value overlaps a bar, a line or another text, for any numbers.
func TestValuesLieOnNothing(t *testing.T) {
	t.Parallel()
	for seed := range uint64(16) {
		r := rand.New(rand.NewPCG(seed, 4))
		n := 1 + r.IntN(30)
		var rows [][]any
		for i := range n {
			for s := range 1 + r.IntN(3) {
				v := r.NormFloat64() * []float64{1, 1e3, 1e9, 1e-6}[seed%4]
				if seed%3 > 0 {
					v = max(v, -v)
				}
				rows = append(rows, []any{day("2026-01-01").AddDate(0, 0, i), fmt.Sprintf("%02d", i), fmt.Sprint(s), v})
			}
		}
		lines := []dashboard.Reference{{Kind: "average"}, {Kind: "median", Label: "The one in the middle"}}
		var panels []dashboard.Panel
		for _, labels := range []*bool{nil, on(true)} {
			for _, w := range []int{3, 6, 12} {
				panels = append(panels,
					dashboard.Panel{Type: dashboard.Bar, X: "name", Y: []string{"n"}, Width: w, Labels: labels, Reference: lines},
					dashboard.Panel{Type: dashboard.Bar, X: "name", Y: []string{"n"}, Series: "s", Width: w, Labels: labels},
					dashboard.Panel{Type: dashboard.Bar, X: "day", Y: []string{"n"}, Series: "s", Stack: true, Width: w, Labels: labels},
					dashboard.Panel{Type: dashboard.Line, X: "day", Y: []string{"n"}, Width: w, Labels: labels, Reference: lines},
					dashboard.Panel{Type: dashboard.Line, X: "day", Y: []string{"n"}, Series: "s", Width: w, Labels: labels},
					dashboard.Panel{Type: dashboard.Area, X: "day", Y: []string{"n"}, Series: "s", Stack: true, Width: w, Labels: labels},
				)
			}
		}
		v := tiny(panels, []string{"day date", "name text", "s text", "n number sum"}, rows...)
		p := open(v)
		p.workOut()
		for i, width := range pack(v.Spec.Panels) {
			p.panels[i].Columns = width
			for _, f := range measured(p.panels[i]) {
				if !strings.Contains(f, "leaves the card") {
					t.Errorf("seed %d: %s", seed, f)
				}
			}
		}
	}
}

// TestValueOfTheFirstBar: the value of the first bar is written even if it is the highest: it is moved into the plot, and is still above
// its bar.
func TestValueOfTheFirstBar(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for month, v := range map[string]float64{"2015-01-31": 57876, "2015-02-10": 0, "2015-09-30": 0, "2015-10-15": 5675, "2015-12-31": 0} {
		rows = append(rows, []any{day(month), v})
	}
	v := tiny([]dashboard.Panel{{Type: dashboard.Bar, X: "day", Y: []string{"value"}, Grain: "month", Labels: on(true), Width: 8}},
		[]string{"day date", "value number sum currency"}, rows...)
	for size := range 3 {
		if got := record(open(v).Panel(0)).Values(size); !slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, "$57") }) {
			t.Errorf("size %d: values %v", size, got)
		}
	}
}
