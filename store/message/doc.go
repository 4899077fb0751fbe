// Package message is the phrase book: every sentence the specification fixes,
// word for word or by its content, one constructor each, in the order in which
// the specification lists them.
//
// A sentence that turns the caller away is a [Refusal], an error whose text is
// safe to show. Any other error is ours to log, never the caller's to read.
// Sentences that only one tool needs and that the specification leaves open are
// made with [Refuse] where they are used.
package message
