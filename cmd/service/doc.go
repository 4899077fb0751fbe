// Command service publishes dashboards for AI clients, and serves them to the members of a workspace.
// This package is the program: its configuration, its subcommands, and the wiring of the other packages.
//
//	service serve          the server, and with it the refresh worker
//	service worker         a refresh worker alone
//	service migrate        the database's schema
//	service admin          what an operator does to workspaces, people, grants
//	service dashboard      dashboards in files, as a client of a server
//	service config         the configuration, and a check of it
//	service healthcheck    for a container's HEALTHCHECK
//	service version
//
// The program itself starts two more: queries over data files run in a query-worker, a process that
// can be killed, and a query-starter starts these (see store/warehouse/duckdb).
//
// The exit status is 0 for success, 1 if something failed, and 2 if the command line or the
// configuration is wrong.
package main
