package panel

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
)

// planned is a panel of bars with a target, with a row for each region and month.
func planned(panel dashboard.Panel, rows ...[]any) Input {
	panel.Type = dashboard.Bar
	return tiny([]dashboard.Panel{panel}, []string{
		"region text", "kind text", "sold integer sum", "plan integer sum", "cost integer sum", "budget integer max",
	}, rows...)
}

var plannedRows = [][]any{
	{"North", "new", int64(80), int64(60), int64(5), int64(6)},
	{"North", "old", int64(40), int64(40), int64(6), int64(6)},
	{"South", "new", int64(50), int64(90), int64(7), int64(9)},
	{"South", "old", int64(10), nil, int64(1), int64(9)},
	{"West", "new", int64(30), nil, int64(2), nil},
}

// TestTargetsOfBars: a target is a mark across its bar, the table has the share of it that is reached, and the sentence counts the reached
// ones.
func TestTargetsOfBars(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		panel dashboard.Panel
		marks int
		says  string
		heads string
		north string
	}{
		{
			"of each bar",
			dashboard.Panel{X: "region", Y: []string{"sold"}, Targets: []string{"plan"}},
			2, "Plan: 1 of 2 reached.", "Region Sold Plan Share of plan", "120 100 1.2",
		},
		{
			"of each measure",
			dashboard.Panel{X: "region", Y: []string{"sold", "cost"}, Targets: []string{"plan", "budget"}},
			4, "Plan: 1 of 2 reached. Budget: 1 of 2 reached.", "Region Sold Cost Plan Share of plan Budget Share of budget",
			"120 11 100 1.2 6 1.8333333333333333",
		},
		{
			"of each stack",
			dashboard.Panel{X: "region", Y: []string{"sold"}, Series: "kind", Stack: true, Targets: []string{"plan"}},
			2, "Plan: 1 of 2 reached.", "Region new old Plan Share of plan", "80 40 100 1.2",
		},
		{
			"a stack's own agg",
			dashboard.Panel{X: "region", Y: []string{"cost"}, Series: "kind", Stack: true, Targets: []string{"budget"}},
			2, "Budget: 1 of 2 reached.", "Region new old Budget Share of budget", "5 6 6 1.8333333333333333",
		},
		{
			"of each series",
			dashboard.Panel{X: "region", Y: []string{"sold"}, Series: "kind", Targets: []string{"plan"}},
			3, "new · Plan: 1 of 2 reached. old · Plan: 1 of 1 reached.",
			"Region new old new · Plan Share of new · Plan old · Plan Share of old · Plan", "80 40 60 1.3333333333333333 40 1",
		},
	} {
		for _, horizontal := range []bool{false, true} {
			tc.panel.Horizontal = horizontal
			p, drawn := recorded(t, planned(tc.panel, plannedRows...), 0)
			marks := 0
			for _, l := range drawn.Lines {
				if l.Stroke == canvas.MarkLine {
					marks++
				}
			}
			if marks != tc.marks {
				t.Errorf("%s, horizontal %t: %d marks, want %d", tc.name, horizontal, marks, tc.marks)
			}
			if !strings.HasSuffix(p.Summary, tc.says) {
				t.Errorf("%s: %s", tc.name, p.Summary)
			}
			var heads, north []string
			for _, c := range p.Grid.Columns {
				heads = append(heads, c.Label)
			}
			for i, v := range p.Grid.Rows[slices.IndexFunc(p.Grid.Rows, func(row []any) bool { return p.words(0, row[0]) == "North" })] {
				if i > 0 {
					north = append(north, strings.ReplaceAll(fmt.Sprint(v), ",", ""))
				}
			}
			if got := strings.Join(heads, " "); got != tc.heads {
				t.Errorf("%s: columns %s", tc.name, got)
			}
			if got := strings.Join(north, " "); got != tc.north {
				t.Errorf("%s: North %s", tc.name, got)
			}
			if !slices.ContainsFunc(drawn.Items, func(it canvas.Item) bool { return it.Mark }) {
				t.Errorf("%s: the key does not name the mark", tc.name)
			}
		}
	}
}

// TestTargetsAboveBars: the axis includes a target above all bars, and if less is good, a target is a limit.
func TestTargetsAboveBars(t *testing.T) {
	t.Parallel()
	v := planned(dashboard.Panel{X: "region", Y: []string{"cost"}, Targets: []string{"plan"}}, plannedRows...)
	v.Spec.Datasets[0].Columns[4].Good = "down"
	p, drawn := recorded(t, v, 0)
	if !strings.HasSuffix(p.Summary, "Plan: 2 of 2 within it.") {
		t.Error(p.Summary)
	}
	if left := drawn.Plots[0].Left; left[len(left)-1] != "100" {
		t.Errorf("the axis reaches %v", left)
	}
	for _, l := range drawn.Lines {
		if l.Stroke == canvas.MarkLine && (l.Y1.V < 0 || l.Y1 != l.Y2) {
			t.Errorf("a mark at %+v", l)
		}
	}
	top := 10.0
	p.Spec.Range[dashboard.AxisY].Max = &top
	if p, drawn := recorded(t, v, 0); !strings.Contains(strings.Join(p.Notes, " "), "Values outside the axis: 3.") ||
		slices.ContainsFunc(drawn.Lines, func(l canvas.Line) bool { return l.Stroke == canvas.MarkLine }) {
		t.Errorf("beyond the axis: %v", p.Notes)
	}
}

// TestValuesKeepClearOfTargets: values of bars do not overlap the marks of targets.
func TestValuesKeepClearOfTargets(t *testing.T) {
	t.Parallel()
	for plan := int64(20); plan <= 120; plan++ {
		for _, stack := range []bool{false, true} {
			panel := dashboard.Panel{X: "region", Y: []string{"sold"}, Targets: []string{"plan"}}
			if stack {
				panel.Series, panel.Stack, panel.Labels = "kind", true, new(true)
			}
			rows := [][]any{{"North", "new", int64(60), plan, nil, nil}, {"North", "old", int64(40), int64(0), nil, nil}}
			_, drawn := recorded(t, planned(panel, rows...), 0)
			written := 0
			for _, l := range drawn.Labels {
				if l.Look != canvas.ValueText {
					continue
				}
				written++
				for _, m := range drawn.Lines {
					if b := chart.BoxOf(&l.Label, canvas.DesktopInside, plotHeight); m.Stroke == canvas.MarkLine && b.Y1 < m.Y1.V && m.Y1.V < b.Y2 {
						t.Errorf("plan %d, stack %t: %s is on the mark", plan, stack, l.Text)
					}
				}
			}
			if written == 0 {
				t.Errorf("plan %d, stack %t: no value is written", plan, stack)
			}
		}
	}
}
