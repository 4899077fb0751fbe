// Package postgres queries the Postgres family of warehouses: PostgreSQL and other servers of its protocol, such as Timescale, Redshift,
// CockroachDB and Cube's SQL API.
//
// A query runs on its own connection, in a read-only transaction, which takes its snapshot before the query and cannot be made writable
// after that. Everything is sent by the extended protocol, which accepts only one statement; with the simple protocol, "select 1; commit;
// …" would leave the transaction. Both protections hold for any SQL.
//
// First a cursor is declared for the query, and not read. In this way the server refuses statements that write or are not queries, and
// reports the position of the error. Then the query itself runs, so that the server may run it in parallel, and its rows are streamed. The
// cursor is not a protection: the server runs immutable functions when it plans the cursor. A function of the database's owner may then
// change the settings for strings or the search path, so that the query that runs later differs from the declared query.
package postgres
