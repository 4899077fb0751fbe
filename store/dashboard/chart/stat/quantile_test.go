package stat

import (
	"math"
	"testing"
)

// TestQuantiles: quartiles are those of numpy.percentile and Excel's QUARTILE.INC.
func TestQuantiles(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		values []float64
		want   [3]float64
	}{
		{[]float64{5}, [3]float64{5, 5, 5}},
		{[]float64{1, 2}, [3]float64{1.25, 1.5, 1.75}},
		{[]float64{1, 2, 3, 4}, [3]float64{1.75, 2.5, 3.25}},
		{[]float64{6, 7, 15, 36, 39, 40, 41, 42, 43, 47, 49}, [3]float64{25.5, 40, 42.5}},
		{[]float64{7, 15, 36, 39, 40, 41}, [3]float64{20.25, 37.5, 39.75}},
		{[]float64{-math.MaxFloat64, math.MaxFloat64}, [3]float64{-math.MaxFloat64 / 2, 0, math.MaxFloat64 / 2}},
	} {
		var vs Counted
		for i, v := range tc.values {
			if i > 0 && v == tc.values[i-1] {
				vs[len(vs)-1].Count++
				continue
			}
			vs = append(vs, CountedValue{v, 1})
		}
		for i, want := range tc.want {
			if got := vs.Quantile(float64(i+1) / 4); math.Abs(got-want) > 1e-12*max(math.Abs(want), 1) {
				t.Errorf("quartile %d of %v: %v, want %v", i+1, tc.values, got, want)
			}
		}
	}
	if got := (Counted{{1, 3}, {2, 1}}).Quantile(0.75); got != 1.25 {
		t.Errorf("1, 1, 1, 2: %v", got)
	}
}
