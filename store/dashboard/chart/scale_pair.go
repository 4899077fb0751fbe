package chart

import (
	"math"
	"slices"

	"service/store/dashboard/chart/stat"
)

// pairedScales returns scales for the left and the right axis of one plot, with equally many steps, so that they share their gridlines. The
// left one contains zero, for bars from lo to hi. If one of them has numbers below zero, or the least number of the right one is below the
// share near of its largest, both have their zero at one height; otherwise the right one begins above zero. ok is false if there are no
// round numbers that fit.
func pairedScales(lo, hi, rlo, rhi, near float64, unit, runit Unit) (left, right Scale, ok bool) {
	lo, hi = min(lo, 0), max(hi, 0)
	if stat.Flat(lo, hi) {
		hi = 1
	}
	from := lo < 0 || rlo < 0 || rlo < near*rhi || stat.Flat(rlo, rhi)
	if from {
		rlo, rhi = min(rlo, 0), max(rhi, 0)
	}
	if stat.Flat(rlo, rhi) {
		rhi = 1
	}
	least := math.Inf(1)
	try := func(l, r Scale, n int) {
		if math.IsInf(l.Lo, 0) || math.IsInf(l.Hi, 0) || math.IsInf(r.Lo, 0) || math.IsInf(r.Hi, 0) {
			return
		}
		cost := 2 - (hi/l.Step-lo/l.Step)/float64(n) - (rhi/r.Step-rlo/r.Step)/float64(n) + 2*spare[n]
		if cost < least-1e-9 {
			left, right, least = l, r, cost
		}
	}
	for n := 3; n <= 6; n++ {
		if !from {
			l := roundStep(hi/float64(n), unit)
			r := roundStep(rhi/float64(n)-rlo/float64(n), runit)
			for math.Floor(rlo/r+1e-9)*r+float64(n)*r < rhi && !math.IsInf(r, 0) {
				r = roundStep(r*1.01, runit)
			}
			begin := math.Floor(rlo/r+1e-9) * r
			try(Scale{Hi: float64(n) * l, Step: l}, Scale{Lo: begin, Hi: begin + float64(n)*r, Step: r}, n)
			continue
		}
		for below := range n {
			above := float64(n - below)
			if below == 0 && (lo < 0 || rlo < 0) {
				continue
			}
			step := func(lo, hi float64, unit Unit) float64 {
				raw := hi / above
				if below > 0 {
					raw = max(raw, -lo/float64(below))
				}
				return roundStep(raw, unit)
			}
			l, r := step(lo, hi, unit), step(rlo, rhi, runit)
			try(Scale{Lo: -float64(below) * l, Hi: above * l, Step: l}, Scale{Lo: -float64(below) * r, Hi: above * r, Step: r}, n)
		}
	}
	return left, right, !math.IsInf(least, 0)
}

// alignedScales is [pairedScales] for lines, whose axes need not have zero: each has it where [NewScale] gives it one.
func alignedScales(lo, hi, rlo, rhi, _ float64, unit, runit Unit) (left, right Scale, ok bool) {
	lo, hi = withZero(lo, hi, unit)
	rlo, rhi = withZero(rlo, rhi, runit)
	least := math.Inf(1)
	for n := 3; n <= 6; n++ {
		l, r := inSteps(lo, hi, n, unit), inSteps(rlo, rhi, n, runit)
		if math.IsInf(l.Lo, 0) || math.IsInf(l.Hi, 0) || math.IsInf(r.Lo, 0) || math.IsInf(r.Hi, 0) {
			continue
		}
		cost := 2 - (hi/l.Step-lo/l.Step)/float64(n) - (rhi/r.Step-rlo/r.Step)/float64(n) + 2*spare[n]
		if cost < least-1e-9 {
			left, right, least = l, r, cost
		}
	}
	return left, right, !math.IsInf(least, 0)
}

// withZero returns a range of values, extended to zero if their scale has it.
func withZero(lo, hi float64, unit Unit) (from, to float64) {
	if s := NewScale(lo, hi, false, unit); lo > hi || s.Lo == 0 || s.Hi == 0 || stat.Flat(lo, hi) {
		if lo, hi = min(lo, 0), max(hi, 0); lo > hi || stat.Flat(lo, hi) {
			return 0, 1
		}
	}
	return lo, hi
}

// inSteps returns the scale of n steps that begins nearest to the values.
func inSteps(lo, hi float64, n int, unit Unit) Scale {
	step := roundStep(hi/float64(n)-lo/float64(n), unit)
	from := math.Floor(lo/step+1e-9) * step
	for from+float64(n)*step < hi-1e-9*step && !math.IsInf(step, 0) {
		step = roundStep(step*1.01, unit)
		from = math.Floor(lo/step+1e-9) * step
	}
	return Scale{Lo: from, Hi: from + float64(n)*step, Step: step}
}

// roundStep returns the smallest round step between gridlines, for a unit, that is not below raw.
func roundStep(raw float64, unit Unit) float64 {
	size := 1.0
	if unit == Minutes { // which has whole minutes
		return roundStep(max(raw, 1)*60, Seconds) / 60
	}
	if unit == Seconds {
		if raw <= TimeSteps[len(TimeSteps)-1] && raw > 0.5 {
			return TimeSteps[slices.IndexFunc(TimeSteps[:], func(step float64) bool { return step >= raw })]
		}
		if raw > 1 {
			size, unit = ADay, Whole
		}
	}
	step := stat.NiceStep(raw/size) * size
	if unit == Whole {
		if step = max(step, size); step/size != math.Trunc(step/size) { // 2.5
			step *= 2
		}
	}
	return step
}
