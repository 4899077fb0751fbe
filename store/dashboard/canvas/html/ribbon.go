package html

import "service/store/dashboard/canvas"

func (w *Painter) Ribbon(r canvas.Ribbon) {
	w.Raw(`<path class="rb f`)
	w.num(int(r.Color))
	w.Raw(`" d="`)
	at := func(step H, points ...int) {
		w.Raw(step)
		for i, n := range points {
			if i > 0 {
				w.Raw(` `)
			}
			w.num(n)
		}
	}
	middle := (r.X1 + r.X2) / 2
	at(`M`, r.X1, r.From[0])
	if r.Way == [2]int{} {
		at(`C`, middle, r.From[0], middle, r.To[0], r.X2, r.To[0])
		at(`V`, r.To[1])
		at(`C`, middle, r.To[1], middle, r.From[1], r.X1, r.From[1])
	} else { // at both ends, its upper edge continues as the lower edge of the way back
		outer, inner := r.Reach, r.Reach/2
		at(`C`, r.X1+outer, r.From[0], r.X1+outer, r.Way[1], r.X1, r.Way[1])
		at(`H`, r.X2)
		at(`C`, r.X2-outer, r.Way[1], r.X2-outer, r.To[0], r.X2, r.To[0])
		at(`V`, r.To[1])
		at(`C`, r.X2-inner, r.To[1], r.X2-inner, r.Way[0], r.X2, r.Way[0])
		at(`H`, r.X1)
		at(`C`, r.X1+inner, r.Way[0], r.X1+inner, r.From[1], r.X1, r.From[1])
	}
	w.Raw(`Z"`)
	w.row(r.Row)
	w.rowCell(r.Cell)
	w.Raw(`>`)
	w.title(r.Title)
	w.Raw(`</path>`)
}
