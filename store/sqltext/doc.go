// Package sqltext is the service's SQL lexer. It splits SQL into words, names, strings, numbers and symbols, by the rules of a [Dialect].
//
// The lexer always reads to the end of the text. It records the first place that two programs could read differently: an unfinished or
// nested comment, a comment that is executed, quotes that do not end, a control character, a number that runs into a word. [Parse], which
// gates use, reports this place as an [Error]. [Tokens], which guesses the meaning of a text, ignores it.
package sqltext
