// Package refresh performs refreshes: it runs the SQL of each dataset on the dashboard's connection, and stores the rows. It also queues
// scheduled refreshes, writes counted page views, tries failing connections again, and deletes expired data.
//
// Package store defines runs and the permission to request them. Several processes may each run a [Worker] on one database:
//
//	queued ─► running ─► succeeded | partial | failed
//	   ▲         │
//	   └─────────┘ the worker stopped, or died: the run is queued again
//
// Package jobs claims runs and messages from their queues, and calls this package to perform a run.
package refresh
