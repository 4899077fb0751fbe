package page

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
	"service/store/dashboard/panel"
)

// A sheet is a canvas that measures where the texts of plots are at one of the three widths of panels.
type sheet struct {
	canvas.Recorder
	size   int // 0 for a phone, 1 a tablet, 2 a desktop
	inside float64

	open   []canvas.Group
	height float64
	margin float64
	right  float64
	plot   bool
	under  int     // number of open elements when the picture began
	half   float64 // the picture's share of the panel's width
	texts  []placed
	marks  []placed        // bars, and lines across the plot
	runs   []chart.Segment // between neighbours of curves
	faults []string
}

// A placed text is a rectangle in pixels of its plot.
type placed struct {
	text           string
	x1, x2, y1, y2 float64
	value          bool // the value of a mark
}

// on reports whether a text is partly on a mark, or on a line.
func (a placed) on(b placed) bool {
	inside := a.x1 > b.x1 && a.x2 < b.x2 && a.y1 > b.y1 && a.y2 < b.y2
	return !inside && a.x1 < b.x2-1 && b.x1 < a.x2-1 && a.y1 < b.y2-1 && b.y1 < a.y2-1
}

func (s *sheet) place(c canvas.Coord, of float64) float64 {
	if c.Unit == canvas.Fraction {
		return c.V * of
	}
	return c.V
}

func (s *sheet) Rect(r canvas.Rect) {
	x, y := s.place(r.X, s.width()), s.place(r.Y, s.height)
	s.marks = append(s.marks, placed{"a bar", x, x + s.place(r.Width, s.width()), y, y + s.place(r.Height, s.height), false})
}

func (s *sheet) Line(l canvas.Line) {
	if y := s.place(l.Y1, s.height); l.Stroke == canvas.ReferenceLine {
		s.marks = append(s.marks, placed{"a line", 0, s.width(), y - 1, y + 1, false})
	}
}

func (s *sheet) Curve(c canvas.Curve) {
	for i := 1; i < len(c.Points); i++ {
		if from, to := c.Points[i-1], c.Points[i]; !to.Broken {
			x, y := s.width()/1000, s.height/1000
			s.runs = append(s.runs, chart.Segment{X1: float64(from.X) * x, Y1: float64(from.Y) * y, X2: float64(to.X) * x, Y2: float64(to.Y) * y})
		}
	}
}

// hidden reports whether one of the open elements is not shown on a width.
func hidden(open []canvas.Group, size int) bool {
	return slices.ContainsFunc(open, func(g canvas.Group) bool { return g.Widths != 0 && g.Widths&(canvas.Phone<<size) == 0 })
}

func (s *sheet) push(g canvas.Group)   { s.open = append(s.open, g) }
func (s *sheet) Only(on canvas.Widths) { s.push(canvas.Group{Widths: on}) }
func (s *sheet) Beside()               { s.push(canvas.Group{}) }
func (s *sheet) Halves()               { s.push(canvas.Group{}) }
func (s *sheet) List(canvas.ListKind)  { s.push(canvas.Group{}) }
func (s *sheet) Item(canvas.Item)      { s.push(canvas.Group{}) }
func (s *sheet) Viewport()             { s.push(canvas.Group{}) }
func (s *sheet) Extent(int, int)       { s.push(canvas.Group{}) }
func (s *sheet) Group(g canvas.Group)  { s.push(g) }
func (s *sheet) width() float64        { return (s.inside - s.margin - s.right) * s.half }
func (s *sheet) Picture(p canvas.Picture) {
	s.under = len(s.open)
	s.push(canvas.Group{})
	s.plot = p.Kind == canvas.PlotPicture || p.Kind == canvas.HalfPicture || p.Kind == canvas.FullPicture ||
		p.Kind == canvas.MonthsPicture
	s.height, s.texts = float64(p.Height), nil
	if s.half = 1; p.Kind == canvas.HalfPicture && s.size > 0 {
		s.half = 0.5
	}
	s.marks, s.runs = nil, nil
	_, s.margin = canvas.MarginOf(p.Left)
	s.right = 12
	if p.Right != nil {
		_, s.right = canvas.MarginOf(p.Right)
	}
	if p.Flush {
		s.margin = 0
	}
	if p.Kind == canvas.FullPicture {
		s.margin, s.right = 0, 0
	}
	if s.size == 0 {
		s.margin, s.right = min(s.margin, 96), min(s.right, 96)
	}
}

