// Package duckdb queries data files and the `self` view in worker processes.
//
// DuckDB reads hostile files and hostile SQL in native code, and its memory limit
// and its cancellation are not reliable, so it never runs inside the server (this
// package does not import it). The package owns the processes: it starts, watches
// and kills them, and knows to whom they belong. What happens
// inside one is up to package worker; package wire is the protocol.
//
// A worker is started for one workspace and one data set and is never given
// another. Its states: starting (loading the data) → busy with one call ⇄ idle
// → ended (idle for too long, needed for another set, killed, or dead by itself).
// A call that goes over its time or memory ends with its process. So does a call
// whose worker answers garbage. The caller gets one [warehouse.Error], the next
// call a fresh process.
package duckdb
