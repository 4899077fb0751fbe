package sqltext

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"service/store/warehouse"
)

// A Kind is what a token is.
type Kind byte

// The kinds of tokens. Comments and white space are none.
const (
	Word   Kind = iota // a keyword or a name
	Number             // digits, with an exponent or a prefix
	Name               // a name in quotes
	String             // a string in quotes
	Symbol             // one character
)

// A Token is a piece of SQL.
type Token struct {
	Kind Kind
	Text string // of a word, its ASCII letters in upper case; of a number or a symbol, as written; of anything quoted, nothing
	Pos  int    // in bytes
}

// Is reports whether t is one of words, which are in upper case, or symbols.
func (t Token) Is(words ...string) bool {
	if t.Kind != Word && t.Kind != Symbol {
		return false
	}
	for _, w := range words {
		if t.Text == w {
			return true
		}
	}
	return false
}

// A Dialect tells where servers differ.
type Dialect struct {
	Hash         bool // # begins a comment
	DashSpace    bool // -- begins a comment only before white space
	DoubleName   bool // "…" is a name, not a string
	EscapedNames bool // a backslash escapes in quoted names
	ASCII        bool // nothing else outside of quotes and comments
}

// Scan cuts sql into tokens. Its errors are *[warehouse.Error].
func Scan(sql string, d Dialect) ([]Token, error) {
	if !utf8.ValidString(sql) {
		return nil, warehouse.Errorf(warehouse.Refused, "The SQL is not valid UTF-8.")
	}
	s := scanner{sql: sql, d: d}
	for s.pos < len(sql) {
		if err := s.next(); err != nil {
			return nil, err
		}
	}
	return s.tokens, nil
}

type scanner struct {
	sql    string
	d      Dialect
	pos    int
	tokens []Token
}

func (s *scanner) rest() string { return s.sql[s.pos:] }

func (s *scanner) add(k Kind, text string, length int) {
	s.tokens = append(s.tokens, Token{k, text, s.pos})
	s.pos += length
}

// next reads one token, a comment or one white space.
func (s *scanner) next() error {
	c := s.sql[s.pos]
	switch {
	case c == ' ', c == '\t', c == '\n', c == '\r':
		s.pos++
	case c < ' ', c == 0x7f:
		return s.refuse("The SQL has a control character. Pass values that need one as parameters.")
	case c == '#' && s.d.Hash, strings.HasPrefix(s.rest(), "--") && (!s.d.DashSpace || len(s.rest()) == 2 || s.rest()[2] <= ' ' || s.rest()[2] == 0x7f):
		return s.line()
	case strings.HasPrefix(s.rest(), "/*"):
		return s.comment()
	case c == '\'':
		return s.quoted(c, String, true)
	case c == '"' && s.d.DoubleName:
		return s.quoted(c, Name, s.d.EscapedNames)
	case c == '"':
		return s.quoted(c, String, true)
	case c == '`':
		return s.quoted(c, Name, s.d.EscapedNames)
	case c == '$':
		return s.refuse("The SQL has a $ where a name or a value begins. Write names in quotes, and strings in single ones.")
	case c >= utf8.RuneSelf && s.d.ASCII:
		return s.refuse("The SQL has a character that is not ASCII outside of quotes.")
	case c == '\\':
		return s.refuse("The SQL has a backslash outside of quotes.")
	case wordly(c):
		return s.word()
	default:
		s.add(Symbol, string(c), 1)
	}
	return nil
}

// number is what a word that begins with a digit must be.
var number = regexp.MustCompile(`^([0-9]+(E[0-9]*)?|0X[0-9A-F]+|0B[01]+)$`)

// word reads a word or a number. Servers read the number in 1e5into, 1.5into and
// 1.into alone, and then a keyword: such are refused.
func (s *scanner) word() error {
	n := 1
	for n < len(s.rest()) && (wordly(s.rest()[n]) || s.rest()[n] == '$') && (s.rest()[n] < utf8.RuneSelf || !s.d.ASCII) {
		n++
	}
	text := upper(s.rest()[:n])
	digits := text[0] >= '0' && text[0] <= '9'
	if last := len(s.tokens) - 1; last > 0 && s.tokens[last].Is(".") && s.tokens[last].Pos == s.pos-1 && s.tokens[last-1].Kind == Number && s.tokens[last-1].Pos+len(s.tokens[last-1].Text) == s.pos-1 && !digits {
		text, digits = "0"+text, true
	}
	switch {
	case digits && !number.MatchString(text):
		return s.refuse("The SQL has a number that runs into a word. Put a space between them, and a name that begins with a digit in quotes.")
	case digits:
		s.add(Number, s.rest()[:n], n)
	default:
		s.add(Word, text, n)
	}
	return nil
}

