// Package wire is the protocol between the server and a query worker over a pipe: frames, requests, answers, and rows.
//
// The worker reads hostile files and runs hostile SQL, so the server trusts nothing that it sends: it checks every length before it
// allocates memory, checks every type against the announced one, and cuts and cleans every text. The package depends neither on processes
// (package duckdb) nor on the query engine (package worker).
//
// A conversation is one request and its answer, then the next. A request is one [Request] frame. Its answer is any number of [Columns] and
// [Rows] frames and one [End] frame. Files are passed as descriptors when the worker is started.
//
// Package isolate uses the frames, rows and errors for calls of its own.
package wire
