// Package linked reads data files that are not uploaded: at an HTTPS address, in a bucket of S3 or of another service with its API, or as a
// Google spreadsheet.
//
// It fetches the parts that a query needs, and a query worker (package duckdb) reads them: the server parses neither the files nor the SQL.
// Only the end of a Parquet file is fetched, and then the parts that the worker names for a query. Other files are fetched whole and
// converted like uploaded ones.
//
// A host is not trusted. Every request, also after a redirect, is dialled through [warehouse.Dialer]. At most three redirects are followed.
// Credentials are sent to the host of the connection only. Answers are bounded by the bytes that a call may fetch, by the time of the call,
// and by the length that the host announced. A part is used only if it belongs to the same state of the file as the others. Errors contain
// no text of a host.
//
// Parts are kept in unnamed temporary files. Later calls of the same workspace with the same connection use them. A call asks the host
// first whether a file has changed, with the credentials of the connection.
package linked
