// Package jobs performs the jobs of the queues in the database, which are tables of package store: refreshes and messages. A [Crew]
// claims jobs while it has free workers, as soon as the database announces them or a second later. The statement that claims a job
// chooses it and excludes other processes.
//
// A crew no longer holds a job whose attempt failed before it was recorded in the store. [service/store.Jobs.TakeOver] queues such
// jobs again.
package jobs
