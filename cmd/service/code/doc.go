// Package code keeps dashboards in files: it reads and writes them, checks them without a server, and does everything else as an MCP client
// of a server. It implements "service dashboard"; the flags and exit codes of that command are in package main.
//
// A [Project] is a folder with service.yaml, the lock file and one file for each dashboard. A [Client] is an MCP connection to the server
// of one environment. Both return a [Page], in which connections and uploaded files have names, so that two pages can be compared:
//
//	file ─► document (nodes with line and column) ─► Page ◄─ Client ◄─ server
//	                                                   └─► pull, plan, apply, preview, drift
//
// It uses only the tools of the server. The parser of specs is the server's, [service/store/dashboard].
package code
