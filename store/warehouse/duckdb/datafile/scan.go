package datafile

import (
	"strings"
	"unicode/utf8"
)

// A scanner splits delimited text into lines and fields: RFC 4180, and in addition any line ending, spaces before a quoted field, and
// quotation marks inside a field that does not begin with one.
type scanner struct {
	text    string
	comma   byte // the separator of fields
	literal bool // quotation marks mean nothing
	pos     int
	line    int // of pos, from 0
	start   int // of the line
	quoted  bool
	fields  []cell
	kept    int // fields such as ="00123"
}

// A misquote is a quotation mark that is never closed, or a closing one that text follows.
type misquote struct{ line, column int } // from 1

func (m *misquote) Error() string { return "a quotation mark is missing or out of place" }

// more reports whether there is another line.
func (s *scanner) more() bool { return s.pos < len(s.text) }

// next returns the fields of the next line and its number. The fields are valid until the next call. A blank field is null. s.quoted
// reports whether a field was in quotation marks.
func (s *scanner) next() (fields []cell, line int, err error) {
	s.fields, s.quoted = s.fields[:0], false
	s.line++
	line, s.start = s.line, s.pos
	for {
		text, err := s.field()
		if err != nil {
			return nil, 0, err
		}
		c := cell{plainText, text}
		if strings.TrimSpace(text) == "" {
			c = cell{}
		}
		if s.fields = append(s.fields, c); len(s.fields) > maxWidth {
			return nil, 0, tooWide("line", line)
		}
		if !s.more() {
			return s.fields, line, nil
		}
		end := s.text[s.pos]
		s.pos++
		if end == s.comma {
			if s.more() {
				continue
			}
			s.fields = append(s.fields, cell{}) // the text ends in a separator
			return s.fields, line, nil
		}
		if end == '\r' && s.more() && s.text[s.pos] == '\n' {
			s.pos++
		}
		return s.fields, line, nil
	}
}

// field reads up to a separator, the end of the line or of the text.
func (s *scanner) field() (string, error) {
	if !s.literal {
		i := s.pos
		for i < len(s.text) && s.text[i] == ' ' && s.comma != ' ' {
			i++
		}
		if i < len(s.text) && s.text[i] == '"' {
			text, err := s.quotedField(i)
			if err == nil && len(text) > 3 && strings.HasPrefix(text, `="`) && strings.Count(text, `"`) == 2 && strings.HasSuffix(text, `"`) {
				s.kept++
				text = text[2 : len(text)-1]
			}
			return text, err
		}
		if strings.HasPrefix(s.text[i:], `="`) {
			if text, ok := s.formula(i + 1); ok {
				return text, nil
			}
		}
	}
	start := s.pos
	for s.more() && s.text[s.pos] != s.comma && s.text[s.pos] != '\n' && s.text[s.pos] != '\r' {
		s.pos++
	}
	return s.text[start:s.pos], nil
}

// formula reads a field such as ="00123", with which programs keep a spreadsheet from reading a number. It returns false for any other
// field, and reads nothing of it.
func (s *scanner) formula(open int) (string, bool) {
	before := *s
	text, err := s.quotedField(open)
	if err != nil || text == "" || strings.ContainsAny(text, "\"\r\n") {
		*s = before
		return "", false
	}
	s.kept++
	return text, true
}

// quotedField reads a field whose opening quotation mark is at byte open.
func (s *scanner) quotedField(open int) (string, error) {
	s.quoted = true
	doubled := false
	for i := open + 1; ; {
		n := strings.IndexByte(s.text[i:], '"')
		if n < 0 {
			return "", s.mistake(open)
		}
		i += n + 1
		if i < len(s.text) && s.text[i] == '"' {
			doubled = true
			i++
			continue
		}
		text := s.text[open+1 : i-1]
		for s.pos = i; s.more() && s.text[s.pos] == ' ' && s.comma != ' '; {
			s.pos++
		}
		if s.more() && s.text[s.pos] != s.comma && s.text[s.pos] != '\n' && s.text[s.pos] != '\r' {
			s.count(text, open+1)
			return "", s.mistake(i - 1)
		}
		s.count(text, open+1)
		if doubled {
			text = strings.ReplaceAll(text, `""`, `"`)
		}
		return strings.ReplaceAll(text, "\r\n", "\n"), nil
	}
}

// count counts the lines that end within text, which begins at byte at.
func (s *scanner) count(text string, at int) {
	for i := range len(text) {
		if text[i] == '\n' || text[i] == '\r' && (i+1 == len(text) || text[i+1] != '\n') {
			s.line++
			s.start = at + i + 1
		}
	}
}

func (s *scanner) mistake(at int) error {
	return &misquote{s.line, utf8.RuneCountInString(s.text[s.start:at]) + 1}
}
