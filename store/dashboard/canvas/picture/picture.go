package picture

import (
	"math"
	"strings"

	"service/store/dashboard/canvas"
	"service/store/dashboard/geo"
	"service/store/dashboard/scene"
)

// The pictures of the painter of scenes.

// The colours of maps and calendars that are not tokens of the style.
var (
	landInk   = inkOf("eceff3") // .map .land
	coastInk  = inkOf("9aa5b4")
	blankInk  = inkOf("f3f5f7") // .z
	stripeInk = inkOf("dfe3e9") // .z0
	blankEdge = inkOf("c3cad3")
	dayInk    = inkOf("f0f2f5") // .half .land
)

func (w *Painter) Picture(p canvas.Picture) {
	f := plotFrame{kind: p.Kind, x: w.X, y: w.Y, w: w.Wide, h: float64(p.Height), unit: 1, margin: 28}
	w.Reach += p.Reach()
	after := 0.0
	rtl := w.Rtl
	w.Rtl = false
	if rtl {
		f.x = w.Width - w.X - w.Wide
	}
	switch p.Kind {
	case canvas.FullPicture:
		f.h += w.Extra
		w.Extra = 0
		f.y += 8
		f.margin = 6
	case canvas.PlotPicture:
		_, left := canvas.MarginOf(p.Left)
		if p.Flush {
			left = 0
		}
		right := canvas.RightMargin
		if p.Right != nil {
			_, right = canvas.MarginOf(p.Right)
		}
		if w.Inside <= 480 {
			left, right = min(left, canvas.PhoneMargin), min(right, canvas.PhoneMargin)
		}
		if w.grid.shares() {
			left, right = 0, 0
			if !w.axes().Roomy {
				f.margin = 6
			}
		} else {
			f.h += w.Extra
			w.Extra = 0
		}
		f.x, f.w, f.y = f.x+left, f.w-left-right, f.y+8
		if p.Top {
			f.y += 18
		}
	case canvas.HalfPicture, canvas.MonthsPicture:
		_, left := canvas.MarginOf(p.Left)
		r := &w.pair
		f.y += 28
		f.margin = 6
		if w.Inside > 480.1 && r.active {
			each := (r.width - left - 12) / 2
			f.w, f.y = each, r.top+28
			if r.high < 0 {
				f.x = f.x + left
			} else {
				f.x = f.x + left + each
			}
		} else {
			f.x, f.w = f.x+left, f.w-left-12
		}
	case canvas.SparkPicture:
		grow := 0.0
		if w.Grows {
			grow = min(w.Extra, canvas.SparkReach)
		}
		f.h += grow
		f.y += w.Extra - grow
		w.Extra = 0
	case canvas.ProgressPicture:
		w.Y -= 4 // the line above is closer to it
		f.y -= 4
		after = 10
	case canvas.MapPicture:
		ratio := geo.Ratios[p.Aspect]
		f.w = min(f.w, ratio*canvas.MapHeight)
		f.x += (w.Wide - f.w) / 2
		f.h = f.w / ratio
		f.y += 2
	case canvas.RingPicture:
		f.w, f.h = ringWidth, ringWidth
		f.unit = ringWidth / 42
		if w.pair.wrapped {
			f.x += (w.Wide - ringWidth) / 2
		} else if rtl {
			f.x += w.Wide - ringWidth
		}
		after = 16
	case canvas.StripPicture:
		f.y += 3
	}
	switch p.Kind {
	case canvas.ProgressPicture, canvas.StripPicture:
		clip := scene.Rect{X: f.x, Y: f.y, W: f.w, H: f.h}
		track := &scene.Shape{Fill: Ink("track")}
		track.Path.Rect(clip, 3)
		w.Add(track)
		f.clip = &clip
	case canvas.MapPicture:
		f.clip = &scene.Rect{X: f.x, Y: f.y, W: f.w, H: f.h}
	}
	from := len(w.Items)
	w.Plots = append(w.Plots, f)
	w.open(func() {
		f := w.Plots[len(w.Plots)-1]
		w.Plots = w.Plots[:len(w.Plots)-1]
		w.Rtl = rtl
		if p.Kind == canvas.StripPicture && rtl && w.Mute == 0 {
			flip(w.Items[from:], f)
		}
		w.Y = f.y + f.h
		switch p.Kind {
		case canvas.PlotPicture, canvas.FullPicture, canvas.MonthsPicture:
			w.Y += f.margin
		case canvas.HalfPicture:
			w.Y += f.margin
			if r := &w.pair; w.Inside > 480.1 && r.active {
				r.high = max(r.high, w.Y-r.top)
			} else if r.active {
				r.high = w.Y - r.top
			}
		case canvas.RingPicture:
			r := &w.pair
			r.ringTo, r.ringHeight = len(w.Items), ringWidth
			if r.wrapped {
				w.Y += after
			}
		default:
			w.Y += after
		}
	})
}

