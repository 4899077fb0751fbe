// Package message has one constructor for each sentence of which the specification fixes the wording or the content, in the order of the
// specification.
//
// A sentence that refuses a call is a [Refusal], an error whose text is safe to show. Any other error is only for the
// log. Sentences that the specification leaves open and that are used once are made with [Refuse] where they are used.
package message
