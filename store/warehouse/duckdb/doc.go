// Package duckdb queries data files and the `self` view in worker processes.
//
// DuckDB reads hostile files and hostile SQL in native code, and neither its
// memory limit nor its cancellation can be relied on, so it never runs inside
// the server (this package does not import it). The package owns the processes:
// how they are started, watched, killed, and whom they belong to. What happens
// inside one is package worker's business; the language between them is package
// wire's.
//
// A worker is started for one workspace and one data set and is never given
// another. Its states: starting (loading the data) → busy with one call ⇄ idle
// → ended (idle too long, its place needed, killed, or dead by itself). A call
// that goes over its time or memory ends with its process; so does one whose
// worker answers garbage. The caller gets one [warehouse.Error], the next call a
// fresh process.
package duckdb
