package panel

import (
	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
)

func (p *barPanel) colors() *markRamp { return p.tinted }

// ramped returns the colours of the bars by the measure in color, which it adds to the table behind them. It returns nil if the spec has no
// such measure.
func (p *barPanel) ramped() []canvas.Color {
	if p.Spec.Color == "" {
		return nil
	}
	s := p.split
	tint := &s.asides[len(s.asides)-1]
	var values []float64
	bars := 0
	for x := range s.x {
		if s.has(0, x) {
			bars++
		}
		if s.has(0, x) && tint.has(x) {
			values = append(values, tint.value[x])
		}
	}
	p.tinted = p.rampOf(tint.col, values, s.grain)
	if len(values) < bars {
		p.report(encode.Noted("Gray: no data."))
	}
	p.Grid.Columns = append(p.Grid.Columns, Column{Column: *tint.col})
	for x := range s.x {
		p.Grid.Rows[x] = append(p.Grid.Rows[x], tint.exact[x])
	}
	return p.tints()
}

// tints returns the colours of the bars, by their values in the domain of the ramp.
func (p *barPanel) tints() []canvas.Color {
	tint := &p.split.asides[len(p.split.asides)-1]
	out := make([]canvas.Color, len(p.split.x))
	for x := range out {
		if out[x] = canvas.NoLogColor; tint.has(x) {
			out[x] = p.tinted.domain.color(tint.value[x])
		}
	}
	return out
}

func (p *barPanel) ramp() (*domain, *dashboard.Column, []float64) {
	return &p.tinted.domain, p.tinted.col, p.tinted.values
}

func (p *barPanel) rounded() cube.Grain { return p.split.grain }
