package page

import (
	imagecolor "image/color"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"service/store/dashboard/locale"
	"service/store/dashboard/scene"
)

// A scenePainter is the canvas that lays out a scene, of which pictures and documents are written:
// what the style leaves to browsers is done here. Lengths are pixels of CSS, and say what page.css
// says. It draws the light theme.
//
// A panel is drawn in a frame: from x, so many pixels wide, and from y on downwards. On a page that
// is read from right to left all is mirrored but pictures.
type scenePainter struct {
	*scene.Scene
	letters *scene.Typesetter
	texts   *locale.Locale
	rtl     bool
	fit     bool // the page has trends or averages: see the style

	x, y, wide float64
	inside     float64 // width of the panel's inside, by which labels are chosen
	compact    bool    // the panel is one of several in a row that show a number
	article    bool    // the page is one
	long       bool    // the numbers of its run are long
	extra      float64 // that the panel is to be higher: what can grow takes it
	weak       []float64
	mute       int // what is drawn is dropped, while this is above 0

	ends       []func()
	plots      []plotFrame
	sets       groupFrame // the group that marks are in
	items      listFrame
	grid, pair facetFrame
	bigList    bool    // rows of tables are drawn as far as a document takes them
	most       float64 // how far down words are laid out
}

var _ canvas = (*scenePainter)(nil)

// newScenePainter is a painter of pictures that lays out so much of words, in pixels. Its letters must be freed.
func newScenePainter(l *locale.Locale, letters *scene.Typesetter, most float64) *scenePainter {
	return &scenePainter{Scene: &scene.Scene{}, letters: letters, texts: l, most: most}
}

// A plotFrame is what coordinates of marks are of.
type plotFrame struct {
	kind           pictureKind
	x, y, w, h     float64
	unit           float64 // of lengths in pixels
	clip           *scene.Rect
	unitsX, unitsY float64 // of an extent
	margin         float64 // below a plot
}

type groupFrame struct {
	look   look
	anchor anchor
	on     rgba
	turned bool
}

// rgba is a colour of the scene.
type rgba = imagecolor.NRGBA

// A listFrame is the list that is drawn.
type listFrame struct {
	kind    listKind
	x       float64 // where the next item of a legend begins
	count   int
	dropped int
	rows    []int // where the items of each row begin among those of the scene
	more    string
	cut     float64 // where the items end that are drawn
}

// A facetFrame is the grid of small plots, or a ring and its list.
type facetFrame struct {
	columns, all, at     int
	left, top, gap, cell float64
	high                 float64 // of the row
	from, ringTo         int     // among the items
	x, width             float64
	wrapped              bool
	ringHeight           float64
	active               bool
}

// The tokens of the style, in the light theme.
var tokens = sync.OnceValue(func() map[string]rgba {
	out := map[string]rgba{}
	for _, m := range regexp.MustCompile(`--([a-z]+\d*):light-dark\(#([0-9a-f]+),`).FindAllStringSubmatch(styleSource, -1) {
		out[m[1]] = inkOf(m[2])
	}
	return out
})

// inkOf is a colour as the style writes it.
func inkOf(s string) rgba {
	if len(s) == 3 {
		s = string([]byte{s[0], s[0], s[1], s[1], s[2], s[2]})
	}
	n, _ := strconv.ParseUint((s + "ff")[:8], 16, 32)
	return rgba{R: uint8(n >> 24), G: uint8(n >> 16), B: uint8(n >> 8), A: uint8(n)}
}

// ink is a token of the style.
func ink(name string) rgba {
	c, ok := tokens()[name]
	if !ok {
		panic("page: the style has no token " + name)
	}
	return c
}

// sheer is a colour that others shine through.
func sheer(c rgba, alpha float64) rgba {
	c.A = uint8(float64(c.A)*alpha + 0.5)
	return c
}

// fillOf is the colour of a token of the canvas.
func fillOf(c color) rgba {
	if c >= heatColor {
		return ink("h" + strconv.Itoa(int(c-heatColor)))
	}
	return ink("c" + strconv.Itoa(max(int(c), 1)))
}

// toneInk is the colour of a tone, or another where there is none.
func toneInk(tone, other string) rgba {
	switch tone {
	case "good", "warn", "bad", "info":
		return ink(tone)
	}
	return ink(other)
}

// Sizes of texts.
const (
	bodySize  = 14.0
	lineHigh  = 1.45
	tableSize = 13.0
)

func regular(size float64) scene.Style { return scene.Style{Face: scene.Regular, Size: size} }
func bold(size float64) scene.Style    { return scene.Style{Face: scene.Bold, Size: size} }

