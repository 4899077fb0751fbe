package panel

import (
	"cmp"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
	"service/store/dashboard/chart/stat"
)

// spotTrends fits a straight line to all points, or to those of each series. It excludes points that a logarithmic axis cannot show, and
// includes those beyond the ends of the axes. On logarithmic axes the line is straight as drawn.
func (p *Panel) spotTrends(spots []spot, cols []*dashboard.Column, legend []seriesOf) []trend {
	if p.Spec.Trend == "" {
		return nil
	}
	xs, ys := make([][]float64, len(legend)), make([][]float64, len(legend))
	for _, s := range spots {
		if p.onLog(dashboard.AxisX, s.x) && p.onLog(dashboard.AxisY, s.y) {
			xs[s.series] = append(xs[s.series], p.straight(dashboard.AxisX, s.x))
			ys[s.series] = append(ys[s.series], p.straight(dashboard.AxisY, s.y))
		}
	}
	var out []trend
	var unfitted []string
	for i, se := range legend {
		if se.pale {
			continue
		}
		f, ok := stat.LeastSquares(xs[i], ys[i])
		if !ok {
			unfitted = append(unfitted, canvas.Clip(cmp.Or(se.name, cols[1].Label), 40))
			continue
		}
		length, per := p.perAmount(&f, *cols[0])
		t := trend{Fit: f, color: se.color, text: p.trendText(&f, *cols[1], length, per)}
		if se.name != "" {
			t.text = canvas.Clip(se.name, 40) + " · " + t.text
		}
		out = append(out, t)
	}
	p.noteUnfitted(unfitted, *cols[0])
	p.sayTrends(out)
	return out
}

// key returns the legend, with the trends and the ramp of points or of their counts.
func (p *scatterPanel) key() *chart.Key {
	ramp := p.tinted
	if p.crowd != nil {
		ramp = &p.crowd.ramp
	}
	return ramp.addTo(p.Env, p.listKey())
}

// listKey returns the legend of series and trends; nil if there are neither.
func (p *scatterPanel) listKey() *chart.Key {
	series := inColor(p.legend)
	if len(p.legend) < 2 {
		series = nil
	}
	if p.trends == nil {
		if series == nil {
			return nil
		}
		return p.Panel.legend(series)
	}
	out, ways := &chart.Key{Kind: canvas.LegendList}, p.Ways()
	for _, se := range series {
		out.Items = append(out.Items, canvas.Item{Color: se.color, Name: se.name, Way: ways.Of(se.mark)})
	}
	out.Items = append(out.Items, trendItems(p.trends)...)
	return out
}
