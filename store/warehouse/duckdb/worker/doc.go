// Package worker is the child process that owns the query engine: it loads data
// files into DuckDB in memory, answers queries about them, and turns uploaded
// files into Parquet.
//
// The engine reads files and SQL from strangers in native code, so the process may be lost at any time: package duckdb starts it without
// environment, files or network, measures its memory and its time, and kills it when it exceeds its limits. This package restricts the
// process from inside:
//
//   - a statement is parsed and only one SELECT over the loaded tables with
//     known functions passes (gate.go, functions.txt);
//   - the engine's access to files and network, its extensions and its settings are locked before the first query (database.go), and on
//     Linux the process drops the right to open and write files altogether (seal_linux.go);
//   - an error is translated into our own words, because the engine's quote
//     values of the data (translate.go).
//
// States: started → (load → locked → any number of queries) or (ingest) → ended
// when its standard input ends.
package worker
