package scene

import (
	"cmp"
	"slices"
	"sort"
)

// onSheets returns the items of each sheet, in their order.
func (s *Scene) onSheets(cuts []float64) [][]Item {
	out := make([][]Item, len(cuts))
	for _, item := range s.Items {
		switch item := item.(type) {
		case *Shape:
			b := item.Bounds()
			if b.Y >= s.Height {
				continue
			}
			for i := max(firstAbove(cuts, b.Y)-1, 0); i < len(cuts) && cuts[i] < b.Y+b.H; i++ {
				out[i] = append(out[i], item)
			}
		case *Text:
			if i := firstAbove(cuts, item.Y) - 1; i >= 0 && item.Y < s.Height {
				out[i] = append(out[i], item)
			}
		}
	}
	return out
}

// firstAbove returns the index of the first of ascending numbers that is above v.
func firstAbove(numbers []float64, v float64) int {
	return sort.Search(len(numbers), func(i int) bool { return numbers[i] > v })
}

// affordable returns how many of the first sheets are within the limits of a document.
func (p *printer) affordable(s *Scene, cuts []float64, items [][]Item) int {
	whole, steps := 0, 0
	for whole < min(len(items), MaxSheets) {
		printed := [][]Item{items[whole]}
		heads, _ := s.repeated(cuts[whole])
		for _, h := range heads {
			printed = append(printed, h.Items)
		}
		for _, list := range printed {
			for _, item := range list {
				p.drawing = item
				steps += p.steps(item)
			}
		}
		if steps > maxSteps {
			break
		}
		whole++
	}
	p.drawing = nil
	return whole
}

// steps returns the number of steps for printing an item.
func (p *printer) steps(item Item) int {
	switch item := item.(type) {
	case *Shape:
		n := len(item.Path.points)
		if item.Hatch.Period > 0 {
			n += 4 * maxStripes / 10 // most have far fewer
		}
		return n
	case *Text:
		n := textSteps
		for _, r := range p.line(item.Text, item.Style.Face).runs {
			n += len(r.glyphs)
			for _, g := range r.glyphs {
				if p.plain(&r) {
					break
				}
				n += len(p.outline(r.face, g.id).points)
			}
		}
		return n
	}
	return 0
}

// sheets returns the heights at which sheets begin. A cut crosses only items that are higher than a sheet. If there are more than
// [MaxSheets], it returns one more than that. The heads that are repeated on a sheet take a part of its room.
func (s *Scene) sheets(sheet float64, weak []float64) []float64 {
	cuts := []float64{0}
	var lines lines
	for y := 0.0; len(cuts) <= MaxSheets; {
		_, high := s.repeated(y)
		room := sheet - min(high, sheet/2)
		if s.Height-y <= room {
			break
		}
		strong, next := -1.0, s.Height
		at := firstAbove(s.Breaks, y+room)
		if at < len(s.Breaks) {
			next = s.Breaks[at]
		}
		if at > 0 && s.Breaks[at-1] > y+1 {
			strong = s.Breaks[at-1]
		}
		filled := 0.4 // of a sheet that leaves the next row to a sheet of its own
		if next-strong > sheet {
			filled = 0.7 // since that is cut anyway
		}
		if strong-y < filled*room {
			if lines.all == nil {
				lines = s.lines()
			}
			if at := lines.weakCut(y, room, weak); at > max(strong, 0) {
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

// lines are the vertical ranges of the texts of a scene.
type lines struct {
	all  []line // by top
	most float64
}

type line struct{ top, end float64 }

func (s *Scene) lines() lines {
	out := lines{all: make([]line, 0, len(s.Items))}
	for _, item := range s.Items {
		if t, ok := item.(*Text); ok {
			l := line{t.Y - ascent*t.Style.Size, t.Y + descent*t.Style.Size}
			out.all, out.most = append(out.all, l), max(out.most, l.end-l.top)
		}
	}
	slices.SortFunc(out.all, func(a, b line) int { return cmp.Compare(a.top, b.top) })
	return out
}

// cross reports whether a text crosses a height.
func (l *lines) cross(at float64) bool {
	i := sort.Search(len(l.all), func(i int) bool { return l.all[i].top >= at })
	for i--; i >= 0 && l.all[i].top > at-l.most; i-- {
		if l.all[i].end > at {
			return true
		}
	}
	return false
}

// weakCut returns the last height of a sheet at which it can be cut without cutting a text, or 0.
func (l *lines) weakCut(y, room float64, weak []float64) float64 {
	for i := firstAbove(weak, y+room) - 1; i >= 0 && weak[i] >= y+0.25*room; i-- {
		if !l.cross(weak[i]) {
			return weak[i]
		}
	}
	return 0
}
