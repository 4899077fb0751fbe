package panel

import (
	"math"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
)

// scale returns the scale of the values: from the first edge to the last.
func (p *histogramPanel) scale() chart.Scale {
	lo, _ := cube.Float(p.bins.edges[0])
	hi, _ := cube.Float(p.bins.edges[p.bins.len()])
	return chart.Scale{Lo: lo, Hi: hi, Step: hi - lo, Log: p.Spec.Log(dashboard.AxisX)}
}

// A weighed number is a number of some rows, with their total weight.
type weighed struct{ value, weight float64 }

// kindOf returns the average, the median, the minimum or the maximum of ascending numbers; there must be at least one.
func kindOf(kind string, of []weighed) float64 {
	lo, hi := of[0].value, of[len(of)-1].value
	all, sum := 0.0, 0.0
	for _, v := range of {
		all += v.weight
	}
	switch kind {
	case "min":
		return lo
	case "max":
		return hi
	case "average":
		for _, v := range of {
			sum += v.value * (v.weight / all)
		}
		return min(max(sum, lo), hi) // rounding can exceed the largest number
	}
	for i, v := range of { // the first value up to which half of the weight is or, if that is exactly half, the middle between it and the next
		switch sum += v.weight; {
		case sum > all/2:
			return v.value
		case sum == all/2 && i+1 < len(of):
			return v.value/2 + of[i+1].value/2
		}
	}
	return hi
}

// findLines computes the reference lines over the rows in bins, and reports the lines outside of the axis.
func (p *histogramPanel) findLines(t *encode.Table, in []any) {
	if len(p.Spec.Reference) == 0 {
		return
	}
	var of []weighed
	for i := range t.Len() {
		v := t.Category(i, 0).Value
		f, ok := cube.Float(v)
		if lo, _ := cube.Compare(v, in[0]); !ok || lo < 0 {
			continue
		}
		if hi, _ := cube.Compare(v, in[len(in)-1]); hi > 0 {
			continue
		}
		weight := float64(t.Rows(i))
		if p.Spec.Weight != "" {
			weight, _ = t.Value(i, 0)
		}
		if weight > 0 {
			of = append(of, weighed{f, weight})
		}
	}
	sc := p.scale()
	for _, r := range p.Spec.Reference {
		var drawn []float64
		if r.Kind != "" {
			if len(of) == 0 {
				continue
			}
			drawn = []float64{kindOf(r.Kind, of)}
		}
		line := p.Env.referenceOf(r, drawn, stat.Mean(drawn), p.col)
		lo, hi := line.Ends()
		if lo > sc.Hi || hi < sc.Lo {
			p.report(encode.Noted("The line %s is outside the axis.", line.Text).
				Warned(dashboard.WarnClipped, "reference",
					`the line "%s" is outside the axis, and is not drawn; x_min or x_max, or other edges in bins, show it.`, line.Text))
			continue
		}
		p.lines = append(p.lines, line)
	}
}

// addLines adds the scale of the values, and the lines on it, to a chart.
func (p *histogramPanel) addLines(h *chart.Chart) {
	if len(p.lines) > 0 {
		sc := p.scale()
		h.X.Fixed, h.Uprights = &sc, p.lines
	}
}

// findTones sets the tones of bins by the values in their middle. Notes report how many rows meet each condition.
func (p *histogramPanel) findTones(counts stat.Counted) {
	if p.tones = p.toner(); p.tones == nil {
		return
	}
	for _, v := range counts {
		p.tones.add(v.Value, v.Count, noLimit, p.col.Name)
	}
	p.toned = make([]canvas.Color, p.bins.len())
	for i := range p.toned {
		if h := met(p.Spec.Thresholds, noLimit, p.comparing(p.middle(i), noLimit, p.col.Name)); h != nil {
			p.toned[i] = canvas.ToneColor(h.Tone)
		}
	}
	p.Summary += p.tones.says()
}

// middle returns the value in the middle of a bin on the axis.
func (p *histogramPanel) middle(bin int) float64 {
	lo, _ := cube.Float(p.bins.edges[bin])
	hi, _ := cube.Float(p.bins.edges[bin+1])
	if p.Spec.Log(dashboard.AxisX) {
		return math.Sqrt(lo) * math.Sqrt(hi)
	}
	return lo/2 + hi/2
}

// noteHeights reports how many bars the axis of the counts cuts off. It returns false if that axis shows no bar.
func (p *histogramPanel) noteHeights() bool {
	if !p.Spec.Range[dashboard.AxisY].Fixed() {
		return true
	}
	var c census
	for _, v := range p.height {
		c.count(&p.Settings, dashboard.AxisY, v)
	}
	return p.noteHidden(c)
}

// settle reports how many of the counts that the spec asks for do not fit.
func (p *histogramPanel) settle() {
	if p.labelled() && !p.Spec.Horizontal {
		p.noteLabels(p.laid(p.chart()).PlaceValues())
	}
}
