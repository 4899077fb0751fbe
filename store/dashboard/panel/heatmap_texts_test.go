package panel

import (
	"slices"
	"strings"
	"testing"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
)

// statusRows returns a row for each day and service, with a text, of which one day has none and one has two different ones.
func statusRows() [][]any {
	day := func(d int) time.Time { return time.Date(2026, 3, d, 0, 0, 0, 0, time.UTC) }
	return [][]any{
		{day(1), "API", "OK", 120.0},
		{day(1), "Web", "OK", 80.0},
		{day(2), "API", "slow", 900.0},
		{day(2), "Web", nil, 85.0},
		{day(3), "API", "down", 0.0},
		{day(3), "Web", "OK", 90.0},
		{day(3), "Web", "slow", 700.0},
		{day(4), "API", "OK", 110.0},
		{day(4), "API", "OK", 130.0},
		{day(4), "Web", "OK", 82.0},
	}
}

var statusColumns = []string{"day date", "service text", "status text", "ms number max"}

// TestCellsOfTexts: cells of a text have the colours of its values and are written, also on a phone, where a letter stands for each. Cells
// without a text are blank; those with several are gray and have all of them in the table behind.
func TestCellsOfTexts(t *testing.T) {
	t.Parallel()
	v := tinySpec(t, `{"type": "heatmap", "x": "day", "y": "service", "value": "status"}`, statusColumns, statusRows()...)
	v.Spec.Columns = []dashboard.Appearance{{
		Column: "status", Colors: map[string]string{"OK": "green", "down": "red"}, Order: dashboard.Order{Values: []string{"OK", "slow", "down"}},
	}}
	p, c := recorded(t, v, 0)
	green, red := namedColor("green"), namedColor("red")
	colors := map[canvas.Color]int{}
	for _, r := range c.Rects {
		colors[r.Color]++
	}
	if len(colors) != 4 || colors[green] != 4 || colors[red] != 1 || colors[canvas.OtherColor] != 1 || len(c.Rects) != 7 {
		t.Errorf("colours of cells: %v", colors)
	}
	var legend []string
	for _, i := range c.Items {
		legend = append(legend, i.Name)
	}
	if want := []string{"OK", "slow", "down"}; !slices.Equal(legend, want) {
		t.Errorf("the legend has %q, want %q", legend, want)
	}
	written := map[string]int{}
	for _, l := range c.Labels {
		written[l.Text]++
	}
	if written["OK"] != 4 || written["down"] != 1 || written["…"] != 1 {
		t.Errorf("written in cells: %v", written)
	}
	if want := "4 columns by 2 rows: OK 4, slow 1, down 1."; p.Summary != want {
		t.Errorf("the sentence is %q, want %q", p.Summary, want)
	}
	if want := []string{"1 cell has several values, and is gray."}; !slices.Equal(p.Notes, want) {
		t.Errorf("the notes are %q, want %q", p.Notes, want)
	}
	var cells []string
	for _, row := range p.Grid.Rows {
		for j := range row {
			cells = append(cells, p.CellOf(j, row[j]))
		}
	}
	if got, want := strings.Join(cells, "|"), "API|OK|slow|down|OK|Web|OK|–|OK, slow|OK"; got != want {
		t.Errorf("the table behind has %q, want %q", got, want)
	}
	if w := p.Warnings; len(w) != 1 || !strings.Contains(w[0].Message, "max_by") && !strings.Contains(w[0].Message, "one row") {
		t.Errorf("warnings: %v", w)
	}
}

// TestTonesOfTexts: thresholds give cells of texts the colours of tones.
func TestTonesOfTexts(t *testing.T) {
	t.Parallel()
	v := tinySpec(t, `{"type": "heatmap", "x": "day", "y": "service", "value": "status", "thresholds": [{"value": "down", "tone": "bad"},
		{"value": "OK", "tone": "good"}, {"value": "gone", "tone": "bad"}]}`, statusColumns, statusRows()...)
	_, c := recorded(t, v, 0)
	colors := map[canvas.Color]int{}
	for _, r := range c.Rects {
		colors[r.Color]++
	}
	if colors[canvas.ToneColor("bad")] != 1 || colors[canvas.ToneColor("good")] != 4 {
		t.Errorf("colours of cells: %v", colors)
	}
	for _, i := range c.Items {
		if i.Name == "down" && i.Color != canvas.ToneColor("bad") || i.Name == "gone" {
			t.Errorf("the legend has %v", i)
		}
	}
}

// TestSignsOfTexts: the signs of texts in narrow cells are their first letters, as many as distinguish them, or else numbers.
func TestSignsOfTexts(t *testing.T) {
	t.Parallel()
	for _, tc := range [][2]string{
		{"OK slow down", "O s d"},
		{"Slow Stopped", "Sl St"},
		{"Störung Stopp", "Stö Sto"},
		{"error_1 error_2", "1 2"},
		{"OK", "O"},
		{"正常 遅い", "正 遅"},
		{"a ab", "a ab"},
	} {
		if got := strings.Join(signsOf(strings.Fields(tc[0])), " "); got != tc[1] {
			t.Errorf("%s: %s, want %s", tc[0], got, tc[1])
		}
	}
}
