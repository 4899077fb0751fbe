package panel

import (
	"strings"
	"testing"

	"service/store/dashboard"
)

// TestNamesOfOrderedColumnsAreWhole: the columns of a heat map that are in an order of the spec, such as days of the week, all have their
// names on a desktop.
func TestNamesOfOrderedColumnsAreWhole(t *testing.T) {
	t.Parallel()
	days := []string{"segunda-feira", "terça-feira", "quarta-feira", "quinta-feira", "sexta-feira", "sábado", "domingo"}
	var rows [][]any
	order := dashboard.Order{Values: days}
	for i, d := range days {
		rows = append(rows, []any{d, "08:00", int64(i + 1)}, []any{d, "09:00", int64(i + 2)})
	}
	v := tiny([]dashboard.Panel{{Type: dashboard.Heatmap, X: "d", Y: []string{"h"}, Value: "n", Width: 6}},
		[]string{"d text", "h text", "n integer sum"}, rows...)
	v.Spec.Columns = []dashboard.Appearance{{Column: "d", Order: order}}
	_, c := recorded(t, v, 0)
	text := ""
	for _, l := range c.Labels {
		text += l.Text + "\n"
	}
	for _, d := range days {
		if !strings.Contains(text, d) {
			t.Errorf("%s has no name in\n%s", d, text)
		}
	}
}
