package scene

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"slices"

	"github.com/go-text/typesetting/font"
	ot "github.com/go-text/typesetting/font/opentype"
	"golang.org/x/image/vector"
)

// stripHeight is the number of rows of a picture that are painted at once: only these are in memory in full colour.
const stripHeight = 256

// PNG paints the scene with scale pixels per CSS pixel.
func (s *Scene) PNG(ctx context.Context, t *Typesetter, scale float64) ([]byte, error) {
	width, height := int(math.Ceil(s.Width*scale)), int(math.Ceil(s.Height*scale))
	p := &painter{Typesetter: t, scale: scale, mask: image.NewAlpha(image.Rect(0, 0, 0, 0))}
	out := newIndexed(width, height)
	bounds := make([]Rect, len(s.Items))
	for i, item := range s.Items {
		t.drawing = item
		bounds[i] = item.Bounds()
	}
	strip := image.NewRGBA(image.Rect(0, 0, width, min(stripHeight, height)))
	for top := 0; top < height; top += stripHeight {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rows := min(stripHeight, height-top)
		p.dst = strip.SubImage(image.Rect(0, 0, width, rows)).(*image.RGBA)
		p.top = float64(top)
		draw.Draw(p.dst, p.dst.Bounds(), image.NewUniform(s.Back), image.Point{}, draw.Src)
		from, to := float64(top)/scale, float64(top+rows)/scale
		for i, item := range s.Items {
			if b := bounds[i]; b.Y+b.H < from-1 || b.Y > to+1 {
				continue
			}
			t.drawing = item
			switch item := item.(type) {
			case *Shape:
				p.shape(item)
			case *Text:
				p.text(item)
			}
		}
		t.drawing = nil
		out.take(p.dst, top)
	}
	var b bytes.Buffer
	enc := png.Encoder{CompressionLevel: png.DefaultCompression}
	if err := enc.Encode(&b, out.reduce()); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// A painter paints a strip.
type painter struct {
	*Typesetter
	dst   *image.RGBA
	mask  *image.Alpha
	ras   vector.Rasterizer
	scale float64
	top   float64 // of the strip, in pixels
	spare [2][]Point
}

// region returns the pixels of the strip that a rectangle touches.
func (p *painter) region(r Rect) image.Rectangle {
	return image.Rect(
		int(math.Floor(r.X*p.scale))-1, int(math.Floor(r.Y*p.scale-p.top))-1,
		int(math.Ceil((r.X+r.W)*p.scale))+1, int(math.Ceil((r.Y+r.H)*p.scale-p.top))+1,
	).Intersect(p.dst.Bounds())
}

// begin prepares the rasterizer for a region.
func (p *painter) begin(r image.Rectangle) {
	p.ras.Reset(r.Dx(), r.Dy())
	p.ras.DrawOp = draw.Over
}

// poly adds a polygon, clipped to the region: far outside it the rasterizer is slow, and finally wrong.
func (p *painter) poly(points []Point, r image.Rectangle) {
	if len(points) < 3 {
		return
	}
	region := Rect{float64(r.Min.X), float64(r.Min.Y) + p.top, float64(r.Dx()), float64(r.Dy())}
	x, y := region.X, region.Y
	path := Path{points: points}
	switch b := path.bounds(); {
	case !b.Touches(region.Inset(-1)):
		if b.Y > region.Y+region.H || b.Y+b.H < region.Y || b.X > region.X+region.W || b.X+b.W < region.X {
			return
		}
	case b.X < region.X, b.Y < region.Y, b.X+b.W > region.X+region.W, b.Y+b.H > region.Y+region.H:
		if points = cut(points, region, &p.spare); len(points) < 3 {
			return
		}
	}
	for i, q := range points {
		ax, ay := float32(q.X-x), float32(q.Y-y)
		if i == 0 {
			p.ras.MoveTo(ax, ay)
		} else {
			p.ras.LineTo(ax, ay)
		}
	}
	p.ras.ClosePath()
}

func (p *painter) fill(r image.Rectangle, src image.Image) {
	p.ras.Draw(p.dst, r, src, r.Min)
}

// flood is fill with one colour. Pixels that the shape does not cover, which are most pixels of the regions of small circles, are skipped.
func (p *painter) flood(r image.Rectangle, c color.NRGBA) {
	m := p.mask
	m.Rect, m.Stride = image.Rect(0, 0, r.Dx(), r.Dy()), r.Dx()
	m.Pix = slices.Grow(m.Pix[:0], r.Dx()*r.Dy())[:r.Dx()*r.Dy()]
	p.ras.DrawOp = draw.Src
	p.ras.Draw(m, m.Rect, image.Opaque, image.Point{})
	draw.DrawMask(p.dst, r, image.NewUniform(c), image.Point{}, m, image.Point{}, draw.Over)
}

func (p *painter) shape(s *Shape) {
	bounds := s.Bounds()
	r := p.region(bounds)
	if s.Clip != nil { // sharp, as in a browser
		r = r.Intersect(image.Rect(
			int(math.Round(s.Clip.X*p.scale)), int(math.Round(s.Clip.Y*p.scale-p.top)),
			int(math.Round((s.Clip.X+s.Clip.W)*p.scale)), int(math.Round((s.Clip.Y+s.Clip.H)*p.scale-p.top)),
		))
	}
	if r.Empty() {
		return
	}
	lines := s.Path.flatten(p.scale, nil)
	inner := p.inner(s, r)
	if s.Fill.A > 0 || s.Hatch.Period > 0 {
		wind(lines)
		parts := []image.Rectangle{r}
		if !inner.Empty() && s.Fill.A == 255 && s.Hatch.Period == 0 {
			draw.Draw(p.dst, inner, image.NewUniform(s.Fill), image.Point{}, draw.Src)
			parts = around(r, inner)
		}
		for _, r := range parts {
			p.begin(r)
			for _, l := range lines {
				p.poly(l.points, r)
			}
			if s.Hatch.Period > 0 {
				p.fill(r, &stripes{s.Hatch, p.scale, p.top, r.Inset(-1)})
			} else {
				p.flood(r, s.Fill)
			}
		}
	}
	if s.Stroke.A > 0 && s.Width > 0 {
		parts := []image.Rectangle{r}
		if !inner.Empty() {
			parts = around(r, inner)
		}
		for _, r := range parts {
			p.begin(r)
			if centre, radius, ok := s.Path.circle(); ok && len(s.Dash) == 0 {
				p.ring(lines[0].points, Point{centre.X * p.scale, centre.Y * p.scale}, radius*p.scale, s.Width*p.scale/2, r)
				p.flood(r, s.Stroke)
				continue
			}
			for _, l := range lines {
				p.stroke(l, s.Width*p.scale, s.Dash, s.Round, r)
			}
			p.flood(r, s.Stroke)
		}
	}
}

// inner returns the pixels inside a large rectangle, without its edge: painting them needs no rasterizer. It is empty for other shapes.
func (p *painter) inner(s *Shape, r image.Rectangle) image.Rectangle {
	if !s.Path.isBox() {
		return image.Rectangle{}
	}
	b := s.Path.bounds()
	edge := s.Width/2 + 2/p.scale
	rows := max(edge, s.Path.corner+2/p.scale)
	in := image.Rect(
		int(math.Ceil((b.X+edge)*p.scale)), int(math.Ceil((b.Y+rows)*p.scale-p.top)),
		int(math.Floor((b.X+b.W-edge)*p.scale)), int(math.Floor((b.Y+b.H-rows)*p.scale-p.top)),
	)
	if b.W < 2*edge || b.H < 2*rows {
		return image.Rectangle{}
	}
	if in = in.Intersect(r); in.Dx() < 32 || in.Dy() < 32 {
		return image.Rectangle{}
	}
	return in
}

// around returns the parts of a rectangle outside a rectangle in it.
func around(r, in image.Rectangle) []image.Rectangle {
	var out []image.Rectangle
	for _, part := range []image.Rectangle{
		image.Rect(r.Min.X, r.Min.Y, r.Max.X, in.Min.Y), image.Rect(r.Min.X, in.Max.Y, r.Max.X, r.Max.Y),
		image.Rect(r.Min.X, in.Min.Y, in.Min.X, in.Max.Y), image.Rect(in.Max.X, in.Min.Y, r.Max.X, in.Max.Y),
	} {
		if !part.Empty() {
			out = append(out, part)
		}
	}
	return out
}

func (p *painter) stroke(l polyline, width float64, dash []float64, rounded bool, r image.Rectangle) {
	all := []polyline{l}
	if len(dash) > 0 {
		scaled := make([]float64, len(dash))
		for i, d := range dash {
			scaled[i] = d * p.scale
		}
		all = l.dashed(scaled)
	}
	for _, part := range all {
		part.outline(width, rounded, func(points []Point) { p.poly(points, r) })
	}
}

// ring adds the line around a circle, from half outside to half inside: two outlines, in place of two for each of its short sides.
func (p *painter) ring(circle []Point, centre Point, radius, half float64, r image.Rectangle) {
	at := func(radii float64) []Point {
		out := make([]Point, len(circle))
		for i, q := range circle {
			out[i] = Point{centre.X + (q.X-centre.X)*radii, centre.Y + (q.Y-centre.Y)*radii}
		}
		return out
	}
	p.poly(at((radius+half)/radius), r)
	if half < radius {
		hole := at((radius - half) / radius)
		slices.Reverse(hole)
		p.poly(hole, r)
	}
}

// wind orients outlines so that one inside another cuts a hole, by the even-odd rule: the rasterizer adds up outlines of the same
// orientation.
func wind(lines []polyline) {
	if len(lines) < 2 {
		return
	}
	boxes := make([]Rect, len(lines))
	for i, l := range lines {
		path := Path{points: l.points}
		boxes[i] = path.bounds()
	}
	for i, l := range lines {
		if len(l.points) < 3 {
			continue
		}
		depth := 0
		at := l.points[0]
		for j, o := range lines {
			if b := boxes[j]; i != j && at.X >= b.X && at.X <= b.X+b.W && at.Y >= b.Y && at.Y <= b.Y+b.H && inside(o.points, at) {
				depth++
			}
		}
		if (area(l.points) > 0) == (depth%2 == 1) {
			reversed := make([]Point, len(l.points))
			for k, q := range l.points {
				reversed[len(reversed)-1-k] = q
			}
			lines[i].points = reversed
		}
	}
}

// area returns twice the signed area of a polygon.
func area(points []Point) (sum float64) {
	for i, a := range points {
		b := points[(i+1)%len(points)]
		sum += a.X*b.Y - b.X*a.Y
	}
	return sum
}

func inside(points []Point, at Point) (in bool) {
	for i, a := range points {
		b := points[(i+1)%len(points)]
		if (a.Y > at.Y) != (b.Y > at.Y) && at.X < (b.X-a.X)*(at.Y-a.Y)/(b.Y-a.Y)+a.X {
			in = !in
		}
	}
	return in
}

// stripes is a hatch as an image.
type stripes struct {
	Hatch
	scale, top float64
	bounds     image.Rectangle
}

func (s *stripes) ColorModel() color.Model { return color.NRGBAModel }
func (s *stripes) Bounds() image.Rectangle { return s.bounds }

func (s *stripes) At(x, y int) color.Color {
	at := (float64(x) - float64(y) - s.top) / s.scale / math.Sqrt2
	period, edge := s.Period, 0.5/s.scale
	at = math.Mod(math.Mod(at, period)+period, period)
	// The edge between a stripe and the ground is a mixture of both.
	share := min(max((at+edge)/(2*edge), 0), 1) * min(max((s.Width-at+edge)/(2*edge), 0), 1)
	if late := (at - period + edge) / (2 * edge); late > 0 {
		share = max(share, late)
	}
	g, t := s.Ground, s.Stripe
	ga, ta := float64(g.A)*(1-share), float64(t.A)*share
	a := ga + ta
	if a == 0 {
		return color.NRGBA{}
	}
	mix := func(x, y uint8) uint8 { return uint8((float64(x)*ga + float64(y)*ta) / a) }
	return color.NRGBA{mix(g.R, t.R), mix(g.G, t.G), mix(g.B, t.B), uint8(a)}
}

// shades is the number of steps between a letter and its background.
const shades = 15

// A glyphKey identifies a painted letter: with its offset in quarters of a pixel, and the width of its halo.
type glyphKey struct {
	face    *font.Face
	id      font.GID
	size    float32
	quarter uint8
	halo    float32
}

// A glyphMask is a letter, painted.
type glyphMask struct {
	*image.Alpha
	at image.Point // of its upper left corner, from the origin of the letter
}

type outlineKey struct {
	face *font.Face
	id   font.GID
}

// outline returns the path of a glyph in units of its size, y downwards.
func (t *Typesetter) outline(face *font.Face, id font.GID) *Path {
	key := outlineKey{face, id}
	if p, ok := t.paths[key]; ok {
		return p
	}
	if len(t.paths) > 2*maxGlyphs {
		clear(t.paths)
	}
	p := &Path{}
	if data, ok := face.GlyphData(id).(font.GlyphOutline); ok {
		upem := float64(face.Upem())
		at := func(q ot.SegmentPoint) (x, y float64) { return float64(q.X) / upem, -float64(q.Y) / upem }
		var fromX, fromY float64
		for i, s := range data.Segments {
			ax, ay := at(s.Args[0])
			switch s.Op {
			case ot.SegmentOpMoveTo:
				if i > 0 {
					p.Close()
				}
				p.MoveTo(ax, ay)
				fromX, fromY = ax, ay
			case ot.SegmentOpLineTo:
				p.LineTo(ax, ay)
				fromX, fromY = ax, ay
			case ot.SegmentOpQuadTo:
				bx, by := at(s.Args[1])
				p.CurveTo(fromX+(ax-fromX)*2/3, fromY+(ay-fromY)*2/3, bx+(ax-bx)*2/3, by+(ay-by)*2/3, bx, by)
				fromX, fromY = bx, by
			case ot.SegmentOpCubeTo:
				bx, by := at(s.Args[1])
				cx, cy := at(s.Args[2])
				p.CurveTo(ax, ay, bx, by, cx, cy)
				fromX, fromY = cx, cy
			}
		}
		if len(data.Segments) > 0 {
			p.Close()
		}
	}
	t.paths[key] = p
	return p
}

// glyph paints a letter of a size in pixels, offset to the right by quarters of a pixel.
func (p *painter) glyph(face *font.Face, id font.GID, size float64, quarter uint8, halo float64) *glyphMask {
	key := glyphKey{face, id, float32(size), quarter, float32(halo)}
	if m, ok := p.glyphs[key]; ok {
		return m
	}
	if len(p.glyphs) > 2*maxGlyphs {
		clear(p.glyphs)
	}
	path := p.outline(face, id)
	b := path.bounds()
	shift := float64(quarter) / 4
	r := image.Rect(
		int(math.Floor(b.X*size+shift-halo))-1, int(math.Floor(b.Y*size-halo))-1,
		int(math.Ceil((b.X+b.W)*size+shift+halo))+1, int(math.Ceil((b.Y+b.H)*size+halo))+1,
	)
	m := &glyphMask{Alpha: image.NewAlpha(image.Rect(0, 0, r.Dx(), r.Dy())), at: r.Min}
	if !path.Empty() && r.Dx() < 2000 && r.Dy() < 2000 {
		lines := path.flatten(0, func(q Point) Point {
			return Point{q.X*size + shift - float64(r.Min.X), q.Y*size - float64(r.Min.Y)}
		})
		top := p.top
		p.top = 0
		p.begin(m.Rect)
		p.ras.DrawOp = draw.Src
		for _, l := range lines {
			if halo > 0 {
				l.closed = true
				l.outline(halo*2, true, func(points []Point) { p.poly(points, m.Rect) })
			} else {
				p.poly(l.points, m.Rect)
			}
		}
		p.ras.Draw(m.Alpha, m.Rect, image.Opaque, image.Point{})
		for i, a := range m.Pix { // few steps are enough, and equal pixels compress better
			m.Pix[i] = uint8((int(a)*shades + 127) / 255 * 255 / shades)
		}
		p.top = top
	}
	p.glyphs[key] = m
	return m
}

func (p *painter) text(t *Text) {
	line := p.Typesetter.line(t.Text, t.Style.Face)
	size := t.Style.Size * p.scale
	y := int(math.Round(t.Y*p.scale - p.top))
	paint := func(c color.NRGBA, halo float64) {
		src := image.NewUniform(c)
		for _, r := range line.runs {
			for _, g := range r.glyphs {
				x := (t.X + g.x*t.Style.Size) * p.scale
				at := math.Floor(x*4+0.5) / 4
				whole := math.Floor(at)
				m := p.glyph(r.face, g.id, size, uint8((at-whole)*4), halo)
				to := m.Rect.Add(image.Pt(int(whole), y-int(math.Round(g.y*size))).Add(m.at))
				draw.DrawMask(p.dst, to, src, image.Point{}, m.Alpha, image.Point{}, draw.Over)
			}
		}
	}
	if t.Halo.A > 0 && t.HaloWidth > 0 {
		paint(t.Halo, t.HaloWidth*p.scale)
	}
	paint(t.Color, 0)
	for _, rule := range t.rules() {
		var path Path
		path.Rect(rule, 0)
		p.shape(&Shape{Path: path, Fill: t.Color})
	}
}
