package page

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"service/store/dashboard/scene"
)

// Texts on a scene: the HTML that Markdown became, laid out. Its elements are few: those that
// [policy] lets through.

// A word is a piece of a line that is not cut.
type word struct {
	text  string // without the space after it
	space bool   // there is one
	brk   bool   // the line ends after it
	inlineLook
}

type inlineLook struct {
	face   scene.Face
	color  rgba
	code   bool
	strike bool
	under  bool
	link   string
}

// A textFlow lays out blocks one below another.
type textFlow struct {
	*scenePainter
	size, high float64
	margin     float64 // that the next block keeps, at least
	first      bool    // nothing was drawn yet
	words      []word
	color      rgba
}

func (w *scenePainter) richText(t formatted) {
	w.y += 2
	words := letters(t.plain())
	from, top, weak, most := len(w.Items), w.y, len(w.weak), w.most
	x, width := w.x, w.wide
	columns := words > 700 && width >= 760
	if columns {
		w.wide = (width - 36) / 2
		w.most += w.most - w.y // one half is laid beside the other
	}
	size := bodySize
	if w.article {
		size = 16
	}
	w.markup(t.markup(), size, lineHigh+map[bool]float64{true: 0.2}[size == 16])
	w.endText(from, weak)
	w.x, w.wide, w.most = x, width, most
	if columns && w.mute == 0 {
		w.intoColumns(from, top, weak)
	}
}

// endText cuts a text of a picture that was laid out as far as the picture reaches.
func (w *scenePainter) endText(from, weak int) {
	if !w.bigList {
		w.endAt(w.most, from, weak)
	}
}

// markup lays out the HTML of a text.
func (w *scenePainter) markup(text string, size, high float64) {
	nodes, err := html.ParseFragment(strings.NewReader(text), &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div})
	if err != nil {
		return // a string can be read
	}
	f := &textFlow{scenePainter: w, size: size, high: high, first: true, color: ink("ink")}
	for _, n := range nodes {
		f.node(n, inlineLook{color: f.color})
	}
	f.flush()
}

// intoColumns moves the second half of a text beside the first.
func (w *scenePainter) intoColumns(from int, top float64, weak int) {
	half, at := (w.y-top)/2, 0.0
	for _, y := range w.weak[weak:] {
		if at = y; y-top >= half {
			break
		}
	}
	if at <= top || at >= w.y {
		return
	}
	dx := (w.wide-36)/2 + 36
	if w.rtl {
		dx = -dx
	}
	for i := from; i < len(w.Items); i++ {
		if b := w.Items[i].Bounds(); b.Y+b.H/2 > at {
			w.Move(i, i+1, dx, top-at)
		}
	}
	w.weak = w.weak[:weak]
	w.y = max(at, top+w.y-at)
}

// gap keeps a distance from the block before.
func (f *textFlow) gap(before float64) {
	if !f.first {
		f.y += max(before, f.margin)
	}
	f.margin, f.first = 0, false
}

// full reports whether what comes next is below what is drawn.
func (f *textFlow) full() bool { return f.y > f.most }

func (f *textFlow) node(n *html.Node, look inlineLook) {
	if f.full() {
		return
	}
	switch n.Type {
	case html.TextNode:
		f.text(n.Data, look)
		return
	case html.ElementNode:
	default:
		return
	}
	switch n.DataAtom {
	case atom.Strong:
		look.face = scene.Bold
	case atom.Em:
		if look.face == scene.Regular {
			look.face = scene.Italic
		}
	case atom.Del:
		look.strike = true
	case atom.Code:
		look.face, look.code = scene.Mono, true
	case atom.A:
		look.color, look.under = ink("acc"), true
		for _, a := range n.Attr {
			if a.Key == "href" && absolute(a.Val) {
				look.link = a.Val
			}
		}
	case atom.Br:
		if len(f.words) > 0 {
			f.words[len(f.words)-1].brk = true
		}
		return
	case atom.P, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Ul, atom.Ol, atom.Li, atom.Blockquote, atom.Pre, atom.Table, atom.Hr:
		f.flush()
		f.block(n, look)
		return
	}
	f.inside(n, look)
}

