package panel

import (
	"strings"
	"testing"
	"time"

	"service/store/dashboard"
)

// TestColumnsAreEven: the rows of a column are written in the same form, so that their lengths are comparable.
func TestColumnsAreEven(t *testing.T) {
	t.Parallel()
	at := day("2026-03-02").Add(9 * time.Hour)
	v := tiny([]dashboard.Panel{{Type: dashboard.Table, Title: "T", Columns: []dashboard.TableColumn{
		{Column: "name"},
		{Column: "score"},
		{Column: "small"},
		{Column: "whole"},
		{Column: "one"},
		{Column: "at"},
		{Column: "said"},
		{Column: "temp"},
	}}}, []string{
		"name text", "score number avg", "small number avg", "whole number avg", "one number avg number", "at timestamp",
		"said number avg percent1", "temp number avg",
	},
		[]any{"a", 2237.4, 2.5, 4.0, 0.5, at, 0.25, -0.4},
		[]any{"b", 676.53, 0.0123, 5.0, 7.0, at.Add(5 * time.Second), 0.5, 12.0},
		[]any{"c", nil, nil, nil, nil, nil, nil, 3.5},
	)
	var got []string
	for _, row := range lookAt(t, v, 0).rows {
		got = append(got, strings.Join(row, " | "))
	}
	want := []string{
		"a | 2,237.40 | 2.5 | 4 | 0.5 | Mar 2, 2026 09:00:00 | 25.0% | −0.4",
		"b | 676.53 | 0.0123 | 5 | 7.0 | Mar 2, 2026 09:00:05 | 50.0% | 12.0",
		"c | – | – | – | – | Not set | – | 3.5",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("rows\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestPivotsAreEven: all cells of a measure, and its totals, have the same number of decimals, and different measures their own.
func TestPivotsAreEven(t *testing.T) {
	t.Parallel()
	for format, want := range map[string]string{
		"":         "a 2.50 1.00 3.50|b 100.00 0.25 100.25|Total 102.50 1.25 103.75",
		"compact":  "a 2.5 1 3.5|b 100 0.25 100|Total 103 1.3 104",
		"percent1": "a 250.0% 100.0% 350.0%|b 10,000.0% 25.0% 10,025.0%|Total 10,250.0% 125.0% 10,375.0%",
	} {
		v := tiny([]dashboard.Panel{{
			Type: dashboard.Pivot, Rows: []string{"name"}, Values: []string{"n"},
			Columns: []dashboard.TableColumn{{Column: "side"}},
		}},
			[]string{"name text", "side text", "n number sum " + format},
			[]any{"a", "l", 2.5}, []any{"a", "r", 1.0}, []any{"b", "l", 100.0}, []any{"b", "r", 0.25})
		p := open(v).Panel(0)
		table := p.Content.(*pivotPanel)
		var got []string
		for _, l := range table.all() {
			line := table.crossLine(p.Ways(), l, table.columns())
			words := []string{line.Name}
			for _, cell := range line.Cells {
				words = append(words, cell.Text)
			}
			got = append(got, strings.Join(words, " "))
		}
		if got := strings.Join(got, "|"); got != want {
			t.Errorf("%s: %s, want %s", format, got, want)
		}
	}
}

// TestListsAreEven: the values of a list of bars have the same number of decimals.
func TestListsAreEven(t *testing.T) {
	t.Parallel()
	v := tiny([]dashboard.Panel{{Type: dashboard.Bar, X: "name", Y: []string{"n"}, Horizontal: true}}, []string{"name text", "n number avg"},
		[]any{"a", 17.42}, []any{"b", 17.0}, []any{"c", 0.5})
	_, r := recorded(t, v, 0)
	for _, want := range []string{`"a" 17.42`, `"b" 17.00`, `"c" 0.50`} {
		if !strings.Contains(r.String(), want) {
			t.Errorf("there is no %s:\n%s", want, r.String())
		}
	}
}
