package panel

import (
	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// An aside is a measure that is drawn in addition to the series of a split, such as the target of bars or the limit of a threshold.
type aside struct {
	col     *dashboard.Column
	series  int // the series to which it belongs; [ofAll] for all of them
	measure int // of the groups
	value   []float64
	exact   []any // by x, as in a table, nil if missing
}

// ofAll is the series of an aside that belongs to all series together.
const ofAll = -1

func (a *aside) has(x int) bool { return a.exact[x] != nil }

// findAsides returns the asides of the spec, without their values.
func (p *Rows) findAsides() []aside {
	var out []aside
	for i, name := range p.Spec.Targets {
		a := aside{col: p.col(name), series: i}
		if p.Spec.Stack && (p.Spec.Series != "" || len(p.Spec.Y) > 1) {
			a.series = ofAll
		}
		out = append(out, a)
	}
	if b := p.Spec.Band; b != nil {
		out = append(out, aside{col: p.col(b.Low)}, aside{col: p.col(b.High)})
	}
	if p.Spec.Type == dashboard.Bar && p.Spec.Color != "" { // of one series without thresholds
		out = append(out, aside{col: p.col(p.Spec.Color)})
	}
	for _, name := range p.toner().limitNames() { // of a panel with thresholds, which has one series
		out = append(out, aside{col: p.col(name)})
	}
	return out
}

// fillAsides copies the values of the asides into the order of the axis. at are the places of its categories, and to is the series of each
// value of the panel's series, or nil without one. For a measure of all series together, the groups of all series are merged.
func (s *split) fillAsides(p *Rows, at map[cube.Category]int, to []int) {
	declared := s.asides
	s.asides = nil
	for _, a := range declared {
		g, n := s.groups, 1
		switch {
		case to == nil:
		case a.series != ofAll:
			n = len(s.series)
		default:
			g = g.Fold(0)
		}
		if g != s.groups {
			p.Data.Spend(g.Len())
			if p.Problem == "" {
				p.Problem = p.Data.Env.Unclear(g, a.measure)
			}
		}
		first := len(s.asides)
		for i := range n {
			own := a
			if n > 1 {
				own.series = i
			}
			own.value, own.exact = make([]float64, len(s.x)), make([]any, len(s.x))
			s.asides = append(s.asides, own)
		}
		for i := range g.Len() {
			x, ok := at[g.Category(i, 0)]
			if !ok {
				continue
			}
			own := &s.asides[first]
			if n > 1 {
				own = &s.asides[first+to[g.At(i, 1)]]
			}
			own.value[x], _ = g.Value(i, a.measure)
			own.exact[x] = g.Exact(i, a.measure)
		}
	}
}
