// Package warehouse reads warehouses: their tables, the columns of a query, and its rows.
//
// It owns the interface that every kind of warehouse implements, the limits of queries, and the classes of errors, with messages that are
// safe to show. Package store decides which member may use which connection. Each package below connects to one kind of warehouse.
package warehouse
