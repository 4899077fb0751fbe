// Package duckdbtest has the statements and values with which the conformance suite of warehousetest runs against query workers, for the
// tests of the packages whose queries run in them.
package duckdbtest