func (f *textFlow) inside(n *html.Node, look inlineLook) {
	for c := range n.ChildNodes() {
		f.node(c, look)
	}
}

// text gathers words for the next lines.
func (f *textFlow) text(s string, look inlineLook) {
	if s == "" {
		return
	}
	if strings.TrimLeft(s, " \n\t\r") != s && len(f.words) > 0 {
		f.words[len(f.words)-1].space = true
	}
	fields := strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == '\n' || r == '\t' || r == '\r' })
	for i, field := range fields {
		pieces := breakable(field)
		for j, piece := range pieces {
			last := j == len(pieces)-1
			space := last && (i < len(fields)-1 || strings.TrimRight(s, " \n\t\r") != s)
			f.words = append(f.words, word{text: piece, inlineLook: look, space: space})
		}
	}
}

// flush writes the words that were gathered as a paragraph.
func (f *textFlow) flush() {
	if len(f.words) == 0 {
		return
	}
	words := f.words
	f.words = nil
	f.gap(0)
	f.lines(words, f.size, f.high)
}

// codeSide is how far the ground of code reaches beyond its letters.
const codeSide = 3.0

// wordWidth is how wide a word is.
func (f *textFlow) wordWidth(wd word, size float64) float64 {
	width := f.letters.Width(wd.text, f.style(wd.inlineLook, size))
	if wd.code {
		width += 2 * codeSide // of several words of code it is too much, which leaves the line shorter
	}
	return width
}

func (f *textFlow) style(l inlineLook, size float64) scene.Style {
	if l.code {
		size *= 12.5 / 14
	}
	return scene.Style{Face: l.face, Size: size}
}

// lines writes words in lines of the frame.
func (f *textFlow) lines(words []word, size, high float64) {
	lineHigh := size * high
	space := f.letters.Width(" ", regular(size))
	var line []word
	used := 0.0
	end := func() {
		f.oneLine(line, size, lineHigh, space)
		line, used = line[:0], 0
	}
	joined := 0.0 // width of the pieces at the end of the line that cannot be parted from the next
	for i, wd := range words {
		if f.full() {
			return
		}
		width := f.wordWidth(wd, size)
		for width > f.wide && f.wide > size {
			if len(line) > 0 {
				end()
			}
			n := f.fitting(wd.text, f.style(wd.inlineLook, size), f.wide)
			if n >= len(wd.text) {
				break
			}
			part := wd
			part.text, part.space = wd.text[:n], false
			line = append(line, part)
			end()
			wd.text = wd.text[n:]
			width = f.wordWidth(wd, size)
		}
		// What stands together without a space, such as a word and a full stop in another face, stays together.
		glued := i > 0 && !words[i-1].space && !words[i-1].brk && words[i-1].inlineLook != wd.inlineLook && len(line) > 0
		if used+width > f.wide+0.01 && len(line) > 0 {
			if glued && len(line) > 1 && joined+width <= f.wide {
				last := line[len(line)-1]
				line = line[:len(line)-1]
				end()
				line = append(line, last)
				used = f.wordWidth(last, size)
			} else if !glued || used > 0 {
				end()
			}
		}
		line = append(line, wd)
		used += width
		joined = width
		if wd.space {
			used += space
		}
		if wd.brk {
			end()
		}
	}
	if len(line) > 0 {
		end()
	}
}

