package warehouse

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/google/uuid"

	"service/store/dashboard/cube"
)

// A Connector queries one source. Its methods are safe for concurrent use, and each ends when its context
// does. Errors that the caller caused or can correct are *[Error].
type Connector interface {
	// Dialect names the source's dialect of SQL, such as "duckdb" or "postgres".
	Dialect() string
	// Ping connects, authenticates and checks that the source answers.
	Ping(ctx context.Context) error
	// Introspect lists the tables whose name matches; at most MaxTables. Tables and columns that do not fit into a [Catalog] are left out
	// without an error.
	Introspect(ctx context.Context, q Introspection) ([]Table, error)
	// Describe returns the columns of a query without running it. args are the
	// values of its placeholders, in order.
	Describe(ctx context.Context, sql string, args []any) ([]cube.Column, error)
	// Query runs one read-only statement and hands its rows to sink until
	// they end or a limit is reached.
	Query(ctx context.Context, sql string, args []any, l Limits, sink Sink) (Stats, error)
	// Placeholder returns the placeholder of argument n (from 1) in SQL.
	Placeholder(n int) string
	// In returns a connector to the same source for queries in a time zone, which decides, for example, the month of an instant. See [In].
	In(zone *time.Location) Connector
}

// In returns c for queries in a time zone. The default is UTC. If the source does not know the zone, its queries fail.
func In(c Connector, zone *time.Location) Connector {
	if zone == nil || zone.String() == "UTC" {
		return c
	}
	return c.In(zone)
}

// SayZone returns the error of a source that lacks a time zone.
func SayZone(zone string) *Error {
	return Errorf(Refused, `The warehouse does not know the time zone "%s".`, zone)
}

// A Warner is a [Connector] that has a warning for the connection's owner and the authors of dashboards.
type Warner interface {
	// Warning returns a sentence or two about rights of the user besides reading tables, or about limitations of the source. It is empty if
	// there is nothing to warn of, or if the source does not answer.
	Warning(ctx context.Context) string
}

// An Introspection filters what [Connector.Introspect] lists.
type Introspection struct {
	Table   string // exactly this table; empty for all
	Pattern string // tables whose name contains this, ignoring case; empty for all
}

// A Table is a table or view of a source.
type Table struct {
	Name    string        `json:"name"` // as it is written in SQL
	Kind    string        `json:"kind"` // table or view
	Comment string        `json:"comment,omitempty"`
	Columns []TableColumn `json:"columns"`
}

// A TableColumn is a column of a [Table].
type TableColumn struct {
	cube.Column
	Nullable bool   `json:"nullable"`
	Comment  string `json:"comment,omitempty"`
}

// Limits limit one query. Reaching Rows or Bytes is not an error: the result is truncated. Reaching Time
// is an [Error] of class [Timeout].
type Limits struct {
	Rows  int           // 0 means no rows at all
	Bytes int           // of the rows, roughly as encoded
	Time  time.Duration // from the call to the last row

	// Numbered is for rows that a person or a program only looks at: columns of one name, such as count, get the names count and count_2,
	// if the connector supports it (Postgres). Otherwise, the query is refused: see [SameColumn].
	Numbered bool

	// Reserve, if it is not nil, is called by connectors that are an [Estimator] before a query runs, with the bytes that it is estimated
	// to read or -1. It returns the most that it may read, or an error that refuses it.
	Reserve func(ctx context.Context, bytes int64) (most int64, err error)
}

// A Sink takes the rows of a query. The sink may keep a row.
type Sink interface {
	Columns(cols []cube.Column) error
	Row(row []any) error // values as [cube.Builder.Add] takes them
}

// Stats describe the result of a query.
type Stats struct {
	Rows      int
	Truncated bool // a limit of [Limits] cut it
	Numbered  bool // several columns had one name: see [Limits]
	// Read is the number of bytes that the query has read, as far as the warehouse reports or estimates it. It is 0 if it did not run.
	Read int64
}

// A Class is a kind of error.
type Class string

// The classes of an [Error].
const (
	Connect    Class = "connect"    // the source cannot be reached
	Auth       Class = "auth"       // it refused the credentials
	Permission Class = "permission" // the user lacks a permission
	Syntax     Class = "syntax"     // the SQL cannot be parsed
	Unknown    Class = "unknown"    // a table, column or function does not exist
	Type       Class = "type"       // values do not fit the types that the SQL needs
	Refused    Class = "refused"    // not a single SELECT statement, or something that is not allowed here
	Timeout    Class = "timeout"
	TooLarge   Class = "too_large" // out of memory, or a value over the limits
	Busy       Class = "busy"      // no query was sent, because too many are running
	Failed     Class = "failed"    // anything else, at run time
)

// OfSource reports whether the error is about the source or the network, and not about the SQL.
func (c Class) OfSource() bool { return c == Connect || c == Auth || c == Busy }

