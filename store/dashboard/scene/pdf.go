package scene

import (
	"bytes"
	"context"
	"fmt"
	"image/color"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"codeberg.org/go-pdf/fpdf"
)

// A Sheet describes the paper on which a scene is printed.
type Sheet struct {
	Upright bool
	Letter  bool                    // US Letter instead of A4
	Weak    []float64               // heights at which a page is cut only if necessary, ascending
	Foot    string                  // the text at the foot of each page
	Ended   func(sheets int) string // the text of the last sheet if the scene is too long, given the number of printed sheets
}

// Limits of a document. A step is a point of an outline, or a letter of a text.
const (
	MaxSheets = 500
	maxSteps  = 3_000_000
	textSteps = 20 // of a text, in addition to its letters
)

// Sizes of paper, in points.
var (
	a4     = fpdf.SizeType{Wd: 595.28, Ht: 841.89}
	letter = fpdf.SizeType{Wd: 612, Ht: 792}
)

const (
	paperSide = 22.0 // points of the margin on every side
	paperFoot = 36.0
)

// size is the size of the paper, in points.
func (s *Sheet) size() fpdf.SizeType {
	size := a4
	if s.Letter {
		size = letter
	}
	if !s.Upright {
		size.Wd, size.Ht = size.Ht, size.Wd
	}
	return size
}

// room returns the points per pixel for a scene of a width, and the height of a sheet in pixels.
func (s *Sheet) room(width float64) (scale, high float64) {
	size := s.size()
	scale = (size.Wd - 2*paperSide) / width
	return scale, (size.Ht - paperSide - paperFoot) / scale
}

// MostHeight returns the total height of all sheets of a document in pixels, for a scene of a width.
func (s *Sheet) MostHeight(width float64) float64 {
	_, high := s.room(width)
	return MaxSheets * high
}

// PDF writes the scene on sheets of paper, scaled to their width. Its texts can be selected; texts in scripts that our fonts lack are drawn
// as shapes over an invisible text. Equal scenes give equal bytes. A document has at most [MaxSheets] sheets and 3,000,000 steps of
// drawing: a longer one ends before the sheet that exceeds the limit, with the text of Ended on a last sheet.
func (s *Scene) PDF(ctx context.Context, t *Typesetter, sheet Sheet) ([]byte, error) {
	size := sheet.size()
	f := fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: size})
	f.SetAutoPageBreak(false, 0)
	f.SetMargins(0, 0, 0)
	f.SetCellMargin(0)
	f.SetCatalogSort(true)
	f.SetCreationDate(s.Time.UTC())
	f.SetModificationDate(s.Time.UTC())
	f.SetTitle(s.Title, true)
	f.SetProducer("", false)
	f.SetLang(s.Lang)
	scale, room := sheet.room(s.Width)
	p := &printer{Fpdf: f, Typesetter: t, size: size, scale: scale, left: paperSide}
	cuts := s.sheets(room, sheet.Weak)
	items := s.onSheets(cuts)
	whole := p.affordable(s, cuts, items)
	all := min(whole+1, len(cuts))
	foot := p.footOf(sheet.Foot, all)
	for i := range all {
		f.AddPage()
		p.reset()
		if i < whole {
			to := s.Height
			if i+1 < len(cuts) {
				to = cuts[i+1]
			}
			if err := p.sheet(ctx, s, items[i], cuts[i], to); err != nil {
				return nil, err
			}
		} else if sheet.Ended != nil {
			p.ended(sheet.Ended(whole))
		}
		p.foot(foot, i+1, all)
	}
	var b bytes.Buffer
	if err := f.Output(&b); err != nil {
		return nil, fmt.Errorf("scene: write a document: %w", err)
	}
	return b.Bytes(), nil
}

// sheet prints the items of one sheet, which shows the scene between two heights.
func (p *printer) sheet(ctx context.Context, s *Scene, items []Item, from, to float64) error {
	heads, high := s.repeated(from)
	for _, h := range heads {
		p.top = paperSide + (high-h.To)*p.scale
		p.items(ctx, h.Items)
	}
	p.top = paperSide + (high-from)*p.scale
	begin := 0.0 // nothing is above the first item, but for half of its line
	if high > 0 {
		begin = paperSide + high*p.scale
	}
	p.ClipRect(0, begin, p.size.Wd, paperSide+(high+to-from)*p.scale-begin, false)
	p.items(ctx, items)
	p.ClipEnd()
	p.reset()
	return ctx.Err()
}

