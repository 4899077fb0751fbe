// Package duckdbtest has the statements and values for running the conformance suite of warehousetest against query workers. The tests of
// packages that use query workers import it.
package duckdbtest
