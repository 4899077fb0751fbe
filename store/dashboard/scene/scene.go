package scene

import (
	"image/color"
	"math"
	"slices"
	"time"
)

// A Scene is a laid-out page. Later items are drawn on top of earlier ones.
type Scene struct {
	Width, Height float64
	Back          color.NRGBA
	Title         string
	Lang          string    // such as de-DE
	Time          time.Time // of its data

	// Breaks are the heights at which the page can be cut in two, ascending.
	Breaks []float64

	// Heads are the heads of tables, which are repeated on each sheet of paper that shows more of their rows.
	Heads []Head

	Items []Item
}

// An Item is a [*Shape] or a [*Text].
type Item interface {
	// Bounds returns a rectangle that contains the item.
	Bounds() Rect
	move(dx, dy float64)
}

// A Rect is a rectangle.
type Rect struct{ X, Y, W, H float64 }

// Touches reports whether two rectangles overlap.
func (r Rect) Touches(o Rect) bool {
	return r.X < o.X+o.W && o.X < r.X+r.W && r.Y < o.Y+o.H && o.Y < r.Y+r.H
}

// Inset returns the rectangle with each side moved inwards.
func (r Rect) Inset(by float64) Rect { return Rect{r.X + by, r.Y + by, r.W - 2*by, r.H - 2*by} }

// A Point is a position on a scene.
type Point struct{ X, Y float64 }

// A Path consists of outlines, which each begin with MoveTo.
type Path struct {
	ops    []byte // m, l, c or z
	points []Point
	corner float64 // radius of the corners of the rectangle at the beginning of the path
	box    int     // steps of that rectangle; 0 without a rectangle
}

// isBox reports whether the path is a single rectangle.
func (p *Path) isBox() bool { return p.box > 0 && len(p.ops) == p.box }

// circle returns the centre and the radius of a path that is a single circle.
func (p *Path) circle() (centre Point, radius float64, ok bool) {
	if !p.isBox() || p.corner == 0 {
		return Point{}, 0, false
	}
	b := p.bounds()
	centre, radius = Point{b.X + b.W/2, b.Y + b.H/2}, p.corner
	return centre, radius, max(math.Abs(b.W/2-radius), math.Abs(b.H/2-radius)) < 1e-6*radius
}

// MoveTo begins an outline.
func (p *Path) MoveTo(x, y float64) {
	p.ops, p.points = append(p.ops, 'm'), append(p.points, Point{x, y})
}

// LineTo adds a straight line.
func (p *Path) LineTo(x, y float64) {
	p.ops, p.points = append(p.ops, 'l'), append(p.points, Point{x, y})
}

// CurveTo adds a cubic Bézier curve with two control points.
func (p *Path) CurveTo(ax, ay, bx, by, x, y float64) {
	p.ops = append(p.ops, 'c')
	p.points = append(p.points, Point{ax, ay}, Point{bx, by}, Point{x, y})
}

// Close closes an outline.
func (p *Path) Close() { p.ops = append(p.ops, 'z') }

// Empty reports whether the path has no steps.
func (p *Path) Empty() bool { return len(p.ops) == 0 }

// round is the distance of the control points of a quarter of a unit circle from its ends.
const round = 0.5522847498

// Rect adds a rectangle, with round corners if radius is above 0.
func (p *Path) Rect(r Rect, radius float64) {
	radius = min(radius, r.W/2, r.H/2)
	if len(p.ops) == 0 {
		p.corner = max(radius, 0)
		defer func() { p.box = len(p.ops) }()
	}
	x, y, right, foot := r.X, r.Y, r.X+r.W, r.Y+r.H
	if radius <= 0 {
		p.MoveTo(x, y)
		p.LineTo(right, y)
		p.LineTo(right, foot)
		p.LineTo(x, foot)
		p.Close()
		return
	}
	k := radius * (1 - round)
	p.MoveTo(x+radius, y)
	p.LineTo(right-radius, y)
	p.CurveTo(right-k, y, right, y+k, right, y+radius)
	p.LineTo(right, foot-radius)
	p.CurveTo(right, foot-k, right-k, foot, right-radius, foot)
	p.LineTo(x+radius, foot)
	p.CurveTo(x+k, foot, x, foot-k, x, foot-radius)
	p.LineTo(x, y+radius)
	p.CurveTo(x, y+k, x+k, y, x+radius, y)
	p.Close()
}

// Circle adds a circle.
func (p *Path) Circle(x, y, radius float64) {
	p.Rect(Rect{x - radius, y - radius, 2 * radius, 2 * radius}, radius)
}

// Arc adds a part of a circle as an open line, clockwise: from and to are fractions of a turn, from the top.
func (p *Path) Arc(x, y, radius, from, to float64) {
	at := func(turn float64) (float64, float64) {
		sin, cos := math.Sincos(turn * 2 * math.Pi)
		return sin, -cos
	}
	steps := max(int(math.Ceil((to-from)*8)), 1)
	each := (to - from) / float64(steps)
	k := 4.0 / 3 * math.Tan(each*2*math.Pi/4) * radius
	sx, sy := at(from)
	p.MoveTo(x+sx*radius, y+sy*radius)
	for i := range steps {
		ex, ey := at(from + float64(i+1)*each)
		p.CurveTo(
			x+sx*radius-sy*k, y+sy*radius+sx*k,
			x+ex*radius+ey*k, y+ey*radius-ex*k,
			x+ex*radius, y+ey*radius,
		)
		sx, sy = ex, ey
	}
}

