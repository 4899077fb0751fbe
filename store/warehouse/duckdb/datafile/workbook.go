package datafile

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"

	"service/store/warehouse"
)

// maxUnzipped bounds what a workbook may unzip to, in bytes.
const maxUnzipped = 64 << 20

// readWorkbook reads the first sheet of an XLSX file that is visible and has
// values. Its first row with values is the header.
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
	b := &book{file: f, dates: map[int]bool{}}
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
			if o.name != s.name {
				others = append(others, "\""+o.name+"\"")
			}
		}
		if len(others) > 0 {
			g.notes = append(g.notes, fmt.Sprintf("only the sheet \"%s\" was read; the file also has %s", s.name, strings.Join(others, ", ")))
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
	dates    map[int]bool // by style
	from1904 bool
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

// sheets lists the visible sheets with cells.
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
			if r.ID != s.ID || s.State == "hidden" || s.State == "veryHidden" {
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
	return each(d, "si", func(start *xml.StartElement) error {
		var t richText
		if err := d.DecodeElement(&t, start); err != nil {
			return damaged()
		}
		b.strings = append(b.strings, t.String())
		return nil
	})
}

// each calls fn with each element of that name.
func each(d *xml.Decoder, name string, fn func(*xml.StartElement) error) error {
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return damaged()
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == name {
			if err := fn(&start); err != nil {
				return err
			}
		}
	}
}

type rowXML struct {
	Cells []struct {
		R string   `xml:"r,attr"`
		S int      `xml:"s,attr"`
		T string   `xml:"t,attr"`
		V string   `xml:"v"`
		I richText `xml:"is"`
	} `xml:"c"`
}

// read reads a sheet; the grid is nil when it has no values.
func (b *book) read(s sheet) (*grid, error) {
	data, ok := b.part(s.path)
	if !ok {
		return nil, damaged()
	}
	var rows [][]cell
	width, blank, cells := 0, 0, 0
	d := xml.NewDecoder(bytes.NewReader(data))
	err := each(d, "row", func(start *xml.StartElement) error {
		var x rowXML
		if err := d.DecodeElement(&x, start); err != nil {
			return damaged()
		}
		var row []cell
		for i, c := range x.Cells {
			at := len(row)
			if c.R != "" {
				col, _, err := excelize.CellNameToCoordinates(c.R)
				if err != nil || col <= len(row) {
					return damaged()
				}
				at = col - 1
			}
			v := b.cell(c.T, c.S, c.V, x.Cells[i].I)
			if v.kind == null {
				continue
			}
			if at >= MaxColumns {
				return warehouse.Errorf(warehouse.TooLarge, "the sheet is wider than %d columns", MaxColumns)
			}
			row = append(append(row, make([]cell, at-len(row))...), v)
		}
		switch {
		case len(row) > 0:
			rows = append(rows, row)
			width = max(width, len(row))
		case len(rows) > 0:
			blank++
		}
		if cells += len(row); cells > maxCells {
			return warehouse.Errorf(warehouse.TooLarge, "the sheet has more than %d values", maxCells)
		}
		return nil
	})
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	g := &grid{loose: true}
	if blank > 0 {
		g.notes = append(g.notes, fmt.Sprintf("%d empty rows were skipped", blank))
	}
	names := make([]string, width)
	for i, c := range rows[0] {
		names[i] = c.text
	}
	if err := g.header(names); err != nil {
		return nil, err
	}
	for _, row := range rows[1:] {
		if err := g.add(width); err != nil {
			return nil, err
		}
		for i := range width {
			c := cell{}
			if i < len(row) {
				c = row[i]
			}
			g.columns[i] = append(g.columns[i], c)
		}
		g.rows++
	}
	return g, nil
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
	case "", "n":
		if serial, err := strconv.ParseFloat(strings.TrimSpace(value), 64); err == nil {
			if b.isDate(style) {
				return b.moment(serial, value)
			}
			return cell{number, strings.TrimSpace(value)}
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

// isDate tells whether numbers of a style are shown as dates.
func (b *book) isDate(style int) bool {
	if style == 0 {
		return false
	}
	is, ok := b.dates[style]
	if !ok {
		if s, err := b.file.GetStyle(style); err == nil {
			is = dateFormat(s.NumFmt, s.CustomNumFmt)
		}
		b.dates[style] = is
	}
	return is
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
