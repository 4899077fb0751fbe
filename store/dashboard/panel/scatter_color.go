package panel

import (
	"cmp"
	"slices"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
)

// A markRamp is the colours of points or bars by a measure.
type markRamp struct {
	col    *dashboard.Column
	domain domain
	values []float64
}

// A coloredContent can have marks with the colours of a measure.
type coloredContent interface {
	Content
	colors() *markRamp // nil for a panel whose marks have other colours
}

func (p *scatterPanel) colors() *markRamp { return p.tinted }

// rampOf returns the colours of a measure with some values, and reports to readers and author what they represent. grain is the grain of
// the times on the panel's axis.
func (p *Rows) rampOf(of *dashboard.Column, values []float64, grain cube.Grain) *markRamp {
	out := &markRamp{of, p.Env.domain(of, p.Spec.Ramp, values), values}
	if p.family == nil && p.keepsDomain(p.Data.Measure(of)) {
		if all, ok := p.unfiltered(grain).(coloredContent); ok && all.colors() != nil {
			out.domain = all.colors().domain.kept(values)
		}
	}
	p.report(encode.Noted("Colors show %s.", encode.Inline(of.Label)))
	if p.alone() {
		p.sayRamp(&out.domain, p.Spec.Ramp, "ramp")
	}
	return out
}

// addTo adds the ramp to the legend of a chart, which can be nil.
func (r *markRamp) addTo(p *Env, k *chart.Key) *chart.Key {
	if r == nil {
		return k
	}
	if k == nil {
		k = &chart.Key{Kind: canvas.LegendList}
	}
	ramp := p.key(&r.domain, r.col)
	k.Ramp = &ramp
	return k
}

// colorOfMarks returns the measure that colours points or bars; nil for none. A dimension becomes the series of the panel.
func (p *Rows) colorOfMarks() *dashboard.Column {
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

// paintSpots gives the points the colours of a measure, which has an index among the measures of their groups.
func (p *Rows) paintSpots(spots []spot, groups []int32, t *encode.Table, tint *dashboard.Column, measure int) *markRamp {
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
	out := p.rampOf(tint, values, cube.Exact)
	out.tintSpots(spots)
	if len(values) < len(spots) {
		p.report(encode.Noted("Gray: no data."))
	}
	return out
}

// tintSpots gives points the colours of their values.
func (r *markRamp) tintSpots(spots []spot) {
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

// largestSpots returns the points that limit keeps: the largest by the measure in sort, or else by size or y; the smallest if sort ascends.
func (p *Settings) largestSpots(spots []spot, cols []*dashboard.Column) []spot {
	limit := p.Spec.Limit
	if limit == 0 || len(spots) <= limit {
		return spots
	}
	by, descending := sortKey(p.Spec.Sort)
	col := cols[len(cols)-1] // the size, or else y
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
	left := encode.Noted(note, limit, len(spots), encode.Inline(col.Label))
	if by == "" {
		left = left.Warned(dashboard.WarnCut, "limit", `%d of %d points {is|are} drawn, those with the largest "%s"; `+
			`leave limit out to draw more, `+
			`or name a measure to choose by in sort.`, limit, len(spots), col.Name)
	}
	p.report(left)
	order = order[:limit]
	slices.Sort(order)
	return encode.Picked(spots, order)
}
