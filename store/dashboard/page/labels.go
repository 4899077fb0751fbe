package page

import (
	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
	"service/store/dashboard/encode"
	"service/store/dashboard/format"
)

// The values that are written at the marks of a plot. They lie on no mark, line or
// other text: what has no room is not written.

// labelled reports whether the spec asks for values.
func (p *panel) labelled() bool { return p.spec.Labels != nil && *p.spec.Labels }

// noteLabels says that values are not written that the spec asks for.
func (p *panel) noteLabels(t chart.PlacedValues) {
	if t.Left == [3]int{} {
		return
	}
	p.report(encode.Noted("Values are written where there is room."))
	wide := 0 // which width the panel has on a desktop
	switch w := p.inside(); {
	case w > canvas.DesktopInside:
		wide = 2
	case w > canvas.TabletInside:
		wide = 1
	}
	if n := t.Left[wide]; n > 0 {
		p.report(encode.Warned(dashboard.WarnLeftOut, "labels",
			"%d of %d values have no room at their marks; a wider panel, or fewer marks, have.", n, t.All))
	}
}

// fewValues is how many values are written without being asked for.
const fewValues = 16

// mayWrite reports whether values are written at columns where they have room.
func (p *barPanel) mayWrite() bool {
	s := p.split
	if p.family != nil {
		return false
	}
	n := len(s.x)
	if !p.stacked || p.parts != nil {
		n *= len(s.series)
	}
	return p.labelled() || p.spec.Labels == nil && n <= fewValues
}

// noteValues says which values are not written that the spec asks for.
func (p *barPanel) noteValues() {
	switch {
	case !p.spec.Horizontal:
		p.noteLabels(p.chart().Lay().PlaceValues())
	case len(p.split.series) > 1 && !p.stacked:
		t := chart.PlacedValues{}
		for x := range p.split.x {
			if t.All++; p.valuesOf(x) == "" {
				t.Left = [3]int{t.Left[0] + 1, t.Left[1] + 1, t.Left[2] + 1}
			}
		}
		p.noteLabels(t)
	}
}

// stackTotals are the totals of stacks, on top of them. Where some values are below zero there are
// none, for a stack then does not reach to its total.
func (p *barPanel) stackTotals() []chart.StackTotal {
	s := p.split
	if lo, _ := s.extent(false); lo < 0 {
		return nil
	}
	var out []chart.StackTotal
	format := format.OrInteger(*s.series[0].col)
	for x := range s.x {
		sum, some := 0.0, false
		for i := range s.series {
			sum, some = sum+s.value[i][x], some || s.has(i, x)
		}
		if some {
			texts := [2]string{p.env.Value(format, sum), p.env.Short(format, sum)}
			out = append(out, chart.StackTotal{X: p.slots.Middle(x), Value: sum, Texts: texts})
		}
	}
	return out
}

// valueTexts are a value as its column says it, and shorter.
// Of a chart of shares it is the share.
func (p *barPanel) valueTexts(series, x int) [2]string {
	s, format := p.split, format.OrInteger(*p.split.series[series].col)
	if p.parts != nil {
		share := p.env.Share(p.parts[series][x], 0)
		return [...]string{share, share}
	}
	return [...]string{p.env.Amount(format, s.exact[series][x]), p.env.Short(format, s.value[series][x])}
}