// items prints items until ctx ends.
func (p *printer) items(ctx context.Context, items []Item) {
	for k, item := range items {
		if k%256 == 0 && ctx.Err() != nil {
			break
		}
		p.drawing = item
		switch item := item.(type) {
		case *Shape:
			p.shape(item)
		case *Text:
			p.text(item)
		}
	}
	p.drawing = nil
}

const family = "f"

// styles are the PDF writer's names of faces.
var styles = [faces]string{Regular: "", Bold: "B", Italic: "I", Mono: "BI"}

// A printer writes a page.
type printer struct {
	*fpdf.Fpdf
	*Typesetter
	size             fpdf.SizeType
	scale, left, top float64
	added            [faces]bool // whether added to the fonts of the document
	links            int         // bytes of the addresses of links so far
	written          []byte      // steps of a path

	fill, stroke color.NRGBA // the current colours
	alpha        uint8
	width        float64
	dashed       bool
	rounded      bool
	known        bool // whether the current colours are known
}

// reset forgets the current colours, which are only set for a part of the page.
func (p *printer) reset() { p.known = false }

func (p *printer) x(v float64) float64 { return p.left + v*p.scale }
func (p *printer) y(v float64) float64 { return p.top + v*p.scale }

func (p *printer) setFill(c color.NRGBA) {
	p.setAlpha(c.A)
	c.A = 255
	if !p.known || p.fill != c {
		p.SetFillColor(int(c.R), int(c.G), int(c.B))
		p.fill = c
	}
}

func (p *printer) setAlpha(a uint8) {
	if !p.known {
		p.known = true
		p.fill, p.stroke, p.width, p.dashed, p.rounded = color.NRGBA{}, color.NRGBA{}, -1, true, false
		p.SetLineCapStyle("butt")
		p.SetLineJoinStyle("miter")
		p.SetDashPattern(nil, 0)
		p.dashed = false
		p.SetAlpha(float64(a)/255, "Normal")
		p.alpha = a
	}
	if p.alpha != a {
		p.SetAlpha(math.Round(float64(a)/255*100)/100, "Normal")
		p.alpha = a
	}
}

func (p *printer) setStroke(s *Shape) {
	c := s.Stroke
	p.setAlpha(c.A)
	c.A = 255
	if p.stroke != c {
		p.SetDrawColor(int(c.R), int(c.G), int(c.B))
		p.stroke = c
	}
	if p.width != s.Width {
		p.SetLineWidth(s.Width * p.scale)
		p.width = s.Width
	}
	if p.rounded != s.Round {
		capStyle, join := "butt", "miter"
		if s.Round {
			capStyle, join = "round", "round"
		}
		p.SetLineCapStyle(capStyle)
		p.SetLineJoinStyle(join)
		p.rounded = s.Round
	}
	if len(s.Dash) > 0 || p.dashed {
		dash := make([]float64, len(s.Dash))
		for i, d := range s.Dash {
			dash[i] = d * p.scale
		}
		p.SetDashPattern(dash, 0)
		p.dashed = len(dash) > 0
	}
}

// path writes the steps of a path. The PDF writer's own functions take ten times as long.
func (p *printer) path(path *Path, to func(Point) (x, y float64)) {
	b, i := p.written[:0], 0
	take := func(n int, op string) {
		for ; n > 0; n-- {
			x, y := to(path.points[i])
			b = appendLength(append(appendLength(b, x), ' '), p.size.Ht-y)
			b = append(b, ' ')
			i++
		}
		b = append(b, op...)
	}
	for _, op := range path.ops {
		switch op {
		case 'm':
			take(1, "m\n")
		case 'l':
			take(1, "l\n")
		case 'c':
			take(3, "c\n")
		case 'z':
			b = append(b, "h\n"...)
		}
	}
	if p.written = b; len(b) > 0 {
		p.RawWriteStr(string(b[:len(b)-1]))
	}
}

// appendLength writes a number of points with two decimals. Points far outside any paper are moved closer, to where they are still
// invisible.
func appendLength(b []byte, v float64) []byte {
	const far = 1e6
	if !(v > -far) { // true for NaN, too
		v = -far
	}
	n := int64(math.Round(min(v, far) * 100))
	if n < 0 {
		b, n = append(b, '-'), -n
	}
	b = strconv.AppendInt(b, n/100, 10)
	if n %= 100; n > 0 {
		b = append(b, '.', byte('0'+n/10))
		if n%10 > 0 {
			b = append(b, byte('0'+n%10))
		}
	}
	return b
}

