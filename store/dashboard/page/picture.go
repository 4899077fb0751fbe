package page

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	"service/store/dashboard/canvas"
	"service/store/dashboard/canvas/picture"
	"service/store/dashboard/format"
	"service/store/dashboard/locale"
	"service/store/dashboard/panel"
	"service/store/dashboard/scene"
)

// A Shot describes how a page, or one panel of it, becomes a picture.
type Shot struct {
	Panel int     // counted from 1; 0 for the whole page
	Width int     // of the page in pixels of CSS; 0 for that of a desktop. Narrow ones are laid out as on a tablet
	Scale float64 // pixels for one of CSS; 0 for 2, or fewer in a tall picture
}

// MailWidth is the width of a picture in a mail, in pixels of CSS.
const MailWidth = 680

// A Picture is an encoded picture or document. Missing contains some of the letters that no font has, or is "".
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

	// Panels below this height, in pixels of CSS, are left out of a picture: it could be neither viewed nor sent.
	maxPicture = 6000.0

	// mostPixels is the maximum number of pixels of a picture. Each takes two bytes during drawing, and compressing takes as long per pixel as
	// in any other picture.
	mostPixels = 16e6

	// A picture or a document leaves out the panels that follow this number of circles: each circle takes as long to draw as a short word, and
	// a page of scatter charts has a hundred thousand.
	mostDots = 30_000
)

// PNG draws the page of a view, or one panel of it, as a picture. Equal views return equal bytes if the fonts are the same.
func PNG(ctx context.Context, v View, shot Shot) (*Picture, error) {
	w, err := painterOf(v, shot)
	if err != nil {
		return nil, err
	}
	return w.paint(func() error { return w.lay(ctx, shot, false) }, func() (*Picture, error) { return w.png(ctx, shot) })
}

func (w *pagePainter) png(ctx context.Context, shot Shot) (*Picture, error) {
	if shot.Scale == 0 {
		shot.Scale = min(2, math.Sqrt(mostPixels/(w.Width*w.Height)))
	}
	b, err := w.Scene.PNG(ctx, w.Letters, shot.Scale)
	if err != nil {
		return nil, err
	}
	return &Picture{b, string(w.Letters.Missing)}, nil
}

// PDF draws the page of a view as a document for printing or sending: on sheets, without cutting panels.
func PDF(ctx context.Context, v View) (*Picture, error) {
	w, err := painterOf(v, Shot{})
	if err != nil {
		return nil, err
	}
	return w.paint(func() error { return w.lay(ctx, Shot{}, true) },
		func() (*Picture, error) { return w.pdf(ctx, v.Header, v.Spec.Article()) })
}

func (w *pagePainter) pdf(ctx context.Context, hd Header, upright bool) (*Picture, error) {
	w.Title, w.Time = hd.Name, hd.AsOf
	sheet := w.sheet(upright)
	sheet.Weak, sheet.Foot = w.Weak, strings.Join(nonEmpty(hd.Workspace, hd.Name), " · ")
	sheet.Ended = func(sheets int) string {
		return w.Texts.Count(sheets,
			"This PDF ends after %d sheet: what follows is more than a PDF holds. The page in the browser has all of it.",
			"This PDF ends after %d sheets: what follows is more than a PDF holds. The page in the browser has all of it.")
	}
	b, err := w.Scene.PDF(ctx, w.Letters, sheet)
	if err != nil {
		return nil, err
	}
	return &Picture{b, string(w.Letters.Missing)}, nil
}

// sheet returns the paper of the page.
func (w *pagePainter) sheet(upright bool) scene.Sheet {
	return scene.Sheet{Upright: upright, Letter: usesLetter(w.Lang)}
}

// MarkdownPNG is [PNG] of a published document.
func MarkdownPNG(ctx context.Context, hd Header, text []byte, shot Shot) (*Picture, error) {
	if shot.Panel > 0 {
		return nil, ErrNoFigure
	}
	w := newPagePainter(locale.For(""))
	return w.paint(func() error { return w.document(hd, text, false) }, func() (*Picture, error) { return w.png(ctx, shot) })
}

