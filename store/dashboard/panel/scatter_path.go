package panel

import (
	"slices"

	"service/store/dashboard/chart"
	"service/store/dashboard/encode"
)

// The points of a path are joined in the order of a column. Only names that help to follow the path are written: those of the first and the
// last point, and of the points where it turns.

// paths returns the points of each series, in the order in which they are joined.
func (p *scatterPanel) paths() [][]int {
	if p.Spec.Connect == "" {
		return nil
	}
	out := make([][]int, len(p.legend))
	for i, s := range p.spots {
		out[s.series] = append(out[s.series], i)
	}
	for _, path := range out {
		slices.SortStableFunc(path, func(a, b int) int { return p.spots[a].order - p.spots[b].order })
	}
	return out
}

// pathLayer joins the points of each series, and removes the names that do not help to follow the path.
func (p *scatterPanel) pathLayer(to *chart.Spots) chart.Paths {
	var out chart.Paths
	for series, path := range p.paths() {
		if len(path) < 2 {
			continue
		}
		line := chart.Path{Color: p.legend[series].color}
		for k, i := range path {
			s := &p.spots[i]
			line.X, line.Y = append(line.X, s.x), append(line.Y, s.y)
			end := k == 0 || k == len(path)-1
			if to.Spots[i].First = to.Spots[i].First || end; !end && !p.turns(path, k) && !s.first {
				to.Spots[i].Name = ""
			}
		}
		out = append(out, line)
	}
	return out
}

// turns reports whether a path turns back, in x or in y, at its point k.
func (p *scatterPanel) turns(path []int, k int) bool {
	a, b, c := &p.spots[path[k-1]], &p.spots[path[k]], &p.spots[path[k+1]]
	return (b.x-a.x)*(c.x-b.x) < 0 || (b.y-a.y)*(c.y-b.y) < 0
}

// joined sets the positions of the points in the order of the column that joins them.
func joined(spots []spot, t *encode.Table) {
	place := t.Places(0)
	for i := range spots {
		spots[i].order = place[spots[i].label]
	}
}
