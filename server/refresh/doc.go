// Package refresh takes refreshes from the queue, runs the SQL of each dataset on the dashboard's connection, and stores the rows. It also
// queues scheduled refreshes, writes counted page views, tries failing connections again, and deletes expired data.
//
// Package store defines runs and the permission to request them. Several processes may each run a [Worker] on one database:
//
//	queued ─► running ─► succeeded | partial | failed
//	   ▲         │
//	   └─────────┘ the worker stopped, or died: the run is queued again
//
// Package jobs contains the workers themselves, which claim and perform runs and messages.
package refresh
