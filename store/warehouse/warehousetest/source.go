package warehousetest

import (
	"testing"

	"service/store/dashboard/cube"
	"service/store/warehouse"
)

// A Source is what the suite is run against: a connector, and a table orders
// (id integer, day date, amount decimal, note text) of the 20,000 rows with
//
//	id     1 … 20000, never NULL
//	day    2026-01-01 plus id modulo 30 days
//	amount id / 100
//	note   "n" and the id
//
// Nobody else uses the connector's account on the server while the suite runs.
type Source struct {
	Open func(testing.TB) warehouse.Connector
	// Tables are all that Introspect lists besides orders, as "name kind".
	Tables []string
	// Values are expressions and what they come to.
	Values []Value
	// Clock is how moments are rounded down.
	Clock Clock
	// Slow is a query that takes minutes before its first row, with a column n.
	Slow string
	// Runaways are more queries that take longer than anybody waits, each in a
	// way of its own to be hard to stop.
	Runaways []string
	// Bombs are queries that want more memory than there is, and Resident is how
	// much the server has, in bytes; nil where that cannot be told.
	Bombs    []string
	Resident func(testing.TB) int
	// Endless is a query of far more rows than anybody reads, with a column n.
	Endless string
	// Long is a query of one row that is longer than the source lets through.
	Long string
	// Mistakes are queries and the errors that they bring.
	Mistakes []Mistake
	// Attacks are statements that must have no effect.
	Attacks []Attack
	// Strict says that every attack brings an error, rather than run in vain.
	Strict bool
	// State tells all that an attack may change: equal states, no effect.
	State func(testing.TB) string
	// Running counts what the source keeps busy or open for the connector: its
	// connections to the server, or its processes; nil where that cannot be told.
	Running func(testing.TB) int
	// Address is where the server of the source is, as host:port, and At opens a
	// connector that speaks to another address in its place. They are zero for a
	// source that is no server.
	Address string
	At      func(t testing.TB, address string) warehouse.Connector
	// Secrets are texts that no error may hold.
	Secrets []string
}

// A Value is an expression, and the one value that selecting it gives.
type Value struct {
	SQL  string
	Type cube.Type
	Want any
	// From is a table of one row that the expression reads; empty for none.
	From string
}

// A Mistake is a query that cannot be run.
type Mistake struct {
	SQL   string
	Class warehouse.Class
	Line  int    // 0 where it is not known
	Names string // what the sentence has to mention
}

// An Attack is one way to do harm, in the statements that try it.
type Attack struct {
	Name  string
	Class warehouse.Class // how every statement of it is refused; empty when that differs
	// Run says that only running a statement of it must fail: it can be described.
	Run bool
	SQL []string
}

// A Table is a [warehouse.Sink] that keeps what it is given.
type Table struct {
	Cols []cube.Column
	Rows [][]any
}

// Columns takes the columns.
func (t *Table) Columns(cols []cube.Column) error { t.Cols = cols; return nil }

// Row takes a row.
func (t *Table) Row(row []any) error { t.Rows = append(t.Rows, row); return nil }
