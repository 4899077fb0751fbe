package page

import (
	"slices"

	"service/store/dashboard/scene"
)

// Tables on a scene, which has no room to scroll: of many rows and columns the first are drawn, and
// how many others there are is said.

const (
	pictureRows  = 25  // of a table in a picture
	documentRows = 200 // and in a document, whose pages hold any number
	rowHigh      = 37.0
	leastColumn  = 56.0
	mostColumn   = 340.0
)

// A gridCell is a cell of a table as it is laid out.
type gridCell struct {
	text   string
	style  scene.Style
	color  rgba
	ground rgba
	end    bool // it stands on the right
	middle bool
	tone   string
	left   float64 // further inside
	edge   bool    // a line on its left
}

// columnsOf shares the width among columns that would like to have some: what is over goes to all,
// and what is lacking is taken from the widest. It returns fewer where they would become too narrow.
func columnsOf(wish []float64, fixed []bool, width float64) []float64 {
	least := 0.0
	n := 0
	for ; n < len(wish); n++ {
		if least += min(wish[n], leastColumn); least > width && n > 0 {
			break
		}
	}
	out := slices.Clone(wish[:n])
	sum := 0.0
	for _, v := range out {
		sum += v
	}
	if sum < width {
		flexible := 0.0
		for i, v := range out {
			if !fixed[i] {
				flexible += v
			}
		}
		for i, v := range out {
			if !fixed[i] {
				out[i] += (width - sum) * v / flexible
			} else if flexible == 0 {
				out[i] += (width - sum) / float64(n)
			}
		}
		return out
	}
	for sum > width+0.01 { // the widest come down to the next
		most := slices.Max(out)
		next, count := 0.0, 0.0
		for _, v := range out {
			if v < most-0.01 {
				next = max(next, v)
			} else {
				count++
			}
		}
		cut := min(most-max(next, min(leastColumn, most)), (sum-width)/count)
		if cut <= 0.001 {
			cut = (sum - width) / count
		}
		for i, v := range out {
			if v >= most-0.01 {
				out[i] -= cut
			}
		}
		sum -= cut * count
	}
	return out
}

// maxRows is how many rows of a table are drawn.
func (w *scenePainter) maxRows() int {
	if w.bigList {
		return documentRows
	}
	return pictureRows
}

func (w *scenePainter) table(t table) {
	w.y += 10
	style, headStyle := regular(tableSize), regular(12)
	rows := min(t.rows, w.maxRows())
	if t.rows == rows+1 {
		rows++ // its line would take as much room as saying that it is missing
	}
	// A head stands over one column, or over two where marks stand beside its numbers.
	type part struct {
		head    int
		bar     bool
		line    bool
		natural float64
	}
	var parts []part
	cells := make([][]cell, rows)
	for i := range cells {
		cells[i] = make([]cell, len(t.heads))
		for j := range t.heads {
			cells[i][j] = t.cell(i, j)
		}
	}
	for j, h := range t.heads {
		if h.barred {
			parts = append(parts, part{head: j, bar: true, natural: max(88, w.wide*0.16)})
		}
		if h.lined {
			parts = append(parts, part{head: j, line: true, natural: max(88, w.wide*0.14)})
		}
		need := w.letters.Width(h.text, headStyle) + 20
		if h.barred || h.lined {
			need = 20
		}
		for i := range cells {
			need = max(need, w.cellNeeds(&cells[i][j], style))
		}
		if t.foot != nil {
			need = max(need, w.letters.Width(t.foot[j].text, bold(tableSize))+20)
		}
		parts = append(parts, part{head: j, natural: min(need, mostColumn)})
	}
	wish, fixed := make([]float64, len(parts)), make([]bool, len(parts))
	for i, p := range parts {
		wish[i], fixed[i] = p.natural, p.bar || p.line
	}
	widths := columnsOf(wish, fixed, w.wide)
	shown := parts[:len(widths)]
	for len(shown) > 0 && (shown[len(shown)-1].bar || shown[len(shown)-1].line) { // marks without their number
		shown = shown[:len(shown)-1]
	}
	// Heads.
	x, top := w.x, w.y
	for i := 0; i < len(shown); {
		j, width := i, 0.0
		for j < len(shown) && shown[j].head == shown[i].head {
			width += widths[j]
			j++
		}
		h := t.heads[shown[i].head]
		text := h.text
		switch h.sorted {
		case 1:
			text += " ▲"
		case -1:
			text += " ▼"
		}
		w.drawCell(scene.Rect{X: x, Y: top, W: width, H: 29}, gridCell{text: text, style: headStyle, color: ink("mut"), end: h.number})
		x += width
		i = j
	}
	w.y = top + 29
	w.rule(w.x, w.y-1, w.wide, ink("line"))
	if t.rows == 0 && t.none != "" {
		w.message(t.none, false)
	}
	drawRow := func(row []cell, strong, last bool) {
		x := w.x
		for i, p := range shown {
			c := row[p.head]
			r := scene.Rect{X: x, Y: w.y, W: widths[i], H: rowHigh}
			x += widths[i]
			if p.bar {
				if c.barred {
					w.cellBar(r, c)
				}
				continue
			}
			if p.line {
				w.cellLine(r, c.line)
				continue
			}
			w.drawCell(r, w.tableCell(c, strong))
		}
		w.y += rowHigh
		if !last {
			w.rule(w.x, w.y-1, w.wide, ink("line"))
		}
		w.weak = append(w.weak, w.y)
	}
	for i, row := range cells {
		drawRow(row, false, i == len(cells)-1)
	}
	if t.foot != nil {
		w.rule(w.x, w.y-1, w.wide, ink("edge"))
		drawRow(t.foot, true, true)
	}
	left := 0
	if len(shown) < len(parts) {
		left = len(t.heads) - 1
		if len(shown) > 0 {
			left -= shown[len(shown)-1].head
		}
	}
	w.leftOut(t.rows-rows, left)
	if t.pages != nil && t.pages.says != "" {
		w.y += 6
		w.paragraph(t.pages.says, regular(12.5), lineHigh, ink("mut"))
	}
}

