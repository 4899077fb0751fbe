// Package postgres speaks to the Postgres family of warehouses: PostgreSQL and
// what speaks its protocol, such as Timescale, Redshift, CockroachDB and Cube's
// SQL API.
//
// A query runs on a connection of its own, in a read-only transaction that has
// taken its snapshot before the query is seen. A cursor is declared over it, which
// takes one query and nothing that writes, and is not read: the query runs by
// itself, so that the server may work at it in parallel, and its rows come as a
// stream. All of it goes by the extended protocol: the simple one would let
// "select 1; commit; …" out of the transaction.
package postgres
