package encode

import (
	"math"
	"math/big"

	"service/store/dashboard"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
)

// equalRanges merges the steps of a scale so that at most fit of them are left: numbers into ranges of one width, others into ranges of
// equally many neighbours. It returns the name of such a range, or "" if there was nothing to merge or no way to merge.
func (e *Env) equalRanges(g *cube.Groups, dim, fit int, o *Ordering, col dashboard.Column) (*cube.Groups, string) {
	axis := g.Axes[dim]
	if len(axis) <= fit {
		return g, ""
	}
	var values []any // ascending
	numbers := o.numbers && !o.Said
	for _, c := range axis {
		_, ok := Float(c.Value)
		numbers = numbers && (ok || c.Value == nil)
		if ok {
			values = append(values, c.Value)
		}
	}
	if numbers && len(values) > 0 {
		lo, _ := Float(values[0])
		hi, _ := Float(values[len(values)-1])
		if !stat.Flat(lo, hi) {
			return e.numberRanges(g, dim, fit, values[0], values[len(values)-1], col)
		}
	}
	order := stat.Indices(len(axis))
	o.Sort(order, axis)
	each := (len(axis) + fit - 1) / fit
	to := make([]int, len(axis))
	var ranges []cube.Category
	for from := 0; from < len(order); from += each {
		part := order[from:min(from+each, len(order))]
		for _, i := range part {
			to[i] = len(ranges)
		}
		c := axis[part[0]]
		if last := axis[part[len(part)-1]]; len(part) > 1 {
			c = cube.Category{Value: e.Cell(col, cube.Exact, c) + " – " + e.Cell(col, cube.Exact, last)}
		}
		ranges = append(ranges, c)
	}
	return g.Regroup(dim, to, ranges), e.Text("of %s neighbors each", e.Number(float64(each), 0))
}

// numberRanges is [Env.equalRanges] of numbers from least to most.
func (e *Env) numberRanges(g *cube.Groups, dim, fit int, least, most any, col dashboard.Column) (*cube.Groups, string) {
	lo, _ := Float(least)
	hi, _ := Float(most)
	width := 0.0
	for parts := fit; ; parts-- {
		width = stat.NiceStep(hi/float64(parts) - lo/float64(parts))
		if col.Type == cube.Integer {
			width = max(math.Ceil(width), 1)
		}
		if parts == 1 || widthsIn(most, width)-widthsIn(least, width)+2 <= float64(fit) { // one more for rows without a value
			break
		}
	}
	axis := g.Axes[dim]
	to := make([]int, len(axis))
	var ranges []cube.Category
	first := widthsIn(least, width)
	for n := range int(widthsIn(most, width)-first) + 1 { // including those without rows: they are a part of the axis
		ranges = append(ranges, cube.Category{Value: e.rangeText((first+float64(n))*width, width, col)})
	}
	for i, c := range axis { // ascending, NULL last
		if _, ok := Float(c.Value); ok {
			to[i] = int(widthsIn(c.Value, width) - first)
			continue
		}
		to[i] = len(ranges)
		ranges = append(ranges, c)
	}
	return g.Regroup(dim, to, ranges), e.Text("of %s each", e.UpTo(width, 6))
}

// widthsIn returns how many whole widths a number contains, rounded down. The decimals of both decide at the edge of a range: as binary
// fractions, 0.6 divided by 0.2 is less than 3.
func widthsIn(v any, width float64) float64 {
	f, _ := Float(v)
	n := math.Round(f / width)
	switch {
	case math.Abs(f/width-n) > 1e-9*max(math.Abs(n), 1):
		return math.Floor(f / width)
	case Rational(v).Cmp(new(big.Rat).Mul(Rational(n), Rational(width))) < 0:
		return n - 1
	}
	return n
}

// fillSteps adds missing steps to an axis of numbers that are a fixed step apart, such as bins that the query has made, so that neighbors
// on the axis are neighbors among the numbers. It does not change the axis if it would have more than limit steps, or if most whole numbers
// between the first and the last are missing: those are more likely to be names.
func (e *Env) fillSteps(g *cube.Groups, dim, limit int, o *Ordering) *cube.Groups {
	axis := g.Axes[dim]
	var values []*big.Rat
	whole := true
	for _, c := range axis {
		if _, ok := cube.Float(c.Value); ok {
			values = append(values, Rational(c.Value))
			whole = whole && values[len(values)-1].IsInt()
		}
	}
	if !o.numbers || o.Said || len(values) < 3 {
		return g
	}
	step := new(big.Rat).Sub(values[1], values[0])
	for i := 2; i < len(values); i++ {
		if d := new(big.Rat).Sub(values[i], values[i-1]); d.Cmp(step) < 0 {
			step = d
		}
	}
	if step.Sign() <= 0 {
		return g
	}
	at := make([]int, len(values)) // the place of each value among the steps
	for i, v := range values {
		n := new(big.Rat).Sub(v, values[0])
		if n.Quo(n, step); !n.IsInt() || n.Num().Cmp(big.NewInt(int64(limit))) >= 0 {
			return g
		}
		at[i] = int(n.Num().Int64())
	}
	all := at[len(at)-1] + 1
	if all == len(values) || all+len(axis)-len(values) > limit || whole && 3*len(values) < all {
		return g
	}
	to, filled := make([]int, 0, len(axis)), make([]cube.Category, all)
	for n := range filled {
		v := new(big.Rat).SetInt64(int64(n))
		filled[n].Value = ColumnNumber(v.Add(v.Mul(v, step), values[0]), whole)
	}
	for i, c := range axis {
		if i >= len(values) { // NULL is last
			to, filled = append(to, len(filled)), append(filled, c)
			continue
		}
		to, filled[at[i]] = append(to, at[i]), c
	}
	return g.Regroup(dim, to, filled)
}

// rangeText names the numbers from a number on: 10–19, or 0.5–<1.
func (e *Env) rangeText(from, width float64, col dashboard.Column) string {
	if col.Type == cube.Integer {
		if width == 1 {
			return e.Cell(col, cube.Exact, int64(from))
		}
		return e.Cell(col, cube.Exact, int64(from)) + "–" + e.Cell(col, cube.Exact, int64(from+width-1))
	}
	return e.Cell(col, cube.Exact, from) + "–<" + e.Cell(col, cube.Exact, from+width)
}
