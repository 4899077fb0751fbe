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

// ingest reads an uploaded file, sends its columns and its first rows, and writes all
// rows as Parquet to another file.
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
	if w.db, err = openDatabase(w.ctx, call.MemoryMB, call.Threads, call.Zone, call.Path, call.Output); err != nil {
		return wire.Result{}, err
	}
	var result wire.Result
	if format == datafile.Parquet {
		result, err = w.db.adopt(call.Path)
	} else {
		result, err = w.db.fill(format, data)
	}
	if err != nil {
		return wire.Result{}, err
	}
	if err := w.db.learn(ingestTable); err != nil {
		return wire.Result{}, err
	}
	if err := w.db.send(w.out, call.Output); err != nil {
		return wire.Result{}, err
	}
	return result, nil
}

// fill creates the table from a file that package datafile reads.
func (db *database) fill(format datafile.Format, data []byte) (wire.Result, error) {
	t, err := read(format, data)
	if err != nil {
		return wire.Result{}, err
	}
	defs := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		defs[i] = identifier(c.Name) + " " + sqlType(c.Type)
	}
	if err := db.exec("CREATE TABLE " + ingestTable + " (" + strings.Join(defs, ", ") + ")"); err != nil {
		return wire.Result{}, translateError(err, "", 0)
	}
	appender, err := duckdb.NewAppenderFromConn(db.conn, "", ingestTable)
	if err != nil {
		return wire.Result{}, translateError(err, "", 0)
	}
	row := make([]driver.Value, len(t.Columns))
	for r := range t.Rows {
		for i := range row {
			row[i] = t.Values[i][r]
		}
		if err := appender.AppendRow(row...); err != nil {
			return wire.Result{}, translateError(err, "", 0)
		}
	}
	if err := appender.Close(); err != nil {
		return wire.Result{}, translateError(err, "", 0)
	}
	return wire.Result{Rows: t.Rows, Report: t.Report}, nil
}

// read turns a panic over a damaged file into an error.
func read(format datafile.Format, data []byte) (t *datafile.Table, err error) {
	defer func() {
		if recover() != nil {
			err = warehouse.Errorf(warehouse.Syntax, "the file is damaged; save it again, or as .csv")
		}
	}()
	return datafile.Read(format, data)
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
	names, notes := datafile.Names(names)
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
		kinds[i] = k
		list[i] = fmt.Sprintf("CAST(%s AS %s) AS %s", value, as, identifier(names[i]))
	}
	if err := db.exec("CREATE TABLE " + ingestTable + " AS SELECT " + strings.Join(list, ", ") + " FROM " + source); err != nil {
		return wire.Result{}, notParquet(err)
	}
	return db.report(source, names, kinds, notes)
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
	q, err := db.prepare("SELECT * FROM "+ingestTable, nil)
	if err != nil {
		return err
	}
	if _, err := q.run(warehouse.PreviewRows, wire.MaxFrame, out); err != nil {
		return err
	}
	// The engine would otherwise write another file and move it to this path.
	copied := "COPY " + ingestTable + " TO " + literal(path) + " (FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false)"
	if err := db.exec(copied); err != nil {
		return translateError(err, "", 0)
	}
	return nil
}
