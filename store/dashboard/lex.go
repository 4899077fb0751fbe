package dashboard

import (
	"iter"
	"strings"
	"unicode/utf8"
)

// A tokenKind says what a piece of SQL is.
type tokenKind int

const (
	wordToken   tokenKind = iota
	nameToken             // a quoted name
	stringToken           // dollar-quoted ones included
	numberToken
	opToken // one character, or ::
	commentToken
	holeToken // {{…}}
)

// A token is a piece of SQL: sql[from:to].
type token struct {
	kind     tokenKind
	from, to int
}

// lex cuts SQL of any dialect into tokens. It never fails: what is not closed
// reaches to the end.
//
// Dialects disagree on backslashes in strings and on # comments. The standard
// is tried first; when that leaves a string open, what MySQL and ClickHouse
// mean is tried, and kept if it closes.
func lex(sql string) iter.Seq[token] {
	mysql := !closes(sql, false) && closes(sql, true)
	return func(yield func(token) bool) {
		(&lexer{sql: sql, backslash: mysql}).run(yield)
	}
}

// closes reports whether every string and comment ends.
func closes(sql string, backslash bool) bool {
	l := lexer{sql: sql, backslash: backslash}
	l.run(func(token) bool { return true })
	return !l.open
}

// code returns the tokens of sql without comments.
func code(sql string) []token {
	var out []token
	for t := range lex(sql) {
		if t.kind != commentToken {
			out = append(out, t)
		}
	}
	return out
}

type lexer struct {
	sql       string
	backslash bool // escapes in strings, and # comments
	at        int
	last      token
	open      bool // something is not closed
	flat      bool // comments are not nested, as was seen
	lone      int  // dollar signs that begin no string
}

func (l *lexer) run(yield func(token) bool) {
	for l.at < len(l.sql) {
		from := l.at
		kind, ok := l.next()
		if !ok {
			continue
		}
		l.last = token{kind, from, l.at}
		if !yield(l.last) {
			return
		}
	}
}

// next moves behind one token; it reports false for space.
func (l *lexer) next() (tokenKind, bool) {
	rest := l.sql[l.at:]
	c := rest[0]
	switch {
	case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v':
		l.at++
		return 0, false
	case strings.HasPrefix(rest, "--"), c == '#' && l.backslash:
		l.at = l.until("\n", l.at)
		return commentToken, true
	case strings.HasPrefix(rest, "/*"):
		l.block()
		return commentToken, true
	case strings.HasPrefix(rest, "{{"):
		l.hole()
		return holeToken, true
	case c == '\'':
		l.string(c, l.backslash || l.afterE())
		return stringToken, true
	case c == '"' || c == '`':
		l.string(c, l.backslash)
		return nameToken, true
	case c == '$' && l.dollar():
		return stringToken, true
	case isDigit(c) || c == '.' && len(rest) > 1 && isDigit(rest[1]):
		l.span(func(c byte) bool { return isWord(c) || c == '.' })
		return numberToken, true
	case isWord(c):
		l.span(func(c byte) bool { return isWord(c) || c == '$' })
		return wordToken, true
	case strings.HasPrefix(rest, "::"):
		l.at += 2
		return opToken, true
	}
	l.at++
	return opToken, true
}

// until returns the position behind the next end, or the end of the SQL.
func (l *lexer) until(end string, from int) int {
	if i := strings.Index(l.sql[from:], end); i >= 0 {
		return from + i + len(end)
	}
	return len(l.sql)
}

// block moves behind a comment, in which others may be nested. Once they turn
// out not to be closed, the first end counts from there on.
func (l *lexer) block() {
	from, depth := l.at, 0
	for !l.flat && l.at < len(l.sql) {
		switch {
		case strings.HasPrefix(l.sql[l.at:], "/*"):
			depth++
			l.at += 2
		case strings.HasPrefix(l.sql[l.at:], "*/"):
			depth--
			l.at += 2
			if depth == 0 {
				return
			}
		default:
			l.at++
		}
	}
	l.flat = true
	end := strings.Index(l.sql[from+2:], "*/")
	if end < 0 {
		l.at, l.open = len(l.sql), true
		return
	}
	l.at = from + 2 + end + 2
}

// string moves behind a string or quoted name; a doubled quote is part of it.
func (l *lexer) string(quote byte, backslash bool) {
	for l.at++; l.at < len(l.sql); l.at++ {
		switch c := l.sql[l.at]; {
		case c == '\\' && backslash:
			l.at++
		case c == quote && l.at+1 < len(l.sql) && l.sql[l.at+1] == quote:
			l.at++
		case c == quote:
			l.at++
			return
		}
	}
	l.at = len(l.sql)
	l.open = true
}

// afterE reports whether a string follows the E of E'…' directly.
func (l *lexer) afterE() bool {
	last := l.sql[l.last.from:l.last.to]
	return l.last.kind == wordToken && l.last.to == l.at && strings.EqualFold(last, "e")
}

// maxLone is how many dollar signs are followed to the end of the SQL in search
// of their partner.
const maxLone = 100

// dollar moves behind a $tag$…$tag$ string, if there is one.
func (l *lexer) dollar() bool {
	end := l.at + 1
	for end < len(l.sql) && isWord(l.sql[end]) {
		end++
	}
	if end == len(l.sql) || l.sql[end] != '$' || isDigit(l.sql[l.at+1]) || l.lone > maxLone {
		return false
	}
	tag := l.sql[l.at : end+1]
	closing := strings.Index(l.sql[end+1:], tag)
	if closing < 0 {
		l.lone++
		return false
	}
	l.at = end + 1 + closing + len(tag)
	return true
}

// hole moves behind {{…}}. One that is not closed on its line is only
// its opening braces.
func (l *lexer) hole() {
	l.at += 2
	rest := l.sql[l.at:]
	if end := strings.IndexAny(rest, "{}\n"); end >= 0 && strings.HasPrefix(rest[end:], "}}") {
		l.at += end + 2
	}
}

func (l *lexer) span(in func(byte) bool) {
	for l.at < len(l.sql) && in(l.sql[l.at]) {
		l.at++
	}
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isWord reports whether c can be part of a bare name. All of a multi-byte
// character can.
func isWord(c byte) bool {
	return isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= utf8.RuneSelf
}
