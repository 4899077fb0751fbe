package picture

import (
	"slices"
	"strings"

	"service/store/dashboard/canvas"
	"service/store/dashboard/scene"
)

// Tables on a scene, which cannot scroll: of many rows and columns the first are drawn, with the number of the others.

const (
	pictureRows  = 25  // of a table in a picture
	documentRows = 200 // of a table in a document, whose pages hold any number
	rowHigh      = 37.0
	leastColumn  = 56.0
	mostColumn   = 340.0
)

// A gridCell is a cell of a table during layout.
type gridCell struct {
	text   string
	style  scene.Style
	color  Rgba
	ground Rgba
	end    bool // it is aligned to the right
	middle bool
	tone   string
	left   float64 // further inside
	edge   bool    // a line on its left
}

// columnsOf distributes the width among columns by their wishes: a surplus is given to all, and a deficit is taken from the widest. It
// returns fewer columns if they would become too narrow.
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
	for sum > width+0.01 { // the widest shrink to the width of the next
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

// maxRows returns how many rows of a table are drawn.
func (w *Painter) maxRows() int {
	if w.BigList {
		return documentRows
	}
	return pictureRows
}

func (w *Painter) Table(t canvas.Table) {
	w.Y += 10
	style, headStyle := Regular(tableSize), Regular(12)
	rows := min(t.Rows, w.maxRows())
	if t.Rows == rows+1 {
		rows++ // its line would take as much room as the note that it is missing
	}
	// A head is over one column, or over two if its numbers have marks beside them.
	type part struct {
		head    int
		bar     bool
		line    bool
		natural float64
	}
	var parts []part
	cells := make([][]canvas.Cell, rows)
	for i := range cells {
		cells[i] = make([]canvas.Cell, len(t.Heads))
		for j := range t.Heads {
			cells[i][j] = t.Cell(i, j)
		}
	}
	for j, h := range t.Heads {
		if h.Barred {
			parts = append(parts, part{head: j, bar: true, natural: max(88, w.Wide*0.16)})
		}
		if h.Lined {
			parts = append(parts, part{head: j, line: true, natural: max(88, w.Wide*0.14)})
		}
		need := w.Letters.Width(h.Text, headStyle) + 20
		if h.Barred || h.Lined {
			need = 20
		}
		for i := range cells {
			need = max(need, w.cellNeeds(&cells[i][j], style))
		}
		if t.Foot != nil {
			need = max(need, w.Letters.Width(t.Foot[j].Text, Bold(tableSize))+20)
		}
		parts = append(parts, part{head: j, natural: min(need, mostColumn)})
	}
	wish, fixed := make([]float64, len(parts)), make([]bool, len(parts))
	for i, p := range parts {
		wish[i], fixed[i] = p.natural, p.bar || p.line
	}
	widths := columnsOf(wish, fixed, w.Wide)
	shown := parts[:len(widths)]
	for len(shown) > 0 && (shown[len(shown)-1].bar || shown[len(shown)-1].line) { // marks without their number
		shown = shown[:len(shown)-1]
	}
	head := w.beginHead()
	if t.Grouped() {
		x := w.X
		for i := 0; i < len(shown); {
			j, width, end := i, 0.0, t.GroupEnd(shown[i].head)
			for j < len(shown) && shown[j].head < end {
				width += widths[j]
				j++
			}
			if text := t.Heads[shown[i].head].Group; text != "" {
				w.drawCell(scene.Rect{X: x, Y: w.Y, W: width, H: 25}, gridCell{text: text, style: headStyle, color: Ink("mut"), middle: true})
				w.Rule(x+6, w.Y+25, width-12, Ink("line"))
			}
			x += width
			i = j
		}
		w.Y += 25
	}
	x, top := w.X, w.Y
	for i := 0; i < len(shown); {
		j, width := i, 0.0
		for j < len(shown) && shown[j].head == shown[i].head {
			width += widths[j]
			j++
		}
		h := t.Heads[shown[i].head]
		text := h.Text
		switch h.Sorted {
		case 1:
			text += " ▲"
		case -1:
			text += " ▼"
		}
		w.drawCell(scene.Rect{X: x, Y: top, W: width, H: 29}, gridCell{text: text, style: headStyle, color: Ink("mut"), end: h.Number})
		x += width
		i = j
	}
	w.Y = top + 29
	w.Rule(w.X, w.Y-1, w.Wide, Ink("line"))
	rowsEnd := head()
	if t.Rows == 0 && t.None != "" {
		w.Message(t.None, false)
	}
	drawRow := func(row []canvas.Cell, strong, last bool) {
		x := w.X
		for i, p := range shown {
			c := row[p.head]
			r := scene.Rect{X: x, Y: w.Y, W: widths[i], H: rowHigh}
			x += widths[i]
			if p.bar {
				if c.Barred {
					w.cellBar(r, c)
				}
				continue
			}
			if p.line {
				w.cellLine(r, c.Line)
				continue
			}
			w.drawCell(r, w.tableCell(c, strong))
		}
		w.Y += rowHigh
		if !last {
			w.Rule(w.X, w.Y-1, w.Wide, Ink("line"))
		}
		w.Weak = append(w.Weak, w.Y)
	}
	for i, row := range cells {
		drawRow(row, false, i == len(cells)-1)
	}
	if t.Foot != nil {
		w.Rule(w.X, w.Y-1, w.Wide, Ink("edge"))
		drawRow(t.Foot, true, true)
	}
	rowsEnd()
	left := 0
	if len(shown) < len(parts) {
		left = len(t.Heads) - 1
		if len(shown) > 0 {
			left -= shown[len(shown)-1].head
		}
	}
	w.leftOut(t.Rows-rows, left)
	if t.Pages != nil && t.Pages.Says != "" {
		w.Y += 6
		w.Paragraph(t.Pages.Says, Regular(12.5), LineHigh, Ink("mut"))
	}
}

// leftOut writes how many rows and columns of a table are not drawn.
func (w *Painter) leftOut(rows, columns int) {
	var texts []string
	if rows > 0 {
		texts = append(texts, w.Texts.Count(rows, "%d more row in the CSV.", "%d more rows in the CSV."))
	}
	if columns > 0 {
		texts = append(texts, w.Texts.Count(columns, "%d more column in the CSV.", "%d more columns in the CSV."))
	}
	for _, s := range texts {
		w.Y += 4
		w.Paragraph(s, Regular(12), LineHigh, Ink("mut"))
	}
}

// cellNeeds returns the width that a cell needs.
func (w *Painter) cellNeeds(c *canvas.Cell, style scene.Style) float64 {
	if c.Name {
		style = Bold(tableSize)
	}
	text, _ := beginning(c.Text, 300)
	width := w.Letters.Width(text, style) + 20
	if c.Tone != "" {
		width = w.Letters.Width(text, Bold(12)) + 20 + 14 + 13
	}
	return width
}

// tableCell returns a cell of a table for layout.
func (w *Painter) tableCell(c canvas.Cell, strong bool) gridCell {
	out := gridCell{text: c.Text, style: Regular(tableSize), color: Ink("ink"), end: c.Number, tone: c.Tone}
	if c.Name || strong {
		out.style = Bold(tableSize)
	}
	if c.Missing {
		out.color = Ink("mut")
	}
	if c.Heat > 0 {
		out.ground, out.color = fillOf(c.Heat), inkOver(c.Heat)
	}
	return out
}

// drawCell draws a cell at its place.
func (w *Painter) drawCell(r scene.Rect, c gridCell) {
	if c.ground.A > 0 {
		w.Box(scene.Rect{X: r.X + 1, Y: r.Y, W: r.W - 2, H: r.H - 1}, 0, c.ground)
	}
	if c.edge {
		w.Box(scene.Rect{X: r.X, Y: r.Y, W: 1, H: r.H}, 0, Ink("line"))
	}
	y := r.Y + Foot(c.style.Size, r.H)
	room := r.W - 20 - c.left
	if room < 8 {
		return
	}
	if c.tone != "" {
		text := w.Shorten(c.text, Bold(12), room-27)
		x := r.X + 10 + c.left
		if c.end {
			x = r.X + r.W - 10 - w.Letters.Width(text, Bold(12)) - 27
		}
		w.pill(x, y, text, c.tone, true)
		return
	}
	text := w.Shorten(c.text, c.style, room)
	switch {
	case c.end:
		w.putEnd(r.X+r.W-10, y, text, c.style, c.color)
	case c.middle:
		w.Put(r.X+(r.W-w.Letters.Width(text, c.style))/2, y, text, c.style, c.color)
	default:
		w.Put(r.X+10+c.left, y, text, c.style, c.color)
	}
}

// cellBar draws the bar beside a number.
func (w *Painter) cellBar(r scene.Rect, c canvas.Cell) {
	if c.Bar <= 0 {
		return
	}
	fill := Ink("tb")
	if c.Below {
		fill = Ink("nb")
	}
	w.Box(scene.Rect{X: r.X + 10, Y: r.Y + (r.H-14)/2, W: max((r.W-14)*min(c.Bar, 1), 1), H: 14}, 3, fill)
}

// cellLine draws the small line beside a number.
func (w *Painter) cellLine(r scene.Rect, l canvas.CellLine) {
	if l.Points == nil {
		return
	}
	x := w.Mirror(r.X, r.W)
	rtl := w.Rtl
	w.Rtl = false
	w.Plots = append(w.Plots, plotFrame{kind: canvas.SparkPicture, x: x + 10, y: r.Y + (r.H-20)/2, w: r.W - 14, h: 20, unit: 1})
	w.Curve(canvas.Curve{Points: l.Points, Color: l.Color, Thin: true})
	w.Plots = w.Plots[:len(w.Plots)-1]
	w.Rtl = rtl
}

func (w *Painter) CrossTable(t canvas.CrossTable) {
	w.Y += 10
	lines := min(t.Lines, w.maxRows())
	if t.Lines == lines+1 {
		lines++
	}
	drawn := make([]canvas.CrossLine, lines)
	name := w.Letters.Width(t.Corner, Regular(12)) + 20
	columns := 0
	if len(t.Heads) > 0 {
		for _, h := range t.Heads[0] {
			columns += h.Span
		}
	}
	wish := make([]float64, 1+columns)
	for i := range drawn {
		drawn[i] = t.Line(i)
		name = max(name, w.Letters.Width(drawn[i].Name, Bold(tableSize))+20+16*float64(drawn[i].Level))
		for j, c := range drawn[i].Cells {
			wish[1+j] = max(wish[1+j], w.Letters.Width(c.Text, Bold(tableSize))+20)
		}
	}
	wish[0] = min(name, mostColumn, w.Wide*0.4)
	for i := range wish[1:] {
		wish[1+i] = max(wish[1+i], 44)
	}
	widths, broken := w.crossWidths(t.Heads, wish)
	shown := len(widths) - 1
	from := func(column int) float64 { // where a column begins
		x := w.X
		for _, v := range widths[:min(1+column, len(widths))] {
			x += v
		}
		return x
	}
	const headHigh = 29.0
	head, top := w.beginHead(), w.Y
	for row := range t.Heads {
		for at, h := range headsAt(t.Heads, row) {
			if h == nil || at >= shown {
				continue
			}
			end := min(at+h.Span, shown)
			r := scene.Rect{X: from(at), Y: top + float64(row)*headHigh, W: from(end) - from(at), H: headHigh * float64(max(h.Deep, 1))}
			c := gridCell{text: h.Text, style: Regular(12), color: Ink("mut"), end: h.Span == 1, middle: h.Span > 1, edge: h.Span > 1}
			if h.Deep > 1 { // it is at the bottom
				r.Y, r.H = r.Y+r.H-headHigh, headHigh
			}
			if broken && row+max(h.Deep, 1) == len(t.Heads) {
				lines := w.Wrap(h.Text, c.style, r.W-20)
				if len(lines) > 1 {
					c.text = lines[0]
					w.drawCell(r, c)
					c.text = strings.Join(lines[1:], " ")
				}
				r.Y += headLine
			}
			w.drawCell(r, c)
		}
	}
	high := headHigh * float64(max(len(t.Heads), 1))
	if broken {
		high += headLine
	}
	corner := scene.Rect{X: w.X, Y: top + high - headHigh, W: widths[0], H: headHigh}
	w.drawCell(corner, gridCell{text: t.Corner, style: Regular(12), color: Ink("mut")})
	w.Y = top + high
	w.Rule(w.X, w.Y-1, w.Wide, Ink("line"))
	rowsEnd := head()
	for i, line := range drawn {
		if line.Total {
			w.Rule(w.X, w.Y-1, w.Wide, Ink("ctl"))
		}
		style := Bold(tableSize)
		if line.Level > 0 && !line.Group {
			style = Regular(tableSize)
		}
		r := scene.Rect{X: w.X, Y: w.Y, W: widths[0], H: rowHigh}
		if line.Group && len(line.Cells) == 0 {
			r.W = w.Wide
		}
		w.drawCell(r, gridCell{text: line.Name, style: style, color: Ink("ink"), left: 16 * float64(line.Level)})
		for j, c := range line.Cells[:min(len(line.Cells), shown)] {
			cell := gridCell{text: c.Text, style: Regular(tableSize), color: Ink("ink"), end: true, edge: c.Total}
			switch {
			case c.Color != 0:
				cell.ground, cell.color = fillOf(c.Color), inkOver(c.Color)
			case c.Missing:
				cell.color = Ink("mut")
			}
			if c.Total || line.Total || line.Group {
				cell.style = Bold(tableSize)
			}
			x := from(j)
			w.drawCell(scene.Rect{X: x, Y: w.Y, W: widths[1+j], H: rowHigh}, cell)
		}
		w.Y += rowHigh
		if i < len(drawn)-1 {
			w.Rule(w.X, w.Y-1, w.Wide, Ink("line"))
		}
		w.Weak = append(w.Weak, w.Y)
	}
	rowsEnd()
	w.leftOut(t.Lines-lines, columns-shown)
}

// headLine is the distance of the two lines of a head, in pixels.
const headLine = 15.0

// crossWidths returns the widths of the columns of a cross table, of which wish has those that their cells need; that of the names of rows
// is the first. If the heads do not fit in one line, they have two, and the names of rows keep their width if the cells have theirs.
func (w *Painter) crossWidths(heads [][]canvas.CrossHead, wish []float64) (widths []float64, broken bool) {
	one, two := slices.Clone(wish), slices.Clone(wish)
	if n := len(heads); n > 0 { // the heads over one column each
		for at, h := range headsAt(heads, n-1) {
			if h == nil || h.Span != 1 {
				continue
			}
			wide, half := w.Letters.Width(h.Text, Regular(12)), 0.0
			one[1+at] = max(one[1+at], min(wide+20, 160))
			for half = wide / 2; half < wide && len(w.Wrap(h.Text, Regular(12), half+1)) > 2; half += 4 {
			}
			two[1+at] = max(two[1+at], min(half+22, 160))
		}
	}
	sum := func(of []float64) (out float64) {
		for _, v := range of {
			out += v
		}
		return out
	}
	fixed := make([]bool, len(wish))
	switch {
	case sum(one) <= w.Wide || len(wish) < 2:
		return columnsOf(one, fixed, w.Wide), false
	case sum(wish) > w.Wide:
		return columnsOf(two, fixed, w.Wide), true
	}
	return append(wish[:1:1], columnsOf(two[1:], fixed[1:], w.Wide-wish[0])...), true
}

// beginHead begins the head of a table. The result is called at the end of the head, and what that returns at the end of the rows.
func (w *Painter) beginHead() func() func() {
	from, top := len(w.Items), w.Y
	return func() func() {
		h := scene.Head{Items: slices.Clone(w.Items[from:]), From: top, To: w.Y}
		return func() {
			if h.End = w.Y; w.Mute == 0 {
				w.Heads = append(w.Heads, h)
			}
		}
	}
}

// headsAt returns the heads of a row by the column at which each begins; nil for other columns.
func headsAt(rows [][]canvas.CrossHead, row int) map[int]*canvas.CrossHead {
	taken := map[int]int{} // by column, the row up to which a head from above reaches
	out := map[int]*canvas.CrossHead{}
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
			for k := range max(h.Span, 1) {
				taken[at+k] = i + max(h.Deep, 1)
			}
			at += max(h.Span, 1)
		}
	}
	return out
}
