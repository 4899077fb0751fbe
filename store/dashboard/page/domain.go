package page

import (
	"math"
	"slices"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
)

// A domain is the values for which the colors of cells stand, in heat maps, calendars, maps,
// treemaps, pivots and columns of tables. The colors go from a pale one at lo to a dark one at hi or, where
// the domain diverges, from the middle both ways.
type domain struct {
	lo, hi    float64
	bounds    []float64  // between the steps, where these are not equally wide; else nil
	hue       canvas.Hue // of one that does not diverge
	reverse   bool       // the dark end is at lo
	log       bool       // zero and below have no color but gray
	fixed     bool       // the spec sets an end
	diverging bool
	middle    float64     // of one that diverges
	sides     [2]rampSide // then: below the middle, and above it
	oneSided  bool        // no value is on one of the two sides

	under, over, gray, shown int // of the values that are drawn: below lo, above hi, without a color, and all
}

// farEnough is which part of a range has to lie on either side of zero for a domain to diverge by itself:
// with a few values beyond zero, half of the colors would stand for nothing.
const farEnough = 0.1

// quantileSteps is the number of steps with as many values each.
const quantileSteps = 5

// domain is the domain of values of a column in the colors that the spec describes, or nil for its own.
func (p *panel) domain(c *dashboard.Column, r *dashboard.Ramp, values []float64) domain {
	return domainOf(c, r, ownHue(p.env.Spec, c.Name), values)
}

// domainOf is the domain of values of a column, whose own color is a hue.
func domainOf(c *dashboard.Column, r *dashboard.Ramp, own canvas.Hue, values []float64) domain {
	if r == nil {
		r = &dashboard.Ramp{}
	}
	d := domain{hue: own, reverse: r.Reverse, log: r.Scale == dashboard.RampLog, fixed: r.Bounded()}
	if slices.Contains(dashboard.Ramps, r.Name) {
		d.hue = hueNamed(r.Name)
	}
	ends := chart.NoExtremes()
	for _, v := range values {
		if !d.log || v > 0 {
			ends.Add(v)
		}
	}
	if ends.Lo > ends.Hi {
		ends = chart.Extremes{} // no value has a color
	}
	if d.lo, d.hi = ends.Lo, ends.Hi; r.Min != nil {
		d.lo = *r.Min
		d.hi = max(d.hi, d.lo)
	}
	if r.Max != nil {
		d.hi = *r.Max
		d.lo = min(d.lo, d.hi)
	}
	switch byItself := r.Name == "" && !r.Steps() && bothWays(d.lo, d.hi); {
	case r.Diverging(), byItself:
		d.diverge(c, r)
	case d.log:
		d.bounds = logBounds(d.lo, d.hi)
	case r.Scale == dashboard.RampQuantile:
		d.bounds = quantileBounds(values)
	}
	d.count(values)
	return d
}

// bothWays reports whether each side of zero has enough of a range for colors of its own.
func bothWays(lo, hi float64) bool {
	return lo < 0 && hi > 0 && min(-lo, hi)/2 >= farEnough*(hi/2-lo/2)
}

// diverge has the colors go both ways from the middle: equally far, unless the spec sets both ends.
func (d *domain) diverge(c *dashboard.Column, r *dashboard.Ramp) {
	lo, hi := d.lo, d.hi
	d.diverging, d.sides = true, sidesOf(sidesNamed(r), d.hue)
	if r.Middle != nil {
		d.middle = *r.Middle
	}
	if (c.Good == "up") != r.Reverse {
		d.sides[0], d.sides[1] = d.sides[1], d.sides[0]
	}
	m := d.middle
	d.oneSided = lo < hi && (lo >= m || hi <= m)
	switch {
	case r.Min != nil && r.Max != nil:
	case r.Min != nil:
		d.hi = m - (d.lo - m)
	case r.Max != nil:
		d.lo = m - (d.hi - m)
	default:
		far := max(m-d.lo, d.hi-m)
		d.lo, d.hi = m-far, m+far
	}
}

