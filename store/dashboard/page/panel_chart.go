package page

import "service/store/dashboard"

// newChart is a chart of the panel's, with an axis of y that is written in a format.
func (p *panel) newChart(format string) *chart {
	return &chart{
		title: p.title, says: p.summary, height: int(p.plotHeight()), room: p.room(), offset: p.offset, y: p.axisOf(dashboard.AxisY, format),
	}
}

// overSlots gives a chart the places of a split side by side, with their names.
func (p *panel) overSlots(h *chart, s *split, at *slots) {
	h.places = at.places()
	p.nameSlots(&h.x, s, at)
}

// line is a series of the split at places of the axis, with the values that are drawn of it. In a
// stack it has all places where some series has a value.
func (s *split) line(i int, values, at []float64, stacked bool) valueLine {
	out := valueLine{points: make([]valuePoint, 0, len(values)), color: s.series[i].color}
	broken := false
	for x, v := range values {
		broken = broken || s.breaks(i, x)
		has := s.has(i, x) || stacked && s.some(x)
		if !has && !stacked {
			continue
		}
		out.points = append(out.points, valuePoint{at[x], v, broken && has, s.isPartial(x), !has})
		if has {
			broken = false
		}
	}
	return out
}

// lines are all series of the split.
func (s *split) lines(at []float64) []valueLine {
	out := make([]valueLine, len(s.series))
	for i := range out {
		out[i] = s.line(i, s.value[i], at, false)
	}
	return out
}
