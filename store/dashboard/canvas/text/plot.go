package text

import (
	"math"
	"strings"

	"service/store/dashboard/canvas"
)

// A textPlot is a picture of characters: cells of marks, with the names on their left and right, one line above and two below.
type textPlot struct {
	canvas.Picture
	wide          int // of all, in cells
	left, right   int // margins
	columns, rows int // of the marks
	units         [2]int
	cells         [][]rune // line by line, the line above first; 0 for the second half of a wide character
	marks         [][]bool // cells that are taken by texts
	joined        map[[2]int]string
	whole         bool // the rectangle that is drawn fills whole characters
	links         bool // the line that is drawn joins marks, and leaves their signs
}

// Pixels of a character, for places that are so given.
const (
	textCellWide = 7.0
	textCellHigh = 20.0
	nameHigh     = 14 // of a line of names
)

func newTextPlot(p canvas.Picture, wide int) *textPlot {
	t := &textPlot{Picture: p, wide: wide}
	if p.Kind == canvas.StripPicture || p.Kind == canvas.ProgressPicture {
		t.wide = stripWide
		t.size(stripWide, 1)
		return t
	}
	if n := widestOf(oneLines(p.Left)); n > 0 {
		t.left = min(n, 20) + 1
	}
	if n := widestOf(oneLines(p.Right)); n > 0 {
		t.right = min(n, 14) + 1
	}
	rows := min(max(p.Height/int(textCellHigh), 4), textRows)
	if p.Sketch != 0 {
		rows = min(max(p.Height/nameHigh, 4), tallRows)
	}
	if p.Lines > 0 {
		rows = min(p.Lines, tallRows)
	}
	t.size(wide-t.left-t.right, rows)
	if p.Places.Rows > 0 && p.Places.Columns > 0 && p.Lines == 0 {
		t.resize(p.Places.Columns, p.Places.Rows)
	}
	return t
}

func oneLines(texts []string) []string {
	out := make([]string, len(texts))
	for i, s := range texts {
		if s != "" {
			out[i] = OneLine(s)
		}
	}
	return out
}

// resize makes all cells of a grid equally wide, if they fit.
func (t *textPlot) resize(columns, rows int) {
	wide, high := t.wide-t.left-t.right, textRows+4
	if columns <= wide {
		wide = columns * min(wide/columns, 12)
	}
	t.size(wide, min(rows, high))
}

func (t *textPlot) size(columns, rows int) {
	t.columns, t.rows = max(columns, 1), max(rows, 1)
	t.cells, t.marks, t.joined = make([][]rune, t.rows+3), make([][]bool, t.rows+3), map[[2]int]string{}
	for i := range t.cells {
		t.cells[i] = []rune(strings.Repeat(" ", t.wide))
		t.marks[i] = make([]bool, t.wide)
	}
}

// x returns the column of a place, y its row.
func (t *textPlot) x(c canvas.Coord) int {
	if c.Unit == canvas.Pixels {
		return int(math.Floor(c.V / textCellWide))
	}
	return t.column(c.V)
}

func (t *textPlot) column(v float64) int {
	return min(int(math.Floor(v*float64(t.columns))), t.columns-1)
}

func (t *textPlot) row(v float64) int { return min(int(math.Floor(v*float64(t.rows))), t.rows-1) }

// put draws a sign among the marks, if the place exists and no text is on it.
func (t *textPlot) put(x, y int, r rune) {
	if x < 0 || x >= t.columns || y < 0 || y >= t.rows || t.marks[y+1][t.left+x] {
		return
	}
	if at := &t.cells[y+1][t.left+x]; !t.links || !strings.ContainsRune(lineGlyphs, *at) {
		*at = r
	}
}

func (t *textPlot) line(l canvas.Line) {
	signs := [...][2]rune{
		canvas.GridLine: {'┈', '┊'}, canvas.ZeroLine: {'─', '│'}, canvas.ReferenceLine: {'╌', '╎'}, canvas.LinkLine: {'┄', '┆'},
		canvas.MarkLine: {'━', '┃'}, canvas.ThinLine: {'─', '│'}, canvas.BoldLine: {'━', '┃'}, canvas.EventLine: {'┄', '┆'},
	}
	if l.Stroke == canvas.CutLine {
		return
	}
	t.links = l.Stroke == canvas.LinkLine
	defer func() { t.links = false }()
	x1, x2, y1, y2 := t.x(l.X1), t.x(l.X2), t.row(l.Y1.V), t.row(l.Y2.V)
	switch {
	case l.Y1.V == l.Y2.V:
		for x := max(min(x1, x2), 0); x <= min(max(x1, x2), t.columns-1); x++ {
			t.put(x, y1, signs[l.Stroke][0])
		}
	case l.X1 == l.X2:
		for y := max(min(y1, y2), 0); y <= min(max(y1, y2), t.rows-1); y++ {
			t.put(x1, y, signs[l.Stroke][1])
		}
	default:
		t.diagonal(l)
	}
}

