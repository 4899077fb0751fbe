package panel

import (
	"testing"

	"service/store/dashboard"
)

// TestMissingTextsInTables: NULL in a column of texts looks like NULL in other columns, wherever it is in the rows, so that it differs from
// a text that reads like it; and an empty text is not missing.
func TestMissingTextsInTables(t *testing.T) {
	t.Parallel()
	v := tiny([]dashboard.Panel{{Type: dashboard.Table, Columns: []dashboard.TableColumn{{Column: "id"}, {Column: "name"}, {Column: "flag"}}}},
		[]string{"id text", "name text", "flag boolean"},
		[]any{"1", "a", true}, []any{"2", "", nil}, []any{"3", nil, false}, []any{"4", "Not set", nil}, []any{"5", nil, true})
	p, _ := recorded(t, v, 0)
	table := p.Content.(*tablePanel)
	want := [][2]bool{{false, false}, {false, true}, {true, false}, {false, true}, {true, false}}
	for row := range want {
		if got := [2]bool{table.cell(row, 1).Missing, table.cell(row, 2).Missing}; got != want[row] {
			t.Errorf("row %d: missing %v, want %v", row, got, want[row])
		}
	}
	if text := table.cell(1, 1).Text; text != "(empty)" {
		t.Errorf("an empty text is %q", text)
	}
}
