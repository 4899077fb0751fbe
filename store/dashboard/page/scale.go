package page

import (
	"math"
	"slices"
	"strings"

	"service/store/dashboard/chart/stat"
	"service/store/dashboard/format"
)

// A scale maps values between lo and hi to fractions of the height.
type scale struct {
	lo, hi, step float64
	log          bool // equal steps are equal factors; step says nothing
	clock        bool // of a logarithmic one: of durations, with gridlines at round ones
}

// newScale chooses round bounds and steps for values from lo to hi. The last
// gridline is the first at or above the largest value; of several steps, the one
// that leaves the least room empty and is near to four gridlines is taken. zero
// says that the axis must begin there, as bars and areas must; a line leaves it
// unless its values come near to it.
func newScale(lo, hi float64, zero bool, format string) scale {
	if lo > hi {
		lo, hi = 0, 1
	}
	if zero || lo > 0 && lo < 0.3*hi || hi < 0 && hi > 0.3*lo {
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
	quarter := hi/4 - lo/4
	if quarter < stat.Negligible {
		return scale{lo: 0, hi: 1, step: 0.25}
	}
	unit := 1.0
	if format == "hours_minutes" {
		if quarter < 1 {
			return newScale(lo, hi, zero, "integer")
		}
		return newScale(lo*60, hi*60, zero, "duration").over(60)
	}
	if format == "duration" {
		if s, ok := bestScale(lo, hi, timeSteps[:], 0); ok && quarter >= 1 {
			return s
		}
		if quarter > aDay {
			unit, format = aDay, "integer"
		}
	}
	var steps []float64
	power := math.Pow(10, math.Floor(math.Log10(quarter/unit))-1) * unit
	for _, k := range [...]float64{5, 10, 20, 25, 50, 100, 200} {
		if step := k * power; format != "integer" || step/unit == math.Trunc(step/unit) {
			steps = append(steps, step)
		}
	}
	if format == "integer" && quarter < 1 {
		steps = append(steps, 1)
	}
	if s, ok := bestScale(lo, hi, steps, 25*power); ok {
		return s
	}
	return scale{lo: lo, hi: hi, step: quarter} // no round number lies beyond
}

// over is the scale of values divided by a number.
func (s scale) over(n float64) scale {
	s.lo, s.hi, s.step = s.lo/n, s.hi/n, s.step/n
	return s
}

const aDay = 86400.0 // seconds

// timeSteps are the seconds between gridlines of durations up to some days, which
// are round on a clock. Longer ones are round numbers of days, shorter ones of seconds.
var timeSteps = [...]float64{
	1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 2 * 3600, 3 * 3600, 6 * 3600, 12 * 3600, aDay, 2 * aDay, 7 * aDay,
}

// spare is what a number of steps counts against a scale, of which the share of
// its length that no value needs counts too.
var spare = [...]float64{1: 0.6, 2: 0.25, 3: 0.04, 4: 0, 5: 0.01, 6: 0.06, 7: 0.105}

// bestScale is the best of the scales with the given steps, of which the odd one has
// longer names than the others.
func bestScale(lo, hi float64, steps []float64, odd float64) (best scale, ok bool) {
	least := math.Inf(1)
	for _, step := range steps {
		s := scale{lo: math.Floor(lo/step+1e-9) * step, hi: math.Ceil(hi/step-1e-9) * step, step: step}
		n := math.Round(s.hi/step - s.lo/step)
		if math.IsInf(s.lo, 0) || math.IsInf(s.hi, 0) || !(n >= 1 && n < float64(len(spare))) {
			continue
		}
		cost := 1 - (hi/step-lo/step)/n + spare[int(n)]
		if step == odd && n > 4 {
			cost += 0.03
		}
		if cost < least-1e-9 {
			best, least = s, cost
		}
	}
	return best, !math.IsInf(least, 0)
}

// fitted is a scale that ends where the values do, with a margin, and not at a
// gridline. It begins at zero only where the values come as near to it as that.
func fitted(lo, hi float64, of string) scale {
	s := newScale(lo, hi, false, of)
	margin := 0.06 * (hi - lo)
	if stat.Flat(lo, hi) || math.IsInf(lo-margin, 0) || math.IsInf(hi+margin, 0) {
		return s
	}
	from, to := lo-margin, hi+margin
	if lo >= 0 && from <= margin {
		from = 0
	}
	if hi <= 0 && to >= -margin {
		to = 0
	}
	s.lo, s.hi, s.step = from, to, stat.NiceStep((to-from)/6)
	if of == "integer" {
		s.step = max(s.step, 1)
	}
	if one := format.OneLasts(of); one > 0 {
		if i := slices.IndexFunc(timeSteps[:], func(step float64) bool { return step >= max((to-from)/6*one, one) }); i > 0 {
			s.step = timeSteps[i] / one
		}
	}
	return s
}

// degrees is a scale of latitudes or longitudes, which do not go beyond most.
func degrees(lo, hi, most float64) scale {
	s, ok := bestScale(lo, hi, []float64{5, 10, 15, 30, 45, 60, 90}, 0)
	if !ok || hi-lo < 20 {
		s = newScale(lo, hi, false, "number")
	}
	if lo >= -most && hi <= most {
		s.lo, s.hi = max(s.lo, -most), min(s.hi, most)
	}
	return s
}

// mostDegrees is the largest value of a column of latitudes or longitudes, or 0 for
// other columns.
func mostDegrees(column string) float64 {
	switch strings.ToLower(column) {
	case "lat", "latitude":
		return 90
	case "lon", "lng", "long", "longitude":
		return 180
	}
	return 0
}

// at returns where v lies, from 0 at the top to 1 at the bottom. A value beyond is
// on the edge.
func (s scale) at(v float64) float64 { return min(max(s.place(v), 0), 1) }

// place returns where v lies, also beyond the top or the bottom.
func (s scale) place(v float64) float64 {
	if s.log {
		return within(math.Log10(v), math.Log10(s.hi), math.Log10(s.lo))
	}
	return within(v, s.hi, s.lo)
}

// within returns where v lies between lo and hi: 0 at lo, 1 at hi. It cannot
// overflow. See [stat.Flat] for bounds that are equal.
func within(v, lo, hi float64) float64 { return (v/2 - lo/2) / (hi/2 - lo/2) }

// ticks returns the values of the gridlines.
func (s scale) ticks() []float64 {
	if s.log {
		return s.logTicks()
	}
	var out []float64
	first := math.Ceil(s.lo/s.step-1e-9) * s.step
	for i := 0; i <= 12; i++ {
		v := first + float64(i)*s.step
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
