package worker

import (
	"database/sql/driver"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/duckdb/duckdb-go/v2"

	"service/store/warehouse"
	"service/store/warehouse/duckdb/datafile"
	"service/store/warehouse/duckdb/wire"
)

const (
	ingestTable = "upload"
	maxFields   = 10 * datafile.MaxColumns // of a Parquet file, those of nested columns too
)

// ingest reads an uploaded file, sends the columns and the first rows of its table, and writes all rows as Parquet to another file. It does
// so for each sheet of a workbook.
func (w *worker) ingest(call wire.Call) (wire.Result, error) {
	data, err := os.ReadFile(call.Path)
	if err != nil {
		return wire.Result{}, err
	}
	format, err := datafile.Sniff(call.Filename, data)
	if err != nil {
		return wire.Result{}, err
	}
	if format == datafile.Parquet {
		if err := datafile.CheckParquet(data); err != nil {
			return wire.Result{}, err
		}
	}
	if w.db, err = openDatabase(w.ctx, call.MemoryMB, call.Threads, call.Zone, call.Path, call.Output, call.Spare); err != nil {
		return wire.Result{}, err
	}
	switch format {
	case datafile.Parquet:
		result, err := w.db.adopt(call.Path)
		if err != nil {
			return wire.Result{}, err
		}
		return result, w.db.send(w.out, call.Output)
	case datafile.XLSX:
		return w.workbook(call, data)
	}
	var result wire.Result
	err = read(format, data, call.Dates, func(s datafile.Sheet) error {
		result = wire.Result{Rows: s.Table.Rows, Report: s.Table.Report}
		if err := w.db.fill(s.Table); err != nil {
			return err
		}
		return w.db.send(w.out, call.Output)
	})
	return result, err
}

// workbook reads all sheets of a workbook.
func (w *worker) workbook(call wire.Call, data []byte) (wire.Result, error) {
	output, err := os.OpenFile(call.Output, os.O_WRONLY, 0)
	if err != nil {
		return wire.Result{}, err
	}
	defer output.Close()
	var result wire.Result
	found, total := false, int64(0)
	err = read(datafile.XLSX, data, call.Dates, func(s datafile.Sheet) error {
		sheet := wire.Sheet{Name: s.Name, State: s.State, Reason: s.Reason}
		if s.Table != nil {
			sheet.Rows, sheet.Report = s.Table.Rows, s.Table.Report
			if !found {
				found, result.Rows, result.Report = true, sheet.Rows, sheet.Report
			}
			size, err := w.sheet(s.Table, call.Spare, output, total)
			switch {
			case err != nil:
				return err
			case size == 0:
				sheet = wire.Sheet{
					Name: s.Name, State: warehouse.SheetUnread, Reason: "the rows of the sheets before it fill the limit of a file",
				}
			}
			sheet.Size = size
			total += size
		}
		result.Sheets = append(result.Sheets, sheet)
		return nil
	})
	return result, err
}

// sheet sends a sheet and appends its rows to output as Parquet, by way of the file spare. It returns the size of the Parquet, or 0 for a
// later sheet that does not fit with those before, which have the size before.
func (w *worker) sheet(t *datafile.Table, spare string, output io.Writer, before int64) (int64, error) {
	w.db.tables = nil
	if err := w.db.exec("DROP TABLE IF EXISTS " + ingestTable); err != nil {
		return 0, translateError(err, "", 0)
	}
	if err := w.db.fill(t); err != nil {
		return 0, err
	}
	if err := w.db.write(spare); err != nil {
		return 0, err
	}
	written, err := os.Open(spare)
	if err != nil {
		return 0, err
	}
	defer written.Close()
	info, err := written.Stat()
	if err != nil || before > 0 && before+info.Size() > wire.MaxParquet {
		return 0, err
	}
	if err := w.db.show(w.out); err != nil {
		return 0, err
	}
	return io.Copy(output, written)
}

