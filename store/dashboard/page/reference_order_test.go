package page

import (
	"strings"
	"testing"
	"time"

	"service/store/dashboard"
)

// TestReferencesHideNoLine: a reference line does not hide a line of the same value: it is under lines, and over bars and areas.
func TestReferencesHideNoLine(t *testing.T) {
	t.Parallel()
	rows := [][]any{{time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), int64(100)}, {time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC), int64(100)}}
	for kind, over := range map[string]bool{dashboard.Line: false, dashboard.Area: true, dashboard.Bar: true} {
		panel := dashboard.Panel{
			Type: kind, X: "day", Y: []string{"uptime"}, Reference: []dashboard.Reference{{Value: 100, Label: "Goal", Tone: "neutral"}},
		}
		_, r := recorded(t, tiny([]dashboard.Panel{panel}, []string{"day date", "uptime integer sum"}, rows...), 0)
		drawn := r.String()
		mark := "curve"
		if kind == dashboard.Bar {
			mark = "rect "
		}
		at, ref := strings.LastIndex(drawn, mark), strings.Index(drawn, "reference line")
		if at < 0 || ref < 0 || (ref > at) != over {
			t.Errorf("%s: the reference line is drawn over the marks: %v, want %v\n%s", kind, ref > at, over, drawn)
		}
	}
}
