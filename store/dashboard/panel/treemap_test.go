package panel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
)

// treemapOf is a page of one treemap of a dataset with the columns outer, inner and n.
func treemapOf(series string, levels []string, rows ...[]any) Input {
	return tiny([]dashboard.Panel{{Type: dashboard.Treemap, Levels: levels, Series: series, Value: "n"}},
		[]string{"outer text", "inner text", "n number sum"}, rows...)
}

// TestTreemapAreas: the areas of a treemap are in proportion to their values at each width, and those of a group are next to each other.
func TestTreemapAreas(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(21, 22))
	var rows [][]any
	values, total := map[string]float64{}, 0.0
	for i := range 60 {
		v := math.Exp(r.NormFloat64() * 1.5)
		name := fmt.Sprint("i", i)
		rows = append(rows, []any{fmt.Sprint("g", i%7), name, v})
		values[name], total = v, total+v
	}
	_, drawn := recorded(t, treemapOf("", []string{"outer", "inner"}, rows...), 0)
	if n := len(drawn.Rects); n != 2*60 {
		t.Fatalf("%d areas in two layouts, want 120", n)
	}
	for i, rect := range drawn.Rects {
		share := values[rect.Title[0]] / total
		// A gap of two pixels surrounds each group.
		if got := rect.Width.V * rect.Height.V; math.Abs(got-share) > 0.0005+0.04*share {
			t.Errorf("%s has %.4f of the area, want %.4f", rect.Title[0], got, share)
		}
		for _, o := range drawn.Rects[i/60*60 : i] {
			const eps = 1e-9
			beside := rect.X.V+eps >= o.X.V+o.Width.V || o.X.V+eps >= rect.X.V+rect.Width.V
			if !beside && rect.Y.V+eps < o.Y.V+o.Height.V && o.Y.V+eps < rect.Y.V+rect.Height.V {
				t.Errorf("%s overlaps %s", rect.Title[0], o.Title[0])
			}
		}
	}
}

// TestTreemapMerges: of more than 400 areas the smallest are merged with others of their group, and the sum is still that of all rows.
func TestTreemapMerges(t *testing.T) {
	t.Parallel()
	var rows [][]any
	sum := 0.0
	for i := range 1000 {
		rows = append(rows, []any{fmt.Sprint("g", i%20), fmt.Sprint("i", i), float64(i + 1)})
		sum += float64(i + 1)
	}
	for _, tc := range []struct {
		levels []string
		want   string
	}{
		{[]string{"inner"}, "The 399 largest of 1,000 areas; the rest is merged into Other."},
		{[]string{"outer", "inner"}, "The 380 largest of 1,000 areas; the rest is merged into Other of its group (outer)."},
	} {
		v := treemapOf("", tc.levels, rows...)
		p := open(v).Panel(0)
		if notes := strings.Join(p.Notes, " "); !strings.HasPrefix(notes, tc.want) {
			t.Errorf("%v: %q", tc.levels, notes)
		}
		if got := codes(v); !strings.HasPrefix(got, "merged panels[0].label") {
			t.Errorf("%v: warnings %q", tc.levels, got)
		}
		got, others := 0.0, 0
		for _, row := range p.Grid.Rows {
			got += number(row[len(row)-1])
			others += stat.One(row[0].(cube.Category).Other)
		}
		if len(p.Grid.Rows) != dashboard.MaxAreas || got != sum || others != []int{1, 20}[len(tc.levels)-1] {
			t.Errorf("%v: %d areas of %v, %d of them Other", tc.levels, len(p.Grid.Rows), got, others)
		}
	}
}

// TestTreemapColors: the colours of a treemap are those of series, by default of the outermost of several levels; of more than ten values
// the others are gray.
func TestTreemapColors(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for i := range 24 {
		rows = append(rows, []any{fmt.Sprint("g", i/2), fmt.Sprint("i", i), float64(100 - i)})
	}
	for _, tc := range []struct {
		series string
		levels []string
		colors int
		legend int
		notes  string
	}{
		{"", []string{"inner"}, 1, 0, ""},
		{"outer", []string{"inner"}, 11, 10, "The 10 largest of 12 values of outer have a color; the others are gray."},
		{"", []string{"outer", "inner"}, 11, 10, "The 10 largest of 12 values of outer have a color; the others are gray."},
		{"outer", []string{"outer"}, 11, 10, "The 10 largest of 12 values of outer have a color; the others are gray."},
	} {
		v := treemapOf(tc.series, tc.levels, rows...)
		v.Spec.Filters = []dashboard.Filter{{Column: "outer"}}
		p, drawn := recorded(t, v, 0)
		colors := map[canvas.Color]bool{}
		for _, rect := range drawn.Rects {
			colors[rect.Color] = true
			if filtered := rect.Row > 0; filtered != (len(p.Grid.Columns) > 2 || tc.levels[0] == "outer") {
				t.Errorf("%v: the row of an area is %d", tc, rect.Row)
			}
		}
		if notes := strings.Join(p.Notes, " "); len(colors) != tc.colors || len(drawn.Items) != tc.legend || notes != tc.notes {
			t.Errorf("%+v: %d colors, %d in the legend, %q", tc, len(colors), len(drawn.Items), notes)
		}
	}
}

// BenchmarkTreemap draws a page of 400 areas in 20 groups, and one of 10,000 values, most of which are merged.
func BenchmarkTreemap(b *testing.B) {
	for _, n := range []int{dashboard.MaxAreas, 10_000} {
		r := rand.New(rand.NewPCG(25, 26))
		var rows [][]any
		for i := range n {
			rows = append(rows, []any{fmt.Sprint("Group ", i%20), fmt.Sprint("Area ", i), math.Exp(r.NormFloat64() * 2)})
		}
		v := treemapOf("", []string{"outer", "inner"}, rows...)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				render(b, v)
			}
		})
	}
}

// TestTreemapWithoutAreas: rows without a value, and zeros, are not drawn; a negative value is refused.
func TestTreemapWithoutAreas(t *testing.T) {
	t.Parallel()
	for want, rows := range map[string][][]any{
		"Every value is zero or missing for these filters.":       {{"a", "x", 0.0}, {"a", "y", nil}},
		"A treemap cannot show negative values; use a bar chart.": {{"a", "x", 1.0}, {"a", "y", -1.0}},
		"The values are too large to add up.":                     {{"a", "x", math.MaxFloat64}, {"a", "y", math.MaxFloat64}},
	} {
		if p := open(treemapOf("", []string{"inner"}, rows...)).Panel(0); p.Content != nil || p.Empty+p.Problem != want {
			t.Errorf("%v: %q%q", rows, p.Empty, p.Problem)
		}
	}
	v := treemapOf("", []string{"inner"}, []any{"a", "x", 0.0}, []any{"a", "y", nil}, []any{"a", "z", 2.0})
	if p := open(v).Panel(0); shown(p) != "z 2" || strings.Join(p.Notes, "") != "1 row without a value is left out." {
		t.Errorf("%s: %q", shown(p), p.Notes)
	}
}