// flip lets bars grow from the side of their names.
func flip(items []scene.Item, f plotFrame) {
	for i, item := range items {
		if s, ok := item.(*scene.Shape); ok {
			b := s.Path.Bounds()
			clip := s.Clip
			s.Clip = nil
			(&scene.Scene{Items: items}).Move(i, i+1, 2*f.x+f.w-2*b.X-b.W, 0)
			s.Clip = clip
		}
	}
}

func (w *Painter) frame() *plotFrame { return &w.Plots[len(w.Plots)-1] }

func (w *Painter) Viewport() { w.open(func() {}) }

func (w *Painter) Extent(width, height int) {
	f := *w.frame()
	f.unitsX, f.unitsY = float64(width), float64(height)
	w.Plots = append(w.Plots, f)
	w.open(func() { w.Plots = w.Plots[:len(w.Plots)-1] })
}

// shows reports whether the style shows marks that are for some widths only.
func (w *Painter) shows(on canvas.Widths) bool {
	wide := w.Inside
	switch on {
	case canvas.Phone:
		return wide <= 480
	case canvas.Tablet:
		return wide > 480 && wide <= 820
	case canvas.Desktop:
		return wide > 820
	case canvas.Phone | canvas.Tablet:
		return wide <= 820
	case canvas.Tablet | canvas.Desktop:
		return wide > 480
	case canvas.Phone | canvas.Tablet | canvas.Half:
		return wide <= 560
	case canvas.Tablet | canvas.Half:
		return wide > 480 && wide <= 560
	case canvas.Desktop | canvas.Half:
		return wide > 560
	}
	return true
}

// Only begins blocks that take no room unless the panel has one of some widths.
func (w *Painter) Only(on canvas.Widths) {
	if w.shows(on) {
		w.open(func() {})
		return
	}
	y, extra := w.Y, w.Extra
	w.Mute++
	w.open(func() {
		w.Mute--
		w.Y, w.Extra = y, extra
	})
}

func (w *Painter) Group(g canvas.Group) {
	before := w.sets
	hidden := !w.shows(g.Widths) || w.grid.shares() && g.Look == canvas.AxisText && g.Anchor == canvas.AtMiddle && !w.axes().Below
	if hidden {
		w.Mute++
	}
	if g.Look != canvas.Grouped {
		w.sets = groupFrame{look: g.Look, anchor: g.Anchor, on: Ink("ink")}
		if g.Look == canvas.CellText {
			w.sets.on = inkOver(g.On)
		}
	}
	if g.TwoLines && !w.grid.shares() && !hidden {
		f := w.frame()
		f.margin = max(f.margin, 42)
	}
	w.open(func() {
		w.sets = before
		if hidden {
			w.Mute--
		}
	})
}

// inkOver returns the colour of a text on a colour of a heat map.
func inkOver(c canvas.Color) Rgba {
	switch c.Depth() {
	case 0:
		return Ink("ink")
	case 1:
		return inkOf("111827")
	case 3:
		return inkOf("000")
	}
	return inkOf("fff")
}

// at returns a place along an axis that begins at from.
func (f *plotFrame) at(c canvas.Coord, from, length float64) float64 {
	switch c.Unit {
	case canvas.Fraction:
		return from + c.V*length
	case canvas.Pixels:
		return from + c.V*f.unit
	}
	return from
}

func (f *plotFrame) atX(c canvas.Coord) float64 { return f.at(c, f.x, f.w) }
func (f *plotFrame) atY(c canvas.Coord) float64 { return f.at(c, f.y, f.h) }

// long returns a length; one that is not set is all of it.
func (f *plotFrame) long(c canvas.Coord, all float64) float64 {
	switch c.Unit {
	case canvas.Fraction:
		return c.V * all
	case canvas.Pixels:
		return c.V * f.unit
	}
	return all
}

