// Package format writes the values of a dashboard for readers: numbers, dates and texts in the language, the currency and the formats of
// its spec.
//
// A [Formatter] rounds the decimal digits that people read, and never a binary fraction: see package decimal. Package locale has the
// words, signs and orders of languages; this package formats the values of columns with them.
package format
