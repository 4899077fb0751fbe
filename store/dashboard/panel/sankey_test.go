package panel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
)

// sankeys is a page of one sankey of a dataset with the columns a, b, c and n. Without steps it has flows from a to b.
func sankeys(steps []string, rows ...[]any) Input {
	p := dashboard.Panel{Type: dashboard.Sankey, Steps: steps, Value: "n"}
	if steps == nil {
		p.From, p.To = "a", "b"
	}
	return tiny([]dashboard.Panel{p}, []string{"a text", "b text", "c text", "n number sum"}, rows...)
}

// ribbons returns the flows of a sankey: the first line of the tooltip of each.
func ribbons(r *canvas.Recorder) string {
	var out []string
	for _, f := range r.Ribbons {
		text := strings.ReplaceAll(strings.Join(f.Title, ""), "\n", " | ")
		if f.Way != [2]int{} {
			text = "back: " + text
		}
		out = append(out, text)
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// TestSankeySteps: flows between steps are separated by the first step, and have its colour; a row ends before the steps without a value.
func TestSankeySteps(t *testing.T) {
	t.Parallel()
	v := sankeys([]string{"a", "b", "c"},
		[]any{"x", "p", "u", 10.0}, []any{"y", "p", "u", 30.0}, []any{"x", "q", nil, 5.0}, []any{"x", nil, nil, 5.0}, []any{"y", "p", "w", 0.0},
		[]any{"y", "q", "w", nil})
	v.Spec.Filters = []dashboard.Filter{{Column: "a"}, {Column: "b"}, {Column: "c"}}
	p, r := recorded(t, v, 0)
	want := "p → u | A  x | 10 · 20.0%, p → u | A  y | 30 · 60.0%, x → p | 10 · 20.0%, x → q | 5 · 10.0%, y → p | 30 · 60.0%"
	if got := ribbons(r); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	colors := map[string]canvas.Color{}
	bars := map[string]float64{}
	for _, b := range r.Rects {
		name := b.Title[0]
		colors[name], bars[name] = b.Color, b.Height.V
		if b.Row == 0 || p.words(b.Cell, p.Grid.Rows[b.Row-1][b.Cell]) != name {
			t.Errorf("%s leads to row %d, cell %d", name, b.Row, b.Cell)
		}
	}
	if len(bars) != 5 || math.Abs(bars["x"]-bars["y"]*20/30) > 1e-9 || math.Abs(bars["p"]-2*bars["x"]) > 1e-9 {
		t.Errorf("bars %v: x has 20, y 30, p 40", bars)
	}
	for _, f := range r.Ribbons {
		of := "x"
		if strings.Contains(strings.Join(f.Title, ""), "y") {
			of = "y"
		}
		if f.Color != colors[of] || colors["p"] != canvas.OtherColor {
			t.Errorf("%v has the color %v, want that of %s, %v", f.Title, f.Color, of, colors[of])
		}
	}
	const said = "4 flows, 50 in all. Largest flows: y → p → u 30, x → p → u 10, x 5."
	if p.Summary != said && p.Summary != strings.Replace(said, "x 5.", "x → q 5.", 1) {
		t.Errorf("%s", p.Summary)
	}
	if got := codes(v); got != "left_out panels[0].value" {
		t.Errorf("warnings %q", got)
	}
}

// TestSankeyEnds: of rows from one value to another, a value is one bar everywhere, and flows that lead back are below all bars.
func TestSankeyEnds(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		rows  [][]any
		want  string
		steps int
	}{
		"chain": {
			[][]any{{"x", "y", "", 4.0}, {"y", "z", "", 3.0}, {"x", "z", "", 1.0}}, "x → y | 4, x → z | 1, y → z | 3", 3,
		},
		"cycle":  {[][]any{{"x", "y", "", 4.0}, {"y", "z", "", 3.0}, {"z", "x", "", 1.0}}, "back: z → x | 1, x → y | 4, y → z | 3", 3},
		"itself": {[][]any{{"x", "x", "", 2.0}, {"x", "y", "", 1.0}}, "back: x → x | 2, x → y | 1", 2},
		"alone":  {[][]any{{"x", "x", "", 2.0}}, "back: x → x | 2", 1},
		"moves": { // much of the amount stays or flows back, so the values are on both sides
			[][]any{{"x", "x", "", 5.0}, {"x", "y", "", 2.0}, {"y", "x", "", 1.0}, {"y", "y", "", 4.0}, {"z", "z", "", 3.0}, {"x", "z", "", 1.0}},
			"x → x | 5 · 31.3%, x → y | 2 · 12.5%, x → z | 1 · 6.3%, y → x | 1 · 6.3%, y → y | 4 · 25.0%, z → z | 3 · 18.8%", 2,
		},
		"unnamed": {
			[][]any{{nil, "y", "", 2.0}, {"y", nil, "", 1.0}}, "Not set → y | 2, back: y → Not set | 1", 2,
		},
	} {
		p, r := recorded(t, sankeys(nil, tc.rows...), 0)
		if got := ribbons(r); got != tc.want {
			t.Errorf("%s\ngot  %s\nwant %s", name, got, tc.want)
		}
		if m := p.Content.(*sankeyPanel); m.steps != tc.steps {
			t.Errorf("%s: %d steps, want %d", name, m.steps, tc.steps)
		}
	}
}

// TestSankeyLimits: a step has at most 24 bars, one of them for the smallest values, and at most 1,000 ribbons are drawn; the lengths of
// bars represent all flows.
func TestSankeyLimits(t *testing.T) {
	t.Parallel()
	var pairs, hub [][]any
	for i := range 60 {
		for k := range 30 {
			pairs = append(pairs, []any{fmt.Sprintf("a%02d", i), fmt.Sprintf("b%02d", k), fmt.Sprint("c", (i+k)%20), float64(100 - i + k)})
		}
		hub = append(hub, []any{"hub", fmt.Sprintf("b%02d", i), "", float64(100 - i)})
	}
	v := sankeys([]string{"a", "b", "c"}, pairs...)
	p, r := recorded(t, v, 0)
	if n := len(r.Rects); n != 24+24+20 || len(r.Ribbons) != sankeyRibbons {
		t.Errorf("%d bars, %d ribbons", n, len(r.Ribbons))
	}
	for _, note := range []string{
		"The 23 largest of 60 values of A; the rest is merged into Other.", "The 23 largest of 30 values of B; the rest is merged into Other.",
		"The 10 largest of 23 values of A have a color; the others are gray.",
	} {
		if !slices.Contains(p.Notes, note) {
			t.Errorf("no note %q: %q", note, p.Notes)
		}
	}
	sum := 0.0
	for _, b := range r.Rects {
		if b.X.V < 0.5 && b.X.V > 0.1 { // the second step
			sum += b.Height.V
		}
	}
	first := 0.0
	for _, b := range r.Rects {
		if b.X.V < 0.1 {
			first += b.Height.V
		}
	}
	if math.Abs(sum-first) > 1e-6 {
		t.Errorf("the bars of the steps are %v and %v long", first, sum)
	}
	v = sankeys(nil, hub...)
	p, r = recorded(t, v, 0)
	if n := len(r.Rects); n != 25 || codes(v) != "merged panels[0].from" ||
		!slices.Contains(p.Notes, "24 of 61 values are drawn; the smallest of each step are merged into Other.") {
		t.Errorf("%d bars, notes %q, warnings %q", n, p.Notes, codes(v))
	}
	if len(p.Grid.Rows) != 60 {
		t.Errorf("%d rows in the table, want 60", len(p.Grid.Rows))
	}
}

// TestSankeyLimit: with a limit, a step has so many bars, one of them Other, and readers see a note of it. The author asked for it, so
// there is no warning. The same holds for flows from one column to another, also if much flows back between the values.
func TestSankeyLimit(t *testing.T) {
	t.Parallel()
	var steps, hub, back [][]any
	for i := range 12 {
		for k := range 9 {
			steps = append(steps, []any{fmt.Sprintf("a%02d", i), fmt.Sprintf("b%02d", k), "c", float64(1 + i*k)})
			back = append(back, []any{fmt.Sprintf("a%02d", i), fmt.Sprintf("a%02d", k), "", float64(1 + i + k)})
		}
		hub = append(hub, []any{"hub", fmt.Sprintf("b%02d", i), "", float64(100 - i)})
	}
	for _, tc := range []struct {
		steps []string
		rows  [][]any
		limit int
		bars  int
		notes []string
	}{
		{[]string{"a", "b"}, steps, 5, 5 + 5, []string{
			"The 4 largest of 12 values of A; the rest is merged into Other.", "The 4 largest of 9 values of B; the rest is merged into Other.",
		}},
		{[]string{"a", "b"}, steps, 2, 2 + 2, []string{"The 1 largest of 12 values of A; the rest is merged into Other."}},
		{[]string{"a", "b"}, steps, 12, 12 + 9, nil},
		{nil, hub, 6, 1 + 6, []string{"6 of 13 values are drawn; the smallest of each step are merged into Other."}},
		{nil, back, 4, 4 + 4, []string{"The 3 largest of 12 values of A; the rest is merged into Other."}},
	} {
		v := sankeys(tc.steps, tc.rows...)
		v.Spec.Panels[0].Limit = tc.limit
		p, r := recorded(t, v, 0)
		if n := len(r.Rects); n != tc.bars || strings.Contains(codes(v), "merged") {
			t.Errorf("limit %d of %v: %d bars, want %d; warnings %q", tc.limit, tc.steps, n, tc.bars, codes(v))
		}
		for _, note := range tc.notes {
			if !slices.Contains(p.Notes, note) {
				t.Errorf("limit %d of %v: no note %q: %q", tc.limit, tc.steps, note, p.Notes)
			}
		}
		if merged := strings.Contains(strings.Join(p.Notes, " "), "merged into"); merged != (tc.notes != nil) {
			t.Errorf("limit %d of %v: notes %q", tc.limit, tc.steps, p.Notes)
		}
	}
}

// TestSankeyHeadsAreWhole: the names of steps are whole in a half of a page: they wrap, and the outer ones reach into the margins.
func TestSankeyHeadsAreWhole(t *testing.T) {
	t.Parallel()
	rows := [][]any{{"North", "Winner", "Lost", 5.0}, {"Quiet", "None", "Won", 3.0}}
	steps := []string{"acquisition_channel", "winner_of_semifinal", "result_in_the_final"}
	v := tiny([]dashboard.Panel{{Type: dashboard.Sankey, Steps: steps, Value: "n", Width: 6}},
		[]string{steps[0] + " text", steps[1] + " text", steps[2] + " text", "n number sum"}, rows...)
	_, r := recorded(t, v, 0)
	texts := ""
	for _, l := range r.Labels {
		texts += l.Text + " "
	}
	for _, head := range []string{"Acquisition channel", "Winner of semifinal", "Result in the final"} {
		if !strings.Contains(texts, head) {
			t.Errorf("the head %q is cut: %s", head, texts)
		}
	}
	if strings.Contains(texts, "…") {
		t.Errorf("something is cut: %s", texts)
	}
}

// TestSankeyOrder: bars keep the order that the spec sets for their column; otherwise their order makes few ribbons cross.
func TestSankeyOrder(t *testing.T) {
	t.Parallel()
	rows := [][]any{{"x", "r", "", 1.0}, {"y", "q", "", 1.0}, {"z", "p", "", 1.0}}
	order := func(v Input) string {
		_, r := recorded(t, v, 0)
		bars := slices.Clone(r.Rects)
		slices.SortFunc(bars, func(a, b canvas.Rect) int {
			return slices.Compare([]float64{a.X.V, a.Y.V}, []float64{b.X.V, b.Y.V})
		})
		var out []string
		for _, b := range bars {
			out = append(out, b.Title[0])
		}
		return strings.Join(out, " ")
	}
	v := sankeys([]string{"a", "b"}, rows...)
	if got := order(v); got != "x y z r q p" && got != "z y x p q r" {
		t.Errorf("%s", got)
	}
	v.Spec.Columns = []dashboard.Appearance{
		{Column: "a", Order: dashboard.Order{Values: []string{"z", "x", "y"}}},
		{Column: "b", Order: dashboard.Order{Values: []string{"p", "q", "r"}}},
	}
	if got := order(v); got != "z x y p q r" {
		t.Errorf("%s", got)
	}
}

// TestSankeyOfNoAmounts: values that do not add up, or are negative, are refused.
func TestSankeyOfNoAmounts(t *testing.T) {
	t.Parallel()
	p := open(sankeys([]string{"a", "b"}, []any{"x", "y", "", -1.0})).Panel(0)
	if p.Problem != "A sankey cannot show negative values; use a bar chart." {
		t.Errorf("%q", p.Problem)
	}
	p = open(sankeys([]string{"a", "b"}, []any{"x", "y", "", 0.0})).Panel(0)
	if p.Empty != "Every value is zero or missing for these filters." {
		t.Errorf("%q", p.Empty)
	}
	v := sankeys([]string{"a", "b"}, []any{"x", "y", "", 1.0})
	v.Spec.Datasets[0].Columns[3].Agg = dashboard.Max
	if p = open(v).Panel(0); !strings.HasPrefix(p.Problem, `A sankey shows how an amount is divided, and "n" does not add up`) {
		t.Errorf("%q", p.Problem)
	}
}

// BenchmarkSankey draws a page of six steps of 24 values each.
func BenchmarkSankey(b *testing.B) {
	r := rand.New(rand.NewPCG(63, 64))
	cols := []string{"a text", "b text", "c text", "d text", "e text", "f text", "n number sum"}
	var rows [][]any
	for range 3000 {
		row := make([]any, 7)
		for k := range 6 {
			row[k] = fmt.Sprintf("%c%02d", 'a'+k, r.IntN(24))
		}
		row[6] = r.ExpFloat64()
		rows = append(rows, row)
	}
	v := tiny([]dashboard.Panel{{Type: dashboard.Sankey, Steps: []string{"a", "b", "c", "d", "e", "f"}, Value: "n"}}, cols, rows...)
	for b.Loop() {
		render(b, v)
	}
}

// TestSankeyNamesAreBesideBars: the name of a bar is next to it, for any number of bars.
func TestSankeyNamesAreBesideBars(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for i := range 24 {
		rows = append(rows, []any{fmt.Sprintf("a%02d", i), fmt.Sprintf("b%02d", i/2), "", math.Pow(1.5, float64(i))})
	}
	_, r := recorded(t, sankeys([]string{"a", "b"}, rows...), 0)
	bars := map[string]canvas.Rect{}
	for _, b := range r.Rects {
		bars[b.Title[0]] = b
	}
	high := float64(r.Plots[0].Height)
	for _, l := range r.Labels {
		name, _, _ := strings.Cut(l.Text, " ")
		if b, ok := bars[name]; ok {
			if off := math.Abs(l.Y.V-b.Y.V-b.Height.V/2) * high; off > 1 {
				t.Errorf("%s is %.0f pixels from its bar", l.Text, off)
			}
		}
	}
}
