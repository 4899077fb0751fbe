package panel

import (
	"cmp"
	"math"
	"slices"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
)

const (
	scatterPoints = 4000 // maximum of points that are drawn one by one
	denseCell     = 12   // width and height of a cell of a density, in pixels on a desktop
)

// A crowd is the cells in which points are counted if there are too many to draw one by one.
type crowd struct {
	columns, rows int
	x, y          chart.Extremes    // of all points
	cells         []chart.DenseCell // sorted by count, the largest last
	ramp          markRamp          // of the counts
	refs          [2][]chart.Reference
}

// crowded reports whether points are counted in cells. Points of small plots, joined points and points with their own colours are selected
// evenly instead, because cells would hide what the spec asks for.
func (p *Rows) crowded(n int) bool {
	return n > scatterPoints && p.family == nil && p.Spec.Connect == "" && p.Spec.Color == "" && !p.Spec.Lights()
}

// countSpots counts the points in cells, and reports that. It keeps only the cells, because the points of a full page need too much memory.
func (p *scatterPanel) countSpots() {
	p.legend = p.legend[:1] // cells have no series
	c := &crowd{columns: max(int(p.inside()/denseCell), 8), rows: scatterHeight / denseCell, x: chart.NoExtremes(), y: chart.NoExtremes()}
	c.ramp.col = &dashboard.Column{Column: cube.Column{Type: cube.Integer}, Label: p.Env.Text("Points"), Format: "integer"}
	x, y := make([]float64, len(p.spots)), make([]float64, len(p.spots))
	for i, s := range p.spots {
		x[i], y[i] = s.x, s.y
		c.x.Add(s.x)
		c.y.Add(s.y)
	}
	for axis := range c.refs {
		c.refs[axis] = p.spotReferences(axis)
	}
	p.crowd, p.spots = c, nil
	c.cells = p.chart().Lay().Dense(x, y, c.columns, c.rows)
	slices.SortStableFunc(c.cells, func(a, b chart.DenseCell) int { return cmp.Compare(a.Count, b.Count) })
	counts := make([]float64, len(c.cells))
	for i := range c.cells {
		counts[i] = float64(c.cells[i].Count)
	}
	c.ramp.domain, c.ramp.values = countDomain(c.ramp.col, ownHue(p.Env.Spec, p.Spec.Y[0]), counts), counts
	for i := range c.cells {
		cell := &c.cells[i]
		cell.Color = c.ramp.domain.color(counts[i])
		cell.Title = []string{
			p.cols[0].Label, "  ", p.fromTo(0, cell.X), "\n", p.cols[1].Label, "  ", p.fromTo(1, cell.Y), "\n",
			c.ramp.col.Label, "  ", p.Env.Number(counts[i], 0),
		}
	}
	p.sayCrowd(len(x))
}

// countDomain returns the domain of counts: logarithmic with whole bounds, or linear if the counts are too small for these.
func countDomain(col *dashboard.Column, hue canvas.Hue, counts []float64) domain {
	d := domainOf(col, &dashboard.Ramp{Scale: dashboard.RampLog}, hue, counts)
	before := d.lo
	for i := range d.bounds {
		d.bounds[i] = math.Round(d.bounds[i])
		if d.bounds[i] <= before {
			return domainOf(col, nil, hue, counts)
		}
		before = d.bounds[i]
	}
	return d
}

// fromTo returns the range of the values of a column as text.
func (p *scatterPanel) fromTo(col int, e chart.Extremes) string {
	lo, hi := p.Env.Quantity(*p.cols[col], e.Lo), p.Env.Quantity(*p.cols[col], e.Hi)
	if lo == hi {
		return lo
	}
	return lo + " – " + hi
}

