package datafile

import (
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf16"

	"service/store/warehouse"
)

// The last row and column that a sheet can have, from 1.
const (
	maxRow    = 1 << 20
	maxColumn = 1 << 14
)

// An xmlReader reads a part of a workbook element by element, because a tree would take a hundred times as much memory.
type xmlReader struct{ *xml.Decoder }

// each calls begin with the start of each element and end, unless it is nil, with
// the name of each element that ends.
func (x xmlReader) each(begin func(*xml.StartElement) error, end func(name string) error) error {
	for {
		token, err := x.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return damaged()
		}
		switch token := token.(type) {
		case xml.StartElement:
			err = begin(&token)
		case xml.EndElement:
			if end != nil {
				err = end(token.Name.Local)
			}
		}
		if err != nil {
			return err
		}
	}
}

// text reads to the end of the element that began, and returns the text of its <t> elements: one, or several with different formatting. It
// leaves out the phonetic hints of Asian text.
func (x xmlReader) text() (string, error) {
	var b strings.Builder
	inside, beside := 0, 0
	for depth := 1; depth > 0; {
		token, err := x.Token()
		if err != nil {
			return "", damaged()
		}
		step := 0
		name := ""
		switch token := token.(type) {
		case xml.StartElement:
			step, name = 1, token.Name.Local
		case xml.EndElement:
			step, name = -1, token.Name.Local
		case xml.CharData:
			if inside > 0 && beside == 0 {
				b.Write(token)
			}
		}
		depth += step
		switch name {
		case "t":
			inside += step
		case "rPh":
			beside += step
		}
	}
	return unescape(b.String()), nil
}

// unescape decodes the characters that XML cannot contain, which workbooks write as _x000D_ (ECMA-376 part 1, 22.9.2.19).
func unescape(s string) string {
	if !strings.Contains(s, "_x") {
		return s
	}
	var b strings.Builder
	for {
		i := strings.Index(s, "_x")
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i])
		s = s[i:]
		var units []uint16 // of UTF-16: a character may have two
		for len(s) >= 7 && s[:2] == "_x" && s[6] == '_' {
			unit, err := strconv.ParseUint(s[2:6], 16, 16)
			if err != nil {
				break
			}
			units, s = append(units, uint16(unit)), s[7:]
		}
		b.WriteString(string(utf16.Decode(units)))
		if len(units) == 0 {
			b.WriteString(s[:2])
			s = s[2:]
		}
	}
}

// value reads to the end of the element that began, and returns its text.
func (x xmlReader) value() (string, error) {
	var b strings.Builder
	for {
		token, err := x.Token()
		if err != nil {
			return "", damaged()
		}
		switch token := token.(type) {
		case xml.CharData:
			b.Write(token)
		case xml.EndElement:
			return b.String(), nil
		case xml.StartElement:
			return "", damaged()
		}
	}
}

// A sheetReader fills a grid with the rows of a sheet.
type sheetReader struct {
	*book
	*grid
	*xmlReader
	row           []cell // the current one
	invisible     bool   // the current one
	at            int    // the current one, from 1
	last          int    // the last one with values
	blank, hidden examples
	hiddenColumns bool
	merged        []string
	merges        int
}

// read reads a sheet; the grid is nil if the sheet has no values.
func (b *book) read(s sheet) (*grid, error) {
	x, err := b.part(s.path)
	if err != nil {
		return nil, err
	}
	t := &sheetReader{book: b, grid: &grid{loose: true, line: "row"}, xmlReader: x}
	if err := t.each(t.begin, t.end); err != nil || len(t.rows) == 0 {
		return nil, err
	}
	if t.blank.count > 0 {
		t.note("%s skipped: %s", counted(t.blank.count, "blank row was", "blank rows were"), t.blank.list("row"))
	}
	if t.hidden.count > 0 {
		t.note("%s hidden in the sheet and read like the others: %s", counted(t.hidden.count, "row is", "rows are"), t.hidden.list("row"))
	}
	if t.hiddenColumns {
		t.note("columns that are hidden in the sheet were read like the others")
	}
	if t.merges > 0 {
		t.note("of cells that are merged, only the first has the value: %s", listOf(t.merged, t.merges))
	}
	return t.grid, t.findTable(false)
}

func attribute(start *xml.StartElement, name string) string {
	for _, a := range start.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func (t *sheetReader) begin(start *xml.StartElement) error {
	switch start.Name.Local {
	case "row":
		t.row = t.row[:0]
		t.at++
		if r := attribute(start, "r"); r != "" {
			n, err := strconv.Atoi(r)
			if err != nil || n < t.at {
				return damaged()
			}
			t.at = n
		}
		if t.at > maxRow {
			return damaged()
		}
		t.invisible = isTrue(attribute(start, "hidden"))
	case "c":
		return t.readCell(start)
	case "col":
		t.hiddenColumns = t.hiddenColumns || isTrue(attribute(start, "hidden"))
	case "mergeCell":
		if t.merges++; t.merges <= 10 {
			t.merged = append(t.merged, attribute(start, "ref"))
		}
	}
	return nil
}

func isTrue(s string) bool {
	on, err := strconv.ParseBool(s)
	return on && err == nil
}

// columnOf returns the column, from 0, of a cell's name such as AB12.
func columnOf(cell string) (int, bool) {
	column := 0
	for i := range len(cell) {
		c := cell[i] | 0x20 // in lower case
		if c < 'a' || c > 'z' || column > maxColumn {
			return column - 1, i > 0 && column <= maxColumn && allDigits(cell[i:])
		}
		column = 26*column + int(c-'a') + 1
	}
	return 0, false
}

// readCell reads one cell of the current row.
func (t *sheetReader) readCell(start *xml.StartElement) error {
	at := len(t.row)
	if r := attribute(start, "r"); r != "" {
		column, ok := columnOf(r)
		if !ok || column < at {
			return damaged()
		}
		at = column
	}
	style, _ := strconv.Atoi(attribute(start, "s")) // without one it is 0
	kind := attribute(start, "t")
	formula, value, inline := false, "", ""
	for open := true; open; {
		token, err := t.Token()
		if err != nil {
			return damaged()
		}
		switch token := token.(type) {
		case xml.EndElement:
			open = false
		case xml.StartElement:
			switch token.Name.Local {
			case "v":
				value, err = t.value()
			case "is":
				inline, err = t.text()
			case "f":
				formula = true
				err = t.Skip()
			default:
				err = t.Skip()
			}
			if err != nil {
				return damaged()
			}
		}
	}
	v, err := t.cell(kind, style, value, inline)
	if err != nil {
		return err
	}
	if v.kind == null && formula && value == "" && kind != "str" {
		v.kind = failed // the result of the formula is not in the file
	}
	if v.kind == null {
		return nil
	}
	if at >= MaxColumns {
		return warehouse.Errorf(warehouse.TooLarge, "the sheet is wider than %d columns", MaxColumns)
	}
	for len(t.row) < at {
		t.row = append(t.row, cell{})
	}
	t.row = append(t.row, v)
	return nil
}

// end keeps a row that has values.
func (t *sheetReader) end(name string) error {
	if name != "row" || len(t.row) == 0 {
		return nil
	}
	apart := t.last > 0 && t.at > t.last+1
	for n := t.last + 1; apart && n < t.at; n++ {
		t.blank.add(n)
	}
	t.last = t.at
	if t.invisible {
		t.hidden.add(t.at)
	}
	err := t.add(row{cells: t.row, line: t.at, apart: apart})
	t.row = t.row[:0]
	return err
}
