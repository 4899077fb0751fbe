// Package postgres queries the Postgres family of warehouses: PostgreSQL and other servers of its protocol, such as Timescale, Redshift,
// CockroachDB and Cube's SQL API.
//
// A query runs on its own connection, in a read-only transaction, which takes its snapshot before the query and cannot be made writable
// after that. Everything is sent by the extended protocol, which accepts only one statement; with the simple protocol, "select 1; commit;
// …" would leave the transaction. Both protections hold for any SQL.
//
// First a cursor is declared for the query and not read, which refuses statements that are not queries
// or that write, with the position. Then the query itself runs, so that the server may run it in
// parallel, and its rows are streamed. The cursor is not a protection: planning it runs immutable
// functions, and one made by the database's owner may change how the server reads strings or finds
// tables, so that the query that runs differs from the declared one.
package postgres