// oneLine writes a line: words that look the same are one text.
func (f *textFlow) oneLine(line []word, size, high, space float64) {
	if len(line) == 0 {
		f.y += high
		return
	}
	x, y := f.x, f.y+foot(size, high)
	for i := 0; i < len(line); {
		j := i
		text := ""
		for ; j < len(line) && line[j].inlineLook == line[i].inlineLook; j++ {
			text += line[j].text
			if line[j].space && j+1 < len(line) && line[j+1].inlineLook == line[i].inlineLook {
				text += " "
			}
		}
		l := line[i]
		style := f.style(l.inlineLook, size)
		if l.code {
			width := f.letters.Width(text, style)
			f.box(scene.Rect{X: x, Y: y - size*0.85, W: width + 2*codeSide, H: size * 1.2}, 4, ink("neub"))
			x += codeSide
		}
		x += f.putText(&scene.Text{
			X: x, Y: y, Text: text, Style: style, Color: l.color, Strike: l.strike, Underline: l.under, Link: l.link,
		})
		if l.code {
			x += codeSide
		}
		if line[j-1].space {
			x += space
		}
		i = j
	}
	f.y += high
	f.weak = append(f.weak, f.y)
}

func (f *textFlow) block(n *html.Node, look inlineLook) {
	em := f.size
	switch n.DataAtom {
	case atom.P:
		f.gap(em)
		f.first = false
		words := f.gather(n, look)
		f.lines(words, f.size, f.high)
		f.margin = em
	case atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		size := 15.0
		if n.DataAtom == atom.H2 {
			size = 17
		}
		size *= f.size / bodySize
		f.gap(size * 1.3)
		look.face = scene.Bold
		f.lines(f.gather(n, look), size, 1.3)
		if k := len(f.weak); k > 0 {
			f.weak = f.weak[:k-1] // a heading stays with what it is over
		}
		f.margin = size * 0.4
	case atom.Ul, atom.Ol:
		f.gap(em)
		number := 1
		for _, a := range n.Attr {
			if a.Key == "start" {
				number, _ = strconv.Atoi(a.Val)
			}
		}
		f.x, f.wide = f.x+28, f.wide-28
		for c := range n.ChildNodes() {
			if c.DataAtom != atom.Li {
				continue
			}
			f.flush()
			f.gap(2)
			mark := "•"
			if n.DataAtom == atom.Ol {
				mark = strconv.Itoa(number) + "."
				number++
			}
			f.putEnd(f.x-7, f.y+foot(f.size, f.size*f.high), mark, regular(f.size), f.color)
			f.first = true
			f.inside(c, look)
			f.flush()
			f.first = false
		}
		f.x, f.wide = f.x-28, f.wide+28
		f.margin = em
		if n.Parent != nil && n.Parent.DataAtom == atom.Li {
			f.margin = 2
		}
	case atom.Li:
		f.inside(n, look)
		f.flush()
	case atom.Blockquote:
		f.gap(em)
		from, top, color := len(f.Items), f.y, f.color
		f.x, f.wide, f.first, f.color = f.x+15, f.wide-15, true, ink("mut")
		look.color = f.color
		f.inside(n, look)
		f.flush()
		f.x, f.wide, f.first, f.color = f.x-15, f.wide+15, false, color
		f.box(scene.Rect{X: f.x, Y: top, W: 3, H: f.y - top}, 0, ink("line"))
		f.below(from)
		f.margin = em
	case atom.Pre:
		f.preformatted(n, look)
	case atom.Hr:
		f.gap(7)
		f.rule(f.x, f.y, f.wide, ink("line"))
		f.y++
		f.margin = 7
	case atom.Table:
		f.tableOf(n, look)
	}
}

// below puts the last item under those from one on.
func (f *textFlow) below(from int) {
	if f.mute > 0 || from >= len(f.Items) {
		return
	}
	last := f.Items[len(f.Items)-1]
	copy(f.Items[from+1:], f.Items[from:len(f.Items)-1])
	f.Items[from] = last
}

// gather are the words of an element.
func (f *textFlow) gather(n *html.Node, look inlineLook) []word {
	f.words = nil
	f.inside(n, look)
	words := f.words
	f.words = nil
	return words
}