// foot is where letters stand in a line of a height.
func foot(size, high float64) float64 { return (high-1.117*size)/2 + 0.905*size }

// mirror is where something of a width begins that begins at x on a page that is read from
// left to right.
func (w *scenePainter) mirror(x, width float64) float64 {
	if w.rtl {
		return w.Width - x - width
	}
	return x
}

func (w *scenePainter) add(i scene.Item) {
	if w.mute == 0 {
		w.Add(i)
	}
}

// box draws a rectangle of the page's own, not of a picture.
func (w *scenePainter) box(r scene.Rect, radius float64, c rgba) *scene.Shape {
	r.X = w.mirror(r.X, r.W)
	s := &scene.Shape{Fill: c}
	s.Path.Rect(r, radius)
	w.add(s)
	return s
}

// rule draws a horizontal line.
func (w *scenePainter) rule(x, y, width float64, c rgba) {
	w.box(scene.Rect{X: x, Y: y, W: width, H: 1}, 0, c)
}

// put writes a text from x on, and returns its width.
func (w *scenePainter) put(x, y float64, s string, style scene.Style, c rgba) float64 {
	return w.putText(&scene.Text{X: x, Y: y, Text: s, Style: style, Color: c})
}

func (w *scenePainter) putText(t *scene.Text) float64 {
	t.Width = w.letters.Width(t.Text, t.Style)
	t.X = w.mirror(t.X, t.Width)
	if t.Text != "" && t.Width > 0 {
		w.add(t)
	}
	return t.Width
}

// putEnd writes a text that ends at x.
func (w *scenePainter) putEnd(x, y float64, s string, style scene.Style, c rgba) float64 {
	width := w.letters.Width(s, style)
	w.put(x-width, y, s, style, c)
	return width
}

func (w *scenePainter) open(end func()) { w.ends = append(w.ends, end) }

func (w *scenePainter) end() {
	last := len(w.ends) - 1
	end := w.ends[last]
	w.ends = w.ends[:last]
	end()
}

func (w *scenePainter) section(title, text string) {
	w.y += 14
	w.paragraph(title, bold(17), lineHigh, ink("ink"))
	if text != "" {
		w.y++
		w.paragraph(text, regular(12.5), lineHigh, ink("mut"))
	}
}

func (w *scenePainter) number(text, tone string) {
	size := min(max(w.inside*0.115, 20), 28)
	if w.long {
		size = min(max(w.inside*0.084, 15), 24)
	}
	sign := 0.0
	if tone != "" {
		sign = 1.1 // of the size, for the sign behind it
	}
	for size > 9 && w.letters.Width(text, bold(size))+sign*size > w.wide {
		size--
	}
	text = w.shorten(text, bold(size), w.wide-sign*size)
	w.y += 6
	c := toneInk(tone, "ink")
	y := w.y + foot(size, size*1.15)
	end := w.x + w.put(w.x, y, text, bold(size), c)
	w.toneSign(end+size*0.28, y, size*0.8, tone)
	w.y += size*1.15 + 6
}

// toneSign draws the sign of a tone on a line, and returns its width: fonts lack some of them.
func (w *scenePainter) toneSign(x, y, size float64, tone string) float64 {
	width := size * 0.75
	left := w.mirror(x, width)
	at := func(px, py float64) (float64, float64) { return left + px*size, y + py*size }
	s := &scene.Shape{Stroke: toneInk(tone, "ink"), Width: max(size*0.13, 1.2), Round: true}
	move := func(px, py float64) { a, b := at(px, py); s.Path.MoveTo(a, b) }
	line := func(px, py float64) { a, b := at(px, py); s.Path.LineTo(a, b) }
	switch tone {
	case "good":
		move(0.06, -0.34)
		line(0.26, -0.08)
		line(0.66, -0.66)
	case "bad":
		move(0.1, -0.62)
		line(0.6, -0.1)
		move(0.6, -0.62)
		line(0.1, -0.1)
	case "warn":
		w.put(x, y, "!", bold(size), ink("warn"))
		return width
	case "info":
		w.put(x, y, "i", bold(size), ink("info"))
		return width
	default:
		return 0
	}
	w.add(s)
	return width
}

