package page

import (
	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
)

// A domain is the values for which the colors of cells stand, in heat maps, calendars, maps,
// pivots and columns of tables. The colors go from a pale one at lo to a dark one at hi or, where
// the domain diverges, from the middle both ways, equally far.
type domain struct {
	lo, hi    float64
	bounds    []float64 // between the steps, where these are not equally wide; else nil
	diverging bool
	middle    float64 // of one that diverges
	coldHigh  bool    // blue is above the middle, and not below it
}

// farEnough is which part of a range has to lie on either side of zero for a domain to diverge:
// with a few values beyond zero, half of the colors would stand for nothing.
const farEnough = 0.1

// domainOf is the domain of the values of a column from lo to hi.
func domainOf(c *dashboard.Column, lo, hi float64) domain {
	d := domain{lo: lo, hi: hi, coldHigh: c.Good == "up"}
	if span := hi/2 - lo/2; lo < 0 && hi > 0 && min(-lo, hi)/2 >= farEnough*span {
		d.diverging = true
		d.hi = max(-lo, hi)
		d.lo = -d.hi
	}
	return d
}

// place is where a value is in the domain, from 0 to 1. A value beyond the domain is at its end,
// and where the domain is a single value, that is in the middle.
func (d *domain) place(v float64) float64 {
	if stat.Flat(d.lo, d.hi) {
		return 0.5
	}
	return min(max(within(v, d.lo, d.hi), 0), 1)
}

// color is the color of a value.
func (d *domain) color(v float64) canvas.Color {
	if d.bounds != nil {
		step := 0
		for step < len(d.bounds) && v >= d.bounds[step] {
			step++
		}
		return d.stepColor(step)
	}
	steps := canvas.HeatSteps
	if d.diverging {
		steps = 2 * canvas.SignSteps
	}
	at := d.place(v)
	step := min(int(at*float64(steps)), steps-1)
	if below := v < d.middle; d.diverging && below { // the two sides mirror each other
		step = canvas.SignSteps - 1 - min(int((1-2*at)*canvas.SignSteps), canvas.SignSteps-1)
	}
	return d.stepColor(step)
}

// stepColor is the color of a step, from 0 on at the lowest values.
func (d *domain) stepColor(step int) canvas.Color {
	switch {
	case d.bounds != nil: // the darkest ones, of fewer steps
		return canvas.HeatColor + canvas.Color(step+canvas.HeatSteps-1-len(d.bounds))
	case !d.diverging:
		return canvas.HeatColor + canvas.Color(step)
	}
	beyond := step - canvas.SignSteps // from 0 on above the middle, from -1 on below it
	above := beyond >= 0
	if !above {
		beyond = -1 - beyond
	}
	if above == d.coldHigh {
		return coldColors[beyond]
	}
	return canvas.HeatColor + canvas.HeatSteps + canvas.Color(beyond)
}

// coldColors are the blues of one side of a domain that diverges, from the middle on.
var coldColors = [canvas.SignSteps]canvas.Color{canvas.HeatColor + 1, canvas.HeatColor + 2, canvas.HeatColor + 4, canvas.HeatColor + 6}

// key is the legend of a domain of a column.
func (p *page) key(d *domain, col *dashboard.Column) canvas.Ramp {
	var out canvas.Ramp
	from, to := p.Ends(*col, d.lo, d.hi)
	switch {
	case d.bounds != nil:
		for i := range len(d.bounds) + 1 {
			out.Colors = append(out.Colors, d.stepColor(i))
		}
		out.Texts = p.boundTexts(d, col)
		return out
	case d.diverging:
		for i := range 2 * canvas.SignSteps {
			out.Colors = append(out.Colors, d.stepColor(i))
		}
		out.Texts = make([]string, len(out.Colors)+1)
		out.Texts[canvas.SignSteps] = p.AsSaid(*col, d.middle)
	case stat.Flat(d.lo, d.hi):
		return canvas.Ramp{Colors: []canvas.Color{d.color(d.lo)}, Texts: []string{from, ""}}
	default:
		for i := range canvas.HeatSteps {
			out.Colors = append(out.Colors, d.stepColor(i))
		}
		out.Texts = make([]string, len(out.Colors)+1)
	}
	out.Texts[0], out.Texts[len(out.Colors)] = from, to
	return out
}

// boundTexts are the ends of steps that are not equally wide.
func (p *page) boundTexts(d *domain, col *dashboard.Column) []string {
	out := []string{p.AsSaid(*col, d.lo)}
	for _, b := range d.bounds {
		out = append(out, p.Brief(*col, b))
	}
	return append(out, p.AsSaid(*col, d.hi))
}

// keepsDomain reports whether the colors of a measure have the domain of all rows, whatever a
// reader filters: a ratio, a mean or an extreme is then as dark as before. Sums and stocks grow with
// the rows, so their domain is of the rows that are shown.
func (p *panel) keepsDomain(m cube.Measure) bool {
	return (m.Over != nil || m.Agg != cube.Sum && !m.Agg.IsStock()) && len(p.data.Rows) < p.data.Cube.Rows()
}

// unfiltered works the panel out over all rows that the reader may see, by a grain if that is not
// [cube.Exact]. Its notes and warnings are lost. It is nil where it has no content. Its groups do not
// count among those of the page, so that a filter does not leave less room for these than the page has without one.
func (p *panel) unfiltered(grain cube.Grain) content {
	data, spec := *p.data, *p.spec
	data.Rows, data.Spent = data.EveryRow(), &p.page.spentUnfiltered
	if grain != cube.Exact {
		spec.Grain = string(grain)
	}
	all := &panel{page: p.page, spec: &spec, data: &data, figure: p.figure, index: p.index, columns: p.columns, title: p.title}
	if out := all.summarise(all); all.problem == "" {
		return out
	}
	return nil
}