// logBounds are the bounds of steps of equal factors, as round as they can be.
func logBounds(lo, hi float64) []float64 {
	if lo <= 0 || stat.Flat(lo, hi) {
		return nil
	}
	exact, round := make([]float64, canvas.HeatSteps-1), make([]float64, canvas.HeatSteps-1)
	from, far := math.Log(lo), math.Log(hi)-math.Log(lo)
	before, ascending := lo, true
	for i := range exact {
		exact[i] = math.Exp(from + far*float64(i+1)/canvas.HeatSteps)
		round[i] = rounded(exact[i])
		ascending = ascending && round[i] > before && round[i] < hi
		before = round[i]
	}
	if ascending {
		return round
	}
	return exact
}

// quantileBounds are the bounds of five steps with as many values each, or of fewer where many values are equal:
// between two values that are there, as round as they can be.
func quantileBounds(values []float64) []float64 {
	sorted := slices.Sorted(slices.Values(values))
	var out []float64
	for step := 1; step < quantileSteps; step++ {
		i := len(sorted) * step / quantileSteps
		if i == 0 {
			continue
		}
		for i < len(sorted) && sorted[i] == sorted[i-1] { // equal values have one color
			i++
		}
		if i == len(sorted) {
			break
		}
		bound := roundBetween(sorted[i-1], sorted[i])
		if len(out) == 0 || bound > out[len(out)-1] {
			out = append(out, bound)
		}
	}
	return out
}

// roundBetween is the number with the fewest digits that is above lo, and at most hi.
func roundBetween(lo, hi float64) float64 {
	for digits := range 15 {
		for _, v := range [...]float64{hi, lo/2 + hi/2} {
			if r := roundedTo(v, digits); r > lo && r <= hi {
				return r
			}
		}
	}
	return hi
}

// count counts the values that are drawn, and those of them that are beyond the domain.
func (d *domain) count(values []float64) {
	d.under, d.over, d.gray, d.shown = 0, 0, 0, len(values)
	for _, v := range values {
		switch {
		case d.log && v <= 0:
			d.gray++
		case !d.fixed:
		case v < d.lo:
			d.under++
		case v > d.hi:
			d.over++
		}
	}
}

// place is where a value is in the domain, from 0 to 1. A value beyond the domain is at its end,
// and where the domain is a single value, that is in the middle.
func (d *domain) place(v float64) float64 {
	switch {
	case !stat.Flat(d.lo, d.hi):
		return min(max(chart.Within(v, d.lo, d.hi), 0), 1)
	case d.fixed && v < d.lo:
		return 0
	case d.fixed && v > d.hi:
		return 1
	}
	return 0.5
}

// color is the color of a value.
func (d *domain) color(v float64) canvas.Color {
	switch {
	case d.log && v <= 0:
		return canvas.NoLogColor
	case d.bounds != nil:
		step := 0
		for step < len(d.bounds) && v >= d.bounds[step] {
			step++
		}
		return d.stepColor(step)
	case !d.diverging:
		return d.stepColor(min(int(d.place(v)*canvas.HeatSteps), canvas.HeatSteps-1))
	}
	end, above := d.lo, v >= d.middle
	if above {
		end = d.hi
	}
	step := 0 // from the middle on: the two sides mirror each other
	if !stat.Flat(min(d.middle, end), max(d.middle, end)) {
		step = min(int(min(max(chart.Within(v, d.middle, end), 0), 1)*canvas.SignSteps), canvas.SignSteps-1)
	}
	if above {
		return d.sides[1].color(step)
	}
	return d.sides[0].color(step)
}

// steps is how many colors a domain has.
func (d *domain) steps() int {
	switch {
	case d.bounds != nil:
		return len(d.bounds) + 1
	case d.diverging:
		return 2 * canvas.SignSteps
	}
	return canvas.HeatSteps
}

// stepColor is the color of a step, from 0 on at the lowest values.
func (d *domain) stepColor(step int) canvas.Color {
	switch {
	case d.diverging && step < canvas.SignSteps:
		return d.sides[0].color(canvas.SignSteps - 1 - step)
	case d.diverging:
		return d.sides[1].color(step - canvas.SignSteps)
	case d.reverse: // the darkest ones, of fewer steps
		return d.hue.Step(canvas.HeatSteps - 1 - step)
	}
	return d.hue.Step(canvas.HeatSteps - d.steps() + step)
}

