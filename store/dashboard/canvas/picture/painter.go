package picture

import (
	imagecolor "image/color"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"service/store/dashboard/canvas"
	"service/store/dashboard/canvas/html"
	"service/store/dashboard/locale"
	"service/store/dashboard/scene"
)

// A Painter is the canvas that lays out a scene, from which pictures and documents are written: it does the layout that pages leave to
// browsers. Lengths are pixels of CSS, and the same as in page.css. It draws the light theme.
//
// A panel is drawn in a frame: from x, so many pixels wide, and from y on downwards. On a page that is read from right to left everything
// is mirrored except pictures.
type Painter struct {
	*scene.Scene
	Letters *scene.Typesetter
	Texts   *locale.Locale
	Rtl     bool
	Fit     bool // the page has trends or averages: see the style

	X, Y, Wide float64
	Inside     float64 // width of the panel's inside, for which labels are chosen
	Compact    bool    // the panel is one of several numbers in a row
	Article    bool    // the page is one
	Long       bool    // the numbers of its run are long
	Extra      float64 // by which the panel must be higher: the parts that can grow fill it
	Grows      bool    // a small line in the panel fills the height
	Reach      int     // by how many pixels the parts that can grow can be higher: see [canvas.Picture.Reach]
	Weak       []float64
	Mute       int // while this is above 0, nothing is drawn
	Dots       int // circles in the layout

	Ends       []func()
	Plots      []plotFrame
	sets       groupFrame // the group of the next marks
	items      listFrame
	grid, pair facetFrame
	BigList    bool    // tables have as many rows as documents allow
	Most       float64 // the y at which the layout of texts ends
}

var _ canvas.Canvas = (*Painter)(nil)

// New returns a painter of pictures that lays out texts up to most, in pixels. The caller must free letters.
func New(l *locale.Locale, letters *scene.Typesetter, most float64) *Painter {
	return &Painter{Scene: &scene.Scene{}, Letters: letters, Texts: l, Most: most}
}

// A plotFrame is the frame to which coordinates of marks refer.
type plotFrame struct {
	kind           canvas.PictureKind
	x, y, w, h     float64
	unit           float64 // of lengths in pixels
	clip           *scene.Rect
	unitsX, unitsY float64 // of an extent
	margin         float64 // below a plot
}

type groupFrame struct {
	look   canvas.Look
	anchor canvas.Anchor
	on     Rgba
}

// Rgba is a colour of the scene.
type Rgba = imagecolor.NRGBA

// A listFrame is the list that is being drawn.
type listFrame struct {
	kind    canvas.ListKind
	x       float64 // the beginning of the next item of a legend
	count   int
	dropped int
	rows    []int // the index in the scene of the first item of each row
	more    string
	cut     float64 // the y below the last item that is drawn
}

// A facetFrame is the grid of small plots, or a ring and its list.
type facetFrame struct {
	columns, at          int
	plots                canvas.SmallPlots
	left, top, gap, cell float64
	high                 float64 // of the row
	from, ringTo         int     // among the items
	x, width             float64
	wrapped              bool
	ringHeight           float64
	active               bool
	titles               float64 // how high the names of the row are
	ends                 []facetEnd
}

// The tokens of the style, in the light theme.
var tokens = sync.OnceValue(func() map[string]Rgba {
	out := map[string]Rgba{}
	for _, m := range regexp.MustCompile(`--([a-z]+\d*):light-dark\(#([0-9a-f]+),`).FindAllStringSubmatch(html.StyleSource, -1) {
		out[m[1]] = inkOf(m[2])
	}
	return out
})

// inkOf returns a colour in the notation of the style.
func inkOf(s string) Rgba {
	if len(s) == 3 {
		s = string([]byte{s[0], s[0], s[1], s[1], s[2], s[2]})
	}
	n, _ := strconv.ParseUint((s + "ff")[:8], 16, 32)
	return Rgba{R: uint8(n >> 24), G: uint8(n >> 16), B: uint8(n >> 8), A: uint8(n)}
}

// Ink returns a token of the style.
func Ink(name string) Rgba {
	c, ok := tokens()[name]
	if !ok {
		panic("page: the style has no token " + name)
	}
	return c
}

