// Package embedded runs a private PostgreSQL for an installation without a configured database. It uses one directory:
//
//	<dir>/lock          held with flock by the process that runs the server
//	<dir>/data-<major>  the cluster
//	<dir>/run           the socket, unless its path would be too long
//
// [Start] either runs the server as a child process or, when another process holds the lock, attaches to the one that is running:
//
//	         lock free                    child died
//	Start ──────────────► owner: running ───────────► restarting ──► running
//	   │                      ▲      │ Stop
//	   │ lock held            │      ▼
//	   └─────────► attached ──┘   stopped (fast shutdown, socket removed)
//	                 lock is free: the owner left, so we take over
//
// The server listens only on a unix socket, in a directory that only its own account can enter, so that trust authentication is safe. When
// we are root it runs under another account, because PostgreSQL refuses to run as root. The binaries are the system's; nothing is
// downloaded.
//
// On Linux, the kernel stops the child when we are killed (see the function attributes); on other systems, the next start stops it (see the
// function reclaim). Schema and migrations are in package store.
package embedded
