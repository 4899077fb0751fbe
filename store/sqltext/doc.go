// Package sqltext is the service's SQL lexer. It cuts SQL into words, names, strings, numbers and symbols, as a
// [Dialect] reads them.
//
// The lexer always reads to the end of the text. It records the first thing that two programs could read differently: an
// unfinished or nested comment, a comment that is executed, quotes that do not end, a control character, a number that
// runs into a word. [Parse], which decides whether SQL may be sent to a warehouse, makes that an [Error]. [Tokens], which
// guesses what a person means, ignores it.
package sqltext
