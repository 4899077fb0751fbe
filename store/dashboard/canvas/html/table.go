package html

import (
	"strconv"
	"strings"

	"service/store/dashboard/canvas"
)

// A table of more than seenRows rows is scrolled under its head, in a box of at most tableHeight pixels that fits into the window. In
// smaller tables all rows are visible, because a box that scrolls hides rows without a sign.
const (
	seenRows    = 50
	tableHeight = 1000
)

// tableSize returns the estimated height of a table's rows, in pixels.
func tableSize(rows int) int {
	if rows > seenRows {
		return tableHeight
	}
	return max(rows, 1) * 37
}

func (w *Painter) Table(t canvas.Table) {
	w.search(t.Search)
	w.Height += 40 + tableSize(t.Rows)
	w.Add(H(`<div class="tw`))
	grouped := t.Grouped()
	if grouped {
		w.Height += 30
		w.Add(H(` gh`))
	}
	if t.Rows > seenRows {
		w.Add(H(` tall`))
	}
	if t.Pin > 0 {
		w.Add(H(` pin`))
	}
	w.named(t.Rows, func(i int) string { return t.Cell(i, 0).Text })
	w.Add(H(`" tabindex="0" role="group" aria-label="`), t.Title, H(`"><table><thead><tr>`))
	columns, rows := 0, 1
	if grouped {
		rows = 2
	}
	for j := 0; j < len(t.Heads); {
		span, end := 0, t.GroupEnd(j)
		for _, c := range t.Heads[j:end] {
			span += c.Span()
		}
		columns += span
		if c := t.Heads[j]; c.Group == "" {
			w.pinned = t.Pin > 0 && j == t.Pin
			if t.Pin > 0 && c.Barred && !grouped { // so that the bars can be hidden
				c.Barred = false
				w.Add(H(`<td class="cb"></td>`))
			}
			w.tableHead(c, rows)
			w.pinned = false
		} else {
			w.Add(H(`<th scope="colgroup"`))
			w.span(H(` colspan="`), span)
			w.cellClass(false, c.Group)
			w.Add(c.Group, H(`</th>`))
		}
		j = end
	}
	if grouped {
		w.Add(H(`</tr><tr>`))
		for j, c := range t.Heads {
			if w.pinned = t.Pin > 0 && j == t.Pin; c.Group != "" {
				w.tableHead(c, 1)
			}
		}
		w.pinned = false
	}
	w.Add(H(`</tr></thead><tbody>`))
	if t.Rows == 0 && t.None != "" {
		w.Add(H(`<tr><td class="empty" colspan="`), columns, H(`">`), t.None, H(`</td></tr>`))
	}
	for i := range t.Rows {
		if w.Full() {
			break
		}
		w.Add(H(`<tr>`))
		for j := range t.Heads {
			w.pinned = t.Pin > 0 && j == t.Pin
			w.cell(t.Cell(i, j))
		}
		w.Add(H(`</tr>`))
	}
	w.Add(H(`</tbody>`))
	if t.Foot != nil {
		w.Height += 37
		w.Add(H(`<tfoot><tr>`))
		for j, c := range t.Foot {
			w.pinned = t.Pin > 0 && j == t.Pin
			w.cell(c)
		}
		w.Add(H(`</tr></tfoot>`))
	}
	w.pinned = false
	w.Add(H(`</table></div>`))
	w.pages(t.Pages)
}

// tableHead writes the head of a column, which may be as high as several rows.
func (w *Painter) tableHead(c canvas.Head, rows int) {
	w.Add(H(`<th scope="col"`))
	w.span(H(` colspan="`), c.Span())
	w.span(H(` rowspan="`), rows)
	w.head(c)
}

// longName is the number of letters of a row's name that fit next to its numbers on a phone.
const longName = 12

// named makes the first column wider if its names are long, because on a phone it would be as narrow as their longest word.
func (w *Painter) named(rows int, name func(i int) string) {
	for i := range rows {
		if canvas.Letters(name(i)) > longName {
			w.Add(H(` nm`))
			return
		}
	}
}

// head writes the rest of a head, whose tag has begun. The purpose of its link is described for people who do not see the direction of the
// arrow.
func (w *Painter) head(c canvas.Head) {
	switch c.Sorted {
	case 1:
		w.Add(H(` aria-sort="ascending"`))
	case -1:
		w.Add(H(` aria-sort="descending"`))
	}
	w.cellClass(c.Number, c.Text)
	if c.Link == "" {
		w.Add(c.Text, H(`</th>`))
		return
	}
	w.Add(H(`<a href="`), c.Link, H(`">`), c.Text)
	switch c.Sorted {
	case 1:
		w.Add(H(`<i aria-hidden="true">▲</i>`))
	case -1:
		w.Add(H(`<i aria-hidden="true">▼</i>`))
	}
	w.Add(H(`<span class="vh">, `), c.Says, H(`</span></a></th>`))
}

func (w *Painter) search(s *canvas.Search) {
	if s == nil {
		return
	}
	w.Height += 44
	w.Add(H(`<form method="get" class="ts" action="#p`), w.Index, H(`">`))
	w.Hidden(s.Keep)
	w.Add(H(`<input type="search" name="`), s.Name, H(`" value="`), s.Value, H(`" maxlength="`), s.Most, H(`" aria-label="`), s.Label,
		H(`" placeholder="`), s.Label, H(`" autocomplete="off"><button>`), w.Lang.Text("Search"), H(`</button>`))
	if s.Clear != "" {
		w.Add(H(`<a href="`), s.Clear, H(`">`), w.Lang.Text("Clear"), H(`</a>`))
	}
	w.Add(H(`</form>`))
}