// sheer returns a translucent colour.
func sheer(c Rgba, alpha float64) Rgba {
	c.A = uint8(float64(c.A)*alpha + 0.5)
	return c
}

// fillOf returns the colour of a token of the canvas.
func fillOf(c canvas.Color) Rgba {
	if c >= canvas.HeatColor {
		return Ink("h" + strconv.Itoa(int(c-canvas.HeatColor)))
	}
	return Ink("c" + strconv.Itoa(max(int(c), 1)))
}

// ToneInk returns the colour of a tone, or the colour other for no tone.
func ToneInk(tone, other string) Rgba {
	switch tone {
	case "good", "warn", "bad", "info":
		return Ink(tone)
	}
	return Ink(other)
}

// Sizes of texts.
const (
	BodySize  = 14.0
	LineHigh  = 1.45
	tableSize = 13.0
)

// Regular returns the style of texts, of a size in pixels.
func Regular(size float64) scene.Style { return scene.Style{Face: scene.Regular, Size: size} }

// Bold returns the style of heads, of a size in pixels.
func Bold(size float64) scene.Style { return scene.Style{Face: scene.Bold, Size: size} }

// Foot returns the baseline of letters in a line of a height.
func Foot(size, high float64) float64 { return (high-1.117*size)/2 + 0.905*size }

// Mirror returns the left edge of a shape of a width that begins at x on a page that is read from left to right.
func (w *Painter) Mirror(x, width float64) float64 {
	if w.Rtl {
		return w.Width - x - width
	}
	return x
}

// Add adds an item to the scene, unless the painter only measures.
func (w *Painter) Add(i scene.Item) {
	if w.Mute == 0 {
		w.Scene.Add(i)
	}
}

// Box draws a rectangle of the page itself, not of a picture.
func (w *Painter) Box(r scene.Rect, radius float64, c Rgba) *scene.Shape {
	r.X = w.Mirror(r.X, r.W)
	s := &scene.Shape{Fill: c}
	s.Path.Rect(r, radius)
	w.Add(s)
	return s
}

// Rule draws a horizontal line.
func (w *Painter) Rule(x, y, width float64, c Rgba) {
	w.Box(scene.Rect{X: x, Y: y, W: width, H: 1}, 0, c)
}

// Put writes a text from x on, and returns its width.
func (w *Painter) Put(x, y float64, s string, style scene.Style, c Rgba) float64 {
	return w.putText(&scene.Text{X: x, Y: y, Text: s, Style: style, Color: c})
}

func (w *Painter) putText(t *scene.Text) float64 {
	t.Width = w.Letters.Width(t.Text, t.Style)
	t.X = w.Mirror(t.X, t.Width)
	if t.Text != "" && t.Width > 0 {
		w.Add(t)
	}
	return t.Width
}

// putEnd writes a text that ends at x.
func (w *Painter) putEnd(x, y float64, s string, style scene.Style, c Rgba) float64 {
	width := w.Letters.Width(s, style)
	w.Put(x-width, y, s, style, c)
	return width
}

func (w *Painter) open(end func()) { w.Ends = append(w.Ends, end) }

func (w *Painter) End() {
	last := len(w.Ends) - 1
	end := w.Ends[last]
	w.Ends = w.Ends[:last]
	end()
}

func (w *Painter) Section(title, text string) {
	w.Y += 14
	w.Paragraph(title, Bold(17), LineHigh, Ink("ink"))
	if text != "" {
		w.Y++
		w.Paragraph(text, Regular(12.5), LineHigh, Ink("mut"))
	}
}

func (w *Painter) Number(text, tone string) {
	size := min(max(w.Inside*0.115, 20), 28)
	if w.Long {
		size = min(max(w.Inside*0.084, 15), 24)
	}
	sign := 0.0
	if tone != "" {
		sign = 1.1 // of the size, for the sign after it
	}
	for size > 9 && w.Letters.Width(text, Bold(size))+sign*size > w.Wide {
		size--
	}
	text = w.Shorten(text, Bold(size), w.Wide-sign*size)
	w.Y += 6
	c := ToneInk(tone, "ink")
	y := w.Y + Foot(size, size*1.15)
	end := w.X + w.Put(w.X, y, text, Bold(size), c)
	w.toneSign(end+size*0.28, y, size*0.8, tone)
	w.Y += size*1.15 + 6
}

