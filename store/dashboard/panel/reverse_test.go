package panel

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
)

// ranksOf is a page of one panel over the ranks of twelve teams in four months: each team has its number as its rank, but the first two
// swap in the last month.
func ranksOf(panel dashboard.Panel) Input {
	var rows [][]any
	for month := range 4 {
		for team := range 12 {
			rank := team + 1
			if month == 3 && team < 2 {
				rank = 2 - team
			}
			rows = append(rows, []any{day("2026-03-01").AddDate(0, month, 0), string(rune('a' + team)), int64(rank), int64(50 + team*10)})
		}
	}
	return tiny([]dashboard.Panel{panel}, []string{"day date", "team text", "rank integer max", "points integer sum"}, rows...)
}

// TestReversedLines: low values are at the top, the lines with the lowest values are kept, and readers are told of it.
func TestReversedLines(t *testing.T) {
	t.Parallel()
	lo, hi := 0.0, 5.0
	for name, spec := range map[string]dashboard.Panel{
		"ranks": {},
		"range": {Range: [2]dashboard.AxisRange{dashboard.AxisY: {Min: &lo, Max: &hi}}},
		"log":   {Scale: "log"},
		"right": {Y2: []string{"points"}},
		"facet": {Facet: "team"},
	} {
		spec.Type, spec.X, spec.Y, spec.Reverse = dashboard.Line, "day", []string{"rank"}, true
		if name != "right" && name != "facet" {
			spec.Series, spec.Limit = "team", 3
		}
		v := ranksOf(spec)
		p, c := recorded(t, v, 0)
		if got := strings.Join(p.Notes, " "); !strings.Contains(got, "Low values are at the top of the axis.") {
			t.Errorf("%s: notes %q", name, got)
		}
		if name == "facet" {
			continue
		}
		left := leftAxis(t, c.Labels, spec.Scale == "log")
		if left(1) >= left(3) {
			t.Errorf("%s: 1 is at %v, under 3 at %v", name, left(1), left(3))
		}
		want := map[canvas.Color][]float64{1: {1, 1, 1, 2}, 2: {2, 2, 2, 1}, 3: {3, 3, 3, 3}}
		if spec.Series == "" {
			want = map[canvas.Color][]float64{1: {12, 12, 12, 12}}
			if right := rightAxis(t, c.Labels); right(1000) >= right(100) {
				t.Errorf("%s: the right axis is upside down too", name)
			}
		}
		for color, values := range want {
			points := c.Plots[0].Points(color)
			if len(points) != len(values) {
				t.Errorf("%s: %d points of colour %v", name, len(points), color)
				continue
			}
			for i, at := range points {
				if y := left(values[i]) * 1000; math.Abs(float64(at.Y)-y) > 0.5+1e-9 {
					t.Errorf("%s: the rank %v is at %d, want %v", name, values[i], at.Y, y)
				}
			}
		}
	}
}

// TestReversedSlopes: lines are listed from the top, and the sentence does not call a line that rises on the plot one that falls.
func TestReversedSlopes(t *testing.T) {
	t.Parallel()
	p, c := recorded(t, ranksOf(dashboard.Panel{Type: dashboard.Slope, Label: "team", X: "day", Value: "rank", Reverse: true, Limit: 4}), 0)
	for _, want := range []string{"1 with higher values, 1 with lower ones.", "Lowest in Jun 1, 2026: b (1)."} {
		if !strings.Contains(p.Summary, want) {
			t.Errorf("%q has no %q", p.Summary, want)
		}
	}
	at := map[string]float64{} // on a desktop
	for _, l := range c.Labels {
		if l.X.V > 0.5 {
			at[l.Text] = l.Y.V
		}
	}
	if !(at["b"] < at["a"] && at["a"] < at["c"] && at["c"] < at["d"]) {
		t.Errorf("the names are at %v", at)
	}
	if got := fmt.Sprint(p.Grid.Rows[0][1:], len(p.Grid.Rows)); got != "[2 1 -1] 4" {
		t.Errorf("the first of the rows is %s", got)
	}
}

// TestReversedScatters: points with low values are at the top, and those of x are not turned around.
func TestReversedScatters(t *testing.T) {
	t.Parallel()
	_, c := recorded(t, ranksOf(dashboard.Panel{Type: dashboard.Scatter, X: "points", Y: []string{"rank"}, Label: "team", Reverse: true}), 0)
	at := map[string]canvas.Circle{}
	for _, s := range c.Circles {
		at[s.Title[0]] = s
	}
	if a, l := at["a"], at["l"]; a.Y.V >= l.Y.V || a.X.V >= l.X.V {
		t.Errorf("a is at %v, %v, and l at %v, %v", a.X.V, a.Y.V, l.X.V, l.Y.V)
	}
	if !strings.Contains(c.String(), `axis "Rank" y down`) {
		t.Error("the name of the axis has an arrow upwards")
	}
	if left := leftAxis(t, c.Labels, false); math.Abs(at["a"].Y.V-left(2)) > 1e-9 { // the largest of its ranks
		t.Errorf("a is at %v, want %v", at["a"].Y.V, left(2))
	}
}

// TestHighlightOfRanks: a number in highlight is of the first ranks.
func TestHighlightOfRanks(t *testing.T) {
	t.Parallel()
	p, _ := recorded(t, ranksOf(dashboard.Panel{
		Type: dashboard.Line, X: "day", Y: []string{"rank"}, Series: "team", Reverse: true, HighlightTop: 2,
	}), 0)
	lit := ""
	for _, se := range p.Content.(*linePanel).split.series {
		if !se.pale {
			lit += se.name
		}
	}
	if lit != "ab" {
		t.Errorf("%q keep their colours", lit)
	}
}

// TestSketchOfReversedPlots: in the sketch of small plots, a rising line of ranks falls.
func TestSketchOfReversedPlots(t *testing.T) {
	t.Parallel()
	v := ranksOf(dashboard.Panel{Type: dashboard.Line, X: "day", Y: []string{"rank"}, Facet: "team", Reverse: true})
	for line := range strings.Lines(open(v).Panel(0).sketchText()) {
		if strings.HasPrefix(line, "a ") && !strings.Contains(line, "████") {
			t.Errorf("%q", line)
		}
		if strings.HasPrefix(line, "l ") && !strings.Contains(line, "▁▁▁▁") {
			t.Errorf("%q", line)
		}
	}
}
