package html

import (
	"slices"
	"strings"

	"service/store/dashboard/canvas"
	"service/store/dashboard/locale"
)

// A Painter is the canvas that writes HTML, with SVG for pictures.
type Painter struct {
	*Doc
	Lang  *locale.Locale // of the words that it writes itself
	Ends  [8]H           // the closing tags of open elements
	depth int

	Index   int  // of the panel
	Height  int  // estimated height of the blocks since it was set to 0, in pixels on a desktop
	Reach   int  // by how many pixels these blocks can grow: see [canvas.Picture.Reach]
	Letters int  // letters of a text of 14 pixels that fit into a line of the panel
	Long    bool // the numbers of its run are long
	pinned  bool // the next cell is in a column that stays visible
	small   canvas.SmallPlots
	facet   int // the next of these

	last    openList
	unseen  openList // the open blocks that a desktop does not show
	Hatched Patterns // what is written of these
	blocks  int      // how many blocks of some widths were begun: see [Painter.Only]
	some    partial
}

// A partial is the open block that is shown on some widths only. Browsers do not draw a pattern or a mask of a block that is hidden, so
// each such block has its own ones, and no other block uses these.
type partial struct {
	id     int // 0 for none
	depth  int
	before Patterns // Hatched outside of the block
}

// drawnIn writes the end of the id of a pattern or a mask, which differs by block.
func (w *Painter) drawnIn() {
	if w.some.id > 0 {
		w.Add(H(`o`), w.some.id)
	}
}

// listHeight is the maximal height of a list of bars before it scrolls, in pixels, as in the style. Bars are compared at one glance: the 25
// that an author may choose are visible.
const listHeight = 1000

// An openList is the last list that was begun.
type openList struct {
	kind  canvas.ListKind
	depth int
	class int // the offset in the document at which its class ends
	items int
	from  int // the height above it
}

var _ canvas.Canvas = (*Painter)(nil)

// MaxDrawn is the maximum of bytes of HTML of a page's panels. The panel that exceeds it is not drawn, nor are those after it.
const MaxDrawn = 32 << 20

// Full reports whether the page is full. A long table ends there at once.
func (w *Painter) Full() bool { return len(w.B) > MaxDrawn }

// open stores the closing tag of an element that was begun.
func (w *Painter) open(end H) {
	w.Ends[w.depth] = end
	w.depth++
}

func (w *Painter) End() {
	w.depth--
	if l := &w.last; l.kind == canvas.BarList && l.depth == w.depth && l.class > 0 {
		if w.Height-l.from > listHeight { // a box that scrolls must be reachable by keyboard
			w.B = slices.Insert(w.B, l.class, []byte(` more" tabindex="0`)...)
			w.Height = l.from + listHeight
		}
		l.class = 0
	}
	if w.unseen.items > 0 && w.unseen.depth == w.depth {
		w.Height, w.unseen = w.unseen.from, openList{}
	}
	if w.some.id > 0 && w.some.depth == w.depth {
		w.Hatched, w.some = w.some.before, partial{}
	}
	w.Raw(w.Ends[w.depth])
}

func (w *Painter) Section(title, text string) {
	w.Add(H(`<div class="sec" id="p`), w.Index, H(`"><h2>`), title, H(`</h2>`))
	if text != "" {
		w.Add(H(`<p class="sub">`), text, H(`</p>`))
	}
	w.Add(H(`</div>`))
}

func (w *Painter) Number(text, tone string) {
	w.Height += 45
	w.Add(H(`<p class="big`), toneClass(tone))
	if w.Long {
		w.Add(H(` long`))
	}
	w.Add(H(`">`), text)
	w.toneSign(tone)
	w.Add(H(`</p>`))
}

// Words writes a text in the place of the number. Long ones have smaller letters.
func (w *Painter) Words(text, tone string) {
	w.Add(H(`<p class="big txt`), toneClass(tone))
	letters := 16 // in a line of a card of the default width
	if canvas.Letters(text) > canvas.ManyWords {
		w.Add(H(` long`))
		letters = 26
	}
	w.Height += 45 + 24*(canvas.Letters(text)/letters)
	w.Add(H(`">`), text)
	w.toneSign(tone)
	w.Add(H(`</p>`))
}

// toneClass returns the class of a tone, with a space before it.
func toneClass(tone string) H {
	switch tone {
	case "good":
		return H(" good")
	case "warn":
		return H(" warn")
	case "bad":
		return H(" bad")
	case "info":
		return H(" info")
	}
	return H("")
}

// toneSign writes a sign and a word beside a text with the colour of a tone.
func (w *Painter) toneSign(tone string) {
	switch tone {
	case "good":
		w.Add(H(`<i class="tn" aria-hidden="true">✓</i><span class="vh"> `), w.Lang.Text("(good)"), H(`</span>`))
	case "warn":
		w.Add(H(`<i class="tn" aria-hidden="true">!</i><span class="vh"> `), w.Lang.Text("(warning)"), H(`</span>`))
	case "bad":
		w.Add(H(`<i class="tn" aria-hidden="true">●</i><span class="vh"> `), w.Lang.Text("(bad)"), H(`</span>`))
	case "info":
		w.Add(H(`<i class="tn" aria-hidden="true">i</i><span class="vh"> `), w.Lang.Text("(note)"), H(`</span>`))
	}
}

