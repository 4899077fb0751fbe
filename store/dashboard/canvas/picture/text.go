package picture

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"service/store/dashboard/canvas"
	"service/store/dashboard/scene"
)

// Texts on a scene: the layout of HTML made from Markdown. It has few elements: those that [page.policy] allows.

// A word is a piece of a line that is not broken.
type word struct {
	text  string // without the space after it
	space bool   // there is one
	brk   bool   // the line ends after it
	inlineLook
}

type inlineLook struct {
	face   scene.Face
	color  Rgba
	code   bool
	strike bool
	under  bool
	link   string
}

// A textFlow lays out blocks one below another.
type textFlow struct {
	*Painter
	size, high float64
	margin     float64 // the least distance of the next block
	first      bool    // nothing was drawn yet
	words      []word
	color      Rgba
}

func (w *Painter) RichText(t canvas.Formatted) {
	w.Y += 2
	words := canvas.Letters(t.Plain())
	from, top, weak, most := len(w.Items), w.Y, len(w.Weak), w.Most
	x, width := w.X, w.Wide
	columns := words > 700 && width >= 760
	if columns {
		w.Wide = (width - 36) / 2
		w.Most += w.Most - w.Y // one half is placed beside the other
	}
	size := BodySize
	if w.Article {
		size = 16
	}
	w.Markup(t.Markup(), size, LineHigh+map[bool]float64{true: 0.2}[size == 16])
	w.endText(from, weak)
	w.X, w.Wide, w.Most = x, width, most
	if columns && w.Mute == 0 {
		w.intoColumns(from, top, weak)
	}
}

// endText cuts a text of a picture at the end of the picture.
func (w *Painter) endText(from, weak int) {
	if !w.BigList {
		w.EndAt(w.Most, from, weak)
	}
}

// Markup lays out the HTML of a text.
func (w *Painter) Markup(text string, size, high float64) {
	nodes, err := html.ParseFragment(strings.NewReader(text), &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div})
	if err != nil {
		return // cannot fail: it reads a string
	}
	f := &textFlow{Painter: w, size: size, high: high, first: true, color: Ink("ink")}
	for _, n := range nodes {
		f.node(n, inlineLook{color: f.color})
	}
	f.flush()
}

// intoColumns moves the second half of a text beside the first half.
func (w *Painter) intoColumns(from int, top float64, weak int) {
	half, at := (w.Y-top)/2, 0.0
	for _, y := range w.Weak[weak:] {
		if at = y; y-top >= half {
			break
		}
	}
	if at <= top || at >= w.Y {
		return
	}
	dx := (w.Wide-36)/2 + 36
	if w.Rtl {
		dx = -dx
	}
	for i := from; i < len(w.Items); i++ {
		if b := w.Items[i].Bounds(); b.Y+b.H/2 > at {
			w.Move(i, i+1, dx, top-at)
		}
	}
	w.Weak = w.Weak[:weak]
	w.Y = max(at, top+w.Y-at)
}

// gap moves down by a distance from the block before.
func (f *textFlow) gap(before float64) {
	if !f.first {
		f.Y += max(before, f.margin)
	}
	f.margin, f.first = 0, false
}

