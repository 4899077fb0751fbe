package dashboard

import (
	"slices"
	"strings"

	"service/store/sqltext"
)

// An output is one column of a query, read from its SQL.
type output struct {
	name      string // alias, or name of the bare column, or ""
	agg       Agg    // None if the expression is not a plain sum, count, min or max
	aggregate bool   // the expression is a call of some aggregate function
	function  string // the function of its values: see [query.function]
	end       Agg    // of times: see [query.end]
	plain     string // the column that it passes on unchanged, or ""
	perGroup  bool   // its values are computed from several rows: see [query.perGroup]
}

// A selectList describes the columns of a query, read from its text.
type selectList struct {
	outputs []output
	star    bool // the query has columns that the text does not name
	limited bool // only some of the rows are returned, or of the groups
	ordered bool // the rows have an order
	grouped bool // the rows are groups, or have values that are computed from several rows
	groups  bool // the rows are groups
}

// Bounds of parsed SQL, far beyond realistic queries.
const (
	maxSelect  = 256 << 10 // bytes of SQL
	maxNesting = 20        // brackets around one expression, and wrappers around one aggregate
)

// readSelect reads the select list of one SELECT statement, of any dialect. It returns nil for SQL that it may not understand: set
// operations (whose rows may overlap), DISTINCT, subtotals (which would be counted twice), VALUES, more than one statement.
func readSelect(sql string) *selectList {
	if len(sql) > maxSelect {
		return nil
	}
	q := query{sqltext.Read(sql)}
	for q.Is(len(q.Tokens)-1, ";") {
		q = q.part(0, len(q.Tokens)-1)
	}
	q = q.unwrap()
	from := q.mainSelect()
	if from < 0 {
		return nil
	}
	to := len(q.Tokens)
	for i := range q.top(from) {
		if q.Is(i, "union", "intersect", "except", "minus", "rollup", "cube", "grouping", "totals", ";") {
			return nil
		}
		if i < to && !q.isName(i) && !q.Is(i-1, "within") &&
			q.Is(i, "from", "where", "group", "having", "window", "qualify", "order", "limit", "into") {
			to = i
		}
	}
	if q.Is(from, "all") {
		from++
	}
	if from >= to || q.Is(from, "distinct", "distinctrow", "top") {
		return nil
	}
	list := &selectList{}
	for i := range q.top(to) {
		list.limited = list.limited || !q.isName(i) && q.Is(i, "having", "qualify", "limit", "offset", "fetch")
		list.ordered = list.ordered || !q.isName(i) && q.Is(i, "order")
		list.groups = list.groups || !q.isName(i) && q.Is(i, "group")
	}
	list.grouped = list.groups
	for _, item := range q.part(from, to).split() {
		if item.hasStar() {
			list.star = true
			continue
		}
		list.outputs = append(list.outputs, item.output())
		list.grouped = list.grouped || list.outputs[len(list.outputs)-1].perGroup
	}
	return list
}

// unordered reports whether the rows of a query that [readSelect] does not read have an accidental order: it has DISTINCT, a set operation
// that compares rows, or subtotals, and no ORDER BY. The parts of a UNION ALL follow one another.
func unordered(sql string) bool {
	if len(sql) > maxSelect {
		return false
	}
	q := query{sqltext.Read(sql)}
	for q.Is(len(q.Tokens)-1, ";") {
		q = q.part(0, len(q.Tokens)-1)
	}
	q = q.unwrap()
	from := q.mainSelect()
	if from < 0 {
		return false
	}
	merged := q.Is(from, "distinct", "distinctrow")
	for i := range q.top(from) {
		switch {
		case q.isName(i):
		case q.Is(i, "order"):
			return false
		case q.Is(i, "rollup", "cube") && q.Is(i+1, "("), q.Is(i, "grouping") && q.Is(i+1, "sets"), q.Is(i, "intersect"),
			q.Is(i, "except", "minus") && q.Is(i+1, "select", "(", "all", "distinct") && !q.Is(i-1, "*"): // * EXCEPT (k) leaves out a column
			merged = true
		case q.Is(i, "union"):
			merged = merged || !q.Is(i+1, "all")
		}
	}
	return merged
}

