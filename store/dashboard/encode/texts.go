package encode

import (
	"cmp"
	"math"
	"slices"

	"service/store/dashboard"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
)

// fewTexts is how many texts are compared one by one. It does not pay to prepare so few.
const fewTexts = 100

// ranked are texts with a known rank each.
type ranked []int

func (r ranked) Head(i int) uint64    { return uint64(r[i]) }
func (r ranked) Compare(i, j int) int { return cmp.Compare(r[i], r[j]) }

// rankedFirst are texts some of which the spec lists; these are first.
type rankedFirst struct {
	ranked
	rest cube.Texts
}

func (r rankedFirst) Compare(i, j int) int {
	return cmp.Or(r.ranked.Compare(i, j), r.rest.Compare(i, j))
}

// Texts prepares texts of the column for comparisons in its order, and counts long ones toward the limit of the page. They must be in the
// order of their bytes.
func (o *Ordering) Texts(values []string) cube.Texts {
	o.spend(values)
	places := make(ranked, len(values))
	_, measured := o.Natural.Amounts("")
	rest := func() cube.Texts {
		names := make([]string, len(values))
		for i, s := range values {
			names[i] = o.Natural.Name(s)
		}
		keys := o.Natural.Keys(names)
		if measured {
			return newAmounted(o.Natural, values, keys)
		}
		return keys
	}
	switch {
	case o.Rank == nil && !o.Natural.Ordered:
		return rest()
	case len(values) <= fewTexts:
		order := stat.Indices(len(values))
		slices.SortFunc(order, func(i, j int) int {
			return o.Compare(cube.Category{Value: values[i]}, cube.Category{Value: values[j]})
		})
		for place, i := range order {
			places[i] = place
		}
		return places
	}
	for i, s := range values {
		places[i] = len(o.Rank)
		if at, ok := o.Rank[dashboard.ValueKey(s)]; ok {
			places[i] = at
		}
	}
	return rankedFirst{places, rest()}
}

// amounted are texts that are ordered by the numbers in them.
type amounted struct {
	numbers [][]float64
	rest    cube.Texts
}

func newAmounted(n *dashboard.Natural, values []string, rest cube.Texts) amounted {
	out := amounted{make([][]float64, len(values)), rest}
	for i, s := range values {
		out.numbers[i], _ = n.Amounts(s)
	}
	return out
}

// Head returns the first number of a text; these are not negative.
func (m amounted) Head(i int) uint64 {
	if len(m.numbers[i]) == 0 {
		return math.MaxUint64
	}
	return math.Float64bits(m.numbers[i][0])
}

func (m amounted) Compare(i, j int) int {
	return cmp.Or(dashboard.CompareAmounts(m.numbers[i], m.numbers[j]), m.rest.Compare(i, j))
}

// Sizes by which sorted texts count toward the groups of the page. Texts of usual length do not count, since a group of theirs does.
const (
	usualText = 64  // bytes of a text that do not count
	perGroup  = 128 // further bytes that count as one group
)

// spend counts texts that are prepared: to read and compare long ones takes longer than to group their rows.
func (o *Ordering) spend(values []string) {
	if o.spent == nil {
		return
	}
	bytes := 0
	for _, s := range values {
		bytes += max(0, len(s)-usualText)
	}
	*o.spent += bytes / perGroup
}

// sortBy orders order by a comparison of positions in it. Equal ones keep their order.
func sortBy(order []int, compare func(i, j int) int) {
	at := stat.Indices(len(order))
	slices.SortStableFunc(at, compare)
	before := slices.Clone(order)
	for i, from := range at {
		order[i] = before[from]
	}
}

// comparing returns [Ordering.Compare] for positions in categories. Many texts are prepared for it: to compare two takes microseconds
// otherwise.
func (o *Ordering) comparing(cats []cube.Category) func(i, j int) int {
	one := func(i, j int) int { return o.Compare(cats[i], cats[j]) }
	if len(cats) <= fewTexts {
		return one
	}
	var values []string
	for _, c := range cats {
		if s, ok := c.Value.(string); ok && !c.Other {
			values = append(values, s)
		}
	}
	slices.Sort(values)
	if values = slices.Compact(values); len(values) <= fewTexts {
		return one
	}
	texts := o.Texts(values)
	place := make([]int, len(cats)) // -1 of those without a text
	for i, c := range cats {
		place[i] = -1
		if s, ok := c.Value.(string); ok && !c.Other {
			place[i], _ = slices.BinarySearch(values, s)
		}
	}
	return func(i, j int) int {
		x, y := place[i], place[j]
		switch {
		case x < 0 || y < 0:
			return one(i, j)
		case x == y:
			return 0
		}
		return cmp.Or(cmp.Compare(texts.Head(x), texts.Head(y)), texts.Compare(x, y))
	}
}
