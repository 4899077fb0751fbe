package dashboard

import (
	"slices"
	"strings"

	"service/store/sqltext"
)

// Tables lists the tables that the spec's SQL reads, as written, in the order in which they first occur. It reads only the text: it lists a
// view, not the tables of the view.
func (s *Spec) Tables() []string {
	out := []string{}
	for _, d := range s.Datasets {
		if len(d.From) > 0 { // its tables are datasets
			continue
		}
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

// TablesOf lists the tables of one query, as written: those after FROM and JOIN, without the names of WITH and without functions that
// return rows.
func TablesOf(sql string) []string {
	q := query{sqltext.Read(sql)}
	type level struct {
		selects bool // the parentheses hold a query, or a join in parentheses
		from    bool // between FROM and its end
	}
	levels := []level{{selects: true}}
	var out, given []string
	expect := false // a table is next
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

// path returns the dotted name that begins at token i, as written, and the token after it.
func (q query) path(i int) (name string, next int) {
	name = q.Text(i)
	for i++; i+1 < len(q.Tokens) && q.Is(i, ".") && q.Named(i+1); i += 2 {
		name += "." + q.Text(i+1)
	}
	return name, i
}

// gives reports whether the "AS (query" of a WITH begins at token i, possibly after columns, so that the name before it is the name of a
// query.
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
