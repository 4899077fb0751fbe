package sqltext

import (
	"iter"
	"strings"
	"unicode/utf8"

	"service/store/pattern"
)

// A Kind is the kind of a token.
type Kind byte

// The kinds of tokens. White space is not a token.
const (
	Word    Kind = iota // a keyword or a name
	Name                // a name in quotes
	String              // a string in quotes, including dollar quotes
	Number              // a number, or $1 if that is a parameter
	Symbol              // one character, or ::
	Comment             // left out by [Parse]
	Hole                // {{…}}
)

// A Token is a piece of SQL: sql[From:To].
type Token struct {
	Kind     Kind
	From, To int // in bytes
}

// A Dialect has the lexical differences of servers. The zero value is standard SQL.
type Dialect struct {
	Hash         bool // # begins a comment
	DashSpace    bool // -- begins a comment only before white space
	Nested       bool // comments nest, and the server executes none of them
	NoSlashes    bool // // is refused: some servers of the dialect read it as a comment
	DoubleString bool // "…" is a string, not a name
	Escapes      bool // a backslash escapes in strings
	EscapedNames bool // a backslash escapes in quoted names
	EStrings     bool // a backslash escapes in E'…', and U&"…" is refused
	Dollars      bool // $tag$…$tag$ is a string, and $1 a parameter
	Triple       bool // '''…''' is a string too, and a doubled quote is not one within it
	Upper        bool // bare names are folded to upper case, and shown in lower case here
	Holes        bool // {{…}} is a placeholder
	Spark        bool // r'…', which has no escapes, and comments that end with a backslash, which continue, are refused
	ASCII        bool // other characters outside of quotes and comments are refused
}

// The dialects of the warehouses.
var (
	Postgres   = Dialect{Nested: true, EStrings: true, Dollars: true}
	MySQL      = Dialect{Hash: true, DashSpace: true, DoubleString: true, Escapes: true}
	ClickHouse = Dialect{Hash: true, NoSlashes: true, Escapes: true, EscapedNames: true, ASCII: true}
	BigQuery   = Dialect{Hash: true, DoubleString: true, Escapes: true, EscapedNames: true, Triple: true, ASCII: true}
	Snowflake  = Dialect{NoSlashes: true, Escapes: true, Upper: true, ASCII: true}
	Trino      = Dialect{ASCII: true}
	Databricks = Dialect{DoubleString: true, Escapes: true, Spark: true, ASCII: true}
)

// standard and backslashed are the dialects that [Tokens] tries.
var (
	standard    = Dialect{Nested: true, EStrings: true, Dollars: true, Holes: true}
	backslashed = Dialect{Nested: true, EStrings: true, Dollars: true, Holes: true, Hash: true, Escapes: true, EscapedNames: true}
)

// Tokens splits SQL of any dialect into tokens, including comments and {{…}}. It never fails: an unclosed token extends to the end.
//
// Dialects differ in backslashes in strings and in # comments. It tries the standard first. If a token is unclosed then, it tries the rules
// of MySQL and ClickHouse, and keeps these if every token is closed.
func Tokens(sql string) iter.Seq[Token] {
	d := standard
	if !closes(sql, standard) && closes(sql, backslashed) {
		d = backslashed
	}
	return func(yield func(Token) bool) {
		l := lexer{sql: sql, d: d}
		l.run(yield)
	}
}

// closes reports whether every string and comment is closed.
func closes(sql string, d Dialect) bool {
	l := lexer{sql: sql, d: d}
	l.run(func(Token) bool { return true })
	return !l.open
}

// A lexer is the state of reading SQL.
type lexer struct {
	sql  string
	d    Dialect
	at   int
	last Token
	open bool   // something is not closed
	flat bool   // a nested comment did not close, so comments do not nest
	lone int    // dollar signs that do not begin a string
	err  *Error // the first place that could be read in two ways
}

func (l *lexer) run(yield func(Token) bool) {
	for l.at < len(l.sql) {
		from := l.at
		kind, ok := l.next()
		if !ok {
			continue
		}
		l.last = Token{kind, from, l.at}
		if !yield(l.last) {
			return
		}
	}
}

// doubt records the first reason why [Parse] refuses the SQL.
func (l *lexer) doubt(at int, message string) {
	if l.err == nil {
		l.err = At(l.sql, at, message)
	}
}

