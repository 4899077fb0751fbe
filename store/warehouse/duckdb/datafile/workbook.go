package datafile

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"

	"service/store/warehouse"
)

const (
	maxUnzipped = 64 << 20 // bytes that a workbook may unzip to
	maxRow      = 1 << 20  // of a sheet
)

// readWorkbook reads the first sheet of an XLSX file that is visible and has
// values.
//
// Package excelize opens the file within the limit and knows its styles. The
// cells are read here, as a stream: its own reader keeps a tree of the sheet
// many times the size of the file, and formats dates away.
func readWorkbook(data []byte) (*grid, error) {
	f, err := excelize.OpenReader(bytes.NewReader(data), excelize.Options{
		UnzipSizeLimit: maxUnzipped, UnzipXMLSizeLimit: maxUnzipped,
	})
	if err != nil {
		if strings.Contains(err.Error(), "unzip size exceeds") {
			return nil, warehouse.Errorf(warehouse.TooLarge, "the workbook unpacks to more than %d MiB; save the sheet as .csv", maxUnzipped>>20)
		}
		return nil, damaged()
	}
	defer f.Close()
	b := &book{file: f, shown: map[int]look{}}
	if props, err := f.GetWorkbookProps(); err == nil && props.Date1904 != nil {
		b.from1904 = *props.Date1904
	}
	sheets, err := b.sheets()
	if err != nil {
		return nil, err
	}
	if err := b.sharedStrings(); err != nil {
		return nil, err
	}
	for _, s := range sheets {
		g, err := b.read(s)
		if err != nil {
			return nil, err
		}
		if g == nil {
			continue // no values
		}
		var others []string
		for _, o := range sheets {
			if o.path != s.path {
				others = append(others, o.name)
			}
		}
		if len(others) > 0 {
			g.note("only the sheet \"%s\" was read; the file also has %s", s.name, list(others))
		}
		if len(b.hidden) > 0 {
			g.note("sheets that are hidden were not read: %s", list(b.hidden))
		}
		return g, nil
	}
	return nil, warehouse.Errorf(warehouse.Refused, "the workbook has no values")
}

func damaged() error {
	return warehouse.Errorf(warehouse.Syntax, "the workbook is damaged; save it again, or as .csv")
}

type book struct {
	file     *excelize.File
	strings  []string
	shown    map[int]look // by style
	from1904 bool
	hidden   []string // sheets
}

// A look is how the numbers of a style are shown.
type look struct {
	date  bool
	zeros int // digits, filled up with zeros as in 00123; 0: as many as there are
}

// part is a file of the package.
func (b *book) part(name string) ([]byte, bool) {
	if v, ok := b.file.Pkg.Load(name); ok {
		data, ok := v.([]byte)
		return data, ok
	}
	return nil, false
}

type sheet struct{ name, path string }

// sheets lists the visible sheets with cells, and keeps the names of the others.
func (b *book) sheets() ([]sheet, error) {
	var workbook struct {
		Sheets []struct {
			Name  string `xml:"name,attr"`
			State string `xml:"state,attr"`
			ID    string `xml:"http://schemas.openxmlformats.org/officeDocument/2006/relationships id,attr"`
		} `xml:"sheets>sheet"`
	}
	var rels struct {
		Items []struct {
			ID     string `xml:"Id,attr"`
			Target string `xml:"Target,attr"`
		} `xml:"Relationship"`
	}
	for name, into := range map[string]any{"xl/workbook.xml": &workbook, "xl/_rels/workbook.xml.rels": &rels} {
		data, ok := b.part(name)
		if !ok || xml.Unmarshal(data, into) != nil {
			return nil, damaged()
		}
	}
	var out []sheet
	for _, s := range workbook.Sheets {
		for _, r := range rels.Items {
			if r.ID != s.ID {
				continue
			}
			if s.State == "hidden" || s.State == "veryHidden" {
				b.hidden = append(b.hidden, s.Name)
				continue
			}
			target := strings.TrimPrefix(r.Target, "/")
			if target == r.Target {
				target = path.Join("xl", target)
			}
			if strings.Contains(target, "worksheets/") {
				out = append(out, sheet{clean(s.Name), target})
			}
		}
	}
	return out, nil
}

