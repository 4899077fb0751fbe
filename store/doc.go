// Package store is the service's memory: people, workspaces, grants,
// dashboards, versions, rows, connections and refreshes, in Postgres through
// pgx, and the pages made of them.
//
// There is one file per table, and the SQL stands in the method that runs it.
// A method that reads or writes a workspace's dashboards takes a [Member], which
// only a membership check can make: forgetting the check does not compile.
// Secrets, tokens and codes come in as hashes, credentials as sealed bytes.
//
// A dashboard has one current version at a time. Publishing and restoring make
// versions; refreshing fills a version's datasets with rows:
//
//	publish ─► version ─► refresh_run: queued ─► running ─► succeeded | partial | failed
//	                                      └────────┴─► cancelled (the version was replaced)
package store
