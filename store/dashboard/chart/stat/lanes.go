package stat

import (
	"cmp"
	"slices"
)

// A Span is a piece of an axis, from its beginning to its end, which is not before it.
type Span struct{ From, To float64 }

// Lanes puts spans on as few lanes as possible, so that spans of one lane do not overlap: a span may begin where another ends, but no two
// may begin at the same place. It returns the lane of each span, from 0, and the number of lanes. Spans take the lowest free lane in the
// order of their beginnings, and of equal beginnings the longer first; equal spans keep the order in which they are given. It takes O(n log
// n + n·lanes) steps.
func Lanes(spans []Span) (lane []int, lanes int) {
	lane = make([]int, len(spans))
	order := make([]int, len(spans))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(spans[a].From, spans[b].From), cmp.Compare(spans[b].To, spans[a].To))
	})
	var last []Span // of each lane
	for _, i := range order {
		s := spans[i]
		at := slices.IndexFunc(last, func(before Span) bool { return before.To <= s.From && before.From < s.From })
		if at < 0 {
			at = len(last)
			last = append(last, Span{})
		}
		lane[i], last[at] = at, s
	}
	return lane, len(last)
}
