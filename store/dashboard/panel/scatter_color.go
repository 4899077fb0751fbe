package panel

import (
	"cmp"
	"slices"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
)

// A spotRamp is the colours of points by a measure.
type spotRamp struct {
	col    *dashboard.Column
	domain domain
	values []float64
}

// colorOfSpots returns the measure that colours the points; nil for none. A dimension becomes the series of the panel.
func (p *Panel) colorOfSpots() *dashboard.Column {
	if p.Spec.Color == "" {
		return nil
	}
	c := p.col(p.Spec.Color)
	if p.Problem != "" || c.Role == dashboard.Measure {
		return c
	}
	own := *p.Spec
	own.Series, own.Color = own.Color, ""
	p.Spec = &own
	return nil
}

// paintSpots gives the points the colours of a measure, which is at a place among those of their groups.
func (p *Panel) paintSpots(spots []spot, groups []int32, t *encode.Table, tint *dashboard.Column, measure int) *spotRamp {
	if tint == nil {
		return nil
	}
	var values []float64
	for i := range spots {
		if v, ok := t.Value(int(groups[i]), measure); ok {
			spots[i].tint = t.Exact(int(groups[i]), measure)
			values = append(values, v)
		}
	}
	out := &spotRamp{tint, p.domain(tint, p.Spec.Ramp, values), values}
	if p.family == nil && p.keepsDomain(p.Data.Measure(tint)) {
		if all, ok := p.unfiltered(cube.Exact).(*scatterPanel); ok && all.tinted != nil {
			out.domain = all.tinted.domain.kept(values)
		}
	}
	out.tintSpots(spots)
	p.report(encode.Noted("Colors show %s.", encode.Inline(tint.Label)))
	if len(values) < len(spots) {
		p.report(encode.Noted("Gray: no data."))
	}
	if p.alone() {
		p.sayRamp(&out.domain, p.Spec.Ramp, "ramp")
	}
	return out
}

// tintSpots gives points the colours of their values.
func (r *spotRamp) tintSpots(spots []spot) {
	for i := range spots {
		s := &spots[i]
		if v, ok := cube.Float(s.tint); ok && !s.pale {
			s.color = r.domain.color(v)
		} else {
			s.color = canvas.PaleColor
		}
	}
}

func (p *scatterPanel) ramp() (*domain, *dashboard.Column, []float64) {
	return &p.tinted.domain, p.tinted.col, p.tinted.values
}

func (p *scatterPanel) rounded() cube.Grain { return cube.Exact }

// largestSpots are the points that limit keeps: the largest by the measure in sort, by size or by y, or the smallest if sort ascends.
func (p *Panel) largestSpots(spots []spot, cols []*dashboard.Column) []spot {
	limit := p.Spec.Limit
	if limit == 0 || len(spots) <= limit {
		return spots
	}
	by, descending := sortKey(p.Spec.Sort)
	col := cols[len(cols)-1] // the size, or y
	if by != "" {
		col = cols[slices.IndexFunc(cols, func(c *dashboard.Column) bool { return c.Name == by })]
	}
	value := func(s *spot) float64 {
		switch col {
		case cols[0]:
			return s.x
		case cols[1]:
			return s.y
		}
		return s.size
	}
	order := make([]int, len(spots))
	for i := range order {
		order[i] = i
	}
	note := encode.NotDrawn
	if by != "" && !descending {
		note = "The %s smallest of %s values of %s; the rest is not drawn."
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if by != "" && !descending {
			a, b = b, a
		}
		return cmp.Compare(value(&spots[b]), value(&spots[a]))
	})
	p.report(encode.Noted(note, limit, len(spots), encode.Inline(col.Label)))
	order = order[:limit]
	slices.Sort(order)
	return encode.Picked(spots, order)
}