// pill draws a short text on a ground of its tone, and returns its width.
func (w *scenePainter) pill(x, y float64, text, tone string, sign bool) float64 {
	style := bold(12)
	ground, on := ink("neub"), ink("ink")
	if c, ok := tokens()[tone+"b"]; ok && tone != "" {
		ground, on = c, ink(tone)
	}
	width := w.letters.Width(text, style) + 14
	if sign && tone != "" {
		width += 13
	}
	w.box(scene.Rect{X: x, Y: y - 13.5, W: width, H: 19}, 9.5, ground)
	end := x + 7 + w.put(x+7, y, text, style, on)
	if sign && tone != "" {
		w.toneSign(end+4, y, 10, tone)
	}
	return width
}

func (w *scenePainter) delta(d delta) {
	style, high := regular(12.5), 12.5*lineHigh
	if d.missing != "" {
		w.paragraph(d.missing, style, lineHigh, ink("mut"))
		w.y += 10
		return
	}
	arrow, words := "▲", locale.Key("up from %s")
	switch d.way {
	case 0:
		arrow, words = "=", "same as %s"
	case -1:
		arrow, words = "▼", "down from %s"
	}
	y := w.y + foot(12.5, high)
	x := w.x + w.pill(w.x, y, arrow+" "+d.change, d.tone, false) + 4
	for _, part := range breakable(w.texts.Text(words, d.was) + " ") {
		part = strings.TrimRight(part, " ")
		width := w.letters.Width(part+" ", style)
		if x+width > w.x+w.wide && x > w.x {
			x, y, w.y = w.x, y+high, w.y+high
		}
		w.put(x, y, w.shorten(part, style, w.wide), style, ink("mut"))
		x += width
	}
	versus := w.texts.Text("vs %s", d.versus)
	if x+w.letters.Width(versus, style) > w.x+w.wide {
		x, y, w.y = w.x, y+high, w.y+high
	}
	w.put(x, y, w.shorten(versus, style, w.wide), style, ink("mut"))
	w.y += high + 10
}

// scale draws what the steps of a heat map's colours mean: texts, and steps between them.
func (w *scenePainter) scale(parts []any) {
	x, y := 0.0, w.y+foot(11.5, 17)
	total := 0.0
	for _, p := range parts {
		if text, ok := p.(string); ok {
			total += w.letters.Width(text, regular(11.5)) + 14
		} else {
			total += 20
		}
	}
	at := w.x
	if w.rtl { // it keeps its direction, and stands at the end of the line
		at = w.Width - w.x - total
	}
	rtl := w.rtl
	w.rtl = false
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			x += 6
			x += w.put(at+x, y, p, regular(11.5), ink("mut")) + 8
		case color:
			w.box(scene.Rect{X: at + x, Y: w.y + 4.5, W: 18, H: 8}, 0, fillOf(p))
			x += 20
		}
	}
	w.rtl = rtl
	w.y += 17 + 8
}

func (w *scenePainter) ramp(r ramp) {
	var parts []any
	for i, text := range r.texts {
		if text != "" {
			parts = append(parts, text)
		}
		if i < len(r.colors) {
			parts = append(parts, r.colors[i])
		}
	}
	w.scale(parts)
}

func (w *scenePainter) axisName(text string, a side) {
	rtl := w.rtl
	if rtl { // names of axes stand where the axes do
		w.x, w.rtl = w.Width-w.x-w.wide, false
	}
	if a == ySide {
		w.put(w.x, w.y+foot(12, 17), w.shorten("↑ "+text, regular(12), w.wide), regular(12), ink("mut"))
		w.y += 17
	} else {
		w.y -= 8
		w.putEnd(w.x+w.wide-12, w.y+foot(12, 17), w.shorten(text+" →", regular(12), w.wide-12), regular(12), ink("mut"))
		w.y += 17
	}
	if rtl {
		w.x, w.rtl = w.Width-w.x-w.wide, true
	}
}

func (w *scenePainter) axisNames(left, right string) {
	rtl := w.rtl
	if rtl {
		w.x, w.rtl = w.Width-w.x-w.wide, false
	}
	half := w.wide/2 - 8
	w.put(w.x, w.y+foot(12, 17), w.shorten("↑ "+left, regular(12), half), regular(12), ink("mut"))
	w.putEnd(w.x+w.wide, w.y+foot(12, 17), w.shorten(right+" ↑", regular(12), half), regular(12), ink("mut"))
	w.y += 17
	if rtl {
		w.x, w.rtl = w.Width-w.x-w.wide, true
	}
}

func (w *scenePainter) note(text string) {
	w.y += 10
	w.paragraph(text, regular(12), lineHigh, ink("mut"))
}

