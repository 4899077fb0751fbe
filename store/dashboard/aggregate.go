package dashboard

import (
	"cmp"
	"slices"
	"strings"

	"service/store/sqltext"
)

// An aggregate describes a function whose values are of a group of rows. A query does not group by a column of such values.
type aggregate struct {
	agg    Agg    // how the values of a plain call add up; "" if they do not
	values values // the kind of its values

	// guarded marks functions that have a condition as the last argument. [query.isAggregate] and [query.function] ignore them. avgif is not
	// marked, so that means are recognized.
	guarded bool
}

// values is the kind of an expression's values, ordered from the most to the least usable.
type values int

const (
	added     values = iota // amounts that add up, and values that are not numbers
	notAdded                // amounts that do not add up: of distinct values, or of one row of each group
	noAmounts               // means, quotients and extremes
)

// aggregates are the aggregate functions of all dialects, in lower case.
var aggregates = map[string]aggregate{
	"sum":      {agg: Sum},
	"count":    {agg: Sum},
	"sumif":    {agg: Sum, guarded: true},
	"countif":  {agg: Sum, guarded: true},
	"count_if": {agg: Sum, guarded: true},

	"min":    {agg: Min, values: noAmounts},
	"max":    {agg: Max, values: noAmounts},
	"minif":  {agg: Min, guarded: true},
	"maxif":  {agg: Max, guarded: true},
	"min_by": {values: noAmounts},
	"max_by": {values: noAmounts},

	"avg":             {values: noAmounts},
	"avgif":           {values: noAmounts},
	"median":          {values: noAmounts},
	"mode":            {values: noAmounts},
	"percentile_cont": {values: noAmounts},
	"percentile_disc": {values: noAmounts},
	"quantile":        {values: noAmounts},
	"quantile_cont":   {values: noAmounts},
	"quantile_disc":   {values: noAmounts},
	"approx_quantile": {values: noAmounts},
	"quantileexact":   {values: noAmounts},
	"medianexact":     {values: noAmounts},
	"stddev":          {values: noAmounts},
	"variance":        {values: noAmounts},

	"approx_count_distinct": {values: notAdded},
	"uniq":                  {values: notAdded},
	"uniqexact":             {values: notAdded},

	"any":       {values: notAdded},
	"any_value": {values: notAdded},
	"anylast":   {values: notAdded},
	"arbitrary": {values: notAdded},
	"arg_max":   {values: notAdded},
	"arg_min":   {values: notAdded},
	"argmax":    {values: notAdded},
	"argmin":    {values: notAdded},
	"first":     {values: notAdded},
	"last":      {values: notAdded},

	"minornull":    {agg: Min, values: noAmounts},
	"maxornull":    {agg: Max, values: noAmounts},
	"minordefault": {agg: Min, values: noAmounts},
	"maxordefault": {agg: Max, values: noAmounts},

	"array_agg":    {},
	"bool_and":     {},
	"bool_or":      {},
	"every":        {},
	"group_concat": {},
	"grouparray":   {},
	"list":         {},
	"listagg":      {},
	"string_agg":   {},
}

// valuesOf returns the kind of the values of a function of [query.function].
func valuesOf(function string) values {
	switch function {
	case "/":
		return noAmounts
	case "count distinct", "sum distinct":
		return notAdded
	}
	return aggregates[function].values
}

// ends are the functions, in lower case, that return the earliest or the latest of several times, including window functions.
var ends = map[string]Agg{
	"min": Min, "minif": Min, "minornull": Min, "minordefault": Min, "first": Min, "first_value": Min, "earliest": Min,
	"max": Max, "maxif": Max, "maxornull": Max, "maxordefault": Max, "last": Max, "last_value": Max, "anylast": Max, "latest": Max,
}

// chosenBy are the functions, in lower case, that return the value of the row in which another column is smallest or largest. If groups are
// merged, neither the earliest nor the latest of their times is that of all rows, unless both columns are the same.
var chosenBy = map[string]Agg{
	"min_by": Min, "minby": Min, "arg_min": Min, "argmin": Min, "argminif": Min, "arg_min_null": Min,
	"max_by": Max, "maxby": Max, "arg_max": Max, "argmax": Max, "argmaxif": Max, "arg_max_null": Max,
}

// picksRow reports whether an aggregate function, in lower case, returns the value of one row of each group.
func picksRow(function string) bool {
	return chosenBy[function] != "" || anyTimes[function] || slices.Contains([]string{"any", "anylast", "first", "last"}, function)
}

// end returns which of several times of an expression represents them: Min if the functions in it return early times, Max if they return
// late ones, None if they return both or choose a time otherwise, and "" if there is no such function.
func (q query) end() Agg {
	if !q.picksTimes() {
		return ""
	}
	return cmp.Or(q.agreed(), None)
}

