// Package bigquery queries Google BigQuery by its REST API, version 2.
//
// A statement is a job with a name of ours (jobs.insert), so that it can be cancelled even if the answer to its start is lost; its rows are
// read by jobs.getQueryResults. Before it runs it is planned by a dry run, which reports its columns, its type and the bytes that it reads:
// only a SELECT runs, and only if it reads no more than the connection allows, a limit that is also sent as maximumBytesBilled. Functions
// that call other systems are refused (see gate): their cost is not among those bytes. The roles of a key decide its other rights: it needs
// BigQuery Job User on the project and BigQuery Data Viewer on the dataset.
//
// Requests are signed by the key of a service account, which is never sent: a token that is good for an hour and for this host alone. Or
// Google is asked for a token by workload identity federation (package google).
//
// Types: NUMERIC and BIGNUMERIC keep every digit; those declared without a fraction are integers. TIMESTAMP is a moment, DATETIME a
// time without a zone. Arrays and structs are written as JSON, moments in it as RFC 3339 in UTC. Bytes that are not text are written
// \x…; TIME, INTERVAL, RANGE, GEOGRAPHY and JSON are text.
package bigquery