func (f *textFlow) preformatted(n *html.Node, look inlineLook) {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	size := f.size * 12.5 / 14
	style := scene.Style{Face: scene.Mono, Size: size}
	f.gap(f.size)
	from, top := len(f.Items), f.y
	f.y += 10
	for line := range strings.Lines(strings.TrimRight(b.String(), "\n")) {
		if f.full() {
			break
		}
		line = strings.ReplaceAll(strings.TrimRight(line, "\r\n"), "\t", "    ")
		f.put(f.x+12, f.y+foot(size, size*1.5), f.shorten(line, style, f.wide-24), style, look.color)
		f.y += size * 1.5
		f.weak = append(f.weak, f.y)
	}
	f.y += 10
	f.box(scene.Rect{X: f.x, Y: top, W: f.wide, H: f.y - top}, 5, ink("neub"))
	f.below(from)
	f.margin = f.size
}

// maxTextColumns is how many columns of a table in a text are drawn.
const maxTextColumns = 16

// grid lays out a table of a text, whose cells have several lines where they need them.
func (f *textFlow) tableOf(n *html.Node, look inlineLook) {
	type textCell struct {
		words []word
		head  bool
	}
	var rows [][]textCell
	all, columns := 0, 0
	for tr := range n.Descendants() {
		if tr.DataAtom != atom.Tr {
			continue
		}
		var row []textCell
		for c := range tr.ChildNodes() {
			if c.DataAtom == atom.Td || c.DataAtom == atom.Th {
				row = append(row, textCell{f.gather(c, look), c.DataAtom == atom.Th})
			}
		}
		all = max(all, len(row))
		row = row[:min(len(row), maxTextColumns)]
		columns = max(columns, len(row))
		rows = append(rows, row)
	}
	if columns == 0 {
		return
	}
	f.gap(f.size)
	wish := make([]float64, columns)
	for _, row := range rows {
		for j, c := range row {
			width := 20.0
			for _, wd := range c.words {
				if width += f.wordWidth(wd, tableSize); wd.space {
					width += 4
				}
			}
			wish[j] = max(wish[j], min(width, 600), 64)
		}
	}
	sum := 0.0
	for _, v := range wish {
		sum += v
	}
	widths := columnsOf(wish, make([]bool, columns), min(sum, f.wide))
	x, width := f.x, f.wide
	for i, row := range rows {
		if f.full() {
			break
		}
		top, high := f.y, 0.0
		at := x
		for j, c := range row[:min(len(row), len(widths))] {
			f.x, f.wide, f.y = at+10, widths[j]-20, top+8
			words := slices.Clone(c.words)
			if c.head {
				for k := range words {
					words[k].color = ink("mut")
				}
			}
			weak := len(f.weak)
			f.lines(words, tableSize, lineHigh)
			f.weak = f.weak[:weak]
			high = max(high, f.y-top+8)
			at += widths[j]
		}
		f.x, f.wide, f.y = x, width, top+max(high, 16)
		if i < len(rows)-1 {
			f.rule(x, f.y-1, at-x, ink("line"))
		}
		f.weak = append(f.weak, f.y)
	}
	if n := all - len(widths); n > 0 {
		f.y += 4
		f.paragraph(f.texts.Count(n, "%d more column on the page.", "%d more columns on the page."), regular(12), lineHigh, ink("mut"))
	}
	f.margin = f.size
}

// endAt cuts what was laid out, from an item and a weak place on, between two lines at a height.
func (w *scenePainter) endAt(most float64, from, weak int) {
	if w.y <= most || len(w.weak) <= weak || w.mute > 0 {
		return
	}
	i, _ := slices.BinarySearch(w.weak[weak:], most)
	w.weak = w.weak[:weak+max(i, 1)]
	w.y = w.weak[len(w.weak)-1]
	rest := slices.DeleteFunc(w.Items[from:], func(i scene.Item) bool {
		b := i.Bounds()
		return b.Y+b.H/2 > w.y
	})
	w.Items = w.Items[:from+len(rest)]
	w.put(w.x, w.y+20, "…", regular(bodySize), ink("mut"))
	if from > 0 {
		w.y += 20
	}
}
