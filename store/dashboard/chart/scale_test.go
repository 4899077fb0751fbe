package chart

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestScatterFitsItsPoints: the axes of a scatter chart end near its points.
func TestScatterFitsItsPoints(t *testing.T) {
	t.Parallel()
	for _, tc := range [][4]float64{{50, 85, 47, 88}, {20, 85, 16, 89}, {2, 85, 0, 90}, {-3, -1, -3.2, -0.8}, {0, 10, 0, 10.7}} {
		s := Fitted(tc[0], tc[1], Plain)
		if s.Lo < tc[2] || s.Lo > tc[0] || s.Hi > tc[3] || s.Hi < tc[1] {
			t.Errorf("%v to %v: the axis is from %v to %v", tc[0], tc[1], s.Lo, s.Hi)
		}
		if n := len(s.Ticks()); n < 3 || n > 8 {
			t.Errorf("%v to %v: %d gridlines", tc[0], tc[1], n)
		}
	}
}

// TestRoundTimes: gridlines of durations are at times that are round on a clock.
func TestRoundTimes(t *testing.T) {
	t.Parallel()
	for most := 1.0; most < 1e9; most *= 1.07 {
		s := NewScale(0, most, true, Seconds)
		if n := len(s.Ticks()); n < 3 || n > 8 {
			t.Errorf("%d gridlines up to %v s", n, most)
		}
		if most >= 4 && math.Mod(ADay, s.Step) != 0 && math.Mod(s.Step, ADay) != 0 {
			t.Errorf("up to %v s: a gridline each %v s", most, s.Step)
		}
	}
}

// Gridlines of minutes are round on a clock, and never between two minutes.
func TestScalesOfMinutes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ hi, step float64 }{{1.5, 1}, {50, 10}, {500, 180}, {1400, 360}, {20000, 2880}} {
		s := NewScale(0, tc.hi, true, Minutes)
		if s.Step != tc.step || s.Hi < tc.hi {
			t.Errorf("up to %g minutes: a step of %g up to %g, want %g", tc.hi, s.Step, s.Hi, tc.step)
		}
	}
}

// TestPairedScales: two axes have their gridlines at the same heights, at round numbers that enclose all values, and their zeros at the
// same height if both have one.
func TestPairedScales(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	units := []Unit{Plain, Whole, Seconds, Minutes}
	apart := 0
	for range 5000 {
		number := func() float64 {
			v := r.NormFloat64() * math.Pow(10, float64(r.IntN(14)-4))
			if r.IntN(3) > 0 {
				v = math.Abs(v)
			}
			return v
		}
		lo, hi, rlo, rhi := 0.0, number(), number(), number()
		lo, hi, rlo, rhi = min(hi, 0), max(hi, 0), min(rlo, rhi), max(rlo, rhi)
		if r.IntN(4) == 0 {
			rlo = rhi * 0.9
			rlo, rhi = min(rlo, rhi), max(rlo, rhi)
		}
		f, g := units[r.IntN(4)], units[r.IntN(4)]
		left, right, ok := pairedScales(lo, hi, rlo, rhi, 0.5, f, g)
		what := fmt.Sprintf("%v to %v %q, %v to %v %q: %+v %+v", lo, hi, f, rlo, rhi, g, left, right)
		if !ok || left.Lo > min(lo, 0) || left.Hi < max(hi*(1-1e-9), 0) || right.Lo > rlo+1e-9*math.Abs(rlo) || right.Hi < rhi*(1-1e-9) {
			t.Fatalf("%s: not all of it (%v)", what, ok)
		}
		a, b := left.Ticks(), right.Ticks()
		if len(a) != len(b) || len(a) < 4 || len(a) > 7 {
			t.Fatalf("%s: %d and %d gridlines", what, len(a), len(b))
		}
		for i := range a {
			if math.Abs(left.at(a[i])-right.at(b[i])) > 1e-6 {
				t.Fatalf("%s: %v and %v are apart", what, a[i], b[i])
			}
		}
		switch zero := right.Lo <= 0 && right.Hi >= 0; {
		case zero && math.Abs(left.at(0)-right.at(0)) > 1e-6:
			t.Fatalf("%s: zeros are apart", what)
		case !zero && (lo < 0 || rlo < 0.5*rhi):
			t.Fatalf("%s: no zero on the right", what)
		case !zero:
			apart++
		}
	}
	if apart < 100 {
		t.Errorf("only %d of 5000 have no zero on the right", apart)
	}
	if _, _, ok := pairedScales(0, math.MaxFloat64, -math.MaxFloat64, math.MaxFloat64, 0.5, Plain, Plain); ok {
		t.Error("there are scales beyond the largest number")
	}
	for _, tc := range [][4]float64{{0, 0, 0, 0}, {0, 5e-324, 5e-324, 5e-324}, {0, 1, 7, 7}, {0, 0, -3, -3}, {-5, 0, 2, 2}} {
		l, r, ok := pairedScales(tc[0], tc[1], tc[2], tc[3], 0.5, Plain, Whole)
		if !ok || !(l.Hi > l.Lo) || !(r.Hi > r.Lo) || len(l.Ticks()) < 4 {
			t.Errorf("%v: %+v %+v %v", tc, l, r, ok)
		}
	}
}

