package chart

import (
	"math"
	"slices"

	"service/store/dashboard/chart/stat"
)

// closeTogether is the largest ratio of values whose bounds are those of a linear scale: the next powers of ten, and twice and five times
// these, would leave most of it empty.
const closeTogether = 2.5

// logScale chooses bounds for values above zero: of 1, 2 or 5 times a power of ten or, if the values are close together, round numbers near
// them.
func logScale(lo, hi float64) Scale {
	if !(lo > 0) || !(hi >= lo) || math.IsInf(hi, 0) {
		lo, hi = 1, 10
	}
	lo, hi = max(lo, stat.Negligible), max(hi, 10*stat.Negligible)
	if near := NewScale(lo, hi, false, Plain); hi/lo < closeTogether && near.Lo > 0 && near.Hi/near.Lo < 2*closeTogether {
		return Scale{Lo: near.Lo, Hi: near.Hi, Step: 1, Log: true}
	}
	s := Scale{Lo: roundDown(lo), Hi: roundUpTo(hi), Step: 1, Log: true}
	if s.Lo == s.Hi {
		s.Lo, s.Hi = roundDown(s.Lo*0.99), roundUpTo(min(s.Hi*1.01, math.MaxFloat64))
	}
	return s
}

// rungs are the durations, in seconds, at which a logarithmic scale may have a gridline:
// up to ten years, about half of them at most a factor of three apart.
var rungs = [...]float64{
	1, 3, 10, 30, 60, 180, 600, 1800, 3600, 3 * 3600, 6 * 3600, 12 * 3600, ADay, 2 * ADay, 4 * ADay, 7 * ADay, 14 * ADay, 30 * ADay, 90 * ADay,
	180 * ADay, 365 * ADay, 1095 * ADay, 3650 * ADay,
}

// durationScale returns s, which reaches from lo to hi, with round durations for bounds and gridlines; it returns s unchanged if s reaches
// beyond all of them.
func durationScale(s Scale, lo, hi float64) Scale {
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
	s.Lo, s.Hi, s.clock = rungs[from], rungs[to], true
	return s
}

// rungs returns the gridlines of a scale of durations: every n-th of the round ones, at most seven.
func (s Scale) rungs() []float64 {
	var all []float64
	for _, r := range rungs {
		if r >= s.Lo*(1-1e-9) && r <= s.Hi*(1+1e-9) {
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

// roundDown returns the largest of 1, 2 and 5 times a power of ten that is not above v.
func roundDown(v float64) float64 {
	power := decade(v)
	for i := len(roundFactors) - 1; i >= 0; i-- {
		if k := roundFactors[i] * power; k <= v*(1+1e-9) && !math.IsInf(k, 0) {
			return k
		}
	}
	return v
}

// roundUpTo returns the smallest of 1, 2 and 5 times a power of ten that is not below v.
func roundUpTo(v float64) float64 {
	power := decade(v)
	for _, k := range roundFactors {
		if k*power >= v*(1-1e-9) && !math.IsInf(k*power, 0) {
			return k * power
		}
	}
	return v
}

// decade returns the power of ten at or below v, which is above zero.
func decade(v float64) float64 { return math.Pow(10, math.Floor(math.Log10(v)+1e-9)) }

// logTicks returns the gridlines of a logarithmic scale: powers of ten and, if they fit, twice and five times these. Over less than a
// decade they are evenly spaced numbers.
func (s Scale) logTicks() []float64 {
	if s.clock {
		if out := s.rungs(); len(out) > 1 {
			return out
		}
	}
	decades := math.Log10(s.Hi) - math.Log10(s.Lo) // a quotient could overflow
	within := func(factors []float64, every int) (out []float64) {
		exponent := -323
		if lo := math.Floor(math.Log10(s.Lo) + 1e-9); lo > -323 && !math.IsInf(lo, 0) {
			exponent = int(lo)
		}
		for ; exponent <= 308; exponent++ {
			power := math.Pow(10, float64(exponent))
			if power > s.Hi*(1+1e-9) {
				break
			}
			if exponent%every != 0 {
				continue
			}
			for _, k := range factors {
				if v := k * power; v >= s.Lo*(1-1e-9) && v <= s.Hi*(1+1e-9) && !math.IsInf(v, 0) {
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
	linear.Log, linear.Step = false, stat.NiceStep(s.Hi/4-s.Lo/4)
	return slices.DeleteFunc(linear.Ticks(), func(v float64) bool { return v <= 0 })
}

// A Scale maps values between lo and hi to fractions of the height.
type Scale struct {
	Lo, Hi, Step float64
	Log          bool // equal steps are equal factors; Step is not used
	Reverse      bool // Lo is at the top
	clock        bool // of a logarithmic scale: of durations, with gridlines at round ones
	ranks        bool // its first gridline is 1: see [Axis.OfRanks]
}

// over returns the scale of values divided by a number.
func (s Scale) over(n float64) Scale {
	s.Lo, s.Hi, s.Step = s.Lo/n, s.Hi/n, s.Step/n
	return s
}

// at returns the position of v, from 0 at the top to 1 at the bottom. A value beyond is on the edge.
func (s Scale) at(v float64) float64 { return min(max(s.place(v), 0), 1) }

// place returns the position of v, also beyond the top or the bottom.
func (s Scale) place(v float64) float64 {
	top, bottom := s.Hi, s.Lo
	if s.Reverse {
		top, bottom = bottom, top
	}
	if s.Log {
		return Within(math.Log10(v), math.Log10(top), math.Log10(bottom))
	}
	return Within(v, top, bottom)
}

// Ticks returns the values of the gridlines.
func (s Scale) Ticks() []float64 {
	if s.Log {
		return s.logTicks()
	}
	if !(s.Step > 0) { // there is no number between the bounds
		return []float64{s.Lo}
	}
	if s.ranks {
		return s.rankTicks()
	}
	var out []float64
	first := math.Ceil(s.Lo/s.Step-1e-9) * s.Step
	for i := 0; i <= 12; i++ {
		v := first + float64(i)*s.Step
		if v > s.Hi+s.Step*1e-6 || math.IsInf(v, 0) {
			break
		}
		if math.Abs(v) < s.Step*1e-9 {
			v = 0
		}
		out = append(out, v)
	}
	return out
}
