package page

import (
	"slices"
	"strings"

	"service/store/dashboard/locale"
)

// An htmlPainter is the canvas that writes HTML, with SVG for pictures.
type htmlPainter struct {
	*doc
	lang  *locale.Locale // of the words that it writes itself
	ends  [8]h           // of what is open
	depth int

	index   int  // of the panel
	height  int  // of the blocks since it was set to 0, estimated in pixels on a desktop
	letters int  // of a text of 14 pixels that fit into a line of the panel
	long    bool // the numbers of its run are long

	last    openList
	hatched uint32 // bits: the colours whose pattern is written, and 0 for that of areas without a value
}

// listHeight is how high a list of bars is, in pixels, until it is scrolled, as the style
// says. They are compared at one glance: the 25 that an author asks for are seen.
const listHeight = 1000

// An openList is the last list that was begun.
type openList struct {
	kind  listKind
	depth int
	class int // where in the document its class ends
	items int
	from  int // the height above it
}

var _ canvas = (*htmlPainter)(nil)

// maxDrawn is how many bytes of HTML the panels of a page are at most. The panel that takes the
// page over it is not drawn, nor are those after it.
const maxDrawn = 32 << 20

// full reports whether the page has no room for more. A long table ends there at once.
func (w *htmlPainter) full() bool { return len(w.b) > maxDrawn }

// open remembers how what was begun is ended.
func (w *htmlPainter) open(end h) {
	w.ends[w.depth] = end
	w.depth++
}

func (w *htmlPainter) end() {
	w.depth--
	if l := &w.last; l.kind == barList && l.depth == w.depth && l.class > 0 {
		if w.height-l.from > listHeight { // a box that scrolls has to be reached by keyboard
			w.b = slices.Insert(w.b, l.class, []byte(` more" tabindex="0`)...)
			w.height = l.from + listHeight
		}
		l.class = 0
	}
	w.raw(w.ends[w.depth])
}

func (w *htmlPainter) section(title, text string) {
	w.add(h(`<div class="sec" id="p`), w.index, h(`"><h2>`), title, h(`</h2>`))
	if text != "" {
		w.add(h(`<p class="sub">`), text, h(`</p>`))
	}
	w.add(h(`</div>`))
}

func (w *htmlPainter) number(text, tone string) {
	w.height += 45
	w.add(h(`<p class="big`), toneClass(tone))
	if w.long {
		w.add(h(` long`))
	}
	w.add(h(`">`), text)
	w.toneSign(tone)
	w.add(h(`</p>`))
}

// toneClass is the class of a tone, with a space before it.
func toneClass(tone string) h {
	switch tone {
	case "good":
		return h(" good")
	case "warn":
		return h(" warn")
	case "bad":
		return h(" bad")
	case "info":
		return h(" info")
	}
	return h("")
}

// toneSign puts a sign and a word beside what a tone colours.
func (w *htmlPainter) toneSign(tone string) {
	switch tone {
	case "good":
		w.add(h(`<i class="tn" aria-hidden="true">✓</i><span class="vh"> `), w.lang.Text("(good)"), h(`</span>`))
	case "warn":
		w.add(h(`<i class="tn" aria-hidden="true">!</i><span class="vh"> `), w.lang.Text("(warning)"), h(`</span>`))
	case "bad":
		w.add(h(`<i class="tn" aria-hidden="true">✕</i><span class="vh"> `), w.lang.Text("(bad)"), h(`</span>`))
	case "info":
		w.add(h(`<i class="tn" aria-hidden="true">i</i><span class="vh"> `), w.lang.Text("(note)"), h(`</span>`))
	}
}

// delta writes arrow, sign and word, so that colour says nothing alone.
func (w *htmlPainter) delta(d delta) {
	w.height += 30
	if d.missing != "" {
		w.add(h(`<p class="cmp">`), d.missing, h(`</p>`))
		return
	}
	arrow, words := h(`▲`), locale.Key("up from %s")
	switch d.way {
	case 0:
		arrow, words = h(`＝`), "same as %s"
	case -1:
		arrow, words = h(`▼`), "down from %s"
	}
	w.add(h(`<p class="cmp"><span class="pill`), toneClass(d.tone), h(`"><span aria-hidden="true">`), arrow, h(`</span> `),
		d.change, h(`</span> `), w.lang.Text(words, d.was), h(` <span class="vs">`), w.lang.Text("vs %s", d.versus), h(`</span></p>`))
}

func (w *htmlPainter) ramp(r ramp) {
	w.height += 24
	w.add(h(`<div class="ramp" aria-hidden="true">`))
	for i, text := range r.texts {
		if text != "" {
			w.add(h(`<span>`), text, h(`</span>`))
		}
		if i < len(r.colors) {
			w.add(h(`<i class="h`), int(r.colors[i]-heatColor), h(`"></i>`))
		}
	}
	w.add(h(`</div>`))
}

func (w *htmlPainter) axisName(text string, a side) {
	w.height += 17
	if a == ySide {
		w.add(h(`<p class="ax">↑ `), text, h(`</p>`))
		return
	}
	w.add(h(`<p class="ax end">`), text, h(` →</p>`))
}

func (w *htmlPainter) axisNames(left, right string) {
	w.height += 17
	w.add(h(`<p class="ax two"><span>↑ `), left, h(`</span><span>`), right, h(` ↑</span></p>`))
}