// fill creates the table from one that package datafile has read.
func (db *database) fill(t *datafile.Table) error {
	defs := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		defs[i] = identifier(c.Name) + " " + sqlType(c.Type)
	}
	if err := db.exec("CREATE TABLE " + ingestTable + " (" + strings.Join(defs, ", ") + ")"); err != nil {
		return translateError(err, "", 0)
	}
	appender, err := duckdb.NewAppenderFromConn(db.conn, "", ingestTable)
	if err != nil {
		return translateError(err, "", 0)
	}
	row := make([]driver.Value, len(t.Columns))
	for r := range t.Rows {
		for i := range row {
			row[i] = t.Values[i][r]
		}
		if err := appender.AppendRow(row...); err != nil {
			return translateError(err, "", 0)
		}
	}
	if err := appender.Close(); err != nil {
		return translateError(err, "", 0)
	}
	return nil
}

// read turns a panic over a damaged file into an error.
func read(format datafile.Format, data []byte, dates warehouse.Dates, take func(datafile.Sheet) error) (err error) {
	defer func() {
		if recover() != nil {
			err = warehouse.Errorf(warehouse.Syntax, "the file is damaged; save it again, or as .csv")
		}
	}()
	return datafile.Read(format, data, dates, take)
}

// adopt creates the table from a Parquet file. Columns of types that dashboards do not support become text.
func (db *database) adopt(path string) (wire.Result, error) {
	source := "read_parquet(" + literal(path) + ")"
	// Check the number of columns first: the time to describe them grows with its square.
	schema, err := db.all("SELECT count(*), first(num_children) FROM parquet_schema(" + literal(path) + ")")
	if err != nil {
		return wire.Result{}, notParquet(err)
	}
	fields, _ := schema[0][0].(int64)
	columns, _ := schema[0][1].(int64)
	switch {
	case columns > datafile.MaxColumns:
		return wire.Result{}, warehouse.Errorf(warehouse.TooLarge, "the file has %d columns; at most %d are possible",
			columns, datafile.MaxColumns)
	case fields > maxFields:
		return wire.Result{}, warehouse.Errorf(warehouse.TooLarge, "the columns of the file have %d fields; at most %d are possible",
			fields, maxFields)
	}
	described, err := db.all("DESCRIBE SELECT * FROM " + source)
	if err != nil {
		return wire.Result{}, notParquet(err)
	}
	names := make([]string, len(described))
	for i, row := range described {
		names[i], _ = row[0].(string)
	}
	roots, err := db.roots(path)
	if err != nil {
		return wire.Result{}, err
	}
	var notes []string
	if len(roots) == len(names) {
		notes = renamed(roots, names)
	}
	names, more := datafile.Names(names)
	notes = append(notes, more...)
	kinds := make([]kind, len(described))
	list := make([]string, len(described))
	for i, row := range described {
		k := typeOf(fmt.Sprint(row[1]))
		value, as := fmt.Sprintf("#%d", i+1), k.stored
		if as == "" {
			as = sqlType(k.cube)
			fetch := k.fetch
			if k.lost != "" {
				fetch = "CASE WHEN NOT (" + k.lost + ") THEN " + fetch + " END"
			}
			value = strings.ReplaceAll(fetch, "%", value)
		}
		if len(roots) == len(names) && roots[i].fine && k.cut == "" && k.note == "" {
			k.note = "times are kept in microseconds; nanoseconds, if there are any, are cut"
		}
		kinds[i] = k
		list[i] = fmt.Sprintf("CAST(%s AS %s) AS %s", value, as, identifier(names[i]))
	}
	if err := db.exec("CREATE TABLE " + ingestTable + " AS SELECT " + strings.Join(list, ", ") + " FROM " + source); err != nil {
		return wire.Result{}, notParquet(err)
	}
	return db.report(source, names, kinds, notes)
}

// A root is a column of a Parquet file as its schema has it.
type root struct {
	name string
	fine bool // its times have nanoseconds
}

