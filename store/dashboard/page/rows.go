package page

import (
	"slices"

	"service/store/dashboard"
	"service/store/dashboard/panel"
)

// A slot is the place of a panel on a page.
type slot struct {
	width  int  // of 12 columns
	height int  // of the card, estimated in pixels on a desktop
	reach  int  // pixels by which the figure can grow: see [canvas.Picture.Reach]
	rows   int  // of the grid next to it: 1, or more if other panels are below its neighbour
	own    bool // it ends above the foot of its row, at the height of most, since it would be stretched too far
	grows  bool // a small panel that is as high as a large one, so that its small line fills the card
}

const (
	// stretch limits the height of a row with a tall panel: panels are stretched at most by half if their figures cannot grow.
	stretch = 1.5

	// frame is the height in pixels up to which every card is stretched, so that cards next to a chart of usual height end with it.
	frame = 420

	// slack is the height in pixels that a card may have empty at its foot, beyond frame, to end with its row.
	slack = 120

	// hole is the height in pixels of the empty space below a panel from which on the two panels of a row get a row each.
	hole = 240
)

const gap = 16 // pixels between panels

// most returns the height up to which a panel is stretched.
func (s *slot) most() int { return max(frame, s.height+s.reach, int(stretch*float64(s.height))) }

// short reports whether a panel cannot fill a height of its row.
func (s *slot) short(high int) bool { return s.most()+slack < high }

// arrange decides how the rows of a page share their height. If a panel is much lower than its neighbour, the panels of the next rows join
// it, under it. If they do not fit there, it is stretched as far as its figure can use; if most of the space would be left empty then, both
// get the full width, unless the spec sets a width.
func arrange(panels []dashboard.Panel, cards []card) {
	for from := 0; from < len(cards); {
		to := endOfRow(cards, from)
		row := cards[from:to]
		high := 0
		for i := range row {
			row[i].rows = 1
			high = max(high, row[i].height)
		}
		if joined := join(panels[from:], cards[from:], to-from); joined > 0 {
			from += joined
			continue
		}
		mixed := slices.ContainsFunc(panels[from:to], large)
		for i := range row { // small panels next to each other keep one height
			row[i].own = mixed && row[i].short(high)
			row[i].grows = mixed && small(panels[from+i])
		}
		if len(row) == 2 && free(panels[from:to]) && min(row[0].most(), row[1].most())+hole < high {
			for i := range row {
				row[i].width, row[i].own, row[i].grows = 12, false, false
			}
		}
		from = to
	}
}

// free reports whether the spec leaves the widths of panels to the page.
func free(panels []dashboard.Panel) bool {
	return !slices.ContainsFunc(panels, func(p dashboard.Panel) bool { return p.Width != 0 })
}

// endOfRow returns the end of the row that begins at panel number from.
func endOfRow(cards []card, from int) int {
	sum, i := 0, from
	for i < len(cards) && sum+cards[i].width <= 12 {
		sum += cards[i].width
		i++
	}
	return i
}

// maxJoined is the maximum number of panels under the lower of two: the style has classes for so many rows.
const maxJoined = 4

// join moves the panels of the rows behind the first, which has n panels, under the lower of its two, as long as whole rows fit next to the
// higher one. It returns the number of panels that are placed, or 0 if none join.
func join(panels []dashboard.Panel, cards []card, n int) int {
	if n != 2 {
		return 0
	}
	lower, higher := &cards[0], &cards[1]
	if lower.height > higher.height {
		lower, higher = higher, lower
	}
	if float64(lower.height)*stretch >= float64(higher.height) {
		return 0
	}
	sum, end := lower.height, n
	for end < len(cards) {
		next := endOfRow(cards, end)
		more, fits := joinable(panels[end:next], cards[end:next], lower.width)
		if !fits || next-n > maxJoined || float64(sum+more) > stretch*float64(higher.height) || end > n && sum+more > higher.height {
			break
		}
		sum, end = sum+more, next
	}
	rest := cards[n:end]
	if len(rest) == 0 {
		return 0
	}
	higher.rows = 1 + len(rest)
	each := (higher.height - sum) / higher.rows // the rows share the rest
	place := func(c *card) {
		c.own, c.grows = c.short(c.height+each), small(*c.Spec)
	}
	place(lower)
	for i := range rest {
		rest[i].width, rest[i].rows = lower.width, 1
		place(&rest[i])
	}
	return end
}

// joinable returns the height of panels below each other with the gaps above them, and whether they fit into a column of a width.
func joinable(panels []dashboard.Panel, cards []card, width int) (height int, fits bool) {
	for i, p := range panels {
		f := panel.FigureOf(&p)
		if f.Frame == panel.Unframed || !f.Small && asked(p) > width {
			return 0, false
		}
		height += gap + cards[i].height
	}
	return height, true
}

// runs returns the runs of small panels that follow each other: their numbers have one size.
func runs(panels []*panel.Panel) [][]*panel.Panel {
	var out [][]*panel.Panel
	for i := 0; i < len(panels); {
		j := i
		for j < len(panels) && panels[j].Small {
			j++
		}
		if j > i {
			out = append(out, slices.Clip(panels[i:j]))
		}
		i = max(j, i+1)
	}
	return out
}
