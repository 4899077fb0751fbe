package html

import (
	"service/store/dashboard/canvas"
)

// CrossTable writes a table with heads over heads and, for each group of lines, a head of its own. All names of lines are in one column, so
// that they stay visible on a phone.
func (w *Painter) CrossTable(t canvas.CrossTable) {
	w.Height += 20 + 30*len(t.Heads) + tableSize(t.Lines)
	w.Add(H(`<div class="tw pv`))
	if t.Lines > seenRows {
		w.Add(H(` tall`))
	}
	w.named(t.Lines, func(i int) string { return t.Line(i).Name })
	w.Add(H(`" tabindex="0" role="group" aria-label="`), t.Title, H(`"><table><thead>`))
	columns := 0
	for i, row := range t.Heads {
		w.Add(H(`<tr>`))
		if i == 0 {
			w.Add(H(`<th scope="col"`))
			w.span(H(` rowspan="`), len(t.Heads))
			w.cellClass(false, t.Corner)
			w.Add(t.Corner, H(`</th>`))
		}
		for _, c := range row {
			if i == 0 {
				columns += c.Span
			}
			w.crossHead(c)
		}
		w.Add(H(`</tr>`))
	}
	w.Add(H(`</thead><tbody>`))
	for i := range t.Lines {
		if w.Full() {
			break
		}
		line := t.Line(i)
		if line.Group && line.Level == 0 && i > 0 {
			w.Add(H(`</tbody><tbody>`))
		}
		if line.Total {
			w.Add(H(`</tbody><tbody class="tt">`))
		}
		w.crossLine(line, columns)
	}
	w.Add(H(`</tbody></table></div>`))
}

// span writes how many rows or columns a head spans, unless it is one.
func (w *Painter) span(name H, n int) {
	if n > 1 {
		w.Add(name, n, H(`"`))
	}
}

func (w *Painter) crossHead(c canvas.CrossHead) {
	if c.Span > 1 {
		w.Add(H(`<th scope="colgroup"`))
	} else {
		w.Add(H(`<th scope="col"`))
	}
	w.span(H(` colspan="`), c.Span)
	w.span(H(` rowspan="`), c.Deep)
	w.cellClass(c.Span == 1, c.Text)
	w.BeginLink(c.Way)
	w.Add(canvas.Clip(c.Text, canvas.MaxCell))
	w.EndLink(c.Way)
	w.Add(H(`</th>`))
}

func (w *Painter) crossLine(line canvas.CrossLine, columns int) {
	w.Add(H(`<tr`))
	if line.Group {
		w.Add(H(` class="gp"`))
	}
	if line.Group {
		w.Add(H(`><th scope="rowgroup"`))
	} else {
		w.Add(H(`><th scope="row"`))
	}
	if line.Group && len(line.Cells) == 0 {
		w.span(H(` colspan="`), columns+1)
	}
	if line.Level > 0 {
		w.Add(H(` data-l="`), line.Level, H(`"`))
	}
	w.cellClass(false, line.Name)
	w.BeginLink(line.Way)
	w.Add(canvas.Clip(line.Name, canvas.MaxCell))
	w.EndLink(line.Way)
	w.Add(H(`</th>`))
	for _, c := range line.Cells {
		w.Raw(`<td class="`)
		switch {
		case c.Color != 0:
			w.Raw(`h`)
			w.num(int(c.Color - canvas.HeatColor))
			w.Raw(InkOn(c.Color))
		case c.Total:
			w.Raw(`to`)
		}
		if c.Missing {
			w.Raw(` nil`)
		}
		w.Raw(` r">`)
		w.BeginLink(c.Way)
		w.Esc(c.Text)
		w.EndLink(c.Way)
		w.Raw(`</td>`)
	}
	w.Add(H(`</tr>`))
}
