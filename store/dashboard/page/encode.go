package page

import (
	"slices"

	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/dashboard/locale"
)

// A Query says how the rows of a dataset become the table behind a panel: by what they are grouped, what is measured, and
// what is kept of the values of each column where more occur than fit.
type Query struct {
	By       []Channel
	Measures []cube.Measure
	Each     bool       // every row is a group of its own
	Twice    string     // the problem where rows fall together; "" for that of measures of which nothing says how they add up
	Positive locale.Key // the problem where a value of the first measure is below zero; "" for none
}

// A Channel is a column by which rows are grouped.
type Channel struct {
	Column string
	Key    string     // of the panel, that names the column: what is kept is warned of there
	Grain  cube.Grain // of times
	Keep   Keep
	Order  Order
	First  bool // what it keeps is decided before what the others keep
}

// A Table is the groups of a query, with what it keeps of each channel.
type Table struct {
	*cube.Groups
	Issues  []Issue   // what becomes of the rest
	Problem string    // why the measures cannot be shown, in the language of the page; "" where they can
	axes    []outcome // of each channel
	data    *dataset
	query   Query
}

// An outcome is what became of the values of a channel.
type outcome struct {
	all     int   // how many there were
	merged  bool  // they are ranges
	years   bool  // they are whole years
	scale   bool  // they are the steps of a scale
	ordered bool  // they are that, in order and all of them
	order   []int // their places on the axis of the groups, in order; nil before they are asked for
	doubted bool  // the author was warned of the order
}

// run makes the table of a query of the rows that the filters leave.
func (d *dataset) run(q Query) *Table {
	t := &Table{Groups: d.group(d.rows, d.cubeQuery(q)), data: d, query: q}
	if t.Problem = t.together(); t.Problem != "" {
		return t
	}
	if q.Positive != "" && t.below() {
		t.Problem = d.env.Text(q.Positive)
		return t
	}
	t.axes = make([]outcome, len(q.By))
	for _, first := range [...]bool{true, false} {
		for dim := range q.By {
			if q.By[dim].First == first {
				t.keep(dim)
			}
		}
	}
	for dim := range q.By {
		if q.By[dim].Order.Rows { // which may be doubtful
			t.order(dim)
		}
	}
	return t
}

// together is the problem of rows that must not be merged, "" for none.
func (t *Table) together() (problem string) {
	if t.query.Twice != "" {
		for i := range t.Len() {
			if t.Rows(i) > 1 {
				return t.query.Twice
			}
		}
		return ""
	}
	for m := 0; m < t.Measures() && problem == ""; m++ {
		problem = t.data.env.unclear(t.Groups, m)
	}
	return problem
}

// cubeQuery is the query as the cube takes it.
func (d *dataset) cubeQuery(q Query) cube.Query {
	by := make([]cube.Dim, len(q.By))
	for i := range q.By {
		by[i] = d.dim(q.By[i].Column, q.By[i].Grain)
	}
	return cube.Query{By: by, Measures: q.Measures, Each: q.Each}
}

// dim is a column as a dimension of the cube.
func (d *dataset) dim(column string, grain cube.Grain) cube.Dim {
	return cube.Dim{Column: column, Grain: grain, Week: d.env.week, Zone: d.env.zone}
}

// dim is a channel as a dimension of the cube.
func (t *Table) dim(channel int) cube.Dim {
	return t.data.dim(t.query.By[channel].Column, t.query.By[channel].Grain)
}

func (t *Table) report(i Issue) { t.Issues = append(t.Issues, i) }

// column is the column of a channel.
func (t *Table) column(dim int) *dashboard.Column { return t.data.column(t.query.By[dim].Column) }

// label is the name of the column of a channel for people, inside of a sentence.
func (t *Table) label(dim int) Inline { return Inline(t.column(dim).Label) }

// ordering is the order of the column of a channel.
func (t *Table) ordering(dim int) *ordering { return t.data.ordering(t.query.By[dim].Column) }

// order are the places of the values of a channel on the axis of the groups, in order.
func (t *Table) order(dim int) []int {
	if t.axes[dim].order == nil {
		t.axes[dim].order = t.sorted(dim)
	}
	return t.axes[dim].order
}

// axis are the values of a channel in their order.
func (t *Table) axis(dim int) []cube.Category { return picked(t.Axes[dim], t.order(dim)) }

// places are the places of the values of a channel in their order, by their places on the axis of the groups.
func (t *Table) places(dim int) []int {
	out := slices.Repeat([]int{-1}, len(t.Axes[dim]))
	for place, at := range t.order(dim) {
		out[at] = place
	}
	return out
}

// values are a measure of a table of one channel, by the places of its values on the axis of the groups.
func (t *Table) values(measure int) (value []float64, exact []any) {
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

// picked are the members of a list at the given places.
func picked[T any](from []T, at []int) []T {
	out := make([]T, len(at))
	for i, k := range at {
		out[i] = from[k]
	}
	return out
}
