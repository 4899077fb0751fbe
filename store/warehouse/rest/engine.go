package rest

import (
	"net/http"

	"service/store/dashboard/cube"
	"service/store/sqltext"
	"service/store/warehouse"
)

// An Engine is the vendor's protocol for one warehouse. Its methods are safe for concurrent use.
type Engine interface {
	// Dialect names the SQL, and Lexer reads it.
	Dialect() string
	Lexer() sqltext.Dialect
	// Placeholder returns the placeholder of argument n (from 1) in SQL.
	Placeholder(n int) string
	// Check returns SQL that may be sent. It refuses SQL whose text is not a single statement that only reads.
	Check(sql string) (string, error)
	// Sign adds the headers that authenticate requests to the warehouse. It is called for each call, and again if the warehouse reports that
	// the last headers have expired. It may ask the warehouse itself for them, by requests of s that are not signed.
	Sign(s *Session, h http.Header) error
	// Describe makes the warehouse plan a statement without running it. It refuses all statements but queries.
	Describe(s *Session, st Statement) (Plan, error)
	// Start submits a statement that was planned. It returns the run even with an error if the warehouse may have received the statement.
	Start(s *Session, st Statement, p Plan) (Run, error)
	// Probe returns a statement whose description fails if the connection cannot be used.
	Probe() Statement
	// Catalog returns a statement that lists columns, table by table, of at most [warehouse.MaxTables] tables. Listed reads one of its rows.
	Catalog(q warehouse.Introspection) Statement
	Listed(row Listing) (warehouse.Table, warehouse.TableColumn)
	// Fault translates an answer to a request about a statement that is not a success. After a fault of class [warehouse.Busy] the request is
	// sent again later, and after one of class [warehouse.Auth] it is signed anew.
	Fault(a Answer, st Statement) *warehouse.Error
}

// A RequestSigner is an [Engine] that signs each request as a whole, after its own Sign. It sets headers of r.
type RequestSigner interface {
	SignRequest(r *http.Request, body []byte)
}

// A Run is a statement that was submitted to the warehouse.
type Run interface {
	// Next waits for the next page, of at most most rows, until the session's context ends. A page may be empty.
	Next(s *Session, most int) (Page, error)
	// Cancel ends the statement on the warehouse, if it may still run.
	Cancel(s *Session) error
}

// A Counter is a [Run] of an engine that reports how many bytes a statement has read. Read returns -1 before it is known.
type Counter interface {
	Read() int64
}

// A Statement is SQL with the values of its placeholders.
type Statement struct {
	SQL  string
	Args []any             // as in [warehouse.Connector.Query]
	Zone string            // an IANA name
	Tags map[string]string // that the warehouse shows to its administrators with the statement
	Own  bool              // the SQL is ours: errors have no position in it
	Line int               // number of our lines that are sent before the SQL
	Most warehouse.Limits  // of the run
	Scan int64             // bytes that it may read, if the engine can limit them
}

// Locate sets the position of an error in the SQL of the caller. line and column, from 1, are those in the SQL that was sent; the error
// keeps no position if they are not plausible or not in the caller's SQL.
func (st Statement) Locate(err *warehouse.Error, line, column int) {
	line -= st.Line
	if !st.Own && line > 0 && column > 0 && max(line, column) < 1<<20 {
		err.Line, err.Column = line, column
	}
}

// A Plan describes a statement before it runs.
type Plan struct {
	Columns []Column
	Bytes   int64  // that a run reads; -1 if unknown
	Place   string // its location, for the engine
}

// A Column is a column of a result, with the function that reads its values.
type Column struct {
	cube.Column
	// Read converts valid JSON to a value for [cube.Builder.Add], and returns its size in bytes.
	Read func(raw []byte) (v any, size int, err error)
}

// A Listing is a row of [Engine.Catalog]: its columns are texts, in this order.
type Listing struct {
	Schema, Table, Kind             string // Kind is table or view
	Column, Type, Nullable, Comment string // Nullable is YES or NO
}

// Entry returns the table and the column of a row. The table's name has its schema in front unless that is the connection's own.
func (l Listing) Entry(d sqltext.Dialect, own bool, col Column) (warehouse.Table, warehouse.TableColumn) {
	t := warehouse.Table{Name: d.Write(l.Table), Kind: l.Kind}
	if !own {
		t.Name = d.Write(l.Schema) + "." + t.Name
	}
	return t, warehouse.TableColumn{Column: col.Column, Nullable: l.Nullable == "YES", Comment: l.Comment}
}

// A Page is a part of a result.
type Page struct {
	// Rows are the rows: a list in valid JSON, or nil. Cells returns the values of one of them, in order, as JSON.
	Rows []byte
	// Long are the rows if the page is too long to be kept. They are closed once they are read.
	Long  *Stream
	Cells func(row []byte, cells [][]byte) ([][]byte, error)
	Head  bool // the first row has the names of the columns
	// Columns are the columns of the result. They are nil before the first rows.
	Columns []Column
	// Waiting is set while the statement still runs, and Last if no page follows.
	Waiting, Last bool
	// Cut is set if the warehouse has left out rows of the result, because of a limit that was sent to it.
	Cut bool
}
