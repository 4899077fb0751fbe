package page

import "math"

// A scale maps values between lo and hi to fractions of the height.
type scale struct {
	lo, hi, step float64
}

// negligible is a difference that is too small to divide by: as good as zero.
const negligible = 1e-290

// newScale chooses round bounds and steps for values from lo to hi, with three
// to five gridlines. zero says that the axis must begin there, as bars and
// areas must; a line may leave it when its values are far from it.
func newScale(lo, hi float64, zero bool, format string) scale {
	if lo > hi {
		lo, hi = 0, 1
	}
	if zero || lo > 0 && lo < 0.6*hi || hi < 0 && hi > 0.6*lo {
		lo, hi = min(lo, 0), max(hi, 0)
	}
	if lo == hi {
		switch {
		case lo == 0:
			hi = 1
		case lo > 0:
			lo = 0
		default:
			hi = 0
		}
	}
	unit := 1.0
	if a := max(math.Abs(lo), math.Abs(hi)); format == "duration" {
		for _, u := range [...]float64{60, 3600, 86400} {
			if a >= 2*u {
				unit = u
			}
		}
	}
	if hi/4-lo/4 < negligible {
		return scale{lo: 0, hi: 1, step: 0.25}
	}
	step := niceStep((hi/4-lo/4)/unit) * unit
	if format == "integer" && step < 1 {
		step = 1
	}
	s := scale{lo: math.Floor(lo/step+1e-9) * step, hi: math.Ceil(hi/step-1e-9) * step, step: step}
	if math.IsInf(s.hi, 0) || math.IsInf(s.lo, 0) { // no round number lies beyond
		return scale{lo: lo, hi: hi, step: hi/4 - lo/4}
	}
	return s
}

// niceStep returns the smallest of 1, 2, 2.5, 5 times a power of ten that is not
// below raw.
func niceStep(raw float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, k := range [...]float64{1, 2, 2.5, 5} {
		if raw <= k*power*(1+1e-9) {
			return k * power
		}
	}
	return 10 * power
}

// at returns where v lies, from 0 at the top to 1 at the bottom.
func (s scale) at(v float64) float64 { return min(max(within(v, s.hi, s.lo), 0), 1) }

// within returns where v lies between lo and hi: 0 at lo, 1 at hi. It cannot
// overflow. See [flat] for bounds that are equal.
func within(v, lo, hi float64) float64 { return (v/2 - lo/2) / (hi/2 - lo/2) }

// flat reports whether nothing lies between lo and hi.
func flat(lo, hi float64) bool { return !(hi/2-lo/2 > negligible) }

// ticks returns the values of the gridlines.
func (s scale) ticks() []float64 {
	var out []float64
	for i := 0; i <= 12; i++ {
		v := s.lo + float64(i)*s.step
		if v > s.hi+s.step*1e-6 || math.IsInf(v, 0) {
			break
		}
		if math.Abs(v) < s.step*1e-9 {
			v = 0
		}
		out = append(out, v)
	}
	return out
}