func (w *scenePainter) message(text string, bad bool) {
	style := regular(bodySize)
	high := bodySize * lineHigh
	if w.compact {
		w.y += 6
		w.paragraph(text, style, lineHigh, ink("mut"))
		w.y += 6
		return
	}
	w.y += 30 + w.extra/2
	most := min(w.wide-24, 496)
	line := func(s string, style scene.Style, c rgba) {
		w.put(w.x+(w.wide-w.letters.Width(s, style))/2, w.y+foot(bodySize, high), s, style, c)
		w.y += high
	}
	if bad {
		line(w.shorten(w.texts.Text("Cannot be shown"), bold(bodySize), most), bold(bodySize), ink("ink"))
	}
	for _, s := range w.balanced(text, style, most) {
		line(s, style, ink("mut"))
	}
	w.y += 30 + w.extra/2
	w.extra = 0
}

// balanced is [scenePainter.wrap] with lines of about one length.
func (w *scenePainter) balanced(s string, style scene.Style, most float64) []string {
	lines := w.wrap(s, style, most)
	if len(lines) < 2 {
		return lines
	}
	least := w.letters.Width(s, style) / float64(len(lines))
	for width := least; width < most; width += 12 {
		if try := w.wrap(s, style, width); len(try) == len(lines) {
			return try
		}
	}
	return lines
}

func (w *scenePainter) facets(p smallPlots) {
	columns := p.columns
	switch {
	case w.inside <= 480:
		columns = min(columns, 2)
	case w.inside <= 820:
		columns = min(columns, 3)
	}
	_, margin := marginOf(p.left)
	f := facetFrame{columns: columns, all: p.count, left: margin, gap: 30, top: w.y, x: w.x, width: w.wide, active: true}
	f.cell = (w.wide - margin - f.gap*float64(columns-1)) / float64(columns)
	before, x, width, rtl := w.grid, w.x, w.wide, w.rtl
	if rtl {
		w.rtl = false
		f.x = w.Width - w.x - w.wide
	}
	w.grid = f
	w.open(func() {
		w.y = w.grid.top + w.grid.high
		w.grid, w.x, w.wide, w.rtl = before, x, width, rtl
	})
}

func (w *scenePainter) facet(name string) {
	f := &w.grid
	column := f.at % f.columns
	if column == 0 && f.at > 0 {
		f.top += f.high + 4
		f.high = 0
	}
	w.x, w.wide, w.y = f.x+f.left+float64(column)*(f.cell+f.gap), f.cell, f.top+6
	w.put(w.x, w.y+foot(12.5, 12.5*lineHigh), w.shorten(name, bold(12.5), w.wide), bold(12.5), ink("ink"))
	w.y += 12.5 * lineHigh
	w.open(func() {
		f := &w.grid
		f.high = max(f.high, w.y-f.top)
		f.at++
	})
}

// lastRow reports whether the small plot that is drawn has none under it.
func (f *facetFrame) lastRow() bool { return f.at >= f.all-f.columns }

const (
	ringWidth     = 170.0
	ringGap       = 24.0
	ringListWidth = 190.0
)

func (w *scenePainter) beside() {
	x, width := w.x, w.wide
	w.pair = facetFrame{
		active: true, from: len(w.Items), top: w.y, wrapped: width < ringWidth+ringGap+ringListWidth,
	}
	w.open(func() {
		r := w.pair
		w.pair = facetFrame{}
		w.x, w.wide = x, width
		high := max(r.ringHeight, w.y-r.top)
		if r.wrapped {
			high = w.y - r.top
		}
		if w.mute == 0 && !r.wrapped {
			w.Move(r.from, r.ringTo, 0, (high-r.ringHeight)/2)
			w.Move(r.ringTo, len(w.Items), 0, (high-(w.y-r.top))/2)
		}
		if w.mute == 0 {
			w.Move(r.from, len(w.Items), 0, w.extra/2)
		}
		w.y = r.top + high + w.extra
		w.extra = 0
	})
}

func (w *scenePainter) halves() {
	x, width, top := w.x, w.wide, w.y
	w.pair = facetFrame{columns: 2, active: true, top: top, x: x, width: width, high: -1}
	w.open(func() {
		w.x, w.wide = x, width
		w.y = top + max(w.pair.high, 0)
		w.pair = facetFrame{}
	})
}

// up is the least whole number that is not below a length: edges are sharp there.
func up(v float64) float64 { return math.Ceil(v - 1e-9) }

// under puts the last items under those from one on.
func (w *scenePainter) under(from, count int) {
	if w.mute > 0 {
		return
	}
	items := w.Items[from:]
	last := slices.Clone(items[len(items)-count:])
	copy(items[count:], items[:len(items)-count])
	copy(items, last)
}
