// Package postgres speaks to the Postgres family of warehouses: PostgreSQL and
// what speaks its protocol, such as Timescale, Redshift, CockroachDB and Cube's
// SQL API.
//
// A query runs on a connection of its own, in a read-only transaction that has
// taken its snapshot before the query is seen, and cannot be made to write after
// that. All of it goes by the extended protocol, which takes one statement: the
// simple one would let "select 1; commit; …" out of the transaction. These two hold
// whatever the SQL is.
//
// Before it, a cursor is declared over the query and not read. That refuses what is
// no query, or says that it writes, with its place. Then the query runs by itself,
// so that the server may work at it in parallel, and its rows come as a stream. The
// cursor guarantees nothing: planning it runs immutable functions, and one that the
// database's owner has made may change how the server reads strings or finds
// tables, so that what runs is not what was declared.
package postgres