// key is the legend of a domain of a column.
func (p *env) key(d *domain, col *dashboard.Column) canvas.Ramp {
	var out canvas.Ramp
	from, to := p.Ends(*col, d.lo, d.hi)
	if d.under > 0 {
		from = "≤ " + from
	}
	if d.over > 0 {
		to = "≥ " + to
	}
	if d.bounds == nil && !d.diverging && stat.Flat(d.lo, d.hi) {
		of := d.lo
		switch {
		case d.over > d.under:
			from, of = to, math.Inf(1)
		case d.under > 0:
			of = math.Inf(-1)
		}
		return canvas.Ramp{Colors: []canvas.Color{d.color(of)}, Texts: []string{from, ""}}
	}
	for i := range d.steps() {
		out.Colors = append(out.Colors, d.stepColor(i))
	}
	out.Texts = make([]string, len(out.Colors)+1)
	for i, b := range d.bounds {
		out.Texts[i+1] = p.Brief(*col, b)
	}
	if d.diverging {
		out.Texts[canvas.SignSteps] = p.AsSaid(*col, d.middle)
	}
	out.Texts[0], out.Texts[len(out.Colors)] = from, to
	return out
}

// keepsDomain reports whether the colors of a measure have the domain of all rows, whatever a
// reader filters: a ratio, a mean or an extreme is then as dark as before. Sums and stocks grow with
// the rows, so their domain is of the rows that are shown.
func (p *panel) keepsDomain(m cube.Measure) bool {
	return (m.Over != nil || m.Agg != cube.Sum && !m.Agg.IsStock()) && len(p.data.Rows) < p.data.Cube.Rows()
}

// kept is a domain of all rows, with the counts of the values that are drawn.
func (d domain) kept(values []float64) domain {
	d.count(values)
	return d
}

// sayRamp tells readers what the colors of a domain stand for where the legend does not, and the author what is odd in it. key is
// where the spec has the ramp.
func (p *panel) sayRamp(d *domain, r *dashboard.Ramp, key string) {
	switch {
	case r == nil:
		return
	case r.Scale == dashboard.RampQuantile:
		p.report(encode.Noted("Each color has about as many values."))
	case d.log:
		p.report(encode.Noted("The colors have a logarithmic scale."))
	}
	if d.gray > 0 {
		p.report(encode.NotedCount(d.gray, "%d value is zero or less, and gray.", "%d values are zero or less, and gray.").
			Warned(dashboard.WarnLeftOut, key, "%d values are zero or less, which a logarithmic scale does not have, and are gray.", d.gray))
	}
	if beyond := d.under + d.over; 2*beyond > d.shown {
		p.report(encode.Warned(dashboard.WarnClipped, key,
			"%d of %d values are beyond its min and max, and have the colours of the ends.", beyond, d.shown))
	}
	if d.diverging && r.Middle == nil && r.Diverging() && d.oneSided {
		p.report(encode.Warned(dashboard.WarnDoubtful, key,
			`all values are on one side of 0, the middle of "%s", so one of its two colours stands for nothing; write "middle".`, r.Name))
	}
}

// unfiltered works the panel out over all rows that the reader may see, by a grain if that is not
// [cube.Exact]. Its notes and warnings are lost. It is nil where it has no content. Its groups do not
// count among those of the page, so that a filter does not leave less room for these than the page has without one.
func (p *panel) unfiltered(grain cube.Grain) content {
	data, spec := *p.data, *p.spec
	data.Rows, data.Spent = data.EveryRow(), &p.env.spentUnfiltered
	if grain != cube.Exact {
		spec.Grain = string(grain)
	}
	all := &panel{env: p.env, spec: &spec, data: &data, figure: p.figure, index: p.index, columns: p.columns, title: p.title}
	if out := all.summarise(all); all.problem == "" {
		return out
	}
	return nil
}
