package datafile

import (
	"bytes"
	"fmt"
	"path"
	"strings"
	"unicode"

	"service/store/dashboard/cube"
	"service/store/warehouse"
)

// A Table is a file's rows, column by column.
type Table struct {
	Columns []cube.Column
	Values  [][]any // Values[i][j] is row j of column i: nil or of its column's Go type
	Rows    int
	Report  warehouse.Report
}

// A Format is a kind of data file.
type Format string

// The formats, which are also the endings of their names.
const (
	CSV     Format = "csv"
	TSV     Format = "tsv"
	JSON    Format = "json"
	NDJSON  Format = "ndjson"
	XLSX    Format = "xlsx"
	Parquet Format = "parquet"
)

// Limits of a file, beyond its size.
const (
	MaxColumns = 500
	maxCells   = 4_000_000
	maxName    = 200 // bytes of a column name
)

// Sniff tells the format of a file by the ending of its name, and refuses bytes
// that are something else: another format, markup, a program, no text.
func Sniff(filename string, data []byte) (Format, error) {
	format := Format(strings.TrimPrefix(strings.ToLower(path.Ext(filename)), "."))
	switch format {
	case CSV, TSV, JSON, NDJSON, XLSX, Parquet:
	case "jsonl":
		format = NDJSON
	default:
		return "", warehouse.Errorf(warehouse.Refused, "the file's name must end in .csv, .tsv, .json, .ndjson, .parquet or .xlsx")
	}
	is := Format("")
	switch {
	case len(bytes.TrimSpace(data)) == 0:
		return "", warehouse.Errorf(warehouse.Refused, "the file is empty")
	case bytes.HasPrefix(data, []byte("PK\x03\x04")):
		is = XLSX
	case bytes.HasPrefix(data, []byte("PAR1")) && bytes.HasSuffix(data, []byte("PAR1")):
		is = Parquet
	case bytes.HasPrefix(data, []byte("\xd0\xcf\x11\xe0")):
		return "", warehouse.Errorf(warehouse.Refused, "this is an old or encrypted Excel file; save it as .xlsx without a password, or as .csv")
	}
	binary := format == XLSX || format == Parquet
	switch {
	case is != "" && is != format:
		return "", warehouse.Errorf(warehouse.Refused, "the name says .%s, but the file is .%s; rename it", format, is)
	case is == "" && binary:
		return "", warehouse.Errorf(warehouse.Refused, "the name says .%s, but the file is none", format)
	case binary:
		return format, nil
	}
	if markup(data) {
		return "", warehouse.Errorf(warehouse.Refused, "this is HTML, XML or a script, not data")
	}
	return format, nil
}

// markup tells whether text is a document or a program rather than data.
func markup(data []byte) bool {
	head := bytes.TrimLeft(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), " \t\r\n\x00\xff\xfe")
	head = bytes.ToLower(bytes.ReplaceAll(head[:min(len(head), 4096)], []byte{0}, nil))
	for _, prefix := range []string{"<!", "<?", "#!", "{\\rtf", "%pdf"} {
		if bytes.HasPrefix(head, []byte(prefix)) {
			return true
		}
	}
	if !bytes.HasPrefix(head, []byte("<")) {
		return bytes.Contains(head, []byte("<script")) || bytes.Contains(head, []byte("<html"))
	}
	// A header such as <TICKER>,<DATE> is data; a tag that is closed, has
	// attributes, or stands alone on its line is not.
	line, _, _ := bytes.Cut(head, []byte("\n"))
	return bytes.Contains(head, []byte("</")) || bytes.Contains(head, []byte("/>")) ||
		bytes.Contains(line, []byte("=")) || !bytes.ContainsAny(line, ",;\t|")
}

