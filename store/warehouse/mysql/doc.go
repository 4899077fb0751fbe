// Package mysql queries MySQL (8.0 and newer), MariaDB (10.3 and newer) and other servers of their protocol.
//
// A query runs on its own connection, in a read-only transaction, as a prepared statement, which the protocol allows to contain only one
// statement. A SELECT may do more than read, so a statement must pass our gate first (see gate), and the server's parser must accept it in
// brackets. When a query is abandoned, a second connection kills it on the server, where it would otherwise continue.
//
// Types: BOOLEAN is another name of TINYINT(1), and the protocol does not distinguish them, so both
// are integers. BIGINT UNSIGNED is an integer, unless the result contains a value beyond int64: then
// the column is a number. DATETIME and TIMESTAMP are read in UTC. Dates that are not in the calendar,
// such as 0000-00-00, are NULL. Bytes that are not text are written \x….
package mysql
