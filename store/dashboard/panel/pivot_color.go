package panel

import (
	"slices"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
)

// scaleOf returns the name of the domain to which a cell belongs, which does not depend on filters.
func (p *pivotPanel) scaleOf(line, key pivotKey, measure int) string {
	first := 0
	switch p.Spec.Heat {
	case dashboard.HeatRow:
		key = line
	case dashboard.HeatColumn:
		first = p.down
	default:
		key = nil
	}
	cats := make([]cube.Category, len(key))
	for i, c := range key {
		cats[i] = p.groups.Axes[first+i][c]
	}
	return p.values[measure].Name + "\x00" + encode.CategoryKey(cats)
}

// findHeat finds the domains of the colors, and notes what they compare.
func (p *pivotPanel) findHeat() {
	if p.Spec.Heat == "" {
		return
	}
	p.heat = heatScale{}
	found := map[string][]float64{}
	measures := map[string]int{}
	for _, line := range p.lines {
		for _, key := range p.across {
			for m := range p.values {
				v, ok := cube.Float(p.value(line, key, m))
				if !ok {
					continue
				}
				at := p.scaleOf(line, key, m)
				found[at], measures[at] = append(found[at], v), m
			}
		}
	}
	var all *pivotPanel // over all rows, computed for the first measure that needs it
	for at, values := range found {
		p.heat[at] = p.Env.domain(&p.values[measures[at]], p.Spec.Ramp, values)
	}
	for at, values := range found {
		col := &p.values[measures[at]]
		if !p.keepsDomain(p.Data.Measure(col)) {
			continue
		}
		if all == nil {
			if all, _ = p.unfiltered(p.timeGrain()).(*pivotPanel); all == nil {
				break
			}
		}
		if d, ok := all.heat[at]; ok {
			p.heat[at] = d.kept(values)
		}
	}
	p.sayHeat()
	switch {
	case p.Spec.Heat == dashboard.HeatRow:
		p.report(encode.Noted("Colors compare the values of each row."))
	case p.Spec.Heat == dashboard.HeatColumn:
		p.report(encode.Noted("Colors compare the values of each column."))
	case len(p.values) > 1:
		p.report(encode.Noted("Colors compare all values of a measure."))
	}
}

// sayHeat is sayRamp for all domains together.
func (p *pivotPanel) sayHeat() {
	said := domain{log: p.Spec.Ramp != nil && p.Spec.Ramp.Scale == dashboard.RampLog, oneSided: true}
	for _, d := range p.heat {
		said.under, said.over, said.gray, said.shown = said.under+d.under, said.over+d.over, said.gray+d.gray, said.shown+d.shown
		said.diverging, said.oneSided, said.fixed = d.diverging, said.oneSided && d.oneSided, said.fixed || d.fixed
	}
	p.sayRamp(&said, p.Spec.Ramp, "ramp")
}

// color returns the color of a cell; 0 for none.
func (p *pivotPanel) color(line, key pivotKey, measure int, v any) canvas.Color {
	n, isNum := cube.Float(v)
	if p.heat == nil || !isNum {
		return 0
	}
	d := p.heat[p.scaleOf(line, key, measure)]
	return d.color(n)
}

// findTones counts the cells with tones, without totals.
func (p *pivotPanel) findTones() {
	if p.tones == nil {
		return
	}
	for _, line := range p.lines {
		for _, key := range p.across {
			for m := range p.values {
				if v, ok := cube.Float(p.value(line, key, m)); ok {
					p.tones.color(v, p.limitOf(line, key), p.values[m].Name, 0)
				}
			}
		}
	}
}

// checkSums warns of totals that thresholds for cells colour. A total of one cell is that cell.
func (p *pivotPanel) checkSums() {
	if p.tones == nil {
		return
	}
	for m := range p.values {
		for _, line := range p.all() {
			for _, key := range p.columns() {
				cells := stat.One(key == nil)*len(p.across) + stat.One(len(line.key) < p.down)*len(p.lines)
				if cells > 1 && p.checkSum(&p.values[m], p.value(line.key, key, m), "totals") {
					return
				}
			}
		}
	}
}

// tone returns the colour of the tone of a cell, or of a total; 0 for none.
func (p *pivotPanel) tone(line, key pivotKey, measure int, v any) canvas.Color {
	n, isNum := cube.Float(v)
	if p.tones == nil || !isNum {
		return 0
	}
	of := p.limitOf(line, key)
	return canvas.ToneColor(toneOf(p.Spec.Thresholds, of, p.comparing(n, of, p.values[measure].Name)))
}

// limitOf returns the values of the measures with which thresholds compare a cell or a total. A total has no value of a measure that does
// not add up.
func (p *pivotPanel) limitOf(line, key pivotKey) limit {
	return func(measure string) (float64, bool) {
		if m := p.Data.Measure(p.Data.Column(measure)); !encode.Additive(m) && len(line)+len(key) < len(p.dims) {
			return 0, false
		}
		f := p.fold(len(line), len(key))
		group, ok := f.find(line, key)
		if !ok {
			return 0, false
		}
		return f.Value(group, len(p.values)+slices.Index(p.tones.names, measure))
	}
}
