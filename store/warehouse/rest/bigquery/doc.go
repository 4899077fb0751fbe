// Package bigquery queries Google BigQuery by its REST API, version 2.
//
// A statement is a job with a name of ours (jobs.insert), so that it can be cancelled even if the answer to its start is lost; its rows are
// read by jobs.getQueryResults. Before it runs, a dry run of BigQuery reports its columns, its type and the number of bytes that it reads.
// It runs only if it is a SELECT and reads no more bytes than the connection allows. This limit is also sent as maximumBytesBilled.
// Functions that call other systems are refused (see gate): their cost is not among those bytes. The roles of a key decide its other
// rights: it needs BigQuery Job User on the project and BigQuery Data Viewer on the dataset.
//
// Requests have a token. Either this package signs it with the key of a service account, which is never sent; then it is valid for an hour
// and only for this host. Or it comes from Google by workload identity federation (package google).
//
// Types: NUMERIC and BIGNUMERIC keep every digit; those declared without a fraction are integers. TIMESTAMP is an instant, and DATETIME is
// a timestamp. Arrays and structs are written as JSON. Instants inside this JSON are written as RFC 3339 in UTC. Bytes that are not text
// are written \x…; TIME, INTERVAL, RANGE, GEOGRAPHY and JSON are text.
package bigquery
