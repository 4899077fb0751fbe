package dashboard

import (
	"slices"
	"strings"

	"service/store/sqltext"
)

// Tables lists the tables that the spec's SQL reads, as the SQL writes them, in
// the order in which they first occur. It reads the text alone: a view is told,
// and not what stands behind it.
func (s *Spec) Tables() []string {
	out := []string{}
	for _, d := range s.Datasets {
		for _, t := range TablesOf(d.SQL) {
			if !slices.Contains(out, t) {
				out = append(out, t)
			}
		}
	}
	return out
}

// endOfFrom are the words that end the tables of a FROM.
var endOfFrom = []string{
	"where", "group", "having", "order", "limit", "window", "qualify", "union", "intersect", "except", "select", "offset", "fetch",
	"settings", "prewhere", "format",
}

// TablesOf lists the tables of one query, as it writes them: those after FROM and JOIN, but for the names that WITH
// gives and for functions that return rows.
func TablesOf(sql string) []string {
	q := query{sqltext.Read(sql)}
	type level struct {
		selects bool // the parentheses hold a query, or a join in parentheses
		from    bool // between FROM and what ends it
	}
	levels := []level{{selects: true}}
	var out, given []string
	expect := false // a table comes next
	for i := 0; i < len(q.Tokens); i++ {
		top := &levels[len(levels)-1]
		switch {
		case q.Is(i, "("):
			selects := expect || i+1 < len(q.Tokens) && q.Is(i+1, "select", "with", "values", "from")
			expect = expect && !q.Is(i+1, "select", "with", "values", "from")
			levels = append(levels, level{selects: selects, from: expect})
		case q.Is(i, ")"):
			if expect = false; len(levels) > 1 {
				levels = levels[:len(levels)-1]
			}
		case !top.selects:
		case q.Is(i, "from") && !(i > 0 && q.Is(i-1, "distinct")), q.Is(i, "join") && top.from && !q.Is(i-1, "array"):
			top.from, expect = true, true
		case q.Is(i, ",") && top.from:
			expect = true
		case expect && q.Is(i, "lateral", "only", "final"):
		case expect && q.Named(i):
			name, next := q.path(i)
			if expect = false; !q.Is(next, "(") && !slices.Contains(out, name) {
				out = append(out, name)
			}
			i = next - 1
		case q.Is(i, endOfFrom...):
			top.from, expect = false, false
		case q.Named(i) && q.gives(i+1):
			given = append(given, strings.ToLower(q.Value(i)))
		}
	}
	return slices.DeleteFunc(out, func(t string) bool { return slices.Contains(given, strings.ToLower(strings.Trim(t, "`\""))) })
}

// path is the name that begins at token i with what its dots lead to, as it is
// written, and the token after it.
func (q query) path(i int) (name string, next int) {
	name = q.Text(i)
	for i++; i+1 < len(q.Tokens) && q.Is(i, ".") && q.Named(i+1); i += 2 {
		name += "." + q.Text(i+1)
	}
	return name, i
}

// gives reports whether a WITH's "AS (query" begins at token i, after columns or
// not: the name before it is given to a query.
func (q query) gives(i int) bool {
	if q.Is(i, "(") { // columns
		for i++; i < len(q.Tokens) && !q.Is(i, ")"); i++ {
			if !q.Named(i) && !q.Is(i, ",") {
				return false
			}
		}
		i++
	}
	if !q.Is(i, "as") {
		return false
	}
	for i++; q.Is(i, "not", "materialized"); i++ {
	}
	return q.Is(i, "(") && q.Is(i+1, "select", "with", "values", "from")
}
