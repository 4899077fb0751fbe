package chart

import (
	"slices"

	"service/store/dashboard/canvas"
)

// SpotNames returns the names of dots that fit on a plot of a size in pixels without covering each other or the boxes taken. order has the
// indexes of dots with a name; the first are placed first.
func SpotNames(names []string, order []int, dots []canvas.Circle, taken []Box, rule Naming, width, height float64) []canvas.Label {
	marks := indexed(boxesOfSpots(dots, width, height))
	var out []canvas.Label
	put := func(i int, free func(Box) bool) bool {
		d, text := dots[i], canvas.ClipLabel(names[i], 2*LongestLabel)
		half := (canvas.LabelWidth(text)/2 + 1) / width
		r := int(d.Radius) + 4
		beside := r + int(canvas.LabelWidth(text)/2)
		for _, at := range [...]struct {
			canvas.Label
			middle int // of the text, to the right
		}{
			{canvas.Label{Right: r, Down: 4, Anchor: canvas.AtStart}, beside},
			{canvas.Label{Right: -r, Down: 4, Anchor: canvas.AtEnd}, -beside},
			{canvas.Label{Down: -r, Anchor: canvas.AtMiddle}, 0},
			{canvas.Label{Down: r + 9, Anchor: canvas.AtMiddle}, 0},
		} {
			x, y := d.X.V+float64(at.middle)/width, d.Y.V+float64(at.Down)/height
			b := Box{x - half, x + half, y - (canvas.LabelSize-2)/height, y + 2.0/height}
			if b.X1 < 0 || b.X2 > 1 || b.Y1 < 0 || b.Y2 > 1 || slices.ContainsFunc(taken, b.Touches) || !free(b) {
				continue
			}
			taken = append(taken, b)
			at.X, at.Y, at.Look, at.Text = d.X, d.Y, canvas.MarkedText, text
			out = append(out, at.Label)
			return true
		}
		return false
	}
	for n, i := range order {
		if len(out) == rule.Most {
			break
		}
		if !put(i, func(b Box) bool { return !marks.touch(b) }) && (n < rule.Over || len(order) <= NamedSpots) {
			put(i, func(Box) bool { return true })
		}
	}
	return out
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

// A boxIndex has the boxes of a plot by the columns that they cover, so that a box is compared only with its neighbours, and not with
// thousands.
type boxIndex [64][]Box

func indexed(boxes []Box) *boxIndex {
	x := &boxIndex{}
	for _, b := range boxes {
		from, to := x.columns(b)
		for i := from; i <= to; i++ {
			x[i] = append(x[i], b)
		}
	}
	return x
}

// columns returns the columns that a box covers, from the first to the last. Boxes beside the plot are in its outer ones.
func (x *boxIndex) columns(b Box) (from, to int) {
	at := func(v float64) int { return min(max(int(min(max(v, 0), 1)*float64(len(x)-1)), 0), len(x)-1) } // of NaN, the first
	return at(b.X1), at(b.X2)
}

// touch reports whether one of the boxes touches b.
func (x *boxIndex) touch(b Box) bool {
	from, to := x.columns(b)
	for i := from; i <= to; i++ {
		if slices.ContainsFunc(x[i], b.Touches) {
			return true
		}
	}
	return false
}
