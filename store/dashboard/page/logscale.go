package page

import (
	"math"

	"service/store/dashboard/chart/stat"
)

// A logarithmic scale has equal steps for equal factors.

// closeTogether is the largest factor between values whose bounds are those of a linear scale: the
// next powers of ten, and twice and five times these, would leave most of it empty.
const closeTogether = 2.5

// logScale chooses bounds for values above zero: of 1, 2 or 5 times a power of ten or,
// where the values are close together, round numbers beside them.
func logScale(lo, hi float64) scale {
	if !(lo > 0) || !(hi >= lo) || math.IsInf(hi, 0) {
		lo, hi = 1, 10
	}
	lo, hi = max(lo, stat.Negligible), max(hi, 10*stat.Negligible)
	if near := newScale(lo, hi, false, "number"); hi/lo < closeTogether && near.lo > 0 && near.hi/near.lo < 2*closeTogether {
		return scale{lo: near.lo, hi: near.hi, step: 1, log: true}
	}
	s := scale{lo: roundDown(lo), hi: roundUpTo(hi), step: 1, log: true}
	if s.lo == s.hi {
		s.lo, s.hi = roundDown(s.lo*0.99), roundUpTo(min(s.hi*1.01, math.MaxFloat64))
	}
	return s
}

// rungs are the durations, in seconds, at which a logarithmic scale may have a gridline:
// up to ten years, about half of them at most a factor of three apart.
var rungs = [...]float64{
	1, 3, 10, 30, 60, 180, 600, 1800, 3600, 3 * 3600, 6 * 3600, 12 * 3600, aDay, 2 * aDay, 4 * aDay, 7 * aDay, 14 * aDay, 30 * aDay, 90 * aDay,
	180 * aDay, 365 * aDay, 1095 * aDay, 3650 * aDay,
}

// durationScale is s, which reaches from lo to hi, with round durations for bounds and
// gridlines; as it is where it reaches beyond all of them.
func durationScale(s scale, lo, hi float64) scale {
	from, to := -1, -1
	for i, r := range rungs {
		if r <= lo {
			from = i
		}
		if r >= hi && to < 0 {
			to = i
		}
	}
	if from < 0 || to < 0 {
		return s
	}
	if from == to {
		from, to = max(from-1, 0), min(to+1, len(rungs)-1)
	}
	s.lo, s.hi, s.clock = rungs[from], rungs[to], true
	return s
}

// rungs are the gridlines of a scale of durations: every n-th of the round ones, at most
// seven.
func (s scale) rungs() []float64 {
	var all []float64
	for _, r := range rungs {
		if r >= s.lo*(1-1e-9) && r <= s.hi*(1+1e-9) {
			all = append(all, r)
		}
	}
	every := (len(all) + 6) / 7
	var out []float64
	for i := 0; i < len(all); i += max(every, 1) {
		out = append(out, all[i])
	}
	return out
}

var roundFactors = [...]float64{1, 2, 5, 10}

// roundDown is the largest of 1, 2 and 5 times a power of ten that is not above v.
func roundDown(v float64) float64 {
	power := decade(v)
	for i := len(roundFactors) - 1; i >= 0; i-- {
		if k := roundFactors[i] * power; k <= v*(1+1e-9) {
			return k
		}
	}
	return v
}

// roundUpTo is the smallest of them that is not below v.
func roundUpTo(v float64) float64 {
	power := decade(v)
	for _, k := range roundFactors {
		if k*power >= v*(1-1e-9) && !math.IsInf(k*power, 0) {
			return k * power
		}
	}
	return v
}

// decade is the power of ten at or below v, which is above zero.
func decade(v float64) float64 { return math.Pow(10, math.Floor(math.Log10(v)+1e-9)) }

// logTicks are the gridlines of a logarithmic scale: powers of ten and, where there is
// room, twice and five times these. Over less than a decade they are evenly spaced
// numbers.
func (s scale) logTicks() []float64 {
	if s.clock {
		if out := s.rungs(); len(out) > 1 {
			return out
		}
	}
	decades := math.Log10(s.hi) - math.Log10(s.lo) // a quotient could overflow
	within := func(factors []float64, every int) (out []float64) {
		exponent := int(math.Floor(math.Log10(s.lo) + 1e-9))
		for ; exponent <= 308; exponent++ {
			power := math.Pow(10, float64(exponent))
			if power > s.hi*(1+1e-9) {
				break
			}
			if exponent%every != 0 {
				continue
			}
			for _, k := range factors {
				if v := k * power; v >= s.lo*(1-1e-9) && v <= s.hi*(1+1e-9) {
					out = append(out, v)
				}
			}
		}
		return out
	}
	switch {
	case decades > 7:
		return within([]float64{1}, int(math.Ceil(decades/6)))
	case decades > 2.2:
		return within([]float64{1}, 1)
	}
	if out := within([]float64{1, 2, 5}, 1); len(out) > 2 {
		return out
	}
	linear := s
	linear.log, linear.step = false, stat.NiceStep(s.hi/4-s.lo/4)
	return linear.ticks()
}