func (p *printer) at(q Point) (x, y float64) { return p.x(q.X), p.y(q.Y) }

func (p *printer) shape(s *Shape) {
	if s.Path.Empty() {
		return
	}
	if s.Clip != nil && !within(s.Path.bounds().Inset(-s.Width/2), *s.Clip) {
		p.ClipRect(p.x(s.Clip.X), p.y(s.Clip.Y), s.Clip.W*p.scale, s.Clip.H*p.scale, false)
		p.reset()
		defer func() {
			p.ClipEnd()
			p.reset()
		}()
	}
	if s.Hatch.Period > 0 {
		p.hatch(s)
	} else if s.Fill.A > 0 {
		p.setFill(s.Fill)
		p.path(&s.Path, p.at)
		if s.Stroke.A == s.Fill.A && s.Width > 0 {
			p.setStroke(s)
			p.DrawPath("FD*")
			return
		}
		p.DrawPath("F*")
	}
	if s.Stroke.A > 0 && s.Width > 0 {
		p.setStroke(s)
		p.path(&s.Path, p.at)
		p.DrawPath("D")
	}
}

// within reports whether a rectangle is inside another.
func within(r, in Rect) bool {
	return r.X >= in.X-0.01 && r.Y >= in.Y-0.01 && r.X+r.W <= in.X+in.W+0.01 && r.Y+r.H <= in.Y+in.H+0.01
}

// maxStripes is the largest number of stripes of a hatch that are drawn.
const maxStripes = 2000

// hatch fills a path with stripes.
func (p *printer) hatch(s *Shape) {
	p.RawWriteStr("q\n")
	p.path(&s.Path, p.at)
	p.RawWriteStr("W* n\n")
	p.reset()
	b := s.Bounds()
	p.setFill(s.Hatch.Ground)
	p.Rect(p.x(b.X), p.y(b.Y), b.W*p.scale, b.H*p.scale, "F")
	p.setFill(s.Hatch.Stripe)
	step, wide := s.Hatch.Period*math.Sqrt2, s.Hatch.Width*math.Sqrt2
	for c, n := math.Floor((b.X-b.Y-b.H)/step)*step, 0; c < b.X+b.W-b.Y && n < maxStripes; c, n = c+step, n+1 {
		// The stripe is the set of points with x - y between c and c + wide.
		p.MoveTo(p.x(c+b.Y), p.y(b.Y))
		p.LineTo(p.x(c+wide+b.Y), p.y(b.Y))
		p.LineTo(p.x(c+wide+b.Y+b.H), p.y(b.Y+b.H))
		p.LineTo(p.x(c+b.Y+b.H), p.y(b.Y+b.H))
		p.ClosePath()
	}
	p.DrawPath("F")
	p.RawWriteStr("Q\n")
	p.reset()
}

func (p *printer) text(t *Text) {
	line := p.line(t.Text, t.Style.Face)
	if t.Halo.A > 0 { // a rectangle in place of the halo that a picture has around each letter
		b := t.Box().Inset(1)
		p.setFill(color.NRGBA{t.Halo.R, t.Halo.G, t.Halo.B, 217})
		p.Rect(p.x(b.X-2), p.y(b.Y), (b.W+4)*p.scale, b.H*p.scale, "F")
	}
	size := t.Style.Size * p.scale
	if !p.added[t.Style.Face] {
		p.AddUTF8FontFromBytes(family, styles[t.Style.Face], fontFiles[t.Style.Face])
		p.added[t.Style.Face] = true
	}
	p.SetFont(family, styles[t.Style.Face], size)
	p.setFill(t.Color)
	p.SetTextColor(int(t.Color.R), int(t.Color.G), int(t.Color.B))
	for _, r := range line.runs {
		x := p.x(t.X + r.x*t.Style.Size)
		if p.plain(&r) {
			p.Text(x, p.y(t.Y), strings.TrimRight(r.text, " "))
			continue
		}
		p.shapes(t, &r)
		if hidden := plane(r.text); hidden != "" {
			// It is as wide as the visible letters over it, so that the selection covers them.
			stretch := 100.0
			if width := p.GetStringWidth(hidden); width > 0 {
				stretch = min(max(100*r.width*size/width, 20), 500)
			}
			p.RawWriteStr(fmt.Sprintf("3 Tr %.1f Tz\n", stretch))
			p.Text(x, p.y(t.Y), hidden)
			p.RawWriteStr("0 Tr 100 Tz\n")
		}
	}
	for _, rule := range t.rules() {
		p.setFill(t.Color)
		p.Rect(p.x(rule.X), p.y(rule.Y), rule.W*p.scale, rule.H*p.scale, "F")
	}
	if n := len(t.Link); n > 0 && n <= maxLink && p.links+n <= maxLinks {
		p.links += n
		b := t.Box()
		p.LinkString(p.x(b.X), p.y(b.Y), b.W*p.scale, b.H*p.scale, t.Link)
	}
}

