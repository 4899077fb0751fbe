// Package duckdb queries data files and the `self` view in worker processes.
//
// DuckDB reads hostile files and hostile SQL in native code, and its memory limit and
// cancellation are not reliable, so it never runs inside the server (this package does not
// import it). The package owns the processes: it starts, watches and kills them, and knows to
// whom they belong. Package worker is what runs inside one; package wire is the protocol; package starter
// starts them.
//
// A worker is started for one workspace and one data set and is never given
// another. Its states: starting (loading the data) → busy with one call ⇄ idle
// → ended (idle for too long, one too many of those that are idle, killed, or dead by itself).
// When a call exceeds its time or memory, or its worker answers garbage, the process is killed.
// The caller gets a [warehouse.Error], and the next call a new process.
package duckdb
