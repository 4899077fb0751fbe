// Package jobs performs what waits in the queues of the database, which are tables of package store: refreshes and messages. A [Crew]
// claims jobs while it has workers that are free, as soon as the database announces them or a second later. Which job is next, and
// that no other process has it, is decided by the statement that claims it.
//
// A job that ends without a word to the store, because of a failure of our own, is no longer held by the crew. That is how
// [service/store.Store.TakeOver] finds it and queues it again.
package jobs
