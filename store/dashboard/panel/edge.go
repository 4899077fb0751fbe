package panel

import (
	"math"
	"math/big"
	"slices"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
	"service/store/dashboard/format"
)

// The edges of bins are written with all their digits: a rounded edge could put a number into the wrong bin.

// mostDecimals is the maximum number of decimals of an edge. If an edge has more or is very large, edges have the format of their column.
const mostDecimals = 9

// edgeWriter returns the function that writes an edge.
func (p *histogramPanel) edgeWriter() func(any) string {
	bare := p.col
	bare.Suffix = "" // the axis has it
	unit := bare.Format
	name, _ := dashboard.SplitFormat(unit)
	plain := func(v any) string { return p.Env.Cell(bare, cube.Exact, v) }
	clock := format.OneLasts(unit) > 0 && unit != "minutes_seconds"
	if clock || p.col.Role == dashboard.Dimension && unit == "" { // times on a clock, or numbers such as years
		return plain
	}
	decimalsOf := func(e any) int {
		r := encode.Rational(e)
		if strings.HasPrefix(unit, "percent") {
			r.Mul(r, big.NewRat(100, 1))
		}
		digits, _ := r.FloatPrec()
		return digits
	}
	decimals := 0
	for _, e := range p.bins.edges {
		decimals = max(decimals, decimalsOf(e))
		if v, _ := cube.Float(e); math.Abs(v) >= 1e15 {
			return plain
		}
	}
	if decimals > mostDecimals || decimals == 0 && unit == "minutes_seconds" {
		return plain
	}
	if compact := []string{"compact", "currency_compact", "bytes"}; slices.Contains(compact, name) && p.shortIsExact() {
		return func(v any) string {
			f, _ := cube.Float(v)
			return p.Env.Short(unit, f)
		}
	}
	if name == "bytes" {
		return func(v any) string {
			f, _ := cube.Float(v)
			return p.Env.WithUnit("%s B", p.Env.Number(f, decimals))
		}
	}
	if p.Spec.Log(dashboard.AxisX) { // neighbors differ by a factor, so each edge has as many decimals as it needs
		return func(v any) string {
			f, _ := cube.Float(v)
			return p.Env.Decimals(unit, f, decimalsOf(v))
		}
	}
	p.exact = unit != "minutes_seconds"
	return func(v any) string {
		f, _ := cube.Float(v)
		return p.Env.Decimals(unit, f, decimals)
	}
}

// shortIsExact reports whether the short texts of an axis show the edges without rounding. Compact texts have at least two digits in all
// languages.
func (p *histogramPanel) shortIsExact() bool {
	return !slices.ContainsFunc(p.bins.edges, func(e any) bool {
		r := encode.Rational(e)
		decimals, _ := r.FloatPrec()
		digits := strings.Replace(strings.TrimPrefix(r.FloatString(decimals), "-"), ".", "", 1)
		return len(strings.Trim(digits, "0")) > 2
	})
}

// tickNames returns the names of the edges under the bars, in one notation.
func (p *histogramPanel) tickNames() []string {
	out, digits := make([]string, len(p.bins.edges)), make([]string, len(p.bins.edges))
	exact := p.exact || p.shortIsExact() && format.OneLasts(p.col.Format) == 0 && (p.col.Role != dashboard.Dimension || p.col.Format != "")
	for i, e := range p.bins.edges {
		out[i] = p.write(e)
		d, ok := cube.Digits(e)
		digits[i], exact = d, exact && ok
	}
	if exact {
		return p.Env.Alike(p.col.Format, digits)
	}
	return out
}
