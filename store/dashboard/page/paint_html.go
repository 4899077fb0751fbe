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
	hatched uint32 // bits: the colours whose pattern is written
}

// What is higher, in pixels, is scrolled. The style says the same.
const (
	boxHeight  = 400  // of a table
	listHeight = 1000 // of a list of bars, which are compared at one glance: the 25 that an author asks for are seen
)

// An openList is the last list that was begun.
type openList struct {
	kind  listKind
	depth int
	class int // where in the document its class ends
	items int
	from  int // the height above it
}

var _ canvas = (*htmlPainter)(nil)

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

func (w *htmlPainter) ramp(lo, zero, hi string) {
	w.height += 24
	w.add(h(`<div class="ramp" aria-hidden="true"><span>`), lo, h(`</span>`))
	if zero == "" {
		for i := range heatSteps {
			w.add(h(`<i class="h`), i, h(`"></i>`))
		}
	} else {
		for i := range 2 * signSteps {
			if i == signSteps {
				w.add(h(`<span>`), zero, h(`</span>`))
			}
			w.add(h(`<i class="h`), int(signColor((float64(i)+0.5)/signSteps-1)-heatColor), h(`"></i>`))
		}
	}
	w.add(h(`<span>`), hi, h(`</span></div>`))
}

func (w *htmlPainter) axisName(text string, a axis) {
	w.height += 17
	if a == yAxis {
		w.add(h(`<p class="ax">↑ `), text, h(`</p>`))
		return
	}
	w.add(h(`<p class="ax end">`), text, h(` →</p>`))
}

func (w *htmlPainter) axisNames(left, right string) {
	w.height += 17
	w.add(h(`<p class="ax two"><span>↑ `), left, h(`</span><span>`), right, h(` ↑</span></p>`))
}

func (w *htmlPainter) table(t table) {
	w.height += 40 + min(t.rows*37, boxHeight)
	w.add(h(`<div class="tw" tabindex="0" role="group" aria-label="`), t.title, h(`"><table><thead><tr>`))
	for _, c := range t.heads {
		w.add(h(`<th scope="col"`))
		if c.barred {
			w.add(h(` colspan="2"`))
		}
		w.cellClass(c.number, c.text)
		w.add(c.text, h(`</th>`))
	}
	w.add(h(`</tr></thead><tbody>`))
	for i := range t.rows {
		w.add(h(`<tr>`))
		for j := range t.heads {
			w.cell(t.cell(i, j))
		}
		w.add(h(`</tr>`))
	}
	w.add(h(`</tbody></table></div>`))
}

// longCell is how many letters of a cell are shown on several lines of a phone; a
// longer text is cut, and can be read in its title.
const longCell = 48

// cellClass ends the tag of a cell.
func (w *htmlPainter) cellClass(number bool, text string) {
	switch {
	case letters(text) > longCell:
		w.add(h(` class="cut`))
		if number {
			w.add(h(` r`))
		}
		w.add(h(`" title="`), clip(text, 500))
	case number:
		w.add(h(` class="r`))
	default:
		w.add(h(`>`))
		return
	}
	w.add(h(`">`))
}

func (w *htmlPainter) cell(c cell) {
	end := h(`</td>`)
	if c.barred { // in a cell of its own: no number stands on it
		w.add(h(`<td class="cb"><svg aria-hidden="true">`))
		if c.bar > 0 {
			w.add(h(`<rect class="tb`))
			if c.below {
				w.add(h(` neg`))
			}
			w.add(h(`" width="`), pct(c.bar), h(`" height="14" rx="3"/>`))
		}
		w.add(h(`</svg></td>`))
	}
	switch {
	case c.name:
		w.add(h(`<th scope="row"`))
		w.cellClass(false, c.text)
		end = h(`</th>`)
	default:
		w.add(h(`<td`))
		w.cellClass(c.number, c.text)
	}
	w.beginLink(c.way)
	switch {
	case c.tone != "":
		w.add(h(`<span class="pill`), toneClass(c.tone), h(`">`), c.text)
		w.toneSign(c.tone)
		w.add(h(`</span>`))
	case c.missing:
		w.add(h(`<span class="nil">`), c.text, h(`</span>`))
	default:
		w.add(c.text)
	}
	w.endLink(c.way)
	w.add(end)
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

func (w *htmlPainter) richText(t *richText) {
	words := letters(t.plain())
	w.height += lines(words, w.letters) * 20
	for tag, more := range map[string]int{"<p": 14, "<h": 30, "<li": 10, "<tr": 40} {
		w.height += strings.Count(t.html, tag) * more
	}
	w.add(h(`<div class="md`))
	if words > 700 {
		w.add(h(` cols`))
	}
	w.add(h(`">`))
	w.b = append(w.b, t.html...) // safe: see [newRichText]
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

func (w *htmlPainter) beside() {
	w.add(h(`<div class="pie">`))
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
		w.add(h(`"></i>`))
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