func (p *Path) bounds() Rect {
	if len(p.points) == 0 {
		return Rect{}
	}
	lo, hi := p.points[0], p.points[0]
	for _, q := range p.points[1:] {
		lo.X, lo.Y, hi.X, hi.Y = min(lo.X, q.X), min(lo.Y, q.Y), max(hi.X, q.X), max(hi.Y, q.Y)
	}
	return Rect{lo.X, lo.Y, hi.X - lo.X, hi.Y - lo.Y}
}

// A Shape is a path that is filled, or drawn as a line, or both. A colour whose alpha is 0 is not drawn.
type Shape struct {
	Path   Path
	Fill   color.NRGBA
	Hatch  Hatch // in place of Fill, if its period is above 0
	Stroke color.NRGBA
	Width  float64   // of the line
	Dash   []float64 // lengths of dashes and gaps in turn
	Round  bool      // ends and corners of the line are round
	Clip   *Rect     // nothing is drawn outside of it
}

// A Hatch is slanted stripes on a ground.
type Hatch struct {
	Ground, Stripe color.NRGBA
	Period, Width  float64 // the distance of the stripes, and the width of each
}

// Bounds returns the visible extent of the shape.
func (s *Shape) Bounds() Rect {
	b := s.Path.bounds()
	if s.Stroke.A > 0 {
		b = b.Inset(-s.Width)
	}
	if s.Clip != nil {
		x, y := max(b.X, s.Clip.X), max(b.Y, s.Clip.Y)
		b = Rect{x, y, max(min(b.X+b.W, s.Clip.X+s.Clip.W)-x, 0), max(min(b.Y+b.H, s.Clip.Y+s.Clip.H)-y, 0)}
	}
	return b
}

func (s *Shape) move(dx, dy float64) {
	for i := range s.Path.points {
		s.Path.points[i].X += dx
		s.Path.points[i].Y += dy
	}
	if s.Clip != nil {
		clip := *s.Clip
		clip.X, clip.Y = clip.X+dx, clip.Y+dy
		s.Clip = &clip
	}
}

// A Face is a style of letters.
type Face uint8

// The faces.
const (
	Regular Face = iota
	Bold
	Italic
	Mono
	faces
)

// A Style is the appearance of letters.
type Style struct {
	Face Face
	Size float64
}

// A Text is one line of text. X is its left end, in either reading direction, and Y its baseline.
type Text struct {
	X, Y, Width float64 // Width is from [Typesetter.Width]
	Text        string
	Style       Style
	Color       color.NRGBA
	Halo        color.NRGBA // around the letters; not drawn if its alpha is 0
	HaloWidth   float64
	Link        string // an address, or ""
	Strike      bool
	Underline   bool
}

// The extent of letters above and below their baseline, as fractions of their size.
const (
	ascent  = 0.74
	descent = 0.22
)

// Box returns the rectangle of the letters.
func (t *Text) Box() Rect {
	return Rect{t.X, t.Y - ascent*t.Style.Size, t.Width, (ascent + descent) * t.Style.Size}
}

// Bounds returns the visible extent of the text, including letters that extend beyond Box.
func (t *Text) Bounds() Rect {
	return t.Box().Inset(-t.HaloWidth - t.Style.Size*0.5)
}

func (t *Text) move(dx, dy float64) {
	t.X, t.Y = t.X+dx, t.Y+dy
}

// rules returns the lines along the text.
func (t *Text) rules() (out []Rect) {
	at := func(down float64) Rect {
		return Rect{t.X, t.Y + down*t.Style.Size, t.Width, max(t.Style.Size/14, 0.5)}
	}
	if t.Strike {
		out = append(out, at(-0.3))
	}
	if t.Underline {
		out = append(out, at(0.12))
	}
	return out
}

// Add puts an item on top of the others.
func (s *Scene) Add(i Item) { s.Items = append(s.Items, i) }

// Move moves the items from one index up to, but not including, another.
func (s *Scene) Move(from, to int, dx, dy float64) {
	if dx == 0 && dy == 0 {
		return
	}
	for _, i := range s.Items[from:to] {
		i.move(dx, dy)
	}
}

// A Head is the head of a table between two heights. The rows below it end at End.
type Head struct {
	Items         []Item // of the scene
	From, To, End float64
}

// repeated returns the heads of the tables whose rows are on both sides of a height, and the height of the highest.
func (s *Scene) repeated(at float64) (heads []Head, high float64) {
	for _, h := range s.Heads {
		if h.To < at && at < h.End-1 {
			heads, high = append(heads, h), max(high, h.To-h.From)
		}
	}
	return heads, high
}

// Bounds returns the smallest rectangle around the path's points.
func (p *Path) Bounds() Rect { return p.bounds() }

// Clone returns a copy of the path.
func (p *Path) Clone() Path {
	return Path{ops: slices.Clone(p.ops), points: slices.Clone(p.points), corner: p.corner, box: p.box}
}
