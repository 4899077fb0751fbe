// Package trino queries Trino, and products made of it, such as Starburst, by its client REST API.
//
// A statement is posted as text. Each answer contains some rows and the URL of the next answer, until an answer has no such URL. Only the
// path of such a URL is used: the host stays that of the connection. Before a statement runs, its columns are determined by running it as a
// subquery with a limit of no rows, which reads no table, so that it must be a query for the server's parser too. DESCRIBE OUTPUT would
// need a prepared statement, which is a header and so limited to some kilobytes.
//
// The session has limits of time and of the bytes that are read from storage. Trino has no read-only mode: only its access control prevents
// writing. Functions that send SQL to another database, or rows to a model, are refused (see gate).
//
// Arguments are written into the SQL as literals, each without a line break, so that the lines of errors stay those of the author.
//
// Trino writes an instant as a wall-clock time and the name of its zone. When clocks are set back, an hour occurs twice, and this form does
// not show which of the two is meant. So a query that returns instants runs as a subquery that converts them to UTC, unless its rows are
// sorted, because a subquery need not keep their order. If the rows are sorted, an instant in a repeated hour causes an error, whose
// message describes the remedy.
//
// Types: DECIMAL keeps every digit. TIMESTAMP is a timestamp, and TIMESTAMP WITH TIME ZONE is an instant. Arrays, maps and rows are JSON.
// Bytes that are not text are written \x….
package trino
