package rest

import (
	"net/http"

	"service/store/dashboard/cube"
	"service/store/sqltext"
	"service/store/warehouse"
)

// An Engine is one warehouse, as its kind speaks to it. Its methods are safe for concurrent use.
type Engine interface {
	// Dialect names the SQL, and Lexer is how it is read.
	Dialect() string
	Lexer() sqltext.Dialect
	// Placeholder returns the text that stands for argument n (from 1) in SQL.
	Placeholder(n int) string
	// Check returns SQL that may be sent. It refuses all that is not one statement that only reads, as far as its text shows.
	Check(sql string) (string, error)
	// Sign adds the headers that prove to the warehouse whose requests these are. It is called for each call, and again when the
	// warehouse takes the last ones for expired.
	Sign(h http.Header) error
	// Describe has the warehouse plan a statement without running it. It refuses all statements but queries.
	Describe(s *Session, st Statement) (Plan, error)
	// Start submits a statement that was planned. It returns the run even with an error if the warehouse may have got the statement.
	Start(s *Session, st Statement, p Plan) (Run, error)
	// Probe is a statement that fails, when it is described, if the connection cannot be used.
	Probe() Statement
	// Catalog is a statement that lists columns, table by table, of at most [warehouse.MaxTables] tables. Listed reads
	// a row of it.
	Catalog(q warehouse.Introspection) Statement
	Listed(row Listing) (warehouse.Table, warehouse.TableColumn)
	// Fault translates an answer to a request about a statement that is not a success. A fault of class [warehouse.Busy] has the request
	// sent again later, and one of class [warehouse.Auth] signed anew.
	Fault(a Answer, st Statement) *warehouse.Error
}

// A Run is a statement that the warehouse has.
type Run interface {
	// Next waits for the next page, of at most so many rows, and for at most as long as the session's context. A page may be empty.
	Next(s *Session, most int) (Page, error)
	// Cancel ends the statement on the warehouse, if it may still run.
	Cancel(s *Session) error
}

// A Statement is SQL with the values of its placeholders.
type Statement struct {
	SQL  string
	Args []any             // as [warehouse.Connector.Query] takes them
	Zone string            // an IANA name
	Tags map[string]string // that the warehouse shows to its administrators beside the statement
	Own  bool              // the SQL is ours: errors have no position in it
	Line int               // how many lines of ours are sent before the SQL
	Most warehouse.Limits  // of the run
}

// A Plan describes a statement before it runs.
type Plan struct {
	Columns []Column
	Bytes   int64  // that a run reads; -1 if the warehouse does not say
	Place   string // where it runs, for the engine
}

// A Column is a column of a result, and how its values are read.
type Column struct {
	cube.Column
	// Read returns a value from its JSON, which is valid, as [cube.Builder.Add] takes it, and its size in bytes.
	Read func(raw []byte) (v any, size int, err error)
}

// A Listing is a row of [Engine.Catalog]: its columns are texts, in this order.
type Listing struct {
	Schema, Table, Kind             string // Kind is table or view
	Column, Type, Nullable, Comment string // Nullable is YES or NO
}

// A Page is a part of a result.
type Page struct {
	// Rows are the rows: a list in valid JSON, or nil. Cells returns the values of one of them, in order, as JSON.
	Rows  []byte
	Cells func(row []byte, cells [][]byte) ([][]byte, error)
	// Columns are those of the result. They are nil before the first rows.
	Columns []Column
	// Waiting is set while the statement still runs, and Last if no page follows.
	Waiting, Last bool
}
