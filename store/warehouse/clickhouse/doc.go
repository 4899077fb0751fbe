// Package clickhouse speaks to ClickHouse (23.8 and newer) by its native protocol.
//
// A query runs on a connection of its own, with readonly=1 and limits of rows,
// bytes and time that the server keeps, as far as the user's own profile lets
// them be set. Reading alone is not enough: table functions such as url and
// remote reach other systems. A gate of our own (see gate) lets only those
// through that stay inside; and the server's parser has to agree that the
// statement is a query, since it is asked for its columns first.
//
// Types: whole numbers up to 64 bits are integers, UInt64 unless the result holds
// a value beyond int64, when the column is a number; larger ones are numbers.
// Arrays, maps and tuples are written as JSON. NaN and infinity are NULL. Bytes that are
// no text are written \x….
package clickhouse
