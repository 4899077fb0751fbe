package page

import (
	"slices"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
)

var good, bad = canvas.ToneColor("good"), canvas.ToneColor("bad")

// tonesAtSix are thresholds by which values from 6 on are good, and values below 3 are bad.
var tonesAtSix = []dashboard.Threshold{{If: ">=", Value: 6, Tone: "good"}, {If: "<", Value: 3, Tone: "bad"}}

// TestTonesOfMoreTypes: in areas, combos, waterfalls and slopes, marks whose values meet a threshold have its colour, the legend names the
// condition, and the sentence counts them.
func TestTonesOfMoreTypes(t *testing.T) {
	t.Parallel()
	var rows [][]any
	values := []float64{1, 7, 4, 6, 2, 5}
	for i, v := range values {
		rows = append(rows, []any{day("2026-03-02").AddDate(0, 0, i), string(rune('a' + i)), v, 0.5, "now"})
		rows = append(rows, []any{day("2026-03-02").AddDate(0, 0, i), string(rune('a' + i)), 0.0, 0.0, "at first"})
	}
	columns := []string{"day date", "name text", "n number sum", "m number sum percent", "end text"}
	toLine := slices.Clone(tonesAtSix)
	for i := range toLine {
		toLine[i].Column = "n"
	}
	for name, tc := range map[string]struct {
		panel dashboard.Panel
		dots  bool
	}{
		"area":  {dashboard.Panel{Type: dashboard.Area, X: "day", Y: []string{"n"}}, true},
		"combo": {dashboard.Panel{Type: dashboard.Combo, X: "day", Bars: []string{"n"}, Lines: []string{"m"}}, false},
		"line of a combo": {
			dashboard.Panel{Type: dashboard.Combo, X: "day", Bars: []string{"m"}, Lines: []string{"n"}, Thresholds: toLine}, true,
		},
		"waterfall":  {dashboard.Panel{Type: dashboard.Waterfall, Label: "name", Value: "n"}, false},
		"horizontal": {dashboard.Panel{Type: dashboard.Waterfall, Label: "name", Value: "n", Horizontal: true}, false},
		"slope":      {dashboard.Panel{Type: dashboard.Slope, Label: "name", X: "end", Value: "n"}, true},
	} {
		if tc.panel.Thresholds == nil {
			tc.panel.Thresholds = tonesAtSix
		}
		v := tiny([]dashboard.Panel{tc.panel}, columns, rows...)
		if name == "slope" {
			v.Spec.Columns = []dashboard.Appearance{{Column: "end", Order: dashboard.Order{Values: []string{"at first", "now"}}}}
		}
		p, c := recorded(t, v, 0)
		got := map[canvas.Color]int{}
		for _, r := range c.Rects {
			got[r.Color]++
		}
		if tc.dots {
			clear(got)
			for _, d := range c.Circles {
				got[d.Color]++
			}
			if name == "slope" { // each of three widths has its own dots
				got[good], got[bad] = got[good]/3, got[bad]/3
			}
		}
		if got[good] != 2 || got[bad] != 2 {
			t.Errorf("%s: %d good and %d bad marks, want 2 of each", name, got[good], got[bad])
		}
		if !strings.Contains(p.Summary, " ≥ 6: 2 of 6. < 3: 2 of 6.") {
			t.Errorf("%s: %q", name, p.Summary)
		}
		for _, item := range []canvas.Item{{Color: good, Name: "≥ 6"}, {Color: bad, Name: "< 3"}} {
			if !slices.ContainsFunc(c.Items, func(it canvas.Item) bool { return it.Color == item.Color && it.Name == item.Name }) {
				t.Errorf("%s: no %q in the legend", name, item.Name)
			}
		}
	}
}

