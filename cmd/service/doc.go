// Command service publishes dashboards for AI clients, and serves them to the members of a workspace. This package is the program: its
// configuration, its subcommands, and the wiring of the other packages.
//
//	service serve          the server, including the refresh worker
//	service worker         only a refresh worker
//	service migrate        the database's schema
//	service admin          the operator's commands for workspaces, people, grants
//	service dashboard      dashboards in files, as a client of a server
//	service config         the configuration, and a check of it
//	service healthcheck    for a container's HEALTHCHECK
//	service version
//
// The program itself starts two more: queries over data files run in a query-worker, a process that can be killed, and a query-starter
// starts these (see store/warehouse/duckdb).
//
// The exit status is 0 for success, 1 if something failed, and 2 if the command line or the configuration is wrong,
// or if plan or drift found a difference.
package main
