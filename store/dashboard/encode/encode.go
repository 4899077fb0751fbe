package encode

import (
	"slices"

	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/dashboard/locale"
)

// A Query describes how the rows of a dataset become the table behind a panel: the columns by which they are grouped, the measures, and
// which values of each column are kept if there are more than fit.
type Query struct {
	By       []Channel
	Measures []cube.Measure
	Each     bool       // each row is a group by itself
	Twice    string     // the problem if rows fall into one group; "" for the usual one: the spec does not define how the measure adds up
	Positive locale.Key // the problem if a value of the first measure is below zero; "" for none
}

// A Channel is a column by which rows are grouped.
type Channel struct {
	Column string
	Key    string     // the key of the panel that names the column: warnings about dropped values refer to it
	Grain  cube.Grain // of times
	Keep   Keep
	Order  Order
	First  bool           // its values are chosen before those of the other channels
	Also   cube.Selection // further rows, not measured, whose values are on the axis too
}

// A Table is the groups of a query, with the values of each channel that are kept.
type Table struct {
	*cube.Groups
	Issues   []Issue   // about the values that are not kept
	Problem  string    // why the measures cannot be shown, in the language of the page; "" if they can
	Outcomes []outcome // of each channel
	data     *Dataset
	Query    Query
}

// An outcome describes the values of a channel after a query.
type outcome struct {
	All     int   // how many there were
	Merged  bool  // they are ranges
	Years   bool  // they are whole years
	Scale   bool  // they are steps of a scale
	Ordered bool  // they are steps of a scale, in order and complete
	order   []int // their indexes on the axis of the groups, in order; nil until needed
	doubted bool  // the author was warned of the order
}

// Run makes the table of a query from the rows that the filters select.
func (d *Dataset) Run(q Query) *Table {
	t := &Table{Groups: d.Group(d.Rows, d.cubeQuery(q)), data: d, Query: q}
	for dim := range q.By {
		t.widen(dim)
	}
	if t.Problem = t.together(); t.Problem != "" {
		return t
	}
	if q.Positive != "" && t.below() {
		t.Problem = d.Env.Text(q.Positive)
		return t
	}
	t.Outcomes = make([]outcome, len(q.By))
	for _, first := range [...]bool{true, false} {
		for dim := range q.By {
			if q.By[dim].First == first {
				t.keep(dim)
			}
		}
	}
	for dim := range q.By {
		if q.By[dim].Order.Rows { // which may be doubtful
			t.OrderOf(dim)
		}
	}
	return t
}

// widen adds the values of a channel's further rows to its axis, in the order of the cube.
func (t *Table) widen(dim int) {
	also := t.Query.By[dim].Also
	if len(also) == 0 {
		return
	}
	all := t.data.Group(slices.Concat(t.data.Rows, also), cube.Query{By: []cube.Dim{t.Dim(dim)}}).Axes[0]
	at := make(map[cube.Category]int, len(all))
	for i, c := range all {
		at[c] = i
	}
	to := make([]int, len(t.Axes[dim]))
	for i, c := range t.Axes[dim] {
		to[i] = at[c]
	}
	t.Groups = t.Regroup(dim, to, all)
}

// together returns the problem of rows that must not be merged, "" for none.
func (t *Table) together() (problem string) {
	if t.Query.Twice != "" {
		for i := range t.Len() {
			if t.Rows(i) > 1 {
				return t.Query.Twice
			}
		}
		return ""
	}
	for m := 0; m < t.Measures() && problem == ""; m++ {
		problem = t.data.Env.Unclear(t.Groups, m)
	}
	return problem
}

// cubeQuery returns the query in the form of the cube.
func (d *Dataset) cubeQuery(q Query) cube.Query {
	by := make([]cube.Dim, len(q.By))
	for i := range q.By {
		by[i] = d.Dim(q.By[i].Column, q.By[i].Grain)
	}
	return cube.Query{By: by, Measures: q.Measures, Each: q.Each}
}

// Dim returns a column as a dimension of the cube.
func (d *Dataset) Dim(column string, grain cube.Grain) cube.Dim {
	return cube.Dim{Column: column, Grain: grain, Week: d.Env.Week, Zone: d.Env.Zone}
}

// Dim returns a channel as a dimension of the cube.
func (t *Table) Dim(channel int) cube.Dim {
	return t.data.Dim(t.Query.By[channel].Column, t.Query.By[channel].Grain)
}

func (t *Table) report(i Issue) { t.Issues = append(t.Issues, i) }

// Column returns the column of a channel.
func (t *Table) Column(dim int) *dashboard.Column { return t.data.Column(t.Query.By[dim].Column) }

// label returns the label of a channel's column, for the inside of a sentence.
func (t *Table) label(dim int) Inline { return Inline(t.Column(dim).Label) }

// ordering returns the order of the column of a channel.
func (t *Table) ordering(dim int) *Ordering { return t.data.Ordering(t.Query.By[dim].Column) }

// OrderOf returns the indexes of a channel's values on the axis of the groups, in order.
func (t *Table) OrderOf(dim int) []int {
	if t.Outcomes[dim].order == nil {
		t.Outcomes[dim].order = t.Sorted(dim)
	}
	return t.Outcomes[dim].order
}

// Axis returns the values of a channel in their order.
func (t *Table) Axis(dim int) []cube.Category { return Picked(t.Axes[dim], t.OrderOf(dim)) }

// Places returns the position of each value of a channel in its order, by its index on the axis of the groups; -1 for values that are not
// in it.
func (t *Table) Places(dim int) []int {
	out := slices.Repeat([]int{-1}, len(t.Axes[dim]))
	for place, at := range t.OrderOf(dim) {
		out[at] = place
	}
	return out
}

// Of returns the part of the table that has one value of a channel, without that channel. The other channels keep all their values, in the
// order of the whole table.
func (t *Table) Of(dim, at int) *Table {
	out := &Table{Groups: t.Groups.Of(dim, at), data: t.data, Query: t.Query}
	for d := range t.Query.By {
		if d == dim {
			continue
		}
		order := slices.Clone(t.OrderOf(d))
		out.Outcomes = append(out.Outcomes, t.Outcomes[d])
		out.Outcomes[len(out.Outcomes)-1].order = order
	}
	out.Query.By = slices.Delete(slices.Clone(t.Query.By), dim, dim+1)
	return out
}

// ValuesOf returns a measure of a table with one channel, by the indexes of its values on the axis of the groups.
func (t *Table) ValuesOf(measure int) (value []float64, exact []any) {
	value, exact = make([]float64, len(t.Axes[0])), make([]any, len(t.Axes[0]))
	for i := range t.Len() {
		value[t.At(i, 0)], _ = t.Value(i, measure)
		exact[t.At(i, 0)] = t.Exact(i, measure)
	}
	return value, exact
}

// below reports whether a value of the first measure is below zero.
func (t *Table) below() bool {
	for i := range t.Len() {
		if v, _ := t.Value(i, 0); v < 0 {
			return true
		}
	}
	return false
}

// Picked returns the elements of a list at the given indexes.
func Picked[T any](from []T, at []int) []T {
	out := make([]T, len(at))
	for i, k := range at {
		out[i] = from[k]
	}
	return out
}