// A query is a run of tokens without comments.
type query struct{ sqltext.Query }

func (q query) part(from, to int) query { return query{q.Part(from, to)} }

// isName reports whether the keyword at i is used as a name: after a dot or AS.
func (q query) isName(i int) bool { return q.Is(i-1, ".", "as") }

// top yields the positions from i on that are outside all brackets.
func (q query) top(i int) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		depth := 0
		for ; i < len(q.Tokens); i++ {
			closing := q.Is(i, ")", "]", "}")
			if closing {
				depth--
			}
			if depth <= 0 && !closing && !yield(i) {
				return
			}
			if q.Is(i, "(", "[", "{") {
				depth++
			}
		}
	}
}

// mainSelect returns the position after the SELECT of the outermost query, or -1. Only a WITH clause may precede it.
func (q query) mainSelect() int {
	if !q.Is(0, "select", "with") {
		return -1
	}
	for i := range q.top(0) {
		if q.Is(i, "select") && !q.isName(i) {
			return i + 1
		}
	}
	return -1
}

// unwrap removes brackets around the whole query.
func (q query) unwrap() query {
	for range maxNesting {
		if len(q.Tokens) < 3 || q.closing(0) != len(q.Tokens)-1 {
			break
		}
		q = q.part(1, len(q.Tokens)-1)
	}
	return q
}