// anyTimes are the aggregate functions whose time may be that of any of the rows, as if it was not aggregated.
var anyTimes = map[string]bool{"any": true, "any_value": true, "arbitrary": true}

// picksTimes reports whether a function in the expression, or in a subquery of it, chooses one of several times.
func (q query) picksTimes() bool {
	parts := q.parts()
	for i := range q.Tokens {
		if q.Kind(i) != sqltext.Word || parts[i+1] < 0 || q.Is(i-1, ".") {
			continue
		}
		name := sqltext.Lower(q.Text(i))
		call, aggregate := aggregates[name]
		switch {
		case (name == "min" || name == "max") && parts[i+1] > 1: // the least of several columns
		case anyTimes[name], call.agg == Sum: // a number
		case aggregate, ends[name] != "", chosenBy[name] != "":
			return true
		}
	}
	return false
}

// agreed returns Min if all functions in an expression return early times, Max if all return late ones, and "" otherwise.
func (q query) agreed() Agg {
	end := Agg("")
	parts := q.parts()
	minus, negative := q.minuses()
	if negative {
		return ""
	}
	for i := 0; i < len(q.Tokens); i++ {
		name := sqltext.Lower(q.Text(i))
		if q.Is(i, "select") { // a subquery, whose rows are not those of this query
			return ""
		}
		if q.Kind(i) != sqltext.Word || parts[i+1] < 0 || q.Is(i-1, ".") {
			continue
		}
		of, ok := ends[name]
		by, chosen := chosenBy[name]
		call, other := aggregates[name]
		switch {
		case (name == "min" || name == "max") && parts[i+1] > 1: // the least of several columns
			continue
		case !ok && !chosen && (!other || call.agg == Sum): // a number is not one of the times
			continue
		}
		close := q.closing(i + 1)
		if chosen {
			args := q.part(i+2, close).split()
			of, ok = by, len(args) > 1 && args[0].same(args[1])
		}
		if strings.HasPrefix(name, "first") || strings.HasPrefix(name, "last") {
			order, to := q.orderOf(i, close)
			if ok = order == nil || q.argument(i, close).same(*order); ok && order != nil && q.part(i, to+1).descends() {
				of = map[Agg]Agg{Min: Max, Max: Min}[of]
			}
			close = max(close, to)
		}
		if !ok || end != "" && end != of || minus < i {
			return ""
		}
		end, i = of, close
	}
	return end
}

// minuses returns the position of the first minus, which turns the order of the times after it around, as in
// DATE '2030-01-01' - (max(d) - DATE '2026-01-01'). It reports whether there is a sign of a number, which may do the same to those before.
func (q query) minuses() (first int, sign bool) {
	first = len(q.Tokens)
	for i := range q.Tokens {
		if q.Is(i, "-") {
			first = min(first, i)
			sign = sign || i == 0 || !q.endsOperand(i-1)
		}
	}
	return first, sign
}

// argument returns the first argument of the call at i, without its ORDER BY.
func (q query) argument(i, close int) query {
	args := q.part(i+2, close)
	for at := range args.top(0) {
		if args.Is(at, "order", ",") {
			return args.part(0, at)
		}
	}
	return args
}

// orderOf returns the first expression of the ORDER BY in a call at i, or in the OVER after it, and the position of the last token that
// belongs to it. It returns nil without one.
func (q query) orderOf(i, close int) (order *query, to int) {
	from, to := i+1, close
	if q.Is(close+1, "over") && q.closing(close+2) > 0 {
		from, to = close+2, q.closing(close+2)
	}
	in := q.part(from+1, to)
	for at := range in.top(0) {
		if in.Is(at, "order") && in.Is(at+1, "by") {
			end := at + 2
			for n := range in.top(end) {
				if in.Is(n, ",", "asc", "desc", "nulls", "rows", "range", "groups") {
					break
				}
				end = n + 1
			}
			expr := in.part(at+2, end)
			return &expr, to
		}
	}
	return nil, to
}

// same reports whether two expressions have the same text, without casts.
func (q query) same(other query) bool {
	q, other = q.unwrap().uncast(), other.unwrap().uncast()
	if len(q.Tokens) != len(other.Tokens) {
		return false
	}
	for i := range q.Tokens {
		if sqltext.Lower(q.Text(i)) != sqltext.Lower(other.Text(i)) {
			return false
		}
	}
	return true
}

// descends reports whether a call orders its rows from the last to the first.
func (q query) descends() bool {
	for i := range q.Tokens {
		if q.Is(i, "desc") && !q.isName(i) {
			return true
		}
	}
	return false
}
