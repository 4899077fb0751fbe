package datafile

import (
	"bytes"
	"encoding/xml"
	"math"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"

	"service/store/warehouse"
)

const maxUnzipped = 64 << 20 // bytes that a workbook may unzip to

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
	targets := map[string]string{}
	for _, r := range rels.Items {
		target := strings.TrimPrefix(r.Target, "/")
		if target == r.Target {
			target = path.Join("xl", target)
		}
		targets[r.ID] = target
	}
	var out []sheet
	for _, s := range workbook.Sheets {
		target := targets[s.ID]
		delete(targets, s.ID) // none is read twice
		switch {
		case !strings.Contains(target, "worksheets/"):
		case s.State == "hidden" || s.State == "veryHidden":
			b.hidden = append(b.hidden, s.Name)
		default:
			out = append(out, sheet{clean(s.Name), target})
		}
	}
	return out, nil
}

func (b *book) sharedStrings() error {
	data, ok := b.part("xl/sharedStrings.xml")
	if !ok {
		return nil // a workbook without text has none
	}
	x := xmlReader{xml.NewDecoder(bytes.NewReader(data))}
	return x.each(func(start *xml.StartElement) error {
		if start.Name.Local != "si" {
			return nil
		}
		text, err := x.text()
		if err != nil {
			return err
		}
		if b.strings = append(b.strings, text); len(b.strings) > maxCells {
			return tooMany()
		}
		return nil
	}, nil)
}

// cell reads one cell: its type, style, value and inline text.
func (b *book) cell(kind string, style int, value, inline string) (cell, error) {
	text := value
	if strings.TrimSpace(value) == "" && kind != "inlineStr" && kind != "e" {
		return cell{}, nil
	}
	switch kind {
	case "b":
		if value == "1" {
			return cell{boolean, "true"}, nil
		}
		return cell{boolean, "false"}, nil
	case "s":
		i, err := strconv.Atoi(strings.TrimSpace(value))
		if err != nil || i < 0 || i >= len(b.strings) {
			return cell{}, damaged()
		}
		text = b.strings[i]
	case "inlineStr":
		text = inline
	case "e":
		return cell{failed, value}, nil
	case "", "n":
		if serial, err := strconv.ParseFloat(strings.TrimSpace(value), 64); err == nil {
			look := b.look(style)
			if look.date {
				return b.moment(serial, value), nil
			}
			value = strings.TrimSpace(value)
			if n := look.zeros - len(value); n > 0 && allDigits(value) {
				return cell{plainText, strings.Repeat("0", n) + value}, nil
			}
			return cell{number, value}, nil
		}
	}
	if strings.TrimSpace(text) == "" {
		return cell{}, nil
	}
	return cell{plainText, text}, nil
}

// moment makes a date of the days since 1900 or 1904. Of 1900, day 60 is a 29th
// of February that never was, and is a number here.
func (b *book) moment(serial float64, value string) cell {
	if math.IsNaN(serial) || serial < 0 || serial >= 2958466 || !b.from1904 && math.Trunc(serial) == 60 {
		return cell{number, value}
	}
	first := time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	if !b.from1904 {
		first = time.Date(1899, 12, 31, 0, 0, 0, 0, time.UTC)
		if serial > 60 {
			first = first.AddDate(0, 0, -1)
		}
	}
	whole, part := math.Modf(serial)
	t := first.AddDate(0, 0, int(whole)).Add(time.Duration(math.Round(part*86_400_000)) * time.Millisecond)
	switch {
	case serial < 1: // a time of day
		return cell{plainText, t.Format(time.TimeOnly)}
	case t.Year() > 9999:
		return cell{number, value}
	case t.Equal(t.Truncate(24 * time.Hour)):
		return cell{dateTime, t.Format(time.DateOnly)}
	}
	return cell{dateTime, t.Format("2006-01-02 15:04:05.000")}
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
