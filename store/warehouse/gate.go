package warehouse

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"service/store/sqltext"
)

// A Gate is what a kind of warehouse is asked: exactly one SELECT statement
// without anything that has an effect which the server's own read-only mode lets
// happen. It is one of two guards. The other is that mode, and a connector never
// goes without it.
//
// What it refuses is a short list. Whatever else a function does is for the
// server to allow: those that a warehouse's owner has made are asked as the
// built-in ones are.
type Gate struct {
	Dialect sqltext.Dialect
	// Starts are the words that a query may begin with, brackets aside; none where
	// the server's own parser is asked first.
	Starts []string
	// Effects are functions, in lower case. A * at the end stands for any ending.
	Effects []string
	// Runs are functions that run SQL which they are given as text. They may be
	// called with plain strings, which pass the gate themselves.
	Runs []string
	// Clause says what is wrong with token i besides functions, if anything is.
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

// called judges token i if it is the name of a function that is called.
func (g Gate) called(q sqltext.Query, i int) error {
	name := q.Value(i)
	switch {
	case !q.Called(i):
	case g.Has(name):
		return q.Error(i, `The function "`+name+`" cannot be used: it does more than read tables.`)
	case listed(g.Runs, name) && !g.plain(q, i+1):
		return q.Error(i, `The function "`+name+`" runs SQL. It can be used with plain strings alone, in which the SQL only reads.`)
	}
	return nil
}

// Has reports whether the function of that name, written without quotes, has
// effects.
func (g Gate) Has(name string) bool { return listed(g.Effects, name) }

// plain reports whether nothing but plain strings and numbers is in the brackets
// that open at token i, and the strings pass the gate.
func (g Gate) plain(q sqltext.Query, i int) bool {
	for i++; i < len(q.Tokens) && !q.Is(i, ")"); i++ {
		switch {
		case q.Kind(i) == sqltext.String && q.Is(i-1, "(", ",") && q.Is(i+1, ",", ")"):
			part := g
			part.Starts = nil // it may be a part of a query, or a name
			inner, err := sqltext.Parse(q.Value(i), g.Dialect)
			if len(inner.Tokens) > 0 && (err != nil || part.judge(inner) != nil) {
				return false
			}
		case q.Kind(i) == sqltext.Number && !strings.HasPrefix(q.Text(i), "$"), q.Is(i, ",", "true", "false", "null"):
		default:
			return false
		}
	}
	return true
}

// listed reports whether name is one of entries. No server tells names apart that
// are equal here: case does not count, nor space at the end, and a character that
// is not ASCII may be any letter, since collations fold ſ to s and é to e.
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
