package datafile

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"service/store/warehouse"
)

// readDelimited reads CSV (RFC 4180, with any of the usual separators) and TSV.
// The first row is the header. An empty field is null.
func readDelimited(format Format, data []byte) (*grid, error) {
	g := &grid{loose: true}
	text, err := g.decode(data)
	if err != nil {
		return nil, err
	}
	separator := '\t'
	if format == CSV {
		separator = separatorOf(text)
	}
	g.comma = separator != ','
	r := csv.NewReader(strings.NewReader(text))
	r.Comma = separator
	r.FieldsPerRecord = -1
	r.ReuseRecord = true
	names, err := r.Read()
	if err != nil {
		return nil, badRow(0, err)
	}
	for len(names) > 1 && strings.TrimSpace(names[len(names)-1]) == "" && emptyTail(text, separator, len(names)) {
		names = names[:len(names)-1]
	}
	if err := g.header(names); err != nil {
		return nil, err
	}
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return g, nil
		}
		if err != nil {
			return nil, badRow(g.rows+1, err)
		}
		if err := g.record(record); err != nil {
			return nil, err
		}
	}
}

// record adds a row of fields.
func (g *grid) record(fields []string) error {
	row := g.rows + 1
	for len(fields) > len(g.names) && strings.TrimSpace(fields[len(fields)-1]) == "" {
		fields = fields[:len(fields)-1] // separators at the end of the line
	}
	if len(fields) != len(g.names) {
		e := warehouse.Errorf(warehouse.Syntax, "row %d has %d values, but there are %d columns", row, len(fields), len(g.names))
		if len(fields) < len(g.names) {
			e.Message += fmt.Sprintf("; the first without a value is column %d, \"%s\"", len(fields)+1, g.names[len(fields)])
		}
		return e
	}
	if err := g.add(len(fields)); err != nil {
		return err
	}
	for i, field := range fields {
		c := cell{word, field}
		if strings.TrimSpace(field) == "" {
			c = cell{}
		} else {
			c.text = strings.Clone(field)
		}
		g.columns[i] = append(g.columns[i], c)
	}
	g.rows++
	return nil
}

// emptyTail tells whether no row has a value in field n or after it: lines that
// end in a separator.
func emptyTail(text string, separator rune, n int) bool {
	r := csv.NewReader(strings.NewReader(text))
	r.Comma = separator
	r.FieldsPerRecord = -1
	r.ReuseRecord = true
	for {
		record, err := r.Read()
		if err != nil {
			return errors.Is(err, io.EOF)
		}
		for i := n - 1; i < len(record); i++ {
			if strings.TrimSpace(record[i]) != "" {
				return false
			}
		}
	}
}

// badRow explains a mistake of quoting; row 0 is the header.
func badRow(row int, err error) error {
	where := fmt.Sprintf("row %d", row)
	if row == 0 {
		where = "the header"
	}
	e := warehouse.Errorf(warehouse.Syntax, "%s cannot be read", where)
	if bad, ok := errors.AsType[*csv.ParseError](err); ok {
		e.Line, e.Column = bad.Line, bad.Column
		e.Message = fmt.Sprintf("%s (line %d, character %d) cannot be read: a quotation mark is missing or out of place", where, bad.Line, bad.Column)
	}
	return e
}

// separatorOf finds what separates the fields: the character that most often
// stands outside quotes in the first line, a comma when none does.
func separatorOf(text string) rune {
	counts := map[rune]int{}
	quoted := false
	for _, r := range text {
		switch {
		case r == '"':
			quoted = !quoted
		case quoted:
		case r == '\n' && len(counts) > 0:
			return most(counts)
		case r == ',' || r == ';' || r == '\t' || r == '|':
			counts[r]++
		}
	}
	return most(counts)
}

func most(counts map[rune]int) rune {
	best := ','
	for _, r := range ";\t|" {
		if counts[r] > counts[best] {
			best = r
		}
	}
	return best
}

// decode makes text of bytes: UTF-8, UTF-16 with a byte order mark, or else
// Windows-1252, which Excel still writes.
func (g *grid) decode(data []byte) (string, error) {
	switch {
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}):
		data = utf16Text(data[2:], binary.LittleEndian)
	case bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		data = utf16Text(data[2:], binary.BigEndian)
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if bytes.IndexByte(data, 0) >= 0 {
		return "", warehouse.Errorf(warehouse.Refused, "this is not a text file")
	}
	if utf8.Valid(data) {
		return string(data), nil
	}
	g.notes = append(g.notes, "the text is not UTF-8; it was read as Windows-1252")
	var b strings.Builder
	b.Grow(len(data) + len(data)/8)
	for _, c := range data {
		switch {
		case c < 0x80 || c >= 0xa0:
			b.WriteRune(rune(c))
		default:
			b.WriteRune(windows1252[c-0x80])
		}
	}
	return b.String(), nil
}

func utf16Text(data []byte, o binary.ByteOrder) []byte {
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = o.Uint16(data[2*i:])
	}
	return []byte(string(utf16.Decode(units)))
}

// windows1252 is what differs from ISO 8859-1: 0x80 to 0x9f.
var windows1252 = [32]rune{
	'€', 0xfffd, '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', 0xfffd, 'Ž', 0xfffd,
	0xfffd, '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', 0xfffd, 'ž', 'Ÿ',
}
