package page

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"

	"service/store/dashboard/locale"
	"service/store/dashboard/scene"
)

// A Shot says how a page, or a panel of it, becomes a picture.
type Shot struct {
	Panel int     // counted from 1; 0 for the whole page
	Width int     // of the page in pixels of CSS; 0 for that of a desktop. Narrow ones are as on a tablet
	Scale float64 // pixels for one of CSS; 0 for 2
}

// MailWidth is how wide a picture is that fits into a mail.
const MailWidth = 680

// A Picture is what was drawn. Missing are letters that no font has, a few of them, or "".
type Picture struct {
	Bytes   []byte
	Missing string
}

// ErrNoFigure is returned for a panel that the page does not have.
var ErrNoFigure = errors.New("page: no such panel")

const (
	pictureWidth = 1200.0
	articleWidth = 728.0
	paperWidth   = 860.0
	leastWidth   = 600.0

	// What is further down than this, in pixels of CSS, is left out of a picture: it could be neither seen nor sent.
	maxPicture = 6000.0
)

// PNG draws the page of a view, or one panel of it, as a picture. Equal views give equal bytes
// where the fonts are the same.
func PNG(ctx context.Context, v View, shot Shot) (*Picture, error) {
	w := newScenePainter(locale.For(""))
	defer w.letters.Free()
	if err := w.page(ctx, v, shot, false); err != nil {
		return nil, err
	}
	return w.png(ctx, shot)
}

func (w *scenePainter) png(ctx context.Context, shot Shot) (*Picture, error) {
	if shot.Scale == 0 {
		shot.Scale = 2
	}
	b, err := w.Scene.PNG(ctx, w.letters, shot.Scale)
	if err != nil {
		return nil, err
	}
	return &Picture{b, string(w.letters.Missing)}, nil
}

// PDF draws the page of a view as a document to be printed or sent: on sheets, with panels that
// are not cut.
func PDF(ctx context.Context, v View) (*Picture, error) {
	w := newScenePainter(locale.For(""))
	defer w.letters.Free()
	if err := w.page(ctx, v, Shot{}, true); err != nil {
		return nil, err
	}
	return w.pdf(ctx, v.Header, v.Spec.Article())
}

func (w *scenePainter) pdf(ctx context.Context, hd Header, upright bool) (*Picture, error) {
	w.Title, w.Time = hd.Name, hd.AsOf
	b, err := w.Scene.PDF(ctx, w.letters, scene.Sheet{
		Upright: upright, Letter: usesLetter(w.Lang), Weak: w.weak, Foot: strings.Join(nonEmpty(hd.Workspace, hd.Name), " · "),
	})
	if err != nil {
		return nil, err
	}
	return &Picture{b, string(w.letters.Missing)}, nil
}

// MarkdownPNG and MarkdownPDF are [PNG] and [PDF] of a published document.
func MarkdownPNG(ctx context.Context, hd Header, text []byte, shot Shot) (*Picture, error) {
	if shot.Panel > 0 {
		return nil, ErrNoFigure
	}
	w := newScenePainter(locale.For(""))
	defer w.letters.Free()
	w.document(hd, text, false)
	return w.png(ctx, shot)
}

// MarkdownPDF: see [MarkdownPNG].
func MarkdownPDF(ctx context.Context, hd Header, text []byte) (*Picture, error) {
	w := newScenePainter(locale.For(""))
	defer w.letters.Free()
	w.document(hd, text, true)
	return w.pdf(ctx, hd, true)
}

func newScenePainter(l *locale.Locale) *scenePainter {
	return &scenePainter{Scene: &scene.Scene{}, letters: scene.NewTypesetter(), lang: l}
}

func nonEmpty(texts ...string) []string {
	return slices.DeleteFunc(texts, func(s string) bool { return strings.TrimSpace(s) == "" })
}

// usesLetter reports whether paper is cut there as in the US.
func usesLetter(lang string) bool {
	_, region, _ := strings.Cut(lang, "-")
	return slices.Contains([]string{"US", "CA", "MX", "PH", "CL", "CO", "VE"}, region)
}

const (
	pageSide   = 24.0
	cardSide   = 19.0 // padding and border
	cardTop    = 17.0
	cardFoot   = 17.0
	headHeight = 49.0
)