// next moves past one token; it returns false for white space.
func (l *lexer) next() (Kind, bool) {
	rest := l.sql[l.at:]
	c := rest[0]
	switch {
	case c == ' ', c == '\t', c == '\n', c == '\r':
		l.at++
		return 0, false
	case c < ' ', c == 0x7f:
		l.doubt(l.at, "The SQL has a control character. Pass values that need one as parameters.")
		l.at++
		return Symbol, c != '\f' && c != '\v'
	case strings.HasPrefix(rest, "--") && (!l.d.DashSpace || len(rest) == 2 || rest[2] <= ' ' || rest[2] == 0x7f), c == '#' && l.d.Hash:
		l.line()
		return Comment, true
	case strings.HasPrefix(rest, "/*"):
		l.block()
		return Comment, true
	case strings.HasPrefix(rest, "//") && l.d.NoSlashes:
		l.doubt(l.at, "The SQL has // in it, where the server reads a comment. Begin comments with --.")
	case strings.HasPrefix(rest, "{{") && l.d.Holes:
		l.hole()
		return Hole, true
	case l.d.Triple && (strings.HasPrefix(rest, "'''") || strings.HasPrefix(rest, `"""`)):
		l.triple(rest[:3])
		return String, true
	case c == '\'', c == '"' && l.d.DoubleString:
		if l.d.Spark && l.last.To == l.at && equal(l.sql[l.last.From:l.last.To], "r") {
			l.doubt(l.at, "The SQL has a raw string. Write it without r, and each backslash twice.")
		}
		l.quoted(c, l.d.Escapes || l.d.EStrings && l.afterE())
		return String, true
	case c == '"' && l.d.EStrings && afterU.MatchString(l.sql[max(0, l.at-3):l.at]):
		l.doubt(l.at, `The SQL has a name in U&"…". Write it with its own characters.`)
		fallthrough
	case c == '"', c == '`':
		l.quoted(c, l.d.EscapedNames)
		return Name, true
	case c == '$':
		return l.dollar(), true
	case isDigit(c), c == '.' && len(rest) > 1 && isDigit(rest[1]):
		l.number()
		return Number, true
	case isWord(c):
		l.word()
		return Word, true
	case c == '\\':
		l.doubt(l.at, "The SQL has a backslash outside of quotes.")
	case strings.HasPrefix(rest, "::"):
		l.at++
	}
	l.at++
	return Symbol, true
}

// afterE reports whether a string follows the E of E'…' directly.
func (l *lexer) afterE() bool { return l.last.To == l.at && equal(l.sql[l.last.From:l.last.To], "e") }

// afterU matches the U& before the name in U&"…".
var afterU = pattern.New(`(^|[^A-Za-z0-9_$\x80-\xff])[Uu]&$`)