// diagonal draws a line that is neither horizontal nor vertical.
func (t *textPlot) diagonal(l canvas.Line) {
	x1, x2 := l.X1.V*float64(t.columns), l.X2.V*float64(t.columns)
	y1, y2 := l.Y1.V*float64(t.rows), l.Y2.V*float64(t.rows)
	sign := '╲'
	if (x2 > x1) == (y2 < y1) {
		sign = '╱'
	}
	n := max(math.Ceil(math.Abs(x2-x1)), math.Ceil(math.Abs(y2-y1)), 1)
	before := t.clampRow(y1)
	for k := range int(n) + 1 {
		part := float64(k) / n
		row := t.clampRow(y1 + (y2-y1)*part)
		if row == before {
			t.put(min(int(x1+(x2-x1)*part), t.columns-1), row, '─')
		} else {
			t.put(min(int(x1+(x2-x1)*part), t.columns-1), row, sign)
		}
		before = row
	}
}

func (t *textPlot) rect(r canvas.Rect, g rune) {
	x1, y1 := 0.0, 0.0
	share := func(c canvas.Coord, pixelsOf float64, unset float64) float64 {
		switch c.Unit {
		case canvas.Fraction:
			return c.V
		case canvas.Pixels:
			return c.V / pixelsOf
		}
		return unset
	}
	x1, y1 = share(r.X, float64(t.columns)*textCellWide, 0), share(r.Y, float64(max(t.Height, 1)), 0)
	t.fill(x1, x1+share(r.Width, float64(t.columns)*textCellWide, 1), y1, y1+share(r.Height, float64(max(t.Height, 1)), 1), g)
}

// frame draws a rectangle with lines above and on the left, for rectangles that touch.
func (t *textPlot) frame(r canvas.Rect, g rune) {
	x1, x2 := nearest(r.X.V*float64(t.columns)), nearest((r.X.V+r.Width.V)*float64(t.columns))
	y1, y2 := nearest(r.Y.V*float64(t.rows)), nearest((r.Y.V+r.Height.V)*float64(t.rows))
	for y := y1; y < y2; y++ {
		for x := x1; x < x2; x++ {
			sign := g
			switch {
			case x == x1 && y == y1:
				sign = '┌'
			case y == y1:
				sign = '─'
			case x == x1:
				sign = '│'
			}
			t.put(x, y, sign)
		}
	}
}

// fill draws a rectangle. It has at least one character, and its upper end is as exact as the glyph allows.
func (t *textPlot) fill(x1, x2, y1, y2 float64, g rune) {
	from, to := nearest(x1*float64(t.columns)), nearest(x2*float64(t.columns))
	if to <= from {
		from = t.column((x1 + x2) / 2)
		to = from + 1
	}
	top, bottom := y1*float64(t.rows), y2*float64(t.rows)
	first, last := nearest(top), nearest(bottom)
	exact := g == '█' && !t.whole && t.Kind != canvas.StripPicture && t.Lines == 0
	if exact && last > int(top) {
		first = int(math.Floor(top))
	}
	if last <= first {
		first = min(int((top+bottom)/2), t.rows-1)
		last = first + 1
	}
	for y := max(first, 0); y < min(last, t.rows); y++ {
		sign := g
		if rest := float64(y+1) - top; exact && rest < 1 {
			sign = []rune("▁▂▃▄▅▆▇█")[min(max(int(rest*8), 0), 7)]
		}
		for x := max(from, 0); x < min(to, t.columns); x++ {
			t.put(x, y, sign)
		}
	}
}

// curve draws a line through points, column by column.
func (t *textPlot) curve(points []canvas.Point, g rune) {
	across, down := float64(t.columns)/1000, float64(t.rows)/1000
	for i, p := range points {
		x, y := float64(p.X)*across, float64(p.Y)*down
		t.put(min(int(x), t.columns-1), t.clampRow(y), g)
		if i == 0 || p.Broken {
			continue
		}
		x0, y0 := float64(points[i-1].X)*across, float64(points[i-1].Y)*down
		n := min(int(math.Ceil(max(math.Abs(x-x0), math.Abs(y-y0)))), 4*(t.columns+t.rows))
		for k := 1; k < n; k++ {
			part := float64(k) / float64(n)
			t.put(min(int(x0+(x-x0)*part), t.columns-1), t.clampRow(y0+(y-y0)*part), g)
		}
	}
}

// clampRow returns a row of the marks, or -1 if it is beyond them.
func (t *textPlot) clampRow(y float64) int {
	if y < 0 || y > float64(t.rows) {
		return -1
	}
	return min(int(y), t.rows-1)
}

