// Package sqltext is the one SQL lexer of the service. It cuts SQL into words,
// names, strings, numbers and symbols, as a [Dialect] reads them.
//
// The lexer always reaches the end of the text. On its way it notes the first
// thing that two programs could read in two ways: an unfinished or nested comment,
// a comment that is executed, quotes that do not end, a control character, a
// number that runs into a word. [Parse], whose reader decides what a warehouse may
// be asked, makes an [Error] of that note. [Tokens], whose reader wants to know
// what a person probably means, does not look at it.
package sqltext
