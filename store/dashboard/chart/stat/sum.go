package stat

import "math"

// Mean returns the mean of numbers, even if their sum would be too large.
func Mean(vs []float64) float64 {
	var s sum
	for _, v := range vs {
		s.add(v)
	}
	if v := s.value(); !math.IsInf(v, 0) && !math.IsNaN(v) {
		return v / float64(len(vs))
	}
	out := 0.0
	for _, v := range vs {
		out += v / float64(len(vs))
	}
	return out
}

// A sum adds numbers without losing small ones to rounding.
type sum struct{ total, lost float64 }

func (s *sum) add(v float64) {
	t := s.total + v
	if math.Abs(s.total) >= math.Abs(v) {
		s.lost += s.total - t + v
	} else {
		s.lost += v - t + s.total
	}
	s.total = t
}

func (s *sum) value() float64 { return s.total + s.lost }
