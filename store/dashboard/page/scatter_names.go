package page

import (
	"slices"
)

// spotNames are the names of dots that fit on a plot of a size in pixels, beside each
// other and what is taken. order has those that have a name, the first of which choose first.
func spotNames(names []string, order []int, dots []circle, taken []box, width, height float64) []label {
	marks := indexed(boxesOfSpots(dots, width, height))
	var out []label
	put := func(i int, free func(box) bool) bool {
		d, text := dots[i], clipLabel(names[i], 2*longestLabel)
		half := (labelWidth(text)/2 + 1) / width
		r := int(d.radius) + 4
		beside := r + int(labelWidth(text)/2)
		for _, at := range [...]struct {
			label
			middle int // of the text, to the right
		}{
			{label{right: r, down: 4, anchor: atStart}, beside},
			{label{right: -r, down: 4, anchor: atEnd}, -beside},
			{label{down: -r, anchor: atMiddle}, 0},
			{label{down: r + 9, anchor: atMiddle}, 0},
		} {
			x, y := d.x.v+float64(at.middle)/width, d.y.v+float64(at.down)/height
			b := box{x - half, x + half, y - (labelSize-2)/height, y + 2.0/height}
			if b.x1 < 0 || b.x2 > 1 || b.y1 < 0 || b.y2 > 1 || slices.ContainsFunc(taken, b.touches) || !free(b) {
				continue
			}
			taken = append(taken, b)
			at.x, at.y, at.look, at.text = d.x, d.y, markedText, text
			out = append(out, at.label)
			return true
		}
		return false
	}
	for n, i := range order {
		if len(out) == namedSpots {
			break
		}
		if !put(i, func(b box) bool { return !marks.touch(b) }) && (n < alwaysNamed || len(order) <= namedSpots) {
			put(i, func(box) bool { return true })
		}
	}
	return out
}

// boxesOfSpots are where points are on a plot of a size in pixels.
func boxesOfSpots(dots []circle, width, height float64) []box {
	out := make([]box, len(dots))
	for i, d := range dots {
		x, y := d.radius/width, d.radius/height
		out[i] = box{d.x.v - x, d.x.v + x, d.y.v - y, d.y.v + y}
	}
	return out
}

// A boxIndex has the boxes of a plot by the columns of it that they cover, so that a box is compared with its
// neighbours alone and not with all of thousands.
type boxIndex [64][]box

func indexed(boxes []box) *boxIndex {
	x := &boxIndex{}
	for _, b := range boxes {
		from, to := x.columns(b)
		for i := from; i <= to; i++ {
			x[i] = append(x[i], b)
		}
	}
	return x
}

// columns are those that a box covers, from the first to the last. What is beside the plot is in its outer ones.
func (x *boxIndex) columns(b box) (from, to int) {
	at := func(v float64) int { return min(max(int(min(max(v, 0), 1)*float64(len(x)-1)), 0), len(x)-1) } // of NaN, the first
	return at(b.x1), at(b.x2)
}

// touch reports whether one of the boxes touches b.
func (x *boxIndex) touch(b box) bool {
	from, to := x.columns(b)
	for i := from; i <= to; i++ {
		if slices.ContainsFunc(x[i], b.touches) {
			return true
		}
	}
	return false
}