// page lays out the page of a view.
func (w *scenePainter) page(ctx context.Context, v View, shot Shot, paper bool) error {
	if v.Spec == nil {
		return errors.New("page: a view without a spec")
	}
	if shot.Panel < 0 || shot.Panel > len(v.Spec.Panels) {
		return ErrNoFigure
	}
	p := open(v)
	p.workOut()
	article := v.Spec.Article()
	w.lang, w.rtl, w.Lang = p.Locale, p.Dir == "rtl", p.Lang
	w.fit = slices.Contains(needs(v.Spec), "fit")
	w.bigList = paper
	w.Width, w.Back = pictureWidth, ink("bg")
	switch {
	case article:
		w.Width = articleWidth
	case shot.Width > 0:
		w.Width = min(max(float64(shot.Width), leastWidth), pictureWidth)
	}
	if paper || article {
		w.Back = ink("card")
	}
	if shot.Panel > 0 {
		return w.onePanel(p, shot.Panel-1)
	}
	w.top(&p.Header, p.formatter, v.Spec.Location(), paper)
	w.y += 22
	w.x, w.width = pageSide, w.Width-2*pageSide
	w.paragraph(p.heading(), bold(24), 1.2, ink("ink"))
	w.y += 4
	if v.Spec.Description != "" {
		width := w.width
		w.width = min(width, 860)
		w.paragraph(v.Spec.Description, regular(bodySize), lineHigh, ink("mut"))
		w.width = width
	}
	if len(p.filters) > 0 {
		texts := make([]string, len(p.filters))
		for i := range p.filters {
			texts[i] = p.filters[i].label + ": " + p.filters[i].says(p)
		}
		w.y += 6
		w.paragraph(strings.Join(texts, " · "), regular(12.5), lineHigh, ink("mut"))
	}
	w.y += 18
	w.state(p)
	w.firing(p)
	w.Breaks, w.weak = nil, nil
	if err := w.cards(ctx, p, paper); err != nil {
		return err
	}
	w.y += 20
	w.foot(p)
	w.y += 24
	w.Height = up(w.y)
	return nil
}

// top draws the bar at the top of a page, with the state of its data.
func (w *scenePainter) top(hd *Header, f formatter, zone *time.Location, paper bool) {
	if !paper {
		w.box(scene.Rect{W: w.Width, H: headHeight}, 0, ink("card"))
		w.rule(0, headHeight-1, w.Width, ink("line"))
	}
	for i, r := range []scene.Rect{{X: 1, Y: 9, W: 4, H: 8}, {X: 7, Y: 4, W: 4, H: 13}, {X: 13, Y: 1, W: 4, H: 16}} {
		r.X, r.Y = r.X+pageSide, r.Y+15.5
		w.box(r, 1, ink([]string{"c1", "c1", "c2"}[i]))
	}
	const size = 13.0
	y := foot(size, headHeight)
	text, mark, tone := hd.freshness(zone, f)
	room := w.Width - 2*pageSide - 27
	width := w.letters.Width(text, regular(size)) + 18
	w.put(w.Width-pageSide-width, y, mark, regular(11), toneInk(tone, "c3"))
	c := ink("mut")
	if tone == "bad" || tone == "warn" {
		c = ink(tone)
	}
	w.put(w.Width-pageSide-width+18, y, text, regular(size), c)
	x := pageSide + 27
	name := w.shorten(hd.Workspace, bold(size), room-width-30)
	x += w.put(x, y, name, bold(size), ink("ink"))
	if slug := "/  " + hd.Slug; x+24+w.letters.Width(slug, regular(size)) < w.Width-pageSide-width-20 {
		w.put(x+9, y, "/", regular(size), ink("mut"))
		w.put(x+22, y, hd.Slug, regular(size), ink("mut"))
	}
	w.y = headHeight
}

// state says above the panels that this is a preview, and what went wrong in the last refresh.
func (w *scenePainter) state(p *page) {
	if p.Header.Preview {
		text := p.Text("Preview of the version, not the current one.")
		if t := p.Header.VersionTime; !t.IsZero() {
			text = strings.Replace(p.Text("Preview of the version of %s, not the current one."), "%s", momentText(t, p.zone, p.formatter), 1)
		}
		w.alert("acc", ink("tint"), text)
	}
	title, more, list := p.troubles()
	if title == "" {
		return
	}
	w.alert("bad", ink("card"), append([]string{title, more}, list...)...)
}

