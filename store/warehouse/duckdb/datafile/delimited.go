package datafile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"service/store/warehouse"
)

// readDelimited reads CSV with any of the usual separators, and TSV.
func readDelimited(format Format, data []byte) (*grid, error) {
	g := &grid{loose: true, written: true, line: "line"}
	text, err := g.decode(data)
	if err != nil {
		return nil, err
	}
	s := scanner{text: text, comma: '\t'}
	if format == CSV && !s.declared() {
		s.comma = separatorOf(text)
	}
	g.comma = s.comma != ','
	begin := s
	err = g.scan(&s)
	if bad, ok := errors.AsType[*misquote](err); ok {
		if format == CSV {
			e := warehouse.Errorf(warehouse.Syntax, "line %d cannot be read: the quotation mark at character %d is not closed, "+
				"or is followed by something; inside of quotation marks, write it twice", bad.line, bad.column)
			e.Line, e.Column = bad.line, bad.column
			return nil, e
		}
		// Programs that write TSV may not treat quotation marks as special.
		g = &grid{loose: true, written: true, comma: true, line: "line", notes: g.notes}
		g.note("the quotation marks do not match, so they were read as any other character")
		begin.literal = true
		err = g.scan(&begin)
	}
	if err != nil {
		return nil, err
	}
	return g, g.findTable(!strings.HasSuffix(text, "\n") && !strings.HasSuffix(text, "\r"))
}

// declared reads a first line such as sep=; that declares the separator to Excel.
func (s *scanner) declared() bool {
	line, rest, _ := strings.Cut(s.text, "\n")
	value, ok := strings.CutPrefix(strings.ToLower(strings.Trim(line, "\" \r")), "sep=")
	if !ok || len(value) != 1 || value[0] >= utf8.RuneSelf || strings.Contains("\"\r\n", value) {
		return false
	}
	s.comma, s.line = value[0], 1
	s.pos = len(s.text) - len(rest)
	return true
}

// scan adds the lines that have values.
func (g *grid) scan(s *scanner) error {
	var blank examples
	defer func() {
		if blank.count > 0 {
			g.note("%s skipped: %s", counted(blank.count, "blank line was", "blank lines were"), blank.list(g.line))
		}
		if s.kept > 0 {
			g.note("%s like =\"00123\" and read as 00123", counted(s.kept, "value is written", "values are written"))
		}
	}()
	apart := false
	for s.more() {
		fields, line, err := s.next()
		if err != nil {
			return err
		}
		r := row{cells: fields, line: line, width: len(fields), apart: apart}
		if r.values() == 0 && (len(fields) > 1 || !s.quoted) {
			blank.add(line)
			apart = true
			continue
		}
		apart = false
		if err := g.add(r); err != nil {
			return err
		}
	}
	return nil
}

// separatorOf returns the separator of the fields: the character that splits the most of the first lines into the same number of fields,
// more than one. Among equals it is the first of , ; tab |.
func separatorOf(text string) byte {
	best, most := byte(','), 0
	for _, comma := range []byte(",;\t|") {
		s := scanner{text: text, comma: comma}
		widths := map[int]int{}
		lines := 0
		for s.more() && lines < 100 {
			fields, _, err := s.next()
			if err != nil {
				break // the lines before it count
			}
			if len(fields) > 1 {
				widths[len(fields)]++
			}
			lines++
		}
		for _, n := range widths {
			if n > most {
				best, most = comma, n
			}
		}
	}
	return best
}

// decode converts bytes to text: from UTF-8, UTF-16, or else Windows-1252, which Excel still writes.
func (g *grid) decode(data []byte) (string, error) {
	order, marked := utf16Order(data)
	if order != nil {
		if marked {
			data = data[2:]
		} else {
			g.note("the file does not say how its text is written; it was read as UTF-16")
		}
		if len(data)%2 != 0 {
			return "", warehouse.Errorf(warehouse.Refused, "the file ends within a character; it may be cut off")
		}
		data = utf16Text(data, order)
		g.lost(bytes.Count(data, []byte("\ufffd")))
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if at := bytes.IndexByte(data, 0); at >= 0 {
		line := 1 + bytes.Count(data[:at], []byte("\n"))
		return "", warehouse.Errorf(warehouse.Refused, "this is not a text file: there is a byte of zero in line %d", line)
	}
	if utf8.Valid(data) {
		return string(data), nil
	}
	if long, bad := sequences(data); long > bad {
		g.lost(bad)
		return strings.ToValidUTF8(string(data), "\ufffd"), nil
	}
	g.note("the text is not UTF-8; it was read as Windows-1252")
	var b strings.Builder
	b.Grow(len(data) + len(data)/8)
	lost := 0
	for _, c := range data {
		r := rune(c)
		if c >= 0x80 && c < 0xa0 {
			if r = windows1252[c-0x80]; r == utf8.RuneError {
				lost++
			}
		}
		b.WriteRune(r)
	}
	g.lost(lost)
	return b.String(), nil
}

// lost notes characters that could not be read.
func (g *grid) lost(n int) {
	if n > 0 {
		g.note("%s not be read and became U+FFFD, the sign for such characters", counted(n, "character could", "characters could"))
	}
}

// sequences counts the characters of several bytes in text that may be UTF-8, and
// the bytes that belong to no character.
func sequences(data []byte) (long, bad int) {
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		switch {
		case n > 1:
			long++
		case r == utf8.RuneError:
			bad++
		}
		data = data[n:]
	}
	return long, bad
}

// utf16Order returns the byte order of UTF-16 text. It returns nil for other text. Without a byte order mark, UTF-16 is recognized by its
// first bytes: every second byte is zero.
func utf16Order(data []byte) (o binary.ByteOrder, marked bool) {
	switch {
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}):
		return binary.LittleEndian, true
	case bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		return binary.BigEndian, true
	}
	var zeros [2]int
	head := data[:min(len(data), 64)&^1]
	for i, c := range head {
		if c == 0 {
			zeros[i%2]++
		}
	}
	switch half := len(head) / 2; {
	case half < 3:
	case zeros[1]*4 > half*3 && zeros[0] == 0:
		return binary.LittleEndian, false
	case zeros[0]*4 > half*3 && zeros[1] == 0:
		return binary.BigEndian, false
	}
	return nil, false
}

func utf16Text(data []byte, o binary.ByteOrder) []byte {
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = o.Uint16(data[2*i:])
	}
	return []byte(string(utf16.Decode(units)))
}

// windows1252 are the characters 0x80 to 0x9f, which differ from ISO 8859-1.
var windows1252 = [32]rune{
	'€', 0xfffd, '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', 0xfffd, 'Ž', 0xfffd,
	0xfffd, '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', 0xfffd, 'ž', 'Ÿ',
}

// examples count lines or rows, and keep the numbers of the first five.
type examples struct {
	first []int
	count int
}

func (p *examples) add(n int) {
	if p.count++; len(p.first) < 5 {
		p.first = append(p.first, n)
	}
}

// list writes "line 3" or "lines 3, 5 and 12 more".
func (p *examples) list(what string) string {
	var b strings.Builder
	b.WriteString(what)
	if p.count > 1 {
		b.WriteByte('s')
	}
	for i, n := range p.first {
		switch {
		case i == 0:
			b.WriteByte(' ')
		case i == p.count-1:
			b.WriteString(" and ")
		default:
			b.WriteString(", ")
		}
		fmt.Fprint(&b, n)
	}
	if more := p.count - len(p.first); more > 0 {
		fmt.Fprintf(&b, " and %d more", more)
	}
	return b.String()
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