// richText is text in one piece or in several of different looks.
type richText struct {
	T []string `xml:"t"`
	R []struct {
		T string `xml:"t"`
	} `xml:"r"`
}

func (t richText) String() string {
	var s strings.Builder
	for _, piece := range t.T {
		s.WriteString(piece)
	}
	for _, run := range t.R {
		s.WriteString(run.T)
	}
	return s.String()
}

func (b *book) sharedStrings() error {
	data, ok := b.part("xl/sharedStrings.xml")
	if !ok {
		return nil // a workbook without text has none
	}
	d := xml.NewDecoder(bytes.NewReader(data))
	return each(d, func(start *xml.StartElement) error {
		if start.Name.Local != "si" {
			return nil
		}
		var t richText
		if err := d.DecodeElement(&t, start); err != nil {
			return damaged()
		}
		b.strings = append(b.strings, t.String())
		return nil
	})
}

// each calls fn with the start of each element.
func each(d *xml.Decoder, fn func(*xml.StartElement) error) error {
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return damaged()
		}
		if start, ok := token.(xml.StartElement); ok {
			if err := fn(&start); err != nil {
				return err
			}
		}
	}
}

type rowXML struct {
	R      int  `xml:"r,attr"`
	Hidden bool `xml:"hidden,attr"`
	Cells  []struct {
		R string    `xml:"r,attr"`
		S int       `xml:"s,attr"`
		T string    `xml:"t,attr"`
		F *struct{} `xml:"f"`
		V string    `xml:"v"`
		I richText  `xml:"is"`
	} `xml:"c"`
}

