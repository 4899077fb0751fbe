package page

import "service/store/dashboard/scene"

// maxBars is how many items of a list of bars a picture shows.
const maxBars = 40

func (w *scenePainter) list(kind listKind) {
	w.items = listFrame{kind: kind, x: w.x}
	x, width := w.x, w.wide
	if kind == ringList && w.pair.active && !w.pair.wrapped {
		w.x, w.wide = w.x+ringWidth+ringGap, w.wide-ringWidth-ringGap
		w.y = w.pair.top
	}
	w.open(func() {
		l := w.items
		switch kind {
		case legendList, keyList:
			if l.count > 0 {
				w.y += 12.5*lineHigh + 8
			}
		default:
			if l.count > 0 && l.dropped == 0 {
				w.y -= l.gap()
			}
			if l.dropped > 0 {
				w.mute--
				w.y = l.cut
				w.put(w.x, w.y+foot(12, 17), w.texts.Count(l.dropped, "and %d more", "and %d more"), regular(12), ink("mut"))
				w.y += 17
			}
			if n := len(l.rows); kind == barList && n >= 5 && w.extra > 0 && w.mute == 0 {
				for i, from := range l.rows {
					to := len(w.Items)
					if i+1 < n {
						to = l.rows[i+1]
					}
					w.Move(from, to, 0, w.extra*float64(i)/float64(n-1))
				}
				w.y += w.extra
				w.extra = 0
			}
		}
		w.x, w.wide = x, width
	})
}

func (l *listFrame) gap() float64 {
	switch {
	case l.kind == ringList:
		return 7
	case l.count >= 13:
		return 8
	}
	return 11
}

// swatch draws what tells an item by its colour, and returns the room it takes.
func (w *scenePainter) swatch(x, y float64, i item) float64 {
	switch {
	case i.shade:
		w.box(scene.Rect{X: x, Y: y - 8.5, W: 14, H: 9}, 2, sheer(toneInk(i.tone, "ink"), 2*shadeOf(i.tone)))
		return 20
	case i.mark && i.flat:
		w.box(scene.Rect{X: x, Y: y - 5.5, W: 14, H: 2}, 0, toneInk(i.tone, "ink"))
		return 20
	case i.mark:
		w.box(scene.Rect{X: x + 4, Y: y - 10, W: 2, H: 12}, 0, toneInk(i.tone, "ink"))
		return 12
	case i.color == 0:
		return 0
	case i.line && i.dashed:
		for k := range 2 {
			w.box(scene.Rect{X: x + float64(k)*8, Y: y - 6, W: 6, H: 3}, 0, fillOf(i.color))
		}
		return 20
	case i.line:
		w.box(scene.Rect{X: x, Y: y - 6, W: 14, H: 3}, 1.5, fillOf(i.color))
		return 20
	}
	w.box(scene.Rect{X: x, Y: y - 8.5, W: 9, H: 9}, 2, fillOf(i.color))
	if i.pale {
		w.box(scene.Rect{X: x + 1.5, Y: y - 7, W: 6, H: 6}, 0, sheer(ink("card"), 0.75))
	}
	return 15
}

func (w *scenePainter) item(i item) {
	l := &w.items
	l.more = ""
	if l.kind == legendList || l.kind == keyList {
		w.legendItem(i)
		l.count++
		w.open(func() {})
		return
	}
	if l.count >= maxBars {
		if l.dropped == 0 {
			w.mute++
			l.cut = w.y
		}
		l.dropped++
		w.open(func() {})
		return
	}
	l.count++
	l.rows = append(l.rows, len(w.Items))
	size := 13.0
	y := w.y + foot(size, size*lineHigh)
	end := w.x + w.wide
	if i.share != "" {
		share := w.letters.Width(i.share, regular(size))
		w.putEnd(end, y, i.share, regular(size), ink("mut"))
		end -= max(share, 46) + w.itemGap()
	}
	if i.value != "" {
		end -= w.putEnd(end, y, i.value, bold(size), ink("ink")) + w.itemGap()
	}
	x := w.x + w.swatch(w.x, y, i)
	if i.color != 0 && l.kind == ringList {
		x += 2
	}
	w.put(x, y, w.shorten(i.name, regular(size), max(end-x, 20)), regular(size), ink("ink"))
	w.y += size * lineHigh
	l.more = i.more
	more := i.more
	w.open(func() {
		if more != "" {
			w.y += 3
			w.put(w.x, w.y+foot(12, 12*lineHigh), w.shorten(more, regular(12), w.wide), regular(12), ink("mut"))
			w.y += 12 * lineHigh
		}
		w.y += w.items.gap()
		w.weak = append(w.weak, w.y)
	})
}

func (w *scenePainter) itemGap() float64 {
	if w.items.kind == ringList {
		return 8
	}
	return 10
}

func (w *scenePainter) legendItem(i item) {
	l, style := &w.items, regular(12.5)
	most := 280.0
	switch {
	case i.dashed:
		most = w.wide
	case i.line:
		most = 320
	}
	room := 15.0
	switch {
	case i.line, i.flat, i.shade:
		room = 20
	case i.mark:
		room = 12
	}
	name := w.shorten(i.name, style, min(most, w.wide)-room)
	width := room + w.letters.Width(name, style)
	if l.x > w.x && l.x+width > w.x+w.wide {
		l.x = w.x
		w.y += 12.5*lineHigh + 4
	}
	y := w.y + foot(12.5, 12.5*lineHigh)
	w.swatch(l.x, y, i)
	w.put(l.x+room, y, name, style, ink("mut"))
	l.x += width + 14
}
