package postgres

import (
	"maps"
	"strings"
	"unicode/utf8"

	"service/store/pattern"
	"service/store/sqltext"
)

// mentions are the names in a piece of SQL that the server could look up in its catalog, folded as the server folds them.
type mentions struct {
	calls     map[string]bool // followed by a bracket
	fields    map[string]bool // preceded by a dot: v.f is f(v) where v has no such column
	words     map[string]bool // all names, including these
	operators map[string]bool // and their parts
	anyView   bool            // it reads tables or views whose names it computes
	anyType   bool            // it reads values of types whose names it computes
}

func newMentions() mentions {
	return mentions{calls: map[string]bool{}, fields: map[string]bool{}, words: map[string]bool{}, operators: map[string]bool{}}
}

// mentionsOf returns the names in q, and those in its strings if q calls a function that reads names or SQL in them.
func mentionsOf(q sqltext.Query) mentions {
	m := newMentions()
	m.add(q)
	return m
}

var (
	// readsTables matches functions that read the tables or views named by their arguments.
	readsTables = pattern.New(`^((table|schema|database|cursor)_to_xml|standardize_address$)`)
	// readsValues matches functions that read a text as a value of the type named by their arguments.
	readsValues = pattern.New(`^(pg_input_|(domain|array|record|range|multirange)_in$)`)
	readsAll    = pattern.New(`^(schema|database)_to_xml`) // tables and views
)

// readsStrings reports whether q calls a function that runs its strings, or reads them as names.
func readsStrings(q sqltext.Query) bool {
	for i := range q.Tokens {
		if !q.Called(i) {
			continue
		}
		for _, name := range folded(q, i) {
			if gate.RunsText(name) || readsTables.MatchString(name) || readsValues.MatchString(name) {
				return true
			}
		}
	}
	return false
}

// reach reports whether the call of a function of that name at token i may read any view of the database, or a value of any of its types,
// because its arguments are not literal names.
func reach(q sqltext.Query, i int, name string) (anyView, anyType bool) {
	if !q.Called(i) {
		return false, false
	}
	return readsTables.MatchString(name) && (readsAll.MatchString(name) || !plainNames(q, i+1)),
		readsValues.MatchString(name) && !plainNames(q, i+1)
}

// plainNames reports whether the brackets that open at token i contain only constants whose strings are literal names: not concatenated,
// without escapes, and not oids.
func plainNames(q sqltext.Query, i int) bool {
	for i++; i < len(q.Tokens) && !q.Is(i, ")"); i++ {
		switch {
		case q.Kind(i) == sqltext.String && q.Is(i-1, "(", ",") && q.Is(i+1, ",", ")", "::") && plainName.MatchString(q.Value(i)):
		case q.Is(i, "::") && q.Is(i+1, "regclass", "regtype", "text", "cstring", "name"):
			i++
		case q.Is(i, ",", "true", "false", "null"):
		default:
			return false
		}
	}
	return true
}

// part matches a part of a name in SQL.
const part = `([\pL_][\pL\pN_$]*|"([^"]|"")+")`

// plainName matches the name of a table or type, and an empty string.
var plainName = pattern.New(`^(|` + part + `(\.` + part + `)*(\[\])*)$`)

// add adds the names in q.
func (m *mentions) add(q sqltext.Query) {
	for i := range q.Tokens {
		if !q.Named(i) {
			continue
		}
		for _, name := range folded(q, i) {
			m.words[name] = true
			m.calls[name] = m.calls[name] || q.Called(i)
			m.fields[name] = m.fields[name] || q.Is(i-1, ".")
			views, types := reach(q, i, name)
			m.anyView, m.anyType = m.anyView || views, m.anyType || types
		}
	}
	for from := 0; from < len(q.Tokens); from++ {
		to := from
		for to < len(q.Tokens) && operates(q, to) && (to == from || q.Tokens[to].From == q.Tokens[to-1].To) {
			to++
		}
		if to > from {
			run := q.SQL[q.Tokens[from].From:q.Tokens[to-1].To]
			for i := range min(len(run), 64) {
				for j := i + 1; j <= min(len(run), 64); j++ {
					m.operators[run[i:j]] = true
				}
			}
			from = to - 1
		}
	}
	if readsStrings(q) {
		for i := range q.Tokens {
			if q.Kind(i) == sqltext.String {
				m.add(sqltext.Read(q.Value(i)))
			}
		}
	}
}

func operates(q sqltext.Query, i int) bool {
	return q.Kind(i) == sqltext.Symbol && strings.ContainsAny(q.Text(i), "+-*/<>=~!@#%^&|`?")
}

// folded returns the name at token i as the server reads it: in lower case if it is not quoted, and cut after 63 bytes. Servers with some
// encodings also fold letters outside ASCII, so it returns two names if that makes a difference.
func folded(q sqltext.Query, i int) []string {
	name := q.Value(i)
	if q.Kind(i) == sqltext.Word {
		name = sqltext.Lower(name)
	}
	names := []string{clip(name)}
	if lower := clip(strings.ToLower(name)); q.Kind(i) == sqltext.Word && lower != names[0] {
		names = append(names, lower)
	}
	return names
}

// clip cuts a name as the server does.
func clip(name string) string {
	const most = 63
	if len(name) <= most {
		return name
	}
	end := most
	for end > 0 && !utf8.RuneStart(name[end]) {
		end--
	}
	return name[:end]
}

// join adds the names of more.
func (m *mentions) join(more mentions) {
	maps.Copy(m.calls, more.calls)
	maps.Copy(m.fields, more.fields)
	maps.Copy(m.words, more.words)
	maps.Copy(m.operators, more.operators)
	m.anyView, m.anyType = m.anyView || more.anyView, m.anyType || more.anyType
}