// firing says above the panels which alerts fire.
func (w *scenePainter) firing(p *page) {
	if len(p.Alerts) == 0 {
		return
	}
	texts, edge := []string{p.Text("Alerts"), ""}, ""
	for _, a := range slices.SortedStableFunc(slices.Values(p.Alerts), mostSevere) {
		if edge == "" {
			edge = severityTones[a.Severity]
		}
		parts := []string{SeverityName(p.Locale, a.Severity) + ": " + a.Title}
		if len(a.Texts) > 0 {
			parts = append(parts, clip(strings.Join(a.Texts, " · "), 600))
		}
		if a.More > 0 {
			parts = append(parts, p.Count(a.More, "and %d more", "and %d more"))
		}
		parts = append(parts, strings.Replace(p.Text("Since %s."), "%s", momentText(a.Since, p.zone, p.formatter), 1))
		if a.Muted {
			parts = append(parts, p.Text("Nobody is told: it is muted."))
		}
		texts = append(texts, strings.Join(parts, " "))
	}
	w.alert(cmp.Or(edge, "bad"), ink("card"), texts...)
}

// marks says in a panel which alerts fire about what it shows.
func (w *scenePainter) marks(p *panel) {
	for _, a := range slices.SortedStableFunc(slices.Values(p.page.Alerts), mostSevere) {
		if p.page.alertPanel(a) == p.index {
			w.y += 2
			w.paragraph(SeverityName(p.page.Locale, a.Severity)+": "+a.Title, bold(12.5), lineHigh, toneInk(severityTones[a.Severity], "mut"))
		}
	}
}

// alert draws a box with a coloured edge. Its first text is bold.
func (w *scenePainter) alert(edge string, ground rgba, texts ...string) {
	from, top := len(w.Items), w.y
	x, width := w.x, w.width
	w.x, w.width, w.y = x+17, width-32, w.y+11
	for i, s := range texts {
		switch {
		case s == "":
		case i == 0:
			w.paragraph(s, bold(bodySize), lineHigh, ink("ink"))
		case i == 1:
			w.paragraph(s, regular(bodySize), lineHigh, ink("ink"))
		default:
			w.paragraph("• "+s, regular(bodySize), lineHigh, ink("mut"))
		}
	}
	w.x, w.width, w.y = x, width, w.y+11
	box := w.box(scene.Rect{X: x, Y: top, W: width, H: w.y - top}, 10, ground)
	box.Stroke, box.Width = ink("line"), 1
	w.under(from, 1)
	w.box(scene.Rect{X: x, Y: top, W: 3, H: w.y - top}, 1.5, ink(edge))
	w.y += 16
}

// under puts the last items under those from one on.
func (w *scenePainter) under(from, count int) {
	if w.mute > 0 {
		return
	}
	items := w.Items[from:]
	last := slices.Clone(items[len(items)-count:])
	copy(items[count:], items[:len(items)-count])
	copy(items, last)
}

// A sceneCard is a panel that was laid out.
type sceneCard struct {
	card
	items       []scene.Item
	weak        []float64
	high        float64
	row, column int
}

