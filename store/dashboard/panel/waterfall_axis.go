package panel

import (
	"math"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/encode"
)

// smallSteps is the ratio of the largest total to the range of the steps from which on the steps would be slivers, so that the axis begins
// near them.
const smallSteps = 20

// findCut sets the beginning of the axis if the steps of the waterfall are small compared with its totals, unless the spec sets it.
func (w *waterfallPanel) findCut() {
	if r := w.Spec.Range[dashboard.AxisY]; r.Fixed() {
		return
	}
	steps, least, most := chart.NoExtremes(), math.Inf(1), 0.0
	for i := range w.bars {
		switch b := &w.bars[i]; {
		case b.exact == nil:
		case b.total:
			least, most = min(least, b.to), max(most, b.to)
		default:
			steps.Add(b.from)
			steps.Add(b.to)
		}
	}
	least = min(least, steps.Lo)
	if reach := steps.Hi - steps.Lo; reach > 0 && least > 0 && most > smallSteps*reach && !math.IsInf(most, 0) {
		step := stat.NiceStep(reach / 4)
		if from := (math.Floor(least/step) - 1) * step; from > 0 {
			w.cut = &from
		}
	}
}

// bounds returns the ends of the axis that the spec or small steps set.
func (w *waterfallPanel) bounds() (lo, hi *float64) {
	r := w.Spec.Range[dashboard.AxisY]
	if w.cut != nil {
		return w.cut, r.Max
	}
	return r.Min, r.Max
}

// noteRange reports where the axis begins, if not at zero, and the bars that it does not show. It returns false if it shows none.
func (w *waterfallPanel) noteRange() bool {
	var c census
	for i := range w.bars {
		if b := &w.bars[i]; b.exact != nil {
			c.count(&w.Settings, dashboard.AxisY, b.to)
		}
	}
	if lo, hi := w.bounds(); lo != nil && *lo > 0 || hi != nil && *hi < 0 {
		w.report(encode.Noted("The axis does not begin at zero, and bars are cut there."))
	}
	w.noteReferences(w.lines(), dashboard.AxisY)
	return w.noteHidden(c)
}

// lines returns the reference lines.
func (w *waterfallPanel) lines() []chart.Reference {
	return w.referencesOf(dashboard.AxisY, nil, w.col)
}

// marksTimes reports whether events are marked: the bars are vertical, along times.
func (w *waterfallPanel) marksTimes() bool { return w.times && !w.horizontal() }

// rowScale returns the function from values to positions on horizontal bars, as a fraction of their strip.
func (w *waterfallPanel) rowScale(refs []chart.Reference) func(v float64) float64 {
	lo, hi := w.lo, w.hi
	for _, r := range refs {
		from, to := r.Ends()
		for _, v := range [...]float64{from, to} {
			if !math.IsInf(v, 0) {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
	}
	from, to := w.bounds()
	if from != nil {
		lo = *from
	}
	if to != nil {
		hi = *to
	}
	if stat.Flat(lo, hi) {
		lo, hi = 0, 1
	}
	return func(v float64) float64 { return min(max(chart.Within(v, lo, hi), 0), 1) }
}

// drawRowCuts draws a gap in a horizontal bar that extends beyond an end of the axis.
func (w *waterfallPanel) drawRowCuts(c canvas.Canvas, b *flow) {
	lo, hi := w.bounds()
	from, to := min(b.from, b.to), max(b.from, b.to)
	if lo != nil && from < *lo && to > *lo {
		c.Line(canvas.Line{X1: canvas.Of(0.025), X2: canvas.Of(0.035), Y1: canvas.Of(1), Stroke: canvas.CutLine})
	}
	if hi != nil && to > *hi && from < *hi {
		c.Line(canvas.Line{X1: canvas.Of(0.965), X2: canvas.Of(0.975), Y1: canvas.Of(1), Stroke: canvas.CutLine})
	}
}