// Words draws a text in the place of the number, in lines. Long ones have smaller letters.
func (w *Painter) Words(text, tone string) {
	size := min(max(w.Inside*0.09, 17), 22)
	if canvas.Letters(text) > canvas.ManyWords {
		size = 15
	}
	c, wide := ToneInk(tone, "ink"), w.Wide
	if tone != "" {
		wide -= 1.1 * size // for the sign after it
	}
	w.Y += 6
	for i, lines := 0, w.Wrap(text, Bold(size), wide); i < len(lines); i++ {
		y := w.Y + Foot(size, size*1.2)
		end := w.X + w.Put(w.X, y, lines[i], Bold(size), c)
		if i == len(lines)-1 {
			w.toneSign(end+size*0.28, y, size*0.8, tone)
		}
		w.Y += size * 1.2
	}
	w.Y += 6
}

// toneSign draws the sign of a tone on a line, and returns its width: fonts lack some of them.
func (w *Painter) toneSign(x, y, size float64, tone string) float64 {
	width := size * 0.75
	left := w.Mirror(x, width)
	at := func(px, py float64) (float64, float64) { return left + px*size, y + py*size }
	s := &scene.Shape{Stroke: ToneInk(tone, "ink"), Width: max(size*0.13, 1.2), Round: true}
	move := func(px, py float64) { a, b := at(px, py); s.Path.MoveTo(a, b) }
	line := func(px, py float64) { a, b := at(px, py); s.Path.LineTo(a, b) }
	switch tone {
	case "good":
		move(0.06, -0.34)
		line(0.26, -0.08)
		line(0.66, -0.66)
	case "bad":
		cx, cy := at(0.36, -0.36)
		s = &scene.Shape{Fill: ToneInk(tone, "ink")}
		s.Path.Circle(cx, cy, size*0.24)
	case "warn":
		w.Put(x, y, "!", Bold(size), Ink("warn"))
		return width
	case "info":
		w.Put(x, y, "i", Bold(size), Ink("info"))
		return width
	default:
		return 0
	}
	w.Add(s)
	return width
}

// pill draws a short text on a ground of its tone, and returns its width.
func (w *Painter) pill(x, y float64, text, tone string, sign bool) float64 {
	style := Bold(12)
	ground, on := Ink("neub"), Ink("ink")
	if c, ok := tokens()[tone+"b"]; ok && tone != "" {
		ground, on = c, Ink(tone)
	}
	width := w.Letters.Width(text, style) + 14
	if sign && tone != "" {
		width += 13
	}
	w.Box(scene.Rect{X: x, Y: y - 13.5, W: width, H: 19}, 9.5, ground)
	end := x + 7 + w.Put(x+7, y, text, style, on)
	if sign && tone != "" {
		w.toneSign(end+4, y, 10, tone)
	}
	return width
}

func (w *Painter) Delta(d canvas.Delta) {
	style, high := Regular(12.5), 12.5*LineHigh
	if d.Missing != "" {
		w.Paragraph(d.Missing, style, LineHigh, Ink("mut"))
		w.Y += 10
		return
	}
	arrow, words := "▲", locale.Key("up from %s")
	switch d.Way {
	case 0:
		arrow, words = "=", "same as %s"
	case -1:
		arrow, words = "▼", "down from %s"
	}
	y := w.Y + Foot(12.5, high)
	x := w.X + w.pill(w.X, y, arrow+" "+d.Change, d.Tone, false) + 4
	for _, part := range breakable(w.Texts.Text(words, d.Was) + " ") {
		part = strings.TrimRight(part, " ")
		width := w.Letters.Width(part+" ", style)
		if x+width > w.X+w.Wide && x > w.X {
			x, y, w.Y = w.X, y+high, w.Y+high
		}
		w.Put(x, y, w.Shorten(part, style, w.Wide), style, Ink("mut"))
		x += width
	}
	versus := w.Texts.Text("vs %s", d.Versus)
	if x+w.Letters.Width(versus, style) > w.X+w.Wide {
		x, y, w.Y = w.X, y+high, w.Y+high
	}
	w.Put(x, y, w.Shorten(versus, style, w.Wide), style, Ink("mut"))
	w.Y += high + 10
}

