package panel

import (
	"math"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
)

// findTargets takes the targets of the bars from the split, adds them and the reached shares of them to the table behind, and returns the
// sentence about them.
func (p *barPanel) findTargets() string {
	p.targets = p.split.targets(len(p.tones.limitNames()) + stat.One(p.Spec.Color != ""))
	return p.ofTargets(p.split, p.targets)
}

// targets returns the asides of a split that are targets: the first ones, of which others are the last.
func (s *split) targets(others int) []aside { return s.asides[:len(s.asides)-others] }

// ofTargets adds targets and the reached shares of them to the table behind, and returns the sentence about them.
func (p *Panel) ofTargets(s *split, targets []aside) string {
	says := ""
	for i := range targets {
		t := &targets[i]
		col := *t.col
		if t.series != ofAll && p.Spec.Series != "" {
			col.Label = s.series[t.series].name + " · " + col.Label
		}
		share := dashboard.Column{
			Column: cube.Column{Type: cube.Number}, Label: p.Env.Text("Share of %s", p.Env.Inside(col.Label)), Role: dashboard.Measure,
			Format: "percent1",
		}
		p.Grid.Columns = append(p.Grid.Columns, Column{Column: col}, Column{Column: share})
		reached, of := 0, 0
		for x := range s.x {
			var part any
			if v, ok := s.reached(t, x); ok && t.has(x) {
				// A period that is not over can still reach it, or exceed it, except what its sum exceeds already.
				if kept := s.keeps(t, v, t.value[x]); !s.isPartial(x) || kept != s.less(t) && p.isSum(s.series[max(t.series, 0)].col) {
					of++
					reached += stat.One(kept)
				}
				if t.value[x] > 0 {
					part = v / t.value[x]
				}
			}
			p.Grid.Rows[x] = append(p.Grid.Rows[x], t.exact[x], part)
		}
		if of > 0 {
			says += " " + p.Env.Text(when(s.less(t), "%s: %s of %s within it.", "%s: %s of %s reached."),
				canvas.Clip(col.Label, 60), p.Env.Number(float64(reached), 0), p.Env.Number(float64(of), 0))
		}
	}
	return says
}

// less reports whether a value up to the target is good.
func (s *split) less(t *aside) bool { return s.series[max(t.series, 0)].col.Good == "down" }

// keeps reports whether a value is as good as its target.
func (s *split) keeps(t *aside, v, target float64) bool {
	const slack = 1e-12 // of the target: sums of decimal fractions are not exact
	if s.less(t) {
		return v <= target+slack*math.Abs(target)
	}
	return v >= target-slack*math.Abs(target)
}

// reached returns the value of the series or of the stack that has a target at a place.
func (s *split) reached(t *aside, x int) (v float64, ok bool) {
	for i := range s.series {
		if (t.series == ofAll || t.series == i) && s.has(i, x) {
			v, ok = v+s.value[i][x], true
		}
	}
	return v, ok
}

// eachTarget calls f for each value of a target.
func (p *barPanel) eachTarget(f func(target, x int, v float64)) {
	for i := range p.targets {
		for x, v := range p.targets[i].value {
			if p.targets[i].has(x) {
				f(i, x, v)
			}
		}
	}
}

// targetLines returns the items of targets in a legend: one for each measure, even if it has a target for each series.
func targetLines(targets []aside) []chart.Reference {
	var out []chart.Reference
	for i := range targets {
		if i == 0 || targets[i].col != targets[i-1].col {
			out = append(out, chart.Reference{Text: targets[i].col.Label, Tone: "neutral", Target: true})
		}
	}
	return out
}

// highestTarget returns the largest target, or -Inf for bars without targets.
func (p *barPanel) highestTarget() float64 {
	most := math.Inf(-1)
	p.eachTarget(func(_, _ int, v float64) { most = max(most, v) })
	return most
}

// targetsByRow returns the targets within the axis, by place.
func (p *barPanel) targetsByRow() [][]chart.RowTarget {
	out := make([][]chart.RowTarget, len(p.split.x))
	p.eachTarget(func(i, x int, v float64) {
		if p.drawn(dashboard.AxisY, v) {
			out[x] = append(out[x], chart.RowTarget{Series: max(p.targets[i].series, 0), Value: v})
		}
	})
	return out
}

// targetLayer returns the targets as marks across vertical bars, or nil for bars without targets.
func (p *barPanel) targetLayer() []chart.Layer {
	if len(p.targets) == 0 {
		return nil
	}
	s, out := p.split, chart.Targets{}
	p.eachTarget(func(i, x int, v float64) {
		series := p.targets[i].series
		beside := series != ofAll && p.beside()
		left, width := s.barPlace(&p.slots, max(series, 0), x, beside)
		over := 0.0
		if !beside {
			over = min(width/10, (p.slots.Band-width)/2)
		}
		out = append(out, chart.Target{X1: left - over, X2: left + width + over, Value: v})
	})
	return []chart.Layer{out}
}
