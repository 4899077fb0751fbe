package page

import (
	"strings"

	"service/store/dashboard/geo"
	"service/store/dashboard/scene"
)

// The pictures of the painter of scenes.

// The colours of maps and calendars that the style has beside its tokens.
var (
	landInk   = inkOf("eceff3") // .map .land
	coastInk  = inkOf("9aa5b4")
	blankInk  = inkOf("f3f5f7") // .z
	stripeInk = inkOf("dfe3e9") // .z0
	blankEdge = inkOf("c3cad3")
	dayInk    = inkOf("f0f2f5") // .half .land
)

func (w *scenePainter) picture(p picture) {
	f := plotFrame{kind: p.kind, x: w.x, y: w.y, w: w.wide, h: float64(p.height), unit: 1, margin: 28}
	after := 0.0
	rtl := w.rtl
	w.rtl = false
	if rtl {
		f.x = w.Width - w.x - w.wide
	}
	switch p.kind {
	case fullPicture:
		f.h += w.extra
		w.extra = 0
		f.y += 8
		f.margin = 6
	case plotPicture:
		_, left := marginOf(p.left)
		right := rightMargin
		if p.right != nil {
			_, right = marginOf(p.right)
		}
		if w.inside <= 480 {
			left, right = min(left, phoneMargin), min(right, phoneMargin)
		}
		if w.grid.active {
			left, right = 0, 0
			if !w.grid.lastRow() {
				f.margin = 6
			}
		} else {
			f.h += w.extra
			w.extra = 0
		}
		f.x, f.w, f.y = f.x+left, f.w-left-right, f.y+8
	case halfPicture:
		_, left := marginOf(p.left)
		r := &w.pair
		f.y += 28
		f.margin = 6
		if w.inside > 480.1 && r.active {
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
	case sparkPicture:
		f.y += w.extra
		w.extra = 0
	case progressPicture:
		w.y -= 4 // the line above keeps less distance from it
		f.y -= 4
		after = 10
	case mapPicture:
		ratio := geo.Ratios[p.aspect]
		f.w = min(f.w, ratio*mapHeight)
		f.x += (w.wide - f.w) / 2
		f.h = f.w / ratio
		f.y += 2
	case ringPicture:
		f.w, f.h = ringWidth, ringWidth
		f.unit = ringWidth / 42
		if w.pair.wrapped {
			f.x += (w.wide - ringWidth) / 2
		} else if rtl {
			f.x += w.wide - ringWidth
		}
		after = 16
	case stripPicture:
		f.y += 3
	}
	switch p.kind {
	case progressPicture, stripPicture:
		clip := scene.Rect{X: f.x, Y: f.y, W: f.w, H: f.h}
		track := &scene.Shape{Fill: ink("track")}
		track.Path.Rect(clip, 3)
		w.add(track)
		f.clip = &clip
	case mapPicture:
		f.clip = &scene.Rect{X: f.x, Y: f.y, W: f.w, H: f.h}
	}
	from := len(w.Items)
	w.plots = append(w.plots, f)
	w.open(func() {
		f := w.plots[len(w.plots)-1]
		w.plots = w.plots[:len(w.plots)-1]
		w.rtl = rtl
		if p.kind == stripPicture && rtl && w.mute == 0 {
			flip(w.Items[from:], f)
		}
		w.y = f.y + f.h
		switch p.kind {
		case plotPicture, fullPicture:
			w.y += f.margin
		case halfPicture:
			w.y += f.margin
			if r := &w.pair; w.inside > 480.1 && r.active {
				r.high = max(r.high, w.y-r.top)
			} else if r.active {
				r.high = w.y - r.top
			}
		case ringPicture:
			r := &w.pair
			r.ringTo, r.ringHeight = len(w.Items), ringWidth
			if r.wrapped {
				w.y += after
			}
		default:
			w.y += after
		}
	})
}

// flip lets bars grow from where their names stand.
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

func (w *scenePainter) frame() *plotFrame { return &w.plots[len(w.plots)-1] }

func (w *scenePainter) viewport() { w.open(func() {}) }

func (w *scenePainter) extent(width, height int) {
	f := *w.frame()
	f.unitsX, f.unitsY = float64(width), float64(height)
	w.plots = append(w.plots, f)
	w.open(func() { w.plots = w.plots[:len(w.plots)-1] })
}

// shows reports whether the style shows what is for some widths.
func (w *scenePainter) shows(on widths) bool {
	wide := w.inside
	switch on {
	case phone:
		return wide <= 480
	case tablet:
		return wide > 480 && wide <= 820
	case desktop:
		return wide > 820
	case phone | tablet:
		return wide <= 820
	case tablet | desktop:
		return wide > 480
	case phone | tablet | half:
		return wide <= 560
	case desktop | half:
		return wide > 560
	}
	return true
}

func (w *scenePainter) group(g group) {
	before := w.sets
	hidden := !w.shows(g.widths) || w.grid.active && g.look != grouped && !w.grid.lastRow()
	if hidden {
		w.mute++
	}
	turned := g.turn == aslant || g.turn != upright && w.inside <= 480
	if g.look != grouped {
		w.sets = groupFrame{look: g.look, anchor: g.anchor, turned: turned, on: ink("ink")}
		if g.look == cellText {
			w.sets.on = inkOver(g.on)
		}
	}
	if turned && !hidden {
		f := w.frame()
		f.margin = max(f.margin, 74)
		if g.turn == narrowFew {
			f.margin = 46
		}
	}
	w.open(func() {
		w.sets = before
		if hidden {
			w.mute--
		}
	})
}

// inkOver is the colour of a text on a colour of a heat map.
func inkOver(c color) rgba {
	switch c.depth() {
	case 0:
		return ink("ink")
	case 1:
		return inkOf("111827")
	}
	return inkOf("fff")
}

// at is a place along an axis of a length that begins somewhere.
func (f *plotFrame) at(c coord, from, length float64) float64 {
	switch c.unit {
	case fraction:
		return from + c.v*length
	case pixels:
		return from + c.v*f.unit
	}
	return from
}

func (f *plotFrame) atX(c coord) float64 { return f.at(c, f.x, f.w) }
func (f *plotFrame) atY(c coord) float64 { return f.at(c, f.y, f.h) }

// long is a length, all of one that is not set.
func (f *plotFrame) long(c coord, all float64) float64 {
	switch c.unit {
	case fraction:
		return c.v * all
	case pixels:
		return c.v * f.unit
	}
	return all
}

func (w *scenePainter) line(l line) {
	f := w.frame()
	x1, x2, y1, y2 := f.atX(l.x1), f.atX(l.x2), f.atY(l.y1), f.atY(l.y2)
	draw := func(c rgba, width float64, dash ...float64) {
		s := &scene.Shape{Stroke: c, Width: width, Dash: dash, Clip: f.clip}
		s.Path.MoveTo(x1, y1)
		s.Path.LineTo(x2, y2)
		w.add(s)
	}
	switch l.stroke {
	case gridLine:
		draw(ink("grid"), 1)
	case zeroLine:
		if f.kind == progressPicture {
			draw(ink("card"), 2)
			return
		}
		draw(ink("ctl"), 1)
	case eventLine, linkLine:
		draw(ink("edge"), 1)
	case referenceLine:
		draw(ink("card"), 3.5)
		draw(toneInk(l.tone, "ink"), 1.5, 5, 4)
	case markLine:
		draw(ink("card"), 3.5)
		draw(toneInk(l.tone, "ink"), 2)
	case cutLine:
		draw(ink("card"), 3.5)
	case thinLine:
		draw(fillOf(l.color), 1.5)
	case boldLine:
		draw(fillOf(l.color), 3)
	}
}

func (w *scenePainter) rect(r rect) {
	f := w.frame()
	s := &scene.Shape{Fill: fillOf(r.color), Clip: f.clip}
	at := scene.Rect{X: f.atX(r.x), Y: f.atY(r.y), W: f.long(r.width, f.w), H: f.long(r.height, f.h)}
	if at.W <= 0 || at.H <= 0 {
		return
	}
	s.Path.Rect(at, float64(r.round))
	switch c := s.Fill; {
	case r.shade:
		s.Fill = sheer(toneInk(r.tone, "ink"), shadeOf(r.tone))
	case r.hatched:
		s.Fill, s.Hatch = rgba{}, scene.Hatch{Ground: sheer(c, 0.25), Stripe: c, Period: 6, Width: 3}
		if r.outlined {
			s.Stroke, s.Width = c, 1.5
		}
	case r.color >= heatColor:
		s.Stroke, s.Width = ink("card"), 2
	case r.outlined:
		s.Fill, s.Stroke, s.Width = sheer(c, 0.25), c, 1.5
	case r.pale:
		s.Fill = sheer(c, 0.28)
	}
	if r.touching {
		s.Stroke, s.Width = ink("card"), 1
	}
	w.add(s)
}

// shadeOf is how much of a tone a shade has. The style has the same numbers.
func shadeOf(tone string) float64 {
	if toneInk(tone, "ink") == ink("ink") {
		return 0.07
	}
	return 0.14
}

func (w *scenePainter) circle(c circle) {
	f := w.frame()
	s := &scene.Shape{Fill: fillOf(c.color)}
	s.Path.Circle(f.atX(c.x), f.atY(c.y), c.radius)
	if c.color >= heatColor {
		s.Stroke, s.Width = coastInk, 0.6
	}
	if c.sheer && !c.rimmed {
		s.Fill, s.Stroke, s.Width = sheer(s.Fill, 0.7), ink("card"), 1
	}
	if c.rimmed {
		s.Stroke, s.Width = ink("card"), 1.5
	}
	if f.clip != nil {
		s.Clip = f.clip
	}
	w.add(s)
}

func (w *scenePainter) arc(a arc) {
	f := w.frame()
	s := &scene.Shape{Stroke: fillOf(a.color), Width: 6 * f.unit}
	share := max(a.share-a.gap/100, 0.002)
	s.Path.Arc(f.x+21*f.unit, f.y+21*f.unit, 15.9155*f.unit, a.from, a.from+min(share, 1))
	w.add(s)
}

// to is where a point of a viewport lies.
func (f *plotFrame) to(p point) (x, y float64) {
	return f.x + float64(p.x)*f.w/1000, f.y + float64(p.y)*f.h/1000
}

func (w *scenePainter) curve(c curve) {
	f := w.frame()
	var path scene.Path
	for i, p := range c.points {
		x, y := f.to(p)
		if i == 0 || p.broken {
			path.MoveTo(x, y)
			if i+1 == len(c.points) || c.points[i+1].broken {
				path.LineTo(x, y) // a point alone
			}
		} else {
			path.LineTo(x, y)
		}
	}
	s := &scene.Shape{Path: path, Stroke: fillOf(c.color), Width: 2, Round: true, Clip: f.clip}
	switch {
	case c.trend:
		s.Width, s.Dash = 1.5, []float64{7, 4}
	case c.bold:
		s.Width = 3
	case c.thin && w.fit:
		s.Width, s.Stroke = 1, sheer(s.Stroke, 0.6)
	case c.thin:
		s.Width = 1.5
	}
	if c.dashed {
		s.Dash = []float64{3, 5}
	}
	if c.over {
		under := &scene.Shape{Path: path.Clone(), Stroke: ink("card"), Width: s.Width + 3, Round: true, Clip: f.clip}
		if c.trend {
			under.Width = 3
		}
		w.add(under)
	}
	w.add(s)
}

func (w *scenePainter) area(a area) {
	f := w.frame()
	s := &scene.Shape{Fill: sheer(fillOf(a.color), 0.14), Clip: f.clip}
	if a.solid {
		s.Fill = sheer(fillOf(a.color), 0.78)
	}
	if a.under != nil {
		for i, p := range a.points {
			if x, y := f.to(p); i == 0 {
				s.Path.MoveTo(x, y)
			} else {
				s.Path.LineTo(x, y)
			}
		}
		for i := len(a.under) - 1; i >= 0; i-- {
			x, y := f.to(a.under[i])
			s.Path.LineTo(x, y)
		}
		s.Path.Close()
		w.add(s)
		return
	}
	for i, p := range a.points {
		x, y := f.to(p)
		_, floor := f.to(point{y: a.floor})
		if i == 0 || p.broken {
			s.Path.MoveTo(x, floor)
		}
		s.Path.LineTo(x, y)
		if last := i+1 == len(a.points) || a.points[i+1].broken; last {
			s.Path.LineTo(x, floor)
			s.Path.Close()
		}
	}
	w.add(s)
}

func (w *scenePainter) shape(sh shape) {
	if len(sh.rings) == 0 {
		return
	}
	f := w.frame()
	s := &scene.Shape{Clip: f.clip, Round: true}
	kx, ky := f.w/f.unitsX, f.h/f.unitsY
	for _, ring := range sh.rings {
		for i, p := range ring {
			if x, y := f.x+float64(p.X)*kx, f.y+float64(p.Y)*ky; i == 0 {
				s.Path.MoveTo(x, y)
			} else {
				s.Path.LineTo(x, y)
			}
		}
		s.Path.Close()
	}
	half := f.kind == halfPicture
	switch {
	case sh.hatched:
		s.Hatch = scene.Hatch{Ground: blankInk, Stripe: stripeInk, Period: 12 * kx, Width: 4 * kx}
		s.Stroke, s.Width = blankEdge, 0.6
	case half && sh.color == otherColor:
		s.Stroke, s.Width = ink("edge"), 1
	case half:
		s.Fill, s.Stroke, s.Width = dayInk, ink("card"), 2
	case sh.color > 0:
		s.Stroke, s.Width = coastInk, 0.6
	default:
		s.Fill, s.Stroke, s.Width = landInk, ink("ctl"), 0.6
	}
	if sh.color > 0 && !(half && sh.color == otherColor) {
		s.Fill = fillOf(sh.color)
	}
	w.add(s)
}

func (w *scenePainter) label(l label) {
	f := w.frame()
	look, anchor := l.look, l.anchor
	if look == grouped {
		look, anchor = w.sets.look, w.sets.anchor
	} else if w.grid.active && look == axisText && anchor == atEnd && w.grid.at%w.grid.columns > 0 {
		return // the first of the row has it
	}
	t := &scene.Text{
		X: f.atX(l.x) + float64(l.right)*f.unit, Y: f.atY(l.y) + float64(l.down)*f.unit, Text: strings.Map(plainSpace, l.text),
		Style: regular(labelSize), Color: ink("mut"),
	}
	switch look {
	case totalText:
		t.Style, t.Color = bold(5*f.unit), ink("ink")
		for t.Style.Size > 8 && w.letters.Width(t.Text, t.Style) > 24*f.unit {
			t.Style.Size -= 0.5
		}
	case captionText:
		t.Style = regular(2.9 * f.unit)
	case markedText:
		t.Halo, t.HaloWidth = ink("card"), 3.5
	case valueText:
		t.Color, t.Halo, t.HaloWidth = ink("ink"), ink("card"), 2
	case cellText:
		t.Color = w.sets.on
	}
	t.Width = w.letters.Width(t.Text, t.Style)
	turned := w.sets.turned && l.look == grouped
	switch {
	case turned, anchor == atEnd:
		t.X -= t.Width
	case anchor == atMiddle:
		t.X -= t.Width / 2
	}
	if turned {
		t.Turn = -38
		t.Pivot = scene.Point{X: t.X + t.Width, Y: t.Y - 0.68*t.Style.Size}
	}
	if t.Text != "" && t.Width > 0 {
		w.add(t)
	}
}