// MarkdownPDF is [PDF] of a published document.
func MarkdownPDF(ctx context.Context, hd Header, text []byte) (*Picture, error) {
	w := newPagePainter(locale.For(""))
	return w.paint(func() error { return w.document(hd, text, true) }, func() (*Picture, error) { return w.pdf(ctx, hd, true) })
}

// A pagePainter paints a page, a panel of it, or a document.
type pagePainter struct {
	*picture.Painter
	of    *page        // nil for a document
	alone *panel.Panel // the only one to draw, once it is computed
	laid  []sceneCard  // panels with their positions
}

func newPagePainter(l *locale.Locale) *pagePainter {
	return &pagePainter{Painter: picture.New(l, scene.NewTypesetter(), maxPicture)}
}

func nonEmpty(texts ...string) []string {
	return slices.DeleteFunc(texts, func(s string) bool { return strings.TrimSpace(s) == "" })
}

// usesLetter reports whether the region of a language uses the US letter format.
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

// painterOf returns the painter of the page of a view, or of one panel of it.
func painterOf(v View, shot Shot) (*pagePainter, error) {
	if v.Spec == nil {
		return nil, errors.New("page: a view without a spec")
	}
	if shot.Panel < 0 || shot.Panel > len(v.Spec.Panels) {
		return nil, ErrNoFigure
	}
	w := newPagePainter(locale.For(""))
	w.of = open(v)
	return w, nil
}

// lay lays out the page, or one panel of it.
func (w *pagePainter) lay(ctx context.Context, shot Shot, paper bool) error {
	p := w.of
	article := p.Spec.Article()
	w.Texts, w.Rtl, w.Lang = p.Locale, p.Dir == "rtl", p.Lang
	w.Fit = slices.Contains(needs(p.Spec), "fit")
	w.BigList = paper
	w.Width, w.Back = pictureWidth, picture.Ink("bg")
	switch {
	case article:
		w.Width = articleWidth
	case shot.Width > 0:
		w.Width = min(max(float64(shot.Width), leastWidth), pictureWidth)
	}
	if paper || article {
		w.Back = picture.Ink("card")
	}
	w.limit(paper, article)
	if shot.Panel > 0 {
		return w.onePanel(p, shot.Panel-1)
	}
	if len(p.panels) == 0 {
		if err := p.workOutIn(ctx); err != nil {
			return err
		}
	}
	w.top(&p.Header, p.Formatter, p.Spec.Location(), paper)
	w.Y += 22
	w.X, w.Wide = pageSide, w.Width-2*pageSide
	w.Paragraph(p.heading(), picture.Bold(24), 1.2, picture.Ink("ink"))
	w.Y += 4
	if p.Spec.Description != "" {
		width := w.Wide
		w.Wide = min(width, 860)
		w.LongParagraph(p.Spec.Description, picture.Regular(picture.BodySize), picture.LineHigh, picture.Ink("mut"))
		w.Wide = width
	}
	if texts := p.Says(); len(texts) > 0 {
		w.Y += 6
		w.Paragraph(strings.Join(texts, " · "), picture.Regular(12.5), picture.LineHigh, picture.Ink("mut"))
	}
	w.Y += 18
	w.state(p)
	w.firing(p)
	w.Breaks, w.Weak, w.Heads = nil, nil, nil
	if err := w.cards(ctx, p, paper); err != nil {
		return err
	}
	w.Y += 20
	w.foot(p)
	w.Y += 24
	w.Height = picture.Up(w.Y)
	return nil
}

// limit sets the maximum height of the page, or of the panel.
func (w *pagePainter) limit(paper, upright bool) {
	if paper {
		sheet := w.sheet(upright)
		w.Most = sheet.MostHeight(w.Width)
	}
}

