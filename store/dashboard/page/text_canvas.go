package page

import (
	"math"
	"strconv"
	"strings"
)

// A textPainter is a canvas of characters: what verify_dashboard and dry runs show of a chart. It
// has the marks, axes, names and lines of a desktop, in cells of a terminal. Colours are
// glyphs: each series has one for fills and one for lines, and the steps of a heat map are shades.
// Blocks that are text anyway (notes, tables, numbers) are left out: the answers have them as text.
type textPainter struct {
	lines    []string
	begun    []textBlock
	hidden   int         // groups that have begun and are not drawn
	plot     *textPlot   // that has begun; nil for none
	pair     []*textPlot // the plots of two halves
	inHalves bool
	items    []item             // of the key
	drawn    map[color]textLook // how each colour was drawn, for the key
	bars     []textBar
	kind     listKind // of the list that has begun
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
	item
	strip string
}

// A textBlock is what end ends.
type textBlock struct {
	kind  textKind
	group group
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
	warmGlyphs = "·-+░▒▓█" // the steps of a heat map
	sideGlyphs = "◦○◎●"    // those on the other side of its middle

	textWide  = 80 // of a chart, in cells
	textRows  = 13 // of a plot, at most
	tallRows  = 18 // of a plot whose marks have names
	stripWide = 36
)

var _ canvas = (*textPainter)(nil)

// glyph is the sign of a color among those of the palette.
func glyph(c color, of string) rune {
	glyphs := []rune(of)
	switch {
	case c >= heatColor+heatSteps:
		return []rune(sideGlyphs)[min(int(c-heatColor-heatSteps), signSteps-1)]
	case c >= heatColor:
		return []rune(warmGlyphs)[c-heatColor]
	case c == otherColor || c == 0:
		return '•'
	}
	return glyphs[(int(c)-1)%len(glyphs)]
}

// paintText draws in at most limit lines of text, and returns them with the names in the key.
func paintText(draw func(c canvas), limit int) (lines []string, names map[string]bool) {
	t := &textPainter{drawn: map[color]textLook{}}
	draw(t)
	names = map[string]bool{}
	for _, it := range t.items {
		names[it.name] = !it.mark
	}
	return most(append(t.key(), t.lines...), limit, "lines"), names
}

// key is the legend, in at most two lines.
func (t *textPainter) key() []string {
	var lines []string
	for i, it := range t.items {
		text := t.sign(it) + oneLine(it.name)
		if it.value != "" {
			text += " " + oneLine(it.value)
		}
		text = cut(text, 40)
		n := len(lines) - 1
		switch {
		case n >= 0 && cells(lines[n])+3+cells(text) <= textWide-12:
			lines[n] += "   " + text
		case len(lines) == 2:
			lines[n] += " … " + strconv.Itoa(len(t.items)-i) + " more"
			return lines
		default:
			lines = append(lines, text)
		}
	}
	return lines
}

// sign is what an item of the key looks like on the plot.
func (t *textPainter) sign(it item) string {
	switch look := t.drawn[it.color]; {
	case it.mark:
		return "━ "
	case it.shade:
		return "· "
	case it.color == 0:
		return ""
	case it.dashed:
		return "╌ "
	case it.pale && look&asOutline != 0:
		return "□ "
	case it.pale && look&asShade != 0:
		return "░ "
	case it.pale:
		return "· "
	case it.color >= heatColor, look&asFill != 0 && !it.line:
		return string(glyph(it.color, fillGlyphs)) + " "
	default:
		return string(glyph(it.color, lineGlyphs)) + " "
	}
}

func (t *textPainter) begin(b textBlock) { t.begun = append(t.begun, b) }

