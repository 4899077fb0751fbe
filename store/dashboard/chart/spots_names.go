package chart

import (
	"slices"

	"service/store/dashboard/canvas"
)

// SpotName returns a name as [SpotNames] takes it: not too long for a plot.
func SpotName(name string) string { return canvas.ClipLabel(name, 2*LongestLabel) }

// SpotNames returns the names of dots that fit on a plot of a size in pixels without covering each other or the boxes taken, and thin lines
// to those that are not next to their dots. order has the indexes of dots with a name; the first are placed first.
func SpotNames(
	names []string, order []int, dots []canvas.Circle, taken []Box, rule Naming, width, height float64,
) (out []canvas.Label, lines []canvas.Line) {
	marks := indexed(boxesOfSpots(dots, width, height))
	var leaders []Segment
	put := func(d canvas.Circle, text string, half float64, places []spotPlace, free func(Box) bool) bool {
		for _, at := range places {
			l, leader := at.label(d, width, height)
			x, y := l.X.V+float64(l.Right)/width, l.Y.V+float64(l.Down)/height
			switch l.Anchor {
			case canvas.AtStart:
				x += half - 1/width
			case canvas.AtEnd:
				x -= half - 1/width
			}
			b := Box{x - half, x + half, y - (canvas.LabelSize-2)/height, y + 2.0/height}
			if b.X1 < 0 || b.X2 > 1 || b.Y1 < 0 || b.Y2 > 1 || slices.ContainsFunc(taken, b.Touches) || !free(b) ||
				slices.ContainsFunc(leaders, func(s Segment) bool { return s.Crosses(b) }) {
				continue
			}
			if at.far > 0 {
				if slices.ContainsFunc(taken, leader.Crosses) {
					continue
				}
				leaders = append(leaders, leader)
				lines = append(lines, canvas.Line{
					X1: canvas.Of(leader.X1), Y1: canvas.Of(leader.Y1), X2: canvas.Of(leader.X2), Y2: canvas.Of(leader.Y2), Stroke: canvas.LinkLine,
				})
			}
			taken = append(taken, b)
			l.Look, l.Text = canvas.MarkedText, text
			out = append(out, l)
			return true
		}
		return false
	}
	for n, i := range order {
		if len(out) == rule.Most {
			break
		}
		few := len(order) <= NamedSpots
		d, text := dots[i], names[i]
		half := (canvas.LabelWidth(text)/2 + 1) / width
		switch clear := func(b Box) bool { return !marks.touch(b) }; {
		case put(d, text, half, nextToSpot, clear):
		case (n < rule.Aside || few && rule.Aside > 0) && put(d, text, half, asideOfSpot, clear):
		case n < rule.Over || few && rule.Aside == 0:
			put(d, text, half, nextToSpot, func(Box) bool { return true })
		}
	}
	return out, lines
}

// A spotPlace is a place of a name: in a direction from its dot, to the right and down, next to it or so many pixels farther.
type spotPlace struct{ right, down, far float64 }

var (
	nextToSpot = []spotPlace{{right: 1}, {right: -1}, {down: -1}, {down: 1}}
	// asideOfSpot are places that a line joins with the dot.
	asideOfSpot = func() (out []spotPlace) {
		for _, far := range [...]float64{12, 22, 34} {
			for _, to := range [...][2]float64{{0.7, -0.7}, {-0.7, -0.7}, {0.7, 0.7}, {-0.7, 0.7}, {0, -1}, {0, 1}, {1, 0}, {-1, 0}} {
				out = append(out, spotPlace{to[0], to[1], far})
			}
		}
		return out
	}()
)

// label returns the label of a name at a place of its dot, and the line to it. A name with a line is at shares of the plot, as the ends of
// the line are, so that they stay together on a wider plot.
func (p spotPlace) label(d canvas.Circle, width, height float64) (l canvas.Label, leader Segment) {
	r := int(d.Radius) + 4
	switch {
	case p.right > 0:
		l.Anchor = canvas.AtStart
	case p.right < 0:
		l.Anchor = canvas.AtEnd
	default:
		l.Anchor = canvas.AtMiddle
	}
	l.X, l.Y = d.X, d.Y
	if p.far == 0 {
		switch {
		case p.right != 0:
			l.Right, l.Down = r*int(p.right), 4
		case p.down < 0:
			l.Down = -r
		default:
			l.Down = r + 9
		}
		return l, leader
	}
	from, to := d.Radius+1, d.Radius+p.far
	at := func(far float64) (x, y float64) { return d.X.V + p.right*far/width, d.Y.V + p.down*far/height }
	leader.X1, leader.Y1 = at(from)
	leader.X2, leader.Y2 = at(to)
	l.X, l.Y = canvas.Of(leader.X2), canvas.Of(leader.Y2)
	switch {
	case p.right > 0:
		l.Right, l.Down = 3, 4
	case p.right < 0:
		l.Right, l.Down = -3, 4
	case p.down < 0:
		l.Down = -3
	default:
		l.Down = 11
	}
	return l, leader
}

// boxesOfSpots returns the boxes of points on a plot of a size in pixels.
func boxesOfSpots(dots []canvas.Circle, width, height float64) []Box {
	out := make([]Box, len(dots))
	for i, d := range dots {
		x, y := d.Radius/width, d.Radius/height
		out[i] = Box{d.X.V - x, d.X.V + x, d.Y.V - y, d.Y.V + y}
	}
	return out
}

// A boxIndex has the boxes of a plot by the cells that they cover, so that a box is compared only with its neighbours, and not with
// thousands.
type boxIndex struct {
	ends  [boxColumns*boxRows + 1]int32 // positions in cells: of the end of the boxes of the cell before each cell
	cells []Box                         // cell by cell
}

// Columns and rows of the cells of a plot.
const boxColumns, boxRows = 64, 32

func indexed(boxes []Box) *boxIndex {
	x := &boxIndex{}
	for _, b := range boxes { // the numbers of boxes, which become positions
		left, right, top, bottom := cellsOf(b)
		for i := left; i <= right; i++ {
			for k := top; k <= bottom; k++ {
				x.ends[i*boxRows+k+1]++
			}
		}
	}
	for i := range x.ends[1:] {
		x.ends[i+1] += x.ends[i]
	}
	x.cells = make([]Box, x.ends[len(x.ends)-1])
	next := x.ends
	for _, b := range boxes {
		left, right, top, bottom := cellsOf(b)
		for i := left; i <= right; i++ {
			for k := top; k <= bottom; k++ {
				x.cells[next[i*boxRows+k]] = b
				next[i*boxRows+k]++
			}
		}
	}
	return x
}

// cellsOf returns the columns and rows of cells that a box covers, from the first to the last. Those of a box beside the plot are at its
// edge.
func cellsOf(b Box) (left, right, top, bottom int) {
	at := func(v float64, n int) int { return min(max(int(min(max(v, 0), 1)*float64(n-1)), 0), n-1) } // of NaN, the first
	return at(b.X1, boxColumns), at(b.X2, boxColumns), at(b.Y1, boxRows), at(b.Y2, boxRows)
}

// touch reports whether one of the boxes touches b.
func (x *boxIndex) touch(b Box) bool {
	left, right, top, bottom := cellsOf(b)
	for i := left; i <= right; i++ { // the cells of a column are next to each other
		if slices.ContainsFunc(x.cells[x.ends[i*boxRows+top]:x.ends[i*boxRows+bottom+1]], b.Touches) {
			return true
		}
	}
	return false
}
