package page

import (
	"slices"
	"strings"
)

// An htmlPainter is the canvas that writes HTML, with SVG for pictures.
type htmlPainter struct {
	*doc
	ends  [8]h // of what is open
	depth int

	index   int  // of the panel
	height  int  // of the blocks since it was set to 0, estimated in pixels on a desktop
	letters int  // of a text of 14 pixels that fit into a line of the panel
	long    bool // the numbers of its run are long

	last    openList
	hatched uint32 // bits: the colours whose pattern is written
}

// boxHeight is the most that a table or a list of bars takes, in pixels: what is
// more is scrolled. The style says the same.
const boxHeight = 400

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
		if w.height-l.from > boxHeight { // a box that scrolls has to be reached by keyboard
			w.b = slices.Insert(w.b, l.class, []byte(` more" tabindex="0`)...)
			w.height = l.from + boxHeight
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
		w.add(h(`<i class="tn" aria-hidden="true">✓</i><span class="vh"> (good)</span>`))
	case "warn":
		w.add(h(`<i class="tn" aria-hidden="true">!</i><span class="vh"> (warning)</span>`))
	case "bad":
		w.add(h(`<i class="tn" aria-hidden="true">✕</i><span class="vh"> (bad)</span>`))
	case "info":
		w.add(h(`<i class="tn" aria-hidden="true">i</i><span class="vh"> (note)</span>`))
	}
}

// delta writes arrow, sign and word, so that colour says nothing alone.
func (w *htmlPainter) delta(d delta) {
	w.height += 30
	if d.missing != "" {
		w.add(h(`<p class="cmp">`), d.missing, h(`</p>`))
		return
	}
	arrow, word := h(`▲`), h(`up from `)
	switch d.way {
	case 0:
		arrow, word = h(`＝`), h(`same as `)
	case -1:
		arrow, word = h(`▼`), h(`down from `)
	}
	w.add(h(`<p class="cmp"><span class="pill`), toneClass(d.tone), h(`"><span aria-hidden="true">`), arrow, h(`</span> `),
		d.change, h(`</span> `), word, d.was, h(` <span class="vs">vs `), d.versus, h(`</span></p>`))
}

