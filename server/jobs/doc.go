// Package jobs performs jobs: refreshes and messages. Their queues are tables of package store. While a [Crew] has free workers, it claims
// jobs as soon as the database announces them, and also every second. The statement that claims a job chooses it and excludes other
// processes.
//
// If an attempt fails and the failure cannot be recorded in the store, the crew no longer holds the job. [service/store.Jobs.TakeOver]
// queues such jobs again.
package jobs
