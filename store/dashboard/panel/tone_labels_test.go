package panel

import (
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
)

// TestNamesOfTones: the name of a threshold is in the legend, the sentence and the number of a kpi in place of its condition. A table
// lists the thresholds with names, also those of columns that it shows, and counts each line once.
func TestNamesOfTones(t *testing.T) {
	t.Parallel()
	columns := []string{"rep text", "share number max percent", "n integer sum"}
	rows := [][]any{{"Ann", 1.1, int64(1)}, {"Ben", 0.9, int64(2)}, {"Cy", 0.8, int64(3)}, {"Di", 0.2, int64(4)}}
	levels := func(column string) []dashboard.Threshold {
		return []dashboard.Threshold{
			{Column: column, If: "<", Value: 0.5, Tone: "bad", Label: "behind"},
			{Column: column, If: ">=", Value: 0.5, Tone: "info", Label: "on track"},
			{Column: column, If: ">=", Value: 1, Tone: "good", Label: "done"},
		}
	}
	for _, tc := range []struct {
		panel         dashboard.Panel
		summary, draw string
	}{
		{
			dashboard.Panel{Type: dashboard.Bar, X: "rep", Y: []string{"share"}, Thresholds: levels("")},
			"behind: 1 of 4. on track: 2 of 4. done: 1 of 4.", `on track`,
		},
		{dashboard.Panel{Type: dashboard.KPI, Value: "share", Thresholds: levels("")}, "110%. done.", `"done"`},
		{dashboard.Panel{Type: dashboard.KPI, Value: "rep", Sort: "share", Thresholds: levels("share")}, "Di, share: 20%. behind.", `"behind"`},
		{
			dashboard.Panel{Type: dashboard.Table, Thresholds: levels("share")},
			"behind: 1 of 4. on track: 2 of 4. done: 1 of 4.", `on track`,
		},
		{
			dashboard.Panel{Type: dashboard.Table, Columns: []dashboard.TableColumn{{Column: "rep"}}, Thresholds: levels("share")},
			"behind: 1 of 4. on track: 2 of 4. done: 1 of 4.", `on track`,
		},
	} {
		if len(tc.panel.Columns) > 0 {
			for i := range tc.panel.Thresholds {
				tc.panel.Thresholds[i].Cell = "rep"
			}
		}
		p := open(tiny([]dashboard.Panel{tc.panel}, columns, rows...)).Panel(0)
		var r canvas.Recorder
		if p.Content == nil {
			t.Errorf("%s: %s", tc.panel.Type, p.Problem)
			continue
		}
		p.Content.Draw(&r)
		if !strings.Contains(p.Summary, tc.summary) || !strings.Contains(r.String(), tc.draw) {
			t.Errorf("%s: %s\n%s", tc.panel.Type, p.Summary, r.String())
		}
	}
}
