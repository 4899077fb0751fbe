package scene

import (
	"bytes"
	"context"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"codeberg.org/go-pdf/fpdf"
)

// A Sheet says on what paper a scene is printed.
type Sheet struct {
	Upright bool
	Letter  bool      // the size that is usual in the US, and not A4
	Weak    []float64 // heights at which a page is cut only where it must be, ascending
	Foot    string    // what stands at the foot of each page
}

// Sizes of paper, in points.
var (
	a4     = fpdf.SizeType{Wd: 595.28, Ht: 841.89}
	letter = fpdf.SizeType{Wd: 612, Ht: 792}
)

const (
	paperSide = 22.0 // points beside, over and under what is printed
	paperFoot = 36.0
)

// PDF writes the scene on sheets of paper, scaled to their width. Its texts can be selected; those
// of scripts that our fonts lack are drawn as shapes, with the text lying under them unseen. Equal
// scenes give equal bytes.
func (s *Scene) PDF(ctx context.Context, t *Typesetter, sheet Sheet) ([]byte, error) {
	size := a4
	if sheet.Letter {
		size = letter
	}
	if !sheet.Upright {
		size.Wd, size.Ht = size.Ht, size.Wd
	}
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
	p := &printer{Fpdf: f, Typesetter: t, scale: (size.Wd - 2*paperSide) / s.Width, left: paperSide}
	room := (size.Ht - paperSide - paperFoot) / p.scale
	cuts := s.sheets(room, sheet.Weak)
	for i, from := range cuts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		to := s.Height
		if i+1 < len(cuts) {
			to = cuts[i+1]
		}
		f.AddPage()
		p.reset()
		p.top = paperSide - from*p.scale
		f.ClipRect(0, 0, size.Wd, paperSide+(to-from)*p.scale, false)
		for k, item := range s.Items {
			if k%256 == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			switch item := item.(type) {
			case *Shape:
				if b := item.Bounds(); b.Y < to && b.Y+b.H > from {
					p.shape(item)
				}
			case *Text:
				if item.Y >= from && item.Y < to {
					p.text(item)
				}
			}
		}
		f.ClipEnd()
		p.reset()
		p.foot(sheet.Foot, i+1, len(cuts), size)
	}
	var b bytes.Buffer
	if err := f.Output(&b); err != nil {
		return nil, fmt.Errorf("scene: write a document: %w", err)
	}
	return b.Bytes(), nil
}

// sheets are the heights at which sheets begin: where they are cut nothing is, but of what is
// higher than a sheet.
func (s *Scene) sheets(room float64, weak []float64) []float64 {
	cuts := []float64{0}
	for y := 0.0; s.Height-y > room; {
		strong, next := -1.0, s.Height
		for _, b := range s.Breaks {
			switch {
			case b <= y+1:
			case b <= y+room:
				strong = b
			default:
				next = min(next, b)
			}
		}
		if strong < 0 || next-strong > room && strong-y < 0.4*room {
			if at := s.weakCut(y, room, weak); at > 0 {
				strong = at
			}
		}
		if strong < 0 {
			strong = y + room
		}
		y = strong
		cuts = append(cuts, y)
	}
	return cuts
}

// weakCut is the last place of a sheet where it can be cut without cutting a text, or 0.
func (s *Scene) weakCut(y, room float64, weak []float64) float64 {
	for _, at := range slices.Backward(weak) {
		if at > y+room || at < y+0.25*room {
			continue
		}
		if !slices.ContainsFunc(s.Items, func(i Item) bool {
			t, ok := i.(*Text)
			return ok && t.Y-ascent*t.Style.Size < at && t.Y+descent*t.Style.Size > at
		}) {
			return at
		}
	}
	return 0
}

const family = "f"

// styles are the names under which faces are known to the writer.
var styles = [faces]string{Regular: "", Bold: "B", Italic: "I", Mono: "BI"}

// A printer writes a page.
type printer struct {
	links int // bytes of the addresses of links so far
	*fpdf.Fpdf
	*Typesetter
	scale, left, top float64
	added            [faces]bool // to the fonts of the document

	fill, stroke color.NRGBA // as they are set
	alpha        uint8
	width        float64
	dashed       bool
	rounded      bool
	known        bool // these are
}

// reset forgets what is set, which ends with a part of the page.
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

