package html

import (
	"service/store/dashboard/canvas"
	"service/store/dashboard/geo"
)

func (w *Painter) Curve(c canvas.Curve) {
	if c.Over { // a line in the colour of the card, under it
		w.Raw(`<path class="l lh`)
		w.path(c)
	}
	w.Raw(`<path class="l `)
	w.stroke("l", c.Color)
	if c.Thin {
		w.Raw(` thin`)
	}
	if c.Bold {
		w.Raw(` bold`)
	}
	if c.Trend {
		w.Raw(` tr`)
	}
	if c.Dashed {
		w.Raw(` dash`)
	}
	w.path(c)
}

// stroke writes the class of a line of a color. Those of the palette have a prefix.
func (w *Painter) stroke(prefix H, c canvas.Color) {
	if c >= canvas.HeatColor {
		prefix, c = "h", c-canvas.HeatColor
	}
	w.Raw(prefix)
	w.num(int(c))
}

// path ends the tag of a curve, with its link.
func (w *Painter) path(c canvas.Curve) {
	w.Raw(`" d="`)
	pen := pen{Painter: w}
	for i, p := range c.Points {
		if i == 0 || p.Broken {
			pen.move(p.X, p.Y)
			if len(c.Points) > 1 && (i+1 == len(c.Points) || c.Points[i+1].Broken) {
				pen.line(p.X, p.Y) // a point alone
			}
		} else {
			pen.line(p.X, p.Y)
		}
	}
	if c.Title == "" {
		w.Raw(`"/>`)
		return
	}
	w.Raw(`"><title>`)
	w.Esc(c.Title)
	w.Raw(`</title></path>`)
}

// A pen draws the steps of a path, which are relative: short, and alike.
type pen struct {
	*Painter
	at    geo.Point
	drawn bool // the last step was a line
}

func (p *pen) move(x, y int) {
	p.at, p.drawn = geo.Point{X: int32(x), Y: int32(y)}, false
	p.Raw(`M`)
	p.pair(p.at)
}

func (p *pen) line(x, y int) {
	to := geo.Point{X: int32(x), Y: int32(y)}
	if p.drawn {
		p.Raw(` `)
	} else {
		p.Raw(`l`)
	}
	p.pair(geo.Point{X: to.X - p.at.X, Y: to.Y - p.at.Y})
	p.at, p.drawn = to, true
}

func (w *Painter) Area(a canvas.Area) {
	w.Raw(`<path class="a`)
	w.num(int(a.Color))
	if a.Solid {
		w.Raw(` s`)
	}
	w.Raw(`" d="`)
	pen := pen{Painter: w}
	if a.Under != nil {
		for i, p := range a.Points {
			if i == 0 {
				pen.move(p.X, p.Y)
			} else {
				pen.line(p.X, p.Y)
			}
		}
		for i := len(a.Under) - 1; i >= 0; i-- {
			pen.line(a.Under[i].X, a.Under[i].Y)
		}
		w.Raw(`Z"/>`)
		return
	}
	// Each unbroken piece is closed down to the floor.
	for i, p := range a.Points {
		if i == 0 || p.Broken {
			pen.move(p.X, a.Floor)
		}
		pen.line(p.X, p.Y)
		if last := i+1 == len(a.Points) || a.Points[i+1].Broken; last {
			pen.line(p.X, a.Floor)
			w.Raw(`Z`)
		}
	}
	w.Raw(`"/>`)
}

func (w *Painter) Shape(s canvas.Shape) {
	switch {
	case len(s.Rings) == 0:
		return
	case s.Hatched:
		if w.Hatched.add(0) {
			w.Raw(`<pattern id="z0`)
			w.drawnIn()
			w.Raw(`" width="12" height="12" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">` +
				`<path class="z" d="M0 0h12v12H0z"/><path class="z0" d="M0 0h4v12H0z"/></pattern>`)
		}
		w.Raw(`<path fill="url(#z0`)
		w.drawnIn()
		w.Raw(`)" d="`)
	case s.Color >= canvas.HeatColor:
		w.Raw(`<path class="h`)
		w.num(int(s.Color - canvas.HeatColor))
		w.Raw(`" d="`)
	case s.Color > 0:
		w.Raw(`<path class="f`)
		w.num(int(s.Color))
		w.Raw(`" d="`)
	default:
		w.Raw(`<path class="land" d="`)
	}
	pen := pen{Painter: w}
	for _, ring := range s.Rings {
		pen.move(int(ring[0].X), int(ring[0].Y))
		for _, p := range ring[1:] {
			pen.line(int(p.X), int(p.Y))
		}
		w.Raw(`z`)
	}
	w.Raw(`"`)
	w.row(s.Row)
	if len(s.Title) == 0 {
		w.Raw(`/>`)
		return
	}
	w.Raw(`>`)
	w.title(s.Title)
	w.Raw(`</path>`)
}

// pair writes two numbers of a path, in as few characters as possible: a minus separates them as a space does.
func (w *Painter) pair(p geo.Point) {
	if p.X < 0 && w.B[len(w.B)-1] == ' ' {
		w.B = w.B[:len(w.B)-1]
	}
	w.num(int(p.X))
	if p.Y >= 0 {
		w.Raw(` `)
	}
	w.num(int(p.Y))
}