// Delta writes arrow, sign and word, so that no meaning depends on colour alone.
func (w *Painter) Delta(d canvas.Delta) {
	w.Height += 30
	if d.Missing != "" {
		w.Add(H(`<p class="cmp">`), d.Missing, H(`</p>`))
		return
	}
	arrow, words := H(`▲`), locale.Key("up from %s")
	switch d.Way {
	case 0:
		arrow, words = H(`=`), "same as %s"
	case -1:
		arrow, words = H(`▼`), "down from %s"
	}
	w.Add(H(`<p class="cmp"><span class="pill`), toneClass(d.Tone), H(`"><span aria-hidden="true">`), arrow, H(`</span> `),
		d.Change, H(`</span> `), w.Lang.Text(words, d.Was), H(` <span class="vs">`), w.Lang.Text("vs %s", d.Versus), H(`</span></p>`))
}

func (w *Painter) Ramp(r canvas.Ramp) {
	w.Height += 24
	w.Add(H(`<div class="ramp" aria-hidden="true">`))
	for i, text := range r.Texts {
		if text != "" {
			w.Add(H(`<span>`), text, H(`</span>`))
		}
		if i < len(r.Colors) {
			w.Add(H(`<i class="h`), int(r.Colors[i]-canvas.HeatColor), H(`"></i>`))
		}
	}
	w.Add(H(`</div>`))
}

func (w *Painter) AxisName(text string, a canvas.Side) {
	w.Height += 17
	switch a {
	case canvas.YSide, canvas.YDown:
		w.Add(H(`<p class="ax">`), a.Arrow(), H(` `), text, H(`</p>`))
	case canvas.TopSide:
		w.Add(H(`<p class="ax">`), text, H(` →</p>`))
	case canvas.XSide:
		w.Add(H(`<p class="ax end">`), text, H(` →</p>`))
	}
}

// Only begins blocks that the style shows on some widths. The height is that on a desktop.
func (w *Painter) Only(on canvas.Widths) {
	w.Add(H(`<div class="only`), widthClass(on), H(`">`))
	w.blocks++
	w.some, w.Hatched = partial{w.blocks, w.depth, w.Hatched}, Patterns{}
	if on&canvas.Desktop == 0 {
		w.unseen = openList{depth: w.depth, from: w.Height, items: 1}
	}
	w.open(H(`</div>`))
}

func (w *Painter) AxisNames(left string, of canvas.Side, right string) {
	w.Height += 17
	w.Add(H(`<p class="ax two"><span>`), of.Arrow(), H(` `), left, H(`</span><span>`), right, H(` ↑</span></p>`))
}

// name writes the name of an item of a list.
func (w *Painter) name(i canvas.Item) {
	w.BeginLink(i.Way)
	w.Add(canvas.Clip(i.Name, canvas.MaxCell))
	w.EndLink(i.Way)
}

// BeginLink begins a link, if there is one. A link to another host sends it no referrer.
func (d *Doc) BeginLink(to canvas.Way) {
	if to.To == "" {
		return
	}
	d.Raw(`<a href="`)
	d.Esc(to.To)
	d.Raw(`"`)
	if canvas.Absolute(to.To) {
		d.Raw(` rel="noopener noreferrer nofollow"`)
	}
	if to.On {
		d.Raw(` aria-current="true"`)
	}
	d.Raw(`>`)
}

func (d *Doc) EndLink(to canvas.Way) {
	if to.To != "" {
		d.Raw(`</a>`)
	}
}

func (w *Painter) RichText(t canvas.Formatted) {
	words := canvas.Letters(t.Plain())
	w.Height += Lines(words, w.Letters) * 20
	for tag, more := range map[string]int{"<p": 14, "<h": 30, "<li": 10, "<tr": 40} {
		w.Height += strings.Count(t.Markup(), tag) * more
	}
	w.Add(H(`<div class="md`))
	if words > 700 {
		w.Add(H(` cols`))
	}
	w.Add(H(`">`))
	w.B = append(w.B, t.Markup()...) // safe: see [page.newRichText]
	w.Add(H(`</div>`))
}

// Lines returns how many lines a number of letters takes.
func Lines(letters, wide int) int { return (letters + wide - 1) / max(wide, 1) }

func (w *Painter) Note(text string) {
	w.Height += 10 + 18*Lines(canvas.Letters(text), w.Letters*7/6)
	w.Add(H(`<p class="note">`), text, H(`</p>`))
}

func (w *Painter) Message(text string, bad bool) {
	w.Height += 60 + 20*Lines(canvas.Letters(text), w.Letters)
	if bad {
		w.Add(H(`<p class="empty prob"><b>`), w.Lang.Text("Cannot be shown"), H(`</b><span>`), text, H(`</span></p>`))
		return
	}
	w.Add(H(`<p class="empty">`), text, H(`</p>`))
}

