package stat

import "math"

// A CountedValue is a number and how many rows have it.
type CountedValue struct {
	Value float64
	Count int
}

// Counted are counted values in ascending order.
type Counted []CountedValue

// Total returns the number of rows.
func (vs Counted) Total() int {
	n := 0
	for _, v := range vs {
		n += v.Count
	}
	return n
}

// at returns the number at an index, from 0, among all rows in order.
func (vs Counted) at(place int) float64 {
	for _, v := range vs {
		if place < v.Count {
			return v.Value
		}
		place -= v.Count
	}
	return vs[len(vs)-1].Value
}

// Quantile returns the number below which a share of the rows is, by Hyndman and Fan's type 7, which Excel's QUARTILE.INC, R, NumPy and
// percentile_cont of SQL use: it interpolates linearly between the two numbers at the place (n-1)·share.
func (vs Counted) Quantile(share float64) float64 {
	place := float64(vs.Total()-1) * share
	below := math.Floor(place)
	a, b := vs.at(int(below)), vs.at(int(math.Ceil(place)))
	if a == b {
		return a
	}
	part := place - below
	return a*(1-part) + b*part // which cannot overflow, as b-a could
}