func (s *sheet) End() {
	s.open = s.open[:len(s.open)-1]
	if len(s.open) != s.under || !s.plot {
		return
	}
	for i, a := range s.texts {
		if a.x1 < -s.margin-14 || a.x2 > s.width()+s.right+14 {
			s.faults = append(s.faults, fmt.Sprintf("%q leaves the card: %.0f to %.0f of %.0f", a.text, a.x1, a.x2, s.width()))
		}
		for _, b := range s.marks {
			if a.value && a.on(b) {
				s.faults = append(s.faults, fmt.Sprintf("%q overlaps %s: %v and %v", a.text, b.text, a, b))
			}
		}
		for _, b := range s.runs {
			if a.value && b.Crosses(chart.Box{X1: a.x1, X2: a.x2, Y1: a.y1 + 1, Y2: a.y2 - 1}) {
				s.faults = append(s.faults, fmt.Sprintf("%q overlaps a curve", a.text))
			}
		}
		for _, b := range s.texts[:i] {
			if a.x1 < b.x2-1 && b.x1 < a.x2-1 && a.y1 < b.y2-1 && b.y1 < a.y2-1 {
				s.faults = append(s.faults, fmt.Sprintf("%q overlaps %q", a.text, b.text))
			}
		}
	}
	s.plot = false
}

func (s *sheet) Label(l canvas.Label) {
	if hidden(s.open, s.size) {
		return
	}
	g := s.open[len(s.open)-1]
	anchored := l.Anchor
	if l.Look == canvas.Grouped {
		anchored = g.Anchor
	}
	w := canvas.LabelWidth(l.Text)
	x, y := s.place(l.X, s.width())+float64(l.Right), s.place(l.Y, s.height)+float64(l.Down)
	switch anchored {
	case canvas.AtMiddle:
		x -= w / 2
	case canvas.AtEnd:
		x -= w
	}
	s.texts = append(s.texts, placed{l.Text, x, x + w, y - 9, y + 2, g.Look == canvas.ValueText})
}

// measured returns the faults of the texts of a drawn panel, at the three widths.
func measured(p *panel.Panel) []string {
	var out []string
	narrow := (float64(p.Columns)*104 - 54) * 0.76 // in a window of 1,001 pixels
	for size, inside := range []float64{min(300, narrow), 480, max(820, narrow)} {
		s := &sheet{size: size, inside: inside}
		p.Content.Draw(s)
		for _, f := range s.faults {
			out = append(out, fmt.Sprintf("panel %d (%s, %q) at %.0f pixels: %s", p.Index, p.Spec.Type, p.Title, inside, f))
		}
	}
	return out
}

// TestLayout measures the texts of all pages: they do not overlap, and none leaves its card.
func TestLayout(t *testing.T) {
	t.Parallel()
	views := cases(t)
	views["labels"] = labelled()
	for name, v := range views {
		p := open(v)
		p.workOut()
		for i, width := range pack(v.Spec.Panels) {
			if p.panels[i].Content == nil || p.panels[i].Spec.Facet != "" { // small plots are measured in a browser
				continue
			}
			p.panels[i].Columns = width
			for _, f := range measured(p.panels[i]) {
				t.Errorf("%s: %s", name, f)
			}
		}
	}
}

// labelled is a page whose labels need more space than others, or less.
func labelled() View {
	var rows [][]any
	for i, place := range []string{
		"Northern Ireland and Wales", "Île-de-France", "Mecklenburg-Vorpommern", "Friuli-Venezia Giulia", "iiiiiiiiiiiiiiiiii",
	} {
		for j, team := range []string{"alphas", "bravos", "deltas", "kilos", "a team of a much longer name"} {
			at := day("2025-12-28").AddDate(0, 0, i*5+j)
			rows = append(rows, []any{at, place, team, float64(i*5+j) * 4321987, float64(40 + i*7 - j), int64(i + j)})
		}
	}
	lines := []dashboard.Reference{{Kind: "average"}, {Value: 50e6, Label: "Near the average, and with a long name of its own"}, {Kind: "max"}}
	var panels []dashboard.Panel
	for _, w := range []int{3, 4, 6, 12} {
		panels = append(panels,
			dashboard.Panel{Type: dashboard.Heatmap, X: "team", Y: []string{"place"}, Value: "amount", Width: w},
			dashboard.Panel{Type: dashboard.Bar, X: "place", Y: []string{"amount"}, Width: w, Reference: lines},
			dashboard.Panel{Type: dashboard.Bar, X: "team", Y: []string{"amount"}, Width: w},
			dashboard.Panel{Type: dashboard.Line, X: "day", Y: []string{"amount"}, Width: w, Reference: lines},
			dashboard.Panel{Type: dashboard.Line, X: "place", Y: []string{"amount"}, Width: w},
			dashboard.Panel{Type: dashboard.Scatter, X: "amount", Y: []string{"latitude"}, Label: "place", Width: w},
		)
	}
	return tiny(panels, []string{
		"day date", "place text", "team text", "amount number sum currency2", "latitude number avg number1", "size integer sum",
	}, rows...)
}

