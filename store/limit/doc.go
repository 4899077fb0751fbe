// Package limit decides which callers may proceed, and which wait, are refused or must retry later. It does not depend on their work.
//
//   - [Keyed] is a set of semaphores, one for each key. It limits queries (by warehouse server), the counting of calls (by rate limit), and
//     messages (by channel and workspace).
//   - [Shared] runs a function once for all callers that wait for its result, such as the check of a token.
//   - [Fair] is a queue in which accounts take turns, so that an account with many callers does not delay the others. It is used for calls,
//     pages, query workers and pictures.
//   - [Budget] divides memory among transfers. It never waits: it evicts slow transfers, and transfers of accounts that use more memory
//     than others. [Usage] counts the memory of a Budget. It can also be used alone, for memory without a limit.
//   - [Delays] gives each caller that must retry a different time.
//
// For a plain semaphore, use [golang.org/x/sync/semaphore]. Each Acquire returns a release function that may be called more than once, so
// that a deferred call releases on errors and panics too. The database has the limits that all processes share: see package store.
package limit