// line moves past a comment that ends with its line. Servers disagree on whether a carriage return ends one.
func (l *lexer) line() {
	from := l.at
	body, _, ended := strings.Cut(l.sql[from:], "\n")
	l.at += len(body)
	if ended {
		l.at++
	}
	if i := strings.IndexFunc(body, func(r rune) bool { return isControl(r) && r != '\r' }); i >= 0 {
		l.doubt(from+i, "The SQL has a control character in a comment.")
	} else if i := strings.IndexByte(strings.TrimRight(body, "\r"), '\r'); i >= 0 {
		l.doubt(from+i, "The SQL has a carriage return in a comment.")
	} else if l.d.Spark && strings.HasSuffix(strings.TrimRight(body, "\r"), `\`) {
		l.doubt(from, "The SQL has a comment that ends with a backslash. Leave that out.")
	}
}

// block moves past a comment, which may contain nested ones. Once nested comments turn out not to be closed, later comments end at their
// first end mark.
func (l *lexer) block() {
	from := l.at
	l.at = l.end(from)
	body := strings.TrimSuffix(l.sql[from+2:l.at], "*/")
	switch {
	case l.open, l.flat:
		l.doubt(from, "The SQL has a comment that does not end.")
	case l.d.Nested:
	case strings.Contains(body, "/*"):
		l.doubt(from, "The SQL has a comment in a comment. Leave one out.")
	case strings.HasPrefix(body, "!"), strings.HasPrefix(body, "M!"), strings.HasPrefix(body, "+"):
		l.doubt(from, "The SQL has a comment that the server executes, which is not allowed. Leave it out.")
	}
	if strings.ContainsFunc(body, func(r rune) bool { return isControl(r) && r != '\r' && r != '\n' }) {
		l.doubt(from, "The SQL has a control character in a comment.")
	}
}

// end returns the end of the comment that begins at from.
func (l *lexer) end(from int) int {
	for at, depth := from, 0; l.d.Nested && !l.flat && at < len(l.sql); {
		switch {
		case strings.HasPrefix(l.sql[at:], "/*"):
			depth++
			at += 2
		case strings.HasPrefix(l.sql[at:], "*/"):
			depth--
			at += 2
			if depth == 0 {
				return at
			}
		default:
			at++
		}
	}
	l.flat = l.d.Nested
	end := strings.Index(l.sql[from+2:], "*/")
	if end < 0 {
		l.open = true
		return len(l.sql)
	}
	return from + 2 + end + 2
}

// triple moves past a string in triple quotes. A raw string, r'…', is read like others: a quote after a backslash does not end it.
func (l *lexer) triple(mark string) {
	from := l.at
	for l.at += len(mark); l.at < len(l.sql); l.at++ {
		switch {
		case l.sql[l.at] == 0:
			l.doubt(l.at, "The SQL has a NUL character. Pass values that need one as parameters.")
		case l.sql[l.at] == '\\':
			l.at++
		case strings.HasPrefix(l.sql[l.at:], mark):
			l.at += len(mark)
			return
		}
	}
	l.at = len(l.sql)
	l.unclosed(from)
}

// quoted moves past a string or a quoted name. A doubled quote does not end it, except in dialects with triple quotes.
func (l *lexer) quoted(quote byte, escapes bool) {
	from := l.at
	for l.at++; l.at < len(l.sql); l.at++ {
		switch c := l.sql[l.at]; {
		case c == 0:
			l.doubt(l.at, "The SQL has a NUL character. Pass values that need one as parameters.")
		case c == '\\' && escapes:
			l.at++
		case c == quote && !l.d.Triple && l.at+1 < len(l.sql) && l.sql[l.at+1] == quote:
			l.at++
		case c == quote:
			l.at++
			return
		}
	}
	l.at = len(l.sql)
	l.unclosed(from)
}

func (l *lexer) unclosed(from int) {
	l.open = true
	l.doubt(from, "The SQL has quotes that do not end.")
}

// maxLone is the number of unpaired dollar signs for which the rest of the SQL is searched.
const maxLone = 100

// dollar moves past a $tag$…$tag$ string, or $1, or else a single dollar sign.
func (l *lexer) dollar() Kind {
	from := l.at
	end := from + 1
	for end < len(l.sql) && isWord(l.sql[end]) {
		end++
	}
	number := end > from+1 && isDigit(l.sql[from+1])
	switch {
	case l.d.Dollars && number:
		l.at++
		l.number()
		return Number
	case l.d.Dollars && end < len(l.sql) && l.sql[end] == '$' && l.lone <= maxLone:
		tag := l.sql[from : end+1]
		if body, _, closed := strings.Cut(l.sql[end+1:], tag); closed {
			l.at = end + 1 + len(body) + len(tag)
			if strings.ContainsRune(body, 0) {
				l.doubt(from, "The SQL has a NUL character. Pass values that need one as parameters.")
			}
			return String
		}
		l.lone++
		l.doubt(from, "The SQL has quotes that do not end.")
	}
	l.doubt(from, "The SQL has a $ where a name or a value begins. Write names in quotes, and strings in single ones.")
	l.at++
	return Symbol
}

// digits returns the length of the number that text begins with, or 0. An underscore may separate digits.
func digits(text string) int {
	if len(text) > 2 && text[0] == '0' {
		of := ""
		switch text[1] {
		case 'x', 'X':
			of = "0123456789abcdefABCDEF_"
		case 'b', 'B':
			of = "01_"
		case 'o', 'O':
			of = "01234567_"
		}
		if n := spanOf(text[2:], of); n > 0 {
			return 2 + n
		}
	}
	const decimal = "0123456789_"
	n := 0
	switch {
	case text != "" && isDigit(text[0]):
		if n = spanOf(text, decimal); n < len(text) && text[n] == '.' {
			n += 1 + spanOf(text[n+1:], decimal)
		}
	case len(text) > 1 && text[0] == '.' && isDigit(text[1]):
		n = 1 + spanOf(text[1:], decimal)
	default:
		return 0
	}
	if n < len(text) && (text[n] == 'e' || text[n] == 'E') {
		exponent := n + 1
		if exponent < len(text) && (text[exponent] == '+' || text[exponent] == '-') {
			exponent++
		}
		if power := spanOf(text[exponent:], "0123456789"); power > 0 {
			n = exponent + power
		}
	}
	return n
}

// spanOf returns how many of the first bytes of text are among those of a set.
func spanOf(text, set string) (n int) {
	for n < len(text) && strings.IndexByte(set, text[n]) >= 0 {
		n++
	}
	return n
}

// number moves past a number. Some servers read 1e5into, 1.5into and 1.into as a number and a keyword.
func (l *lexer) number() {
	from := l.at
	l.at += digits(l.sql[from:])
	if l.at < len(l.sql) && (isWord(l.sql[l.at]) || l.sql[l.at] == '$') {
		l.doubt(from, "The SQL has a number that runs into a word. Put a space between them, and a name that begins with a digit in quotes.")
		l.span()
	}
}

func (l *lexer) word() {
	from := l.at
	if l.span(); l.d.ASCII {
		if i := strings.IndexFunc(l.sql[from:l.at], func(r rune) bool { return r >= utf8.RuneSelf }); i >= 0 {
			l.doubt(from+i, "The SQL has a character that is not ASCII outside of quotes.")
		}
	}
}

// span moves past the characters of a bare name.
func (l *lexer) span() {
	for l.at < len(l.sql) && (isWord(l.sql[l.at]) || l.sql[l.at] == '$') {
		l.at++
	}
}

// hole moves past {{…}}. If it is not closed on its line, the token is only the opening braces.
func (l *lexer) hole() {
	l.at += 2
	rest := l.sql[l.at:]
	if end := strings.IndexAny(rest, "{}\n"); end >= 0 && strings.HasPrefix(rest[end:], "}}") {
		l.at += end + 2
	}
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isControl reports whether r is a control character other than tab.
func isControl(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }

// isWord reports whether c can be part of a bare name. Every byte of a multi-byte character can.
func isWord(c byte) bool {
	return isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= utf8.RuneSelf
}
