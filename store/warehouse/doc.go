// Package warehouse asks a source of data a question: what tables there are,
// what columns a query returns, and its rows.
//
// It owns the interface that every kind of source implements, the limits on a
// question, and the classification of what can go wrong in words that are safe
// to show. Which connection may be used by whom is package store's business.
// The packages below speak to one kind of source each.
package warehouse
