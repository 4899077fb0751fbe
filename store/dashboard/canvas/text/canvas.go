package text

import (
	"math"
	"slices"
	"strings"

	"service/store/dashboard/canvas"
	"service/store/dashboard/locale"
)

// A Painter is a canvas of characters, for the charts in the answers of verify_dashboard and dry runs. It has the marks, axes, names and
// lines of a desktop, in cells of a terminal. Colours are glyphs: each series has one for fills and one for lines, and the steps of a heat
// map are shades. Blocks that are text anyway (notes, tables, numbers) are left out: the answers have them as text.
type Painter struct {
	texts    *locale.Locale
	lines    []string
	begun    []textBlock
	hidden   int         // groups that were begun and are not drawn
	plot     *textPlot   // the open plot; nil for none
	pair     []*textPlot // the plots of two halves
	inHalves bool
	items    []canvas.Item             // of the key
	drawn    map[canvas.Color]textLook // how each colour was drawn, for the key
	bars     []textBar
	kind     canvas.ListKind // of the open list
}

// A textLook is how a colour was drawn.
type textLook uint8

const (
	asFill textLook = 1 << iota
	asLine
	asOutline
	asShade
)

// A textBar is an item of a list with strips.
type textBar struct {
	canvas.Item
	strip string
}

// A textBlock is an open block.
type textBlock struct {
	kind  textKind
	group canvas.Group
}

type textKind uint8

const (
	plainBlock textKind = iota
	plotBlock
	groupBlock
	listBlock
	extentBlock
	halvesBlock
)

const (
	fillGlyphs = "█░▓▒#+=%:~"
	lineGlyphs = "●○◆◇▲△■□✚×"
	heatGlyphs = "·-+░▒▓█" // the steps of a ramp
	sideGlyphs = "·◦○◍◎◉●" // for hues on the high side of a middle

	textWide  = 80 // of a chart, in cells
	textRows  = 13 // of a plot, at most
	tallRows  = 18 // of a plot whose marks have names
	stripWide = 36
)

var _ canvas.Canvas = (*Painter)(nil)

// glyph returns the sign of a color, out of the signs of the palette.
func glyph(c canvas.Color, of string) rune {
	glyphs := []rune(of)
	switch {
	case c >= canvas.HeatColor:
		of := heatGlyphs
		if h := c.Hue(); h == canvas.RedHue || h == canvas.OrangeHue {
			of = sideGlyphs
		}
		return []rune(of)[(c-canvas.HeatColor)%canvas.HeatSteps]
	case c == canvas.OtherColor || c == 0:
		return '•'
	}
	return glyphs[(int(c)-1)%len(glyphs)]
}

// lineGlyph returns the sign of a line or a point. Receding ones are small.
func lineGlyph(c canvas.Color) rune {
	if c == canvas.PaleColor {
		return '·'
	}
	return glyph(c, lineGlyphs)
}

// Paint returns a drawing of at most limit lines of text in a language, and the names in the key.
func Paint(draw func(c canvas.Canvas), limit int, l *locale.Locale) (lines []string, names map[string]bool) {
	t := &Painter{texts: l, drawn: map[canvas.Color]textLook{}}
	draw(t)
	names = map[string]bool{}
	for _, it := range t.items {
		names[it.Name] = !it.Mark
	}
	return Most(append(t.key(), t.lines...), limit, func(left int) string {
		return l.Count(left, "%d more line", "%d more lines")
	}), names
}

// key returns the legend, in at most two lines.
func (t *Painter) key() []string {
	var lines []string
	for i, it := range t.items {
		text := t.sign(it) + OneLine(it.Name)
		if it.Value != "" {
			text += " " + OneLine(it.Value)
		}
		text = Cut(text, 40)
		n := len(lines) - 1
		switch {
		case n >= 0 && Cells(lines[n])+3+Cells(text) <= textWide-12:
			lines[n] += "   " + text
		case len(lines) == 2:
			lines[n] += " … " + t.texts.Count(len(t.items)-i, "and %d more", "and %d more")
			return lines
		default:
			lines = append(lines, text)
		}
	}
	return lines
}