// closing returns the position of the bracket that closes the one at i, or -1 if the token at i is not (.
func (q query) closing(i int) int {
	if !q.Is(i, "(") {
		return -1
	}
	depth := 0
	for ; i < len(q.Tokens); i++ {
		switch {
		case q.Is(i, "("):
			depth++
		case q.Is(i, ")"):
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// split splits at the commas outside brackets.
func (q query) split() []query {
	var out []query
	from := 0
	for i := range q.top(0) {
		if q.Is(i, ",") {
			out = append(out, q.part(from, i))
			from = i + 1
		}
	}
	if from < len(q.Tokens) { // a comma may end the list
		out = append(out, q.part(from, len(q.Tokens)))
	}
	return out
}

// hasStar reports whether an item may expand to several columns: it contains *, t.* or COLUMNS(…), with or without modifiers.
func (q query) hasStar() bool {
	if len(q.Tokens) == 0 || q.Is(0, "*") {
		return true
	}
	for i := range q.top(0) {
		if q.Is(i, "*") && q.Is(i-1, ".") {
			return true
		}
	}
	for i := range q.Tokens {
		if q.Is(i, "columns") && q.Is(i+1, "(") {
			return true
		}
	}
	return false
}

// output reads one item of a select list.
func (q query) output() output {
	expr, name := q.alias()
	agg := expr.agg(maxNesting)
	return output{
		name: name, agg: agg, aggregate: agg != None || expr.isAggregate(), function: expr.function(), end: expr.end(), perGroup: expr.perGroup(),
		plain: expr.plain(),
	}
}

// plain returns the name of the column that the expression is, with or without that of its table, or "".
func (q query) plain() string {
	n := len(q.Tokens)
	if n > 0 && q.Named(n-1) && (n == 1 || n == 3 && q.Is(1, ".") && q.Named(0)) {
		return q.Value(n - 1)
	}
	return ""
}

// alias cuts the name off an item.
func (q query) alias() (expr query, name string) {
	n := len(q.Tokens)
	named := q.Named(n - 1)
	switch {
	case n > 2 && (named || q.Kind(n-1) == sqltext.String) && q.Is(n-2, "as"):
		return q.part(0, n-2), q.Value(n - 1)
	case n == 1 && named, n > 2 && (named || q.Kind(n-1) == sqltext.String) && q.Is(n-2, "."):
		return q, q.Value(n - 1) // a bare column
	case n > 1 && named && !q.Is(n-1, "end", "null", "true", "false") && q.endsOperand(n-2):
		return q.part(0, n-1), q.Value(n - 1)
	}
	return q, ""
}

// endsOperand reports whether token i can be the last of an expression, so that a name after it is its alias.
func (q query) endsOperand(i int) bool {
	if q.Kind(i) != sqltext.Symbol {
		return !q.Is(i, "and", "or", "not", "is", "in", "like", "then", "else", "when", "case", "between", "distinct", "interval")
	}
	return q.Is(i, ")", "]", "}")
}

// agg returns how the values of an expression add up, read from its outermost aggregate. Casts and factors keep it, and COALESCE(…, 0)
// keeps a sum. Sums and differences of sums that are never NULL are sums; other expressions are None.
func (q query) agg(depth int) Agg {
	q = q.unwrap().uncast().unwrap()
	if terms := q.terms(); depth > 0 && len(terms) > 1 {
		for _, term := range terms {
			if term.agg(depth-1) != Sum || !term.neverNull() {
				return None
			}
		}
		return Sum
	}
	if rest, sums := q.unscaled(); depth > 0 && sums {
		return rest.agg(depth - 1)
	}
	if depth == 0 || len(q.Tokens) < 3 || q.Kind(0) != sqltext.Word {
		return None
	}
	end := q.closing(1)
	if end < 0 {
		return None
	}
	args := q.part(2, end)
	if rest := q.part(end+1, len(q.Tokens)); len(rest.Tokens) > 0 {
		// FILTER (…) selects rows to add up. OVER, WITHIN GROUP and operators change the meaning.
		if !rest.Is(0, "filter") || rest.closing(1) != len(rest.Tokens)-1 {
			return None
		}
	}
	switch name := sqltext.Lower(q.Text(0)); name {
	case "cast", "try_cast", "safe_cast":
		for i := range args.top(0) {
			if args.Is(i, "as") {
				return args.part(0, i).agg(depth - 1)
			}
		}
	case "coalesce", "ifnull":
		parts := args.split()
		if len(parts) == 2 && parts[1].isZero() && parts[0].agg(depth-1) == Sum {
			return Sum
		}
	default:
		switch call := aggregates[name]; call.agg {
		case Sum:
			if !args.Is(0, "distinct") {
				return Sum
			}
		case Min, Max:
			return args.single(call)
		}
	}
	return None
}

// terms splits an expression at its plus and minus signs outside of brackets.
func (q query) terms() []query {
	var out []query
	from := 0
	for i := range q.top(0) {
		if q.Is(i, "+", "-") {
			out = append(out, q.part(from, i))
			from = i + 1
		}
	}
	return append(out, q.part(from, len(q.Tokens)))
}

// neverNull reports whether a sum is a number in a group without values too. A difference with a sum that is NULL there is NULL, and would
// lose the other sum of its group when groups are merged.
func (q query) neverNull() bool {
	q = q.unwrap().uncast().unwrap()
	rest, _ := q.unscaled()
	return rest.unwrap().Is(0, "count", "countif", "count_if", "coalesce", "ifnull")
}

// single returns how the values of a call of min or max add up, unless it has a second argument: the result is then a list, or the least of
// several columns in one row.
func (q query) single(call aggregate) Agg {
	if want := len(q.split()); want == 1 || want == 2 && call.guarded {
		return call.agg
	}
	return None
}

// unscaled removes a factor or a divisor that is a number. sums reports whether the values add up as those of rest do: a divisor needs a
// decimal point for that, because several dialects cut off the decimals of quotients of whole numbers, and the sum of these is another
// number.
func (q query) unscaled() (rest query, sums bool) {
	n := len(q.Tokens)
	if n < 3 {
		return q, false
	}
	last := q.Text(n - 1)
	switch {
	case q.Kind(0) == sqltext.Number && q.Is(1, "*"):
		return q.part(2, n), true
	case q.Kind(n-1) != sqltext.Number:
	case q.Is(n-2, "*"):
		return q.part(0, n-2), true
	case q.Is(n-2, "/"):
		return q.part(0, n-2), strings.Contains(last, ".") && strings.ContainsAny(last, "123456789")
	}
	return q, false
}

func (q query) isZero() bool {
	q = q.uncast()
	return len(q.Tokens) == 1 && q.Is(0, "0", "0.0")
}

// uncast removes casts of the form ::type from the end.
func (q query) uncast() query {
	at := len(q.Tokens)
	for i := range q.top(0) {
		switch {
		case q.Is(i, "::"):
			at = min(at, i)
		case i < at, q.Is(i-1, "::"), q.Is(i, "(", "[", "precision", "varying", "with", "without", "time", "zone", "unsigned"):
		default:
			return q // something follows the type
		}
	}
	return q.part(0, at)
}

// isAggregate reports whether the expression is only a call of an aggregate function.
func (q query) isAggregate() bool {
	q = q.unwrap().uncast().unwrap()
	if len(q.Tokens) < 3 || q.Kind(0) != sqltext.Word || q.closing(1) < 0 {
		return false
	}
	for i := range q.Tokens {
		if q.Is(i, "over") {
			return false
		}
	}
	call, ok := aggregates[sqltext.Lower(q.Text(0))]
	return ok && !call.guarded
}

// perGroup reports whether the expression contains an aggregate function, so that its value is computed from several rows. Window functions
// and functions in subqueries do not count.
func (q query) perGroup() bool {
	found := false
	parts := q.parts()
	for i := range q.Tokens {
		switch name := sqltext.Lower(q.Text(i)); {
		case q.Is(i, "over", "select"):
			return false
		case q.Kind(i) != sqltext.Word || parts[i+1] < 0 || q.Is(i-1, "."):
		case (name == "min" || name == "max") && parts[i+1] > 1: // the least of several columns
		default:
			if _, ok := aggregates[name]; ok {
				found = true
			}
		}
	}
	return found
}

// parts counts the arguments of each call: at the position of a ( it has the number of parts into which the commas directly inside that
// bracket divide its content. It is -1 for all other tokens, for an unclosed (, and for the position after the last token. All are counted
// in one pass, because finding the end of each of n nested calls would take n² steps.
func (q query) parts() []int {
	parts := slices.Repeat([]int{-1}, len(q.Tokens)+1)
	var open, commas []int // the brackets around a token, and the commas in each so far
	for i := range q.Tokens {
		switch last := len(open) - 1; {
		case q.Is(i, "(", "[", "{"):
			open, commas = append(open, i), append(commas, 0)
		case last < 0:
		case q.Is(i, ","):
			commas[last]++
		case q.Is(i, ")", "]", "}"):
			if q.Is(open[last], "(") && q.Is(i, ")") {
				parts[open[last]] = commas[last] + 1
				if q.Is(i-1, ",", "(") {
					parts[open[last]]-- // a comma may end a list
				}
			}
			open, commas = open[:last], commas[:last]
		}
	}
	return parts
}

// function returns the aggregate function that the expression calls, in lower case, inside any rounding, casts and factors, such as "avg"
// or "count distinct". It returns "/" if the expression divides by anything but a number, and "" otherwise.
func (q query) function() string {
	for range maxNesting {
		q = q.unwrap().uncast().unwrap()
		if rest, _ := q.unscaled(); len(rest.Tokens) < len(q.Tokens) {
			q = rest
			continue
		}
		for i := range q.top(0) {
			if q.Is(i, "/") && q.Kind(i+1) != sqltext.Number {
				return "/"
			}
		}
		if !q.isAggregate() && q.Is(0, "round", "floor", "ceil", "ceiling", "trunc", "cast", "coalesce", "ifnull") &&
			q.closing(1) == len(q.Tokens)-1 && len(q.Tokens) > 3 {
			q = q.part(2, len(q.Tokens)-1).split()[0]
			for i := range q.top(0) {
				if q.Is(i, "as") {
					q = q.part(0, i)
					break
				}
			}
			continue
		}
		break
	}
	if !q.isAggregate() {
		return ""
	}
	if q.Is(2, "distinct") {
		return sqltext.Lower(q.Text(0)) + " distinct"
	}
	return sqltext.Lower(q.Text(0))
}