// upper leaves alone what is not ASCII: the long s is no S.
func upper(word string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r - 'a' + 'A'
		}
		return r
	}, word)
}

func wordly(c byte) bool {
	return c == '_' || c >= utf8.RuneSelf || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// line skips a comment that ends with its line.
func (s *scanner) line() error {
	body, _, _ := strings.Cut(s.rest(), "\n")
	if i := strings.IndexFunc(body, func(r rune) bool { return r < ' ' && r != '\t' && r != '\r' || r == 0x7f }); i >= 0 {
		s.pos += i
		return s.refuse("The SQL has a control character in a comment.")
	}
	if i := strings.IndexByte(strings.TrimRight(body, "\r"), '\r'); i >= 0 {
		s.pos += i
		return s.refuse("The SQL has a carriage return in a comment.")
	}
	s.pos += len(body)
	return nil
}

// comment skips /* … */, unless a server may run it or read another end.
func (s *scanner) comment() error {
	body, _, ended := strings.Cut(s.rest()[2:], "*/")
	switch {
	case strings.HasPrefix(body, "!"), strings.HasPrefix(body, "M!"), strings.HasPrefix(body, "+"):
		return s.refuse("The SQL has a comment that the server executes, which is not allowed. Leave it out.")
	case !ended:
		return s.refuse("The SQL has a comment that does not end.")
	case strings.Contains(body, "/*"):
		return s.refuse("The SQL has a comment in a comment. Leave one out.")
	case strings.ContainsFunc(body, func(r rune) bool { return r < ' ' && r != '\t' && r != '\r' && r != '\n' }):
		return s.refuse("The SQL has a control character in a comment.")
	}
	s.pos += len(body) + 4
	return nil
}

// quoted reads what is in quotes. A doubled quote is one within it, in every dialect.
func (s *scanner) quoted(quote byte, k Kind, escapes bool) error {
	text := s.rest()
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == 0:
			return s.refuse("The SQL has a NUL character. Pass values that need one as parameters.")
		case text[i] == '\\' && escapes:
			i++
		case text[i] != quote:
		case i+1 < len(text) && text[i+1] == quote:
			i++
		default:
			s.add(k, "", i+1)
			return nil
		}
	}
	return s.refuse("The SQL has quotes that do not end.")
}

func (s *scanner) refuse(message string) error { return Refuse(s.sql, s.pos, message) }

// Refuse is the refusal of SQL for what is at a place of it, in bytes.
func Refuse(sql string, pos int, message string) *warehouse.Error {
	e := warehouse.Errorf(warehouse.Refused, "%s", message)
	e.Line, e.Column = Position(sql, pos)
	return e
}

// Position turns a place in bytes into line and column, in characters, from 1.
func Position(sql string, pos int) (line, column int) {
	before := sql[:min(pos, len(sql))]
	start := strings.LastIndexByte(before, '\n') + 1
	return strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[start:]) + 1
}

// Statement drops the semicolons that end sql, and refuses any other. It returns
// the SQL without them, and its tokens.
func Statement(sql string, d Dialect) (string, []Token, error) {
	tokens, err := Scan(sql, d)
	if err != nil {
		return "", nil, err
	}
	for len(tokens) > 0 && tokens[len(tokens)-1].Is(";") {
		sql = sql[:tokens[len(tokens)-1].Pos]
		tokens = tokens[:len(tokens)-1]
	}
	if len(tokens) == 0 {
		return "", nil, warehouse.Errorf(warehouse.Refused, "The SQL is empty.")
	}
	for _, t := range tokens {
		if t.Is(";") {
			return "", nil, Refuse(sql, t.Pos, warehouse.SayOneSelect)
		}
	}
	return sql, tokens, nil
}
