package panel

import (
	"fmt"
	"strings"
	"testing"

	"service/store/dashboard"
)

// TestSentencesAreExact: sentences name the lowest and the highest of numbers that are equal as float64.
func TestSentencesAreExact(t *testing.T) {
	t.Parallel()
	const big = int64(1) << 53 // float64 has no number between big and big+2
	var rows [][]any
	for i, n := range []int64{2, 0, 1, 4, 3, 5} { // the sixth day has the most, and the second the least
		rows = append(rows, []any{day(fmt.Sprintf("2026-03-%02d", i+1)), []string{"a", "b", "c", "d", "e", "f"}[i], big + n, "all"})
	}
	columns := []string{"d date", "name text", "n integer sum", "one text"}
	least, most := "9,007,199,254,740,992", "9,007,199,254,740,997"
	for kind, tc := range map[string]struct {
		panel dashboard.Panel
		want  []string
	}{
		"line":      {dashboard.Panel{Type: dashboard.Line, X: "d", Y: []string{"n"}}, []string{least + " (Mar 2", most + " (Mar 6"}},
		"bars":      {dashboard.Panel{Type: dashboard.Bar, X: "d", Y: []string{"n"}}, []string{least + " (Mar 2", most + " (Mar 6"}},
		"bar names": {dashboard.Panel{Type: dashboard.Bar, X: "name", Y: []string{"n"}}, []string{"f " + most}},
		"calendar": {dashboard.Panel{Type: dashboard.Calendar, X: "d", Value: "n"}, []string{
			least + " (Mar 2, 2026)", most + " (Mar 6, 2026)",
		}},
		"heatmap": {dashboard.Panel{Type: dashboard.Heatmap, X: "name", Y: []string{"one"}, Value: "n"}, []string{
			"from " + least + " to " + most + " (all, f)",
		}},
		"pivot": {dashboard.Panel{
			Type: dashboard.Pivot, Rows: []string{"name"}, Columns: across("one"), Values: []string{"n"},
		}, []string{"from " + least + " to " + most + " (f"}},
		"small line": {
			dashboard.Panel{Type: dashboard.Table, Columns: []dashboard.TableColumn{{Column: "one"}, {Column: "n", Sparkline: "d"}}},
			[]string{"lowest " + least + " (Mar 2", "highest " + most + " (Mar 6"},
		},
	} {
		v := tiny([]dashboard.Panel{tc.panel}, columns, rows...)
		p := open(v).Panel(0)
		said := p.Summary
		if t, ok := p.Content.(*tablePanel); ok {
			for _, trend := range t.trends {
				if l := trend.of(0); l != nil {
					said += l.Says
				}
			}
		}
		for _, want := range tc.want {
			if !strings.Contains(said, want) {
				t.Errorf("%s: it says %q %s, want %q", kind, said, p.Problem, want)
			}
		}
	}
}