// sign returns the sign of an item of the key on the plot.
func (t *Painter) sign(it canvas.Item) string {
	switch look := t.drawn[it.Color]; {
	case it.Mark:
		return "━ "
	case it.Shade:
		return "· "
	case it.Color == 0:
		return ""
	case it.Dashed:
		return "╌ "
	case it.Pale && look&asOutline != 0:
		return "□ "
	case it.Pale && look&asShade != 0:
		return "░ "
	case it.Pale:
		return "· "
	case it.Color >= canvas.HeatColor, look&asFill != 0 && !it.Line:
		return string(glyph(it.Color, fillGlyphs)) + " "
	default:
		return string(glyph(it.Color, lineGlyphs)) + " "
	}
}

func (t *Painter) begin(b textBlock) { t.begun = append(t.begun, b) }

func (t *Painter) End() {
	last := t.begun[len(t.begun)-1]
	t.begun = t.begun[:len(t.begun)-1]
	switch last.kind {
	case groupBlock:
		if !t.shows(last.group) {
			t.hidden--
		}
	case plotBlock:
		p := t.plot
		t.plot = nil
		switch {
		case p.Kind == canvas.StripPicture:
			if n := len(t.bars); n > 0 {
				t.bars[n-1].strip = p.strip()
			}
		case t.hidden > 0:
		case t.inHalves:
			t.pair = append(t.pair, p)
		default:
			t.lines = append(t.lines, p.text()...)
		}
	case halvesBlock:
		t.endHalves()
	case listBlock:
		t.endList()
	case plainBlock, extentBlock:
	}
}

// endHalves writes plots side by side, without a gap: a gap would look like lost data. The names of rows are those of the first.
func (t *Painter) endHalves() {
	var out []string
	wide := 0
	for k, p := range t.pair {
		lines, names := p.text(), p.left
		named := func(line string) bool { return strings.TrimLeft(line[:min(p.left, len(line))], " ") != "" }
		if k > 0 && len(lines) > 0 && !slices.ContainsFunc(lines[1:], named) {
			names = 0
			for i, line := range lines {
				lines[i] = withoutMargin(line, p.left)
			}
		}
		for i, line := range lines {
			if i == len(out) {
				out = append(out, "")
			}
			out[i] = Pad(out[i], wide) + line
		}
		wide += names + p.columns
	}
	t.lines, t.pair, t.inHalves = append(t.lines, out...), nil, false
}

// withoutMargin returns a line without n spaces: those before its first word or, if these are fewer, also those behind that word.
func withoutMargin(line string, n int) string {
	text := strings.TrimLeft(line, " ")
	if before := len(line) - len(text); before >= n || text == "" {
		return line[min(n, len(line)):]
	} else if word := strings.IndexByte(text, ' '); word > 0 {
		rest := strings.TrimLeft(text[word:], " ")
		return text[:word] + strings.Repeat(" ", max(1, len(text)-word-len(rest)-(n-before))) + rest
	}
	return text
}

// endList writes the items of a list with strips.
func (t *Painter) endList() {
	if len(t.bars) == 0 {
		return
	}
	names := make([]string, len(t.bars))
	for i, b := range t.bars {
		names[i] = OneLine(b.Name)
	}
	wide := min(widestOf(names), 24)
	for i, b := range t.bars {
		line := Pad(names[i], wide) + " " + Pad(b.strip, stripWide)
		for _, text := range [...]string{b.Value, b.Share, b.More} {
			if text != "" {
				line += " " + OneLine(text)
			}
		}
		t.lines = append(t.lines, line)
	}
	t.bars = nil
}

// shows reports whether the drawing has a group of marks: those of a desktop, unless the plot has other marks for characters.
func (t *Painter) shows(g canvas.Group) bool {
	on := canvas.Desktop
	if t.plot != nil && t.plot.Sketch != 0 {
		on = t.plot.Sketch
	}
	return g.Widths == 0 || g.Widths&on != 0
}

