package panel

import (
	"cmp"
	"slices"
	"testing"

	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
)

// TestMostFrequent: of many values the chosen ones are offered, and then those with the most rows. Each value is visited at most twice,
// independent of their number.
func TestMostFrequent(t *testing.T) {
	t.Parallel()
	const many = 10_000
	var found []stored
	for i := range many {
		found = append(found, stored{cube.Category{Value: int64(i)}, (i * 7919) % 1000})
	}
	for _, picked := range [][]int64{nil, {3, 9_999}, make([]int64, 300)} {
		for i := range picked {
			if len(picked) == 300 {
				picked[i] = int64(i * 30)
			}
		}
		asked := 0
		got := mostFrequent(found, func(v any) bool {
			asked++
			return slices.Contains(picked, v.(int64))
		})
		want := slices.Clone(found)
		slices.SortStableFunc(want, func(a, b stored) int {
			x, y := slices.Contains(picked, a.Value.(int64)), slices.Contains(picked, b.Value.(int64))
			return cmp.Or(cmp.Compare(stat.One(y), stat.One(x)), cmp.Compare(b.rows, a.rows))
		})
		if want = want[:max(maxOptions, len(picked))]; !slices.Equal(got, want) {
			t.Errorf("%d chosen: %v, want %v", len(picked), got, want)
		}
		if asked > 2*many {
			t.Errorf("%d chosen: each of %d values is looked at %d times", len(picked), many, asked/many)
		}
	}
}
