package chart

import (
	"math"
	"slices"

	"service/store/dashboard/chart/stat"
)

// A Unit is the unit of an axis' numbers, which determines which numbers are round.
type Unit uint8

const (
	Plain   Unit = iota
	Whole        // whole things: no gridline is between two whole numbers
	Seconds      // durations, in seconds: their round numbers are those of a clock
	Minutes      // durations, in minutes
)

// Lasts returns the number of seconds in a unit of duration; 0 for other units.
func (u Unit) Lasts() float64 {
	switch u {
	case Seconds:
		return 1
	case Minutes:
		return 60
	}
	return 0
}

// NewScale chooses round bounds and steps for values from lo to hi. The last gridline is the first at or above the largest value. If
// several steps are possible, it takes the one that leaves the least space empty and has about four gridlines. If zero is set, the axis
// begins there, as bars and areas need; otherwise it begins at zero only if its values are near to it.
func NewScale(lo, hi float64, zero bool, unit Unit) Scale {
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
		return Scale{Lo: 0, Hi: 1, Step: 0.25}
	}
	size := 1.0
	if unit == Minutes {
		if quarter < 1 {
			return NewScale(lo, hi, zero, Whole)
		}
		return NewScale(lo*60, hi*60, zero, Seconds).over(60)
	}
	if unit == Seconds {
		if s, ok := bestScale(lo, hi, TimeSteps[:], 0); ok && quarter >= 1 {
			return s
		}
		if quarter > ADay {
			size, unit = ADay, Whole
		}
	}
	var steps []float64
	power := math.Pow(10, math.Floor(math.Log10(quarter/size))-1) * size
	for _, k := range [...]float64{5, 10, 20, 25, 50, 100, 200} {
		if step := k * power; unit != Whole || step/size == math.Trunc(step/size) {
			steps = append(steps, step)
		}
	}
	if unit == Whole && quarter < 1 {
		steps = append(steps, 1)
	}
	if s, ok := bestScale(lo, hi, steps, 25*power); ok {
		return s
	}
	return Scale{Lo: lo, Hi: hi, Step: quarter} // no round number is larger
}

const ADay = 86400.0 // seconds

// TimeSteps are the seconds between gridlines of durations up to some days, which are round on a clock. Longer steps are round numbers of
// days, shorter ones of seconds.
var TimeSteps = [...]float64{
	1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 2 * 3600, 3 * 3600, 6 * 3600, 12 * 3600, ADay, 2 * ADay, 7 * ADay,
}

// spare is the penalty of a scale for its number of steps; the share of its length without values is added to it.
var spare = [...]float64{1: 0.6, 2: 0.25, 3: 0.04, 4: 0, 5: 0.01, 6: 0.06, 7: 0.105}

// bestScale returns the best of the scales with the given steps; the names of the step odd are longer than those of the others.
func bestScale(lo, hi float64, steps []float64, odd float64) (best Scale, ok bool) {
	least := math.Inf(1)
	for _, step := range steps {
		s := Scale{Lo: math.Floor(lo/step+1e-9) * step, Hi: math.Ceil(hi/step-1e-9) * step, Step: step}
		n := math.Round(s.Hi/step - s.Lo/step)
		if math.IsInf(s.Lo, 0) || math.IsInf(s.Hi, 0) || !(n >= 1 && n < float64(len(spare))) {
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

// Fitted returns a scale that ends a margin beyond the values, and not at a gridline. It begins at zero only if the values are within that
// margin of it.
func Fitted(lo, hi float64, unit Unit) Scale {
	s := NewScale(lo, hi, false, unit)
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
	s.Lo, s.Hi, s.Step = from, to, stat.NiceStep((to-from)/6)
	if unit == Whole {
		s.Step = max(s.Step, 1)
	}
	if one := unit.Lasts(); one > 0 {
		if i := slices.IndexFunc(TimeSteps[:], func(step float64) bool { return step >= max((to-from)/6*one, one) }); i > 0 {
			s.Step = TimeSteps[i] / one
		}
	}
	return s
}

// Degrees returns a scale of latitudes or longitudes, which end at most.
func Degrees(lo, hi, most float64) Scale {
	s, ok := bestScale(lo, hi, []float64{5, 10, 15, 30, 45, 60, 90}, 0)
	if !ok || hi-lo < 20 {
		s = NewScale(lo, hi, false, Plain)
	}
	if lo >= -most && hi <= most {
		s.Lo, s.Hi = max(s.Lo, -most), min(s.Hi, most)
	}
	return s
}

// Within returns the position of v between lo and hi: 0 at lo, 1 at hi. It cannot overflow, and bounds that differ by less than twice the
// smallest number have positions too. Between equal bounds it is 0.5, beyond them an infinity. See [stat.Flat].
func Within(v, lo, hi float64) float64 {
	span := hi/2 - lo/2
	switch {
	case span != 0:
		return (v/2 - lo/2) / span
	case hi != lo:
		return (v - lo) / (hi - lo)
	case v == lo:
		return 0.5
	}
	return math.Copysign(math.Inf(1), v-lo)
}
