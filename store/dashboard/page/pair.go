package page

import (
	"math"
	"slices"

	"service/store/dashboard/chart/stat"
)

// pairedScales are scales for the left and the right axis of one plot, with as many steps,
// so that they share their gridlines. That on the left has zero, for bars from lo to hi.
// Where one of them has numbers below zero, or those of the right one come down to a share
// of their largest, near, both have their zero at one height; else the right one begins
// above it. It is false where no round numbers are left.
func pairedScales(lo, hi, rlo, rhi, near float64, format, rformat string) (left, right scale, ok bool) {
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
	try := func(l, r scale, n int) {
		if math.IsInf(l.lo, 0) || math.IsInf(l.hi, 0) || math.IsInf(r.lo, 0) || math.IsInf(r.hi, 0) {
			return
		}
		cost := 2 - (hi/l.step-lo/l.step)/float64(n) - (rhi/r.step-rlo/r.step)/float64(n) + 2*spare[n]
		if cost < least-1e-9 {
			left, right, least = l, r, cost
		}
	}
	for n := 3; n <= 6; n++ {
		if !from {
			l := roundStep(hi/float64(n), format)
			r := roundStep(rhi/float64(n)-rlo/float64(n), rformat)
			for math.Floor(rlo/r+1e-9)*r+float64(n)*r < rhi && !math.IsInf(r, 0) {
				r = roundStep(r*1.01, rformat)
			}
			begin := math.Floor(rlo/r+1e-9) * r
			try(scale{hi: float64(n) * l, step: l}, scale{lo: begin, hi: begin + float64(n)*r, step: r}, n)
			continue
		}
		for below := range n {
			above := float64(n - below)
			if below == 0 && (lo < 0 || rlo < 0) {
				continue
			}
			step := func(lo, hi float64, format string) float64 {
				raw := hi / above
				if below > 0 {
					raw = max(raw, -lo/float64(below))
				}
				return roundStep(raw, format)
			}
			l, r := step(lo, hi, format), step(rlo, rhi, rformat)
			try(scale{lo: -float64(below) * l, hi: above * l, step: l}, scale{lo: -float64(below) * r, hi: above * r, step: r}, n)
		}
	}
	return left, right, !math.IsInf(least, 0)
}

// roundStep is the smallest step between gridlines that is round, for a format, and not
// below raw.
func roundStep(raw float64, format string) float64 {
	unit := 1.0
	if format == "hours_minutes" { // which has whole minutes
		return roundStep(max(raw, 1)*60, "duration") / 60
	}
	if format == "duration" {
		if raw <= timeSteps[len(timeSteps)-1] && raw > 0.5 {
			return timeSteps[slices.IndexFunc(timeSteps[:], func(step float64) bool { return step >= raw })]
		}
		if raw > 1 {
			unit, format = aDay, "integer"
		}
	}
	step := stat.NiceStep(raw/unit) * unit
	if format == "integer" {
		if step = max(step, unit); step/unit != math.Trunc(step/unit) { // 2.5
			step *= 2
		}
	}
	return step
}
