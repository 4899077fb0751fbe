package panel

import (
	"cmp"
	"slices"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// findOpen finds the incomplete periods of each dimension of times.
func (p *pivotPanel) findOpen() {
	for i := range p.dims {
		dim := &p.dims[i]
		if dim.hidden, dim.open = p.openTimes(dim.Column, dim.grain); p.Empty != "" {
			return
		}
	}
}

// openTimes finds the incomplete periods of a dimension of times, and reports them: open has the reason of each. If the panel hides these,
// openTimes limits the panel to the rows of the others, so that totals are without them, too. Rows without a time, and a part of a day,
// cannot be limited so: the lines and columns of hidden, incomplete periods are then not drawn.
func (p *Panel) openTimes(col dashboard.Column, grain cube.Grain) (hidden map[any]bool, open map[any]string) {
	if !col.Type.IsTime() || p.Spec.Partial == "show" {
		return nil, nil
	}
	g := p.Data.Group(p.Data.Rows, cube.Query{By: []cube.Dim{{Column: col.Name, Grain: grain, Week: p.Env.week, Zone: p.Env.Zone}}})
	p.Data.Spend(g.Len())
	s := &split{xcol: col, time: true, grain: grain, span: p.Data.Span(col.Name).Span}
	for _, c := range g.Axes[0] {
		if _, ok := c.Value.(time.Time); ok {
			s.x = append(s.x, c)
		}
	}
	slices.SortFunc(s.x, func(a, b cube.Category) int { return a.Value.(time.Time).Compare(b.Value.(time.Time)) })
	axis, rest := s.x, len(g.Axes[0])-len(s.x)
	s.step = s.regular()
	s.findPartial(&p.Rows, grain != cube.Exact)
	switch {
	case p.Empty != "":
	case len(s.x) < len(axis) && (rest > 0 || s.step == cube.Hourly || s.step == cube.Minutely):
		hidden = map[any]bool{}
		for _, x := range axis {
			hidden[x.Value] = true
		}
		for _, x := range s.x {
			delete(hidden, x.Value)
		}
	case len(s.x) < len(axis):
		last := cube.DayOf(s.x[len(s.x)-1].Value.(time.Time))
		if s.step != cube.Exact {
			last = s.step.Next(last) - 1
		}
		p.Data = p.Data.Under(cube.Filter{
			Column: col.Name, From: cube.DayOf(s.x[0].Value.(time.Time)), To: last, Zone: p.Env.Zone,
		})
	case s.partial != nil:
		open = map[any]string{}
		c := p.cutter(s.xcol, cmp.Or(s.step, cube.Daily), grain != cube.Exact)
		for k, x := range axis {
			if s.partial[k] {
				why, _, _ := c.why(x.Value.(time.Time))
				open[x.Value] = p.Env.Text(why)
			}
		}
	}
	return hidden, open
}
