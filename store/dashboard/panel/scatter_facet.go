package panel

import "service/store/dashboard/encode"

// spotHeight is how high the points of the panel are drawn, in pixels.
func (p *scatterPanel) spotHeight() float64 {
	if p.family != nil {
		return float64(p.family.height)
	}
	return scatterHeight
}

// inFacets makes a small plot of the points of each value of the facet.
func (p *scatterPanel) inFacets(t *encode.Table, dim int) Content {
	order := t.OrderOf(dim)
	f := p.newFamily(len(order))
	if f.height = facetSpots; f.columns <= 3 {
		f.height = facetSpotsOfFew
	}
	for axis := range p.Spec.Range {
		f.named = append(f.named, p.onScale(p.spotReferences(axis), axis)...)
	}
	out := &facetPanel{Panel: p.Panel, family: f, series: p.legend}
	for _, at := range order {
		own := p.smallPanel(f, t.Axes[dim][at])
		small := &scatterPanel{Panel: own, all: p.all, cols: p.cols, legend: p.legend}
		for _, s := range p.spots {
			if s.facet == at {
				small.spots = append(small.spots, s)
			}
		}
		plot := facetPlot{Panel: own, plot: small}
		if own.Summary = p.Env.missing(); len(small.spots) > 0 {
			own.Summary = own.ofSpots(small.spots, p.cols)
		}
		out.plots = append(out.plots, plot)
	}
	out.gather()
	return out
}

func (p *scatterPanel) profile() [][]float64 { return nil }
