// Package databricks queries a SQL warehouse of Databricks by its Statement Execution API, version 2.0.
//
// A statement is submitted without waiting, so that it can be cancelled as soon as it has an id, and is then polled. Its rows come inline,
// chunk by chunk. If they exceed the size that the API returns inline, the statement is submitted again with external links: addresses in
// the storage of the workspace, which are fetched without credentials, and only from known storage services. Before it runs, its columns
// are determined by running it as a subquery with a limit of no rows, so that it must be a query for the server's parser too. The API has
// no read-only mode: only the privileges of the user prevent writing. Functions that call models, other systems or secrets are refused (see
// gate).
//
// Requests have the token of a user, or one that a service principal gets for its secret, which is good for an hour.
//
// The API has no sessions, so the time zone is UTC. In a query, current_timezone() is replaced by the zone of the dashboard.
//
// Types: DECIMAL keeps every digit. TIMESTAMP is an instant, and TIMESTAMP_NTZ is a timestamp. Arrays, maps, structs and variants are the
// text that the server writes. Bytes that are not text are written \x….
package databricks
