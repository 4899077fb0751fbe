// Package message has the sentences that the specification defines, verbatim or by content: one constructor each, in the specification's
// order.
//
// A sentence that refuses a call is a [Refusal], an error whose text is safe to show. Any other error is only for the
// log. Sentences that the specification leaves open and that are used once are made with [Refuse] where they are used.
package message
