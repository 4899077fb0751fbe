// Package limit decides which callers may proceed, and which wait, are refused or must retry later. It does not depend on their work.
//
//   - [Keyed] is a semaphore for each key: queries by warehouse server, counts by rate, messages by channel and workspace.
//   - [Shared] runs a function once for all that wait for its result: checks of a token.
//   - [Fair] is a queue whose accounts take turns, so that one with many callers does not keep another waiting: calls, pages, query
//     workers, pictures.
//   - [Budget] divides memory among transfers and does not wait: slow transfers, and those of accounts with more, are evicted.
//     [Usage] is its count, also for memory that is never refused.
//   - [Delays] spaces out callers that come again later.
//
// A plain semaphore is [golang.org/x/sync/semaphore]. Each Acquire returns a release function that may be called more than once, so that a
// deferred call releases on errors and panics too. The database has the limits that all processes share: see package store.
package limit