// top draws the bar at the top of a page, with the state of its data.
func (w *pagePainter) top(hd *Header, f format.Formatter, zone *time.Location, paper bool) {
	if !paper {
		w.Box(scene.Rect{W: w.Width, H: headHeight}, 0, picture.Ink("card"))
		w.Rule(0, headHeight-1, w.Width, picture.Ink("line"))
	}
	for i, r := range []scene.Rect{{X: 1, Y: 9, W: 4, H: 8}, {X: 7, Y: 4, W: 4, H: 13}, {X: 13, Y: 1, W: 4, H: 16}} {
		r.X, r.Y = r.X+pageSide, r.Y+15.5
		w.Box(r, 1, picture.Ink([]string{"c1", "c1", "c2"}[i]))
	}
	const size = 13.0
	y := picture.Foot(size, headHeight)
	text, mark, tone := hd.freshness(zone, f)
	room := w.Width - 2*pageSide - 27
	width := w.Letters.Width(text, picture.Regular(size)) + 18
	w.Put(w.Width-pageSide-width, y, mark, picture.Regular(11), picture.ToneInk(tone, "c3"))
	c := picture.Ink("mut")
	if tone == "bad" || tone == "warn" {
		c = picture.Ink(tone)
	}
	w.Put(w.Width-pageSide-width+18, y, text, picture.Regular(size), c)
	x := pageSide + 27
	name := w.Shorten(hd.Workspace, picture.Bold(size), room-width-30)
	x += w.Put(x, y, name, picture.Bold(size), picture.Ink("ink"))
	if slug := "/  " + hd.Slug; x+24+w.Letters.Width(slug, picture.Regular(size)) < w.Width-pageSide-width-20 {
		w.Put(x+9, y, "/", picture.Regular(size), picture.Ink("mut"))
		w.Put(x+22, y, hd.Slug, picture.Regular(size), picture.Ink("mut"))
	}
	w.Y = headHeight
}

// state reports above the panels that this is a preview, and the failures of the last refresh.
func (w *pagePainter) state(p *page) {
	if p.Header.As != "" {
		w.alert("acc", picture.Ink("tint"), p.Text("This is the page as %s sees it.", p.Header.As))
	}
	if len(p.Header.Lacks) > 0 {
		w.alert("bad", picture.Ink("card"), p.Header.lacking(p.Formatter), p.Text("Ask an owner of the workspace to set it."))
	}
	if p.Header.Preview {
		text := p.Text("Preview of the version, not the current one.")
		if t := p.Header.VersionTime; !t.IsZero() {
			text = strings.Replace(p.Text("Preview of the version of %s, not the current one."), "%s", momentText(t, p.Zone, p.Formatter), 1)
		}
		w.alert("acc", picture.Ink("tint"), text)
	}
	title, more, list := p.troubles()
	if title == "" {
		return
	}
	w.alert("bad", picture.Ink("card"), append([]string{title, more}, list...)...)
}

// firing lists the firing alerts above the panels.
func (w *pagePainter) firing(p *page) {
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
			parts = append(parts, canvas.Clip(strings.Join(a.Texts, " · "), 600))
		}
		if a.More > 0 {
			parts = append(parts, p.Count(a.More, "and %d more", "and %d more"))
		}
		parts = append(parts, strings.Replace(p.Text("Since %s."), "%s", momentText(a.Since, p.Zone, p.Formatter), 1))
		if a.Muted {
			parts = append(parts, p.Text("Nobody is notified: it is muted."))
		}
		texts = append(texts, strings.Join(parts, " "))
	}
	w.alert(cmp.Or(edge, "bad"), picture.Ink("card"), texts...)
}

// marks writes in a panel which alerts are firing about its values.
func (w *pagePainter) marks(p *panel.Panel) {
	for _, a := range slices.SortedStableFunc(slices.Values(w.of.Alerts), mostSevere) {
		if w.of.alertPanel(a) == p.Index {
			w.Y += 2
			w.Paragraph(SeverityName(p.Env.Locale, a.Severity)+": "+a.Title,
				picture.Bold(12.5), picture.LineHigh, picture.ToneInk(severityTones[a.Severity], "mut"))
		}
	}
}

