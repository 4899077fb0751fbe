package page

import (
	"fmt"
	"testing"

	"service/store/dashboard"
)

// TestWidthsAreSaid: a panel that is drawn in another width than its spec has causes one warning for all such panels, which has the widths.
func TestWidthsAreSaid(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		layout string
		types  []string
		widths []int
		want   string
	}{
		{"", []string{"kpi", "kpi", "kpi", "kpi"}, []int{3, 3, 3, 3}, ""},
		{"", []string{"kpi", "bar"}, []int{0, 0}, ""},
		{"", []string{"bar", "bar"}, []int{6, 6}, ""},
		{"", []string{"bar", "bar"}, []int{6, 4}, "panels[1].width: panels[1] has 6 instead of 4; rows are filled: write widths that add up"},
		{"", []string{"kpi", "kpi", "bar"}, []int{3, 3, 6}, ""},
		{"", []string{"kpi", "kpi", "kpi", "kpi", "kpi"}, []int{2, 3, 2, 2, 3}, ""},
		{"", []string{"bar", "kpi", "kpi", "kpi"}, []int{12, 2, 2, 8}, ""},
		{"", []string{"kpi", "kpi", "bar"}, []int{3, 3, 0}, "panels[0].width: panels[0] has 6 instead of 3, panels[1] has 6 instead of 3;"},
		{"", []string{"kpi", "kpi", "kpi"}, []int{3, 3, 3}, "panels[0].width: panels[0] has 4 instead of 3, panels[1]"},
		{"article", []string{"bar"}, []int{6}, "panels[0].width: panels[0] has 12 instead of 6; an article is one column"},
		{"article", []string{"bar"}, []int{0}, ""},
	} {
		var panels []dashboard.Panel
		for i, kind := range tc.types {
			p := dashboard.Panel{Type: kind, Width: tc.widths[i], OwnWidth: tc.widths[i] != 0, X: "name", Y: []string{"n"}}
			if kind == dashboard.KPI {
				p.X, p.Y, p.Value = "", nil, "n"
			}
			panels = append(panels, p)
		}
		v := tiny(panels, []string{"name text", "n integer sum"}, []any{"a", int64(1)}, []any{"b", int64(2)})
		v.Spec.Layout = tc.layout
		got := ""
		for _, w := range Warnings(v) {
			if w.Code == dashboard.WarnWidth {
				got += w.Path + ": " + w.Message
			}
		}
		if len(got) < len(tc.want) || got[:len(tc.want)] != tc.want || tc.want == "" && got != "" {
			t.Errorf("%s: %q, want %q", fmt.Sprint(tc.types, tc.widths), got, tc.want)
		}
	}
}
