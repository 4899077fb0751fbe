package panel

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"service/store/dashboard/chart"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
	"service/store/dashboard/format"
)

// A binning is a sequence of adjacent bins. A bin contains its lower edge and the values up to its upper edge. The last bin contains its
// upper edge too if closed is set.
type binning struct {
	edges  []any // ascending, of the types of a column's numbers: int64, float64 or [cube.Decimal]
	closed bool  // the last bin contains its upper edge
	even   bool  // all bins have the same width
	first  int64 // of even bins: the first edge divided by their width; 0 if that is not an int64
	whole  bool  // the bins are for whole numbers
}

func (b *binning) len() int { return len(b.edges) - 1 }

// listed returns the bins between edges that the author lists.
func listed(edges []float64) *binning {
	b := &binning{closed: true, even: true}
	for _, e := range edges {
		b.edges = append(b.edges, e)
	}
	width := encode.Rational(edges[1])
	width.Sub(width, encode.Rational(edges[0]))
	for i := 1; i < len(edges); i++ {
		d := encode.Rational(edges[i])
		b.even = b.even && d.Sub(d, encode.Rational(edges[i-1])).Cmp(width) == 0
	}
	if first := new(big.Rat).Quo(encode.Rational(edges[0]), width); b.even && first.IsInt() && first.Num().IsInt64() {
		b.first = first.Num().Int64()
	}
	return b
}

// roundBins returns bins of one width for numbers from lo to hi: at least one, and about as many as wished. The width is a round number,
// and the edges are multiples of it. Bins of whole numbers have a width of at least one. Edges are exact, regardless of their size.
func roundBins(lo, hi any, wished int, whole bool, format string) *binning {
	from, to := encode.Rational(lo), encode.Rational(hi)
	step := roundWidth(from, to, wished, whole, format)
	first := floorOf(new(big.Rat).Quo(from, step))
	last := floorOf(new(big.Rat).Quo(to, step))
	b := &binning{even: true, whole: whole}
	onEdge := new(big.Rat).Mul(new(big.Rat).SetInt(last), step).Cmp(to) == 0
	if b.closed = onEdge && !whole && from.Cmp(to) != 0; !b.closed {
		last.Add(last, big.NewInt(1))
	}
	for k := new(big.Int).Set(first); k.Cmp(last) <= 0; k.Add(k, big.NewInt(1)) {
		edge := encode.ColumnNumber(new(big.Rat).Mul(new(big.Rat).SetInt(k), step), whole)
		if v, _ := cube.Float(edge); math.IsInf(v, 0) { // there is no larger number
			edge, b.even = math.Copysign(math.MaxFloat64, v), false
			b.closed = b.closed || v > 0
		}
		if n := len(b.edges); n > 0 && sameNumber(b.edges[n-1], edge) { // there is no number between them
			b.even = false
			continue
		}
		b.edges = append(b.edges, edge)
	}
	if len(b.edges) < 2 { // numbers so close to zero that no float is between two multiples of the step
		v, _ := cube.Float(b.edges[0])
		b.edges, b.even, b.closed = []any{v, math.Nextafter(v, math.Inf(1))}, true, false
	}
	if first.IsInt64() {
		b.first = first.Int64()
	}
	return b
}

func sameNumber(a, b any) bool {
	order, _ := cube.Compare(a, b)
	return order == 0
}