func (w *htmlPainter) ramp(lo, hi string) {
	w.height += 24
	w.add(h(`<div class="ramp" aria-hidden="true"><span>`), lo, h(`</span>`))
	for i := range heatSteps {
		w.add(h(`<i class="h`), i, h(`"></i>`))
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

func (w *htmlPainter) table(t table) {
	w.height += 40 + min(t.rows*37, boxHeight)
	w.add(h(`<div class="tw" tabindex="0" role="group" aria-label="`), t.title, h(`"><table><thead><tr>`))
	for _, c := range t.heads {
		w.add(h(`<th scope="col"`))
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
	switch {
	case c.name:
		w.add(h(`<th scope="row"`))
		w.cellClass(false, c.text)
		end = h(`</th>`)
	case c.barred:
		w.add(h(`<td class="r cb"><svg width="100%" height="24" aria-hidden="true"><rect class="tb`))
		if c.below {
			w.add(h(` neg`))
		}
		w.add(h(`" width="`), pct(c.bar), h(`" height="24" rx="4"/></svg><span>`))
		end = h(`</span></td>`)
	default:
		w.add(h(`<td`))
		w.cellClass(c.number, c.text)
	}
	if c.link != "" {
		w.link(c.link)
	}
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
	if c.link != "" {
		w.add(h(`</a>`))
	}
	w.add(end)
}

// link begins a link. Those that leave for another host tell it nothing.
func (w *htmlPainter) link(address string) {
	w.add(h(`<a href="`), address, h(`"`))
	if absolute(address) {
		w.add(h(` rel="noopener noreferrer nofollow"`))
	}
	w.add(h(`>`))
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
		w.add(h(`<p class="empty prob"><b>Cannot be shown</b><span>`), text, h(`</span></p>`))
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
		w.add(h(`<i class="b`), int(i.color), h(`"></i>`))
	}
	w.last.items++
	switch kind := w.last.kind; {
	case kind == barList:
		w.height += 33
	case kind == ringList && w.last.items > 7: // fewer stand beside the ring
		w.height += 28
	}
	if w.last.kind == legendList {
		w.add(i.name)
		return
	}
	w.add(h(`<span>`), i.name, h(`</span>`))
	if i.value != "" {
		w.add(h(`<b>`), i.value, h(`</b>`))
	}
	if i.share != "" {
		w.add(h(`<em>`), i.share, h(`</em>`))
	}
}

func (w *htmlPainter) picture(p picture) {
	switch p.kind {
	case plotPicture:
		w.height += p.height + 36
		w.add(h(`<svg class="plot`), margin(p.left), h(`" role="img" aria-label="`), p.title, h(`: `), p.says,
			h(`" width="100%" height="`), p.height, h(`"`))
		w.places(p.places)
		w.add(h(`>`))
	case ringPicture:
		w.height += 200
		w.add(h(`<svg viewBox="0 0 42 42" role="img" aria-label="`), p.title, h(`: `), p.says, h(`">`))
	case sparkPicture:
		w.height += p.height
		w.add(h(`<svg class="spark" viewBox="0 0 1000 1000" preserveAspectRatio="none" width="100%" height="`), p.height,
			h(`" aria-hidden="true">`))
	case stripPicture:
		w.height += p.height + 3
		w.add(h(`<svg width="100%" height="`), p.height, h(`" aria-hidden="true">`))
	}
	w.open(h(`</svg>`))
}

// margin returns the class of a left margin that is wide enough for labels.
func margin(labels []string) h {
	longest := 0
	for _, s := range labels {
		longest = max(longest, letters(s))
	}
	switch {
	case longest <= 4:
		return h(" m1")
	case longest <= 7:
		return h(" m2")
	case longest <= 10:
		return h(" m3")
	}
	return h(" m4")
}

// places tells the script, which finds the numbers for its tooltips in the table
// behind the chart, where its rows lie: at data-p thousandths when they are not
// evenly spaced.
func (w *htmlPainter) places(p places) {
	if p.columns == 0 {
		return
	}
	w.add(h(` data-n="`), p.columns, h(`"`))
	if p.rows > 0 {
		w.add(h(` data-r="`), p.rows, h(`"`))
	}
	if p.bands {
		w.add(h(` data-b`))
	}
	if len(p.at) == 0 || len(p.at) > maxBehind {
		return
	}
	w.add(h(` data-p="`))
	for i, x := range p.at {
		if i > 0 {
			w.add(h(` `))
		}
		w.add(int(x*1000 + 0.5))
	}
	w.add(h(`"`))
}

func (w *htmlPainter) viewport() {
	w.add(h(`<svg viewBox="0 0 1000 1000" preserveAspectRatio="none" width="100%" height="100%">`))
	w.open(h(`</svg>`))
}

func (w *htmlPainter) group(g group) {
	end := h(`</g>`)
	if g.link != "" {
		w.link(g.link)
		end = h(`</g></a>`)
	}
	w.add(h(`<g`))
	if g.look != grouped {
		w.add(h(` class="`))
		w.looks(g.look, g.anchor)
		w.add(widthClass(g.widths), turnClass(g.turn), h(`"`))
	}
	w.add(h(`>`))
	if g.title != "" {
		w.add(h(`<title>`), g.title, h(`</title>`))
	}
	w.open(end)
}

// widthClass is the class of what the style shows on some widths only.
func widthClass(on widths) h {
	switch on {
	case phone:
		return h(` x1`)
	case tablet:
		return h(` x2`)
	case desktop:
		return h(` x3`)
	case phone | tablet:
		return h(` x12`)
	case tablet | desktop:
		return h(` x23`)
	}
	return h(``)
}

func turnClass(t turn) h {
	switch t {
	case aslant:
		return h(` turn`)
	case narrow:
		return h(` turns`)
	case narrowFew:
		return h(` turns few`)
	}
	return h(``)
}

// looks writes the classes of a text.
func (w *htmlPainter) looks(l look, a anchor) {
	switch l {
	case totalText:
		w.raw(`pt`)
		return
	case captionText:
		w.raw(`ps`)
		return
	}
	w.raw(`t`)
	switch a {
	case atMiddle:
		w.raw(` m`)
	case atEnd:
		w.raw(` e`)
	}
	if l == markedText {
		w.raw(` rt`)
	}
}

// attr writes an attribute that is a place or a length, if it is set.
func (w *htmlPainter) attr(name h, c coord) {
	switch c.unit {
	case unset:
		return
	case fraction:
		w.raw(name)
		w.pct(c.v)
	case pixels:
		w.raw(name)
		w.fixed(c.v, 2)
	}
	w.raw(`"`)
}

func (w *htmlPainter) line(l line) {
	switch l.stroke {
	case gridLine:
		w.raw(`<line class="g"`)
	case zeroLine:
		w.raw(`<line class="g0"`)
	case referenceLine:
		w.add(h(`<line class="ref`), toneClass(l.tone), h(`"`))
	}
	w.attr(` x1="`, l.x1)
	w.attr(` x2="`, l.x2)
	w.attr(` y1="`, l.y1)
	w.attr(` y2="`, l.y2)
	w.raw(`/>`)
}

// hatch writes the pattern of a colour, once a page.
func (w *htmlPainter) hatch(c color) {
	if w.hatched&(1<<c) != 0 {
		return
	}
	w.hatched |= 1 << c
	w.add(h(`<pattern id="z`), int(c), h(`" class="f`), int(c),
		h(`" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path fill-opacity=".25" d="M0 0h6v6H0z"/>`),
		h(`<path d="M0 0h3v6H0z"/></pattern>`))
}

func (w *htmlPainter) rect(r rect) {
	heat := r.color >= heatColor && r.color < trackColor
	switch {
	case r.hatched:
		w.hatch(r.color)
		w.raw(`<rect fill="url(#z`)
		w.num(int(r.color))
		w.raw(`)`)
	case heat:
		w.raw(`<rect class="h`)
		w.num(int(r.color - heatColor))
	case r.color == trackColor:
		w.raw(`<rect class="tr`)
	default:
		w.raw(`<rect class="f`)
		w.num(int(r.color))
	}
	w.raw(`"`)
	w.attr(` x="`, r.x)
	if heat { // cells have their place before their size
		w.attr(` y="`, r.y)
		w.attr(` width="`, r.width)
	} else {
		w.attr(` width="`, r.width)
		w.attr(` y="`, r.y)
	}
	w.attr(` height="`, r.height)
	if r.round > 0 {
		w.raw(` rx="`)
		w.num(r.round)
		w.raw(`"`)
	}
	w.raw(`/>`)
}

func (w *htmlPainter) circle(c circle) {
	w.raw(`<circle class="f`)
	w.num(int(c.color))
	if c.sheer {
		w.raw(` dot`)
	}
	w.raw(`"`)
	w.attr(` cx="`, c.x)
	w.attr(` cy="`, c.y)
	w.raw(` r="`)
	w.fixed(c.radius, 1)
	if len(c.title) == 0 {
		w.raw(`"/>`)
		return
	}
	w.raw(`">`)
	w.title(c.title)
	w.raw(`</circle>`)
}

func (w *htmlPainter) title(pieces []string) {
	w.raw(`<title>`)
	for _, s := range pieces {
		w.esc(s)
	}
	w.raw(`</title>`)
}

// arc draws a circle of circumference 100, of which a dash is the arc.
func (w *htmlPainter) arc(a arc) {
	w.raw(`<circle class="p`)
	w.num(int(a.color))
	w.raw(`" cx="21" cy="21" r="15.9155" stroke-dasharray="`)
	dash := max(a.share*100-a.gap, 0.2)
	w.fixed(dash, 2)
	w.raw(` `)
	w.fixed(100-dash, 2)
	w.raw(`" stroke-dashoffset="`)
	w.fixed(25-a.from*100, 2)
	w.raw(`">`)
	w.title(a.title)
	w.raw(`</circle>`)
}

func (w *htmlPainter) curve(c curve) {
	w.raw(`<path class="l l`)
	w.num(int(c.color))
	if c.thin {
		w.raw(` thin`)
	}
	if c.dashed {
		w.raw(` dash`)
	}
	w.raw(`" d="`)
	for i, p := range c.points {
		switch {
		case i == 0 || p.broken:
			w.to(`M`, p.x, p.y)
		case i == 1 || c.points[i-1].broken:
			w.to(`L`, p.x, p.y)
		default:
			w.to(` `, p.x, p.y)
		}
	}
	w.raw(`"/>`)
}

// to is a step of a path.
func (w *htmlPainter) to(step h, x, y int) {
	w.raw(step)
	w.num(x)
	w.raw(` `)
	w.num(y)
}

func (w *htmlPainter) area(a area) {
	w.raw(`<path class="a`)
	w.num(int(a.color))
	w.raw(`" d="`)
	if a.under != nil {
		for i, p := range a.points {
			w.to([...]h{`M`, `L`, ` `}[min(i, 2)], p.x, p.y)
		}
		for i := len(a.under) - 1; i >= 0; i-- {
			w.to(`L`, a.under[i].x, a.under[i].y)
		}
		w.raw(`Z"/>`)
		return
	}
	// Every unbroken piece is closed down to the floor.
	for i, p := range a.points {
		step := h(` `)
		if first := i == 0 || p.broken; first {
			w.to(`M`, p.x, a.floor)
			step = `L`
		}
		w.to(step, p.x, p.y)
		if last := i+1 == len(a.points) || a.points[i+1].broken; last {
			w.to(`L`, p.x, a.floor)
			w.raw(`Z`)
		}
	}
	w.raw(`"/>`)
}

func (w *htmlPainter) label(l label) {
	w.raw(`<text`)
	if l.look != grouped {
		w.raw(` class="`)
		w.looks(l.look, l.anchor)
		w.raw(`"`)
	}
	w.attr(` x="`, l.x)
	w.attr(` y="`, l.y)
	if l.down != 0 {
		w.raw(` dy="`)
		w.num(l.down)
		w.raw(`"`)
	}
	w.raw(`>`)
	w.esc(l.text)
	w.raw(`</text>`)
}
