// Package dashboard says what a dashboard is: how it is named (slugs, paths,
// filenames, labels; specification, "Resources and their fields" and "Path and
// input validation messages") and what it shows (the spec, version 1: what an
// AI client writes and the service keeps).
//
// It parses a spec, reports all mistakes at once with their fixes, and resolves what the columns
// of a dataset mean. Package cube has the rows, package page draws the page, and package store
// stores dashboards.
package dashboard
