// Package athena queries Amazon Athena by its API of 2017-05-18, in JSON 1.1.
//
// A statement is started with an idempotency key of ours: a second start with the same key does not run it again. Then the statement is
// polled, and its rows are read page by page. The first row has the names of the columns. Before a statement runs, its columns are
// determined by running it as a subquery with a limit of no rows, and Athena must report that this is a SELECT. A query runs only in a
// workgroup that limits the data scanned per query to no more than the connection allows: Athena has no such limit of its own for a query,
// and bills what is scanned.
//
// Requests are signed with the secret of an access key, which is never sent: Signature Version 4.
//
// The SQL is that of Trino, and package trino checks it, writes arguments into it, and translates its errors. The API has no sessions, so
// the time zone is UTC; in a query, current_timezone() is replaced by the zone of the dashboard.
//
// Types: as in package trino, but arrays, maps and rows are the text that Athena writes, and bytes are written \x….
package athena
