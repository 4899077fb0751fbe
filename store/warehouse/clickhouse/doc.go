// Package clickhouse queries ClickHouse (23.8 and newer) by its native protocol.
//
// A query runs on its own connection, with readonly=1 and with limits of rows, bytes, memory and time that the server enforces. A limit is
// set only if the user's profile allows it and has no lower limit. Read-only mode is not enough: table functions such as url and remote
// reach other systems, and functions such as file read files. Our gate (see gate) refuses those. The query's columns are read first by
// describing it as a subquery, so that the server's parser, too, must accept the statement as a query.
//
// Types: whole numbers of up to 256 bits, and decimals without a fraction, are
// integers; numbers keep every digit. Arrays, maps, tuples and JSON are written as JSON. Instants inside this JSON are written as RFC 3339
// in UTC. NaN and infinity are NULL. Bytes that are not text are written \x…; a FixedString loses the zero bytes at its end.
package clickhouse
