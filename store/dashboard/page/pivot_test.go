package page

import (
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/scene"
)

// across returns dimensions across, as a spec has them.
func across(names ...string) []dashboard.TableColumn {
	var out []dashboard.TableColumn
	for _, name := range names {
		out = append(out, dashboard.TableColumn{Column: name})
	}
	return out
}

// TestPivotsOfPicturesAreWhole: in a picture and a document, the names of a pivot's rows and columns are not cut as long as its numbers
// have room: the heads of columns continue on a second line.
func TestPivotsOfPicturesAreWhole(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for i, name := range []string{"Ada Lovelace", "Barbara Liskov", "Edsger Dijkstra", "Niklaus Wirth"} {
		for k := range 12 {
			rows = append(rows, []any{name, day("2025-01-06").AddDate(0, 0, 30*k), int64(100*i + k)})
		}
	}
	v := tiny([]dashboard.Panel{{
		Type: dashboard.Pivot, Rows: []string{"name"}, Columns: []dashboard.TableColumn{{Column: "day"}}, Values: []string{"n"},
	}}, []string{"name text", "day date", "n integer sum"}, rows...)
	for _, paper := range []bool{false, true} {
		for _, item := range sceneOf(t, v, Shot{}, paper).Items {
			if text, ok := item.(*scene.Text); ok && strings.Contains(text.Text, "…") {
				t.Errorf("paper %v: %q is cut", paper, text.Text)
			}
		}
	}
}
