// Package starter starts worker processes from a process of its own.
//
// Namespaces are given to a process when it is forked. To fork the server means to copy its page tables
// while all its threads wait for their memory, and to have it fault for each page that it then writes: 5 ms
// and 20 more for each 100 MB it has, at every worker. The starter is this program again, with a few
// megabytes, and starts a worker wherever the server asks for one. It is also what workers get their
// niceness from, and what they die with.
//
//	server ── socket: files, answers ── starter ── fork ── worker
//	   └───────────────────── pipes ─────────────────────────┘
//
// The starter ends with the server, and workers with the starter, however it ends (prctl(2),
// PR_SET_PDEATHSIG). A starter that ended is started again for the next worker.
package starter
