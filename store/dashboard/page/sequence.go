package page

import (
	"slices"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// sequence are the places of an axis in the order in which the steps of the panel's
// label follow each other: that of sort, that which the spec says of the column, the
// natural one of a scale, or else that in which the rows come.
func (p *panel) sequence(g *cube.Groups, dim cube.Dim) []int {
	axis, o := g.Axes[0], p.data.ordering(dim.Column)
	out := indices(len(axis))
	by, descending := sortKey(p.spec.Sort)
	col := p.data.column(by)
	switch {
	case by == p.spec.Value && by != "":
		out = o.ranked(g, 0, 0, descending)
	case by == dim.Column && by != "":
		o.sort(out, axis)
		if descending {
			slices.Reverse(out)
		}
	case col != nil:
		p.shows = append(p.shows, by)
		o.sort(out, axis)
		keys := p.data.sortKeys(p.data.rows, []cube.Dim{dim}, col)
		slices.SortStableFunc(out, func(a, b int) int { return keys.compare(axis[a:a+1], axis[b:b+1], descending) })
	case o.said || o.ordered:
		o.sort(out, axis)
	case len(axis) > 1 && !p.data.InOrder(): // text stands on the axis as it appears in the rows
		p.report(warned(dashboard.WarnDoubtful, "label",
			`"%s" is drawn in the order of the rows, and the sql has no ORDER BY; add one, or name a column in sort.`, dim.Column))
	}
	otherLast(out, axis)
	return out
}