// leftOut says how many rows and columns of a table are not drawn.
func (w *scenePainter) leftOut(rows, columns int) {
	var texts []string
	if rows > 0 {
		texts = append(texts, w.texts.Count(rows, "%d more row in the CSV.", "%d more rows in the CSV."))
	}
	if columns > 0 {
		texts = append(texts, w.texts.Count(columns, "%d more column in the CSV.", "%d more columns in the CSV."))
	}
	for _, s := range texts {
		w.y += 4
		w.paragraph(s, regular(12), lineHigh, ink("mut"))
	}
}

// cellNeeds is how wide a cell would like to be.
func (w *scenePainter) cellNeeds(c *cell, style scene.Style) float64 {
	if c.name {
		style = bold(tableSize)
	}
	text, _ := beginning(c.text, 300)
	width := w.letters.Width(text, style) + 20
	if c.tone != "" {
		width = w.letters.Width(text, bold(12)) + 20 + 14 + 13
	}
	return width
}

// tableCell is a cell of a table as it is laid out.
func (w *scenePainter) tableCell(c cell, strong bool) gridCell {
	out := gridCell{text: c.text, style: regular(tableSize), color: ink("ink"), end: c.number, tone: c.tone}
	if c.name || strong {
		out.style = bold(tableSize)
	}
	if c.missing {
		out.color = ink("mut")
	}
	if c.heat > 0 {
		out.ground, out.color = fillOf(c.heat), inkOver(c.heat)
	}
	return out
}

// drawCell draws a cell at its place.
func (w *scenePainter) drawCell(r scene.Rect, c gridCell) {
	if c.ground.A > 0 {
		w.box(scene.Rect{X: r.X + 1, Y: r.Y, W: r.W - 2, H: r.H - 1}, 0, c.ground)
	}
	if c.edge {
		w.box(scene.Rect{X: r.X, Y: r.Y, W: 1, H: r.H}, 0, ink("line"))
	}
	y := r.Y + foot(c.style.Size, r.H)
	room := r.W - 20 - c.left
	if room < 8 {
		return
	}
	if c.tone != "" {
		text := w.shorten(c.text, bold(12), room-27)
		x := r.X + 10 + c.left
		if c.end {
			x = r.X + r.W - 10 - w.letters.Width(text, bold(12)) - 27
		}
		w.pill(x, y, text, c.tone, true)
		return
	}
	text := w.shorten(c.text, c.style, room)
	switch {
	case c.end:
		w.putEnd(r.X+r.W-10, y, text, c.style, c.color)
	case c.middle:
		w.put(r.X+(r.W-w.letters.Width(text, c.style))/2, y, text, c.style, c.color)
	default:
		w.put(r.X+10+c.left, y, text, c.style, c.color)
	}
}

// cellBar draws the bar beside a number.
func (w *scenePainter) cellBar(r scene.Rect, c cell) {
	if c.bar <= 0 {
		return
	}
	fill := ink("tb")
	if c.below {
		fill = ink("nb")
	}
	w.box(scene.Rect{X: r.X + 10, Y: r.Y + (r.H-14)/2, W: max((r.W-14)*min(c.bar, 1), 1), H: 14}, 3, fill)
}

// cellLine draws the small line beside a number.
func (w *scenePainter) cellLine(r scene.Rect, l cellLine) {
	if l.points == nil {
		return
	}
	x := w.mirror(r.X, r.W)
	rtl := w.rtl
	w.rtl = false
	w.plots = append(w.plots, plotFrame{kind: sparkPicture, x: x + 10, y: r.Y + (r.H-20)/2, w: r.W - 14, h: 20, unit: 1})
	w.curve(curve{points: l.points, color: l.color, thin: true})
	w.plots = w.plots[:len(w.plots)-1]
	w.rtl = rtl
}

