package worker

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/duckdb/duckdb-go/v2"

	"service/store/dashboard/cube"
	"service/store/warehouse"
	"service/store/warehouse/duckdb/wire"
)

// A query is a statement accepted by the gate, with its columns.
type query struct {
	db      *database
	sql     string // without its last semicolon
	args    []any
	columns []cube.Column
	kinds   []kind
}

// prepare checks a statement and determines its columns without running it.
func (db *database) prepare(sql string, args []wire.Arg) (*query, error) {
	q := &query{db: db}
	for _, a := range args {
		q.args = append(q.args, a.Value)
	}
	var err error
	if q.sql, err = db.check(sql, len(args)); err != nil {
		return nil, err
	}
	const before, after = "DESCRIBE (", "\n)"
	err = q.each(before+q.sql+after, func(row []driver.Value) error {
		name, _ := row[0].(string)
		kind := typeOf(fmt.Sprint(row[1]))
		q.columns = append(q.columns, cube.Column{Name: name, Type: kind.cube})
		q.kinds = append(q.kinds, kind)
		return nil
	})
	if err != nil {
		return nil, translateError(err, q.sql, len(before))
	}
	seen := map[string]bool{}
	for _, c := range q.columns {
		if seen[c.Name] {
			return nil, warehouse.Errorf(warehouse.Refused,
				"two columns of the query are called \"%s\"; give one of them another name with AS%s", c.Name, aliasOf(c.Name))
		}
		seen[c.Name] = true
	}
	if len(q.columns) > wire.MaxColumns {
		return nil, warehouse.Errorf(warehouse.TooLarge, "the query returns %d columns; at most %d are possible", len(q.columns), wire.MaxColumns)
	}
	return q, nil
}

// frameSize is the number of bytes of rows that are collected before they are sent.
const frameSize = 256 << 10

// run executes the statement and sends its columns and rows. The engine
// materializes a result before the driver returns the first row, so the row
// limit is part of the statement: without it `SELECT * FROM range(1e12)` would
// fill the memory instead of being cut.
func (q *query) run(maxRows, maxBytes int, out io.Writer) (wire.Result, error) {
	if err := wire.WriteJSON(out, wire.Columns, q.columns); err != nil {
		return wire.Result{}, err
	}
	maxBytes = min(maxBytes, wire.MaxFrame)
	sql, offset := q.statement(maxRows)
	var result wire.Result
	var frame, one []byte
	row := make([]any, len(q.kinds))
	size := 0
	err := q.each(sql, func(values []driver.Value) (err error) {
		if result.Rows == maxRows {
			result.Truncated = true
			return errEnough
		}
		for i, v := range values {
			if row[i], err = q.kinds[i].value(v); err != nil {
				return err
			}
		}
		one = wire.AppendRow(one[:0], q.columns, row)
		if size += len(one); size > maxBytes {
			if result.Rows == 0 {
				return warehouse.Errorf(warehouse.TooLarge, "the first row alone is over the size limit; select fewer or shorter columns")
			}
			result.Truncated = true
			return errEnough
		}
		if len(frame) > 0 && len(frame)+len(one) > frameSize {
			if err := wire.Write(out, wire.Rows, frame); err != nil {
				return err
			}
			frame = frame[:0]
		}
		frame = append(frame, one...)
		result.Rows++
		return nil
	})
	if err != nil {
		return wire.Result{}, translateError(err, q.sql, offset)
	}
	if len(frame) == 0 {
		return result, nil
	}
	return result, wire.Write(out, wire.Rows, frame)
}

// statement returns the SQL that is run for a number of rows, and where the query's own begins in it.
func (q *query) statement(maxRows int) (sql string, offset int) {
	list := make([]string, len(q.kinds))
	for i, k := range q.kinds {
		list[i] = strings.ReplaceAll(k.fetch, "%", fmt.Sprintf("#%d", i+1))
	}
	before := "SELECT " + strings.Join(list, ", ") + " FROM ("
	return before + q.sql + fmt.Sprintf("\n) LIMIT %d", maxRows+1), len(before)
}

var errEnough = errors.New("worker: enough rows")

// each runs a statement with the arguments and calls fn with each row; fn must
// not keep it.
func (q *query) each(sql string, fn func([]driver.Value) error) error {
	prepared, err := q.db.conn.PrepareContext(q.db.ctx, sql)
	if err != nil {
		return err
	}
	stmt := prepared.(*duckdb.Stmt)
	defer stmt.Close()
	rows, err := stmt.QueryContext(q.db.ctx, bind(stmt, q.args))
	if err != nil {
		return err
	}
	defer rows.Close()
	row := make([]driver.Value, len(rows.Columns()))
	for {
		if err := rows.Next(row); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := fn(row); errors.Is(err, errEnough) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// bind converts arguments to the form that the driver needs for their placeholders. A time becomes
// text, which the engine casts, unless the placeholder expects a time.
func bind(stmt *duckdb.Stmt, args []any) []driver.NamedValue {
	out := named(args)
	for n := range stmt.NumInput() {
		name, err := stmt.ParamName(n + 1)
		if err != nil {
			continue
		}
		kind, _ := stmt.ParamType(n + 1)
		for i := range out {
			if out[i].Name == name {
				out[i].Value = bindable(out[i].Value, kind)
			}
		}
	}
	return out
}

func bindable(v any, kind duckdb.Type) any {
	t, ok := v.(time.Time)
	if !ok {
		return v
	}
	t = t.UTC()
	switch kind {
	case duckdb.TYPE_INVALID, // not known before the value is bound
		duckdb.TYPE_TIMESTAMP, duckdb.TYPE_TIMESTAMP_TZ, duckdb.TYPE_TIMESTAMP_S,
		duckdb.TYPE_TIMESTAMP_MS, duckdb.TYPE_TIMESTAMP_NS, duckdb.TYPE_DATE:
		return t
	}
	if t.Equal(t.Truncate(24 * time.Hour)) {
		return t.Format(time.DateOnly)
	}
	return t.Format("2006-01-02 15:04:05.999999")
}

// aliasOf is an example of a name for a column that the engine has named after its expression, such as "count_star()", and "" for other
// columns.
func aliasOf(column string) string {
	function, rest, called := strings.Cut(column, "(")
	if !called || function == "" {
		return ""
	}
	expression := column
	if column == "count_star()" {
		function, expression = "count", "count(*)"
	} else if rest == "" {
		return ""
	}
	return ", such as " + expression + " AS " + function + "_2"
}
