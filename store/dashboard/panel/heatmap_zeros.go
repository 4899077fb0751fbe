package panel

import (
	"cmp"
	"slices"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
)

// withZeros adds the times and years without rows in which cells are 0 to one of the axes of a heat map, and updates the places of the
// table's values in at. zero reports whether a cell without rows is 0 at a place: of times and years, only the periods that
// [Rows.zeroTimes] returns. If there would be more than most places, it adds none.
func (p *Rows) withZeros(t *encode.Table, dim int, at []int, most int) (axis []cube.Category, zero func(cube.Category) bool) {
	axis = t.Axis(dim)
	by := &t.Query.By[dim]
	s := &split{xcol: *p.Data.Column(by.Column), dim: t.Dim(dim), grain: by.Grain, years: t.Outcomes[dim].Years}
	s.time = s.xcol.Type.IsTime()
	if !s.time && !s.years || t.Outcomes[dim].Merged {
		return axis, func(cube.Category) bool { return true }
	}
	s.span = p.Data.Span(s.xcol.Name).Span
	warned := len(p.Warnings)
	zeros := p.zeroTimes(s, t.Query.Measures[:1])
	if len(zeros) == 0 && len(p.Warnings) == warned && s.step == cube.Exact && s.time {
		p.report(encode.Warned(dashboard.WarnKeyIgnored, "gaps",
			`the times of "%s" have no regular step, so no cell is filled with 0; grain gives them one.`, s.xcol.Name))
	}
	filled := map[int64]bool{}
	for _, c := range zeros {
		filled[placeOf(c)] = true
	}
	zero = func(c cube.Category) bool {
		switch c.Value.(type) {
		case time.Time, int64:
			return filled[placeOf(c)]
		}
		return !c.Other && c.Value == nil // rows without a time are a category of their own
	}
	order := func(a, b cube.Category) int { return cmp.Compare(placeOf(a), placeOf(b)) }
	if slices.ContainsFunc(axis, func(c cube.Category) bool { return c.Value == nil || c.Other }) || !slices.IsSortedFunc(axis, order) {
		return axis, zero
	}
	all := slices.Concat(axis, zeros)
	slices.SortStableFunc(all, order)
	all = slices.CompactFunc(all, func(a, b cube.Category) bool { return placeOf(a) == placeOf(b) })
	if len(all) > most {
		return axis, zero
	}
	for i, place := range at {
		if place >= 0 {
			at[i], _ = slices.BinarySearchFunc(all, axis[place], order)
		}
	}
	return all, zero
}
