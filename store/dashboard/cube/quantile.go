package cube

import (
	"math"
	"slices"
)

// quantiles are the shares of the values that are at most the value of an aggregation. Their parts keep all values, because the quantile of
// merged groups is not computed from those of the groups.
var quantiles = map[Agg]float64{Median: 0.5, P90: 0.9, P95: 0.95, P99: 0.99}

// IsQuantile reports whether the aggregation is a median or a percentile.
func (a Agg) IsQuantile() bool { return quantiles[a] > 0 }

// gather sets the quantiles of a column by group; ids has the group of each of the rows.
func (p *part) gather(k *column, rows Selection, ids []uint32) {
	p.values = make([][]float64, len(p.count))
	for i, row := range rows {
		if !k.has(int(row)) {
			continue
		}
		v, ok := 0.0, true
		switch k.Type {
		case Integer, Number:
			v, ok = Float(k.number(int(row)))
		case Boolean:
			v = float64(truth(bit(k.bits, int(row))))
		default: // no numbers
			ok = false
		}
		if ok {
			p.values[ids[i]] = append(p.values[ids[i]], v)
		}
	}
	p.findQuantiles()
}

// findQuantiles sorts the values, and sets the count and the quantile of each group.
func (p *part) findQuantiles() {
	p.floats = make([]float64, len(p.values))
	for i, vs := range p.values {
		slices.Sort(vs)
		p.count[i], p.floats[i] = int32(len(vs)), quantile(vs, quantiles[p.agg])
	}
}

// quantile returns the number that a share of sorted numbers does not exceed, or 0 without numbers. It interpolates linearly between the
// two at the place (n-1)·share, as percentile_cont of SQL: Hyndman and Fan's type 7.
func quantile(vs []float64, share float64) float64 {
	if len(vs) == 0 {
		return 0
	}
	place := float64(len(vs)-1) * share
	below := int(place)
	a, b := vs[below], vs[min(below+1, len(vs)-1)]
	if part := place - math.Floor(place); part > 0 && a != b {
		return a*(1-part) + b*part
	}
	return a
}
