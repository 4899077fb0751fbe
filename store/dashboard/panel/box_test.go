package panel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/cube"
)

// quartilesOf returns the quartiles of numbers by the definition of percentile_cont, the extremes within one and a half times their
// distance, and the number of values outside.
func quartilesOf(values []float64) (low, q1, median, q3, high float64, outliers int) {
	slices.Sort(values)
	at := func(share float64) float64 {
		place := share * float64(len(values)-1)
		k := int(place)
		if k == len(values)-1 {
			return values[k]
		}
		return values[k] + (place-float64(k))*(values[k+1]-values[k])
	}
	q1, median, q3 = at(0.25), at(0.5), at(0.75)
	low, high = q1, q3
	for _, v := range values {
		switch {
		case v < q1-1.5*(q3-q1) || v > q3+1.5*(q3-q1):
			outliers++
		default:
			low, high = min(low, v), max(high, v)
		}
	}
	return
}

// TestBoxesAreExact: boxes of random rows have the quartiles, whiskers and outliers that the test computes, by names, by months and over
// all rows, with filters and rows without a number, and they are drawn at these values.
func TestBoxesAreExact(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 5))
		kind := []string{"number", "integer"}[seed%2]
		var rows [][]any
		want := [3]map[any][]float64{{}, {}, {}}
		for range 1 + r.IntN(400) {
			at := day("2025-01-01").AddDate(0, 0, r.IntN(360))
			name := any(string(rune('a'+r.IntN(7))) + "x")
			if r.IntN(9) == 0 {
				name = nil
			}
			v := math.Round(math.Exp(r.NormFloat64()*2)*100) / 8
			row := []any{at, name, v}
			if kind == "integer" {
				v = math.Round(v) - 20
				row[2] = int64(v)
			}
			if r.IntN(20) == 0 {
				rows = append(rows, []any{at, name, nil})
				continue
			}
			rows = append(rows, row)
			month := time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC)
			for i, key := range [...]any{name, month, "N"} {
				want[i][key] = append(want[i][key], v)
			}
		}
		for i, x := range [...]string{"name", "day", ""} {
			panel := dashboard.Panel{Type: dashboard.Box, X: x, Value: "n"}
			if x == "day" {
				panel.Grain = "month"
			}
			p := open(tiny([]dashboard.Panel{panel}, []string{"day date", "name text", "n " + kind + " none"}, rows...)).Panel(0)
			if len(want[i]) == 0 {
				if p.Empty == "" {
					t.Errorf("seed %d: no values, and it is not empty", seed)
				}
				continue
			}
			b := p.Content.(*boxPanel)
			seen := 0
			for at, f := range b.boxes {
				if !f.there {
					continue
				}
				seen++
				values := want[i][b.split.x[at].Value]
				low, q1, median, q3, high, outliers := quartilesOf(values)
				got := []float64{f.low, f.q1, f.median, f.q3, f.high}
				for k, want := range []float64{low, q1, median, q3, high} {
					if math.Abs(got[k]-want) > 1e-9*max(1, math.Abs(want)) {
						t.Fatalf("seed %d, %v: number %d is %v, want %v of %v", seed, b.split.x[at].Value, k, got[k], want, values)
					}
				}
				row := fmt.Sprint(p.Grid.Rows[at][1], p.Grid.Rows[at][2], p.Grid.Rows[at][8], p.Grid.Rows[at][9])
				if want := fmt.Sprint(len(values), values[0], values[len(values)-1], outliers); row != want {
					t.Fatalf("seed %d, %v: the table has %s, want %s", seed, b.split.x[at].Value, row, want)
				}
			}
			if seen != len(want[i]) {
				t.Errorf("seed %d by %q: %d boxes, want %d", seed, x, seen, len(want[i]))
			}
			checkBoxesDrawn(t, b)
		}
	}
}

