package panel

import (
	"math"
	"slices"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
	"service/store/dashboard/locale"
)

// sparkPoints is the maximum number of points of a sparkline, before times are rounded down.
const sparkPoints = 120

// sparkline computes the small line under the number, and adds its periods to the sentence. It sets no line if there would be fewer than
// two points.
func (p *kpiPanel) sparkline(q cube.Query) {
	m, col := q.Measures[0], p.Data.Column(p.Spec.Sparkline)
	grain, span := p.grain(p.Spec.Sparkline, sparkPoints, encode.Additive(m))
	if span == (cube.Span{}) {
		return
	}
	q.By = []cube.Dim{{Column: p.Spec.Sparkline, Grain: grain, Week: p.Env.week, Zone: p.Env.Zone}}
	g := p.Data.Group(p.Data.Rows, q)
	if p.Data.Env.Unclear(g, 0) != "" || !encode.Additive(m) && g.Len() > 400 {
		p.report(encode.Warned(dashboard.WarnLeftOut, "sparkline",
			"there is no small line, for it would have too many points, or merge rows of a measure of which nothing says how it adds up: "+
				"declare its agg."))
		return
	}
	at, vs := make([]time.Time, 0, g.Len()), make([]float64, 0, g.Len())
	axis := &split{grain: grain, span: span, time: true, x: make([]cube.Category, 0, g.Len())}
	for i := range g.Len() {
		c := g.Category(i, 0)
		if t, isTime := c.Value.(time.Time); isTime {
			v, ok := g.Value(i, 0)
			if !ok {
				v = math.NaN()
			}
			at, vs, axis.x = append(at, t), append(vs, v), append(axis.x, c)
		}
	}
	// A week or month that has just begun would end the line in a fall that did not happen.
	step := axis.regular()
	if step == cube.Exact && !span.Clock {
		step = cube.Daily
	}
	why := locale.Key("") // the reason why the last period is incomplete
	if c := p.cutter(*col, step, grain != cube.Exact); c != nil && p.Spec.Partial != "show" {
		at, vs, why = p.withoutPartial(c, at, vs)
	}
	var ends time.Time
	if len(at) > 0 {
		ends = at[len(at)-1]
	}
	at, vs, broken := p.sparkGaps(*col, step, at, vs, q.Measures)
	if len(vs) < 2 {
		advice := ""
		if g := p.Spec.Grain; g != "" && g != "auto" {
			advice = ", or a finer grain has more"
		}
		p.report(encode.Warned(dashboard.WarnLeftOut, "sparkline",
			`there is no small line, because it needs two complete periods, and the rows have %d of them; "partial": "show" draws others too%s.`,
			len(vs), advice))
		return
	}
	if !at[len(at)-1].Equal(ends) { // the last period has no value
		why = ""
	}
	p.open = why != ""
	p.nameLine(*col, axis.grain, at, why)
	lo, hi := slices.Min(vs), slices.Max(vs)
	y := func(v float64) int {
		if stat.Flat(lo, hi) {
			return 500
		}
		return int(950 - chart.Within(v, lo, hi)*900 + 0.5)
	}
	p.line = make([]canvas.Point, len(vs))
	for i, v := range vs {
		p.line[i] = canvas.Point{X: int(between(at[i], at[0], at[len(at)-1])*1000 + 0.5), Y: y(v), Broken: broken[i]}
	}
	p.warnOfGrain(span)
}

// withoutPartial removes incomplete periods from the times and values of a line. A stock keeps them unless the spec hides them, because its
// number is the value of the last period; then the reason why that one is incomplete is returned.
func (p *kpiPanel) withoutPartial(c *cutter, at []time.Time, vs []float64) ([]time.Time, []float64, locale.Key) {
	if p.Data.Level(&p.col) && p.Spec.Partial != "hide" {
		if len(at) == 0 {
			return at, vs, ""
		}
		why, _, _ := c.why(at[len(at)-1])
		return at, vs, why
	}
	n := 0
	for i := range at {
		if why, _, _ := c.why(at[i]); why == "" {
			at[n], vs[n] = at[i], vs[i]
			n++
		}
	}
	if n < len(at) && p.Spec.Partial == "" && (p.period == nil || p.period.running == "") { // warnOfPeriod has reported the running one
		p.report(encode.Warned(dashboard.WarnIncomplete, "partial",
			"the sparkline is without periods that are not complete; show draws them too."))
	}
	return at[:n], vs[:n], ""
}

// nameLine adds the first and the last period of the line to the sentence and, if the last one is incomplete, the reason.
func (p *kpiPanel) nameLine(col dashboard.Column, grain cube.Grain, at []time.Time, why locale.Key) {
	name := func(t time.Time) string { return p.Env.Cell(col, grain, cube.Category{Value: t}) }
	from, to := name(at[0]), name(at[len(at)-1])
	if why == "" {
		p.Summary += " " + p.Env.Text("Small line: %s – %s.", from, to)
		return
	}
	p.Summary += " " + p.Env.Text("Small line: %s – %s (%s).", from, to, p.Env.Text(why))
}
