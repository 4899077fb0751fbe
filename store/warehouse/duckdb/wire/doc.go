// Package wire is what the server and a query worker say to each other over a
// pipe: frames, requests, answers, and rows.
//
// The worker reads hostile files and runs hostile SQL, so the server believes
// nothing that comes out of it. Every length is checked before memory is taken
// for it, every type against what was announced, every text cut and cleaned.
// The package knows neither processes (package duckdb) nor the query engine
// (package worker).
//
// A conversation is one request and its answer, then the next. A request is one
// [Request] frame. Its answer is any number of [Columns], [Rows] and [Bytes]
// frames and one [End] frame.
package wire