// path writes the steps of a path.
func (p *printer) path(path *Path, to func(Point) (x, y float64)) {
	i := 0
	take := func() (float64, float64) {
		i++
		return to(path.points[i-1])
	}
	for _, op := range path.ops {
		switch op {
		case 'm':
			p.MoveTo(take())
		case 'l':
			p.LineTo(take())
		case 'c':
			ax, ay := take()
			bx, by := take()
			x, y := take()
			p.CurveBezierCubicTo(ax, ay, bx, by, x, y)
		case 'z':
			p.ClosePath()
		}
	}
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

// within reports whether a rectangle lies in another.
func within(r, in Rect) bool {
	return r.X >= in.X-0.01 && r.Y >= in.Y-0.01 && r.X+r.W <= in.X+in.W+0.01 && r.Y+r.H <= in.Y+in.H+0.01
}

// maxStripes is how many stripes of a hatch are drawn.
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
		// The stripe is where x - y lies between c and c + wide.
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
	if t.Halo.A > 0 { // a ground in place of what a picture has around each letter
		b := t.Box().Inset(1)
		p.setFill(color.NRGBA{t.Halo.R, t.Halo.G, t.Halo.B, 217})
		p.Rect(p.x(b.X-2), p.y(b.Y), (b.W+4)*p.scale, b.H*p.scale, "F")
	}
	size := t.Style.Size * p.scale
	turned := t.Turn != 0
	if !p.added[t.Style.Face] {
		p.AddUTF8FontFromBytes(family, styles[t.Style.Face], fontFiles[t.Style.Face])
		p.added[t.Style.Face] = true
	}
	p.SetFont(family, styles[t.Style.Face], size)
	p.setFill(t.Color)
	if turned {
		p.TransformBegin()
		p.TransformRotate(-t.Turn, p.x(t.Pivot.X), p.y(t.Pivot.Y))
	}
	p.SetTextColor(int(t.Color.R), int(t.Color.G), int(t.Color.B))
	for _, r := range line.runs {
		x := p.x(t.X + r.x*t.Style.Size)
		if r.ours && slices.Contains(p.ours[:], r.face) {
			p.Text(x, p.y(t.Y), strings.TrimRight(r.text, " "))
			continue
		}
		p.shapes(t, &r)
		if hidden := plane(r.text); hidden != "" {
			// It is as wide as the letters over it, so that what is selected is what is seen.
			stretch := 100.0
			if width := p.GetStringWidth(hidden); width > 0 {
				stretch = min(max(100*r.width*size/width, 20), 500)
			}
			p.RawWriteStr(fmt.Sprintf("3 Tr %.1f Tz\n", stretch))
			p.Text(x, p.y(t.Y), hidden)
			p.RawWriteStr("0 Tr 100 Tz\n")
		}
	}
	if turned {
		p.TransformEnd()
		p.reset()
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

// A document repeats the address of a link for each line of its text. So it has no annotation for addresses
// longer than maxLink bytes, which no browser opens from a document either, and not more than maxLinks bytes of
// addresses; the text stands.
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

// plane is what of a text the writer can encode: characters of 16 bits.
func plane(s string) string {
	return strings.Map(func(r rune) rune {
		if r > 0xffff || r < ' ' {
			return -1
		}
		return r
	}, s)
}

// foot writes what stands at the foot of each page.
func (p *printer) foot(text string, page, pages int, size fpdf.SizeType) {
	const letters = 7.75
	gray := color.NRGBA{0x5b, 0x64, 0x72, 255}
	defer func(scale float64) { p.scale = scale }(p.scale)
	p.scale, p.top = 1, 0
	style := Style{Regular, letters}
	number := fmt.Sprintf("%d / %d", page, pages)
	width := p.Width(number, style)
	y := size.Ht - 16
	for p.Width(text, style) > size.Wd-2*paperSide-width-20 && text != "" {
		r := []rune(strings.TrimSuffix(text, "…"))
		text = strings.TrimRight(string(r[:len(r)-1]), " ") + "…"
	}
	for _, t := range []*Text{
		{X: 0, Y: y, Text: text, Width: p.Width(text, style), Style: style, Color: gray},
		{X: size.Wd - 2*paperSide - width, Y: y, Text: number, Width: width, Style: style, Color: gray},
	} {
		if t.Text != "" {
			p.text(t)
		}
	}
}