// roundWidth returns the width with which the number of bins is closest to the wished number: 1, 2, 2.5 or 5 times a power of ten, or a
// time that is round on a clock.
func roundWidth(from, to *big.Rat, wished int, whole bool, of string) *big.Rat {
	span := new(big.Rat).Sub(to, from)
	if span.Sign() == 0 { // there is one value: the bin has the size of it
		size := new(big.Rat).Abs(from)
		if size.Sign() == 0 || whole {
			return big.NewRat(1, 1)
		}
		return power(magnitude(size))
	}
	raw := new(big.Rat).Quo(span, big.NewRat(int64(wished), 1))
	var best *big.Rat
	distance := 0.0
	try := func(step *big.Rat) {
		if whole && !step.IsInt() {
			return
		}
		ratio, _ := new(big.Rat).Quo(step, raw).Float64()
		if ratio < 1 {
			ratio = 1 / ratio
		}
		if best == nil || ratio < distance {
			best, distance = step, ratio
		}
	}
	one := int64(format.OneLasts(of))
	if length, _ := raw.Float64(); one > 0 && length*float64(one) >= 0.7 {
		for _, s := range chart.TimeSteps {
			if int64(s) >= one {
				try(big.NewRat(int64(s), one))
			}
		}
		days := new(big.Rat).Mul(raw, big.NewRat(one, chart.ADay))
		if days.Cmp(big.NewRat(7, 1)) > 0 {
			for e := range 3 {
				for _, k := range [...]int64{10, 20, 50} {
					try(new(big.Rat).Mul(big.NewRat(k*chart.ADay, 10*one), power(magnitude(days)+e)))
				}
			}
		}
		return best
	}
	for e := magnitude(raw) - 1; e <= magnitude(raw)+1; e++ {
		for _, k := range [...]int64{10, 20, 25, 50} {
			try(new(big.Rat).Mul(big.NewRat(k, 10), power(e)))
		}
	}
	if best == nil { // the numbers are whole and close together
		return big.NewRat(1, 1)
	}
	return best
}

// floorOf returns the largest whole number up to r.
func floorOf(r *big.Rat) *big.Int {
	return new(big.Int).Div(r.Num(), r.Denom()) // rounds down: the denominator is positive
}

// magnitude returns the power of ten of the first digit of a positive number.
func magnitude(r *big.Rat) int {
	text := new(big.Float).SetPrec(64).SetRat(r).Text('e', 15)
	_, exponent, _ := strings.Cut(text, "e")
	n, _ := strconv.Atoi(exponent)
	return n
}

// power returns a power of ten.
func power(n int) *big.Rat {
	p := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(n, -n))), nil)
	if n < 0 {
		return new(big.Rat).SetFrac(big.NewInt(1), p)
	}
	return new(big.Rat).SetInt(p)
}

// of returns the bins of ascending numbers: -1 for a number below the first bin, and [binning.len] for a number above the last one.
func (b *binning) of(values []any) []int {
	out := make([]int, len(values))
	bin := -1
	for i, v := range values {
		for bin < b.len() {
			edge := b.edges[bin+1]
			order, _ := cube.Compare(v, edge)
			if order < 0 || order == 0 && bin == b.len()-1 && b.closed {
				break
			}
			bin++
		}
		out[i] = bin
	}
	return out
}

// width returns the width of a bin.
func (b *binning) width(i int) *big.Rat {
	return new(big.Rat).Sub(encode.Rational(b.edges[i+1]), encode.Rational(b.edges[i]))
}

// narrowest returns the width of the narrowest bin.
func (b *binning) narrowest() *big.Rat {
	least := b.width(0)
	for i := range b.len() {
		if w := b.width(i); w.Cmp(least) < 0 {
			least = w
		}
	}
	return least
}

// multiples returns the indexes of the edges that are multiples of n widths.
func (b *binning) multiples(n int64) []int {
	var out []int
	for i := range b.edges {
		if (b.first+int64(i))%n == 0 {
			out = append(out, i)
		}
	}
	return slices.Clip(out)
}

