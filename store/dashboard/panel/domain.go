package panel

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

// A domain is the range of values of a colour scale in heat maps, calendars, maps, treemaps, pivots and table columns. The scale runs from
// pale at lo to dark at hi; in a diverging domain, from pale at the middle to dark at both ends.
type domain struct {
	lo, hi    float64
	bounds    []float64  // upper bounds of all steps but the last, if steps differ in width; otherwise nil
	hue       canvas.Hue // only if the domain does not diverge
	reverse   bool       // the dark end is at lo
	log       bool       // zero and below have no colour but gray
	fixed     bool       // the spec sets an end
	diverging bool
	middle    float64     // of one that diverges
	sides     [2]rampSide // colours below and above the middle, if the domain diverges
	oneSided  bool        // all values are on the same side of the middle

	under, over, gray, shown int // numbers of drawn values: below lo (under), above hi (over), without a colour (gray), in total (shown)
}

// farEnough is the minimum fraction of the range that must be on each side of zero for a domain to diverge by default. With less, about
// half of the colours would be unused.
const farEnough = 0.1

// quantileSteps is the number of quantiles.
const quantileSteps = 5

// domain returns the domain of a column's values with the ramp r, or with the column's own colour if r is nil.
func (p *Env) domain(c *dashboard.Column, r *dashboard.Ramp, values []float64) domain {
	return domainOf(c, r, ownHue(p.Spec, c.Name), values)
}

// domainOf is like [Env.domain]; own is the hue that is used if the ramp does not name one.
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
		ends = chart.Extremes{} // no value has a colour
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

// bothWays reports whether at least farEnough of the range lo to hi is on each side of zero.
func bothWays(lo, hi float64) bool {
	return lo < 0 && hi > 0 && min(-lo, hi)/2 >= farEnough*(hi/2-lo/2)
}

// diverge makes d a diverging domain. Unless the spec sets both ends, they are equally far from the middle.
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

// logBounds returns bounds whose ratios are equal, rounded if the rounded bounds still ascend. It returns nil if lo is not positive or
// equals hi.
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

