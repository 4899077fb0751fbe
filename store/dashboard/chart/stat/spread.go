package stat

import "slices"

// Spread moves places apart, for names of marks that are close to each other. The result has the order of at; neighbours in that order are
// at least gap apart, all are from lo to hi, and the sum of the squares of the moves is the least possible. Equal places keep the order in
// which they are given. If all of them do not fit between lo and hi, gap is as large as fits.
//
// It is the least-squares regression under an order (pool adjacent violators: Barlow et al., Statistical Inference under Order
// Restrictions, 1972) of the places less gap times their rank.
func Spread(at []float64, gap, lo, hi float64) []float64 {
	n := len(at)
	if n == 0 {
		return nil
	}
	if most := (hi - lo) / float64(max(n-1, 1)); gap > most {
		gap = most
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case at[a] < at[b]:
			return -1
		case at[a] > at[b]:
			return 1
		}
		return 0
	})
	// A block is neighbours that touch: n of them, whose wanted starts have the sum total.
	type block struct {
		n     int
		total float64
	}
	var blocks []block
	mean := func(b block) float64 { return b.total / float64(b.n) }
	for rank, i := range order {
		blocks = append(blocks, block{1, at[i] - gap*float64(rank)})
		for last := len(blocks) - 1; last > 0 && mean(blocks[last-1]) >= mean(blocks[last]); last-- {
			blocks[last-1].n += blocks[last].n
			blocks[last-1].total += blocks[last].total
			blocks = blocks[:last]
		}
	}
	out := make([]float64, n)
	rank := 0
	for _, b := range blocks {
		start := min(max(mean(b), lo), hi-gap*float64(n-1)) // a bound moves whole blocks, because starts ascend
		for range b.n {
			out[order[rank]] = start + gap*float64(rank)
			rank++
		}
	}
	return out
}
