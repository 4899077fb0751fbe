package resttest

import (
	"strconv"
	"time"

	"service/store/dashboard/cube"
	"service/store/warehouse/warehousetest"
)

// Recorded is the outcome of a statement. C is a column as the vendor describes it.
type Recorded[C any] struct {
	Effect string // the kind of a statement that is not a query; empty for a query
	Cols   []C
	Bytes  int64 // that a run reads
	// Rows returns the number of rows, and the cells of each as the vendor writes them.
	Rows   func(p Params) (n int, row func(i int) []any)
	Slow   bool  // it runs until it is cancelled
	Fails  Fault // when it is planned
	Breaks Fault // when it runs
}

// A Fault is an error of a vendor's service: an HTTP status, and a code and message in the vendor's words. It is zero after a call that
// succeeded.
type Fault struct {
	Status        int
	Code, Message string
}

// Params are the arguments of a statement and its time zone. An argument is nil, an int64, a float64, a bool, a string, or a time.Time.
type Params struct {
	Args []any
	Zone string
}

// A Value is an expression of the conformance suite, the column that selecting it has, and its cell as the vendor writes it.
type Value[C any] struct {
	warehousetest.Value
	Col  C
	Sent any
}

// Fixed has the same rows for all parameters.
func Fixed[C any](cols []C, rows ...[]any) Recorded[C] {
	return Many(cols, len(rows), func(i int) []any { return rows[i] })
}

// Many has n rows.
func Many[C any](cols []C, n int, row func(i int) []any) Recorded[C] {
	return Recorded[C]{Cols: cols, Bytes: 160_000, Rows: func(Params) (int, func(int) []any) { return n, row }}
}

// Cents is an amount in hundredths.
type Cents int64

// order is row i (from 0) of the table orders of [warehousetest.Source].
func order(i int) []any {
	id := i + 1
	return []any{int64(id), dayOf(id), Cents(id), note(id)}
}

func dayOf(id int) cube.Day { return cube.DayOf(time.Date(2026, 1, 1+id%30, 0, 0, 0, 0, time.UTC)) }

func note(id int) string { return "n" + strconv.Itoa(id) }

// Err returns a fault.
func Err(status int, code, message string) Fault {
	return Fault{Status: status, Code: code, Message: message}
}

// Of returns a value: selecting sql gives want in a column of type kind, whose description is col and whose cell is sent.
func Of[C any](sql string, kind cube.Type, want any, col C, sent any) Value[C] {
	return Value[C]{Value: warehousetest.Value{SQL: sql, Type: kind, Want: want}, Col: col, Sent: sent}
}