func (w *Painter) Facets(p canvas.SmallPlots) {
	w.Height += (len(p.Names) + p.Columns - 1) / p.Columns * (p.Height + 36)
	w.Add(H(`<div class="fc q`), p.Columns)
	switch {
	case p.Tiles:
		w.Raw(` tl`)
		w.unseen = openList{depth: w.depth, from: w.Height, items: 1} // the tiles of a row have one height
	case p.ColumnsIn(canvas.FacetInside) > 2:
		w.Raw(` q3t`)
	}
	if !p.Own {
		w.Add(H(` fs`), margin(p.Left))
	}
	w.Raw(`">`)
	w.small, w.facet = p, 0
	w.open(H(`</div>`))
}

// facetTiers are the widths of panels between those at which small plots change their places, with the letter of their classes: y has no
// labels on its left, x none below it, and z no room for these.
var facetTiers = [...]struct {
	inside        float64
	noY, noX, noZ H
}{
	{canvas.FacetInside - 1, ` yb`, ` xb`, ` zb`},
	{canvas.FacetInside, ` yc`, ` xc`, ` zc`},
	{canvas.DesktopInside + 1, ` yd`, ` xd`, ` zd`},
}

func (w *Painter) Facet(name string) {
	w.Raw(`<div class="fp`)
	for _, t := range facetTiers {
		at := w.small.AxesOf(w.facet, t.inside)
		if !at.Left {
			w.Raw(t.noY)
		}
		if !at.Below {
			w.Raw(t.noX)
		}
		if !at.Roomy {
			w.Raw(t.noZ)
		}
	}
	w.facet++
	w.Add(H(`"><p class="fn">`), canvas.Clip(name, canvas.MaxCell), H(`</p><div>`))
	w.open(H(`</div></div>`))
}

func (w *Painter) Beside() {
	w.Add(H(`<div class="pie">`))
	w.open(H(`</div>`))
}

func (w *Painter) Halves() {
	w.Add(H(`<div class="year">`))
	w.open(H(`</div>`))
}

func (w *Painter) List(kind canvas.ListKind) {
	w.last = openList{kind: kind, depth: w.depth, from: w.Height}
	switch kind {
	case canvas.LegendList:
		w.Height += 26
		w.Add(H(`<ul class="lg">`))
		w.open(H(`</ul>`))
	case canvas.KeyList:
		w.Height += 26
		w.Add(H(`<ul class="lg key">`))
		w.open(H(`</ul>`))
	case canvas.RingList:
		w.Add(H(`<ul>`))
		w.open(H(`</ul>`))
	case canvas.BarList:
		w.Add(H(`<ol class="hb`))
		w.last.class = len(w.B)
		w.Add(H(`">`))
		w.open(H(`</ol>`))
	}
}

func (w *Painter) Item(i canvas.Item) {
	w.Add(H(`<li>`))
	w.open(H(`</li>`))
	if i.Color != 0 {
		if i.Color >= canvas.HeatColor {
			w.Add(H(`<i class="h`), int(i.Color-canvas.HeatColor))
		} else {
			w.Add(H(`<i class="b`), int(i.Color))
		}
		if i.Line {
			w.Add(H(` ln`))
		}
		if i.Dashed {
			w.Add(H(` tr`))
		}
		if i.Pale {
			w.Add(H(` ho`))
		}
		w.Add(H(`"></i>`))
	}
	if i.Mark || i.Shade {
		w.Add(H(`<i class="rl`))
		if i.Shade {
			w.Add(H(` sd`))
		}
		if i.Flat {
			w.Add(H(` fl`))
		}
		w.Add(toneClass(i.Tone), H(`"></i>`))
	}
	w.last.items++
	switch kind := w.last.kind; {
	case kind == canvas.BarList:
		w.Height += 33
		w.Reach += canvas.RowReach
	case kind == canvas.RingList && w.last.items > 7: // fewer fit beside the ring
		w.Height += 28
	}
	if w.last.kind == canvas.LegendList || w.last.kind == canvas.KeyList {
		w.name(i)
		return
	}
	w.Add(H(`<span>`))
	w.name(i)
	w.Add(H(`</span>`))
	if i.Value != "" {
		w.Add(H(`<b>`), i.Value, H(`</b>`))
	}
	if i.Share != "" {
		w.Add(H(`<em>`), i.Share, H(`</em>`))
	}
	if i.More != "" {
		w.Height += 18
		w.Add(H(`<p>`), i.More, H(`</p>`))
	}
}

// Step writes a link under a figure, if there is room for its address. current is the attribute of a link whose choice is active already.
func (w *Painter) Step(to canvas.Way, current H, text string) {
	if to.To == "" {
		return
	}
	w.Add(H(`<a href="`), to.To, H(`"`))
	if to.On {
		w.Add(H(` aria-current="`), current, H(`"`))
	}
	w.Add(H(`>`), text, H(`</a>`))
}