func (t *textPainter) end() {
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
		case p.kind == stripPicture:
			if n := len(t.bars); n > 0 {
				t.bars[n-1].strip = p.strip()
			}
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

// endHalves writes plots side by side.
func (t *textPainter) endHalves() {
	var out []string
	wide := 0
	for _, p := range t.pair {
		for i, line := range p.text() {
			if i == len(out) {
				out = append(out, "")
			}
			out[i] = pad(out[i], wide) + line
		}
		wide += textWide / 2
	}
	t.lines, t.pair, t.inHalves = append(t.lines, out...), nil, false
}

// endList writes the items of a list with strips.
func (t *textPainter) endList() {
	if len(t.bars) == 0 {
		return
	}
	names := make([]string, len(t.bars))
	for i, b := range t.bars {
		names[i] = oneLine(b.name)
	}
	wide := min(widestOf(names), 24)
	for i, b := range t.bars {
		line := pad(names[i], wide) + " " + pad(b.strip, stripWide)
		for _, text := range [...]string{b.value, b.share, b.more} {
			if text != "" {
				line += " " + oneLine(text)
			}
		}
		t.lines = append(t.lines, line)
	}
	t.bars = nil
}

// shows reports whether the drawing has a group of marks: those of a desktop, unless the plot has others for characters.
func (t *textPainter) shows(g group) bool {
	on := desktop
	if t.plot != nil && t.plot.sketch != 0 {
		on = t.plot.sketch
	}
	return g.widths == 0 || g.widths&on != 0
}

func (t *textPainter) section(string, string) {}
func (t *textPainter) number(string, string)  {}
func (t *textPainter) delta(delta)            {}
func (t *textPainter) table(table)            {}
func (t *textPainter) crossTable(crossTable)  {}
func (t *textPainter) richText(formatted)     {}
func (t *textPainter) note(string)            {}
func (t *textPainter) message(string, bool)   {}

// ramp writes the shades with the values at their ends.
func (t *textPainter) ramp(r ramp) {
	var b strings.Builder
	for i, text := range r.texts {
		if text != "" {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(oneLine(text))
			b.WriteByte(' ')
		}
		if i < len(r.colors) {
			b.WriteRune(glyph(r.colors[i], fillGlyphs))
		}
	}
	t.lines = append(t.lines, strings.TrimRight(b.String(), " "))
}

func (t *textPainter) axisName(text string, of side) {
	if of == ySide {
		t.lines = append(t.lines, "↑ "+oneLine(text))
		return
	}
	t.lines = append(t.lines, "→ "+oneLine(text))
}

func (t *textPainter) axisNames(left, right string) {
	var names []string
	if left != "" {
		names = append(names, "↑ "+oneLine(left))
	}
	if right != "" {
		names = append(names, "right: "+oneLine(right))
	}
	t.lines = append(t.lines, strings.Join(names, "   "))
}

func (t *textPainter) facets(smallPlots) { t.begin(textBlock{}) }
func (t *textPainter) beside()           { t.begin(textBlock{}) }

func (t *textPainter) halves() {
	t.inHalves = true
	t.begin(textBlock{kind: halvesBlock})
}

func (t *textPainter) viewport() { t.begin(textBlock{}) }

func (t *textPainter) facet(name string) {
	t.begin(textBlock{})
	t.lines = append(t.lines, oneLine(name))
}

func (t *textPainter) list(kind listKind) {
	t.kind = kind
	t.begin(textBlock{kind: listBlock})
}

func (t *textPainter) item(i item) {
	t.begin(textBlock{})
	if t.kind == barList || t.kind == ringList {
		t.bars = append(t.bars, textBar{item: i})
		return
	}
	t.items = append(t.items, i)
}

func (t *textPainter) picture(p picture) {
	t.begin(textBlock{kind: plotBlock})
	wide := textWide
	if t.inHalves {
		wide = textWide/2 - 2
	}
	t.plot = newTextPlot(p, wide)
}

// extent gives the plot as many rows and columns as fit the cells of a grid.
func (t *textPainter) extent(columns, rows int) {
	t.begin(textBlock{kind: extentBlock})
	if t.plot != nil {
		t.plot.units = [2]int{columns, rows}
		t.plot.resize(columns, rows)
	}
}

func (t *textPainter) group(g group) {
	t.begin(textBlock{kind: groupBlock, group: g})
	if !t.shows(g) {
		t.hidden++
	}
}

// off reports whether a mark is not drawn.
func (t *textPainter) off() bool { return t.plot == nil || t.hidden > 0 }

func (t *textPainter) line(l line) {
	if !t.off() {
		t.plot.line(l)
	}
}

func (t *textPainter) rect(r rect) {
	if t.off() {
		return
	}
	if r.shade {
		t.plot.rect(r, '·')
		return
	}
	t.drawn[r.color] |= asFill
	g := glyph(r.color, fillGlyphs)
	switch {
	case r.touching && len(r.title) > 0:
		if r.color < heatColor && len(t.items) == 0 {
			g = ' ' // they have one colour, and texts on it
		}
		t.plot.frame(r, g)
		return
	case r.hatched:
		g = '╱'
	case r.pale:
		g = '·'
	case r.outlined:
		t.drawn[r.color] |= asOutline
		g = '□'
	}
	t.plot.rect(r, g)
}

func (t *textPainter) circle(c circle) {
	if t.off() {
		return
	}
	t.drawn[c.color] |= asLine
	t.plot.put(t.plot.x(c.x), t.plot.row(c.y.v), glyph(c.color, lineGlyphs))
}

func (t *textPainter) arc(arc) {}

func (t *textPainter) curve(c curve) {
	if t.off() {
		return
	}
	t.drawn[c.color] |= asLine
	g := glyph(c.color, lineGlyphs)
	switch {
	case c.bold:
		g = '━'
	case c.trend, c.dashed:
		g = '╌'
	}
	t.plot.curve(c.points, g)
}

func (t *textPainter) area(a area) {
	if t.off() {
		return
	}
	g := '░'
	if a.solid {
		t.drawn[a.color] |= asFill
		g = glyph(a.color, fillGlyphs)
	} else {
		t.drawn[a.color] |= asShade
	}
	t.plot.area(a, g)
}

func (t *textPainter) shape(s shape) {
	if t.off() || s.color == otherColor || s.color == 0 {
		return
	}
	p := t.plot
	for _, ring := range s.rings {
		lo, hi := ring[0], ring[0]
		for _, at := range ring {
			lo.X, lo.Y, hi.X, hi.Y = min(lo.X, at.X), min(lo.Y, at.Y), max(hi.X, at.X), max(hi.Y, at.Y)
		}
		w, h := float64(max(p.units[0], 1)), float64(max(p.units[1], 1))
		p.fill(float64(lo.X)/w, float64(hi.X)/w, float64(lo.Y)/h, float64(hi.Y)/h, glyph(s.color, fillGlyphs))
	}
}

func (t *textPainter) label(l label) {
	if t.off() {
		return
	}
	anchor := l.anchor
	for i := len(t.begun) - 1; i >= 0 && l.look == grouped; i-- {
		if b := t.begun[i]; b.kind == groupBlock {
			anchor = b.group.anchor
			break
		}
	}
	t.plot.label(l, anchor)
}

func widestOf(texts []string) int {
	w := 0
	for _, s := range texts {
		w = max(w, cells(s))
	}
	return w
}

// nearest is a number of characters.
func nearest(v float64) int { return int(math.Floor(v + 0.5)) }
