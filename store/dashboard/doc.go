// Package dashboard defines dashboards: their names (slugs, paths, filenames, labels; specification, "Resources and their fields" and "Path
// and input validation messages") and their contents (the spec, version 1, which an AI client writes and the service stores).
//
// It parses a spec, reports all mistakes at once with their fixes, and resolves the meaning of the columns of a dataset. Package cube
// stores the rows, package panel draws panels, package page the page around them, and package store stores dashboards.
package dashboard
