package panel

import (
	"strings"
	"testing"

	"service/store/dashboard"
)

// TestLinesHaveNamesAtTheirEnds: with legend, the names of the lines are at their ends, and the legend names them on a phone alone; an
// average stays in the legend. Names that do not fit are reported.
func TestLinesHaveNamesAtTheirEnds(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change  func(p *dashboard.Panel)
		ends    string // names at the ends, from the top
		legends int    // that name a line
		codes   string
	}{
		"ends":      {func(*dashboard.Panel) {}, "bac", 1, ""},
		"average":   {func(p *dashboard.Panel) { p.Average = 2 }, "bac", 1, ""},
		"above":     {func(p *dashboard.Panel) { p.Legend = "" }, "", 1, ""},
		"highlight": {func(p *dashboard.Panel) { p.Highlight = []string{"c"} }, "dbac", 1, ""},
		"narrow":    {func(p *dashboard.Panel) { p.Width = 4 }, "", 1, "key_ignored panels[0].legend"},
	} {
		spec := dashboard.Panel{
			Type: dashboard.Line, X: "day", Y: []string{"rank"}, Series: "team", Reverse: true, Limit: 3, Legend: dashboard.LegendEnds, Width: 8,
		}
		tc.change(&spec)
		v := ranksOf(spec)
		_, c := recorded(t, v, 0)
		ends := ""
		for _, l := range c.Labels {
			if l.X.V == 1 && l.Right == 16 {
				ends += l.Text
			}
		}
		if len(ends) != len(tc.ends) || strings.Trim(ends, tc.ends) != "" {
			t.Errorf("%s: the names %q are at the ends, want %q", name, ends, tc.ends)
		}
		legends := 0
		for _, i := range c.Items {
			if i.Name == "c" {
				legends++
			}
		}
		if legends != tc.legends {
			t.Errorf("%s: %d legends name a line", name, legends)
		}
		if got := codes(v); got != tc.codes {
			t.Errorf("%s: warnings %q, want %q", name, got, tc.codes)
		}
	}
}
