// Package refresh takes refreshes from the queue, runs the SQL of each dataset on the
// dashboard's connection, and stores the rows. It also queues scheduled refreshes, writes
// counted page views, tries failing connections again, and deletes what has expired.
//
// Package store decides what a run is and who may ask for one. Several processes may each
// run a [Worker] on one database:
//
//	queued ─► running ─► succeeded | partial | failed
//	   ▲         │
//	   └─────────┘ the worker stopped, or died: the run is queued again
//
// The workers themselves, which claim runs and messages and perform them, are package jobs.
package refresh
