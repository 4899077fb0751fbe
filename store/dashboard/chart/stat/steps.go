package stat

import "math"

// Negligible is a difference that is too small to divide by: as good as zero.
const Negligible = 1e-290

// Indices returns 0 to n-1.
func Indices(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// One returns 1 if b is true, and 0 otherwise.
func One(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Flat reports whether hi is not above lo by more than twice [Negligible].
func Flat(lo, hi float64) bool { return !(hi/2-lo/2 > Negligible) }

// NiceStep returns the smallest of 1, 2, 2.5, 5 times a power of ten that is not
// below raw.
func NiceStep(raw float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, k := range [...]float64{1, 2, 2.5, 5} {
		if raw <= k*power*(1+1e-9) {
			return k * power
		}
	}
	return 10 * power
}
