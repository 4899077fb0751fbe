// Package store is the service's memory: people, workspaces, grants,
// dashboards, versions, rows, connections and refreshes, in Postgres through
// pgx. It draws, caches, compresses and dials nothing: package view has the pages,
// package blob the form of stored content, package warehouse the connections.
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
//
// The colours of the values on a dashboard's page are kept with the dashboard, not
// with a version. The transaction that brings values gives colours to those that
// are new: the end of a refresh, or the publish of a report. Reading a page
// writes nothing.
//
// Transactions that lock rows of several tables lock them in one order, so that no
// two wait for each other: the turns of the queue, account, workspace, grant, upload, schedule, dashboard,
// version, refresh_run, connection; rows of one table by id. What the database ends
// as a deadlock all the same is tried again, counted ([Options].Retried) and logged.
package store
