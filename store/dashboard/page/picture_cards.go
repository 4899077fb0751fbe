package page

import (
	"context"
	"slices"

	"service/store/dashboard/canvas/picture"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/panel"
	"service/store/dashboard/scene"
)

// A sceneCard is a panel in the layout of a picture.
type sceneCard struct {
	card
	items       []scene.Item
	weak        []float64
	heads       []scene.Head
	high        float64
	row, column int
}

// cards lays out the panels in rows of twelve columns.
func (w *pagePainter) cards(ctx context.Context, p *page, paper bool) error {
	narrow := w.Width <= 1000 && !p.Spec.Article()
	widths := p.widths()
	if narrow {
		widths = narrowed(p, widths)
	}
	long := map[*panel.Panel]bool{}
	for _, run := range runs(p.panels) {
		is := slices.ContainsFunc(run, (*panel.Panel).Long)
		for _, one := range run {
			long[one] = is
		}
	}
	top := w.Y
	cards, plain := make([]sceneCard, len(p.panels)), make([]card, len(p.panels))
	for i, one := range p.panels {
		if err := ctx.Err(); err != nil {
			return err
		}
		if w.Dots > mostDots {
			cards, plain = cards[:i], plain[:i]
			break
		}
		c := &cards[i]
		c.Panel, c.width = one, widths[i]
		w.Long = long[one]
		w.layOut(c, 0)
		plain[i] = card{Panel: one, slot: slot{width: widths[i], height: int(c.high), reach: c.reach, rows: 1}}
	}
	if !narrow {
		arrange(p.Spec.Panels, plain)
	}
	for i := range cards {
		c := &cards[i]
		changed := c.width != plain[i].width
		if c.slot = plain[i].slot; changed {
			w.Long = long[c.Panel]
			w.layOut(c, 0)
		}
		if p.Spec.Article() {
			c.own, c.grows, c.rows = false, false, 1
		}
	}
	w.laid = cards
	between := float64(gap)
	if p.Spec.Article() {
		between = 30
	}
	rows := placeCards(cards)
	tops, ends := rowHeights(cards, rows, between)
	limit := len(cards)
	for i := range cards {
		if err := ctx.Err(); err != nil {
			return err
		}
		c := &cards[i]
		y, end := tops[c.row], ends[c.row+max(c.rows, 1)-1]
		if !paper && top+end > maxPicture && i > 0 {
			limit = min(limit, i)
			continue
		}
		high := end - y
		w.Long = long[c.Panel]
		if c.own {
			high = min(high, float64(c.most()))
		}
		if high > c.high+0.5 && c.Frame != panel.Unframed {
			w.layOut(c, high-c.high)
		}
		w.Items = append(w.Items, c.items...)
		dx := float64(c.column) * (w.column() + gap)
		if w.Rtl {
			dx = -dx
		}
		w.Move(len(w.Items)-len(c.items), len(w.Items), dx, top+y)
		for _, at := range c.weak {
			w.Weak = append(w.Weak, top+y+at)
		}
		for _, h := range c.heads {
			h.From, h.To, h.End = h.From+top+y, h.To+top+y, h.End+top+y
			w.Heads = append(w.Heads, h)
		}
		w.Y = max(w.Y, top+end)
	}
	slices.Sort(w.Weak)
	for row := 1; row < rows; row++ {
		across := slices.ContainsFunc(cards, func(c sceneCard) bool { return c.row < row && c.row+max(c.rows, 1) > row })
		after := slices.ContainsFunc(cards, func(c sceneCard) bool { return c.Frame == panel.Unframed && c.row == row-1 }) // a heading
		if !across && !after {
			w.Breaks = append(w.Breaks, top+tops[row]-between/2)
		}
	}
	if n := len(p.panels) - limit; n > 0 {
		w.X, w.Wide = pageSide, w.Width-2*pageSide
		w.Y += 14
		w.Paragraph(p.Count(n, "%d more panel on the page.", "%d more panels on the page."),
			picture.Regular(picture.BodySize), picture.LineHigh, picture.Ink("mut"))
	}
	w.X, w.Wide = pageSide, w.Width-2*pageSide
	return nil
}

// narrowed returns the widths of panels in a window as narrow as the next breakpoint of the style.
func narrowed(p *page, widths []int) []int {
	out := slices.Clone(widths)
	for i, one := range p.panels {
		switch width := widths[i]; {
		case one.Frame == panel.Unframed:
			out[i] = 12
		case one.Small && width == 4:
		case width <= 3, one.Small && width <= 6:
			out[i] = 6
		default:
			out[i] = 12
		}
	}
	return out
}

// placeCards sets the row and column of each panel: the next place where it fits, from left to right and then downwards. It returns the
// number of rows.
func placeCards(cards []sceneCard) int {
	var taken [][12]bool
	row, column, rows := 0, 0, 0
	free := func(c *sceneCard) bool {
		if column+c.width > 12 {
			return false
		}
		for r := row; r < row+max(c.rows, 1); r++ {
			for len(taken) <= r {
				taken = append(taken, [12]bool{})
			}
			if slices.Contains(taken[r][column:column+c.width], true) {
				return false
			}
		}
		return true
	}
	for i := range cards {
		c := &cards[i]
		for !free(c) {
			if column++; column >= 12 {
				row, column = row+1, 0
			}
		}
		for r := row; r < row+max(c.rows, 1); r++ {
			for k := column; k < column+c.width; k++ {
				taken[r][k] = true
			}
		}
		c.row, c.column = row, column
		column += c.width
		rows = max(rows, row+max(c.rows, 1))
	}
	return rows
}

