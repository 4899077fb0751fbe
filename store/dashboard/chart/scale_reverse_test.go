package chart

import (
	"math"
	"slices"
	"testing"

	"service/store/dashboard/chart/stat"
)

// TestReversedAxes: an axis upside down has its values at the mirrored places, and each range of values between them.
func TestReversedAxes(t *testing.T) {
	t.Parallel()
	for name, a := range map[string]Axis{"linear": {}, "log": {Log: true}, "whole": {Unit: Whole}, "padded": {Pad: 0.1}} {
		up := placedAxis{&a, a.scaled(a.widened(Extremes{20, 900}))}
		b := a
		b.Reverse = true
		down := placedAxis{&b, b.scaled(b.widened(Extremes{20, 900}))}
		if !slices.Equal(up.Ticks(), down.Ticks()) {
			t.Errorf("%s: the gridlines %v are %v upside down", name, up.Ticks(), down.Ticks())
		}
		for _, v := range append(up.Ticks(), 33, 5, 2000) {
			if got, want := down.place(v), 1-up.place(v); math.Abs(got-want) > 1e-9 {
				t.Errorf("%s: %v is at %v, want %v", name, v, got, want)
			}
		}
		for _, r := range []Reference{
			{Shaded: true, Lo: 40, Hi: 300}, {Shaded: true, Lo: math.Inf(-1), Hi: 300}, {Shaded: true, Lo: 40, Hi: math.Inf(1)},
		} {
			at, end := r.placed(up.Scale)
			if from, to := r.placed(down.Scale); math.Abs(from-(1-end)) > 1e-9 || math.Abs(to-(1-at)) > 1e-9 {
				t.Errorf("%s: the range %v to %v is from %v to %v, want %v to %v", name, r.Lo, r.Hi, from, to, 1-end, 1-at)
			}
		}
		fit, _ := stat.LeastSquares([]float64{0, 0.5, 1}, []float64{up.of.straight(50), up.of.straight(60), up.of.straight(90)})
		rise := Trend{Fit: &fit}
		for i, p := range rise.curve(0, 1, func(x float64) float64 { return x }, &down).Points {
			if q := rise.curve(0, 1, func(x float64) float64 { return x }, &up).Points[i]; p.X != q.X || math.Abs(float64(p.Y+q.Y-1000)) > 1 {
				t.Errorf("%s: the trend is at %v, and upright at %v", name, p, q)
			}
		}
	}
}

// TestScalesOfRanks: an axis upside down of whole numbers from 1 begins with a gridline at 1, and has neither a gridline at 0 nor a mark on
// its edge.
func TestScalesOfRanks(t *testing.T) {
	t.Parallel()
	lo, hi := 1.0, 10.0
	for name, tc := range map[string]struct {
		axis   Axis
		lo, hi float64
		want   []float64
	}{
		"five":      {Axis{}, 1, 5, []float64{1, 2, 3, 4, 5}},
		"from two":  {Axis{}, 2, 6, []float64{1, 2, 3, 4, 5, 6}},
		"one":       {Axis{}, 1, 1, []float64{1}},
		"twelve":    {Axis{}, 1, 12, []float64{1, 3, 5, 7, 9, 11}},
		"forty":     {Axis{}, 3, 40, []float64{1, 10, 20, 30, 40}},
		"bounds":    {Axis{Min: &lo, Max: &hi}, 1, 30, []float64{1, 3, 5, 7, 9}},
		"below one": {Axis{}, 0, 4, []float64{0, 1, 2, 3, 4}},
		"many":      {Axis{}, 1, 900, []float64{0, 250, 500, 750, 1000}},
		"far":       {Axis{}, 30, 40, []float64{30, 32.5, 35, 37.5, 40}},
	} {
		tc.axis.Reverse, tc.axis.Unit = true, Whole
		s := tc.axis.scaled(tc.lo, tc.hi)
		if name == "far" {
			tc.want = NewScale(30, 40, false, Whole).Ticks()
		}
		if got := s.Ticks(); !slices.Equal(got, tc.want) {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
		if fixed := tc.axis.Min != nil; tc.want[0] == 1 && !fixed && (s.place(1) <= 0 || s.place(tc.hi) >= 1) {
			t.Errorf("%s: 1 is at %v, and %v at %v", name, s.place(1), tc.hi, s.place(tc.hi))
		}
	}
}