// checkBoxesDrawn checks the positions of boxes on the plot, and that each outlier is on it.
func checkBoxesDrawn(t *testing.T, b *boxPanel) {
	t.Helper()
	r := record(b.Panel)
	axis, at, circles := leftAxis(t, r.Labels, b.Spec.Log(dashboard.AxisY)), 0, 0
	medians := r.Strokes(canvas.BoldLine)
	for _, f := range b.boxes {
		if circles += f.outliers; !f.there {
			continue
		}
		if at == len(r.Rects) || at == len(medians) {
			t.Fatalf("%d boxes and %d medians are drawn", len(r.Rects), len(medians))
		}
		box, top, foot := r.Rects[at], axis(f.q3), min(axis(f.q1), 1)
		if !box.Outlined || !samePlace(box.Y.V, top) || !samePlace(box.Height.V, max(foot-top, 0.003)) ||
			!samePlace(medians[at].Y1.V, axis(f.median)) {
			t.Fatalf("box %d is drawn as %+v with the median %+v, want it from %v to %v", at, box, medians[at], top, foot)
		}
		at++
	}
	if at != len(r.Rects) {
		t.Fatalf("%d boxes are drawn, want %d", len(r.Rects), at)
	}
	if drawn := len(r.Circles); drawn > circles || circles > 0 && drawn == 0 {
		t.Fatalf("%d outliers are drawn of %d", drawn, circles)
	}
}

// TestBoxesOfRanges: if a scale has too many steps, they are merged, and the quartiles are those of the merged rows.
func TestBoxesOfRanges(t *testing.T) {
	t.Parallel()
	var rows [][]any
	want := map[string][]float64{}
	for i := range 2000 {
		v := float64(i*7919%1000) / 4
		rows = append(rows, []any{int64(i % 200), v})
		from := i % 200 / 5 * 5
		key := fmt.Sprintf("%d–%d", from, from+4)
		want[key] = append(want[key], v)
	}
	v := tiny([]dashboard.Panel{{Type: dashboard.Box, X: "hour", Value: "n"}}, []string{"hour integer", "n number none"}, rows...)
	v.Spec.Datasets[0].Columns[0].Role = dashboard.Dimension
	p := open(v).Panel(0)
	b := p.Content.(*boxPanel)
	notes := strings.Join(p.Notes, " ")
	if len(b.boxes) != 40 || codes(v) != "ranges panels[0].x" || !strings.Contains(notes, "200 values of hour are merged into 40") {
		t.Fatalf("%d boxes, %s, %q", len(b.boxes), codes(v), p.Notes)
	}
	for i, f := range b.boxes {
		name := b.split.x[i].Value.(string)
		_, q1, median, q3, _, _ := quartilesOf(want[name])
		if f.q1 != q1 || f.median != median || f.q3 != q3 {
			t.Errorf("%s: %v %v %v, want %v %v %v", name, f.q1, f.median, f.q3, q1, median, q3)
		}
	}
}

// TestBoxOrder: the boxes of names are in the order of their medians or of sort, and limit keeps the first of them.
func TestBoxOrder(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for i := range 20 {
		for k := range 3 {
			rows = append(rows, []any{string(rune('a'+i)) + "x", float64((i*7)%20 + k), float64(i), float64(-i)})
		}
	}
	for _, tc := range []struct {
		sort  string
		limit int
		want  string // the first and the last
		boxes int
		note  string
		codes string
	}{
		{"", 0, "rx ex", 12, "The 12 largest of 20 values of name", "cut panels[0].limit"},
		{"", 3, "rx lx", 3, "The 3 largest of 20 values of name", "cut panels[0].limit"},
		{"n", 4, "ax jx", 4, "The 4 smallest of 20 values of name", ""},
		{"-n", 40, "rx ax", 20, "", ""},
		{"name", 40, "ax tx", 20, "", ""},
		{"-name", 3, "rx lx", 3, "The 3 largest", "cut panels[0].limit"},
		{"-m", 5, "tx px", 5, "The first 5 of 20 values", ""},
		{"w", 5, "tx px", 5, "The first 5 of 20 values", ""},
	} {
		v := tiny([]dashboard.Panel{{Type: dashboard.Box, X: "name", Value: "n", Sort: tc.sort, Limit: tc.limit}},
			[]string{"name text", "n number none", "m number sum", "w number none"}, rows...)
		p := open(v).Panel(0)
		x := p.Content.(*boxPanel).split.x
		if got := fmt.Sprint(x[0].Value, " ", x[len(x)-1].Value); got != tc.want || len(x) != tc.boxes {
			t.Errorf("sort %q, limit %d: %d boxes from %s, want %d, %s", tc.sort, tc.limit, len(x), got, tc.boxes, tc.want)
		}
		if notes := strings.Join(p.Notes, " "); !strings.Contains(notes, tc.note) || codes(v) != tc.codes {
			t.Errorf("sort %q, limit %d: %q, %q", tc.sort, tc.limit, notes, codes(v))
		}
	}
}

