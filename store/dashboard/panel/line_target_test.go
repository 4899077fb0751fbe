package panel

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"service/store/dashboard/canvas"
)

// TestTargetsOfLines: a measure as target of a line or an area is a mark at each place, next to the marks of its neighbours, but not in
// gaps. The table has the share of it that is reached, and the sentence counts the places that reach it, also beside a band, thresholds by
// another measure and a right axis.
func TestTargetsOfLines(t *testing.T) {
	t.Parallel()
	month := func(m int) time.Time { return time.Date(2026, time.Month(m), 1, 0, 0, 0, 0, time.UTC) }
	rows := [][]any{
		{month(1), "N", int64(100), int64(90), int64(5), int64(200)},
		{month(2), "N", int64(120), int64(90), int64(6), int64(210)},
		{month(3), "S", int64(95), int64(110), int64(7), int64(220)},
		{month(4), "S", int64(130), nil, int64(8), int64(230)},
		{month(8), "S", int64(10), int64(0), int64(9), int64(240)},
	}
	columns := []string{"month date", "region text", "sold integer sum", "plan integer sum", "low integer sum", "high integer sum"}
	for name, tc := range map[string]struct {
		keys  string
		marks int
		says  string
		heads string
		first string
	}{
		"line": {`"type": "line"`, 4, "Plan: 3 of 4 reached.", "Month Sold Plan Share of plan", "100 90 1.1111111111111112"},
		"area": {`"type": "area"`, 4, "Plan: 3 of 4 reached.", "Month Sold Plan Share of plan", "100 90 1.1111111111111112"},
		"log":  {`"type": "line", "scale": "log"`, 3, "Plan: 3 of 4 reached.", "Month Sold Plan Share of plan", "100 90 1.1111111111111112"},
		"band": {
			`"type": "line", "band": {"low": "low", "high": "high"}, "thresholds": [{"value": "low", "tone": "good"}]`, 4,
			"Plan: 3 of 4 reached. Low – High: 0 of 5 values outside.", "Month Sold Plan Share of plan Low High", "100 90 1.1111111111111112 5 200",
		},
		"right axis": {
			`"type": "line", "y2": ["low"]`, 4,
			"Plan: 3 of 4 reached.", "Month Sold Low Plan Share of plan", "100 5 90 1.1111111111111112",
		},
		"range": {`"type": "line", "y_max": 100`, 3, "Plan: 3 of 4 reached.", "Month Sold Plan Share of plan", "100 90 1.1111111111111112"},
	} {
		v := tinySpec(t, `{"x": "month", "y": "sold", "target": "plan", `+tc.keys+`}`, columns, rows...)
		p, c := recorded(t, v, 0)
		marks := slices.DeleteFunc(slices.Clone(c.Lines), func(l canvas.Line) bool { return l.Stroke != canvas.MarkLine })
		if len(marks) != tc.marks {
			t.Errorf("%s: %d marks, want %d: %v", name, len(marks), tc.marks, marks)
			continue
		}
		if marks[0].X1.V != 0 || math.Abs(marks[0].X2.V-marks[1].X1.V) > 1e-9 {
			t.Errorf("%s: marks from %v to %v and from %v", name, marks[0].X1.V, marks[0].X2.V, marks[1].X1.V)
		}
		if len(marks) == 4 && marks[3].X1.V < 0.85 {
			t.Errorf("%s: the mark after the gap begins at %v", name, marks[3].X1.V)
		}
		if !strings.Contains(p.Summary, tc.says) {
			t.Errorf("%s: the sentence is %q, want %q", name, p.Summary, tc.says)
		}
		var heads []string
		for _, c := range p.Grid.Columns {
			heads = append(heads, c.Heading())
		}
		if got := strings.Join(heads, " "); got != tc.heads {
			t.Errorf("%s: the table has %q, want %q", name, got, tc.heads)
		}
		if got := strings.Trim(fmt.Sprint(p.Grid.Rows[0][1:]), "[]"); got != tc.first {
			t.Errorf("%s: the first row is %q, want %q", name, got, tc.first)
		}
		if !slices.ContainsFunc(c.Items, func(i canvas.Item) bool { return i.Name == "Plan" }) {
			t.Errorf("%s: the legend has no target: %v", name, c.Items)
		}
	}
	v := tinySpec(t, `{"type": "line", "x": "month", "y": "sold", "target": "plan", "facet": "region"}`, columns, rows...)
	p, c := recorded(t, v, 0)
	n := 0
	for _, l := range c.Lines {
		if l.Stroke == canvas.MarkLine {
			n++
		}
	}
	if n != 4 || !strings.Contains(p.Summary, "Plan: 2 of 2 reached.") || !strings.Contains(p.Summary, "Plan: 1 of 2 reached.") {
		t.Errorf("small plots: %d marks, %s", n, p.Summary)
	}
}