// TestLabelsAreWhole: labels are turned or cut only if they do not fit.
func TestLabelsAreWhole(t *testing.T) {
	t.Parallel()
	v := labelled()
	v.Spec.Panels = []dashboard.Panel{
		{Type: dashboard.Heatmap, X: "team", Y: []string{"place"}, Value: "size", Width: 12},
		{Type: dashboard.Bar, X: "place", Y: []string{"size"}, Width: 12},
		{Type: dashboard.Bar, X: "team", Y: []string{"size"}, Width: 4},
	}
	v.Spec.Panels[2].Limit = 4
	v.Spec.Panels[2].Sort = "team"
	for i, want := range []string{"Mecklenburg-Vorpommern", "Northern Ireland and Wales", "kilos"} {
		p := open(v).Panel(i)
		s := &lettered{size: 2}
		p.Content.Draw(s)
		if !slices.Contains(s.upright, want) {
			t.Errorf("panel %d: %q is not written as it is, upright, on a desktop: %q", i, want, s.upright)
		}
	}
}

// TestNamesBreakAtHyphens: a name of a column that does not fit in one line continues after a hyphen.
func TestNamesBreakAtHyphens(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for i, s := range []string{"Mecklenburg-Vorpommern", "Nordrhein-Westfalen", "Rheinland-Pfalz", "Sachsen-Anhalt", "Ulm"} {
		rows = append(rows, []any{s, "a", float64(i + 1)}, []any{s, "b", float64(i + 2)})
	}
	columns := []string{"place text", "kind text", "n number sum"}
	for _, panel := range []dashboard.Panel{
		{Type: dashboard.Heatmap, X: "place", Y: []string{"kind"}, Value: "n", Width: 8},
		{Type: dashboard.Bar, X: "place", Y: []string{"n"}, Width: 8},
	} {
		p := open(tiny([]dashboard.Panel{panel}, columns, rows...)).Panel(0)
		s := &lettered{size: 1}
		p.Content.Draw(s)
		if s.horizontal || !slices.Contains(s.upright, "Mecklenburg-") || !slices.Contains(s.upright, "Vorpommern") {
			t.Errorf("%s: no name in two lines on a tablet: %q", panel.Type, s.upright)
		}
	}
}

