package stat

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSpread: places that are far enough apart stay, others move as little as possible.
func TestSpread(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		at   []float64
		want []float64
	}{
		{nil, nil},
		{[]float64{30}, []float64{30}},
		{[]float64{80, 20, 50}, []float64{80, 20, 50}},
		{[]float64{50, 50}, []float64{45, 55}},
		{[]float64{50, 52, 20}, []float64{46, 56, 20}},
		{[]float64{0, 1, 2}, []float64{0, 10, 20}},
		{[]float64{99, 100}, []float64{90, 100}},
		{[]float64{-40, 170}, []float64{0, 100}},
	} {
		got := Spread(tc.at, 10, 0, 100)
		if !slices.EqualFunc(got, tc.want, func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }) {
			t.Errorf("Spread(%v) = %v, want %v", tc.at, got, tc.want)
		}
	}
	if got := Spread([]float64{5, 5, 5}, 80, 0, 100); !slices.Equal(got, []float64{0, 50, 100}) {
		t.Errorf("three places with a gap of 80 in 100: %v", got)
	}
}

// TestSpreadMovesLeast: of random places, the order, the gap and the bounds hold, and no other allowed places are nearer.
func TestSpreadMovesLeast(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		at := make([]float64, 1+r.IntN(12))
		for i := range at {
			at[i] = r.Float64()*140 - 20
		}
		const gap, lo, hi = 7, 0, 100
		got := Spread(at, gap, lo, hi)
		order := make([]int, len(at))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return int(math.Copysign(1, at[a]-at[b])) })
		allowed := func(places []float64) bool {
			for k, i := range order {
				if places[i] < lo-1e-9 || places[i] > hi+1e-9 || k > 0 && places[i]-places[order[k-1]] < gap-1e-9 {
					return false
				}
			}
			return true
		}
		cost := func(places []float64) (sum float64) {
			for i := range at {
				sum += (places[i] - at[i]) * (places[i] - at[i])
			}
			return sum
		}
		if !allowed(got) {
			t.Fatalf("Spread(%v) = %v", at, got)
		}
		// The allowed places are convex: if no small move of a run of neighbours is better, no other move is.
		for from := range order {
			for to := from + 1; to <= len(order); to++ {
				for _, step := range [...]float64{-1e-3, 1e-3} {
					other := slices.Clone(got)
					for _, i := range order[from:to] {
						other[i] += step
					}
					if allowed(other) && cost(other) < cost(got)-1e-7 {
						t.Fatalf("Spread(%v) = %v costs %v, and %v costs %v", at, got, cost(got), other, cost(other))
					}
				}
			}
		}
	}
}
