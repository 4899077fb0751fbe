// Package refresh is the clockwork: it takes refreshes from the queue, runs the
// SQL of each dataset on the dashboard's connection, and stores the rows. It
// also queues what schedules make due, writes the counted page views, looks again
// at connections that refreshes made failing, and sweeps what has expired.
//
// What a run is, and who may ask for one, is package store's business. Several
// processes may each run a [Worker] on one database:
//
//	queued ─► running ─► succeeded | partial | failed
//	   ▲         │
//	   └─────────┘ the worker stopped, or died: the queue gives the run out again
package refresh