// boundBins returns bins of one width for numbers from lo to hi, about as many as wished. If begins is set, they begin at lo; if ends is
// set, they end at hi. If both are set, a round width is chosen that divides the range, if there is one.
func boundBins(lo, hi any, begins, ends bool, wished int, whole bool, format string) *binning {
	from, to := encode.Rational(lo), encode.Rational(hi)
	if from.Cmp(to) == 0 {
		return roundBins(lo, hi, wished, whole, format)
	}
	step := roundWidth(from, to, wished, whole, format)
	span := new(big.Rat).Sub(to, from)
	if begins && ends {
		step = dividing(span, step, wished, whole)
	}
	n := floorOf(new(big.Rat).Quo(span, step))
	exact := new(big.Rat).Mul(new(big.Rat).SetInt(n), step).Cmp(span) == 0
	b := &binning{even: true, whole: whole && step.IsInt(), closed: exact && (ends || !whole)}
	if !b.closed {
		n.Add(n, big.NewInt(1))
	}
	origin := from
	if !begins { // the last edge is at to
		b.closed = true
		n = floorOf(new(big.Rat).Quo(span, step))
		if new(big.Rat).Mul(new(big.Rat).SetInt(n), step).Cmp(span) < 0 {
			n.Add(n, big.NewInt(1))
		}
		origin = new(big.Rat).Sub(to, new(big.Rat).Mul(new(big.Rat).SetInt(n), step))
	}
	b.whole = b.whole && origin.IsInt()
	for k := int64(0); k <= n.Int64(); k++ {
		b.edges = append(b.edges, encode.ColumnNumber(new(big.Rat).Add(origin, new(big.Rat).Mul(big.NewRat(k, 1), step)), b.whole))
	}
	if first := new(big.Rat).Quo(origin, step); first.IsInt() && first.Num().IsInt64() {
		b.first = first.Num().Int64()
	}
	return b
}

// dividing returns a width that divides a span: step if it does, or else the width of about as many equal parts as wished. It returns step
// if there is no such width.
func dividing(span, step *big.Rat, wished int, whole bool) *big.Rat {
	if new(big.Rat).Quo(span, step).IsInt() {
		return step
	}
	for far := range wished {
		for _, n := range [...]int{wished - far, wished + far} {
			part := new(big.Rat).Quo(span, big.NewRat(int64(max(n, 1)), 1))
			if digits, finite := part.FloatPrec(); part.IsInt() || !whole && finite && digits <= mostDecimals {
				return part
			}
		}
	}
	return step
}

// logBins returns about as many bins as wished for positive numbers. The ratio of the edges of a bin is the same for all bins, except for
// rounding: edges are powers of ten and numbers with three digits. For numbers that are close together it returns round bins.
func logBins(lo, hi any, wished int, whole bool, format string) *binning {
	from, _ := cube.Float(lo)
	to, _ := cube.Float(hi)
	decades := math.Log10(to) - math.Log10(from)
	best, distance := 0.0, 0.0 // bins per decade
	for _, per := range [...]float64{1. / 50, 1. / 20, 1. / 10, 1. / 5, 1. / 2, 1, 2, 3, 5, 10, 20, 50} {
		ratio := max(decades*per, 1e-300) / float64(wished)
		if ratio < 1 {
			ratio = 1 / ratio
		}
		if best == 0 || ratio < distance {
			best, distance = per, ratio
		}
	}
	if decades*best < fewestBins/2 {
		return roundBins(lo, hi, wished, whole, format)
	}
	edge := func(k int) any {
		v := math.Pow(10, float64(k)/best)
		if whole && v < 1e15 {
			return int64(max(math.Round(v), 1))
		}
		r, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'e', 2, 64), 64)
		return r
	}
	first, last := int(math.Floor(math.Log10(from)*best)), int(math.Ceil(math.Log10(to)*best))
	above := func(k int, v any) int {
		order, _ := cube.Compare(edge(k), v)
		return order
	}
	for above(first, lo) > 0 {
		first--
	}
	for above(last, hi) < 0 || whole && above(last, hi) == 0 {
		last++
	}
	b := &binning{whole: whole, closed: above(last, hi) == 0}
	for k := first; k <= last; k++ {
		if e := edge(k); len(b.edges) == 0 || !sameNumber(b.edges[len(b.edges)-1], e) {
			b.edges = append(b.edges, e)
		}
	}
	return b
}
