// Package postgres runs a private PostgreSQL for an installation that names no
// database of its own. It owns one directory:
//
//	<dir>/lock          held with flock by the process that runs the server
//	<dir>/data-<major>  the cluster
//	<dir>/run           the socket, unless its path would be too long
//
// [Start] either runs the server as a child process or, when another process
// holds the lock, attaches to the one that is running:
//
//	         lock free                    child died
//	Start ──────────────► owner: running ───────────► restarting ──► running
//	   │                      ▲      │ Stop
//	   │ lock held            │      ▼
//	   └─────────► attached ──┘   stopped (fast shutdown, socket removed)
//	                 lock came free: the owner left, so we take over
//
// The server listens on a unix socket alone, in a directory that only its own
// account can enter; that is why trust authentication is safe. As root it runs
// under another account, since PostgreSQL refuses to be root. Nothing is ever
// downloaded: the binaries are the system's.
//
// What may happen to a machine is expected: see reclaim for dead and orphaned
// servers, and attributes for what becomes of the child when we are killed.
// Schema and migrations are not known here: they are package store's.
package embedded