// TestNamesAreNeverTurned: names of columns that fit neither in one line nor in two are the names of rows of a horizontal chart, and no
// name is missing. Names of an ordered axis are left out; those of bars that the author wants upright are shortened.
func TestNamesAreNeverTurned(t *testing.T) {
	t.Parallel()
	shop := func(i int) string { return fmt.Sprintf("Shop %c", 'A'+i) }
	long := func(i int) string { return fmt.Sprintf("Department of Housing %c", 'A'+i) }
	bars := dashboard.Panel{Type: dashboard.Bar, X: "name", Y: []string{"n"}, Width: 12}
	upright := bars
	upright.Upright = true
	for name, tc := range map[string]struct {
		panel      dashboard.Panel
		of         func(i int) string
		n          int
		names      [3]int // on a phone, a tablet and a desktop
		horizontal [3]bool
	}{
		"times":         {bars, func(i int) string { return fmt.Sprintf("%02d:00", i) }, 24, [3]int{5, 8, 12}, [3]bool{}},
		"months":        {bars, func(i int) string { return time.Month(i%12 + 1).String() }, 12, [3]int{3, 4, 12}, [3]bool{}},
		"ranges":        {bars, func(i int) string { return fmt.Sprintf("%d-%d people", i*10, i*10+9) }, 22, [3]int{3, 4, 8}, [3]bool{}},
		"names":         {bars, shop, 12, [3]int{12, 12, 12}, [3]bool{true, true, false}},
		"too many":      {bars, shop, 26, [3]int{12, 12, 12}, [3]bool{true, true, false}},
		"weekdays":      {bars, func(i int) string { return time.Weekday(i % 7).String() }, 7, [3]int{2, 4, 7}, [3]bool{}},
		"short numbers": {bars, func(i int) string { return fmt.Sprint(i) }, 12, [3]int{6, 12, 12}, [3]bool{}},
		"long":          {bars, long, 12, [3]int{12, 12, 12}, [3]bool{true, true, true}},
		"upright":       {upright, long, 6, [3]int{6, 6, 6}, [3]bool{}},
		"boxes": {
			dashboard.Panel{Type: dashboard.Box, X: "name", Value: "n", Width: 12}, long, 12, [3]int{12, 12, 12}, [3]bool{true, true, true},
		},
		"combo": {
			dashboard.Panel{Type: dashboard.Combo, X: "name", Bars: []string{"n"}, Lines: []string{"m"}, Width: 12},
			long, 12,
			[3]int{12, 12, 12},
			[3]bool{true, true, true},
		},
		"waterfall": {
			dashboard.Panel{Type: dashboard.Waterfall, Label: "name", Value: "n", Width: 12}, long, 9, [3]int{9, 9, 9}, [3]bool{true, true, false},
		},
	} {
		var rows [][]any
		for i := range tc.n {
			rows = append(rows, []any{tc.of(i), float64(tc.n - i), float64(2 * i)})
		}
		columns := []string{"name text", "n number sum", "m number sum"}
		if tc.panel.Type == dashboard.Box {
			columns[1] = "n number"
		}
		p := open(tiny([]dashboard.Panel{tc.panel}, columns, rows...)).Panel(0)
		for size, want := range tc.names {
			s := &lettered{size: size}
			p.Content.Draw(s)
			seen := map[string]bool{}
			for i := range tc.n {
				full := tc.of(i)
				first, _, _ := strings.Cut(full, " ")
				for _, text := range s.upright {
					head, _, cut := strings.Cut(text, canvas.Ellipse)
					if text == full || cut && strings.HasPrefix(full, head) || strings.HasPrefix(text, first) && strings.HasPrefix(full, text) {
						seen[full] = true
					}
				}
			}
			if len(seen) < want || s.horizontal != tc.horizontal[size] {
				t.Errorf("%s, on width %d: %d names are written, want %d; horizontal %v, want %v: %q", name, size, len(seen), want, s.horizontal,
					tc.horizontal[size], s.upright)
			}
		}
	}
}

// TestLabelsOnHalfACard: on half of a desktop, which is 570 pixels wide inside, columns whose names fit stay columns.
func TestLabelsOnHalfACard(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for i := range 6 {
		rows = append(rows, []any{fmt.Sprint("Customer-", 10+i), float64(i)})
	}
	bars := []dashboard.Panel{{Type: dashboard.Bar, X: "name", Y: []string{"n"}, Width: 6}}
	page := string(render(t, tiny(bars, []string{"name text", "n number sum"}, rows...)))
	for _, want := range []string{`<div class="only x12h">`, `<div class="only x3h">`} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s", want)
		}
	}
}

// A lettered canvas keeps the labels of groups, as they are written at one width.
type lettered struct {
	canvas.Recorder
	size       int // 0 for a phone, 1 a tablet, 2 a desktop
	open       []canvas.Group
	upright    []string
	horizontal bool // its places are rows
}

func (l *lettered) push(g canvas.Group)      { l.open = append(l.open, g) }
func (l *lettered) Facets(canvas.SmallPlots) { l.push(canvas.Group{}) }
func (l *lettered) Facet(string)             { l.push(canvas.Group{}) }
func (l *lettered) List(canvas.ListKind)     { l.push(canvas.Group{}) }
func (l *lettered) Item(canvas.Item)         { l.push(canvas.Group{}) }
func (l *lettered) Viewport()                { l.push(canvas.Group{}) }
func (l *lettered) Only(on canvas.Widths)    { l.push(canvas.Group{Widths: on}) }
func (l *lettered) Picture(p canvas.Picture) {
	l.horizontal = l.horizontal || p.Places.Columns == 1 && p.Places.Rows > 1 && !hidden(l.open, l.size)
	l.push(canvas.Group{})
}
func (l *lettered) Group(g canvas.Group) { l.push(g) }
func (l *lettered) End()                 { l.open = l.open[:len(l.open)-1] }

