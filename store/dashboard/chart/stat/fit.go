package stat

import (
	"math"
	"slices"
)

// A Fit is the straight line that is nearest to points, by least squares.
type Fit struct {
	Slope    float64
	meanX    float64 // the line passes through the mean of the points
	meanY    float64
	R2       float64 // the share of the variance that the line explains; NaN if the values do not vary
	From, To float64 // the least and the largest x
}

// FewestFitted is the least number of points that a line is fitted to: through two there is always a line.
const FewestFitted = 3

// LeastSquares fits a line to points. It returns false for fewer than [FewestFitted] points, and for points with one x. Numbers are scaled
// first, so that squares of the largest do not overflow.
func LeastSquares(xs, ys []float64) (Fit, bool) {
	if len(xs) < FewestFitted {
		return Fit{}, false
	}
	f := Fit{From: slices.Min(xs), To: slices.Max(xs)}
	if Flat(f.From, f.To) {
		return Fit{}, false
	}
	scaleX, scaleY := max(math.Abs(f.From), math.Abs(f.To)), 0.0
	for _, y := range ys {
		scaleY = max(scaleY, math.Abs(y))
	}
	if scaleY == 0 {
		scaleY = 1
	}
	n := float64(len(xs))
	var mx, my sum
	for i := range xs {
		mx.add(xs[i] / scaleX)
		my.add(ys[i] / scaleY)
	}
	x, y := mx.value()/n, my.value()/n
	var xx, xy, yy sum
	for i := range xs {
		dx, dy := xs[i]/scaleX-x, ys[i]/scaleY-y
		xx.add(dx * dx)
		xy.add(dx * dy)
		yy.add(dy * dy)
	}
	f.Slope = xy.value() / xx.value() * scaleY / scaleX
	f.meanX, f.meanY = x*scaleX, y*scaleY
	f.R2 = math.NaN()
	if yy.value() > 1e-24*n { // otherwise the values are equal, except for rounding errors
		if f.R2 = xy.value() / xx.value() * xy.value() / yy.value(); f.R2 > 1-1e-12 {
			f.R2 = 1
		}
	} else {
		f.Slope = 0
	}
	return f, !math.IsInf(f.Slope, 0) && !math.IsNaN(f.Slope)
}

// At returns the y of the line at x.
func (f *Fit) At(x float64) float64 { return f.meanY + f.Slope*(x-f.meanX) }
