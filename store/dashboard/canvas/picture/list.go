package picture

import (
	"service/store/dashboard/canvas"
	"service/store/dashboard/scene"
)

// maxBars is how many items of a list of bars a picture shows.
const maxBars = 40

func (w *Painter) List(kind canvas.ListKind) {
	w.items = listFrame{kind: kind, x: w.X}
	x, width := w.X, w.Wide
	if kind == canvas.RingList && w.pair.active && !w.pair.wrapped {
		w.X, w.Wide = w.X+ringWidth+ringGap, w.Wide-ringWidth-ringGap
		w.Y = w.pair.top
	}
	w.open(func() {
		l := w.items
		switch kind {
		case canvas.LegendList, canvas.KeyList:
			if l.count > 0 {
				w.Y += 12.5*LineHigh + 8
			}
		default:
			if l.count > 0 && l.dropped == 0 {
				w.Y -= l.gap()
			}
			if l.dropped > 0 {
				w.Mute--
				w.Y = l.cut
				w.Put(w.X, w.Y+Foot(12, 17), w.Texts.Count(l.dropped, "and %d more", "and %d more"), Regular(12), Ink("mut"))
				w.Y += 17
			}
			if n := len(l.rows); kind == canvas.BarList && n > 0 && w.Extra > 0 && w.Mute == 0 {
				// Few rows have space around them; more begin at the top and end at the foot.
				at, of := 0.5, float64(n)
				if n >= 5 {
					at, of = 0, float64(n-1)
				}
				for i, from := range l.rows {
					to := len(w.Items)
					if i+1 < n {
						to = l.rows[i+1]
					}
					w.Move(from, to, 0, w.Extra*(float64(i)+at)/of)
				}
				w.Y += w.Extra
				w.Extra = 0
			}
		}
		w.X, w.Wide = x, width
	})
}

func (l *listFrame) gap() float64 {
	switch {
	case l.kind == canvas.RingList:
		return 7
	case l.count >= 13:
		return 8
	}
	return 11
}

// swatch draws the mark of an item in its colour, and returns its width.
func (w *Painter) swatch(x, y float64, i canvas.Item) float64 {
	switch {
	case i.Shade:
		w.Box(scene.Rect{X: x, Y: y - 8.5, W: 14, H: 9}, 2, sheer(ToneInk(i.Tone, "ink"), 2*shadeOf(i.Tone)))
		return 20
	case i.Mark && i.Flat:
		w.Box(scene.Rect{X: x, Y: y - 5.5, W: 14, H: 2}, 0, ToneInk(i.Tone, "ink"))
		return 20
	case i.Mark:
		w.Box(scene.Rect{X: x + 4, Y: y - 10, W: 2, H: 12}, 0, ToneInk(i.Tone, "ink"))
		return 12
	case i.Color == 0:
		return 0
	case i.Line && i.Dashed:
		for k := range 2 {
			w.Box(scene.Rect{X: x + float64(k)*8, Y: y - 6, W: 6, H: 3}, 0, fillOf(i.Color))
		}
		return 20
	case i.Line:
		w.Box(scene.Rect{X: x, Y: y - 6, W: 14, H: 3}, 1.5, fillOf(i.Color))
		return 20
	}
	w.Box(scene.Rect{X: x, Y: y - 8.5, W: 9, H: 9}, 2, fillOf(i.Color))
	if i.Pale {
		w.Box(scene.Rect{X: x + 1.5, Y: y - 7, W: 6, H: 6}, 0, sheer(Ink("card"), 0.75))
	}
	return 15
}

func (w *Painter) Item(i canvas.Item) {
	l := &w.items
	l.more = ""
	if l.kind == canvas.LegendList || l.kind == canvas.KeyList {
		w.legendItem(i)
		l.count++
		w.open(func() {})
		return
	}
	if l.count >= maxBars {
		if l.dropped == 0 {
			w.Mute++
			l.cut = w.Y
		}
		l.dropped++
		w.open(func() {})
		return
	}
	l.count++
	if l.kind == canvas.BarList {
		w.Reach += canvas.RowReach
	}
	l.rows = append(l.rows, len(w.Items))
	size := 13.0
	y := w.Y + Foot(size, size*LineHigh)
	end := w.X + w.Wide
	if i.Share != "" {
		share := w.Letters.Width(i.Share, Regular(size))
		w.putEnd(end, y, i.Share, Regular(size), Ink("mut"))
		end -= max(share, 46) + w.itemGap()
	}
	if i.Value != "" {
		end -= w.putEnd(end, y, i.Value, Bold(size), Ink("ink")) + w.itemGap()
	}
	x := w.X + w.swatch(w.X, y, i)
	if i.Color != 0 && l.kind == canvas.RingList {
		x += 2
	}
	w.Put(x, y, w.Shorten(i.Name, Regular(size), max(end-x, 20)), Regular(size), Ink("ink"))
	w.Y += size * LineHigh
	l.more = i.More
	more := i.More
	w.open(func() {
		if more != "" {
			w.Y += 3
			w.Put(w.X, w.Y+Foot(12, 12*LineHigh), w.Shorten(more, Regular(12), w.Wide), Regular(12), Ink("mut"))
			w.Y += 12 * LineHigh
		}
		w.Y += w.items.gap()
		w.Weak = append(w.Weak, w.Y)
	})
}

func (w *Painter) itemGap() float64 {
	if w.items.kind == canvas.RingList {
		return 8
	}
	return 10
}

func (w *Painter) legendItem(i canvas.Item) {
	l, style := &w.items, Regular(12.5)
	most := 280.0
	switch {
	case i.Dashed:
		most = w.Wide
	case i.Line:
		most = 320
	}
	room := 15.0
	switch {
	case i.Line, i.Flat, i.Shade:
		room = 20
	case i.Mark:
		room = 12
	}
	name := w.Shorten(i.Name, style, min(most, w.Wide)-room)
	width := room + w.Letters.Width(name, style)
	if l.x > w.X && l.x+width > w.X+w.Wide {
		l.x = w.X
		w.Y += 12.5*LineHigh + 4
	}
	y := w.Y + Foot(12.5, 12.5*LineHigh)
	w.swatch(l.x, y, i)
	w.Put(l.x+room, y, name, style, Ink("mut"))
	l.x += width + 14
}
