package encode

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
	"service/store/dashboard/locale"
)

// A Keep selects the values of a channel that are kept. Without a number, all are kept.
type Keep struct {
	Times int  // of times that cannot be rounded down, the last ones
	Years bool // all values of a column of whole years
	Steps int  // the maximal number of steps of a scale; neighbors are merged into ranges
	Fill  bool // missing steps are added
	Names Top  // of all others

	Choose func(t *Table, dim int) Top // instead of Names, if they depend on the values
}

// A Top selects names to keep: the first ones of a ranking.
type Top struct {
	Most    int                      // 0 for all
	Slack   bool                     // if there is one more value, it is kept: the rest would be one value
	Measure int                      // by which they are ranked
	Rank    Ranking                  // how; nil for the largest
	Always  func(cube.Category) bool // values that are kept in any case, in addition to Most; nil for none
	Other   bool                     // the rest becomes one value, if the measures add up
	Sum     bool                     // otherwise, if nothing defines how the first measure adds up, it is summed
	Adds    bool                     // the note has the sum of the rest, if the rest is left out and adds up

	Wished   bool       // the spec chose Most, so that merging the rest needs no warning
	Note     locale.Key // instead of the usual one
	Key      string     // of the warning; "" for the key of the channel
	Advice   string     // of the warning; "" for none. %s is replaced by the word of the ranking
	Together string     // the advice if the rest becomes one value, if that differs
}

// A Ranking orders the values of a channel; the first are kept. which describes these: largest, smallest or first.
type Ranking func(t *Table, dim int, measure int) (order []int, which string)

const (
	FirstDrawn    locale.Key = "The first %s of %s values of %s; the rest is not drawn."
	LastDrawn     locale.Key = "The last %s of %s values of %s; the rest is not drawn."
	largestOf     locale.Key = "The %s largest of %s values of %s; the rest, not drawn, adds up to %s."
	largestApart  locale.Key = "The %s largest of %s values of %s; the rest is merged into %s."
	smallestApart locale.Key = "The %s smallest of %s values of %s; the rest is merged into %s."
	smallestDrawn locale.Key = "The %s smallest of %s values of %s; the rest is not drawn."
)

// leftOut is the note that the rest is not drawn, by the word of the ranking.
var leftOut = map[string]locale.Key{"largest": NotDrawn, "smallest": smallestDrawn, "first": FirstDrawn}

// keep drops or merges values of a channel as its Keep requires.
func (t *Table) keep(dim int) {
	k, col, a := t.Query.By[dim].Keep, t.Column(dim), &t.Outcomes[dim]
	a.All = len(t.Axes[dim])
	steps := func() bool { // whether they are such
		o := t.ordering(dim)
		return o.Ordered && (o.ranged || a.All <= k.Steps)
	}
	switch {
	case k.Times > 0 && col.Type.IsTime():
		t.newest(dim, k.Times)
	case k.Years && AreYears(col.Name, t.Axes[dim]):
		a.Years, a.Ordered = true, true
	case k.Steps > 0 && steps():
		t.ranges(dim, k.Steps)
		a.Scale = true
		a.Ordered = a.Merged || len(t.Axes[dim]) == a.All
		if k.Fill && !a.Merged {
			t.Groups = t.data.Env.fillSteps(t.Groups, dim, k.Steps, t.ordering(dim))
		}
	default:
		if k.Choose != nil {
			k.Names = k.Choose(t, dim)
		} else if k.Names.Most > 0 && k.Steps > 0 && t.ordering(dim).Ordered { // names in an order: as many as steps
			k.Names.Most = k.Steps
		}
		t.top(dim, k.Names)
	}
}

// newest keeps the last times. More occur than fit only if the rows cannot be merged, or by years.
func (t *Table) newest(dim, most int) {
	all := len(t.Axes[dim])
	if all <= most+most/4 { // rounding down is not exact
		return
	}
	advice := "they are the last ones; agg, which says how the measure adds up, lets them be merged, and a filter leaves fewer"
	if len(t.Query.Measures) == 0 {
		advice = "they are the last ones; a filter leaves fewer"
	}
	t.report(Noted(LastDrawn, most, all, t.label(dim)).Cut(t.Query.By[dim].Key, most, all, t.Query.By[dim].Column, advice))
	t.Groups = t.Keep(dim, stat.Indices(all)[all-most:], false)
}

