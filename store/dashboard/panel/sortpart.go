package panel

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"service/store/dashboard/cube"
)

// A lineKey is a line of a table, with the key by which it is sorted first.
type lineKey struct {
	key  uint64
	line int32
}

// sortPart sorts lines only as far as necessary to have the right lines at the indexes in [from, to), in time that is linear in the number
// of lines. Equal lines are sorted by their numbers.
func sortPart(lines []int, from, to int, by cube.Sorting) {
	items := make([]lineKey, len(lines))
	for i, line := range lines {
		items[i] = lineKey{by.Keys[line], int32(line)}
	}
	compare := func(a, b lineKey) int {
		if a.key != b.key {
			return cmp.Compare(a.key, b.key)
		}
		if order := by.Ties(int(a.line), int(b.line)); order != 0 {
			return order
		}
		return cmp.Compare(a.line, b.line)
	}
	part := items
	if to-from <= len(items)/8 {
		r := rand.New(rand.NewPCG(1, 1)) // so that no order of rows is the worst case
		divide(part, from, compare, r)
		part = part[from:]
		divide(part, to-from, compare, r)
		part = part[:to-from]
	}
	slices.SortFunc(part, compare)
	for i, item := range items {
		lines[i] = int(item.line)
	}
}

// divide moves the first n items of an order to the front. All items must differ.
func divide(items []lineKey, n int, compare func(a, b lineKey) int, r *rand.Rand) {
	for len(items) > 32 {
		if n <= 0 || n >= len(items) {
			return
		}
		pick := func() lineKey { return items[r.IntN(len(items))] }
		a, b, c := pick(), pick(), pick()
		pivot := c // the middle one of the three
		switch {
		case (compare(a, b) <= 0) == (compare(b, c) <= 0):
			pivot = b
		case (compare(b, a) <= 0) == (compare(a, c) <= 0):
			pivot = a
		}
		i, j := 0, len(items)-1
		for i <= j {
			for items[i].key < pivot.key || items[i].key == pivot.key && compare(items[i], pivot) < 0 {
				i++
			}
			for items[j].key > pivot.key || items[j].key == pivot.key && compare(pivot, items[j]) < 0 {
				j--
			}
			if i <= j {
				items[i], items[j] = items[j], items[i]
				i++
				j--
			}
		}
		switch { // items[:j+1] are before items[i:], with at most one item between them
		case n <= j+1:
			items = items[:j+1]
		case n >= i:
			items, n = items[i:], n-i
		default:
			return
		}
	}
	slices.SortFunc(items, compare)
}