func (w *scenePainter) crossTable(t crossTable) {
	w.y += 10
	lines := min(t.lines, w.maxRows())
	if t.lines == lines+1 {
		lines++
	}
	drawn := make([]crossLine, lines)
	name := w.letters.Width(t.corner, regular(12)) + 20
	columns := 0
	if len(t.heads) > 0 {
		for _, h := range t.heads[0] {
			columns += h.span
		}
	}
	wish := make([]float64, 1+columns)
	for i := range drawn {
		drawn[i] = t.line(i)
		name = max(name, w.letters.Width(drawn[i].name, bold(tableSize))+20+16*float64(drawn[i].level))
		for j, c := range drawn[i].cells {
			wish[1+j] = max(wish[1+j], w.letters.Width(c.text, bold(tableSize))+20)
		}
	}
	wish[0] = min(name, mostColumn, w.wide*0.4)
	if n := len(t.heads); n > 0 { // the heads over one column each
		for at, h := range headsAt(t.heads, n-1) {
			if h != nil && h.span == 1 {
				wish[1+at] = max(wish[1+at], min(w.letters.Width(h.text, regular(12))+20, 160))
			}
		}
	}
	for i := range wish[1:] {
		wish[1+i] = max(wish[1+i], 44)
	}
	widths := columnsOf(wish, make([]bool, len(wish)), w.wide)
	shown := len(widths) - 1
	from := func(column int) float64 { // where a column begins
		x := w.x
		for _, v := range widths[:min(1+column, len(widths))] {
			x += v
		}
		return x
	}
	const headHigh = 29.0
	top := w.y
	for row := range t.heads {
		for at, h := range headsAt(t.heads, row) {
			if h == nil || at >= shown {
				continue
			}
			end := min(at+h.span, shown)
			r := scene.Rect{X: from(at), Y: top + float64(row)*headHigh, W: from(end) - from(at), H: headHigh * float64(max(h.deep, 1))}
			c := gridCell{text: h.text, style: regular(12), color: ink("mut"), end: h.span == 1, middle: h.span > 1, edge: h.span > 1}
			if h.deep > 1 { // it stands at the foot
				r.Y, r.H = r.Y+r.H-headHigh, headHigh
			}
			w.drawCell(r, c)
		}
	}
	high := headHigh * float64(max(len(t.heads), 1))
	corner := scene.Rect{X: w.x, Y: top + high - headHigh, W: widths[0], H: headHigh}
	w.drawCell(corner, gridCell{text: t.corner, style: regular(12), color: ink("mut")})
	w.y = top + high
	w.rule(w.x, w.y-1, w.wide, ink("line"))
	for i, line := range drawn {
		if line.total {
			w.rule(w.x, w.y-1, w.wide, ink("ctl"))
		}
		style := bold(tableSize)
		if line.level > 0 && !line.group {
			style = regular(tableSize)
		}
		r := scene.Rect{X: w.x, Y: w.y, W: widths[0], H: rowHigh}
		if line.group && len(line.cells) == 0 {
			r.W = w.wide
		}
		w.drawCell(r, gridCell{text: line.name, style: style, color: ink("ink"), left: 16 * float64(line.level)})
		for j, c := range line.cells[:min(len(line.cells), shown)] {
			cell := gridCell{text: c.text, style: regular(tableSize), color: ink("ink"), end: true, edge: c.total}
			switch {
			case c.color != 0:
				cell.ground, cell.color = fillOf(c.color), inkOver(c.color)
			case c.missing:
				cell.color = ink("mut")
			}
			if c.total || line.total || line.group {
				cell.style = bold(tableSize)
			}
			x := from(j)
			w.drawCell(scene.Rect{X: x, Y: w.y, W: widths[1+j], H: rowHigh}, cell)
		}
		w.y += rowHigh
		if i < len(drawn)-1 {
			w.rule(w.x, w.y-1, w.wide, ink("line"))
		}
		w.weak = append(w.weak, w.y)
	}
	w.leftOut(t.lines-lines, columns-shown)
}

// headsAt are the heads of a row by the column that each begins at; nil where none does.
func headsAt(rows [][]crossHead, row int) map[int]*crossHead {
	taken := map[int]int{} // by column, the row up to which a head from above reaches
	out := map[int]*crossHead{}
	for i := 0; i <= row; i++ {
		at := 0
		for j := range rows[i] {
			h := &rows[i][j]
			for taken[at] > i {
				at++
			}
			if i == row {
				out[at] = h
			}
			for k := range max(h.span, 1) {
				taken[at+k] = i + max(h.deep, 1)
			}
			at += max(h.span, 1)
		}
	}
	return out
}