func (w *Painter) Line(l canvas.Line) {
	f := w.frame()
	x1, x2, y1, y2 := f.atX(l.X1), f.atX(l.X2), f.atY(l.Y1), f.atY(l.Y2)
	draw := func(c Rgba, width float64, dash ...float64) {
		s := &scene.Shape{Stroke: c, Width: width, Dash: dash, Clip: f.clip}
		s.Path.MoveTo(x1, y1)
		s.Path.LineTo(x2, y2)
		w.Add(s)
	}
	switch l.Stroke {
	case canvas.GridLine:
		draw(Ink("grid"), 1)
	case canvas.ZeroLine:
		if f.kind == canvas.ProgressPicture {
			draw(Ink("card"), 2)
			return
		}
		draw(Ink("ctl"), 1)
	case canvas.EventLine, canvas.LinkLine:
		draw(Ink("edge"), 1)
	case canvas.ReferenceLine:
		draw(Ink("card"), 3.5)
		draw(ToneInk(l.Tone, "ink"), 1.5, 5, 4)
	case canvas.MarkLine:
		draw(Ink("card"), 3.5)
		draw(ToneInk(l.Tone, "ink"), 2)
	case canvas.CutLine:
		draw(Ink("card"), 3.5)
	case canvas.ThinLine:
		draw(fillOf(l.Color), 1.5)
	case canvas.BoldLine:
		draw(fillOf(l.Color), 3)
	}
}

func (w *Painter) Rect(r canvas.Rect) {
	f := w.frame()
	s := &scene.Shape{Fill: fillOf(r.Color), Clip: f.clip}
	at := scene.Rect{X: f.atX(r.X), Y: f.atY(r.Y), W: f.long(r.Width, f.w), H: f.long(r.Height, f.h)}
	if at.W <= 0 || at.H <= 0 {
		return
	}
	if r.Fade != canvas.NoFade {
		w.fade(at, s, r.Fade)
		return
	}
	s.Path.Rect(at, float64(r.Round))
	switch c := s.Fill; {
	case r.Veil:
		stripe := sheer(Ink("card"), 0.5)
		if r.Color.Depth() == 2 { // its text is white
			stripe = sheer(Ink("ink"), 0.3)
		}
		s.Fill, s.Hatch = Rgba{}, scene.Hatch{Ground: sheer(stripe, 0), Stripe: stripe, Period: 7, Width: 2}
		s.Stroke, s.Width = Ink("card"), 2
	case r.Shade:
		s.Fill = sheer(ToneInk(r.Tone, "ink"), shadeOf(r.Tone))
	case r.Hatched:
		s.Fill, s.Hatch = Rgba{}, scene.Hatch{Ground: sheer(c, 0.25), Stripe: c, Period: 6, Width: 3}
		if r.Outlined {
			s.Stroke, s.Width = c, 1.5
		}
	case r.Color >= canvas.HeatColor && !r.Bare:
		s.Stroke, s.Width = Ink("card"), 2
	case r.Outlined:
		s.Fill, s.Stroke, s.Width = sheer(c, 0.25), c, 1.5
	case r.Pale:
		s.Fill = sheer(c, 0.28)
	}
	if r.Touching {
		s.Stroke, s.Width = Ink("card"), 1
	}
	w.Add(s)
}

// fade draws a rectangle in slices, each paler than the one before.
func (w *Painter) fade(at scene.Rect, of *scene.Shape, to canvas.Fade) {
	from, wide := math.Round(at.X), math.Round(at.W) // slices of whole pixels, so that there are no gaps between them
	n := min(wide, 24)
	edge := func(k float64) float64 { return from + math.Round(k*wide/n) }
	for k := 0.0; k < n; k++ {
		opaque := (k + 0.5) / n
		if to == canvas.FadesRight {
			opaque = 1 - opaque
		}
		s := &scene.Shape{Clip: of.Clip, Fill: sheer(of.Fill, opaque)}
		s.Path.Rect(scene.Rect{X: edge(k), Y: at.Y, W: edge(k+1) - edge(k), H: at.H}, 0)
		w.Add(s)
	}
}

// shadeOf returns the opacity of a shade of a tone. The style has the same numbers.
func shadeOf(tone string) float64 {
	if ToneInk(tone, "ink") == Ink("ink") {
		return 0.07
	}
	return 0.14
}

