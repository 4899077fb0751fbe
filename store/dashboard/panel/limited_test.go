package panel

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"service/store/dashboard"
)

// TestLimitIsSaid: every type of panel that limit makes smaller warns its author by that key, with the word of the choice; unless sort
// names a measure to choose by, or the rest is merged into "Other". Days that are texts must not vanish from an axis without a word.
func TestLimitIsSaid(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for i := range 30 {
		name := fmt.Sprintf("%02d Nov", i+1)
		for _, side := range []string{"a", "b"} {
			rows = append(rows, []any{name, side, int64(100 + (i*7)%30), int64(i + 1), float64(i)})
		}
	}
	columns := []string{"k text", "s text", "n integer sum", "m integer sum", "w number none"}
	for _, tc := range []struct {
		panel  dashboard.Panel
		by     string // a measure for sort
		others bool   // the type has the key other
		word   string
	}{
		{dashboard.Panel{Type: dashboard.Line, X: "k", Y: []string{"n"}}, "m", true, "largest"},
		{dashboard.Panel{Type: dashboard.Area, X: "k", Y: []string{"n"}}, "m", true, "largest"},
		{dashboard.Panel{Type: dashboard.Bar, X: "k", Y: []string{"n"}}, "m", true, "largest"},
		{dashboard.Panel{Type: dashboard.Bar, X: "k", Y: []string{"n"}, Series: "s", Stack: true}, "m", true, "largest"},
		{dashboard.Panel{Type: dashboard.Combo, X: "k", Bars: []string{"n"}, Lines: []string{"m"}, Y: []string{"n", "m"}}, "n", true, "largest"},
		{dashboard.Panel{Type: dashboard.Heatmap, X: "s", Y: []string{"k"}, Value: "n"}, "n", true, "largest"},
		{dashboard.Panel{Type: dashboard.Slope, X: "s", Label: "k", Value: "n"}, "", false, "largest"},
		{dashboard.Panel{Type: dashboard.Box, X: "k", Value: "w"}, "w", false, "largest"},
		{dashboard.Panel{Type: dashboard.Funnel, Label: "k", Value: "n"}, "n", false, "first"},
		{
			dashboard.Panel{Type: dashboard.Scatter, X: "n", Y: []string{"m"}, Label: "k"},
			"m", false,
			`points are drawn, those with the largest "m"`,
		},
		{dashboard.Panel{Type: dashboard.Pivot, Rows: []string{"k"}, Values: []string{"n"}}, "n", false, "largest"},
	} {
		said := func(change func(*dashboard.Panel)) string {
			panel := tc.panel
			panel.Limit = 9
			change(&panel)
			var out []string
			_, warnings := open(tiny([]dashboard.Panel{panel}, columns, rows...)).Examine()
			for _, w := range warnings {
				if w.Code == dashboard.WarnCut || w.Code == dashboard.WarnMerged {
					out = append(out, w.String())
				}
			}
			return strings.Join(slices.Compact(out), " ")
		}
		want := fmt.Sprintf(`[cut] panels[0].limit: 9 of 30 values of "k" are drawn; limit keeps the %s ones; without it more are drawn`, tc.word)
		if tc.panel.Type == dashboard.Scatter {
			want = "[cut] panels[0].limit: 9 of 30 " + tc.word
		}
		if got := said(func(*dashboard.Panel) {}); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", tc.panel.Type, got, want)
		}
		if got := said(func(p *dashboard.Panel) { p.Sort = "-" + tc.by }); tc.by != "" && got != "" {
			t.Errorf("%s, sorted: %q", tc.panel.Type, got)
		}
		if got := said(func(p *dashboard.Panel) { p.Other = true }); tc.others && got != "" {
			t.Errorf("%s, with other: %q", tc.panel.Type, got)
		}
		if got := said(func(p *dashboard.Panel) { p.Limit = 30 }); got != "" && tc.panel.Type != dashboard.Funnel {
			t.Errorf("%s, limit of all: %q", tc.panel.Type, got)
		}
	}
}
