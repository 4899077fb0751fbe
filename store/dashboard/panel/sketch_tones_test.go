package panel

import (
	"strings"
	"testing"

	"service/store/dashboard"
)

// TestSketchesHaveTones: a drawing in characters has the signs of the tones of cells, rows and numbers, with their meanings, and the
// columns of a wide table below each other.
func TestSketchesHaveTones(t *testing.T) {
	t.Parallel()
	limit := []dashboard.Threshold{{Column: "n", If: ">", Value: 6, Tone: "bad"}}
	columns := []string{"name text", "n integer sum"}
	rows := [][]any{{"a", int64(5)}, {"b", int64(7)}, {"c", int64(8)}}
	sketch := func(p dashboard.Panel, columns []string, rows ...[]any) string {
		return open(tiny([]dashboard.Panel{p}, columns, rows...)).Panel(0).sketchText()
	}
	got := sketch(dashboard.Panel{Type: dashboard.Table, Thresholds: limit}, columns, rows...)
	if !strings.Contains(got, "7 ●") || !strings.Contains(got, "8 ●") || strings.Contains(got, "5 ●") || !strings.HasSuffix(got, "● (bad)") {
		t.Error(got)
	}
	got = sketch(dashboard.Panel{Type: dashboard.KPI, Value: "n", Thresholds: []dashboard.Threshold{{If: ">", Value: 6, Tone: "good"}}},
		columns, rows...)
	if got != "20 ✓\n✓ (good)" {
		t.Errorf("%q", got)
	}
	if got = sketch(dashboard.Panel{Type: dashboard.KPI, Value: "n"}, columns, rows...); got != "" {
		t.Errorf("%q", got)
	}
	got = sketch(dashboard.Panel{
		Type: dashboard.KPI, Value: "n", Facet: "name", Thresholds: []dashboard.Threshold{{If: ">", Value: 6, Tone: "bad"}},
	}, columns, rows...)
	if strings.Count(got, "●") != 3 || !strings.HasSuffix(got, "● (bad)") {
		t.Error(got)
	}

	wide, row := []string{"name text"}, []any{"first"}
	for _, name := range strings.Fields("alpha beta gamma delta epsilon zeta eta theta iota kappa") {
		wide, row = append(wide, strings.Repeat(name, 3)+" integer sum"), append(row, int64(len(name)))
	}
	got = sketch(dashboard.Panel{Type: dashboard.Table}, wide, row)
	if strings.Count(got, "first") != 2 || !strings.Contains(strings.ToLower(got), "thetathetatheta") || strings.Count(got, "\n") != 4 {
		t.Error(got)
	}
}
