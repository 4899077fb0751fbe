package stat

import "slices"

// A Rect is a rectangle, from its upper left corner.
type Rect struct{ X, Y, W, H float64 }

// Area is the area of the rectangle.
func (r Rect) Area() float64 { return r.W * r.H }

// Inset returns the rectangle without a margin of dx on the left and on the right and of dy above and below, but at least half of it
// remains.
func (r Rect) Inset(dx, dy float64) Rect {
	dx, dy = min(dx, r.W/4), min(dy, r.H/4)
	return Rect{r.X + dx, r.Y + dy, r.W - 2*dx, r.H - 2*dy}
}

// Squarify divides a rectangle among values: the area of each part is its share of their sum. The parts are as close to squares as rows of
// them become, the largest first, from the upper left (Bruls, Huizing and van Wijk, Squarified Treemaps, 2000). A value that is not above
// zero has an empty part. The sum must be finite. Sorting dominates: n log n.
func Squarify(values []float64, into Rect) []Rect {
	out := make([]Rect, len(values))
	var order []int
	total := 0.0
	for i, v := range values {
		if out[i] = (Rect{X: into.X, Y: into.Y}); v > 0 {
			order = append(order, i)
			total += v
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case values[a] > values[b]:
			return -1
		case values[a] < values[b]:
			return 1
		}
		return 0
	})
	all := into.Area()
	area := func(i int) float64 { return values[i] / total * all }
	for len(order) > 0 && into.W > 0 && into.H > 0 {
		side := min(into.W, into.H)
		n, sum := 1, area(order[0])
		worst := elongation(sum, sum, sum, side)
		for n < len(order) {
			with := sum + area(order[n])
			next := elongation(area(order[0]), area(order[n]), with, side)
			if next > worst {
				break
			}
			n, sum, worst = n+1, with, next
		}
		into = layRow(out, order[:n], area, sum, into, n == len(order))
		order = order[n:]
	}
	return out
}

// elongation returns the largest ratio of length to width in a row of parts along a side. most and least are the largest and the smallest
// area of a part.
func elongation(most, least, sum, side float64) float64 {
	thick := sum / side
	return max(thick*thick/least, most/(thick*thick))
}

// layRow places parts along the shorter side of a rectangle and returns the rest of it. The last row takes all of it: its parts then end
// exactly at the edge.
func layRow(out []Rect, row []int, area func(int) float64, sum float64, into Rect, last bool) Rect {
	across := into.W >= into.H // the row is on the left
	thick := sum / min(into.W, into.H)
	if last {
		thick = max(into.W, into.H)
	}
	at := 0.0
	for _, i := range row {
		long := area(i) / sum
		if across {
			out[i] = Rect{into.X, into.Y + at*into.H, thick, long * into.H}
		} else {
			out[i] = Rect{into.X + at*into.W, into.Y, long * into.W, thick}
		}
		at += long
	}
	if across {
		return Rect{into.X + thick, into.Y, into.W - thick, into.H}
	}
	return Rect{into.X, into.Y + thick, into.W, into.H - thick}
}

// Merged is which of the areas of a treemap are drawn, and which are merged into one with others.
type Merged struct {
	Kept  []bool // by area
	Level int    // how many of the outer levels merged areas have in common: 0 merges all of them into one
}

// Merge chooses areas so that at most limit are drawn, each of which represents one value or the rest of a group: the largest are kept, and
// the rest is merged with others that have the same groups on as many levels as leave at least half of limit for single areas. groups are
// the ids of the groups of each area on each level, the outer first; ids of one level differ if an outer level differs. It returns no Kept
// if all areas fit.
func Merge(values []float64, groups [][]int, limit int) Merged {
	if len(values) <= limit {
		return Merged{Level: len(groups)}
	}
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case values[a] > values[b]:
			return -1
		case values[a] < values[b]:
			return 1
		}
		return 0
	})
	for level := len(groups); level >= 0; level-- {
		// If fewer areas are kept, more groups have a rest, so the number of areas does not fall with each area that is left out.
		rests := map[int]bool{}
		keep := len(order)
		for keep > 0 && (keep+len(rests) > limit || keep == len(order)) {
			keep--
			group := 0
			if level > 0 {
				group = groups[level-1][order[keep]]
			}
			rests[group] = true
		}
		if keep+len(rests) > limit || keep < limit/2 && level > 0 {
			continue
		}
		out := Merged{Kept: make([]bool, len(values)), Level: level}
		for _, i := range order[:keep] {
			out.Kept[i] = true
		}
		return out
	}
	return Merged{}
}
