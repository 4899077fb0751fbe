package panel

import (
	"slices"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
)

// mostEarlier is the maximum number of values that a note names because only the earlier period has rows of them.
const mostEarlier = 5

// noteOnlyBefore notes values of the facet that have rows in the earlier period of a comparison and none in the shown one. They have no
// plot, so readers would not learn that they are gone.
func (p *facetPanel) noteOnlyBefore() {
	column, from, to := p.earlierDays()
	if column == "" {
		return
	}
	facet := p.Data.Dim(p.Spec.Facet, cube.Exact)
	q := cube.Query{By: []cube.Dim{facet}}
	shown := map[cube.Category]bool{}
	for _, c := range p.Data.Group(p.Data.Select(p.Env.cubeFilters(p.Data)...), q).Axes[0] {
		shown[c] = true
	}
	gone := slices.DeleteFunc(slices.Clone(p.during(column, from, to, q).Axes[0]), func(c cube.Category) bool { return shown[c] })
	n := len(gone)
	if n == 0 {
		return
	}
	slices.SortStableFunc(gone, p.Data.Ordering(p.Spec.Facet).Compare)
	var names []string
	for _, c := range gone[:min(n, mostEarlier)] {
		names = append(names, canvas.Clip(p.Env.Cell(*p.Data.Column(p.Spec.Facet), cube.Exact, c), 40))
	}
	if n > mostEarlier {
		names = append(names, p.Env.Count(n-mostEarlier, "and %d more", "and %d more"))
	}
	p.report(encode.Noted("Only in the earlier period: %s.", strings.Join(names, ", ")).
		Warned(dashboard.WarnLeftOut, "facet",
			`%d {value|values} of "%s" {has|have} rows only in the earlier period, and no {plot|plots}; a table with compare has {it|them}.`,
			n, p.Spec.Facet))
}

// earlierDays returns the column of the days of the comparison that the plots have, and the first and the last day of the earlier period.
// The column is "" if they have none, or if no filter selects the shown period: then all values have plots.
func (p *facetPanel) earlierDays() (column string, from, to cube.Day) {
	for _, f := range p.plots {
		if b := f.before; b != nil && b.ofSpec {
			return p.Spec.X, b.from, b.to
		}
		k, ok := f.plot.(*kpiPanel)
		dates := p.datesFilter()
		if !ok || dates == nil {
			continue
		}
		if i := slices.IndexFunc(k.others, func(c *comparison) bool { return c.before != [2]cube.Day{} }); i >= 0 {
			return dates.Column, k.others[i].before[0], k.others[i].before[1]
		}
	}
	return "", 0, 0
}
