// Package trino queries Trino, and products made of it, such as Starburst, by its client REST API.
//
// A statement is posted as text, and its rows are read from the address that each answer names next, until an answer names none. Only the
// path of an address is used: the host stays that of the connection. Before a statement runs, its columns are determined by running it as a
// subquery with a limit of no rows, which reads no table, so that it must be a query for the server's parser too. DESCRIBE OUTPUT would
// need a prepared statement, which is a header and so limited to some kilobytes.
//
// The session has limits of time and of the bytes that are read from storage. Trino has no read-only mode: its access control decides.
// Functions that send SQL to another database, or rows to a model, are refused (see gate).
//
// Arguments are written into the SQL as literals, each without a line break, so that the lines of errors stay those of the author.
//
// Trino writes an instant as a wall-clock time and the name of its zone, which leaves out which of two hours it is when clocks are set
// back. So a query that returns instants runs as a subquery that converts them to UTC, unless its rows are sorted, because a subquery need
// not keep their order. Then an instant of a repeated hour is an error that names the remedy.
//
// Types: DECIMAL keeps every digit. TIMESTAMP is a time without a zone, TIMESTAMP WITH TIME ZONE an instant. Arrays, maps and rows are
// JSON. Bytes that are not text are written \x….
package trino