func (w *Painter) Circle(c canvas.Circle) {
	f := w.frame()
	s := &scene.Shape{Fill: fillOf(c.Color)}
	s.Path.Circle(f.atX(c.X), f.atY(c.Y), c.Radius)
	w.Dots++
	if c.Color >= canvas.HeatColor {
		s.Stroke, s.Width = coastInk, 0.6
	}
	if c.Sheer && !c.Rimmed && c.Color < canvas.HeatColor {
		s.Fill, s.Stroke, s.Width = sheer(s.Fill, 0.7), Ink("card"), 1
	}
	if c.Rimmed {
		s.Stroke, s.Width = Ink("card"), 1.5
	}
	if f.clip != nil {
		s.Clip = f.clip
	}
	w.Add(s)
}

func (w *Painter) Arc(a canvas.Arc) {
	f := w.frame()
	s := &scene.Shape{Stroke: fillOf(a.Color), Width: 6 * f.unit}
	share := max(a.Share-a.Gap/100, 0.002)
	s.Path.Arc(f.x+21*f.unit, f.y+21*f.unit, 15.9155*f.unit, a.From, a.From+min(share, 1))
	w.Add(s)
}

// to returns the position of a point of a viewport.
func (f *plotFrame) to(p canvas.Point) (x, y float64) {
	return f.x + float64(p.X)*f.w/1000, f.y + float64(p.Y)*f.h/1000
}

func (w *Painter) Curve(c canvas.Curve) {
	f := w.frame()
	var path scene.Path
	for i, p := range c.Points {
		x, y := f.to(p)
		if i == 0 || p.Broken {
			path.MoveTo(x, y)
			if i+1 == len(c.Points) || c.Points[i+1].Broken {
				path.LineTo(x, y) // a point alone
			}
		} else {
			path.LineTo(x, y)
		}
	}
	s := &scene.Shape{Path: path, Stroke: fillOf(c.Color), Width: 2, Round: true, Clip: f.clip}
	switch {
	case c.Trend:
		s.Width, s.Dash = 1.5, []float64{7, 4}
	case c.Bold:
		s.Width = 3
	case c.Thin && w.Fit:
		s.Width, s.Stroke = 1, sheer(s.Stroke, 0.6)
	case c.Thin:
		s.Width = 1.5
	}
	if c.Dashed {
		s.Dash = []float64{3, 5}
	}
	if c.Over {
		under := &scene.Shape{Path: path.Clone(), Stroke: Ink("card"), Width: s.Width + 3, Round: true, Clip: f.clip}
		if c.Trend {
			under.Width = 3
		}
		w.Add(under)
	}
	w.Add(s)
}

func (w *Painter) Area(a canvas.Area) {
	f := w.frame()
	s := &scene.Shape{Fill: sheer(fillOf(a.Color), 0.14), Clip: f.clip}
	if a.Solid {
		s.Fill = sheer(fillOf(a.Color), 0.78)
	}
	if a.Under != nil {
		for i, p := range a.Points {
			if x, y := f.to(p); i == 0 {
				s.Path.MoveTo(x, y)
			} else {
				s.Path.LineTo(x, y)
			}
		}
		for i := len(a.Under) - 1; i >= 0; i-- {
			x, y := f.to(a.Under[i])
			s.Path.LineTo(x, y)
		}
		s.Path.Close()
		w.Add(s)
		return
	}
	for i, p := range a.Points {
		x, y := f.to(p)
		_, floor := f.to(canvas.Point{Y: a.Floor})
		if i == 0 || p.Broken {
			s.Path.MoveTo(x, floor)
		}
		s.Path.LineTo(x, y)
		if last := i+1 == len(a.Points) || a.Points[i+1].Broken; last {
			s.Path.LineTo(x, floor)
			s.Path.Close()
		}
	}
	w.Add(s)
}