// An Error is a failure with a message that is safe to show: without driver text and without values of the data.
type Error struct {
	Class       Class
	Message     string   // one or two sentences: the fault and the remedy
	Line        int      // of the SQL, from 1; 0 when not known
	Column      int      // in characters, from 1; 0 when not known
	Suggestions []string // nearest existing names
	Cause       error    // for the log; may be nil
}

func (e *Error) Error() string { return e.Message }
func (e *Error) Unwrap() error { return e.Cause }

// Errorf makes an [Error] without position.
func Errorf(class Class, format string, args ...any) *Error {
	return &Error{Class: class, Message: fmt.Sprintf(format, args...)}
}

// A Tenant is the account and workspace to which a request counts. Accounts take turns in using shared resources, and so do the workspaces
// of one account. A zero Account is the workspace itself.
type Tenant struct {
	Account, Workspace uuid.UUID
}

// A DataTable is a table made of a file's bytes, for the engine that queries
// data files. Text is UTF-8; csv is RFC 4180 with commas, an empty field is NULL,
// a date is 2006-01-02, a timestamp 2006-01-02 15:04:05 in UTC, a boolean true or
// false. A first row that equals the names of Columns is a header and is skipped.
type DataTable struct {
	Name    string        // as it is written in SQL
	Format  string        // parquet, csv, linked, or rows: an encoded [cube.Cube]
	Columns []cube.Column // of csv: its columns, in order

	// Parts are the files of the format linked: Parquet files with the same columns, of which only parts may be present. Their ends are. They
	// are not closed. The key of a connector over them must change with their contents.
	Parts []*os.File

	// Data are the bytes. If it is nil, Read returns the bytes with the hash SHA256 once they are needed, which is only if no worker has
	// loaded them yet.
	Data   []byte
	SHA256 []byte
	Read   func(context.Context) ([]byte, error)
}

// RowsTable returns a table of stored rows.
func RowsTable(name string, c *cube.Cube) DataTable {
	return DataTable{Name: name, Format: "rows", Data: c.Encode()}
}

// A DataFile is an uploaded file, before it is read.
type DataFile struct {
	Name  string // its ending determines the format
	Data  []byte
	Dates Dates
}

// Dates is the order of day and month in dates such as 1/2/2006. It decides for columns that fit both orders; other columns have the order
// that fits.
type Dates string

// The orders.
const (
	DatesAuto  Dates = ""            // that of the other columns, and of the file's numbers
	DayFirst   Dates = "day_first"   // 31/12/2006
	MonthFirst Dates = "month_first" // 12/31/2006
)

// A Tenanted is a [Connector] that keeps data of its tenants. It cannot be used itself.
type Tenanted interface {
	// For returns the connector of a tenant.
	For(t Tenant) Connector
}

// Ingested is a data file as it was read.
type Ingested struct {
	Rowset
	Sheets []Sheet // of a workbook: all in its order; the first one that was read is the Rowset
}

// A Rowset is a table of a file as it was read.
type Rowset struct {
	Parquet []byte        // the typed rows
	Columns []cube.Column // in order
	Rows    int
	Preview [][]any // the first PreviewRows
	Report  Report
}

// A Sheet is a sheet of a workbook. Only one in the state read has rows.
type Sheet struct {
	Name   string
	State  SheetState
	Reason string // of the state unread
	Rowset
}

// A SheetState is the outcome of reading a sheet.
type SheetState string

// The states of sheets.
const (
	SheetRead   SheetState = "read"
	SheetHidden SheetState = "hidden"
	SheetEmpty  SheetState = "empty"
	SheetChart  SheetState = "chart"  // it has a chart and no cells
	SheetUnread SheetState = "unread" // it could not be read, or is after the last sheet that is
)

// A Report describes how a file was read. Nothing is dropped silently: a value that cannot be kept becomes NULL and is counted here, or its
// column stays text.
type Report struct {
	Notes []string   `json:"notes,omitempty"` // sentences, such as "column day: dates like Jan 1 2000"
	Cells []BadCells `json:"cells,omitempty"`
	// Dates are the columns of dates that fit both orders of day and month, with the order in which they were read.
	Dates []DateColumn `json:"dates,omitempty"`
	// Units are the columns whose values were written with the sign or the code of a currency, or with %.
	Units []ColumnUnit `json:"units,omitempty"`
}

// A ColumnUnit is the unit with which the numbers of a column were written: $, €, £, ¥, USD, EUR, GBP, JPY or %.
type ColumnUnit struct {
	Column string `json:"column"`
	Unit   string `json:"unit"`
}

// A DateColumn is a column of dates that fits both orders of day and month.
type DateColumn struct {
	Column string `json:"column"`
	Order  Dates  `json:"order"`
}

// BadCells counts values of one column that do not fit its type.
type BadCells struct {
	Column   string `json:"column"`
	Count    int    `json:"count"`
	FirstRow int    `json:"first_row"` // from 1, the header not counted
}
