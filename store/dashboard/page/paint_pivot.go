package page

// crossTable writes a table with heads over heads and, for each group of lines, a head of
// its own. All names of lines stand in one column, so that they stay in sight on a phone.
func (w *htmlPainter) crossTable(t crossTable) {
	w.height += 20 + 30*len(t.heads) + min(t.lines*37, tableHeight)
	w.add(h(`<div class="tw pv`))
	if t.lines > seenRows {
		w.add(h(` tall`))
	}
	w.named(t.lines, func(i int) string { return t.line(i).name })
	w.add(h(`" tabindex="0" role="group" aria-label="`), t.title, h(`"><table><thead>`))
	columns := 0
	for i, row := range t.heads {
		w.add(h(`<tr>`))
		if i == 0 {
			w.add(h(`<th scope="col"`))
			w.span(h(` rowspan="`), len(t.heads))
			w.cellClass(false, t.corner)
			w.add(t.corner, h(`</th>`))
		}
		for _, c := range row {
			if i == 0 {
				columns += c.span
			}
			w.crossHead(c)
		}
		w.add(h(`</tr>`))
	}
	w.add(h(`</thead><tbody>`))
	for i := range t.lines {
		if w.full() {
			break
		}
		line := t.line(i)
		if line.group && line.level == 0 && i > 0 {
			w.add(h(`</tbody><tbody>`))
		}
		if line.total {
			w.add(h(`</tbody><tbody class="tt">`))
		}
		w.crossLine(line, columns)
	}
	w.add(h(`</tbody></table></div>`))
}

// span writes how many rows or columns a head spans, where it is not one.
func (w *htmlPainter) span(name h, n int) {
	if n > 1 {
		w.add(name, n, h(`"`))
	}
}

func (w *htmlPainter) crossHead(c crossHead) {
	if c.span > 1 {
		w.add(h(`<th scope="colgroup"`))
	} else {
		w.add(h(`<th scope="col"`))
	}
	w.span(h(` colspan="`), c.span)
	w.span(h(` rowspan="`), c.deep)
	w.cellClass(c.span == 1, c.text)
	w.beginLink(c.way)
	w.add(clip(c.text, maxCell))
	w.endLink(c.way)
	w.add(h(`</th>`))
}

func (w *htmlPainter) crossLine(line crossLine, columns int) {
	w.add(h(`<tr`))
	if line.group {
		w.add(h(` class="gp"`))
	}
	if line.group {
		w.add(h(`><th scope="rowgroup"`))
	} else {
		w.add(h(`><th scope="row"`))
	}
	if line.group && len(line.cells) == 0 {
		w.span(h(` colspan="`), columns+1)
	}
	if line.level > 0 {
		w.add(h(` data-l="`), line.level, h(`"`))
	}
	w.cellClass(false, line.name)
	w.beginLink(line.way)
	w.add(clip(line.name, maxCell))
	w.endLink(line.way)
	w.add(h(`</th>`))
	for _, c := range line.cells {
		w.raw(`<td class="`)
		switch {
		case c.color != 0:
			w.raw(`h`)
			w.num(int(c.color - heatColor))
			w.raw(inkOn(c.color))
		case c.total:
			w.raw(`to`)
		}
		if c.missing {
			w.raw(` nil`)
		}
		w.raw(` r">`)
		w.beginLink(c.way)
		w.esc(c.text)
		w.endLink(c.way)
		w.raw(`</td>`)
	}
	w.add(h(`</tr>`))
}