// rowHeights returns the positions where rows begin and end.
func rowHeights(cards []sceneCard, rows int, between float64) (tops, ends []float64) {
	high := make([]float64, rows)
	for i := range cards {
		if c := &cards[i]; c.rows <= 1 {
			high[c.row] = max(high[c.row], c.high)
		}
	}
	for i := range cards {
		c := &cards[i]
		if c.rows <= 1 {
			continue
		}
		sum := between * float64(c.rows-1)
		for r := range c.rows {
			sum += high[c.row+r]
		}
		for r := range c.rows {
			if c.high > sum {
				high[c.row+r] += (c.high - sum) / float64(c.rows)
			}
		}
	}
	y := 0.0
	for _, h := range high {
		tops, ends = append(tops, y), append(ends, y+h)
		y += h + between
	}
	return tops, ends
}

// column returns the width of one of the twelve columns.
func (w *pagePainter) column() float64 { return (w.Width - 2*pageSide - 11*gap) / 12 }

// layOut lays out a panel in its card at the left edge, from 0 downwards, extra pixels higher than necessary.
func (w *pagePainter) layOut(c *sceneCard, extra float64) {
	p := c.Panel
	items, weak, heads, y := w.Items, w.Weak, w.Heads, w.Y
	w.Items, w.Weak, w.Heads, w.Y = nil, nil, nil, 0
	notes, warnings := len(p.Notes), len(p.Warnings)
	p.Columns = c.width
	x, width := pageSide, float64(c.width)*w.column()+float64(c.width-1)*gap
	w.Compact, w.Article, w.Extra, w.Grows, w.Reach = p.Small, p.Env.Spec.Article(), extra, c.grows, 0
	article := p.Env.Spec.Article()
	level := func() {
		w.X, w.Wide = x, width
		if p.Frame == panel.Unframed {
			w.Inside = width
			if p.Content == nil {
				w.Message(p.Problem, true)
				return
			}
			p.Content.Draw(w.Painter)
			return
		}
		if !article {
			w.X, w.Wide, w.Y = x+cardSide, width-2*cardSide, cardTop
		}
		w.Inside = w.Wide
		w.inCard(p)
		if !article {
			w.Y += cardFoot
		}
	}
	before, sceneBefore := *w, *w.Scene
	if !p.Guard("draw a picture", level) {
		*w, *w.Scene = before, sceneBefore
		notes, warnings = len(p.Notes), len(p.Warnings)
		level()
	}
	c.high, c.reach = picture.Up(w.Y), w.Reach
	if p.Frame != panel.Unframed && !article {
		r := scene.Rect{X: x + 0.5, Y: 0.5, W: width - 1, H: c.high + w.Extra - 1}
		box := w.Box(r, 12, picture.Ink("card"))
		box.Stroke, box.Width = picture.Ink("line"), 1
		w.Under(0, 1)
	}
	if extra > 0 { // the rest stays empty
		c.high += w.Extra
	}
	p.Notes, p.Warnings = p.Notes[:notes], p.Warnings[:warnings]
	c.items, c.weak, c.heads = w.Items, w.Weak, w.Heads
	w.Items, w.Weak, w.Heads, w.Y, w.Extra, w.Compact, w.Grows = items, weak, heads, y, 0, false, false
}

// inCard draws the contents of the card of a panel.
func (w *pagePainter) inCard(p *panel.Panel) {
	title, style, c := p.Title, picture.Bold(picture.BodySize), picture.Ink("ink")
	if p.Small {
		style, c = picture.Regular(13), picture.Ink("mut")
	}
	for _, line := range w.Wrap(title, style, w.Wide) { // its direction is that of its first letter
		w.Put(w.X, w.Y+picture.Foot(style.Size, style.Size*1.35), line, style, c)
		w.Y += style.Size * 1.35 * float64(stat.One(title != ""))
	}
	if p.Spec.Subtitle != "" {
		w.Y++
		w.Paragraph(p.Spec.Subtitle, picture.Regular(12.5), picture.LineHigh, picture.Ink("mut"))
	}
	w.marks(p)
	w.Weak = nil // a title stays with its figure
	switch {
	case p.Problem != "":
		w.Message(p.Problem, true)
	case p.Empty != "":
		w.Message(p.Empty, false)
	case p.Frame == panel.InFigure:
		w.Y += 14
		if p.Env.Spec.Article() {
			w.X, w.Wide, w.Inside = w.X+14, w.Wide-28, w.Wide-28
		}
		p.Content.Draw(w.Painter)
		if p.Env.Spec.Article() {
			w.X, w.Wide = w.X-14, w.Wide+28
		}
		w.Y, w.Extra = w.Y+w.Extra, 0 // notes are at the foot
	default:
		p.Content.Draw(w.Painter)
	}
	if text := p.NoteText(); text != "" {
		w.Note(text)
	}
	if s := p.Spec.Source; s != nil {
		w.Y += 10
		w.Credit(panel.CreditOf(p.Env.Locale, s), s.URL)
	}
}