// ranges merges the steps of a scale into ranges. If values cannot be merged, the largest are kept.
func (t *Table) ranges(dim, most int) {
	all, key, col := len(t.Axes[dim]), t.Query.By[dim].Key, t.Column(dim)
	switch {
	case all <= most:
	case !t.Additive():
		t.report(Noted("The %s largest of %s values of %s; the rest is not drawn: what they measure cannot be merged.", most, all, t.label(dim)).
			Cut(key, most, all, col.Name,
				"the others could be merged into ranges if the spec said how the measure adds up: declare its agg"))
		t.Groups, _ = t.Top(dim, 0, most, false)
	default:
		var each string
		t.Groups, each = t.data.Env.equalRanges(t.Groups, dim, most, t.ordering(dim), *col)
		t.Outcomes[dim].Merged = true
		n := len(t.Axes[dim])
		t.report(Noted("%s values of %s are merged into %s ranges %s.", all, t.label(dim), strconv.Itoa(n), each).
			Warned(dashboard.WarnRanges, key, `all %d values of "%s" are merged into %d ranges %s, for there is room for %d; `+
				`the sql can make other ranges, and a filter leaves fewer.`, all, col.Name, n, each, most))
	}
}

// top keeps names.
func (t *Table) top(dim int, k Top) {
	all, most := len(t.Axes[dim]), k.Most
	if k.Always != nil {
		all -= CountOf(t.Axes[dim], k.Always)
	}
	if k.Slack && all == most+1 {
		most++
	}
	if most == 0 || all <= most {
		return
	}
	if k.Sum {
		t.sum()
	}
	if k.Rank == nil {
		k.Rank = Largest
	}
	rank, which := k.Rank(t, dim, k.Measure)
	missing := false // from all that is left out
	if which != "first" && k.Measure < t.Groups.Measures() {
		n := t.measured(dim, &k)
		if missing = n <= most; !missing {
			all = n
		}
	}
	before := t.Groups
	t.Groups = before.Keep(dim, k.first(rank, before.Axes[dim], most), k.Other)
	note, args := leftOut[which], []any{most, all, t.label(dim)}
	switch {
	case k.Note != "":
		note = k.Note
	case k.Other && t.Additive():
		if note = largestApart; which == "smallest" {
			note = smallestApart
		}
		args = append(args, t.data.Env.Rest(t.Query.By[dim].Column))
	case k.Adds && which == "largest" && !missing:
		if rest, ok := t.rest(before, dim); ok {
			note, args = largestOf, append(args, rest)
		}
	}
	issue := Noted(note, args...)
	if merged := k.Other && t.Additive(); k.Advice != "" && !(merged && k.Wished) {
		column, key := t.Query.By[dim].Column, cmp.Or(k.Key, t.Query.By[dim].Key)
		if merged {
			issue = issue.Merged(key, most, all, column, t.data.Env.Rest(column), strings.ReplaceAll(cmp.Or(k.Together, k.Advice), "%s", which))
		} else {
			issue = issue.Cut(key, most, all, column, strings.ReplaceAll(k.Advice, "%s", which))
		}
	}
	t.report(issue)
}

// measured returns the number of values of a dimension that have a value of the measure by which they are ranked, without those that are
// kept in any case.
func (t *Table) measured(dim int, k *Top) int {
	has := map[int]bool{}
	for i := range t.Len() {
		_, ok := t.Value(i, k.Measure)
		if at := t.At(i, dim); ok && (k.Always == nil || !k.Always(t.Axes[dim][at])) {
			has[at] = true
		}
	}
	return len(has)
}

// first returns the first of ranked values, and those that are kept in any case.
func (k *Top) first(rank []int, axis []cube.Category, most int) []int {
	if k.Always == nil {
		return rank[:most]
	}
	var out []int
	for _, at := range rank {
		switch {
		case k.Always(axis[at]):
			out = append(out, at)
		case most > 0:
			out = append(out, at)
			most--
		}
	}
	return out
}

// CountOf returns how many values of an axis are of a kind.
func CountOf(axis []cube.Category, of func(cube.Category) bool) int {
	n := 0
	for _, c := range axis {
		n += stat.One(of(c))
	}
	return n
}