// A logarithmic axis of durations has gridlines at round ones.
func TestLogScaleOfDurations(t *testing.T) {
	t.Parallel()
	const minute, hour = 60, 3600
	for _, tc := range []struct {
		lo, hi float64
		want   []float64
	}{
		{9000, 2.3 * ADay, []float64{hour, 3 * hour, 6 * hour, 12 * hour, ADay, 2 * ADay, 4 * ADay}},
		{2, 4 * hour, []float64{1, 10, minute, 10 * minute, hour, 6 * hour}},
		{5 * minute, 5 * minute, []float64{180, 600}},
		{hour, hour, []float64{1800, hour, 3 * hour}},
		{0.2, 40, []float64{1, 10}}, // below a second as numbers
	} {
		s := durationScale(logScale(tc.lo, tc.hi), tc.lo, tc.hi)
		if diff := cmp.Diff(tc.want, s.Ticks(), cmpopts.EquateApprox(1e-9, 0)); diff != "" {
			t.Errorf("%v to %v (-want +got):\n%s", tc.lo, tc.hi, diff)
		}
		if s.Lo > tc.lo || s.Hi < tc.hi {
			t.Errorf("%v to %v lie outside of %v to %v", tc.lo, tc.hi, s.Lo, s.Hi)
		}
	}
}

func TestLogScale(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		lo, hi float64
		want   []float64
	}{
		{1, 100, []float64{1, 2, 5, 10, 20, 50, 100}},
		{3, 45000, []float64{10, 100, 1000, 10000}},
		{0.002, 0.07, []float64{0.002, 0.005, 0.01, 0.02, 0.05, 0.1}},
		{1, 1e12, []float64{1, 100, 1e4, 1e6, 1e8, 1e10, 1e12}},
		{40, 44, []float64{40, 41, 42, 43, 44}},
		{97, 205, []float64{100, 150, 200}},
		{7, 7, []float64{6, 8, 10}},
		{-1, 5, []float64{1, 2, 5, 10}},
	} {
		s := logScale(tc.lo, tc.hi)
		if diff := cmp.Diff(tc.want, s.Ticks(), cmpopts.EquateApprox(1e-9, 0)); diff != "" {
			t.Errorf("%v to %v (-want +got):\n%s", tc.lo, tc.hi, diff)
		}
		if tc.lo > 0 && (s.Lo > tc.lo*(1+1e-9) || s.Hi < tc.hi*(1-1e-9)) {
			t.Errorf("%v to %v lie outside of %v to %v", tc.lo, tc.hi, s.Lo, s.Hi)
		}
	}
	for _, hi := range []float64{1e-270, 1e-12, 0.3, 7, 1e9, 1e300} {
		for _, factor := range []float64{1, 1.01, 1.7, 4, 30, 900, 1e7} {
			if n := len(logScale(hi/factor, hi).Ticks()); n < 2 || n > 10 {
				t.Errorf("%g to %g has %d gridlines", hi/factor, hi, n)
			}
		}
	}
	if y := logScale(1, 10000).at(100); math.Abs(y-0.5) > 1e-9 {
		t.Errorf("100 is drawn at %v between 1 and 10,000", y)
	}
}

func TestScale(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		lo, hi float64
		zero   bool
		want   []float64
	}{
		{0, 95, true, []float64{0, 25, 50, 75, 100}},
		{0, 4, true, []float64{0, 1, 2, 3, 4}},
		{-30, 50, true, []float64{-50, -25, 0, 25, 50}},
		{980, 1010, false, []float64{980, 990, 1000, 1010}},
		{980, 1010, true, []float64{0, 200, 400, 600, 800, 1000, 1200}},
		{0, 0, true, []float64{0, 0.25, 0.5, 0.75, 1}},
		{5, 5, false, []float64{0, 1, 2, 3, 4, 5}},
		{0, 0.2, true, []float64{0, 0.05, 0.1, 0.15, 0.2}},
		{0, 0.204, true, []float64{0, 0.05, 0.1, 0.15, 0.2, 0.25}},
		{2700, 6300, false, []float64{2000, 3000, 4000, 5000, 6000, 7000}},
		{0, 31, true, []float64{0, 5, 10, 15, 20, 25, 30, 35}},
		{0, 17, true, []float64{0, 5, 10, 15, 20}},
		{1, 6300, false, []float64{0, 2500, 5000, 7500}},
	} {
		got := NewScale(tc.lo, tc.hi, tc.zero, Plain).Ticks()
		if diff := cmp.Diff(tc.want, got, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
			t.Errorf("%v to %v (-want +got):\n%s", tc.lo, tc.hi, diff)
		}
	}
	for _, hi := range []float64{1e-300, 0.7, 3, 17, 1234, 9.9e11, 1e300} {
		if n := len(NewScale(0, hi, true, Plain).Ticks()); n < 3 || n > 8 {
			t.Errorf("%d gridlines up to %g", n, hi)
		}
	}
}

