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

// One is 1 where b holds, and else 0.
func One(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Flat reports whether lo and hi are too close to each other for a scale between them.
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