// TestFiveNumbers: boxes that the query has computed are drawn unchanged; inconsistent ones are reported by name.
func TestFiveNumbers(t *testing.T) {
	t.Parallel()
	panel := dashboard.Panel{Type: dashboard.Box, X: "name", Low: "a", Q1: "b", Median: "c", Q3: "d", High: "e"}
	columns := []string{"name text", "a number min", "b number none", "c number none currency", "d number none", "e number max"}
	v := tiny([]dashboard.Panel{panel}, columns,
		[]any{"one", 1.0, 2.0, 3.0, 4.0, 9.0}, []any{"two", 2.0, 2.5, 4.0, 5.0, 5.0},
		[]any{"swapped", 9.0, 2.0, 3.0, 4.0, 1.0}, []any{"lacking", 1.0, 2.0, nil, 4.0, 9.0})
	p := open(v).Panel(0)
	b := p.Content.(*boxPanel)
	var drawn []string
	for i, f := range b.boxes {
		if f.there {
			drawn = append(drawn, fmt.Sprint(b.split.x[i].Value, " ", f.low, f.q1, f.median, f.q3, f.high))
		}
	}
	if got := strings.Join(drawn, ", "); got != "two 2 2.5 4 5 5, one 1 2 3 4 9" {
		t.Errorf("drawn: %s", got)
	}
	notes := strings.Join(p.Notes, " ")
	if !strings.Contains(notes, "Not drawn, because the five numbers do not ascend: swapped.") ||
		!strings.Contains(notes, "1 box lacks a number and is not drawn.") || strings.Contains(notes, "Points: outliers") {
		t.Errorf("notes %q", notes)
	}
	if got := codes(v); got != "left_out panels[0].low, doubtful panels[0].low" {
		t.Errorf("warnings %s", got)
	}
	if p.Summary != "Medians: two $4, one $3." || len(p.Grid.Rows) != 4 {
		t.Errorf("%s, %d rows", p.Summary, len(p.Grid.Rows))
	}
	v = tiny([]dashboard.Panel{panel}, columns, []any{"one", 1.0, 2.0, 3.0, 4.0, 9.0}, []any{"one", 1.0, 2.0, 3.0, 4.0, 9.0})
	if p := open(v).Panel(0); p.Problem != "Several rows have the same name, and a box is of one." {
		t.Errorf("two rows of one box: %q", p.Problem)
	}
}