func (w *Painter) Ribbon(r canvas.Ribbon) {
	f := w.frame()
	s := &scene.Shape{Fill: sheer(fillOf(r.Color), ribbonSheer), Clip: f.clip}
	at := func(x, y int) (float64, float64) { return f.to(canvas.Point{X: x, Y: y}) }
	line := func(x, y int) { s.Path.LineTo(at(x, y)) }
	curve := func(x1, y1, x2, y2, x, y int) {
		ax, ay := at(x1, y1)
		bx, by := at(x2, y2)
		ex, ey := at(x, y)
		s.Path.CurveTo(ax, ay, bx, by, ex, ey)
	}
	s.Path.MoveTo(at(r.X1, r.From[0]))
	if middle := (r.X1 + r.X2) / 2; r.Way == [2]int{} {
		curve(middle, r.From[0], middle, r.To[0], r.X2, r.To[0])
		line(r.X2, r.To[1])
		curve(middle, r.To[1], middle, r.From[1], r.X1, r.From[1])
	} else {
		outer, inner := r.Reach, r.Reach/2
		curve(r.X1+outer, r.From[0], r.X1+outer, r.Way[1], r.X1, r.Way[1])
		line(r.X2, r.Way[1])
		curve(r.X2-outer, r.Way[1], r.X2-outer, r.To[0], r.X2, r.To[0])
		line(r.X2, r.To[1])
		curve(r.X2-inner, r.To[1], r.X2-inner, r.Way[0], r.X2, r.Way[0])
		line(r.X1, r.Way[0])
		curve(r.X1+inner, r.Way[0], r.X1+inner, r.From[1], r.X1, r.From[1])
	}
	s.Path.Close()
	w.Add(s)
}

// ribbonSheer is the opacity of a ribbon. The style has the same number.
const ribbonSheer = 0.4

func (w *Painter) Shape(sh canvas.Shape) {
	if len(sh.Rings) == 0 {
		return
	}
	f := w.frame()
	s := &scene.Shape{Clip: f.clip, Round: true}
	kx, ky := f.w/f.unitsX, f.h/f.unitsY
	for _, ring := range sh.Rings {
		for i, p := range ring {
			if x, y := f.x+float64(p.X)*kx, f.y+float64(p.Y)*ky; i == 0 {
				s.Path.MoveTo(x, y)
			} else {
				s.Path.LineTo(x, y)
			}
		}
		s.Path.Close()
	}
	days := f.kind == canvas.HalfPicture || f.kind == canvas.MonthsPicture
	switch {
	case sh.Hatched:
		s.Hatch = scene.Hatch{Ground: blankInk, Stripe: stripeInk, Period: 12 * kx, Width: 4 * kx}
		s.Stroke, s.Width = blankEdge, 0.6
	case days && sh.Color == canvas.OtherColor:
		s.Stroke, s.Width = Ink("edge"), 1
	case days:
		s.Fill, s.Stroke, s.Width = dayInk, Ink("card"), 2
	case sh.Color > 0:
		s.Stroke, s.Width = coastInk, 0.6
	default:
		s.Fill, s.Stroke, s.Width = landInk, Ink("ctl"), 0.6
	}
	if sh.Color > 0 && !(days && sh.Color == canvas.OtherColor) {
		s.Fill = fillOf(sh.Color)
	}
	w.Add(s)
}

func (w *Painter) Label(l canvas.Label) {
	f := w.frame()
	look, anchor := l.Look, l.Anchor
	if look == canvas.Grouped {
		look, anchor = w.sets.look, w.sets.anchor
	} else if w.grid.shares() && look == canvas.AxisText && anchor == canvas.AtEnd && !w.axes().Left {
		return // the first of the row has it
	}
	t := &scene.Text{
		X: f.atX(l.X) + float64(l.Right)*f.unit, Y: f.atY(l.Y) + float64(l.Down)*f.unit, Text: strings.Map(plainSpace, l.Text),
		Style: Regular(canvas.LabelSize), Color: Ink("mut"),
	}
	switch look {
	case canvas.TotalText:
		t.Style, t.Color = Bold(5*f.unit), Ink("ink")
		for t.Style.Size > 8 && w.Letters.Width(t.Text, t.Style) > 24*f.unit {
			t.Style.Size -= 0.5
		}
	case canvas.CaptionText:
		t.Style = Regular(2.9 * f.unit)
	case canvas.MarkedText:
		t.Halo, t.HaloWidth = Ink("card"), 2
		t.Halo.A = 178 // 70 % of the style
	case canvas.ValueText:
		t.Color, t.Halo, t.HaloWidth = Ink("ink"), Ink("card"), 2
	case canvas.CellText:
		t.Color = w.sets.on
	}
	t.Width = w.Letters.Width(t.Text, t.Style)
	switch anchor {
	case canvas.AtEnd:
		t.X -= t.Width
	case canvas.AtMiddle:
		t.X -= t.Width / 2
	}
	if t.Text != "" && t.Width > 0 {
		w.Add(t)
	}
}