// roots returns the columns of a Parquet file, without the fields in them.
func (db *database) roots(path string) (out []root, err error) {
	fields, err := db.all("SELECT coalesce(name, ''), coalesce(type, ''), coalesce(logical_type, ''), coalesce(num_children, 0) " +
		"FROM parquet_schema(" + literal(path) + ")")
	if err != nil {
		return nil, notParquet(err)
	}
	inside := int64(0) // the fields that are left of the columns before
	for i, f := range fields {
		children, _ := f[3].(int64)
		switch {
		case i == 0:
			continue
		case inside > 0:
			inside += children - 1
			continue
		}
		inside = children
		name, sort, logical := fmt.Sprint(f[0]), fmt.Sprint(f[1]), fmt.Sprint(f[2])
		fine := sort == "INT96" || strings.HasPrefix(logical, "TimestampType") && strings.Contains(logical, "NANOS=NanoSeconds")
		out = append(out, root{name, fine})
	}
	return out, nil
}

// renamed returns a note on each column that the engine renames: the second with a name, in any case, and those without one.
func renamed(roots []root, names []string) (notes []string) {
	for i, r := range roots {
		switch {
		case r.name == names[i]:
		case r.name == "":
			notes = append(notes, fmt.Sprintf("column %d has no name; it is now \"%s\"", i+1, names[i]))
		default:
			notes = append(notes, fmt.Sprintf("column %d: the name \"%s\" is used twice; this one is now \"%s\"", i+1, r.name, names[i]))
		}
	}
	return notes
}

// report counts the rows of an adopted Parquet file and reports how its columns changed.
func (db *database) report(source string, names []string, kinds []kind, notes []string) (wire.Result, error) {
	counts := []string{"count(*)"}
	count := func(column int, which string) { // #1 is the row number
		if which != "" {
			where := " FILTER (WHERE " + strings.ReplaceAll(which, "%", fmt.Sprintf("#%d", column+2)) + ")"
			counts = append(counts, "count(*)"+where, "coalesce(min(#1)"+where+", 0)")
		}
	}
	for i, k := range kinds {
		count(i, k.lost)
		count(i, k.cut)
	}
	rows, err := db.all("SELECT " + strings.Join(counts, ", ") + " FROM (SELECT row_number() OVER (), * FROM " + source + ")")
	if err != nil {
		return wire.Result{}, notParquet(err)
	}
	found := rows[0]
	next := func() int {
		n, _ := found[0].(int64)
		found = found[1:]
		return int(n)
	}
	result := wire.Result{Rows: next()}
	for i, k := range kinds {
		if k.lost != "" {
			lost := warehouse.BadCells{Column: names[i], Count: next(), FirstRow: next()}
			if lost.Count > 0 {
				result.Report.Cells = append(result.Report.Cells, lost)
			}
		}
		if k.cut != "" {
			if n, first := next(), next(); n > 0 {
				k.note = fmt.Sprintf("seconds are cut to microseconds, the first in row %d", first)
			}
		}
		if k.note != "" {
			notes = append(notes, fmt.Sprintf("column \"%s\": %s", names[i], k.note))
		}
	}
	result.Report.Notes = notes
	return result, nil
}

// notParquet translates an error in a Parquet file.
func notParquet(err error) error {
	e := translateError(err, "", 0)
	if known, ok := e.(*warehouse.Error); ok && known.Class == warehouse.TooLarge {
		return e
	}
	return datafile.DamagedParquet()
}

// send sends columns and preview, and writes the table to an existing file as Parquet.
func (db *database) send(out io.Writer, path string) error {
	if err := db.show(out); err != nil {
		return err
	}
	return db.write(path)
}

// show sends columns and preview.
func (db *database) show(out io.Writer) error {
	if err := db.learn(ingestTable); err != nil {
		return err
	}
	q, err := db.prepare("SELECT * FROM "+ingestTable, nil)
	if err != nil {
		return err
	}
	_, err = q.run(warehouse.PreviewRows, wire.MaxFrame, out)
	return err
}

// write writes the table to an existing file as Parquet.
func (db *database) write(path string) error {
	// The engine would otherwise write another file and move it to this path.
	copied := "COPY " + ingestTable + " TO " + literal(path) + " (FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false)"
	if err := db.exec(copied); err != nil {
		return translateError(err, "", 0)
	}
	return nil
}
