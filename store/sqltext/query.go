package sqltext

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// An Error describes a fault of SQL to its author, in one or two sentences, with its position: line and column are from 1, the column in
// characters. Both are 0 if there is no position.
type Error struct {
	Message      string
	Line, Column int
}

func (e *Error) Error() string { return e.Message }

// At returns an [Error] about the text at a byte of sql.
func At(sql string, at int, message string) *Error {
	line, column := Position(sql, at)
	return &Error{message, line, column}
}

// Position converts an offset in bytes to line and column, in characters, from 1. They are 0 for an offset outside of sql.
func Position(sql string, at int) (line, column int) {
	if at < 0 || at > len(sql) {
		return 0, 0
	}
	before := sql[:at]
	start := strings.LastIndexByte(before, '\n') + 1
	return strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[start:]) + 1
}

// A Query is SQL and its tokens, or a part of them, without comments.
type Query struct {
	SQL       string
	Tokens    []Token
	Commented bool // the SQL contains comments
}

// Read splits SQL of any dialect into tokens, like [Tokens] but without comments.
func Read(sql string) Query {
	q := Query{SQL: sql}
	for t := range Tokens(sql) {
		q.add(t)
	}
	return q
}

// add appends a token, unless it is a comment. A large slice that append grows gets a quarter more each time, which takes five times the
// memory of the result, and new memory takes longer than reading the SQL. Twice as much each time takes two times that memory. No more
// tokens can follow than the SQL has bytes left.
func (q *Query) add(t Token) {
	if t.Kind == Comment {
		q.Commented = true
		return
	}
	if len(q.Tokens) == cap(q.Tokens) {
		q.Tokens = slices.Grow(q.Tokens, min(max(len(q.Tokens), len(q.SQL)/8), len(q.SQL)-t.From))
	}
	q.Tokens = append(q.Tokens, t)
}

// Parse splits one statement into tokens and drops the semicolons at its end. It fails with an [Error] if there are several statements or
// no statement, or if a server might read the text differently from d.
func Parse(sql string, d Dialect) (Query, error) {
	q := Query{SQL: sql}
	if !utf8.ValidString(sql) {
		return q, &Error{Message: "The SQL is not valid UTF-8."}
	}
	l := lexer{sql: sql, d: d}
	l.run(func(t Token) bool {
		q.add(t)
		return l.err == nil
	})
	if l.err != nil {
		return q, l.err
	}
	for q.Is(len(q.Tokens)-1, ";") {
		last := len(q.Tokens) - 1
		q.SQL, q.Tokens = q.SQL[:q.Tokens[last].From], q.Tokens[:last]
	}
	if len(q.Tokens) == 0 {
		return q, &Error{Message: "The SQL is empty."}
	}
	for i := range q.Tokens {
		if q.Is(i, ";") {
			return q, q.Error(i, OneSelect)
		}
	}
	return q, nil
}

// OneSelect refuses several statements, and statements other than SELECT.
const OneSelect = "Only one SELECT statement can be run, and it may only read."

// Error returns an [Error] about token i, or about the end of the SQL.
func (q Query) Error(i int, message string) *Error {
	at := len(q.SQL)
	if i < len(q.Tokens) {
		at = q.Tokens[i].From
	}
	return At(q.SQL, at, message)
}

// Part returns the tokens from index from up to, but not including, to.
func (q Query) Part(from, to int) Query {
	q.Tokens = q.Tokens[from:to]
	return q
}

// Kind returns the kind of token i, or [Symbol] for an index out of range.
func (q Query) Kind(i int) Kind {
	if i < 0 || i >= len(q.Tokens) {
		return Symbol
	}
	return q.Tokens[i].Kind
}

// Text returns token i as written.
func (q Query) Text(i int) string { return q.SQL[q.Tokens[i].From:q.Tokens[i].To] }

// Is reports whether there is a token i that is one of words, which are in lower case, numbers or symbols. It returns false for quoted
// tokens. The comparison ignores the case of ASCII letters only: the long s is not an S.
func (q Query) Is(i int, words ...string) bool {
	if i < 0 || i >= len(q.Tokens) {
		return false
	}
	switch q.Tokens[i].Kind {
	case Word, Symbol, Number:
		text := q.Text(i)
		return slices.ContainsFunc(words, func(w string) bool { return equal(text, w) })
	}
	return false
}

// Named reports whether token i is a name, which includes keywords.
func (q Query) Named(i int) bool { return i >= 0 && (q.Kind(i) == Word || q.Kind(i) == Name) }

// Called reports whether token i is a name before a bracket.
func (q Query) Called(i int) bool { return q.Named(i) && q.Is(i+1, "(") }

// Value returns token i without its quotes. A doubled quote in it becomes one; the caller must interpret backslashes.
func (q Query) Value(i int) string {
	s := q.Text(i)
	if k := q.Kind(i); k != Name && k != String || len(s) < 2 {
		return s
	}
	if s[0] == '$' {
		tag := s[:strings.IndexByte(s[1:], '$')+2]
		return strings.TrimSuffix(s[len(tag):], tag)
	}
	mark := s[:1]
	return strings.ReplaceAll(strings.TrimSuffix(s[1:], mark), mark+mark, mark)
}

// Lower folds ASCII letters to lower case, and leaves other characters unchanged.
func Lower(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r - 'A' + 'a'
		}
		return r
	}, s)
}

// equal reports whether text equals lower, without regard to the case of ASCII letters.
func equal(text, lower string) bool {
	if len(text) != len(lower) {
		return false
	}
	for i := range len(text) {
		if c := text[i]; c != lower[i] && (c < 'A' || c > 'Z' || c+'a'-'A' != lower[i]) {
			return false
		}
	}
	return true
}