func (w *Painter) pages(p *canvas.Pages) {
	if p == nil {
		return
	}
	w.Height += 40
	w.Add(H(`<nav class="pg" aria-label="`), p.Label, H(`"><span role="status">`), p.Says, H(`</span>`))
	if len(p.Links) > 0 {
		w.Add(H(`<span>`))
		w.toPage(p.Previous, H(` rel="prev"`), H(`‹ `), w.Lang.Text("Previous"), H(``))
		for _, l := range p.Links {
			if l.Text == "" {
				w.Add(H(`<i>…</i>`))
				continue
			}
			w.Add(H(`<a href="`), l.Link, H(`"`))
			if l.Current {
				w.Add(H(` aria-current="page"`))
			}
			w.Add(H(` aria-label="`), w.Lang.Text("Page %s", l.Text), H(`">`), l.Text, H(`</a>`))
		}
		w.toPage(p.Next, H(` rel="next"`), H(``), w.Lang.Text("Next"), H(` ›`))
		w.Add(H(`</span>`))
	}
	w.Add(H(`</nav>`))
}

// toPage writes the link to the page before or after, or nothing if there is no such page.
func (w *Painter) toPage(link string, rel, before H, text string, after H) {
	if link != "" {
		w.Add(H(`<a href="`), link, H(`"`), rel, H(`>`), before, text, after, H(`</a>`))
	}
}

// longCell is how many letters of a cell are shown on several lines of a phone; a longer text is cut, and its title has all of it.
const longCell = 48

// wholeCell is how many letters of a date or a number of an order stay on one line of a phone.
const wholeCell = 14

// whole reports whether readers see a text as one word, although a line may end inside it: Nov 19, 2026, or ORD-10799.
func whole(text string) bool {
	return canvas.Letters(text) <= wholeCell && strings.ContainsAny(text, " -") && strings.ContainsAny(text, "0123456789")
}

// cellClass ends the tag of a cell.
func (w *Painter) cellClass(number bool, text string) { w.heatClass(number, text, 0) }

// heatClass is cellClass for a cell in a colour of a heat map; 0 is no colour.
func (w *Painter) heatClass(number bool, text string, heat canvas.Color) {
	long := canvas.Letters(text) > longCell
	class, next := H(` class="`), H(` `)
	add := func(name H) {
		w.Add(class, name)
		class = next
	}
	if long {
		add(H(`cut`))
	}
	if number {
		add(H(`r`))
	} else if whole(text) {
		add(H(`wh`))
	}
	if w.pinned {
		add(H(`so`))
	}
	if heat > 0 {
		add(H(`h`))
		w.Add(int(heat-canvas.HeatColor), InkOn(heat))
	}
	if class == next {
		w.Add(H(`"`))
	}
	if long {
		w.Add(H(` title="`), canvas.Clip(text, 500), H(`"`))
	}
	w.Add(H(`>`))
}

func (w *Painter) cell(c canvas.Cell) {
	end := H(`</td>`)
	if c.Barred { // in a cell of its own: it does not cover the number
		w.Add(H(`<td class="cb`), rowClass(c.Heat), H(`"><svg aria-hidden="true">`))
		if c.Bar > 0 {
			w.Add(H(`<rect class="tb`))
			if c.Below {
				w.Add(H(` neg`))
			}
			w.Add(H(`" width="`), Percent(c.Bar), H(`" height="14" rx="3"/>`))
		}
		w.Add(H(`</svg></td>`))
	}
	if c.Lined {
		w.Add(H(`<td class="cs`), rowClass(c.Heat), H(`">`))
		w.smallLine(c.Line)
		w.Add(H(`</td>`))
	}
	switch {
	case c.Name:
		w.Add(H(`<th scope="row"`))
		w.heatClass(false, c.Text, c.Heat)
		end = H(`</th>`)
	default:
		w.Add(H(`<td`))
		w.heatClass(c.Number, c.Text, c.Heat)
	}
	w.BeginLink(c.Way)
	switch {
	case c.Tone != "":
		w.Add(H(`<span class="pill`), toneClass(c.Tone), H(`">`), c.Text)
		w.toneSign(c.Tone)
		w.Add(H(`</span>`))
	case c.Missing:
		w.Add(H(`<span class="nil">`), c.Text, H(`</span>`))
	default:
		w.Add(c.Text)
	}
	w.EndLink(c.Way)
	w.Add(end)
}

// rowClass returns the class of a cell without a text in a row with a tone.
func rowClass(c canvas.Color) H {
	if c < canvas.HeatColor || c.Hue() != canvas.PaleHue {
		return ""
	}
	return H(" h" + strconv.Itoa(int(c-canvas.HeatColor)))
}

// smallLine draws a line in a cell. Its title describes the line for people who do not see it.
func (w *Painter) smallLine(l canvas.CellLine) {
	if l.Points == nil {
		return
	}
	w.Add(H(`<svg class="spark" viewBox="0 0 1000 1000" preserveAspectRatio="none" role="img"><title>`), l.Says, H(`</title>`))
	w.Curve(canvas.Curve{Points: l.Points, Color: l.Color, Thin: true})
	w.Add(H(`</svg>`))
}
