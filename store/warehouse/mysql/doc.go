// Package mysql speaks to MySQL (8.0 and newer), MariaDB (10.3 and newer) and what
// speaks their protocol.
//
// A query runs on a connection of its own, in a read-only transaction, as a
// prepared statement, of which the protocol takes one at a time. Since a SELECT
// may do more than read here, a statement has to pass a gate of our own first
// (see gate), and the server's parser has to agree that it is a query that could
// stand in brackets. When a query does not run to its end, a second connection
// kills it on the server, which else would go on.
//
// Types: what is a number to MySQL is one here. BOOLEAN is its name for TINYINT(1), and the
// protocol does not tell them apart, so both are integers. BIGINT UNSIGNED is an
// integer unless the result holds a value beyond int64: then the column is a
// number. DATETIME and TIMESTAMP are read in UTC. Dates outside of the calendar, such as
// 0000-00-00, are NULL. Bytes that are no text are written \x….
package mysql