// TestBoxOutliers: only the farthest outliers are drawn up to a limit, and the others are counted. Values outside an axis are counted by
// their rows.
func TestBoxOutliers(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for i := range 2000 {
		rows = append(rows, []any{float64(i % 10)})
		if i < 300 {
			rows = append(rows, []any{float64(100 + i)}, []any{float64(100 + i)})
		}
	}
	v := tiny([]dashboard.Panel{{Type: dashboard.Box, Value: "n"}}, []string{"n number none"}, rows...)
	p := open(v).Panel(0)
	b := p.Content.(*boxPanel)
	if len(b.far) != 200 || b.far[0].Value != 399 || b.far[199].Value != 200 || b.boxes[0].outliers != 600 {
		t.Errorf("%d outliers from %v to %v of %d", len(b.far), b.far[0].Value, b.far[199].Value, b.boxes[0].outliers)
	}
	notes := strings.Join(p.Notes, " ")
	if !strings.Contains(notes, "400 of 600 outliers are drawn, the farthest.") || codes(v) != "cut panels[0].value" {
		t.Errorf("%q, %s", notes, codes(v))
	}
	most := 150.0
	v.Spec.Panels[0].Range[dashboard.AxisY].Max = &most
	p = open(v).Panel(0)
	if notes := strings.Join(p.Notes, " "); !strings.Contains(notes, "Values outside the axis: 498.") {
		t.Errorf("%q", notes)
	}
	v.Spec.Panels[0].Range[dashboard.AxisY].Max, v.Spec.Panels[0].Scale = nil, "log"
	p = open(v).Panel(0)
	if notes := strings.Join(p.Notes, " "); !strings.Contains(notes, "Left out, because not above zero: 200.") {
		t.Errorf("%q", notes)
	}
	if f := p.Content.(*boxPanel).boxes[0]; f.median != 6 {
		t.Errorf("the median of all rows is %v on a logarithmic axis", f.median)
	}
	checkBoxesDrawn(t, p.Content.(*boxPanel))
	least := -5.0
	v.Spec.Panels[0].Scale, v.Spec.Panels[0].Range[dashboard.AxisY] = "", dashboard.AxisRange{Min: &least, Max: new(float64)}
	*v.Spec.Panels[0].Range[dashboard.AxisY].Max = -1
	if p = open(v).Panel(0); p.Empty != "No value is on the axis." {
		t.Errorf("empty %q", p.Empty)
	}
}

// TestBoxReferences: references are at the mean and the median of all rows, independent of their boxes.
func TestBoxReferences(t *testing.T) {
	t.Parallel()
	v := tiny([]dashboard.Panel{{Type: dashboard.Box, X: "name", Value: "n", Reference: []dashboard.Reference{
		{Kind: "average"}, {Kind: "median"}, {Kind: "max"}, {Value: 5, Label: "Goal"},
	}}}, []string{"name text", "n number none number1"}, []any{"a", 1.0}, []any{"a", 1.0}, []any{"a", 4.0}, []any{"b", 10.0})
	r := &canvas.Recorder{}
	open(v).Panel(0).Content.Draw(r)
	for _, want := range []string{`"Average 4.0"`, `"Median 2.5"`, `"Highest 10.0"`, `"Goal 5.0"`} {
		if !strings.Contains(r.String(), want) {
			t.Errorf("no line %s", want)
		}
	}
}

// TestBoxesOverTime: an incomplete period is hatched or left out, and dates without rows keep their place.
func TestBoxesOverTime(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for _, month := range []string{"2026-07-03", "2026-08-04", "2026-10-05", "2026-11-06"} {
		for i := range 4 {
			rows = append(rows, []any{day(month).AddDate(0, 0, i), float64(i)})
		}
	}
	v := tiny([]dashboard.Panel{{Type: dashboard.Box, X: "day", Value: "n", Grain: "month"}}, []string{"day date", "n number none"}, rows...)
	b := open(v).Panel(0).Content.(*boxPanel)
	if len(b.boxes) != 5 || b.boxes[2].there || !b.split.isPartial(4) || b.boxes[4].median != 1.5 {
		t.Errorf("%d boxes, September %v, November %v", len(b.boxes), b.boxes[2].there, b.boxes[4])
	}
	r := &canvas.Recorder{}
	b.Draw(r)
	if strings.Count(r.String(), "outlined hatched") != 1 {
		t.Errorf("not one hatched box:\n%s", r.String())
	}
	v.Spec.Panels[0].Partial = "hide"
	if b = open(v).Panel(0).Content.(*boxPanel); len(b.boxes) != 4 || b.boxes[3].rows != 4 {
		t.Errorf("%d boxes without November", len(b.boxes))
	}
	if c := (cube.Category{Value: day("2026-10-01")}); b.split.x[3] != c {
		t.Errorf("the last box is of %v", b.split.x[3])
	}
}