// alert draws a box with a coloured edge. Its first text is bold.
func (w *pagePainter) alert(edge string, ground picture.Rgba, texts ...string) {
	from, top := len(w.Items), w.Y
	x, width := w.X, w.Wide
	w.X, w.Wide, w.Y = x+17, width-32, w.Y+11
	for i, s := range texts {
		switch {
		case s == "":
		case i == 0:
			w.Paragraph(s, picture.Bold(picture.BodySize), picture.LineHigh, picture.Ink("ink"))
		case i == 1:
			w.Paragraph(s, picture.Regular(picture.BodySize), picture.LineHigh, picture.Ink("ink"))
		default:
			w.Paragraph("• "+s, picture.Regular(picture.BodySize), picture.LineHigh, picture.Ink("mut"))
		}
	}
	w.X, w.Wide, w.Y = x, width, w.Y+11
	box := w.Box(scene.Rect{X: x, Y: top, W: width, H: w.Y - top}, 10, ground)
	box.Stroke, box.Width = picture.Ink("line"), 1
	w.Under(from, 1)
	w.Box(scene.Rect{X: x, Y: top, W: 3, H: w.Y - top}, 1.5, picture.Ink(edge))
	w.Y += 16
}

// onePanel lays out one panel, which must be understandable without the page. The others are not computed: it depends on none of them.
func (w *pagePainter) onePanel(p *page, i int) error {
	if w.alone == nil {
		w.alone = p.Panel(i)
	}
	one := w.alone
	width := p.widths()[i]
	if !p.Spec.Article() && width < 6 {
		width = 6
	}
	const around = 16.0
	c := &sceneCard{card: card{Panel: one, slot: slot{width: width}}}
	w.layOut(c, 0)
	w.laid = []sceneCard{*c}
	inner := float64(width)*w.column() + float64(width-1)*gap
	w.Items = append(w.Items, c.items...)
	dx := around - pageSide
	if w.Rtl {
		dx = inner + 2*around - w.Width + pageSide - around
	}
	w.Move(0, len(w.Items), dx, around)
	w.Width = picture.Up(inner + 2*around)
	w.X, w.Wide, w.Y = around+2, inner-4, around+c.high+10
	text, _, _ := p.Header.freshness(p.Zone, p.Formatter)
	texts := []string{p.heading()}
	for k := range p.Choices {
		texts = append(texts, p.Choices[k].Says())
	}
	for k := range p.Filters {
		if f := &p.Filters[k]; f.Changed || f.Single || f.Locked {
			texts = append(texts, f.Name+": "+f.Says(p.Env))
		}
	}
	w.Paragraph(strings.Join(append(texts, text), " · "), picture.Regular(12), picture.LineHigh, picture.Ink("mut"))
	w.Y += 12
	w.Height = picture.Up(w.Y)
	return nil
}

// foot draws the credit of the source and the texts of the foot.
func (w *pagePainter) foot(p *page) {
	if p.Spec.Source != nil {
		w.Credit(panel.CreditOf(p.Locale, p.Spec.Source), p.Spec.Source.URL)
	}
	w.Paragraph(strings.Join(p.footTexts(), "   "), picture.Regular(12), picture.LineHigh, picture.Ink("mut"))
}

// document lays out a published Markdown document.
func (w *pagePainter) document(hd Header, text []byte, paper bool) error {
	if hd.State == "" {
		hd.State = "static"
	}
	f := format.Formatter{Locale: w.Texts}
	w.Lang = w.Texts.Lang
	w.Width, w.Back = paperWidth, picture.Ink("card")
	w.limit(paper, true)
	w.top(&hd, f, time.UTC, paper)
	w.Y += 22
	w.X, w.Wide = pageSide+28, w.Width-2*pageSide-56
	w.Paragraph(hd.Name, picture.Bold(24), 1.2, picture.Ink("ink"))
	w.Y += 14
	w.Weak = nil
	w.Markup(string(hd.document(text)), 15, 1.6)
	if !paper {
		w.EndAt(maxPicture, 0, 0)
	}
	w.Y += 40
	w.Height = picture.Up(w.Y)
	return nil
}

// Scripts returns the names of the scripts of letters, such as "Arabic Han".
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