func (t *Painter) Section(string, string)       {}
func (t *Painter) Number(string, string)        {}
func (t *Painter) Words(string, string)         {}
func (t *Painter) Delta(canvas.Delta)           {}
func (t *Painter) Table(canvas.Table)           {}
func (t *Painter) CrossTable(canvas.CrossTable) {}
func (t *Painter) RichText(canvas.Formatted)    {}
func (t *Painter) Note(string)                  {}
func (t *Painter) Message(string, bool)         {}

// Ramp writes the shades with the values at their ends.
func (t *Painter) Ramp(r canvas.Ramp) {
	var b strings.Builder
	for i, text := range r.Texts {
		if text != "" {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(OneLine(text))
			b.WriteByte(' ')
		}
		if i < len(r.Colors) {
			b.WriteRune(glyph(r.Colors[i], fillGlyphs))
		}
	}
	t.lines = append(t.lines, strings.TrimRight(b.String(), " "))
}

func (t *Painter) AxisName(text string, of canvas.Side) {
	line := "→ " + OneLine(text)
	switch {
	case t.hidden > 0:
		return
	case of == canvas.YSide, of == canvas.YDown:
		line = of.Arrow() + " " + OneLine(text)
	case of == canvas.TopSide:
		line = t.texts.Text("above: %s", OneLine(text))
	}
	t.lines = append(t.lines, line)
}

// Only begins blocks that are left out unless they are those of a desktop.
func (t *Painter) Only(on canvas.Widths) { t.Group(canvas.Group{Widths: on}) }

func (t *Painter) AxisNames(left string, of canvas.Side, right string) {
	if t.hidden > 0 {
		return
	}
	var names []string
	if left != "" {
		names = append(names, of.Arrow()+" "+OneLine(left))
	}
	if right != "" {
		names = append(names, t.texts.Text("right: %s", OneLine(right)))
	}
	t.lines = append(t.lines, strings.Join(names, "   "))
}

func (t *Painter) Facets(canvas.SmallPlots) { t.begin(textBlock{}) }
func (t *Painter) Beside()                  { t.begin(textBlock{}) }

func (t *Painter) Halves() {
	t.inHalves = true
	t.begin(textBlock{kind: halvesBlock})
}

func (t *Painter) Viewport() { t.begin(textBlock{}) }

func (t *Painter) Facet(name string) {
	t.begin(textBlock{})
	t.lines = append(t.lines, OneLine(name))
}

func (t *Painter) List(kind canvas.ListKind) {
	t.kind = kind
	t.begin(textBlock{kind: listBlock})
}

func (t *Painter) Item(i canvas.Item) {
	t.begin(textBlock{})
	if t.hidden > 0 {
		return
	}
	if t.kind == canvas.BarList || t.kind == canvas.RingList {
		t.bars = append(t.bars, textBar{Item: i})
		return
	}
	t.items = append(t.items, i)
}

func (t *Painter) Picture(p canvas.Picture) {
	t.begin(textBlock{kind: plotBlock})
	wide := textWide
	if t.inHalves {
		wide = textWide/2 - 2
	}
	t.plot = newTextPlot(p, wide)
}

// Extent gives the plot as many rows and columns as fit the cells of a grid.
func (t *Painter) Extent(columns, rows int) {
	t.begin(textBlock{kind: extentBlock})
	if t.plot != nil {
		t.plot.units = [2]int{columns, rows}
		t.plot.resize(columns, rows)
	}
}

func (t *Painter) Group(g canvas.Group) {
	t.begin(textBlock{kind: groupBlock, group: g})
	if !t.shows(g) {
		t.hidden++
	}
}

// off reports whether a mark is not drawn.
func (t *Painter) off() bool { return t.plot == nil || t.hidden > 0 }

func (t *Painter) Line(l canvas.Line) {
	if !t.off() {
		t.plot.line(l)
	}
}

