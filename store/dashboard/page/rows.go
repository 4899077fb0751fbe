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
	rows   int  // of the grid next to it: 1, or more if other panels are below its neighbour
	own    bool // it keeps its own height at the top of its row, since it would be stretched too far
}

// stretch limits the height of a row with a tall panel: its lowest panel is stretched at most by half.
const stretch = 1.5

const gap = 16 // pixels between panels

// arrange decides how the rows of a page share their height. If a panel is much lower than its neighbour, the panels of the next row join
// it, under it, or it keeps its own height.
func arrange(panels []dashboard.Panel, cards []card) {
	for from := 0; from < len(cards); {
		to := endOfRow(cards, from)
		row := cards[from:to]
		high := 0
		for i := range row {
			row[i].rows = 1
			high = max(high, row[i].height)
		}
		if next := endOfRow(cards, to); len(row) == 2 && join(panels[from:next], cards[from:next]) {
			from = next
			continue
		}
		for i := range row { // small panels next to each other keep one height
			row[i].own = slices.ContainsFunc(panels[from:to], large) && float64(row[i].height)*stretch < float64(high)
		}
		from = to
	}
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

// join moves the panels behind two in one row under the lower of these, if all of them fit next to the higher one. It reports whether they
// do.
func join(panels []dashboard.Panel, cards []card) bool {
	lower, higher := &cards[0], &cards[1]
	if lower.height > higher.height {
		lower, higher = higher, lower
	}
	rest := cards[2:]
	if len(rest) == 0 || float64(lower.height)*stretch >= float64(higher.height) {
		return false
	}
	sum := lower.height
	for i, p := range panels[2:] {
		f := panel.Figures[p.Type]
		if f.Frame == panel.Unframed || !f.Small && asked(p) > lower.width {
			return false
		}
		sum += gap + rest[i].height
	}
	if float64(sum) > stretch*float64(higher.height) {
		return false
	}
	higher.rows = 1 + len(rest)
	each := (higher.height - sum) / higher.rows // the rows share the rest
	lower.own = stretched(lower.height, each)
	for i := range rest {
		rest[i].width, rest[i].rows, rest[i].own = lower.width, 1, stretched(rest[i].height, each)
	}
	return true
}

// stretched reports whether more pixels are too many for a panel of a height.
func stretched(height, more int) bool { return float64(height+more) > stretch*float64(height) }

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
