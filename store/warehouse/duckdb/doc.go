// Package duckdb queries data files and the `self` view in worker processes.
//
// DuckDB reads hostile files and hostile SQL in native code, and its memory limit and cancellation are not reliable, so it never runs
// inside the server (this package does not import it). The package owns the processes: it starts, watches and kills them, and records the
// workspace of each process. Package worker is the code that runs inside a worker; package wire is the protocol; package forkserver starts
// the processes.
//
// A worker serves one workspace and one set of files for its whole life. Its states: starting (loading the data) → busy with one call ⇄
// idle → ended (idle for too long, one of too many idle workers, killed, or exited by itself). If a call exceeds its time or memory, or its
// worker sends garbage, the process is killed. The caller gets a [warehouse.Error], and the next call a new process.
package duckdb
