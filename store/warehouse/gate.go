package warehouse

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"service/store/pattern"
	"service/store/sqltext"
)

// A Gate decides which SQL is sent to a kind of warehouse: exactly one SELECT statement, without
// anything whose effects the server's read-only mode does not prevent. Connectors use it together
// with that mode, never instead of it.
//
// It refuses only the functions of short lists. Connectors that can look up functions of the warehouse's owner or of an extension in the
// server's catalog. Otherwise the server's permissions decide.
type Gate struct {
	Dialect sqltext.Dialect
	// Starts are the words with which a query may begin, after opening brackets. It is empty if the server's own parser checks the query
	// first.
	Starts []string
	// Effects are functions with effects, in lower case. A * at the end matches any ending.
	Effects []string
	// Runs are functions that run SQL from a text. They may be called with literal strings that
	// pass the gate themselves, and have no comments.
	Runs []string
	// Joins are functions that join their arguments to SQL and run that. They may be called with literal strings that are names, numbers or
	// punctuation: other strings may be harmless one by one and harmful when joined.
	Joins []string
	// Clause returns the reason to refuse token i, other than functions, or "".
	Clause func(q sqltext.Query, i int) string
}

// Check returns the tokens of sql, and its text without the semicolons that end
// it. Its errors are [*Error] of class [Refused].
func (g Gate) Check(sql string) (sqltext.Query, error) {
	q, err := sqltext.Parse(sql, g.Dialect)
	if err == nil {
		err = g.judge(q)
	}
	return q, RefuseSQL(err)
}

// RefuseSQL turns an error of [sqltext] into an [*Error], and leaves others alone.
func RefuseSQL(err error) error {
	if bad, ok := errors.AsType[*sqltext.Error](err); ok {
		return &Error{Class: Refused, Message: bad.Message, Line: bad.Line, Column: bad.Column}
	}
	return err
}

func (g Gate) judge(q sqltext.Query) error {
	first := 0
	for q.Is(first, "(") && first < len(q.Tokens)-1 {
		first++
	}
	if len(g.Starts) > 0 && !q.Is(first, g.Starts...) {
		return q.Error(first, SayOneSelect)
	}
	for i := range q.Tokens {
		if g.Clause != nil {
			if message := g.Clause(q, i); message != "" {
				return q.Error(i, message)
			}
		}
		if err := g.called(q, i); err != nil {
			return err
		}
	}
	return nil
}

// called checks token i if it is the name of a called function.
func (g Gate) called(q sqltext.Query, i int) error {
	name := q.Value(i)
	switch {
	case !q.Called(i):
	case g.Has(name):
		return q.Error(i, `The function "`+name+`" cannot be used: it does more than read tables.`)
	case listed(g.Joins, name) && !g.Plain(q, i+1, joinable):
		return q.Error(i, `The function "`+name+`" joins its arguments to SQL. It can be used with plain names alone, such as 'a' or 'a.b'.`)
	case listed(g.Runs, name) && !g.PlainSQL(q, i+1):
		return q.Error(i, `The function "`+name+`" runs SQL. It can be used with plain strings alone, in which the SQL only reads.`)
	}
	return nil
}

// Has reports whether the function with that unquoted name has effects.
func (g Gate) Has(name string) bool { return listed(g.Effects, name) }

// Risky reports whether the function of that name has effects, or runs SQL that it is given.
func (g Gate) Risky(name string) bool {
	return g.Has(name) || listed(g.Runs, name) || listed(g.Joins, name)
}

// RunsText reports whether the function of that name runs the strings that it is called with.
func (g Gate) RunsText(name string) bool { return listed(g.Runs, name) || listed(g.Joins, name) }

// PlainSQL reports whether the brackets that open at token i contain only literal strings and numbers,
// and the strings pass the gate.
func (g Gate) PlainSQL(q sqltext.Query, i int) bool {
	return g.Plain(q, i, func(text string) bool {
		part := g
		part.Starts = nil // the string may be a part of a query, or a name
		inner, err := sqltext.Parse(text, g.Dialect)
		return !inner.Commented && (len(inner.Tokens) == 0 || err == nil && part.judge(inner) == nil)
	})
}

// Plain reports whether the brackets that open at token i contain only literal strings and numbers,
// and fits accepts the strings.
func (g Gate) Plain(q sqltext.Query, i int, fits func(text string) bool) bool {
	for i++; i < len(q.Tokens) && !q.Is(i, ")"); i++ {
		switch {
		case q.Kind(i) == sqltext.String && q.Is(i-1, "(", ",") && q.Is(i+1, ",", ")"):
			if !fits(q.Value(i)) {
				return false
			}
		case q.Kind(i) == sqltext.Number && !strings.HasPrefix(q.Text(i), "$"), q.Is(i, ",", "true", "false", "null"):
		default:
			return false
		}
	}
	return true
}

// joinable reports whether text is only a name, a number or punctuation in SQL, next to any other text: nothing in it ends or begins a
// string, a bracket, a comment, a statement or another word.
func joinable(text string) bool {
	return joinables.MatchString(text) && !strings.Contains(text, "--") && !strings.Contains(text, "/*") &&
		!strings.HasPrefix(text, "*") && !strings.HasSuffix(text, "/") && !strings.HasPrefix(text, "-") && !strings.HasSuffix(text, "-")
}

var joinables = pattern.New(`^([\pL\pN_]|"[\pL\pN_ ]+"|[./@~|<=>-])*$`)

// listed reports whether name matches one of entries. It matches every spelling that some server treats as the same name: in any case, with
// spaces at the end, and with any character outside ASCII in place of a letter, because some collations treat ſ as s and é as e.
func listed(entries []string, name string) bool {
	name = strings.TrimRight(name, " ")
	return slices.ContainsFunc(entries, func(entry string) bool {
		entry, open := strings.CutSuffix(entry, "*")
		at := 0
		for _, r := range sqltext.Lower(name) {
			switch {
			case at == len(entry):
				return open
			case r < utf8.RuneSelf && byte(r) != entry[at]:
				return false
			}
			at++
		}
		return at == len(entry)
	})
}
