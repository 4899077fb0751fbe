package chart

// Axes upside down are most often of ranks, which begin at 1: a gridline at 0 would name a rank that does not exist.

// mostRanks is the largest number that is taken for a rank.
const mostRanks = 100

// ranks reports whether the numbers of an axis may be ranks.
func (a *Axis) ranks() bool { return a.Reverse && a.Unit == Whole && !a.Log }

// OfRanks returns a scale for ranks from lo to hi, with a gridline at 1 and without a mark on its edge. ok is false for other axes, and for
// ranks that are as far from the first as other numbers are from a zero that [NewScale] leaves out.
func (a *Axis) OfRanks(lo, hi float64) (s Scale, ok bool) {
	if !a.ranks() || lo < 1 || hi > mostRanks || lo > 3 && lo >= 0.3*hi {
		return s, false
	}
	s = Scale{Lo: 0.5, Hi: hi + 0.5, ranks: true}
	for _, s.Step = range [...]float64{1, 2, 5, 10, 20} {
		if hi/s.Step <= 7 {
			break
		}
	}
	return s, true
}

// rankTicks returns the gridlines of ranks: 1, and round numbers.
func (s Scale) rankTicks() []float64 {
	first := s.Step
	if s.Step <= 2 { // 1 and 2 would be nearer to each other than other gridlines
		first = 1 + s.Step
	}
	out := []float64{1}
	for v := first; v <= s.Hi+s.Step*1e-6 && len(out) <= 12; v += s.Step {
		out = append(out, v)
	}
	return out
}
