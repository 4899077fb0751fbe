package panel

import (
	"slices"

	"service/store/dashboard"
	"service/store/dashboard/chart"
)

// A line has the target of a measure as marks, one at each place: from the middle between the place and the one before to the middle
// between it and the next one. So a target that changes by month is a staircase. A mark does not reach into a gap between places.

// findTarget takes the target of the line from the split, adds it and the reached share of it to the table behind, and returns the sentence
// about it.
func (p *linePanel) findTarget() string {
	if len(p.Spec.Targets) == 0 || len(p.split.asides) == 0 {
		return ""
	}
	p.targets = p.split.asides[:1]
	return p.ofTargets(p.split, p.targets)
}

// bandEnds returns the low and the high end of the band; ok is false for a line without one.
func (p *linePanel) bandEnds() (low, high *aside, ok bool) {
	from := len(p.Spec.Targets)
	if p.Spec.Band == nil || len(p.split.asides) < from+2 {
		return nil, nil, false
	}
	return &p.split.asides[from], &p.split.asides[from+1], true
}

// eachTarget calls f for each value of the target that the axis can show.
func (p *linePanel) eachTarget(f func(x int, v float64)) {
	for i := range p.targets {
		for x, v := range p.targets[i].value {
			if p.targets[i].has(x) && p.onLog(dashboard.AxisY, v) {
				f(x, v)
			}
		}
	}
}

// unevenMonths is how much longer than half of the times between neighbours others of the same step can be: 31 days after 28, and more.
const unevenMonths = 1.25

// targetLayer returns the target as marks around places of the axis, or nil for a line without one.
func (p *linePanel) targetLayer(at []float64) []chart.Layer {
	if p.targets == nil {
		return nil
	}
	var out chart.Targets
	var steps []float64
	for x := range at[min(1, len(at)):] {
		steps = append(steps, at[x+1]-at[x])
	}
	slices.Sort(steps)
	half := 1.0 // at most, of a mark
	if n := len(steps); n > 0 {
		half = unevenMonths * steps[n/2] / 2
	}
	p.eachTarget(func(x int, v float64) {
		before, after := at[x], 1-at[x] // to the edges of the plot
		if x > 0 {
			before = (at[x] - at[x-1]) / 2
		}
		if x < len(at)-1 {
			after = (at[x+1] - at[x]) / 2
		}
		out = append(out, chart.Target{X1: at[x] - min(before, half), X2: at[x] + min(after, half), Value: v})
	})
	return []chart.Layer{out}
}
