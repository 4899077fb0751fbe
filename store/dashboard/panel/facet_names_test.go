package panel

import (
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
)

// TestNamesOfSmallPlotsAreWhole: fewer small plots are next to each other if the names of their columns would be cut, or those of a
// waterfall left out, unless the spec has their number.
func TestNamesOfSmallPlotsAreWhole(t *testing.T) {
	t.Parallel()
	steps := []string{"Revenue", "Materials", "Wages", "Marketing", "Rent", "Overheads"}
	var rows [][]any
	for i, region := range []string{"East", "North", "South", "West"} {
		for k, step := range steps {
			rows = append(rows, []any{region, step, int64(100 - 30*k + i)})
		}
	}
	for name, tc := range map[string]struct {
		panel dashboard.Panel
		order []string
		whole bool
	}{
		"bar":               {dashboard.Panel{Type: dashboard.Bar, X: "step", Y: []string{"n"}, Width: 12}, nil, true},
		"half a row":        {dashboard.Panel{Type: dashboard.Bar, X: "step", Y: []string{"n"}, Width: 6}, nil, true},
		"waterfall":         {dashboard.Panel{Type: dashboard.Waterfall, Label: "step", Value: "n", Width: 12}, nil, true},
		"ordered waterfall": {dashboard.Panel{Type: dashboard.Waterfall, Label: "step", Value: "n", Width: 12}, steps, true},
		"box":               {dashboard.Panel{Type: dashboard.Box, X: "step", Value: "n", Width: 12}, nil, true},
		"chosen":            {dashboard.Panel{Type: dashboard.Bar, X: "step", Y: []string{"n"}, Width: 12, FacetCols: 4}, nil, false},
	} {
		tc.panel.Facet = "region"
		v := tiny([]dashboard.Panel{tc.panel}, []string{"region text", "step text", "n integer sum"}, rows...)
		if tc.order != nil {
			v.Spec.Columns = []dashboard.Appearance{{Column: "step", Order: dashboard.Order{Values: tc.order}}}
		}
		_, c := recorded(t, v, 0)
		written := map[string]bool{}
		for _, l := range c.Labels {
			if l.On == 0 || l.On&(map[int]canvas.Widths{6: canvas.Tablet, 12: canvas.Desktop}[tc.panel.Width]) != 0 {
				written[l.Text] = true
			}
		}
		whole := true
		for _, step := range steps {
			whole = whole && written[step]
		}
		for text := range written {
			whole = whole && !strings.Contains(text, "…")
		}
		if whole != tc.whole {
			t.Errorf("%s: the names are %v", name, written)
		}
	}
}
