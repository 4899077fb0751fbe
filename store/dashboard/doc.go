// Package dashboard says what a dashboard is: how it is named (slugs, paths,
// filenames, labels; specification, "Resources and their fields" and "Path and
// input validation messages") and what it shows (the spec, version 1: what an
// AI client writes and the service keeps).
//
// It parses a spec, checks all of it at once in words that name the fix, and
// says what the columns of a dataset mean. It runs no SQL and draws nothing: the
// rows are the business of package cube, the page is that of package page, and
// where a dashboard is kept is that of package store.
package dashboard