// Whole numbers have whole gridlines, and scales of latitudes and longitudes do not exceed the globe.
func TestScaleOfMeaning(t *testing.T) {
	t.Parallel()
	for hi := 1.0; hi < 60; hi++ {
		for _, v := range NewScale(0, hi, true, Whole).Ticks() {
			if v != math.Trunc(v) {
				t.Errorf("up to %v: a gridline at %v", hi, v)
			}
		}
	}
	for _, tc := range [][3]float64{{-77, 78, 90}, {-90, 90, 90}, {-33, 59, 90}, {-170, 179, 180}, {52.31, 52.62, 90}, {-12, 4, 180}} {
		s := Degrees(tc[0], tc[1], tc[2])
		if s.Lo < -tc[2] || s.Hi > tc[2] || s.Lo > tc[0] || s.Hi < tc[1] || len(s.Ticks()) < 3 {
			t.Errorf("%v: from %v to %v with %v", tc, s.Lo, s.Hi, s.Ticks())
		}
	}
}

// TestScalesOfExtremes: for any values and bounds, an axis has finite ends and at most a few gridlines, all of them on it. Without a limit,
// the gridlines of a logarithmic axis whose values are all the largest number would never end.
func TestScalesOfExtremes(t *testing.T) {
	t.Parallel()
	extremes := []float64{
		-math.MaxFloat64, -1e308, -1, -5e-324, 0, 5e-324, 1e-320, 1e-300, 0.5, 1, 9.99e307, 1e308, 1.7e308, math.MaxFloat64,
	}
	bounds := []*float64{nil}
	for i := range extremes {
		bounds = append(bounds, &extremes[i])
	}
	for _, log := range []bool{false, true} {
		for _, lo := range extremes {
			for _, hi := range extremes {
				for _, from := range bounds {
					for _, to := range bounds {
						a := Axis{Log: log, Min: from, Max: to}
						if lo > hi || from != nil && to != nil && *from >= *to || !a.has(lo) || from != nil && !a.has(*from) || to != nil && !a.has(*to) {
							continue // the checks of specs refuse such bounds, and such values are not drawn
						}
						s := a.scaled(lo, hi)
						ticks := s.Ticks()
						if math.IsInf(s.Lo, 0) || math.IsInf(s.Hi, 0) || !(s.Lo <= s.Hi) || len(ticks) > 20 {
							t.Fatalf("log %v, values from %v to %v, bounds %v and %v: %+v with %d gridlines", log, lo, hi, from, to, s, len(ticks))
						}
						for _, v := range ticks {
							if s.Lo == s.Hi || !log && s.Step == 0 { // there is no number between
								break
							}
							if at := s.place(v); math.IsNaN(at) || at < -1e-3 || at > 1+1e-3 {
								t.Fatalf("log %v, values from %v to %v: the gridline %v is at %v of %+v", log, lo, hi, v, at, s)
							}
						}
					}
				}
			}
		}
	}
}

// A value has a position on each axis whose bounds a spec can set, also between the smallest numbers.
func TestPositionsOfTinyAxes(t *testing.T) {
	t.Parallel()
	const tiny = math.SmallestNonzeroFloat64
	bounds := []float64{-math.MaxFloat64, -1, -2 * tiny, -tiny, 0, tiny, 3 * tiny, 1e-300, 1, math.MaxFloat64}
	for _, lowest := range bounds {
		for _, highest := range bounds {
			for _, a := range []*Axis{{Max: &highest}, {Min: &lowest}, {Min: &lowest, Max: &highest}, {Max: &highest, Zero: true}} {
				if a.Min != nil && a.Max != nil && lowest >= highest {
					continue // the spec is refused
				}
				for _, v := range bounds {
					s := a.scaled(v, v)
					for _, of := range append(s.Ticks(), v, s.Lo, s.Hi) {
						if at := s.at(of); !(at >= 0 && at <= 1) {
							t.Errorf("min %v, max %v, value %v: %v is at %v of %+v", a.Min, a.Max, v, of, at, s)
						}
					}
				}
			}
		}
	}
}
