package picture

import (
	"service/store/dashboard/canvas"
	"service/store/dashboard/scene"
)

// scale draws the legend of a heat map's colours: texts, and the steps between them.
func (w *Painter) scale(parts []any) {
	wide := func(p any) float64 {
		if text, ok := p.(string); ok {
			return w.Letters.Width(text, Regular(11.5)) + 14
		}
		return 20
	}
	for len(parts) > 0 {
		n, total := 0, 0.0
		for n < len(parts) && (n == 0 || total+wide(parts[n]) <= w.Wide) {
			total += wide(parts[n])
			n++
		}
		w.scaleLine(parts[:n], total)
		parts = parts[n:]
	}
	w.Y += 8
}

// scaleLine draws a line of the legend of a ramp, whose parts are so many pixels wide together.
func (w *Painter) scaleLine(parts []any, total float64) {
	x, y := 0.0, w.Y+Foot(11.5, 17)
	at := w.X
	if w.Rtl { // it keeps its direction, and is at the end of the line
		at = w.Width - w.X - total
	}
	rtl := w.Rtl
	w.Rtl = false
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			x += 6
			x += w.Put(at+x, y, p, Regular(11.5), Ink("mut")) + 8
		case canvas.Color:
			w.Box(scene.Rect{X: at + x, Y: w.Y + 4.5, W: 18, H: 8}, 0, fillOf(p))
			x += 20
		}
	}
	w.Rtl = rtl
	w.Y += 17
}

func (w *Painter) Ramp(r canvas.Ramp) {
	var parts []any
	for i, text := range r.Texts {
		if text != "" {
			parts = append(parts, text)
		}
		if i < len(r.Colors) {
			parts = append(parts, r.Colors[i])
		}
	}
	w.scale(parts)
}
