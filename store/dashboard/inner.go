package dashboard

import (
	"strings"
	"sync"

	"service/store/sqltext"
)

// maxInner is for how many SELECTs of one query the columns are followed.
const maxInner = 100

// innerColumns are the columns of all SELECTs of a query, by name in lower case: those of its WITH clause, of subqueries, and of the parts
// of a UNION. A column is followed by its name alone, so that one of another table with the same name counts as well.
type innerColumns map[string][]output

// maxKeptInner is the size of the SQL, in bytes, up to which its columns are kept with a spec. They take some tens of times as much memory.
const maxKeptInner = 8 << 10

// keptInner keeps the columns of one query: every page that is drawn of a spec asks for them, and to read them takes longer than all else
// that a small page needs of its SQL. A nil keptInner keeps nothing.
type keptInner struct {
	once    sync.Once
	columns innerColumns
}

// read returns [readInner] of sql, which is the same each time. The columns must not be changed.
func (k *keptInner) read(sql string) innerColumns {
	if k == nil || len(sql) > maxKeptInner {
		return readInner(sql)
	}
	k.once.Do(func() { k.columns = readInner(sql) })
	return k.columns
}

// readInner reads the columns of all SELECTs. It returns nil if there are too many.
func readInner(sql string) innerColumns {
	if len(sql) > maxSelect {
		return nil
	}
	q := query{sqltext.Read(sql)}
	var selects, depths, within []int // within: the bracket that is open at a SELECT, or -1
	open := []int{-1}
	for i := range q.Tokens {
		switch {
		case q.Is(i, "("):
			open = append(open, i)
		case q.Is(i, ")"):
			open = open[:max(len(open)-1, 1)]
		case q.Is(i, "select") && !q.isName(i):
			selects, depths, within = append(selects, i), append(depths, len(open)-1), append(within, open[len(open)-1])
			if len(selects) > maxInner {
				return nil
			}
		}
	}
	out, first := innerColumns{}, map[int][]output{} // by depth: the columns of the first part of a UNION
	for n, at := range selects {
		outputs := q.outputsFrom(at + 1)
		united := q.Is(at-1, "union", "intersect", "except", "minus") ||
			q.Is(at-1, "all", "distinct") && q.Is(at-2, "union", "intersect", "except")
		if names := first[depths[n]]; united {
			for i := range outputs {
				if i < len(names) {
					outputs[i].name = names[i].name
				}
			}
		} else {
			first[depths[n]] = outputs
		}
		for i, name := range q.renamed(within[n]) {
			if i < len(outputs) && !strings.EqualFold(name, outputs[i].name) {
				o := outputs[i]
				o.name = name
				outputs = append(outputs, o)
			}
		}
		for _, o := range outputs {
			name := sqltext.Lower(o.name)
			out[name] = append(out[name], o)
		}
	}
	return out
}

// renamed returns the names that a list gives to the columns of the SELECT in the bracket that opens at a token: WITH t(a, b) AS
// (SELECT …), or FROM (SELECT …) AS t(a, b).
func (q query) renamed(open int) []string {
	if open < 0 {
		return nil
	}
	from, to := -1, -1
	if at := open - 1; q.Is(at, "as", "materialized") {
		for q.Is(at, "as", "not", "materialized") {
			at--
		}
		for to = at; q.Is(to, ")") && at > 0 && !q.Is(at, "("); {
			at--
		}
		from = at
	} else if q.Is(at, "from", "join", "lateral") {
		from = q.closing(open) + 1
		if q.Is(from, "as") {
			from++
		}
		from++ // the name of the table
		to = q.closing(from)
	}
	if from < 0 || to <= from {
		return nil
	}
	var out []string
	for _, item := range q.part(from+1, to).split() {
		out = append(out, item.plain())
	}
	return out
}

// outputsFrom reads the select list that begins at a token.
func (q query) outputsFrom(from int) []output {
	if q.Is(from, "all", "distinct") {
		from++
	}
	to := from
	for i := range q.top(from) {
		if !q.isName(i) && q.Is(i, "from", "where", "group", "union", "intersect", "except", "order", "limit") {
			break
		}
		to = i + 1
		if closing := q.closing(i); closing > 0 {
			to = closing + 1
		}
	}
	var out []output
	for _, item := range q.part(from, min(to, len(q.Tokens))).split() {
		if item.hasStar() {
			out = append(out, output{})
			continue
		}
		out = append(out, item.output())
	}
	return out
}

// end returns which of several times of a column represents them, as [query.end] does: the column is followed through SELECTs that pass it
// on. It is None if they do not agree, and "" if an expression does not show it.
func (in innerColumns) end(column string) Agg {
	names := []string{sqltext.Lower(column)} // which the column has or gets from
	seen := map[string]bool{names[0]: true}
	end := Agg("")
	for i := 0; i < len(names); i++ {
		for _, o := range in[names[i]] {
			of, plain := o.end, sqltext.Lower(o.plain)
			switch {
			case of != "" || o.perGroup || o.aggregate:
				switch {
				case of == "":
					return ""
				case end != "" && end != of:
					of = None
				}
				end = of
			case plain != "" && !seen[plain]:
				seen[plain] = true
				names = append(names, plain)
			}
		}
	}
	return end
}
