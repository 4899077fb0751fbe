package warehousetest

import (
	"testing"

	"service/store/dashboard/cube"
	"service/store/warehouse"
)

// A Source is the subject of the suite: a connector, and a table orders (id integer, day date, amount decimal, note text) of the 20,000
// rows with
//
//	id     1 … 20000, never NULL
//	day    2026-01-01 plus id modulo 30 days
//	amount id / 100
//	note   "n" and the id
//
// Nothing else may use the connector's account on the server while the suite runs.
type Source struct {
	Open func(testing.TB) warehouse.Connector
	// Tables are all other tables that Introspect lists in addition to orders, as "name kind".
	Tables []string
	// Values are expressions and their values.
	Values []Value
	// Clock has the SQL for rounding instants down.
	Clock Clock
	// Slow is a query that takes minutes before its first row, with a column n.
	Slow string
	// Runaways are more queries that never end in practice, each hard to stop for a different reason.
	Runaways []string
	// Bombs are queries that need more memory than there is, and Resident returns the memory of the server in bytes. It is nil if that cannot
	// be measured.
	Bombs    []string
	Resident func(testing.TB) int
	// Endless is a query of far more rows than are ever read, with a column n.
	Endless string
	// Long is a query of one row that is longer than the connector accepts.
	Long string
	// Mistakes are queries and the errors that they cause.
	Mistakes []Mistake
	// Attacks are statements that must have no effect.
	Attacks []Attack
	// Strict reports that every attack must fail with an error, rather than run without effect.
	Strict bool
	// State returns everything that an attack could change: equal states mean no effect.
	State func(testing.TB) string
	// Running counts the connections to the server, or the processes, that are in use for the connector. It is nil if they cannot be counted.
	Running func(testing.TB) int
	// Address is the host:port of the source's server, and At opens a connector to another address in its place. They are zero for a source
	// that is not a server.
	Address string
	At      func(t testing.TB, address string) warehouse.Connector
	// Secrets are texts that no error may contain.
	Secrets []string
}

// A Value is an expression, and the value that selecting it returns.
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
	Line  int    // 0 if unknown
	Names string // a text that the message must contain
}

// An Attack is one way to do harm, in the statements that try it.
type Attack struct {
	Name  string
	Class warehouse.Class // the class of the error of each of its statements; empty if they differ
	// Run reports that only running one of its statements must fail, and describing one need not.
	Run bool
	SQL []string
}

// A Table is a [warehouse.Sink] that keeps its columns and rows.
type Table struct {
	Cols []cube.Column
	Rows [][]any
}

// Columns keeps the columns.
func (t *Table) Columns(cols []cube.Column) error { t.Cols = cols; return nil }

// Row keeps a row.
func (t *Table) Row(row []any) error { t.Rows = append(t.Rows, row); return nil }