// TestWaterfallsOfSmallSteps: steps that are small compared with the totals are drawn on an axis that begins near them, with cuts through
// the totals, unless the spec sets the beginning of the axis. With larger steps it begins at zero.
func TestWaterfallsOfSmallSteps(t *testing.T) {
	t.Parallel()
	const note = "The axis does not begin at zero, and bars are cut there."
	least := 0.0
	for name, tc := range map[string]struct {
		total  float64
		min    *float64
		sleeps bool
		cut    bool
		lowest string
	}{
		"small":             {10000, nil, false, true, "9,950"},
		"small, horizontal": {10000, nil, true, true, ""},
		"from zero":         {10000, &least, false, false, "0"},
		"large":             {2000, nil, false, false, "0"},
	} {
		panel := dashboard.Panel{Type: dashboard.Waterfall, Label: "name", Value: "n", Total: []string{"start", "end"}, Horizontal: tc.sleeps}
		panel.Range[dashboard.AxisY].Min = tc.min
		v := tiny([]dashboard.Panel{panel}, []string{"name text", "n integer sum"},
			[]any{"start", int64(tc.total)}, []any{"new", int64(120)}, []any{"lost", int64(-80)}, []any{"end", int64(tc.total + 40)})
		v.Spec.Columns = []dashboard.Appearance{{Column: "name", Order: dashboard.Order{Values: []string{"start", "new", "lost", "end"}}}}
		p, c := recorded(t, v, 0)
		cuts := 0
		for _, l := range c.Lines {
			if l.Stroke == canvas.CutLine {
				cuts++
			}
		}
		if said := strings.Contains(strings.Join(p.Notes, " "), note); said != tc.cut || (cuts == 2) != tc.cut {
			t.Errorf("%s: said %v, %d cuts; notes %q", name, said, cuts, p.Notes)
		}
		if tc.lowest != "" && !strings.Contains(strings.ReplaceAll(c.Plots[0].Left[0], ".95K", ",950"), tc.lowest) {
			t.Errorf("%s: the axis begins at %q, want %s", name, c.Plots[0].Left[0], tc.lowest)
		}
	}
}

// TestLabelsOfCombosAndCandles: if the spec asks for labels, combos write the values of bars and lines, and candlesticks write the close of
// the last candle.
func TestLabelsOfCombosAndCandles(t *testing.T) {
	t.Parallel()
	written := true
	var rows [][]any
	for i := range 4 {
		rows = append(rows, []any{string(rune('a' + i)), float64(10 + i), float64(40 + 5*i)})
	}
	panel := dashboard.Panel{Type: dashboard.Combo, X: "k", Bars: []string{"n"}, Lines: []string{"m"}}
	for _, panel.Labels = range []*bool{nil, &written} {
		_, c := recorded(t, tiny([]dashboard.Panel{panel}, []string{"k text", "n number sum", "m number sum"}, rows...), 0)
		for _, text := range []string{"10", "13", "45", "55"} {
			if got := slices.ContainsFunc(c.Labels, func(l canvas.RecordedLabel) bool {
				return l.Text == text && l.Anchor == canvas.AtMiddle
			}); got != (panel.Labels != nil) {
				t.Errorf("labels %v: %s is written: %v", panel.Labels != nil, text, got)
			}
		}
	}
	var candles [][]any
	for i := range 5 {
		candles = append(candles, []any{day("2026-03-02").AddDate(0, 0, i), 10.25, 33.5, 8.25, 20.75 + float64(i)})
	}
	_, c := recorded(t, candlesOf(func(p *dashboard.Panel) { p.Labels = &written }, candles...), 0)
	if !slices.ContainsFunc(c.Labels, func(l canvas.RecordedLabel) bool { return l.Text == "24.75" }) {
		t.Error("the last close is not written")
	}
}

// TestComboAxisEnds: the axis of a combo's bars ends where the spec sets its end, and the values beyond are counted; the line keeps its own
// axis.
func TestComboAxisEnds(t *testing.T) {
	t.Parallel()
	most := 12.0
	panel := dashboard.Panel{Type: dashboard.Combo, X: "k", Bars: []string{"n"}, Lines: []string{"m"}}
	panel.Range[dashboard.AxisY].Max = &most
	v := tiny([]dashboard.Panel{panel}, []string{"k text", "n number sum", "m number sum percent"},
		[]any{"a", 10.0, 0.5}, []any{"b", 20.0, 0.7}, []any{"c", 30.0, 0.9})
	p, c := recorded(t, v, 0)
	plot := c.Plots[0]
	if last := plot.Left[len(plot.Left)-1]; last != "12" || plot.Right == nil || !strings.HasSuffix(plot.Right[len(plot.Right)-1], "%") {
		t.Errorf("axes %q and %q", plot.Left, plot.Right)
	}
	if notes := strings.Join(p.Notes, " "); !strings.Contains(notes, "Values outside the axis: 2.") || codes(v) != "clipped panels[0].y_max" {
		t.Errorf("notes %q, warnings %q", notes, codes(v))
	}
}
