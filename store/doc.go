// Package store keeps the data of the service in Postgres, through pgx: people, workspaces, grants, dashboards, versions, rows, connections
// and refreshes. It does not draw or cache pages (package view), compress content (package blob) or dial warehouses (package warehouse).
//
// A [Store] has a field for each subject, such as [Messages], whose methods are in the files with the prefix of the subject. Subjects share
// a core: the pool, the options, and the unexported methods, with which a transaction of one subject writes rows of others. Each method
// contains the SQL that it runs. A method that reads or writes a workspace's dashboards takes a [Member], which only a membership check can
// make, so that code that forgets the check does not compile. Secrets, tokens and codes are passed in as hashes, and credentials are stored
// encrypted.
//
// A dashboard has one current version at a time. Publishing and restoring make versions; refreshing fills a version's datasets with rows:
//
//	publish ─► version ─► refresh_run: queued ─► running ─► succeeded | partial | failed
//	                                      └────────┴─► cancelled (the version was replaced)
//
// A deleted dashboard stays in the bin for some days. The table any_dashboard contains it. The view dashboard does not; all statements
// outside dashboards_bin.go read this view.
//
// The colours of values belong to the dashboard, not to a version. The transaction that stores values (the end of a refresh, or the publish
// of a report) gives new values their colours. Reading a page writes nothing.
//
// Alerts belong to a dashboard's current version, and are evaluated in the transaction that ends a refresh: their states, notices and
// messages are written with the rows, or not at all. The notices, state and muting of an alert are stored by its id; its state is deleted
// when its condition changes.
//
// Transactions that lock rows of several tables lock them in one order, so that no two wait for each other: the lock of the queue's turns,
// the lock of a workspace's feeds, account, workspace, grant, upload, upload_file, upload_sheet, schedule, dashboard, version, refresh_run,
// connection, channel, subscription, message; rows of one table by id. If the database still aborts a transaction because of a deadlock,
// the transaction is tried again, counted ([Options].Retried) and logged.
package store