func (w *Painter) AxisName(text string, a canvas.Side) {
	rtl := w.Rtl
	if rtl { // names of axes are where the axes are
		w.X, w.Rtl = w.Width-w.X-w.Wide, false
	}
	if a == canvas.YSide || a == canvas.YDown {
		w.Put(w.X, w.Y+Foot(12, 17), w.Shorten(a.Arrow()+" "+text, Regular(12), w.Wide), Regular(12), Ink("mut"))
		w.Y += 17
	} else {
		w.Y -= 8
		w.putEnd(w.X+w.Wide-12, w.Y+Foot(12, 17), w.Shorten(text+" →", Regular(12), w.Wide-12), Regular(12), Ink("mut"))
		w.Y += 17
	}
	if rtl {
		w.X, w.Rtl = w.Width-w.X-w.Wide, true
	}
}

func (w *Painter) AxisNames(left string, of canvas.Side, right string) {
	rtl := w.Rtl
	if rtl {
		w.X, w.Rtl = w.Width-w.X-w.Wide, false
	}
	half := w.Wide/2 - 8
	w.Put(w.X, w.Y+Foot(12, 17), w.Shorten(of.Arrow()+" "+left, Regular(12), half), Regular(12), Ink("mut"))
	w.putEnd(w.X+w.Wide, w.Y+Foot(12, 17), w.Shorten(right+" ↑", Regular(12), half), Regular(12), Ink("mut"))
	w.Y += 17
	if rtl {
		w.X, w.Rtl = w.Width-w.X-w.Wide, true
	}
}

func (w *Painter) Note(text string) {
	w.Y += 10
	w.Paragraph(text, Regular(12), LineHigh, Ink("mut"))
}

func (w *Painter) Message(text string, bad bool) {
	style := Regular(BodySize)
	high := BodySize * LineHigh
	if w.Compact {
		w.Y += 6
		w.Paragraph(text, style, LineHigh, Ink("mut"))
		w.Y += 6
		return
	}
	w.Y += 30 + w.Extra/2
	most := min(w.Wide-24, 496)
	line := func(s string, style scene.Style, c Rgba) {
		w.Put(w.X+(w.Wide-w.Letters.Width(s, style))/2, w.Y+Foot(BodySize, high), s, style, c)
		w.Y += high
	}
	if bad {
		line(w.Shorten(w.Texts.Text("Cannot be shown"), Bold(BodySize), most), Bold(BodySize), Ink("ink"))
	}
	for _, s := range w.balanced(text, style, most) {
		line(s, style, Ink("mut"))
	}
	w.Y += 30 + w.Extra/2
	w.Extra = 0
}

// balanced is [Painter.Wrap] with lines of about one length.
func (w *Painter) balanced(s string, style scene.Style, most float64) []string {
	lines := w.Wrap(s, style, most)
	if len(lines) < 2 {
		return lines
	}
	least := w.Letters.Width(s, style) / float64(len(lines))
	for width := least; width < most; width += 12 {
		if try := w.Wrap(s, style, width); len(try) == len(lines) {
			return try
		}
	}
	return lines
}

func (w *Painter) Facets(p canvas.SmallPlots) {
	columns := p.ColumnsIn(w.Inside)
	_, margin := canvas.MarginOf(p.Left)
	f := facetFrame{columns: columns, plots: p, left: margin, gap: 30, top: w.Y, x: w.X, width: w.Wide, active: true}
	f.cell = (w.Wide - margin - f.gap*float64(columns-1)) / float64(columns)
	before, x, width, rtl, inside := w.grid, w.X, w.Wide, w.Rtl, w.Inside
	extra := w.Extra
	switch {
	case p.Own:
		f.left, f.cell, w.Extra = 0, (w.Wide-f.gap*float64(columns-1))/float64(columns), 0
	case rtl:
		w.Rtl = false
		f.x = w.Width - w.X - w.Wide
	}
	w.grid = f
	w.open(func() {
		w.Y = w.grid.top + w.grid.high
		w.grid, w.X, w.Wide, w.Rtl, w.Inside = before, x, width, rtl, inside
		if p.Own {
			w.Extra = extra
		}
	})
}