// name writes the name of an item of a list.
func (w *htmlPainter) name(i item) {
	w.beginLink(i.way)
	w.add(clip(i.name, maxCell))
	w.endLink(i.way)
}

// beginLink begins a link, if there is one. Those that leave for another host tell it
// nothing.
func (d *doc) beginLink(to way) {
	if to.to == "" {
		return
	}
	d.raw(`<a href="`)
	d.esc(to.to)
	d.raw(`"`)
	if absolute(to.to) {
		d.raw(` rel="noopener noreferrer nofollow"`)
	}
	if to.on {
		d.raw(` aria-current="true"`)
	}
	d.raw(`>`)
}

func (d *doc) endLink(to way) {
	if to.to != "" {
		d.raw(`</a>`)
	}
}

func (w *htmlPainter) richText(t formatted) {
	words := letters(t.plain())
	w.height += lines(words, w.letters) * 20
	for tag, more := range map[string]int{"<p": 14, "<h": 30, "<li": 10, "<tr": 40} {
		w.height += strings.Count(t.markup(), tag) * more
	}
	w.add(h(`<div class="md`))
	if words > 700 {
		w.add(h(` cols`))
	}
	w.add(h(`">`))
	w.b = append(w.b, t.markup()...) // safe: see [newRichText]
	w.add(h(`</div>`))
}

// lines is how many lines a number of letters takes.
func lines(letters, wide int) int { return (letters + wide - 1) / max(wide, 1) }

func (w *htmlPainter) note(text string) {
	w.height += 10 + 18*lines(letters(text), w.letters*7/6)
	w.add(h(`<p class="note">`), text, h(`</p>`))
}

func (w *htmlPainter) message(text string, bad bool) {
	w.height += 60 + 20*lines(letters(text), w.letters)
	if bad {
		w.add(h(`<p class="empty prob"><b>`), w.lang.Text("Cannot be shown"), h(`</b><span>`), text, h(`</span></p>`))
		return
	}
	w.add(h(`<p class="empty">`), text, h(`</p>`))
}

func (w *htmlPainter) facets(p smallPlots) {
	w.height += (p.count + p.columns - 1) / p.columns * (p.height + 36)
	w.add(h(`<div class="fc q`), p.columns, margin(p.left), h(`">`))
	w.open(h(`</div>`))
}

func (w *htmlPainter) facet(name string) {
	w.add(h(`<div><p class="fn">`), clip(name, maxCell), h(`</p>`))
	w.open(h(`</div>`))
}

func (w *htmlPainter) beside() {
	w.add(h(`<div class="pie">`))
	w.open(h(`</div>`))
}

func (w *htmlPainter) halves() {
	w.add(h(`<div class="year">`))
	w.open(h(`</div>`))
}

func (w *htmlPainter) list(kind listKind) {
	w.last = openList{kind: kind, depth: w.depth, from: w.height}
	switch kind {
	case legendList:
		w.height += 26
		w.add(h(`<ul class="lg">`))
		w.open(h(`</ul>`))
	case keyList:
		w.height += 26
		w.add(h(`<ul class="lg key">`))
		w.open(h(`</ul>`))
	case ringList:
		w.add(h(`<ul>`))
		w.open(h(`</ul>`))
	case barList:
		w.add(h(`<ol class="hb`))
		w.last.class = len(w.b)
		w.add(h(`">`))
		w.open(h(`</ol>`))
	}
}

func (w *htmlPainter) item(i item) {
	w.add(h(`<li>`))
	w.open(h(`</li>`))
	if i.color != 0 {
		w.add(h(`<i class="b`), int(i.color))
		if i.line {
			w.add(h(` ln`))
		}
		if i.dashed {
			w.add(h(` tr`))
		}
		if i.pale {
			w.add(h(` ho`))
		}
		w.add(h(`"></i>`))
	}
	if i.mark || i.shade {
		w.add(h(`<i class="rl`))
		if i.shade {
			w.add(h(` sd`))
		}
		if i.flat {
			w.add(h(` fl`))
		}
		w.add(toneClass(i.tone), h(`"></i>`))
	}
	w.last.items++
	switch kind := w.last.kind; {
	case kind == barList:
		w.height += 33
	case kind == ringList && w.last.items > 7: // fewer stand beside the ring
		w.height += 28
	}
	if w.last.kind == legendList || w.last.kind == keyList {
		w.name(i)
		return
	}
	w.add(h(`<span>`))
	w.name(i)
	w.add(h(`</span>`))
	if i.value != "" {
		w.add(h(`<b>`), i.value, h(`</b>`))
	}
	if i.share != "" {
		w.add(h(`<em>`), i.share, h(`</em>`))
	}
	if i.more != "" {
		w.height += 18
		w.add(h(`<p>`), i.more, h(`</p>`))
	}
}

// step writes a link under a figure, while there is room for its address. current is how what
// it leads to is said to be so already.
func (w *htmlPainter) step(to way, current h, text string) {
	if to.to == "" {
		return
	}
	w.add(h(`<a href="`), to.to, h(`"`))
	if to.on {
		w.add(h(` aria-current="`), current, h(`"`))
	}
	w.add(h(`>`), text, h(`</a>`))
}
