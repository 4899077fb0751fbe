package panel

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
)

// spotsOf is a scatter of five points, the third without a rate.
func spotsOf(change func(p *dashboard.Panel)) Input {
	panel := dashboard.Panel{Type: dashboard.Scatter, X: "x", Y: []string{"y"}, Label: "k"}
	change(&panel)
	rows := [][]any{
		{"a", int64(1), int64(50), int64(3), 0.1, "u"},
		{"b", int64(2), int64(40), int64(9), 0.2, "v"},
		{"c", int64(3), int64(30), int64(5), nil, "u"},
		{"d", int64(4), int64(20), int64(7), 0.4, "v"},
		{"e", int64(5), int64(10), int64(1), 0.5, "u"},
	}
	columns := []string{"k text", "x integer sum", "y integer sum", "size integer sum", "rate number avg", "g text"}
	return tiny([]dashboard.Panel{panel}, columns, rows...)
}

// spotNames returns the names of the drawn points, from left to right.
func spotNames(p *Panel) string {
	s := p.Content.(*scatterPanel)
	names := make([]string, len(s.spots))
	for i := range s.spots {
		names[i] = s.spots[i].name
	}
	slices.Sort(names)
	return strings.Join(names, "")
}

// TestScatterColors: a measure colours the points by a ramp, gray without a value, and is in tooltips and in the table. A dimension works
// like series.
func TestScatterColors(t *testing.T) {
	t.Parallel()
	v := spotsOf(func(p *dashboard.Panel) { p.Color, p.Ramp = "rate", &dashboard.Ramp{Name: "blue"} })
	p, c := recorded(t, v, 0)
	colors := map[string]canvas.Color{}
	for _, s := range c.Circles {
		colors[s.Title[0]] = s.Color
	}
	if colors["a"] != canvas.HeatColor || colors["e"] != canvas.HeatColor+canvas.HeatSteps-1 || colors["c"] != canvas.PaleColor {
		t.Errorf("colours %v", colors)
	}
	for _, s := range c.Circles {
		if title := strings.Join(s.Title, ""); s.Title[0] == "a" && title != "a\nX  1\nY  50\nRate  0.1" {
			t.Errorf("a tooltip %q", title)
		}
	}
	if got := strings.Join(p.Notes, " "); got != "Colors show rate. Gray: no data." {
		t.Errorf("notes %q", got)
	}
	csv, err := csvOfPanel(v, 0)
	if err != nil || !strings.HasPrefix(string(csv), "K,X,Y,Rate\na,1,50,0.1\n") {
		t.Errorf("%s (%v)", csv, err)
	}
	if doc := string(render(t, v)); !strings.Contains(doc, `class="ramp"`) {
		t.Error("the page has no legend of the ramp")
	}
	byColor, bySeries := spotsOf(func(p *dashboard.Panel) { p.Color = "g" }), spotsOf(func(p *dashboard.Panel) { p.Series = "g" })
	_, c = recorded(t, byColor, 0)
	if _, other := recorded(t, bySeries, 0); c.String() != other.String() {
		t.Errorf("by colour:\n%s\nby series:\n%s", c, other)
	}
}

// TestScatterLimit: limit keeps the largest points by size or by y, or the first by sort.
func TestScatterLimit(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ size, sort, want, note string }{
		{"", "", "ab", "The 2 largest of 5 values of Y; the rest is not drawn."},
		{"size", "", "bd", "The 2 largest of 5 values of size; the rest is not drawn."},
		{"size", "-x", "de", "The 2 largest of 5 values of X; the rest is not drawn."},
		{"size", "size", "ae", "The 2 smallest of 5 values of size; the rest is not drawn."},
		{"", "y", "de", "The 2 smallest of 5 values of Y; the rest is not drawn."},
	} {
		v := spotsOf(func(p *dashboard.Panel) { p.Limit, p.Size, p.Sort = 2, tc.size, tc.sort })
		p := open(v).Panel(0)
		if got := spotNames(p); got != tc.want || strings.Join(p.Notes, " ") != tc.note {
			t.Errorf("%+v: %s, notes %q", tc, got, p.Notes)
		}
	}
}

// TestLabelsOfPoints: labels is short for names.
func TestLabelsOfPoints(t *testing.T) {
	t.Parallel()
	for labels, want := range map[string]string{"true": dashboard.NamesAll, "false": dashboard.NamesNone} {
		s, err := dashboard.Parse([]byte(`{"datasets": [{"id": "d", "sql": "SELECT k, x, y FROM t"}],
			"panels": [{"type": "scatter", "x": "x", "y": "y", "label": "k", "labels": ` + labels + `}]}`))
		if err != nil || s.Panels[0].Names != want {
			t.Errorf("%s: %v, %v", labels, s, err)
		}
	}
}

