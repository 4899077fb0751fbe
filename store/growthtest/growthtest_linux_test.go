package growthtest

import (
	"math"
	"testing"
	"time"
)

// TestGrowth: n log n passes even if some of its runs take twice the time. A quadratic function fails, even if a quarter of its time is
// linear.
func TestGrowth(t *testing.T) {
	t.Parallel()
	const most = 1 << 18
	for name, tt := range map[string]struct {
		cost func(n float64) float64 // in nanoseconds
		slow bool
	}{
		"nothing":                   {func(float64) float64 { return 0 }, false},
		"linear":                    {func(n float64) float64 { return 100 * n }, false},
		"n log n":                   {func(n float64) float64 { return 10 * n * math.Log(n) }, false},
		"a square":                  {func(n float64) float64 { return n * n / 1000 }, true},
		"a square, mostly linear":   {func(n float64) float64 { return 100*n + 300*n*n/most }, true},
		"a square of 20 ms":         {func(n float64) float64 { return 20e6 * n * n / most / most }, true},
		"a power of one and a half": {func(n float64) float64 { return n * math.Sqrt(n) }, true},
	} {
		runs := 0
		small, large := growth(most, 200*time.Microsecond, func(n int) time.Duration {
			cost := tt.cost(float64(n))
			if runs++; runs%2 == 0 { // disturbed
				cost *= 2
			}
			return time.Duration(cost)
		})
		if slow := large > limit*small; slow != tt.slow {
			t.Errorf("%s: %v, %v", name, small, large)
		}
		t.Log(name, small, large)
	}
}

// TestUsually: known work takes at most about its usual time on any machine, and ten times of it takes longer than twice that time.
func TestUsually(t *testing.T) {
	known := func() { calibrate(t) }
	if took := usually(t, 2*usual, known); took > 2*usual {
		t.Errorf("known work takes %v, usually %v", took, usual)
	}
	if took := usually(t, 2*usual, func() {
		for range 10 {
			known()
		}
	}); took < 2*usual {
		t.Errorf("ten times the known work takes %v, usually %v once", took, usual)
	}
}
