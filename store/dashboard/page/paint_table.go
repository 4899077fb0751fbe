package page

import "strings"

// A table is scrolled under its head, in a box of at most tableHeight pixels, as the
// style says. Of more than seenRows the box fits into the window.
const (
	seenRows    = 30
	tableHeight = 1000
)

func (w *htmlPainter) table(t table) {
	w.search(t.search)
	w.height += 40 + min(max(t.rows, 1)*37, tableHeight)
	w.add(h(`<div class="tw`))
	if t.rows > seenRows {
		w.add(h(` tall`))
	}
	w.named(t.rows, func(i int) string { return t.cell(i, 0).text })
	w.add(h(`" tabindex="0" role="group" aria-label="`), t.title, h(`"><table><thead><tr>`))
	columns := 0
	for _, c := range t.heads {
		wide := 1
		for _, more := range [...]bool{c.barred, c.lined} {
			if more {
				wide++
			}
		}
		columns += wide
		w.add(h(`<th scope="col"`))
		if wide > 1 {
			w.add(h(` colspan="`), wide, h(`"`))
		}
		w.head(c)
	}
	w.add(h(`</tr></thead><tbody>`))
	if t.rows == 0 && t.none != "" {
		w.add(h(`<tr><td class="empty" colspan="`), columns, h(`">`), t.none, h(`</td></tr>`))
	}
	for i := range t.rows {
		if w.full() {
			break
		}
		w.add(h(`<tr>`))
		for j := range t.heads {
			w.cell(t.cell(i, j))
		}
		w.add(h(`</tr>`))
	}
	w.add(h(`</tbody>`))
	if t.foot != nil {
		w.height += 37
		w.add(h(`<tfoot><tr>`))
		for _, c := range t.foot {
			w.cell(c)
		}
		w.add(h(`</tr></tfoot>`))
	}
	w.add(h(`</table></div>`))
	w.pages(t.pages)
}

// longName is how many letters of a row's name a phone has room for beside its numbers.
const longName = 12

// named gives the first column room where the names in it are long, since it would have that
// of their longest word on a phone.
func (w *htmlPainter) named(rows int, name func(i int) string) {
	for i := range rows {
		if letters(name(i)) > longName {
			w.add(h(` nm`))
			return
		}
	}
}

// head writes the rest of a head, whose tag has begun. What its link does is said to
// those who do not see where the arrow points.
func (w *htmlPainter) head(c head) {
	switch c.sorted {
	case 1:
		w.add(h(` aria-sort="ascending"`))
	case -1:
		w.add(h(` aria-sort="descending"`))
	}
	w.cellClass(c.number, c.text)
	if c.link == "" {
		w.add(c.text, h(`</th>`))
		return
	}
	w.add(h(`<a href="`), c.link, h(`">`), c.text)
	switch c.sorted {
	case 1:
		w.add(h(`<i aria-hidden="true">▲</i>`))
	case -1:
		w.add(h(`<i aria-hidden="true">▼</i>`))
	}
	w.add(h(`<span class="vh">, `), c.says, h(`</span></a></th>`))
}

func (w *htmlPainter) search(s *search) {
	if s == nil {
		return
	}
	w.height += 44
	w.add(h(`<form method="get" class="ts" role="search" action="#p`), w.index, h(`">`))
	w.hidden(s.keep)
	w.add(h(`<input type="search" name="`), s.name, h(`" value="`), s.value, h(`" maxlength="`), s.most, h(`" aria-label="`), s.label,
		h(`" autocomplete="off"><button>`), w.lang.Text("Search"), h(`</button>`))
	if s.clear != "" {
		w.add(h(`<a href="`), s.clear, h(`">`), w.lang.Text("Clear"), h(`</a>`))
	}
	w.add(h(`</form>`))
}

func (w *htmlPainter) pages(p *pages) {
	if p == nil {
		return
	}
	w.height += 40
	w.add(h(`<nav class="pg" aria-label="`), p.label, h(`"><span role="status">`), p.says, h(`</span>`))
	if len(p.links) > 0 {
		w.add(h(`<span>`))
		w.toPage(p.previous, h(` rel="prev"`), h(`‹ `), w.lang.Text("Previous"), h(``))
		for _, l := range p.links {
			if l.text == "" {
				w.add(h(`<i>…</i>`))
				continue
			}
			w.add(h(`<a href="`), l.link, h(`"`))
			if l.current {
				w.add(h(` aria-current="page"`))
			}
			w.add(h(` aria-label="`), w.lang.Text("Page %s", l.text), h(`">`), l.text, h(`</a>`))
		}
		w.toPage(p.next, h(` rel="next"`), h(``), w.lang.Text("Next"), h(` ›`))
		w.add(h(`</span>`))
	}
	w.add(h(`</nav>`))
}

// toPage writes the link to the page before or after, or nothing where there is none.
func (w *htmlPainter) toPage(link string, rel, before h, text string, after h) {
	if link != "" {
		w.add(h(`<a href="`), link, h(`"`), rel, h(`>`), before, text, after, h(`</a>`))
	}
}

// longCell is how many letters of a cell are shown on several lines of a phone; a
// longer text is cut, and can be read in its title.
const longCell = 48

// wholeCell is how many letters of a date or a number of an order stay on one line of a phone.
const wholeCell = 14

// whole reports whether a text is one word to its reader, although it has places where a line may end: Nov 19, 2026, or ORD-10799.
func whole(text string) bool {
	return letters(text) <= wholeCell && strings.ContainsAny(text, " -") && strings.ContainsAny(text, "0123456789")
}

// cellClass ends the tag of a cell.
func (w *htmlPainter) cellClass(number bool, text string) { w.heatClass(number, text, 0) }

// heatClass is cellClass of a cell in a colour of a heat map, or 0.
func (w *htmlPainter) heatClass(number bool, text string, heat color) {
	long := letters(text) > longCell
	class, next := h(` class="`), h(` `)
	add := func(name h) {
		w.add(class, name)
		class = next
	}
	if long {
		add(h(`cut`))
	}
	if number {
		add(h(`r`))
	} else if whole(text) {
		add(h(`wh`))
	}
	if heat > 0 {
		add(h(`h`))
		w.add(int(heat-heatColor), inkOn(heat))
	}
	if class == next {
		w.add(h(`"`))
	}
	if long {
		w.add(h(` title="`), clip(text, 500), h(`"`))
	}
	w.add(h(`>`))
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
	if c.lined {
		w.add(h(`<td class="cs">`))
		w.smallLine(c.line)
		w.add(h(`</td>`))
	}
	switch {
	case c.name:
		w.add(h(`<th scope="row"`))
		w.cellClass(false, c.text)
		end = h(`</th>`)
	default:
		w.add(h(`<td`))
		w.heatClass(c.number, c.text, c.heat)
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

// smallLine draws a line in a cell, which nobody needs to see: its name says the same.
func (w *htmlPainter) smallLine(l cellLine) {
	if l.points == nil {
		return
	}
	w.add(h(`<svg class="spark" viewBox="0 0 1000 1000" preserveAspectRatio="none" role="img"><title>`), l.says, h(`</title>`))
	w.curve(curve{points: l.points, color: l.color, thin: true})
	w.add(h(`</svg>`))
}
