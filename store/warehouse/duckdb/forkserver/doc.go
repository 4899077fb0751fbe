// Package forkserver starts worker processes from a process of its own.
//
// A process gets its namespaces when it is forked. Forking the server would copy its page tables while all its threads wait, and cause a
// page fault at each page that it then writes: 5 ms, and 20 ms more for each 100 MB of the server, at every worker. The starter is another
// process of this program, with a few megabytes, and forks workers on request of the server. Workers inherit its niceness and end with it.
//
//	server ── socket: files, answers ── starter ── fork ── worker
//	   └───────────────────── pipes ─────────────────────────┘
//
// The starter ends with the server, and workers end with the starter, however it ends (prctl(2), PR_SET_PDEATHSIG). If the starter has
// ended, a new one is started for the next worker.
package forkserver