// cards lays out the panels in rows of twelve columns.
func (w *scenePainter) cards(ctx context.Context, p *page, paper bool) error {
	narrow := w.Width <= 1000 && !p.Spec.Article()
	widths := p.widths()
	if narrow {
		widths = narrowed(p, widths)
	}
	long := map[*panel]bool{}
	for _, run := range runs(p.panels) {
		is := slices.ContainsFunc(run, (*panel).long)
		for _, one := range run {
			long[one] = is
		}
	}
	top := w.y
	cards, plain := make([]sceneCard, len(p.panels)), make([]card, len(p.panels))
	for i, one := range p.panels {
		if err := ctx.Err(); err != nil {
			return err
		}
		c := &cards[i]
		c.panel, c.width = one, widths[i]
		w.long = long[one]
		w.layOut(c, 0)
		plain[i] = card{panel: one, slot: slot{width: widths[i], height: int(c.high), rows: 1}}
	}
	if !narrow {
		arrange(p.Spec.Panels, plain)
	}
	for i := range cards {
		c := &cards[i]
		changed := c.width != plain[i].width
		if c.slot = plain[i].slot; changed {
			w.long = long[c.panel]
			w.layOut(c, 0)
		}
		if p.Spec.Article() {
			c.own, c.rows = false, 1
		}
	}
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
		w.long = long[c.panel]
		switch {
		case c.own:
			y += (high - c.high) / 2
		case high > c.high+0.5 && c.frame != unframed:
			w.layOut(c, high-c.high)
		}
		w.Items = append(w.Items, c.items...)
		dx := float64(c.column) * (w.column() + gap)
		if w.rtl {
			dx = -dx
		}
		w.Move(len(w.Items)-len(c.items), len(w.Items), dx, top+y)
		for _, at := range c.weak {
			w.weak = append(w.weak, top+y+at)
		}
		w.y = max(w.y, top+end)
	}
	slices.Sort(w.weak)
	for row := 1; row < rows; row++ {
		across := slices.ContainsFunc(cards, func(c sceneCard) bool { return c.row < row && c.row+max(c.rows, 1) > row })
		after := slices.ContainsFunc(cards, func(c sceneCard) bool { return c.frame == unframed && c.row == row-1 }) // a heading
		if !across && !after {
			w.Breaks = append(w.Breaks, top+tops[row]-between/2)
		}
	}
	if n := len(cards) - limit; n > 0 {
		w.x, w.width = pageSide, w.Width-2*pageSide
		w.y += 14
		w.paragraph(p.Count(n, "%d more panel on the page.", "%d more panels on the page."), regular(bodySize), lineHigh, ink("mut"))
	}
	w.x, w.width = pageSide, w.Width-2*pageSide
	return nil
}

// narrowed are the widths of panels in a window as narrow as the style's next step.
func narrowed(p *page, widths []int) []int {
	out := slices.Clone(widths)
	for i, one := range p.panels {
		switch width := widths[i]; {
		case one.frame == unframed:
			out[i] = 12
		case one.small && width == 4:
		case width <= 3, one.small && width <= 6:
			out[i] = 6
		default:
			out[i] = 12
		}
	}
	return out
}

// placeCards gives each panel its row and column: the next place, from left to right and then
// downwards, where it fits. It returns the number of rows.
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

// rowHeights are where rows begin and end.
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

// column is how wide one of the twelve is.
func (w *scenePainter) column() float64 { return (w.Width - 2*pageSide - 11*gap) / 12 }

// layOut lays out a panel in its box at the left edge from 0 downwards, so much higher than it has to be.
func (w *scenePainter) layOut(c *sceneCard, extra float64) {
	p := c.panel
	items, weak, y := w.Items, w.weak, w.y
	w.Items, w.weak, w.y = nil, nil, 0
	notes, warnings := len(p.notes), len(p.warnings)
	p.columns = c.width
	x, width := pageSide, float64(c.width)*w.column()+float64(c.width-1)*gap
	w.panel, w.extra = p, extra
	article := p.page.Spec.Article()
	level := func() {
		w.x, w.width = x, width
		if p.frame == unframed {
			w.inside = width
			p.content.draw(w)
			return
		}
		if !article {
			w.x, w.width, w.y = x+cardSide, width-2*cardSide, cardTop
		}
		w.inside = w.width
		w.inCard(p)
		if !article {
			w.y += cardFoot
		}
	}
	level()
	c.high = up(w.y)
	if p.frame != unframed && !article {
		r := scene.Rect{X: x + 0.5, Y: 0.5, W: width - 1, H: c.high + w.extra - 1}
		box := w.box(r, 12, ink("card"))
		box.Stroke, box.Width = ink("line"), 1
		w.under(0, 1)
	}
	if extra > 0 { // what nothing took is empty
		c.high += w.extra
	}
	p.notes, p.warnings = p.notes[:notes], p.warnings[:warnings]
	c.items, c.weak = w.Items, w.weak
	w.Items, w.weak, w.y, w.extra, w.panel = items, weak, y, 0, nil
}

