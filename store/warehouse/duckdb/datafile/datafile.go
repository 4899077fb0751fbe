package datafile

import (
	"bytes"
	"path"
	"strings"

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
	maxText    = 64 << 20 // bytes of all values; a workbook can repeat one text many times
	maxName    = 200      // bytes of a column name
	maxWidth   = 1 << 15  // values of a line, before the columns are known
	maxNotes   = 500
)

// Sniff returns the format of a file from the ending of its name. It refuses bytes of another format, markup and programs.
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
		return "", warehouse.Errorf(warehouse.Refused, "the file name ends in .%s, but the file is .%s; rename it", format, is)
	case is == "" && binary:
		return "", warehouse.Errorf(warehouse.Refused, "the file name ends in .%s, but its contents are something else; rename it", format)
	case binary:
		return format, nil
	}
	if markup(data) {
		return "", warehouse.Errorf(warehouse.Refused, "this is HTML, XML or a script, not data")
	}
	return format, nil
}

// markup reports whether text is a document or a program rather than data.
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
	// A header such as <TICKER>,<DATE> is data. A tag that is closed, has attributes, or is alone on its line is markup.
	line, _, _ := bytes.Cut(head, []byte("\n"))
	return bytes.Contains(head, []byte("</")) || bytes.Contains(head, []byte("/>")) ||
		bytes.Contains(line, []byte("=")) || !bytes.ContainsAny(line, ",;\t|")
}

// Read reads a file of any format but Parquet, and passes its table to take. The table of a workbook is its first visible sheet that has
// values, and take also gets the others, in the workbook's order. dates decides where a column of dates fits both orders of day and month.
// The error is that of take, or a [*warehouse.Error] whose message names the line or row.
func Read(format Format, data []byte, dates warehouse.Dates, take func(Sheet) error) error {
	var g *grid
	var err error
	switch format {
	case CSV, TSV:
		g, err = readDelimited(format, data)
	case JSON, NDJSON:
		g, err = readJSON(format, data)
	case XLSX:
		return readWorkbook(data, dates, take)
	default:
		return warehouse.Errorf(warehouse.Failed, "this format cannot be read")
	}
	if err != nil {
		return err
	}
	g.dates = dates
	t, err := g.table()
	if err != nil {
		return err
	}
	return take(Sheet{State: warehouse.SheetRead, Table: t})
}