// Read reads a file of any format but Parquet. The error is a
// [*warehouse.Error] whose message names the place.
func Read(format Format, data []byte) (*Table, error) {
	var g *grid
	var err error
	switch format {
	case CSV, TSV:
		g, err = readDelimited(format, data)
	case JSON, NDJSON:
		g, err = readJSON(format, data)
	case XLSX:
		g, err = readWorkbook(data)
	default:
		return nil, warehouse.Errorf(warehouse.Failed, "this format cannot be read")
	}
	if err != nil {
		return nil, err
	}
	return g.table()
}

// A cell is a value as the file has it.
type cell struct {
	kind kind
	text string
}

type kind uint8

const (
	null    kind = iota
	word         // text
	number       // a JSON number, or a numeric cell of a workbook
	boolean      // "true" or "false"
	moment       // a date cell of a workbook, as RFC 3339
	nested       // JSON of an array or object
)

// A grid is a file's cells, column by column, before they have types. Columns
// may be shorter than rows: what is missing is null.
type grid struct {
	names   []string
	columns [][]cell
	rows    int
	cells   int
	notes   []string
	// loose files have text only, so numbers and booleans are found in it.
	loose bool
	// comma tells that 1,5 may be one and a half: fields are not separated by commas.
	comma bool
}

// add makes room for n more cells.
func (g *grid) add(n int) error {
	if g.cells += n; g.cells > maxCells {
		return warehouse.Errorf(warehouse.TooLarge, "the file has more than %d values; leave out columns or rows", maxCells)
	}
	return nil
}

// header sets the columns.
func (g *grid) header(names []string) error {
	if len(names) > MaxColumns {
		return warehouse.Errorf(warehouse.TooLarge, "the file has %d columns; at most %d are possible", len(names), MaxColumns)
	}
	for i, name := range names {
		if len(name) > maxName {
			return warehouse.Errorf(warehouse.TooLarge, "the name of column %d is longer than %d bytes", i+1, maxName)
		}
	}
	names, notes := Names(names)
	g.names = names
	g.notes = append(g.notes, notes...)
	g.columns = make([][]cell, len(names))
	return nil
}

// Names makes names of columns distinct, whatever their case, and tells what it
// changed. They are kept as they are but for white space: an empty one becomes
// column1, a repeated one name_2.
func Names(given []string) (names, notes []string) {
	taken := map[string]bool{} // by any column
	for _, name := range given {
		taken[strings.ToLower(clean(name))] = true
	}
	used := map[string]bool{} // by a column before
	for i, name := range given {
		name = clean(name)
		base := name
		if base == "" {
			base = fmt.Sprintf("column%d", i+1)
		}
		final := base
		for n := 2; used[strings.ToLower(final)] || final != name && taken[strings.ToLower(final)]; n++ {
			final = fmt.Sprintf("%s_%d", base, n)
		}
		used[strings.ToLower(final)] = true
		if name != "" && name != final {
			notes = append(notes, fmt.Sprintf("column %d: the name \"%s\" is used twice; this one is now \"%s\"", i+1, name, final))
		}
		names = append(names, final)
	}
	return names, notes
}

// clean makes a column name one line without surrounding space.
func clean(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(name, " "), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || r == '\ufeff'
	}), " ")
}

// table gives each column its type.
func (g *grid) table() (*Table, error) {
	if len(g.names) == 0 {
		return nil, warehouse.Errorf(warehouse.Refused, "the file has no columns")
	}
	t := &Table{Rows: g.rows, Report: warehouse.Report{Notes: g.notes}}
	for i, name := range g.names {
		c := settle(g.columns[i], g.loose, g.comma)
		t.Columns = append(t.Columns, cube.Column{Name: name, Type: c.kind})
		values := make([]any, g.rows)
		for row, v := range g.columns[i] {
			values[row] = c.value(v)
		}
		g.columns[i] = nil
		t.Values = append(t.Values, values)
		for _, note := range c.notes {
			t.Report.Notes = append(t.Report.Notes, fmt.Sprintf("column \"%s\": %s", name, note))
		}
		if c.missing.Count > 0 {
			c.missing.Column = name
			t.Report.Cells = append(t.Report.Cells, c.missing)
		}
	}
	return t, nil
}