// read reads a sheet; the grid is nil when it has no values.
func (b *book) read(s sheet) (*grid, error) {
	data, ok := b.part(s.path)
	if !ok {
		return nil, damaged()
	}
	t := &sheetReader{book: b, grid: &grid{loose: true, line: "row"}, dec: xml.NewDecoder(bytes.NewReader(data))}
	err := each(t.dec, func(start *xml.StartElement) error {
		switch start.Name.Local {
		case "row":
			return t.row(start)
		case "col":
			if on, err := strconv.ParseBool(attribute(start, "hidden")); on && err == nil {
				t.hiddenColumns = true
			}
		case "mergeCell":
			t.merged = append(t.merged, attribute(start, "ref"))
		}
		return nil
	})
	if err != nil || len(t.rows) == 0 {
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
	if len(t.merged) > 0 {
		t.note("of cells that are merged, only the first has the value: %s", list(t.merged))
	}
	return t.grid, t.frame(false)
}

func attribute(start *xml.StartElement, name string) string {
	for _, a := range start.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// A sheetReader fills a grid with the rows of a sheet.
type sheetReader struct {
	*book
	*grid
	dec           *xml.Decoder
	cells         []cell
	line          int // the last row with values
	at            int // the last row
	blank, hidden places
	hiddenColumns bool
	merged        []string
}

func (t *sheetReader) row(start *xml.StartElement) error {
	var x rowXML
	if err := t.dec.DecodeElement(&x, start); err != nil {
		return damaged()
	}
	if t.at++; x.R != 0 {
		if x.R < t.at || x.R > maxRow {
			return damaged()
		}
		t.at = x.R
	}
	t.cells = t.cells[:0]
	for i := range x.Cells {
		c := &x.Cells[i]
		at := len(t.cells)
		if c.R != "" {
			column, _, err := excelize.CellNameToCoordinates(c.R)
			if err != nil || column <= len(t.cells) {
				return damaged()
			}
			at = column - 1
		}
		v := t.cell(c.T, c.S, c.V, c.I)
		if v.kind == null && c.F != nil && c.V == "" && c.T != "str" {
			v.kind = failed // what the formula gives is not in the file
		}
		if v.kind == null {
			continue
		}
		if at >= MaxColumns {
			return warehouse.Errorf(warehouse.TooLarge, "the sheet is wider than %d columns", MaxColumns)
		}
		for len(t.cells) < at {
			t.cells = append(t.cells, cell{})
		}
		t.cells = append(t.cells, v)
	}
	if len(t.cells) == 0 {
		return nil
	}
	apart := t.line > 0 && t.at > t.line+1
	for n := t.line + 1; apart && n < t.at; n++ {
		t.blank.add(n)
	}
	t.line = t.at
	if x.Hidden {
		t.hidden.add(t.at)
	}
	return t.add(row{cells: t.cells, line: t.at, apart: apart})
}

// cell reads one cell: its type, style, value and inline text.
func (b *book) cell(kind string, style int, value string, inline richText) cell {
	text := value
	switch kind {
	case "b":
		if value == "1" {
			return cell{boolean, "true"}
		}
		return cell{boolean, "false"}
	case "s":
		i, err := strconv.Atoi(strings.TrimSpace(value))
		if err != nil || i < 0 || i >= len(b.strings) {
			return cell{}
		}
		text = b.strings[i]
	case "inlineStr":
		text = inline.String()
	case "e":
		return cell{failed, value}
	case "", "n":
		if serial, err := strconv.ParseFloat(strings.TrimSpace(value), 64); err == nil {
			look := b.look(style)
			if look.date {
				return b.moment(serial, value)
			}
			value = strings.TrimSpace(value)
			if n := look.zeros - len(value); n > 0 && allDigits(value) {
				return cell{word, strings.Repeat("0", n) + value}
			}
			return cell{number, value}
		}
	}
	if strings.TrimSpace(text) == "" {
		return cell{}
	}
	return cell{word, text}
}

// moment makes a date of the days since 1900 or 1904.
func (b *book) moment(serial float64, value string) cell {
	t, err := excelize.ExcelDateToTime(serial, b.from1904)
	if err != nil || math.IsNaN(serial) || serial < 0 || t.Year() > 9999 {
		return cell{number, value}
	}
	t = t.Round(time.Millisecond)
	switch {
	case serial < 1: // a time of day
		return cell{word, t.Format(time.TimeOnly)}
	case t.Equal(t.Truncate(24 * time.Hour)):
		return cell{moment, t.Format(time.DateOnly)}
	}
	return cell{moment, t.Format("2006-01-02 15:04:05.000")}
}

// look tells how numbers of a style are shown.
func (b *book) look(style int) look {
	if style == 0 {
		return look{}
	}
	l, ok := b.shown[style]
	if !ok {
		if s, err := b.file.GetStyle(style); err == nil {
			l.date = dateFormat(s.NumFmt, s.CustomNumFmt)
			if f := s.CustomNumFmt; f != nil && len(*f) > 1 && len(*f) < 40 && strings.Trim(*f, "0") == "" {
				l.zeros = len(*f)
			}
		}
		b.shown[style] = l
	}
	return l
}

// dateFormat understands number formats (ECMA-376 part 1, 18.8.30 and 18.8.31).
func dateFormat(id int, custom *string) bool {
	if custom == nil {
		return id >= 14 && id <= 22 || id >= 27 && id <= 36 || id >= 50 && id <= 58 || id == 45 || id == 47
	}
	format := strings.ToLower(*custom)
	if strings.Contains(format, "[h") || strings.Contains(format, "[m") || strings.Contains(format, "[s") {
		return false // a length of time
	}
	// Only what stands outside quotes, brackets and escapes means something.
	closing := byte(0)
	for i := 0; i < len(format); i++ {
		switch c := format[i]; {
		case closing != 0:
			if c == closing {
				closing = 0
			}
		case c == '"':
			closing = '"'
		case c == '[':
			closing = ']'
		case c == '\\' || c == '_' || c == '*':
			i++
		case strings.IndexByte("ymdhs", c) >= 0:
			return true
		}
	}
	return false
}