// area fills the area between points and the level or the points below them.
func (t *textPlot) area(a canvas.Area, g rune) {
	for i := 1; i < len(a.Points); i++ {
		p, q := a.Points[i-1], a.Points[i]
		if q.Broken {
			continue
		}
		from, to := p.X*t.columns/1000, q.X*t.columns/1000
		for x := max(from, 0); x <= min(to, t.columns-1); x++ {
			part := 0.0
			if to > from {
				part = float64(x-from) / float64(to-from)
			}
			top := float64(p.Y) + float64(q.Y-p.Y)*part
			floor := float64(a.Floor)
			if i < len(a.Under) {
				u, v := a.Under[i-1], a.Under[i]
				floor = float64(u.Y) + float64(v.Y-u.Y)*part
			}
			lo, hi := min(top, floor)/1000*float64(t.rows), max(top, floor)/1000*float64(t.rows)
			for y := max(nearest(lo), 0); y < min(nearest(hi), t.rows); y++ {
				t.put(x, y, g)
			}
		}
	}
}

// ribbon fills a band between two places, and draws the way of a band that leads back as a line.
func (t *textPlot) ribbon(r canvas.Ribbon, g rune) {
	across, down := float64(t.columns)/1000, float64(t.rows)/1000
	x1, x2 := float64(r.X1)*across, float64(r.X2)*across
	if r.Way != [2]int{} {
		y := t.clampRow(float64(r.Way[0]+r.Way[1]) / 2 * down)
		for x := int(min(x1, x2)); x <= int(max(x1, x2)); x++ {
			t.put(x, y, g)
		}
		return
	}
	for x := int(math.Ceil(x1)); x < int(x2); x++ {
		part := (float64(x) + 0.5 - x1) / (x2 - x1)
		part = part * part * (3 - 2*part)
		top := (float64(r.From[0]) + float64(r.To[0]-r.From[0])*part) * down
		bottom := (float64(r.From[1]) + float64(r.To[1]-r.From[1])*part) * down
		if first, last := nearest(top), nearest(bottom); first < last {
			for y := max(first, 0); y < min(last, t.rows); y++ {
				t.put(x, y, g)
			}
		} else if bottom-top > 0.3 {
			t.put(x, t.clampRow((top+bottom)/2), g)
		}
	}
}

// label writes a text, unless it would be on another one.
func (t *textPlot) label(l canvas.Label, anchor canvas.Anchor) {
	text := OneLine(l.Text)
	y := t.row(l.Y.V)
	high := float64(max(t.Height, 1))
	switch down := float64(l.Down); {
	case l.Y.V == 1 && l.Down >= canvas.BelowPlot+8:
		y = t.rows + 1
	case l.Y.V == 1 && l.Down >= canvas.BelowPlot:
		y = t.rows
	case l.Down == -canvas.AboveCells && l.Y.Unit == canvas.Unset:
		y = -1
	case l.Down != 4:
		y = min(max(int(math.Floor((l.Y.V*high+down-4)/high*float64(t.rows))), 0), t.rows-1)
	}
	x := t.left + t.x(l.X) + nearest(float64(l.Right)/textCellWide)
	if l.X.V < 0 && l.X.Unit == canvas.Pixels {
		x = t.left - 1
		text = Cut(text, t.left-1)
	} else if l.X.V == 1 && l.Right > 0 && anchor == canvas.AtStart {
		x = t.left + t.columns + 1
	}
	switch w := Cells(text); anchor {
	case canvas.AtMiddle:
		x -= w / 2
	case canvas.AtEnd:
		x -= w
	}
	t.write(max(min(x, t.wide-Cells(text)), 0), y, text, y == t.rows)
}

// write writes a text, unless there is one already. Every other name below the plot may be a line further down.
func (t *textPlot) write(x, y int, text string, below bool) {
	text = Cut(text, t.wide-x)
	n := Cells(text)
	line := y + 1
	if line < 0 || line >= len(t.cells) || n == 0 {
		return
	}
	for i := max(x-1, 0); i < min(x+n+1, t.wide); i++ {
		if t.marks[line][i] {
			if below {
				t.write(x, y+1, text, false)
			}
			return
		}
	}
	at := x
	var before rune
	for _, r := range text {
		w := cellsOf(before, r)
		before = r
		if w == 0 {
			if at > x {
				t.joined[[2]int{line, at - 1}] += string(r)
			}
			continue
		}
		t.cells[line][at], t.marks[line][at] = r, true
		for k := 1; k < w && at+k < t.wide; k++ {
			t.cells[line][at+k], t.marks[line][at+k] = 0, true
		}
		at += w
	}
}

// text returns the plot in lines, without empty ones above and below it.
func (t *textPlot) text() []string {
	out := make([]string, len(t.cells))
	for i, line := range t.cells {
		var b strings.Builder
		for j, r := range line {
			if r != 0 {
				b.WriteRune(r)
			}
			b.WriteString(t.joined[[2]int{i, j}])
		}
		out[i] = strings.TrimRight(b.String(), " ")
	}
	for len(out) > t.rows+1 && out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	if out[0] == "" {
		out = out[1:]
	}
	return out
}

// strip returns the line of a strip.
func (t *textPlot) strip() string { return strings.TrimRight(string(t.cells[1]), " ") }
