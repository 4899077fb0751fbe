// Command service publishes dashboards for AI clients, and serves them to the members of a workspace. This package is the program: its
// configuration, its subcommands, and the wiring of the other packages.
//
//	service serve          the server, including refreshes and messages
//	service worker         refreshes and messages only
//	service migrate        the database's schema
//	service backup         writes the database to a file
//	service restore        restores such a file
//	service admin          the operator's commands for workspaces, people, grants
//	service dashboard      dashboards in files, as a client of a server
//	service config         the configuration, and a check of it
//	service healthcheck    for a container's HEALTHCHECK
//	service version
//
// The program also starts itself with three hidden subcommands: query-worker, a process that runs queries over data files and can be
// killed, query-starter, which starts these processes (store/warehouse/duckdb), and warehouse-worker, which makes one call to a warehouse
// (store/warehouse/isolate).
//
// The exit status is 0 for success, 1 if something failed, and 2 if the command line or the configuration is wrong,
// or if plan or drift found a difference.
package main