// plain reports whether a run is written in one of our fonts, and not drawn as shapes.
func (p *printer) plain(r *run) bool { return r.ours && slices.Contains(p.ours[:], r.face) }

// A document repeats the address of a link for each line of its text. So it has no annotation for addresses longer than maxLink bytes,
// which browsers do not open from a document anyway, and at most maxLinks bytes of addresses. The text of a link is printed in any case.
const (
	maxLink  = 2000
	maxLinks = 4 << 20
)

// shapes draws the letters of a run as shapes.
func (p *printer) shapes(t *Text, r *run) {
	drawn := false
	for _, g := range r.glyphs {
		path := p.outline(r.face, g.id)
		if path.Empty() {
			continue
		}
		drawn = true
		p.path(path, func(q Point) (x, y float64) {
			return p.x(t.X + (g.x+q.X)*t.Style.Size), p.y(t.Y + (q.Y-g.y)*t.Style.Size)
		})
	}
	if drawn {
		p.DrawPath("F")
	}
}

// plane returns the part of a text that the writer can encode: characters of 16 bits.
func plane(s string) string {
	return strings.Map(func(r rune) rune {
		if r > 0xffff || r < ' ' {
			return -1
		}
		return r
	}, s)
}

// Sizes of letters outside the scene, in points.
const (
	footSize  = 7.75
	endedSize = 11.0
)

// footColor is the colour of texts outside the scene.
var footColor = color.NRGBA{0x5b, 0x64, 0x72, 255}

// footOf returns the text at the foot of each of so many sheets, cut to the width next to their numbers.
func (p *printer) footOf(text string, sheets int) string {
	style := Style{Regular, footSize}
	most := p.size.Wd - 2*paperSide - p.Width(fmt.Sprintf("%d / %d", sheets, sheets), style) - 20
	r := []rune(text)
	if r = r[:min(len(r), maxKept)]; len(string(r)) == len(text) && p.Width(text, style) <= most {
		return text
	}
	n := sort.Search(len(r), func(n int) bool { return p.Width(string(r[:n])+"…", style) > most }) - 1
	return strings.TrimRight(string(r[:max(n, 0)]), " ") + "…"
}

// foot writes the text and the number at the foot of a sheet.
func (p *printer) foot(text string, sheet, sheets int) {
	style := Style{Regular, footSize}
	number := fmt.Sprintf("%d / %d", sheet, sheets)
	width := p.Width(number, style)
	y := p.size.Ht - 16
	p.beside(&Text{X: 0, Y: y, Text: text, Width: p.Width(text, style), Style: style, Color: footColor})
	p.beside(&Text{X: p.size.Wd - 2*paperSide - width, Y: y, Text: number, Width: width, Style: style, Color: footColor})
}

// ended writes a last sheet with the text that the document ends before the scene.
func (p *printer) ended(text string) {
	style := Style{Regular, endedSize}
	y := paperSide + endedSize
	write := func(line string) {
		p.beside(&Text{Y: y, Text: line, Width: p.Width(line, style), Style: style, Color: footColor})
		y += 1.5 * endedSize
	}
	line := ""
	for word := range strings.FieldsSeq(text) {
		if with := strings.TrimLeft(line+" "+word, " "); line == "" || p.Width(with, style) <= p.size.Wd-2*paperSide {
			line = with
			continue
		}
		write(line)
		line = word
	}
	write(line)
}

// beside writes a text at a position in points on the paper.
func (p *printer) beside(t *Text) {
	defer func(scale, top float64) { p.scale, p.top = scale, top }(p.scale, p.top)
	p.scale, p.top = 1, 0
	if t.Text != "" {
		p.text(t)
	}
}