// full reports whether the next line is below the end of the drawing.
func (f *textFlow) full() bool { return f.Y > f.Most }

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
		look.color, look.under = Ink("acc"), true
		for _, a := range n.Attr {
			if a.Key == "href" && canvas.Absolute(a.Val) {
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

// text collects words for the next lines.
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

// flush writes the collected words as a paragraph.
func (f *textFlow) flush() {
	if len(f.words) == 0 {
		return
	}
	words := f.words
	f.words = nil
	f.gap(0)
	f.lines(words, f.size, f.high)
}

// codeSide is how far the ground of code extends beyond its letters.
const codeSide = 3.0

// wordWidth returns the width of a word.
func (f *textFlow) wordWidth(wd word, size float64) float64 {
	width := f.Letters.Width(wd.text, f.style(wd.inlineLook, size))
	if wd.code {
		width += 2 * codeSide // too much for several words of code, which makes the line shorter
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
	space := f.Letters.Width(" ", Regular(size))
	var line []word
	used := 0.0
	end := func() {
		f.oneLine(line, size, lineHigh, space)
		line, used = line[:0], 0
	}
	joined := 0.0 // width of the pieces at the end of the line that must stay together with the next
	for i, wd := range words {
		if f.full() {
			return
		}
		width := f.wordWidth(wd, size)
		for width > f.Wide && f.Wide > size {
			if len(line) > 0 {
				end()
			}
			n := f.fitting(wd.text, f.style(wd.inlineLook, size), f.Wide)
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
		// Pieces without a space between them, such as a word and a full stop in another face, stay on one line.
		glued := i > 0 && !words[i-1].space && !words[i-1].brk && words[i-1].inlineLook != wd.inlineLook && len(line) > 0
		if used+width > f.Wide+0.01 && len(line) > 0 {
			if glued && len(line) > 1 && joined+width <= f.Wide {
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
		f.Y += high
		return
	}
	x, y := f.X, f.Y+Foot(size, high)
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
			width := f.Letters.Width(text, style)
			f.Box(scene.Rect{X: x, Y: y - size*0.85, W: width + 2*codeSide, H: size * 1.2}, 4, Ink("neub"))
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
	f.Y += high
	f.Weak = append(f.Weak, f.Y)
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
		size *= f.size / BodySize
		f.gap(size * 1.3)
		look.face = scene.Bold
		f.lines(f.gather(n, look), size, 1.3)
		if k := len(f.Weak); k > 0 {
			f.Weak = f.Weak[:k-1] // a heading stays with the text below it
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
		f.X, f.Wide = f.X+28, f.Wide-28
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
			f.putEnd(f.X-7, f.Y+Foot(f.size, f.size*f.high), mark, Regular(f.size), f.color)
			f.first = true
			f.inside(c, look)
			f.flush()
			f.first = false
		}
		f.X, f.Wide = f.X-28, f.Wide+28
		f.margin = em
		if n.Parent != nil && n.Parent.DataAtom == atom.Li {
			f.margin = 2
		}
	case atom.Li:
		f.inside(n, look)
		f.flush()
	case atom.Blockquote:
		f.gap(em)
		from, top, color := len(f.Items), f.Y, f.color
		f.X, f.Wide, f.first, f.color = f.X+15, f.Wide-15, true, Ink("mut")
		look.color = f.color
		f.inside(n, look)
		f.flush()
		f.X, f.Wide, f.first, f.color = f.X-15, f.Wide+15, false, color
		f.Box(scene.Rect{X: f.X, Y: top, W: 3, H: f.Y - top}, 0, Ink("line"))
		f.below(from)
		f.margin = em
	case atom.Pre:
		f.preformatted(n, look)
	case atom.Hr:
		f.gap(7)
		f.Rule(f.X, f.Y, f.Wide, Ink("line"))
		f.Y++
		f.margin = 7
	case atom.Table:
		f.tableOf(n, look)
	}
}

// below moves the last item below those from an index on.
func (f *textFlow) below(from int) {
	if f.Mute > 0 || from >= len(f.Items) {
		return
	}
	last := f.Items[len(f.Items)-1]
	copy(f.Items[from+1:], f.Items[from:len(f.Items)-1])
	f.Items[from] = last
}

// gather returns the words of an element.
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
	from, top := len(f.Items), f.Y
	f.Y += 10
	for line := range strings.Lines(strings.TrimRight(b.String(), "\n")) {
		if f.full() {
			break
		}
		line = strings.ReplaceAll(strings.TrimRight(line, "\r\n"), "\t", "    ")
		f.Put(f.X+12, f.Y+Foot(size, size*1.5), f.Shorten(line, style, f.Wide-24), style, look.color)
		f.Y += size * 1.5
		f.Weak = append(f.Weak, f.Y)
	}
	f.Y += 10
	f.Box(scene.Rect{X: f.X, Y: top, W: f.Wide, H: f.Y - top}, 5, Ink("neub"))
	f.below(from)
	f.margin = f.size
}

// maxTextColumns is how many columns of a table in a text are drawn.
const maxTextColumns = 16

// tableOf lays out a table of a text, whose cells have several lines if necessary.
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
	widths := columnsOf(wish, make([]bool, columns), min(sum, f.Wide))
	x, width := f.X, f.Wide
	for i, row := range rows {
		if f.full() {
			break
		}
		top, high := f.Y, 0.0
		at := x
		for j, c := range row[:min(len(row), len(widths))] {
			f.X, f.Wide, f.Y = at+10, widths[j]-20, top+8
			words := slices.Clone(c.words)
			if c.head {
				for k := range words {
					words[k].color = Ink("mut")
				}
			}
			weak := len(f.Weak)
			f.lines(words, tableSize, LineHigh)
			f.Weak = f.Weak[:weak]
			high = max(high, f.Y-top+8)
			at += widths[j]
		}
		f.X, f.Wide, f.Y = x, width, top+max(high, 16)
		if i < len(rows)-1 {
			f.Rule(x, f.Y-1, at-x, Ink("line"))
		}
		f.Weak = append(f.Weak, f.Y)
	}
	if n := all - len(widths); n > 0 {
		f.Y += 4
		f.Paragraph(f.Texts.Count(n, "%d more column on the page.", "%d more columns on the page."), Regular(12), LineHigh, Ink("mut"))
	}
	f.margin = f.size
}

// EndAt cuts a layout, from an item and a weak place on, between two lines at a height.
func (w *Painter) EndAt(most float64, from, weak int) {
	if w.Y <= most || len(w.Weak) <= weak || w.Mute > 0 {
		return
	}
	i, _ := slices.BinarySearch(w.Weak[weak:], most)
	w.Weak = w.Weak[:weak+max(i, 1)]
	w.Y = w.Weak[len(w.Weak)-1]
	rest := slices.DeleteFunc(w.Items[from:], func(i scene.Item) bool {
		b := i.Bounds()
		return b.Y+b.H/2 > w.Y
	})
	w.Items = w.Items[:from+len(rest)]
	w.Put(w.X, w.Y+20, "…", Regular(BodySize), Ink("mut"))
	if from > 0 {
		w.Y += 20
	}
}

// Credit draws the source of a page or a panel; in a document, each of its lines is a link.
func (w *Painter) Credit(text, url string) {
	from := len(w.Items)
	w.Paragraph(text, Regular(12), LineHigh, Ink("mut"))
	for _, item := range w.Items[from:] {
		if t, ok := item.(*scene.Text); ok {
			t.Link = url
		}
	}
}