// sum sums the first measure if nothing defines how its rows are merged, unless something was left out before: in a stack the parts add up.
func (t *Table) sum() {
	q := t.data.cubeQuery(t.Query)
	if t.Additive() || q.Measures[0].Over != nil {
		return
	}
	q.Measures = slices.Clone(q.Measures)
	q.Measures[0].Agg = cube.Sum
	if g := t.data.Group(t.data.Rows, q); g.Additive() && slices.Equal(g.Axes[0], t.Axes[0]) {
		t.Groups = g
	}
}

// rest returns the sum of the first measure over the rows that were left out, if it adds up over a channel.
func (t *Table) rest(before *cube.Groups, dim int) (amount string, ok bool) {
	m := t.Query.Measures[0]
	all, ok1 := before.Fold().Value(0, 0)
	drawn, ok2 := t.Fold().Value(0, 0)
	if !Sums(m, t.Query.By[dim].Column) || !ok1 || !ok2 {
		return "", false
	}
	return t.data.Env.Brief(*t.data.Column(m.Column), all-drawn), true
}

// Largest ranks by a measure; equal values have their order.
func Largest(t *Table, dim, measure int) (order []int, which string) {
	return t.ordering(dim).Ranked(t.Groups, dim, measure, true), "largest"
}

// Smallest is [Largest] the other way around.
func Smallest(t *Table, dim, measure int) (order []int, which string) {
	return t.ordering(dim).Ranked(t.Groups, dim, measure, false), "smallest"
}

// Farthest ranks by the distance from zero, for measures whose losses matter as much as gains.
func Farthest(t *Table, dim, measure int) (order []int, which string) {
	return bySize(t.Groups, dim, measure, t.ordering(dim).Ranked(t.Groups, dim, measure, true)), "largest"
}

// Heaviest is [Largest], except for equally large values (such as shares of 100 % each) and values that no measure can compare: of these
// the first are kept.
func Heaviest(t *Table, dim, measure int) (order []int, which string) {
	totals, lo, hi := t.Fold(dim), math.Inf(1), math.Inf(-1)
	for i := range totals.Len() {
		v, _ := totals.Value(i, measure)
		lo, hi = min(lo, v), max(hi, v)
	}
	if hi-lo <= 1e-3*math.Abs(hi) || !t.Additive() {
		order = stat.Indices(len(t.Axes[dim]))
		t.ordering(dim).Sort(order, t.Axes[dim])
		return order, "first"
	}
	return Largest(t, dim, measure)
}

// AtFirst ranks by a measure; equal values keep their order.
func AtFirst(t *Table, dim, measure int) (order []int, which string) {
	return t.Ranked(dim, measure), "largest"
}

// MostRows ranks by how many rows have a value.
func MostRows(t *Table, dim, _ int) (order []int, which string) {
	rows := make([]int, len(t.Axes[dim]))
	for i := range t.Len() {
		rows[t.At(i, dim)] += t.Rows(i)
	}
	order = stat.Indices(len(rows))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rows[b], rows[a]) })
	return order, "largest"
}

// InOrder ranks by the order of the channel.
func InOrder(t *Table, dim, _ int) (order []int, which string) { return t.Sorted(dim), "first" }

// bySize orders the indexes of an axis, which are ranked by a measure, by its distance from zero.
func bySize(g *cube.Groups, dim, measure int, ranked []int) []int {
	size := make([]float64, len(ranked))
	totals := g.Fold(dim)
	for i := range size {
		size[i] = -1 // without a value, they are last
	}
	for i := range totals.Len() {
		if v, ok := totals.Value(i, measure); ok {
			size[totals.At(i, 0)] = math.Abs(v)
		}
	}
	if larger := func(a, b int) int { return cmp.Compare(size[b], size[a]) }; !slices.IsSortedFunc(ranked, larger) { // some are negative
		slices.SortStableFunc(ranked, larger)
	}
	return ranked
}

// AreYears reports whether the values of a column are whole years, which are a scale, and not numbers that are used as names.
func AreYears(column string, axis []cube.Category) bool {
	words := strings.FieldsFunc(strings.ToLower(column), func(r rune) bool { return r == '_' || r == ' ' })
	if len(axis) < 2 || len(words) == 0 || slices.Contains([]string{"id", "code", "zip"}, words[len(words)-1]) {
		return false
	}
	return !slices.ContainsFunc(axis, func(c cube.Category) bool {
		v, ok := c.Value.(int64)
		return !ok || v < 1000 || v > 2200
	})
}