func (l *lettered) Label(t canvas.Label) {
	if g := l.open[len(l.open)-1]; g.Look == canvas.AxisText && !hidden(l.open, l.size) {
		l.upright = append(l.upright, t.Text)
	}
}

// TestReferencesAreFree: the name of a reference line is not on a bar if there is space next to the bars.
func TestReferencesAreFree(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		values []float64
		want   string // the place of the average's name
	}{
		"rising":  {[]float64{1, 2, 3, 4, 5, 6, 7, 90, 91, 92}, "start above"},
		"falling": {[]float64{92, 91, 90, 7, 6, 5, 4, 3, 2, 1}, "end above"},
	} {
		var rows [][]any
		for i, v := range tc.values {
			rows = append(rows, []any{fmt.Sprintf("%c", 'a'+i), v})
		}
		p := open(tiny([]dashboard.Panel{{
			Type: dashboard.Bar, X: "name", Y: []string{"amount"}, Sort: "name", Reference: []dashboard.Reference{{Kind: "average"}},
		}}, []string{"name text", "amount number sum"}, rows...)).Panel(0)
		r := &canvas.Recorder{}
		p.Content.Draw(r)
		where := ""
		for line := range strings.Lines(r.String()) {
			if strings.Contains(line, "Average") && strings.Contains(line, "label") {
				where = map[bool]string{true: "start", false: "end"}[strings.Contains(line, "marked start")] +
					map[bool]string{true: " above", false: " below"}[strings.Contains(line, "down -6")]
			}
		}
		if where != tc.want {
			t.Errorf("%s: named at %q, want %q\n%s", name, where, tc.want, r.String())
		}
	}
}

// TestTooltips: the table behind a stack, from which its tooltips are made, has the totals; points are named with their measures.
func TestTooltips(t *testing.T) {
	t.Parallel()
	v := zooView(ordinary()...)
	v.Spec.Panels = []dashboard.Panel{
		{Type: dashboard.Bar, X: "day", Y: []string{"amount"}, Series: "name", Stack: true},
		{Type: dashboard.Area, X: "day", Y: []string{"amount"}, Series: "name", Stack: true},
		{Type: dashboard.Bar, X: "day", Y: []string{"amount"}, Series: "name"},
		{Type: dashboard.Scatter, X: "amount", Y: []string{"size"}, Label: "name"},
	}
	page := string(render(t, v))
	if n := strings.Count(page, `<th scope="col">Total</th>`); n != 2 {
		t.Errorf("%d tables have a total, want 2", n)
	}
	if n := strings.Count(page, `<td>$102.50</td></tr>`); n != 2 {
		t.Errorf("%d tables have the total of the first day, want 2", n)
	}
	if !strings.Contains(page, "<title>Ada\nAmount  $143.75\nSize  15</title>") {
		t.Error("a point is not named with its measures")
	}
}

// TestNamesInTwoLines: names that fit next to each other in two lines are broken, and are not cut.
func TestNamesInTwoLines(t *testing.T) {
	t.Parallel()
	steps := []string{"Visit → product view", "Product view → cart", "Cart → checkout", "Checkout → purchase"}
	var rows [][]any
	for i, s := range steps {
		rows = append(rows, []any{s, float64(9 - i)})
	}
	bars := []dashboard.Panel{{Type: dashboard.Bar, X: "name", Y: []string{"n"}, Width: 6}}
	p := open(tiny(bars, []string{"name text", "n number sum"}, rows...)).Panel(0)
	for size, want := range map[int][]string{
		1: {"Visit →", "product view", "Product", "view → cart", "Cart →", "checkout", "Checkout", "→ purchase"},
		2: steps,
	} {
		s := &lettered{size: size}
		p.Content.Draw(s)
		if !slices.Equal(s.upright, want) {
			t.Errorf("on width %d: names %q; want %q", size, s.upright, want)
		}
	}
}

// insideOf returns the inner width of a card on a desktop, in pixels, by its number of columns.
func insideOf(columns int) float64 { return float64(columns)*104 - 54 }