// TestBoxKeys: medians are written in boxes if they fit, and tooltips have further columns.
func TestBoxKeys(t *testing.T) {
	t.Parallel()
	labels := true
	var rows [][]any
	for i := range 40 {
		rows = append(rows, []any{string(rune('a' + i%2)), float64(i), int64(1), "Ann"})
	}
	v := tiny([]dashboard.Panel{{
		Type: dashboard.Box, X: "k", Value: "n", Labels: &labels, Tooltip: []string{"orders", "owner"},
	}}, []string{"k text", "n number none", "orders integer sum", "owner text"}, rows...)
	p, c := recorded(t, v, 0)
	var texts []string
	for _, l := range c.Labels {
		if l.Look == canvas.ValueText {
			texts = append(texts, l.Text)
		}
	}
	if got := strings.Join(texts, " "); got != "20 19" {
		t.Errorf("medians %s", got)
	}
	if row := p.Grid.Rows[0]; fmt.Sprint(row[len(row)-2]) != "20" || p.CellOf(len(row)-1, row[len(row)-1]) != "Ann" {
		t.Errorf("a row %v", row)
	}
	v.Spec.Panels[0].Range[dashboard.AxisY].Max = ptr(10_000)
	if _, c = recorded(t, v, 0); slices.ContainsFunc(c.Labels, func(l canvas.RecordedLabel) bool { return l.Look == canvas.ValueText }) ||
		!strings.Contains(codes(v), "left_out panels[0].labels") {
		t.Errorf("boxes without room; warnings %s", codes(v))
	}
}

// TestTimelineTones: a span has the tone of the threshold that its column meets most closely, or that names a value of a dimension.
func TestTimelineTones(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for i, done := range []any{0.1, 0.5, 0.9, nil} {
		from := day("2026-01-01").AddDate(0, 0, 7*i)
		rows = append(rows, []any{string(rune('a' + i)), from, from.AddDate(0, 0, 5), done, []string{"late", "on time"}[i%2]})
	}
	v := tiny([]dashboard.Panel{{
		Type: dashboard.Timeline, Label: "k", Start: "begins", End: "ends", Width: 12,
		Thresholds: []dashboard.Threshold{
			{Column: "done", If: "<", Value: 0.6, Tone: "warn"},
			{Column: "done", If: "<", Value: 0.3, Tone: "bad"},
			{Column: "done", If: ">=", Value: 0.8, Tone: "good"},
		},
	}}, []string{"k text", "begins date", "ends date", "done number avg percent", "state text"}, rows...)
	drawn := func() (tones []canvas.Color, p *Panel, c *canvas.Recorder) {
		p, c = recorded(t, v, 0)
		for _, r := range c.Rects {
			if tones = append(tones, r.Color); r.Bare != (r.Color >= canvas.HeatColor) {
				t.Errorf("a bar of the colour %v has an edge, or none", r.Color)
			}
		}
		return tones, p, c
	}
	tones, p, c := drawn()
	plain := p.Env.measureColors("begins")[0]
	if want := []canvas.Color{canvas.ToneColor("bad"), canvas.ToneColor("warn"), canvas.ToneColor("good"), plain}; !slices.Equal(tones, want) {
		t.Errorf("colours %v, want %v", tones, want)
	}
	if got := itemsOf(c); got != "Done < 60%, Done < 30%, Done ≥ 80%" {
		t.Errorf("legend %s", got)
	}
	if want := "Done < 60%: 1 of 4. Done < 30%: 1 of 4. Done ≥ 80%: 1 of 4."; !strings.HasSuffix(p.Summary, want) {
		t.Errorf("%s", p.Summary)
	}
	v.Spec.Panels[0].Thresholds = []dashboard.Threshold{{Column: "state", If: ">=", By: "late", Tone: "bad"}}
	tones, p, c = drawn()
	if want := []canvas.Color{canvas.ToneColor("bad"), plain, canvas.ToneColor("bad"), plain}; !slices.Equal(tones, want) {
		t.Errorf("by state: colours %v, want %v", tones, want)
	}
	if got := itemsOf(c); got != "State = late" || !strings.HasSuffix(p.Summary, "State = late: 2 of 4.") {
		t.Errorf("legend %s, %s", got, p.Summary)
	}
}