// sayCrowd reports that n points are counted, and where most of them are.
func (p *scatterPanel) sayCrowd(n int) {
	most := p.crowd.cells[len(p.crowd.cells)-1]
	p.report(encode.Noted("%s points are counted in cells, whose colors show how many they have.", n).
		Warned(dashboard.WarnMerged, "label",
			"all %d points are counted in cells, because at most %d are drawn one by one; their names, sizes and series are not drawn. "+
				"limit, a label with fewer values, or sql that returns fewer rows draws points.", n, scatterPoints))
	p.Summary += " " + p.Env.Text("Most are at %s %s, %s %s: %s.", p.Env.Inside(p.cols[0].Label), p.fromTo(0, most.X),
		p.Env.Inside(p.cols[1].Label), p.fromTo(1, most.Y), p.Env.Number(float64(most.Count), 0))
}

const (
	leastOfPlot   = 40  // points of a small plot that are drawn in any case
	leastOfSeries = 100 // points of a series that are drawn in any case, if all series together have that many
)

// evenSpots returns an even selection of the points of a table, if there are too many. Small plots share the maximum of one plot. A small
// plot, a series, and the points that names lists keep some points each, because a share of few points would be none.
func (p *Rows) evenSpots(spots []spot, t *encode.Table) []spot {
	all, most := len(spots), scatterPoints
	if f := p.family; f != nil {
		if n := f.table.Len(); n > scatterPoints {
			plots := len(f.table.Axes[len(f.table.Axes)-1])
			most = (scatterPoints-leastOfPlot*plots)*t.Len()/n + leastOfPlot
		}
	}
	if all <= most {
		return spots
	}
	even := evenly(spots, most, func(s *spot) *spot { return s })
	p.report(encode.Noted("%s of %s points are drawn, evenly chosen.", len(even), all).
		Warned(dashboard.WarnCut, "label",
			"%d of %d points {is|are} drawn, evenly chosen; a label with fewer values, or sql that returns "+
				"fewer rows, draws all.", len(even), all))
	return even
}

// evenly returns at most most of the points, in their order: an even selection of each series, and of the points of each series that are
// named before others.
func evenly[S any](spots []S, most int, spotOf func(*S) *spot) []S {
	type part struct {
		series int
		first  bool
	}
	partOf := func(i int) part {
		s := spotOf(&spots[i])
		return part{s.series, s.first}
	}
	of := map[part]int{} // number of points
	for i := range spots {
		of[partOf(i)]++
	}
	least := min(leastOfSeries, most/len(of))
	kept := 0 // points that are drawn in any case
	for _, n := range of {
		kept += min(n, least)
	}
	draws := func(n int) int { // of the n points of a part
		own := min(n, least)
		if rest := len(spots) - kept; rest > 0 {
			own += (most - kept) * (n - own) / rest
		}
		return own
	}
	out, seen := make([]S, 0, most), map[part]int{}
	for i := range spots {
		k := partOf(i)
		n, at, drawn := of[k], seen[k], draws(of[k])
		if next := (at*drawn + n - 1) / n; next < drawn && next*n/drawn == at {
			out = append(out, spots[i])
		}
		seen[k]++
	}
	return out
}

// layer returns the cells as a layer.
func (c *crowd) layer() *chart.Density {
	return &chart.Density{Columns: c.columns, Rows: c.rows, X: c.x, Y: c.y, Cells: c.cells}
}

// inDrawingOrder sorts points so that those of small series are drawn last: a few points would be hidden under many.
func inDrawingOrder(spots []spot) {
	drawnOf := map[int]int{} // number of points by series
	for i := range spots {
		drawnOf[spots[i].series]++
	}
	order := stat.Indices(len(spots)) // a spot is too large to be moved at each step of the sorting
	drawn := make([]int, len(spots))  // of the series of each
	for i := range spots {
		drawn[i] = drawnOf[spots[i].series]
	}
	slices.SortStableFunc(order, func(i, k int) int {
		a, b := &spots[i], &spots[k]
		switch {
		case a.pale != b.pale:
			return stat.One(b.pale) - stat.One(a.pale)
		case drawn[i] != drawn[k]:
			return drawn[k] - drawn[i]
		case a.series != b.series:
			return b.series - a.series
		}
		return compareSizes(b.size, a.size)
	})
	given := slices.Clone(spots)
	for at, i := range order {
		spots[at] = given[i]
	}
}
