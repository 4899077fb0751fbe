// Package postgres speaks to the Postgres family of warehouses: PostgreSQL and
// what speaks its protocol, such as Timescale, Redshift, CockroachDB and Cube's
// SQL API.
//
// A query runs on a connection of its own, in a read-only transaction that has
// taken its snapshot before the query is seen, through a cursor that is declared
// by the extended protocol: the simple one would let "select 1; commit; …" out of
// the transaction.
package postgres