func (w *Painter) Facet(name string) {
	f := &w.grid
	column := f.at % f.columns
	lines := func(name string) []string { return w.Wrap(canvas.Clip(name, canvas.MaxCell), Bold(12.5), f.cell) }
	if column == 0 {
		if f.at > 0 {
			f.top += f.high + f.between()
		}
		f.high, f.titles = 0, 0
		for _, name := range f.plots.Names[f.at:min(f.at+f.columns, len(f.plots.Names))] {
			f.titles = max(f.titles, float64(len(lines(name)))*12.5*LineHigh)
		}
	}
	own := lines(name)
	w.X, w.Wide = f.x+f.left+float64(column)*(f.cell+f.gap), f.cell
	if f.plots.Tiles {
		w.Inside = f.cell
	}
	w.Y = f.top + 6 + f.titles - float64(len(own))*12.5*LineHigh
	for _, line := range own {
		w.Put(w.X, w.Y+Foot(12.5, 12.5*LineHigh), line, Bold(12.5), Ink("ink"))
		w.Y += 12.5 * LineHigh
	}
	f.ends = append(f.ends[:column], facetEnd{from: len(w.Items)})
	w.open(func() {
		f := &w.grid
		f.high = max(f.high, w.Y-f.top)
		f.ends[column].to, f.ends[column].y = len(w.Items), w.Y
		if f.at++; f.shares() && (f.at == len(f.plots.Names) || f.at%f.columns == 0) {
			w.level()
		}
	})
}

// A facetEnd is where a small plot ends, and the items between its name and there.
type facetEnd struct {
	from, to int
	y        float64
}

// level moves the plots of a row down to one line.
func (w *Painter) level() {
	f := &w.grid
	for _, e := range f.ends {
		if down := f.top + f.high - e.y; down > 0 && w.Mute == 0 {
			w.Move(e.from, e.to, 0, down)
		}
	}
}

// between returns the height between two rows of small plots, as in the style.
func (f *facetFrame) between() float64 {
	if f.plots.Tiles {
		return 14
	}
	return 4
}

// shares reports whether small plots are being drawn that share their labels.
func (f *facetFrame) shares() bool { return f.active && !f.plots.Own && len(f.plots.Names) > 0 }

// axes are the labels of the current small plot.
func (w *Painter) axes() canvas.AxisPlace { return w.grid.plots.AxesOf(w.grid.at, w.Inside) }

const (
	ringWidth     = 170.0
	ringGap       = 24.0
	ringListWidth = 190.0
)

func (w *Painter) Beside() {
	x, width := w.X, w.Wide
	w.pair = facetFrame{
		active: true, from: len(w.Items), top: w.Y, wrapped: width < ringWidth+ringGap+ringListWidth,
	}
	w.open(func() {
		r := w.pair
		w.pair = facetFrame{}
		w.X, w.Wide = x, width
		high := max(r.ringHeight, w.Y-r.top)
		if r.wrapped {
			high = w.Y - r.top
		}
		if w.Mute == 0 && !r.wrapped {
			w.Move(r.from, r.ringTo, 0, (high-r.ringHeight)/2)
			w.Move(r.ringTo, len(w.Items), 0, (high-(w.Y-r.top))/2)
		}
		if w.Mute == 0 {
			w.Move(r.from, len(w.Items), 0, w.Extra/2)
		}
		w.Y = r.top + high + w.Extra
		w.Extra = 0
	})
}

func (w *Painter) Halves() {
	x, width, top := w.X, w.Wide, w.Y
	w.pair = facetFrame{columns: 2, active: true, top: top, x: x, width: width, high: -1}
	w.open(func() {
		w.X, w.Wide = x, width
		w.Y = top + max(w.pair.high, 0)
		w.pair = facetFrame{}
	})
}

// Up returns the least whole number that is not below a length: edges are sharp there.
func Up(v float64) float64 { return math.Ceil(v - 1e-9) }

// Under moves the last count items below those from an index on.
func (w *Painter) Under(from, count int) {
	if w.Mute > 0 {
		return
	}
	items := w.Items[from:]
	last := slices.Clone(items[len(items)-count:])
	copy(items[count:], items[:len(items)-count])
	copy(items, last)
}
