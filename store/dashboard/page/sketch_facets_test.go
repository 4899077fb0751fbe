package page

import (
	"path/filepath"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/canvas/text"
)

// TestSmallPlotsAreDrawn: small plots are in the text drawing of their panel: as plots or as lines of blocks, as far as there is space,
// and otherwise as whole sentences. A pie and a kpi have sentences alone.
func TestSmallPlotsAreDrawn(t *testing.T) {
	t.Parallel()
	words := map[string]bool{dashboard.Pie: true, dashboard.KPI: true}
	for _, kind := range dashboard.PanelTypes() {
		if !dashboard.HasFacet(kind) {
			continue
		}
		v := reportOf(t, filepath.Join("testdata", "facets", kind+".txtar"))
		s := Summaries(v)[0]
		lines := strings.Split(s.Sketch, "\n")
		if drawn := strings.ContainsAny(s.Sketch, "▁▂▃▄▅▆▇█░▓┃●○◆◇╱─┈·"); drawn == words[kind] {
			t.Errorf("%s: drawn is %v:\n%s", kind, drawn, s.Sketch)
		}
		if len(lines) > 24 {
			t.Errorf("%s: %d lines", kind, len(lines))
		}
		for _, line := range lines {
			if len(lines) <= 12 && strings.HasSuffix(line, "…") {
				t.Errorf("%s: a sentence is cut although there is space:\n%s", kind, s.Sketch)
			}
			if text.Cells(line) > text.LineWidth {
				t.Errorf("%s: %q is too wide", kind, line)
			}
		}
	}
}
