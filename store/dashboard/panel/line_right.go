package panel

import (
	"slices"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
	"service/store/dashboard/encode"
	"service/store/dashboard/format"
)

// joinRight adds the measures of the right axis to those of the left one.
func (p *Settings) joinRight() {
	if len(p.Spec.Y2) > 0 {
		p.without(func(spec *dashboard.Panel) { spec.Y = slices.Concat(spec.Y, spec.Y2) })
	}
}

// rightOf splits off the series on the right axis; right is nil without such series.
func (p *Settings) rightOf(s *split) (left, right *split) {
	n := len(s.series) - len(p.Spec.Y2)
	if n == len(s.series) {
		return s, nil
	}
	return s.part(0, n), s.part(n, len(s.series))
}

// breakBoth breaks the lines of both axes at missing periods.
func (p *Panel) breakBoth(all, left, right *split, stacked bool) {
	switch {
	case right == nil:
		p.breakLines(left, stacked)
	case stacked:
		p.breakLines(left, true)
		p.gapsOf(right).findGaps(right, false)
	default:
		p.breakLines(all, false)
		if n := len(left.series); all.broken != nil {
			left.broken, right.broken = all.broken[:n], all.broken[n:]
		}
	}
}

// addRight adds the right axis with its lines to a chart.
func (p *linePanel) addRight(h *chart.Chart, at []float64) {
	if p.right == nil || !p.right.any() {
		return
	}
	col := *p.right.series[0].col
	written := format.OrInteger(col)
	h.Right = &chart.Axis{
		Unit: unitOf(written), Near: 0.5, Min: p.Spec.RangeY2.Min, Max: p.Spec.RangeY2.Max,
		Write: p.Env.ticksOf(col, written),
	}
	names := func(s *split) (out string) {
		for _, se := range s.series {
			out = p.Env.and(out, se.name)
		}
		return out
	}
	h.Y.Name, h.Right.Name = p.Env.Head(*p.split.series[0].col, names(p.split)), p.Env.Head(col, names(p.right))
	lines := &chart.Lines{Lines: p.right.lines(at), Over: true, Dots: chart.LoneDots, Radius: 3.5}
	for i := range lines.Lines {
		lines.Lines[i].On = chart.AxisRight
	}
	h.Over = append(h.Over, lines)
}

// rightItems returns the items of the lines on the right in a legend, which name their axis.
func (p *linePanel) rightItems() []canvas.Item {
	if p.right == nil {
		return nil
	}
	var out []canvas.Item
	for _, se := range p.right.series {
		out = append(out, canvas.Item{Color: se.color, Line: true, Name: p.Env.Text("%s (right axis)", se.name)})
	}
	return out
}

// sayRight adds the names of the lines on the right to the summary, and reports values outside of their axis.
func (p *linePanel) sayRight() {
	if p.right == nil {
		return
	}
	names := ""
	for _, se := range p.right.series {
		names = p.Env.and(names, se.name)
	}
	p.Summary = p.Env.Text("Lines on the right axis: %s.", names) + " " + p.Summary
	p.noteRight(p.right, nil)
}

// noteZero reports that the right axis does not begin at zero, while the left one does.
func (p *Settings) noteZero(l *chart.Laid) {
	if l.Right != nil && (l.Axes[chart.AxisRight].Lo > 0 || l.Axes[chart.AxisRight].Hi < 0) {
		p.report(encode.Noted("The axis on the right does not begin at zero."))
	}
}

// noteRight reports how many values of lines are outside of the right axis. on has for each line whether it is on that axis; nil means that
// all are.
func (p *Settings) noteRight(lines *split, on []bool) {
	outside := 0
	for i := range lines.series {
		for x, v := range lines.value[i] {
			if lines.has(i, x) && (on == nil || on[i]) && p.Spec.RangeY2.Outside(v) {
				outside++
			}
		}
	}
	if outside == 0 {
		return
	}
	key := "y2_max"
	if p.Spec.RangeY2.Max == nil {
		key = "y2_min"
	}
	p.report(encode.Noted("Values outside the axis on the right: %s.", outside).
		Warned(dashboard.WarnClipped, key,
			"values that lie outside the axis on the right, and are cut off: %d; another y2_min or y2_max shows them.", outside))
}

// and adds a name to an enumeration of measures.
func (p *Env) and(to, name string) string {
	name = canvas.Clip(name, 60)
	if to == "" {
		return name
	}
	return p.Text("%s and %s", to, p.Inside(name))
}
