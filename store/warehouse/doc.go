// Package warehouse asks sources of data: which tables there are, which columns a query
// returns, and its rows.
//
// It owns the interface that every kind of source implements, the limits of queries, and the
// classes of errors, in words that are safe to show. Package store decides who may use which
// connection.
// The packages below speak to one kind of source each.
package warehouse