// inCard draws what stands in the box of a panel.
func (w *scenePainter) inCard(p *panel) {
	title, style, c := p.title, bold(bodySize), ink("ink")
	if p.small {
		style, c = regular(13), ink("mut")
	}
	for _, line := range w.wrap(title, style, w.width) { // it is read as it begins
		w.put(w.x, w.y+foot(style.Size, style.Size*1.35), line, style, c)
		w.y += style.Size * 1.35 * float64(truth(title != ""))
	}
	if p.spec.Subtitle != "" {
		w.y++
		w.paragraph(p.spec.Subtitle, regular(12.5), lineHigh, ink("mut"))
	}
	w.marks(p)
	w.weak = nil // a title stays with its figure
	switch {
	case p.problem != "":
		w.message(p.problem, true)
	case p.empty != "":
		w.message(p.empty, false)
	case p.frame == inFigure:
		w.y += 14
		if p.page.Spec.Article() {
			w.x, w.width, w.inside = w.x+14, w.width-28, w.width-28
		}
		p.content.draw(w)
		if p.page.Spec.Article() {
			w.x, w.width = w.x-14, w.width+28
		}
		w.y, w.extra = w.y+w.extra, 0 // notes stand at the foot
	default:
		p.content.draw(w)
	}
	if text := p.noteText(); text != "" {
		w.note(text)
	}
}

// onePanel lays out one panel, which must be understood alone.
func (w *scenePainter) onePanel(p *page, i int) error {
	one := p.panels[i]
	width := p.widths()[i]
	if !p.Spec.Article() && width < 6 {
		width = 6
	}
	const around = 16.0
	c := &sceneCard{card: card{panel: one, slot: slot{width: width}}}
	w.layOut(c, 0)
	inner := float64(width)*w.column() + float64(width-1)*gap
	w.Items = append(w.Items, c.items...)
	dx := around - pageSide
	if w.rtl {
		dx = inner + 2*around - w.Width + pageSide - around
	}
	w.Move(0, len(w.Items), dx, around)
	w.Width = up(inner + 2*around)
	w.x, w.width, w.y = around+2, inner-4, around+c.high+10
	text, _, _ := p.Header.freshness(p.zone, p.formatter)
	texts := []string{p.heading()}
	for k := range p.filters {
		if f := &p.filters[k]; f.changed {
			texts = append(texts, f.label+": "+f.says(p))
		}
	}
	w.paragraph(strings.Join(append(texts, text), " · "), regular(12), lineHigh, ink("mut"))
	w.y += 12
	w.Height = up(w.y)
	return nil
}

// foot says what the page is made of.
func (w *scenePainter) foot(p *page) {
	w.paragraph(strings.Join(p.footTexts(), "   "), regular(12), lineHigh, ink("mut"))
}

// document lays out a published Markdown document.
func (w *scenePainter) document(hd Header, text []byte, paper bool) {
	if hd.State == "" {
		hd.State = "static"
	}
	f := formatter{Locale: w.lang}
	w.Lang = w.lang.Lang
	w.Width, w.Back = paperWidth, ink("card")
	w.top(&hd, f, time.UTC, paper)
	w.y += 22
	w.x, w.width = pageSide+28, w.Width-2*pageSide-56
	w.paragraph(hd.Name, bold(24), 1.2, ink("ink"))
	w.y += 14
	w.weak = nil
	w.markup(string(hd.document(text)), 15, 1.6)
	if !paper && w.y > maxPicture { // it ends between two lines
		i, _ := slices.BinarySearch(w.weak, maxPicture)
		w.y = w.weak[max(i-1, 0)]
		w.Items = slices.DeleteFunc(w.Items, func(i scene.Item) bool {
			b := i.Bounds()
			return b.Y+b.H/2 > w.y
		})
		w.put(w.x, w.y+20, "…", regular(bodySize), ink("mut"))
	}
	w.y += 40
	w.Height = up(w.y)
}

// Scripts are those that letters are of, such as "Arabic Han".
func Scripts(letters string) string {
	var out []string
	for name, table := range unicode.Scripts {
		if strings.ContainsFunc(letters, func(r rune) bool { return unicode.Is(table, r) }) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}