// quantileBounds returns the bounds of five steps with equal numbers of values, or of fewer steps if many values are equal. Each bound is
// the number with the fewest digits between two neighbouring values.
func quantileBounds(values []float64) []float64 {
	sorted := slices.Sorted(slices.Values(values))
	var out []float64
	for step := 1; step < quantileSteps; step++ {
		i := len(sorted) * step / quantileSteps
		if i == 0 {
			continue
		}
		for i < len(sorted) && sorted[i] == sorted[i-1] { // equal values have one colour
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

// roundBetween returns the number with the fewest digits that is above lo, and at most hi.
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

// count sets under, over, gray and shown.
func (d *domain) count(values []float64) {
	d.under, d.over, d.gray, d.shown = 0, 0, 0, len(values)
	for _, v := range values {
		switch {
		case d.log && v <= 0:
			d.gray++
		case v >= d.lo && v <= d.hi, !d.fixed && (nearlyEqual(v, d.lo) || nearlyEqual(v, d.hi)):
		case v < d.lo:
			d.under++
		default:
			d.over++
		}
	}
}

// nearlyEqual reports whether two numbers differ only by rounding errors. Sums of the same numbers in another order differ in this way.
func nearlyEqual(a, b float64) bool { return math.Abs(a-b) <= 1e-12*max(math.Abs(a), math.Abs(b)) }

// place returns the position of a value in the domain, from 0 to 1, clamped to the ends. If the domain is a single value, that value is at
// 0.5.
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

// color returns the colour of v; values that a logarithmic scale cannot show get [canvas.NoLogColor].
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
	step := 0 // counted from the middle outwards, on both sides
	if !stat.Flat(min(d.middle, end), max(d.middle, end)) {
		step = min(int(min(max(chart.Within(v, d.middle, end), 0), 1)*canvas.SignSteps), canvas.SignSteps-1)
	}
	if above {
		return d.sides[1].color(step)
	}
	return d.sides[0].color(step)
}

// steps returns the number of colours of a domain.
func (d *domain) steps() int {
	switch {
	case d.bounds != nil:
		return len(d.bounds) + 1
	case d.diverging:
		return 2 * canvas.SignSteps
	}
	return canvas.HeatSteps
}

// stepColor returns the colour of a step; step 0 has the lowest values.
func (d *domain) stepColor(step int) canvas.Color {
	switch {
	case d.diverging && step < canvas.SignSteps:
		return d.sides[0].color(canvas.SignSteps - 1 - step)
	case d.diverging:
		return d.sides[1].color(step - canvas.SignSteps)
	case d.reverse: // with fewer than HeatSteps steps, only the darkest colours are used
		return d.hue.Step(canvas.HeatSteps - 1 - step)
	}
	return d.hue.Step(canvas.HeatSteps - d.steps() + step)
}

// key returns the legend of a domain of a column.
func (p *Env) key(d *domain, col *dashboard.Column) canvas.Ramp {
	var out canvas.Ramp
	values, middle := append(append([]float64{d.lo}, d.bounds...), d.hi), -1
	if d.diverging {
		middle, values = len(values), append(values, d.middle)
	}
	bounds := len(d.bounds)
	texts := p.Legend(*col, values, func(i int) bool { return i == 0 || i > bounds })
	from, to := texts[0], texts[bounds+1]
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
	for i := range d.bounds {
		out.Texts[i+1] = texts[i+1]
	}
	if middle >= 0 {
		out.Texts[canvas.SignSteps] = texts[middle]
	}
	out.Texts[0], out.Texts[len(out.Colors)] = from, to
	return out
}

// keepsDomain reports whether the colours of a measure have the domain of all rows, regardless of filters: this is so for ratios, means and
// extremes, whose colours then stay comparable. Sums and stocks grow with the number of rows, so their domain is computed from the shown
// rows.
func (p *Rows) keepsDomain(m cube.Measure) bool {
	return (m.Over != nil || m.Agg != cube.Sum && !m.Agg.IsStock()) && len(p.Data.Rows) < len(p.Data.EveryRow())
}

// kept returns a domain of all rows, with the counts of the drawn values.
func (d domain) kept(values []float64) domain {
	d.count(values)
	return d
}

// sayRamp adds a note for readers if the legend does not explain the colours, and a warning for the author if the ramp has mistakes. key is
// the key of the spec that has the ramp.
func (p *Settings) sayRamp(d *domain, r *dashboard.Ramp, key string) {
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
			Warned(dashboard.WarnLeftOut, key, "%d {value is|values are} zero or less, which a logarithmic scale cannot show, "+
				"and {is|are} gray.", d.gray))
	}
	if beyond := d.under + d.over; d.fixed && 2*beyond > d.shown {
		p.report(encode.Warned(dashboard.WarnClipped, key,
			"%d of %d values {is|are} below min or above max, and {has|have} the colours of the ends.", beyond, d.shown))
	}
	if d.diverging && r.Middle == nil && r.Diverging() && d.oneSided {
		p.report(encode.Warned(dashboard.WarnDoubtful, key,
			`all values are on one side of 0, the middle of "%s", so one of its two colours is not used; set "middle".`, r.Name))
	}
}

// unfiltered computes the panel over all rows that the reader may see. Times are grouped by grain unless grain is [cube.Exact]. It discards
// notes and warnings, and returns nil if the panel has a problem. The groups do not count toward the page's limit, because otherwise
// setting a filter would lower that limit for the rest of the page.
func (p *Rows) unfiltered(grain cube.Grain) Content {
	data := *p.Data
	data.Rows, data.Spent = data.EveryRow(), &p.Env.spentUnfiltered
	return p.over(&data, *p.Spec, grain)
}

// over computes the panel with another spec over other rows. Times are grouped by grain unless grain is [cube.Exact]. It discards notes and
// warnings, and returns nil if the panel has a problem.
func (p *Settings) over(data *encode.Dataset, spec dashboard.Panel, grain cube.Grain) Content {
	if grain != cube.Exact {
		spec.Grain = string(grain)
	}
	all := &Panel{Rows: Rows{Data: data, Settings: Settings{
		Figure: p.Figure, Env: p.Env, Spec: &spec, Index: p.Index, Title: p.Title, Columns: p.Columns,
	}}}
	if out := all.contentOf(); all.Problem == "" {
		return out
	}
	return nil
}