func (t *Painter) Rect(r canvas.Rect) {
	if t.off() || r.Veil { // the characters of cells are their values
		return
	}
	if r.Shade {
		t.plot.rect(r, '·')
		return
	}
	t.drawn[r.Color] |= asFill
	g := glyph(r.Color, fillGlyphs)
	t.plot.whole = r.Color >= canvas.HeatColor // its glyph is a step of a ramp
	switch {
	case r.Touching && len(r.Title) > 0:
		if r.Color < canvas.HeatColor && len(t.items) == 0 {
			g = ' ' // they have one colour, and texts on them
		}
		t.plot.frame(r, g)
		return
	case r.Fade != canvas.NoFade:
		g = '░'
	case r.Hatched:
		g = '╱'
	case r.Pale:
		g = '·'
	case r.Outlined:
		if t.drawn[r.Color] |= asOutline; !t.keyed(r.Color) {
			g = '□'
		}
	}
	t.plot.rect(r, g)
}

// keyed reports whether the key distinguishes colours, and has this one. A pale item is an outline there, as the rise of candles.
func (t *Painter) keyed(c canvas.Color) bool {
	return len(t.items) > 1 && slices.ContainsFunc(t.items, func(i canvas.Item) bool {
		return i.Color == c && !i.Line && !i.Dashed && !i.Pale
	})
}

func (t *Painter) Circle(c canvas.Circle) {
	if t.off() {
		return
	}
	t.drawn[c.Color] |= asLine
	t.plot.put(t.plot.x(c.X), t.plot.row(c.Y.V), lineGlyph(c.Color))
}

func (t *Painter) Arc(canvas.Arc) {}

func (t *Painter) Curve(c canvas.Curve) {
	if t.off() {
		return
	}
	t.drawn[c.Color] |= asLine
	g := lineGlyph(c.Color)
	switch {
	case c.Bold:
		g = '━'
	case c.Trend, c.Dashed:
		g = '╌'
	}
	t.plot.curve(c.Points, g)
}

func (t *Painter) Area(a canvas.Area) {
	if t.off() {
		return
	}
	g := '░'
	if a.Solid {
		t.drawn[a.Color] |= asFill
		g = glyph(a.Color, fillGlyphs)
	} else {
		t.drawn[a.Color] |= asShade
	}
	t.plot.area(a, g)
}

func (t *Painter) Ribbon(r canvas.Ribbon) {
	if t.off() {
		return
	}
	t.drawn[r.Color] |= asFill
	t.plot.ribbon(r, glyph(r.Color, fillGlyphs))
}

func (t *Painter) Shape(s canvas.Shape) {
	if t.off() || s.Color == canvas.OtherColor || s.Color == 0 {
		return
	}
	p := t.plot
	for _, ring := range s.Rings {
		lo, hi := ring[0], ring[0]
		for _, at := range ring {
			lo.X, lo.Y, hi.X, hi.Y = min(lo.X, at.X), min(lo.Y, at.Y), max(hi.X, at.X), max(hi.Y, at.Y)
		}
		w, h := float64(max(p.units[0], 1)), float64(max(p.units[1], 1))
		p.fill(float64(lo.X)/w, float64(hi.X)/w, float64(lo.Y)/h, float64(hi.Y)/h, glyph(s.Color, fillGlyphs))
	}
}

func (t *Painter) Label(l canvas.Label) {
	if t.off() {
		return
	}
	anchor := l.Anchor
	for i := len(t.begun) - 1; i >= 0 && l.Look == canvas.Grouped; i-- {
		if b := t.begun[i]; b.kind == groupBlock {
			anchor = b.group.Anchor
			break
		}
	}
	t.plot.label(l, anchor)
}

func widestOf(texts []string) int {
	w := 0
	for _, s := range texts {
		w = max(w, Cells(s))
	}
	return w
}

// nearest rounds a number of characters.
func nearest(v float64) int { return int(math.Floor(v + 0.5)) }
