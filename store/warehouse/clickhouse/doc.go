// Package clickhouse speaks to ClickHouse (23.8 and newer) by its native protocol.
//
// A query runs on a connection of its own, with readonly=1 and limits of rows,
// bytes, memory and time that the server keeps, as far as the user's own profile
// lets them be set and is not stricter. Reading alone is not enough: table
// functions such as url and remote reach other systems, and functions such as file
// read what is not in a table. A gate of our own (see gate) lets only those
// through that stay inside; and the server's parser has to agree that the
// statement is a query, since it is asked for its columns first.
//
// Types: whole numbers of up to 256 bits, and decimals without a fraction, are
// integers; numbers keep every digit. Arrays, maps, tuples and JSON are written as
// JSON, moments in it as RFC 3339 in UTC. NaN and infinity are NULL. Bytes that are
// no text are written \x…; a FixedString loses the zero bytes that fill it up.
package clickhouse
